"""The page of address keys: every widget whose value an address holds, read as the tests read them."""

import ast
from collections import defaultdict
from pathlib import Path

from dpviz.parameters import Parameter

ROOT = Path(__file__).resolve().parents[1]
# What a widget without a list of choices holds, by the name of the function that draws it.
HELD = {
    "number": "a number", "epsilon": "a number", "slider": "a number",
    "count": "a whole number", "seed": "a whole number", "delta": "a number",
    "numbers": "numbers with commas between them", "line": "text", "text_input": "text", "toggle": "`true` or `false`",
    "date_input": "a day such as 2026-04-01", "choice": "one of what the page offers",
    "source": "one of what the page offers", "switch": "one of what the page offers",
    "selectbox": "one of what the page offers", "select_slider": "one of what the page offers",
}  # fmt: skip
# Choices of rows of the table, whose key is the third that they are given.
ROWS = {"one": "the number of a row", "release": "the number of a row", "several": "the number of a row, for each"}
SHARED = "several pages"
MOST = 20  # choices that are listed; longer lists are sizes in order


def table() -> str:
    """Return a table of keys: page, key, what it may hold."""
    rows = ["| page | key | what it may hold |", "|---|---|---|"]
    for (page, key), told in sorted(held().items(), key=lambda item: (item[0][0] != SHARED, item[0])):
        rows.append(f"| {page} | `{key}` | {told} |")
    return "\n".join(rows)


def held() -> dict[tuple[str, str], str]:
    """Return what each key of each page may hold."""
    from streamlit.logger import set_log_level

    set_log_level("ERROR")  # no server runs here
    from tests.ui.test_links import FILES, choices, namespace

    options, kinds = defaultdict(dict), {}
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names, page = namespace(path, tree), page_of(path.relative_to(ROOT))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for key, shown in choices(call, names):
                options[page, key][f"`{shown}`"] = True
            if bound := bound_key(call):
                interval = ends(call, names)
                whole = isinstance(interval, Parameter) and interval.integer
                kinds[page, bound] = HELD["count"] if whole else (HELD | ROWS)[function(call)]
                kinds[page, bound] += told(interval)
    return kinds | {place: listed(list(each)) for place, each in options.items()}


def listed(choices: list[str]) -> str:
    """Return choices as a cell of a table, long lists by their ends."""
    shown = choices if len(choices) <= MOST else [*choices[:MOST], "…", choices[-1]]
    return ", ".join(shown).replace("|", "\\|")


def ends(call: ast.Call, names: dict[str, object]) -> tuple[object, object] | Parameter:
    """Return the least and the largest number that a box may hold, None for what only the running page knows."""
    from dpviz.ui.shell import inputs

    given = {each.arg: each.value for each in call.keywords}
    third = call.args[2] if len(call.args) > 2 else None
    match function(call):
        case "number":
            return known(third, names) or (None, None)
        case "epsilon":
            return inputs.EPSILON
        case "delta":
            return known(given.get("ends"), names) or inputs.DELTA
        case "count":
            return known(given.get("least", ast.Constant(1)), names), known(third, names)
        case "seed":
            return 0, inputs.LARGEST_SEED
    return None, None


def known(node: ast.expr | None, names: dict[str, object]) -> object:
    """Return what an expression is in its module, None where it hangs on what a visitor chose."""
    try:
        return eval(ast.unparse(node), names) if node else None
    except NameError:
        return None


def told(interval: tuple[object, object] | Parameter) -> str:
    """Return an interval in words, "" where an end is not known."""
    if isinstance(interval, Parameter):
        low, high = (f"{end:.12g}" for end in (interval.low, interval.high))
        least = f" above {low}" if interval.open_low else f" from {low}"
        return least + ("" if high == "inf" else f" to below {high}" if interval.open_high else f" to {high}")
    low, high = interval
    return "" if low is None or high is None else f" from {low:.6g} to {high:.12g}"


def function(call: ast.Call) -> str:
    """Return the name of what is called, without its module."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def bound_key(call: ast.Call) -> str:
    """Return the key of a widget that the address binds, "" for any other call."""
    given, name = {each.arg: each.value for each in call.keywords}, function(call)
    room = ast.unparse(call.func).partition(".")[0]
    binds = room == "inputs" or "bind" in given or name == "date_input"  # days take it with what both have in common
    if not (name in HELD and binds) and not (name in ROWS and room == "row_choice"):
        return ""
    place = 2 if name in ROWS else 1
    key = given.get("key", call.args[place] if len(call.args) > place else None)
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def page_of(path: Path) -> str:
    """Return the page that a file of the dashboard belongs to."""
    name = path.stem if path.parts[0] == "pages" else path.parts[2]
    return f"`/{'' if name == 'plan' else name}`" if (ROOT / "pages" / f"{name}.py").exists() else SHARED
