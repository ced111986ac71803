"""Answers of commands as JSON, in the form that their published schemas describe; quiet, colours and near names."""

import copy
import json
import sys
from dataclasses import replace

import jsonschema
import pytest

from dpviz import Gaussian, Guarantee, Laplace, NameAndShame, Plan, Release
from dpviz.cli import terminal
from dpviz.cli.command_line import COMMANDS
from dpviz.cli.commands import SCHEMAS
from dpviz.cli.terminal import OVER, UNUSABLE, WITHIN
from dpviz.report import Subject, as_json
from dpviz.report.certificate import INSTALL
from dpviz.report.facts import facts
from tests.report.test_command_line import run

APRIL = {"start": "2026-04-01", "cadence": "daily", "end": "2026-04-30"}
DAILY = Release("Visits", Laplace.from_epsilon(0.5, 1), typical=9, **APRIL)
WITHIN_4 = Guarantee(4, 1e-6)
PLANS = {
    "within": Plan([Release("a", Laplace(10, 1), 3, typical=50.0)], WITHIN_4, "person", "add_remove", 500, False),
    "nothing stated": Plan([Release("a", Gaussian(10, 1))]),
    "no guarantee": Plan([Release("a", NameAndShame(0.1), 20)], Guarantee(1, 1e-6)),
    "adaptive": Plan([Release("a", Laplace.from_epsilon(0.01), 300)], Guarantee(1, 1e-6), adaptive=True),
    "a unit shorter than the schedule": Plan([DAILY], Guarantee(1.0, 0.0), "user-day", "add_remove"),
}
NONE_OF_JSON = {"ledger", "schema", "completion", "run"}  # JSON already, a script, and a page in the browser


def strict(schema: object) -> object:
    """The schema, without room for keys that it does not name: what dpviz itself writes has none."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key == "$defs" else strict(value) for key, value in schema.items()}  # plans are closed
    return {"additionalProperties": False, **found} if "properties" in found and "required" in found else found


CLOSED = {
    each.key: jsonschema.Draft202012Validator(strict(each.made()) if each.key not in ("plan", "grid") else each.made())
    for each in SCHEMAS
}


@pytest.mark.parametrize("record", SCHEMAS, ids=lambda each: each.key)
def test_a_schema_is_printed_named_and_valid(record):
    """It is what the registry makes, a schema by the rules of its draft, and its name says its version."""
    status, text, _ = run("schema", record.key)
    told = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(told)
    assert status == WITHIN and told == json.loads(record.text)
    version = {"plan": "maximum", "grid": None}.get(record.key, "const")
    held = told["properties"][f"dpviz_{record.key}"][version] if version else 1
    assert told["$id"] == f"urn:dpviz:schema:{record.key}:{held}" and told["title"]


def test_every_command_that_answers_has_json():
    assert {each.key for each in COMMANDS if not each.answered} == NONE_OF_JSON
    assert len({each.key for each in SCHEMAS}) == len(SCHEMAS) == len(COMMANDS) - len(NONE_OF_JSON) + 2


@pytest.fixture(params=PLANS)
def path(request, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(PLANS[request.param].to_json(), encoding="utf-8")
    return file


def answered(key: str, *arguments: object) -> tuple[int, dict]:
    """The status and the JSON of a command, which its schema describes."""
    status, text, errors = run(*arguments, "--json")
    told = json.loads(text, parse_constant=pytest.fail)
    CLOSED[key].validate(told)
    assert next(iter(told)) == f"dpviz_{key}" and "dpviz:" not in errors
    assert status != UNUSABLE or told["within"] is None
    return status, told


def test_answers_are_as_their_schemas_say(path):
    """Of plans with and without budget, dates, promise and guarantee; the status is that of the words."""
    status, told = answered("check", "check", path)
    assert status == run("check", path)[0] and told["releases"] == 1
    _, told = answered("curve", "curve", path, "--counts", "1,2", "--theorem", "basic", "--theorem", "pld")
    assert [(each["theorem"], each["count"]) for each in told["points"]] == [
        (theorem, count) for theorem in ("basic", "pld") for count in (1, 2)
    ]
    _, told = answered("report", "report", path, "--name", "Year")
    assert told["document"]["name"] == "Year" and told["plan"] == json.loads(path.read_text(encoding="utf-8"))


def test_a_report_with_all_it_can_say_is_as_its_schema_says():
    """With a second plan, an enclosure and rows that were left out; and what the schema cannot know is refused."""
    subject = Subject(PLANS["within"], PLANS["nothing stated"], left_out=("row 2",), certify=True)
    told = facts(subject)
    CLOSED["report"].validate(told)
    assert json.loads(as_json(subject)) == told
    for place in (told, told["total"], told["plan"], told["errors"][0], told["comparison"]["total"][0]):
        place["colour"] = "red"
        assert not CLOSED["report"].is_valid(told)
        del place["colour"]
    assert CLOSED["report"].is_valid(told) and not CLOSED["report"].is_valid(told | {"dpviz_report": 2})


def test_a_claim_is_judged(path):
    """What is claimed far below is too small, where anything is surely lost; the status is the verdict."""
    for epsilon in ("1e-3", "40"):
        claim = ("--epsilon", epsilon, "--delta", "1e-6", "--open", "relation")
        status, told = answered("claim", "check-claim", path, *claim)
        assert status == {"holds": 0, "too small": 1, "undecided": 3}[told["verdict"]]
        assert told["left_open"] == ["relation"] and (told["least"] or 0) <= (told["most"] or float("inf"))
        assert epsilon == "40" or told["verdict"] != "holds"


def test_a_certificate_says_between_which_ends(tmp_path):
    file = tmp_path / "plan.json"
    PLANS["within"].write(file)
    _, told = answered("certificate", "certify", file)
    assert float(told["lower"]) < told["engine"] and told["reason"] == ""


def test_without_the_package_of_balls_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dpviz_certified", None)
    PLANS["within"].write(tmp_path / "plan.json")
    status, text, errors = run("certify", tmp_path / "plan.json", "--json")
    assert (status, text, errors) == (UNUSABLE, "", f"dpviz: the total cannot be certified: {INSTALL}\n")


def test_jobs_answer_on_standard_output_and_tell_their_progress_elsewhere(tmp_path):
    plan, grid, out = tmp_path / "plan.json", tmp_path / "grid.json", tmp_path / "frontier.csv"
    PLANS["within"].write(plan)
    grid.write_text('{"*": {"noise": [1, 2]}}', encoding="utf-8")
    sweep = ("sweep", plan, "--grid", grid, "-o", out, "--workers", 1)
    _, told = answered("sweep", *sweep)
    assert (told["plans"], told["unbeaten"], told["output"]) == (2, 2, str(out))
    assert told["epsilon_least"] < told["epsilon_most"]
    assert "of 2 plans" in run(*sweep)[2] and run(*sweep, "--quiet") == (WITHIN, "", "")
    simulate = ("simulate", plan, "--rounds", "3e3", "--workers", 1, "--state", tmp_path / "state")
    status, told = answered("simulation", *simulate)
    assert told["observations"][0]["what"] == "right guesses" and status in (WITHIN, OVER)
    _, text, errors = run(*simulate, "-q")
    assert "right guesses" in text and not errors


def test_quiet_leaves_the_status(tmp_path):
    """`check` answers by it, `report` by its file; what was asked for is printed all the same."""
    plan = PLANS["within"]
    plan.write(tmp_path / "plan.json")
    for budget, status in ((4, WITHIN), (0.01, OVER)):
        assert run("check", tmp_path / "plan.json", "--budget", budget, "-q") == (status, "", "")
    assert run("report", tmp_path / "plan.json", "-q", "-o", tmp_path / "r.html") == (WITHIN, "", "")
    assert run("curve", tmp_path / "plan.json", "-q", "--counts", "1")[1].startswith("theorem,count")
    assert json.loads(run("check", tmp_path / "plan.json", "-q", "--json")[1])["within"] is True


# ---- reports


def test_a_report_goes_where_and_as_its_name_says(tmp_path):
    file = tmp_path / "plan.json"
    replace(PLANS["within"], unit="personne-année").write(file)
    page, data = tmp_path / "r.html", tmp_path / "r.JSON"
    assert run("report", file, "-o", page)[:2] == (WITHIN, f"Wrote {page}.\n")
    assert run("report", file, "-o", "-")[1] == page.read_text(encoding="utf-8")
    run("report", file, "-o", data)
    CLOSED["report"].validate(json.loads(data.read_text(encoding="utf-8")))
    assert json.loads(run("report", file, "-o", "-", "--json")[1]) == json.loads(data.read_text(encoding="utf-8"))
    for name, said in (("r.pdf", "print it"), ("r.docx", "one of .html, .md, .json, .yaml"), (None, "give -o")):
        status, text, errors = run("report", file, *([] if name is None else ["-o", tmp_path / name]))
        assert (status, text) == (UNUSABLE, "") and said in errors and not (name and (tmp_path / name).exists())


def test_a_page_leaves_byte_by_byte(tmp_path, monkeypatch):
    """As UTF-8 on a terminal of any letters, with every space that must not break."""
    written = []

    class Raw:
        write, flush = staticmethod(written.append), staticmethod(lambda: None)

    assert terminal.put("ε\u00a0=\u00a01\n", type("Terminal", (), {"buffer": Raw(), "encoding": "ascii"})())
    assert b"".join(written).decode("utf-8") == "ε\u00a0=\u00a01\n"


# ---- what is misspelt


@pytest.mark.parametrize(
    ("arguments", "usage", "near"),
    [
        (["check", "PLAN", "--jsn"], "usage: python -m dpviz check", "did you mean --json?"),
        (["check", "PLAN", "--budgt=1"], "usage: python -m dpviz check", "did you mean --budget?"),
        (["report", "PLAN", "--ouput", "x"], "usage: python -m dpviz report", "did you mean --output?"),
        (["chek", "PLAN"], "usage: python -m dpviz ", "did you mean 'check'?"),
        (["check", "PLAN", "--relation", "add-remove"], "usage: python -m dpviz check", "did you mean 'add_remove'?"),
        (["schema", "plans"], "usage: python -m dpviz schema", "did you mean 'plan'?"),
        (["examples", "mobilty"], "dpviz: name must be", "did you mean 'mobility'?"),
        (["check", "PLAN", "--zzz"], "usage: python -m dpviz check", "unrecognized arguments: --zzz\n"),
    ],
)
def test_what_is_misspelt_is_told_the_nearest_name(arguments, usage, near, root):
    """With the usage of the command that was called."""
    plan = str(root / "examples" / "mobility.json")
    status, text, errors = run(*(plan if each == "PLAN" else each for each in arguments))
    assert (status, text) == (UNUSABLE, "") and errors.startswith(usage) and near in errors


# ---- colours


class Terminal:
    """A stream that says it is a terminal."""

    closed, encoding = False, "utf-8"

    def __init__(self):
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


@pytest.mark.skipif(terminal.os.name != "posix", reason="colours are for terminals that all know them")
def test_colours_are_for_terminals_that_want_them(monkeypatch):
    """The verdict alone and the name before a refusal; none with NO_COLOR, nor on a dumb terminal."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = {}
    for variable, value in (("TERM", "xterm"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(variable, value)
            shown[value] = Terminal()
            terminal.say("a\x1b[5m\nWithin", shown[value], terminal.GREEN)
    assert shown["xterm"].text == "a?[5m\n\x1b[32mWithin\x1b[0m\n"
    assert shown["1"].text == shown["dumb"].text == "a?[5m\nWithin\n"
    monkeypatch.setattr(sys, "stderr", Terminal())
    terminal.refuse("no")
    assert sys.stderr.text == "\x1b[31mdpviz:\x1b[0m no\n"


def test_strictness_is_of_the_schema():
    """The schema that answers are held to is the published one but for keys that it does not name."""
    published = next(each for each in SCHEMAS if each.key == "check").made()
    assert "additionalProperties" not in json.dumps(published)
    assert strict(copy.deepcopy(published))["additionalProperties"] is False
