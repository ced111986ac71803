"""What people must be told beside the numbers of a plan: one table of text fields, and what somebody stated in them.

JSON, the form in the dashboard, the statement and the entry for a registry follow from the table. Nothing of it changes
what a plan costs.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from dpviz.parameters import checked_choice

LONGEST_STATED = 2_000  # characters of one field
NOT_STATED = "not stated"
NIST, REGISTRY, LABEL = "NIST SP 800-226", "deployments registry", "privacy label"
ABOUT, TRUST, DATA = "What it is", "Who sees what", "Whose data"
MADE, WHY = "How it is made", "Why, and where to read on"
# Control characters but for the end of a line, line separators and lone surrogates.
_FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def checked_stated(name: str, value: object) -> str:
    """Return a text without blanks around it or tabs, its lines ended by newlines; "" is not stated.

    Raises
    ------
    ValueError
        When it is no text, too long, or holds control characters.

    Examples
    --------
    >>> checked_stated("owner", " Unit 4 ")
    'Unit 4'
    """
    text = re.sub("\r\n?", "\n", value).replace("\t", " ").strip() if isinstance(value, str) else None
    if text is None or len(text) > LONGEST_STATED or _FORBIDDEN.search(text):
        raise ValueError(
            f"{name} must be text of at most {LONGEST_STATED:,} characters without control characters; "
            f"got {reprlib.repr(value)}"
        )
    return text


def _text(group: str, label: str, about: str, *asked: str) -> str:
    """A field of the table; what it is for people, and who asks for it, goes with it."""
    return field(default="", metadata={"group": group, "label": label, "help": about, "asked": asked})


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What somebody states in public beside the numbers of a plan: texts of at most 2,000 characters, "" not stated.

    Parameters
    ----------
    owner, description, intended_use, region, period, renewal : str
        Who answers for it, what is published and for what, of which region and time, and when the budget starts anew.
    trust, actors, access, security : str
        Who sees the data without noise, who takes part, who may ask, and how the exact data are kept.
    contributions, size_public, unprotected, other_releases : str
        What one unit contributes at most, whether the number of units is public, and what else is known of the data.
    preparation, implementation, side_channels, post_processing : str
        How data and noise are made, and what is done to noisy numbers.
    justification, sources : str
        Why these parameters, and where to read on.

    References
    ----------
    NIST SP 800-226 (2025), Guidelines for Evaluating Differential Privacy Guarantees, Sec. 2 to 4; the OpenDP
    deployments registry's schema of July 2026; Dwork, Kohli & Mulligan (2019), Differential Privacy in Practice.

    Examples
    --------
    >>> Disclosure(sources="A paper", owner=" Unit 4 ").stated
    {'owner': 'Unit 4', 'sources': 'A paper'}
    """

    # fmt: off
    owner: str = _text(ABOUT, "Who answers for it", "The office or person whom readers may ask, and how.",
        REGISTRY, LABEL)
    description: str = _text(ABOUT, "What is published", "The data product, in a sentence.", REGISTRY)
    intended_use: str = _text(ABOUT, "What it is for", "Decisions or research that it is meant for.", REGISTRY, LABEL)
    region: str = _text(ABOUT, "Region", "Which region the data describe, or whose law applies.", REGISTRY)
    period: str = _text(ABOUT, "Period of the data", "From when to when the data were collected.", NIST, LABEL)
    renewal: str = _text(ABOUT, "When the budget starts anew",
        "After how long, what happens when it is spent, and how much may ever be spent on the same people.",
        REGISTRY, LABEL)
    trust: str = _text(TRUST, "Who sees the data without noise",
        "Who holds the exact data, and who sees exact results: one office, each person alone, or a server in between.",
        NIST, REGISTRY)
    actors: str = _text(TRUST, "Who handles the data",
        "Everybody who handles or receives anything, and what is assumed of them.", REGISTRY)
    access: str = _text(TRUST, "Who may ask, and how the budget is shared",
        "A fixed publication, or queries: by whom, with which budget each, and whether they may put answers together.",
        NIST, REGISTRY)
    security: str = _text(TRUST, "Security of the exact data", "Who may read them, where they are kept, and when they "
        "are deleted.", NIST, REGISTRY)
    contributions: str = _text(DATA, "What one unit contributes at most",
        "How many records, or how much, to each release, and who enforces it.", NIST, REGISTRY)
    size_public: str = _text(DATA, "Whether the number of units is public",
        "How many units are in the data: hidden, too, where the promise is for one added or removed.", NIST)
    unprotected: str = _text(DATA, "Numbers published without noise",
        "Exact numbers beside the noisy ones, such as totals or lists of places; or “none”.", NIST, REGISTRY)
    other_releases: str = _text(DATA, "Other releases of the same data", "Without noise, or outside of this plan.",
        NIST)
    preparation: str = _text(MADE, "Preparation and tuning",
        "How the data were cleaned and parameters chosen, and what privacy that cost.", NIST, REGISTRY)
    implementation: str = _text(MADE, "Software", "Library and version, where it runs, noise on whole or real numbers.",
        NIST, REGISTRY)
    side_channels: str = _text(MADE, "Guards against attacks on rounding and timing",
        "What was done against attacks on rounding, on random numbers and on running time.", NIST, REGISTRY)
    post_processing: str = _text(MADE, "What is done to noisy numbers",
        "Such as setting negative counts to 0, and which bias it brings.", NIST, REGISTRY)
    justification: str = _text(WHY, "Why these parameters", "How unit, budget and noise were chosen, and by whom.",
        REGISTRY)
    sources: str = _text(WHY, "Sources", "Where it is documented: papers, code, earlier statements.", REGISTRY)
    # fmt: on

    def __post_init__(self) -> None:
        for name in NAMES:
            object.__setattr__(self, name, checked_stated(name, getattr(self, name)))

    @classmethod
    def of(cls, texts: Mapping[str, object]) -> Disclosure:
        """Return a disclosure of texts by the names of their fields.

        Raises
        ------
        ValueError
            When a name is unknown or a text not allowed.

        Examples
        --------
        >>> Disclosure.of({"owner": "Unit 4"}).owner
        'Unit 4'
        """
        for name in texts:
            checked_choice(name, NAMES, "disclosure")
        return cls(**texts)

    @property
    def stated(self) -> dict[str, str]:
        """What is stated, by field, in the order of the table.

        Examples
        --------
        >>> Disclosure().stated
        {}
        """
        return {name: text for name in NAMES if (text := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class Stated:
    """A field of `Disclosure`: a text that a statement should hold and no computation knows.

    Parameters
    ----------
    name : str
        In files and in code.
    group : str
        The heading that it stands under.
    label, help : str
        For people: what it is, and what belongs there.
    asked : tuple of str
        Who asks for it.
    """

    name: str
    group: str
    label: str
    help: str
    asked: tuple[str, ...]


DISCLOSED = tuple(Stated(each.name, **each.metadata) for each in fields(Disclosure))
NAMES = tuple(each.name for each in DISCLOSED)
