"""A process beside the test: it saves and spends as it is told on its standard input, and confirms each line.

``python -m tests.store.worker LOCATION`` reads lines of words: ``spend PROJECT REFERENCE EPSILON``, ``save NAME``,
``list``, ``both PROJECT COUNT NAME``, which saves and spends so many times, and ``open LOCATION``, which goes on with
another database. It writes what was confirmed, or the refusal.
"""

import sys

from dpviz import Guarantee, Plan
from dpviz.plan import Document
from dpviz.store import Database


def said(database: Database, words: list[str]) -> str:
    """What is answered to one line; every failure is a sentence."""
    try:
        match words:
            case ["spend", project, reference, epsilon]:
                ledger = database.ledger(project)
                return f"spent {ledger.spend(asked=Guarantee(float(epsilon)), reference=reference).number}"
            case ["save", name]:
                return f"saved {database.plans().save(Document(Plan([]), name))}"
            case ["list"]:
                return f"listed {len(database.plans().list())}"
    except ValueError as error:
        return f"{type(error).__name__}: {error}"
    raise SystemExit(f"not understood: {words}")


def main() -> None:
    database = Database(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "both":
            for number in range(int(words[2])):
                print(said(database, ["save", f"plan-{number}"]), flush=True)
                print(said(database, ["spend", words[1], f"{words[3]}-{number}", "0.001"]), flush=True)
        elif words[0] == "open":
            database = Database(words[1])
        else:
            print(said(database, words), flush=True)


if __name__ == "__main__":
    main()
