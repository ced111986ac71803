"""The losses of noise on whole numbers and their masses, at many digits, and what composing them does."""

import mpmath as mp

DIGITS = 60


def discrete_gaussian_atoms(sigma, shift):
    """Mass by loss, from the weights exp(-y²/2σ²)."""
    with mp.workdps(DIGITS):
        square = 2 * mp.mpf(sigma) ** 2
        reach = int(mp.ceil(mp.sqrt(120 * mp.log(10)) * mp.mpf(sigma) * mp.sqrt(2))) + shift + 1
        weights = {y: mp.exp(-(mp.mpf(y) ** 2) / square) for y in range(-reach, reach + 1)}
        whole = mp.fsum(weights.values())
        return {((y + shift) ** 2 - mp.mpf(y) ** 2) / square: weight / whole for y, weight in weights.items()}


def discrete_laplace_atoms(scale, shift):
    """Mass by loss, from the weights exp(-|y|/b), those beyond both answers summed as geometric series."""
    with mp.workdps(DIGITS):
        each = 1 / mp.mpf(scale)
        base = mp.exp(-each)
        share = (1 - base) / (1 + base)
        atoms = {(shift - 2 * y) * each: share * base**y for y in range(1, shift)}
        return {shift * each: 1 / (1 + base)} | atoms | {-shift * each: base**shift / (1 + base)}


def convolved(*laws):
    """The masses of sums of independent losses, equal sums joined to 40 digits."""
    with mp.workdps(DIGITS):
        total = {mp.mpf(0): mp.mpf(1)}
        for law in laws:
            joined = {}
            for loss, mass in total.items():
                for other, share in law.items():
                    if mass * share > mp.mpf(10) ** -70:
                        key = mp.nstr(loss + other, 40)
                        place, sum_ = joined.get(key, (loss + other, mp.mpf(0)))
                        joined[key] = place, sum_ + mass * share
            total = dict(joined.values())
        return total


def profile(atoms, epsilon):
    """δ(ε) by its definition."""
    with mp.workdps(DIGITS):
        epsilon = mp.mpf(epsilon)
        return mp.fsum(mass * -mp.expm1(epsilon - loss) for loss, mass in atoms.items() if loss > epsilon)
