"""Units of privacy in words: what one of them is, of how many kinds that may be, and whom a period is one of."""

from __future__ import annotations

import re
from typing import Literal

from dpviz.plan.periods import PERIOD_WORDS, period

Kind = Literal["person", "group", "thing", "event"]
KINDS: dict[str, str] = {
    "person": "one person, with all of their records",
    "group": "several people together, as in a household",
    "thing": "a thing such as a device or an account, of which one person may have several",
    "event": "one record, which is there or not as a whole",
}
# Every word once, in the singular, and what it may mean: all that it may mean counts.
_WORDS: dict[tuple[Kind, ...], str] = {
    ("person",): "person individual user human subject participant respondent patient student pupil child adult "
    "employee worker citizen resident inhabitant member voter donor pensioner applicant driver teacher pedestrian "
    "cyclist commuter parent rider passenger traveller traveler tourist guest learner borrower swimmer hiker tenant "
    "athlete musician farmer nurse doctor volunteer carer caregiver jobseeker "
    "prisoner refugee migrant veteran retiree trainee apprentice mother father woman girl boy baby infant newborn "
    "runner skier gamer dancer singer actor artist lecturer scholar researcher soldier officer victim",
    # A device, a company, a household or a number may be one, too.
    ("person", "thing"): "client customer subscriber visitor caller listener viewer player reader "
    "buyer shopper seller contributor author writer",
    ("group",): "household family couple",
    ("thing",): "device phone account browser vehicle car card cookie installation business establishment company "
    "firm organisation organization school hospital silo",
    ("event",): "event record row entry observation measurement transaction trip ride visit click rating vote answer "
    "response",
}
_KINDS: dict[str, tuple[Kind, ...]] = {word: kinds for kinds, words in _WORDS.items() for word in words.split()}
_PLURALS = {"people": "person", "children": "child"}
_SAME = ("person", "user", "individual")  # by custom one and the same
_SAID = r"(?:(?:one|a|an|any|each|every|single|individual|natural|data|the|1)-)+(?=[a-z])"  # before a unit
# What makes of a period before or after it another one than is read.
_SHARE = re.compile(
    r"\d[.,/]\d|[\u00bc-\u00be\u2150-\u215e]|\b(half|halves|third|fifth|tenth|semi|demi|sub|part|fraction|minutes?|seconds?)\b"
    r"|\bquarters?-(of-)?(an?-|one-|the-)?(hour|day|night|week|month|year)",
    re.ASCII,
)


def spelled(unit: str) -> str:
    """Return a unit of privacy in one spelling: lower case, one dash between words, without "-level".

    Examples
    --------
    >>> spelled("User-day-level"), spelled("user  day")
    ('user-day', 'user-day')
    """
    dashed = re.sub(r"[\s_\-\u2010-\u2015]+", "-", unit.strip().casefold()).strip("-")
    return dashed.removesuffix("-level") or dashed


def singular(word: str) -> str:
    """Return a known word for a unit in the singular, without what stands before it; others as they are spelled.

    Examples
    --------
    >>> singular("Persons"), singular("each household"), singular("families"), singular("taxi rides")
    ('person', 'household', 'family', 'taxi-rides')
    """
    told = spelled(word)
    for each in (told, re.sub(f"^{_SAID}", "", told)):
        for one in (each, _PLURALS.get(each, ""), f"{each[:-3]}y" * each.endswith("ies"), each.removesuffix("s")):
            if one in _KINDS:
                return one
    return told


def kinds(unit: str) -> tuple[Kind, ...]:
    """Return all that one unit of privacy, or one period of it, may be: every kind where its words are not known.

    A period alone, such as a day, may be one of a person or of everybody, and counts as not known.

    Examples
    --------
    >>> kinds("users"), kinds("household-quarter"), kinds("trip"), kinds("user-item")
    (('person',), ('group',), ('event',), ('person', 'group', 'thing', 'event'))
    """
    return _KINDS.get(singular(_of_whom(unit)), tuple(KINDS))


def is_unit(words: str) -> bool:
    """Say whether words name a unit of privacy, without a period.

    Examples
    --------
    >>> [is_unit(words) for words in ("each user", "unit", "device", "day", "table")]
    [True, True, True, False, False]
    """
    return singular(words) in (*_KINDS, "unit", "unit-of-privacy")


def whose(unit: str) -> str:
    """Return whom a unit of privacy is a period of: "household" for a household-quarter, "person" where none is named.

    Examples
    --------
    >>> whose("user-day"), whose("household-quarter"), whose("device and 2 weeks"), whose("day"), whose("people")
    ('user', 'household', 'device', 'person', 'person')
    """
    rest = _of_whom(unit)
    one = singular(rest) if rest else "person"
    return one if one in _SAME else rest


def counted(unit: str | None) -> str:
    """Return what is counted in the data, in the plural: households for a household-year, else people.

    Examples
    --------
    >>> counted("household-year"), counted("family"), counted("person-day"), counted(None)
    ('households', 'families', 'people', 'people')
    """
    one = singular(_of_whom(unit or ""))
    return f"{one}s".replace("ys", "ies") if _KINDS.get(one) == ("group",) else "people"


def unreadable(unit: str) -> bool:
    """Say whether a unit names a share of a period, of which more fit into a day than its words seem to say.

    Examples
    --------
    >>> unreadable("user-half-day"), unreadable("1.5 weeks of a user"), unreadable("user-quarter")
    (True, True, False)
    """
    return bool(_SHARE.search(spelled(unit)))


def _of_whom(unit: str) -> str:
    """A unit without its period."""
    if period(unit) is None:
        return unit.strip(" -_")
    rest = PERIOD_WORDS.sub("", re.sub(r"(?i)[\s_-]+level\s*$", "", unit)).strip(" -_")
    return re.sub(r"(?i)(?:^|[\s_-]+)(and|per|each|every|in|a|one|of)$", "", rest).strip(" -_")
