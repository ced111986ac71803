"""What Streamlit keeps of a visitor is named in few modules, and the document in the three that are about it."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([ROOT / "app.py", *(ROOT / "dpviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
SHELL = "dpviz/ui/shell/"
SEAMS = {  # the modules that may name st.session_state, each with its reason
    SHELL + "document/session.py": "the document, with undo and redo",
    SHELL + "document/address.py": "what was written into the address",
    SHELL + "document/table_state.py": "what was typed into the table",
    SHELL + "page_state.py": "what widgets hold and pages keep, by key",
    SHELL + "shell.py": "how a session was entered, before anything else runs",
}


@cache
def trees() -> dict[str, ast.Module]:
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in FILES}


def is_state(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "session_state"


def texts(nodes: list[ast.expr]) -> set[str]:
    """The texts that are written out in expressions: alone, or as the keys of a dictionary."""
    keys = [key for node in nodes if isinstance(node, ast.Dict) for key in node.keys]
    return {node.value for node in [*nodes, *keys] if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def named(tree: ast.Module) -> set[str]:
    """The keys of st.session_state that a module writes out."""
    found = {text for node in ast.walk(tree) if isinstance(node, ast.Subscript) and is_state(node.value)
             for text in texts([node.slice])}  # fmt: skip
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and is_state(call.func.value):
            found |= texts(call.args[:1]) | {each.arg for each in call.keywords}
    return found


def test_few_modules_name_the_state_of_a_session():
    naming = {path for path, tree in trees().items() if any(map(is_state, ast.walk(tree)))}
    assert naming == SEAMS.keys()


def test_nobody_else_reaches_for_the_document():
    """What the modules on the document hold has keys that no page holds anything under."""
    found = trees()
    own = [named(found[path]) for path in SEAMS if "/document/" in path]
    assert all(own) and len(set.union(*own)) == sum(map(len, own)), "each key is of one module"
    others = set()
    for call in (node for tree in found.values() for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "page_state":
            others |= texts(call.args)
    assert len(others) > 15, "the test sees the keys"
    assert not others & set.union(*own)
