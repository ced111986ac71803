"""What a whole plan costs, enclosed: the worst of its parts."""

from __future__ import annotations

from dpviz.mechanisms.uses import taken_apart
from dpviz.plan import Composable, as_plan
from dpviz_certified.certify import enclose_epsilon
from dpviz_certified.enclosure import Enclosure, NotCertified
from dpviz_certified.lattice import CELLS

ADAPTIVE = "it is about releases fixed in advance; this plan chooses along the way"


def certified_total(plan: Composable, delta: float, cells: int = CELLS) -> Enclosure:
    """Return two ends of the tight total ε of a plan.

    Parameters
    ----------
    plan : Plan, Mechanism, mapping of Mechanism to count, or sequence of Mechanism
    delta : float
        The whole δ, in [0, 1].
    cells : int
        About how many cells a lattice may have, where one is needed.

    Returns
    -------
    Enclosure
        Disjoint parts cost the most that one of them costs together with what reads all the data.

    Raises
    ------
    NotCertified
        With the reason.

    Notes
    -----
    Neighbour relation: the plan's.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> print(certified_total([Laplace(10)] * 10, 1e-6))
    [0.9989780894472198386808637097158188050531943, 0.9989780894472198386808637097158188050532044]
    """
    plan = as_plan(plan)
    if plan.adaptive and any(release.uses for release in plan.releases):
        raise NotCertified(ADAPTIVE)
    mechanisms, counts = taken_apart(*plan.workload())
    found = [enclose_epsilon(mechanisms, row, delta, cells) for row in counts]
    worst = max(found, key=lambda each: each.upper)
    return Enclosure(max(each.lower for each in found), worst.upper, worst.method)
