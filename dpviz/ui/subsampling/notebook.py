"""What the Sherpa notebook on subsampling says, and what is right; numbers are computed from the page's answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dpviz.amplification import amplify
from dpviz.guarantee import Guarantee
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up
from dpviz.ui.shell.presets import shown_preset
from dpviz.ui.subsampling import answer as answers
from dpviz.ui.subsampling import presets

if TYPE_CHECKING:
    from dpviz.ui.subsampling.answer import Answer
    from dpviz.ui.subsampling.asked import Question


def about_preset(state: Mapping[str, object], asked: Question, found: Answer) -> str:
    """Return what the notebook says of the figure shown, and what is right; "" where none is shown."""
    preset = shown_preset(presets.PRESETS, state)
    if preset is None:
        return ""
    return {"whole": _whole, "half": _half, "sizes": _sizes, "gaussian": _gaussian}[preset.key](asked, found)


def _drift(found: Answer) -> str:
    exact, floats = found.counts(), found.counts("runs_in_floats")
    if exact == floats:
        return ""
    printed = ", ".join(f"**{shown_count(count)}**" for count in floats)
    return f" The notebook draws {printed} here: sums of floats lose a run; exact decimals do not."


def _whole(asked: Question, found: Answer) -> str:
    rows = found.runs[found.runs["size"] == asked.population]
    lost = int((rows.runs != rows.runs_in_floats).sum())
    return (
        f"The notebook's first figure, without sampling, is basic composition at every point: no run here is small "
        f"enough for the other rule. Its floats lose a run at **{lost}** of {len(rows)} points."
    )


def _half(asked: Question, found: Answer) -> str:
    whole, sampled = found.counts()
    read = shown_count(sampled * asked.sizes[0])
    return (
        f"The notebook calls this “incredible”. Each of the **{shown_count(sampled)}** runs sees half of the records: "
        f"{read} records are read in all, against {shown_count(whole * asked.population)}. Where the basic rule "
        f"decides, as at most points here, that total is nearly the same.{_drift(found)}"
    )


def _sizes(asked: Question, found: Answer) -> str:
    size = asked.sizes[0]
    _, delta = answers.with_replacement(asked.run, size, asked.population)
    drawn = 1 - (1 - 1 / asked.population) ** size
    return (
        f"The notebook titles this figure “Sampling **with** replacement”, but it shows sampling **without**. With "
        f"replacement, {size} draws contain a given record with probability {shown_up(drawn)} rather than "
        f"{shown_up(asked.rates[0])}, and δ′ = {shown_delta(delta)} even for Laplace noise.{_drift(found)}"
    )


def _gaussian(asked: Question, found: Answer) -> str:
    whole, sampled = found.counts()
    native = int(found.native.runs.iloc[0])
    return (
        f"The notebook recommends Gaussian noise because it needs ε < 1; that limit belongs to the classical proof "
        f"alone. Its rule counts **{shown_count(whole)}** runs, **{shown_count(sampled)}** with the sample. The same "
        f"noise, accounted for exactly and without any sample, fits **{shown_count(native)}** into the same budget: "
        f"{shown_down(native / whole, 3)} times as many. Sampling does not reduce the noise either."
    )


def slips() -> Iterator[str]:
    """Return what the notebook says, and what is right."""
    tiny, half = 1e-17, 0.5
    cancelled = math.log(1 + half * (math.exp(tiny) - 1))
    right = amplify(Guarantee(tiny), half).epsilon
    yield "**“Sampling with replacement”** (title of its third figure): the figure shows sampling without replacement."
    yield (
        "**“The results are incredible”**: by basic composition the number of runs grows by about n/m, and each run "
        "reads m of n records, so about as many records are read. Only where the other rule decides is there more."
    )
    yield (
        "**“The Gaussian mechanism is ideal, since ε must be smaller than 1”**: only the classical proof of its "
        "calibration needs that. The analytic calibration holds at every ε, and (ε, δ) pairs are a poor way to "
        "count Gaussian runs."
    )
    yield (
        "**“A minor quantity of noise”**: sampling leaves the noise as it is, and a mean over m records needs n/m "
        "times as much."
    )
    yield (
        "**The formula** is right for one record replaced and a public n; the notebook names neither. Its code cancels "
        f"for tiny ε: at ε = 10⁻¹⁷ and rate ½ it returns {cancelled:g}, which admits runs without end; right is "
        f"{shown_up(right)}."
    )
    yield "**m < n** is what the text asks for; its code also accepts m = n, where nothing is gained."
    yield "**“Augmentation”** is called amplification; the Gaussian code has comments about the “Laplace mechanism”."
