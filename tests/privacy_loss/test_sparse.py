"""Blocks of frequencies: nothing that counts is left out, and what is left out is bounded."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.mechanisms import Laplace, Subsampled
from dpviz.mechanisms.laws.loss_laws import ResponseLaw
from dpviz.privacy_loss import pld_bound, spectrum
from dpviz.privacy_loss.lattice import upper_lattice
from dpviz.privacy_loss.sparse import room
from tests.effort import examples

SIZE, DEAD = 1 << 14, -33.0
ADDED = 1e-11  # relative, per use: two sums of the same terms in other orders, powers of which are taken


def spectra(epsilons: list[float], step: float, tilt: float) -> tuple[spectrum.Spectrum, spectrum.Spectrum]:
    """One that looks at blocks where it can, and one that does not."""
    lattices = tuple(upper_lattice(ResponseLaw(each, 0.0), step, -60.0) for each in epsilons)
    sparse, whole = (spectrum.Spectrum(lattices, tilt, SIZE, DEAD) for _ in range(2))
    whole.room = 0
    return sparse, whole


@examples(15)
@given(
    st.lists(st.floats(0.001, 0.5), min_size=1, max_size=3),
    st.floats(0.5, 20.0),
    st.floats(1.0, 5.0),
    st.booleans(),
)
def test_what_is_left_out_is_bounded(epsilons: list[float], tilt: float, digits: float, tail: bool):
    """At every frequency that is looked at both agree; all others add up to no more than is said."""
    sparse, whole = spectra(epsilons, 0.0007, tilt)
    sparse.tail = whole.tail = tail
    fewest = np.full(len(epsilons), int(10**digits))
    found, every = sparse.strength(fewest), whole.strength(fewest)
    assert np.allclose(found.logs, every.logs[found.frequencies], rtol=0, atol=ADDED * fewest.sum() + 1e-9)
    rest = np.ones(SIZE // 2 + 1, dtype=bool)
    rest[found.frequencies] = False
    assert np.exp(every.logs[rest]).sum() <= found.beyond * (1 + 1e-6)
    assert np.all(every.logs[rest] <= every.logs.max() + DEAD + 1e-6)


def test_blocks_are_looked_at_where_uses_are_many():
    """Far fewer frequencies than there are; where they are not affordable, all are."""
    sparse, whole = spectra([0.01, 0.05], 0.0007, 3.0)
    many = np.array([200_000, 10_000])
    assert len(sparse.strength(many).frequencies) < SIZE // 40
    assert len(whole.strength(many).frequencies) == SIZE // 2 + 1
    assert room(sparse.lattices, 1 << 10) == 0


def test_totals_are_the_same_with_blocks_and_without(monkeypatch):
    """Of laws with few atoms, whose uses are many: to the accuracy that is asked for, and in the bracket."""
    sampled, counts = Subsampled(Laplace(20), 0.01, "without_replacement"), np.array([[10**6], [3 * 10**6]])
    quick = pld_bound([sampled], counts, 1e-6, 1e-5)
    monkeypatch.setattr(spectrum, "room", lambda *_: 0)
    slow = pld_bound([sampled], counts, 1e-6, 1e-5)
    assert np.allclose(quick.epsilon, slow.epsilon, rtol=1e-6, atol=0)
    assert np.all(slow.lower <= quick.epsilon) and np.all(quick.lower <= slow.epsilon)
