"""Exact privacy profiles of small compositions, in arbitrary precision, independent of the library."""

import mpmath as mp

mp.mp.dps = 90


def gaussian_delta(epsilon, mu):
    """Profile of the Gaussian mechanism at any real epsilon."""
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def responses_delta(epsilon, each, count, leak=0, mu=None):
    """Profile of `count` leaky randomized responses, with a Gaussian of parameter `mu` if given: a binomial mixture."""
    each, leak = mp.mpf(each), mp.mpf(leak)
    truth = 1 / (1 + mp.exp(-each))
    total, term, odds = mp.mpf(0), truth**count, mp.exp(-each)
    for lies in range(count + 1):
        loss = (count - 2 * lies) * each
        if mu is None:
            gap = epsilon - loss
            if gap >= 0:
                break
            total += term * -mp.expm1(gap)
        else:
            total += term * gaussian_delta(epsilon - loss, mp.mpf(mu))
        term *= odds * (count - lies) / (lies + 1)
    return 1 - (1 - leak) ** count * (1 - total)


def laplace_delta(epsilon, each, count):
    """Profile of `count` Laplace mechanisms: atoms at both ends, and powers of a box times exp(x/2) between."""
    each = mp.mpf(each)
    total = mp.mpf(0)
    for high in range(count + 1):
        for low in range(count - high + 1):
            inner = count - high - low
            ways = mp.factorial(count) / mp.factorial(high) / mp.factorial(low) / mp.factorial(inner)
            weight = ways * mp.mpf(1) / 2**high * (mp.exp(-each) / 2) ** low * (mp.exp(-each / 2) / 4) ** inner
            rest = epsilon - (high - low) * each
            if inner == 0:
                total += weight * max(0, -mp.expm1(rest)) if rest < 0 else 0
            else:
                total += weight * (
                    boxes(rest, each, inner, mp.mpf(1) / 2) - mp.exp(rest) * boxes(rest, each, inner, -mp.mpf(1) / 2)
                )
    return total


def boxes(start, each, inner, rate):
    """Integral from `start` of exp(rate s) times the density-like power of `inner` boxes on (-each, each)."""
    top, total = inner * each, mp.mpf(0)
    for j in range(inner + 1):
        corner = -top + 2 * j * each
        low = max(start, corner)
        if low < top:
            sign = (-1) ** j * mp.binomial(inner, j) / mp.factorial(inner - 1)
            total += (
                sign
                * mp.exp(rate * corner)
                * (primitive(top - corner, inner - 1, rate) - primitive(low - corner, inner - 1, rate))
            )
    return total


def primitive(u, power, rate):
    """Antiderivative of u^power exp(rate u)."""
    total, term = mp.mpf(0), u**power / rate
    for i in range(power + 1):
        total += term
        term = -term * (power - i) / (rate * u) if u else (term if i < power - 1 else -term)
    if not u:
        total = (-1) ** power * mp.factorial(power) / rate ** (power + 1)
    return mp.exp(rate * u) * total


def responses_epsilon(delta, each, count, leak=0):
    """Smallest epsilon >= 0 of `count` leaky randomized responses at `delta`: the piece that holds it, solved."""
    each, kept = mp.mpf(each), (1 - mp.mpf(leak)) ** count
    rest = 1 - (1 - mp.mpf(delta)) / kept
    if rest < 0:
        return mp.inf
    truth = 1 / (1 + mp.exp(-each))
    true_mass, lied_mass, more, fewer = truth**count, (1 - truth) ** count, mp.mpf(0), mp.mpf(0)
    odds, counter_odds = mp.exp(-each), mp.exp(each)
    for lies in range(count + 1):
        more, fewer = more + true_mass, fewer + lied_mass
        end = max((count - 2 * lies - 2) * each, 0)
        if more - mp.exp(end) * fewer >= rest or lies == count or end == 0:
            return max(mp.log((more - rest) / fewer), mp.mpf(0)) if more > rest else mp.mpf(0)
        step = mp.mpf(count - lies) / (lies + 1)
        true_mass, lied_mass = true_mass * step * odds, lied_mass * step * counter_odds
