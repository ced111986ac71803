"""The house of the project, read from its source: who may import what, and how long a thing may be.

inputs (dpviz.ui) -> values and theorems (the core) -> frame -> figure (dpviz.figures) -> page. No arrow turns back.
"""

import ast
import graphlib
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.ui.test_widget_keys import widgets

ROOT = Path(__file__).resolve().parents[1]
MODULE_LINES = 500  # of code: docstrings, comments and blank lines are free
FUNCTION_LINES = 30  # of body; aim at 25
PAGE_LINES = 80
ENGINE = "dpviz.privacy_loss"
PACKAGES = ("dpviz", "dpviz_certified")  # the second one is what the extra "certify" computes with
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "tools"}
SLOW = ("pandas", "scipy.stats", "scipy.signal", "streamlit", "plotly")  # 0.3 s each: inside functions only

# The rooms of the core, from the ground up: each imports from itself and from what stands before it.
ORDER = (
    "ground",  # the modules directly in dpviz
    "mechanisms",
    "plan",
    "certified",
    "privacy_loss",
    "noise_sums",
    "composition",
    "adversary",
    "filters",
    "losses",
    "amplification",
    "training",
    "audit",
    "planning",
    "claims",
    "store",
    "jobs",
    "sources",
    "report",
    "cli",
    "figures",
    "notebook",
    "ui",
    "pages",
)
# The parts of a page, likewise; what is not named here is a section of it, which may import all of them but the view.
PARTS = ("presets", "asked", "answer", "words", "view")
MOST_MODULES = 20  # in one folder

# layer -> what it never imports, wherever the import stands. A name covers all that is below it.
FORBIDDEN = {
    "core": ("streamlit", "plotly", "dpviz.ui", "dpviz.figures"),
    "figures": ("streamlit", "dpviz.ui"),
    "notebook": ("streamlit", "dpviz.ui"),
    "ui": (),
    "page": ("numpy", "pandas", "scipy", "plotly"),
    "app": ("numpy", "pandas", "scipy", "plotly"),
    "benchmark": ("streamlit",),
    "docs": (),
    "other": ("streamlit",),
}
# A benchmark may run a page, as tests do, and one of them draws what a page drew.
ALLOWED = {"benchmark": ("streamlit.testing", "streamlit.proto", "streamlit.delta_generator", "streamlit.runtime")}
# A figure draws what it is given: of dpviz it knows the other figures, the names and units of quantities, and the words
# that stand in place of their signs.
KNOWN_TO_FIGURES = ("dpviz.figures", "dpviz.parameters", "dpviz.plain", "dpviz.rounding")


@cache
def python_files() -> list[Path]:
    """All source of the repository except the tests, relative to its root."""
    folders = [ROOT / name for name in (*PACKAGES, "pages", "benchmarks", "examples", "docs")]
    files = [*ROOT.glob("*.py"), *(path for folder in folders for path in folder.rglob("*.py"))]
    return sorted(path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts)


@cache
def read(path: Path) -> str:
    """The source of a file, relative to the root; every rule asks for it."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a source, made once for all rules: none changes it."""
    return ast.parse(source)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, which every rule reads."""
    return tuple(ast.walk(tree))


def layer(path: Path) -> str:
    """The part of the house that a file, relative to the root, belongs to."""
    match path.parts:
        case ("dpviz", "figures", *_) | ("dpviz", "figures.py"):
            return "figures"
        case ("dpviz", "notebook", *_):
            return "notebook"
        case ("dpviz", "ui", *_) | ("dpviz", "ui.py"):
            return "ui"
        case ("dpviz" | "dpviz_certified", *_):
            return "core"
        case ("pages", *_):
            return "page"
        case ("app.py",):
            return "app"
        case ("benchmarks", *_):
            return "benchmark"
        case ("docs", *_):
            return "docs"
    return "other"


def covers(names: tuple[str, ...], imported: str) -> bool:
    """Whether an imported name is one of these, or below one of them."""
    return any(imported == name or imported.startswith(name + ".") for name in names)


def imported_by(node: ast.AST, path: Path) -> list[str]:
    """The full names that one statement imports; ``from a import b`` counts as ``a.b``."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        package = path.parts[: -node.level] if node.level else ()
        base = ".".join([*package, *([node.module] if node.module else [])])
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


@cache
def imports(tree: ast.AST, path: Path) -> list[str]:
    """Everything a module imports, at any depth."""
    return [name for node in nodes(tree) for name in imported_by(node, path)]


def is_type_checking(node: ast.AST) -> bool:
    """Whether a statement is ``if TYPE_CHECKING:``, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imported_on_load(node: ast.AST, path: Path) -> Iterator[str]:
    """What importing the module imports: everything outside functions and ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or is_type_checking(child):
            continue
        yield from imported_by(child, path)
        yield from imported_on_load(child, path)


def import_violations(source: str, path: Path) -> list[str]:
    """The imports of a file that its layer does not allow."""
    tree, where = parsed(source), layer(path)
    names = [name for name in imports(tree, path) if not covers(ALLOWED.get(where, ()), name)]
    found = [f"{path}: {where} imports {name}" for name in names if covers(FORBIDDEN[where], name)]
    if where in ("core", "notebook"):
        early = imported_on_load(tree, path)
        found += [f"{path}: imports {name} outside a function" for name in early if covers(SLOW, name)]
    if where == "figures":
        inner = [name for name in imports(tree, path) if covers(PACKAGES, name)]
        found += [f"{path}: a figure imports {name}" for name in inner if not covers(KNOWN_TO_FIGURES, name)]
    return found


def has_effect(node: ast.stmt) -> bool:
    """Whether a statement at module level does more than import, name or define something."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return False
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Assign(targets=targets):
            return not all(isinstance(target, ast.Name | ast.Tuple) for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return not isinstance(target, ast.Name)
        case ast.If():
            return not (is_type_checking(node) or ast.unparse(node.test) == "__name__ == '__main__'")
    return not isinstance(node, getattr(ast, "TypeAlias", ()))


def effect_violations(source: str, path: Path) -> list[str]:
    """The statements by which importing a module of dpviz would change something."""
    if path.parts[0] not in PACKAGES:
        return []
    return [f"{path}:{node.lineno}: runs on import" for node in parsed(source).body if has_effect(node)]


def page_violations(source: str, path: Path) -> list[str]:
    """What makes a page more than a paragraph."""
    if layer(path) not in ("page", "app"):
        return []
    tree = parsed(source)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = [f"{path}:{node.lineno}: defines {node.name}" for node in nodes(tree) if isinstance(node, kinds)]
    if (lines := len(code_lines(source))) > PAGE_LINES:
        found.append(f"{path}: {lines} lines of code, at most {PAGE_LINES}")
    return found


def docstring_lines(tree: ast.AST) -> set[int]:
    """The lines taken by docstrings, including those below attributes."""
    alone = (node for node in nodes(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    return {line for node in alone for line in range(node.lineno, node.end_lineno + 1)}


@cache
def code_lines(source: str) -> set[int]:
    """The numbers of the lines that hold code: no docstring, comment or blank line."""
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {n for token in tokens if token.type not in silent for n in range(token.start[0], token.end[0] + 1)}
    return lines - docstring_lines(parsed(source))


def size_violations(source: str, path: Path) -> list[str]:
    """The modules and functions that are too long to read in one go."""
    lines = code_lines(source)
    found = [f"{path}: {len(lines)} lines of code, at most {MODULE_LINES}"] if len(lines) > MODULE_LINES else []
    for node in nodes(parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = lines & set(range(node.body[0].lineno, node.end_lineno + 1))
            if len(body) > FUNCTION_LINES:
                size = f"{len(body)} lines of code, at most {FUNCTION_LINES}"
                found.append(f"{path}:{node.lineno}: {node.name} has {size}")
    return found


def name_violations(_source: str, path: Path) -> list[str]:
    """Names that do not say what is inside."""
    return [f"{path}: name it after what it holds" for part in path.with_suffix("").parts if part in VAGUE_NAMES]


def untyped(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The parameters of a function without a type, and "return" where its result has none; self and cls need none."""
    given = node.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    names = [each.arg for each in every if each and each.annotation is None]
    return [name for name in names if name not in ("self", "cls")] + ["return"] * (node.returns is None)


def type_violations(source: str, path: Path) -> list[str]:
    """The functions of dpviz and its pages that do not say what they take and what they return."""
    if layer(path) not in ("core", "figures", "ui", "page", "app"):
        return []
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in nodes(parsed(source)) if isinstance(node, kinds)]
    return [f"{path}:{node.lineno}: {node.name}: no type of {name}" for node in functions for name in untyped(node)]


@cache
def modules() -> dict[str, Path]:
    """The modules of both packages by their full names, packages included."""
    files = {path: path.with_suffix("").parts for path in python_files() if path.parts[0] in PACKAGES}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in files.items()}


def module_of(name: str, known: dict[str, Path]) -> str:
    """The module that holds an imported name."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def room(path: Path) -> str:
    """The room of a file; the front doors of dpviz, which anything may stand behind, are "pages"."""
    if path.parts[0] == "dpviz_certified":
        return "certified"
    if path.parts[0] != "dpviz" or path in (Path("dpviz/__main__.py"), Path("dpviz/__init__.py")):
        return "pages"
    return path.parts[1] if len(path.parts) > 2 else "ground"


def room_violations(source: str, path: Path) -> list[str]:
    """The imports that go up the house, through one's own door, or to what another module keeps for itself."""
    if path.parts[0] not in (*PACKAGES, "pages"):
        return []
    found, known, own = [], modules(), room(path)
    for name in imports(parsed(source), path):
        target = module_of(name, known)
        if not target or target == "dpviz":
            continue
        if ORDER.index(room(known[target])) > ORDER.index(own):
            found.append(f"{path}: {own} imports {name} of a later room")
        if known[target].parent == path.parent and known[target].name == "__init__.py" and path.name != "__init__.py":
            found.append(f"{path}: imports {name} through its own door")
        if name.rpartition(".")[2].startswith("_") and name.rpartition(".")[2] != "__version__":
            found.append(f"{path}: imports {name}, which is private")
    return found


def part_violations(source: str, path: Path) -> list[str]:
    """The imports that go to another page, from one of its folders to a sister, or from a part to a later one.

    A page may have folders with the same parts: whatever folder they stand in, its inputs come before its answers. They
    stand on the page's own inputs, answers and words, which import none of them.
    """
    if path.parts[:2] != ("dpviz", "ui") or len(path.parts) < 4:
        return []
    found, page = [], path.parts[2]
    own, stem = folder_and_part(path.with_suffix("").parts[3:])
    later = PARTS[PARTS.index(stem) + 1 :] if stem in PARTS else PARTS[-1:]
    for name in imports(parsed(source), path):
        parts = name.split(".")
        if parts[:2] != ["dpviz", "ui"] or len(parts) < 4:
            continue
        folder, part = folder_and_part(parts[3:], page)
        if parts[2] not in ("shell", page):
            found.append(f"{path}: {page} imports {name} of another page")
        elif parts[2] == page and own and folder not in ("", own):
            found.append(f"{path}: {own} imports {name} of another folder of its page")
        elif parts[2] == page and folder and not own and stem in PARTS[:-1]:
            found.append(f"{path}: {path.stem} imports {name} of a folder, which stands on it")
        elif parts[2] == page and part in later:
            found.append(f"{path}: {path.stem} imports {name}, a later part")
    return found


def folder_and_part(names: Sequence[str], page: str = "") -> tuple[str, str]:
    """The folder inside a page, "" for the page itself, and the module there, of a path or of an imported name."""
    inside = len(names) > 1 if not page else (ROOT / "dpviz" / "ui" / page / names[0]).is_dir()
    return (names[0], names[1] if len(names) > 1 else "") if inside else ("", names[0])


@cache
def strings(tree: ast.AST) -> list[tuple[int, str]]:
    """Every text in a module with its line, and the pairs of a tuple of pairs as they would stand in an address."""
    found = [(node.lineno, node.value) for node in nodes(tree) if isinstance(node, ast.Constant)]
    for pair in (each for node in nodes(tree) if isinstance(node, ast.Tuple) for each in node.elts):
        match pair:
            case ast.Tuple(elts=[ast.Constant(value=str(key)), ast.Constant(value=str(text))]):
                found.append((pair.lineno, f"?{key}={text}"))
    return [(line, text) for line, text in found if isinstance(text, str)]


def address_violations(source: str, path: Path) -> list[str]:
    """The routes of pages, and the keys of widgets with their values, that the core names: the ui has the addresses."""
    if layer(path) != "core":
        return []
    pages = "|".join(page.stem for page in (ROOT / "pages").glob("*.py"))
    address = re.compile(rf"/({pages})\b(?!\.md)|({pages})\?|[?&]({'|'.join(sorted(widget_keys()))})=")
    texts = strings(parsed(source))
    return [f"{path}:{line}: names a page or its inputs: {text:.60}" for line, text in texts if address.search(text)]


def door_violations(source: str, path: Path) -> list[str]:
    """The imports of the engine by other rooms that go past its door."""
    if path.parts[0] not in (*PACKAGES, "pages") or room(path) == "privacy_loss" or "privacy_loss" not in source:
        return []
    found = [name for name in imports(ast.parse(source), path) if name.startswith(f"{ENGINE}.")]
    return [f"{path}: imports {name} past the engine's door" for name in found if module_of(name, modules()) != ENGINE]


def rounding_violations(source: str, path: Path) -> list[str]:
    """The factors near 1 that a module of dpviz writes out, where `dpviz/outward.py` says what operations cost."""
    if path.parts[0] != "dpviz" or path == Path("dpviz/outward.py") or not re.search(r"1 [+-] \d|\*\*-53", source):
        return []
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.BinOp(ast.Constant(1), ast.Add() | ast.Sub(), ast.Constant(float(share))):
                found += [f"{path}:{node.lineno}: rounds by {share}"] * (2e-16 < share <= 1e-11)
            case ast.BinOp(ast.Constant(2.0), ast.Pow(), ast.UnaryOp(ast.USub(), ast.Constant(53))):
                found.append(f"{path}:{node.lineno}: has a unit of its own")
    return found


def defined(tree: ast.Module) -> set[str]:
    """The functions, classes and constants of a module."""
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    given = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return named | {node.id for target in given for node in ast.walk(target) if isinstance(node, ast.Name)}


@cache
def widget_keys() -> frozenset[str]:
    """The keys of all widgets of the dashboard, which are what its addresses set."""
    trees = [parsed(read(path)) for path in python_files() if layer(path) == "ui"]
    return frozenset(key for tree in trees for key, _ in widgets(tree))


@cache
def registries() -> frozenset[str]:
    """The written-out tuples of records: constants whose elements are made by a class, or are classes or records."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for path in modules().values():
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Tuple | ast.Call):
                for target in getattr(node, "targets", [getattr(node, "target", None)]):
                    if isinstance(target, ast.Name) and target.id.isupper():
                        found[target.id].append(node.value)
    records = {name for name, values in found.items() if any(made_by_a_class(value) for value in values)}

    def holds_records(value: ast.expr) -> bool:
        names = [each.value if isinstance(each, ast.Starred) else each for each in getattr(value, "elts", [])]
        return any(
            made_by_a_class(each) or (isinstance(each, ast.Name) and each.id in records | known) for each in names
        )

    known: set[str] = set()
    while more := {name for name, values in found.items() if any(map(holds_records, values))} - known:
        known |= more
    return frozenset(known)


def made_by_a_class(value: ast.expr) -> bool:
    """Whether an expression is a class, or a call of one."""
    name = ast.unparse(value.func if isinstance(value, ast.Call) else value).rpartition(".")[2]
    return bool(re.fullmatch(r"[A-Z]+[a-z]\w*", name))


def place_violations(source: str, path: Path) -> list[str]:
    """What is taken out of a registry by its place, where the order is that of the display: keys say what is meant."""
    whole = ast.Constant, ast.UnaryOp, ast.Slice
    found = [node for node in nodes(parsed(source)) if isinstance(node, ast.Subscript)]
    named = [(node, ast.unparse(node.value).rpartition(".")[2]) for node in found if isinstance(node.slice, whole)]
    return [
        f"{path}:{node.lineno}: {ast.unparse(node)} goes by the order in which records are shown"
        for node, name in named
        if name in registries() and not isinstance(getattr(node.slice, "value", None), str)
    ]


RULES = (
    place_violations,
    room_violations,
    part_violations,
    import_violations,
    address_violations,
    door_violations,
    rounding_violations,
    effect_violations,
    page_violations,
    size_violations,
    name_violations,
    type_violations,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps(rule):
    """No file of the project breaks the rule."""
    broken = [line for path in python_files() for line in rule(read(path), path)]
    assert not broken, "\n" + "\n".join(broken)


def test_the_engine_is_private_but_for_what_others_import():
    """What a module of the engine keeps for itself is private by name: all that no other module imports."""
    known = modules()
    files = [*python_files(), *(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.py"))]
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}
    of_it = {path: ast.parse(source) for path, source in sources.items() if "privacy_loss" in source}
    wanted = {name for path, tree in of_it.items() for name in imports(tree, path)}
    inside = {name: path for name, path in known.items() if name.startswith(f"{ENGINE}.") and path.stem != "__init__"}
    assert len(inside) > 10
    for name, path in inside.items():
        public = {each for each in defined(ast.parse(sources[path])) if each[0] != "_"}
        assert not {each for each in public if f"{name}.{each}" not in wanted}, path


def test_private_names_of_the_engine_are_tested_beside_it_alone():
    """Tests of other rooms ask what other rooms may ask."""
    for file in (ROOT / "tests").rglob("*.py"):
        source, path = file.read_text(encoding="utf-8"), file.relative_to(ROOT)
        names = imports(ast.parse(source), path) if ENGINE in source else []
        private = [name for name in names if name.startswith(ENGINE) and name.rpartition(".")[2].startswith("_")]
        assert not private or path.parts[:2] == ("tests", "privacy_loss"), path


def test_no_folder_is_a_corridor():
    """Every folder holds few enough modules to be read as one list."""
    folders = defaultdict(list)
    for path in python_files():
        if path.parts[0] in PACKAGES and path.name != "__init__.py":
            folders[path.parent].append(path.stem)
    assert not {folder: len(names) for folder, names in folders.items() if len(names) > MOST_MODULES}


def test_no_circle():
    """No module needs, by whatever detour, a module that needs it: for annotations neither."""
    known = modules()
    needs = {
        name: {module_of(each, known) for each in imports(parsed(read(path)), path)}
        for name, path in known.items()
    }
    order = list(graphlib.TopologicalSorter({name: each - {name, ""} for name, each in needs.items()}).static_order())
    assert len(order) == len(known) > 100


def between_rooms() -> dict[str, list[str]]:
    """Which rooms each one imports from, in their order; the ground floor left out."""
    known, found = modules(), defaultdict(set)
    for path in known.values():
        names = imports(parsed(read(path)), path)
        targets = {module_of(name, known) for name in names} - {"", "dpviz"}
        found[room(path)] |= {room(known[target]) for target in targets} - {room(path), "ground"}
    return {name: [other for other in ORDER if other in found[name]] for name in ORDER[1:-1]}


def test_the_page_on_the_house_tells_the_truth():
    """docs/architecture.md names every room in order, who imports whom, and files that exist."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `?(\w+)`? \|", text.partition("## The journey")[0], re.MULTILINE)
    assert rooms == ["room", *ORDER]
    block = text.partition("```text\n")[2].partition("```")[0].splitlines()
    told = {line.partition("->")[0].strip(): line.partition("->")[2].strip() for line in block}
    assert told == {name: ", ".join(others) or "(ground)" for name, others in between_rooms().items()}
    named = re.findall(r"`((?:[\w]+/)*\w+\.py)`", text)
    assert len(named) > 20
    folders = [ROOT, ROOT / "dpviz", ROOT / "dpviz" / "composition"]
    assert not [each for each in named if not any((folder / each).exists() for folder in folders)]


def test_every_package_says_what_it_holds():
    """A door begins with one sentence, and exports what it lists."""
    for name, path in modules().items():
        if path.name == "__init__.py":
            tree = parsed(read(path))
            assert (ast.get_docstring(tree) or "").count(".") >= 1, name
            assert len(tree.body) == 1 or "__all__" in ast.unparse(tree), name


def test_tests_have_telling_names():
    """Neither do the tests hide things in modules of vague names."""
    assert not [line for path in (ROOT / "tests").rglob("*.py") for line in name_violations("", path.relative_to(ROOT))]


def test_every_layer_is_looked_at():
    """The rules see the files that they are about."""
    assert {"core", "figures", "ui", "page", "app"} <= {layer(path) for path in python_files()}


LONG_BODY = "\n".join(f"    x{n} = {n}" for n in range(FUNCTION_LINES + 1))
LONG_MODULE = "\n".join(f"x{n} = {n}" for n in range(MODULE_LINES + 1))


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (place_violations, "dpviz/composition/compose.py", "FIRST = THEOREMS[0]"),
        (place_violations, "dpviz/ui/shell/library.py", "def f():\n    return shell.PAGES[-1]"),
        (place_violations, "docs/file_pages.py", "for rule in FILTERS[1:]:\n    pass"),
        (room_violations, "dpviz/plan/plan.py", "from dpviz.composition import compose"),
        (room_violations, "dpviz/plan/plan.py", "def f():\n    from dpviz.report import html"),
        (room_violations, "dpviz/rounding.py", "from dpviz.mechanisms import Laplace"),
        (room_violations, "dpviz/mechanisms/laplace.py", "from dpviz.mechanisms import Gaussian"),
        (room_violations, "dpviz/plan/plan.py", "from dpviz.mechanisms.laplace import _half"),
        (room_violations, "dpviz/figures/learn/growth.py", "from dpviz.ui.shell import words"),
        (part_violations, "dpviz/ui/filters/sessions.py", "from dpviz.ui.plan.time import answer"),
        (part_violations, "dpviz/ui/shell/words.py", "from dpviz.ui.plan.time import answer"),
        (part_violations, "dpviz/ui/plan/fit/asked.py", "from dpviz.ui.plan.fit import answer"),
        (part_violations, "dpviz/ui/plan/fit/asked.py", "from dpviz.ui.plan import answer"),
        (part_violations, "dpviz/ui/plan/fit/words.py", "from dpviz.ui.plan.fit import view"),
        (part_violations, "dpviz/ui/plan/costs.py", "from dpviz.ui.plan.view import head"),
        (part_violations, "dpviz/ui/plan/fit/answer.py", "from dpviz.ui.plan.time.asked import question"),
        (part_violations, "dpviz/ui/plan/versus/view.py", "from dpviz.ui.plan.fit import asked"),
        (part_violations, "dpviz/ui/plan/answer.py", "from dpviz.ui.plan.fit.words import finding"),
        (part_violations, "dpviz/ui/plan/words.py", "from dpviz.ui.plan.fit import asked"),
        (part_violations, "dpviz/ui/plan/table.py", "from dpviz.ui.plan.fit import view"),
        (import_violations, "dpviz/plan.py", "import streamlit as st"),
        (import_violations, "dpviz/plan.py", "def f():\n    from plotly import graph_objects"),
        (import_violations, "dpviz/plan.py", "import pandas as pd"),
        (import_violations, "dpviz/plan.py", "from scipy import stats"),
        (import_violations, "dpviz/plan.py", "class A:\n    import scipy.signal"),
        (import_violations, "dpviz/plan.py", "from .ui import inputs"),
        (import_violations, "dpviz/accounting/plan.py", "from .. import figures"),
        (import_violations, "dpviz/figures/bars.py", "import streamlit"),
        (import_violations, "dpviz/figures/bars.py", "from dpviz import compose"),
        (import_violations, "dpviz/figures/bars.py", "from ..composition import compare"),
        (import_violations, "dpviz/figures/bars.py", "import dpviz"),
        (import_violations, "pages/plan.py", "import numpy as np"),
        (import_violations, "app.py", "from plotly.graph_objects import Figure"),
        (import_violations, "benchmarks/compose.py", "import streamlit"),
        (door_violations, "dpviz/composition/numerical.py", "from dpviz.privacy_loss.limits import leaks"),
        (door_violations, "dpviz/ui/shell/kept.py", "def f():\n    from dpviz.privacy_loss import limits"),
        (rounding_violations, "dpviz/mechanisms/laplace.py", "UP = 1 + 2e-15"),
        (rounding_violations, "dpviz/filters/rules.py", "def f(x):\n    return x * (1 - 4e-16)"),
        (rounding_violations, "dpviz/mechanisms/laws/renyi.py", "U = 2.0**-53"),
        (address_violations, "dpviz/sources/steinke.py", "PAGE = '/privacy_loss'"),
        (address_violations, "dpviz/sources/steinke.py", "def f() -> str:\n    return 'composition?x=1'"),
        (address_violations, "dpviz/report/facts.py", "LINK = f'https://example.org/{page}?eps1=0.5'"),
        (address_violations, "dpviz/sources/steinke.py", "LAPLACE = (('mech1', 'Laplace'), ('times', '10'))"),
        (effect_violations, "dpviz/plan.py", "import numpy as np\nnp.seterr(all='ignore')"),
        (effect_violations, "dpviz/figures/bars.py", "pio.templates.default = 'none'"),
        (effect_violations, "dpviz/plan.py", "for x in y:\n    pass"),
        (page_violations, "pages/plan.py", "def f():\n    pass"),
        (page_violations, "pages/plan.py", "x = 1\n" * (PAGE_LINES + 1)),
        (size_violations, "dpviz/plan.py", LONG_MODULE),
        (size_violations, "dpviz/plan.py", "def f():\n" + LONG_BODY),
        (size_violations, "pages/plan.py", "class A:\n  async def f(self):\n" + LONG_BODY),
        (name_violations, "dpviz/utils.py", ""),
        (name_violations, "dpviz/ui/common/plan.py", ""),
        (type_violations, "dpviz/plan/plan.py", "def f(x: int):\n    return x"),
        (type_violations, "dpviz/ui/shell/sidebar.py", "def f():\n    pass"),
        (type_violations, "dpviz/plan/plan.py", "class A:\n    def __init__(self):\n        pass"),
        (type_violations, "dpviz/plan/plan.py", "def f(x: int, *, y=0) -> int:\n    return x"),
        (type_violations, "dpviz/figures/bars.py", "def f(*lines) -> None:\n    pass"),
        (type_violations, "dpviz/plan/plan.py", "def f() -> None:\n    def g(**x) -> None:\n        pass"),
    ],
)
def test_rule_sees(rule, path: str, source: str):
    """A rule finds what breaks it."""
    assert rule(source, Path(path))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("dpviz/ui/shell/library.py", "X, Y = PANELS[0], BY_KEY['basic']\nZ = [rule.key for rule in FILTERS]"),
        ("dpviz/ui/plan/fit/view.py", "from dpviz.ui.plan.fit import asked, words\nfrom dpviz.ui.shell import words"),
        ("dpviz/ui/plan/fit/answer.py", "from dpviz.ui.plan.asked import chosen_row\nfrom dpviz.ui.plan import table"),
        ("dpviz/ui/plan/words.py", "from dpviz.ui.plan import costs\nfrom dpviz.ui.plan.answer import Standing"),
        ("dpviz/composition/compose.py", "from dpviz import Plan\nfrom dpviz.composition import pairs"),
        ("dpviz/composition/compose.py", "from dpviz.privacy_loss import Bound\nNEAR, LEFT = 1 + 1e-6, 1 - 1e-16"),
        ("dpviz/plan.py", "def f() -> None:\n    import pandas as pd\n    from scipy import stats"),
        ("dpviz/report/facts.py", "THEOREMS, COLUMNS = 'theorems', ('theorem', 'epsilon')\nROOM = 'composition'"),
        ("dpviz/ui/theorems/addresses.py", "CLAIMS = {'composition?eps1=0.5': 'sherpa_basic'}"),
        ("dpviz/plan.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd"),
        ("dpviz/plan/plan.py", "from scipy import special\nfrom .release import Release\nX: int = 1"),
        ("dpviz/figures/bars.py", "import plotly.graph_objects as go\nfrom dpviz import parameters"),
        ("dpviz/figures/bars.py", "from .base import ink\nfrom .base.ink import A\nfrom ..parameters import B"),
        ("dpviz/plan/plan.py", "class A:\n    @classmethod\n    def of(cls, *x: int) -> int:\n        return 1"),
        ("dpviz/ui/shell/sidebar.py", "import streamlit as st\nimport pandas as pd\nfrom dpviz import compose"),
        ("pages/plan.py", '"""A question?"""\nimport streamlit as st\nfrom dpviz import figures\n# why\nst.title("x")'),
        ("dpviz/plan.py", "def f() -> int:\n    '''A" + "\n    b." * 99 + "'''\n" + "\n    # why\n" * 99 + "    pass"),
    ],
)
def test_rules_let_pass(path: str, source: str):
    """The rules leave good source alone."""
    assert not [line for rule in RULES for line in rule(source, Path(path))]


def test_importing_dpviz_is_quick():
    """``import dpviz`` loads no data frames, no charts, no dashboard and no slow part of SciPy."""
    program = "import sys, json, dpviz; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    loaded = [name for name in json.loads(run.stdout) if covers((*SLOW, "dpviz.ui", "dpviz.figures"), name)]
    assert not loaded


PUBLIC = {
    "dpviz": """Guarantee Laplace Gaussian RandomizedResponse ApproximateDP NameAndShame Subsampled Release Plan compose
        compare epsilon_curve PrivacyLoss Theorem THEOREMS FILTERS CONVERSIONS AMPLIFICATIONS CALIBRATIONS max_count
        calibrate filters subsampling shuffling noise_sums mixtures adversary risk sources""",
    "dpviz.plan": "Plan Release PlanFileError",
    "dpviz.composition": "THEOREMS compose compare epsilon_curve calibrate max_count theorem_named tightest",
    "dpviz.filters": "FILTERS Filter BudgetExceeded runs_until_exhausted",
    "dpviz.adversary": "run_experiment Views",
    "dpviz.risk": "posterior odds",
    "dpviz.subsampling": "amplify base_epsilon amplify_with_replacement",
    "dpviz.noise_sums": "summed_epsilon noise_sum secure_aggregation mixture",
    "dpviz.sources": "CLAIMS claims_frame",
}


def test_public_names():
    """What notebooks import stays where they found it, wherever its module stands, whatever was imported before."""
    program = f"""
import sys
for name, public in {PUBLIC!r}.items():
    for each in [each for each in sys.modules if each.partition(".")[0] == "dpviz"]:
        del sys.modules[each]
    import dpviz
    exec("module = dpviz" if name == "dpviz" else "from dpviz import " + name.partition(".")[2] + " as module")
    missing = [each for each in public.split() if not hasattr(module, each)]
    if name == "dpviz":
        exec("".join(f"from dpviz import {{each}}\\n" for each in public.split()))
    assert not missing, (name, missing)
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
