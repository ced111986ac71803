"""Sentences of the forecast page, computed from the answer. Text of visitors is escaped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpviz.figures.spend_over_time import day_text
from dpviz.rounding import delta_in_words, shown_count, shown_delta, shown_up
from dpviz.ui import words

if TYPE_CHECKING:
    from datetime import date

    from dpviz.ui.forecast import Outlook

REFRESH = (
    "**What a refreshed budget bounds.** A budget that starts anew each {window} bounds what one {window} of releases "
    "reveals, here at most ε = {alone}. It does not bound what all of them together reveal about somebody whose data "
    "are in every {window}: that person loses up to ε = {total}."
)
THEOREMS = (
    "A prefix of a plan that is fixed in advance is itself fixed in advance. So each date is answered by the tightest "
    "theorem for everything released until then, at the whole δ, and not by adding to the date before."
)
UNDATED = "Releases without a date count as released before everything else."


def short(day: date) -> str:
    """Return a date with its month in three letters."""
    return f"{day.day} {day:%b} {day.year}"


def finding(outlook: Outlook) -> str:
    """Return the one sentence that answers when the budget is spent."""
    asked = outlook.asked
    plan = asked.dated
    unit = words.escaped(plan.unit)
    if not words.uses(plan):
        return f"Nothing is released yet, so nothing is spent: the plan costs one **{unit}** 0."
    if not outlook.has_dates:
        uses = shown_count(words.uses(plan))
        return f"No release has a date: all {uses} count as released at once. {_cost(outlook)}{_budget(outlook)}"
    return f"{_cost(outlook)}{_budget(outlook)}{_one_unit(outlook)}"


def _cost(outlook: Outlook) -> str:
    asked, total = outlook.asked, outlook.total
    delta = asked.dated.budget.delta
    if math.isinf(total):
        return f"No theorem bounds what {whom(outlook)} loses in all at δ = {shown_delta(delta)}"
    by = f" by **{day_text(outlook.by)}**" if outlook.has_dates else ""
    added = ", by adding up, since releases are chosen along the way" if asked.dated.adaptive else ""
    subject = f"{whom(outlook)[0].upper()}{whom(outlook)[1:]}"
    if asked.in_words:
        return f"{subject} bears a privacy loss of at most **{shown_up(total)}**{by}, {delta_in_words(delta)}{added}"
    return f"{subject} loses at most **ε = {shown_up(total)}**{by}, at **δ = {shown_delta(delta)}**{added}"


def whom(outlook: Outlook) -> str:
    """Return whose loss the staircase is."""
    unit = words.escaped(outlook.asked.dated.unit)
    if outlook.asked.unit_window and outlook.has_dates:
        return f"a **person** who is in the data {outlook.asked.often or 'all the time'}"
    return f"one **{unit}** who is in the data all the time" if outlook.has_dates else f"one **{unit}**"


def _budget(outlook: Outlook) -> str:
    limit, over = outlook.asked.dated.budget.epsilon, outlook.over
    if math.isinf(limit):
        return ". No budget is set."
    named = f"the budget of **{'' if outlook.asked.in_words else 'ε = '}{shown_up(limit)}**"
    if outlook.total <= limit:
        return f": within {named}."
    if over is None:
        return f": more than {named}."
    held = "Held against that, t" if outlook.asked.unit_window else "T"
    return f". {held}{named[1:]} is passed on **{day_text(over)}**."


def _one_unit(outlook: Outlook) -> str:
    window, peak = outlook.asked.window, outlook.peak
    if math.isinf(peak) or outlook.window_problem:
        return ""
    cost = f"**{'' if outlook.asked.in_words else 'ε = '}{shown_up(peak)}**"
    if outlook.asked.unit_window == window:
        unit = words.escaped(outlook.asked.dated.unit)
        return f" One **{unit}** is touched by one {window}'s releases only: at most {cost}, however long it goes on."
    return f" One {window}'s releases alone reveal at most {cost}."


def title(outlook: Outlook) -> str:
    """Return what the chart shows, as its heading."""
    if outlook.over is None:
        return f"What has been spent by each date, and by one {outlook.asked.window} alone"
    return f"Spent by each date: the budget is passed on {day_text(outlook.over)}"


def schedule(outlook: Outlook) -> str:
    """Return how the releases lie in time, and what is assumed."""
    asked = outlook.asked
    undated = sum(each.start is None for each in asked.plan.releases)
    parts = []
    if undated and asked.cadence:
        ends = f"from {day_text(asked.start)} until {day_text(asked.end)}"
        what = "Every release" if undated == len(asked.plan.releases) else f"{shown_count(undated)} without a date"
        parts.append(f"{what} is repeated {asked.cadence} {ends}.")
    elif undated and outlook.has_dates:
        parts.append(UNDATED)
    if asked.unit_window and outlook.has_dates:
        parts.append(
            f"Assumed: the releases of one {asked.unit_window} read the data of that {asked.unit_window} only."
        )
    return " ".join(parts)


def refresh(outlook: Outlook) -> str:
    """Return what a refreshed budget bounds, and what not."""
    total = "without bound" if math.isinf(outlook.total) else shown_up(outlook.total)
    return REFRESH.format(window=outlook.asked.window, alone=shown_up(outlook.peak), total=total)


def fitting(outlook: Outlook) -> tuple[str, str]:
    """Return how much of the schedule fits, as a large figure with its note, where the budget is passed."""
    fits = outlook.dates_within
    if not fits:
        return "nothing", "the first exceeds it"
    return f"{shown_count(fits)} of {shown_count(outlook.dates)}", "release dates fit"


def refusals(outlook: Outlook) -> str:
    """Return until when filters admit a plan that chooses along the way."""
    rows = outlook.refused
    lasting = [row.label for row in rows.itertuples() if row.date != row.date]
    if lasting:
        return f"A filter by {_either(lasting)} with this budget admits everything: the budget is then the promise."
    latest = rows.date.max()
    labels = [row.label for row in rows.itertuples() if row.date == latest]
    return (
        f"A filter by {_either(labels)} with this budget lasts longest: it first refuses something on "
        f"**{day_text(latest.date())}**, and until then the budget is the promise."
    )


def _either(labels: list[str]) -> str:
    return " or ".join(f"**{label}**" for label in labels)
