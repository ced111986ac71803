"""The theorems page, driven without a browser: what it shows, hostile addresses, and every link that it offers."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dpviz.sources import CLAIMS, DOCUMENTS
from dpviz.sources import claims as sources
from dpviz.sources.cards import KINDS, cards
from dpviz.sources.claims import WRONG, summary
from dpviz.ui.shell import shell
from dpviz.ui.theorems import addresses
from dpviz.ui.theorems import view as theorems

ADDRESSES = sorted({*addresses.CLAIMS.values(), *(place for card in cards() for _, place in addresses.uses(card))})
ENOUGH = 1e-9  # relative: a number in an address, read back


def opened(address: str = "theorems") -> AppTest:
    """The page at an address."""
    parts = urlsplit(address)
    name = "plan" if parts.path == "." else parts.path
    app = AppTest.from_file(str(shell.ROOT / "pages" / f"{name}.py"), default_timeout=600)
    for key, value in parse_qsl(parts.query):
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
    """Counts in the finding, a chart, a table of all, and the first ones in full."""
    app = opened()
    counts = summary()
    assert f"Of **{len(CLAIMS)}** claims of five documents" in app.markdown[0].value
    assert all(f"**{count}**" in app.markdown[0].value for count in counts.values())
    assert len(app.dataframe[1].value) == len(CLAIMS)
    assert len(app.get("plotly_chart")) == 1
    assert sum("Open the page concerned" in text.value for text in app.markdown) == theorems.IN_FULL


def test_search_and_filters():
    """What is asked for, and nothing else."""
    app = opened("theorems?doc=Lecture 11&verdict=wrong")
    expected = [c.key for c in CLAIMS if c.document == "lecture" and c.verdict == WRONG]
    assert app.dataframe[1].value.claim.tolist() == expected
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
    """From one end to the other, a chart and a table of exact values."""
    app = opened(f"theorems?check=Noise per query{query}")
    assert len(app.get("plotly_chart")) == 1
    assert "queries at ε" in app.markdown[0].value
    assert len(app.dataframe[0].value) in (4, 7)


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
    app = opened("theorems?part=9")
    assert app.session_state["part"] == 9
    whole(app.selectbox(key="doc").set_value(DOCUMENTS["lecture"]).run())
    assert app.session_state["part"] == 1


def test_a_new_claim_is_shown(monkeypatch: pytest.MonkeyPatch):
    """The table is made from the records."""
    frame = sources.claims_frame(CLAIMS[:2]).assign(address="plan")
    monkeypatch.setattr(theorems.theorems_cache, "claims", lambda: frame)
    assert opened().dataframe[1].value.claim.tolist() == frame.claim.tolist()
