"""Choices of rows of the table, shown with their names; the address holds their numbers, since names are private."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dpviz.plan import Plan, Release
from dpviz.ui.shell import page_state
from dpviz.ui.shell.document import session, table_state
from dpviz.ui.shell.words import shortened

NAME_LENGTH = 60


def names(plan: Plan) -> list[str]:
    """Return the names of a plan's releases, as lists show them: with their numbers in the table."""
    return [shown(release.name, table_state.number(row)) for row, release in enumerate(plan.releases)]


def names_of(rows: Sequence[Mapping[str, str | None]]) -> list[str]:
    """Return the names of all rows of the table, those that are no release among them, with their numbers."""
    return [shown(row["name"] or "", table_state.seen(place)) for place, row in enumerate(rows)]


def one(label: str, names: Sequence[str], key: str, first: int = 0) -> int:
    """Draw the choice of one row, and return its place (from 0).

    Parameters
    ----------
    label : str
    names : sequence of str
        Of the rows, in their order.
    key : str
        Of the choice, and of its number in the address.
    first : int
        Place of the row that is chosen where nobody has chosen one yet.
    """
    if first and key not in st.query_params and not page_state.holds(key):
        choose(key, first)
    rows = _rows(names) or [1]
    label_of_row = _label(names, place(names, key) + 1)
    if page_state.held(f"{key}_shown") != label_of_row:  # else a box goes on showing the name before a change
        page_state.put({key: page_state.held(key), f"{key}_shown": label_of_row})
    chosen = st.selectbox(label, rows, format_func=lambda row: _label(names, row), key=key)
    page_state.put({f"{key}_at": (chosen, tuple(map(_name, names)))})
    _write(key, [] if chosen == rows[0] else [chosen])
    return chosen - 1


def choose(key: str, place: int) -> None:
    """Choose the row at `place` (from 0), whatever the address said."""
    page_state.put({key: place + 1, f"{key}_at": None, f"{key}_written": st.query_params.get_all(key)})


def release(label: str, plan: Plan, key: str, suits: Callable[[Release], bool] = lambda _: True) -> int:
    """Draw the choice of one release of a plan, and return its place: at first of what suits, the one used most."""

    def order(place: int) -> tuple[bool, int]:
        return suits(plan.releases[place]), plan.releases[place].uses

    return one(label, names(plan), key, max(range(len(plan.releases)), key=order))


def place(names: Sequence[str], key: str) -> int:
    """Return the place (from 0) of the row that is chosen, by the address too, before the choice is drawn.

    It goes with the row's name where others came or went above it, but for what was chosen itself.
    """
    rows = _rows(names) or [1]
    heard = _heard(key, rows)
    if heard is not None:
        page_state.put({key: (heard or rows)[0]})
    held = page_state.held(key)
    if held not in rows:
        row = _row_of(held, names)
        page_state.put({key: row if row in rows else rows[0]})
    at, before = page_state.held(f"{key}_at") or (0, ())
    if heard is None and at == page_state.held(key) and names and _followed([at], before, names) not in ([at], []):
        page_state.put({key: _followed([at], before, names)[0]})
    return page_state.held(key) - 1


def several(label: str, names: Sequence[str], key: str, help_text: str, empty: str = "none") -> tuple[int, ...]:
    """Draw the choice of any number of rows, and return their places (from 0); `empty` stands for no choice."""
    rows = _rows(names)
    heard = _heard(key, rows, page_state.held(f"{key}_at") == tuple(map(_name, names)))
    held = [_row_of(each, names) for each in page_state.held(key, [])] if heard is None else heard
    if heard is None or [str(row) for row in heard] == page_state.held(f"{key}_written"):  # not of another address
        held = _followed(held, page_state.held(f"{key}_at") or (), names)
    page_state.put({key: [row for row in held if row in rows]})
    chosen = st.multiselect(
        label, rows, format_func=lambda row: _label(names, row), key=key, placeholder=empty, help=help_text
    )
    page_state.put({f"{key}_at": tuple(map(_name, names))})
    _write(key, chosen)
    return tuple(row - 1 for row in chosen)


def _followed(held: list[object], before: Sequence[str], names: Sequence[str]) -> list[object]:
    """The rows that are chosen, each where its name stands now; one that is renamed in its place stays, a removed not.

    Examples
    --------
    >>> now = ["1 · Visits", "2 · Ages"]
    >>> _followed([2, 3], ("Visits", "Pay", "Ages"), now), _followed([2], ("Visits", "Pay"), now)
    ([2], [2])

    So does one that had the name of another, such as a copy, where that stays; in other plans its name is followed.

    >>> _followed([3], ("Visits", "Ages", "Ages"), [*now, "3 · Sales"])
    [3]
    >>> _followed([3], ("Visits", "Ages", "Ages"), ["1 · Ages", "2 · Pay", "3 · Sales"])
    [1]
    """
    now = list(map(_name, names))
    found = []
    for row in held:
        name = before[row - 1] if isinstance(row, int) and 1 <= row <= len(before) else None
        places = [place for place, each in enumerate(now, start=1) if each == name]
        twins = {place for place, each in enumerate(before, start=1) if each == name} - {row}
        renamed = len(before) == len(now) and twins == {*places}
        stays = name is None or row in places or renamed
        found += [row] if stays else places if len(places) == 1 else []
    return found


def shown(name: str, number: int) -> str:
    """Return number and name of a row.

    Examples
    --------
    >>> shown("Visits", 1)
    '1 · Visits'
    """
    return f"{number} · {shortened(name, NAME_LENGTH)}"


def _name(shown: str) -> str:
    """The name of a row without its number."""
    return shown.partition(" · ")[2]


def _label(names: Sequence[str], row: int) -> str:
    return names[row - 1] if names else shown("no release", row)


def _row_of(held: object, names: Sequence[str]) -> object:
    """The row that a choice holds, also where it is told by the name that it had before it was renamed.

    The number before a name is that of the table, which may have other rows above it.

    Examples
    --------
    >>> names = ["1 · Visits", "3 · Ages"]
    >>> _row_of("3 · New release", names), _row_of(2, names), _row_of("2", names)
    (2, 2, 2)
    """
    if not isinstance(held, str):
        return held
    number, parted, _ = held.partition(" ")
    of_number = {name.partition(" ")[0]: row for row, name in enumerate(names, start=1)}
    return of_number.get(number, held) if parted else int(number) if number.isdecimal() else held


def _rows(names: Sequence[str]) -> list[int]:
    return list(range(1, len(names) + 1))


def _heard(key: str, rows: list[int], alike: bool = False) -> list[int] | None:
    """The rows that the address names; None where it says what was written there, and the choice still holds it."""
    texts = st.query_params.get_all(key)
    same = alike or page_state.held(f"{key}_of") == session.revision()
    if not page_state.holds(key) and not texts and same:
        texts = page_state.held(f"{key}_written")  # the page was left, and the plan is the same, or has the same rows
    if page_state.holds(key) and texts == page_state.held(f"{key}_written"):
        return None
    by_text = {str(row): row for row in rows}
    return list(dict.fromkeys(by_text[text] for text in texts if text in by_text))


def _write(key: str, chosen: list[int]) -> None:
    texts = [str(row) for row in chosen]
    page_state.put({f"{key}_written": texts, f"{key}_of": session.revision()})
    if st.query_params.get_all(key) == texts:
        return
    if texts:
        st.query_params[key] = texts
    else:
        del st.query_params[key]
