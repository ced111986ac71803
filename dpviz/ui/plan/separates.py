"""What the promise hides: two sentences, what differs between them, and whether they may be told apart."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from dpviz.parameters import COPIES
from dpviz.plan import Plan
from dpviz.plan.periods import lasting, period
from dpviz.plan.units import KINDS, kinds, whose
from dpviz.planning import Covered, Difference
from dpviz.planning.separation import HOW, LASTS, WHO, asked_of, covered
from dpviz.rounding import shown_budget, shown_right
from dpviz.ui.shell import components, inputs, page_state, reading, refusals
from dpviz.ui.shell.document import session
from dpviz.ui.shell.kept import kept, right_guesses
from dpviz.ui.shell.words import escaped

UNREAD = "These two sentences are in no link, and a reload forgets them: only the choices beneath them decide."
UNKNOWN = "No link holds this sentence: say it again"
SENTENCES = {  # by how what differs does, and whether it is all that is there of her
    "presence": ("Anna is in the data.", "Anna is not in the data."),
    "part": ("These records of Anna's are in the data, among others.", "These records are not there; others are."),
    "value": ("Anna's records are as they are.", "Anna's records say something else."),
}
ASKED = {
    "sepwho", "sepwhom", "sephow", "sepchange", "sepspan", "sepdays", "seprecords", "seppeople", "sepalone", "sepwhole",
}  # fmt: skip
SPANS = ("one period of the promise", "days in a row")
ALONE = "These are all of their records in the data"
WHOS, HOWS = tuple(WHO), tuple(HOW)
LONGEST = 200  # of a sentence
MOST = int(COPIES.high)
SIGNS = {"covered": ":material/check_circle:", "dearer": ":material/warning:", "open": ":material/error:"}
_covered = kept(128, 1)(covered)


def panel(plan: Plan) -> None:
    """Draw the two sentences, the facts that decide, and the answer; asked for where it is opened."""
    # It stays open where what is asked is again what nobody has to ask for.
    kept_open = bool(ASKED & set(st.query_params)) or page_state.held("_separates", False)
    label = "What does it hide? Describe two cases that nobody should be able to tell apart"
    place = components.line(label, "separates", ":material/difference:", unfolded=kept_open)
    page_state.put({"_separates": bool(place.open)})
    if not place.open:
        return
    with place:
        worlds = st.container()
        asked, part = _difference(plan)
        with worlds:
            for column, number in zip(st.columns(2), (1, 2), strict=True):
                with column:
                    _unlinked(number, "part" if part else asked.how)
            st.caption(UNREAD)
        try:
            found = _covered(plan, asked)
        except ValueError as error:
            st.warning(f"So much cannot be counted here. {refusals.drawn(error)}")
            return
        if session.document().uncounted:
            st.warning("Rows that do not count yet are in no number of this answer.")
        limit = plan.budget.epsilon
        over = found.guarantee.epsilon > limit
        sign = SIGNS["dearer" if over and found.verdict == "covered" else found.verdict]
        st.markdown(f"{sign} {escaped(reading.told(f'{found}{_beyond(found, limit)}'))}{_guessed(plan, asked, found)}")
        taken = f"{escaped(found.taken)}. " if found.taken else ""
        st.caption(
            f"{taken}The answer goes by the promise above: whom it is for, how long, and what may change. No promise "
            "hides what is known of somebody from elsewhere, or what is true of everybody."
        )


def _beyond(found: Covered, limit: float) -> str:
    """Whether it is within the budget, which is for what is promised; "" where that is clear."""
    if limit < found.guarantee.epsilon < math.inf:
        return f" That is more than the budget of ε = {shown_budget(limit)}."
    within = found.verdict == "dearer" and found.guarantee.epsilon <= limit < math.inf
    return f" That is within the budget of ε = {shown_budget(limit)} all the same." if within else ""


def _right(plan: Plan, found: Covered) -> float:
    """How many of 100 guesses which of the two is true are right, at most."""
    several = found.copies > 1
    if found.meant is not None:
        return right_guesses(found.meant, found.guarantee.epsilon, False)
    by_pair = several and len({each.part for each in plan.releases} - {None}) > 1
    return right_guesses(plan.of_units(found.copies) if several else plan, found.guarantee.epsilon, by_pair)


def _guessed(plan: Plan, asked: Difference, found: Covered) -> str:
    """How often a guess which of the two is true is right, at most; "" where nothing bounds it."""
    if math.isinf(found.guarantee.epsilon):
        return ""
    right = _right(plan, found)
    shown, within = shown_right(right), ""
    if found.inside < math.inf:
        inner = shown_right(_right(plan, _covered(plan, replace(asked, days=None))))
        within = f"; where they lie within one, **{inner}**"
    guesses = f"**{shown} of 100** guesses on average{within}"
    return f" Whoever guesses which of the two is true is right in at most {guesses}."


def _unlinked(number: int, how: str) -> None:
    """Draw a line of text that stays in this session: it may name somebody, and addresses are handed on.

    Beside choices of a link, of which the sentences are not known, it is empty at first.
    """
    key, said = f"world{number}", SENTENCES[how][number - 1]
    text = page_state.held(f"_{key}", "" if ASKED & set(st.query_params) else said)
    if text in {each[number - 1] for each in SENTENCES.values()}:  # nobody typed it: it goes with what is chosen
        text = said
    text = st.text_input(f"World {number}", text, LONGEST, key=f"{key}_{how}", placeholder=UNKNOWN)
    page_state.put({f"_{key}": text})


def _difference(plan: Plan) -> tuple[Difference, bool]:
    """The facts, and whether other records were said to stay: what this promise does not need is not asked."""
    unit = plan.unit or ""
    many, shared = asked_of(unit)
    first, second, third = st.columns(3)
    with first:
        who = _who(unit)
    with second:
        how = _how(plan.neighbours)
    records = people = 1
    with third:
        days = _days(unit)
        if many and who != "unit":
            about = f"How many of “{escaped(whose(unit))}” differ, in all." if unit else "How many records differ."
            records = inputs.count("How many records, or units, differ", "seprecords", MOST, 1, about)
        if who == "people":
            people = inputs.count("People who differ", "seppeople", MOST, 2, "All of them at once.", least=1)
    about = f"Yes: no other record of the same “{escaped(unit or 'unit')}” is in the data, in either world."
    all_of_it = who == "unit" or (who in ("person", "people") and kinds(unit) == ("person",))
    # A client who is not in the data has no records there; a link from before counts as it did.
    usual = (who, records, kinds(unit)) == ("person", 1, ("person", "thing")) and (days is None or not period(unit))
    usual &= not {"sepalone", "seprecords"} & set(st.query_params)
    alone = ""
    if shared and how == "presence" and ((days is None and all_of_it) or usual):
        alone = inputs.switch(ALONE, "sepwhole", ("yes", "no"), about)
    elif shared and how == "presence" and (period(unit) or not all_of_it):  # without a period it is all that there is
        alone = inputs.switch(ALONE, "sepalone", ("yes", "no"), about, default="no")
    return Difference(who, how, days, records, people, alone == "yes"), alone == "no"


def _who(unit: str) -> str:
    """Who differs: at first one person, of units that are several people, or are not known, one of those."""
    about = "Between the two sentences. Events, and records of a day, are those of one person."
    if kinds(unit) not in (("group",), tuple(KINDS)):
        return inputs.choice("Who differs", "sepwho", WHOS, about, format_func=WHO.get)
    asked = st.query_params
    if {"sepwho", "seprecords"} & set(asked) and "sepwhom" not in asked and not page_state.holds("sepwhom"):
        # A link from before, which asked so of every unit: of one person, where it says no more.
        named = {label: key for key, label in WHO.items()}.get(asked.get("sepwho", ""), "person")
        page_state.put({"sepwhom": named})
        asked.pop("sepwho", None)
    return inputs.choice("Who differs", "sepwhom", WHOS[::-1], about, format_func=WHO.get)


def _how(relation: str) -> str:
    """How what differs does: a question of its own for each relation, which begins as its two sentences differ."""
    about = "Of what differs itself: it is in the data of one world only, or in both with different values."
    if relation == "add_remove":
        return inputs.choice("How", "sephow", HOWS, about, format_func=HOW.get)
    return inputs.choice("How", "sepchange", HOWS[::-1], about, format_func=HOW.get)


def _days(unit: str) -> int | None:
    """On how many days in a row the two differ; None within one period of the promise, which is longer than a day."""
    if not period(unit):
        return 1
    if lasting(unit) > 1:
        about = "Of a year that is promised: one such year, or so many days, which may touch two years."
        asked = set(st.query_params)
        if "sepdays" in asked and "sepspan" not in asked and not page_state.holds("sepspan"):
            page_state.put({"sepspan": SPANS[1]})  # a link that tells of days alone means days
        if inputs.choice("Over", "sepspan", SPANS, about) == SPANS[0]:
            return None
    return inputs.count("Over days in a row", "sepdays", int(LASTS.high), 1, "3 May to 9 May are seven.")
