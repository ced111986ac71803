"""What a ledger reserves, spends, admits and refuses, gives back, and how an exported one is checked."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event

from dpviz import ApproximateDP, Gaussian, Guarantee, Laplace, Plan, Release, compose
from dpviz.plan import Document
from dpviz.plan.store import NotKept
from dpviz.store import Database, Key, Refused, Term, verify
from dpviz.store.entries import digest
from dpviz.store.people import NotAllowed
from tests.effort import share

KEY = Key("census", "person")
PLAN = Plan(
    [Release("Count", Laplace.from_epsilon(0.2), 2), Release("Mean", Laplace.from_epsilon(0.1), 1)],
    Guarantee(1.0, 1e-6),
    "person",
)
DAY = 86_400


@pytest.fixture
def ledger(database: Database):
    database.projects().create("census")
    return database.ledger("census")


def saved(database: Database, plan: Plan = PLAN) -> str:
    return database.plans().save(Document(plan, "Year 2026"))


def when(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def test_the_story_of_a_year(database, ledger, clock):
    """Draft, in force, three spends, an adaptive request that is refused with its reason, the next period."""
    ledger.open_budget(KEY, 0.6, 1e-6, term=Term.of_calendar("year"), reference="budget")
    entry = ledger.take_into_force(saved(database), reference="plan", delta=0.0)
    [charge] = entry.charges
    assert charge.amount.epsilon == 500_000 and charge.amount.delta == 0 and ledger.in_force() == (entry,)
    for run in range(3):
        spent = ledger.spend("Count" if run < 2 else "Mean", reference=f"run {run}")
        assert not spent.charges
    assert ledger.left(entry) == {"1. Count": 0, "2. Mean": 0}
    with pytest.raises(Refused, match=r"the sum of all ε would exceed ε = 0\.6") as refused:
        ledger.spend(asked=Guarantee(0.2), reference="more")
    assert refused.value.reasons[0][0].key == KEY and "year" in str(refused.value)
    assert ledger.refusal(Guarantee(0.2)) == str(refused.value) and not ledger.refusal(Guarantee(0.1))
    assert ledger.standings()[0].total.epsilon == 500_000
    clock.later(366 * DAY)
    [standing] = ledger.standings()
    assert standing.total.epsilon == 0 and standing.lifetime_epsilon == 0.5  # nothing is reset: it stands beside
    assert not ledger.in_force()
    ledger.spend(asked=Guarantee(0.5), reference="next year")
    assert ledger.standings()[0].lifetime_epsilon == 1.0
    with pytest.raises(ValueError, match="version must name one that is in force"):
        ledger.spend("Mean", reference="late")
    assert ledger.verify().holds and len(ledger.entries()) == 6


def test_a_line_runs_as_often_as_planned(database, ledger):
    ledger.open_budget(KEY, 1.0, reference="budget")
    entry = ledger.take_into_force(saved(database), reference="plan", delta=0.0)
    ledger.spend("1", count=2, reference="both")
    with pytest.raises(ValueError, match="0 of 2 uses left"):
        ledger.spend("Count", reference="third")
    with pytest.raises(NotKept, match="no release has that name"):
        ledger.spend("Median", reference="third")
    ledger.refund("both", reference="undo", note="the cluster was down")
    assert ledger.left(entry)["1. Count"] == 2
    with pytest.raises(ValueError, match="not have been taken back before"):
        ledger.refund("both", reference="undo again", note="twice")
    assert ledger.verify().holds


def test_a_reference_makes_a_retry_the_same_row(database, ledger):
    ledger.open_budget(KEY, 1.0, reference="budget")
    ledger.take_into_force(saved(database), reference="plan")
    first = ledger.spend(asked=Guarantee(0.1), reference="run")
    line = ledger.spend("Mean", reference="line")
    for _ in range(20):
        assert ledger.spend(asked=Guarantee(0.1), reference="run") == first
        assert ledger.spend("Mean", reference="line") == line
        assert ledger.open_budget(KEY, 1.0, reference="budget").number == 1
    assert len(ledger.entries()) == 4
    for other in ({"asked": Guarantee(0.2)}, {"asked": Guarantee(0.1), "count": 2}, {"line": "Count"}):
        with pytest.raises(ValueError, match="reference must be new"):
            ledger.spend(reference="run", **other)


def test_amounts_are_rounded_up(ledger):
    """A subnormal ε is a millionth, and a million tiny ones are what they add up to."""
    ledger.open_budget(KEY, 1.0, reference="budget")
    assert ledger.spend(asked=Guarantee(5e-324), reference="tiny").charges[0].amount.epsilon == 1
    many = ledger.spend(asked=Guarantee(1e-9), count=1_000_000, reference="many")
    assert many.charges[0].amount.epsilon == 1000
    assert ledger.spend(asked=Guarantee(0.1), reference="x").charges[0].total.epsilon == 101_001
    with pytest.raises(Refused):
        ledger.spend(asked=Guarantee(0.898999), reference="y", count=1) and ledger.spend(
            asked=Guarantee(1e-9), reference="z"
        )


@pytest.mark.parametrize("rule", ["fully_adaptive", "zcdp"])
def test_a_filter_admits_more_small_requests_than_their_sum(ledger, rule):
    from dpviz.filters import Filter, runs_until_exhausted

    ledger.open_budget(KEY, 1.0, 1e-6, rule=rule, release_delta=5e-7, reference="budget")
    most = runs_until_exhausted(Filter(Guarantee(1.0, 1e-6), rule, True, 5e-7), Guarantee(0.01))
    ledger.spend(asked=Guarantee(0.01), count=most - 1, reference="all but one")
    ledger.spend(asked=Guarantee(0.01), reference="the last")
    with pytest.raises(Refused, match="the rule's ε would exceed"):
        ledger.spend(asked=Guarantee(0.01), reference="beyond")
    [standing] = ledger.standings()
    assert most > 100 and standing.epsilon <= 1.0 and standing.requested == standing.total
    assert ledger.verify().holds


def test_gaussian_noise_is_counted_by_its_rho(database, ledger):
    ledger.open_budget(KEY, 2.0, 1e-6, rule="zcdp", release_delta=0.0, reference="budget")
    plan = replace(PLAN, releases=(Release("Mean", Gaussian(20, 1), 10),))
    entry = ledger.take_into_force(saved(database, plan), reference="plan")
    assert entry.told["theorems"] == ["zcdp"] and entry.charges[0].amount.unbounded == 10
    assert 12_500_000_000 <= entry.charges[0].amount.own <= 12_500_000_010
    ledger.spend("Mean", count=4, reference="four")
    ledger.give_back("plan", reference="back")
    assert ledger.standings()[0].total.own == pytest.approx(5_000_000_000, abs=10)
    assert ledger.standings()[0].total.unbounded == 4
    with pytest.raises(ValueError, match="in force"):
        ledger.spend("Mean", reference="five")
    assert ledger.verify().holds


def test_lines_of_a_composed_total_are_given_back_with_its_delta_kept(database, ledger):
    """What ran counts by the basic rule, the δ of the composed total stays, and never more than was reserved."""
    many = Plan([Release("Count", Laplace.from_epsilon(0.01), 1000)], Guarantee(5.0, 1e-6), "person")
    total = compose(many)
    assert total.epsilon < 3
    ledger.open_budget(KEY, 5.0, 1e-5, reference="budget")
    ledger.take_into_force(saved(database, many), reference="plan")
    before = ledger.standings()[0].total
    assert total.epsilon <= before.epsilon / 1e6 < total.epsilon + 2e-6 and float(before.delta) == 1e-6
    ledger.spend("Count", count=100, reference="a tenth")
    ledger.give_back("plan", reference="back")
    after = ledger.standings()[0].total
    assert after.epsilon == 1_000_000 and after.delta == before.delta
    assert ledger.verify().holds


@pytest.mark.parametrize(
    ("rule", "mechanism", "match"),
    [
        ("basic", ApproximateDP(0.1, 1e-9), "without δ"),
        ("basic", Gaussian(20, 1), "no stated pair"),
        ("fully_adaptive", Laplace.from_epsilon(0.1), "one request"),
    ],
)
def test_what_may_not_be_given_back_is_refused_with_its_reason(database, ledger, rule, mechanism, match):
    ledger.open_budget(KEY, 5.0, 1e-5, rule=rule, reference="budget")
    plan = replace(PLAN, releases=(Release("Mean", mechanism, 4),))
    ledger.take_into_force(saved(database, plan), reference="plan")
    ledger.spend("Mean", reference="one")
    with pytest.raises(ValueError, match=match):
        ledger.give_back("plan", reference="back")
    ledger.refund("one", reference="undo", note="did not run")
    ledger.give_back("plan", reference="back")  # no answer was ever given
    assert ledger.standings()[0].total.epsilon == 0 and ledger.verify().holds


def test_several_keys_are_all_checked_and_then_all_charged(ledger):
    keys = [Key("census", "person", epoch=f"{n}") for n in range(3)]
    for n, key in enumerate(keys):
        ledger.open_budget(key, 0.3 + 0.1 * n, reference=f"budget {n}")
    ledger.spend(asked=dict.fromkeys(keys, Guarantee(0.3)), reference="all")
    before = ledger.export()
    with pytest.raises(Refused) as refused:
        ledger.spend(asked=dict.fromkeys(reversed(keys), Guarantee(0.1)), reference="more")
    assert [each.key for each, _ in refused.value.reasons] == keys[:1]
    assert ledger.export() == before  # a refusal leaves no trace
    ledger.spend(asked={keys[1]: Guarantee(0.1), keys[2]: Guarantee(0.2)}, reference="those that can")
    with pytest.raises(ValueError, match="key must be named"):
        ledger.spend(asked=Guarantee(0.1), reference="which")
    with pytest.raises(ValueError, match="must have a budget"):
        ledger.spend(asked={Key("x", "y"): Guarantee(0.1)}, reference="none")
    assert ledger.verify().holds


def test_five_are_shared_out_as_two_and_three(database, ledger):
    ledger.open_budget(KEY, 5.0, reference="data set")
    [whole] = ledger.budgets()
    teams = [replace(KEY, holder=f"team {name}") for name in "AB"]
    for key, epsilon in zip(teams, (2.0, 3.0), strict=True):
        ledger.open_budget(key, epsilon, parent=whole, reference=key.holder)
    with pytest.raises(Refused):
        ledger.open_budget(replace(KEY, holder="team C"), 1e-6, parent=whole, reference="C")
    with pytest.raises(Refused):
        ledger.spend(asked={KEY: Guarantee(1e-6)}, reference="past the teams")
    ledger.spend(asked={teams[0]: Guarantee(2.0)}, reference="a")
    with pytest.raises(Refused):
        ledger.spend(asked={teams[0]: Guarantee(1e-6)}, reference="a2")
    ledger.spend(asked={teams[1]: Guarantee(3.0)}, reference="b")
    assert ledger.verify().holds
    for bad in ({"term": Term.rolling(60)}, {"relation": "replace_one"}):
        with pytest.raises(ValueError, match="must be that of the parent"):
            ledger.open_budget(replace(KEY, holder="D"), 0.1, parent=whole, reference="D", **bad)


def test_nested_windows_must_both_hold(ledger, clock):
    """An hour and a day, wherever they begin."""
    ledger.open_budget(KEY, 0.2, term=Term.rolling(3600), reference="an hour")
    ledger.open_budget(KEY, 0.5, term=Term.rolling(DAY), reference="a day")
    spent = 0
    for half_hour in range(48):
        try:
            ledger.spend(asked=Guarantee(0.1), reference=f"{half_hour}")
            spent += 1
        except Refused as refused:
            assert {str(each.term) for each, _ in refused.reasons} <= {"rolling 3600 s", f"rolling {DAY} s"}
        clock.later(1800)
    assert spent == 5
    clock.later(1)
    assert ledger.spend(asked=Guarantee(0.1), reference="the first has rolled out").charges[1].total.epsilon == 500_000
    assert ledger.verify().holds


def test_a_plan_counts_in_every_window_in_which_it_may_run(database, ledger, clock):
    ledger.open_budget(KEY, 0.8, term=Term.of_calendar("month"), reference="month")
    ledger.take_into_force(saved(database), reference="plan", until=when(2026, 2, 10))
    for at in (when(2026, 1, 20), when(2026, 2, 5)):
        with pytest.raises(Refused):
            ledger.spend(asked=Guarantee(0.4), reference="too much", at=at)
    ledger.spend("Mean", reference="in February", at=when(2026, 2, 5))
    with pytest.raises(ValueError, match="in force"):
        ledger.spend("Count", reference="late", at=when(2026, 2, 11))
    ledger.spend(asked=Guarantee(0.8), reference="March", at=when(2026, 3, 1))
    with pytest.raises(ValueError, match="must not lie before the last entry"):
        ledger.spend(asked=Guarantee(0.1), reference="back", at=when(2026, 2, 1))
    assert ledger.verify().holds


@pytest.mark.parametrize(
    ("term", "same", "other"),
    [
        (Term.fixed(604_800, 302_400), timedelta(seconds=1), timedelta(days=7)),
        (Term.of_calendar("quarter"), timedelta(days=80), timedelta(days=90)),
        (Term.of_calendar("2-week period"), timedelta(seconds=1), timedelta(days=14)),
        (Term.rolling(90), timedelta(seconds=89), timedelta(seconds=90)),
    ],
)
def test_windows_follow_each_other(ledger, term, same, other):
    assert Term.read(str(term)) == term
    ledger.open_budget(KEY, 0.1, term=term, reference="budget")
    begin = when(2026, 1, 1, 1)
    ledger.spend(asked=Guarantee(0.1), reference="one", at=begin)
    with pytest.raises(Refused):
        ledger.spend(asked=Guarantee(1e-6), reference="two", at=begin + same)
    ledger.spend(asked=Guarantee(0.1), reference="three", at=begin + other)
    assert ledger.standings(begin + other)[0].lifetime_epsilon == 0.2
    assert ledger.verify().holds


@pytest.mark.parametrize("rule", ["fully_adaptive", "zcdp"])
def test_the_lifetime_amount_holds_for_what_was_chosen_along_the_way(ledger, rule):
    """It is a filter's budget, or the sum of all ε, never the ε of the sum so far, which promises nothing by itself."""
    ledger.open_budget(KEY, 1.0, 1e-6, rule=rule, term=Term.fixed(DAY), reference="budget")
    begin = when(2026, 1, 1, 1)
    for day in range(3):
        ledger.spend(asked=Guarantee(0.01), count=10, reference=f"few {day}", at=begin + timedelta(days=day))
    [standing] = ledger.standings(begin + timedelta(days=2))
    assert (standing.lifetime_epsilon, standing.lifetime_delta) == (0.3, 0.0)
    ledger.spend(asked=Guarantee(0.01), count=200, reference="many", at=begin + timedelta(days=2))
    [standing] = ledger.standings(begin + timedelta(days=2))
    assert standing.lifetime_epsilon == 2.3 and standing.epsilon < 1
    for day in range(3, 6):
        ledger.spend(asked=Guarantee(0.01), count=200, reference=f"many {day}", at=begin + timedelta(days=day))
    [standing] = ledger.standings(begin + timedelta(days=5))
    assert (standing.lifetime_epsilon, standing.lifetime_delta) == (6.0, 6e-6)


def test_a_clock_that_goes_back_opens_no_window(ledger, clock):
    ledger.open_budget(KEY, 0.1, term=Term.of_calendar("day"), reference="budget")
    ledger.spend(asked=Guarantee(0.1), reference="one")
    clock.at -= 3 * DAY * 1_000_000
    with pytest.raises(Refused):
        ledger.spend(asked=Guarantee(0.1), reference="yesterday")


def test_roles(database, ledger):
    shown = "project must be one of yours"
    database.projects().invite("census", "viewer@x", "viewer")
    database.projects().invite("census", "analyst@x", "analyst")
    ledger.open_budget(KEY, 1.0, reference="budget")
    viewer, analyst = (database.ledger("census", f"{role}@x") for role in ("viewer", "analyst"))
    assert len(viewer.entries()) == 1
    with pytest.raises(NotAllowed, match="at least analyst"):
        viewer.spend(asked=Guarantee(0.1), reference="x")
    assert analyst.spend(asked=Guarantee(0.1), reference="x").by == "analyst@x"
    for deed in (
        lambda: analyst.open_budget(Key("a", "b"), 1.0, reference="y"),
        lambda: analyst.refund("x", reference="z", note="no"),
    ):
        with pytest.raises(NotAllowed, match="at least steward"):
            deed()
    with pytest.raises(NotKept, match=shown):
        database.ledger("census", "stranger@x")
    database.projects().invite("census", "analyst@x", None)
    for deed in (analyst.entries, lambda: analyst.spend(asked=Guarantee(0.1), reference="later")):
        with pytest.raises(NotKept, match=shown):  # what was opened before does not help
            deed()
    with pytest.raises(ValueError, match="a steward"):
        database.projects().invite("census", "local", None)


@pytest.mark.parametrize(
    ("plan", "match"),
    [
        (replace(PLAN, unit="household"), "unit must be that of the budget, person; got household"),
        (replace(PLAN, unit=None), "got none"),
        (replace(PLAN, relation="replace_one"), "relation must be that of the budget"),
        (replace(PLAN, releases=(Release("Sum", Laplace(1.0), kind="sum"),)), "lower and upper must be given"),
    ],
)
def test_a_plan_that_promises_something_else_is_not_taken_into_force(database, ledger, plan, match):
    ledger.open_budget(KEY, 1.0, 1e-5, reference="budget")
    name = database.plans().save(Document(plan))
    with pytest.raises(ValueError, match=match):
        ledger.take_into_force(name, reference="plan")
    assert len(ledger.entries()) == 1


def lived(database, ledger, clock) -> dict:
    """An exported ledger with an entry of every kind."""
    ledger.open_budget(KEY, 5.0, 1e-5, reference="budget")
    ledger.open_budget(replace(KEY, holder="A"), 1.0, parent=ledger.budgets()[0], reference="share")
    other = Key("survey", "person")
    ledger.open_budget(other, 1.0, 1e-6, rule="zcdp", term=Term.rolling(60), reference="other")
    ledger.take_into_force(saved(database), key=KEY, reference="plan")
    ledger.spend("Count", reference="line")
    ledger.spend(asked={KEY: Guarantee(0.1, 1e-7), other: Guarantee(0.1)}, count=2, reference="request")
    clock.later(120)
    ledger.spend(asked={other: Gaussian(50)}, reference="gaussian")
    ledger.refund("request", reference="refund", note="did not run")
    ledger.give_back("plan", reference="back")
    return json.loads(ledger.export())


def chained(document: dict) -> str:
    """A ledger whose hashes were all made anew, as a forger would."""
    former = "0" * 64
    for entry in document["entries"]:
        entry.pop("hash")
        entry["former"] = former
        former = entry["hash"] = digest(entry)
    return json.dumps(document)


def places(value, path=()):
    """The path of every single value in an exported entry."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))
    else:
        yield path


def changed(value):
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("1" if value[-1:] != "1" else "2")
    return 1


def test_every_changed_value_is_found(database, ledger, clock):
    """Whatever is changed in an exported ledger, its hash tells."""
    document = lived(database, ledger, clock)
    assert verify(json.dumps(document)).holds and verify(chained(json.loads(json.dumps(document)))).holds
    tried = 0
    for number, entry in enumerate(document["entries"]):
        for path in [*places(entry)][number % 4 :: 1 if share(1, 2) > 1 else 4]:
            place = entry
            for step in path[:-1]:
                place = place[step]
            old, place[path[-1]] = place[path[-1]], changed(place[path[-1]])
            assert not verify(json.dumps(document)).holds, (number, path)
            place[path[-1]] = old
            tried += 1
    assert tried > 40


@pytest.mark.parametrize(
    ("deed", "match"),
    [
        (lambda rows: rows.pop(4), "number"),
        (lambda rows: rows[5]["charges"].pop(), "each budget"),
        (lambda rows: rows[5]["charges"][0].update(epsilon=1), "less than it costs"),
        (lambda rows: rows[5]["charges"][0]["total"].update(epsilon=0), "not the sum"),
        (lambda rows: rows[3]["charges"][0].update(epsilon=400_000), "less than it costs"),
        (lambda rows: rows[0]["told"].update(epsilon=1_200_000), "does not admit it"),
        (lambda rows: rows[4]["told"].update(count=3), "not so many uses"),
        (lambda rows: rows[7]["charges"][0].update(epsilon=-300_000), "not what may be given back"),
        (lambda rows: rows[8]["charges"][0].update(epsilon=-500_000), "not what may be given back"),
        (lambda rows: rows[1]["charges"].clear(), "each budget"),
        (lambda rows: rows[6].update(reference="request"), "that of another"),
        (lambda rows: rows[6].update(at="2025-01-01T00:00:00.000000+00:00"), "older"),
        (lambda rows: rows[6].update(kind="gift"), "which is none"),
        (lambda rows: rows[6].update(charges=7), "cannot be read"),
    ],
)
def test_a_forged_ledger_is_found_though_its_hashes_are_right(database, ledger, clock, deed, match):
    document = lived(database, ledger, clock)
    deed(document["entries"])
    found = verify(chained(document))
    assert any(match in fault for fault in found.faults), found.faults


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"dpviz_ledger": 99}', '{"dpviz_ledger": 1, "entries": {}}', 7])
def test_what_is_no_ledger_is_refused(text):
    with pytest.raises(ValueError, match=r"must be"):
        verify(text)


def test_a_spend_reads_no_more_rows_as_the_ledger_grows(database, clock):
    """Counted are the steps of SQLite's own machine: a line, a request and a refund take as many as long before."""
    key, window = Key("census", "person"), Term.rolling(600)
    database.projects().create("census")
    ledger = database.ledger("census")
    ledger.open_budget(key, 1000.0, reference="life")
    ledger.open_budget(key, 1000.0, term=window, reference="window")
    plan = Plan([Release("A", Laplace.from_epsilon(1e-4), 10_000)], Guarantee(1000.0, 0.0), "person")
    until = datetime.fromtimestamp(clock.at / 1e6, UTC) + timedelta(days=9)
    ledger.take_into_force(database.plans().save(Document(plan)), reference="plan", until=until)
    counted = [0]

    def step() -> int:
        counted[0] += 1
        return 0

    event.listen(database.connection._opened(), "checkout", lambda raw, *_: raw.set_progress_handler(step, 10))

    def steps(name: str) -> list[int]:
        clock.later(60)
        found = []
        for deed in (
            lambda: ledger.spend("A", reference=f"line {name}"),
            lambda: ledger.spend(asked=Guarantee(1e-4), reference=f"request {name}"),
            lambda: ledger.refund(f"line {name}", reference=f"refund {name}", note="did not run"),
        ):
            before = counted[0]
            deed()
            found.append(counted[0] - before)
        return found

    few = [steps(f"{number}") for number in range(12)][-1]
    many = [steps(f"later {number}") for number in range(40)][-1]
    assert all(after <= 1.2 * before for before, after in zip(few, many, strict=True)), (few, many)
