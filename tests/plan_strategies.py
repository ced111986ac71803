"""Random plans with everything a plan may hold: mechanisms, parts, dates, weights, budgets, awkward names."""

import math
from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    PermuteAndFlip,
    Plan,
    RandomizedResponse,
    Release,
    ReportNoisyMax,
    Subsampled,
    Thresholding,
    TrainedModel,
)
from dpviz.plan import KINDS

QUOTES = ["'", '"', '"""', "'''", "\\", "\\n", "a\\", "{0}", "%s", "#"]
HOSTILE = ["=1+1", "__import__('os')", "</script>", "数", "e\u0301"]
TEXTS = st.sampled_from([*QUOTES, *HOSTILE, "\u202eabc", "𝛿", "👩‍👩‍👧"]) | st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=80
).filter(str.strip)
EPSILONS = st.floats(1e-6, 50) | st.sampled_from([0.1, 0.11, 2.64])
DELTAS = st.floats(1e-30, 0.5) | st.sampled_from([1e-6, 1e-9])
POSITIVES = st.floats(1e-3, 1e6)
ADDITIVE = st.one_of(
    st.builds(Laplace.from_epsilon, EPSILONS, POSITIVES),
    st.builds(Laplace, POSITIVES, POSITIVES),
    st.builds(Gaussian, POSITIVES, POSITIVES),
    st.builds(Gaussian.from_guarantee, EPSILONS, DELTAS, POSITIVES),
    st.builds(Gaussian.from_guarantee, st.floats(1e-3, 0.99), DELTAS, POSITIVES, st.just("classical")),
    st.builds(DiscreteLaplace.from_epsilon, EPSILONS, st.integers(1, 1000)),
    st.builds(DiscreteLaplace, POSITIVES, st.integers(1, 1000)),
    st.builds(DiscreteGaussian, POSITIVES, st.integers(1, 1000)),
)
CURVES = st.one_of(
    st.builds(Declared.zcdp, EPSILONS, st.just(0.0) | DELTAS),
    EPSILONS.map(Declared.gdp),
    st.dictionaries(st.floats(1.01, 300), EPSILONS, min_size=1, max_size=8).map(
        lambda curve: Declared.renyi(curve.keys(), curve.values())
    ),
    st.dictionaries(EPSILONS, DELTAS, min_size=1, max_size=8).map(
        lambda points: Declared.profile(points.keys(), points.values())
    ),
)
PLAIN = st.one_of(
    ADDITIVE,
    CURVES,
    st.builds(RandomizedResponse, EPSILONS),
    st.builds(ApproximateDP, EPSILONS, DELTAS),
    st.builds(NameAndShame, DELTAS),
    st.builds(Exponential, EPSILONS),
    st.builds(PermuteAndFlip, EPSILONS),
    st.builds(ReportNoisyMax, EPSILONS),
    st.builds(KaryRandomizedResponse, EPSILONS, st.integers(2, 10**9)),
)
RATES = st.floats(1e-6, 1)
THRESHOLDS = st.tuples(ADDITIVE, st.floats(1, 1e3), st.integers(1, 1000)).map(
    lambda drawn: Thresholding(drawn[0], drawn[0].sensitivity * drawn[1] * 1.01, drawn[2])
)
TRAINED = st.builds(
    TrainedModel,
    st.integers(1000, 10**6),
    st.integers(1, 1000),
    st.floats(0.5, 20.0),
    st.floats(0.01, 30.0),
    scheme=st.sampled_from(["shuffled", "fixed_order", "tree"]),
    clipping_norm=st.just(1.0) | st.floats(1e-3, 10.0),
)
MECHANISMS = PLAIN | THRESHOLDS | TRAINED | st.builds(Subsampled, ADDITIVE, RATES, st.just("poisson"))
REPLACED = PLAIN | st.builds(Subsampled, PLAIN, RATES, st.just("without_replacement"))
RECURRING = ["daily", "weekly", "monthly", "quarterly", "yearly"]
DAYS = st.dates(date(1970, 1, 1), date(2030, 12, 31))
LATER = st.dates(date(2031, 1, 1), date(2099, 12, 31))


def schedules() -> st.SearchStrategy[dict]:
    """The dates of a release, as keyword arguments."""
    once = st.fixed_dictionaries({"start": st.none() | DAYS, "cadence": st.sampled_from([None, "once"])})
    recurring = {"start": DAYS, "cadence": st.sampled_from(RECURRING), "end": LATER}
    return once | st.fixed_dictionaries(recurring)


BOUNDS = st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)).map(sorted)


def meanings() -> st.SearchStrategy[dict]:
    """What a release publishes and what values are clipped to, as keyword arguments."""
    kinds = st.fixed_dictionaries({}, optional={
        "kind": st.sampled_from([kind.key for kind in KINDS]), "rows": st.sampled_from([1, 2, 7]),
        "bars": st.sampled_from(["different", "any"]), "averaged": st.integers(1, 10**13),
    })  # fmt: skip
    bounds = st.just({}) | BOUNDS.map(lambda ends: {"lower": ends[0], "upper": ends[1]})
    return st.tuples(kinds, bounds).map(lambda drawn: drawn[0] | drawn[1])


def releases(mechanisms, parts) -> st.SearchStrategy[Release]:
    """Random releases of these mechanisms."""
    return st.builds(
        lambda dates, meaning, *args, **planning: Release(*args, **dates, **meaning, **planning),
        schedules(),
        meanings(),
        TEXTS,
        mechanisms,
        st.integers(0, 10**4),
        parts,
        weight=st.just(1.0) | POSITIVES,
        typical=st.none() | POSITIVES,
        answer_unit=st.none() | TEXTS,
        done=st.booleans() | DAYS,
    )


def quotable(releases: list[Release], *promise: object) -> Plan:
    """A plan of these releases; one whose sensitivity lets no total be quoted says nothing of what it publishes."""
    plan = Plan(releases, *promise)
    bare = {row: replace(plan.releases[row], kind=None, rows=None) for row in plan.faults}
    return replace(plan, releases=tuple(bare.get(row, each) for row, each in enumerate(plan.releases)))


def plans(mechanisms, parts, relations) -> st.SearchStrategy[Plan]:
    """Random plans of at most six releases, of which a total may be quoted."""
    return st.builds(
        quotable,
        st.lists(releases(mechanisms, parts), max_size=6),
        st.builds(Guarantee, st.just(math.inf) | st.floats(0, 1e300), st.floats(0, 1)),
        TEXTS,
        relations,
        st.none() | st.integers(1, 10**13),
        st.none() | st.booleans(),
    )


PLANS = plans(MECHANISMS, st.none() | TEXTS, st.sampled_from([None, "add_remove"])) | plans(
    REPLACED, st.none(), st.sampled_from(["replace_one"])
)
