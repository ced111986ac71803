"""The ways to draw batches, and to add noise to them: each with what is proved of it, and what must be implemented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.batches import DRAWN, NoiseCeiling
from dpviz.privacy_loss import Bound
from dpviz.records import Record, record_named
from dpviz.training.bounds import Bounded, allocation_bound, composed_bound, shuffled_bound
from dpviz.training.run import TrainingRun

EXACT, UPPER, BRACKET = "exact", "proved upper bound", "bracket"
KINDS = {
    EXACT: "the largest loss over all data, between two ends that differ by rounding",
    UPPER: "no data lose more; how much less they may lose is not said",
    BRACKET: "the truth lies between two proved ends; no number between them is claimed",
}


@dataclass(frozen=True, slots=True, repr=False)
class Scheme(Record):
    """A way to draw batches and add noise, with the bound on what a run costs.

    Parameters
    ----------
    kind : str
        One of `KINDS`: what the number is, at best (see `kind_of`).
    implement : str
        What the code must do so that the run is the one that was priced.
    own_bound : callable, optional
        ``own_bound(run, steps, accuracy)``: both ends of ε after so many steps each, where more is known of them than
        of the mechanisms that plans compose (`dpviz.mechanisms.batches.DRAWN`); lower ends of 0 claim nothing.
    """

    kind: str
    implement: str
    own_bound: Bounded | None = None

    @property
    def relation(self) -> str:
        """What one record's data become in the data that must not be told apart: add_remove or replace_one."""
        return DRAWN[self.key].relation

    def refused(self, run: TrainingRun) -> str:
        """Return why no guarantee is known of such a run, "" where one is."""
        return DRAWN[self.key].refused(run)

    def kind_of(self, run: TrainingRun) -> str:
        """Return what the number of such a run is: no more than an upper bound where a mechanism stands in for it."""
        if self.kind != EXACT or self.refused(run):
            return self.kind
        mechanism, _ = DRAWN[self.key].uses(run, np.array([run.step_count]))
        return UPPER if isinstance(mechanism, NoiseCeiling) else EXACT

    def bound(self, run: TrainingRun, steps: np.ndarray, accuracy: float) -> Bound:
        """Return both ends of ε after so many steps each; lower ends of 0 claim nothing."""
        if self.own_bound:
            return self.own_bound(run, steps, accuracy)
        return composed_bound(*DRAWN[self.key].uses(run, steps), run.delta, accuracy)

    @property
    def releases(self) -> Callable[[TrainingRun, np.ndarray], tuple[Mechanism, np.ndarray]] | None:
        """What gives the mechanism that a run is a composition of, and how often; None where it is not."""
        return None if self.own_bound else DRAWN[self.key].uses


SCHEMES: tuple[Scheme, ...] = (
    Scheme(
        "poisson",
        "Poisson batches",
        r"P = (1-q)\,N(0,\sigma^2) + q\,N(1,\sigma^2)\ \text{against}\ Q = N(0,\sigma^2),\ T\ \text{times}",
        "every record is in every batch with probability q = B/n, on its own; nobody learns who was in",
        "Zhu, Dong & Wang (2022), Thm 11",
        EXACT,
        "draw each batch by a coin per record (a Poisson loader, no shuffled fallback); run empty batches, too; divide "
        "by the expected batch size, never by the drawn one",
    ),
    Scheme(
        "truncated_poisson",
        "Poisson batches, cut",
        r"(1-\tau)\,[q,\ \text{norm}\ 1] + \tau\,[\bar q,\ \text{norm}\ 2],\quad \tau = P[\mathrm{Bin}(n-1,q)\ge B^+],"
        r"\ \bar q = \tfrac{B^+ P[\mathrm{Bin}(n,q) > B^+]}{n\,\tau}",
        "as Poisson; of a batch larger than B⁺ a uniformly chosen part of B⁺ records is kept",
        "by coupling, in docs/explanation/training.md; the problem is posed in Chua et al. (2024), arXiv 2411.04205; "
        "arXiv 2508.15089 has another bound",
        UPPER,
        "as for Poisson; what is too much for a batch is left out at random; keep dividing by the expected batch size",
    ),
    Scheme(
        "fixed_size",
        "Fixed-size batches, drawn anew",
        r"\delta'(\varepsilon') = q\,\delta(\varepsilon),\ \varepsilon' = \ln(1+q(e^{\varepsilon}-1)),\ \text{norm}\ 2",
        "every batch is a uniformly chosen set of B records, drawn anew at each step; n is public",
        "Balle, Barthe & Gaboardi (2018), Thm 9",
        UPPER,
        "draw B different records for every step from all n, whoever was drawn before",
    ),
    Scheme(
        "allocation",
        "Random allocation (balls in bins)",
        r"P = \tfrac1t\sum_i N(e_i,\sigma^2 I)\ \text{against}\ Q = N(0,\sigma^2 I),\ \text{once an epoch}",
        "in each epoch every record picks one of its t batches, uniformly and on its own; nobody learns which",
        "Chua et al. (2024), arXiv 2412.16802, and Feldman & Shenfeld (2025), arXiv 2502.08202, for the pair; the "
        "bound in docs/explanation/training.md",
        BRACKET,
        "throw every record into one of t = n/B (rounded up) batches, anew each epoch; sizes vary; divide by the "
        "expected one",
        allocation_bound,
    ),
    Scheme(
        "shuffled",
        "Shuffled each epoch",
        r"P_{\max}\ \text{of}\ t\ \text{sums} \le \delta(\varepsilon),\quad \mu \le \sqrt{5E}/\sigma",
        "in each epoch all records are put in a random order, then cut into batches of B; where one is removed, "
        "another moves up, and an epoch has as many steps",
        "above: joint convexity over orders, in docs/explanation/training.md; below: Chua et al. (2024), arXiv "
        "2403.17673 and 2411.04205",
        BRACKET,
        "shuffle and cut, as most loaders do; as many steps an epoch with a record less, if need be by an empty batch; "
        "divide by B always; the upper end is what is promised",
        shuffled_bound,
    ),
    Scheme(
        "fixed_order",
        "Once an epoch, in fixed order",
        r"\mu = \sqrt{E}/\sigma",
        "every record is in one batch of each epoch, always the same or another one; everybody may know which; where "
        "one is removed, its place stays empty",
        "Dong, Roth & Su (2022), Cor. 3.3",
        EXACT,
        "cut the data into batches, once or anew; where a record is removed, its place stays empty",
    ),
    Scheme(
        "tree",
        "Tree aggregation, restarted each epoch",
        r"\mu = \sqrt{E\,(\lfloor\log_2 t\rfloor + 1)}/\sigma",
        "as fixed order; noise with σC is on every node of a binary tree over the t batches of an epoch, and a new "
        "tree is begun with each epoch",
        "Kairouz et al. (2021), Practical and Private (Deep) Learning without Sampling or Shuffling (its numbers not "
        "read again); the count of nodes by hand",
        EXACT,
        "add independent noise to every sum of the tree, and take prefix sums of these alone",
    ),
    Scheme(
        "banded",
        "Banded matrix, cyclic Poisson batches",
        r"[B/\lfloor n/b\rfloor,\ \text{norm}\ 1],\ \lceil T/b\rceil\ \text{times}",
        "the records are divided into b groups once; step i draws a Poisson batch from group i mod b at the rate "
        "B/⌊n/b⌋; the matrix has at most b bands and columns of norm at most 1",
        "Choquette-Choo et al. (2023), arXiv 2306.08153 (its theorem's number not read again)",
        UPPER,
        "groups by a hash of each record alone, kept for the whole run; a Poisson loader on one group a step; noise "
        "through the inverse of the matrix",
    ),
    Scheme(
        "banded_order",
        "Banded matrix, fixed order",
        r"\mu = \sqrt{E\,\min(E, \lceil b/t\rceil)}/\sigma",
        "as fixed order, the same in each epoch, so that a record's uses lie t steps apart; the matrix has at most b "
        "bands and columns of norm at most 1; an upper bound where it has more bands than an epoch has batches",
        "Choquette-Choo et al. (2023), arXiv 2306.08153; columns that do not overlap add up in squares; for those "
        "that do, the bound is in docs/explanation/training.md",
        EXACT,
        "keep the order of the first epoch; noise through the inverse of the matrix",
    ),
)


def scheme_named(key: str) -> Scheme:
    """Return the scheme with this key.

    Examples
    --------
    >>> scheme_named("allocation").kind
    'bracket'
    """
    return record_named(SCHEMES, key)
