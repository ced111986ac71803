"""The tutorial's dashboard part says what the demo says, which a browser performs; its other parts run as blocks."""

import re

from tests.docs.blocks import ROOT, blocks

TUTORIAL, DEMO = (ROOT / "docs" / f"{name}.md" for name in ("tutorial", "demo"))
BOLD = re.compile(r"\*\*(.+?)\*\*")


def said(text: str) -> list[str]:
    """What is to be pressed, typed or seen."""
    return BOLD.findall(" ".join(text.split()))


def dashboard() -> str:
    return TUTORIAL.read_text(encoding="utf-8").partition("## In the dashboard")[2].partition("\n## ")[0]


def test_the_dashboard_part_is_the_demo():
    """In the same order, nothing is pressed, typed or seen that tests/browser/test_demo.py does not find there."""
    demo, steps = said(DEMO.read_text(encoding="utf-8")), said(re.sub(r"\*\*[^*]+\.\*\*", "", dashboard()))
    assert len(steps) > 15
    place = 0
    for text in steps:
        assert any(text in each for each in demo[place:]), text
        place = next(at for at, each in enumerate(demo) if at >= place and text in each)


def test_what_is_pasted_is_the_same():
    [pasted] = [each.text for each in blocks(TUTORIAL) if each.language == "text"]
    [performed] = [each.text for each in blocks(DEMO) if each.language == "text"]
    assert pasted == performed
