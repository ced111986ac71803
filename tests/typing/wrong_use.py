"""What a type checker must refuse: each line that ends in "wrong" is an error, and no other is."""

from dpviz import (
    Filter,
    Gaussian,
    Guarantee,
    Laplace,
    Plan,
    PrivacyLoss,
    Release,
    Subsampled,
    calibrate,
    compose,
    risk,
    solve_noise,
)

plan = Plan([Release("a", Laplace(10.0, 1))])
compose("a plan")  # wrong
compose(plan, delta="1e-6")  # wrong
Release("a", Guarantee(1.0))  # wrong
Release("a", Laplace)  # wrong
Plan(Release("a", Laplace(10.0, 1)))  # wrong
scale = calibrate(Gaussian, 100, Guarantee(1, 1e-6)).scale  # wrong
risk.odds(plan)  # wrong
text: str = PrivacyLoss.of(plan).epsilon(1e-6)  # wrong
risk.odds(PrivacyLoss.of(plan))
Subsampled(Gaussian(1.0), 0.1, "poison")  # wrong
compose(plan, theorem="renyi")  # wrong
Filter(Guarantee(1.0), "zcpd")  # wrong
Plan([], relation="replace")  # wrong
Release("a", Laplace(10.0), kind="cuont")  # wrong
Release("a", Laplace(10.0), cadence="hourly")  # wrong
solve_noise(plan, "evenly")  # wrong
calibrate(Gaussian, 100, Guarantee(1, 1e-6), theorem="moments")  # wrong
