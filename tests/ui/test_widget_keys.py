"""Keys of widgets are shared by all pages of a session: one key, one kind of widget, one meaning."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "dpviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
KEY = re.compile(r"[a-z][a-z0-9_]*")
# Widgets that stand for one thing wherever they are drawn.
KINDS = dict.fromkeys(("number", "epsilon", "delta", "count"), "number") | {
    "choice": "selectbox",
    "source": "selectbox",
    "slider": "select_slider",
    "switch": "segmented_control",
    "line": "text_input",
}


def widgets(tree: ast.AST) -> list[tuple[str, str]]:
    """Key and kind of every widget that is drawn with a written-out key."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        kind = KINDS.get(name, name)
        given = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
        if ast.unparse(call.func).startswith("inputs."):
            given += call.args[1:2]
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and KEY.fullmatch(value.value):
                found.append((value.value, kind))
    return found


def test_a_key_belongs_to_one_kind_of_widget():
    """A number of one page must not meet a switch of another under its key: Streamlit would fail, or mix them up."""
    kinds, homes = defaultdict(set), defaultdict(set)
    for path in FILES:
        for key, kind in widgets(ast.parse(path.read_text(encoding="utf-8"))):
            kinds[key].add(kind)
            homes[key].add(path.name)
    mixed = {key: (sorted(kinds[key]), sorted(homes[key])) for key in kinds if len(kinds[key]) > 1}
    assert not mixed
    assert len(kinds) > 50, "the test sees the widgets"


def test_what_all_pages_draw_has_keys_of_its_own():
    """The panel at the end of every sidebar shares no key with any page."""
    own = {key for key, _ in widgets(ast.parse((ROOT / "dpviz/ui/shell/sharing.py").read_text(encoding="utf-8")))}
    others = [path for path in FILES if path.name != "sharing.py"]
    theirs = {key for path in others for key, _ in widgets(ast.parse(path.read_text(encoding="utf-8")))}
    assert own and not own & theirs
