"""Records and their lookup: one for all registries, which says what it looked for and what there is."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz import AMPLIFICATIONS, CALIBRATIONS, CONVERSIONS, FILTERS, THEOREMS
from dpviz.adversary.neighbours import QUERIES
from dpviz.adversary.strategies import STRATEGIES
from dpviz.amplification import SHUFFLE_BOUNDS
from dpviz.filters.sequences import HABITS
from dpviz.losses.stated_laws import LAWS
from dpviz.plan import CADENCES, WINDOWS
from dpviz.planning.advice import CHECKS
from dpviz.planning.budgeting.splits import SPLITS
from dpviz.records import Record, record_named
from dpviz.sources import CLAIMS
from dpviz.ui.filters.presets import PRESETS

WHAT = {
    "theorem": THEOREMS, "rule": FILTERS, "conversion": CONVERSIONS, "calibration": CALIBRATIONS, "query": QUERIES,
    "strategy": STRATEGIES, "bound": SHUFFLE_BOUNDS, "habit": HABITS, "cadence": CADENCES, "window": WINDOWS,
    "check": CHECKS, "split": SPLITS, "preset": PRESETS,
}  # fmt: skip
STATED = (THEOREMS, FILTERS, CONVERSIONS, AMPLIFICATIONS, CALIBRATIONS, QUERIES, STRATEGIES, CHECKS, SPLITS, LAWS)


@pytest.mark.parametrize(("what", "records"), WHAT.items(), ids=WHAT)
def test_each_is_found_by_its_key_and_no_other(what: str, records: tuple):
    """A tuple, in display order; what is not there is refused in one sentence that names what there is."""
    assert type(records) is tuple
    assert [record_named(records, record.key) for record in records] == list(records)
    with pytest.raises(ValueError) as refused:
        record_named(records, "unheard")
    assert str(refused.value) == f"{what} must be one of {', '.join(each.key for each in records)}; got 'unheard'"


@given(st.one_of(st.text(), st.none(), st.integers(), st.lists(st.text()), st.dictionaries(st.text(), st.text())))
def test_whatever_is_asked_gets_a_record_or_one_sentence(key):
    """Also what cannot be hashed; a long key is cut."""
    try:
        assert record_named(THEOREMS, key).key == key
    except ValueError as refused:
        assert str(refused).startswith("theorem must be one of basic, ") and len(str(refused)) < 300


def test_a_long_registry_is_counted_not_listed():
    with pytest.raises(ValueError, match=f"^claim must be the key of one of {len(CLAIMS)} claims; got 'unheard'$"):
        record_named(CLAIMS, "unheard")


@pytest.mark.parametrize("records", STATED, ids=lambda records: type(records[0]).__name__)
def test_what_is_stated_says_all_of_it(records: tuple):
    """Key, label, statement, assumptions and source, none empty, keys unique; unchangeable."""
    assert len({record.key for record in records}) == len(records)
    for record in records:
        assert isinstance(record, Record) and not hasattr(record, "__dict__")
        assert all((record.key, record.label, record.statement, record.assumes, record.source))
        with pytest.raises(AttributeError):
            record.label = "another"


def test_a_record_survives_the_way_to_another_process():
    """Where what it computes with has a name."""
    assert pickle.loads(pickle.dumps(LAWS)) == LAWS
