"""What the page asks: which plans are looked for."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.ui.shell import inputs

LONGEST_SEARCH = 80
IN_A_PAGE = 10  # plans that are shown at once


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for.

    Parameters
    ----------
    words : str
        That the title must have, in any order.
    archived : bool
        Whether those that were archived are looked through, in place of the others.
    """

    words: str
    archived: bool


def question() -> Asked:
    """Draw the inputs, and return what is looked for."""
    about = "Words of the title, in any order."
    words = inputs.line("Find", "find", "", LONGEST_SEARCH, about, placeholder="words of the title")
    archived = inputs.toggle("Archived plans", "archived", "What was put away, and can be brought back.")
    return Asked(words.strip(), archived)
