"""The windows of a schedule: what each reveals alone, beside what everything until its end reveals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.rounding import shown_up
from dpviz.ui.plan.time import words as told
from dpviz.ui.plan.time.answer import rows_at_ends

if TYPE_CHECKING:
    from datetime import date

    from dpviz.ui.plan.time.answer import Outlook

LISTED = 1000


def _span(start: date, end: date) -> str:
    ends = [told.short(day) for day in ((start,) if start == end else (start, end))]
    return " – ".join(ends)


def table(outlook: Outlook) -> None:
    """Draw what each window reveals alone, beside the lifetime until its end."""
    frame = outlook.alone
    if not len(frame) or not outlook.has_dates:
        st.info("There are no windows without dates: give the releases dates, or repeat them.")
        return
    st.markdown(told.refresh(outlook))
    until = outlook.lifetime.epsilon.to_numpy()[rows_at_ends(outlook.lifetime, frame)]
    _rows(outlook, until)


def _rows(outlook: Outlook, until: np.ndarray) -> None:
    frame, config = outlook.alone.head(LISTED), st.column_config
    shown = pd.DataFrame(
        {
            "window": [_span(row.start.date(), row.end.date()) for row in frame.itertuples()],
            "uses": frame.uses,
            "alone": [shown_up(each, 6) for each in frame.epsilon],
            "lifetime": [shown_up(each, 6) for each in until[:LISTED]],
        }
    )
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "window": f"One {outlook.asked.window}",
            "uses": config.NumberColumn("Releases", format="localized"),
            "alone": config.TextColumn("ε alone", alignment="right"),
            "lifetime": config.TextColumn("ε of all until its end", alignment="right"),
        },
        alt="What each window reveals alone, and what all until its end reveal",
    )
