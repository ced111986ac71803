"""Amplification by shuffling: what mixing the reports of many users buys over each user's local guarantee."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpviz.amplification.amplification import Amplification
from dpviz.amplification.clones import Clones, hidden_epsilon, of_any_randomizer, of_randomized_response
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import FINITE_EPSILON
from dpviz.outward import raised
from dpviz.parameters import DELTA, Parameter, checked_items
from dpviz.records import record_named

if TYPE_CHECKING:
    import pandas

CLIENTS = Parameter("clients", "n", "clients that report", 1, 10_000_000_000_000, integer=True)
MOST_REPORTS = 10**12  # looked at for the fewest that a bound needs


@dataclass(frozen=True, slots=True)
class ShuffleBound(Amplification):
    """A bound for shuffled reports, in closed form or summed numerically.

    Parameters
    ----------
    largest_local : callable
        ``largest_local(clients, delta)``: the largest local ε for which it is proved; -inf where there is none.
    bound : callable
        ``bound(epsilon, clients, delta)``: the ε of the shuffled reports, for local ε up to ``largest_local``.
    """

    largest_local: Callable[[int, float], float]
    bound: Callable[[float, int, float], float]


def _log_over(numerator: float, delta: float) -> float:
    """ln(numerator / δ), finite down to the smallest δ."""
    return math.log(numerator) - math.log(delta)


def _clones_largest_local(clients: int, delta: float) -> float:
    return math.log(clients / (16 * _log_over(2, delta))) - 1e-14


def _clones_bound(epsilon: float, clients: int, delta: float) -> float:
    size = math.exp(epsilon) / clients
    return math.log1p(math.tanh(epsilon / 2) * (8 * math.sqrt(size * _log_over(4, delta)) + 8 * size))


def _response_largest_local(clients: int, delta: float) -> float:
    odds = clients / (8 * _log_over(2, delta)) - 1
    return math.log(odds) - 1e-14 * (1 + 1 / odds) if odds > 0 else -math.inf


def _response_bound(epsilon: float, clients: int, delta: float) -> float:
    spread = 4 * math.sqrt(2 * _log_over(4, delta) / ((math.exp(epsilon) + 1) * clients))
    return math.log1p(math.expm1(epsilon) * (spread + 4 / clients))


def _always(clients: int, delta: float) -> float:
    return math.inf


def _numerical(clones: Callable[[float], Clones], closed: str) -> Callable[[float, int, float], float]:
    """The bound that sums over the number of clones; never more than the closed form for the same randomizers."""

    def bound(epsilon: float, clients: int, delta: float) -> float:
        summed = hidden_epsilon(epsilon, clients, delta, clones(epsilon))
        return min(summed, amplify_by_shuffling(epsilon, clients, delta, closed).epsilon)

    return bound


_SUMMED = (  # and a parenthesis of n - 1 and the share
    r"\begin{gathered}\mathbb E_C\Bigl[\tfrac{e^{\varepsilon_0}-e^{\varepsilon}}{e^{\varepsilon_0}+1}\Pr[B_C=m_C]"
    r" - (e^{\varepsilon}-1)\Pr[B_C<m_C]\Bigr] \le \delta, \\ m_c = \Bigl\lceil"
    r"\tfrac{(c+1)(e^{\varepsilon_0}-e^{\varepsilon})}{(e^{\varepsilon_0}-1)(e^{\varepsilon}+1)}\Bigr\rceil - 1, \\"
    r" B_c \sim \mathrm{Bin}(c,\tfrac12), \quad C \sim \mathrm{Bin}"
)
SHUFFLE_BOUNDS = (
    ShuffleBound(
        "shuffling",
        "Shuffling, any local randomizer",
        r"\varepsilon \le \ln\Bigl(1 + \tfrac{e^{\varepsilon_0}-1}{e^{\varepsilon_0}+1}\Bigl("
        r"8\sqrt{\tfrac{e^{\varepsilon_0}\ln(4/\delta)}{n}} + \tfrac{8e^{\varepsilon_0}}{n}\Bigr)\Bigr)",
        "n clients with the same ε₀-DP local randomizer, which may depend on reports already made; ε₀ at most"
        " ln(n / (16 ln(2/δ))); a shuffler that nobody colludes with; a client's value is replaced",
        "Feldman, McMillan & Talwar (2021), Hiding Among the Clones, Thm 3.1",
        "replace_one",
        _clones_largest_local,
        _clones_bound,
    ),
    ShuffleBound(
        "shuffling_randomized_response",
        "Shuffling, randomized response",
        r"\varepsilon \le \ln\Bigl(1 + (e^{\varepsilon_0}-1)\Bigl("
        r"\tfrac{4\sqrt{2\ln(4/\delta)}}{\sqrt{(e^{\varepsilon_0}+1)n}} + \tfrac{4}{n}\Bigr)\Bigr)",
        "n clients with binary randomized response of the same ε₀; ε₀ at most ln(n / (8 ln(2/δ)) - 1); a shuffler that"
        " nobody colludes with; a client's value is replaced; by its authors' erratum it does not hold for every local"
        " randomizer",
        "Feldman, McMillan & Talwar (2022), Stronger Privacy Amplification by Shuffling, Thm 3.2, with its erratum",
        "replace_one",
        _response_largest_local,
        _response_bound,
    ),
    ShuffleBound(
        "shuffling_numerical",
        "Shuffling, any local randomizer, numerical",
        _SUMMED + r"(n-1, e^{-\varepsilon_0})\end{gathered}",
        "n clients with the same ε₀-DP local randomizer, which may depend on reports already made; any ε₀ and any n; δ"
        " above 0; a shuffler that nobody colludes with; a client's value is replaced",
        "Feldman, McMillan & Talwar (2021), Hiding Among the Clones, the reduction to clones, summed numerically",
        "replace_one",
        _always,
        _numerical(of_any_randomizer, "shuffling"),
    ),
    ShuffleBound(
        "shuffling_randomized_response_numerical",
        "Shuffling, randomized response, numerical",
        _SUMMED + r"\bigl(n-1, \tfrac{2}{e^{\varepsilon_0}+1}\bigr)\end{gathered}",
        "n clients with binary randomized response of the same ε₀; any ε₀ and any n; δ above 0; a shuffler that nobody"
        " colludes with; a client's value is replaced; by its authors' erratum these clones are not proved for every"
        " local randomizer",
        "Feldman, McMillan & Talwar (2022), Stronger Privacy Amplification by Shuffling, with its erratum, summed"
        " numerically",
        "replace_one",
        _always,
        _numerical(of_randomized_response, "shuffling_randomized_response"),
    ),
)


def largest_local_epsilon(clients: int, delta: float, bound: str = "shuffling") -> float:
    """Return the largest local ε for which the bound is proved, rounded down; -inf where it never is.

    Parameters
    ----------
    clients : int
        At least 1.
    delta : float
        In [0, 1].
    bound : str
        A key of ``SHUFFLE_BOUNDS``.

    Examples
    --------
    >>> round(largest_local_epsilon(1000, 1e-6), 6)
    1.460421
    >>> largest_local_epsilon(100, 1e-6, "shuffling_randomized_response")
    -inf
    """
    record, clients, delta = record_named(SHUFFLE_BOUNDS, bound), CLIENTS.check(clients), DELTA.check(delta)
    largest = record.largest_local(clients, delta) if delta > 0 else -math.inf
    return largest if largest >= 0 else -math.inf


def fewest_reports(epsilon: float, delta: float, bound: str = "shuffling") -> int | None:
    """Return the fewest reports with which the bound is proved for a local ε; None where 10^12 are not enough.

    Parameters
    ----------
    epsilon : float
        In [0, inf).
    delta : float
        In [0, 1].
    bound : str
        A key of ``SHUFFLE_BOUNDS``.

    Examples
    --------
    >>> fewest_reports(1.46, 1e-6), fewest_reports(50, 1e-6)
    (1000, None)
    """
    epsilon = FINITE_EPSILON.check(epsilon)

    def proved(reports: int) -> bool:
        return epsilon <= largest_local_epsilon(reports, delta, bound)

    return 1 + bisect_left(range(1, MOST_REPORTS), True, key=proved) if proved(MOST_REPORTS) else None


def no_amplification(epsilon: float, clients: int, delta: float, bound: str = "shuffling") -> str:
    """Return why shuffling is not proved to amplify; "" where it is.

    Examples
    --------
    >>> no_amplification(2, 1000, 1e-6)
    'proved only for a local ε of at most 1.46 with 1,000 clients and δ = 1e-06: no amplification is claimed'
    """
    epsilon = FINITE_EPSILON.check(epsilon)
    largest = largest_local_epsilon(clients, delta, bound)
    if epsilon <= largest:
        return ""
    if delta == 0:
        return "proved only for δ above 0: no amplification is claimed"
    where = f"with {clients:,} clients and δ = {delta:g}: no amplification is claimed"
    if largest < 0:
        return f"proved for no local ε {where}"
    return f"proved only for a local ε of at most {math.floor(largest * 100) / 100:g} {where}"


def amplify_by_shuffling(epsilon: float, clients: int, delta: float, bound: str = "shuffling") -> Guarantee:
    """Return what shuffled reports promise each client.

    Parameters
    ----------
    epsilon : float
        Local ε of each client's randomizer, in [0, inf).
    clients : int
        Clients that report honestly, at least 1; whoever colludes with the recipient does not count.
    delta : float
        In [0, 1].
    bound : str
        ``shuffling`` for any local randomizer, ``shuffling_randomized_response`` for binary randomized response alone:
        closed forms. With ``_numerical`` appended, the sum that they bound: smaller, and proved for every ε and n.

    Returns
    -------
    Guarantee
        Rounded up; the local ``(epsilon, 0)`` where the bound is not proved (`no_amplification` says why) or not
        smaller.

    Notes
    -----
    Neighbour relation: one client's value is replaced.

    Why clones: an ε₀-DP randomizer answers the client's two values x and x' by a law U with probability
    e^ε₀/(e^ε₀ + 1), else V, and the reverse (post-processed randomized response); at any other value it has at least
    e^-ε₀ of the densities at x and x', so at least e^-ε₀ (U + V)/2. A reader who is told which others answered by that
    part sees only how many of them and the client drew U, and how many V. Binary randomized response answers any value
    by a fair coin with probability 2/(e^ε₀ + 1). What a sum cuts off or rounds is counted as δ, which adds about 1e-4
    to ε, relative.

    References
    ----------
    Feldman, McMillan & Talwar (2021), Thm 3.1 and its reduction to clones; Feldman, McMillan & Talwar (2022), Thm 3.2,
    which by its authors' erratum is restricted to a class of local randomizers.

    Examples
    --------
    >>> print(amplify_by_shuffling(1, 10_000, 1e-6))  # doctest: +ELLIPSIS
    (ε=0.2140256519..., δ=1e-06)-DP
    >>> print(amplify_by_shuffling(2, 1_000, 1e-6))
    (ε=2, δ=0)-DP
    >>> print(round(amplify_by_shuffling(2, 1_000, 1e-6, "shuffling_numerical").epsilon, 3))
    0.545
    """
    record, epsilon = record_named(SHUFFLE_BOUNDS, bound), FINITE_EPSILON.check(epsilon)
    clients, delta = CLIENTS.check(clients), DELTA.check(delta)
    if epsilon > largest_local_epsilon(clients, delta, bound):
        return Guarantee(epsilon)
    found = record.bound(epsilon, clients, delta)
    # A sum may prove 0; what underflows to 0 in a closed form is not 0.
    proved_zero = found == 0 and record.largest_local is _always
    shuffled = 0.0 if proved_zero else math.nextafter(raised(found, 34), math.inf)
    return Guarantee(shuffled, delta) if shuffled < epsilon else Guarantee(epsilon)


def shuffle_curve(epsilon: float, clients: Iterable[int], delta: float) -> pandas.DataFrame:
    """Return the shuffled ε against the number of clients.

    Returns
    -------
    pandas.DataFrame
        One row per bound and number of clients: bound, label, clients, local_epsilon, epsilon (nats), delta, applies,
        reason ("" where it applies), source.

    Examples
    --------
    >>> shuffle_curve(1, [100, 10_000], 1e-6).epsilon.round(3).tolist()
    [1.0, 0.214, 1.0, 0.18, 0.644, 0.053, 0.516, 0.043]
    """
    import pandas

    clients = checked_items(clients, "clients")
    rows = []
    for record in SHUFFLE_BOUNDS:
        for count in clients:
            answer = amplify_by_shuffling(epsilon, count, delta, record.key)
            reason = no_amplification(epsilon, count, delta, record.key)
            rows.append(
                {
                    "bound": record.key, "label": record.label, "clients": count, "local_epsilon": float(epsilon),
                    "epsilon": answer.epsilon, "delta": answer.delta, "applies": not reason, "reason": reason,
                    "source": record.source,
                }
            )  # fmt: skip
    columns = ["bound", "label", "clients", "local_epsilon", "epsilon", "delta", "applies", "reason", "source"]
    return pandas.DataFrame(rows, columns=columns)
