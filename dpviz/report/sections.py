"""What a statement is made of: sections of words, lists, tables and drawings, which HTML and Markdown render alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class Strong(str):
    """Words that stand out."""

    __slots__ = ()


class Link(str):
    """An http address that may be followed."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, init=False)
class Words:
    """A paragraph.

    Parameters
    ----------
    *runs : str, Strong or Link
        Its text; empty runs are dropped.
    kind : str
        "finding", "by" or "foot", which are set apart; "" for others.
    """

    runs: tuple[str, ...]
    kind: str

    def __init__(self, *runs: str, kind: str = "") -> None:
        object.__setattr__(self, "runs", tuple(run for run in runs if run))
        object.__setattr__(self, "kind", kind)


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; each item is words."""

    items: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain text; columns in `numbers` are set to the right."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG element, safe as it is; `alt` is what it shows, "" where a table beneath says the same."""

    svg: str
    alt: str = ""


OF_A_ROW = 60  # letters, beside its own
Block = Words | Bullets | Table | Drawing


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands beneath; "" is no heading."""

    heading: str
    blocks: tuple[Block, ...]


def length(sections: Iterable[Section]) -> int:
    """Return how long they are on paper, in letters; every row of a table takes the place of some.

    Examples
    --------
    >>> length([Section("", (Words("Six", "teen"), table("", ["What"], [["a"], ["b"]])))])
    193
    """
    blocks = [block for section in sections for block in section.blocks]
    said = [each for block in blocks for each in (block.items if isinstance(block, Bullets) else (block,))]
    runs = sum(len(run) for each in said if isinstance(each, Words) for run in each.runs)
    rows = [row for each in blocks if isinstance(each, Table) for row in (each.heads, *each.rows)]
    return runs + sum(OF_A_ROW + sum(map(len, row)) for row in rows)


def listed(items: Iterable[str | Words]) -> Bullets:
    """Return a list of texts.

    Examples
    --------
    >>> listed(["a"]).items[0].runs
    ('a',)
    """
    return Bullets(tuple(each if isinstance(each, Words) else Words(each) for each in items))


def table(
    caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]], numbers: tuple[int, ...] = ()
) -> Table:
    """Return a table.

    Examples
    --------
    >>> table("Sizes", ["What", "ε"], [["a", "1"]], (1,)).rows
    (('a', '1'),)
    """
    return Table(caption, tuple(heads), tuple(tuple(row) for row in rows), numbers)
