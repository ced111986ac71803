"""``certify`` and what a report says of it: the enclosure, or the reason why there is none."""

import json
import re
import sys
from decimal import Decimal

import pytest

from dpviz import Guarantee, Plan, Release
from dpviz.cli.command_line import main
from dpviz.cli.terminal import UNUSABLE, WITHIN
from dpviz.mechanisms import ApproximateDP, Gaussian, Laplace, NameAndShame, RandomizedResponse, Subsampled
from dpviz.report import certificate as module
from dpviz.report.certificate import certificate, certificate_sentence
from dpviz.report.page import as_json, html
from dpviz.report.subject import Subject
from dpviz_certified import Enclosure


@pytest.fixture
def saved(tmp_path):
    """Write a plan; return its path."""

    def write(*releases: Release, delta: float = 1e-6, **more: object) -> str:
        path = tmp_path / "plan.json"
        path.write_text(Plan(releases, Guarantee(1.0, delta), **more).to_json(), encoding="utf-8")
        return str(path)

    return write


def test_certify_prints_the_enclosure_and_the_engine_beside_it(saved, capsys):
    assert main(["certify", saved(Release("a", Gaussian(10, 1), 100))]) == WITHIN
    first, second = capsys.readouterr().out.splitlines()
    ends = re.search(r"lies in \[([\d.]+), ([\d.]+)\], by a closed form\.$", first)
    assert first.startswith("Certified to 40 digits: at δ = 10⁻⁶ the smallest ε lies in [4.886554117462211996370499")
    assert 0 < Decimal(ends[2]) - Decimal(ends[1]) < Decimal("1e-39")
    assert re.fullmatch(r"Tight accounting answers ε ≤ 4\.88655411746\d+, (above|within) the enclosure.*\.", second)


def test_certify_takes_the_delta_of_the_arguments(saved, capsys):
    path = saved(Release("a", Laplace(10, 1), 10))
    assert main(["certify", path, "--delta", "0"]) == WITHIN
    out = capsys.readouterr().out
    assert "Certified: at δ = 0 the smallest ε is 1, by a closed form.\n" in out
    assert "Tight accounting answers ε ≤ 1.0, within the enclosure." in out


def test_certify_says_that_no_epsilon_suffices(saved, capsys):
    assert main(["certify", saved(Release("a", NameAndShame(0.1), 2))]) == WITHIN
    out = capsys.readouterr().out
    assert "no ε suffices" in out
    assert "Tight accounting answers that there is none, within the enclosure." in out


@pytest.mark.parametrize(
    ("release", "more", "said"),
    [
        (Release("a", Laplace(1, 1), 3), {"adaptive": True}, "this plan chooses along the way"),
        (Release("a", Subsampled(Gaussian(1, 1), 0.1, "poisson"), 10**7), {}, "more than 1,000,000 uses to convolve"),
    ],
)
def test_certify_says_why_it_cannot(release, more, said, saved, capsys):
    """Status 2 and one sentence on the error stream, nothing on the other; the report says the same and is written."""
    path = saved(release, **more)
    plan = Plan.read(path)
    assert main(["certify", path]) == UNUSABLE
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("dpviz: the total cannot be certified: ") and said in shown.err
    assert f"<p>The total cannot be certified: {certificate(plan)['reason']}.</p>" in html(Subject(plan, certify=True))


def test_without_the_library_it_says_what_to_install(saved, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    assert main(["certify", saved(Release("a", Laplace(1, 1), 2))]) == UNUSABLE
    assert capsys.readouterr().err == (
        "dpviz: the total cannot be certified: python-flint is needed for that and is not installed: in a checkout, "
        "pip install ./dpviz_certified\n"
    )


def test_the_report_has_it_where_it_was_asked_for(saved, tmp_path, capsys):
    path, page = saved(Release("a", ApproximateDP(0.1, 1e-9), 100)), tmp_path / "report.html"
    assert main(["report", path, "-o", str(page)]) == WITHIN
    assert "Certified to" not in page.read_text(encoding="utf-8")
    assert main(["report", path, "--certify", "-o", str(page)]) == WITHIN
    said = "Certified to 40 digits: at δ = 10⁻⁶ the smallest ε lies in [4.7877237608116317707"
    assert said in page.read_text(encoding="utf-8")
    plan = Plan.read(path)
    told = json.loads(as_json(Subject(plan, certify=True)), parse_constant=pytest.fail)
    assert told["certified"] == certificate(plan) and "certified" not in json.loads(as_json(Subject(plan)))
    assert Decimal(told["certified"]["lower"]) < Decimal(told["certified"]["engine"]) < Decimal("4.78772376082")


@pytest.mark.parametrize(
    ("engine", "said"),
    [(0.5, "BELOW the enclosure"), (1.0, "within the enclosure"), (1.5, "above the enclosure by 5.0e-01")],
)
def test_where_the_engine_lies(engine, said, monkeypatch):
    """A number below the truth would be named as the error that it is."""
    hand = Enclosure(Decimal(1), Decimal(1), "hand")
    monkeypatch.setattr("dpviz_certified.certified_total", lambda plan, delta: hand)
    monkeypatch.setattr(module, "compose", lambda plan, delta, theorem: Guarantee(engine, delta))
    assert said in certificate_sentence(certificate(Plan([Release("a", RandomizedResponse(1.0))])))
