"""A risk as the goal of a budget: an attacker's advantage, or a pair of error rates, that noise must not let pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from dpviz.adversary.risk import Loss, PairLoss, check_loss, true_positive_rate
from dpviz.composition import compose, refusal, theorem_named
from dpviz.composition.calibration import STEP, uneven
from dpviz.guarantee import Guarantee
from dpviz.parameters import FALSE_POSITIVE_RATE, Parameter
from dpviz.plan import Plan, Workload
from dpviz.planning.budgeting.noise_levels import Adjustable
from dpviz.planning.budgeting.search import Found, fixed_family, rounded_within, with_ratios
from dpviz.planning.budgeting.splits import Split
from dpviz.privacy_loss import PrivacyLoss
from dpviz.search import ROUGH, farthest, last_crossing, least_scale

ADVANTAGE = Parameter("advantage", "", "right accusations beyond wrong ones", 0, 1, open_low=True, open_high=True)
MISSED = Parameter("false_negative_rate", "β", "how often an attacker misses", 0, 1, open_low=True, open_high=True)
_PRECISION = 1e-6  # relative, of the noise
_LARGEST = 700.0  # ε of a pair; beyond, an advantage is 1 to the last digit
_DELTAS = tuple(10.0 ** (-place / 4) for place in range(2, 40))  # at which a pair of zCDP may keep a goal
_LEAST, _MOST = 1e-9, 1e9  # noise over sensitivity, between which it is looked for


@dataclass(frozen=True, slots=True)
class Goal:
    """A risk that an attacker may not exceed: an advantage, or a false positive with a false negative rate.

    Parameters
    ----------
    advantage : float, optional
        The most by which right accusations may exceed wrong ones, in (0, 1).
    false_positive_rate, false_negative_rate : float, optional
        Whoever accuses wrongly this often, or less, must miss at least that often: in [0, 1) and (0, 1), together below
        1, since a guess without looking has rates that add up to 1.

    Raises
    ------
    ValueError
        When not exactly one of the two is given, or a value is not allowed.

    Examples
    --------
    >>> from dpviz.adversary import PairLoss
    >>> Goal(advantage=0.2).within(PairLoss(Guarantee(0.4))), Goal(None, 0.05, 0.9).within(PairLoss(Guarantee(0.4)))
    (True, True)
    """

    advantage: float | None = None
    false_positive_rate: float | None = None
    false_negative_rate: float | None = None

    def __post_init__(self) -> None:
        rates = (self.false_positive_rate, self.false_negative_rate)
        if (self.advantage is None) == (rates == (None, None)) or (rates[0] is None) != (rates[1] is None):
            raise ValueError(
                "goal must be an advantage, or a false_positive_rate with a false_negative_rate; "
                f"got {self.advantage}, {rates[0]} and {rates[1]}"
            )
        if self.advantage is not None:
            object.__setattr__(self, "advantage", ADVANTAGE.check(self.advantage))
            return
        object.__setattr__(self, "false_positive_rate", FALSE_POSITIVE_RATE.check(rates[0]))
        object.__setattr__(self, "false_negative_rate", MISSED.check(rates[1]))
        if not sum(map(float, rates)) < 1:
            raise ValueError(
                f"false_negative_rate must be below 1 - false_positive_rate; got {rates[1]} and {rates[0]}"
            )

    def share(self, loss: Loss) -> float:
        """Return the advantage, or the true positive rate, over the largest that is allowed: at most 1 where kept."""
        check_loss(loss, "advantage", "tradeoff")
        if self.advantage is not None:
            return float(loss.advantage) / self.advantage
        allowed = math.nextafter(1 - self.false_negative_rate, 0.0)
        return true_positive_rate(loss, self.false_positive_rate) / allowed

    def within(self, loss: Loss) -> bool:
        """Say whether no attack on what loses this much exceeds the goal."""
        return self.share(loss) <= 1

    def pair(self, delta: float) -> Guarantee | None:
        """Return the pair with the largest ε at a δ that by itself keeps the goal; None where δ alone exceeds it.

        Examples
        --------
        >>> print(f"{Goal(advantage=0.2).pair(0.0).epsilon:.4f}")
        0.4055
        """

        def kept(epsilon: float) -> bool:
            return self.within(PairLoss(Guarantee(epsilon, delta)))

        return Guarantee(farthest(kept, 0.0, _LARGEST), delta) if kept(0.0) else None


def goal_noise(plan: Plan, levels: Adjustable, split: Split, goal: Goal) -> Found | str:
    """Return the plan with the least noise that keeps the goal by its own privacy loss, or why there is none.

    Verified on the plan that is returned, whose noise has six digits: within the goal, and within 1e-4 of it.

    Notes
    -----
    Other noise hides more the larger it is. Discrete Gaussian noise of few losses does not: at a false positive rate of
    0.001 one use of σ = 0.505 lets pass fewer right accusations than one of 0.515. It is looked at every 1 % up to
    where zCDP, which falls with σ, proves the goal, or where `dpviz.composition.calibration.settled` found it to end:
    the least noise is that from which on the goal was kept.

    Examples
    --------
    >>> from dpviz import Gaussian, Release
    >>> from dpviz.planning.budgeting.splits import split_named
    >>> plan = Plan([Release("a", Gaussian(1.0, 1), 100)], Guarantee(1.0, 1e-6))
    >>> found = goal_noise(plan, Adjustable.of(plan), split_named("equal"), Goal(advantage=0.1))
    >>> print(f"{found.plan.releases[0].mechanism.sigma:.3f} {PrivacyLoss.of(found.plan).advantage:.5f}")
    39.790 0.10000
    """
    if reason := refusal(theorem_named("pld"), Workload.of(plan), plan.budget.delta):
        return reason
    held = goal.share(PrivacyLoss.of(levels.held(plan))) if len(levels) < len(plan.releases) else 0.0
    if held >= 1:
        return "the releases that are held exceed the goal by themselves"

    def share(size: float, accuracy: float = _PRECISION) -> float:
        return goal.share(PrivacyLoss.of(with_ratios(plan, levels, family(size)), accuracy))

    # The pair only shapes a split that depends on how privacy is accounted for.
    pair = goal.pair(plan.budget.delta) or Guarantee(1.0, plan.budget.delta)
    family = fixed_family(replace(plan, budget=pair), levels, split)
    if share(_LEAST) <= 1:
        return "any noise keeps this goal, so that none is the least"
    if share(_MOST) > 1:
        return "no noise that a computer holds keeps this goal"
    size = least_scale(share, 1.0, 1.0, _PRECISION)
    size = size and _settled(goal, lambda tried: with_ratios(plan, levels, family(tried)), share, size)

    def proves(solved: Plan) -> Guarantee | None:
        return compose(solved, plan.budget.delta) if goal.within(PrivacyLoss.of(solved)) else None

    found = size and rounded_within(plan, levels, family, size, "pld", proves)
    return found or "no noise that was tried keeps this goal"


def _settled(
    goal: Goal, plan_at: Callable[[float], Plan], share: Callable[[float, float], float], size: float
) -> float:
    """The least size of noise from which on the goal is kept, from one at which it is."""

    def surely(tried: Plan) -> bool:
        return not uneven(tried) or any(goal.within(PairLoss(compose(tried, delta, "zcdp"))) for delta in _DELTAS)

    until = size
    while not surely(plan_at(until)):
        until *= STEP

    def kept(tried: float) -> bool:
        return share(tried, ROUGH) <= 1 or share(tried, _PRECISION) <= 1  # a rough share is never below the other

    return last_crossing(kept, size, until, _PRECISION)
