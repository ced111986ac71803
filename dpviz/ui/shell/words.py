"""Sentences about plans: computed from the inputs, in symbols or in words. Text of visitors is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from dpviz.composition import THEOREMS, Theorem
from dpviz.mechanisms import BASE_MECHANISMS, REAL_VALUED, Mechanism
from dpviz.mechanisms.left_open import STATED, origin_of
from dpviz.plan import Answers, Plan
from dpviz.plan.field_table import CURVE, TRAINING
from dpviz.planning.advice.promise import TWICE, relation
from dpviz.rounding import shown_delta, shown_right, shown_total, shown_up

if TYPE_CHECKING:
    import pandas

_STATED = {
    "unit": "the unit of privacy",
    "relation": "the neighbour relation",
    "population": "how many people are in the data",
    "budget_epsilon": "the ε of the budget",
    "budget_delta": "the δ of the budget",
    "adaptive": "whether releases are chosen along the way",
}  # what a table may state of the whole plan
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_JOINER = "\u2060"  # invisible: keeps :shortcodes:, links and addresses from being recognised after unescaping
NOTHING = "Nothing is released yet."
ASSUMED = "The noise is assumed to be ideal"
IDEAL = f"{ASSUMED}: real noise generators (floating point, timing) can leak more."
NOT_A_FILTER = (
    "Numerical accounting and f-DP (trade-off curves) are no filters in general: what was chosen along the way may "
    "lose more than they add up to ([arXiv 2602.06756](https://arxiv.org/abs/2602.06756))."
)
NOISE = (
    f"{IDEAL} {REAL_VALUED} Sensitivity is per unit of privacy, in L1 for Laplace and in L2 for Gaussian noise; a "
    "histogram is one release with its joint sensitivity, not one release per bar."
)


def escaped(text: str) -> str:
    r"""Return `text` so that Markdown shows it letter by letter.

    Examples
    --------
    >>> print(escaped("a*b*"))
    a\*b\*
    """
    text = re.sub(r"[:@]|www(?=\.)", lambda match: match[0] + _JOINER, text, flags=re.IGNORECASE)
    return _PUNCTUATION.sub(r"\\\1", text)


def shortened(text: str, length: int) -> str:
    """Return at most `length` letters of `text`."""
    return text if len(text) <= length else text[: length - 1] + "…"


def uses(plan: Plan) -> int:
    """Return how many releases a plan makes in all, repetitions counted."""
    return sum(release.uses for release in plan.releases)


def who(author: str, reader: str) -> str:
    """Return how somebody is called before whoever reads: themselves are "you".

    Examples
    --------
    >>> who("ada@example.org", "ada@example.org"), who("ada@example.org", "bob@example.org")
    ('you', 'ada@example.org')
    """
    return "you" if author == reader else author


def moment(at: int, zone: str | None = None) -> str:
    """Return a time as a visitor reads it.

    Parameters
    ----------
    at : int
        In microseconds since 1970.
    zone : str, optional
        The visitor's time zone, as a browser names it; UTC where that is none.

    Examples
    --------
    >>> moment(1_767_225_600_000_000), moment(1_767_225_600_000_000, "Asia/Tokyo")
    ('1 Jan 2026, 00:00 UTC', '1 Jan 2026, 09:00')
    """
    try:
        there, mark = ZoneInfo(zone or ""), ""
    except (ValueError, OSError, LookupError):
        there, mark = UTC, " UTC"
    told = datetime.fromtimestamp(at // 1_000_000, there)
    return f"{told.day} {told:%b %Y, %H:%M}{mark}"


def taken_over(lent: Mapping[str, object]) -> str:
    """Say what a file did not state and the plan before it did, by the columns that would have held it; "" if nothing.

    Examples
    --------
    >>> taken_over({"unit": "person", "budget_delta": 1e-6})
    'The file does not state the unit of privacy and the δ of the budget: they are those of the plan before.'
    """
    named = [_STATED[column] for column in lent]
    if len(named) < 2:
        return f"The file does not state {named[0]}: it is as in the plan before." if named else ""
    listed = f"{', '.join(named[:-1])} and {named[-1]}"
    return f"The file does not state {listed}: they are those of the plan before."


def only_renamed(opened: Plan, plan: Plan) -> bool:
    """Say whether a plan protects another unit than that for which some of its releases were counted, by its word."""
    kept = set(plan.releases) & set(opened.releases)
    return opened.unit not in (None, plan.unit) and bool(kept) and bool(uses(plan))


def relation_note(opened: Plan, plan: Plan, *, listed: bool = False) -> str | None:
    """Return what must be checked where another neighbour relation was chosen than a plan was meant for; else None.

    Parameters
    ----------
    opened, plan : Plan
        As it was opened, and as it stands.
    listed : bool
        Whether sensitivities that were typed for the other one are named beside it: then none is looked for here.
    """
    if plan.neighbours == opened.neighbours or not uses(plan):
        return None
    if not _counted_as(plan) & _counted_as(opened):  # all were typed since: the plan alone may tell
        if listed:
            return None
        replaced = replace(plan, relation=plan.neighbours)
        return next((escaped(each.sentence) for each in relation(replaced, Answers())), None)
    unit = f"one **{escaped(opened.unit_in_words)}**"
    if plan.neighbours == "replace_one":
        return (
            f"The relation is another one: counts and sensitivities were meant for {unit} added or removed. Check "
            f"both, since {TWICE}. Where they are, the total is too small."
        )
    return (
        f"The relation is another one: counts and sensitivities were meant for {unit} replaced by another. Check "
        "both: how many there are changes where one is added or removed, and not where one is replaced."
    )


def _counted_as(plan: Plan) -> set[tuple[object, ...]]:
    """What releases are and how far one unit moves them, as typed for a relation: what was not typed follows it."""
    typed = [each for each in plan.releases if origin_of(each.mechanism) == STATED]
    return {(each.name, each.kind, getattr(each.mechanism.base, "sensitivity", None)) for each in typed}


def guesses(right: float, alone: bool = False) -> str:
    """Say how often an attacker guesses right, at most, for people.

    Parameters
    ----------
    right : float
        Of 100 guesses, at most; see `dpviz.ui.shell.kept.right_guesses`.
    alone : bool
        Whether it follows from a promise alone, as nothing else is known of what is chosen along the way.

    Examples
    --------
    >>> guesses(73.105857863).split("right in at most ")[1]
    '**73.2** of 100 cases; a coin toss in 50.'
    """
    basis = " That is all the promise says." if alone else ""
    most = f"**{shown_right(right)}** of 100 cases"
    return f"An attacker who knows all other data is right in at most {most}; a coin toss in 50.{basis}"


def _worked(row: pandas.Series, limit: float) -> str:
    """Return one line that shows a theorem at work on what is composed."""
    if not row.applies:
        return f"Here it does not apply: {escaped(row.reason)}."
    return f"Here: ε ≤ {shown_total(row.epsilon, limit)} at δ = {shown_delta(row.delta)} ({row.kind})."


def theorems(plan: Plan, frame: pandas.DataFrame) -> Iterator[tuple[Theorem, str]]:
    """Yield every theorem with its line for this plan, of which `frame` is `dpviz.compare`."""
    for theorem, row in zip(THEOREMS, frame.itertuples(), strict=True):
        yield theorem, _worked(row, plan.budget.epsilon)


def _name(kind: type[Mechanism]) -> str:
    """Laplace and Gauss keep their capitals, also in the middle of a sentence."""
    label = kind.label[0].lower() + kind.label[1:] if " " in kind.label else kind.label
    return f"{label} noise" if kind.norm else label


NAMES = {kind.key: _name(kind) for kind in BASE_MECHANISMS}
NAMES |= {"approximate_dp": "a black box", "declared": "a declared curve", "trained_model": "a trained model"}


def spoken(option: str) -> str:
    """Return how a list shows what may be chosen: keys without the signs between their words.

    Examples
    --------
    >>> spoken("without_replacement"), spoken("Laplace")
    ('without replacement', 'Laplace')
    """
    return option.replace("_", " ")


def named(mechanism: Mechanism) -> str:
    """Return a mechanism as part of a sentence.

    Examples
    --------
    >>> from dpviz.mechanisms import ApproximateDP, Laplace
    >>> named(Laplace.from_epsilon(0.5)), named(ApproximateDP(0.5, 1e-9))
    ('Laplace noise with ε = 0.5', 'a black box with ε = 0.5, δ = 10⁻⁹')
    """
    name = NAMES[mechanism.key]
    if CURVE in mechanism.parameters:
        return f"{name} {mechanism.parameters[CURVE]}"
    if TRAINING in mechanism.parameters:
        return f"{name} ({mechanism.parameters[TRAINING]})"
    if mechanism.stated is None:
        return f"{name} with σ = {mechanism.sigma:g}"
    delta = f", δ = {shown_delta(mechanism.stated.delta)}" if mechanism.stated.delta else ""
    return f"{name} with ε = {shown_up(mechanism.stated.epsilon)}{delta}"
