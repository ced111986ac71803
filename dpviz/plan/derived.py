"""What a plan knows of the sensitivity of each release: stated, derived from what is released, or open.

One that was typed stays, and is held against the one that follows. One that was left open is derived anew whenever
kind, clipping, rows of one unit, values averaged, relation or population change. A mean under added or removed units
is refused, whatever was typed: the number that it divides by changes, too, and would be told without noise; a noisy
sum over a noisy count is what is released then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from dpviz.decimals import typed
from dpviz.mechanisms import Mechanism, mechanism_from
from dpviz.mechanisms.left_open import DERIVED, OPEN, STATED, Origin, follows, states_epsilon
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.plan.kinds import DIFFERENT
from dpviz.plan.release import Release
from dpviz.plan.sensitivity import Sensitivity, sensitivity
from dpviz.rounding import shown_near, shown_up

MOST_BARS = 1_000  # that are composed one by one; of more, one number is taken to change by all of it
LONGEST_SAID = 9  # letters of a number
ASSUMED = "assumed"  # a count's 1: one row a unit, which nobody stated
_PROVABLE = ("count", "sum", "mean", "histogram")
# What is asked of some kinds alone, and of which.
OF_ROWS: dict[str, tuple[str, ...]] = {
    "rows": ("count", "sum", "histogram"), "bars": ("histogram",), "averaged": ("mean", "survey"),
}  # fmt: skip
_NEEDED = (
    "sensitivity must be given, since nothing says by how much one {} can change this answer: say that, or that it is "
    "a count, or a sum, mean or histogram with what that takes; got none"
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the sensitivity of one release.

    Parameters
    ----------
    origin : {"stated", "derived", "assumed", "open"}
        Assumed is the 1 of a count, of which each unit is taken to have one row.
    value : float or None
        In units of the answer, in the norm of the noise; None where it is open.
    least : float or None
        The one that kind, clipping, rows, relation and population prove, rounded up; None where they prove none.
    sentence : str
        Why, and what must be true of the data; or what is missing, as a refusal.
    fault : str
        Why no total may be quoted, as a refusal; "" where it may.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> income = Release("Income", Laplace(100.0), kind="sum", lower=0, upper=6000)
    >>> known = settled(income, "add_remove", None, "person")[1]
    >>> known.origin, known.value, known.fault
    ('derived', 6000.0, '')
    """

    origin: str
    value: float | None
    least: float | None
    sentence: str
    fault: str = ""

    @property
    def more(self) -> bool:
        """Whether it is larger than the one that is proved to be enough."""
        return bool(self.value and self.least and self.value > self.least)


def settled(release: Release, relation: str, population: int | None, unit: str) -> tuple[Release, Known | None]:
    """Return the release with the sensitivity that follows, if it was left open, and what is known of it.

    Parameters
    ----------
    release : Release
    relation : {"add_remove", "replace_one"}
    population : int or None
        Values that a mean divides by.
    unit : str
        Whom the promise protects, for the sentences.

    Returns
    -------
    tuple of Release and Known
        None in place of the latter where the mechanism has no sensitivity: its ε, or its law, says all.
    """
    mechanism = release.mechanism
    norm = mechanism.base.norm
    reason = _rows_refused(release, unit)
    if norm is None:
        return release, Known(OPEN, None, None, reason, reason) if reason else None
    if release.kind == "mean" and relation == "add_remove":
        reason = _proved("mean", relation, unit=unit)
    if reason:
        known = Known(OPEN, None, None, reason, reason)
        return (_followed(release, None, reason)[0] if follows(mechanism) else release), known
    found = _proved_of(release, relation, population, unit)
    least = None if isinstance(found, str) else found.l1 if norm == "L1" else found.l2
    if not follows(mechanism):
        return release, _held(mechanism.base.sensitivity, least, found, norm)
    sentence = found if isinstance(found, str) else f"{found.sentence} {found.assumes}"
    return _followed(release, least, sentence, bars_apart(release, least))


def bars_apart(release: Release, least: float | None) -> int:
    """Return how many bars of a histogram change by 1 each where all change by `least`; 1 where none are told apart.

    Each has noise of its own. In a sample they come and go together. Of Gaussian noise it makes no difference, as it
    goes by the root of the sum of squares.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> [bars_apart(Release("Ages", Laplace(40.0), kind=kind), 2.0) for kind in ("histogram", "count")]
    [2, 1]
    """
    mechanism, apart = release.mechanism, (release.rows or 1) == 1 or release.bars == DIFFERENT
    if release.kind != "histogram" or not apart or mechanism.base is not mechanism or mechanism.norm != "L1":
        return 1
    return int(least) if adds_noise(type(mechanism)) and least is not None and 1 < least <= MOST_BARS else 1


def _rows_refused(release: Release, unit: str) -> str:
    """Why several rows of one unit are not accounted for, as a refusal; "" where they are, or there is one.

    Where chance draws each row by itself, several rows of a unit are met more often than one, if by fewer of them.
    """
    if (release.rows or 1) == 1:
        return ""
    if release.mechanism.base.norm is None or release.kind not in OF_ROWS["rows"]:
        return (
            "rows must be 1 of what is no count, sum or histogram with added noise, since nothing follows from them "
            f"there; got {release.rows}"
        )
    if release.mechanism.sampled:
        return (
            f"rows must be 1 of a random sample, since chance draws each row by itself: draw each {unit} with all of "
            f"its rows, and give what these change together as the sensitivity; got {release.rows}"
        )
    return ""


def _held(value: float, least: float | None, found: Sensitivity | str, norm: str) -> Known:
    """What is known of a sensitivity that was typed."""
    if isinstance(found, str):
        return Known(STATED, value, None, "")
    why, fault = found.why(norm).rstrip("."), ""
    if typed(value) < typed(least):
        wanted, got = _said(least), _said(value)
        if wanted == got:  # told apart in full: a quotient that was rounded down lies below by the last digit
            wanted, got = shown_near(least, 17), shown_near(value, 17)
        fault = f"sensitivity must be at least {wanted}: {why[0].lower()}{why[1:]}; got {got}"
    return Known(STATED, value, least, f"{found.sentence} {found.assumes}", fault)


def _followed(release: Release, least: float | None, sentence: str, bars: int = 1) -> tuple[Release, Known]:
    """The release with what follows; as it was left, where nothing does."""
    try:
        mechanism = _with(release.mechanism, least, bars)
    except ValueError as error:
        least, mechanism, sentence = None, _with(release.mechanism, None), str(error)
    if mechanism is not release.mechanism:
        release = replace(release, mechanism=mechanism)
    if least is None:
        return release, Known(OPEN, None, None, sentence, "" if states_epsilon(mechanism) else sentence)
    assumed = release.kind == "count" and release.rows is None
    return release, Known(ASSUMED if assumed else DERIVED, least, least, sentence)


def _with(mechanism: Mechanism, value: float | None, bars: int = 1) -> Mechanism:
    """The same noise as typed, with a sensitivity that follows; open again where none does."""
    origin = OPEN if value is None else DERIVED
    wanted = 1.0 if value is None else value
    if mechanism.base.sensitivity == wanted and mechanism.base.sensitivity_from == Origin(origin, bars=bars):
        return mechanism
    made = mechanism_from(mechanism.key, {**mechanism.parameters, "sensitivity": wanted})
    base = replace(made.base, sensitivity_from=Origin(origin, made.base.sensitivity, bars))
    return base if made.base is made else replace(made, base=base)


def _proved_of(release: Release, relation: str, population: int | None, unit: str) -> Sensitivity | str:
    if release.kind not in _PROVABLE:
        return _NEEDED.format(unit)
    if release.kind == "mean" and release.mechanism.sampled:
        return "sensitivity must be given for the mean of a sample, since it divides by the size of that; got none"
    people = population
    if release.kind == "mean" and release.averaged is not None:
        people = release.averaged
        if population is not None and people > population:
            return f"averaged must be at most how many are in the data, {population}; got {people}"
    rows, distinct = release.rows or 1, release.kind == "histogram" and release.bars == DIFFERENT
    asked = {"people": people, "rows": rows, "distinct": distinct, "unit": unit}
    return _proved(release.kind, relation, lower=release.lower, upper=release.upper, **asked)


@lru_cache(maxsize=1024)
def _proved(kind: str, relation: str, **asked: object) -> Sensitivity | str:
    """What `sensitivity` proves, or its refusal."""
    try:
        return sensitivity(kind, relation, **asked)
    except ValueError as error:
        return str(error)


def _said(value: float) -> str:
    """A sensitivity for a sentence; a long one so that it may be typed as it stands."""
    text = shown_near(value, 15)
    return text if len(text) <= LONGEST_SAID else shown_up(value, 6)
