"""Every source of every record is linked, or listed here as having no certain address."""

import re

import pytest

from dpviz import AMPLIFICATIONS, CALIBRATIONS, CONVERSIONS, FILTERS, THEOREMS
from dpviz.adversary.strategies import STRATEGIES
from dpviz.planning.advice.checks import CHECKS
from dpviz.planning.budgeting.splits import SPLITS
from dpviz.sources.cards import cards
from dpviz.sources.claims import CLAIMS
from dpviz.sources.links import FORMS, LINKS, cited, linked
from dpviz.sources.noise_per_query import WAYS

REGISTRIES = (
    THEOREMS, FILTERS, CONVERSIONS, AMPLIFICATIONS, CALIBRATIONS, SPLITS, STRATEGIES, CHECKS, cards(), CLAIMS, WAYS,
)  # fmt: skip
SOURCES = sorted({record.source for registry in REGISTRIES for record in registry if record.source})
WITHOUT_ADDRESS = {"Steinke (2024)"}
# Documents that are no papers, and reasons that need none; each is a whole part of a source.
NO_PAPER = (
    "Lecture 11", 'Lecture notes "Advanced Composition" (Lecture 11)', "Steinke, Composition", "Sherpa.ai notebook",
    "by definition", "by exchange", "by expanding", "Lagrange multipliers", "the note's own", "the notebook's own",
    "the post's own",
)  # fmt: skip
# An author and a year, however many more authors stand before them.
PAPER = re.compile(r"(?:[A-Z][\w.'-]+|et al\.|SP 800-226)[ ]\(?(?:19|20)\d\d\)?")


@pytest.mark.parametrize("source", SOURCES)
def test_every_part_of_a_source_is_known(source: str):
    """Each paper that it names is one of the links; each part without a paper is one of those that have none."""
    known = cited(source)
    assert len(PAPER.findall(source)) == len(known)
    for part in source.split("; "):
        names_a_paper = any(link.citation in part for link in known)
        assert names_a_paper or part.removeprefix("inverse of ").startswith(NO_PAPER)


def test_what_has_no_address_is_listed():
    assert {link.citation for link in LINKS if not link.address} == WITHOUT_ADDRESS


def test_addresses_have_one_of_two_forms():
    """A DOI or a number of arXiv, and nothing behind it."""
    for link in LINKS:
        assert not link.address or link.address.startswith(FORMS)
        if link.address.startswith(FORMS[1]):
            assert re.fullmatch(r"\d{4}\.\d{4,5}", link.address.removeprefix(FORMS[1]))
        elif link.address:
            assert re.fullmatch(r"10\.\d{4,5}/\S+", link.address.removeprefix(FORMS[0]))


def test_links_are_used_and_named_once():
    """No link without a source; no citation twice."""
    citations = [link.citation for link in LINKS]
    assert len(set(citations)) == len(citations)
    assert {link.citation for source in SOURCES for link in cited(source)} == set(citations)


def test_citations_come_in_the_order_of_the_text():
    text = "Mironov (2017), Prop. 1; Canonne, Kamath & Steinke (2020), Prop. 12; Steinke (2024); Bun & Steinke (2016)"
    assert [name for name, _ in linked(text)] == [
        "Mironov (2017)", "Canonne, Kamath & Steinke (2020)", "Bun & Steinke (2016)",
    ]  # fmt: skip
    assert all(name in text and address.startswith(FORMS) for name, address in linked(text))


def test_the_last_author_of_a_paper_is_not_another_paper():
    assert not cited("Somebody & McSherry (2009)") and cited("McSherry (2009)")
