"""What README and documentation show, as a type checker reads it in its strict mode; it is checked, never run."""

import numpy as np

from dpviz import (
    ApproximateDP,
    Declared,
    DiscreteGaussian,
    Exponential,
    Filter,
    Gaussian,
    Guarantee,
    KaryRandomizedResponse,
    Laplace,
    NameAndShame,
    Plan,
    PrivacyLoss,
    RandomizedResponse,
    Release,
    Subsampled,
    calibrate,
    compare,
    compose,
    epsilon_curve,
    max_count,
    noise_sums,
    plot,
    risk,
    subsampling,
)

plan = Plan(
    [Release("Weekly counts", Laplace.from_epsilon(0.05), count=52), Release("Sums", Gaussian(20.0, 1), count=4)],
    budget=Guarantee(2, 1e-6),
    unit="person",
)
total: float = compose(plan).epsilon
pure: float = compose([Laplace(10.0)] * 3, 0.0).epsilon
counted: Guarantee = compose({Laplace(10.0): 3, RandomizedResponse(1.0): 1}, delta=1e-6, theorem="kov")
sigma: float = calibrate(Gaussian, 100, Guarantee(1, 1e-6), "zcdp").sigma
scale: float = calibrate(Laplace, 100, Guarantee(1, 1e-6)).scale
most: int = max_count(Laplace.from_epsilon(0.1), Guarantee(1, 1e-6))
one: float = Gaussian(5.0).epsilon(1e-6)
many: np.ndarray = Laplace(5.0).delta(np.linspace(0, 1, 11))
rounded: float = round(Subsampled(Gaussian(1.0), 0.01, "poisson").epsilon(1e-6), 3)
rho: float = DiscreteGaussian(10.0).rho
divergence: float = Exponential(0.5).rdp(2.0)
stated: Guarantee | None = plan.releases[0].mechanism.stated
of_any: float = plan.releases[0].mechanism.epsilon(1e-6)
others = (ApproximateDP(1.0, 1e-6), NameAndShame(1e-6), KaryRandomizedResponse(1.0, 4), Declared.zcdp(0.1))
probabilities: list[float] = [each.delta(0.5) for each in others]

loss = PrivacyLoss.of(plan)
tight: float = loss.epsilon(1e-6)
profile: np.ndarray = loss.delta(np.linspace(0, 2, 11))
advantage: float = loss.advantage
sentence: str = risk.odds(loss)
belief: float = risk.posterior(loss, 0.1, 0.01)

filter = Filter(Guarantee(1.0, 1e-6), rule="zcdp")
spent = filter.spend(Laplace.from_epsilon(0.1)).spend(Guarantee(0.1)) if filter.admits(Guarantee(0.1)) else filter
left: float = spent.largest_epsilon()

together: float = noise_sums.summed_epsilon([0.5, 0.75])
sampled: Guarantee = subsampling.amplify(Guarantee(1.0, 1e-6), 0.01)

frame = compare(plan)
figure = plot(frame, budget=2)
figure = plot.growth(epsilon_curve(plan, range(1, 13)), log=True)
written: str = plan.to_json()
read: Plan = Plan.read("year.json").repeated(2)
