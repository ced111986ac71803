"""Adversaries: ready strategies for the composition experiment, from working through a list to choosing every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.adversary.experiment import Ask, Choose, mechanism_list, sensitivity_of
from dpviz.mechanisms import Mechanism
from dpviz.records import Record


@dataclass(frozen=True, slots=True)
class Strategy(Record):
    """How an adversary goes on, given what was seen; `assumes` says which bounds hold against it.

    Parameters
    ----------
    fixed_in_advance : bool
        Whether the noise of each round is fixed before the first: then every composed curve is a bound.
    repeats : bool
        Whether it goes through the list more than once.
    ask : callable or None
        ``ask(mechanisms)`` returns the function that `dpviz.adversary.play.run_experiment` takes as ``ask``.
    choose : callable or None
        ``choose(mechanisms, secrets)`` returns the function that it takes as ``choose``.
    """

    fixed_in_advance: bool
    repeats: bool
    ask: Callable[[tuple[Mechanism, ...]], Ask] | None = None
    choose: Callable[[tuple[Mechanism, ...], tuple[float, float]], Choose] | None = None


def moving_databases(mechanisms: tuple[Mechanism, ...]) -> Ask:
    """Return an `ask` that puts its next two databases next to the last output, turned about when that output rose.

    The mechanism of each round stays the list's; a mechanism that tells a bit is asked for the bit or its opposite.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> ask = moving_databases((Laplace(1.0),))
    >>> [each.tolist() for each in ask(np.array([[0.25, 3.0], [0.5, -1.0]]))]
    [[3.0, -2.0], [2.0, -1.0]]
    """
    mechanisms = mechanism_list(mechanisms)
    widths = np.array([min(sensitivity_of(each), 1e9) for each in mechanisms])
    widths[np.array([np.isinf(sensitivity_of(each)) for each in mechanisms])] = 1.0

    def ask(outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        width = widths[outputs.shape[1] % len(widths)]
        last = np.nan_to_num(outputs[:, -1]) if outputs.shape[1] else np.zeros(len(outputs))
        before = np.nan_to_num(outputs[:, -2]) if outputs.shape[1] > 1 else np.zeros(len(outputs))
        # Whole multiples of the width: sums and differences stay exact, so the distance is the sensitivity itself.
        place = np.clip(np.round(last / width), -1000, 1000)
        turned = last > before
        return width * (place + np.where(turned, 0, -1)), width * (place + np.where(turned, -1, 0))

    return ask


def loud_when_in_doubt(mechanisms: tuple[Mechanism, ...], secrets: tuple[float, float] = (1.0, 2.0)) -> Choose:
    """Return a `choose` that asks the most telling mechanism while the mean is near the middle, else the least telling.

    Parameters
    ----------
    mechanisms : tuple of Mechanism
    secrets : tuple of float
        The two answers; the mean counts as near the middle within a quarter of their distance.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> choose = loud_when_in_doubt((Laplace(10.0), Laplace(1.0)), (0.0, 1.0))
    >>> choose(np.array([[0.5], [3.0]])).tolist()
    [1, 0]
    """
    telling = np.array([each.delta(0.0) for each in mechanism_list(mechanisms)])
    loud, quiet = int(telling.argmax()), int(telling.argmin())
    middle, near = sum(secrets) / 2, abs(secrets[1] - secrets[0]) / 4

    def choose(outputs: np.ndarray) -> np.ndarray:
        told = np.isfinite(outputs)
        mean = np.where(told, outputs - middle, 0.0).sum(axis=1) / np.maximum(told.sum(axis=1), 1)
        return np.where(np.abs(mean) <= near, loud, quiet)

    return choose


STRATEGIES = (
    Strategy(
        "list",
        "Works through the list once",
        r"\mathcal{M}_i = M_i,\quad x_i^b = x^b,\quad i \le |M|",
        "every theorem for parameters fixed in advance",
        "Sherpa.ai notebook on composition concepts, first run",
        True,
        False,
    ),
    Strategy(
        "repeated_list",
        "Repeats the list",
        r"\mathcal{M}_i = M_{i \bmod |M|},\quad x_i^b = x^b",
        "every theorem for parameters fixed in advance",
        "Sherpa.ai notebook on composition concepts, second run",
        True,
        True,
    ),
    Strategy(
        "moving_databases",
        "Adapts databases and queries",
        r"\mathcal{M}_i = M_{i \bmod |M|},\quad (x_i^0, x_i^1) = A(y_1,\dots,y_{i-1})",
        "every theorem for parameters fixed in advance: the noise of round i does not depend on outputs",
        "Dwork, Rothblum & Vadhan (2010), Boosting and Differential Privacy, Sec. 3",
        True,
        True,
        ask=moving_databases,
    ),
    Strategy(
        "loud_when_in_doubt",
        "Also chooses the mechanism",
        r"(\mathcal{M}_i, x_i^0, x_i^1) = A(y_1,\dots,y_{i-1})",
        "basic composition of what was asked, or a filter's budget; composed curves are no bound",
        "Rogers, Roth, Ullman & Vadhan (2016), Privacy Odometers and Filters",
        False,
        True,
        choose=loud_when_in_doubt,
    ),
)
