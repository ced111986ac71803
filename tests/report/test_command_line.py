"""``python -m dpviz``: exit status, tables, JSON and CSV; never a traceback, whatever plan, terminal or reader."""

import contextlib
import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpviz
from dpviz import Gaussian, Guarantee, Laplace, NameAndShame, Plan, RandomizedResponse, Release, compare, compose
from dpviz import report as reports
from dpviz.cli import arguments
from dpviz.cli.command_line import COMMANDS, main
from dpviz.cli.terminal import INTERRUPTED, OVER, UNUSABLE, WITHIN
from dpviz.report.subject import Subject
from tests.plan_strategies import TEXTS

EXAMPLES = ["mobility.json", "mobility-30-days.json", "lecture-11.json", "sherpa-notebook.json"]


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of one command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(each) for each in arguments])
    assert "Traceback" not in err.getvalue()
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def saved(tmp_path):
    """Write a plan; return its path."""

    def write(plan: Plan, name: str = "plan.json"):
        path = tmp_path / name
        path.write_text(plan.to_csv() if name.endswith(".csv") else plan.to_json(), encoding="utf-8")
        return path

    return write


# --- check


@pytest.mark.parametrize("name", EXAMPLES)
def test_check_of_the_examples(name, root):
    """The status is that of the smallest total; the JSON holds the numbers of `compare`, with all their digits."""
    plan = Plan.read(root / "examples" / name)
    status, text, _ = run("check", root / "examples" / name, "--json")
    told = json.loads(text, parse_constant=pytest.fail)
    frame = compare(plan, plan.budget.delta)
    best = frame[frame.applies].epsilon.min()
    assert told["total"]["epsilon"] == best
    assert status == (WITHIN if best <= plan.budget.epsilon else OVER)
    assert told["within"] == (status == WITHIN)
    assert [row["epsilon"] for row in told["theorems"]] == [
        each if math.isfinite(each) else None for each in frame.epsilon
    ]
    assert (told["unit"], told["relation"], told["uses"]) == (
        plan.unit, plan.neighbours, sum(each.uses for each in plan.releases),
    )  # fmt: skip


def test_the_budget_decides(root):
    """Google's day costs 2.4873…: that is the edge; a sum of decimals that fits exactly is within."""
    path = root / "examples" / "mobility.json"
    assert run("check", path)[0] == WITHIN
    assert run("check", path, "--budget", "2.4")[0] == OVER
    assert run("check", path, "--budget", "2.64", "--delta", "0")[0] == WITHIN
    assert run("check", path, "--budget", "2.6399999", "--delta", "0")[0] == OVER


def test_a_csv_is_checked_as_its_json(root):
    """It holds unit, relation and budget; the arguments go over what it says."""
    csv_path, json_path = (root / "examples" / f"mobility.{each}" for each in ("csv", "json"))
    assert run("check", csv_path) == run("check", json_path)
    assert run("check", csv_path, "--budget", "1", "--delta", "1e-6")[0] == OVER


def test_without_a_budget_nothing_is_checked(saved, root):
    """Status 2 with a sentence, and null: what was not compared is not within."""
    path = saved(Plan([Release("a", Laplace.from_epsilon(0.1))]), "plan.csv")
    for extra in ((), ("--budget", "inf"), ("--strict",)):
        status, text, _ = run("check", path, *extra)
        assert status == UNUSABLE and text.splitlines()[-1].startswith("No budget is set, give one with --budget")
        told = json.loads(run("check", path, *extra, "--json")[1])
        assert told["within"] is None and told["budget"]["epsilon"] is None
    assert run("check", path, "--budget", "1")[0] == WITHIN
    assert run("check", root / "examples" / "mobility.json", "--budget", "inf")[0] == UNUSABLE


def test_every_command_takes_the_promise(saved, monkeypatch):
    """Unit, relation, population and order of the arguments go over those of the file."""
    seen, opened = [], arguments.opened

    def enough(options):
        seen.append(opened(options))
        raise ValueError("enough")

    monkeypatch.setattr(arguments, "opened", enough)
    plan = Plan([Release("a", Laplace(10))], Guarantee(1, 1e-6), "person", "add_remove", 5, True)
    path = saved(plan)
    said = ("--unit", "user-day", "--relation", "replace_one", "--population", "5e5", "--adaptive", "no")
    needed = {"curve": ["--counts", "1"], "report": ["-o", "x.html"], "sweep": ["--grid", "x", "-o", "x"]}
    for command in ("check", "curve", "report", "certify", "sweep", "simulate"):
        for options in ((), said):
            assert run(command, path, *needed.get(command, []), *options)[2] == "dpviz: enough\n"
    changed = replace(plan, unit="user-day", relation="replace_one", population=500_000, adaptive=False)
    assert seen == [plan, changed] * 6


def test_what_nobody_stated_is_told_so(saved):
    """Never "person": not in the words, nor in the JSON."""
    path = saved(Plan([Release("a", Laplace.from_epsilon(0.1))], Guarantee(1, 0.0)))
    status, text, _ = run("check", path)
    assert status == WITHIN and "one person, added" not in text
    assert text.startswith("1 release, 1 use, fixed in advance (not stated); for one unit (not stated), added or remo")
    told = json.loads(run("check", path, "--json")[1])
    assert [told[name] for name in ("unit", "population", "adaptive")] == [None] * 3 and not told["relation_stated"]


def test_findings_decide_by_their_severity(saved):
    """A fault is told first and exits with 1; a question does under --strict, and not once it is answered."""
    bars = Release("Ages", Laplace.from_epsilon(0.1, 1), kind="histogram")
    promised = {"budget": Guarantee(1, 0.0), "unit": "person", "population": 100, "adaptive": False}
    path = saved(Plan([bars], relation="replace_one", **promised))
    for extra in ((), ("--strict",), ("--json",)):
        status, text, error = run("check", path, *extra)
        assert status == UNUSABLE and not text and "release 'Ages': sensitivity must be at least 2" in error
    path = saved(Plan([bars], **promised))
    assert run("check", path)[0] == WITHIN
    status, text, _ = run("check", path, "--strict")
    assert status == OVER
    assert text.splitlines()[-1] == "Refused by --strict: 1 question above to be answered, or mended."
    assert [each["severity"] for each in json.loads(run("check", path, "--json")[1])["checks"]] == ["question"]
    assert run("check", path, "--strict", "--relation", "add_remove")[0] == WITHIN
    parts = saved(Plan([replace(bars, part=each) for each in "NS"], relation="add_remove", **promised))
    assert [run("check", parts, "--strict", "--parts-disjoint", each)[0] for each in ("yes", "no")] == [WITHIN, OVER]
    assert [run("check", parts, *extra)[0] for extra in ((), ("--parts-disjoint", "no"))] == [WITHIN, OVER]
    _, text, _ = run("check", parts, "--parts-disjoint", "no")
    assert text.startswith("Fault, parts that share people: ")
    assert "Within" not in text and "cannot be said" in text.splitlines()[-1]
    assert json.loads(run("check", parts, "--parts-disjoint", "no", "--json")[1])["within"] is None


def test_the_table_rounds_up(saved):
    """What is shown is never below what is computed."""
    path = saved(Plan([Release("a", Laplace.from_epsilon(0.1234567), 7)], Guarantee(1, 1e-6)))
    status, text, _ = run("check", path)
    frame = compare(Plan.read(path), 1e-6).set_index("label")
    shown = {line.split("  ")[0]: line[len(line.split("  ")[0]) :].split()[0] for line in text.splitlines()[3:12]}
    assert list(shown) == list(frame.index)
    for label, value in shown.items():
        assert frame.epsilon[label] <= float(value) <= frame.epsilon[label] * (1 + 1e-3), label
    assert "At δ = 0 the total is ε = 0.8642: the sum of the stated ε." in text
    assert status == WITHIN


def test_theorems_that_do_not_apply_say_why(saved):
    path = saved(Plan([Release("a", NameAndShame(0.1), 20)], Guarantee(1, 1e-6)))
    status, text, _ = run("check", path)
    assert status == OVER
    assert "no theorem gives a finite total" in text
    assert json.loads(run("check", path, "--json")[1])["total"] is None
    assert all("stated δ add up to 2" in line for line in text.splitlines()[3:9])
    assert run("check", path, "--budget", "1e300")[0] == OVER, "a plan without a finite total is within no budget"


def test_an_adaptive_plan_quotes_basic_only(saved):
    """Three times the budget by basic composition; a filter would admit all of it, which decides nothing."""
    plan = Plan([Release("a", Laplace.from_epsilon(0.01), 300)], Guarantee(1, 1e-6), adaptive=True)
    status, text, _ = run("check", saved(plan))
    assert status == OVER
    assert "chosen along the way" in text
    assert "Made under a filter with this budget, all of it would be admitted (Fully adaptive, " in text
    told = json.loads(run("check", saved(plan), "--json")[1])
    assert told["total"] == {"epsilon": 3.0, "delta": 0.0, "theorem": "basic", "kind": "upper bound"}
    assert [row["theorem"] for row in told["theorems"] if row["applies"]] == ["basic"]
    assert [row["whole"] for row in told["filters"]] == [False, False, True, True]
    assert "No filter with this budget admits" in run("check", saved(plan), "--budget", "0.1")[1]


def test_a_recurring_plan_counts_every_day(saved):
    """30 days of ε = 0.01, fixed or adaptive: never the cost, or the filter's, of a single day."""
    for adaptive in (False, True):
        release = Release("a", RandomizedResponse(0.1), start=date(2026, 4, 1), cadence="daily", end=date(2026, 4, 30))
        path = saved(Plan([release], Guarantee(0.5, 0.0), adaptive=adaptive))
        told = json.loads(run("check", path, "--json")[1])
        assert (told["pure_epsilon"], told["uses"], told["within"]) == (3.0, 30, False)
        assert not any(row["whole"] for row in told["filters"])


def test_an_unstated_gaussian_has_no_pure_total(saved):
    told = json.loads(run("check", saved(Plan([Release("a", Gaussian(10, 1))])), "--json")[1])
    assert told["pure_epsilon"] is None
    assert told["budget"] == {"epsilon": None, "delta": 1e-6}


@pytest.mark.parametrize("name", ["empty.csv", "empty.json"])
def test_an_empty_file_is_no_plan(name, tmp_path):
    (tmp_path / name).write_bytes(b"")
    assert run("check", tmp_path / name)[0] == UNUSABLE


def test_a_header_alone_is_an_empty_plan(tmp_path):
    (tmp_path / "plan.csv").write_text("name,mechanism,epsilon\n", encoding="utf-8")
    assert run("check", tmp_path / "plan.csv", "--budget", "0", "--delta", "0", "--strict")[0] == WITHIN


# --- curve and report


def test_curve(root):
    path = root / "examples" / "lecture-11.json"
    status, text, _ = run("curve", path, "--counts", "1..3", "--theorem", "basic", "--theorem", "pld")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert status == WITHIN
    assert [(row["theorem"], row["count"]) for row in rows] == [(t, n) for t in ("basic", "pld") for n in "123"]
    assert [row["epsilon"] for row in rows[:3]] == ["0.5", "1.0", "1.5"]
    assert run("curve", path, "--counts", "2,1", "--theorem", "basic")[1].splitlines()[1:] == [
        "basic,2,1.0,1e-06",
        "basic,1,0.5,1e-06",
    ]
    assert {row["delta"] for row in csv.DictReader(io.StringIO(run("curve", path, "--counts", "1", "--delta", "0")[1]))}


def test_report(root, tmp_path, monkeypatch):
    """It writes what `dpviz.report.page.html` makes of the plan, with the budget of the arguments."""
    asked = []
    write = lambda subject: asked.append(subject) or f"<p>ε {subject.plan.budget.epsilon}"  # noqa: E731
    monkeypatch.setitem(reports.FORMS, ".html", write)
    path = tmp_path / "report.html"
    status, text, _ = run("report", root / "examples" / "mobility.csv", "--budget", "3", "-o", path)
    assert (status, text) == (WITHIN, f"Wrote {path}.\n")
    assert path.read_text(encoding="utf-8") == "<p>ε 3.0"
    assert asked == [Subject(asked[0].plan, on=date.today())]
    titled = ("--name", " Year 2026 ", "--author", "Unit 4")
    assert run("report", root / "examples" / "mobility.csv", "-o", path, *titled)[0] == WITHIN
    assert asked[-1] == Subject(asked[-1].plan, name="Year 2026", author="Unit 4", on=date.today())
    (tmp_path / "folder.html").mkdir()
    for bad in (tmp_path / "folder.html", tmp_path / "absent" / "report.html", "a\0b.html"):
        status, _, error = run("report", root / "examples" / "mobility.csv", "-o", bad)
        assert status == UNUSABLE
        assert "output must be a file that can be written" in error
    for ending, begin in ((".md", "# What these"), (".json", '{\n "dpviz_report"'), (".yaml", "# To be filled in")):
        assert run("report", root / "examples" / "mobility.csv", "-o", tmp_path / f"a{ending}")[0] == WITHIN
        assert (tmp_path / f"a{ending}").read_text("utf-8").startswith(begin)
    status, _, error = run("report", root / "examples" / "mobility.csv", "-o", tmp_path / "a.pdf")
    assert status == UNUSABLE and "output must be no PDF: open the page and print it" in error


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check"], "PLAN"),
        ([], "COMMAND"),
        (["frobnicate"], "invalid choice"),
        (["check", "PLAN", "--budget", "nan"], "budget must be in [0, inf]; got nan"),
        (["check", "PLAN", "--budget", "-1"], "budget must be in [0, inf]; got -1.0"),
        (["check", "PLAN", "--budget", "one"], "budget must be in [0, inf]; got 'one'"),
        (["check", "PLAN", "--delta", "1"], "delta must be in [0, 1); got 1.0"),
        (["check", "PLAN", "--population", "500.000"], "population must be a number without a"),
        (["certify", "PLAN", "--relation", "edit"], "invalid choice: 'edit'"),
        (["curve", "PLAN", "--counts", "1", "--unit", " "], "unit must be text of 1 to 80 characters"),
        (["check", "PLAN", "--delta", "nan"], "delta must be in [0, 1); got nan"),
        (["check", "PLAN", "--bud", "1"], "unrecognized arguments"),
        (["report", "PLAN", "-o", "x", "--author", "a" * 81], "author must be text of 1 to 80 characters"),
        (["curve", "PLAN", "--counts", "a"], "counts must be in [0, 1000000000], a whole number"),
        (["curve", "PLAN", "--counts", "3..1"], "counts must be 1 to 10,000 numbers; got 0"),
        (["curve", "PLAN", "--counts", "0..999999999"], "got 1,000,000,000"),
        (["curve", "PLAN", "--counts", "9" * 9999], "counts must be in"),
        (["curve", "PLAN", "--counts", "1", "--theorem", "magic"], "invalid choice: 'magic'"),
        (["curve", "PLAN"], "--counts"),
        (["report", "PLAN"], "-o"),
        (["check", "absent.json"], "must be a file that can be read"),
        (["check", "."], "must be a file that can be read"),
        (["check", "a\0b"], "must be a file that can be read"),
    ],
)
def test_bad_arguments(arguments, said, root):
    """Status 2 and one sentence on the error stream, nothing on the other."""
    path = str(root / "examples" / "mobility.json")
    status, out, error = run(*(path if each == "PLAN" else each for each in arguments))
    assert (status, out) == (UNUSABLE, "")
    assert said in error


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"{", b"[" * 10**5, b"name\n1", b" " * 5_000_001, b"\0"])
def test_bad_files(content, tmp_path):
    (tmp_path / "plan").write_bytes(content)
    status, out, error = run("check", tmp_path / "plan")
    assert (status, out) == (UNUSABLE, "")
    assert error.startswith("dpviz: The plan was not read")


def test_a_delta_of_one_in_the_file_is_refused(saved):
    path = saved(Plan([], Guarantee(1, 1.0)))
    assert "delta of the plan's budget must be in [0, 1); got 1.0" in run("check", path)[2]
    assert run("check", path, "--delta", "1e-6")[0] == WITHIN


def test_uses_beyond_every_limit_are_refused(saved):
    status, _, error = run("curve", saved(Plan([Release("a", Laplace(1, 1), 10**9)])), "--counts", "1000000000")
    assert status == UNUSABLE
    assert "uses of one mechanism must be at most" in error


def test_a_curve_too_large_for_the_memory_is_refused(saved):
    """Points times parts times mechanisms would be counted in gigabytes."""
    releases = [Release("a", Laplace(1 + row, 1), part=f"part {row}") for row in range(1000)]
    status, _, error = run("curve", saved(Plan(releases)), "--counts", "1..10000")
    assert status == UNUSABLE
    assert "counts must be so few that" in error


@given(st.binary(max_size=60), st.sampled_from(["check", "curve"]))
def test_any_file_gives_a_status(tmp_path_factory, content, command):
    path = tmp_path_factory.mktemp("any") / "plan"
    path.write_bytes(content)
    assert run(command, path, *(["--counts", "1"] if command == "curve" else []))[0] in (WITHIN, OVER, UNUSABLE)


@given(TEXTS)
def test_nothing_in_a_name_reaches_the_terminal_as_a_command(tmp_path_factory, text):
    """Unit and file are shown without characters that the terminal would obey."""
    path = tmp_path_factory.mktemp("unit") / "plan.json"
    path.write_text(Plan([], unit=text).to_json(), encoding="utf-8")
    assert all(each.isprintable() for each in run("check", path)[1].splitlines())


# --- the process


def process(*arguments: str, root, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-W", "error", "-m", "dpviz", *arguments]
    return subprocess.run(command, cwd=root, stderr=subprocess.PIPE, check=False, **options)


def test_help_has_examples_that_run(root):
    """Each command's help shows some; the ones on check, curve and certify are run here."""
    lines = set()
    for command in COMMANDS:
        status, text, _ = run(command.key, "--help")
        assert status == 0
        lines |= {line.strip() for line in text.splitlines() if line.strip().startswith("python -m dpviz ")}
    assert lines == {line.strip() for line in run("--help")[1].splitlines() if line.startswith("  python -m dpviz")}
    words = [line.split(" | ")[0].split(" > ")[0].split()[3:] for line in lines]
    words = [each for each in words if each[0] in ("check", "curve", "certify", "schema")]
    assert len(words) >= 4
    for each in words:
        paths = [str(root / word) if word.startswith("examples/") else word for word in each]
        if not {"plan.json", "plan.csv"} & set(paths):
            assert run(*paths)[0] in (WITHIN, OVER), paths


def test_version():
    status, shown, _ = run("--version")
    assert (status, shown.split()) == (0, ["dpviz", dpviz.__version__])


def test_an_ascii_terminal_gets_words(root):
    """No letter is lost for one that cannot show ε; columns stay aligned."""
    shown = process(
        "check", "examples/mobility.json", root=root, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    lines = shown.stdout.decode("ascii").splitlines()
    assert shown.returncode == WITHIN
    assert "at most epsilon = 2.488" in lines[-1]
    assert "?" not in "".join(lines)
    ends = {line.index(" upper") - len(line[: line.index(" upper")].rstrip()) for line in lines[3:7]}
    assert ends == {1}


def test_a_reader_who_leaves_changes_nothing(root):
    """``| head -1`` ends without a complaint, and the status is still the plan's."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        ended = process("check", "examples/mobility.json", root=root, stdout=closed)
    assert (ended.returncode, ended.stderr) == (WITHIN, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_an_error(root):
    with open("/dev/full", "wb") as full:
        ended = process("check", "examples/mobility.json", root=root, stdout=full)
    assert ended.returncode == UNUSABLE
    assert ended.stderr.decode().startswith("dpviz: output must go where it can be written")
    assert ended.stderr.count(b"\n") == 1


def test_standard_input(root):
    content = (root / "examples" / "mobility.csv").read_bytes()
    ended = process("check", "-", "--budget", "2.4", root=root, stdout=subprocess.PIPE, input=content)
    assert ended.returncode == OVER
    assert b"Over the budget" in ended.stdout


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_closed_streams(stream, root, monkeypatch):
    monkeypatch.setattr(sys, stream, None)
    path = str(root / "examples" / "mobility.json")
    assert main(["check", path]) == WITHIN
    assert main(["check", "-" if stream == "stdin" else "absent"]) == UNUSABLE


def test_an_interruption_is_quiet(monkeypatch, root):
    """Ctrl-C ends with the usual status, not with a traceback."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpviz.cli.check.compare", interrupted)
    assert run("check", root / "examples" / "mobility.json")[0] == INTERRUPTED == 128 + signal.SIGINT


def test_it_loads_no_charts(root):
    """Neither the dashboard nor its charts are imported to check a plan."""
    program = (
        "import sys; from dpviz.cli.command_line import COMMANDS, main; main(['check', 'examples/mobility.json']); "
        "print([m for m in ('streamlit', 'plotly', 'scipy.stats', 'scipy.signal') if m in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines()[-1] == "[]"


@given(st.floats(0.01, 2), st.integers(0, 50), st.floats(0, 20))
def test_the_status_is_that_of_the_smallest_total(tmp_path_factory, epsilon, count, budget):
    plan = Plan([Release("a", RandomizedResponse(epsilon), count)], Guarantee(budget, 1e-6))
    path = tmp_path_factory.mktemp("status") / "plan.json"
    path.write_text(plan.to_json(), encoding="utf-8")
    assert (run("check", path)[0] == WITHIN) == (compose(plan, 1e-6).epsilon <= budget)


@pytest.mark.filterwarnings("error")
def test_a_wrong_unit_is_over_budget(tmp_path):
    """Sensitivity 1e12 and scale 0.001: two releases of ε = 1e15, which no other release can hide."""
    path = tmp_path / "wrong.csv"
    path.write_text(
        "name,mechanism,epsilon,delta,scale,sigma,sensitivity,calibration,scheme,rate,count,part\n"
        "turnover,laplace,,,0.001,,1e12,,,,2,\nvisitors,gaussian,,,,10,1,,,,3,\n"
    )
    status, text, _ = run("check", path, "--budget", 1, "--delta", 1e-6, "--json")
    told = json.loads(text, parse_constant=pytest.fail)
    assert status == OVER
    assert not told["within"]
    assert told["total"]["epsilon"] >= 2e15


def test_a_report_on_a_leak_beside_responses(tmp_path):
    """Once an IndexError."""
    path = tmp_path / "leak.csv"
    path.write_text(
        "name,mechanism,epsilon,delta,scale,sigma,sensitivity,calibration,scheme,rate,count,part\n"
        "leak,name_and_shame,,1e-6,,,,,,,1,\nanswers,randomized_response,30,,,,,,,,2,\n"
    )
    status, _, errors = run("report", path, "-o", tmp_path / "report.html", "--budget", 100, "--delta", 1e-5)
    assert (status, errors) == (WITHIN, "")
    assert (tmp_path / "report.html").stat().st_size > 1000


def test_a_schedule_beyond_the_unit_says_what_one_unit_loses(tmp_path, capsys):
    """Both are told; the budget is for one user-day, which meets its own day's releases only, and decides."""
    days = Release("Visits", Laplace.from_epsilon(0.5, 1), start="2026-04-01", cadence="daily", end="2026-04-30")
    path = tmp_path / "plan.json"
    path.write_text(Plan([days], Guarantee(1.0, 0.0), "user-day", "add_remove").to_json(), encoding="utf-8")
    assert main(["check", str(path)]) == WITHIN
    *_, first, second, note, last = capsys.readouterr().out.splitlines()
    assert note.startswith("Note, unit shorter than the schedule: ")
    assert first.endswith("somebody who is in the data on all dates. The budget is for one user-day:")
    assert second == "that loses at most ε = 0.5, if every release reads its own day's data only."
    assert last == (
        "Within the budget of ε = 1 at δ = 0 for one user-day: at most ε = 0.5; no budget is stated for all dates "
        "together (at most ε = 15, by Basic)."
    )
    assert main(["check", str(path), "--budget", "0.4999"]) == OVER
    assert main(["check", str(path), "--unit", "user"]) == OVER
    told = json.loads(run("check", path, "--json")[1])
    assert told["held"] == {"epsilon": 0.5, "delta": 0.0} and told["total"]["epsilon"] == 15.0
    assert told["one_unit"]["epsilon"] == 0.5
