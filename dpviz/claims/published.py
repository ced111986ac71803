"""Claims from the literature that are worth checking, with the releases that they are about; no verdict is stored."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from dpviz.claims.stated import StatedTotal
from dpviz.composition import compose
from dpviz.composition.conversions import epsilon_from_rho
from dpviz.mechanisms import ApproximateDP, Declared, DiscreteGaussian, Gaussian, Laplace, Subsampled
from dpviz.mechanisms.laws.gaussian_profile import calibrated_sigma
from dpviz.plan import Plan, Release
from dpviz.records import record_named
from dpviz.rounding import next_above


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """A claim that somebody published.

    Parameters
    ----------
    key, label : str
        Its name in code and addresses, and for people.
    says : str
        What is claimed, in words of our own.
    releases : callable
        ``releases()``: the plan of what is claimed of.
    stated : callable
        ``stated()``: the total.
    source : str
        Where it stands.
    address : str
        Of the source.
    left_open : tuple of str
        Keys of `dpviz.claims.ASPECTS` that it does not disclose.

    Examples
    --------
    >>> claim = published_claim_named("opacus_gdp")
    >>> claim.stated(), claim.releases().releases[0].uses
    (StatedTotal(epsilon=6.59, delta=1e-05, printed=''), 2250)
    """

    key: str
    label: str
    says: str
    releases: Callable[[], Plan]
    stated: Callable[[], StatedTotal]
    source: str
    address: str
    left_open: tuple[str, ...] = ()


def published_claim_named(key: str) -> PublishedClaim:
    """Return the published claim with this key."""
    return record_named(PUBLISHED, key)


def _training(sigma: float, rate: float, steps: int) -> Plan:
    """Steps of training by noisy gradients, each on a Poisson sample."""
    return Plan(
        (Release("Training steps", Subsampled(Gaussian(sigma, 1.0), rate, "poisson"), steps),),
        unit="training example",
        relation="add_remove",
    )


def _in_fixed_order(sigma: float, epochs: int) -> Plan:
    return Plan((Release("Epochs", Gaussian(sigma, 1.0), epochs),), unit="training example", relation="add_remove")


def _queries() -> Plan:
    return Plan((Release("Queries", Laplace.from_epsilon(1.0, 1.0), 100),), unit="person", relation="add_remove")


def _classical_at(epsilon: float, delta: float) -> Plan:
    noise = Gaussian(calibrated_sigma("classical", epsilon, delta, 1.0), 1.0)
    return Plan((Release("One answer", noise),), relation="add_remove")


def _states(noise: type) -> Plan:
    """The ten tables of the state level of the redistricting file, as the example of the 2020 Census holds them."""
    return Plan(
        (Release("States", noise(2.235956182485471, 1), 10),),
        unit="person",
        relation="add_remove",
        population=331449281,
    )


@cache
def _census_claim() -> StatedTotal:
    """What accounting for real-valued noise says of the state level, rounded up to four digits."""
    return StatedTotal(next_above(compose(_states(Gaussian), 1e-11).epsilon), 1e-11)


def _recurve() -> Plan:
    whole = ApproximateDP(6.8, 4.08e-8)  # 0.1 + 0.2 + 4 + 2 × 1.25, by basic composition
    sampled = Subsampled(whole, 0.124, "without_replacement")
    return Plan((Release("All queries on the comparison group", sampled),), unit="customer", relation="replace_one")


def _housing() -> Plan:
    tables = (Release("Person tables", Declared.zcdp(4.96)), Release("Housing unit tables", Declared.zcdp(7.70)))
    return Plan(tables, unit="person", relation="replace_one")


def _scenes() -> Plan:
    return Plan((Release("One report, aggregated", ApproximateDP(1.0, 1.5e-7)),))


def _lecture() -> Plan:
    return Plan((Release("Answers", Laplace.from_epsilon(0.001, 1.0), 500),), relation="add_remove")


def _sum_of_honest() -> Plan:
    """Half of 100 clients collude: the noise of the other 50 remains, each the least for ε = 1."""
    sigma = calibrated_sigma("analytic", 1.0, 1e-5, 1.0) * math.sqrt(50)
    return Plan((Release("The sum of 100 answers", Gaussian(sigma, 1.0)),))


def _sum_of_two() -> Plan:
    sigma = math.hypot(*(calibrated_sigma("classical", epsilon, 1e-5, 1.0) for epsilon in (0.5, 0.75)))
    return Plan((Release("The sum of two noises", Gaussian(sigma, 1.0)),))


_REGISTRY = "OpenDP deployments registry, read in November 2026"
_ADDRESS = "https://github.com/opendp/deployments-registry-data"
_TUTORIAL = "TensorFlow Privacy, tutorials: MNIST with σ = 1.12, batches of 256 of 60,000, 60 epochs"
_TUTORIALS = "https://github.com/tensorflow/privacy/tree/master/tutorials"
PUBLISHED = (
    PublishedClaim(
        "hundred_queries",
        "A hundred queries",
        "Each of 100 queries is answered with Laplace noise for ε = 1; ten times that is said to be all of it.",
        _queries,
        partial(StatedTotal, 10.0, 1e-6),
        "A frequent misreading of advanced composition; Dwork & Roth (2014), Thm 3.20, says more",
        "https://doi.org/10.1561/0400000042",
    ),
    PublishedClaim(
        "opacus_gdp",
        "Training, by a Gaussian estimate",
        "2,250 training steps on samples of 4 %, with σ = 1.5, cost ε = 6.59 at δ = 10⁻⁵, by a central limit theorem.",
        partial(_training, 1.5, 0.04, 2250),
        partial(StatedTotal, 6.59, 1e-5),
        "Opacus, GDPAccountant, which warns of it since issue 384; Dong, Roth & Su (2022), Sec. 5",
        "https://github.com/meta-pytorch/opacus/issues/384",
    ),
    PublishedClaim(
        "epochs_undisclosed",
        "Training, batches not disclosed",
        "60 epochs of training cost ε = 2.92 at δ = 10⁻⁵; how batches were drawn is not said.",
        partial(_training, 1.12, 256 / 60000, math.ceil(60 * 60000 / 256)),
        partial(StatedTotal, 2.92, 1e-5),
        _TUTORIAL,
        _TUTORIALS,
        ("sampling",),
    ),
    PublishedClaim(
        "epochs_in_order",
        "Training, once per epoch",
        "The same ε = 2.92, where every record is in one batch of each epoch, in the same order.",
        partial(_in_fixed_order, 1.12, 60),
        partial(StatedTotal, 2.92, 1e-5),
        f"{_TUTORIAL}; Chua et al. (2024), How Private are DP-SGD Implementations?",
        "https://arxiv.org/abs/2403.17673",
    ),
    PublishedClaim(
        "classical_large",
        "Gaussian noise beyond its range",
        "The classical noise, whose proof needs ε below 1, is taken for ε = 10 and δ = 10⁻⁵.",
        partial(_classical_at, 10.0, 1e-5),
        partial(StatedTotal, 10.0, 1e-5),
        "Dwork & Roth (2014), Thm A.1, beyond its range; Balle & Wang (2018), Sec. 2.3",
        "https://arxiv.org/abs/1805.06530",
    ),
    PublishedClaim(
        "census_states",
        "Census, state level",
        "The state level of the redistricting file, accounted for as if its noise were real-valued.",
        partial(_states, DiscreteGaussian),
        _census_claim,
        "Canonne, Kamath & Steinke (2020), The Discrete Gaussian; production settings of the 2020 Census",
        "https://arxiv.org/abs/2004.00010",
    ),
    PublishedClaim(
        "recurve",
        "Recurve",
        "Four kinds of queries, ε = 6.8 together, on a sample of 12.4 %, cost ε = 0.843 at δ = 4.08 × 10⁻⁸.",
        _recurve,
        partial(StatedTotal, 0.843, 4.08e-8),
        f"{_REGISTRY}: the paper multiplied ε by the sampling rate",
        f"{_ADDRESS}/blob/main/deployments/recurve_energy_dp.yaml",
        ("sampling",),
    ),
    PublishedClaim(
        "housing",
        "Census, housing and persons",
        "ρ = 15.29, split into 4.96 and 7.70, which add up to 12.66: the rest was the redistricting file's.",
        _housing,
        lambda: StatedTotal(next_above(epsilon_from_rho(15.29, 1e-10)), 1e-10),
        f"{_REGISTRY}: Demographic and Housing Characteristics File",
        f"{_ADDRESS}/blob/main/deployments/census_demographic_and_housing.yaml",
    ),
    PublishedClaim(
        "scenes",
        "Apple, iconic scenes",
        "ε = 1 without exception (“Pure DP”), beside a δ of 1.5 × 10⁻⁷.",
        _scenes,
        partial(StatedTotal, 1.0, 0.0),
        f"{_REGISTRY}: Iconic scenes and photo sections",
        f"{_ADDRESS}/blob/main/deployments/apple_iconic_scenes_photo_selections_2023.yaml",
    ),
    PublishedClaim(
        "lecture_tenth",
        "A lecture's 500 answers",
        "500 answers of ε = 0.001 each cost at most 0.1 at δ = 10⁻⁶.",
        _lecture,
        partial(StatedTotal, 0.1, 1e-6),
        "Lecture 11, numeric example",
        "",
    ),
    PublishedClaim(
        "secure_sum",
        "A secure sum with traitors",
        "The sum of 100 answers, each with noise for ε = 1, costs ε = 0.1 at δ = 10⁻⁵, whoever the clients are.",
        _sum_of_honest,
        partial(StatedTotal, 0.1, 1e-5, "0.1000"),
        "DP-ML Proofs, secure aggregation, with 50 of 100 clients colluding",
        "",
    ),
    PublishedClaim(
        "sum_pure",
        "Two noises, no failure",
        "The sum of Gaussian noises for ε = 0.5 and 0.75 is 0.416 differentially private, without a δ.",
        _sum_of_two,
        partial(StatedTotal, 1 / math.hypot(1 / 0.5, 1 / 0.75), 0.0),
        "DP-ML Proofs, sum of two mechanisms",
        "",
    ),
)  # fmt: skip
