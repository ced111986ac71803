"""What a training run costs, by its scheme: one number with both ends, all schemes side by side, and over epochs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dpviz.effort import DRAWN, PLOTTED, QUOTED
from dpviz.parameters import checked_items
from dpviz.privacy_loss import Bound
from dpviz.training.run import TrainingRun
from dpviz.training.schemes import SCHEMES, Scheme, scheme_named

if TYPE_CHECKING:
    import pandas

NO_GUARANTEE = "no guarantee is known"


@dataclass(frozen=True)
class TrainingCost:
    """What a run costs at its δ, and what kind of number that is.

    Parameters
    ----------
    run : TrainingRun
    epsilon : float
        Rounded up; inf where no guarantee is known.
    kind : str
        One of `KINDS`, or ``no guarantee is known``.
    relation : str
        ``add_remove`` or ``replace_one``: numbers under different relations are not comparable as they stand.
    reason : str
        Why no guarantee is known, "" where one is.
    bound : Bound or None
        Both ends.
    """

    run: TrainingRun
    epsilon: float
    kind: str
    relation: str
    reason: str = ""
    bound: Bound | None = field(default=None, repr=False, compare=False)

    @property
    def lower(self) -> float | None:
        """What the run surely costs on some data, rounded down; None where nothing above 0 is proved."""
        found = float(self.bound.lower[0]) if self.bound else 0.0
        return found if found > 0 else None


def training_cost(run: TrainingRun, accuracy: float = QUOTED) -> TrainingCost:
    """Return what a run costs at its δ.

    Parameters
    ----------
    run : TrainingRun
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    Raises
    ------
    ValueError
        When the scheme is none of `SCHEMES`.

    Examples
    --------
    >>> cost = training_cost(TrainingRun(60_000, 256, 1.1, 1e-5, epochs=15))
    >>> print(f"{cost.epsilon:.4f}", cost.kind)
    1.1354 exact
    """
    return _cost(run, float(accuracy))


@lru_cache(maxsize=256)
def _cost(run: TrainingRun, accuracy: float) -> TrainingCost:
    scheme = scheme_named(run.scheme)
    if reason := scheme.refused(run):
        return TrainingCost(run, math.inf, NO_GUARANTEE, scheme.relation, reason)
    bound = scheme.bound(run, np.array([run.step_count]), accuracy)
    return TrainingCost(run, float(bound.epsilon[0]), scheme.kind_of(run), scheme.relation, "", bound)


def compare_schemes(run: TrainingRun, accuracy: float = PLOTTED) -> pandas.DataFrame:
    """Return what a run would cost under each scheme, with what must be implemented for that.

    Parameters
    ----------
    run : TrainingRun
        Its own scheme plays no part.
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    Returns
    -------
    pandas.DataFrame
        Columns scheme, label, relation, kind, epsilon (rounded up; inf where no guarantee is known), lower (rounded
        down; NaN where nothing above 0 is proved), implement, reason; in the order of `SCHEMES`.

    Examples
    --------
    >>> frame = compare_schemes(TrainingRun(1000, 100, 2.0, 1e-5, epochs=2)).set_index("scheme")
    >>> bool(frame.epsilon["allocation"] < frame.epsilon["fixed_order"] < frame.epsilon["shuffled"])
    True
    """
    import pandas

    costs = [training_cost(replace(run, scheme=scheme.key), accuracy) for scheme in SCHEMES]
    rows = [
        (scheme.key, scheme.label, cost.relation, cost.kind, cost.epsilon, cost.lower, scheme.implement, cost.reason)
        for scheme, cost in zip(SCHEMES, costs, strict=True)
    ]
    columns = ["scheme", "label", "relation", "kind", "epsilon", "lower", "implement", "reason"]
    return pandas.DataFrame(rows, columns=columns).astype({"epsilon": float, "lower": float})


def epsilon_over_epochs(
    run: TrainingRun,
    epochs: Iterable[float],
    schemes: Sequence[str] | None = None,
    lower: bool = False,
    accuracy: float = DRAWN,
) -> pandas.DataFrame:
    """Return ε after so many epochs each, under each scheme.

    Parameters
    ----------
    run : TrainingRun
        Its own epochs and scheme play no part.
    epochs : iterable of float
        In (0, 1e9].
    schemes : sequence of str, optional
        Keys of `SCHEMES`; all of them if not given. Those without a guarantee have no rows.
    lower : bool
        Whether lower ends are wanted, too, which take as long again.
    accuracy : float
        Wanted relative excess, in (0, 0.1].

    Returns
    -------
    pandas.DataFrame
        Columns scheme, epochs, epsilon (rounded up), lower (rounded down; NaN where nothing above 0 is proved).

    Examples
    --------
    >>> run = TrainingRun(1000, 100, 2.0, 1e-5, epochs=1)
    >>> epsilon_over_epochs(run, [1, 4], ["fixed_order"]).epsilon.round(4).tolist()
    [1.9931, 4.3772]
    """
    import pandas

    given = checked_items(list(epochs), "epochs", "numbers")
    steps = np.array([run.steps_of(each) for each in given], dtype=np.int64)
    keys = [scheme.key for scheme in SCHEMES] if schemes is None else list(schemes)
    frames = []
    for scheme in map(scheme_named, keys):
        if len(steps) and not scheme.refused(run):
            bound = scheme.bound(run, steps, accuracy)
            known = np.where(bound.lower > 0, bound.lower, np.nan) if lower else np.full(len(steps), np.nan)
            frames.append({"scheme": scheme.key, "epochs": given, "epsilon": bound.epsilon, "lower": known})
    if not frames:
        return pandas.DataFrame({name: [] for name in ("scheme", "epochs", "epsilon", "lower")})
    return pandas.concat([pandas.DataFrame(frame) for frame in frames], ignore_index=True)


def refusal(run: TrainingRun) -> tuple[Scheme, str]:
    """Return the scheme of a run, and why no guarantee is known of it, "" where one is."""
    scheme = scheme_named(run.scheme)
    return scheme, scheme.refused(run)
