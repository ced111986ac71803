"""The course of a budget against the ledger itself: at each moment what it was charged, whatever rule and period."""

from datetime import UTC, datetime
from itertools import product
from random import Random

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.store import Amount, Key, Refused, Term, course
from tests.effort import cases

KEY = Key("census", "person")
RELEASES = [Release("A", Laplace.from_epsilon(0.2), 3), Release("B", Laplace.from_epsilon(0.1), 2)]
PLAN = Plan(RELEASES, Guarantee(2, 1e-7), "person")
RULES = ("basic", "zcdp", "fully_adaptive")
TERMS = (Term(), Term.rolling(50), Term.fixed(100, 7))


def played(database, clock, rule: str, term: Term, seed: int):
    """A random ledger, with the total that each entry left behind, as the ledger said it then."""
    draw, totals = Random(seed), {}
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(KEY, 3.0, 1e-5, rule=rule, term=term, reference="b")
    version = database.plans().save(Document(PLAN))
    until = datetime.fromtimestamp(clock.at / 1e6 + 400, UTC)
    ledger.take_into_force(version, reference="plan", until=until)
    for step in range(20):
        clock.later(draw.choice((0, 1, 20, 60)))
        try:
            if draw.random() < 0.4:
                ledger.spend(draw.choice("AB"), reference=f"{step}")
            elif draw.random() < 0.2 and step > 4:
                ledger.refund(f"{step - 1}", reference=f"{step}", note="did not run")
            else:
                asked = Gaussian(9.0) if rule == "zcdp" and draw.random() < 0.5 else Guarantee(draw.choice((0.1, 0.3)))
                ledger.spend(asked=asked, reference=f"{step}")
        except (Refused, ValueError):
            continue
        totals[ledger.entries()[-1].number] = ledger.standings()[0].epsilon
    return ledger, totals


@cases(("rule", "term"), list(zip(RULES, TERMS, strict=True)), list(product(RULES, TERMS)))
def test_it_says_what_the_ledger_said_then(database, clock, rule: str, term: Term):
    """At each entry and at the end; spent is never more than charged, and is what the ledger says by another way."""
    ledger, totals = played(database, clock, rule, term, len(rule))
    frame = course(ledger.entries(), ledger.budgets()[0], clock.at + 1)
    at = frame[frame.entry > 0].set_index("entry").charged
    assert totals and {number: at[number] for number in totals} == totals
    assert (frame.spent <= frame.charged).all() and frame["at"].is_monotonic_increasing
    [standing] = ledger.standings()
    assert frame.charged.iloc[-1] == standing.epsilon
    assert frame.spent.iloc[-1] == standing.budget.bound(standing.spent)
    assert frame.lifetime_epsilon.iloc[-1] == ledger.standings()[0].lifetime_epsilon


def test_a_charge_leaves_a_window_when_it_moves_on(database, clock):
    """As a moment of its own, with the lifetime beside it."""
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(KEY, 1.0, term=Term.rolling(50), reference="b")
    for number in range(2):
        ledger.spend(asked=Guarantee(0.75), reference=f"{number}")
        clock.later(60)
    frame = course(ledger.entries(), ledger.budgets()[0], clock.at)
    assert frame.kind.tolist() == ["budget", "request", "window", "request", "window", "now"]
    assert frame.charged.tolist() == [0, 0.75, 0, 0.75, 0, 0] and frame.lifetime_epsilon.iloc[-1] == 1.5
    assert (frame["at"].iloc[2] - frame["at"].iloc[1]).total_seconds() == 50


def test_fewer_rows_are_never_below(database, clock):
    """Where moments share a row, it has the most of them, from the first of them on."""
    ledger, _ = played(database, clock, "basic", TERMS[1], 3)
    entries, budget = ledger.entries(), ledger.budgets()[0]
    full, few = course(entries, budget, clock.at), course(entries, budget, clock.at, most=4)
    assert len(few) < len(full)
    for row in full.itertuples():
        held = few[few["at"] <= row.at].iloc[-1]
        before = few[few["at"] < row.at].tail(1)
        assert max([held.charged, *before.charged]) >= row.charged and max([held.spent, *before.spent]) >= row.spent


def test_what_ran_is_spent_and_the_rest_is_reserved(database, clock):
    """By the rule of the budget: lines one by one under basic, all of a version where nothing may be given back."""
    database.projects().create("census")
    ledger, other = database.ledger("census"), Key("other", "person")
    ledger.open_budget(KEY, 3.0, 1e-5, reference="basic")
    ledger.open_budget(other, 3.0, 1e-5, rule="fully_adaptive", reference="whole")
    version = database.plans().save(Document(PLAN))
    for key in (KEY, other):
        ledger.take_into_force(version, key=key, reference=f"{key}")
    for key in (KEY, other):
        assert course(ledger.entries(), ledger.budgets()[key is other], clock.at).spent.iloc[-1] == 0
    ledger.give_back(f"{other}", reference="nothing ran")
    ledger.spend("A", count=2, reference="a")
    ledger.take_into_force(version, key=other, reference="again")
    ledger.give_back(f"{KEY}", reference="rest")
    ledger.spend("B", reference="b")
    basic, whole = (course(ledger.entries(), each, clock.at).iloc[-1] for each in ledger.budgets())
    assert (basic.spent, basic.charged) == (0.4, 0.4)
    assert whole.spent == whole.charged > 0.7
    assert [each.budget.bound(each.spent) for each in ledger.standings()] == [basic.spent, whole.spent]


def test_once_noise_without_an_epsilon_ran_all_of_a_version_is_spent(database, clock):
    """Under the basic rule; before the first answer nothing is, and zCDP counts line by line."""
    database.projects().create("census")
    ledger = database.ledger("census")
    keys = [Key(rule, "person") for rule in RULES]
    for key in keys:
        ledger.open_budget(key, 9.0, 1e-5, rule=key.data, reference=key.data)
    plan = Plan([Release("G", Gaussian(9, 1), 4), Release("L", Laplace(9, 1))], Guarantee(9, 1e-6), "person")
    versions = [database.plans().save(Document(plan)) for _ in keys]
    entries = [
        ledger.take_into_force(version, key=key, reference=f"plan {key.data}")
        for version, key in zip(versions, keys, strict=True)
    ]
    assert [(each.spent, each.whole) for each in ledger.standings()] == [(Amount(), ())] * 3
    for line, whole in (("L", (False, False, True)), ("G", (True, False, True))):
        for version in versions:
            ledger.spend(line, version=version, reference=f"{line} {version}")
        for each, entry, all_of_it in zip(ledger.standings(), entries, whole, strict=True):
            assert each.whole == ((entry,) if all_of_it else ())
            assert (each.spent == each.total) is all_of_it and each.spent.epsilon + each.spent.own > 0
