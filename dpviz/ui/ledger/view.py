"""What the page of ledgers draws: the staircase, its numbers, all budgets, the entries with their downloads."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from dpviz.figures.check.ledger_course import LedgerCourse, described, ledger_course
from dpviz.rounding import shown_budget, shown_delta, shown_down, shown_total, shown_up
from dpviz.store import Budget, Entry
from dpviz.store.entries import listed
from dpviz.store.terms import LIFETIME
from dpviz.ui.ledger import asked as asks
from dpviz.ui.ledger import words as told
from dpviz.ui.ledger.answer import Course, Shown
from dpviz.ui.ledger.asked import Question
from dpviz.ui.shell import components, reading

AMOUNTS = {"epsilon": "ε", "delta": "δ", "total": "ε in all"}  # columns of the entries
AS_IT_IS = "As it is now: `dpviz verify LEDGER.json` says which entry was changed."
MOST = 200  # entries that a table shows; a file has all


def picture(budget: Budget, found: Course) -> None:
    """Draw what was spent and reserved over time, beside the forecast."""
    renewed = budget.term.kind != LIFETIME
    about = LedgerCourse(found.frame, budget.epsilon, found.planned, found.ends, renewed)
    drawing = components.drawn(ledger_course, about)
    components.chart(drawing, found.frame, "ledger", told.title(budget, found), partial(described, about))


def numbers(ledger: Shown, budget: Budget, found: Course) -> None:
    """Draw planned, spent, reserved, free, and what all periods have cost."""
    last, standing = found.frame.iloc[-1], ledger.standing(budget)
    planned = found.planned_by_now
    life = f"at δ = {shown_delta(standing.lifetime_delta)}"
    components.metrics(
        (
            ("Planned by now", "–" if planned is None else shown_up(planned), "forecast, composed"),
            ("Spent", shown_up(last.spent), "for good"),
            ("Spent and reserved", shown_total(last.charged, budget.epsilon), f"of ε = {shown_budget(budget.epsilon)}"),
            ("Free", shown_down(found.free), "largest ε of a further request, at δ = 0"),
            ("Since the beginning", shown_up(standing.lifetime_epsilon), life),
        )
    )


def budgets(ledger: Shown) -> None:
    """Draw where every budget stands, its lifetime beside its window."""
    rows = [
        {
            "Budget": asks.label(each.budget),
            "Window now": each.window,
            "ε": shown_budget(each.budget.epsilon, each.epsilon),
            "δ": shown_delta(each.budget.delta),
            "Spent and reserved": shown_total(each.epsilon, each.budget.epsilon),
            "Free": shown_down(each.budget.free(each.total)),
            "Since the beginning": shown_up(each.lifetime_epsilon),
        }
        for each in ledger.standings
    ]
    frame = pd.DataFrame(rows).rename(columns=reading.told)
    st.dataframe(frame.map(reading.told), hide_index=True, width="stretch", alt="Where every budget stands")


def entries(asked: Question, ledger: Shown, budget: Budget | None) -> None:
    """Draw the entries, the latest first, and what can be taken away: the ledger itself, and a table."""
    st.header("Entries", anchor=False)
    shown = ledger.entries[: -MOST - 1 : -1]
    if more := len(ledger.entries) - len(shown):
        st.caption(f"The latest {len(shown)}; {more:,} more are in the files.")
    rows = [_row(each, budget) for each in shown]
    if rows:
        config = components.right({name: reading.told(label) for name, label in AMOUNTS.items()}, width=90)
        alt = "The entries of the ledger, the latest first"
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", column_config=config, alt=alt)
    _downloads(asked, ledger)


def _row(entry: Entry, budget: Budget | None) -> dict[str, object]:
    charge = next((each for each in entry.charges if budget and each.budget == budget.number), None)
    amounts = dict.fromkeys(AMOUNTS, "") | ({"epsilon": "0", "delta": "0"} if entry.kind == told.LINE else {})
    if charge:
        bound = budget.bound(charge.total)
        own = "–" if charge.amount.unbounded else f"{charge.amount.epsilon / 1e6:.6f}".rstrip("0").rstrip(".")
        amounts = dict(zip(AMOUNTS, (own, f"{charge.amount.delta:g}", shown_up(bound, 9)), strict=True))
    return {
        "No.": entry.number,
        "When (UTC)": told.minute(entry.at),
        "What": told.KINDS[entry.kind],
        "Of": told.about(entry),
        **amounts,
        "Reference": entry.reference,
        "Who": entry.by,
        "Note": entry.note,
    }


def _downloads(asked: Question, ledger: Shown) -> None:
    def export() -> str:
        return ledger.export or asks.database().ledger(ledger.project, asked.person).export()

    about = "Every entry with its hash; `dpviz verify LEDGER.json` checks hashes, arithmetic and theorems without us."
    save = {"on_click": "ignore", "type": "tertiary", "icon": ":material/download:"}
    with st.container(horizontal=True):
        st.download_button(
            "Ledger as JSON", export, "LEDGER.json", "application/json", key="ledger_json", help=about, **save
        )
        table, about = partial(_table, ledger.entries), "Every charge with exact amounts, as text."
        st.download_button("Entries as CSV", table, "ledger.csv", "text/csv", key="ledger_entries", help=about, **save)


def as_it_is(asked: Question | None) -> None:
    """Draw how a ledger that was changed is taken away as it is, for whoever looks what was done to it."""
    from dpviz.store.rows import Damaged

    with suppress(ValueError, ImportError):
        if asked is None or not asked.own:
            return
        ledger = asks.database().ledger(asked.project.name, asked.person)
        try:
            ledger.standings()
        except Damaged:
            save = {"on_click": "ignore", "icon": ":material/download:", "help": AS_IT_IS}
            name = "LEDGER.json", "application/json"
            st.download_button("Ledger as JSON", ledger.export(), *name, key="ledger_json_as_it_is", **save)


def _table(entries: tuple[Entry, ...]) -> str:
    return listed(entries).to_csv(index=False)


def why(budget: Budget, counts: str) -> None:
    """Draw what each number is, and by which rule it is counted; first which one counts, where that is not said yet."""
    rule = told.record_named(told.FILTERS, budget.rule)
    place = components.why(((rule, ""),), "which number counts, and what spent, reserved and free mean")
    with place:
        for each in filter(None, (counts, told.WHAT, told.NOT_A_FILTER)):
            st.markdown(reading.told(each))
