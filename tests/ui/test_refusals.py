"""Every refusal of the core, met in any input, is a sentence of the page: no text of an exception is shown."""

import ast
import inspect
import io
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpviz
from dpviz import Gaussian, Laplace, Plan, Release
from dpviz.filters.query_text import queries_from_text
from dpviz.jobs.frontier import Frontier
from dpviz.mechanisms import MECHANISMS
from dpviz.plain import SYMBOLS, in_plain_words
from dpviz.plan import RELATIONS
from dpviz.plan.document import fitting
from dpviz.plan.files import permalink
from dpviz.plan.kinds import KINDS
from dpviz.plan.promise import COLUMNS as PROMISE
from dpviz.plan.promise import checked_value
from dpviz.plan.sensitivity import sensitivity
from dpviz.ui.shell import inputs, plan_rows, refusals
from dpviz.ui.shell.plan_rows import NEW_ROW, releases_of, row_of
from tests.test_guesses import CALLS, WRONG
from tests.ui.test_typed import FILES, SPELLINGS

TYPED = [text for text, *_ in SPELLINGS]
CELLS = (
    "", "-1", "0", "once", "many", "0,5", "1e999", "inf", "nan", "None", "1.5", "2026-13-01", "1.3.2026", "poisson",
    "x" * 90, "a\nb", "my_count", "ε -1", "ε 0,05", "ε inf", "σ 40", "b 0", "k 1", "ε 1, k 1", "δ 2", "ε 2, δ 1e-9",
    "ρ 0.05", "ρ -1", "μ 1e-320", "±0", "±20, ε 1", "rho much", "profile 0.5", "renyi 1:1", "classical",
)  # fmt: skip
CLASSES = {kind.__name__ for kind in MECHANISMS} - {"Laplace", "Gaussian", "Exponential", "Declared"}  # words, too
# Intervals, None, names with underscores and of classes: words of the program.
CODE = re.compile(
    r" in [\[(]-?[\d.inf]|; got|\b(None|inf|nan|True|False|Guarantee|PrivacyLoss|Problem|Plan\()\b|\w_\w|\w\(\w+=|0x|"
    + "|".join(rf"\b{name}\b" for name in sorted(CLASSES))
)
QUOTED = re.compile("“[^”]*”")


def assert_told(said: str, typed: str = "") -> None:
    """A sentence without a word of the program; what was typed stands in quotes."""
    own = QUOTED.sub("“”", said.replace(typed, "") if len(typed) > 8 else said)
    assert own[-1] in ".…" and (own[0] == own[0].upper() or not own[0].isascii()), said
    assert not CODE.search(own), said
    assert not SYMBOLS.search(in_plain_words(said)), said


def refused(call, *arguments, **options) -> ValueError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(*arguments, **options)
    except ValueError as error:
        return error
    except (TypeError, AttributeError, KeyError, OverflowError):
        return None  # what no page asks
    return None


def test_every_cell_of_every_mechanism():
    """Whatever is typed into a cell: as many sentences as there are faults, each by the column's own title."""
    met = 0
    for label in [*plan_rows.KEYS, "Magic"]:
        usual = plan_rows.USUAL.get(plan_rows.KEYS.get(label), "ε 1")
        for column in plan_rows.COLUMNS:
            for text in CELLS:
                row = row_of({**NEW_ROW, "mechanism": label, "noise": usual, column: text})
                for problems in releases_of([row])[1].values():
                    said = refusals.row(problems)
                    assert_told(said, text)
                    met += 1
                    plain = {**plan_rows.CELLS, "noise": plan_rows.CELLS["noise"]}.get(column)
                    if len(problems) == 1 and problems[0].column == column and plain:
                        assert said.startswith(f"“{plain.label}”"), said
    assert met > 4000


def test_every_fault_beside_every_other_is_told():
    """Two cells that are wrong for themselves are two sentences, as when each stood alone."""
    bad = {"name": "x" * 90, "count": "once", "noise": "ε -1", "sensitivity": "-2", "weight": "0", "typical": "a",
           "start": "soon", "done": "maybe", "kind": "sums", "answer_unit": "y" * 90}  # fmt: skip
    alone = {}
    for column, text in bad.items():
        [problems] = releases_of([row_of({**NEW_ROW, column: text})])[1].values()
        alone[column] = refusals.row(problems)
    [problems] = releases_of([row_of({**NEW_ROW, **bad})])[1].values()
    said = refusals.row(problems)
    assert all(sentence in said for sentence in alone.values()) and len(problems) == len(bad)


def test_every_input_of_numbers():
    """Of one box, and of a list, as typed in any spelling."""
    for ends, whole in (((0, 1000.0), False), ((1e-6, 0.5), False), ((1, 10**13), True)):
        for text in TYPED:
            for call in (inputs.within, inputs.listed):
                options = {"name": "Budget ε", "ends": ends, "whole": whole}
                if error := refused(call, text, **options):
                    assert_told(refusals.sentence(error))


def promises() -> Iterator[tuple[str, ValueError]]:
    """What the sidebar, the doors and the drawer are refused."""
    for column in PROMISE:
        for value in WRONG.values():
            if error := refused(checked_value, column, value):
                yield column, error
    for kind in [*(kind.key for kind in KINDS), "speed"]:
        for relation in RELATIONS:
            for lower, upper, rows in ((None, None, 1), (5, 1, 1), (0, 1, 2), (None, 1, 1), (0, float("inf"), 1)):
                error = refused(sensitivity, kind, relation, lower=lower, upper=upper, rows=rows, unit="person")
                if error:
                    yield kind, error


def test_what_the_promise_and_the_sensitivity_refuse():
    found = list(promises())
    assert len(found) > 60
    for _, error in found:
        assert_told(refusals.sentence(error))
    assert refusals.sentence(refused(sensitivity, "mean", "add_remove")).startswith(
        "The promise must be “replaced by another” for a mean: one unit more or less would change the number that "
    )


def test_whatever_the_core_refuses():
    """Each public call with each wrong argument: the translator needs to know none of them."""
    met = 0
    for call, right in CALLS:
        for name in list(right)[:4]:
            for value in list(WRONG.values())[::3]:
                if inspect.isgeneratorfunction(call):
                    continue
                if error := refused(call, **{**right, name: value}):
                    own = QUOTED.sub("“”", refusals.sentence(error))
                    assert "; got" not in own and not re.search(r"must be in [\[(]", own) and own.endswith("."), own
                    met += 1
    assert met > 300


def test_what_contradicts_the_rest_of_the_plan():
    """Releases that a plan refuses beside others: its relation, its parts, a sensitivity that is too small."""
    sampled = dpviz.Subsampled(Gaussian(2.0, 1), 0.1, "poisson")
    fixed = dpviz.Subsampled(Gaussian(2.0, 1), 0.1, "without_replacement")
    income = Release("Income", Laplace(2.0, 1), kind="sum", lower=0, upper=6000)
    mean = Release("Mean", Laplace(2.0), kind="mean", lower=0, upper=6000)
    north = Release("North", Laplace(2.0, 1), part="north")
    for relation in (None, *RELATIONS):
        releases = [Release("a", sampled), Release("b", fixed), income, mean, north, Release("c", Laplace(2.0))]
        found = fitting(Plan((), relation=relation), releases)[1]
        assert len(found) >= 3
        for _, reason in found:
            assert_told(refusals.sentence(reason))


@pytest.mark.parametrize(
    "text",
    ["", "name", "name,mechanism,speed\na,b,c", "name,mechanism,epsilon\nA,laplace,-1\nB,magic,1\n,laplace,x",
     "name,mechanism,sigma\nA,discrete_gaussian,\nB,laplace,2", "name,mechanism,epsilon,count\nA,laplace,0.1,1.5",
     "name,mechanism,epsilon,unit,relation\nA,laplace,1,a,both\nB,laplace,1,b,add_remove", 'name,mechanism\n"a,b',
     "name,mechanism,epsilon,delta,calibration\nA,gaussian,50,1e-6,classical", b"name,mechanism\n\xff,b",
     "name;mechanism;epsilon;population\nA;laplace;0,5;500.000"],
)  # fmt: skip
def test_a_csv_that_is_refused(text: str | bytes):
    """What stands in the file is quoted as it stands there; all else is a sentence."""
    error = refused(dpviz.Plan.from_csv, text) if isinstance(text, str) else refused(queries_from_text, text)
    first, *rest = refusals.lines(error)
    assert first.endswith(":") and rest and "σ" not in "".join(rest), "the columns of a file are spelt out"
    for line in rest:
        own = QUOTED.sub("“”", line)
        assert own.endswith(".") and not CODE.search(own), line


@pytest.mark.parametrize(
    "content",
    [{}, [], {"dpviz_plan": 99}, {"dpviz_plan": 5, "releases": None}, {"dpviz_plan": 5, "releases": [{"name": "a"}]},
     {"dpviz_plan": 5, "releases": [{"name": "", "mechanism": "laplace", "epsilon": "x", "answer_unit": 3}]},
     {"dpviz_plan": 5, "releases": [], "unit": "", "relation": "both", "population": -1, "budget": {"epsilon": -1}}],
    ids=str,
)  # fmt: skip
def test_a_json_that_is_refused_by_file_and_by_link(content: object):
    error = refused(Plan.from_json, json.dumps(content))
    assert "the version of the file format" in str(error) or "dpviz_plan" in content or content == []
    for line in refusals.lines(error)[1:]:
        own = QUOTED.sub("“”", line)
        assert own.endswith(".") and not CODE.search(own), line
    [line] = refusals.lines(permalink.PermalinkError("The link holds none (a_b must be)", error.problems[0]))
    assert line.startswith("The link holds no plan that can be opened. ") and not CODE.search(QUOTED.sub("“”", line))


def test_other_refusals_of_files_and_links():
    frontier = "number,epsilon,delta,error,measure,uses,theorem,plan\n"
    for rows in ("", "0,x,1e-6,1,largest,1,pld,\n", "0,-1,1e-6,1,largest,1,pld,\n"):
        assert_told(refusals.sentence(refused(Frontier.read, io.StringIO(frontier + rows))))
    for token in ("", "1.AAAA", "9.AAAA", None, "1." + "A" * 9000):
        for line in refusals.lines(refused(permalink.opened, token)):
            assert_told(line)
    for text in ("0.1\n-0.2", "nan", "0.1,0,2.5", "0.1,0,1,7", "epsilon,speed\n0.1,2", "name,mechanism\na,b"):
        for line in refusals.lines(refused(queries_from_text, text))[1:]:
            assert_told(line)


def caught(tree: ast.AST) -> Iterator[tuple[ast.ExceptHandler, ast.Name]]:
    """Every use of an exception that was caught by name."""
    for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name):
        for node in (inner for statement in handler.body for inner in ast.walk(statement)):
            if isinstance(node, ast.Name) and node.id == handler.name:
                yield handler, node


def test_no_page_shows_the_text_of_an_exception():
    """Whoever catches one hands it to the translator, or to the log, and to nothing else."""
    allowed, seen = ("refusals", "told", "clause", "report", "put_beside"), 0  # the last takes two plans out of it
    for path in (path for path in FILES if path.name != "refusals.py"):
        tree = ast.parse(Path(path).read_text("utf-8"))
        taken = {
            id(argument) for call in ast.walk(tree) if isinstance(call, ast.Call)
            and ast.unparse(call.func).partition(".")[0] in allowed for argument in call.args
        }  # fmt: skip
        for handler, node in caught(tree):
            seen += 1
            assert id(node) in taken or raised(handler, node), f"{path.name}:{node.lineno} shows an exception"
    assert seen > 20, "the test sees the handlers"


def raised(handler: ast.ExceptHandler, node: ast.Name) -> bool:
    """Whether it is only sent on: blamed on a cell, which the translator words, or the cause of another one."""
    inside = [each for each in ast.walk(handler) if isinstance(each, ast.Call) and ast.unparse(each.func) == "blamed"]
    return any(node in call.args for call in inside)
