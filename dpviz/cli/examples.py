"""The command that lists the example plans and copies them."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from dpviz.cli import terminal
from dpviz.cli.command import Answer, Command
from dpviz.parameters import did_you_mean
from dpviz.plan.examples import EXAMPLES, FOLDER, Example
from dpviz.schemas import TEXT, Answered, described, listed, record

ALL = "all"
TOLD = """\
examples:
  dpviz examples
  dpviz examples all
  dpviz examples mobility lecture-11 -o plans

Without NAME it lists them. A copy has the plan as JSON; some have it as CSV, too, or a grid for `dpviz sweep`. No file
is written over.

exit status: 0 if they are listed or copied, 2 if not."""


def add(command: argparse.ArgumentParser) -> None:
    """Add which are copied, and where to."""
    command.add_argument("names", metavar="NAME", nargs="*", help=f"one to copy, or {ALL}")
    into = "default: examples; made where it is not there"
    command.add_argument("-o", "--output", metavar="FOLDER", default="examples", help=into)


def examples(options: argparse.Namespace) -> Answer:
    """List the examples, or copy those that are named."""
    found = _named(options.names) if options.names else EXAMPLES
    copies = {each: _copied(each, Path(options.output)) if options.names else each.files for each in found}
    told = [
        {"key": each.key, "label": each.label, "about": each.about, "files": [str(path) for path in paths]}
        for each, paths in copies.items()
    ]
    if options.names:
        text = "\n".join(f"Wrote {path}." for paths in copies.values() for path in paths)
    else:
        rows = terminal.columns([(each.key, f"{each.label}. {each.about}") for each in found])
        text = "\n".join([*rows, "", "dpviz examples NAME copies one, dpviz examples all copies all, into ./examples."])
    return Answer(text=text, told={"examples": told})


def _named(names: list[str]) -> tuple[Example, ...]:
    known = {each.key: each for each in EXAMPLES}
    for name in names:
        if name not in (*known, ALL):
            meant = did_you_mean(name, {key: each.label for key, each in known.items()})
            raise ValueError(f"name must be {ALL} or one of {', '.join(known)}; got {name!r}{meant}")
    return EXAMPLES if ALL in names else tuple(known[name] for name in dict.fromkeys(names))


def _copied(example: Example, folder: Path) -> list[Path]:
    """The places of the copies of its files, in a folder laid out as that of the examples."""
    places = [folder / path.relative_to(FOLDER) for path in example.files]
    if there := [place for place in places if place.exists()]:
        raise ValueError(f"output must be a folder without this example; {str(there[0])!r} is there already")
    try:
        for path, place in zip(example.files, places, strict=True):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    except OSError as error:
        told = f"output must be a folder that can be written ({error.strerror}); got {str(folder)!r}"
        raise ValueError(told) from None
    return places


LISTED = record(
    {"key": TEXT, "label": TEXT, "about": TEXT, "files": described(listed(TEXT), "where they lie, or were copied to")}
)
COMMANDS = (
    Command(
        "examples", "list the example plans, and copy them", TOLD, examples, add,
        Answered("examples", 1, "The example plans of dpviz", {"examples": listed(LISTED)}), takes_plan=False,
    ),
)  # fmt: skip
