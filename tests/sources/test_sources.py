"""The claims of the sources: complete, computed, and equal to what is known of them to the last printed digit."""

import math
from decimal import Decimal

import pytest

from dpviz.sources import CLAIMS, DOCUMENTS, VERDICTS, claim_named, claims_frame
from dpviz.sources import sherpa_composition as claims_sherpa
from dpviz.sources import sherpa_sampling as claims_sampling
from dpviz.sources.claims import RIGHT, UNPROVED, WRONG, summary
from tests.golden import GOLDEN

OUTWARD = 3e-14  # relative: what the core adds so that a cost is never too small
NUMBERS = {claim.key: claim.numbers() for claim in CLAIMS}

# Every number of the list of errata: claim, which number, its printed digits.
PRINTED = [
    ("sherpa_advanced_3", "stated", "4.690004094900031"),
    ("sherpa_advanced_3", "correct", "2.831543000475111"),
    ("sherpa_advanced_3", "tight mean", "2.225839"),
    ("sherpa_advanced_3", "Kairouz-Oh-Viswanath", "1.5"),
    ("sherpa_advanced_3", "basic", "1.5"),
    ("sherpa_advanced_3", "optimal", "0.964479"),
    ("sherpa_advanced_350", "stated", "153.67357054267973"),
    ("sherpa_advanced_350", "correct", "133.59989645760107"),
    ("sherpa_advanced_350", "tight mean", "62.934440"),
    ("sherpa_advanced_350", "optimal", "53.575411"),
    ("sherpa_advanced_350", "basic", "175"),
    ("sherpa_basic", "correct", "175"),
    ("sherpa_crossing", "stated", "150"),
    ("sherpa_crossing", "correct", "38"),
    ("sherpa_crossing", "in reals", "37.32"),
    ("sherpa_crossing", "tight mean", "9"),
    ("sherpa_crossing", "tight mean, in reals", "8.08"),
    ("sherpa_small_epsilon", "stated", "3451"),
    ("sherpa_small_epsilon", "correct", "35"),
    ("sherpa_spent", "stated", "2000"),
    ("sherpa_spent", "Σδ_i as printed", "9.999999999999831"),
    ("sherpa_spent", "Σδ_i", "10"),
    ("sherpa_spent", "drift", "1.7e-13"),
    ("sherpa_neighbours", "stated", "1"),
    ("sherpa_pair", "correct", "2"),
    ("sherpa_pair", "largest change", "4"),
    ("sherpa_indistinguishable", "total variation", "0.411459"),
    ("sherpa_indistinguishable", "correct", "0.705730"),
    ("sherpa_indistinguishable", "Laplace 0.5", "0.2212"),
    ("sherpa_indistinguishable", "Laplace 1", "0.3935"),
    ("sherpa_indistinguishable", "Gaussian", "0.0641"),
    ("sherpa_rounds", "standard deviation of the mean", "0.0735"),
    ("sherpa_rounds", "if the mean were normal", "5.1e-12"),
    ("sherpa_rounds", "first printed mean, in deviations", "0.13"),
    ("sherpa_rounds", "second printed mean, in deviations", "-0.79"),
    ("sherpa_plot", "stated", "99"),
    ("sherpa_plot", "correct", "100"),
    ("sherpa_plot", "points", "99"),
    ("sherpa_plot", "points where it is basic", "99"),
    ("sherpa_plot", "points that lose a run", "5"),
    ("sherpa_both", "correct", "3e-10"),
    ("sampling_title", "stated", "0.60"),
    ("sampling_title", "correct", "0.4528"),
    ("sampling_cancels", "stated", "0"),
    ("sampling_filter", "what the filter keeps for it", "1e-10"),
    ("sampling_incredible", "runs by basic, m = 50", "399"),
    ("sampling_incredible", "runs without sampling", "199"),
    ("sampling_incredible", "runs, m = 50", "502"),
    ("sampling_incredible", "points where advanced is used, m = 50", "1"),
    ("sampling_great", "runs, m = 60", "348"),
    ("sampling_great", "runs by basic, m = 60", "333"),
    ("sampling_great", "points where advanced is used, m = 60", "1"),
    ("sampling_great", "points where advanced is used, m = 80", "0"),
    ("sampling_pairs", "stated", "377"),
    ("sampling_pairs", "correct", "123719"),
    ("sampling_pairs", "by zero-concentrated DP", "111702"),
    ("sampling_pairs", "runs, m = 50", "1507"),
    ("sampling_pairs", "gain of m = 50", "4.0"),
    ("sampling_pairs", "points where advanced is used, all records", "1"),
    ("sampling_pairs", "points where advanced is used, m = 50", "3"),
    ("sampling_gaussian", "correct", "8.4198"),
    ("sampling_gaussian", "at δ = 0.1", "5.74"),
    ("sampling_gaussian", "at δ = 10⁻⁶", "8.78"),
    ("proofs_row_1", "stated", "0.416025"),
    ("proofs_row_2", "stated", "0.447214"),
    ("proofs_row_3", "stated", "0.894427"),
    ("proofs_row_4", "stated", "0.485071"),
    ("proofs_row_1", "correct", "0.288586"),
    ("proofs_row_2", "correct", "0.312228"),
    ("proofs_row_3", "correct", "0.664748"),
    ("proofs_row_4", "correct", "0.341122"),
    ("proofs_row_1", "stated, over the truth", "1.44"),
    ("proofs_row_3", "stated, over the truth", "1.35"),
    ("proofs_row_1", "truth of analytic noises", "0.404443"),
    ("proofs_row_2", "truth of analytic noises", "0.436786"),
    ("proofs_row_3", "truth of analytic noises", "0.871267"),
    ("proofs_row_4", "truth of analytic noises", "0.479362"),
    ("proofs_row_1", "stated, less that truth", "0.0116"),
    ("proofs_row_2", "stated, less that truth", "0.0104"),
    ("proofs_row_3", "stated, less that truth", "0.0232"),
    ("proofs_row_4", "stated, less that truth", "0.0057"),
    ("proofs_margin", "correct", "8.42"),
    ("proofs_aggregation", "stated", "0.1"),
    ("proofs_aggregation", "correct", "0.080903"),
    ("proofs_aggregation", "exact for n = 10", "0.284543"),
    ("proofs_aggregation", "stated for n = 10", "0.316228"),
    ("proofs_aggregation", "exact for ε = 0.5, n = 1000", "0.011099"),
    ("proofs_aggregation", "stated for ε = 0.5, n = 1000", "0.015811"),
    ("proofs_scale", "correct", "0.2140"),
    ("proofs_scale", "with nσ₁²", "0.0607"),
    ("proofs_same_set", "stated", "0.6480"),
    ("proofs_same_set", "correct", "0.9532"),
    ("proofs_same_set", "label hidden", "0.3214"),
    ("proofs_same_set", "n = 4, known", "0.953244"),
    ("proofs_same_set", "n = 4, hidden", "0.444436"),
    ("proofs_same_set", "n = 4, known, classical σ", "0.714479"),
    ("proofs_same_set", "n = 4, hidden, classical σ", "0.333591"),
    ("proofs_exponentials", "sum at x = y = 0", "2"),
    ("proofs_exponentials", "bound at x = y = 0", "1"),
    ("proofs_exponentials", "correct", "3.297"),
    ("proofs_exponentials", "stated", "2.718"),
    ("proofs_condition", "stated", "0.6137"),
    ("proofs_condition", "correct", "1"),
    ("proofs_product", "stated", "3.735"),
    ("proofs_product", "trivial", "3"),
    ("proofs_product", "line before it", "2.654"),
    ("proofs_product", "correct", "2.880"),
    ("proofs_product", "label hidden", "1.946"),
    ("steinke_footnote_2", "exact over sufficient, ε = 1", "1.035"),
    ("steinke_footnote_2", "exact over sufficient, ε = 10", "1.289"),
    ("steinke_footnote_2", "exact over ε²/(4L+2ε), ε = 1", "1.0003"),
    ("steinke_footnote_2", "exact over ε²/(4L+2ε), ε = 10", "1.018"),
    ("lecture_tenth", "stated", "0.1177894"),
    ("lecture_tenth", "δ' at which the formula gives 0.1", "4.77e-5"),
    ("lecture_tenth", "Kairouz-Oh-Viswanath", "0.100326"),
    ("lecture_tenth", "zero-concentrated DP", "0.087540"),
    ("lecture_tenth", "correct", "0.0797888541704723"),
    ("lecture_tenth", "least δ at ε = 0.1", "1.711e-8"),
    ("lecture_tenth", "releases within 0.1, own formula", "360"),
    ("lecture_tenth", "releases within 0.1, optimal", "760"),
    ("lecture_gaussian_advanced", "missing factor √ln(1/δ)", "3.72"),
    ("lecture_sigma", "stated", "6.786"),
    ("lecture_sigma", "classical", "4.845"),
    ("lecture_sigma", "correct", "3.731"),
    ("lecture_sigma", "true ε of the lecture's σ", "0.5198"),
    ("lecture_sigma", "true up to ε, δ = 10⁻⁵", "36.1"),
    ("lecture_sigma", "true up to ε, δ = 0.1", "12.0"),
    ("lecture_response_mean", "correct", "0.004996"),
    ("lecture_response_mean", "stated", "0.05"),
    ("lecture_final", "stated", "inf"),
    ("sherpa_delta_zero", "correct", "inf"),
]
NUMERICAL = {("lecture_tenth", "correct")}  # as many digits as double precision holds: the engine's outward rounding


@pytest.mark.parametrize(("key", "name", "digits"), PRINTED, ids=[f"{key}-{name}" for key, name, _ in PRINTED])
def test_printed_digits(key: str, name: str, digits: str):
    """The number rounds to its printed digits, but for what the core adds on the safe side."""
    value = NUMBERS[key][name]
    if digits == "inf":
        assert math.isinf(value)
        return
    printed = Decimal(digits)
    half = float(Decimal(1).scaleb(printed.as_tuple().exponent)) / 2
    slack = OUTWARD if (key, name) not in NUMERICAL else 1e-11  # relative, of the numerically summed binomial tail
    assert abs(value - float(printed)) <= half + slack * abs(value)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_a_claim_is_complete(claim):
    """Every field says something, and a verdict agrees with the numbers where they decide it."""
    words = (claim.key, claim.place, claim.says, claim.right, claim.source)
    assert all(word.strip() for word in words)
    assert claim.document in DOCUMENTS and claim.verdict in VERDICTS
    assert bool(claim.quantity) == (claim.stated is not None or claim.correct is not None)
    assert claim.correct is not None or claim.stated is None
    numbers = NUMBERS[claim.key]
    assert not any(math.isnan(value) for value in numbers.values())
    if claim.verdict == WRONG and {"stated", "correct"} <= numbers.keys():
        assert numbers["stated"] != pytest.approx(numbers["correct"], rel=1e-9, abs=0)


def test_keys_are_unique():
    assert len({claim.key for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.document for claim in CLAIMS} == set(DOCUMENTS)


def test_no_guarantee_is_called_right_that_is_too_small():
    """An ε called right, or true by another theorem, is never below the exact one."""
    guarantees = [claim for claim in CLAIMS if claim.quantity.startswith(("ε of", "ε for", "ε, ", "ε* "))]
    assert len(guarantees) > 20
    for claim in guarantees:
        numbers = NUMBERS[claim.key]
        if claim.verdict in (RIGHT, UNPROVED) and "stated" in numbers:
            assert numbers["stated"] >= numbers["correct"] * (1 - OUTWARD), claim.key


def test_summary_counts_every_claim():
    assert sum(summary().values()) == len(CLAIMS)
    assert all(summary()[verdict] > 0 for verdict in VERDICTS)


def test_the_frame_holds_what_the_records_compute(snapshot):
    frame = claims_frame()
    assert frame.claim.tolist() == [claim.key for claim in CLAIMS]
    for row in frame.itertuples():
        numbers = NUMBERS[row.claim]
        for name in ("stated", "correct"):
            value = getattr(row, name)
            assert value == numbers[name] if name in numbers else math.isnan(value)
    rows = [f"{row.claim} | {row.verdict} | {row.stated:.6g} | {row.correct:.6g}" for row in frame.itertuples()]
    assert rows == snapshot


def test_runs_are_those_of_the_notebooks():
    """All counts of the figures, in the notebooks' arithmetic."""
    plot = GOLDEN["curves"]["sherpa_composition_plot"]["rows"]
    assert [claims_sherpa.runs(each) for each in claims_sherpa.AS_RUN] == [row["sherpa_float64"] for row in plot]
    expected = {
        100: "199 99 66 49 39 33 28 24 22", 50: "502 199 133 99 79 66 57 49 44", 60: "348 166 111 83 66 55 47 41 36",
        70: "285 142 95 71 57 47 40 35 31", 80: "249 124 83 62 49 41 35 31 27",
    }  # fmt: skip
    for draws, counts in expected.items():
        found = [claims_sampling.runs(draws, each) for each in claims_sampling.PLOTTED]
        assert found == list(map(int, counts.split())), draws
    fourth = {100: "377 99 66 49 39 33 28 24 22", 50: "1507 376 167 99 79 66 57 49 44"}
    for draws, counts in fourth.items():
        found = [claims_sampling.runs(draws, each, delta=2e-20) for each in claims_sampling.PLOTTED]
        assert found == list(map(int, counts.split())), draws


def test_reach_of_the_calibrations():
    """Up to which ε a printed σ is true, against the reference values."""
    names = (("classical_sqrt(2ln(1.25/d))/eps", "classical"), ("lecture11_2sqrt(ln(1/d))/eps", "lecture11"))
    for row in GOLDEN["gaussian_calibration_validity"]["rows"]:
        for name, key in names:
            reference = float(row[f"{name}_true_up_to_eps"])
            assert claims_sampling.largest_true_epsilon(key, float(row["delta"])) == pytest.approx(reference, rel=1e-9)


def test_an_unknown_claim_is_refused():
    with pytest.raises(ValueError, match="claim must be"):
        claim_named("nothing")
