"""The figure of a frame: `plot(frame)` knows it by its columns, `plot.growth(frame)` by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dpviz.composition import THEOREMS
from dpviz.parameters import shown

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class Drawable:
    """A frame that can be drawn.

    Parameters
    ----------
    key : str
        Name of its figure, a function of this name in `dpviz.figures`.
    title : str
        What it shows.
    made_by : str
        What returns such a frame, from `dpviz` on.
    columns : frozenset of str
        By which it is known; it may have more.
    module : str
        In `dpviz.figures`; "" where it has the name of the figure.
    """

    key: str
    title: str
    made_by: str
    columns: frozenset[str]
    module: str = ""

    @property
    def figure(self) -> Callable[..., go.Figure]:
        """The function that draws it."""
        from dpviz import figures

        if find_spec("plotly") is None:
            raise ImportError('figures need Plotly: pip install "dpviz[plot]"')
        return getattr(getattr(figures, self.module or self.key), self.key)


def _drawable(key: str, title: str, made_by: str, columns: str, module: str = "") -> Drawable:
    return Drawable(key, title, made_by, frozenset(columns.split()), module)


FIGURES = (
    _drawable(
        "plan_totals", "Total ε under each theorem", "compare",
        "theorem label epsilon delta kind applies reason source",
    ),
    _drawable("growth", "Total ε as uses grow", "epsilon_curve", "theorem count epsilon delta"),
    _drawable("privacy_profile", "δ against ε, of all releases together", "PrivacyLoss.frame", "epsilon delta"),
    _drawable(
        "privacy_loss", "Distribution of the privacy loss", "LossDistribution.frame",
        "kind loss mass density paid merged",
    ),
    _drawable(
        "privacy_region", "What an attacker's errors can be", "losses.region.regions",
        "theorem label false_positive_rate false_negative_rate",
    ),
    _drawable(
        "largest_loss", "The largest loss, and how rare it is", "losses.largest.largest_losses",
        "count largest log10_probability epsilon",
    ),
    _drawable(
        "posterior_slopes", "What an attacker believes, before and after", "risk.posterior_frame",
        "prior posterior pair_posterior",
    ),
    _drawable(
        "tornado", "What a change of each release does to the total", "planning.advice.levers",
        "row release lever total epsilon_less epsilon_more saving what",
    ),
    _drawable(
        "scenario_bars", "Plan A beside plan B", "planning.scenario.differences",
        "quantity label a b difference unit",
    ),
    _drawable(
        "forecast", "ε spent by each date", "planning.schedule.forecast",
        "date until uses epsilon", "spend_over_time",
    ),
    _drawable(
        "published_epsilons", "ε of published deployments", "planning.deployments.published",
        "group matches unit name curator epsilon",
    ),
    _drawable(
        "audit_power", "How often an audit finds out a claim", "audit.audit_power",
        "number power false_positive_rate true_positive_rate guesses",
    ),
    _drawable(
        "training_curves", "ε over epochs, by how batches are drawn", "training.epsilon_over_epochs",
        "scheme epochs epsilon lower",
    ),
    _drawable("frontier", "Plans that nothing beats", "jobs.Frontier.frame", "epsilon error uses measure"),
    _drawable(
        "against_rate", "ε of a sample against its rate", "subsampling.epsilon_against_rate",
        "base_epsilon rate epsilon", "sampled_curves",
    ),
    _drawable(
        "shuffle_curve", "ε of shuffled reports", "shuffling.shuffle_curve",
        "bound clients local_epsilon epsilon applies", "noise_curves",
    ),
    _drawable(
        "client_curve", "ε of noise that clients add together", "noise_sums.client_curve",
        "clients honest epsilon rule note_scale", "noise_curves",
    ),
    _drawable(
        "noise_per_query", "Error of one answer as queries grow", "sources.noise_per_query.noise_per_query",
        "way label theorem count error proved",
    ),
    _drawable(
        "claim_bracket", "What is claimed, lost and proved", "claims.Judgement.frame",
        "kind key label lower upper verdict",
    ),
    _drawable(
        "claim_ratios", "What documents claim, over what is right", "sources.claims_frame",
        "document says quantity verdict stated correct off_by",
    ),
)  # fmt: skip
"""Every frame that can be drawn as it is returned."""

_TITLE = 40  # pixels that a title takes
_BY_NAME = {each.key: each for each in FIGURES}


class Plot:
    """Draws the frames that dpviz returns; call it with a frame, or take a figure by its name.

    A figure is a `plotly.graph_objects.Figure` that a notebook shows by itself. What its function takes beside the
    frame may be given by name, such as ``budget=4``, ``log=True`` or ``dark=True``; all of it has a default.

    Examples
    --------
    >>> from dpviz import Laplace, compare, epsilon_curve, plot
    >>> plot(compare(Laplace(10), 1e-6)).layout.xaxis.title.text
    'total ε per unit'
    >>> figure = epsilon_curve(Laplace(10), range(1, 9), 1e-6).pipe(plot.growth, log=True)
    >>> figure.layout.xaxis.type
    'log'
    """

    def __call__(self, frame: pandas.DataFrame, **options: object) -> go.Figure:
        """Return the figure of a frame, whichever it is.

        Parameters
        ----------
        frame : pandas.DataFrame
            As a function of dpviz returned it; rows may be missing, columns may not.
        **options
            What the figure takes beside the frame.

        Raises
        ------
        ValueError
            When dpviz returns no such frame, or the figure takes no such option.
        """
        held = _columns(frame)
        found = [each for each in FIGURES if each.columns <= held]
        if not found:
            raise ValueError(f"frame must be one that dpviz returns, of {_makers()}; got {_shown(frame)}")
        return _figure(max(found, key=lambda each: len(each.columns)), frame, options)

    def __getattr__(self, name: str) -> Callable[..., go.Figure]:
        """Return what draws the figure with this name."""
        if name not in _BY_NAME:
            raise AttributeError(f"plot draws {', '.join(_BY_NAME)}; got {name!r}")

        def figure(frame: pandas.DataFrame, **options: object) -> go.Figure:
            drawable = _BY_NAME[name]
            if missing := sorted(drawable.columns - _columns(frame)):
                raise ValueError(
                    f"frame must be as dpviz.{drawable.made_by} returns it, with {', '.join(missing)}; "
                    f"got {_shown(frame)}"
                )
            return _figure(drawable, frame, options)

        figure.__name__, figure.__doc__ = name, _BY_NAME[name].figure.__doc__
        return figure

    def __dir__(self) -> list[str]:
        """Return the names of all figures."""
        return list(_BY_NAME)


plot = Plot()


def _makers() -> str:
    return ", ".join(each.made_by for each in FIGURES)


def _columns(frame: object) -> set[str]:
    return {str(each) for each in getattr(frame, "columns", ())}


def _shown(frame: object) -> str:
    columns = sorted(_columns(frame))
    return f"columns {', '.join(columns)}" if columns else shown(frame)


def _figure(drawable: Drawable, frame: pandas.DataFrame, options: dict[str, object]) -> go.Figure:
    """The figure in Plotly's own theme: importing Streamlit would give it that of a page."""
    draw = drawable.figure
    _, *known = inspect.signature(draw).parameters
    if unknown := sorted(options.keys() - set(known)):
        raise ValueError(f"{drawable.key} takes {', '.join(known)} beside its frame; got {', '.join(unknown)}")
    if "unit" in known and "unit" in frame.attrs:
        options = {"unit": frame.attrs["unit"]} | options
    if "theorem" in frame and "label" not in frame:
        labels = {theorem.key: theorem.label for theorem in THEOREMS}
        frame = frame.assign(label=frame.theorem.map(labels).fillna(frame.theorem))
    figure = draw(frame, **options)
    figure.update_layout(template="plotly_dark" if options.get("dark") else "plotly_white")
    return _titled(figure, f"{drawable.title}{_held_for(frame)}")


def _held_for(frame: pandas.DataFrame) -> str:
    """For what the numbers of a frame hold, as far as it says that."""
    known = frame.attrs
    unit = [f"for one {known['unit']}"] if "unit" in known else []
    delta = [f"δ = {known['delta']:g}"] if known.get("delta") else []
    return ", ".join(["", *unit, *delta])


def _titled(figure: go.Figure, title: str) -> go.Figure:
    """The figure with its title above it, and room for that."""
    top, height = figure.layout.margin.t or 0, figure.layout.height
    figure.update_layout(title={"text": title, "x": 0.01, "y": 1, "yanchor": "top", "pad": {"t": 12}})
    figure.update_layout(margin={"t": top + _TITLE}, height=height and height + _TITLE)
    return figure
