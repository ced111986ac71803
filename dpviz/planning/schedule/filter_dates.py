"""When a filter with the plan's budget refuses something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.filters import plan_verdicts
from dpviz.plan import Plan
from dpviz.planning.schedule.calendar import release_dates, until
from dpviz.search import first_between, singly

if TYPE_CHECKING:
    import pandas

_NEVER = np.datetime64("NaT", "D")


def refusals(plan: Plan) -> pandas.DataFrame:
    """Compute on which date a filter with the plan's budget, fixed before the first release, refuses something.

    Returns
    -------
    pandas.DataFrame
        One row per rule: rule, label, date (missing where all is admitted, or nothing has a date), source. Every
        release may be chosen from all earlier answers.

    Notes
    -----
    Parts are ignored: every release counts as one that reads all the data. Each rule keeps for Σδ_i what the releases
    up to the date need. At δ = 1 everything is refused: such a budget promises nothing.

    References
    ----------
    Rogers, Roth, Ullman & Vadhan (2016), Def. 3.4; Whitehouse, Ramdas, Rogers & Wu (2023), Thm 1 and 2.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> from dpviz.planning.schedule import dated
    >>> plan = Plan([Release("Count", Laplace.from_epsilon(0.01))], Guarantee(1, 1e-6), adaptive=True)
    >>> refusals(dated(plan, "2026-01-01", "daily", "2026-12-31")).date.astype(str).tolist()[:3]
    ['2026-04-11', '2026-05-28', '2026-12-16']
    """
    import pandas

    days, seen, promised = release_dates(plan), {}, plan.budget.delta < 1

    def whole(place: int, rule: int) -> bool:
        if place not in seen:
            seen[place] = plan_verdicts(until(plan, days[place].item())).whole.to_numpy()
        return bool(seen[place][rule])

    frame = plan_verdicts(plan)
    found = np.full(len(frame), _NEVER)
    for rule in range(len(frame) if days.size else 0):
        if not promised:
            found[rule] = days[0]
        elif not frame.whole.iloc[rule]:
            refused = singly(lambda place: not whole(place, rule))  # noqa: B023
            found[rule] = days[first_between(refused, -1, len(days) - 1, sections=1)]
    return pandas.DataFrame({"rule": frame.rule, "label": frame.label, "date": found, "source": frame.source})
