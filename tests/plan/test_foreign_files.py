"""Files of other programs as plans: what is understood, what is told not to be, and what is refused in one sentence."""

import io
import json
import random
from fractions import Fraction

import pytest

from dpviz import ApproximateDP, Declared, DiscreteLaplace, Gaussian, Guarantee, Laplace, Plan, PrivacyLoss, compose
from dpviz.decimals import typed
from dpviz.mechanisms import KaryRandomizedResponse, Subsampled
from dpviz.plan import PlanFileError
from dpviz.plan.files.foreign import ENDINGS, opened, opened_foreign
from dpviz.plan.files.foreign.literals import DEEPEST, literal
from dpviz.plan.files.foreign.opened import LONGEST

STEPS = (
    "SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.04, "
    "event=GaussianDpEvent(noise_multiplier=1.5)), count=2250)"
)
ENTRY = """\
url_slug: made-up
deployment:
  basic:
    name: Visits to "parks"
  dp_variant: {variant_name: Pure DP}
  privacy_loss:
    privacy_unit: User-level
    privacy_unit_details: Data sets at symmetric distance 1.
    privacy_parameters: {epsilon: 4.72, delta: 5e-9}
  administrative: {sources: made up}
"""


class Named(io.StringIO):
    """An upload: a text with the name of a file."""

    def __init__(self, name: str, text: str):
        super().__init__(text)
        self.name = name


@pytest.fixture
def events():
    """The events of the peer."""
    return pytest.importorskip("dp_accounting.dp_event")


def mechanisms(file) -> list[tuple[object, int]]:
    return [(release.mechanism, release.count) for release in file.plan.releases]


def test_events_by_their_repr(events):
    """As the peer prints them, with the totals that it computes itself."""
    steps = events.SelfComposedDpEvent(events.PoissonSampledDpEvent(0.04, events.GaussianDpEvent(1.5)), 2250)
    assert repr(steps) == STEPS
    file = opened(Named("event.txt", STEPS))
    assert mechanisms(file) == [(Subsampled(Gaussian(1.5, 1.0), 0.04, "poisson"), 2250)]
    assert not file.not_understood and not file.incomplete
    accountant = pytest.importorskip("dp_accounting.pld").PLDAccountant()
    accountant.compose(steps)
    assert compose(file.plan, 1e-5).epsilon == pytest.approx(accountant.get_epsilon(1e-5), rel=1e-4)


def test_every_event_that_has_a_counterpart(events):
    """Each noise by hand; what is composed within one sample is one noise."""
    event = events.ComposedDpEvent(
        [
            events.LaplaceDpEvent(2.0),
            events.DiscreteLaplaceDpEvent(0.5, 2),
            events.RandomizedResponseDpEvent(0.5, 4),
            events.ZCDpEvent(0.1, 0.0),
            events.NoOpDpEvent(),
            events.SampledWithoutReplacementDpEvent(
                1000, 10, events.SelfComposedDpEvent(events.GaussianDpEvent(2.0), 4)
            ),
        ]
    )
    found = mechanisms(opened(io.StringIO(repr(event))))
    assert [count for _, count in found] == [1] * 5
    laplace, discrete, response, concentrated, sampled = (mechanism for mechanism, _ in found)
    assert laplace == Laplace(2.0, 1.0) and discrete == DiscreteLaplace(2.0, 2)
    assert isinstance(response, KaryRandomizedResponse) and response.k == 4
    assert response.epsilon(0.0) == pytest.approx(1.6094379124341003)  # ln(1 + 4 · 0.5 / 0.5)
    assert concentrated == Declared.zcdp(0.1)
    assert sampled.base.sigma == pytest.approx(1.0) and sampled.base.sigma <= 1.0 and sampled.rate == 0.01


def test_what_has_no_counterpart_is_told(events):
    """The rest is read, and the plan is known to lack releases."""
    event = events.ComposedDpEvent([events.GaussianDpEvent(1.0), events.NonPrivateDpEvent()])
    file = opened(io.StringIO(repr(event)))
    assert mechanisms(file) == [(Gaussian(1.0, 1.0), 1)] and file.incomplete
    [told] = file.not_understood
    assert told.startswith("NonPrivateDpEvent has no counterpart")
    mixed = events.PoissonSampledDpEvent(
        0.1, events.ComposedDpEvent([events.GaussianDpEvent(1.0), events.LaplaceDpEvent(1.0)])
    )
    assert opened(io.StringIO(repr(mixed))).incomplete


def test_events_as_json():
    """Objects that say which event they are."""
    value = {
        "type": "SelfComposedDpEvent",
        "event": {"type": "GaussianDpEvent", "noise_multiplier": 4.0},
        "count": 3,
    }
    assert mechanisms(opened(Named("event.json", json.dumps(value)))) == [(Gaussian(4.0, 1.0), 3)]


@pytest.mark.parametrize(
    "text", ["[(1.5, 0.04, 2250), (1.0, 1, 5)]", '{"history": [[1.5, 0.04, 2250], [1.0, 1.0, 5]]}']
)
def test_a_history_of_opacus(text):
    """A list of triples, alone or in the accountant's state; how batches were drawn stays open."""
    file = opened(io.StringIO(text))
    assert mechanisms(file) == [(Subsampled(Gaussian(1.5, 1.0), 0.04, "poisson"), 2250), (Gaussian(1.0, 1.0), 5)]
    assert file.left_open == ("sampling",) and file.plan.neighbours == "add_remove" and not file.incomplete


@pytest.mark.parametrize("beside", ['"more": [[1.0, 1.0, 5]]', '"mechanism": "laplace"'])
def test_what_stands_beside_a_history_is_told(beside):
    """It may say that more was released; the name of an accountant of Opacus does not."""
    plain = opened(io.StringIO('{"history": [[1.5, 0.04, 2250]], "mechanism": "prv"}'))
    assert not plain.not_understood and not plain.incomplete
    found = opened(io.StringIO(f'{{"history": [[1.5, 0.04, 2250]], {beside}}}'))
    assert found.incomplete and "beside the history" in found.not_understood[0]


def test_an_entry_of_the_registry():
    """A total and a claim; what a plan has no place for is listed, and "pure" claims a δ of 0."""
    file = opened(Named("entry.yaml", ENTRY))
    assert mechanisms(file) == [(ApproximateDP(4.72, 5e-9), 1)] and file.claim == Guarantee(4.72, 0.0)
    assert file.plan.unit == "User-level" and file.plan.relation == "add_remove"
    assert file.plan.releases[0].name == 'Visits to "parks"'
    assert "administrative" in " ".join(file.not_understood) and not file.incomplete
    former = ENTRY.replace("basic:", "product:").replace("dp_variant: {variant_name: Pure DP}", "dp_flavor: {name: x}")
    assert opened(Named("entry.yml", former)).claim == Guarantee(4.72, 5e-9)
    concentrated = opened(Named("entry.yaml", ENTRY.replace("epsilon: 4.72, delta: 5e-9", "rho: 2.63")))
    assert mechanisms(concentrated) == [(Declared.zcdp(2.63), 1)] and concentrated.claim is None


def test_an_entry_without_a_delta_is_no_claim():
    """Of "Pure DP" it is 0; of anything else nobody knows, and no claim about the file may be called right."""
    without = ENTRY.replace(", delta: 5e-9", "")
    assert opened(Named("entry.yaml", without)).claim == Guarantee(4.72, 0.0)
    for entry in (without.replace("Pure DP", "Approximate DP"), without.replace("  dp_variant:", "  other:")):
        found = opened(Named("entry.yaml", entry))
        assert found.claim is None and found.incomplete
        assert any("ε without a δ" in each for each in found.not_understood)
    both = without.replace("Pure DP", "zCDP").replace("epsilon: 4.72", "epsilon: 4.72, rho: 2.63")
    found = opened(Named("entry.yaml", both))
    assert found.claim is None and not found.incomplete and mechanisms(found) == [(Declared.zcdp(2.63), 1)]
    times = ENTRY.replace("sources: made up", "sources: made up, at: 1:30, id: 0x10")
    assert opened(Named("entry.yaml", times)).claim == Guarantee(4.72, 0.0), "only parameters must be decimal"


@pytest.mark.parametrize("variant", ["Approximate DP", "Zero-concentrated DP", "Custom"])
def test_no_delta_is_told_by_a_zero(variant):
    """Under a variant that has a δ, 0 stands for one that nobody told."""
    found = opened(Named("entry.yaml", ENTRY.replace("Pure DP", variant).replace("5e-9", "0")))
    assert found.claim is None and found.incomplete


def test_parameters_that_are_not_understood_are_told():
    """They may say that more is lost than what is read: then no claim is called right."""
    found = opened(Named("entry.yaml", ENTRY.replace("delta: 5e-9", "delta: 5e-9, mu: 9, Epsilon: 50")))
    assert found.incomplete and sum("is not understood" in each for each in found.not_understood) == 2
    told = opened(Named("entry.yaml", ENTRY.replace("User-level", "User-level\n    split: two budgets"))).not_understood
    assert "split" in " ".join(told)


def test_a_list_of_budgets():
    """Of Tumult by its constructors, of OpenDP by measure and distance, or plain columns; a total is a claim."""
    tumult = "query,budget,count\nVisits,PureDPBudget(epsilon=0.5),2\n"
    tumult += 'Ages,"ApproxDPBudget(1, 1e-7)",\n,RhoZCDPBudget(0.1),\n'
    found = mechanisms(opened(Named("spent.csv", tumult)))
    assert found == [(ApproximateDP(0.5, 0.0), 2), (ApproximateDP(1.0, 1e-7), 1), (Declared.zcdp(0.1), 1)]
    opendp = "measurement,output_measure,d_out\na,MaxDivergence(),0.5\nb,ZeroConcentratedDivergence,0.1\n"
    opendp += 'c,Approximate(MaxDivergence),"(1.0, 1e-6)"\n'
    found = mechanisms(opened(Named("odometer.csv", opendp)))
    assert found == [(ApproximateDP(0.5, 0.0), 1), (Declared.zcdp(0.1), 1), (ApproximateDP(1.0, 1e-6), 1)]
    plain = opened(Named("list.csv", "Name,Epsilon,Delta,Noise\nVisits,0.5,0,laplace\nTotal,0.5,0,\n"))
    assert plain.claim == Guarantee(0.5, 0.0) and len(plain.plan.releases) == 1
    assert any("“Noise”" in each for each in plain.not_understood)
    assert any("“Total”, is taken for what all others cost" in each for each in plain.not_understood)


def test_a_list_of_budgets_between_other_separators():
    """Semicolons, with decimal commas, and tabs; row numbers without a name stay out."""
    found = opened(Named("list.csv", ";Query;Epsilon;Delta\n0;Visits;0,5;1,5e-7\n1;Ages;0,25;\n"))
    assert mechanisms(found) == [(ApproximateDP(0.5, 1.5e-7), 1), (ApproximateDP(0.25, 0.0), 1)]
    assert any("leaves its δ empty" in each for each in found.not_understood)
    assert mechanisms(opened(Named("list.csv", "query\trho\nVisits\t0.5\n"))) == [(Declared.zcdp(0.5), 1)]
    assert opened_foreign("query;epsilon\nVisits;0,5\n", "", False).plan.releases[0].name == "Visits"


@pytest.mark.parametrize("name", ["sum", "all", "session", "total", "Total"])
def test_no_release_is_taken_for_a_claim(name):
    """Whatever a release is called, it counts, unless it is the last one, and called a total."""
    found = opened(io.StringIO(f"query,epsilon\n{name},5\nVisits,0.5\n"))
    assert mechanisms(found) == [(ApproximateDP(5.0, 0.0), 1), (ApproximateDP(0.5, 0.0), 1)] and found.claim is None
    last = opened(io.StringIO(f"query,epsilon\nVisits,0.5\n{name},5\n"))
    is_total = name.lower() == "total"
    assert len(last.plan.releases) == 2 - is_total and last.claim == (Guarantee(5.0, 0.0) if is_total else None)
    assert len(opened(io.StringIO(f"query,epsilon\n{name},5\n")).plan.releases) == 1, "a total of nothing is none"


@pytest.mark.parametrize(
    ("header", "rows", "total"),
    [
        ("epsilon", ("0.5",), "0.1"),
        ("epsilon", ("0.1", "0.1"), "0.1"),
        ("epsilon,count", ("0.1,2",), "0.1,1"),
        ("epsilon,delta", ("0.1,1e-6",), "0.2,0"),
        ("rho,epsilon", (",5",), "0.1,"),
    ],
)
def test_a_last_row_that_can_be_no_total_is_a_release(header, rows, total):
    """No composition costs less than a part of it: a query that is called "Total" is counted, and that is told."""
    text = "\n".join((f"query,{header}", *(f"a,{row}" for row in rows), f"Total,{total}"))
    found = opened(io.StringIO(text))
    assert len(found.plan.releases) == len(rows) + 1 and found.claim is None
    assert any("counts as one more" in each for each in found.not_understood)


def test_a_total_in_rho_is_told():
    """No claim in ε and δ follows from it, and it is no release."""
    found = opened(io.StringIO("query,rho\nVisits,0.1\nTotal,0.2\n"))
    assert mechanisms(found) == [(Declared.zcdp(0.1), 1)] and found.claim is None
    assert any("states a ρ" in each for each in found.not_understood)


def test_a_measure_beside_an_epsilon_must_be_its_own():
    """It is taken where all its numbers are there, and a δ of 0 is no contradiction."""
    found = opened(io.StringIO("query,measure,epsilon,delta\na,ApproxDP,1,1e-7\nb,PureDP,1,0\n"))
    assert mechanisms(found) == [(ApproximateDP(1.0, 1e-7), 1), (ApproximateDP(1.0, 0.0), 1)]


def test_plans_of_dpviz_stay_what_they_are(root):
    """Whatever the form, a plan is read as before, and its budget is the claim."""
    for name in ("mobility.json", "mobility.csv", "lecture-11.json"):
        path = root / "examples" / name
        assert opened(path).plan == Plan.read(path)
    assert opened(root / "examples" / "lecture-11.json").claim == Guarantee(0.1, 1e-6)
    assert opened_foreign("name,mechanism,epsilon\nVisits,laplace,0.1\n", ".csv", False) is None
    assert opened_foreign("", ".csv", False) is None and set(ENDINGS) >= {"csv", "json", "yaml"}


DEEP = "[" * 10_000 + "]" * 10_000
LAUGHS = "a: &a [lol,lol]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a,*a]\n" for n in range(20))
HOSTILE = {
    "code.txt": "__import__('os').system('id')",
    "lambda.txt": "(lambda: 1)()",
    "comprehension.txt": "[x for x in range(10**9)]",
    "attribute.txt": "GaussianDpEvent(noise_multiplier=(1).__class__)",
    "called.txt": "GaussianDpEvent(noise_multiplier=open('/etc/passwd'))",
    "star.txt": "GaussianDpEvent(*[1.0])",
    "named.txt": "GaussianDpEvent(**{'noise_multiplier': 1.0})",
    "power.txt": "[(9**9**9, 0.1, 1)]",
    "deep.txt": DEEP,
    "deep.json": DEEP,
    "objects.json": '{"a":' * 5000 + "1" + "}" * 5000,
    "signs.txt": "[(" + "-" * 5000 + "1, 0.1, 1)]",
    "sum.txt": "[(" + "1+" * 20_000 + "1, 0.1, 1)]",
    "dots.txt": "a" + ".a" * 20_000 + "()",
    "digits.txt": f"[(1{'0' * 5000}, 0.1, 1)]",
    "digits.json": f'{{"history": [[1{"0" * 5000}, 0.1, 1]]}}',
    "huge.txt": "[(1e999, 0.1, 1)]",
    "nan.json": '{"history": [[NaN, 0.1, 1]]}',
    "long.txt": "[" + "1," * LONGEST + "]",
    "steps.txt": "[(1.0, 0.1, 10**20)]",
    "many.txt": "[(1.0, 0.1, 99999999999)]",
    "minus.txt": "[(1.0, 0.1, -3)]",
    "rate.txt": "[(1.0, 1.5, 3)]",
    "truth.txt": "[(True, 0.1, 3)]",
    "laughs.yaml": LAUGHS,
    "tag.yaml": "!!python/object/apply:os.system [id]",
    "deep.yaml": DEEP,
    "wide.yaml": "a: [" + "1," * 60_000 + "1]",
    "empty.yaml": "",
    "list.yaml": "- 1",
    "broken.yaml": "a: [1",
    "none.yaml": "deployment: {privacy_loss: {privacy_parameters: {}}}",
    "text.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: lots}}}",
    "date.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 2020-01-01}}}",
    "minus.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: -1}}}",
    "infinite.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: .inf, delta: 2}}}",
    "octal.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 010, delta: 1e-9}}}",
    "sixty.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 0:01, delta: 1e-9}}}",
    "under.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 1_0, delta: 1e-9}}}",
    "binary.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 0b10, delta: 1e-9}}}",
    "twice.yaml": "deployment: {privacy_loss: {privacy_parameters: {epsilon: 10, delta: 1e-9, epsilon: 1}}}",
    "above.yaml": ENTRY + "deployment: {privacy_loss: {privacy_parameters: {epsilon: 1}}}",
    "merge.yaml": "deployment: {privacy_loss: {privacy_parameters: {<<: {epsilon: 1, delta: 0}}}}",
    "budget.csv": "query,budget\na,__import__('os')\n",
    "unknown.csv": "query,budget\na,OtherBudget(1)\n",
    "measure.csv": "query,d_out\na,1\n",
    "both.csv": "query,epsilon,rho\na,1,1\n",
    "neither.csv": "query,epsilon\na,\n",
    "pair.csv": "query,output_measure,d_out\na,MaxDivergence,\"(1,2)\"\n",
    "quote.csv": 'query,epsilon\n"a,1\n',
    "count.csv": "query,epsilon,count\na,1,1e30\n",
    "comma.csv": "query,epsilon\nVisits,0,5\nTotal,0,5",
    "comma-unnamed.csv": "query,epsilon,\nVisits,0,5\nTotal,0,5",
    "comma-alone.csv": "epsilon\n0,5\n",
    "comma-budget.csv": "query,budget\nVisits,PureDPBudget(0,5)\n",
    "comma-quoted.csv": 'query,budget\nVisits,"PureDPBudget(0,5)"\n',
    "comma-grouped.csv": "query;epsilon\nVisits;0,5\nAges;1,000\n",
    "comma-out.csv": "query;output_measure;d_out\na;MaxDivergence;0,5\n",
    "tab.csv": "query\tepsilon\nVisits\t0,5\n",
    "twice.csv": "query,epsilon,eps\na,5,0.1\n",
    "spent.csv": "query,budget,spent\na,PureDPBudget(5),PureDPBudget(0.1)\n",
    "beside.csv": "query,budget,epsilon\na,PureDPBudget(5),0.1\n",
    "beside-delta.csv": "query,budget,delta\na,PureDPBudget(5),0.1\n",
    "one-of-two.csv": "query,output_measure,d_out\na,Approximate(MaxDivergence),1\n",
    "no-delta.csv": "query,budget\na,ApproxDPBudget(1)\n",
    "measure-rho.csv": "query,measure,epsilon\na,RhoZCDP,1\n",
    "measure-approx.csv": "query,measure,epsilon\na,ApproxDP,1\n",
    "measure-pure.csv": "query,measure,epsilon,delta\na,PureDP,1,0.1\n",
    "measure-other.csv": "query,measure,epsilon\na,RenyiDivergence,1\n",
    "measure-budget.csv": "query,measure,budget\na,RhoZCDP,PureDPBudget(1)\n",
    "comment.csv": "query,budget\na,PureDPBudget(1) # and PureDPBudget(5)\n",
    "comment.txt": "[(1.5, 0.04, 2250), # (1.0, 1.0, 5)\n]",
    "other-name.csv": "query,budget\na,\"PureDPBudget(epsilon=1, delta=0.1)\"\n",
    "total-times.csv": "query,epsilon,count\na,1,1\ntotal,1,2\n",
    "sensitivity.txt": "GaussianDpEvent(1.0, sensitivity=10)",
    "position.txt": "LaplaceDpEvent(1.0, 10)",
    "value-twice.txt": "GaussianDpEvent(1.0, noise_multiplier=2.0)",
    "name-twice.txt": "GaussianDpEvent(noise_multiplier=1.0, noise_multiplier=2.0)",
    "nothing.txt": "NoOpDpEvent(GaussianDpEvent(1.0))",
    "xi.txt": "ZCDpEvent(0.1, False)",
    "key-twice.json": '{"type": "GaussianDpEvent", "noise_multiplier": 1.0, "noise_multiplier": 9.0}',
    "key-twice.txt": "{'type': 'GaussianDpEvent', 'noise_multiplier': 1.0, 'noise_multiplier': 9.0}",
    "sensitivity.json": '{"type": "GaussianDpEvent", "noise_multiplier": 1.0, "sensitivity": 10}',
    "words.txt": "hello",
    "null.txt": "GaussianDpEvent(\x001.0)",
    "bomb.txt": "SelfComposedDpEvent(SelfComposedDpEvent(GaussianDpEvent(1.0), 10000000), 10000000)",
    "sample.txt": "PoissonSampledDpEvent(2.0, GaussianDpEvent(1.0))",
    "schemes.txt": "ComposedDpEvent([PoissonSampledDpEvent(.1, GaussianDpEvent(1.)), "
    "SampledWithoutReplacementDpEvent(10, 1, GaussianDpEvent(1.))])",
    "buckets.txt": "RandomizedResponseDpEvent(0.5)",
    "missing.txt": "SelfComposedDpEvent(count=3)",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_sentence(name):
    """Nothing runs, nothing hangs, nothing is half read: one problem is told, of a readable length."""
    with pytest.raises(PlanFileError) as refusal:
        opened(Named(name, HOSTILE[name]))
    assert len(refusal.value.problems) == 1 and len(str(refusal.value)) < 700


def test_brackets_within_brackets_have_a_limit():
    """The deepest that is read, and one more."""
    assert literal("[" * DEEPEST + "]" * DEEPEST) is not None
    with pytest.raises(PlanFileError, match="within each other"):
        literal("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_broken_files_never_fail_otherwise():
    """Any piece of any of them is read or refused."""
    rng = random.Random(1)
    whole = [STEPS, ENTRY, "[(1.5, 0.04, 2250)]", "query,budget\nVisits,PureDPBudget(0.5)\n", *HOSTILE.values()]
    for text in whole:
        for _ in range(6):
            cut = sorted(rng.choices(range(len(text) + 1), k=2))
            name = rng.choice(["a.yaml", "a.txt", "a.json", "a.csv", "a"])
            try:
                file = opened(Named(name, text[: cut[0]] + text[cut[1] :]))
            except PlanFileError:
                continue
            assert isinstance(file.plan, Plan)


def test_a_share_of_records_is_rounded_up():
    """As a decimal, which is what all totals take it for."""
    for size, source in ((1, 3), (2, 3), (7, 60_000), (1, 10)):
        file = opened(io.StringIO(f"SampledWithoutReplacementDpEvent({source}, {size}, GaussianDpEvent(1.0))"))
        assert typed(file.plan.releases[0].mechanism.rate) >= Fraction(size, source)
    assert not opened(io.StringIO("PoissonSampledDpEvent(0.1, NoOpDpEvent())")).incomplete


def test_less_noise_is_never_read_as_more():
    """Where a number cannot be held exactly, the plan loses a little more than the event, never less."""
    for decay in (0.3, 1 / 3, 0.7):
        file = opened(io.StringIO(f"DiscreteLaplaceDpEvent(noise_parameter={decay!r}, sensitivity=3)"))
        assert PrivacyLoss.of(file.plan).epsilon(0.0) >= 3 * decay * (1 - 1e-15)
