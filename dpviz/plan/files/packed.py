"""The text of a link: a plan or document deflated, checked and coded; it knows neither, only their text.

A token is the version of its format, a dot, and in URL-safe base64 without padding: a checksum, then the deflated text.
"""

from __future__ import annotations

import base64
import binascii
import re
import reprlib
import zlib

from dpviz.plan.problems import Problem

PLAN, DOCUMENT = 1, 2  # the versions of the format
LONGEST_TOKEN = 7_500  # common servers and proxies refuse a request line beyond 8 kB
LONGEST_TEXT = 500_000  # bytes a token may unfold to: 500 releases with the longest names take 400,000
MOST_RELEASES = 500  # noise for 500 different (ε, δ) is calibrated in a fraction of a second
_TOKEN = re.compile(r"(\d{1,9})\.([A-Za-z0-9_-]*)", re.ASCII)
# What plans have in common; the commonest last, where a reference to it is shortest. Part of the format.
_WORDS = (
    '": "'.join(
        ["without_replacement", "poisson", "replace_one", "name_and_shame", "approximate_dp", "lecture11", "monthly"]
    )
    + "household user-month user-day device patient North South East West number of visitors per day and region Total "
    "Average Mean Median Count of Sum Histogram distribution by age group survey Daily Weekly Monthly report "
    + ', "scheme": "poisson", "rate": 0.01, "calibration": "classical", "mechanism": "randomized_response", "epsilon": '
    '{\n  "dpviz_plan": 2,\n  "budget": {"epsilon": null, "delta": 1e-06},\n  "budget": {"epsilon": 1.0, '
    '"delta": 1e-06},\n  "unit": "person",\n  "relation": "add_remove",\n  "relation": null,\n  "population": null,\n'
    '  "adaptive": true,\n  "adaptive": false,\n  "releases": [\n    {"name": "'
    '", "mechanism": "approximate_dp", "epsilon": ", "mechanism": "gaussian", "sigma": '
    '", "mechanism": "gaussian", "epsilon": 0.5, "delta": 1e-09, "sensitivity": 1.0, "calibration": "analytic", '
    '"count": 1, "part": "'
    '", "done": true, "typical": 1000.0, "weight": 2.0, "start": "2025-", "start": "2026-01-01", "cadence": "once", '
    '"cadence": "weekly", "cadence": "monthly", "cadence": "daily", "end": "2026-12-31", "weight": 1.5, "typical": 100'
    '.0, "done": true},\n    {"name": "'
    '", "mechanism": "laplace", "scale": 10.0, "sensitivity": 1.0, "count": 1, "part": null, "start": "2026-0'
    '"},\n    {"name": "'
    '", "mechanism": "laplace", "epsilon": 0.1, "sensitivity": 1.0, "count": 1, "part": null}\n  ]\n}\n'
    '", "mechanism": "laplace", "epsilon": 0.1, "sensitivity": 1.0, "count": 1, "part": null},\n    {"name": "'
).encode()


class PermalinkError(ValueError):
    """A link cannot be made or opened; its message is one sentence for the reader.

    Parameters
    ----------
    message : str
    problem : Problem, optional
        What is wrong with the plan that it holds, first of all; it stands in brackets in the message.
    """

    def __init__(self, message: str, problem: Problem | None = None) -> None:
        super().__init__(message)
        self.problem = problem


def token_of(text: str, version: int, releases: int) -> str:
    """Return the token of a text with so many releases in its longest plan.

    Raises
    ------
    PermalinkError
        When it is too large for a link.

    Examples
    --------
    >>> text_of(token_of("{}", PLAN, 0))
    (1, '{}')
    """
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=_WORDS)
    packed = deflater.compress(text.encode()) + deflater.flush()
    coded = base64.urlsafe_b64encode(_checksum(packed, version) + packed).rstrip(b"=").decode("ascii")
    result = f"{version}.{coded}"
    if releases > MOST_RELEASES:
        fault = f"{releases:,} releases, at most {MOST_RELEASES}"
    elif max(len(result) - LONGEST_TOKEN, len(text.encode()) - LONGEST_TEXT) > 0:
        fault = f"{len(result):,} characters, at most {LONGEST_TOKEN:,}"
    else:
        return result
    raise PermalinkError(f"The plan is too large for a link ({fault}): save it as a file.")


def text_of(token: str) -> tuple[int, str]:
    """Return the version of a token and the text that it holds.

    Raises
    ------
    PermalinkError
        With one sentence that tells a damaged token from one of a newer dpviz, and an oversized one.

    Examples
    --------
    >>> text_of("1.AAAA")
    Traceback (most recent call last):
        ...
    dpviz.plan.files.packed.PermalinkError: The link is damaged, cut or mistyped: copy it again, or open ...
    """
    version, packed = _packed(token)
    return version, _unfolded(packed)


def no_plan(why: str, problem: Problem | None = None) -> PermalinkError:
    """Return what is said of a link that holds no plan.

    Examples
    --------
    >>> print(no_plan("it is cut"))
    The link holds no plan that can be opened (it is cut).
    """
    return PermalinkError(f"The link holds no plan that can be opened ({why}).", problem)


def _checksum(packed: bytes, version: int) -> bytes:
    return zlib.crc32(packed, version).to_bytes(4, "big")


def _packed(text: object) -> tuple[int, bytes]:
    """The version and the deflated bytes of a token whose form, version, length and checksum are right."""
    damaged = PermalinkError("The link is damaged, cut or mistyped: copy it again, or open the plan as a file.")
    if not isinstance(text, str):
        raise PermalinkError(f"The link must be text; got {reprlib.repr(text)}.")
    if len(text) > LONGEST_TOKEN:
        raise PermalinkError(
            f"The link is too long ({len(text):,} characters, at most {LONGEST_TOKEN:,}): open the plan as a file."
        )
    parts = _TOKEN.fullmatch(text.strip())
    if not parts:
        raise damaged
    version = int(parts[1])
    if version > DOCUMENT:
        raise PermalinkError(f"The link was made by a newer dpviz (version {version}; this one opens {DOCUMENT}).")
    try:
        content = base64.b64decode(parts[2] + "=" * (-len(parts[2]) % 4), b"-_", validate=True)
    except binascii.Error:
        raise damaged from None
    if version < PLAN or content[:4] != _checksum(content[4:], version):
        raise damaged
    return version, content[4:]


def _unfolded(packed: bytes) -> str:
    inflater = zlib.decompressobj(-15, zdict=_WORDS)
    try:
        content = inflater.decompress(packed, LONGEST_TEXT + 1)
    except zlib.error:
        raise no_plan("it does not unfold") from None
    if len(content) > LONGEST_TEXT:
        raise PermalinkError(f"The link unfolds to more than {LONGEST_TEXT:,} bytes: open the plan as a file.")
    if not inflater.eof:
        raise no_plan("it ends too early")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise no_plan("it is not UTF-8 text") from None
