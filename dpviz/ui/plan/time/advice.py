"""The levers and checks of a plan: which change buys most, and which known mistakes the plan makes."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.composition import theorem_named
from dpviz.effort import MOST_DRAWN
from dpviz.figures.plan.tornado import described, tornado
from dpviz.plan import Answers, Document, Plan
from dpviz.plan.answers import BATCHES
from dpviz.plan.disclosure import NOT_STATED
from dpviz.plan.units import whose
from dpviz.planning.advice import CHECKS, QUESTIONS, Finding, check_named, open_questions
from dpviz.planning.advice import faults as checked_faults
from dpviz.planning.advice.finding import FAULT, NOTE, QUESTION, named, used
from dpviz.planning.advice.origin import EXAMPLE_ROWS, counted_rows
from dpviz.planning.advice.promise import answered_openly
from dpviz.planning.advice.steps import LEFT_OUT
from dpviz.report.said import NO_OTHERS, rows_taken_once, taken_once
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_total, shown_up
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.asked import WHEN
from dpviz.ui.plan.time import answer as answers
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import Outlook
from dpviz.ui.plan.words import dearest
from dpviz.ui.shell import components, inputs, page_state, reading, refusals, shell, typed, words
from dpviz.ui.shell.document import edits, session, table_state
from dpviz.ui.shell.document.rows import counted, outgrown, rows_of, stated_otherwise
from dpviz.ui.shell.document.unanswered import (
    asked_of_longer,
    asked_of_other,
    counted_longer,
    longer_times,
    other_times,
    rows_too,
)
from dpviz.ui.shell.kept import static

CHANGES = (5, 10, 25, 50)  # percent
# What is asked where it matters, by the names of `dpviz.plan.Answers`.
ASKED = {
    "batches": "Samples are really drawn",
    "parts_disjoint": "Everybody is in one part only",
    "whole_numbers": "Noise of counts is drawn in whole numbers",
    "rows_per_unit": "Rows of one unit in one release, at most",
    "bounds_fixed": "Clipping bounds were fixed without the data",
    "sample_secret": "Nobody learns who is in a sample",
    "same_statistic": "Rows that look alike are one release",
    "epsilon_per_use": "The noise of a row is meant for each release",
    "uses_complete": "Each row is counted as often as it is published",
    "delta_accepted": "This δ is accepted all the same",
}
SIGNS = {FAULT: ":material/error:", QUESTION: ":material/warning:", NOTE: ":material/info:"}
SEVERITIES = tuple(SIGNS)  # what is asked stands before what is only noted
CHECKED = "Checks"  # the view that draws them
# Brings what follows into sight, beneath the head that stays there; once more when its pictures have their height.
# With the tabs that stand above it.
BRING = """<span id="dpviz-checks" data-time="{}"></span><script>(() => {
  const bring = () => {
    const [here, head] = [document.getElementById("dpviz-checks"), document.querySelector(".st-key-head")];
    if (!here) return;
    here.style.scrollMarginTop = ((head?.getBoundingClientRect().bottom ?? 0) + 80) + "px";
    here.scrollIntoView();
  };
  bring();
  setTimeout(bring, 600);
})();</script>"""
NOTHING_ASKED = "No known mistake in the entries."
ASKED_ELSEWHERE = "What else readers ask can be answered under “Share”."
ANSWERED = "Of {}, only what is answered is protected, and not who answers."
BEFORE, ENOUGH = "Before this is relied on:", "It is enough"
OVER_ALL_THE_SAME = "No known mistake in the entries; the plan costs more than the budget."
ORDER_ASSUMED = "releases are fixed in advance"
OPENED = "doubts_here"  # whether what is asked is unfolded for people
MOST_NAMED, SHORTEST, LONGEST = 2, 10, 40  # releases that the head names, and letters of a name there
MOST_ASSUMED = 72  # letters of what is assumed of rows
LINE, APART = 176, 8  # letters of the head's question, and of what stands around a name
MOST_SAID = 3  # faults that the head of the page says in full
EXPLAINED = {"amplification": "subsampling", "sources": "theorems"}  # packages of dpviz by a page of another name


def levers(outlook: Outlook) -> None:
    """Draw which change of which release moves the lifetime total most; δ apart."""
    plan = outlook.budgeted
    if not words.uses(plan):
        st.info("Nothing is released, so there is nothing to change.")
        return
    change = inputs.switch("Change each by, in percent", "step", CHANGES, default=10, format_func=str)
    st.markdown(f"{dearest(Standing.of(outlook.asked.plan))}.")
    frame, left_out = answers.moved(plan, change / 100)
    frame = _steps(frame)
    if frame.empty:
        st.info("No release has a lever: what is done, even in part, is held as it is.")
    else:
        st.markdown(_best(frame.iloc[0]))
        of = "what one unit loses" if outlook.one_unit else "the total"
        title = f"What one change of {change} % makes of {of}"
        components.chart(components.drawn(tornado, frame), frame, "levers", title, partial(described, frame))
    if left_out:
        st.caption(words.escaped(left_out))
    _delta(answers.moved_delta(plan))


def _steps(frame: pd.DataFrame) -> pd.DataFrame:
    """The changes of this size: leaving out what is used once is none, but where only that gives a total."""
    return frame[(frame.what != LEFT_OUT) | frame.total.map(math.isinf)].reset_index(drop=True)


def _best(best: pd.Series) -> str:
    name = words.escaped(best.release)
    if not best.saving > 0:
        return "No single change of this size lowers the total."
    if math.isinf(best.saving):
        return f"**{words.escaped(best.what)}** of **{name}** saves most: only then there is a finite total."
    return (
        f"Of these changes, **{words.escaped(best.what)}** of **{name}** saves most: the total falls from ε = "
        f"{shown_up(best.total)} to **{shown_up(best.epsilon_less)}**, by **{shown_down(best.saving)}**."
    )


def _delta(frame: pd.DataFrame) -> None:
    """δ apart: it is no lever, since a larger one is a weaker promise."""
    totals = [f"ε ≤ {shown_up(row.epsilon)} at δ = {shown_delta(row.delta)}" for row in frame.itertuples()]
    st.caption(
        f"For comparison: {'; '.join(totals)}. δ is no lever: a larger one is a weaker promise, not a cheaper plan."
    )


def checks(outlook: Outlook) -> None:
    """Draw what the checks find, with reasons, and which found nothing."""
    plan = outlook.asked.plan
    if page_state.held("brought"):
        page_state.forget("brought")
        times = page_state.held("bringings", 0) + 1  # the same text again would do nothing
        page_state.put({"bringings": times})
        st.html(BRING.replace("{}", str(times), 1), unsafe_allow_javascript=True)
    found = answers.found(plan)
    asked, breaking = _asked(plan, found), _breaking(plan, found)[:1]  # first what the head asks
    order = {place: (SEVERITIES.index(each.severity), each not in breaking) for place, each in enumerate(found)}
    for place, finding in sorted(enumerate(found), key=lambda each: order[each[0]]):
        _draw(finding, plan, place, asked[place])
    _questions(plan, asked[len(found)])
    quiet = [check.label for check in CHECKS if check.key not in {each.check for each in found}]
    if quiet:
        listed = words.escaped("; ".join(quiet))
        st.markdown(f"**{len(quiet)} of {len(CHECKS)} checks found nothing wrong:** {listed}.")
    st.caption("A check goes by what the plan says. It cannot see data, code, or how a sensitivity was found.")


def _asked(plan: Plan, found: tuple[Finding, ...]) -> list[list[str]]:
    """What is asked beside each finding, by the names of `Answers`, and last what belongs to none of them."""
    first = {each.check: place for place, each in reversed([*enumerate(found)])}
    asked: list[list[str]] = [[] for _ in range(len(found) + 1)]
    checks_of = {name: check for name, check, _ in QUESTIONS}
    for name in answers.unsaid(plan):
        asked[first.get(checks_of[name], len(found))].append(name)
    return asked


def _questions(plan: Plan, names: list[str]) -> None:
    """Ask what the plan does not say, where it matters; the answers are kept with it."""
    said, refused = plan.answers or Answers(), []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name in names:
            refused += _question(name, plan, getattr(said, name))
    for each in refused:
        st.error(each)


def _question(name: str, plan: Plan, answered: object) -> list[str]:
    """Draw the widget of one question, and return why what it holds is no answer."""
    key, change = f"answer_{name}", {"on_change": edits.answer_check, "args": (name,)}
    refused = _refused(name, answered)
    if name == "rows_per_unit":
        page_state.fill({} if refused else {key: typed.shown(answered)})
        label, about = _rows_asked(plan)
        st.text_input(label, key=key, help=about, max_chars=typed.LONGEST, placeholder=NOT_STATED, width=330, **change)
        return refused
    options = (NOT_STATED, *BATCHES) if name == "batches" else tuple(edits.YES_OR_NO)
    words_of = {value: text for text, value in edits.YES_OR_NO.items()}
    page_state.fill({key: words_of.get(answered, answered)})
    st.segmented_control(reading.told(ASKED[name]), options, key=key, required=True, **change)
    return []


def _refused(name: str, answered: object) -> list[str]:
    try:
        edits.chosen_answer(name)
    except ValueError as error:
        return [refusals.drawn(error, typed.until(answered))]
    return []


def faults(plan: Plan) -> tuple[Finding, ...]:
    """Return what makes the total surely another one than the plan's; kept."""
    return checked_faults(plan, answers.found(plan)) if plan.answers else ()


def doubts(plan: Plan) -> None:
    """Draw in a line what the checks ask before the number is relied on, and the faults with what mends them."""
    found = answers.found(plan) if words.uses(plan) else ()
    for place, finding in enumerate([each for each in found if each.severity == FAULT][:MOST_SAID]):
        st.error(f"Not what this plan costs. {words.escaped(reading.told(finding.sentence))}")
        _press(finding, f"mend_fault_{place}")
    if longer := longer_times(session.document()):
        _ask_longer(*longer[0])
        return
    if other := other_times(session.document()):
        _ask_typical(*other[0])
        return
    unit = words.shortened(plan.unit_in_words, 30)
    breaking = _breaking(plan, found)
    first = {each.check for each in breaking[:1]}  # what else is said goes with the question that is shown
    opened = sorted(open_questions(plan, found), key=lambda each: each.check not in first)
    asked = [check_named(each.check).asked(unit) for each in opened]
    if not asked:
        _nothing_asked(plan, found)
        return
    of = f"(1 of {len(asked)}) " * (len(asked) > 1)
    head, breaks = f"**{BEFORE}** {of}{words.escaped(reading.told(asked[0]))}", _breaks(breaking)
    about = _about(plan, opened[0], LINE - len(head) - len(breaks))  # all in one line: two would move the table
    said = f"{head}{about}{breaks}"
    if reading.people():
        _answer_here(said, found, plan)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/help: {said}", width="content")
        st.button("Answer", on_click=_open, key="doubts", type="tertiary", icon=":material/arrow_downward:")


def _ask_longer(row: int, before: str) -> None:
    """Ask whether what was typed for a shorter time is enough for that after which a release comes out now."""
    held = session.document()
    release, more = held.plan.releases[row], counted_longer(held, row, before)
    label = more[0] if more else ""
    room = LINE - len(asked_of_longer(held, row, before, 1)) - len(BEFORE) - len(label) - len(ENOUGH) - APART
    said = asked_of_longer(held, row, before, max(min(room, LONGEST), SHORTEST))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/help: **{BEFORE}** {words.escaped(reading.told(said))}", width="content")
        if more:
            press = edits.pressed(edits.take, more[1])
            st.button(words.escaped(label), key="count_longer", type="tertiary", icon=":material/build:", **press)
        press = edits.pressed(edits.vouch_longer, release.name)
        st.button(ENOUGH, key="long_enough", type="tertiary", icon=":material/check:", **press)


def _ask_typical(row: int, before: str) -> None:
    """Ask whether a typical value that was typed for another rhythm is that of the present one."""
    held = session.document()
    several = rows_too(held, row, before)
    with st.container(horizontal=True, vertical_alignment="center"):
        said = reading.told(asked_of_other(held, row, before))
        st.markdown(f":material/help: **{BEFORE}** {words.escaped(said)}", width="content")
        press = edits.pressed(edits.vouch_typical, held.plan.releases[row].name)
        label = "They are" if several else "It is"
        st.button(label, key="typical_now", type="tertiary", icon=":material/check:", **press)
        with st.popover("Type others" if several else "Type another", type="tertiary", key="type_typical"):
            _type_typical(held, row, several)


def _type_typical(held: Document, row: int, several: bool) -> None:
    """Draw the boxes for the present rhythm's typical value and rows; what is left empty stays as it is."""
    release, unit = held.plan.releases[row], words.shortened(whose(held.plan.unit_in_words), 30)
    place = {number: place for place, number in counted(held).items()}[row]
    with st.form("typical_then", border=False):
        st.text_input("Typical value", key="then_typical", placeholder=f"{release.typical:.12g}")
        if several:
            st.text_input(f"Rows of one {unit}, at most", key="then_rows", placeholder=f"{release.rows}")
        st.form_submit_button("Take", key="take_then", on_click=_take_then, args=(place, table_state.acts()))


@shell.guarded
def _take_then(place: int, since: int) -> None:
    """Take what was typed for the present rhythm; a callback."""
    place = table_state.now_at(place, since)
    said = {name: str(page_state.held(f"then_{name}") or "").strip() for name in ("typical", "rows")}
    if place is None or not any(said.values()):
        return
    name = rows_of(session.document())[place]["name"]
    table_state.set_cells(place, {name: text for name, text in said.items() if text})
    if not said["typical"]:  # what was left as it is is meant, too
        edits.vouch_typical(name)


def _about(plan: Plan, asked: Finding, room: int) -> str:
    """Which releases a question is about, where it is about few of them, in so many letters."""
    names = list(dict.fromkeys(plan.releases[row].name for row in asked.rows))
    if not names or len(names) >= min(len(used(plan)), MOST_NAMED + 1):
        return ""
    each = min(room // len(names) - APART, LONGEST)
    quoted = " and ".join(f"“{words.shortened(name, each)}”" for name in names) if each >= SHORTEST else ""
    return f" ({words.escaped(quoted)})" if quoted else ""


def _nothing_asked(plan: Plan, found: tuple[Finding, ...]) -> None:
    """Say that nothing speaks against the plan, where nothing does; else it would sound like praise."""
    stand, held = Standing.of(plan), session.document()
    doubtful = held.uncounted or outgrown(held) or stated_otherwise(held) or held.typed_shorter  # said elsewhere
    whole = words.uses(plan) and math.isfinite(stand.promised) and all(each.severity == NOTE for each in found)
    if doubtful or not whole:
        st.caption("&nbsp;")  # a line that comes and goes would move the table
        return
    open_ones, taken = answered_openly(plan), _assumed(plan)
    more = taken if rows_taken_once(plan) else f"{taken} {ASKED_ELSEWHERE}".lstrip()  # one line
    if open_ones:
        more = f"{ANSWERED.format(words.escaped(named(plan, open_ones)))} {taken}".rstrip()
    over = f"{OVER_ALL_THE_SAME} {taken}".rstrip()
    st.markdown(f":gray[{over if stand.over and not open_ones else f'{NOTHING_ASKED} {more}'}]")


def _assumed(plan: Plan) -> str:
    """Say what is assumed of releases since nobody has stated it; "" where nothing is."""
    once = "; ".join(taken_once(plan))
    if len(once) > MOST_ASSUMED:
        many = sum(plan.releases[row].uses for row in rows_taken_once(plan))
        hold = "one release holds" if many == 1 else f"{shown_count(many)} releases hold"
        once = f"{hold} one record of one {whose(plan.unit_in_words)} at most"
    taken = [] if plan.disclosure and plan.disclosure.other_releases else [NO_OTHERS]
    taken += [ORDER_ASSUMED] * (plan.adaptive is None) + [words.escaped(once)] * bool(once)
    return f"Assumed: {'; '.join(taken)}." if taken else ""


def _breaking(plan: Plan, found: tuple[Finding, ...]) -> list[Finding]:
    """The questions with an answer that puts a plan over its budget which is within it."""
    if math.isinf(plan.budget.epsilon) or Standing.of(plan).over:
        return []
    asked = (each for each in found if each.severity == QUESTION and each.mend is not None)
    return [each for each in asked if Standing.of(each.mend.plan).over]


def _breaks(over: list[Finding]) -> str:
    """Say so where a plan is within its budget only by one answer to what is asked; "" where it is by any."""
    if not over:
        return ""
    if over[0].check == "contributions":  # whose press is one answer of many
        return f" Counting {EXAMPLE_ROWS} times would bring the total over the budget."
    return f" “{words.escaped(_mends(over[0]))}” would bring the total over the budget."


def _answer_here(said: str, found: tuple[Finding, ...], plan: Plan) -> None:
    """Draw the line that unfolds to what is asked, in plain words, for who is shown no checks."""
    place = components.line(said, OPENED, ":material/help:")
    if not place.open:
        return
    asked = _asked(plan, found)
    with place:
        for number, finding in enumerate(found):
            if finding.severity == QUESTION:
                st.markdown(told.plainly(finding, plan))
                _questions(plan, asked[number])
                _mend(finding, number)


@shell.guarded
def _open() -> None:
    """Show the checks, and bring them into sight; a callback."""
    page_state.put({"tab": WHEN, "tview": CHECKED, "brought": True})


def _rows_asked(plan: Plan) -> tuple[str, str]:
    """How the question for rows of one unit reads, and why it is asked."""
    unit = words.shortened(plan.unit_in_words, 30)
    rows = counted_rows(plan)
    names = ", ".join(f"“{words.shortened(plan.releases[row].name, 40)}”" for row in rows[:4])
    where = f"“{words.shortened(plan.releases[rows[0]].name, 24)}”" if len(rows) == 1 else "one release"
    about = (
        f"Asked because of {names or 'this plan'}, where one row of the data is counted for each {unit}. If that is "
        f"so, it is 1. Where several rows may be about one {unit}, all beyond this many must be dropped before noise "
        "is added."
    )
    if reading.people():
        about = f"If one {whose(unit)} may count more often, all beyond this must be left out before noise is added."
    else:  # people are shown no such box
        about += " Where one release has more of them than another, or all lie in different bars, say it of each " \
            "under “Add, edit or remove”: “Rows of one unit” and “Bars of its rows”."
    asked = f"Rows about one {unit} in {where}, at most"
    if reading.people():
        asked = f"How often one {whose(unit)} counts in {where}, at most"
    return words.escaped(asked), words.escaped(about)


def _draw(finding: Finding, plan: Plan, place: int, asked: list[str]) -> None:
    releases = plan.releases
    numbered = [(table_state.number(row), words.shortened(releases[row].name, 40)) for row in finding.rows[:4]]
    names = ", ".join(f"row {number} ({name})" for number, name in numbered)
    more = f" and {len(finding.rows) - 4} more" if len(finding.rows) > 4 else ""
    check = check_named(finding.check)
    with st.container(border=True):
        where = f" · {words.escaped(names + more)}" if names else ""
        st.markdown(f"{SIGNS[finding.severity]} **{words.escaped(check.label)}**{where}")
        source = f" [Read more]({finding.see})" if finding.see.startswith("https://") else ""
        st.markdown(words.escaped(finding.sentence) + source)
        _questions(plan, asked)
        _mend(finding, place)
        if entry := page_of(finding):  # a link in the text would open a new session, without the plan
            shell.link(entry, entry.title)
        st.caption(f"{words.escaped(check.assumes)} Source: {words.escaped(check.source)}.")


def page_of(finding: Finding) -> shell.PageEntry | None:
    """The page that explains what a finding is of; None where it names a source elsewhere, or nothing to read on."""
    if not finding.see or finding.see.startswith("https://"):
        return None
    return shell.page_named(EXPLAINED.get(finding.see, finding.see))


def _mend(finding: Finding, place: int) -> None:
    """Offer what settles a finding."""
    mend, plan = finding.mend, session.current()
    if finding.check == "contributions" and finding.severity == QUESTION:
        once = edits.pressed(edits.replace_releases, edits.stated_once(plan, finding.rows))
        unit = words.shortened(plan.unit_in_words, 30)
        label = f"State that each has one row of one {unit}"
        if reading.people():
            label = f"State that one {whose(unit)} counts at most once in each release"
        st.button(words.escaped(label), key=f"once_{place}", icon=":material/check:", **once)
    if mend is not None:
        label = words.escaped(_mends(finding))
        if after := told.afterwards(Standing.of(mend.plan), label):
            st.markdown(after)
        _press(finding, f"mend_{place}")


def _mends(finding: Finding) -> str:
    """What mends a finding: of how often one unit counts in words of its own for people, who know of no rows."""
    if finding.check == "contributions" and finding.severity == QUESTION and reading.people():
        one = words.shortened(whose(session.current().unit_in_words), 30)
        return f"Count one {one} {EXAMPLE_ROWS} times in each release"
    return reading.told(finding.mend.label)


def _press(finding: Finding, key: str) -> None:
    """Draw the button that mends what was found, where one does."""
    if (mend := finding.mend) is not None:
        label = words.escaped(_mends(finding))
        st.button(label, key=key, icon=":material/build:", **edits.pressed(edits.mend, mend.plan))


@static
def why(outlook: Outlook) -> None:
    """Draw statement, assumptions and source of what is quoted for each date."""
    keys = ("basic",) if outlook.asked.dated.adaptive else ("pld", "basic")
    with st.expander("Why: what is proved for each date"):
        st.markdown(told.THEOREMS if len(keys) > 1 else "Only sums of stated pairs hold at every date.")
        for key in keys:
            components.statement(theorem_named(key))
        if words.uses(outlook.asked.dated):
            rows, budget = outlook.lifetime, outlook.asked.dated.budget
            st.markdown(
                f"Here: {len(rows):,} steps, the last after {int(rows.uses.iloc[-1]):,} releases with ε ≤ "
                f"{shown_total(outlook.total, budget.epsilon)} at δ = {shown_delta(budget.delta)}. Each step is an "
                "upper bound, at most about 1 in 10,000 above the tight value; where dates share a step, it counts the "
                "last of them."
            )
        st.markdown(
            f"{told.UNDATED} Of plans of more than {MOST_DRAWN} different mechanisms, some steps before the "
            "last are bounded by closed formulas: Basic, Kairouz-Oh-Viswanath and zCDP. Releases in different parts of "
            "the data cost the most that one part does (McSherry 2009, Thm 4)."
        )
