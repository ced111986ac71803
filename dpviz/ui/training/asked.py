"""What the page on training asks: the run, how its batches are drawn, and which of its numbers is searched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dpviz.mechanisms import POSITIVE_EPSILON
from dpviz.mechanisms.batches import BANDS, CLIPPING_NORM, EPOCHS, LARGEST_BATCH, NOISE_MULTIPLIER
from dpviz.parameters import POPULATION
from dpviz.rounding import shown_delta
from dpviz.training import SCHEMES, TrainingRun, offered_delta, usual_largest_batch
from dpviz.training.run import RUN_DELTA
from dpviz.training.solve import NOISE_OF_MEAN
from dpviz.ui.shell import inputs, learn_pages, reading, typed
from dpviz.ui.shell.presets import fill

COST, NOISE, LENGTH, BATCH = SOLVED = (
    learn_pages.COST, "the noise that is needed", "how many epochs fit", "how small batches may be",
)  # fmt: skip
# Of what the core takes, as much as is answered while somebody waits.
RECORDS = replace(POPULATION, low=2, high=10**8)
BUDGET, SPAN = (replace(typed.pointed(each), low=0.01, open_low=False) for each in (POSITIVE_EPSILON, EPOCHS))
NOISES = typed.pointed(NOISE_MULTIPLIER)
MEANS = replace(NOISE_OF_MEAN, low=1e-6, high=10, open_low=False, open_high=False)
DELTAS = replace(RUN_DELTA, low=1e-15, high=inputs.DELTA[1], open_low=False, open_high=False)
SCHEME_LABELS = {each.key: each.label for each in SCHEMES}
ACCURATE = (
    "The noise multiplier over the batch size: standard deviation of the noise in each coordinate of a mean gradient, "
    "over the clipping norm. It says how accurate a step is; larger batches hold it with more noise."
)


@dataclass(frozen=True, slots=True)
class Question:
    """What the sidebar asks.

    Parameters
    ----------
    run : TrainingRun
        As it was typed; what is searched plays no part.
    solved : str
        One of `SOLVED`.
    budget : float
        ε that the run may cost where noise, epochs or batches are searched.
    accuracy : float
        Noise multiplier over batch size where batches are searched.
    in_words : bool
    """

    run: TrainingRun
    solved: str
    budget: float
    accuracy: float
    in_words: bool


def question() -> Question:
    """Draw the sidebar and return what it asks."""
    with st.sidebar:
        about = "Three of these numbers decide the fourth."
        solved = inputs.choice("Find", "trainsolve", SOLVED, about)
        about = "What your code does. A promise that is computed for other batches does not hold."
        scheme = inputs.choice(
            "How batches are drawn", "trainscheme", tuple(SCHEME_LABELS), about, format_func=SCHEME_LABELS.get
        )
        about = "Trained on; clients, where the whole update of each one is clipped. Their number is public."
        records = inputs.number("Records", "trainn", RECORDS, 60_000, about)
        batch, budget, sigma, epochs, accuracy = min(256, records), 1.0, 1.0, 1.0, 1.0
        if solved != BATCH:
            about = "Records in a batch, on average where their number varies."
            batch = inputs.count("Batch size", "trainb", records, batch, about)
        if solved != COST:
            budget = inputs.number("Budget ε", "traineps", BUDGET, 3.0, "That the whole training may cost.")
        if solved != LENGTH:
            epochs = inputs.number("Epochs", "traine", SPAN, 30.0, "How often all records are gone through.")
        if solved == BATCH:
            accuracy = inputs.number("Noise of a mean gradient", "trainmean", MEANS, 0.0043, ACCURATE)
        elif solved != NOISE:
            about = "Standard deviation of the noise on the sum of a batch's gradients, over the clipping norm."
            sigma = inputs.number("Noise multiplier", "trains", NOISES, 1.0, about)
        delta = _delta(records)
        largest, bands, norm = _further(records, batch)
    run = TrainingRun(records, batch, sigma, delta, epochs, None, scheme, norm, largest, bands)
    return Question(run, solved, budget, accuracy, reading.people())


def _delta(records: int) -> float:
    about = "With which probability the promise may fail."
    delta = inputs.delta("δ", "traind", 1e-5, about, ends=DELTAS)
    offered = min(offered_delta(records), DELTAS.high)
    about = (
        "One over the number of records is usual, and no more: from there on, a training may publish one record whole, "
        "picked at random, and keep its promise."
    )
    if delta > offered:
        st.button(
            reading.told(f"Set δ to {shown_delta(offered)}"), key="train_offer", on_click=fill,
            args=({"traind": typed.shown(offered)},), help=about, type="tertiary",
        )  # fmt: skip
    return delta


def _further(records: int, batch: int) -> tuple[int, int, float]:
    """What only some schemes, or only the code, depend on."""
    usual = usual_largest_batch(batch)
    with learn_pages.rest():
        about = "Of Poisson batches that are cut: beyond so many records. Left empty: four deviations above."
        largest = inputs.number("Largest batch", "trainmax", LARGEST_BATCH, None, about, placeholder=f"{usual:,}")
        bands = inputs.number("Bands", "trainbands", BANDS, 8, "Of the matrix of a banded scheme.")
        about = "Largest norm of the gradient of one record. It scales gradients and noise alike, and changes no cost."
        norm = inputs.number("Clipping norm", "trainclip", CLIPPING_NORM, 1.0, about)
    return usual if largest is None else int(largest), bands, norm
