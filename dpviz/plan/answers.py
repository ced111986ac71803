"""What a plan's author knows and its releases do not say: the answers to what the checks of a plan ask."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.parameters import COPIES

BATCHES = ("poisson", "shuffled", "fixed")
YES_OR_NO = (
    "parts_disjoint", "whole_numbers", "bounds_fixed", "sample_secret", "same_statistic", "epsilon_per_use",
    "uses_complete", "delta_accepted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answers:
    """What a plan does not say, and its author knows.

    Parameters
    ----------
    batches : {"poisson", "shuffled", "fixed"}, optional
        How the batches of sampled releases are really drawn; None is not stated.
    parts_disjoint : bool, optional
        Whether every person is in one part only; None is not stated.
    whole_numbers : bool, optional
        Whether counts get noise that is itself a whole number, as the 2020 Census, OpenDP and Tumult draw it; None is
        not stated.
    rows_per_unit : int, optional
        How many rows of one unit an answer reads, at most, in [1, 1e6]; None is not stated.
    bounds_fixed : bool, optional
        Whether clipping bounds were fixed without looking at the data; None is not stated.
    sample_secret : bool, optional
        Whether nobody, not even those in it, learns who is in a sample; None is not stated.
    same_statistic : bool, optional
        Whether rows that look alike are one release; None is not stated.
    epsilon_per_use : bool, optional
        Whether the ε of what is used several times is meant for each use; None is not stated.
    uses_complete : bool, optional
        Whether every row is counted as often as it is published, whatever its name says; None is not stated.
    delta_accepted : bool, optional
        Whether a δ above what the people in the data ask for is accepted, knowing that; None is not stated.

    Raises
    ------
    ValueError
        When an answer is not allowed.

    Examples
    --------
    >>> Answers(rows_per_unit=3, sample_secret=False).stated
    {'rows_per_unit': 3, 'sample_secret': False}
    """

    batches: str | None = None
    parts_disjoint: bool | None = None
    whole_numbers: bool | None = None
    rows_per_unit: int | None = None
    bounds_fixed: bool | None = None
    sample_secret: bool | None = None
    same_statistic: bool | None = None
    epsilon_per_use: bool | None = None
    uses_complete: bool | None = None
    delta_accepted: bool | None = None

    def __post_init__(self) -> None:
        if self.batches is not None and self.batches not in BATCHES:
            raise ValueError(f"batches must be one of None, {', '.join(BATCHES)}; got {self.batches!r}")
        if self.rows_per_unit is not None:
            object.__setattr__(self, "rows_per_unit", COPIES.check(self.rows_per_unit, "rows_per_unit"))
        for name in YES_OR_NO:
            if not isinstance(getattr(self, name), bool | None):
                raise ValueError(f"{name} must be None, True or False; got {getattr(self, name)!r}")

    @property
    def stated(self) -> dict[str, str | bool | int]:
        """What is answered, by name, in the order of the fields."""
        return {name: value for name in ANSWERED if (value := getattr(self, name)) is not None}


ANSWERED = tuple(Answers.__dataclass_fields__)
