"""The table of releases between reruns: what stands behind its cells, and how what is typed gets into the document.

`st.session_state` holds of it: its name ("table"), its columns that are in sight ("in_sight"), the rows that stand
behind what is typed in it ("base"), all its rows as they are now ("typed"), what of its changes is already in the
document ("taken"), and which rows were moved and removed ("acts").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from datetime import date

import streamlit as st

from dpviz.ui.shell import plan_rows, refusals, shell
from dpviz.ui.shell.document import filled_in, pasting, session
from dpviz.ui.shell.document.rows import counted, rows_of, with_rows

# Of a plan that many share a process with: all of its rows are looked through, in one piece, where memory is cleared.
MOST_ROWS = 5000
MOST_PASTED = "it makes {:,} releases, and the table holds {:,}; give those that are alike one row with their number"
BLANKS, FEWEST_BLANKS = 30, 3  # rows to type into at the end of a new table, and when it gets more


def table_key(view: str, columns: Collection[str]) -> str:
    """Return the key of the table in this view, with these columns, which starts anew if it was not drawn before.

    Blank rows stand at its end, to be typed or pasted into: Streamlit keeps what is typed in a table of as many rows
    when other cells are computed anew, but not in one that grows. Nor does a browser tell again what was typed into
    columns that are in sight no more, so that the table starts anew without them.
    """
    if not _typed_columns() <= {*columns}:
        session.new_table()
    key = f"releases_{view}_{session.revision()}"
    if st.session_state.get("table") != key or key not in st.session_state:
        rows = [*rows_of(session.document()), *(plan_rows.row_of({}) for _ in range(BLANKS))]
        st.session_state.update(table=key, base=rows, typed=rows, taken={})
    st.session_state["in_sight"] = [column for column in columns if column in plan_rows.CELLS]
    return key


def _typed_columns() -> set[str]:
    """The columns of the table into which something was typed since it was drawn anew."""
    changes = st.session_state.get(st.session_state.get("table", "none"))
    return {column for cells in changes["edited_rows"].values() for column in cells} if changes else set()


def behind() -> list[plan_rows.Row]:
    """Return the rows that stand behind the cells of the table that `table_key` named."""
    return st.session_state["base"]


def take_in() -> None:
    """Bring what was changed in the table into the document."""
    changes = st.session_state.get(st.session_state.get("table", "none"))
    edited = changes["edited_rows"] if changes else {}
    if not changes or edited == st.session_state["taken"]:
        return
    rows, before = plan_rows.changed(st.session_state["base"], changes), st.session_state["typed"]
    if rows is None:  # changes of rows that this table does not have, sent by a browser that shows an older one
        session.new_table()
    elif astray := pasting.astray(rows, before):
        session.new_table()
        session.tell("pasted", f"Nothing of what was pasted is taken: {astray}.")
    else:
        _take_rows(rows, before, edited)
    # Last, since another rerun may end this one wherever it touches the session: then all of it is done again.
    st.session_state["taken"] = deepcopy(edited)


def _take_rows(rows: list[plan_rows.Row], before: list[plan_rows.Row], edited: dict) -> None:
    """Bring the rows of the table, of which these cells were typed, into the document."""
    bare, rows = rows, plan_rows.understood(rows, before)
    if rows != bare:
        st.session_state["due"] = session.revision()
    filled = filled_in.prefilled(rows, before, first_day(), session.current())
    filled = plan_rows.emptied(filled, before, st.session_state["in_sight"])
    emptied = any(plan_rows.blank(row) and not plan_rows.blank(old) for row, old in zip(filled, before, strict=True))
    full = not any(map(plan_rows.blank, filled[-FEWEST_BLANKS:]))
    # What was filled in stands behind the cells; only a cell that was typed into hides it.
    hidden = any(filled[int(place)][column] != (text or None) for place, cells in edited.items()
                 for column, text in cells.items() if rows[int(place)] != filled[int(place)])  # fmt: skip
    session.enter(session.document(), filled, redraw=hidden or emptied or full)
    _tell(filled, rows, before)
    st.session_state["base"] = _behind(filled, edited)  # before what was typed, which would be filled in no more
    st.session_state["typed"] = filled


def due() -> str:
    """Return the name of the table if one of its cells means more than it shows, such as ε 0.02 for 0.02; else ""."""
    return st.session_state.get("due", "") if st.session_state.get("due") == session.revision() else ""


@shell.guarded
def settle() -> None:
    """Let such cells show what they mean, all that was typed being taken in; a callback."""
    take_in()
    if due():
        session.new_table()


def _behind(rows: list[plan_rows.Row], edited: dict) -> list[plan_rows.Row]:
    """The rows that stand behind the cells: what was typed into stays what it was."""
    base = st.session_state["base"]
    kept = {int(place): cells.keys() for place, cells in edited.items()}
    return [
        {column: base[place][column] if column in kept.get(place, ()) else text for column, text in row.items()}
        for place, row in enumerate(rows)
    ]


@shell.guarded
def paste(place: int, column: int, titles: Sequence[str], text: str) -> None:
    """Take rows of a spreadsheet into the table, all of them or none, see `pasting.pasted`; a callback."""
    take_in()
    rows = st.session_state["typed"]
    try:
        filled, left = pasting.pasted(rows, place, column, titles, text, first_day())
        count = sum(not plan_rows.blank(row) for row in filled)
        if count > MOST_ROWS:
            raise ValueError(MOST_PASTED.format(count, MOST_ROWS))
    except ValueError as error:
        session.tell("pasted", f"Nothing of what was pasted is taken: {refusals.clause(error)}.")
        return
    before = [*rows, *(plan_rows.row_of({}) for _ in range(len(filled) - len(rows)))]
    _change(plan_rows.understood(filled, before), before)
    session.tell("pasted", left)


@shell.guarded
def set_cells(place: int, cells: plan_rows.Row) -> None:
    """Change cells of the row at `place` (from 0), as if they were typed in the table; a callback."""
    rows = rows_of(session.document())
    new = {**rows[place], **{column: text or None for column, text in cells.items()}}
    _change(plan_rows.understood([*rows[:place], new, *rows[place + 1 :]], rows), rows)


def first_day() -> date:
    """Return the first day of what recurs, where no row has days."""
    return session.document().begin or filled_in.coming_year()


def _change(rows: list[plan_rows.Row], before: list[plan_rows.Row]) -> None:
    """Bring rows into the document, with what new ones take."""
    filled = filled_in.prefilled(rows, before, first_day(), session.current())
    session.enter(session.document(), filled)
    _tell(filled, rows, before)


def _tell(filled: list[plan_rows.Row], typed: list[plan_rows.Row], before: list[plan_rows.Row]) -> None:
    """Keep what is said of noise and dates that nobody has typed, and which rows come several times on each day."""
    session.tell("proposed", filled_in.proposed(filled, typed))
    session.tell("scheduled", filled_in.scheduled(filled, typed, before))
    session.tell("unused", filled_in.unused(filled, before))
    session.tell("repeated", " ".join(map(str, filled_in.repeated(filled, before))))


def repeated() -> list[int]:
    """Return the places (from 0) of rows that were just given several times and a rhythm."""
    return [*map(int, session.told("repeated").split())]


@shell.guarded
def take_in_all() -> None:
    """Take the times of such rows for those of all their days; a callback."""
    rows, places = rows_of(session.document()), repeated()
    after = [filled_in.in_all(row, first_day()) if place in places else row for place, row in enumerate(rows)]
    session.change(with_rows(session.document(), after))


@shell.guarded
def take_in_groups() -> None:
    """Take the counts of such rows for one histogram each time; a callback."""
    rows, places = rows_of(session.document()), repeated()
    replaced = session.current().neighbours == "replace_one"
    after = [(filled_in.in_groups(row, replaced) or row) if place in places else row for place, row in enumerate(rows)]
    session.change(with_rows(session.document(), after))


@shell.guarded
def add_row(copied: int | None = None) -> None:
    """Add a release at the end of the table, a new one or a copy of the row at this place (from 0); a callback."""
    rows = rows_of(session.document())
    session.change(with_rows(session.document(), [*rows, plan_rows.NEW_ROW if copied is None else rows[copied]]))


@shell.guarded
def remove_row(place: int) -> None:
    """Take the row at `place` (from 0) out of the table; a callback."""
    rows = rows_of(session.document())
    session.change(with_rows(session.document(), rows[:place] + rows[place + 1 :]))
    _acted(place, None)


@shell.guarded
def move_row(place: int, by: int) -> None:
    """Move the row at `place` (from 0) by so many rows, up below 0, no further than the others reach; a callback."""
    rows = rows_of(session.document())
    moved = rows.pop(place)
    new = min(max(place + by, 0), len(rows))
    rows.insert(new, moved)
    session.change(with_rows(session.document(), rows))
    _acted(place, new)


def _acted(old: int, new: int | None) -> None:
    """Note that a row went from one place to another, or out of the table."""
    acts = st.session_state.get("acts", ())
    st.session_state["acts"] = (*acts, (old, new))


def acts() -> int:
    """Return how many rows were moved or removed in this session so far, to be told to `now_at`."""
    return len(st.session_state.get("acts", ()))


def now_at(place: int, since: int) -> int | None:
    """Return where the row is that stood at `place` after so many acts; None where it was removed since.

    A button that is pressed twice may be pressed for what stood there before the first press was answered.
    """
    return followed(place, st.session_state.get("acts", ())[since:])


def followed(place: int, acts: Sequence[tuple[int, int | None]]) -> int | None:
    """Return where a row is after acts, each from one place to another or, to None, out of the table; None if it was.

    Examples
    --------
    >>> followed(0, [(0, 1), (1, 2)]), followed(2, [(0, None)]), followed(1, [(1, None), (0, 1)])
    (2, 1, None)
    """
    for old, new in acts:
        if place == old:
            if new is None:
                return None
            place = new
        else:
            place += (new is not None and new <= place - (old < place)) - (old < place)
    return place


@shell.guarded
def on_screen(change: Callable[..., None], place: int, *further: int) -> None:
    """Change the row at `place` (from 0) of the table on the screen, once all that was typed is taken in; a callback.

    Parameters
    ----------
    change : callable
        `move_row` or `remove_row`; the place that it is given counts no blank rows.
    place : int
    *further : int
        What `change` takes beside it.
    """
    take_in()
    held = held_place(place)
    if held is None:
        session.new_table()  # in which the others close up
    else:
        change(held, *further)


def held_place(place: int) -> int | None:
    """Return where the document holds the row at `place` (from 0) of the table on the screen; None of a blank one."""
    rows = st.session_state["typed"]
    if place >= len(rows) or plan_rows.blank(rows[place]):
        return None
    return sum(not plan_rows.blank(row) for row in rows[:place])


def seen(place: int) -> int:
    """Return which row of the table on the screen (from 1) that is, of those that are not blank the one at `place`.

    Blank rows stand between others until the table is drawn anew, which lets them close up.
    """
    rows = seen_rows()
    return rows[place] if place < len(rows) else place + 1


def number(release: int) -> int:
    """Return which row of the table on the screen (from 1) the release at `release` (from 0) of the plan is.

    Rows that make no release have numbers too. A release that is only proposed comes after all of them.
    """
    held = session.document()
    places = [] if held is None else [*counted(held)]
    after = len(places) + (len(held.uncounted) if held else 0)
    return seen(places[release] if release < len(places) else after + release - len(places))


def seen_rows() -> list[int]:
    """Return what `seen` says of every row; [] where each stands at its own place."""
    key = st.session_state.get("table", "none")
    if key not in st.session_state or not key.endswith(session.revision()):
        return []
    return [row for row, cells in enumerate(st.session_state["typed"], start=1) if not plan_rows.blank(cells)]
