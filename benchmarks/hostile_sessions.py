"""What many visitors at once, who do anything, cost the server: latency, memory, and what its log says of errors.

Each visitor speaks Streamlit's own protocol over a websocket, learns the widgets of the page from the answer, and does
about one thing a second: sets widgets inside and outside their ranges, turns pages, opens hostile addresses and links,
uploads, downloads, leaves and returns. One in five also forges what no browser sends: values of other types, widgets
and pages that are not there. Streamlit itself answers some of that with an error, which the log has too.

A rerun's latency is the time from sending it to the end of its script; a visitor waits for that before the next one.
The same visitors then try a bare page with one figure.
"""

import argparse
import asyncio
import contextlib
import math
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from _visitor import PATIENCE, Tally, Visitor

ROOT = Path(__file__).resolve().parents[1]
BARE = """
import streamlit as st
from dpviz import Laplace, Plan, Release
from dpviz.figures.growth import Marks, growth
from dpviz.ui.shell import shell
from dpviz.ui.composition.answer import growth as answer

@st.cache_resource
def figure():
    grown = answer(Plan([Release("noise", Laplace.from_epsilon(0.1))]), 500, 1e-6, None, False)
    return growth(grown.curve, Marks(grown.crossings.iloc[:0]))

shell.warm_up()
st.slider("Value", 0, 100, key="value", bind="query-params")
st.plotly_chart(figure())
"""
FORGERS = 5  # one visitor in so many speaks the protocol as no browser does
FRAME = r'File "(.*?)", line (\d+), in (.*)'
PLACES = 4  # of an error that are shown


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(script, log):
    """Run a script under Streamlit until the block ends; give its process and port."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    command += ["--server.address", "localhost", "--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    environment["PYTHONPATH"] = str(ROOT)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait(process, f"http://localhost:{port}/_stcore/health")
        yield process, port
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait(process, url):
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


def processor_time(pid):
    """Seconds of processor time that a process has taken, where the system tells."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return math.nan
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def watch(pid, tally):
    """Note the memory of a process every second, where the system tells."""
    began, path = time.monotonic(), Path(f"/proc/{pid}/status")
    while path.exists():
        found = re.search(r"VmRSS:\s+(\d+) kB", path.read_text())
        tally.memory.append((time.monotonic() - began, int(found[1]) / 1000))
        await asyncio.sleep(1)


async def visit(process, port, sessions, seconds, seed, tally):
    """Let all visitors come, one after the other in the first tenth of the time, and stay to its end.

    The one who comes before the time begins is not measured: for the first visitor the server imports what pages need.
    """
    first = Visitor(port, random.Random(seed), Tally())
    await first.come()
    await first.leave()
    began = time.monotonic()
    watching, busy = asyncio.create_task(watch(process.pid, tally)), processor_time(process.pid)
    visitors = [
        Visitor(port, random.Random(f"{seed}/{number}"), tally, forger=number % FORGERS == 1)
        for number in range(sessions)
    ]
    starts = [began + 0.1 * seconds * number / sessions for number in range(sessions)]
    await asyncio.gather(*(each.live(at, began + seconds) for each, at in zip(visitors, starts, strict=True)))
    if process.poll() is not None:
        tally.counts["server ended by itself"] += 1
    watching.cancel()
    tally.busy = processor_time(process.pid) - busy


def measured(script, sessions, seconds, seed, folder):
    """The tally of one server under load."""
    tally, log = Tally(), Path(folder) / "log"
    with server(script, log) as (process, port):
        asyncio.run(visit(process, port, sessions, seconds, seed, tally))
    tally.log = log.read_text(errors="replace")
    return tally


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


def row(name, latencies, bare):
    """A line of the table of latencies."""
    if not latencies:
        return f"| {name} | 0 | – | – | – | – |"
    high = percentile(latencies, 95)
    cells = [f"{value:.0f} ms" for value in (percentile(latencies, 50), high, max(latencies))]
    return f"| {name} | {len(latencies)} | " + " | ".join(cells) + f" | {high / bare:.1f} |"


def percentile(values, percent):
    """The least value that this percentage of the values do not exceed."""
    return sorted(values)[math.ceil(percent / 100 * len(values)) - 1]


def memory(name, points, busy):
    """A line of the table of memory: the slope is that of the least-squares line after the first third of the time."""
    settled = [point for point in points if point[0] >= points[-1][0] / 3] if points else []
    if len(settled) < 2:
        return f"| {name} | – | – | – | – | – |"
    slope = 60 * statistics.linear_regression(*zip(*settled, strict=True)).slope
    sizes = [points[0][1], settled[0][1], points[-1][1]]
    return (
        f"| {name} | "
        + " | ".join(f"{size:.0f} MB" for size in sizes)
        + f" | {slope:+.1f} MB/min | {1000 * busy:.0f} ms |"
    )


def report(sessions, seconds, tally, bare):
    """Print what was measured."""
    of_bare = [value for values in bare.latencies.values() for value in values]
    every = [value for values in tally.latencies.values() for value in values]
    unit = percentile(of_bare, 95) if of_bare else math.nan
    print(f"| {sessions} sessions, {seconds:g} s | reruns | p50 | p95 | longest | p95 / bare |")
    print("|---|---|---|---|---|---|")
    for page in sorted(tally.latencies):
        print(row(page or "first page", tally.latencies[page], unit))
    print(row("all pages", every, unit))
    print(row("bare page with a figure", of_bare, unit))
    print("\n| memory of the server | first | after a third | last | slope from then on | processor time per rerun |")
    print("|---|---|---|---|---|---|")
    print(memory("all pages", tally.memory, tally.busy / max(1, len(every))))
    print(memory("bare page with a figure", bare.memory, bare.busy / max(1, len(of_bare))))
    for name, each in (("all pages", tally), ("bare page", bare)):
        counts = ", ".join(f"{what} {count}" for what, count in sorted(each.counts.items()))
        print(f"\n{name}: {counts or 'nothing lost'}. In the log of the server:")
        print("\n".join(logged(each)) or "- no error")
    print("\nThe slowest reruns:")
    print("\n".join(f"- {latency:.0f} ms, {page or 'first page'}: {deed}" for latency, page, deed in tally.slowest))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 sessions, 3 s")
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="for each of the two servers")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sessions, seconds = (2, 3.0) if given.quick else (given.sessions, given.seconds)
    with tempfile.TemporaryDirectory() as folder:
        bare_page = Path(folder) / "bare_page.py"
        bare_page.write_text(BARE, encoding="utf-8")
        tallies = [measured(script, sessions, seconds, given.seed, folder) for script in (ROOT / "app.py", bare_page)]
    report(sessions, seconds, *tallies)
