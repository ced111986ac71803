"""What pages are made of: a chart with its downloads, a table of exact values, theorems with their sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dpviz.composition import THEOREMS
from dpviz.figures.identity import standalone_html
from dpviz.figures.ink import inked
from dpviz.rounding import shown_delta, shown_up
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go

INK_DARK = "#b0b5bd"  # text in charts on a dark ground, 8 to 1
CAMERA = {"format": "svg", "scale": 1}


def dark() -> bool:
    """Say whether the page is on a dark ground."""
    return st.context.theme.type == "dark"


def chart(figure: go.Figure, data: pandas.DataFrame, name: str, title: str, alt: str) -> None:
    """Draw a figure with downloads of its data and of itself.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Its height counts.
    data : pandas.DataFrame
        What it was drawn from; becomes the CSV.
    name : str
        Of the files, and key of the widgets.
    title, alt : str
        The finding, and the chart in words.
    """
    st.markdown(f"**{title}**")
    config = {
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {**CAMERA, "filename": name},
    }
    inked(figure.update_layout(font={"color": INK_DARK}), dark())
    height = int(figure.layout.height)
    st.plotly_chart(figure, width="stretch", height=height, key=f"{name}_chart", config=config, alt=alt)
    with st.container(horizontal=True):
        st.download_button(
            "Data as CSV",
            lambda: data.to_csv(index=False),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            key=f"{name}_csv",
        )
        st.download_button(
            "Chart as HTML",
            lambda: standalone_html(figure, title),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            key=f"{name}_html",
            help="One file that opens without network. For SVG, use the camera at the chart's corner.",
        )


def exact_values(frame: pandas.DataFrame) -> None:
    """Draw the table of `dpviz.compare`, to nine digits, rounded up; the chart's CSV has all."""
    shown = frame.assign(
        epsilon=[shown_up(row.epsilon, 9) if row.applies else "–" for row in frame.itertuples()],
        delta=[shown_delta(row.delta, 9) if row.applies else "–" for row in frame.itertuples()],
        kind=frame.kind.where(frame.applies, "does not apply: " + frame.reason),
    )
    config = st.column_config
    st.dataframe(
        shown,
        hide_index=True,
        column_order=["label", "epsilon", "delta", "kind", "source"],
        column_config={
            "label": config.TextColumn("Theorem", pinned=True),
            "epsilon": config.TextColumn("ε", alignment="right"),
            "delta": config.TextColumn("δ spent", alignment="right"),
            "kind": "What the number is",
            "source": "Source",
        },
        alt="Exact totals under each theorem",
    )


def why(worked: Callable[[str], str]) -> None:
    """Draw the statement, assumptions and source of every theorem in an expander.

    Parameters
    ----------
    worked : callable
        One Markdown line per theorem key that shows it at work on the plan.
    """
    with st.expander("Why: the theorems, what they assume and where they stand"):
        for theorem in THEOREMS:
            st.markdown(f"**{theorem.label}**")
            st.latex(theorem.statement)
            st.markdown(f"Assumes: {escaped(theorem.assumes)}. Source: {escaped(theorem.source)}.")
            st.markdown(worked(theorem.key))


def metrics(entries: list[tuple[str, str, str]]) -> None:
    """Draw one large figure per rule."""
    with st.container(horizontal=True):
        for label, value, note in entries:
            st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True)
