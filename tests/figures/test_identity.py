"""Every theorem looks the same on every chart, and different from the others."""

import re
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dpviz.composition import THEOREMS
from dpviz.figures.base.identity import IDENTITIES, UNKNOWN, identity, plain, standalone_html

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.key)
def test_every_theorem_has_an_identity(theorem):
    """A theorem gets its colour and dash on the day it is listed."""
    assert identity(theorem.key) is not UNKNOWN


def test_greys_are_written_once():
    """Whoever wants a grey takes one of the scale; white and black are the ground's."""
    parts = [path for room in ("figures", "ui") for path in (ROOT / "dpviz" / room).rglob("*.py")]
    found = {
        f"{path.name}: {match[0]}"
        for path in parts if path.name != "scale.py"
        for match in re.finditer(r"#([0-9a-fA-F]{6})\b|rgba?\((\d+), ?(\d+), ?(\d+)", path.read_text(encoding="utf-8"))
        if _is_grey([*bytes.fromhex(match[1])] if match[1] else [int(each) for each in match.groups()[1:]])
    }  # fmt: skip
    assert not found


def _is_grey(channels: list[int]) -> bool:
    """Whether a colour has next to no hue; the palest of the lines' colours has 13."""
    return max(channels) - min(channels) < 13 and 0 < sum(channels) < 3 * 255


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_no_two_theorems_look_alike(ground: str):
    """Colours differ on both grounds."""
    colours = [getattr(each, ground).lower() for each in IDENTITIES.values()]
    assert len(set(colours)) == len(colours)


def test_standalone_page_needs_no_network():
    """The downloaded page carries its own program and loads nothing."""
    figure = go.Figure(go.Bar(x=[1], y=["a"]))
    page = standalone_html(figure, "<script>alert(1)</script>")
    assert "<script src=" not in page and "plotly" in page[:5000].lower()
    assert "<script>alert(1)</script>" not in page
    assert figure.layout.title.text is None, "the figure itself is unchanged"


def test_plain_text_has_no_markup():
    """Plotly reads some HTML; names must not be read so."""
    assert plain("<a href='x'>") == "&lt;a href='x'&gt;"


def test_letters_and_greys_have_one_scale(root: Path):
    """No figure and no page writes a size of letters in pixels, or a grey, of its own."""
    own = re.compile(r'(?:font"?[:=] ?\{[^{}]*"size": ?\d)|rgba\(128|#767676|#808080')
    files = [*(root / "dpviz/figures").rglob("*.py"), *(root / "dpviz/ui").rglob("*.py")]
    found = [str(path.relative_to(root)) for path in files if own.search(path.read_text(encoding="utf-8"))]
    assert found == ["dpviz/figures/base/scale.py"]
