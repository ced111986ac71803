"""What travels with the commands: examples that are copied, completion by shells, a plan that the dashboard opens."""

import os
import subprocess
import sys
import types

import pytest

from dpviz import Plan, places
from dpviz.cli import completion, dashboard
from dpviz.cli.terminal import UNUSABLE, WITHIN
from dpviz.plan.examples import EXAMPLES, FOLDER
from tests.cli.test_answers import CLOSED, answered
from tests.pages.workbench import opened, plan_of
from tests.report.test_command_line import run


def test_examples_are_listed_with_their_files():
    """All plans of the folder, each in one row, without a file of its own that nobody lists."""
    _, told = answered("examples", "examples")
    assert [each["key"] for each in told["examples"]] == [each.key for each in EXAMPLES]
    files = {os.path.realpath(file) for each in told["examples"] for file in each["files"]}
    assert files == {os.path.realpath(path) for ending in ("json", "csv") for path in FOLDER.rglob(f"*.{ending}")}
    status, text, _ = run("examples")
    assert status == WITHIN and all(each.key in text and each.about in text for each in EXAMPLES)


def test_examples_are_copied_and_none_is_written_over(tmp_path, monkeypatch):
    """Into ./examples, where all commands of the documentation look for them."""
    monkeypatch.chdir(tmp_path)
    status, text, _ = run("examples", "mobility", "weekly-dashboard", "mobility")
    names = ["mobility.json", "mobility.csv", "weekly-dashboard.json", "grids/weekly-dashboard.json"]
    assert status == WITHIN and text == "".join(f"Wrote {os.path.join('examples', name)}.\n" for name in names)
    assert all((tmp_path / "examples" / name).read_bytes() == (FOLDER / name).read_bytes() for name in names)
    before = (tmp_path / "examples" / "mobility.json").stat().st_mtime_ns
    status, text, errors = run("examples", "all")
    assert (status, text) == (UNUSABLE, "") and "is there already" in errors
    assert (tmp_path / "examples" / "mobility.json").stat().st_mtime_ns == before
    CLOSED["examples"].validate(answered("examples", "examples", "all", "-o", "more/plans")[1])
    assert {path.name for path in (tmp_path / "more/plans").iterdir()} == {
        path.name for path in FOLDER.iterdir() if path.suffix != ".md"
    }
    (tmp_path / "file").write_text("")
    assert "output must be a folder that can be written" in run("examples", "mobility", "-o", "file")[2]


# ---- completion


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_each_shell_gets_its_script(shell):
    """It names every command and option of the program that is installed."""
    pytest.importorskip("shtab")
    status, text, _ = run("completion", shell)
    assert status == WITHIN and "python -m dpviz" not in text
    assert all(word in text for word in ("simulate", "completion", "certify", "strict"))
    assert run("completion", "ksh")[0] == UNUSABLE


def test_bash_completes_commands_options_choices_and_files(tmp_path):
    pytest.importorskip("shtab")
    script = tmp_path / "dpviz.bash"
    script.write_text(run("completion", "bash")[1], encoding="utf-8")
    (tmp_path / "plan.json").write_text("{}", encoding="utf-8")

    def completed(*words: str) -> set[str]:
        told = " ".join(f"'{word}'" for word in words)
        code = f"source {script}; COMP_WORDS=({told}); COMP_CWORD={len(words) - 1}; _shtab_dpviz; " + (
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        return set(done.stdout.split())

    assert completed("dpviz", "si") == {"simulate"}
    assert completed("dpviz", "check", "--str") == {"--strict"}
    assert completed("dpviz", "check", "--relation", "") == {"add_remove", "replace_one"}
    assert "plan.json" in completed("dpviz", "check", "pl")


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(completion, "find_spec", lambda _: None)
    assert run("completion", "zsh") == (
        UNUSABLE, "", 'dpviz: completion needs shtab, once: pip install "dpviz[completion]"\n',
    )  # fmt: skip


# ---- a plan for the dashboard


def test_run_hands_the_plan_over(tmp_path, monkeypatch):
    """Read first, so that what is wrong with it is said here; then by its whole path."""
    started = []
    monkeypatch.setenv(dashboard.THREADS, "1")
    monkeypatch.setenv(places.GIVEN, "")
    play = types.SimpleNamespace(run_module=lambda *_, **__: started.append(sys.argv[2:]))
    monkeypatch.setattr(dashboard, "runpy", play)
    monkeypatch.setattr(sys, "argv", ["dpviz"])
    monkeypatch.chdir(tmp_path)
    Plan([]).write("plan.json")
    assert run("run", "plan.json", "--server.port", "8600", "--server.headless", "true")[0] == WITHIN
    assert os.environ[places.GIVEN] == str(tmp_path / "plan.json")
    assert [each[1:] for each in started] == [["--server.port", "8600", "--server.headless", "true"]]
    for bad in ("absent.json", "-"):
        status, text, errors = run("run", bad)
        assert (status, text) == (UNUSABLE, "") and bad in errors
    assert len(started) == 1


def test_the_dashboard_opens_the_plan_that_was_given(tmp_path, monkeypatch):
    """As work begun, in the address; a file that is gone by then leaves the first example, and is told."""
    plan = Plan.read(FOLDER / "lecture-11.json").with_(unit="visitor")
    plan.write(tmp_path / "mine.json")
    monkeypatch.setenv(places.GIVEN, str(tmp_path / "mine.json"))
    app = opened()
    assert plan_of(app) == plan and not app.title and "plan" in app.query_params
    monkeypatch.setenv(places.GIVEN, str(tmp_path / "absent.json"))
    gone = opened()
    told = " ".join(each.value for each in gone.warning).replace("\\", "")
    assert gone.title and "“absent.json”" in told and str(tmp_path) not in told
