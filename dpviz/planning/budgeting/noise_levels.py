"""The noise of a release as one positive number: noise over sensitivity, which a split of a budget may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpviz.mechanisms import Mechanism, TrainedModel
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import COUNT
from dpviz.plan import Plan


@dataclass(frozen=True, eq=False)
class Adjustable:
    """The releases of a plan whose noise may be changed, as columns of shape (adjustable,).

    Parameters
    ----------
    rows : ndarray of int
        Their places in the plan, from 0.
    mechanisms : tuple of Mechanism
    ratio, sensitivity, uses, weight : ndarray of float
        Present noise over sensitivity; sensitivity 1 for randomized response and trained models.
    typical : ndarray of float
        Size of a typical true value; 0 where none is given.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> Adjustable.of(Plan([Release("a", Gaussian(2, 1)), Release("b", Gaussian(3, 1), done=True)])).rows.tolist()
    [0]
    """

    rows: np.ndarray
    mechanisms: tuple[Mechanism, ...]
    ratio: np.ndarray
    sensitivity: np.ndarray
    uses: np.ndarray
    weight: np.ndarray
    typical: np.ndarray

    @classmethod
    def of(cls, plan: Plan, locked: Sequence[int] = ()) -> Adjustable:
        """Return what may be changed: all but locked rows, what is done even in part or never used, and without noise.

        Raises
        ------
        ValueError
            When a locked row is none of the plan.
        """
        last = len(plan.releases) - 1
        for row in locked:
            if not COUNT.admits(row) or row > last:
                raise ValueError(f"locked must hold rows in [0, {last}]; got {row!r}")
        held = {int(row) for row in locked}
        rows = [
            row
            for row, each in enumerate(plan.releases)
            if row not in held and not each.done_uses and each.uses and each.mechanism.strength is not None
        ]
        chosen = [plan.releases[row] for row in rows]
        return cls(
            np.array(rows, dtype=np.int64),
            tuple(each.mechanism for each in chosen),
            np.array([each.mechanism.strength for each in chosen], dtype=float),
            np.array([getattr(each.mechanism.base, "sensitivity", 1.0) for each in chosen], dtype=float),
            np.array([each.uses for each in chosen], dtype=float),
            np.array([each.weight for each in chosen], dtype=float),
            np.array([each.typical or 0.0 for each in chosen], dtype=float),
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def models(self) -> tuple[int, ...]:
        """Rows of the plan with trained models: their noise is on gradients, and compares with no error of a number."""
        pairs = zip(self.rows.tolist(), self.mechanisms, strict=True)
        return tuple(row for row, each in pairs if isinstance(each, TrainedModel))

    def steps(self) -> list[dict[Mechanism, int]]:
        """Return what one use of each is composed of: of a trained model its steps, of most themselves."""
        parts = (taken_apart([each], np.array([[1]])) for each in self.mechanisms)
        return [dict(zip(used, counts[0].tolist(), strict=True)) for used, counts in parts]

    def ratios_in(self, plan: Plan) -> np.ndarray:
        """Return the noise over sensitivity of these rows in another plan."""
        return np.array([plan.releases[row].mechanism.strength for row in self.rows.tolist()], dtype=float)

    def applied(self, plan: Plan, ratios: np.ndarray) -> Plan:
        """Return the plan with these ratios, in six digits."""
        releases = list(plan.releases)
        for row, ratio in zip(self.rows.tolist(), ratios.tolist(), strict=True):
            releases[row] = replace(releases[row], mechanism=releases[row].mechanism.at_strength(ratio))
        return replace(plan, releases=tuple(releases))

    def but(self, plan: Plan, rows: Sequence[int]) -> Adjustable:
        """Return what may be changed of a plan with the same rows, if some more are held."""
        free = set(self.rows.tolist()).difference(rows)
        return self.of(plan, [row for row in range(len(plan.releases)) if row not in free])

    def held(self, plan: Plan) -> Plan:
        """Return the plan of the other releases alone."""
        mine = set(self.rows.tolist())
        return replace(plan, releases=tuple(each for row, each in enumerate(plan.releases) if row not in mine))
