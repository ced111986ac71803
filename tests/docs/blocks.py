"""The blocks of code of the README and the documentation, and how each is tried: by running it, where it can run."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

from dpviz import Plan
from dpviz.cli.command_line import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# What a terminal is told; after a line that begins with "$ " comes its output.
SHELL = ("console", "shell", "sh", "bash", "indented")
# Not executed: something to look at, part of a file of somebody else's, or a language that no test speaks.
SHOWN = ("text", "toml", "yaml", "make", "javascript", "r", "sql")
DIRECTIVES = ("{toctree}", "{include}", "{eval-rst}")  # of Sphinx: they show no code
# Commands that the tests do not run: they install, serve, measure for minutes, or run the tests themselves.
NOT_RUN = (
    "make", "pip install", "pip wheel", "pipx", "uv", "uvx", "python -m pip", "python -m venv", "dpviz run",
    "python -m dpviz run", "streamlit run", "pytest", ".venv/bin/python -m pytest", "export", "docker", "podman",
    "haproxy", "git", "python benchmarks/", "python -m docs.",
)  # fmt: skip
RUN = ("dpviz", "python -m dpviz", "python -m pytest", "cat", "echo", "head", "tail")
FEWER = re.compile(r"(?<=--rounds )\S+"), "1e4"  # the same experiment, but short
PROCESSES = ("sweep", "simulate", "run")  # commands that start others
ASSIGNED = re.compile(r"^(?:[A-Z_]+=(?:\$\([^)]*\)|\S+) +)+")


@dataclass(frozen=True)
class Block:
    """One block: where it begins, its language ("indented" for one without fences), what follows it, its text."""

    page: Path
    line: int
    language: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}, line {self.line}"


@dataclass(frozen=True)
class Command:
    """What a terminal is told, and what it says then; None where a page does not show it."""

    text: str
    shown: str | None


@dataclass
class Session:
    """What a reader has who does a page from top to bottom: a folder with the examples, and the names so far."""

    folder: Path
    names: dict[str, object] = field(default_factory=dict)
    status: int = 0


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    found = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type in ("fence", "code_block"):
            language, _, name = ("indented" if token.type == "code_block" else token.info.strip()).partition(" ")
            found.append(Block(page, token.map[0] + 1, language, name.strip(), token.content))
    return found


def commands(text: str) -> list[Command]:
    """The commands of a terminal's block, lines that end in a backslash joined."""
    lines = text.replace("\\\n", " ").splitlines()
    if not any(line.startswith("$ ") for line in lines):
        bare = (line.partition("  #")[0].split() for line in lines)
        return [Command(" ".join(words), None) for words in bare if words]
    parts = re.split(r"^\$ ", "\n".join(lines), flags=re.MULTILINE)[1:]
    told = [part.partition("\n") for part in parts]
    return [Command(" ".join(command.split()), output) for command, _, output in told]


def begins(command: str, with_one_of: tuple[str, ...]) -> bool:
    """Whether a command, without the variables that it sets, begins with one of these words."""
    bare = ASSIGNED.sub("", command)
    return any(f"{bare} ".startswith(word if word.endswith(("/", ".")) else f"{word} ") for word in with_one_of)


def perform(block: Block, session: Session) -> str:
    """Do what a block says; return what went wrong, "" where nothing did."""
    if block.name and block.language not in DIRECTIVES:
        (session.folder / block.name).write_text(block.text, encoding="utf-8")
    if block.language == "python":
        return run_python(block, session)
    if block.language in SHELL:
        return "".join(run_command(each, session) for each in commands(block.text))
    if block.language == "json":
        if "dpviz_plan" in json.loads(block.text):
            Plan.from_json(block.text)
    elif block.language == "csv":
        Plan.from_csv(block.text)
    elif block.language not in (*SHOWN, *DIRECTIVES):
        return f"{block.language or 'no language'} is not a language of blocks"
    return ""


def run_python(block: Block, session: Session) -> str:
    """Run a block of Python, with its output compared where it has prompts."""
    if ">>>" not in block.text:
        exec(compile("\n" * block.line + block.text, str(block.page), "exec"), session.names)
        return ""
    example = doctest.DocTestParser().get_doctest(block.text, {}, str(block), str(block.page), block.line)
    example.globs = session.names
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append, clear_globs=False)
    return "".join(report)


def run_command(command: Command, session: Session) -> str:
    """Run one command of a terminal in the session's folder, and compare its output."""
    if begins(command.text, NOT_RUN):
        return ""
    if not begins(command.text, RUN):
        return f"nobody said whether this is to be run: {command.text}"
    text = FEWER[0].sub(FEWER[1], command.text.replace("$?", str(session.status)))
    session.status, said, complained = ended(text, session.folder)
    printed = said or complained  # without progress, which a long command tells beside its answer
    shown = (command.shown or "").strip()
    if not shown and session.status not in (0, 1):  # 1 is an answer: over the budget
        return f"{command.text}\nended with {session.status}:\n{printed}\n{complained}"
    if not shown or doctest.OutputChecker().check_output(f"{shown}\n", printed, FLAGS):
        return ""
    return f"{command.text}\nshould say\n{command.shown}\nbut says\n{printed}"


def ended(text: str, folder: Path) -> tuple[int, str, str]:
    """The status of a command of a terminal in a folder, what it said, and what it complained of."""
    words = shlex.split(text, comments=True)
    *left, file = words if words[-2:-1] == [">"] else (*words, ">", "")
    name, *arguments = left[:-1]
    if name == "dpviz" and not {*arguments[:1]} & {*PROCESSES} and not set("|&;<>$`*?(") & set("".join(arguments)):
        out, err = io.StringIO(), io.StringIO()  # needs no shell, and here no second to import everything again
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
        if file:
            (folder / file).write_text(out.getvalue(), encoding="utf-8")
        return status, "" if file else out.getvalue(), err.getvalue()
    where = {"cwd": folder, "env": environment(folder)}
    done = subprocess.run(text, shell=True, **where, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def environment(folder: Path) -> dict[str, str]:
    """Variables under which `python` is this one and `dpviz` this package, installed or not."""
    programs = folder / ".programs"
    if not programs.exists():
        programs.mkdir()
        (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        (programs / "dpviz").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpviz "$@"\n', encoding="utf-8")
        installed = Path(sys.executable).with_name("dpviz")
        if installed.exists():
            (programs / "dpviz").write_text(f'#!/bin/sh\nexec "{installed}" "$@"\n', encoding="utf-8")
        for program in programs.iterdir():
            program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def folder_with_examples(folder: Path) -> Path:
    """Put the examples into a folder, as they stand in the repository, but with two values on each axis of a grid.

    So a sweep takes a second instead of a minute; tests/docs/test_schema.py reads the grids as they are.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    for path in (folder / "examples" / "grids").iterdir():
        grid = json.loads(path.read_text(encoding="utf-8"))
        small = {name: {key: values[:2] for key, values in lists.items()} for name, lists in grid.items()}
        path.write_text(json.dumps(small), encoding="utf-8")
    return folder
