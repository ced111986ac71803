"""One release with all its fields in ordinary inputs, which a keyboard reaches, and help with its sensitivity."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from dpviz import decimals
from dpviz.mechanisms import Mechanism, RandomizedResponse, ReportNoisyMax, TrainedModel
from dpviz.mechanisms.forms import parameters_of
from dpviz.mechanisms.left_open import OPEN as OPEN_SENSITIVITY
from dpviz.parameters import ROWS
from dpviz.plan import Plan
from dpviz.plan.derived import OF_ROWS, Known
from dpviz.plan.field_table import PARAMETERS
from dpviz.plan.fields import number
from dpviz.plan.kinds import DIFFERENT
from dpviz.plan.sensitivity import Sensitivity, sensitivity
from dpviz.planning.accuracy import ANSWERS, epsilon_of_true, true_answers, why_no_width
from dpviz.rounding import shown_near, shown_up
from dpviz.training import SCHEMES
from dpviz.ui.plan import hands
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import width
from dpviz.ui.shell import (
    learn_pages,
    page_state,
    plan_rows,
    reading,
    refusals,
    row_choice,
    shell,
    typed,
    words,
)
from dpviz.ui.shell.document import session, table_state
from dpviz.ui.shell.document.rows import batches_of, counted, faults_of, rows_of, with_batches

BOUNDS = plan_rows.Column("Clipped to", "Values beyond this range count as its nearer end. Typed as “0 to 6000”.")
WITHIN = plan_rows.Column(
    "Off by at most, 19 times of 20",
    "How far its noise may move a published number from the exact one. A smaller error costs more privacy.",
)
TRUE = plan_rows.Column(
    "Answers that stay true, of 100",
    "The rest are turned round. 50 of 100 tell nothing; the more stay true, the more it costs in privacy.",
)
TRUE_ENDS = (50.001, 99.999)
NOISY_MAX = (
    "Each score gets Laplace noise of scale 2Δ/ε, and the winner alone is told: so it is counted, as Laplace noise of "
    "the same ε. With other noise it is another mechanism: enter what is proved of that as a black box."
)
SCHEME_LABELS = {each.key: each.label for each in SCHEMES}
BATCHES = plan_rows.Column(
    "How batches are drawn",
    "Of a trained model. What a library takes for Poisson batches are often shuffled ones, which cost more.",
    options=tuple(SCHEME_LABELS.values()),
)
_OWN = list(plan_rows.CELLS.items())
_AFTER = list(plan_rows.CELLS).index("sensitivity") + 1
# Noise is told by "within", or by "true", to people; what a sum's or a mean's sensitivity follows is "bounds".
_INSERTED = {"within": WITHIN, "true": TRUE, "batches": BATCHES, "bounds": BOUNDS}
CELLS = dict([*_OWN[:_AFTER], *_INSERTED.items(), *_OWN[_AFTER:]])
BETWEEN = re.compile(r"(-?[\d.e]+)\s*(?:to|–|-|,|;|\.\.)\s*(-?[\d.e]+)")  # two ends, however they are parted
EXPERT = ("mechanism", "noise", "batches", *(name for name in PARAMETERS if name in CELLS))  # not shown to people
IN_WORDS = ("within", "true")  # shown to people alone
SELDOM = ("part", "weight", "candidates", *OF_ROWS)  # shown to people where something stands in them
ACROSS, NAMED = 4, 5  # fields side by side, and folded ones that are named
FOLDED = frozenset(list(CELLS)[list(CELLS).index("typical") + 1 :])  # what few releases need
ASKED_FIRST = ("scheme", "rate", "averaged")  # of these
# A link is less high than the buttons in whose row it stands.
LEVEL = "<style>.st-key-row_acts [data-testid=stPageLink] {margin-bottom: 10px}</style>"


def drawer(plan: Plan, beneath: Callable[[], None]) -> None:
    """Draw the choice of a row, what can be done with it, all its fields, and beside one of them help to find it.

    `beneath` its fields is drawn what is to be said of the table.
    """
    rows = rows_of(session.document())
    place = _chosen(rows, plan)
    if not rows:
        beneath()
        return
    index = counted(session.document()).get(place)
    known = None if index is None else plan.sensitivities[index]
    noise = {} if index is None else _noise_in_words(plan.releases[index].mechanism)
    shown = _shown(rows[place], noise)
    _fill(place, rows[place], noise, shown)
    takes_one = "sensitivity" in parameters_of(plan_rows.KEYS.get(rows[place]["mechanism"], "laplace"))
    usual = [column for column in shown if column not in FOLDED]
    for first in range(0, len(usual), ACROSS):
        _fields(place, usual[first : first + ACROSS], known)
        if "sensitivity" in usual[first : first + ACROSS] and takes_one and not reading.people():
            _sensitivity(plan, place, rows[place], known)
    beneath()
    _further(place, [column for column in shown if column in FOLDED], rows[place])
    if "true" in noise and reading.people():
        answers = plan.releases[index].averaged or plan.population or ANSWERS
        st.caption(told.share_off(plan.releases[index].mechanism, answers))
    if reading.people() and index is not None and not noise:
        why = why_no_width(plan.releases[index], plan.population)
        st.caption(f"How far it may lie off cannot be set here: {reading.told(why)}.")
    if rows[place]["mechanism"] == ReportNoisyMax.label and not reading.people():
        st.caption(NOISY_MAX)
    _trained(plan, index)


def _fields(place: int, columns: list[str], known: Known | None = None) -> None:
    for column, field in zip(columns, st.columns(ACROSS), strict=False):
        with field:
            _field(place, column, known)


def _further(place: int, columns: list[str], row: plan_rows.Row) -> None:
    """Draw the fields that few releases need, unfolded where something stands in one of them."""
    if not columns:
        return
    columns = sorted(columns, key=lambda column: column not in ASKED_FIRST)
    first = [CELLS[column].label for column in columns[:NAMED]]
    label = f"More: {', '.join([first[0], *(each.lower() for each in first[1:])])}{' …' * (len(columns) > NAMED)}"
    with st.expander(label, expanded=any(row.get(column) for column in columns)):
        for begin in range(0, len(columns), ACROSS):
            _fields(place, columns[begin : begin + ACROSS])


def _chosen(rows: list[plan_rows.Row], plan: Plan) -> int:
    """Draw the choice of a row and what can be done with it, and return its place."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="row_acts"):
        hands.look()
        place = row_choice.one("Release", row_choice.names_of(rows), "row")
        st.button("Add a release", on_click=_add, icon=":material/add:", key="row_add")
        # All of them always: one that came with the first release would lie where that was added, under the pointer.
        here, none = (place, table_state.acts()), not rows
        st.button("Copy it", on_click=_add, args=here, icon=":material/content_copy:", key="row_copy", disabled=none)
        for label, by, icon in (("Move up", -1, "arrow_upward"), ("Move down", 1, "arrow_downward")):
            st.button(label, on_click=_move, args=(*here, by), icon=f":material/{icon}:", key=f"row_{icon}",
                      disabled=none or not 0 <= place + by < len(rows))  # fmt: skip
        st.button("Remove it", on_click=_remove, args=here, icon=":material/delete:", key="row_remove", disabled=none)
        learn_pages.training_of(plan)
    st.html(LEVEL)
    return place


def _shown(row: plan_rows.Row, noise: dict[str, str]) -> list[str]:
    """The fields that are drawn: all of them, or those that say something of this release to people."""
    kind = plan_rows.KIND_KEYS.get(row["kind"] or "")
    unasked = {name for name, kinds in OF_ROWS.items() if kind not in kinds and not row.get(name)}
    unasked |= set() if batches_of(row) else {"batches"}
    if not reading.people():
        return [column for column in CELLS if column not in {*IN_WORDS, *unasked}]
    hidden = {*EXPERT, *(name for name in IN_WORDS if name not in noise)}
    asked = {"rows"} - unasked | ({"averaged"} if kind == "survey" else set())
    hidden |= {name for name in SELDOM if not row.get(name) and name not in asked}
    hidden |= set() if row["kind"] in plan_rows.CLIPPED or row["lower"] else {"bounds"}
    return [column for column in CELLS if column not in hidden]


def _noise_in_words(mechanism: Mechanism) -> dict[str, str]:
    """What people are shown in the place of noise: how far a number may lie off, or how many answers stay true."""
    error = width(mechanism)
    if error is not None:
        return {"within": shown_up(error, 3)}
    if isinstance(mechanism, RandomizedResponse):
        return {"true": shown_near(true_answers(mechanism), 4)}
    return {}


def _trained(plan: Plan, index: int | None) -> None:
    """Lead to what the batches and the code of a trained model are, where that release is one."""
    model = None if index is None else plan.releases[index].mechanism
    if isinstance(model, TrainedModel) and model.epochs:  # which that page asks for
        learn_pages.trained(model, plan.budget.delta)


@shell.guarded
def _add(place: int | None = None, since: int = 0) -> None:
    """Add a row, or a copy of the one that stood here, and look at it; a callback."""
    table_state.take_in()  # what was typed just before it
    copied = None if place is None else table_state.now_at(place, since)
    if place is None or copied is not None:
        table_state.add_row(copied)
        row_choice.choose("row", _count() - 1)


@shell.guarded
def _remove(place: int, since: int) -> None:
    """Remove the row that stood here, and look at the one that takes its place; a callback."""
    table_state.take_in()
    now = table_state.now_at(place, since)
    if now is not None:  # pressed twice, it is gone, and nobody has seen the next one
        table_state.remove_row(now)
        row_choice.choose("row", max(min(now, _count() - 1), 0))


@shell.guarded
def _move(place: int, since: int, by: int) -> None:
    """Move the row that stood here, and go on looking at it; a callback."""
    table_state.take_in()
    now = table_state.now_at(place, since)
    if now is not None:
        table_state.move_row(now, by)
        row_choice.choose("row", table_state.now_at(place, since))


def _count() -> int:
    return len(rows_of(session.document()))


def _fill(place: int, row: plan_rows.Row, noise: dict[str, str], shown: list[str]) -> None:
    """Put the row into the inputs that are drawn next, and no others: what no box takes is found again by a later one.

    Only what differs is written: a box that is written to forgets what is being typed into it.
    """
    new = page_state.held("filled") != (place, row)
    told_so = {"bounds": _bounds(row), "batches": SCHEME_LABELS.get(batches_of(row), ""), **noise}
    for column in shown:
        field = CELLS[column]
        key, text = f"cell_{column}", told_so.get(column) or row.get(column) or ""
        value = text if text in field.options or not field.options else None
        if not page_state.holds(key) or (new and page_state.held(key) != value):
            page_state.fill({key: value})
    page_state.put({"filled": (place, row)})


def _field(place: int, column: str, known: Known | None) -> None:
    field, key = CELLS[column], f"cell_{column}"
    taken = {"on_change": _take, "args": (place, table_state.acts(), column)}
    common = {"key": key, "help": reading.told(field.about), **taken}
    if field.options:
        shown = {"index": None, "placeholder": "–", "format_func": words.spoken}
        st.selectbox(field.label, field.options, **shown, **common)
    else:
        blank = (plan_rows.following(known) if column == "sensitivity" else None) or "–"
        text = st.text_input(field.label, placeholder=blank, **common)
        if column == "true" and text:
            _refuse(text)


def _refuse(text: str) -> None:
    """Say why a number of true answers is none."""
    try:
        typed.within(text, TRUE.label, TRUE_ENDS)
    except ValueError as error:
        st.error(refusals.drawn(error))


@shell.guarded
def _take(place: int, since: int, column: str) -> None:
    """Take one field of the row that stood here from its input; a callback."""
    place = table_state.now_at(place, since)
    if page_state.late(f"cell_{column}") or place is None:
        return
    text = page_state.held(f"cell_{column}")
    if column == "within":
        page_state.forget("filled")  # an emptied box shows again what is in force
        table_state.set_cells(place, {"noise": f"±{text.strip(' ±')}"} if text.strip() else {})
        return
    if column == "true":
        with suppress(ValueError):
            kept = typed.within(text, TRUE.label, TRUE_ENDS)
            table_state.set_cells(place, {"noise": f"ε {epsilon_of_true(kept):.6g}"})
        return
    if column == "batches":
        page_state.forget("filled")  # an emptied box shows again what is in force
        scheme = next((key for key, label in SCHEME_LABELS.items() if label == text), "")
        table_state.set_cells(place, with_batches(rows_of(session.document())[place], scheme) if scheme else {})
        return
    if column != "bounds":
        table_state.set_cells(place, {column: text})
        return
    lower, upper = typed.ends_of((text or "").strip(" []"), BETWEEN) or (text, None)
    table_state.set_cells(place, {"lower": lower, "upper": upper})


def _bounds(row: plan_rows.Row) -> str:
    """The range to which values are clipped, as it is typed."""
    return " to ".join(filter(None, (row["lower"], row["upper"])))


def _sensitivity(plan: Plan, place: int, row: plan_rows.Row, known: Known | None) -> None:
    """Say where the sensitivity comes from, and help to find it for what the release is."""
    kind = plan_rows.KIND_KEYS.get(row["kind"] or "", "")
    if known is not None and (said := told.sensitivity(known, kind, number(row["rows"] or ""))):
        st.markdown(words.escaped(said))
    if not kind:
        st.caption("Say what it is, and its sensitivity is found here.")
        return
    try:
        found = _found(plan, kind, row, known)
    except ValueError as error:
        # What was typed counts; else it is said here, where it is not said above.
        if not row["sensitivity"] and refusals.sentence(error) not in faults_of(session.document()).get(place, ""):
            st.markdown(refusals.drawn(error))
        return
    many = _typed_for(kind, known)
    rows = row["rows"] or str(many)
    if row["sensitivity"] and (number(row["sensitivity"]) != _of_noise(row, found) or (many > 1 and not row["rows"])):
        label = f"Use {shown_near(_of_noise(row, found))}, as of {rows} row{'s' * (rows != '1')}"
        follow = {"on_click": _follow, "args": (place, table_state.acts(), rows if many > 1 else row["rows"])}
        st.button(label, key="use_sensitivity", **follow)
    if apart := told.one_bar_each(row, kind, found):
        st.caption(apart)
    where = "This holds as long as" if row["rows"] else "Assumed:"
    assumed = f"{where} {found.assumes[:1].lower()}{found.assumes[1:]}"
    sentence = found.why(plan_rows.norm_of(row)) if row["mechanism"] else found.sentence
    st.caption(words.escaped(f"{sentence} {assumed}"))


def _found(plan: Plan, kind: str, row: plan_rows.Row, known: Known | None) -> Sensitivity:
    """The sensitivity that follows from what a row says, whether it counts or not; a ValueError says why none does."""
    if kind == "mean" and row["averaged"] and known is not None and known.origin == OPEN_SENSITIVITY:
        raise ValueError(known.sentence)  # of more people than there are
    cells = {name: number(row[name]) for name in ("lower", "upper", "rows", "averaged") if row[name]}
    asked = {name: cells[name] for name in ("lower", "upper") if name in cells} | {"people": plan.population}
    if kind == "mean":
        asked["people"] = cells.get("averaged", plan.population)
    else:
        rows = cells.get("rows", _typed_for(kind, known))
        asked |= {"rows": rows, "distinct": kind == "histogram" and row["bars"] == DIFFERENT}
    return sensitivity(kind, plan.neighbours, **asked, unit=plan.unit_in_words)


def _typed_for(kind: str, known: Known | None) -> int:
    """For how many rows of one unit a sensitivity was typed, where one row needs less; of others 1."""
    if known is None or not known.more or kind not in ("count", "sum"):
        return 1
    return min(max(math.floor(decimals.typed(known.value) / decimals.typed(known.least)), 1), int(ROWS.high))


def _of_noise(row: plan_rows.Row, found: Sensitivity) -> float:
    """The sensitivity in the norm that the noise of a row counts in."""
    return found.l2 if plan_rows.norm_of(row) == "L2" else found.l1


@shell.guarded
def _follow(place: int, since: int, rows: str | None) -> None:
    """Let the sensitivity of the row that stood here follow from so many rows of one unit; a callback."""
    place = table_state.now_at(place, since)
    if place is not None:
        table_state.set_cells(place, {"sensitivity": "", "rows": rows or ""})
