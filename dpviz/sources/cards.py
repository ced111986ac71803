"""One card per record of the five registries: what it says, what it needs, a number computed live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpviz.amplification import AMPLIFICATIONS, Amplification, amplify, amplify_by_shuffling, amplify_with_replacement
from dpviz.amplification.shuffling import ShuffleBound
from dpviz.composition import CONVERSIONS, THEOREMS, Conversion, Theorem, compose
from dpviz.filters import FILTERS, Filter, FilterRule, runs_until_exhausted
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import CALIBRATIONS, Calibration, Laplace
from dpviz.plan import RELATIONS, Plan, Release
from dpviz.records import Record

ANY = "any, the same for all releases"
KINDS = ("Composition", "Filter", "Conversion", "Amplification", "Calibration")
_FIXED = "a release may depend on earlier outputs; the number of releases and their parameters are fixed in advance"
_FREE = "the next release, its parameters, and whether to go on may all depend on earlier outputs"
_INPUTS = {"rho": 0.1, "delta": 1e-6, "alpha": 8.0, "rdp": 0.4, "epsilon": 0.5, "mu": 0.5}
_GREEK = {"rho": "ρ", "delta": "δ", "alpha": "α", "rdp": "r", "epsilon": "ε", "mu": "μ"}
_BUDGET = Guarantee(1.0, 1e-6)


@dataclass(frozen=True, slots=True)
class Card(Record):
    """A theorem as the catalogue shows it: its record, and what belongs to its kind.

    Parameters
    ----------
    kind : str
        One of ``KINDS``.
    relation : str
        Neighbour relation.
    adaptivity : str
        What may depend on earlier outputs, as a phrase.
    example : str
        The inputs of the worked number.
    outcome : str
        What it is, with a place for it: ``"ε ≤ {}"``.
    value : callable
        Computes it.
    """

    kind: str
    relation: str
    adaptivity: str
    example: str
    outcome: str
    value: Callable[[], float]

    @property
    def text(self) -> str:
        """What a search looks through."""
        return " ".join((self.kind, self.key, self.label, self.assumes, self.source, self.relation, self.adaptivity))


def _card(kind: str, record: Record, *own: object) -> Card:
    return Card(record.key, record.label, record.statement, record.assumes, record.source, kind, *own)


def _of_theorem(record: Theorem) -> Card:
    plan = Plan([Release("release", Laplace.from_epsilon(0.1), 100)])
    return _card(
        "Composition", record, ANY, _FREE if record.adaptive else _FIXED,
        "100 releases of Laplace noise, ε = 0.1 each, at δ = 10⁻⁶", "ε ≤ {}",
        lambda: compose(plan, 1e-6, record.key).epsilon,
    )  # fmt: skip


def _of_filter(record: FilterRule) -> Card:
    return _card(
        "Filter", record, ANY, _FREE,
        "a budget of ε = 1, δ = 10⁻⁶, and queries of ε = 0.01, without δ of their own", "{} queries fit",
        lambda: runs_until_exhausted(Filter(_BUDGET, record.key), Guarantee(0.01)),
    )  # fmt: skip


def _shown(name: str) -> str:
    return "10⁻⁶" if name == "delta" else f"{_INPUTS[name]:g}"


def _of_conversion(record: Conversion) -> Card:
    inputs = ", ".join(f"{_GREEK[name]} = {_shown(name)}" for name in record.arguments)
    result = record.key.split("_to_")[1].removesuffix("_classical")
    sign = "=" if record.key.endswith("to_mu") or record.key.startswith("guarantee") else "≤"
    return _card(
        "Conversion", record, "any, kept by the conversion", "as before the conversion",
        inputs, f"{_GREEK[result]} {sign} {{}}",
        lambda: record.convert(*(_INPUTS[name] for name in record.arguments)),
    )  # fmt: skip


def _of_amplification(record: Amplification) -> Card:
    if isinstance(record, ShuffleBound):
        example = "10,000 clients, each with ε₀ = 1, at δ = 10⁻⁶"
        value = lambda: amplify_by_shuffling(1.0, 10_000, 1e-6, record.key).epsilon  # noqa: E731
    else:
        example, value = _SAMPLES[record.key]
    change = RELATIONS[record.relation].removesuffix(" by another")
    return _card(
        "Amplification", record, f"a record is {change}", "as for the release that is amplified", example, "ε ≤ {}",
        value,
    )  # fmt: skip


_TENTH = ("Laplace noise of ε = 1 on a tenth of the records", lambda: amplify(Guarantee(1.0), 0.1).epsilon)
_SAMPLES = {
    "poisson": _TENTH,
    "without_replacement": _TENTH,
    "with_replacement": (
        "Laplace noise of ε = 1 on 100 draws from 1,000 records, read at ε = 1; its δ is above 0",
        lambda: amplify_with_replacement(Laplace(1.0), 100, 1000, 1.0).epsilon,
    ),
}


def _of_calibration(record: Calibration) -> Card:
    return _card(
        "Calibration", record, "any, the one of the sensitivity", "concerns one release",
        "ε = 0.5, δ = 10⁻⁶, sensitivity 1", "σ = {}", lambda: record.sigma(0.5, 1e-6),
    )  # fmt: skip


def cards() -> tuple[Card, ...]:
    """Return the cards of all records, in display order; a new record brings its own.

    Examples
    --------
    >>> [card.label for card in cards() if card.kind == "Filter"]
    ['Basic', 'Rogers et al.', 'Fully adaptive', 'Zero-concentrated DP']
    """
    makers = (
        (_of_theorem, THEOREMS), (_of_filter, FILTERS), (_of_conversion, CONVERSIONS),
        (_of_amplification, AMPLIFICATIONS), (_of_calibration, CALIBRATIONS),
    )  # fmt: skip
    return tuple(make(record) for make, records in makers for record in records)


def markdown_table() -> str:
    """Return all theorems as a table in Markdown.

    Examples
    --------
    >>> print(markdown_table().splitlines()[2])  # doctest: +ELLIPSIS
    | Composition | Basic | each release has a pair (ε, δ), ... | Dwork & Roth (2014), Thm 3.16; ... |
    """
    rows = [
        f"| {card.kind} | {_cell(card.label)} | {_cell(card.assumes)} | {_cell(card.source)} |" for card in cards()
    ]
    return "\n".join(["| kind | theorem | needs | source |", "|---|---|---|---|", *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
