"""The command that prints the JSON Schema of what dpviz reads and writes."""

from __future__ import annotations

import argparse

from dpviz.cli.command import Answer, Command
from dpviz.cli.commands import SCHEMAS
from dpviz.records import record_named

TOLD = """\
examples:
  dpviz schema plan
  dpviz schema check > check.schema.json

Draft 2020-12, made from what reads and writes: it is that of the installed version. Its $id ends in the version of the
format, which the first key of every answer holds, too; a key that is added raises none. No $id is fetched from."""


def add(command: argparse.ArgumentParser) -> None:
    """Add which schema."""
    names = [each.key for each in SCHEMAS]
    command.add_argument("name", metavar="NAME", choices=names, help=f"one of {', '.join(names)}")


def schema(options: argparse.Namespace) -> Answer:
    """Print a schema."""
    return Answer(text=record_named(SCHEMAS, options.name).text)


COMMANDS = (Command("schema", "print a JSON Schema", TOLD, schema, add, takes_plan=False),)
