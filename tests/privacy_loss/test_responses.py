"""Identical responses: their bracket holds the truth, by balls of many digits."""

import flint
import numpy as np
import pytest

from dpviz.mechanisms.loss_laws import ResponseLaw
from dpviz.privacy_loss.responses import (
    identical_responses,
    identical_responses_floor,
)

arb = flint.arb
ACCURACY = 1e-6


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(600):
        yield


def summed_delta(epsilon, each, count):
    """Ball of delta of `count` randomized responses at `epsilon`, all doubles: the sum of all its terms."""
    epsilon, each = arb(epsilon), arb(each)
    decay = (-each).exp()
    term, total = (1 + decay) ** -count, arb(0)
    for lies in range(count + 1):
        gap = (count - 2 * lies) * each - epsilon
        if not gap > 0:
            break
        total += term * -(-gap).expm1()
        term *= decay * (count - lies) / (lies + 1)
    return total


def tail_delta(epsilon, each, count):
    """The same by two incomplete beta functions, for large counts."""
    epsilon, each = arb(epsilon), arb(each)
    lies = int(((count - epsilon / each) / 2).mid().floor().unique_fmpz())
    if lies < 0:
        return arb(0)
    truth, lie = 1 / (1 + (-each).exp()), 1 / (1 + each.exp())
    more, fewer = (share.beta_lower(count - lies, lies + 1, True) for share in (truth, lie))
    return more - epsilon.exp() * fewer


def assert_enclosed(each, count, log_rest, leak=0.0, exact=summed_delta):
    """Epsilon is enough, and the floor is not too much, of the double `log_rest`."""
    law = ResponseLaw(each, leak)
    upper, excess = identical_responses(law, np.array([count]), np.array([log_rest]), ACCURACY)
    lower = identical_responses_floor(law, np.array([count]), np.array([log_rest]))[0]
    rest, kept = arb(log_rest).exp(), (1 - arb(leak)) ** count
    assert 0 <= lower <= upper[0] < np.inf
    assert upper[0] - excess[0] <= lower
    assert not kept * exact(upper[0], each, count) > rest
    assert lower == 0 or not kept * exact(lower, each, count) < rest
    return lower, upper[0]
