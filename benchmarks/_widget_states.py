"""What a browser may send for a widget of a page, and what else a program may send in its place."""

import json
import math
import zlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetState

from dpviz import Gaussian, Guarantee, Laplace, Plan, Release, Subsampled
from dpviz.plan.files import packed, permalink

ROOT = Path(__file__).resolve().parents[1]
FIELD = {  # what a browser fills in for a widget
    "slider": "double_array_value",
    "number_input": "double_value",
    "selectbox": "string_value",
    "radio": "string_value",
    "text_input": "string_value",
    "text_area": "string_value",
    "dataframe": "string_value",
    "multiselect": "string_array_value",
    "button_group": "string_array_value",
    "checkbox": "bool_value",
    "expandable": "bool_value",
    "popover": "bool_value",
    "tab_container": "string_value",
    "button": "trigger_value",
    "download_button": "trigger_value",
    "file_uploader": "file_uploader_state_value",
}
TEXTS = (
    "", " ", "0", "-1", "nan", "∞", "1e999", "1e-320", "1,5", "0.1, 0.2; 3", "٣", "9" * 400, "null", "[1, 2", "{}",
    '{"edited_rows": [], "added_rows": 1}', '{"edited_rows": {"9": {"x": 1}}, "added_rows": [{}], "deleted_rows": [7]}',
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "${7*7}", "=cmd|'/c calc'!A1", "'; DROP TABLE x; --",
    "../../../etc/passwd", "%00%ff%u0000", "a\0b", "\u202egnirts", "😀" * 50, "$\\input{x}$", "**[x](javascript:x)**",
    "x" * 100_000,
)  # fmt: skip
NUMBERS = (
    math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 5e-324, 1e-30, 0.5, 0.1 + 0.2, 1.5, 2.0**53, 1e18, 1e300, -1e300,
)  # fmt: skip
SPECIMENS = {
    "bool_value": (True, False),
    "trigger_value": (True, False),
    "double_value": NUMBERS,
    "int_value": (0, -1, 3, 2**62, -(2**62)),
    "string_value": TEXTS,
    "json_value": TEXTS,
    "json_trigger_value": TEXTS,
    "bytes_value": (b"", b"\0\xff", b"x" * 1000),
    "double_array_value": NUMBERS,
    "int_array_value": (0, -1, 3, 2**62),
    "string_array_value": TEXTS,
}
FILE_NAMES = ("plan.json", "plan.csv", "PLAN.CSV", "../../x.json", "<script>.csv", "x" * 300 + ".json")
OTHER_NAMES = ("no extension", "", "plan.exe")


@dataclass(frozen=True)
class Widget:
    """What a browser knows of a widget: the ends of a range, or the options, columns or kinds of file."""

    key: str
    kind: str
    field: str
    parameter: str = ""
    ends: tuple = ()
    whole: bool = False
    options: tuple = ()
    deferred: str = ""


def spotted(kind, said):
    """The widget that an element or block is, or None."""
    number = kind in ("slider", "number_input")
    read_only = kind == "dataframe" and said.editing_mode == said.READ_ONLY
    if kind not in FIELD or not said.id or read_only or getattr(said, "disabled", False):
        return None
    options, ends = tuple(said.type if kind == "file_uploader" else getattr(said, "options", ())), ()
    if kind == "button_group":
        options = tuple(option.content for option in said.options)
    elif kind == "dataframe":
        options = tuple(json.loads(said.columns or "{}"))
    elif number and not options:
        ends = (said.min, said.max) if kind == "slider" or (said.has_min and said.has_max) else (0.0, 1e6)
    return Widget(
        said.id,
        kind,
        "string_array_value" if kind == "slider" and options else FIELD[kind],
        getattr(said, "query_param_key", ""),
        ends,
        number and said.data_type == said.INT,
        options,
        getattr(said, "deferred_file_id", ""),
    )


def state(key, name, value):
    """What a browser sends of a widget."""
    sent = WidgetState(id=key)
    if name.endswith("array_value"):
        getattr(sent, name).SetInParent()
        getattr(sent, name).data.extend(value)
    else:
        setattr(sent, name, value)
    return sent


def excessive(rng, widget):
    """A value of the widget's own type, offered or not; finite, as is all that a browser sends."""
    if widget.kind == "dataframe":
        return edit(rng, widget.options, rng.choice((*TEXTS, *NUMBERS, [], {})))
    finite = [value for value in SPECIMENS[widget.field] if not isinstance(value, float) or math.isfinite(value)]
    if widget.kind == "slider":
        return [rng.choice(finite)]
    return specimen(rng, widget.field) if "array" in widget.field else rng.choice(finite)


def specimen(rng, name):
    """A value of a field, whatever widget it is sent for."""
    values = SPECIMENS[name]
    return rng.choices(values, k=rng.choice((0, 1, 2, 40))) if "array" in name else rng.choice(values)


def within(rng, widget):
    """A number that the widget admits: an end, or one anywhere in between, small ones as often as large ones."""
    low, high = widget.ends
    if rng.random() < 0.2:
        return rng.choice((low, high))
    value = math.exp(rng.uniform(math.log(low), math.log(high))) if 0 < low < high else rng.uniform(low, high)
    return min(max(float(round(value)) if widget.whole else value, low), high)


def edit(rng, columns, cell):
    """What a browser sends of a table with a changed cell, a new row or a row less."""
    row = {rng.choice(columns): cell} if columns else {}
    which, place = rng.randrange(3), rng.randrange(5)
    return json.dumps(
        {
            "edited_rows": {str(place): row} if which == 0 else {},
            "added_rows": [row] if which == 1 else [],
            "deleted_rows": [place] if which == 2 else [],
        }
    )


def valid(rng, widget):
    """A value that a browser could send."""
    match widget.kind:
        case "number_input":
            return within(rng, widget)
        case "slider" if not widget.options:
            return [within(rng, widget)]
        case "dataframe":
            return edit(rng, widget.options, rng.choice((1, 0.1, 2.5, "Laplace", True, None)))
        case "text_input" | "text_area":
            return rng.choice(("1", "0.1", "0.1, 0.2, 0.3", "10, 20", "north", "sum 0.1"))
        case "multiselect":
            return rng.sample(widget.options, rng.randint(0, len(widget.options)))
        case "checkbox" | "expandable" | "popover":
            return rng.random() < 0.5
        case "button" | "download_button":
            return True
    option = rng.choice(widget.options or ("",))
    return [option] if "array" in widget.field else option


def tokens():
    """Plans in links: right, damaged, of another version, endless, and one that would unfold to 5 MB."""
    right = [permalink.token(Plan.read(path)) for path in sorted((ROOT / "examples").glob("*.json"))]
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = deflater.compress(b" " * 5_000_000) + deflater.flush()
    signed = zlib.crc32(stream, packed.PLAN).to_bytes(4, "big") + stream
    bomb = f"{packed.PLAN}." + urlsafe_b64encode(signed).rstrip(b"=").decode()
    damaged = [text[:half] + "A" + text[half + 1 :] for text in right for half in [len(text) // 2]]
    cut = [text[: len(text) // 2] for text in right]
    return [*right, *damaged, *cut, "99" + right[0][1:], right[0] * 300, bomb, "1.", "1." + "A" * 7000, *TEXTS[:-1]]


def crafted(rng):
    """A plan in a link that takes long: rare samples used often, or as many kinds of noise as a link holds."""
    kinds = rng.choice((1, 10, 100))
    noises = [Subsampled(Gaussian(rng.uniform(0.5, 2), 1), 10 ** rng.uniform(-5, -4), "poisson") for _ in range(kinds)]
    if rng.random() < 0.5:
        noises = [Laplace.from_epsilon(rng.uniform(0.01, 0.5)) for _ in range(2 * kinds)]
    releases = [Release(f"{number}", noise, rng.randint(1, 10**6)) for number, noise in enumerate(noises)]
    return permalink.token(Plan(releases, Guarantee(rng.uniform(1, 10), 1e-6)))


TOKENS, EXAMPLES = tokens(), [path.stem for path in sorted((ROOT / "examples").glob("*.json"))]
RIGHT_TOKENS = [permalink.token(Plan.read(path)) for path in sorted((ROOT / "examples").glob("*.json"))]
RIGHT_FILES = [path.read_bytes() for path in sorted((ROOT / "examples").glob("*.json"))]
HEAVY = (  # a page, and what its address sets beside the plan
    ("", {"tab": "What costs what"}),
    ("", {"tab": "How accurate", "panel": "Fit to budget"}),
    ("", {"tab": "When"}),
    ("", {"tab": "What an attacker learns"}),
    ("composition", {}),
    ("privacy_loss", {}),
    ("adversary", {}),
    ("subsampling", {"n": "1000000000", "m": "1, 10, 100, 1000", "span": "1000", "ebud": "1000"}),
)
FILES = [
    *(path.read_bytes() for path in sorted((ROOT / "examples").glob("*.[cj]s*"))),
    *(text.encode() for text in TEXTS),
    b"\xff\xfe\0\0" * 1000,
    b"[" * 100_000,
    b"name,mechanism,epsilon\n" + b"x,laplace,0.1\n" * 20_000,
    b"x" * 6_000_000,  # more than the server takes
]
