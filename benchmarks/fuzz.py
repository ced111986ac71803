"""Time and memory that opening a plan takes at worst: the most hostile files and links known, and mutated examples.

What is promised: a plan or one clear error, in at most 1 s and 200 MB. Run ``python benchmarks/fuzz.py``; ``--quick``
takes tiny sizes and only shows that everything still runs.
"""

import argparse
import base64
import io
import time
import tracemalloc
import zlib
from pathlib import Path

import numpy as np

from dpviz import ApproximateDP, Gaussian, Plan, Release
from dpviz.plan.fields import MAXIMUM_ROWS
from dpviz.plan.files import packed as coding
from dpviz.plan.files.file import MAXIMUM_BYTES
from dpviz.plan.files.packed import LONGEST_TEXT, MOST_RELEASES
from dpviz.plan.files.permalink import opened, token

HEADER = "name,mechanism,epsilon,delta,sigma,rate,scheme,part\n"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PROMISED_SECONDS, PROMISED_MEGABYTES = 1.0, 200.0


def table(row, rows):
    """Return a CSV file of as many rows as fit; `row` makes one from its number."""
    text, lines, size = HEADER, [], len(HEADER)
    for number in range(rows):
        line = row(number) + "\n"
        size += len(line)
        if size > MAXIMUM_BYTES:
            break
        lines.append(line)
    return (text + "".join(lines)).encode()


def document(item, rows):
    """Return a JSON file with as many copies of a release as fit."""
    rows = min(rows, (MAXIMUM_BYTES - 100) // (len(item) + 1))
    return ('{"dpviz_plan": 2, "releases": [' + ",".join([item] * rows) + "]}").encode()


def files(rows, size, rng):
    """Yield name and content of the slowest and largest files."""
    pairs = rng.uniform(0.01, 3, rows), 10 ** rng.uniform(-12, -5, rows)
    epsilons, deltas = pairs[0].tolist(), pairs[1].tolist()
    yield "CSV, Laplace, all different", table(lambda n: f"a,laplace,{epsilons[n]},,,,,", rows)
    yield "CSV, calibrated Gaussian", table(lambda n: f"a,gaussian,{epsilons[n]},{deltas[n]},,,,", rows)
    yield "CSV, sampled Gaussian", table(lambda n: f"a,gaussian,,,{1 + epsilons[n]},{deltas[n]},poisson,", rows)
    yield "CSV, all wrong", table(lambda n: "a,laplace,-1,2,3,4,5,", rows)
    yield "CSV, all incomplete", table(lambda n: "a,", rows)
    yield "CSV, all parts", table(lambda n: f"a,laplace,1,,,,,p{n}", rows)
    yield "CSV, cells", HEADER.encode() + b"," * size
    yield "CSV, open quote", HEADER.encode() + b'"' + b"a,\n" * (size // 3)
    yield "JSON, empty releases", document("{}", rows)
    yield "JSON, lists", document("[]", size)
    fields = ",".join(f'"{number}":0' for number in range(size // 12))
    yield "JSON, fields", ('{"dpviz_plan": 2, "releases": [{' + fields + "}]}").encode()
    yield "JSON, numbers", ('{"x": [' + ",".join(["1e-5"] * (size // 6)) + "]}").encode()
    yield "JSON, nest", b"[" * size


def packed(text):
    """Return a token with the right checksum, whatever it holds."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=coding._WORDS)
    stream = deflater.compress(text) + deflater.flush()
    content = zlib.crc32(stream, coding.PLAN).to_bytes(4, "big") + stream
    return f"{coding.PLAN}." + base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def links(rows, size):
    """Yield name and token of the slowest and largest links."""
    calibrated = [Gaussian.from_guarantee(round(0.01 + 0.01 * row, 2), 1e-7) for row in range(rows)]
    yield "link, calibrated Gaussian", token(Plan([Release("a", each) for each in calibrated]))
    boxes = [Release("a", ApproximateDP(0.1, 1e-9), part=str(row)) for row in range(rows)]
    yield "link, all parts", token(Plan(boxes))
    releases = ",".join(['{"name": "a", "mechanism": "gaussian", "epsilon": -1}'] * rows)
    yield "link, all wrong", packed(('{"dpviz_plan": 2, "releases": [' + releases + "]}").encode())
    yield "link, lists", packed(b'{"releases": [' + b",".join([b"[]"] * (size // 3 - 20)) + b"]}")
    yield "link, bomb", packed(b"\0" * (8 * size))


def mutated(times, rng):
    """Yield name and content of examples with bytes changed, cut or put in."""
    seeds = [path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".json", ".csv")]
    for number in range(times):
        content = bytearray(seeds[number % len(seeds)])
        for place in rng.integers(0, len(content), 3):
            content[place : place + int(rng.integers(0, 8))] = rng.bytes(int(rng.integers(0, 4)))
        yield "mutated examples", bytes(content)


def outcome(content):
    """Open a file or a link; return what became of it."""
    try:
        plan = opened(content) if isinstance(content, str) else Plan.read(io.BytesIO(content))
    except ValueError as error:
        return str(error).splitlines()[-1][:50]
    return f"{len(plan.releases)} releases"


def measured(content):
    """Return seconds, megabytes and outcome; the memory in a second run, which it slows down."""
    start = time.perf_counter()
    result = outcome(content)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    outcome(content)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, peak, result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    quick = parser.parse_args().quick
    rng = np.random.default_rng(1)
    rows, size = (50, 5000) if quick else (MAXIMUM_ROWS, MAXIMUM_BYTES - 100)
    cases = [*files(rows, size, rng), *links(min(rows, MOST_RELEASES), 5000 if quick else LONGEST_TEXT)]
    worst = {}
    for name, content in [*cases, *mutated(20 if quick else 2000, rng)]:
        worst[name] = max(worst.get(name, (0.0, 0.0, "")), measured(content))
    for name, (seconds, megabytes, result) in worst.items():
        late = " *" if seconds > PROMISED_SECONDS or megabytes > PROMISED_MEGABYTES else ""
        print(f"{name:28s} {seconds:7.3f} s {megabytes:6.1f} MB  {result}{late}")
    print(f"promised: {PROMISED_SECONDS} s, {PROMISED_MEGABYTES} MB; * marks what takes more")


if __name__ == "__main__":
    main()
