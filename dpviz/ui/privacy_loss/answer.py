"""Answers of the privacy-loss page that are kept, within bounds. Keys are text and numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpviz.composition import calibrate, compare, max_count
from dpviz.figures.privacy_loss import Marks
from dpviz.guarantee import Guarantee
from dpviz.losses import LossDistribution, Simulation
from dpviz.losses.largest import largest_losses
from dpviz.losses.region import regions
from dpviz.losses.simulated_rounds import Transcripts, simulate_rounds
from dpviz.losses.stated_laws import checked
from dpviz.mechanisms import Gaussian, Laplace, Mechanism, mechanism_from
from dpviz.plan import Plan, Release
from dpviz.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    import pandas

DRAWN = 1e-3  # relative excess of ε that a curve may have, and an attacker's rates; never of a quoted ε
PROFILE_POINTS = 160
TRIALS = 200_000  # rounds times transcripts of one simulation
NOISES = {"laplace": Laplace, "gaussian": Gaussian}
TIGHTEST = ("basic", "pld")  # the exact sum where it is best, and the mechanisms themselves


def plan_of(mechanism: Mechanism, count: int) -> Plan:
    """Return the plan that uses `mechanism` `count` times."""
    return Plan((Release("release", mechanism, count),))


def text_of(mechanism: Mechanism) -> tuple[str, str]:
    """Return a mechanism as a key for a cache: its kind, and its parameters as text."""
    return mechanism.key, ",".join(f"{name}={value!r}" for name, value in sorted(mechanism.parameters.items()))


def _mechanism(key: str, text: str) -> Mechanism:
    pairs = (part.split("=") for part in text.split(","))
    return mechanism_from(key, {name: float(value) for name, value in pairs})


def comparison(mechanism: Mechanism, count: int, delta: float) -> pandas.DataFrame:
    """Return `dpviz.compare`, kept."""
    return _comparison(*text_of(mechanism), count, delta)


@st.cache_data(max_entries=128, max_size="16MB", show_spinner=False)
def _comparison(key: str, text: str, count: int, delta: float) -> pandas.DataFrame:
    return compare(plan_of(_mechanism(key, text), count), delta)


def reading(mechanism: Mechanism, count: int, delta: float) -> tuple[float, float]:
    """Return the tight ε at δ, rounded up, and the attacker's largest advantage, kept."""
    return _reading(*text_of(mechanism), count, delta)


@st.cache_data(max_entries=256, max_size="4MB", show_spinner=False)
def _reading(key: str, text: str, count: int, delta: float) -> tuple[float, float]:
    plan = plan_of(_mechanism(key, text), count)
    loss = PrivacyLoss.of(plan)
    basic = compare(plan, delta).set_index("theorem").epsilon["basic"]
    return min(float(loss.epsilon(delta)), float(basic)), loss.advantage


def drawing(mechanism: Mechanism, count: int, epsilon: float) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Return the distribution of the loss and its part beyond ε, for drawing, kept."""
    return _drawing(*text_of(mechanism), count, epsilon)


@st.cache_data(max_entries=128, max_size="32MB", show_spinner=False)
def _drawing(key: str, text: str, count: int, epsilon: float) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    distribution = LossDistribution.of(_mechanism(key, text), count)
    return distribution.frame(epsilon), distribution.tail(epsilon)


def marks(mechanism: Mechanism, count: int, delta: float) -> Marks:
    """Return the numbers that the chart marks."""
    distribution = LossDistribution.of(mechanism, count)
    epsilon, _ = reading(mechanism, count, delta)
    largest = distribution.largest[0] if mechanism.stated else math.inf
    return Marks(distribution.finite_mean, epsilon, delta, largest)


def profile(mechanism: Mechanism, count: int, delta: float) -> pandas.DataFrame:
    """Return δ(ε) of the mechanisms themselves over the ε worth drawing, kept."""
    return _profile(*text_of(mechanism), count, delta)


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def _profile(key: str, text: str, count: int, delta: float) -> pandas.DataFrame:
    import pandas

    plan = plan_of(_mechanism(key, text), count)
    loss = PrivacyLoss.of(plan, DRAWN)
    table = compare(plan, delta)
    proved = table.epsilon[table.applies & np.isfinite(table.epsilon)]
    end = 1.06 * min(float(proved.max()), 3.5 * float(proved.min()) or math.inf) if len(proved) else 1.0
    epsilons = np.linspace(0.0, end if end > 0 else 1.0, PROFILE_POINTS)
    return pandas.DataFrame({"epsilon": epsilons, "delta": loss.delta(epsilons)})


def region(mechanism: Mechanism, count: int, delta: float) -> pandas.DataFrame:
    """Return the boundaries of the privacy regions, kept."""
    return _region(*text_of(mechanism), count, delta)


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def _region(key: str, text: str, count: int, delta: float) -> pandas.DataFrame:
    plan = plan_of(_mechanism(key, text), count)
    return regions(compare(plan, delta), PrivacyLoss.of(plan, DRAWN))


def laws(mechanism: Mechanism, count: int) -> pandas.DataFrame:
    """Return the check of the stated law, kept."""
    return _laws(*text_of(mechanism), count)


@st.cache_data(max_entries=64, max_size="4MB", show_spinner=False)
def _laws(key: str, text: str, count: int) -> pandas.DataFrame:
    return checked(LossDistribution.of(_mechanism(key, text), count))


def rare(mechanism: Mechanism, counts: tuple[int, ...], delta: float) -> pandas.DataFrame:
    """Return the largest losses, their probability and ε at δ, kept."""
    return _rare(*text_of(mechanism), counts, delta)


@st.cache_data(max_entries=64, max_size="4MB", show_spinner=False)
def _rare(key: str, text: str, counts: tuple[int, ...], delta: float) -> pandas.DataFrame:
    return largest_losses(_mechanism(key, text), counts, delta)


def fitting_count(mechanism: Mechanism, epsilon: float, delta: float) -> int:
    """Return how many releases fit into a budget, kept."""
    return _fitting_count(*text_of(mechanism), epsilon, delta)


@st.cache_data(max_entries=128, max_size="4MB", show_spinner=False)
def _fitting_count(key: str, text: str, epsilon: float, delta: float) -> int:
    budget = Guarantee(epsilon, delta)
    return max(max_count(_mechanism(key, text), budget, theorem) for theorem in TIGHTEST)


@st.cache_data(max_entries=128, max_size="4MB", show_spinner=False)
def fitting_noise(key: str, count: int, epsilon: float, delta: float) -> tuple[float, float] | str:
    """Return the least noise with which `count` releases fit, and their total; a sentence where there is none."""
    try:
        noise = calibrate(NOISES[key], count, Guarantee(epsilon, delta), "pld")
    except ValueError as error:
        return str(error)
    size = noise.sigma if key == "gaussian" else noise.scale
    return size, float(PrivacyLoss.of(plan_of(noise, count)).epsilon(delta))


def transcripts(mechanism: Mechanism, epsilon: float, rounds: int, seed: int) -> tuple[Transcripts, int]:
    """Return simulated transcripts and how many there are, kept."""
    return _transcripts(*text_of(mechanism), epsilon, rounds, seed)


@st.cache_resource(max_entries=16, show_spinner=False)
def _transcripts(key: str, text: str, epsilon: float, rounds: int, seed: int) -> tuple[Transcripts, int]:
    trials = max(200, TRIALS // 2 // rounds)
    simulation = Simulation.of(_mechanism(key, text), epsilon)
    return simulate_rounds(simulation, rounds, min(trials, 5000), np.random.default_rng(seed)), min(trials, 5000)
