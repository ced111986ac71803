"""What pages are made of: a chart with its downloads, a table of exact values, theorems with their sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from inspect import unwrap
from itertools import repeat
from typing import TYPE_CHECKING, Protocol

import streamlit as st

from dpviz.figures.base.identity import standalone_html
from dpviz.figures.base.ink import Finished, finished
from dpviz.figures.base.scale import APART, CLOSE, FAINT, NOTE
from dpviz.rounding import shown_delta, shown_up
from dpviz.ui.shell import page_state, reading
from dpviz.ui.shell.kept import kept
from dpviz.ui.shell.words import ASSUMED, NOISE, escaped

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator


class Record(Protocol):
    """What is stated somewhere: a theorem, a rule, a bound."""

    label: str
    statement: str
    assumes: str
    source: str


CAMERA = {"format": "svg", "scale": 1}
# The look of a button of the page itself, where Streamlit has none that does what is wanted.
BUTTON = (
    f"font:inherit;font-size:{NOTE};padding:{CLOSE} {APART};border:1px solid {FAINT};border-radius:{APART};"
    "background:transparent;color:inherit;cursor:pointer;text-decoration:none"
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure that is made only where it is not kept: what draws it, of what, and how the page looks.

    Parameters
    ----------
    figure_of : callable
        One of ``dpviz.figures``.
    given, options : tuple
        Its arguments: plain values, frames and frozen records.
    dark, people : bool
        Ground and level of reading.
    """

    figure_of: Callable[..., go.Figure]
    given: tuple[object, ...]
    options: tuple[tuple[str, object], ...]
    dark: bool
    people: bool

    def finished(self) -> Finished:
        """Return the figure."""
        sheet = unwrap(self.figure_of)(*self.given, dark=self.dark, **dict(self.options))
        return finished(sheet.description(), self.dark, self.people)


def dark() -> bool:
    """Say whether the page is on a dark ground."""
    return st.context.theme.type == "dark"


def drawn(figure_of: Callable[..., go.Figure], *given: object, **options: object) -> Drawing:
    """Return what `figure_of` draws of its arguments on this ground at this level of reading.

    Parameters
    ----------
    figure_of : callable
        One of ``dpviz.figures``, whose parameter `dark` is filled in here.
    *given, **options
        Its other arguments: plain values, frames and frozen records.
    """
    return Drawing(figure_of, given, tuple(options.items()), dark(), reading.people())


def chart(drawing: Drawing, data: pandas.DataFrame, name: str, title: str, alt: str | partial[str]) -> None:
    """Draw a figure with downloads of its data and of itself.

    Parameters
    ----------
    drawing : Drawing
        Its height counts.
    data : pandas.DataFrame
        What it was drawn from; becomes the CSV.
    name : str
        Of the files, and key of the widgets.
    title, alt : str
        The finding, and the chart in words; the latter may be a partial function that is called where it is not kept.
    """
    _picture(drawing, name, reading.told(title), alt)
    with st.container(horizontal=True):
        st.download_button(
            "Data as CSV",
            lambda: data.to_csv(index=False),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            key=f"{name}_csv",
            type="tertiary",
            icon=":material/download:",
        )
        st.download_button(
            "Chart as HTML",
            lambda: standalone_html(drawing.finished().figure(), title),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            key=f"{name}_html",
            type="tertiary",
            icon=":material/download:",
            help="One file that opens without network. For SVG, use the camera at the chart's corner.",
        )


@kept(96, 12, shared=True)
def _picture(drawing: Drawing, name: str, title: str, alt: str | partial[str]) -> None:
    """The chart and its title, which Streamlit sends again without making them again."""
    figure, alt = drawing.finished(), reading.told(alt if isinstance(alt, str) else alt())
    config = {
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {**CAMERA, "filename": name},
    }
    with st.container(gap=None):  # a figure brings its own space above its picture, in which the camera stands
        st.markdown(f"**{title}**")
        st.plotly_chart(figure, width="stretch", height=figure.height, key=f"{name}_chart", config=config, alt=alt)


def exact_values(frame: pandas.DataFrame) -> None:
    """Draw the table of `dpviz.compare`, to nine digits, rounded up; the chart's CSV has all digits."""
    shown = frame.assign(
        epsilon=[shown_up(row.epsilon, 9) if row.applies else "–" for row in frame.itertuples()],
        delta=[shown_delta(row.delta, 9) if row.applies else "–" for row in frame.itertuples()],
        kind=frame.kind.where(frame.applies, "does not apply"),
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
    for reason, left in frame[~frame.applies.astype(bool)].groupby("reason", sort=False):
        st.caption(f"{', '.join(left.label)}: {reason}.")


def right(labels: Mapping[str, str], width: int | None = None) -> dict[str, object]:
    """Return how columns of numbers that are texts stand in a table: to the right, under these labels."""
    return {name: st.column_config.TextColumn(label, width=width, alignment="right") for name, label in labels.items()}


def why(
    records: Iterable[tuple[Record, str]], title: str = "the theorems, what they assume and where they stand"
) -> DeltaGenerator:
    """Draw statement, assumptions and source of records in an expander, and return it for what is to stand below.

    Parameters
    ----------
    records : iterable of (record, str)
        Each with one Markdown line that shows it at work here; "" for none.
    title : str
    """
    place = st.expander(f"Why: {title}", expanded=reading.proofs())
    with place:
        for record, worked in records:
            statement(record)
            if worked:
                st.markdown(worked)
    return place


def line(label: str, key: str, icon: str, unfolded: bool = False) -> DeltaGenerator:
    """Draw one line that unfolds, and return it; it stays unfolded where an edit changes what the line says.

    Parameters
    ----------
    label, key, icon : str
    unfolded : bool
        Whether it is at first.
    """
    page_state.put({key: page_state.held(key, unfolded)})  # else a browser folds it with another label
    return st.expander(label, icon=icon, key=key, on_change="rerun")


def assumed(own: str = "") -> None:
    """Draw one line on the noise, which opens to all that is assumed of it, after what the page assumes of its own.

    Parameters
    ----------
    own : str
        "" for nothing of its own.
    """
    if reading.people():
        st.caption(reading.told(f"{own} {ASSUMED}: a real generator of it can leak more.".strip()))
        return
    with st.expander(f"{ASSUMED}, and more" if own else ASSUMED):
        for each in filter(None, (own, NOISE)):
            st.caption(each)


def statement(record: Record, *, before: str = "", after: str = "", assuming: str = "Assumes") -> None:
    """Draw label, statement, assumptions and source of one record."""
    from dpviz.sources.links import linked  # with all that the sources claim

    st.markdown(f"**{before}{record.label}**{after}")
    st.latex(record.statement)
    source = escaped(record.source)
    for name, address in linked(record.source):
        source = source.replace(escaped(name), f"[{escaped(name)}]({address})", 1)
    st.markdown(f"{assuming}: {escaped(record.assumes)}. Source: {source}.")


def metric(label: str, value: str, note: str | None = None, about: str | None = None) -> None:
    """Draw one large figure with a note beneath it."""
    label, value, note, about = (text and reading.told(text) for text in (label, value, note, about))
    st.metric(label, value, note, delta_color="off", delta_arrow="off", border=True, help=about)


def metrics(entries: Iterable[tuple[str | None, ...]], columns: int = 0) -> None:
    """Draw several large figures, each as `metric`, side by side or in so many columns of one width."""
    with st.container(horizontal=True) if not columns else nullcontext():
        for place, entry in zip(st.columns(columns) if columns else repeat(nullcontext()), entries, strict=False):
            with place:
                metric(*entry)
