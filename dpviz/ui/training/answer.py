"""What the core says of a training run, kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain, count

import pandas as pd

from dpviz.effort import PLOTTED
from dpviz.guarantee import Guarantee
from dpviz.plan import Plan, Release
from dpviz.training import (
    SCHEMES,
    TrainingCost,
    TrainingRun,
    best_of_all_trials,
    best_of_random_trials,
    compare_schemes,
    epsilon_over_epochs,
    equally_accurate,
    most_epochs,
    scheme_named,
    smallest_batch,
    smallest_noise,
    training_cost,
)
from dpviz.training.solve import PRECISION
from dpviz.ui.shell.kept import kept
from dpviz.ui.training.asked import BATCH, COST, NOISE, Question

POINTS = 10  # of a curve: random allocation and cut batches take their time at each
FACTORS = (0.25, 1.0, 4.0, 16.0)  # batches beside each other
TOO_ACCURATE = (
    "Not even the largest batch keeps the budget with so little noise: what follows is a noise multiplier of 1."
)


@dataclass(frozen=True)
class Found:
    """A run with what was searched, and what it costs under every scheme.

    Parameters
    ----------
    run : TrainingRun
    cost : TrainingCost
        Of the scheme that was chosen.
    table : pandas.DataFrame
        As `dpviz.training.compare_schemes`.
    curves : pandas.DataFrame
        As `dpviz.training.epsilon_over_epochs`, lower ends of shuffling alone.
    budget : float or None
        ε that was not to be exceeded, where something was searched.
    trouble : str
        Why what is searched was not found; "" where it was.
    """

    run: TrainingRun
    cost: TrainingCost
    table: pd.DataFrame
    curves: pd.DataFrame
    budget: float | None
    trouble: str


def answer(asked: Question) -> Found:
    """Return the run that is asked for, with what it costs."""
    run, trouble, typed = asked.run, "", asked.run
    if asked.solved != COST:
        run, trouble = _solved(_priced(typed), asked.solved, asked.budget, asked.accuracy)
    run = replace(run, clipping_norm=typed.clipping_norm, largest_batch=typed.largest_batch, bands=typed.bands)
    cost = training_cost(_priced(run), PRECISION)  # as accurate as what is searched, so that it keeps the budget
    table = _table(run)
    table.loc[table.scheme == run.scheme, ["epsilon", "lower"]] = cost.epsilon, cost.lower or math.nan
    parts = [_curve(_priced(replace(run, scheme=scheme.key))) for scheme in SCHEMES]
    curves = pd.concat([each for each in parts if len(each)], ignore_index=True)
    last = curves.epochs == run.epochs  # told in words, too: one number, one rounding
    curves.loc[last & (curves.scheme == run.scheme), "epsilon"] = cost.epsilon
    surely = table.lower[table.scheme == "shuffled"].max()
    curves.loc[last & (curves.scheme == "shuffled"), "lower"] = surely
    return Found(run, cost, table, curves, None if asked.solved == COST else asked.budget, trouble)


def _table(run: TrainingRun) -> pd.DataFrame:
    return compare_schemes(replace(run, clipping_norm=1.0, scheme="poisson"), PLOTTED)


def _priced(run: TrainingRun) -> TrainingRun:
    """The run with only that by which it costs what it does, so that an edit of the rest keeps the answer."""
    return replace(run.needed, clipping_norm=1.0)


@kept(64, 1, "Searching …")
def _solved(run: TrainingRun, solved: str, budget: float, accuracy: float) -> tuple[TrainingRun, str]:
    try:
        if solved == BATCH:
            found = smallest_batch(run, budget, accuracy)
            return found or run, "" if found else TOO_ACCURATE
        if solved == NOISE:
            return smallest_noise(run, budget), ""
        most = most_epochs(run, budget)
    except ValueError:
        return run, "No noise is found that suffices: what follows is a noise multiplier of 1."
    none = "Not even one epoch fits with this noise: what follows is one epoch."
    return replace(run, epochs=float(max(most, 1))), "" if most else none


@kept(256, 1, "Pricing every epoch …")
def _curve(run: TrainingRun) -> pd.DataFrame:
    """The scheme of a run, over its epochs."""
    frame = epsilon_over_epochs(run, epochs(run.epochs), [run.scheme], lower=run.scheme == "shuffled")
    if len(frame):  # the last one is quoted beside the chart, more accurately
        frame.loc[len(frame) - 1, "epsilon"] = training_cost(run, PLOTTED).epsilon
    return frame


def epochs(last: float) -> list[float]:
    """Return the epochs at which a curve is computed, whole ones from the first on where there are so many.

    Examples
    --------
    >>> epochs(30)
    [1.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0, 24.0, 27.0, 30.0]
    >>> epochs(1)
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """
    places = [last * place / POINTS for place in range(1, POINTS)]
    if last > POINTS:
        places = sorted({1.0, *map(math.ceil, places)} - {last})
    return [*map(float, places), float(last)]


def plan_of(found: Found, beside: Plan | None = None) -> Plan:
    """Return a plan of its own with the run as its one release: the budget asked for, and one record at a time.

    Where nothing was asked for but what the run costs, no ε limits it. Its name is none that a plan `beside` has.
    """
    run = found.run
    budget = Guarantee(math.inf if found.budget is None else found.budget, run.delta)
    release = Release(_name(run, {each.name for each in beside.releases} if beside else set()), run.model)
    return Plan([release], budget, "record", found.cost.relation, population=run.records)


def _name(run: TrainingRun, taken: set[str]) -> str:
    """What the training is called: by how its batches are drawn where it is not the first, and by a number then."""
    plain, label = "Trained model", scheme_named(run.scheme).label
    by_scheme = f"{plain}, {label if label.startswith('Poisson') else label[0].lower() + label[1:]}"
    numbered = (f"{by_scheme} {number}" for number in count(2))
    return next(each for each in chain((plain, by_scheme), numbered) if each not in taken)


def larger(run: TrainingRun) -> pd.DataFrame:
    """Return what batches of other sizes cost when a mean gradient is as accurate as in this run.

    Returns
    -------
    pandas.DataFrame
        Columns batch_size, noise_multiplier, steps, epsilon, in ascending order of batches; those of more than all
        records are left out.
    """
    runs = equally_accurate(run, FACTORS)
    rows = [(each.batch_size, each.noise_multiplier, each.step_count, _epsilon(each)) for each in runs]
    return pd.DataFrame(rows, columns=["batch_size", "noise_multiplier", "steps", "epsilon"])


def _epsilon(run: TrainingRun) -> float:
    return training_cost(_priced(run), PLOTTED).epsilon


def trials(run: TrainingRun, number: int, law: str) -> tuple[float | None, float | None]:
    """Return ε of the best of a random number of runs, and of as many runs; None where it is not known."""
    return _trials(_priced(run), number, law)


@kept(64, 1, "Pricing the search …")
def _trials(run: TrainingRun, number: int, law: str) -> tuple[float | None, float | None]:
    scheme = scheme_named(run.scheme)
    if scheme.refused(run):
        return None, None
    best = best_of_random_trials(run, number, law) if scheme.releases else None
    return best, best_of_all_trials(run, number)
