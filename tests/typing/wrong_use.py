"""What a type checker must refuse: each line that ends in "wrong" is an error, and no other is."""

from dpviz import Gaussian, Guarantee, Laplace, Plan, PrivacyLoss, Release, calibrate, compose, risk

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
