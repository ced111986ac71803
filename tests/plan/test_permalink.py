"""Links: the whole plan in a URL, given back without loss; anything else is refused in one sentence, within bounds."""

import base64
import hashlib
import json
import zlib
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, RandomizedResponse, Release, Subsampled
from dpviz.plan import Document, Origin, Uncounted
from dpviz.plan.document import LONGEST_TOLD, MOST_TOLD, QUESTIONS
from dpviz.plan.files import document_text, permalink
from dpviz.plan.files import packed as coding
from dpviz.plan.files.packed import LONGEST_TEXT, LONGEST_TOKEN, MOST_RELEASES, PermalinkError
from dpviz.plan.files.permalink import opened, token
from dpviz.ui.shell.plan_rows import COLUMNS
from tests.plan_strategies import PLANS

FROZEN = Plan(
    [
        Release("Visits", Laplace.from_epsilon(0.11, 1), 4, "North", start=date(2026, 1, 1), cadence="daily",
                end=date(2026, 1, 31), weight=2.5, typical=1000.0, done=True),
        Release("Größe, 数", Subsampled(Gaussian.from_guarantee(0.5, 1e-7, 2.0), 0.01, "poisson")),
    ],
    Guarantee(4.0, 1e-9), "user-month", "add_remove", 83_000_000, False,
)  # fmt: skip
NAMES = [
    "Unique visitors per municipality", "Median commute time, weekdays", "Average basket value by store",
    "Histogram of ages (5-year bands)", "Share of remote workers", "Number of hospital admissions",
    "Mean length of stay, days", "Energy use per household, kWh", "Top search queries, English",
    "Requests per hour and country", "Crash rate by app version", "New diagnoses, ICD-10 chapter",
    "Revenue per customer segment", "Survey: trust in institutions", "Federated round: model update",
    "Trips between districts", "Noise complaints per quarter", "School attendance by grade",
    "Vaccination coverage, county", "Taxi fares, 90th percentile",
]  # fmt: skip


def _pairs(cells: dict) -> tuple:
    return tuple(cells.items())


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)
ROWS = st.lists(
    st.builds(Uncounted, st.integers(0, 500), st.dictionaries(st.sampled_from(COLUMNS), TEXTS).map(_pairs)),
    max_size=3,
).map(tuple)


def documents() -> st.SearchStrategy[Document]:
    """Documents in any state."""
    questions = st.sets(st.sampled_from(QUESTIONS)).map(lambda each: tuple(name for name in QUESTIONS if name in each))
    names = TEXTS.map(str.strip).filter(bool)
    authors = st.just("") | names
    claims = st.none() | st.builds(Guarantee, st.floats(0, 50), st.floats(0, 0.5))
    origins = st.builds(Origin, names, st.lists(TEXTS, max_size=3).map(tuple), st.booleans(), claims)
    plans, others = st.none() | PLANS, st.none() | origins
    typed = st.lists(st.tuples(st.floats(0, 1e9), TEXTS), max_size=3).map(tuple)
    return st.builds(Document, PLANS, names, plans, plans, names, ROWS, questions, authors, others, typed)


def packed(text: bytes | str, version: int = coding.PLAN) -> str:
    """A token that is right in everything but its content, as an attacker could make it."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=coding._WORDS)
    stream = deflater.compress(text.encode() if isinstance(text, str) else text) + deflater.flush()
    return signed(stream, version)


def signed(stream: bytes, version: int = coding.PLAN) -> str:
    content = zlib.crc32(stream, version).to_bytes(4, "big") + stream
    return f"{version}." + base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def refusal(text: object) -> str:
    with pytest.raises(PermalinkError) as caught:
        opened(text)
    return str(caught.value)


# --- round trips


@given(PLANS)
def test_round_trip_is_lossless(plan):
    """The plan comes back with its digits; a URL needs no escapes."""
    text = token(plan)
    assert opened(text) == plan
    assert opened(text).to_json() == plan.to_json()
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


OLD_TOKEN = (
    "1.SVFILCOpmDDByPeWqPkeUWITzvso-dzC2AAMyMrXYaBCvpjoECMUZCZIGQxcvxCXR7CmcqBCtFRuhJnKCSdz96LD2w7PB-bvZ1M3kF3mmGP424hQ"
    "mUNMjYU_HQMA"
)


def test_a_frozen_link_stays_readable():
    """Somebody has put it into a mail: every later dpviz opens it."""
    assert opened(OLD_TOKEN) == FROZEN


def test_twenty_releases_fit_into_two_kilobytes():
    """Different names, mechanisms, dates, weights and typical values: 1.4 kB; without dates, 0.9 kB."""
    releases = []
    for row, name in enumerate(NAMES):
        epsilon = round(0.01 + 0.0437 * row, 3)
        mechanism = (
            Laplace.from_epsilon(epsilon, 1.0 + row % 3),
            Gaussian.from_guarantee(epsilon, 10.0 ** -(7 + row % 3)),
            Gaussian(3.17 + row, 2.5),
            ApproximateDP(epsilon, 1e-9),
            RandomizedResponse(epsilon),
            Subsampled(Gaussian(1.1 + row / 10, 1), round(0.001 + row / 999, 4), "poisson"),
        )[row % 6]
        dates = {"start": date(2026, 1 + row % 6, 1 + row), "end": date(2026, 12 - row % 5, 28 - row)}
        cadence = ("daily", "weekly", "monthly")[row % 3]
        part, typical = (None, "North", "South")[row % 3], float(10 + 4999 * row)
        releases.append(
            Release(name, mechanism, 1 + 3 * row, part, **dates, cadence=cadence, weight=1 + row / 7, typical=typical)
        )
    plan = Plan(releases, Guarantee(3.5, 1e-7), "user-month", "add_remove", 8_300_000, False)
    text = token(plan)
    assert len(text) <= 1900  # which leaves room for the page and its inputs
    assert opened(text) == plan
    bare = Plan([Release(each.name, each.mechanism, each.count) for each in releases], plan.budget)
    assert len(token(bare)) <= 1200


def test_defaults():
    """An empty plan is a short link."""
    assert opened(token(Plan([]))) == Plan([])
    assert len(token(Plan([]))) < 60


# --- what is no link


DAMAGED = "The link is damaged, cut or mistyped: copy it again, or open the plan as a file."


@given(PLANS, st.data())
def test_every_cut_and_every_typing_error_is_noticed(plan, data):
    """A token with one character changed, or cut anywhere, is damaged (or newer, where its version changed)."""
    text = token(plan)
    place = data.draw(st.integers(0, len(text) - 2))  # the last character may carry bits that mean nothing
    other = data.draw(st.sampled_from("ABCabc059-_.").filter(lambda each: each != text[place]))
    assert refusal(text[:place] + other + text[place + 1 :]).startswith((DAMAGED, "The link was made by a newer"))
    assert refusal(text[:place]) == DAMAGED


@pytest.mark.parametrize(
    "text", ["", "1.", "1", ".", "abc", "0.AAAA", "1.====", "1.A", "1.é", "\ud800", "1.AA AA", "\0", "1.AAAAAA"]
)
def test_noise_is_damaged(text):
    assert refusal(text) == DAMAGED


def test_a_newer_version_is_told_apart():
    """Whatever it holds: this dpviz cannot know."""
    for text in ("3.AAAA", packed("x", 17)):
        assert refusal(text).startswith("The link was made by a newer dpviz (version ")


@given(document=documents())
def test_a_document_comes_back(document):
    """Plan, plan A, the plan as it was opened, names, rows in error and questions: all or nothing."""
    assert permalink.document(token(document)) == document
    assert opened(token(document)) == document.plan


def test_a_document_that_is_only_a_plan_has_the_token_of_the_plan():
    """Links of older versions go on being made, and read."""
    plan = Plan([Release("a", Laplace(10, 1))])
    assert token(Document(plan)) == token(plan) and token(plan).startswith("1.")
    assert permalink.document(token(plan)) == Document(plan)


OLD_DOCUMENT = "2.nR9-5UOwnIGmlBaDzE-MR_ZkaR7YrFRQ1EXHAgUKS4FlLDCBgrNYbK0cZkljTE5JQ6DsIL58IKosSKRNyoFFn5wcAA"


def test_an_author_travels_in_the_link_only():
    """Not in the plan; links without one are what they were, and older ones still open."""
    plain = Document(Plan([Release("a", Laplace(10, 1))], unit="person", adaptive=False), "Census")
    signed_by = replace(plain, author=" Statistics office, unit 4 ")
    assert signed_by.author == "Statistics office, unit 4" and not signed_by.pristine
    assert permalink.document(token(signed_by)) == signed_by
    assert permalink.document(token(Document(plain.plan, author="x"))).author == "x"
    assert "author" not in document_text.written(plain) and "Statistics" not in signed_by.plan.to_json()
    assert permalink.document(OLD_DOCUMENT) == plain
    assert Document(plain.plan, author="x" * 99).author == "x" * 80


def test_what_is_known_of_another_programs_file_travels_in_the_link():
    """Claim, digits and missing releases, too; of many sentences the first, and how many more."""
    many = Origin("a list", ("x" * 500,) * 5000, True, Guarantee(2.5, 1e-7), "2.50", ("sampling",)).shortened
    held = Document(Plan([]), origin=many)
    assert len(many.not_understood) == MOST_TOLD and many.not_understood[-1] == "And 4,989 more."
    assert permalink.document(token(held)) == held and not held.pristine
    assert "origin" not in document_text.written(Document(Plan([])))
    gone = many.dismissed
    assert gone.silent and not many.silent and gone.claim == many.claim and gone.left_open == many.left_open
    with pytest.raises(ValueError, match="printed must be the text of the claimed epsilon; got '2'"):
        Origin(claim=Guarantee(2.5, 0.0), printed="2")


HOSTILE_ORIGIN = {"form": "x" * 999, "not_understood": ["y" * 999] * 99, "incomplete": 1, "claim": None, "printed": ""}


def test_a_hostile_origin_is_bounded():
    """Its texts are short and few; what has another type is refused with the whole."""

    def read(origin: object) -> Document:
        head = {"name": "", "a_name": "", "uncounted": [], "questions": [], "origin": origin}
        return permalink.document(packed("\x1e".join([json.dumps(head), EMPTY, "", ""]), coding.DOCUMENT))

    found = read(HOSTILE_ORIGIN | {"left_open": ["z" * 999]}).origin
    assert len(found.form) == 80 and not found.incomplete and max(map(len, found.not_understood)) == LONGEST_TOLD
    for name, value in {
        "claim": [1], "not_understood": [1], "left_open": None, "printed": "1", "form": 5,
    }.items():  # fmt: skip
        with pytest.raises(PermalinkError, match="its names and rows cannot be read"):
            read(HOSTILE_ORIGIN | {"left_open": []} | {name: value})
    with pytest.raises(PermalinkError, match="its names and rows cannot be read"):
        read(HOSTILE_ORIGIN | {"left_open": [], "claim": [float("nan"), 0]})


EMPTY = Plan([]).to_json()


@pytest.mark.parametrize(
    "text",
    [f'{{"name": "", "a_name": "", "uncounted": [], "questions": [], "author": 5}}\x1e{EMPTY}\x1e\x1e', "", "{}",
     "[]\x1e\x1e\x1e", "{}\x1e{}\x1e\x1e", f'{{"name": 1}}\x1e{EMPTY}\x1e\x1e', "\x1e" * 9],
)  # fmt: skip
def test_a_document_of_nonsense_is_refused(text):
    """With a right checksum, too."""
    assert refusal(packed(text, coding.DOCUMENT)).startswith("The link holds no plan")


def test_a_document_of_hostile_rows_is_bounded():
    """Positions and cells of a crafted link are text and small numbers, or nothing."""
    row = [10**30, {"name": "x", "epsilon": 5, "mechanism": None}]
    head = json.dumps({"name": "n" * 999, "a_name": "", "uncounted": [row] * 2000, "questions": ["promise", "x"]})
    found = permalink.document(packed("\x1e".join([head, Plan([]).to_json(), "", ""]), coding.DOCUMENT))
    assert len(found.name) == 80 and len(found.uncounted) == MOST_RELEASES and found.questions == ("promise",)
    assert found.uncounted[0] == Uncounted(MOST_RELEASES, (("name", "x"),))


def test_oversized_tokens():
    assert refusal("1." + "A" * LONGEST_TOKEN).startswith(f"The link is too long ({LONGEST_TOKEN + 2:,} characters")
    assert refusal(packed(b" " * (LONGEST_TEXT + 1))).startswith("The link unfolds to more than 500,000 bytes")
    assert "must be an object" in refusal(packed(b"1" + b" " * (LONGEST_TEXT - 1)))


def test_a_bomb_is_not_unfolded():
    """What unfolds to gigabytes stops at the limit."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=coding._WORDS)
    bomb = stream.compress(b"\0" * 5_000_000) + stream.flush()
    assert len(signed(bomb)) <= LONGEST_TOKEN
    assert "unfolds to more than" in refusal(signed(bomb))


def document(**fields: object) -> str:
    return json.dumps({"dpviz_plan": 1, "releases": [], **fields})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff", "(it is not UTF-8 text)"),
        ("", "(it is not JSON)"),
        ("[]", "JSON '[]': must be an object"),
        ("[" * 200_000, "(it is not JSON)"),
        (document(dpviz_plan=99), "is a newer version of the file format"),
        (document(unit=3), "unit '3'"),
        (document(releases=[0] * (MOST_RELEASES + 1)), "holds 501 releases, at most 500"),
        ('{"dpviz_plan": 1, "releases": [], "population": ' + "9" * 5000 + "}", "(it is not JSON)"),
    ],
)
def test_well_formed_tokens_without_a_plan(content, said):
    """The checksum is right, the content is not: each with its reason, in one sentence."""
    message = refusal(packed(content))
    assert said in message
    assert message.startswith(("The ", "A "))
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.parametrize("stream", [b"", b"\xff\xff", b"\x03"])
def test_streams_that_do_not_end(stream):
    assert "The link" in refusal(signed(stream))


@pytest.mark.parametrize("text", [None, 3, b"1.AAAA", ["1.AAAA"]])
def test_only_text_is_a_token(text):
    assert refusal(text).startswith("The link must be text")


# --- what no link can hold


def test_a_plan_too_large_for_a_link():
    """It says so instead of making a link that a server would cut."""
    names = [hashlib.sha256(bytes(each)).hexdigest() for each in range(300)]  # nothing in them repeats
    rows = [Release(name, Laplace(10, 1)) for name in names]
    with pytest.raises(PermalinkError, match=r"too large for a link \([0-9,]+ characters, at most 7,500\): save it as"):
        token(Plan(rows))
    with pytest.raises(PermalinkError, match="too large for a link"):
        token(Plan([Release("a", Laplace(10, 1))] * (MOST_RELEASES + 1)))
    assert opened(token(Plan([Release("a", Laplace(10, 1))] * MOST_RELEASES))).releases[-1].name == "a"


def test_the_words_are_part_of_the_format():
    """Another dictionary makes every older link unreadable: only with a new version."""
    assert (coding.PLAN, zlib.crc32(coding._WORDS)) == (1, 95697583)
