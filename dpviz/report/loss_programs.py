"""The law of a mechanism's loss as dp-accounting makes it: an expression for each kind, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable

from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.batches import TwoSided
from dpviz.mechanisms.uses import uses_of

_NOISE_ALONE = "its engine samples noise alone"


def loss_program(mechanism: Mechanism) -> str:
    """Return the expression that makes the law of one use.

    Raises
    ------
    ValueError
        With the reason, where dp-accounting has no such law.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace, Subsampled
    >>> loss_program(Subsampled(Laplace(10, 1), 0.5, "poisson"))
    'pld.from_laplace_mechanism(10.0, sensitivity=1.0, sampling_prob=0.5, **GRID)'
    """
    if (uses := uses_of(mechanism)) != {mechanism: 1}:
        first, *others = (_several(each, count) for each, count in uses.items())
        return first + "".join(f".compose({other})" for other in others)
    if isinstance(mechanism, TwoSided):
        raise ValueError("its numerical engine knows no such batches")
    if not mechanism.sampled:
        return _expression(mechanism, "")
    if mechanism.scheme == "without_replacement":
        raise ValueError("its numerical engine knows no sampling without replacement")
    if mechanism.rate == 0:
        raise ValueError("a sample of nothing tells nothing")
    return _expression(mechanism.base, f", sampling_prob={mechanism.rate!r}")


def _expression(mechanism: Mechanism, sampling: str) -> str:
    if mechanism.key not in EXPRESSIONS:
        raise ValueError("no law of dp-accounting is known here for what it is")
    return EXPRESSIONS[mechanism.key](mechanism, sampling)


def _several(mechanism: Mechanism, count: int) -> str:
    return loss_program(mechanism) + (f".self_compose({count!r})" if count > 1 else "")


def _noise(kind: str) -> Callable[[Mechanism, str], str]:
    def expression(mechanism: Mechanism, sampling: str) -> str:
        scale = 1 / mechanism.noise.scale if kind == "discrete_laplace" else mechanism.noise.scale
        # Of noise on whole numbers the grid would round each loss up by half a step, of thousands of uses by dozens.
        dots = ", use_connect_dots=True" if kind.startswith("discrete") else ""
        return f"pld.from_{kind}_mechanism({scale!r}, sensitivity={mechanism.sensitivity!r}{sampling}{dots}, **GRID)"

    return expression


def _pair(mechanism: Mechanism, sampling: str) -> str:
    if sampling or mechanism.stated.delta >= 1:
        raise ValueError("a δ of 1 promises nothing" if not sampling else _NOISE_ALONE)
    pair = f"{mechanism.stated.epsilon!r}, {mechanism.stated.delta!r}"
    return f"pld.from_privacy_parameters(DifferentialPrivacyParameters({pair}), **GRID)"


def _response(mechanism: Mechanism, sampling: str) -> str:
    """By the share of the answers that are drawn at random."""
    if sampling:
        raise ValueError(_NOISE_ALONE)
    share = 1 / (1 + math.expm1(min(mechanism.stated.epsilon, 700.0)) / mechanism.k)
    return f"pld.from_randomized_response({share!r}, {mechanism.k!r}, **GRID)"


def _curve(mechanism: Mechanism, sampling: str) -> str:
    if sampling or mechanism.mu is None:
        raise ValueError("its numerical engine reads no declared curve but μ" if not sampling else "it adds no noise")
    return f"pld.from_gaussian_mechanism(1.0, sensitivity={mechanism.mu!r}, **GRID)"


def _bounded_range(mechanism: Mechanism, sampling: str) -> str:
    raise ValueError("its numerical engine knows no mechanism of bounded range, its Rényi accountant does")


def _pick(mechanism: Mechanism, sampling: str) -> str:
    return _expression(mechanism.worst, sampling)


def _trained(mechanism: Mechanism, sampling: str) -> str:
    if sampling:
        raise ValueError(_NOISE_ALONE)
    return loss_program(mechanism)


EXPRESSIONS: dict[str, Callable[[Mechanism, str], str]] = {
    **{kind: _noise(kind) for kind in ("laplace", "gaussian", "discrete_laplace", "discrete_gaussian")},
    **dict.fromkeys(("randomized_response", "approximate_dp", "name_and_shame"), _pair),
    "kary_randomized_response": _response,
    "exponential_mechanism": _bounded_range,
    **dict.fromkeys(("permute_and_flip", "report_noisy_max"), _pick),
    "declared": _curve,
    "trained_model": _trained,
}
