"""The promise of a plan as one sentence in its head, edited in place, and what is still to be said of it."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from dpviz.figures.base.scale import CLOSE
from dpviz.plan import RELATIONS, Document
from dpviz.plan.document import CHANGED, PROMISE
from dpviz.plan.release import LONGEST_TEXT
from dpviz.report.figures import suspicion_told
from dpviz.ui.shell import examples, opening, page_state, reading, refusals, typed, words
from dpviz.ui.shell.document import address, edits, promise_fields, session
from dpviz.ui.shell.document.rows import (
    OTHER_BATCHES,
    batches_of,
    outgrown,
    redrawn,
    rows_of,
    stated_otherwise,
    told_enlarged,
)
from dpviz.ui.shell.plan_rows import KIND_LABELS

ORDERS = {False: "fixed in advance", True: "chosen along the way"}
NONE_SET, NOT_STATED, ASSUMED = "no limit", "not stated", "{} (assumed)"
ABOUT = {
    "At most ε": "The budget: what all releases together may cost. A smaller ε is a stronger promise. Empty: no limit.",
    "Except with a chance of": "The δ with which the bound may fail, such as 1 in 1,000,000 or 1e-6. At 0 it never "
    "fails.",
    "For one": "The unit of privacy, whom or what the promise protects: a person, a household. A person-year is all "
    "that the data hold of one person in one year.",
    "Added or removed, or replaced": "The neighbour relation. Added or removed: it stays hidden whether a unit is in "
    "the data. Replaced: that may be known, and its values stay hidden. Each sensitivity must be meant for it.",
    "Among": "How many units the data hold. δ should be far below 1 divided by it, and a mean divides by it.",
    "Releases": "Fixed in advance: how many there are, and their noise, is settled before the first; what is asked may "
    "still depend on earlier results. Chosen along the way: noise, number or the end depend on results, so that fewer "
    "theorems hold.",
}
OWN_LIMIT = "{}"  # in whose place stands what the plan's own limit means
ABOUT_IN_WORDS = {
    "Privacy loss at most": "The budget: how much all releases together may give away. Smaller protects better. "
    "Empty: no limit. A loss of 1 lets a suspicion of 50 % grow to at most 73.2 %; a loss of 2, to 88.1 %; a loss of "
    f"6, to 99.76 %.{OWN_LIMIT} All that is the worst case; what these releases let an attacker guess stands under the "
    "bar.",
    "Except with a chance of": "How seldom the promise may fail: far less often than 1 in the number of people.",
    "For one": "Whom the promise protects: a person, a household. A person-year is all that the data hold of one "
    "person in one year.",
    "Added or removed, or replaced": "What stays hidden. Added or removed: whether somebody is in the data. Replaced: "
    "their values, where it may be known who is in the data.",
    "Among": "How many are in the data. It decides how small the chance of failure must be.",
    "Releases": "Fixed in advance: before the first, it is settled how many there are, and how blurred each is. Chosen "
    "along the way: either depends on earlier results, which costs more.",
}
NOW_RELATED = "The promise is “{}” now, since {} needs that; sensitivities marked “=” changed with it."
NOW_IN_SHORT = "now “{}”: {} needs that"
# By the promise that a sample demands: how it may be drawn where the other one is to hold.
SAMPLED = {
    "add_remove": " For “replaced by another”, samples, and batches of a training, must have a fixed size.",
    "replace_one": " For “added or removed”, chance must decide of each record whether it is in a sample, or a batch "
    "(Poisson sampling).",
}
REDRAWN = {
    "add_remove": "They have a fixed size: protect “replaced by another”",
    "replace_one": "Chance decides of each record (Poisson): protect “added or removed”",
}
OUTGROWN = (
    "Sensitivities were typed while the promise was “added or removed”. Where one is replaced by another, an answer "
    "can change by up to twice as much, and where it does, the total is too small."
)
STATED = (
    "What {} may cost was stated while the promise was “added or removed”. Where one is replaced by another, it may be "
    "up to twice the ε, or four times the ρ: if so, state that, since the total is too small."
)
MOST_NAMED = 3  # releases in one sentence
NO_MORE_RELATED = "The promise became “{}” by itself; nothing in the table needs that any more."
BACK = "Back to “{}”"
STAY = ", with sum and count in place of the mean"
# Boxes as words of a sentence: a line beneath what can be changed, and nothing around it.
LOOK = (
    f"<style>.st-key-promise {{gap: 0 {CLOSE}}} "
    ".st-key-promise input {padding: 0; font-size: 1rem; font-weight: 600} "
    ".st-key-promise :is([data-testid=stTextInputRootElement], [data-testid=stSelectbox] [role=group]) "
    "{height: 1.75rem; min-height: 0; border-width: 0 0 2px; border-bottom-style: dotted; border-radius: 0; "
    "background: transparent} .st-key-promise button {padding: 0} "
    # As wide as what stands in them, where a browser can.
    "@supports (field-sizing: content) {.st-key-promise [data-testid=stElementContainer]:has(input) "
    "{width: auto !important; min-width: 0 !important; flex: 0 0 auto !important} "
    ".st-key-promise input {field-sizing: content; min-width: 1ch}} "
    # A list is as wide as its longest line, not as the word that opens it.
    "[data-testid=stSelectboxVirtualDropdown] {width: max-content !important; min-width: var(--trigger-width); "
    f"max-width: calc(100vw - 2 * {CLOSE})}} "
    # A comma, and the full stop, belong to the word before them, on a narrow screen too.
    ".st-key-promise > :is(.st-key-eps, .st-key-delta, .st-key-unit, .st-key-rel, .st-key-adaptive) "
    "{flex-direction: row; display: flex} "
    ".st-key-promise > :is(.st-key-eps, .st-key-delta, .st-key-unit, .st-key-rel)::after {content: ','} "
    ".st-key-promise > .st-key-adaptive::after {content: '.'} "
    ".st-key-promise > :is(.st-key-rel, .st-key-adaptive)::after {margin-left: -.3rem}</style>"
)
LEAST, MOST = 2, 24  # letters for which a box has room


def sentence() -> None:
    """Draw the promise: the budget, whom it protects, from what, and how its releases are chosen."""
    st.html(LOOK + _unstated())
    drawn = st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="promise")
    refused: list[str] = []
    with drawn:
        for said, draw, label, key, options in _parts():
            if said:
                st.markdown(reading.told(said), width="content")
            refused += _field(draw, label, key, **options)
        about = ABOUT_IN_WORDS if reading.people() else ABOUT
        hints = "\n".join(f"- {name}: {what}" for name, what in about.items())
        limit = session.current().budget.epsilon
        stands = limit in (0, 1, 2, 6, math.inf)  # beside it
        own = "" if stands else f" {suspicion_told(limit)}."
        st.markdown("&nbsp;", width="content", help=hints.replace(OWN_LIMIT, own))
    for each in refused:
        st.error(each)
    if said := session.told("refused"):
        now = session.current().neighbours
        drawn = any(row["scheme"] or batches_of(row) in OTHER_BATCHES for row in rows_of(session.document()))
        st.error(reading.told(words.escaped(f"{said}{SAMPLED[now] * drawn}")))
        if (other := redrawn(session.document())) is not None:
            press = edits.pressed(edits.take_with_enlarged, other)
            st.button(REDRAWN[now], key="redrawn", icon=":material/build:", **press)
    # Only now: after a run that is stopped before it has drawn them, the widgets are to be filled again.
    shown = {key: page_state.held(key) for key in promise_fields.FIELDS}
    page_state.put({"shown": (session.document(), address.page(), shown)})


def _related_by() -> str:
    """What needs the relation that followed from what was typed: "a mean", "a sample", or nothing any more."""
    rows = rows_of(session.document())
    if session.told("related") == "replace_one" and any(row["kind"] == KIND_LABELS["mean"] for row in rows):
        return "a mean"
    sampled = any(row["scheme"] or row["rate"] for row in rows)
    return "a sample" * (sampled or any(each.mechanism.relation for each in session.current().releases))


def related_in_short() -> str:
    """Say in a few words that a relation followed from what was typed, and from what; "" where none did."""
    relation, needs = session.told("related"), _related_by()
    return NOW_IN_SHORT.format(RELATIONS[relation], needs) if relation and needs else ""


def now_related() -> None:
    """Say that a relation followed from what was typed, where it did, and offer the other one."""
    if not (relation := session.told("related")):
        return
    [other] = {*RELATIONS} - {relation}
    needs = _related_by()
    said = NOW_RELATED if needs else NO_MORE_RELATED
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said.format(RELATIONS[relation], needs), width="content")
        if needs != "a sample":
            label, icon = f"{BACK.format(RELATIONS[other])}{STAY if needs else ''}", ":material/undo:"
            press = edits.pressed(edits.relate, other)
            st.button(label, key="stay_related", type="tertiary", icon=icon, **press)


def _unstated() -> str:
    """The look of what is taken though nobody stated it: no bold word of the promise."""
    plan = session.current()
    keys = [key for key, said in (("rel", plan.relation), ("adaptive", plan.adaptive)) if said is None]
    boxes = ", ".join(f".st-key-promise .st-key-{key} input" for key in keys)
    return f"<style>{boxes} {{font-weight: 400; font-style: italic}}</style>" if keys else ""


def _parts() -> tuple[tuple[str, Callable, str, str, dict[str, object]], ...]:
    """The sentence: words, and after each the widget of a field with its label, key and options."""
    number, plan = {"max_chars": typed.LONGEST}, session.current()
    first = "Privacy loss at most" if reading.people() else "At most ε"
    return (
        (first, st.text_input, "Budget ε", "eps", number | {"placeholder": NONE_SET}),
        ("except with a chance of", st.text_input, "Budget δ", "delta", number),
        ("for one", st.text_input, "Unit of privacy", "unit", {"max_chars": LONGEST_TEXT, "placeholder": NOT_STATED}),
        ("", st.selectbox, "Neighbour relation", "rel", _choice(RELATIONS, plan.relation, plan.neighbours)),
        ("among", st.text_input, "People in the data", "people", number | {"placeholder": NOT_STATED}),
        ("in the data; releases", st.selectbox, "Order of the releases", "adaptive",
         _choice(ORDERS, plan.adaptive, False)),
    )  # fmt: skip


def _choice(labels: dict, stated: object, assumed: object) -> dict[str, object]:
    """What may be chosen; where nobody did, what is taken for it is shown, and can be chosen, too."""
    unstated = {"index": None, "placeholder": ASSUMED.format(labels[assumed])} if stated is None else {}
    return {"options": tuple(labels), "format_func": labels.__getitem__} | unstated


def show_document() -> None:
    """Put the document into the widgets, before they are drawn; what a widget was refused stays in it as typed.

    One that shows its value already is left alone: what is put into a box takes the place of what is typed there now.
    """
    held = session.document()
    values = {
        "name": examples.title(held.name),
        "unit": held.plan.unit or "",
        "rel": held.plan.relation,
        "adaptive": held.plan.adaptive,
    } | {key: promise_fields.shown(key, value) for key, value in _in_force().items()}
    shown, page, drawn = page_state.held("shown", (None, "", {}))
    elsewhere = page != address.page()  # a page draws widgets of its own: keys outlive them

    def is_due(key: str) -> bool:
        same = drawn.get(key) == values[key] == page_state.held(key)
        return elsewhere or not page_state.holds(key) or (shown is not held and not same)

    page_state.fill({key: value for key, value in values.items() if is_due(key)})


def _in_force() -> dict[str, float | None]:
    """The numbers of the promise, as boxes may hold them."""
    plan = session.current()
    limit, delta = plan.budget.epsilon, plan.budget.delta
    limit = None if math.isinf(limit) else limit
    return {"eps": limit, "delta": min(delta, promise_fields.LARGEST_DELTA), "people": plan.population}


def _field(widget: Callable, label: str, key: str, **options: object) -> list[str]:
    """Draw the widget of one field of the promise, and return why its value is not taken."""
    text = page_state.held(key)
    text = options["format_func"](text) if text is not None and "format_func" in options else text
    text = text or options.get("placeholder", "")
    if "format_func" not in options:  # what the box shows before the browser has heard what the session holds
        options["value"] = page_state.held(key) or ""
    width = round(10 + 8.2 * min(max(len(str(text)), LEAST), MOST)) + 22 * ("options" in options)
    widget(
        reading.told(label), key=key, on_change=promise_fields.choose, args=(key,), width=width,
        label_visibility="collapsed", **options,
    )  # fmt: skip
    try:
        promise_fields.FIELDS[key](session.current(), promise_fields.chosen(key))
    except ValueError as error:
        value = _in_force().get(key)
        until = typed.until(value, promise_fields.shown(key, value)) if key in promise_fields.TYPED else ""
        return [refusals.drawn(error, until)]
    return []


def questions() -> None:
    """Ask what is still to be said of the plan."""
    if taken_over := session.told("lent"):
        st.info(words.escaped(taken_over))
    opening.not_understood()
    asked = session.document().questions
    if PROMISE in asked:
        _ask_promise()
    if CHANGED in asked:
        _ask_order()


def enlarged() -> Document | None:
    """Return the document with sensitivities enough for its relation, where some were typed for another; else None."""
    return outgrown(session.document())


def outstated() -> list[str]:
    """Return the names of releases whose loss was stated while another relation held, as it may be for that alone."""
    return stated_otherwise(session.document())


def sensitivities() -> None:
    """Warn of sensitivities that were typed for another relation, with a press that makes them enough for this one.

    And of losses that were stated, which no press can know.
    """
    held, larger = session.document(), enlarged()
    note = "" if session.told("vouched") else words.relation_note(held.opened, held.plan, listed=larger is not None)
    if note or larger:
        st.warning(reading.told(note or OUTGROWN))
    if larger:
        with st.container(horizontal=True):
            press = edits.pressed(edits.take_with_enlarged, larger)
            st.button("Make them enough", key="enlarge", icon=":material/build:", **press)
            st.button("They are enough", key="are_enough", icon=":material/check:", **edits.pressed(edits.vouch))
        if not reading.people():
            st.caption(words.escaped(told_enlarged(held, larger)))
    if names := outstated():
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        listed = "”, “".join(words.shortened(name, 40) for name in names[:MOST_NAMED])
        st.warning(reading.told(words.escaped(STATED.format(f"“{listed}”{more}"))))
        if not larger:
            st.button("It holds here, too", key="holds", icon=":material/check:", **edits.pressed(edits.vouch))


def _ask_promise() -> None:
    st.warning(
        "The file does not say whom its releases protect, or what they may cost: say unit and budget in the "
        f"line above. Until then the totals are for one **{words.escaped(session.current().unit_in_words)}**."
    )
    st.button("It is as shown", on_click=edits.answer, args=(PROMISE,), key="as_shown")


def _ask_order() -> None:
    st.warning(
        "Something was changed after a release was done. Was the change decided before the first result was known? "
        "If it depends on results, the totals of a plan that is fixed in advance are too small."
    )
    with st.container(horizontal=True):
        st.button("Decided in advance", on_click=edits.answer, args=(CHANGED, False), key="in_advance")
        st.button("Depends on results", on_click=edits.answer, args=(CHANGED, True), key="on_results")
