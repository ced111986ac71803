"""The tight total of a plan as ball arithmetic encloses it, with the engine's answer beside it."""

from __future__ import annotations

import math
from decimal import Decimal

from dpviz.composition import compose
from dpviz.plan import Plan
from dpviz.rounding import shown_delta

INSTALL = (
    "the package dpviz-certified is needed for that and is not installed: in a checkout, pip install ./dpviz_certified"
)


def certificate(plan: Plan) -> dict[str, object]:
    """Return the enclosure of a plan's tight total at the δ of its budget.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    dict
        lower and upper (decimals as text, between which the smallest ε lies; "inf" where there is none), shown (both as
        one text), digits (how many are certain), method, delta, engine (what tight accounting answers; None where that
        is no finite number), and reason: why there is no enclosure, with None for the rest; "" where there is one.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> certificate(Plan([Release("a", Gaussian(10, 1), 100)]))["digits"]
    40
    """
    delta = plan.budget.delta
    told = dict.fromkeys(("lower", "upper", "shown", "digits", "method", "delta", "engine")) | {"delta": delta}
    try:
        from dpviz_certified import NotCertified, certified_total  # a package of its own, which may not be there
    except ImportError:
        return told | {"reason": INSTALL}
    try:
        found = certified_total(plan, delta)
    except NotCertified as refusal:
        return told | {"reason": str(refusal)}
    engine = compose(plan, delta, "pld").epsilon if delta < 1 else 0.0
    return told | {
        "lower": _text(found.lower),
        "upper": _text(found.upper),
        "shown": str(found),
        "digits": found.digits,
        "method": found.method,
        "engine": engine if math.isfinite(engine) else None,
        "reason": "",
    }


def _text(value: Decimal) -> str:
    return str(value) if value.is_finite() else "inf"


def certificate_sentence(told: dict[str, object]) -> str:
    """Say what is certified, and how far the engine's answer lies from it.

    Examples
    --------
    >>> from dpviz import RandomizedResponse, Release
    >>> print(certificate_sentence(certificate(Plan([Release("a", RandomizedResponse(0.5), 2)]))))
    Certified to 40 digits: at δ = 10⁻⁶ the smallest ε lies in [0.99999..., 0.99999...], by all joint losses, one by ...
    Tight accounting answers ε ≤ 0.99999..., above the enclosure by ... of it.
    """
    if told["reason"]:
        return f"The total cannot be certified: {told['reason']}."
    lower, upper = Decimal(told["lower"]), Decimal(told["upper"])
    where = f"at δ = {shown_delta(told['delta'])} "
    if not lower.is_finite():
        first = f"Certified: {where}no ε suffices, since the leaks alone reach δ or the noise allows every loss."
    elif lower == upper:
        first = f"Certified: {where}the smallest ε is {told['shown']}, by {told['method']}."
    else:
        digits = f"{told['digits']} digit{'s' * (told['digits'] != 1)}"
        first = f"Certified to {digits}: {where}the smallest ε lies in {told['shown']}, by {told['method']}."
    return f"{first}\nTight accounting answers {_beside(told['engine'], lower, upper)}."


def _beside(engine: float | None, lower: Decimal, upper: Decimal) -> str:
    """The engine's answer, and where it lies."""
    answer = Decimal("Infinity") if engine is None else Decimal(repr(engine))
    said = "that there is none" if engine is None else f"ε ≤ {engine!r}"
    if answer < lower:
        return f"{said}, BELOW the enclosure: that is an error of dpviz, please report it"
    if answer <= upper:
        return f"{said}, within the enclosure"
    if engine is None or upper == 0:
        return f"{said}, above the enclosure"
    return f"{said}, above the enclosure by {float(answer / upper - 1):.1e} of it"
