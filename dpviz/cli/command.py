"""What a command is: a record with its arguments, what it does, and the JSON that it answers with."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dpviz.cli.terminal import WITHIN
from dpviz.schemas import Answered


def no_arguments(_command: argparse.ArgumentParser) -> None:
    """Add nothing: a command without arguments of its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found out.

    Parameters
    ----------
    status : int
        The exit status.
    text : str
        What people read.
    told : mapping, optional
        The same for ``--json``, as the command's schema describes it; None where it has none.
    asked : bool
        Whether the text is what was asked for. Where it is not, the answer is the status or a file, and ``--quiet``
        leaves the text out.
    whole : bool
        Whether the text is a file, which goes out byte by byte as UTF-8, not lines for a terminal.
    verdict : bool
        Whether its last line says what the status does: a terminal shows it in the colour of that.
    """

    status: int = WITHIN
    text: str = ""
    told: Mapping[str, object] | None = None
    asked: bool = True
    whole: bool = False
    verdict: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `dpviz`; `dpviz.cli.commands` lists them.

    Parameters
    ----------
    key : str
        Its name, as it is typed.
    about : str
        What it does, as the help says it; begins in lower case.
    examples : str
        The end of its help: examples that run as they stand, then what else is to be said, its exit status last.
    run : callable
        From the parsed arguments to an `Answer`; what is refused is a ValueError of one sentence.
    arguments : callable
        Adds those of its own to its parser.
    answered : Answered, optional
        Its JSON with the schema: then it has ``--json``, and ``dpviz schema KEY`` prints the schema.
    takes_plan : bool
        Whether it is about a plan, whose file and promise every such command takes.
    """

    key: str
    about: str
    examples: str
    run: Callable[[argparse.Namespace], Answer]
    arguments: Callable[[argparse.ArgumentParser], None] = no_arguments
    answered: Answered | None = None
    takes_plan: bool = True
