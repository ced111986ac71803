"""How files and forms describe a mechanism: its key, its parameters as typed, and how its data are sampled."""

from __future__ import annotations

from dpviz.mechanisms.declared import Declared
from dpviz.mechanisms.discrete_gaussian import DiscreteGaussian
from dpviz.mechanisms.discrete_laplace import DiscreteLaplace
from dpviz.mechanisms.gaussian import Gaussian
from dpviz.mechanisms.kary import KaryRandomizedResponse
from dpviz.mechanisms.laplace import Laplace
from dpviz.mechanisms.mechanism import Mechanism
from dpviz.mechanisms.responses import ApproximateDP, NameAndShame, RandomizedResponse
from dpviz.mechanisms.selection import Exponential, PermuteAndFlip, ReportNoisyMax
from dpviz.mechanisms.subsampled import Subsampled
from dpviz.mechanisms.thresholding import Thresholding
from dpviz.mechanisms.trained_model import TrainedModel

BASE_MECHANISMS = (
    Laplace, Gaussian, RandomizedResponse, ApproximateDP, NameAndShame, DiscreteLaplace, DiscreteGaussian,
    Exponential, PermuteAndFlip, ReportNoisyMax, KaryRandomizedResponse,
    Declared, TrainedModel,
)  # fmt: skip
MECHANISMS = (*BASE_MECHANISMS, Subsampled, Thresholding)
SAMPLING, THRESHOLD = ("scheme", "rate"), ("threshold", "keys")  # what mechanisms take beside their own parameters
_KEYED = {mechanism.key: mechanism for mechanism in BASE_MECHANISMS}


def mechanism_from(key: str, parameters: dict[str, object]) -> Mechanism:
    """Return the mechanism that files and forms describe by its key and parameters.

    Parameters
    ----------
    key : str
        A mechanism's ``key``.
    parameters : dict
        By name, as typed; exactly one of the mechanism's sets of parameters.

    Raises
    ------
    ValueError
        When the key is unknown, a parameter is missing, superfluous or outside its interval.

    Examples
    --------
    >>> mechanism_from("laplace", {"epsilon": 0.11}).stated.epsilon
    0.11
    >>> mechanism_from("gaussian", {"sigma": 1.0, "scheme": "poisson", "rate": 0.01}).relation
    'add_remove'
    >>> mechanism_from("laplace", {"scale": 10, "threshold": 200, "keys": 3}).threshold
    200.0
    """
    sampling = {name: parameters[name] for name in SAMPLING if name in parameters}
    held_back = {name: parameters[name] for name in THRESHOLD if name in parameters}
    for given, (first, second) in ((sampling, SAMPLING), (held_back, THRESHOLD)):
        if given.keys() == {second} or (given.keys() == {first} and given is sampling):
            (alone,) = given
            raise ValueError(f"{alone} must be given together with {second if alone == first else first}; got it alone")
    if sampling and held_back:
        raise ValueError(f"threshold must be empty for a random sample; got {held_back['threshold']!r}")
    base = _unwrapped(key, {name: value for name, value in parameters.items() if name not in (*SAMPLING, *THRESHOLD)})
    if held_back and base.noise is None:
        raise ValueError(f"threshold must be empty, since {base.why_no_noise}; got {held_back['threshold']!r}")
    return Subsampled(base, **sampling) if sampling else Thresholding(base, **held_back) if held_back else base


def parameters_of(key: str) -> tuple[str, ...]:
    """Return the names of the parameters that a mechanism takes, in any of its forms; none for an unknown one.

    Examples
    --------
    >>> parameters_of("laplace"), parameters_of("magic")
    (('epsilon', 'sensitivity', 'scale'), ())
    """
    forms = _KEYED[key].forms if key in _KEYED else ()
    return tuple(dict.fromkeys(name for form in forms for name in (*form.needed, *form.optional)))


def single_parameter(key: str) -> str:
    """Return the one parameter that gives a mechanism at sensitivity 1, of the first form with one; "" without such.

    Examples
    --------
    >>> single_parameter("laplace"), single_parameter("gaussian"), single_parameter("approximate_dp")
    ('epsilon', 'sigma', '')
    """
    return next((form.needed[0] for form in _KEYED[key].forms if len(form.needed) == 1), "")


def _unwrapped(key: str, parameters: dict[str, object]) -> Mechanism:
    if not isinstance(key, str) or key not in _KEYED:
        raise ValueError(f"mechanism must be one of {', '.join(_KEYED)}; got {key!r}")
    kind = _KEYED[key]
    for form in kind.forms:
        if form.takes(parameters):
            return (getattr(kind, form.builder) if form.builder else kind)(**parameters)
    forms = " or ".join(" and ".join(form.needed) for form in kind.forms)
    superfluous = sorted(set(parameters) - set(parameters_of(key)))
    extra = f"; it takes no {', '.join(superfluous)}" if superfluous else ""
    got = ", ".join(sorted(parameters)) or "nothing"
    raise ValueError(f"{key} must be given by {forms}; got {got}{extra}")
