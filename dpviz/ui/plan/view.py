"""The workbench: its head, what must be said of the plan, and the pictures of what costs what and what is learned."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpviz.composition import tightest
from dpviz.figures.base.scale import APART, CLOSE, GREY, GRID, NOTE
from dpviz.figures.plan import plan_totals, published_epsilons, release_costs
from dpviz.figures.plan.published_epsilons import Mark
from dpviz.parameters import ROWS
from dpviz.plan import Plan, Release
from dpviz.plan.document import LONGEST_NAME
from dpviz.plan.kinds import DIFFERENT
from dpviz.plan.periods import lasting
from dpviz.planning import deployments
from dpviz.planning.advice.finding import named
from dpviz.planning.advice.origin import states_rows
from dpviz.planning.advice.promise import answered_openly
from dpviz.planning.scenario import rows_before
from dpviz.planning.schedule import shared_weeks
from dpviz.report.figures import suspicion_told
from dpviz.report.said import not_covered, over_its_time
from dpviz.report.statement import UNCOUNTED
from dpviz.rounding import shown_budget, shown_count, shown_delta, shown_down, shown_share, shown_up
from dpviz.ui.plan import adaptive, answer, promise, saving, separates, table
from dpviz.ui.plan import words as told
from dpviz.ui.plan.answer import Standing
from dpviz.ui.plan.asked import AS_ENTERED, FIT, LEARNED
from dpviz.ui.plan.costs import of_unit, spends, total
from dpviz.ui.plan.fit import asked as fit_asks
from dpviz.ui.plan.time import advice
from dpviz.ui.shell import (
    components,
    inputs,
    opening,
    page_state,
    reading,
    refusals,
    risks,
    sharing,
    shell,
    words,
)
from dpviz.ui.shell.document import edits, session
from dpviz.ui.shell.kept import bracket, comparison, kept, one_unit, priced, verdicts

if TYPE_CHECKING:
    from dpviz.store import InForce

COLOURS = {  # by part of the budget's bar: on a light ground, and on a dark one
    "spent": ("#0072B2", "#4DA3E0"),
    "planned": ("#7FBEE6", "#1F5F8B"),
    "free": ("transparent", "transparent"),
    "over": ("repeating-linear-gradient(45deg,#D55E00 0 6px,transparent 6px 10px)",) * 2,
}
SAME_UNIT = "It is the same, called otherwise"
SEVERAL = {"records", "ondays"}  # the address's keys of what opens the panel of several records
WHY_TWO = (
    "What frees most of the budget when it is left out, and what lowers right guesses most, may be two releases: right "
    "guesses are an average over all that may come out, and the budget is about the "
    "worst that may come out, however unlikely."
)
MOST_RECORDS, MOST_DAYS = 1000, 3660
UNCHANGEABLE = ("declared", "approximate_dp")  # keys of what has no noise that could be another
# In sight while the page scrolls beneath it, as far as a screen has the height for both.
STICKY = (
    f"{shell.NO_SIDEBAR}<style>"
    f"[data-testid=stLayoutWrapper]:has(> .st-key-head) {{position: sticky; top: {shell.BAR}; z-index: 90}} "
    f".st-key-head {{background: {shell.GROUND}; padding-bottom: {APART}; border-bottom: 1px solid {GRID}}} "
    f".st-key-head [data-testid=stVerticalBlock] {{gap: {CLOSE}}} "
    # The name takes the room that whether it is saved, and the buttons, leave to it.
    ".st-key-head_row > .st-key-name {flex: 99 1 9rem; width: auto; min-width: 0; max-width: 330px} "
    ".st-key-head_row > .st-key-name > div {width: 100%} "
    # A verdict is one line, with its button or without.
    ":is(.st-key-make_fit, .st-key-apply_fit) button {min-height: 0; padding-block: 0} "
    # The line of what is asked keeps its room when that changes, so that the table stays where it is.
    ".st-key-doubts_place {min-height: 2.75rem; justify-content: center} "
    # On a phone the buttons stand in two lines.
    f"@media (max-width: 640px) {{:is(.st-key-head_row, .st-key-doors) {{column-gap: {CLOSE}}} "
    f":is(.st-key-head_row, .st-key-doors) button {{padding-inline: {CLOSE}}} "
    ".st-key-doors :has(> [data-testid=stIconMaterial]) {display: none} "
    # Two signs say enough there, and the words are left to readers of screens.
    ":is(.st-key-undo, .st-key-redo, .st-key-save) p {position: absolute; opacity: 0; width: 1px; overflow: hidden} "
    # The promise scrolls away, what it comes to stays.
    ":is([data-testid=stLayoutWrapper]:has(> .st-key-head), .st-key-head) {display: contents} "
    "[data-testid=stLayoutWrapper]:has(> .st-key-head_verdict) {position: sticky; top: 0; z-index: 90; "
    f"background: {shell.GROUND}; padding: {APART} 0; border-bottom: 1px solid {GRID}}}}} "
    f"@media (max-width: {shell.WIDE - 1}px) {{[data-testid=stLayoutWrapper]:has(> .st-key-head) {{top: 0}}}} "
    # A picture that is not there yet leaves its room, or the page would jump.
    "[role=tabpanel]:not(:has([data-testid=stElementContainer])) {min-height: 100vh} "
    "@media (max-height: 600px) {[data-testid=stLayoutWrapper]:has(> .st-key-head) {position: static}}</style>"
)
KEEPS = "Remembers the plan as it is now, as plan A: what you change then stands beside it."
UNKEPT = "Rows of the table do not count yet, which plan A would lack: complete them, or take them out, first."


def head(stand: Standing, a: Standing | None, forces: tuple[InForce, ...], offer: Plan | None) -> None:
    """Draw the name, the buttons, the promise and what it comes to beside plan A, which stay in sight.

    What the panel “Fit to budget” offers a plan beyond its budget can be applied here.
    """
    st.html(STICKY)
    promise.show_document()
    with st.container(horizontal=True, vertical_alignment="center", key="head_row"):
        st.text_input(
            "Name of the plan", max_chars=LONGEST_NAME, key="name", on_change=edits.rename, width=330,
            label_visibility="collapsed",
        )  # fmt: skip
        saving.standing(forces)
        st.space("stretch")
        none, last = not session.can_undo(), not session.can_redo()
        st.button("Undo", on_click=_undo, disabled=none, key="undo", icon=":material/undo:")
        st.button("Redo", on_click=session.redo, disabled=last, key="redo", icon=":material/redo:")
        missing = bool(session.document().uncounted)
        about = UNKEPT if missing else KEEPS
        keep = {"on_click": edits.keep_as_a, "help": about, "disabled": missing, "icon": ":material/bookmark:"}
        st.button("Keep as A", key="keep_a", **keep)
        opening.panel()
        sharing.panel()
    saving.notes()
    promise.sentence()
    with st.container(key="head_verdict", gap="xsmall"):
        _verdict(stand, a, offer)


def _verdict(stand: Standing, a: Standing | None, offer: Plan | None) -> None:
    """Draw the bar of the budget, and in one sentence each what the plan costs and what an attacker makes of it."""
    left_out = table.left_out()
    renamed = _renamed(stand.whole)
    faulty = bool(advice.faults(stand.whole))
    st.html(_bar(stand, faulty))
    instead = told.FAULTY if faulty else told.PARTLY if left_out else renamed
    instead = instead or (told.OUTGROWN if promise.enlarged() else told.OUTSTATED if promise.outstated() else "")
    instead = instead or told.LONGER * bool(session.document().typed_shorter)
    over = stand.over and not faulty  # what mends that stands with what was answered
    said = told.verdict(stand, None if over else a, instead=instead)
    with st.container(horizontal=True, vertical_alignment="center", key="verdict_row"):
        st.markdown(f"{left_out} {said.partition(' ')[2]}" if left_out else said, width="content")
        if over and stand.plan.releases and page_state.held("panel") != FIT:
            st.button("Make it fit", on_click=_fit, key="make_fit", type="tertiary", icon=":material/compress:")
        elif over and not left_out and offer is not None and of_unit(offer) <= stand.limit:
            # Said beside the button, so that no second press applies it.
            st.caption("What stands after “→” in the table fits.", width="content")
            press = edits.pressed(fit_asks.apply, offer)
            st.button("Apply what fits", key="apply_fit", type="tertiary", icon=":material/check:", **press)
        if over and (against := told.verdict(stand, a, instead=instead).removeprefix(said).strip()):
            st.markdown(against, width="content")  # after the button, which stays where it is when A is kept
    uncounted = told.UNGUESSED.format(words.escaped(stand.plan.unit_in_words))
    lacking = bool(left_out and stand.whole.releases)
    if sentence := UNCOUNTED if faulty else uncounted if renamed else told.guessed(stand, a, lacking):
        st.markdown(sentence)


def _renamed(plan: Plan) -> str:
    """What stands in the place of "within budget" where a plan protects another unit by its word alone; "" else."""
    opened = session.document().opened
    units = (words.escaped(words.shortened(each.unit_in_words, 30)) for each in (opened, plan))
    return told.RENAMED.format(*units) if told.unit_note(opened, plan) else ""


@shell.guarded
def _undo() -> None:
    """Take the last change back, and close the panel that proposes another; a callback."""
    session.undo()
    if page_state.held("panel") == FIT:
        page_state.put({"panel": None})


@shell.guarded
def _fit() -> None:
    """Open the panel that makes a plan fit its budget; a callback."""
    page_state.put({"panel": FIT, "solve": fit_asks.NOISE})


def _bar(stand: Standing, faulty: bool) -> str:
    """The bar of what is spent, planned and free of the budget, as HTML with its texts and what it is about beneath."""
    dark = components.dark()
    found = [part for part in told.parts(stand) if math.isfinite(part[1])]
    shown = [part for part in found if not (faulty and part[0] == "free")]  # what is free is not known then
    whole = math.fsum(size for _, size, _ in found) or 1.0
    pieces = "".join(_piece(size / whole, COLOURS[name][dark]) for name, size, _ in found)
    if stand.over and 0 < stand.total < math.inf:
        pieces += _piece(1 - stand.limit / stand.total, COLOURS["over"][dark], "position:absolute;right:0;top:0")
    texts = [(name, html.escape(text)) for name, _, text in shown]
    spoken = ", ".join(text if name == "over" else f"{name} {text}" for name, text in texts)
    legend = " · ".join(f"<b>{text}</b>" if name == "over" else f"{name} <b>{text}</b>" for name, text in texts)
    counted = f"{told.counted(stand)}{told.sampled(stand.plan)}" if words.uses(stand.plan) else ""
    # What changed by itself is told where numbers jump.
    meant = (suspicion_told(stand.limit), _unit_meant(stand.plan)) if reading.people() else ()
    about = "".join(f"&emsp;{html.escape(each)}" for each in (counted, promise.related_in_short(), *meant) if each)
    return (
        f'<div role="img" aria-label="Budget: {spoken}"><div style="position:relative;height:14px;overflow:hidden;'
        f'border:1px solid {GREY};border-radius:3px;font-size:0;white-space:nowrap">{pieces}</div></div>'
        f'<div style="font-size:{NOTE};margin-top:2px">{legend}{about}</div>'
    )


def _unit_meant(plan: Plan) -> str:
    """What a unit with a period is, for who has not met such a word; "" of others."""
    unit = plan.unit_in_words
    return "" if over_its_time(unit) == unit else f"{words.shortened(unit, 30)}: one {over_its_time(unit)}"


def _piece(share: float, colour: str, place: str = "") -> str:
    look = f"display:inline-block;height:100%;width:{100 * share:.4g}%;background:{colour};{place}"
    return f'<span style="{look}"></span>'


def notes(stand: Standing, forces: tuple[InForce, ...]) -> None:
    """Say what must be known or answered before the numbers are read."""
    saving.spent(forces)
    promise.questions()
    plan = stand.whole
    if plan.adaptive and words.uses(plan) and 0 < stand.limit < math.inf and math.isfinite(stand.total):
        st.info(reading.told(adaptive.promise(plan, tightest(comparison(plan, plan.budget.delta)), verdicts(plan))))
    opened = session.document().opened
    if note := told.unit_note(opened, plan):
        st.warning(reading.told(note))
        if lasting(opened.unit_in_words) == lasting(plan.unit_in_words):  # another time is another promise
            st.button(SAME_UNIT, key="same_unit", icon=":material/check:",
                      **edits.pressed(edits.same_unit))  # fmt: skip
        _count_properly(opened, stand)
    promise.sensitivities()


def _count_properly(opened: Plan, stand: Standing) -> None:
    """Offer to count every release as often as the other unit meets it, with what that costs."""
    plan = stand.whole
    if plan.releases != opened.releases:
        return
    times = told.times_as_long(opened.unit_in_words, plan.unit_in_words)
    if times is None:
        new, old = (words.escaped(words.shortened(each.unit_in_words, 30)) for each in (plan, opened))
        about = f"So many of what counted as one {old} until now are one {new}."
        label = f"{old[:1].upper()}{old[1:]}s in one {new}, at most"
        members = inputs.count(label, "members", MOST_RECORDS, 2, about, width=330)
        if members == 1 and lasting(opened.unit_in_words) != lasting(plan.unit_in_words):  # else it stands above
            st.button(SAME_UNIT, key="same_one", icon=":material/check:", **edits.pressed(edits.same_unit))
        elif members > 1:
            _of_several(stand, members, 1, partial(told.of_members, stand, opened, members))
        return
    longer = plan.repeated(times)
    epsilon = of_unit(longer)
    cost = "" if math.isinf(epsilon) else f": ε ≤ {shown_up(epsilon)}"
    label = f"Count every release {shown_count(times)} times, as one {plan.unit_in_words} meets them{cost}"
    button = words.escaped(reading.told(label))
    st.button(button, key="longer_unit", **edits.pressed(edits.replace_releases, longer))


def schedule(stand: Standing) -> None:
    """Say what one unit loses of a schedule that lasts longer than it, under the table: dates move nothing above it."""
    plan, shown, cost = stand.whole, stand.plan, one_unit(stand.whole)
    if cost is None:
        return
    unit = words.escaped(plan.unit_in_words)
    dates = f"These dates span more than one **{unit}**."
    if shown != plan:
        whole = total(plan)
        bound = f"at most **ε = {shown_up(whole)}**" if math.isfinite(whole) else "without a bound"
        note = (
            f"{dates} The totals here are of a single one, which meets {told.counted(stand)}: {told.met(shown)}"
            f"{shared_weeks(plan)}. Whoever is in the data all along meets all {words.uses(plan):,}: {bound}."
        )
    else:
        loses = f"one loses at most **ε = {shown_up(cost.epsilon)}**"
        if math.isinf(cost.epsilon):
            loses = "no theorem here bounds what one loses"
        elif math.isfinite(stand.limit):
            fits = "within" if cost.epsilon <= stand.limit else "more than"
            loses += f", {fits} the budget of ε = {shown_budget(stand.limit, cost.epsilon)}"
        note = (
            f"{dates} No {cost.window} has most of everything, so the totals here are of the whole schedule: an upper "
            f"bound. Of its own {cost.window} {loses}."
        )
    st.info(reading.told(note))


def costs(stand: Standing, a: Standing | None) -> None:
    """Draw what leaving each release out saves, and beneath it the numbers of all of them."""
    if advice.faults(stand.whole):
        st.info(AS_ENTERED)
    title, plan = told.dearest(stand), stand.whole
    if not stand.shares:
        st.markdown(f"**{title}.**")
        return
    frame = _shares(stand, a)
    of = release_costs.BUDGET if told.of_budget(stand) else release_costs.ALL
    figure = components.drawn(release_costs.release_costs, frame, of)
    components.chart(figure, frame, "release-costs", title, partial(release_costs.described, frame, of))
    rest = len(plan.releases) - min(len(frame), release_costs.MOST_ROWS)
    more = f"{rest} of {len(plan.releases)} releases are not drawn. " if rest > 0 else ""
    own = ", of its own budget" if a and told.of_budget(a) and a.limit != stand.limit else ""
    if beneath := f"{more}{f'Hollow marks: plan A{own}.' * bool(a)}".rstrip():
        st.caption(beneath)
    if not reading.people():
        _each_release(stand, frame)


def _shares(stand: Standing, a: Standing | None) -> pd.DataFrame:
    """What is drawn of the releases that are left out in turn."""
    rows = [row for row, each in enumerate(stand.shares) if each is not None]
    named = [stand.whole.releases[row] for row in rows]
    old = rows_before(a.whole, stand.whole) if a and a.shares else {}
    before = [told.saved(a, old[row]) if row in old and a.shares[old[row]] is not None else None for row in rows]
    return pd.DataFrame(
        {
            "row": [row + 1 for row in rows],
            "release": [each.name for each in named],
            "share": [told.saved(stand, row) for row in rows],
            "label": [told.share(stand, row) for row in rows],
            "hover": [words.shortened(str(each.mechanism), 60) for each in named],
            "without": [stand.savings[row].without for row in rows],
            "saving": [stand.savings[row].epsilon for row in rows],
            "share_before": [math.nan if each is None else each for each in before],
        }
    )


def _each_release(stand: Standing, frame: pd.DataFrame) -> None:
    """The numbers of each release where they are asked for, what it would cost alone among them."""
    place = st.expander("Every release in numbers", icon=":material/table_rows:", key="each", on_change="rerun")
    if not place.open:
        return
    alone = spends(stand.plan)
    order = frame.sort_values(["share", "row"], ascending=[False, True], kind="stable")
    shown = pd.DataFrame(
        {
            "Release": order.release,
            "Saves if left out": order.share.map(shown_share),
            "That is ε": order.saving.map(shown_down),
            "Total without it": order.without.map(shown_up),
            "Alone it costs ε": [shown_up(alone[row - 1]) for row in order.row],
        }
    )
    numbers = components.right({label: label for label in shown.columns[1:]})
    alt = "What leaving each release out saves, and what it would cost alone"
    place.dataframe(shown, hide_index=True, column_config=numbers, alt=alt)


def others(stand: Standing) -> None:
    """Draw the one line on published deployments, and where it is opened, all of them beside the plan."""
    unit, delta = stand.plan.unit_in_words, stand.plan.budget.delta
    place = components.line(reading.told(_line_on_others(unit, delta)), "others", ":material/public:")
    if not place.open:
        return
    with place:
        _others(stand, answer.published(unit, delta))


def uncovered(plan: Plan) -> None:
    """Draw what the promise does not cover, and what must be true, where it is opened; for people."""
    with st.expander("What this does not cover, and what must be true", icon=":material/shield_question:"):
        order = "depend on earlier results as the rule allows" if plan.adaptive else "are fixed in advance"
        st.markdown("\n".join(f"- {words.escaped(each)}" for each in not_covered(plan)))
        st.markdown(
            f"All of this holds if these are all releases of the data, {order}, and the noise is made as assumed: at "
            "random, anew for each number."
        )
        st.caption(
            "What nobody has said yet can be typed under “Share”. How well somebody is hidden who is known to be in "
            f"the data: “What does it hide?” tells, under “{LEARNED}”."
        )


@kept(64, 1, shared=True)
def _line_on_others(unit: str, delta: float) -> str:
    return told.others(unit, answer.published(unit, delta))


def _others(stand: Standing, frame: pd.DataFrame) -> None:
    """The published deployments with the plan in the row of its own unit."""
    plan = stand.plan
    group, marks = deployments.unit_group(plan.unit_in_words) or plan.unit_in_words, _marks(stand)
    near = deployments.neighbouring(plan.unit_in_words)
    components.chart(
        components.drawn(
            published_epsilons.published_epsilons, frame, tuple(marks), group, near=near, kinds=not reading.people()
        ),
        frame,
        "published-deployments",
        "What others promise, each in the row of the unit that it protects",
        partial(published_epsilons.described, frame, marks, group),
    )
    converted = (
        " Hollow marks: promised by another measure of loss, and converted to your chance of failure to be compared."
        if reading.people()
        else " Where only ρ is reported, ε is converted at the plan's δ, rounded up (Canonne, Kamath & Steinke 2020, "
        "Cor. 13); its marker is hollow."
    )
    st.caption(
        f"{deployments.NOTICE} [The registry's data]({deployments.SOURCE}). Periods, sensitivities and models of trust "
        f"differ, and no row is a recommendation. Further left, less is lost.{converted}"
    )


def _marks(stand: Standing) -> list[Mark]:
    """The totals of the plan: the smallest at its δ, and the pure one where that is another promise."""
    plan, pure = stand.plan, "never failing" if reading.people() else "pure"
    if not words.uses(plan) or math.isinf(stand.total):
        return []
    if plan.budget.delta == 0:
        return [Mark(pure, deployments.PURE, stand.total)]
    marks = [Mark(f"δ = {shown_delta(plan.budget.delta)}", deployments.APPROXIMATE, stand.total)]
    return marks if stand.pure is None else [*marks, Mark(pure, deployments.PURE, stand.pure)]


def learned(stand: Standing, a: Standing | None) -> None:
    """Draw what an attacker learns: one hundred people, how sure they become, and the errors that they must make."""
    plan, total = stand.plan, stand.promised
    if math.isinf(total):
        st.info("No theorem here bounds these releases, so nothing can be said of what an attacker learns.")
        return
    if advice.faults(stand.whole):
        st.info(UNCOUNTED)
        return
    own, bare = answer.learned(plan, total).own, priced(plan)
    people, slopes = st.columns(2, gap="medium")
    with people:
        risks.people(answer.odds(plan, total), plan.neighbours, plan.unit_in_words, "plan")
        if rows := answered_openly(plan):
            said = f"What somebody answers to {named(plan, rows)} is hidden just as well"
            st.caption(words.escaped(f"{said}; whether they answer is not hidden."))
        if a is not None and math.isfinite(a.total):
            old = answer.odds(a.plan, a.total)
            st.caption(f"Plan A: {old.without:,} and {old.within:,} of {old.denominator:,}.")
    with slopes:
        risks.slopes(answer.posteriors(bare, total), own, "plan")
    if sentence := told.hinders(stand):
        st.markdown(sentence, help=WHY_TWO)
    separates.panel(plan)
    if reading.people():
        return
    picture, table = st.columns(2, gap="medium")
    with picture:
        risks.errors(answer.curve(bare, total), pd.DataFrame(columns=["attack"]), own, "plan")
    with table:
        risks.table(answer.attacks(bare, total), own)


def several(stand: Standing) -> None:
    """Draw what the plan means for a unit with several records, on several days; asked for where it is opened."""
    opened = {"expanded": bool(SEVERAL & set(st.query_params)), "key": "several", "on_change": "rerun"}
    place = st.expander(told.several(stand), icon=":material/stacks:", **opened)
    if not place.open:
        return
    with place:
        if advice.faults(stand.whole):
            st.info(AS_ENTERED)
        first, second = st.columns(2)
        with first:
            about = "1 is what the table counts. Of a family: how many belong to it."
            copies = inputs.count("Times as many records, or people together", "records", MOST_RECORDS, 2, about)
        days = 1
        if told.by_days(stand):
            with second:
                about = "How often one unit meets every release, where the table states what one day publishes."
                days = inputs.count("Days", "ondays", MOST_DAYS, 1, about)
        together = told.together(stand) and copies > 1
        _of_several(stand, copies, days, partial(told.of_several, stand, copies, days), together)


def _of_several(stand: Standing, copies: int, days: int, said: Callable[[float], str], together: bool = False) -> None:
    """What a unit with so many records on so many days loses, as it is `said`, and buttons that count it so.

    Where so many units may be meant, they can become the one unit that is protected.
    """
    try:
        meant = _with_rows(stand.whole.of_units(copies, days), copies)
    except ValueError as error:
        st.warning(f"So many records cannot be counted here. {refusals.drawn(error)}")
        return
    st.markdown(reading.told(said(of_unit(meant))))
    if turned := [old.name for old, new in zip(stand.whole.releases, meant.releases, strict=False)
                  if new.mechanism.key in UNCHANGEABLE and new.mechanism.key != old.mechanism.key]:  # fmt: skip
        names = words.escaped("”, “".join(words.shortened(name, 40) for name in turned[:3]))
        more = f" and {len(turned) - 3} more" if len(turned) > 3 else ""
        st.caption(f"Counted so, “Fit to budget” can no longer change the noise of “{names}”{more}.")
    with st.container(horizontal=True):
        if together:
            group = replace(meant, unit=told.group_of(stand.whole.unit_in_words, copies))
            label = f"Protect {shown_count(copies)} together, as one {words.escaped(group.unit)}"
            st.button(label, key="protect_together", icon=":material/group:", **edits.pressed(_protect, group))
        label = f"Count {shown_count(copies)} times as many records of each {words.escaped(stand.whole.unit_in_words)}"
        label = label if together else "Count so in the table"
        st.button(label, key="count_several", **edits.pressed(_count_so, meant))
    if not reading.proofs():
        return
    st.caption(
        "Laplace and Gaussian noise, on whole numbers, too: exact where the answer moves by its sensitivity with "
        "every record. A black box (ε, δ) becomes (mε, δ (e^mε − 1)/(e^ε − 1)). Of all else, δ at "
        "each ε is the least of up to three bounds: by this pair, by the profile at ε/m and, in a Poisson sample, by "
        "how many of the records are drawn. Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2."
    )


def _with_rows(meant: Plan, copies: int) -> Plan:
    """The plan with so many times the rows of one unit that are stated, where several of them may lie in one bar."""
    def counted(each: Release) -> Release:
        several = each.rows and each.bars != DIFFERENT and states_rows(each)
        return replace(each, rows=min(each.rows * copies, int(ROWS.high))) if several else each

    return replace(meant, releases=tuple(map(counted, meant.releases)))


@shell.guarded
def _count_so(plan: Plan) -> None:
    """Count what several records lose; what is asked next goes from there; a callback."""
    edits.replace_releases(plan)
    _begin_anew()


@shell.guarded
def _protect(group: Plan) -> None:
    """Protect several units as one; a callback."""
    edits.protect(group)
    _begin_anew()


def _begin_anew() -> None:
    usual = {"records": "2", "ondays": "1"}
    page_state.put({key: value for key, value in usual.items() if page_state.holds(key)})


def theorems(stand: Standing) -> None:
    """Draw the one line on theorems, and the comparison of all of them where it is opened."""
    key = f"theorems_{reading.level()}"
    place = components.line(told.proved(stand), key, ":material/verified:", unfolded=reading.proofs())
    if not place.open:
        return
    plan = stand.plan
    frame = comparison(plan, plan.budget.delta)
    with place:
        if advice.faults(stand.whole):
            st.info(AS_ENTERED)
        picture, beside = st.columns([3, 2], gap="medium")
        with picture:
            components.chart(
                components.drawn(plan_totals.plan_totals, frame, plan.budget.epsilon, plan.unit_in_words),
                frame,
                "plan-totals",
                "The same releases under each theorem, the smallest proved total first",
                partial(plan_totals.described, frame, plan.budget.epsilon, plan.unit_in_words),
            )
        with beside:
            st.markdown(told.two_totals(stand))
            if reading.proofs() and stand.proved.theorem is not None:
                st.markdown(told.surely(bracket(plan, stand.proved.epsilon), plan))
            adaptive.panel(plan, tightest(frame))
        components.exact_values(frame)
        components.why(words.theorems(plan, frame))
