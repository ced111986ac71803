"""Examples of the reference run as they stand: with what `dpviz` and their own room export, and what they import."""

import ast
import builtins
import doctest
import inspect

import pytest

import dpviz
from docs import api_pages


def wanted(source: str) -> set[str]:
    """The names that an example takes from outside itself."""
    nodes = list(ast.walk(ast.parse(source)))
    made = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    made |= {each.arg for each in nodes if isinstance(each, ast.arg)}
    for each in nodes:
        if isinstance(each, ast.Import | ast.ImportFrom):
            made |= {alias.asname or alias.name.partition(".")[0] for alias in each.names}
    read = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    return read - made - set(dir(builtins))


@pytest.mark.parametrize("room", api_pages.ROOMS)
def test_an_example_imports_what_it_uses(room: str):
    home = api_pages.package(room)
    known, lacking, seen = {*dpviz.__all__, *home.__all__}, {}, 0
    for name in home.__all__:
        value = getattr(home, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            for each in doctest.DocTestFinder(exclude_empty=True).find(value, name, module=False):
                source = "".join(example.source for example in each.examples)
                seen += bool(source)
                if nowhere := wanted(source) - known:
                    lacking[each.name] = nowhere
    assert not lacking and (seen or room in ("notebook",))


def test_what_is_imported_nowhere_is_seen():
    assert wanted("import math\nx = math.pi + np.pi\n[y for y in x]\n") == {"np"}
