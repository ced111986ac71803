"""Titles are findings that their pictures show."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.adversary.odds import Advantage, in_words, odds_record
from dpviz.claims import ASPECTS, HOLDS, TOO_SMALL, StatedTotal, judge
from dpviz.claims.judgement import DEPENDS
from dpviz.claims.published import published_claim_named
from dpviz.figures.plan.spend_over_time import day_text
from dpviz.plain import SYMBOLS
from dpviz.ui.adversary import words as adversary
from dpviz.ui.claims import words as claims
from dpviz.ui.plan.fit.asked import _read
from dpviz.ui.plan.time import words as when
from dpviz.ui.shell.risks import _per_cent, least, seen
from dpviz.ui.subsampling import words as subsampling

RATES = [0.0, 0.5, 1.0]


@given(st.floats(0, 1))
def test_worlds_that_are_hardly_separated_are_guessed_as_by_a_coin(advantage: float):
    """Whoever reads "hardly" finds at most 55 of 100 right guesses beside it."""
    asked = SimpleNamespace(game=SimpleNamespace(rounds=5), notebook=False)
    told = adversary._apart(asked, advantage, None)
    assert ("hardly" in told) == (0 < advantage <= 0.1), "55 of 100 guesses"


@given(st.floats(0, 1))
def test_as_many_results_are_orange_as_the_title_says(advantage: float):
    record = odds_record(Advantage(advantage))
    said, all_of_them = seen(record, ("without it", "with it")), f"{record.denominator:,}"
    without, within = in_words(record.without, record.denominator, record.false_positive_rate)
    rightly = f"With it, the attacker says “there” (orange) in {within} of {all_of_them} cases; "
    assert said.startswith(rightly)
    wrongly = f"; without it, still in {without}"
    assert said.endswith(wrongly)


@given(st.sampled_from([0.5, 0.99, 0.01]), st.floats(0, 1))
def test_a_right_guess_is_no_gain_where_it_gains_nothing(prior: float, gain: float):
    """Rounded up to four digits, 99 % and a little would be 99.01 %."""
    blind = max(prior, 1 - prior)
    value = blind + gain * (1 - blind) * 1e-7
    told = float(_per_cent(SimpleNamespace(measure="best_success", at=prior), value).removesuffix(" %"))
    assert 100 * value <= told * (1 + 1e-12) and told - 100 * value < 1e-6, "rounded up, in nine digits"


def test_a_number_that_is_written_otherwise_asks_the_same():
    assert _read({"sure": "95.0", "like": "Visits"}) == _read({"sure": "95", "like": "Visits"})
    assert _read({"sure": "95"}) != _read({"sure": "96"})


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_point_lies_below_what_no_attack_is_said_to_get_below(wrong: float, missed: float):
    """A straight line of a coin: a point beneath it is by chance, and the title says so."""
    assume(abs(missed + wrong - 1) > 1e-9)  # on the line, but for rounding
    curve = pd.DataFrame({"line": "own", "false_positive_rate": RATES, "false_negative_rate": RATES[::-1]})
    point = pd.DataFrame({"false_positive_rate": [wrong], "false_negative_rate": [missed]})
    assert least(curve, point).startswith("In the long run") == (missed < 1 - wrong)
    assert least(curve, point.iloc[:0]) == "No attack gets below the green line"


@pytest.mark.parametrize(("sampled", "drawn"), [(80, 100), (2_785_088, 100_000)])
def test_runs_beyond_the_chart_are_said_to_be(sampled: int, drawn: int):
    found = SimpleNamespace(sampled=sampled, native=pd.DataFrame({"runs": [30]}))
    assert subsampling.fitting(found, drawn).startswith(f"Fixed in advance, {sampled:,} runs on")
    assert (f"more than the {drawn:,} that are drawn" in subsampling.fitting(found, drawn)) == (sampled > drawn)


@pytest.mark.parametrize("key", ["hundred_queries", "epochs_undisclosed", "recurve", "scenes", "sum_pure"])
@pytest.mark.parametrize("factor", [0.01, 0.3, 1.0, 100.0])
@pytest.mark.parametrize("left_open", [(), ("relation",), ("sampling", "noise")])
def test_a_claim_is_said_to_be_where_its_line_is_drawn(key: str, factor: float, left_open: tuple[str, ...]):
    """Above all bars, below all that is surely lost, or differently by what nobody disclosed, which is named."""
    published = published_claim_named(key)
    stated = published.stated()
    found = judge(published.releases(), StatedTotal(factor * stated.epsilon, stated.delta), left_open)
    frame = found.frame([each for each in found.read if len(each.readings) == 1])
    lanes, told = frame[frame.kind.isin(("released", "reading"))], claims.title(found)
    claimed = found.stated.epsilon
    kept, broken = lanes.upper <= claimed, lanes.lower > claimed
    assert ("No more can be lost than is claimed" in told) == (kept.all() and found.verdict == HOLDS)
    assert ("below the proved lower end" in told) == (broken.all() and found.verdict == TOO_SMALL)
    if "kept or broken" in told:
        assert kept.any() and broken.any()
    if "under one reading" in told:
        assert (kept if "is kept" in told else broken).any() and not (kept | broken).all()
    named = [ASPECTS[each] in told for each in left_open]
    assert all(named) == (found.reason == DEPENDS) or not left_open
    assert not SYMBOLS.search(told) and "lies" not in told


@given(st.lists(st.floats(0, 5), min_size=1, max_size=9))
def test_half_is_reached_by_the_day_that_the_title_names(steps: list[float]):
    """On that day half of the budget is used, or of the total where it has none, and on the day before less."""
    days = pd.date_range("2027-01-04", periods=len(steps))
    lifetime = pd.DataFrame({"date": days, "until": days, "epsilon": np.cumsum(steps)})
    most = lifetime.epsilon.iloc[-1]
    for limit in (math.inf, 4.0):
        nothing = SimpleNamespace(dated=SimpleNamespace(releases=()))
        outlook = SimpleNamespace(
            over=None, lifetime=lifetime, held_against=limit, undated=False, filtered=False, asked=nothing
        )
        title = when.title(outlook)
        named = re.search(r"alf of the (total|budget) is reached on (.*)$", title)
        if math.isinf(limit):
            assert bool(named) == (most > 0 and lifetime.epsilon.iloc[0] < most)
        else:
            assert ("ess than half of the budget is used" in title) == (0 < most < 2 and len(steps) > 1)
            assert bool(named) == (most >= 2 and len(steps) > 1)
        if named:
            half = (most if named[1] == "total" else limit) / 2
            spent = lifetime.set_index(days.map(lambda day: day_text(day.date()))).epsilon
            before = spent[: named[2]].iloc[:-1]
            assert spent[named[2]] >= half and (before < half).all()
