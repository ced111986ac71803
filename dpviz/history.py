"""What undo and redo lead to: the states of something that changes, beside its present one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

State = TypeVar("State")
LONGEST_PAST = 50


@dataclass(frozen=True, slots=True)
class History(Generic[State]):
    """The former states of something, and those that undo has left.

    The present state is held by whoever works on it, and given to each step.

    Parameters
    ----------
    past : tuple
        The former states, the last one at the end; at most `LONGEST_PAST`.
    future : tuple
        What redo leads to, the next one first.
    dropped : int
        How many states neither undo nor redo reaches any more.

    Examples
    --------
    >>> history = History().changed("a").changed("b")
    >>> before, undone = history.undone("c")
    >>> before, undone.past, undone.future, undone.redone(before) == ("c", history)
    ('b', ('a',), ('c',), True)
    """

    past: tuple[State, ...] = ()
    future: tuple[State, ...] = ()
    dropped: int = 0

    def changed(
        self, left: State, weight: Callable[[State], float] | None = None, heaviest: float = inf
    ) -> History[State]:
        """Return the history after a change, which nothing can be redone after.

        Parameters
        ----------
        left : object
            The state that was changed.
        weight : callable, optional
            What remembering a state costs.
        heaviest : float
            What all former states may cost together; the last one is remembered even so.

        Examples
        --------
        >>> History(("a", "bb")).changed("ccc", len, 5).past
        ('bb', 'ccc')
        """
        past = (*self.past, left)[-LONGEST_PAST:]
        while weight is not None and len(past) > 1 and sum(map(weight, past)) > heaviest:
            past = past[1:]
        return History(past, (), self.dropped + len(self.past) + 1 - len(past) + len(self.future))

    def undone(self, present: State) -> tuple[State, History[State]]:
        """Return the state before the present one, with its history; the present one where there is none.

        Examples
        --------
        >>> History().undone("a")
        ('a', History(past=(), future=(), dropped=0))
        """
        if not self.past:
            return present, self
        *past, before = self.past
        return before, History(tuple(past), (present, *self.future), self.dropped)

    def redone(self, present: State) -> tuple[State, History[State]]:
        """Return the state that undo has left last, with its history; the present one where there is none.

        Examples
        --------
        >>> History(future=("b",)).redone("a")
        ('b', History(past=('a',), future=(), dropped=0))
        """
        if not self.future:
            return present, self
        after, *future = self.future
        return after, History((*self.past, present), tuple(future), self.dropped)
