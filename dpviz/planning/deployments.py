"""Published deployments of differential privacy, as a public registry reports them, grouped by unit of privacy."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from dpviz.composition.conversions import epsilon_from_rho
from dpviz.parameters import DELTA, EPSILON, RHO
from dpviz.plan import Plan
from dpviz.plan.units import spelled
from dpviz.rounding import shown_delta, shown_up

if TYPE_CHECKING:
    import pandas

SOURCE = "https://github.com/opendp/deployments-registry-data"
NOTICE = (
    "From the OpenDP deployments registry (MIT licence), read in November 2026 and shown as reported there; most "
    "entries await the registry's review."
)
PURE, APPROXIMATE, ZERO_CONCENTRATED = "Pure DP", "Approximate DP", "Zero-concentrated DP"
VARIANTS = (PURE, APPROXIMATE, ZERO_CONCENTRATED)
NO_UNIT = "unit not stated"
CONVERTED = "converted here"  # begins the basis of an ε that follows from another promise
PERIOD = re.compile(r"(-(hour|day|week|month|quarter|year|decade|lifetime)s?)+$")
COLUMNS = (
    "group", "matches", "unit", "name", "curator", "published", "model", "variant", "epsilon", "epsilon_basis",
    "delta", "delta_basis", "rho", "review_status", "tier", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deployment:
    """One published use of differential privacy, as reported; None where the registry states nothing.

    Parameters
    ----------
    slug, name, curator : str
        Key in the registry, title, and who answers for it.
    published : str
        Month, such as "2020-04".
    model, unit : str
        Model of trust ("Central", "Local", "Varies") and unit of privacy, in the registry's words; "" for no unit.
    variant : str
        One of ``VARIANTS``.
    epsilon, delta, rho : float, optional
        Never corrected.
    review_status : str
        Of the registry.
    tier : int
        Of the registry.
    source : str
        Address of a public document.
    """

    slug: str
    name: str
    curator: str
    published: str
    model: str
    unit: str
    variant: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    review_status: str
    tier: int
    source: str

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}; got {self.variant!r}")
        for quantity in (EPSILON, DELTA, RHO):
            value = getattr(self, quantity.name)
            if value is not None:
                object.__setattr__(self, quantity.name, quantity.check(value))
        if self.epsilon is None and self.rho is None:
            raise ValueError("a deployment must state epsilon or rho; got neither")
        if not self.source.startswith(("https://", "http://")):
            raise ValueError(f"source must be a web address; got {self.source!r}")

    @property
    def group(self) -> str:
        """Its unit of privacy as `unit_group` spells it; `NO_UNIT` where none is stated."""
        return unit_group(self.unit) or NO_UNIT


def unit_group(unit: str) -> str:
    """Return a unit of privacy in one spelling: lower case, one dash between words, without "-level".

    Only the spelling is made equal: "user" and "person" stay two units, and so do "user-day" and "user-month".

    Examples
    --------
    >>> unit_group("User-day-level"), unit_group("user day"), unit_group("Person-level; housing-unit-level")
    ('user-day', 'user-day', 'person; housing-unit')
    """
    return "; ".join(spelled(each) for each in unit.split(";") if each.strip())


def neighbouring(unit: str) -> tuple[str, ...]:
    """Return the published units that protect the same one as `unit` does, over another stretch of time.

    Parameters
    ----------
    unit : str
        A unit of privacy, in any spelling; one that names several units neighbours those of each.

    Returns
    -------
    tuple of str
        As `unit_group` spells them, those with most deployments first; never that of `unit` itself.

    Examples
    --------
    >>> neighbouring("Person-year"), neighbouring("user-day"), neighbouring("household")
    (('person', 'person; housing-unit'), ('user', 'user-month', 'user-quarter-day'), ())
    """
    own, subjects = unit_group(unit), _subjects(unit_group(unit))
    sizes = Counter(each.group for each in deployments())
    kin = [group for group in sizes if group != own and _subjects(group) & subjects]
    return tuple(sorted(kin, key=lambda group: (-sizes[group], group)))


def _subjects(group: str) -> set[str]:
    """Whom the units of a group protect, whatever the stretch of time: of "user-quarter-day", the user."""
    return {PERIOD.sub("", each.strip()) for each in group.split(";")} - {""}


@cache
def deployments() -> tuple[Deployment, ...]:
    """Return the deployments carried in the package, in the order of the file.

    Examples
    --------
    >>> [each.epsilon for each in deployments() if each.name == "Community Mobility Place Visits"]
    [2.64]
    """
    text = files("dpviz").joinpath("data", "deployments.csv").read_text(encoding="utf-8")
    return tuple(_deployment(row) for row in csv.DictReader(text.splitlines()))


def _deployment(row: dict[str, str]) -> Deployment:
    numbers = {name: float(row[name]) if row[name] else None for name in ("epsilon", "delta", "rho")}
    return Deployment(**{**row, **numbers, "tier": int(row["tier"])})


def published(plan: Plan) -> pandas.DataFrame:
    """Return the published deployments, those of the plan's unit of privacy first.

    Parameters
    ----------
    plan : Plan
        Gives its unit of privacy, and the δ at which an entry that reports only ρ is read as ε.

    Returns
    -------
    pandas.DataFrame
        One row per deployment: group (its unit in one spelling), matches (whether that is the plan's), unit (as
        reported), name (as `told_apart` tells it), curator, published, model, variant, epsilon (as reported, else
        converted from ρ and rounded up;
        None where none follows), epsilon_basis (which of them), delta (as reported; None where it is not),
        delta_basis ("reported", "0 by definition", "not stated", or that the reported δ is not the one ε stands at),
        rho, review_status, tier, source. Groups are ordered by size after the plan's, rows by ε.

    Notes
    -----
    Nothing is corrected or completed. An ε per user-day and one per person are promises about different things: rows
    of different groups are not to be compared.

    References
    ----------
    Canonne, Kamath & Steinke (2020), Cor. 13, for ρ into ε.

    Examples
    --------
    >>> frame = published(Plan((), unit="user-day"))
    >>> frame[frame.matches].epsilon.tolist()
    [1.68, 2.0, 2.64, 8.0]
    """
    import pandas as pd

    own, delta = unit_group(plan.unit_in_words), plan.budget.delta
    names = told_apart(deployments())
    rows = [_row(each, own, delta) | {"name": name} for each, name in zip(deployments(), names, strict=True)]
    sizes = Counter(row["group"] for row in rows)

    def order(row: dict[str, object]) -> tuple:
        rank = -1.0 if row["epsilon"] is None else row["epsilon"]
        return not row["matches"], -sizes[row["group"]], row["group"], rank, row["name"]

    # Objects, since a column of floats would turn None into NaN.
    frame = pd.DataFrame(sorted(rows, key=order), columns=list(COLUMNS), dtype=object)
    return frame.astype({"matches": bool, "tier": int})


def told_apart(listed: Sequence[Deployment]) -> list[str]:
    """Return the names of deployments; those that several have, with curator and month.

    Examples
    --------
    >>> [name for name in told_apart(deployments()) if name.startswith("Current")]
    ['Current Pageviews']
    """
    times = Counter(each.name for each in listed)
    return [
        each.name if times[each.name] == 1 else f"{each.name} ({each.curator}, {each.published})" for each in listed
    ]


def _row(deployment: Deployment, own: str, delta: float) -> dict[str, object]:
    epsilon, basis = _epsilon(deployment, delta)
    fields = {name: getattr(deployment, name) for name in COLUMNS if hasattr(deployment, name)}
    return {
        **fields,
        "unit": deployment.unit or NO_UNIT,
        "matches": deployment.group == own,
        "epsilon": epsilon,
        "epsilon_basis": basis,
        "delta_basis": _delta_basis(deployment, delta),
    }


def _epsilon(deployment: Deployment, delta: float) -> tuple[float | None, str]:
    """The reported ε, else the one that ρ proves at `delta`; with how it came about."""
    if deployment.epsilon is not None:
        return deployment.epsilon, "reported"
    rho = shown_up(deployment.rho, 17)
    if delta in (0, 1):
        return None, f"no ε follows from ρ = {rho} at δ = {shown_delta(delta)}"
    converted = epsilon_from_rho(deployment.rho, delta)
    return converted, f"{CONVERTED} from ρ = {rho}, at δ = {shown_delta(delta)}"


def _delta_basis(deployment: Deployment, delta: float) -> str:
    if deployment.epsilon is None:
        return f"δ = {shown_delta(delta)} chosen here"
    if deployment.delta is not None:
        return "reported"
    return "0 by definition" if deployment.variant == PURE else "not stated"
