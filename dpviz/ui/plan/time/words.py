"""Sentences about time, computed from the answer. Text of visitors is escaped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpviz.figures.plan.spend_over_time import day_text
from dpviz.plan.cadence import dates
from dpviz.plan.units import counted
from dpviz.plan.windows import calendar_name
from dpviz.planning.advice import check_named
from dpviz.planning.advice.finding import NOTE
from dpviz.planning.advice.promise import why_delta
from dpviz.planning.schedule import own_period, shared_weeks
from dpviz.report.said import over_its_time
from dpviz.rounding import (
    probability_in_words,
    shown_budget,
    shown_count,
    shown_delta,
    shown_total,
    shown_up,
    shown_used,
)
from dpviz.ui.shell import reading, words

if TYPE_CHECKING:
    from datetime import date

    from dpviz.plan import Plan
    from dpviz.planning.advice import Finding
    from dpviz.ui.plan.answer import Standing
    from dpviz.ui.plan.time.answer import Outlook

REFRESH = (
    "**If the budget started anew with each {window}**, it would bound what the releases of one {window} reveal, here "
    "at most ε = {alone}. It would not bound what all of them together reveal about somebody whose data are in every "
    "{window}: that person loses up to ε = {total}, as told above."
)
THEOREMS = (
    "A prefix of a plan that is fixed in advance is itself fixed in advance. So each date is answered by the tightest "
    "theorem for everything released until then, at the whole δ, and not by adding to the date before."
)
# What settles a question of a check, for people, where that stands on this screen.
HERE = {
    "sensitivity": "State it as large as it can be.",
    "delta_people": "Say above how many people are in the data, lower the chance, or accept it.",
    "range": "Choose one within the proven range.",
    "relation": "Choose it in the sentence above.",
    "unit": "Say it in the sentence above, such as person-year.",
    "adaptivity": "If it does, choose “chosen along the way” above.",
    "same_statistic": "If once, remove one of them.",
}
MOST_NAMED = 2  # releases of one day
SELDOM = (
    "{chance} is rare enough for {people} by the usual rule, but not by the stricter one of NIST, which takes "
    "the square of their number. Lower the chance to keep that, too."
)
ALIKE = 0.99  # of the largest step: what is as large is another largest one
UNDATED = "Releases without a date count as released before everything else."


def plainly(finding: Finding, plan: Plan) -> str:
    """Return what a check asks, for people: its question, the rows that it is about, why, and what to do."""
    names = ", ".join(f"“{words.shortened(plan.releases[row].name, 40)}”" for row in finding.rows[:3])
    more = f" and {len(finding.rows) - 3:,} more" if len(finding.rows) > 3 else ""
    unit, check = words.shortened(plan.unit_in_words, 30), check_named(finding.check)
    about = f" ({words.escaped(names)}{more})" if names else ""
    said = f"{check.why.format(unit=words.escaped(unit))} {HERE.get(check.key, '')}".rstrip()
    if finding.check == "delta_people" and plan.population is not None:
        people = f"{shown_count(plan.population)} {counted(plan.unit)}"
        said = "".join(map(str, why_delta(plan)))
        if finding.severity == NOTE:
            said = SELDOM.format(chance=probability_in_words(plan.budget.delta), people=people)
    return f"**{words.escaped(reading.told(check.asked(unit)))}**{about} {reading.told(said)}"


def afterwards(stand: Standing, press: str) -> str:
    """Return what a press makes of the budget: whether it holds the plan then; "" where no budget is set."""
    if math.isinf(stand.limit):
        return ""
    if math.isinf(stand.promised):
        return f"After “{press}”, nothing bounds what these releases cost."
    if not stand.limit:
        return f"After “{press}”, these releases cost at most {shown_up(stand.promised)}, and nothing is allowed."
    after = f"After “{press}”, these releases use at most {shown_used(stand.promised, stand.limit)} of what is allowed"
    if stand.over:
        return f"{after}: **more than the budget**, so that more noise must follow, or fewer releases."
    return f"{after}: within the budget."


def short(day: date) -> str:
    """Return a date with its month in three letters."""
    return f"{day.day} {day:%b} {day.year}"


def span(start: date, end: date) -> str:
    """Return a window by its first and last day."""
    return short(start) if start == end else f"{short(start)} – {short(end)}"


def finding(outlook: Outlook) -> str:
    """Return the one sentence that answers when the budget is spent."""
    asked = outlook.asked
    plan = asked.dated
    if not words.uses(plan):
        return words.NOTHING
    if not outlook.has_dates:
        uses = words.uses(plan)
        what = "the only one counts once" if uses == 1 else f"all {shown_count(uses)} count as released at once"
        return f"No release has a date: {what}. {_cost(outlook)}{_budget(outlook)}"
    if outlook.one_unit:
        return f"{_unit_cost(outlook)}{_budget(outlook)} {_cost(outlook)}: {_no_budget(outlook)}.{_window(outlook)}"
    return f"{_cost(outlook)}{_budget(outlook)}{_window(outlook)}{_undated(outlook)}"


def _undated(outlook: Outlook) -> str:
    """How what has no date is counted, beside dates."""
    some = any(each.start is None for each in outlook.asked.dated.releases)
    return f" {UNDATED}" if some else ""


def in_people_words(outlook: Outlook) -> str:
    """Return the finding without numbers of a privacy loss: until when the budget lasts, and what fits."""
    unit = words.escaped(over_its_time(outlook.asked.dated.unit_in_words))
    if not outlook.has_dates:
        return "No release has a date yet, so all count as made at once."
    if math.isinf(outlook.asked.dated.budget.epsilon):
        return f"No budget is set for one **{unit}**, so there is no day on which it is used up."
    if outlook.filtered:
        return f"A filter, fixed before the first release, keeps all of these within the budget of one **{unit}**."
    if outlook.over:
        fits = f"before it, **{shown_count(outlook.dates_within)} of {shown_count(outlook.dates)}** release dates fit"
        passed = f"The budget of one **{unit}** is passed on **{day_text(outlook.over)}**"
        nothing = f"Nothing is promised to one **{unit}** from **{day_text(outlook.over)}** on"
        return f"{nothing if outlook.unbounded else passed}: {fits}."
    if outlook.spent <= outlook.asked.dated.budget.epsilon:
        made = words.uses(outlook.asked.dated)
        often = "" if made == outlook.dates else f", with {shown_count(made)} releases,"
        dates = f"All **{shown_count(outlook.dates)}** release dates{often}"
        return f"{dates} fit the budget of one **{unit}**; the last is **{day_text(outlook.last)}**."
    return f"What one **{unit}** meets is more than its budget."


def _cost(outlook: Outlook) -> str:
    by = f" by **{day_text(outlook.by)}**" if outlook.has_dates else ""
    subject = f"{whom(outlook)[0].upper()}{whom(outlook)[1:]}"
    if math.isinf(outlook.total):
        return f"No theorem here bounds what {whom(outlook)} loses in all{_at(outlook)}"
    return f"{subject} {_loses(outlook.total, outlook.asked.dated.budget.epsilon)}{by}{_at(outlook)}"


def _unit_cost(outlook: Outlook) -> str:
    unit, window = words.escaped(outlook.asked.dated.unit_in_words), outlook.one_unit.window
    if math.isinf(outlook.spent):
        return f"No theorem here bounds what one **{unit}** loses by one {window}'s releases{_at(outlook)}"
    cost = f"{_loses(outlook.spent, outlook.asked.dated.budget.epsilon)}{_at(outlook)}, however long it goes on"
    return f"One **{unit}** meets the releases of one {window}, and what comes less often: it {cost}"


def _loses(epsilon: float, limit: float) -> str:
    return f"loses at most **ε = {shown_total(epsilon, limit)}**"


def _at(outlook: Outlook) -> str:
    """At which δ, and how it is proved where that is not the tightest theorem."""
    delta = outlook.asked.dated.budget.delta
    at = f", at **δ = {shown_delta(delta)}**"
    added = outlook.asked.dated.adaptive and math.isfinite(outlook.total)
    return at + (", by adding up, since releases are chosen along the way" if added else "")


def whom(outlook: Outlook) -> str:
    """Return whose loss the staircase is."""
    unit, often = words.escaped(outlook.asked.dated.unit_in_words), outlook.asked.often or "all the time"
    if outlook.one_unit:
        return f"one **{words.escaped(outlook.asked.whose)}** who is in the data {often}"
    within_one = outlook.asked.unit_window or not outlook.has_dates
    return f"one **{unit}**" if within_one else f"one **{unit}** who is in the data {often}"


def _no_budget(outlook: Outlook) -> str:
    return f"no budget is stated for one {words.escaped(outlook.asked.whose)} over all dates"


def _budget(outlook: Outlook) -> str:
    limit, over = outlook.asked.dated.budget.epsilon, outlook.over
    if math.isinf(limit):
        return ". No budget is set."
    if over is None and math.isinf(outlook.spent):
        return f", and no sum keeps the budget of **ε = {shown_budget(limit)}**."
    named = f"the budget of **ε = {shown_budget(limit, outlook.spent)}**"
    if outlook.spent <= limit:
        return f": within {named}."
    if outlook.unbounded:
        return f". From **{day_text(over)}** on no total is proved."
    return f": more than {named}." if over is None else f". T{named[1:]} is passed on **{day_text(over)}**."


def _window(outlook: Outlook) -> str:
    """What a window alone reveals, where that is not what was said of one unit."""
    window, peak = outlook.asked.window, outlook.peak
    if math.isinf(peak) or outlook.window_problem or window == outlook.asked.unit_window:
        return ""
    cost = f"**ε = {shown_up(peak)}**"
    without = ", with what has no date counted in the first" if outlook.undated else ""
    return f" One {window}'s releases alone reveal at most {cost}{without}."


def of_a(over: date | None) -> str:
    """Return when plan A passes the budget that the present plan has.

    Examples
    --------
    >>> from datetime import date
    >>> of_a(date(2027, 4, 1)), of_a(None)
    ('Plan A passes this budget on **1 April 2027**.', 'Plan A stays within this budget.')
    """
    return f"Plan A passes this budget on **{day_text(over)}**." if over else "Plan A stays within this budget."


def title(outlook: Outlook) -> str:
    """Return what the chart shows, as its heading."""
    if outlook.filtered:
        return "A filter keeps all of these releases within the budget"
    if outlook.over is None:
        most = _steepest(outlook)
        found = [f"the largest step is on {day_text(most)}{_made_on(outlook, most)}"] if most else []
        said = "; ".join(filter(None, (*found, _half(outlook))))
        return said[0].upper() + said[1:] if said else "What has been spent by each date"
    if outlook.unbounded:
        return f"From {day_text(outlook.over)} on no total is proved"
    return "; ".join(filter(None, (f"The budget is passed on {day_text(outlook.over)}", _half(outlook))))


def _made_on(outlook: Outlook, day: date) -> str:
    """What is released on a day, where that is one release or two."""
    days = outlook.lifetime
    if (days.until[days.date == pd.Timestamp(day)] != pd.Timestamp(day)).any():
        return ""  # a step of several days
    made = [each.name for each in outlook.asked.dated.releases
            if each.start is not None and each.uses and np.datetime64(day) in dates(each.start, each.cadence, each.end)]
    named = "” and “".join(words.escaped(words.shortened(name, 40)) for name in made)
    return f" (“{named}”)" if 0 < len(made) <= MOST_NAMED else ""


def _steepest(outlook: Outlook) -> date | None:
    """The day on which the staircase rises most; None where others rise as much, it does not, or it has no bound.

    The first step holds what has no date, too: it is no day's own.
    """
    rises = outlook.lifetime.epsilon.diff().fillna(outlook.lifetime.epsilon)
    alone = int((rises >= ALIKE * rises.max()).sum()) == 1 and not (outlook.undated and rises.idxmax() == 0)
    return outlook.lifetime.date[rises.idxmax()].date() if rises.max() > 0 and alone else None


def _half(outlook: Outlook) -> str:
    """By which day half of the budget is used, or of the total where it has none; "" where that says nothing.

    A step of a long schedule is of several days: then it is used by the last of them.
    """
    spent, days, limit = outlook.lifetime.epsilon, outlook.lifetime.date, outlook.held_against
    most = spent.max() if len(spent) else math.inf
    if most <= 0 or limit <= 0 or len(spent) < 2 or (math.isinf(limit) and (math.isinf(most) or spent.iloc[0] == most)):
        return ""
    if most < limit / 2 < math.inf:
        return "less than half of the budget is used"
    of, half = ("total", most / 2) if math.isinf(limit) else ("budget", limit / 2)
    step = int((spent >= half).idxmax())
    last = outlook.lifetime.until[step].date()
    if step == 0 and outlook.undated:
        return f"half of the {of} is used by {day_text(last)}, releases without a date included"
    return f"half of the {of} is reached {'on' if last == days[step].date() else 'by'} {day_text(last)}"


def schedule(outlook: Outlook) -> str:
    """Return how the releases lie in time, and what is assumed."""
    asked = outlook.asked
    undated = sum(each.start is None for each in asked.plan.releases)
    parts = []
    if undated and asked.cadence:
        ends = f"from {day_text(asked.start)} until {day_text(asked.end)}"
        what = "Every release" if undated == len(asked.plan.releases) else f"{shown_count(undated)} without a date"
        parts.append(f"{what} is repeated {asked.cadence} {ends}.")
    if outlook.one_unit:
        assumed = own_period(outlook.one_unit.window, weeks := shared_weeks(asked.dated))
        parts.append(f"Assumed: {assumed[0].lower()}{assumed[1:]}")
        if weeks and len(outlook.alone) > 1:  # else no line stands beside what one unit loses
            parts.append(f"The dashed line counts each release in the {calendar_name(asked.window)} of its date alone.")
    return " ".join(parts)


def refresh(outlook: Outlook) -> str:
    """Return what a refreshed budget bounds, and what not."""
    total = "without bound" if math.isinf(outlook.total) else shown_up(outlook.total)
    return REFRESH.format(window=calendar_name(outlook.asked.window), alone=shown_up(outlook.peak), total=total)


def published(outlook: Outlook, done: Plan, epsilon: float) -> str:
    """Return what is spent by what is done, out of what is planned."""
    made, planned = words.uses(done), words.uses(outlook.asked.dated)
    total = "without bound" if math.isinf(epsilon) else f"at most **ε = {shown_up(epsilon)}**"
    rest = "" if outlook.asked.dated.adaptive else " The rest is taken as fixed before the first of them."
    return f"**Published already:** {shown_count(made)} of {shown_count(planned)} releases, {total}.{rest}"


def refusals(outlook: Outlook) -> str:
    """Return until when filters admit a plan that chooses along the way."""
    admitting, unit = outlook.admitting, outlook.one_unit
    of, each = (f" of one {unit.window}", f" for each {unit.window}") if unit else ("", "")
    if admitting:
        promise = "" if unit else ": the budget is then the promise"
        return f"A filter by {_either(admitting)} with this budget{each} admits everything{promise}."
    if unit or not outlook.has_dates:
        return f"No filter with this budget admits all releases{of}."
    rows = outlook.refused
    latest = rows.date.max()
    labels = [row.label for row in rows.itertuples() if row.date == latest]
    return (
        f"A filter by {_either(labels)} with this budget lasts longest: it first refuses a release on "
        f"**{day_text(latest.date())}**. Its budget bounds all that it admits."
    )


def _either(labels: list[str]) -> str:
    return " or ".join(f"**{label}**" for label in labels)
