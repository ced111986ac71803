"""Encloses what composed mechanisms lose: the method that reaches the most digits, and the search for ε in balls."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpviz.decimals import typed
from dpviz.mechanisms import Mechanism
from dpviz_certified import atoms, pieces
from dpviz_certified.cells import SingleUse, largest
from dpviz_certified.enclosure import Enclosure, NotCertified, between, enclosed, flint
from dpviz_certified.lattice import CELLS, Lattice
from dpviz_certified.laws import Law, Noise, Responses, ball, sides

if TYPE_CHECKING:
    from flint import arb

DIGITS = 40  # what closed forms are asked for
PRECISIONS = (256, 512, 1024, 2048, 4096)  # bits, one after the other until the digits are there
_COARSER = (30, 24, 18, 14, 10, 6)  # digits that are tried when the highest precision gives no more
_LONGEST = 1 << 20  # bits of the exact product that decides whether leaks equal δ
_TOLERABLE = 40  # bits of δ(0) without which its roots are not looked for
_ROUGH = 512  # cells of a lattice that finds about which δ is wanted
_STEPS = 300  # of a search
CLOSED, JOINT, JOINED = "a closed form", "all joint losses, one by one", "closed pieces between the joint losses"
CELLED = "a lattice that rounds up and one that rounds down"
_VANISHING = Decimal("1e-400")  # a δ whose digits are not looked for
Closed = atoms.Atoms | pieces.Pieces | SingleUse
Side = list[tuple[Law, int]]


def enclose_epsilon(
    mechanisms: Sequence[Mechanism], counts: Sequence[int], delta: float | Fraction, cells: int = CELLS
) -> Enclosure:
    """Return two ends of the smallest ε >= 0 at which the composed mechanisms are (ε, δ)-DP.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
    counts : sequence of int
        How often each is used, in one part of the data.
    delta : float or Fraction
        In [0, 1]; a float stands for the decimal that it is printed as, as all parameters do.
    cells : int
        About how many cells a lattice may have, where one is needed.

    Returns
    -------
    Enclosure
        The worse of both directions; ``inf`` where the leaks alone, 1 - Π (1 - δ_i), exceed δ.

    Raises
    ------
    NotCertified
        With the reason.

    Examples
    --------
    >>> from dpviz.mechanisms import Gaussian
    >>> f"{enclose_epsilon([Gaussian(10)], [100], 1e-6).lower:.30f}"
    '4.886554117462211996370499442475'
    """
    target = delta if isinstance(delta, Fraction) else typed(delta)
    if target >= 1:
        return _exactly(0, CLOSED)
    return _worse([_epsilon(side, target, cells) for side in sides(mechanisms, counts)])


def enclose_delta(
    mechanisms: Sequence[Mechanism], counts: Sequence[int], epsilon: float | Fraction, cells: int = CELLS
) -> Enclosure:
    """Return two ends of the smallest δ at which the composed mechanisms are (ε, δ)-DP.

    Parameters
    ----------
    mechanisms, counts, cells
        As for `enclose_epsilon`.
    epsilon : float or Fraction
        In [0, inf).

    Raises
    ------
    NotCertified
        With the reason.

    Examples
    --------
    >>> from dpviz.mechanisms import RandomizedResponse
    >>> print(enclose_delta([RandomizedResponse(0.5)], [2], 0.25).method)
    all joint losses, one by one
    """
    place = epsilon if isinstance(epsilon, Fraction) else typed(epsilon)
    if place < 0:
        raise NotCertified("ε is below 0")
    return _worse([_delta(side, place, cells) for side in sides(mechanisms, counts)])


def _exactly(value: int | str, method: str) -> Enclosure:
    return Enclosure(Decimal(value), Decimal(value), method)


def _worse(found: list[Enclosure]) -> Enclosure:
    """The larger of both directions, end by end."""
    return Enclosure(max(each.lower for each in found), max(each.upper for each in found), found[0].method)


def method_of(side: Side) -> str:
    """Say by which method a composition is evaluated.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> method_of(sides([Laplace(1.0)], [3])[0])
    'closed pieces between the joint losses'
    """
    if sum(count for _, count in side) == 1:
        return CLOSED
    gaussian = [law for law, _ in side if isinstance(law, Noise) and law.kind == "gaussian" and law.rate == 1]
    rest = [(law, count) for law, count in side if law not in gaussian]
    if atoms.fits(rest):
        return JOINT if rest else CLOSED
    degree = sum(count for law, count in rest if isinstance(law, Noise))
    return JOINED if pieces.fits(side) and (degree + 1) ** 2 <= pieces.MOST_TERMS else CELLED


def _composed(side: Side) -> Closed:
    """The composition at the precision in force, by a closed method."""
    if sum(count for _, count in side) == 1:
        return SingleUse(side[0][0])
    if method_of(side) == JOINED:
        return pieces.Pieces(side)
    square = sum((law.size for law, _ in side if isinstance(law, Noise)), Fraction(0))
    return atoms.Atoms([(law, count) for law, count in side if isinstance(law, Responses)], square)


def leaks(side: Side) -> arb:
    """Return the probability that any of the uses leaks."""
    kept = flint().arb(1)
    for law, count in side:
        kept *= ball(1 - law.leak) ** count
    return 1 - kept


def _left(side: Side, target: Fraction) -> int:
    """The sign of what δ leaves when the leaks are paid."""
    for bits in PRECISIONS[:3]:
        with flint().ctx.workprec(bits):
            rest = ball(target) - leaks(side)
            if rest > 0 or rest < 0:
                return 1 if rest > 0 else -1
    parts = [(1 - law.leak, count) for law, count in side if law.leak]
    if sum(count * part.denominator.bit_length() for part, count in parts) > _LONGEST:
        raise NotCertified("δ and the leaks are too close to be told apart")
    kept = Fraction(1)
    for part, count in parts:
        kept *= part**count
    rest = target - (1 - kept)
    return (rest > 0) - (rest < 0)


def _epsilon(side: Side, target: Fraction, cells: int) -> Enclosure:
    method = method_of(side)
    if not any(not isinstance(law, Responses) or law.epsilon for law, _ in side):
        return _exactly(0 if _left(side, target) >= 0 else "Infinity", CLOSED)
    sign = _left(side, target)
    if sign < 0:
        return _exactly("Infinity", CLOSED)
    if sign == 0:
        return _largest_loss(side)
    if method == CELLED:
        return _by_lattice(side, cells, target=target)
    answer = None
    for bits in PRECISIONS:
        with flint().ctx.workprec(bits):
            rest = ball(target) - leaks(side)
            if not rest > 0:
                continue
            try:
                answer = _solved(_composed(side), rest, method, bits == PRECISIONS[-1])
            except NotCertified:
                if method != JOINT and method != JOINED:
                    raise
                return _by_lattice(side, cells, target=target)
        if answer is not None:
            return answer
    raise NotCertified("its digits cancel beyond every precision tried")


def _by_lattice(side: Side, cells: int, target: Fraction | None = None, place: Fraction | None = None) -> Enclosure:
    if target is not None:
        low, high = Lattice(side, cells, target=target).epsilon()
    else:
        rough = Lattice(side, _ROUGH, place=place).delta()[1]
        low, high = Lattice(side, cells, place=place, about=max(float(rough), 0.0)).delta()
    with flint().ctx.workprec(PRECISIONS[0]):
        return enclosed(low, high, CELLED)


def _largest_loss(side: Side) -> Enclosure:
    """At the δ of the leaks no finite loss may be exceeded: the largest of each law add up."""
    if all(law.rate == 1 and (isinstance(law, Responses) or law.kind == "laplace") for law, _ in side):
        sizes = [law.epsilon if isinstance(law, Responses) else law.size for law, _ in side]
        return between(sum(count * size for size, (_, count) in zip(sizes, side, strict=True)), CLOSED)
    with flint().ctx.workprec(PRECISIONS[0]):
        tops = [(largest(law), count) for law, count in side]
        if any(top is None for top, _ in tops):
            return _exactly("Infinity", CLOSED)
        whole = sum((count * top for top, count in tops), flint().arb(0))
        return enclosed(whole, whole, CLOSED)


def _solved(composed: Closed, rest: arb, method: str, last: bool) -> Enclosure | None:
    """The ε at which the surplus is `rest`, proved from both sides; None if more precision is needed."""
    library = flint()
    zero = library.arb(0)
    at_zero = composed.surplus(zero)[0]
    if at_zero <= rest:
        return _exactly(0, method)
    if at_zero.rel_accuracy_bits() < _TOLERABLE and not last:
        return None
    root = _root(composed, rest)
    for digits in (DIGITS + 1, *(_COARSER if last else ())):
        width = library.arb(10) ** -digits / 2
        low, high = (root * (1 - width)).lower(), (root * (1 + width)).upper()
        above = composed.surplus(low)[0] > rest
        if not above and not (last and digits == _COARSER[-1]):
            continue
        if composed.surplus(high)[0] <= rest:
            return enclosed(low if above else zero, high, method)
    return None


def _root(composed: Closed, rest: arb) -> arb:
    """About where the surplus is `rest`: Newton steps for its logarithm far off, for itself nearby, kept in a bracket.

    Nothing rests on how well this goes: `_solved` proves the answer.
    """
    library = flint()
    low = library.arb(0)
    high = library.arb(1) if composed.top is None else composed.top.mid()
    while composed.top is None and composed.surplus(high)[0] > rest:
        low, high = high, high * 2
    place, tiny = (low + high).mid() / 2, library.arb(2) ** (24 - library.ctx.prec)
    for _ in range(_STEPS):
        value, falsely = (each.mid() for each in composed.surplus(place))
        low, high = (place, high) if value > rest.mid() else (low, place)
        step = _newton(value, rest.mid(), place.exp() * falsely)
        moved = (place + step).mid() if step is not None else low
        if not (low < moved and moved < high):
            moved = (low * high).sqrt().mid() if low > 0 and high > 4 * low else ((low + high) / 2).mid()
        if abs(moved - place) <= tiny * place or high - low <= tiny * high:
            return moved
        place = moved
    return place


def _newton(value: arb, rest: arb, slope: arb) -> arb | None:
    if not (slope > 0 and value > 0):
        return None
    off = (value / rest).log()
    if abs(off) > 1:
        return off * value / slope
    ahead = (value - rest) / slope
    return ahead.log1p() if ahead > -1 else None


def _delta(side: Side, place: Fraction, cells: int) -> Enclosure:
    method = method_of(side)
    if any(law.leak == 1 for law, _ in side):
        return _exactly(1, CLOSED)
    if method == CELLED:
        return _by_lattice(side, cells, place=place)
    answer = None
    for bits in PRECISIONS:
        with flint().ctx.workprec(bits):
            try:
                value = leaks(side) + _composed(side).surplus(ball(place))[0] if side else flint().arb(0)
            except NotCertified:
                return _by_lattice(side, cells, place=place)
            answer = enclosed(value, value, method)
            if answer.digits >= DIGITS or answer.upper < _VANISHING:
                return answer
    return answer

