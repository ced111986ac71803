"""Independent routes to the truth, at many digits: what a bound may never be below."""

import mpmath


def gaussian_delta(epsilon, mu, digits=80):
    """Balle-Wang's profile."""
    with mpmath.workdps(digits):
        epsilon, mu = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def black_box_delta(epsilon, each, leak, count, digits=60):
    """δ(ε) of `count` leaky randomized responses: Kairouz-Oh-Viswanath's binomial form, summed term by term."""
    with mpmath.workdps(digits):
        each, epsilon, leak = (mpmath.mpf(repr(value)) for value in (each, epsilon, leak))  # the decimals typed
        wrong = 1 / (1 + mpmath.exp(each))
        total = mpmath.mpf(0)
        for lies in range(count + 1):
            loss = (count - 2 * lies) * each
            if loss <= epsilon:
                break
            mass = mpmath.binomial(count, lies) * wrong**lies * (1 - wrong) ** (count - lies)
            total += mass * -mpmath.expm1(epsilon - loss)
        return 1 - (1 - leak) ** count * (1 - total)
