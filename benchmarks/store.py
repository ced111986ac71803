"""How long saves and spends take with 50 people at once, and how the ledger grows, on SQLite or any database.

Run ``python benchmarks/store.py``; ``--database URL`` asks another one, which must be empty, and ``--quick`` takes
small counts and only shows that everything still runs. Each person saves a version, waits as long as somebody thinks,
and spends; with ``--pause 0`` all of them at every moment.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from dpviz import Guarantee, Plan
from dpviz.plan import Document
from dpviz.store import Database, Key, Term, verify

KEY = Key("census", "person")
PLAN = Plan.read(Path(__file__).parents[1] / "examples" / "statistics-office.json")


def ledger_of(database, project, epsilon=1000.0):
    """Return the ledger of a new project with a budget for life and one for any day."""
    database.projects().create(project)
    ledger = database.ledger(project)
    ledger.open_budget(KEY, epsilon, reference="life")
    ledger.open_budget(KEY, epsilon, term=Term.rolling(86_400), reference="day")
    return ledger


def person(number, location, turns, pause, begin, took):
    """Save and spend in turn, as one person does in a session of one process."""
    database, rng = location, np.random.default_rng(number)
    plans, ledger = database.plans(), database.ledger("many")
    name, document = None, Document(PLAN, f"Plan {number}")
    begin.wait()
    time.sleep(pause * rng.random())
    for turn in range(turns):
        started = time.perf_counter()
        name = plans.save(document, over=name)
        took["save"].append(time.perf_counter() - started)
        time.sleep(pause * rng.random())
        started = time.perf_counter()
        ledger.spend(asked={KEY: Guarantee(0.001)}, reference=f"{number}-{turn}")
        took["spend"].append(time.perf_counter() - started)
        time.sleep(pause * rng.random())


def together(database, people, turns, pause):
    """Print how long saves and spends took while so many people worked at once."""
    ledger_of(database, "many")
    begin, took, used = threading.Barrier(people), {"save": [], "spend": []}, time.process_time()
    threads = [
        threading.Thread(target=person, args=(number, database, turns, pause, begin, took)) for number in range(people)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = (time.process_time() - used) / sum(map(len, took.values())) * 1000
    print(f"{used:.1f} ms of the processor for each")
    for deed, seconds in took.items():
        middle, late = np.percentile(np.array(seconds) * 1000, [50, 95])
        print(f"{people} people, {len(seconds)} times {deed}: median {middle:.1f} ms, p95 {late:.1f} ms")


def growth(database, rows):
    """Print what a spend takes as the ledger grows, and what its export and its check take."""
    ledger = ledger_of(database, "growth")
    print("| entries | ms a spend | ms of the processor |\n|---|---|---|")
    for block in range(5):
        started, used = time.perf_counter(), time.process_time()
        for number in range(rows // 5):
            ledger.spend(asked={KEY: Guarantee(1e-6)}, reference=f"{block}-{number}")
        each = 1000 / (rows // 5)
        taken, used = (time.perf_counter() - started) * each, (time.process_time() - used) * each
        print(f"| {(block + 1) * (rows // 5):,} | {taken:.2f} | {used:.2f} |")
    started = time.perf_counter()
    text = ledger.export()
    exported = time.perf_counter()
    faults, checked = verify(text).faults, time.perf_counter()
    print(f"export {exported - started:.2f} s ({len(text) / 1e6:.1f} MB)")
    print(f"verify {checked - exported:.2f} s: {faults or 'it holds'}")


def main():
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts")
    parser.add_argument("--database", help="a file or URL; default: a new file of SQLite")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds that a person thinks at most; default: 2")
    parser.add_argument("--rows", type=int, default=100_000, help="entries of the ledger that grows; default: 100,000")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Database(options.database or f"{folder}/plans.db")
        together(database, *((5, 2, 0.0) if options.quick else (50, 10, options.pause)))
        growth(database, 50 if options.quick else options.rows)
        database.close()


if __name__ == "__main__":
    main()
