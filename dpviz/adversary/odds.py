"""Odds in words: one sentence that says how an attack fares without, and with, one unit in the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from dpviz.parameters import Parameter, checked_choice, shown
from dpviz.plan import RELATIONS

DENOMINATORS = (100, 1_000, 10_000)
DENOMINATOR = Parameter("denominator", "", "results the odds are out of", 1, 1_000_000, integer=True)


class HasAdvantage(Protocol):
    """Anything with the advantage of the best attack: a PrivacyLoss."""

    @property
    def advantage(self) -> float:
        """In [0, 1]: the most by which an attacker's right accusations exceed the wrong ones."""


@dataclass(frozen=True, slots=True)
class Advantage:
    """The advantage of the best attack, where it is known already: all that odds need of a privacy loss.

    Parameters
    ----------
    advantage : float
        In [0, 1].
    """

    advantage: float


def check_loss(loss: object, *reads: str) -> None:
    """Refuse what does not answer the reads of a composed plan's privacy loss.

    Raises
    ------
    ValueError
        With what makes one of a plan, and the value got.

    Examples
    --------
    >>> check_loss("pld", "advantage")
    Traceback (most recent call last):
        ...
    ValueError: loss must be a PrivacyLoss, such as PrivacyLoss.of(plan); got 'pld'
    """
    missing = [read for read in reads if not (read == "advantage" or callable(getattr(loss, read, None)))]
    if isinstance(loss, type) or missing or not set(reads) <= set(dir(loss)):
        raise ValueError(f"loss must be a PrivacyLoss, such as PrivacyLoss.of(plan); got {shown(loss)}")


@dataclass(frozen=True, slots=True)
class Odds:
    """The point of greatest advantage as whole numbers out of one denominator.

    Parameters
    ----------
    without, within : int
        Of `denominator` results, those that look to the attacker as if the unit were in the data: when it is not, and
        when it is. The first is rounded down and the second up, so that no attacker is told worse than they are; they
        are what twin icon arrays show.
    denominator : int
    false_positive_rate, true_positive_rate : float
        The rates themselves.
    sentence : str
        Both numbers in words, with the attacker and the unit named.
    advantage : float
        What the true positive rate exceeds the false positive rate by.
    """

    without: int
    within: int
    denominator: int
    false_positive_rate: float
    true_positive_rate: float
    sentence: str
    advantage: float

    @property
    def right(self) -> int:
        """How many of 100 guesses are right, at most: what the pictures show, where they show 100 results."""
        return self.within if self.denominator == 100 else math.ceil(100 * self.within / self.denominator)

    def __str__(self) -> str:
        return self.sentence


def odds_record(loss: HasAdvantage, denominator: int = 100, unit: str = "person", relation: str = "add_remove") -> Odds:
    """Return the odds of the best attack, at the point of greatest advantage; on a tie, with equal error rates.

    Parameters
    ----------
    loss : PrivacyLoss
    denominator : int
        In [1, 1000000]; where fewer than 1 result is wrongly taken, the next of 1,000 and 10,000 is used.
    unit : str
        Whom the promise protects.
    relation : {"add_remove", "replace_one"}

    Notes
    -----
    False positive and false negative rate are both (1 - advantage)/2 there; see
    ``dpviz.adversary.risk.greatest_advantage``.

    References
    ----------
    Nanayakkara et al. (2023), What are the chances? Explaining the epsilon parameter in differential privacy.

    Examples
    --------
    >>> from dpviz.adversary.risk import Guarantee, PairLoss
    >>> record = odds_record(PairLoss(Guarantee(0.5)))
    >>> record.without, record.within
    (37, 63)
    """
    checked_choice(relation, RELATIONS, "relation")
    check_loss(loss, "advantage")
    denominator = DENOMINATOR.check(denominator)
    advantage = min(float(loss.advantage), 1.0)
    missed = (1 - advantage) / 2
    larger = (each for each in DENOMINATORS if each > denominator)
    while missed * denominator < 1 and (following := next(larger, None)):
        denominator = following
    within = min(math.ceil((1 + advantage) / 2 * denominator), denominator)  # right guesses: never fewer than they are
    without = denominator - within
    sentence = _sentence(without, denominator, missed, unit, relation)
    return Odds(without, within, denominator, missed, 1 - missed, sentence, advantage)


def odds(loss: HasAdvantage, denominator: int = 100, unit: str = "person", relation: str = "add_remove") -> str:
    """Return the odds of the best attack as one sentence; see `odds_record`.

    Examples
    --------
    >>> from dpviz.adversary.risk import Guarantee, PairLoss
    >>> print(odds(PairLoss(Guarantee(1.0)), unit="user-day"))
    Is this user-day in the data? An attacker who knows all other data says yes to about 74 of 100 results where it is,
    and to about 26 of 100 where it is not.
    """
    return odds_record(loss, denominator, unit, relation).sentence


def guessed(right: str, unit: str, relation: str, *, answers: bool = False, time: str = "") -> str:
    """Return the sentence on how many of 100 guesses of the best attacker are right, at most.

    Parameters
    ----------
    right : str
        So many, rounded up, as it is to be read.
    unit : str
        Whom the promise protects.
    relation : {"add_remove", "replace_one"}
    answers : bool
        Whether some of it are randomized answers, of which the answer is hidden and not who gave it.
    time : str
        Of which time the data are, where the unit does not say so.

    Examples
    --------
    >>> print(guessed("74", "user-day", "add_remove"))
    An attacker who knows all other data, and guesses whether one user-day is in the data, is right in at most 74 of
    100 guesses on average; a coin toss in 50.
    >>> guessed("74", "user", "add_remove", time="a day").split(", ")[1]
    'and guesses whether one user is in the data of a day'
    """
    replaced = checked_choice(relation, RELATIONS, "relation") == "replace_one"
    there = f"guesses whether one {unit} is in the data{f' of {time}' if time else ''}"
    over = f" over {time}" if time else ""
    asks = f"guesses which of two things the records of one {unit}{over} say" if replaced else there
    asks += " (in a survey: what was answered)" if answers and not replaced else ""
    return (
        f"An attacker who knows all other data, and {asks}, is right in at most {right} of 100 guesses on average; a "
        "coin toss in 50."
    )


def _sentence(without: int, denominator: int, missed: float, unit: str, relation: str) -> str:
    low, high = (f"{each} of {denominator:,}" for each in in_words(without, denominator, missed))
    knows = "An attacker who knows all other data"
    if relation == "replace_one":
        return f"Which of two records has this {unit}? {knows} names the right one for {high} results, and the wrong " \
            f"one for {low}."
    return f"Is this {unit} in the data? {knows} says yes to {high} results where it is, and to {low} where it is not."


def in_words(without: int, denominator: int, missed: float) -> tuple[str, str]:
    """Return how many results without the unit look like it, and how many with it.

    Examples
    --------
    >>> in_words(46, 100, 0.462), in_words(0, 10_000, 0.0)
    (('about 46', 'about 54'), ('none', 'all'))
    """
    if missed == 0:
        return "none", "all"
    if missed * denominator < 1:
        return "fewer than 1", f"more than {denominator - 1:,}"
    return f"about {without:,}", f"about {denominator - without:,}"
