"""Random adaptive histories on a ledger, held against a count of their own: never over the budget, by anybody's sum."""

import math
from fractions import Fraction
from random import Random

import pytest

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.store import Database, Key, Refused, Term
from tests.effort import share

KEY = Key("census", "person")
SECOND = 1_000_000


def independent(rule: str, budget: tuple[Fraction, Fraction, Fraction], asked: list) -> bool:
    """Whether pairs and ρ lie within a budget, with no code of dpviz: exact sums, or the theorem's own formula.

    `asked` has (ε or None, ρ or None, δ); the formulas in doubles are held to a part in 10^12 of rounding.
    """
    epsilon, delta, kept = budget
    pairs = [each[0] for each in asked]
    leaked = sum((each[2] for each in asked), Fraction(0))
    allowance = delta if rule == "basic" else kept
    if leaked > allowance:
        return False
    if None not in pairs and sum(pairs, Fraction(0)) <= epsilon:
        return True
    slack = float(delta - kept)
    if rule == "fully_adaptive":
        square = float(sum((each * each for each in pairs), Fraction(0)))
        return math.sqrt(2 * math.log(1 / slack) * square) + square / 2 <= float(epsilon) * (1 + 1e-12)
    if rule == "zcdp":
        rho = float(sum((each[1] for each in asked), Fraction(0)))
        # the least over orders of an ε that every order proves: Canonne, Kamath & Steinke (2020), Cor. 13
        orders = [1 + math.exp(n / 400) for n in range(-4000, 4000)] if rho else [2.0]
        best = min(a * rho + math.log1p(-1 / a) - (math.log(slack) + math.log(a)) / (a - 1) for a in orders)
        return max(0.0, best) <= float(epsilon) * (1 + 1e-6)  # the orders are a grid
    return False


def request(draw: Random, rule: str):
    """Something to ask, with its ε, ρ and δ for the count: what depends on earlier answers may be any of these."""
    size = draw.choice((0.3, 0.1, 0.01, 1e-3, 1e-7)) * draw.randint(1, 9)
    if rule == "zcdp" and draw.random() < 0.4:
        sigma = 1 / (size + 0.01)
        return Gaussian(sigma), None, Fraction(1 / (2 * sigma * sigma)), Fraction(0)
    typed = Fraction(repr(size))
    delta = draw.choice((0.0, 0.0, 1e-8)) if rule != "basic" else draw.choice((0.0, 2e-7))
    rho = Fraction(size * math.tanh(size / 2)) * (1 - Fraction(1, 10**12))
    return Guarantee(size, delta), typed, rho, Fraction(repr(delta))


def history(database: Database, clock, name: str, draw: Random, steps: int) -> tuple[int, int]:
    """One history of requests and refunds, after each the independent count; how many were admitted and refused."""
    rule = draw.choice(("basic", "fully_adaptive", "zcdp"))
    kept_delta = Fraction(4, 10**7) if rule != "basic" else Fraction(0)
    budget = Fraction(draw.randint(1, 30), 10), Fraction(1, 10**6), kept_delta
    term = draw.choice((Term(), Term.rolling(50), Term.fixed(100, 7)))
    database.projects().create(name)
    ledger = database.ledger(name)
    ledger.open_budget(KEY, float(budget[0]), 1e-6, rule=rule, release_delta=float(budget[2]), term=term, reference="b")
    kept: dict[str, tuple] = {}  # reference -> (time, pair, ρ, δ, count) of what counts
    admitted = refused = 0
    for step in range(steps):
        clock.later(draw.choice((0, 1, 20, 60)))
        if kept and draw.random() < 0.15:
            back = draw.choice(sorted(kept))
            ledger.refund(back, reference=f"refund {back}", note="did not run")
            del kept[back]
            continue
        asked, epsilon, rho, delta = request(draw, rule)
        count = draw.choice((1, 1, 3))
        try:
            entry = ledger.spend(asked=asked, count=count, reference=f"{step}")
        except Refused:
            refused += 1
            continue
        admitted += 1
        kept[f"{step}"] = entry.at, epsilon, rho, delta, count
        if rule != "zcdp" or step % 5 == 0:
            inside = [each for each in kept.values() if counts(term, each[0], entry.at)]
            asked_now = [each[1:4] for each in inside for _ in range(each[4])]
            assert independent(rule, budget, asked_now), (name, rule, step)
    return admitted, refused


def counts(term: Term, then: int, now: int) -> bool:
    """Whether what happened then counts now, told anew."""
    if term.kind == "rolling":
        return now - then < term.seconds * SECOND
    if term.kind == "fixed":
        return (then // SECOND - 7) // 100 == (now // SECOND - 7) // 100
    return True


def play(folder, clock, seeds: range, steps: int) -> None:
    database = Database(str(folder / "plans.db"), clock)
    admitted = refused = 0
    for seed in seeds:
        found = history(database, clock, f"history {seed}", Random(seed), steps)
        admitted, refused = admitted + found[0], refused + found[1]
        assert database.ledger(f"history {seed}").verify().holds
    database.close()
    assert min(admitted, refused) > len(seeds), "too few of either to tell anything"


def test_no_history_is_over_its_budget(tmp_path, clock):
    play(tmp_path, clock, range(share(12, 60)), 20)


@pytest.mark.slow
def test_ten_thousand_histories(tmp_path, clock):
    play(tmp_path, clock, range(10_000), 12)


def test_what_is_given_back_is_never_more_than_was_reserved(tmp_path, clock):
    """Whatever ran: what stays is at least what ran costs, and at most what was reserved."""
    database = Database(str(tmp_path / "plans.db"), clock)
    draw = Random(7)
    for trial in range(6):
        rule = draw.choice(("basic", "zcdp"))
        database.projects().create(f"{trial}")
        ledger = database.ledger(f"{trial}")
        ledger.open_budget(KEY, 50.0, 1e-5, rule=rule, reference="budget")
        sizes = [draw.choice((0.01, 0.2, 1.5)) for _ in range(3)]
        releases = [Release(f"r{n}", Laplace.from_epsilon(each), 5) for n, each in enumerate(sizes)]
        plan = Plan(releases, Guarantee(50.0, 1e-6), "person")
        ledger.take_into_force(database.plans().save(Document(plan)), reference="plan")
        before = ledger.standings()[0].total
        ran = [draw.randint(0, 5) for _ in sizes]
        for row, count in enumerate(ran):
            if count:
                ledger.spend(f"r{row}", count=count, reference=f"{row}")
        ledger.give_back("plan", reference="back")
        after, least = ledger.standings()[0].total, sum(n * Fraction(repr(e)) for n, e in zip(ran, sizes, strict=True))
        assert after.epsilon <= before.epsilon and after.own <= before.own
        assert after.epsilon >= min(least * 10**6, before.epsilon)
        if rule == "zcdp":
            # ρ is at least the mean loss, which Laplace noise has in closed form
            mean = sum(n * (e + math.expm1(-e)) for n, e in zip(ran, sizes, strict=True))
            assert after.own >= mean * 1e12 * (1 - 1e-12)
        assert ledger.verify().holds
    database.close()
