"""What commands end with and say: the exit status, and lines, tables and costs that any terminal can show."""

from __future__ import annotations

import math
import os
import sys
import unicodedata
from contextlib import suppress
from typing import TextIO

from dpviz.rounding import shown_total

WITHIN, OVER, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
_PLAIN = str.maketrans(
    {
        "ε": "epsilon",
        "δ": "delta",
        "ρ": "rho",
        "σ": "sigma",
        "Σ": "sum of ",
        "·": "*",
        "×": "x",
        "−": "-",
        "½": "1/2 ",
        "²": "^2",
        "⁻": "^-",
        "√": "sqrt ",
        "“": '"',
        "”": '"',
    }
)


def cost(value: float, limit: float = math.inf) -> str:
    """Return a cost as dashboard and reports write it: rounded up, with the digits that tell it from a limit.

    Examples
    --------
    >>> cost(0.12345612), cost(1.999996, 2.0)
    ('0.1235', '1.999996')
    """
    return shown_total(value, limit)


def counted(count: int, what: str) -> str:
    """Return so many of something.

    Examples
    --------
    >>> counted(1, "release"), counted(2000, "use")
    ('1 release', '2,000 uses')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table: all but the first and the last column to the right."""
    shown = [[_encodable(cell, sys.stdout) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:-1], strict=True)), row[-1]]
        ).rstrip()
        for row in shown
    ]


def say(text: str, file: TextIO | None) -> bool:
    """Write lines in letters that the terminal has; say whether that went well. A closed stream is told nothing."""
    if file is None:
        return True
    try:
        file.write(_encodable(text, file) + "\n")
        file.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # what is still kept back must not fail again when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
        if isinstance(error, BrokenPipeError):  # a reader who has seen enough, such as head
            return True
        if file is not sys.stderr:
            say(f"dpviz: output must go where it can be written ({error.strerror})", sys.stderr)
        return False
    return True


def _encodable(text: str, file: TextIO | None) -> str:
    encoding = getattr(file, "encoding", None) or "utf-8"
    shown = "".join(each if each.isprintable() or each == "\n" else "?" for each in text)
    try:
        shown.encode(encoding)
    except UnicodeEncodeError:
        plain = unicodedata.normalize("NFKD", shown.translate(_PLAIN))
        plain = "".join(each for each in plain if not unicodedata.combining(each))
        return plain.encode(encoding, "replace").decode(encoding)
    return shown
