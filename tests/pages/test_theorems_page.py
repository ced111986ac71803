"""The theorems page, driven without a browser: what it shows, hostile addresses, and every link that it offers."""

from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.figures.check.claim_ratios import drawable
from dpviz.plan import Document, Plan
from dpviz.sources import CLAIMS, DOCUMENTS
from dpviz.sources import claims as sources
from dpviz.sources.cards import KINDS, cards
from dpviz.sources.claims import WRONG, summary
from dpviz.ui.shell import shell
from dpviz.ui.theorems import addresses, meaning
from dpviz.ui.theorems import view as theorems

ADDRESSES = sorted({*addresses.CLAIMS.values(), *(place for card in cards() for _, place in addresses.uses(card))})
ENOUGH = 1e-9  # relative: a number in an address, read back


def opened(address: str = "theorems") -> AppTest:
    """The page at an address."""
    parts = urlsplit(address)
    name = "plan" if parts.path == "." else parts.path
    app = AppTest.from_file(str(shell.ROOT / "pages" / f"{name}.py"), default_timeout=600)
    if name != "plan":  # which takes it in itself; to the others app.py brings it
        app.session_state["document"] = Document(Plan(()))
    for key, value in parse_qsl(parts.query):
        app.query_params[key] = value
    return whole(app.run())


def entered(query: str = "") -> AppTest:
    """The page as a visitor has it who came by app.py, whose links go on working after something is pressed."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.run()
    app = app.switch_page("pages/theorems.py")
    for key, value in parse_qsl(query):
        app.query_params[key] = value
    return whole(app.run())


def whole(app: AppTest) -> AppTest:
    """The page, after asserting that it is in order."""
    assert not app.exception
    assert not [error.value for error in app.error]
    return app


def taken(value: object, typed: str) -> bool:
    """Whether a widget holds what the address says."""
    if isinstance(value, bool):
        return str(value).lower() == typed
    if isinstance(value, int | float):
        return abs(value - float(typed)) <= ENOUGH * abs(value)
    if isinstance(value, list):
        return len(value) == 1
    with suppress(ValueError):
        return float(value) == float(typed)
    return str(value).lower().replace("_", " ").replace("lecture11", "lecture 11") == typed.lower()


def test_every_claim_and_every_theorem_has_its_address():
    """None is left out and none is left over, and what a link is called is never empty."""
    assert addresses.CLAIMS.keys() == {claim.key for claim in CLAIMS}
    assert all(label and place for card in cards() for label, place in addresses.uses(card))
    assert all(addresses.uses(card) for card in cards())
    assert {urlsplit(address).path for address in ADDRESSES} <= {"."} | {page.name for page in shell.PAGES}


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_link_opens(address: str):
    """The page concerned opens without an error, and its widgets hold the parameters of the link."""
    app = opened(address)
    for key, typed in parse_qsl(urlsplit(address).query):
        assert key in app.session_state, f"{key} is no key of this page"
        assert taken(app.session_state[key], typed), (key, typed, app.session_state[key])


def test_it_opens_with_every_claim():
    """Counts in the finding, a chart, and the first claims in full, each with its way to the page concerned."""
    app = opened()
    counts = summary()
    assert f"Of **{len(CLAIMS)}** claims of five documents" in app.markdown[0].value
    assert all(f"**{count}**" in app.markdown[0].value for count in counts.values())
    assert len(app.get("plotly_chart")) == 1 and len(links(app)) == theorems.IN_FULL
    assert app.header[0].value == f"Claims 1 to {theorems.IN_FULL} of {len(CLAIMS)}"


def links(app: AppTest) -> list[str]:
    """Where the claims that are shown lead to."""
    return [link.proto.page for link in app.get("page_link") if link.proto.label == "Open the page concerned"]


def test_claims_are_turned_by_words():
    """Further and earlier ones; the address holds where, and a former link opens there."""
    app = whole(entered().button(key="later_claims").click().run())
    assert app.query_params["part"] in ("2", ["2"]) and app.header[0].value.startswith("Claims 9 to 16")
    app = whole(app.button(key="earlier_claims").click().run())
    assert app.header[0].value.startswith("Claims 1 to 8") and app.button(key="earlier_claims").disabled
    assert opened("theorems?part=2").header[0].value.startswith("Claims 9 to 16")


def test_every_wrong_claim_is_told_in_words():
    """What is wrong has a sentence without formulas; what is right has none of its own."""
    assert set(meaning.MEANT) == {claim.key for claim in CLAIMS if claim.verdict == WRONG}
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600)
    app.query_params["read"] = "people"
    app.switch_page("pages/theorems.py")
    text = " ".join(each.value for each in whole(app.run()).markdown)
    assert all(sentence in text for sentence in meaning.MEANT.values()) and f"**{summary()[WRONG]}** are wrong" in text


def test_search_and_filters():
    """What is asked for, and nothing else."""
    app = opened("theorems?doc=Lecture 11&verdict=wrong")
    expected = [c.key for c in CLAIMS if c.document == "lecture" and c.verdict == WRONG]
    assert f"of {len(expected)}" in app.header[0].value and f"**{len(expected)}** are shown" in app.markdown[0].value
    app = opened("theorems?find=sherpa_crossing")
    assert "**150**" in " ".join(text.value for text in app.markdown)
    assert "**38**" in " ".join(text.value for text in app.markdown)
    whole(app.text_input(key="find").set_value("no such thing *<b>").run())
    assert "No claim" in app.info[0].value and not app.get("plotly_chart")


def test_the_catalogue_has_a_card_for_every_record():
    app = opened("theorems?check=Theorems")
    assert [each.value.strip("$\n") for each in app.latex] == [card.statement for card in cards()]
    for kind in KINDS:
        own = [card.statement for card in cards() if card.kind == kind]
        assert len(opened(f"theorems?check=Theorems&kind={kind}").latex) == len(own)
    assert not opened("theorems?check=Theorems&find=xyzzy").latex


def test_what_is_not_modelled_is_said():
    said = opened("theorems?check=Not modelled").markdown[0].value
    named = ("Exponential mechanism", "bounded range", "Sparse vector", "Tree aggregation", "Floating point", "timing")
    for name in named:
        assert name in said


@pytest.mark.parametrize(
    "query",
    ["", "&neps=0.001&ndelta=1e-15&nk=1000000", "&neps=50&ndelta=0.1&nk=2", "&ntable=Steinke&neps=50&nk=1000000",
     "&ntable=Steinke&neps=0.001&ndelta=0.1", "&neps=nan&nk=1e99&ndelta=2&ntable=other"],
)  # fmt: skip
def test_noise_per_query(query: str):
    """From one end to the other, a chart and a sentence."""
    app = opened(f"theorems?check=Noise per query{query}")
    assert len(app.get("plotly_chart")) == 1
    assert "queries at ε" in app.markdown[0].value


def test_lecture_11s_missing_factor_is_named():
    said = opened("theorems?check=Noise per query").markdown[0].value
    assert "√ln(1/δ) = **3.72**" in said and "**106.6**" in said and "**1000**" in said


def test_steinkes_two_scales():
    app = opened("theorems?check=Noise per query&ntable=Steinke&nk=100")
    assert all(number in app.markdown[0].value for number in ("**100**", "**54.44**", "**53.5**"))
    assert any("0.0168742" in text.value and "0.0174689" in text.value for text in app.caption)


@pytest.mark.parametrize(
    "query", ["doc=<script>&verdict=%00&kind=x", "check=nothing&part=99", "find=" + "a" * 500, "part=-1&read=words"]
)
def test_hostile_addresses(query: str):
    """Bad values fall back."""
    whole(opened(f"theorems?{query}"))


def test_a_part_beyond_the_last_falls_back():
    app = entered("part=9")
    assert app.header[0].value.startswith("Claims 65 to 72")
    whole(app.selectbox(key="doc").set_value(DOCUMENTS["lecture"]).run())
    assert app.header[0].value.startswith("Claims 1 to 8")


def test_a_new_claim_is_shown(monkeypatch: pytest.MonkeyPatch):
    """The page is made from the records."""
    frame = sources.claims_frame(CLAIMS[:2]).assign(address="plan")
    monkeypatch.setattr(theorems.theorems_cache, "matching", lambda *asked: (frame, drawable(frame)))
    app = opened()
    assert app.header[0].value == "Claims 1 to 2 of 2" and len(links(app)) == 2
