"""Sequences of deductions that others have published for their own budgets, replayed on the ledger.

W3C Attribution Level 1, repository w3c/attribution, impl/e2e-tests: `CONFIG.json` (1d78d3e: 1,000,000 microepsilon per
site and epoch, 8,000,000 for all sites, epochs of 7 days that begin half an epoch in), `single-epoch-budgeting.json`
(0287c39) and `multi-epoch-budgeting.json` (9786407), whose comments say what part of a budget each conversion consumes.
Private Aggregation, repository patcg-individual-drafts/private-aggregation-api at fc26ab5: an L1 norm of 65,536 in any
10 minutes, and of 1,048,576 in any 24 hours.
"""

from datetime import UTC, datetime, timedelta

import pytest

from dpviz import Guarantee
from dpviz.store import Key, Refused, Term

BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)
SITE, ALL_SITES = 1.0, 8.0  # ε
MICRO = 1_000_000
UNIT = "person"


@pytest.fixture
def ledger(database):
    database.projects().create("browser")
    return database.ledger("browser")


class Browser:
    """Conversions that ask the budgets of their site and of all sites, in each epoch with an impression that counts."""

    def __init__(self, ledger) -> None:
        self.ledger, self.count, self.known = ledger, 0, set()

    def key(self, epoch: int, holder: str) -> Key:
        found = Key("impressions", UNIT, epoch=f"{epoch}", holder=holder)
        if found not in self.known:
            epsilon = SITE if holder else ALL_SITES
            self.ledger.open_budget(found, epsilon, reference=f"{found}")
            self.known.add(found)
        return found

    def converts(self, site: str, epochs: list[int], epsilon: float) -> bool:
        keys = [self.key(epoch, holder) for epoch in epochs for holder in (site, "")]
        self.count += 1
        try:
            self.ledger.spend(asked=dict.fromkeys(keys, Guarantee(epsilon)), reference=f"conversion {self.count}")
        except Refused:
            return False
        return True


def test_one_epoch(ledger):
    """A refusal deducts nothing; sites have budgets of their own; a new epoch has a fresh one.

    Each conversion consumes its L1 norm over the scale 2 · maxValue / ε = 16.
    """
    browser = Browser(ledger)
    events = [
        ("advertiser-1.example", 0, 4, True),  # [1, 3, 0]: a quarter
        ("advertiser-1.example", 0, 8, True),  # [0, 8, 0]: a half
        ("advertiser-1.example", 0, 8, False),  # only a quarter remains
        ("advertiser-1.example", 0, 4, True),  # and it is still there
        ("advertiser-1.example", 0, 4, False),
        ("advertiser-2.example", 0, 4, True),
        ("advertiser-1.example", 1, 4, True),  # from 302,403 seconds on, the next epoch
    ]
    assert [browser.converts(site, [epoch], norm / 16) for site, epoch, norm, _ in events] == [e[-1] for e in events]
    spent = {str(each.budget.key): each.total.epsilon for each in ledger.standings()}
    assert spent == {
        "impressions, person, 0, advertiser-1.example": MICRO,
        "impressions, person, 0": 1_250_000,
        "impressions, person, 0, advertiser-2.example": 250_000,
        "impressions, person, 1, advertiser-1.example": 250_000,
        "impressions, person, 1": 250_000,
    }
    assert ledger.verify().holds


def test_several_epochs(ledger):
    """Of several epochs each is charged 2 · value / scale = 8/16; exhausted ones are asked no more, others go on."""
    browser = Browser(ledger)
    first, second = "advertiser-1.example", "advertiser-2.example"
    assert browser.converts(first, [-2, 0], 1 / 2)
    assert browser.converts(first, [-2, 0], 1 / 2)
    assert [browser.converts(first, [epoch], 1 / 2) for epoch in (-2, -1, 0)] == [False, True, False]
    assert browser.converts(second, [-2, -1, 0], 1 / 2)
    assert ledger.verify().holds


def test_two_rolling_windows(ledger):
    """65,536 in any ten minutes, 1,048,576 in any day: sixteen full windows, then none until the first is a day old."""
    key = Key("site", UNIT)
    ten, day = Term.rolling(600), Term.rolling(86_400)
    ledger.open_budget(key, 65_536 / MICRO, term=ten, reference="ten", at=BEGIN)
    ledger.open_budget(key, 1_048_576 / MICRO, term=day, reference="day", at=BEGIN)
    asked = Guarantee(65_536 / MICRO)
    for window in range(16):
        at = BEGIN + timedelta(minutes=10 * window)
        ledger.spend(asked=asked, reference=f"{window}", at=at)
        with pytest.raises(Refused) as refused:
            ledger.spend(asked=Guarantee(1 / MICRO), reference="more", at=at + timedelta(seconds=599))
        terms = [each.term for each, _ in refused.value.reasons]
        assert terms == [ten] + [day] * (window == 15)
    for at in (timedelta(hours=3), timedelta(days=1) - timedelta(microseconds=1)):
        with pytest.raises(Refused) as refused:
            ledger.spend(asked=Guarantee(1 / MICRO), reference="more", at=BEGIN + at)
        assert [each.term for each, _ in refused.value.reasons] == [day]
    ledger.spend(asked=asked, reference="again", at=BEGIN + timedelta(days=1))
    assert ledger.verify().holds
