"""Where the papers are that sources name: from a citation, as records write it, to its address."""

from __future__ import annotations

from dataclasses import dataclass

FORMS = ("https://doi.org/", "https://arxiv.org/abs/")


@dataclass(frozen=True, slots=True)
class Link:
    """A paper and its address.

    Parameters
    ----------
    citation : str
        As sources write it, without theorem or section.
    address : str
        Begins with one of ``FORMS``; "" where none is certain.
    """

    citation: str
    address: str


LINKS = (
    Link("Balle & Wang (2018)", "https://arxiv.org/abs/1805.06530"),
    Link("Balle, Barthe & Gaboardi (2018)", "https://arxiv.org/abs/1807.01647"),
    Link("Bretagnolle & Huber (1979)", "https://doi.org/10.1007/BF00535278"),
    Link("Bun & Steinke (2016)", "https://arxiv.org/abs/1605.02065"),
    Link("Canonne, Kamath & Steinke (2020)", "https://arxiv.org/abs/2004.00010"),
    Link("Chua et al. (2024)", "https://arxiv.org/abs/2403.17673"),
    Link("Dong, Roth & Su (2022)", "https://arxiv.org/abs/1905.02383"),
    Link("Doroshenko et al. (2022)", "https://arxiv.org/abs/2207.04380"),
    Link("Dwork & Roth (2014)", "https://doi.org/10.1561/0400000042"),
    Link("Dwork, Rothblum & Vadhan (2010)", "https://doi.org/10.1109/FOCS.2010.12"),
    Link("Dwork, Rothblum & Vadhan 2010", "https://doi.org/10.1109/FOCS.2010.12"),
    Link("Feldman, McMillan & Talwar (2021)", "https://arxiv.org/abs/2012.12803"),
    Link("Feldman, McMillan & Talwar (2022)", "https://arxiv.org/abs/2208.04591"),
    Link("Kairouz, Oh & Viswanath (2015)", "https://arxiv.org/abs/1311.0776"),
    Link("Lugannani & Rice (1980)", "https://doi.org/10.2307/1426607"),
    Link("McSherry (2009)", "https://doi.org/10.1145/1559845.1559850"),
    Link("Mironov (2017)", "https://arxiv.org/abs/1702.07476"),
    Link("Murtagh & Vadhan (2016)", "https://arxiv.org/abs/1507.03113"),
    Link("NIST SP 800-226 (2025)", "https://doi.org/10.6028/NIST.SP.800-226"),
    Link("Rogers, Roth, Ullman & Vadhan (2016)", "https://arxiv.org/abs/1605.08294"),
    Link("Rogers et al. (2016)", "https://arxiv.org/abs/1605.08294"),
    Link("Steinke (2024)", ""),
    Link("Whitehouse, Ramdas, Rogers & Wu (2023)", "https://arxiv.org/abs/2203.05481"),
)


def linked(source: str) -> list[tuple[str, str]]:
    """Return the citations with an address that stand in a source, in the order of the text.

    Parameters
    ----------
    source : str
        As the field of that name of any record.

    Returns
    -------
    list of (str, str)
        The citation, letter by letter as it stands there, and its address.

    Examples
    --------
    >>> [citation for citation, _ in linked("Mironov (2017), Prop. 1; Dwork & Roth (2014), Thm 3.16")]
    ['Mironov (2017)', 'Dwork & Roth (2014)']
    >>> linked("by definition")
    []
    """
    return [(link.citation, link.address) for link in cited(source) if link.address]


def cited(source: str) -> list[Link]:
    """Return all citations that stand in a source, with an address or without, in the order of the text.

    Examples
    --------
    >>> [link.citation for link in cited("Steinke (2024), A tight pure-DP to zCDP conversion, Thm 5")]
    ['Steinke (2024)']
    """
    found = [(source.find(link.citation), link) for link in LINKS if link.citation in source]
    whole = [(place, link) for place, link in found if _begins(source, place)]
    return [link for _, link in sorted(whole, key=lambda each: each[0])]


def _begins(source: str, place: int) -> bool:
    """Whether a citation begins there, rather than being the end of one with more authors."""
    return not source[:place].endswith(("& ", "and "))
