"""What a report is about: the plan, and what else is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from dpviz.plan import Day, Plan

NEAR = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # names of the reader's own machine


@dataclass(frozen=True, slots=True)
class Subject:
    """What one report is about; `dpviz.report.facts.facts` says what follows from it, once for people and machines.

    Parameters
    ----------
    plan : Plan
    baseline : Plan, optional
        Another plan that this one is compared with, as A with B.
    address : str
        Where the dashboard opens this plan, if known; printed, and a link where it is an http address.
    left_out : tuple
        What stood in its table and is no release of it, such as a row that does not make sense yet.
    certify : bool
        Whether the tight total is enclosed by ball arithmetic, too, and the enclosure printed beneath the theorems.
    name, author : str
        Of the plan, and of who answers for it; "" where there is none.
    on : date, optional
        The day on which the report is made; None leaves it out, so that the same plan gives the same report.
    people : bool
        Whether the page is for who reads neither symbols nor theorems: one page in words. The JSON is the same.
    unanswered : tuple of str
        Questions that are still open where the plan is worked on, of which an answer may make the total another one.

    Examples
    --------
    >>> Subject(Plan([]), name="Year 2026").name
    'Year 2026'
    """

    plan: Plan
    baseline: Plan | None = None
    address: str = ""
    left_out: tuple[object, ...] = ()
    certify: bool = False
    name: str = ""
    author: str = ""
    on: Day | None = None
    people: bool = False
    unanswered: tuple[str, ...] = ()


def opens_here_only(address: str) -> bool:
    """Say whether an address leads to whoever reads it, and not to who made a report or a link.

    Examples
    --------
    >>> opens_here_only("http://localhost:8501/?plan=x"), opens_here_only("https://plans.example/"), opens_here_only("")
    (True, False, False)
    """
    return address.startswith(("http://", "https://")) and (urlsplit(address).hostname or "") in NEAR
