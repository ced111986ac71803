"""What the product answers, held against enclosures: never below the truth, and its brackets always meet it."""

from decimal import Decimal

import numpy as np
import pytest

from dpviz.composition import compare
from dpviz_certified import NotCertified, certified_total
from tests.certified.comparison import CELLS, KINDS, WANTED, findings, kinks
from tests.effort import share

SEED = 20_260_401
of_kinds = pytest.mark.parametrize(("kind", "cases", "usual"), KINDS, ids=[kind.__name__ for kind, *_ in KINDS])


def every_kind(test):
    """Ask it of every kind; as a random law, in "make slow" and "make fuzz" of all cases."""
    return pytest.mark.hypothesis(of_kinds(test))


def test_a_wrong_answer_would_be_seen():
    """The comparison itself: an answer a little below the truth, or a bracket above it, counts as wrong."""
    (first, *_) = findings(kinks(np.random.default_rng(3)))
    upper = float(first.truth.upper)
    for answer in ((0.0, upper * (1 - 1e-12)), (upper * (1 + 1e-12), np.inf)):
        assert type(first)(first.call, answer, first.truth).wrong
    assert not type(first)(first.call, (upper * (1 - 1e-12), upper * (1 + 1e-12)), first.truth).wrong
    assert type(first)(first.call, (0.0, upper * (1 + 1e-5)), first.truth).loose


@every_kind
def test_answers_meet_their_enclosures(kind, cases, usual):
    """Each answer, of seeded compositions; what is far above the truth is printed (``-rP``), not refused."""
    wrong, loose, compared = [], [], 0
    for seed in range(share(usual, cases)):
        for found in findings(kind(np.random.default_rng([SEED, seed]))):
            compared += 1
            wrong += [str(found)] * found.wrong
            loose += [str(found)] * found.loose
    print(f"{compared} answers; farther above the truth than {WANTED} of it: {len(loose)}", *loose, sep="\n")
    assert compared
    assert not wrong, "\n".join(wrong)


@every_kind
def test_no_theorem_is_below_the_truth(kind, cases, usual):
    """Every theorem that applies, on plans of all kinds, and on their first δ."""
    wrong = []
    for seed in range(share(max(1, usual // 4), max(3, cases // 8))):
        case = kind(np.random.default_rng([SEED, 1, seed]))
        plan = dict(zip(case.mechanisms, case.counts, strict=True))
        delta = case.deltas[-1 if seed % 2 else 0]
        if not delta < 1:
            continue
        try:
            truth = certified_total(plan, delta, CELLS)
        except NotCertified:
            continue
        for row in compare(plan, delta).itertuples():
            if row.applies and not Decimal(repr(row.epsilon)) >= truth.lower:
                wrong.append(f"compare({plan!r}, {delta!r}), {row.theorem}: {row.epsilon!r}; truth in {truth}")
    assert not wrong, "\n".join(wrong)
