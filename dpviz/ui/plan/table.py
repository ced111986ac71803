"""The one table of releases, edited in place, with what each costs and how accurate it is in its cells."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from dpviz.mechanisms import Mechanism, TrainedModel
from dpviz.plan import RELATIONS, Plan, Release
from dpviz.plan.field_table import NUMBERS
from dpviz.plan.release import LONGEST_TEXT
from dpviz.planning.quotients import quotients
from dpviz.planning.scenario import rows_before
from dpviz.report.said import cut_first
from dpviz.rounding import shown_count, shown_up
from dpviz.ui.plan import hands, promise
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.asked import FIRST_READ, RELEASE, WITH_SYMBOLS
from dpviz.ui.plan.fit.answer import DIGITS, SAME
from dpviz.ui.shell import page_state, plan_rows, reading, words
from dpviz.ui.shell.document import edits, session, table_state
from dpviz.ui.shell.document.filled_in import press_groups, press_repeated, told_repeated
from dpviz.ui.shell.document.rows import (
    counted,
    divided_publicly,
    faults_of,
    following,
    otherwise_related,
    parted,
    rows_of,
    summed_and_counted,
    told_enlarged,
)

EDITABLE_ROWS = 1000  # beyond, a browser's table is the wrong tool
LEAST_ROWS, MOST_ROWS = 5, 12  # in sight
BLANKS_SHOWN = 2
LISTED = 3  # rows in error that are named above the table
MOST_TOLD = 20  # and that are told one by one under it
MOST_MEANS = 3  # that a sum and a count tell together
GROUPS = (
    "If each unit is in one group at a time, as in one district of many: then one histogram of all costs far less than "
    "as many counts."
)
# On narrow screens the table's own buttons, which float above it, would lie upon the names of the panels.
LOOK = (
    ".st-key-hands {position: absolute} @media (max-width: 1000px) "
    "{:is([class*='st-key-releases_'], .st-key-errors_listed) {margin-top: 2rem}}"
)
# While all rows are in sight, a wheel moves the page, not the table away from them to the blank rows at its end.
STILL = "[class*='st-key-releases_'] .dvn-scroller {overflow-y: hidden !important}"
MOVED = (
    "Alt with ↑ or ↓ moves the row of the chosen cell, Ctrl with Delete removes it; so does Delete where all its cells "
    "are chosen. Ctrl with Z takes the last change back."
)
WANTED = (
    "Noise: ε 0.1, σ 40, b 10, or the error that you want, ±20 or +-20, kept 19 times of 20; 30 typed over ±20 is ±30. "
    "Sensitivity of a sum: its range, 0 to 40; “= 1” follows from “What it is”."
)
FOLLOWS = "Take the least sensitivity that holds"
WIDER = "More columns stand to the right: scroll the table sideways."
LONGEST_NOISE = 400  # letters of noise that is told in words, as that of a trained model is
# Pixels of letters of the table's type, as a browser measures them, of all others, and around a text.
LETTERS = {each: wide for letters, wide in (
    (" !'.:Iijl|", 3), ("(),-;[]", 4), ('"/\\frt{}', 5), ("*?JLxε“”", 6), ("<>ABCDGHKNPRSTUZ&bdegopqσ", 8.5),
    ("MOQwmW@%…", 11),
) for each in letters}  # fmt: skip
LETTER, PADDING = 7, 20
TABLE = 1310  # pixels that the table has on a screen of 1,400
WIDEST_NAME, WIDEST_NOISE = 340, 510  # pixels
LEAST_NAME, LEAST_NOISE, LEAST_ERROR = 240, 86, 130  # pixels, the first two where others take what is left
# Shown where something stands in one of them, and after which they stand; what a sensitivity follows from at the end.
SURVEY = plan_rows.KIND_LABELS["survey"]  # whose errors go by how many answer
SELDOM = {
    **dict.fromkeys(("keys", "threshold"), "sensitivity"), "candidates": "error",
    **dict.fromkeys(("averaged", "bars", "rows"), "error"),
}  # fmt: skip


def releases(columns: tuple[str, ...], stand: Standing, a: Standing | None, solved: Plan | None) -> bool:
    """Draw these columns of the releases, with noise and errors of plan A and of what is offered beside the present.

    Returns whether more columns stand there than a screen shows.

    What is changed in the table is in the document before a page is drawn again.
    """
    rows = rows_of(session.document())
    solved = solved if solved and _offers(stand.whole, solved) else None
    if solved and "error" not in columns:  # now → then is to be seen, whatever was looked at
        columns = (columns[0], "noise", "error", *columns[1:])
    columns = _with_used(_in_words(columns) if reading.people() else columns, rows)
    if a and solved is None and "share" in columns:  # else what is offered stands beside the present
        columns = (*columns, *(["noise_a"] if "noise" in columns else []), "share_a")
    if len(rows) > EDITABLE_ROWS:
        st.dataframe(_frame(rows, stand, a, solved), hide_index=True, column_order=columns, alt="Table of releases")
        st.caption(f"Plans of more than {EDITABLE_ROWS:,} rows are edited in their file.")
        return False
    # What was typed hides what stands behind it: where an offer is to be seen in the cells, the table starts anew.
    key = table_state.table_key("offer" if solved else "plain", columns)
    frame = _frame(table_state.behind(), stand, a, solved)
    hands.listen(len(rows), table_state.due())  # before the table, which hears of what is pasted otherwise first
    st.data_editor(
        frame,
        key=key,
        num_rows="fixed",
        hide_index=True,
        height=hands.ROW * (1 + min(max(len(rows) + BLANKS_SHOWN, LEAST_ROWS), MOST_ROWS)) + 3,
        column_order=columns,
        column_config=(config := _columns(rows, frame, columns, told.of_budget(stand))),
        placeholder="–",
        alt="Table of releases",
    )
    _accuracy(stand.whole)
    st.html(f"<style>{LOOK} {STILL if len(rows) + BLANKS_SHOWN <= MOST_ROWS else ''}</style>")
    return sum(config[name]["width"] for name in columns) > TABLE + PADDING


def _accuracy(plan: Plan) -> None:
    """Say beneath the table where errors are set: for people, once something is released."""
    if not reading.people():
        st.caption(WANTED)
        return
    if not plan.releases and not session.document().uncounted:
        return
    said = plan.disclosure and plan.disclosure.post_processing
    later = f" Afterwards: {said}" if said else ""
    beneath = page_state.held("panel") == RELEASE
    where = "in the boxes beneath" if beneath else "under “Add, edit or remove”, above"
    cut = "".join(f" {each}" for each in cut_first(plan))
    st.caption(f"How far noise may move a number is set {where}.{words.escaped(cut + later)}")


def beneath(plan: Plan) -> None:
    """Draw what comes and goes with what is typed, and would move what stands beneath it.

    How far means lie off that a sum and a count tell together, and rows that do not count.
    """
    for each in quotients(plan)[:MOST_MEANS]:
        st.caption(words.escaped(reading.told(str(each))))
    faults()


def _in_words(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that people read, in their order, with how often it is made in all."""
    shown = [column for column in columns if column not in WITH_SYMBOLS]
    if "cadence" in shown and "uses" not in shown:
        shown.insert(shown.index("cadence") + 1, "uses")
    return tuple(sorted(shown, key=lambda each: [*FIRST_READ, each].index(each)))


def _offer(release: Release) -> str:
    """The noise that is offered, as its cell will show it, and the threshold that goes with it."""
    noise = plan_rows.seen("noise", plan_rows.row_for(release)["noise"]) or ""
    limit = release.mechanism.parameters.get("threshold")
    return noise if limit is None else f"{noise}, T {shown_up(limit, DIGITS)}"


def _now_then(cell: str, release: Release, then: Mechanism) -> str:
    """The noise of now and the one that is offered; of a trained model the text begins with what changes."""
    now = release.mechanism
    if not (isinstance(now, TrainedModel) and isinstance(then, TrainedModel)):
        other = "" if type(now.base) is type(then.base) else f"{then.base.label} "
        return f"{cell}{plan_rows.OFFERED}{other}{_offer(replace(release, mechanism=then))}"
    told, new = now.in_short.split(", "), then.in_short.split(", ")
    place = next(place for place, each in enumerate(told) if each != new[place])
    offered = shown_up(then.noise_multiplier, DIGITS) if place == 0 else new[place].split()[-1]  # epochs as they are
    first = f"{told.pop(place)}{plan_rows.OFFERED}{offered}"
    return ", ".join([first, *told])


def _with_used(columns: tuple[str, ...], rows: list[plan_rows.Row]) -> tuple[str, ...]:
    """The columns, and after those that they belong to the seldom ones in which something stands; for people, last."""
    found = list(columns)
    for column, after in SELDOM.items():
        asked = column == "averaged" and "typical" in found and any(row["kind"] == SURVEY for row in rows)
        if after in found and (asked or any(row[column] for row in rows)):
            found.insert(len(found) if reading.people() else found.index(after) + 1, column)
    return tuple(found)


def _frame(rows: list[plan_rows.Row], stand: Standing, a: Standing | None, solved: Plan | None) -> pd.DataFrame:
    cells = {name: [plan_rows.seen(name, each[name]) for each in rows] for name in plan_rows.COLUMNS}
    cells |= {name: [None] * len(rows) for name in ("share", "share_a", "noise_a", "error", "uses")}
    seen, olds = table_state.seen_rows(), rows_before(a.whole, stand.whole) if a else {}
    held_rows = rows_of(session.document())
    for held, row in counted(session.document()).items():
        place = seen[held] - 1 if held < len(seen) else held
        release = stand.whole.releases[row]
        old = olds.get(row)
        after = _offered(release, solved.releases[row] if solved and row < len(solved.releases) else release)
        noise = plan_rows.seen("noise", held_rows[held]["noise"]) or ""  # also while it is typed
        cells["error"][place] = told.error(stand, row, None if old is None else (a.whole, old), after, noise)
        cells["share"][place] = told.share_cell(stand, row)
        cells["uses"][place] = shown_count(release.uses)
        cells["share_a"][place] = None if old is None else told.share_cell(a, old)
        if not cells["sensitivity"][place]:
            cells["sensitivity"][place] = plan_rows.following(stand.whole.sensitivities[row])
        if after != release.mechanism:
            cells["noise"][place] = _now_then(cells["noise"][place], release, after)
        if old is not None:
            cells["noise_a"][place] = plan_rows.seen("noise", plan_rows.row_for(a.whole.releases[old])["noise"])
    for place, row in enumerate(rows):  # of a row that does not count, too, what was typed stays in sight
        if not cells["sensitivity"][place] and row["kind"] in plan_rows.CLIPPED and row["lower"] and row["upper"]:
            cells["sensitivity"][place] = f"{row['lower']} to {row['upper']}"
    return pd.DataFrame(cells, dtype="string")


def _offered(present: Release, solved: Release) -> Mechanism:
    """The mechanism that is offered; the present one where the noise stays, but for its last digits."""
    now, then = present.mechanism, solved.mechanism
    if isinstance(now, TrainedModel) and isinstance(then, TrainedModel):
        near = _near(float(now.noise_multiplier), float(then.noise_multiplier))
        return now if near and (now.epochs, now.steps) == (then.epochs, then.steps) else then
    values = [(now.parameters.get(name), then.parameters.get(name)) for name in {*now.parameters, *then.parameters}]
    stays = all(one == other or _near(one, other) for one, other in values)
    return now if stays and type(now) is type(then) else then


def _offers(present: Plan, solved: Plan) -> bool:
    """Whether other noise is offered, or more releases."""
    pairs = zip(present.releases, solved.releases, strict=False)
    return len(solved.releases) > len(present.releases) or any(_offered(*pair) != pair[0].mechanism for pair in pairs)


def _near(one: object, other: object) -> bool:
    return isinstance(one, float) and isinstance(other, float) and math.isclose(one, other, rel_tol=SAME)


def left_out() -> str:
    """Return what stands before a page's finding: the rows of the table that it leaves out; "" where all count."""
    found = faults_of(session.document())
    if not found:
        return ""
    rows, one = rows_of(session.document()), len(found) == 1
    names = [_named(place, rows[place]["name"]) for place in found]
    shown = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
    shown = f"{shown[0].upper()}{shown[1:]} {'does' if one else 'do'}"
    below = "beneath the form" if page_state.held("panel") == RELEASE else "below"
    said = f":material/warning: **{shown} not count yet**: the red note {below} says why."
    if not counted(session.document()):
        return said
    return f"{said} Without {'it' if one else 'them'}:"


def _named(place: int, name: str | None) -> str:
    """How a row is called: by its name, else by its number."""
    return f"“{words.escaped(words.shortened(name, 45))}”" if name else f"row {table_state.seen(place)}"


def _repeated() -> None:
    """Say how often a row counts that was just given several times and a rhythm, and offer that these are all."""
    rows = rows_of(session.document())
    if not (found := [rows[place] for place in table_state.repeated()]):
        return
    st.warning(words.escaped(" ".join(map(told_repeated, found[:MOST_TOLD]))))
    with st.container(horizontal=True):
        press = edits.pressed(table_state.take_in_all)
        st.button(press_repeated(found), key="in_all", icon=":material/build:", **press)
        if label := press_groups(found, session.current().neighbours == "replace_one"):
            press = edits.pressed(table_state.take_in_groups)
            st.button(label, key="in_groups", icon=":material/build:", help=GROUPS, **press)


def faults() -> None:
    """Say what was proposed, and what is wrong with the rows that do not count."""
    _taken()
    _repeated()
    found = faults_of(session.document())
    if not found:
        return
    rows = rows_of(session.document())
    names = {place: f", “{name}”" if (name := rows[place]["name"]) else "" for place in found}
    sentences = [f"Row {table_state.seen(place)}{names[place]}: {reason}" for place, reason in found.items()]
    listed = "".join(f"\n- {words.escaped(reading.told(sentence))}" for sentence in sentences[:MOST_TOLD])
    more = f"\n- and {shown_count(len(found) - MOST_TOLD)} more" if len(found) > MOST_TOLD else ""
    st.error(f"Not counted:{listed}{more}")
    if new := following(session.document()):
        press = edits.pressed(edits.take_with_enlarged, new)
        st.button(FOLLOWS, key="let_follow", icon=":material/build:", **press)
    if other := otherwise_related(session.document()):
        label = f"Protect one {words.escaped(other.plan.unit_in_words)} {RELATIONS[other.plan.neighbours]} instead"
        press = edits.pressed(edits.take_with_enlarged, other)
        st.button(label, key="other_relation", icon=":material/build:", **press)
        if (said := told_enlarged(session.document(), other)) and not reading.people():
            st.caption(words.escaped(said))
    _of_means()


def _of_means() -> None:
    """Offer what counts in the place of means that do not where one is added or removed."""
    if summed_and_counted(session.document()):
        label = "Release sum and count instead of the mean"
        st.button(label, key="sum_and_count", icon=":material/build:", **edits.pressed(edits.part_means))
        if not reading.people():
            st.caption(words.escaped(parted(session.document())))
    if divided := divided_publicly(session.document()):
        new, numbers = divided
        public = f"a public {shown_count(numbers[0])}" if len(numbers) == 1 else "public numbers"
        press = edits.pressed(edits.take, new)
        st.button(f"It is a sum divided by {public}", key="divide", icon=":material/build:", **press)
        st.caption("Where that number stays the same, whoever is added or removed: each value counts divided by it.")


def not_taken() -> None:
    """Say what of pasted rows was not taken, beneath the table that they were pasted into."""
    if sentence := session.told("pasted"):
        st.error(words.escaped(sentence))


def _taken() -> None:
    """Say what was made of what was typed or pasted."""
    if (sentence := session.told("proposed")) and not reading.people():
        st.caption(words.escaped(sentence))
    for about in ("scheduled", "unused"):
        if sentence := session.told(about):
            st.caption(words.escaped(sentence))
    promise.now_related()


def _columns(
    rows: list[plan_rows.Row], frame: pd.DataFrame, shown: tuple[str, ...], of_budget: bool
) -> dict[str, Any]:
    """What the columns are: names and noise as wide as their texts, within what the other columns leave."""
    cells = plan_rows.CELLS
    columns = {name: _column(name, cell, cell.width) for name, cell in cells.items()}
    columns |= _told_columns(frame, of_budget)
    room = TABLE - sum(columns[name]["width"] for name in shown if name not in ("name", "noise"))
    wide = max(_wide(frame["name"]), _wide_of(plan_rows.NEW_ROW["name"]))
    usual = max(min(cells["noise"].width, room - wide), LEAST_NOISE)
    noise = min(max(_wide(frame["noise"]), usual), WIDEST_NOISE) if "noise" in shown else 0
    name = min(max(wide, cells["name"].width), WIDEST_NAME, max(room - noise, min(wide, LEAST_NAME)))
    longest = LONGEST_NOISE if any(plan_rows.written_out(row) for row in rows) else LONGEST_TEXT
    columns["name"] = _column("name", cells["name"], name)
    columns["noise"] = _column("noise", cells["noise"], noise, longest)
    return columns


def _wide(texts: pd.Series) -> int:
    """The pixels that the longest of these texts takes."""
    return max((_wide_of(each) for each in texts.tolist() if isinstance(each, str)), default=0)


def _wide_of(text: str) -> int:
    return round(sum(LETTERS.get(letter, LETTER) for letter in text)) + PADDING


def _told_columns(frame: pd.DataFrame, of_budget: bool) -> dict[str, Any]:
    """The columns that only tell: what a release saves, its error, how often it is made, its noise in plan A."""
    columns, config = {}, st.column_config
    of = "the budget" if of_budget else "what all cost together"
    about = (
        f"What leaving this release out saves, in percent of {of}. Shares need not add up: what one release saves "
        "depends on the others."
    )
    for name, label, wide in (("share", "Saves if left out", 124), ("share_a", "Saves in A", 88)):
        told_of = about.replace("the budget", "the budget of A") if name == "share_a" else about
        columns[name] = config.TextColumn(label, disabled=True, width=wide, help=told_of, alignment="right")
    label = "Published number, 19 times of 20" if reading.people() else "Error, 19 of 20"
    about = "So far may one published number lie from the exact answer, 19 times of 20, by its noise."
    if reading.people():
        about = (
            "Between which numbers it lies 19 times of 20, if the exact one is the typical value. Without a typical "
            "value: how far off it may be. What values lose by being held between limits comes on top."
        )
    made = "How often it is made on all of its dates together."
    columns["uses"] = config.TextColumn("In all", disabled=True, width=64, help=made, alignment="right")
    columns["noise_a"] = config.TextColumn("Noise in A", disabled=True, width=max(_wide(frame["noise_a"]), 86))
    wide = max(_wide(frame["error"]), _wide_of(label), LEAST_ERROR)
    columns["error"] = config.TextColumn(label, disabled=True, width=wide, help=about)
    return columns


def _column(name: str, cell: plan_rows.Column, wide: int, longest: int = LONGEST_TEXT) -> Any:
    # No column is pinned: Streamlit opens no cell of such a one when a key is pressed.
    about = f"{cell.about} {MOVED}" if cell is plan_rows.CELLS["name"] else cell.about
    common = {"help": reading.told(about), "width": wide}
    if cell.options:
        listed = {"options": list(cell.options), "format_func": words.spoken}
        return st.column_config.SelectboxColumn(cell.label, **listed, **common)
    side = "right" if name in NUMBERS else "left"
    return st.column_config.TextColumn(cell.label, max_chars=longest, alignment=side, **common)
