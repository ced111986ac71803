"""What many visitors at once cost the server: latency, processor time, memory, and what its log says of errors.

Analysts do what pages offer, three to eight seconds apart, on all pages. Hostile visitors do about one thing a second:
set widgets inside and outside their ranges, open hostile addresses and links, upload anything, leave and return; one in
five also forges what no browser sends. Streamlit itself answers some of that with an error, which the log has too.
Beside analysts, one visitor may ask for as much as an address can, again and again.

Everybody speaks Streamlit's own protocol over a websocket and learns the widgets of a page from the answer. A rerun's
latency is the time from sending it to the end of its script; a visitor waits for that before the next one. How long
processes are held at a time is seen from outside: what they take to say that they are in good health, asked for every
tenth of a second. The same visitors come to one process, and to two behind HAProxy with `deploy/haproxy.cfg`.
"""

import argparse
import asyncio
import math
import os
import random
import re
import statistics
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

from _servers import HAPROXY, serving
from _visitor import PATIENCE, Analyst, Heavy, Tally, Visitor

FORGERS = 5  # one hostile visitor in so many speaks the protocol as no browser does
FRAME = r'File "(.*?)", line (\d+), in (.*)'
PLACES = 4  # of an error that are shown
SETTLED = 600  # seconds after which memory is to be flat, or a third of the time where that is less
KINDS = ("analysts", "hostile", "heavy")
HEADS = ("visitors", "processes", "reruns", "p50", "p95", "longest", "processor time per rerun", "health p50", "p99")


def crowd(kind, port, sessions, seed, tally, heavy):
    """The visitors of a kind; the heavy one, who comes beside analysts, has a tally apart."""
    rngs = [random.Random(f"{seed}/{number}") for number in range(sessions)]
    if kind == "hostile":
        return [Visitor(port, rng, tally, number % FORGERS == 1) for number, rng in enumerate(rngs)]
    if kind == "heavy":
        return [Heavy(port, rngs[0], heavy), *(Analyst(port, rng, tally) for rng in rngs[1:])]
    return [Analyst(port, rng, tally) for rng in rngs]


async def watch(servers, tally):
    """Note the memory of all processes every second."""
    began = time.monotonic()
    while True:
        tally.memory.append((time.monotonic() - began, servers.memory()))
        await asyncio.sleep(1)


async def ask(servers, tally):
    """Note every tenth of a second how long a server takes to say that it is in good health."""
    url = f"http://localhost:{servers.port}/_stcore/health"
    while True:
        began = time.perf_counter()
        await asyncio.to_thread(lambda: urllib.request.urlopen(url).close())
        tally.asked.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0.1)


async def visit(servers, kind, sessions, seconds, seed, tally, heavy):
    """Let all visitors come, one after the other in the first tenth of the time, and stay to its end.

    Those who come before the time begins are not measured: for the first visitor the server imports what pages need.
    """
    for number in range(2 * len(servers.processes)):
        first = Analyst(servers.port, random.Random(f"{seed}/first/{number}"), Tally())
        await first.come()
        await first.leave()
    began, busy = time.monotonic(), servers.busy()
    watching = [asyncio.create_task(each(servers, tally)) for each in (watch, ask)]
    visitors = crowd(kind, servers.port, sessions, seed, tally, heavy)
    starts = [began + 0.1 * seconds * number / sessions for number in range(sessions)]
    lives = zip(visitors, starts, strict=True)
    staying = [asyncio.create_task(each.live(start, began + seconds)) for each, start in lives]
    done, late = await asyncio.wait(staying, timeout=seconds + PATIENCE)
    for task in late:  # the heavy one waits for longer than anybody
        task.cancel()
    for task in done:
        task.result()
    tally.counts["server ended by itself"] += servers.ended()
    for task in watching:
        task.cancel()
    tally.busy = servers.busy() - busy


def measured(kind, processes, sessions, seconds, seed):
    """The tallies of the servers under load: of all visitors, and of the heavy one."""
    tally, heavy = Tally(), Tally()
    with tempfile.TemporaryDirectory() as folder, serving(processes, folder) as servers:
        asyncio.run(visit(servers, kind, sessions, seconds, seed, tally, heavy))
        tally.log = servers.log()
    tally.counts += Counter()  # what never happened is not told
    return tally, heavy


def logged(tally):
    """The distinct errors of a log: how many, and one deed that led there where it is known."""
    found, seen = Counter(), {}
    for identifier, what in re.findall(r"error (\w{8}): (.*)", tally.log):
        found[shortened(what)] += 1
        seen.setdefault(shortened(what), []).append(tally.deeds.get(identifier, (False, "nobody saw it")))
    rest = re.sub(r".*error \w{8}: .*", "", tally.log)
    block = re.compile(r"Traceback \(most recent call last\):\n((?:[ \t].*\n|\n)*)(\S.*)")
    for frames, last in block.findall(rest):
        places = [f"{Path(file).name}:{line} {name}" for file, line, name in re.findall(FRAME, frames)]
        found[shortened(f"Traceback: {last.split(':')[0]} at " + " < ".join(reversed(places)))] += 1
    for line in block.sub("", rest).splitlines():
        if "Exception" in line or "Traceback" in line:
            found[re.sub(r"^[\d: .-]+", "", line)[:200]] += 1
    return [f"- {count} × `{what}`{after(seen.get(what, []))}" for what, count in found.most_common()]


def shortened(what):
    """An error with the innermost places only."""
    return " < ".join(what.split(" < ")[:PLACES])


def after(seen):
    """What was done before an error: of others than forgers, if any."""
    if not seen:
        return ""
    forger, deed = min(seen)
    return f", after `{deed}`" + (" (forgers only)" if forger else "")


def percentile(values, percent):
    """The least value that this percentage of the values do not exceed; nan where there are none."""
    return sorted(values)[math.ceil(percent / 100 * len(values)) - 1] if values else math.nan


def line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def latency(kind, processes, tally, heavy):
    """A line of the table of latencies; the processor time is that of all visitors, the heavy one too."""
    every = [value for values in tally.latencies.values() for value in values]
    times = [f"{percentile(every, percent):.0f} ms" for percent in (50, 95, 100)]
    busy = 1000 * tally.busy / max(1, len(every) + sum(map(len, heavy.latencies.values())))
    asked = [f"{percentile(tally.asked, percent):.0f} ms" for percent in (50, 99)]
    return line((kind, processes, len(every), *times, f"{busy:.0f} ms", *asked))


def at(points, second):
    """The memory at a second, or a dash where it never came."""
    return next((f"{size:.0f} MB" for passed, size in points if passed >= second), "–")


def memory(kind, processes, points):
    """A line of the table of memory: the slope is that of the least-squares line from when it is to be flat."""
    settled = [point for point in points if point[0] >= min(SETTLED, points[-1][0] / 3)]
    slope = 60 * statistics.linear_regression(*zip(*settled, strict=True)).slope if len(settled) > 1 else math.nan
    sizes = [at(points, second) for second in (0, 300, 1795)]
    return line((kind, processes, *sizes, f"{points[-1][1]:.0f} MB", f"{slope:+.1f} MB/min"))


def report(minutes, sessions, rows):
    """Print what was measured."""
    print(f"{sessions} sessions, {minutes:g} minutes each, on {os.cpu_count()} cores\n\n{line(HEADS)}")
    print(line(["---"] * len(HEADS)))
    for kind, processes, tally, heavy in rows:
        print(latency(kind, processes, tally, heavy))
    heads = ("memory", "processes", "at start", "after 5 minutes", "after 30", "at the end", "slope when settled")
    print(f"\n{line(heads)}\n{line(['---'] * len(heads))}")
    for kind, processes, tally, _ in rows:
        print(memory(kind, processes, tally.memory))
    for kind, processes, tally, heavy in rows:
        counts = ", ".join(f"{what} {count}" for what, count in sorted(tally.counts.items()))
        print(f"\n{kind}, {processes}: {counts or 'nothing lost'}. In the logs of the servers:")
        print("\n".join(logged(tally)) or "- no error")
        for name, each in (("slowest", tally), ("slowest of the heavy one", heavy)):
            slowest = "; ".join(f"{took:.0f} ms, {page or 'plan'}: {deed}" for took, page, deed in each.slowest)
            if slowest:
                print(f"- {name}: {slowest}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 sessions, 3 s")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=30, help="for each kind of visitors and number of processes")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--processes", nargs="+", type=int, choices=(1, 2), default=(1, 2))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sessions, minutes = (2, 0.05) if given.quick else (given.sessions, given.minutes)
    numbers = [number for number in given.processes if number == 1 or HAPROXY]
    if len(numbers) < len(given.processes):
        print("Two processes are not tried: there is no HAProxy (Debian: apt-get install haproxy).\n")
    pairs = [(kind, number) for kind in given.kinds for number in numbers]
    if given.quick:  # each kind once, the first one at as many processes as there may be
        pairs = [(kind, numbers[0] if given.kinds.index(kind) else numbers[-1]) for kind in given.kinds]
    rows = [(*pair, *measured(*pair, sessions, 60 * minutes, given.seed)) for pair in pairs]
    report(minutes, sessions, rows)
