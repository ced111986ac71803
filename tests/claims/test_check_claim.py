"""`dpviz check-claim`: exit status, sentences and JSON, for plans and for files of other programs."""

import contextlib
import io
import json
import math
import re
import sys

import pytest

from dpviz import Gaussian
from dpviz.cli.command_line import main

EVENT = "SelfComposedDpEvent(PoissonSampledDpEvent(0.04, GaussianDpEvent(1.5)), 20)"


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of one command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["check-claim", *map(str, arguments)])
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def saved(tmp_path):
    """Write a file; return its path."""

    def write(name: str, text: str):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_status_is_the_verdict(saved):
    """0 holds, 1 too small, 3 undecided; the sentence says the same."""
    path = saved("plan.csv", "name,mechanism,epsilon,count\nAnswers,laplace,0.5,4\n")
    told = {0: "The claim holds", 1: "The claim is too small: at least 2 is lost", 3: "Undecided: it depends on"}
    for status, arguments in ((0, ["2"]), (1, ["1.5"]), (3, ["2", "--open", "relation"])):
        found, text, _ = run(path, "--epsilon", *arguments)
        assert found == status and told[status] in text


def test_what_is_lost_is_told_from_what_is_claimed(saved):
    """However near they are, the printed loss lies beyond the printed claim; and nothing is "smaller by 0"."""
    path = saved("plan.csv", "name,mechanism,sigma,sensitivity,count\nMean,gaussian,1,1,1\n")
    exact = Gaussian(1.0, 1.0).epsilon(1e-5)
    for digits in (3, 5, 7):
        claim = math.floor(exact * 10**digits) / 10**digits
        _, text, _ = run(path, "--epsilon", claim, "--delta", "1e-5")
        assert claim < float(re.search("at least ([0-9.]+) is lost", text)[1]) <= exact
    path = saved("pure.csv", "name,mechanism,epsilon,count\nAnswers,laplace,0.1,100\n")
    assert "The claim holds.\n" in run(path, "--epsilon", "10")[1]


def test_json_for_machines(saved):
    """Strict JSON: both ends, every reading, and what was not understood."""
    status, text, _ = run(saved("event.txt", EVENT), "--epsilon", "0.1", "--delta", "1e-5", "--json")
    found = json.loads(text, parse_constant=pytest.fail)
    assert status == 1 and found["verdict"] == "too small" and not found["only_by_rounding"]
    assert found["claim"] == {"epsilon": 0.1, "delta": 1e-5} and 0.1 < found["least"] <= found["most"] < 2
    assert {each["reading"] for each in found["readings"]} >= {"fixed_batches", "without_replacement"}
    assert found["file"] == {"form": "events of dp_accounting", "incomplete": False, "not_understood": []}


def test_the_claim_of_the_file_counts_where_none_is_given(saved, root):
    """Of a plan its budget, of a registry entry what it states; of a file without one, a sentence asks for it."""
    assert run(root / "examples" / "lecture-11.json")[0] == 0
    entry = "deployment: {privacy_loss: {privacy_parameters: {epsilon: 1, delta: 1.5e-7}}}"
    assert run(saved("entry.yaml", entry))[0] == 0
    status, _, trouble = run(saved("event.txt", EVENT))
    assert status == 2 and trouble.startswith("dpviz: epsilon must be given")


def test_releases_that_were_not_understood_leave_it_undecided(saved):
    """What is missing may cost more: such a claim never holds, and may be too small already."""
    path = saved("event.txt", "ComposedDpEvent([GaussianDpEvent(1.0), NonPrivateDpEvent()])")
    status, text, _ = run(path, "--epsilon", "50", "--delta", "1e-5")
    assert status == 3 and "NonPrivateDpEvent has no counterpart" in text
    assert run(path, "--epsilon", "0.1", "--delta", "1e-5")[0] == 1


def test_what_a_file_does_not_tell_can_be_said(saved):
    """A history leaves open how batches were drawn; who knows it says so, and then the claim is decided."""
    claim = (saved("history.json", "[(3, 0.2, 50)]"), "--epsilon", "1.83", "--delta", "2.08e-5")
    assert [run(*claim)[0], run(*claim, "--disclosed", "sampling")[0]] == [3, 1]


@pytest.mark.parametrize("arguments", [["--epsilon", "x"], ["--epsilon", "-1"], ["--epsilon", "1", "--delta", "1"]])
def test_what_is_no_claim_is_one_sentence(saved, arguments):
    """Status 2, nothing on the output."""
    status, text, trouble = run(saved("plan.csv", "name,mechanism,epsilon\nA,laplace,1\n"), *arguments)
    assert status == 2 and not text and "must be in [" in trouble


def test_standard_input_is_read(monkeypatch):
    """A file without a name is known by its beginning."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[(1.5, 0.04, 20)]")))
    assert run("-", "--epsilon", "1", "--delta", "1e-5")[0] == 3, "how batches are drawn stays open"
