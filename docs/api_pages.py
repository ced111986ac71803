"""The pages of the reference that Sphinx fills from docstrings: which names each holds, from what packages export."""

import inspect
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import ModuleType

from dpviz.parameters import Parameter

# Rooms that export names, in the order of docs/architecture.md; what several export stands where it is met first.
ROOMS = (
    "mechanisms", "plan", "certified", "privacy_loss", "noise_sums", "composition", "adversary", "filters", "losses",
    "amplification", "training", "audit", "planning", "claims", "store", "jobs", "sources", "report", "notebook",
)  # fmt: skip
FOLDER = "docs/reference/api"
MOST = 15  # names of a tuple's records that are listed
BAR = "\\|"  # inside a table


def pages() -> dict[str, str]:
    """Return the generated pages by path: one per room, and one of all that `import dpviz` has."""
    homes = {name: room for room in ROOMS for name in exported(room)}
    found = {f"{FOLDER}/{room}.md": page(room) for room in ROOMS}
    return {f"{FOLDER}/index.md": front_page(homes), **found}


def package(room: str) -> ModuleType:
    """Return the package of a room; what the extra "certify" computes with stands beside `dpviz`."""
    return import_module("dpviz_certified" if room == "certified" else f"dpviz.{room}")


def exported(room: str) -> list[str]:
    """Return the names that a room exports."""
    return list(package(room).__all__)


def front_page(homes: dict[str, str]) -> str:
    """Return the page of the package itself."""
    door = import_module("dpviz")
    lines = ["# Python", "", door.__doc__.splitlines()[0], "", "| `from dpviz import` | what it is |", "|---|---|"]
    own = []
    for name in door.__all__:
        place = f"{package(homes[name]).__name__}.{name}" if name in homes else f"dpviz.{name}"
        own += [] if name in homes else [name]
        lines.append(f"| {{py:obj}}`{name} <{place}>` | {first_line(getattr(door, name)).replace('|', BAR)} |")
    lines += ["", "```{toctree}", ":titlesonly:", "", *ROOMS, "```", ""]
    return "\n".join([*lines, *(line for name in own for line in entry(door, name))])


def page(room: str) -> str:
    """Return the page of a room."""
    module = package(room)
    head = [f"# {module.__name__}", "", (module.__doc__ or "").splitlines()[0], ""]
    return "\n".join([*head, *(line for name in module.__all__ for line in entry(module, name))])


def entry(module: ModuleType, name: str) -> Iterator[str]:
    """Yield the lines of one exported name: a directive where it has a docstring of its own, else what it holds."""
    value, full = getattr(module, name), f"{module.__name__}.{name}"
    if inspect.isclass(value) or inspect.isroutine(value):
        kind = "class" if inspect.isclass(value) else "function"
        yield from ("```{eval-rst}", f".. auto{kind}:: {full}", "```", "")
        return
    yield from ("```{eval-rst}", f".. py:data:: {full}", "", f"   {first_line(value)}", "```", "")


def first_line(value: object) -> str:
    """Return what a thing is, in one line."""
    if isinstance(value, partial):
        return f"{first_line(value.func)} Those: {', '.join(f'``{key(each)}``' for each in value.args[0][:MOST])}."
    if callable(value) or inspect.ismodule(value):
        return (inspect.getdoc(value) or "").splitlines()[0]
    if isinstance(value, tuple | dict) and value:
        listed = [f"``{key(each)}``" for each in list(value)[:MOST]] + ["…"] * (len(value) > MOST)
        return f"A {'mapping' if isinstance(value, dict) else 'tuple'} of {len(value)}: {', '.join(listed)}"
    if isinstance(value, Parameter):
        return f"{value.words[0].upper()}{value.words[1:]}, in {value.interval}."
    return value if isinstance(value, str) else f"``{value!r}``"


def key(value: object) -> str:
    """Return how one of several is called."""
    names = (getattr(value, name, None) for name in ("key", "__name__"))
    return next((name for name in names if isinstance(name, str)), str(value))
