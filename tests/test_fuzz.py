"""Anything at all as a file or a link: a plan, or one clear error, within the limits that files and links promise.

`make fuzz` tries thousands of new ones; ``benchmarks/fuzz.py`` measures the time.
"""

import base64
import io
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz import Laplace, Plan, Release
from dpviz.plan import PlanFileError
from dpviz.plan.files import packed as coding
from dpviz.plan.files.packed import LONGEST_TEXT, LONGEST_TOKEN, MOST_RELEASES, PermalinkError
from dpviz.plan.files.permalink import opened, token
from tests.effort import with_peak
from tests.plan_strategies import PLANS

MOST_MEMORY = 200_000_000  # bytes that opening a link or a file may take
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SEEDS = [path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".json", ".csv")]
EVERYTHING = Plan.from_json(
    '{"dpviz_plan": 4, "releases": [{"name": "a", "mechanism": "gaussian", "epsilon": 0.5, "delta": 1e-7, "scheme": '
    '"poisson", "rate": 0.1, "count": 3, "part": "North", "start": "2026-01-31", "cadence": "monthly", "end": '
    '"2027-01-01", "weight": 2.0, "typical": 10.0, "answer_unit": "euros", "done": "2026-02-28", '
    '"kind": "mean", "lower": -5.5, "upper": 10.0}]}'
)
SEEDS += [EVERYTHING.to_json().encode(), EVERYTHING.to_csv().encode()]
SIGNS = [b"", b"\n", b'"', b",", b";", b"{", b"}", b"[", b"]", b":", b"-", b"\0", b"\xff"]
WORDS = [b"e999", b"e-999", b"1e-320", b"9" * 30, b"nan", b"inf", b"null", b"true", b"9999-12-31", b"0001-01-01"]
PIECES = st.sampled_from([*SIGNS, *WORDS, b"daily", b"monthly", b"yearly", b"poisson"]) | st.binary(max_size=6)
EDITS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), PIECES), min_size=1, max_size=6)


def edited(content: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """`content` with bytes cut out and put in."""
    for position, length, piece in edits:
        place = position % (len(content) + 1)
        content = content[:place] + piece + content[place + length :]
    return content


def file_outcome(content: bytes, name: str = "") -> Plan | str:
    """The plan, or the message of the one error that is allowed."""
    file = io.BytesIO(content)
    file.name = name
    try:
        return Plan.read(file)
    except PlanFileError as error:
        return _sentence(str(error))


def link_outcome(text: str) -> Plan | str:
    """The plan, or the message of the one error that is allowed."""
    try:
        return opened(text)
    except PermalinkError as error:
        assert "\n" not in str(error)
        return _sentence(str(error))


def _sentence(message: str) -> str:
    assert message.strip()
    assert "Traceback" not in message
    assert len(message) < 20_000
    return message


def signed(stream: bytes) -> str:
    """A token with the right checksum, whatever it holds."""
    content = zlib.crc32(stream, coding.PLAN).to_bytes(4, "big") + stream
    return f"{coding.PLAN}." + base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def packed(content: bytes) -> str:
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=coding._WORDS)
    return signed(deflater.compress(content) + deflater.flush())


@given(st.sampled_from(SEEDS), EDITS, st.sampled_from(["", "a.csv", "a.json"]))
def test_mutated_files(content, edits, name):
    """An example with bytes changed is a plan, which survives being saved, or an error."""
    outcome = file_outcome(edited(content, edits), name)
    if isinstance(outcome, Plan):
        assert Plan.from_json(outcome.to_json()) == outcome


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_random_files(content):
    for name in ("", "a.csv", "a.json"):
        file_outcome(content, name)


@given(st.text(max_size=200) | st.from_regex(r"[0-9]{0,3}\.[A-Za-z0-9_-]{0,60}", fullmatch=True))
@example("1." + "9" * LONGEST_TOKEN)
@example("9" * 5000)
def test_random_tokens(text):
    """Noise never passes for a plan: it would have to guess a checksum of 32 bits."""
    assert isinstance(link_outcome(text), str)


@given(PLANS, EDITS)
def test_mutated_tokens(plan, edits):
    """A token with characters changed opens the same plan, or nothing."""
    good = token(plan)
    outcome = link_outcome(edited(good.encode(), edits).decode("latin-1"))
    assert isinstance(outcome, str) or outcome == plan


@given(st.binary(max_size=200))
def test_random_streams_with_the_right_checksum(stream):
    link_outcome(signed(stream))


@given(st.sampled_from(SEEDS), EDITS)
def test_mutated_plans_in_tokens_with_the_right_checksum(content, edits):
    """Whoever writes tokens gets no further than whoever writes files, and gives back a plan that a link can hold."""
    outcome = link_outcome(packed(edited(content, edits)))
    if isinstance(outcome, Plan):
        assert opened(token(outcome)) == outcome


def _releases(row: str) -> bytes:
    return ('{"dpviz_plan": 4, "releases": [' + row + "]}").encode()


def _filled(row: str, most: int = LONGEST_TEXT) -> bytes:
    """As many copies of a row as a token may unfold to."""
    return _releases(",".join([row] * ((most - 100) // (len(row) + 1))))


FLOOD = {
    "zeros": b"\0" * LONGEST_TEXT,
    "beyond the limit": b"\0" * 4_000_000,
    "lists": _filled("[]"),
    "objects": _filled("{}"),
    "nest": b"[" * (LONGEST_TEXT - 100),
    "fields": _releases("{" + ",".join(f'"{number:x}":0' for number in range(1300)) + "}"),
    "digits": b'{"dpviz_plan": ' + b"9" * 400_000 + b"}",
    "numbers": b'{"x": [' + b"1e-5," * 90_000 + b"0]}",
    "all wrong": _releases(",".join(['{"name": "a", "mechanism": "gaussian", "epsilon": -1}'] * MOST_RELEASES)),
    "names": _releases(",".join(['{"name": "' + "\U0001f469" * 81 + '", "mechanism": "laplace"}'] * MOST_RELEASES)),
}


@pytest.mark.parametrize("name", FLOOD)
def test_floods_stay_within_the_memory(name):
    """What a few kilobytes may unfold to is refused in a small part of the memory promised."""
    text = packed(FLOOD[name])
    assert len(text) <= LONGEST_TOKEN, "too long to be unfolded at all"
    outcome, peak = with_peak(lambda: link_outcome(text))
    assert isinstance(outcome, str)
    assert peak < MOST_MEMORY / 4


def test_the_largest_link_stays_within_the_memory():
    plan = Plan([Release("a", Laplace(10, 1), part=f"{row}") for row in range(MOST_RELEASES)])
    text = token(plan)
    found, peak = with_peak(lambda: opened(text))
    assert found == plan
    assert peak < MOST_MEMORY / 4


@pytest.mark.parametrize(
    "content", [b"[[]" + b",[]" * 300_000, b'{"a":' * 300_000, b"," * 1_000_000], ids=["lists", "nest", "cells"]
)
def test_floods_of_files_stay_within_the_memory(content):
    """A fifth of the largest file, in a fifth of the memory."""
    assert with_peak(lambda: file_outcome(content))[1] < MOST_MEMORY / 5


def test_seeds_are_plans():
    """The mutations start from files that can be read."""
    assert all(isinstance(file_outcome(seed), Plan) for seed in SEEDS)
    assert json.loads(SEEDS[-2])["releases"][0]["scheme"] == "poisson"
