"""Random mechanisms and workloads for laws, reaching the extremes that the project promises to hold."""

from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    RandomizedResponse,
)

EPSILONS = st.one_of(
    st.sampled_from([1e-6, 0.001, 0.1, 0.5, 1.0, 5.0, 50.0, 700.0]),
    st.floats(-6, 1.69).map(lambda power: float(f"{10**power:.6g}")),
)
SMALL_DELTAS = st.one_of(st.just(0.0), st.floats(-30, -2).map(lambda power: float(f"{10**power:.3g}")))
WHOLE_DELTAS = st.one_of(
    st.sampled_from([1e-30, 1e-9, 1e-6, 0.1, 0.5]), st.floats(-30, -0.31).map(lambda power: float(f"{10**power:.6g}"))
)
COUNTS = st.one_of(st.sampled_from([0, 1, 2, 1000, 10**6]), st.integers(0, 10**6))
SIGMAS = st.floats(-1, 4).map(lambda power: float(f"{10**power:.6g}"))

PURE = st.one_of(EPSILONS.map(lambda epsilon: Laplace.from_epsilon(epsilon, 1)), EPSILONS.map(RandomizedResponse))
GAUSSIAN = SIGMAS.map(lambda sigma: Gaussian(sigma, 1))
BOXES = st.builds(ApproximateDP, EPSILONS, SMALL_DELTAS)
WHOLE = st.builds(DiscreteGaussian, SIGMAS, st.integers(1, 3)) | st.builds(
    DiscreteLaplace.from_epsilon, EPSILONS, st.integers(1, 5)
)
VALUES = st.integers(2, 20) | st.sampled_from([100, 10**6, 10**9])
PICKS = EPSILONS.map(Exponential)  # the others have the answers of Laplace noise, and lower ends of their own
PICKED = st.one_of(PICKS, EPSILONS.map(PermuteAndFlip), st.builds(KaryRandomizedResponse, EPSILONS, VALUES))
POINTS = st.dictionaries(EPSILONS, SMALL_DELTAS, min_size=1, max_size=6).map(
    lambda points: Declared.profile(points.keys(), points.values())
)
ORDERS = st.dictionaries(SIGMAS.map(lambda sigma: 1 + sigma), EPSILONS, min_size=1, max_size=6)
DECLARED = st.one_of(
    POINTS,
    ORDERS.map(lambda curve: Declared.renyi(curve.keys(), curve.values())),
    st.builds(Declared.zcdp, EPSILONS, SMALL_DELTAS),
    SIGMAS.map(lambda sigma: Declared.gdp(1 / sigma)),
)
DRAWABLE = st.one_of(PURE, GAUSSIAN, BOXES, SMALL_DELTAS.map(NameAndShame), WHOLE)  # with a known law of the loss
MECHANISMS = st.one_of(DRAWABLE, DECLARED, PICKED)


def workloads(mechanisms=MECHANISMS, counts=COUNTS, most=4):
    """Lists of (mechanism, count)."""
    return st.lists(st.tuples(mechanisms, counts), min_size=1, max_size=most)
