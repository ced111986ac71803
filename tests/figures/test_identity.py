"""Every theorem looks the same on every chart, and different from the others."""

import re
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dpviz.composition import THEOREMS
from dpviz.figures.base.identity import IDENTITIES, UNKNOWN, identity, plain, standalone_html


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.key)
def test_every_theorem_has_an_identity(theorem):
    """A theorem gets its colour and dash on the day it is listed."""
    assert identity(theorem.key) is not UNKNOWN


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
