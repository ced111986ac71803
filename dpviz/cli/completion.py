"""The command that lets a shell complete the others, by shtab; the script that it prints needs shtab no more."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from dpviz.cli.command import Answer, Command

SHELLS = ("bash", "zsh", "fish")
NAMES = {"PLAN": "FILE", "FILE": "FILE", "FOLDER": "DIRECTORY"}  # what is completed by which names, as shtab calls them
PROGRAM = "dpviz"
TOLD = """\
examples:
  dpviz completion bash > ~/.local/share/bash-completion/completions/dpviz
  dpviz completion zsh > ~/.zfunc/_dpviz   # a folder of $fpath
  dpviz completion fish > ~/.config/fish/completions/dpviz.fish"""


def add(command: argparse.ArgumentParser) -> None:
    """Add which shell."""
    command.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def completion(options: argparse.Namespace) -> Answer:
    """Print what a shell reads once."""
    if find_spec("shtab") is None:
        raise ValueError('completion needs shtab, once: pip install "dpviz[completion]"')
    import shtab

    parser = options.parser_called(PROGRAM)
    for each in _parsers(parser):
        for action in each._actions:
            if action.metavar in NAMES:
                action.complete = getattr(shtab, NAMES[action.metavar])
    return Answer(text=shtab.complete(parser, options.shell), whole=True)


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A parser and those of its commands."""
    inner = [action.choices.values() for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [parser, *(each for commands in inner for each in commands)]


COMMANDS = (Command("completion", "let a shell complete all this", TOLD, completion, add, takes_plan=False),)
