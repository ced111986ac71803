"""A plan as theorems see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.uses import MOST_USES, taken_apart
from dpviz.plan.composable import Composable, as_plan


@dataclass(frozen=True)
class Workload:
    """A plan as theorems see it: distinct mechanisms, and their counts in each disjoint part.

    What a threshold holds back stands here as what it costs: its noise for each key, and its leak. A histogram stands
    here whole: theorems that see its noise tell its bars apart.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
    counts : ndarray of int, shape (parts, mechanisms)
    adaptive : bool
        Whether releases are chosen along the way.
    """

    mechanisms: tuple[Mechanism, ...]
    counts: np.ndarray
    adaptive: bool = False

    def __post_init__(self) -> None:
        mechanisms, counts = taken_apart(self.mechanisms, self.counts, bars=False)
        object.__setattr__(self, "mechanisms", mechanisms)
        object.__setattr__(self, "counts", counts)

    @classmethod
    def of(cls, plan: Composable) -> Workload:
        """Return the workload of a plan, or of what stands for one, without what is never used."""
        plan = as_plan(plan)
        return cls(*plan.workload(), bool(plan.adaptive))

    def repeated(self, times: np.ndarray) -> Workload:
        """Return one row per (repetition count, part): shape (len(times) * parts, mechanisms)."""
        most = int(times.max(initial=0)) * int(self.counts.max(initial=0))
        if most > MOST_USES:
            raise ValueError(f"uses of one mechanism must be at most {MOST_USES:.0e}; got {most:.3g}")
        counts = (times[:, None, None] * self.counts).reshape(len(times) * len(self.counts), len(self.mechanisms))
        return Workload(self.mechanisms, counts, self.adaptive)
