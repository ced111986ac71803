"""Programs that compute a plan's total again: one with dpviz, one with dp-accounting. Names enter as literals only."""

from __future__ import annotations

import math
import textwrap
from dataclasses import fields, replace
from datetime import date

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.laws.renyi import pure_rho
from dpviz.mechanisms.uses import in_bars
from dpviz.plan import Plan, Release
from dpviz.plan.field_table import PLANNING
from dpviz.plan.fields import DEFAULTS
from dpviz.planning.advice import faults
from dpviz.planning.schedule import shared_weeks, unit_cost
from dpviz.report.loss_programs import loss_program
from dpviz.rounding import shown_up

# Steps of dp-accounting's grid of losses. At the coarsest a plan that just uses ε = 2 was found 6e-7 above the tight
# total; at ten times that, 6e-5 above it, it seemed to be over its budget.
FINEST, COARSEST = 1e-7, 1e-5
MOST_STEPS = 1e6  # up to the total, so that a program takes seconds
RELIABLE_DELTA = 1e-9  # below it dp-accounting's own cut-off tails and rounding show
_WIDTH = 100
_PROMISES_NOTHING = "# A δ of 1 promises nothing, so there is no total to compute.\n"


def dpviz_snippet(plan: Plan) -> str:
    """Return a Python program that rebuilds `plan` with dpviz and prints its totals.

    Returns
    -------
    str
        Its last line of output is ``epsilon ... delta ...``: the smallest total that may be quoted at the budget's δ,
        with all digits. Where one unit loses less than all dates together, what it loses stands before.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> program = dpviz_snippet(Plan([Release("Ages", Laplace.from_epsilon(0.5), 4)]))
    >>> [line.strip() for line in program.splitlines() if "Release(" in line]
    ["Release('Ages', Laplace.from_epsilon(0.5), 4),"]
    """
    classes = {"Guarantee", "Plan", "Release"}
    for each in plan.releases:
        classes |= {type(each.mechanism).__name__, type(each.mechanism.base).__name__}
    functions = [] if plan.budget.delta >= 1 else ["compare", "compose"]
    dated = any(isinstance(day, date) for each in plan.releases for day in (each.start, each.end, each.done))
    releases = "".join(f"        {_release_call(each)},\n" for each in plan.releases)
    wrong = any(plan.releases[row].uses for row in plan.faults)  # the program is refused its total when it runs
    one = _DPVIZ_ONE if functions and not wrong and unit_cost(plan) else ""
    return (
        _header("Compute the total of a plan with dpviz.", plan)
        + ("from datetime import date\n\n" if dated else "")
        + _import(sorted(classes) + functions)
        + "plan = Plan(\n    [" + (f"\n{releases}    " if releases else "") + "],\n"
        + f"    {_guarantee_call(plan.budget)},\n    unit={plan.unit!r},\n    relation={plan.relation!r},\n"
        + f"    population={plan.population!r},\n    adaptive={plan.adaptive!r},\n)\n"
        + (_DPVIZ_TOTAL.format(delta=plan.budget.delta, one=one) if functions else _PROMISES_NOTHING)
    )  # fmt: skip


_DPVIZ_TOTAL = """
delta = {delta!r}
for row in compare(plan, delta).itertuples():
    print(row.theorem, row.epsilon if row.applies else "does not apply")
{one}total = compose(plan, delta)
print("epsilon", total.epsilon, "delta", total.delta)
"""
_DPVIZ_ONE = """\
from dpviz.planning import unit_cost

one = unit_cost(plan)
print("one", one.window, "epsilon", one.epsilon, "delta", delta)
print("all dates together:")
"""


def dp_accounting_snippet(plan: Plan) -> str:
    """Return a Python program that computes the total of `plan` with dp-accounting, the largest over its parts.

    Returns
    -------
    str
        Its last line of output is ``epsilon ... delta ...``. What dp-accounting cannot express stands in a comment with
        the reason, and is printed as left out; `comparable` is the plan without it. Where one unit loses less than all
        dates together, what it loses stands before.

    Notes
    -----
    Neighbour relation: the plan's. Each sensitivity is stated for it, so the pairs of distributions are the same under
    both; Poisson sampling is add_remove. dp-accounting rounds losses up to its grid, so that its ε is above the tight
    one by a little, but for what it cuts off tails: 3.999875 for 3.999932 at δ = 1e-9 after 2,002 samples. It needs
    δ > 0.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> program = dp_accounting_snippet(Plan([Release("Ages", Laplace.from_epsilon(0.5), 4, "North")]))
    >>> [line for line in program.splitlines() if "laplace" in line]
    ["    ('Ages', 'North', 4, pld.from_laplace_mechanism(2.0, sensitivity=1.0, **GRID)),"]
    """
    plan.check_sensitivities()
    left_out = [(each, reason) for each in plan.releases if (reason := unexpressed(each))]
    kept = comparable(plan).releases
    comments = "".join(f"# Left out: {each.name!r}, since {reason}.\n" for each, reason in left_out)
    comments += "".join(f"# {remark}\n" for remark in _remarks(plan))
    lines = (f"    ({each.name!r}, {each.part!r}, {each.uses}, {loss_program(each.mechanism)}),\n" for each in kept)
    laws = "".join(lines)
    names = [each.name for each, _ in left_out]
    if plan.budget.delta >= 1:
        return _header("Compute the total of a plan with dp-accounting.", plan) + _PROMISES_NOTHING
    return (
        _header("Compute the total of a plan with dp-accounting.", plan)
        + _ACCOUNTING_IMPORTS.format(_PARAMETERS if "DifferentialPrivacyParameters" in laws else "")
        + f"DELTA = {plan.budget.delta!r}\n"
        + _GRID
        + f'GRID = {{"value_discretization_interval": {_step(kept, plan.budget.delta)!r}}}\n'
        + comments
        + "RELEASES = [  # name, part of the data (None: all), uses, law of the privacy loss of one use\n"
        + f"{laws}]\nLEFT_OUT = {names!r}\n"
        + _ACCOUNTING_TOTAL.format(one=_of_one_period(plan))
    )


def _of_one_period(plan: Plan) -> str:
    """Lines that print what one unit loses in the dearest period of its promise; "" where that is the total."""
    kept = comparable(plan)
    cost = unit_cost(kept)  # the dearest period of what is compared: what is left out may be dear in another one
    if cost is None or math.isinf(cost.epsilon):
        return ""
    counts = [each.uses for each in cost.plan.releases]
    when = shared_weeks(kept) or f", from {cost.start} to {cost.end}"
    return _ACCOUNTING_ONE.format(window=cost.window, counts=counts, when=when)


_ACCOUNTING_IMPORTS = """\
from dp_accounting.pld import privacy_loss_distribution as pld
{}
# Laws of the privacy loss instead of events: there is no event for a black box, and the PLDAccountant of
# dp-accounting 0.6.0 counts a randomized response once, however often it is repeated.
"""
_PARAMETERS = "from dp_accounting.pld.common import DifferentialPrivacyParameters\n"
_GRID = """\
# The accuracy: dp-accounting rounds losses up to multiples of this step, and cuts tails off. So its total may lie a
# little above what dpviz says, or above a budget that is just used; at a small delta, also a little below the truth.
"""
_ACCOUNTING_TOTAL = '''

def total(part, counts):
    """The epsilon of what reads all the data together with what reads this part of it, each so many times."""
    composed = pld.identity(**GRID)
    for (_, reads, _, law), uses in zip(RELEASES, counts):
        if uses and reads in (None, part):
            composed = composed.compose(law.self_compose(uses))
    return float(composed.get_epsilon_for_delta(DELTA))


parts = {{reads for _, reads, _, _ in RELEASES}} - {{None}} or {{None}}
for name in LEFT_OUT:
    print("left out:", ascii(name))
{one}counts = [uses for _, _, uses, _ in RELEASES]
print("epsilon", max(total(part, counts) for part in parts), "delta", DELTA)
'''
_ACCOUNTING_ONE = """\
counts = {counts}  # uses in the dearest {window}{when}
print("one {window} epsilon", max(total(part, counts) for part in parts), "delta", DELTA)
print("all dates together:")
"""


def comparable(plan: Plan) -> Plan:
    """Return the plan without the releases that `dp_accounting_snippet` leaves out.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, Subsampled
    >>> sampled = Subsampled(Laplace(10), 0.1, "without_replacement")
    >>> comparable(Plan([Release("Sample", sampled), Release("All", Laplace(10, 1))])).releases[0].name
    'All'
    """
    kept = tuple(each for each in plan.releases if not unexpressed(each))
    return replace(plan, releases=kept, relation=plan.neighbours)  # though what asked for it is left out


def unexpressed(release: Release) -> str:
    """Return why dp-accounting has no law for a release; "" where it has one.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, Subsampled
    >>> unexpressed(Release("Sample", Subsampled(Laplace(10, 1), 0.1, "without_replacement")))
    'its numerical engine knows no sampling without replacement'
    """
    if release.uses == 0:
        return "it is never used"
    try:
        loss_program(release.mechanism)
    except ValueError as reason:
        return str(reason)
    stated = release.mechanism.stated
    return "a δ of 1 promises nothing" if stated is not None and stated.delta >= 1 else ""


def _remarks(plan: Plan) -> list[str]:
    remarks = []
    if cost := unit_cost(plan):
        one = "without bound" if math.isinf(cost.epsilon) else f"at most {shown_up(cost.epsilon)}"
        remarks.append(f"The promise is for one {cost.window}, whose releases cost {one}; all dates are counted last.")
    if faults(plan):
        remarks.append("Not what the plan costs: what was answered about it says that it is made otherwise.")
    if plan.adaptive:
        remarks.append("The plan chooses along the way; this total holds for releases fixed in advance only.")
    if plan.budget.delta == 0:
        remarks.append("dp-accounting cuts off tails, so at a δ of 0 it may find no finite ε; stated ε add up there.")
    elif plan.budget.delta < RELIABLE_DELTA:
        remarks.append("At so small a δ dp-accounting's own rounding shows, and may be large.")
    return remarks


def _header(what: str, plan: Plan) -> str:
    """A docstring without anything of the plan, whose unit follows as a comment: its literal is one line."""
    unit = "not stated" if plan.unit is None else repr(plan.unit)
    return f'"""{what}"""\n\n# Unit of privacy: {unit}; neighbour relation: {plan.neighbours}.\n'


def _import(names: list[str]) -> str:
    listed = ", ".join(names)
    if len(listed) > _WIDTH:
        listed = "(\n    " + "\n    ".join(textwrap.wrap(listed + ",", _WIDTH)) + "\n)"
    return f"from dpviz import {listed}\n\n"


def _number(value: float) -> str:
    return 'float("inf")' if math.isinf(value) else repr(value)


def _guarantee_call(budget: Guarantee) -> str:
    return f"Guarantee({_number(budget.epsilon)}, {budget.delta!r})"


def _release_call(release: Release) -> str:
    given = [repr(release.name), _mechanism_call(release.mechanism), repr(release.count)]
    given += [repr(release.part)] if release.part is not None else []
    for name in PLANNING:
        value = getattr(release, name)
        if value != DEFAULTS[name]:
            given.append(f"{name}={_date_call(value) if isinstance(value, date) else repr(value)}")
    return f"Release({', '.join(given)})"


def _date_call(day: date) -> str:
    return f"date({day.year}, {day.month}, {day.day})"


def _mechanism_call(mechanism: Mechanism) -> str:
    """How dpviz makes this mechanism, from the numbers as typed."""
    name = type(mechanism).__name__
    if mechanism.base is not mechanism:
        own = [getattr(mechanism, each.name) for each in fields(mechanism) if each.init][1:]
        return f"{name}({', '.join([_mechanism_call(mechanism.base), *map(repr, own)])})"
    given = mechanism.parameters
    form = next(form for form in mechanism.forms if form.takes(given))
    places = zip(given.items(), (*form.needed, *form.optional), strict=False)
    # what follows a sensitivity that nobody typed is given by its name
    values = ", ".join(repr(value) if key == place else f"{key}={value!r}" for (key, value), place in places)
    return f"{name}.{form.builder}({values})" if form.builder else f"{name}({values})"


def _step(releases: tuple[Release, ...], delta: float) -> float:
    """A step fine beside the smallest loss of one use, coarse enough beside the total; a power of ten."""
    parts = [in_bars(each.mechanism) for each in releases]
    sizes = [_size(mechanism) for mechanism, _ in parts]
    uses = [each.uses * bars for each, (_, bars) in zip(releases, parts, strict=True)]
    rho = sum(many * pure_rho(size) for many, size in zip(uses, sizes, strict=True))
    total = max([rho + 2 * math.sqrt(rho * math.log(1 / max(delta, 1e-15))), *sizes])
    finest = min([COARSEST, *(size / 50 for size in sizes if size > 0)])
    return 10.0 ** math.ceil(math.log10(max(finest, FINEST, total / MOST_STEPS)) - 1e-9)


def _size(mechanism: Mechanism) -> float:
    """The loss of one use, roughly."""
    base = mechanism.base
    alone = base.mu if base.mu is not None else base.stated.epsilon if base.stated else float(base.epsilon(0.01))
    return mechanism.rate * min(alone, 1e3)
