"""What commands end with and say: the exit status, and lines, tables and costs that any terminal can show."""

from __future__ import annotations

import math
import os
import sys
import unicodedata
from contextlib import suppress
from typing import IO, TextIO

from dpviz.rounding import shown_total

WITHIN, OVER, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
RED, GREEN = 31, 32
COLOURS = {WITHIN: GREEN, OVER: RED, UNUSABLE: RED}
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


def finite(value: object) -> object:
    """Return a value as strict JSON holds it: null for infinity, and for what is no number.

    Examples
    --------
    >>> finite(math.inf), finite(0.5), finite("pld")
    (None, 0.5, 'pld')
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


def cost(value: float, limit: float = math.inf) -> str:
    """Return a cost as dashboard and reports write it: rounded up, but never beyond a limit that it keeps.

    Examples
    --------
    >>> cost(0.12345612), cost(1.999996, 2.0)
    ('0.1235', '2')
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


def coloured(file: TextIO | None) -> bool:
    """Whether a stream shows colours: a terminal that is not dumb, and nobody set NO_COLOR (https://no-color.org).

    Examples
    --------
    >>> import io
    >>> coloured(io.StringIO()), coloured(None)
    (False, False)
    """
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and os.name == "posix"
    return wanted and file is not None and not file.closed and file.isatty()


def _painted(text: str, colour: int, file: TextIO | None) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if text and coloured(file) else text


def say(text: str, file: TextIO | None, colour: int | None = None) -> bool:
    """Write lines in letters that the terminal has, the last one in a colour where it has those; as `put` answers."""
    before, line, last = _encodable(text, file).rpartition("\n")
    return _out(f"{before}{line}{last if colour is None else _painted(last, colour, file)}\n", file)


def refuse(text: str) -> None:
    """Say on the error stream what is wrong."""
    name = _painted("dpviz:", RED, sys.stderr)
    _out(f"{name} {_encodable(text, sys.stderr)}\n", sys.stderr)


def put(text: str, file: TextIO | None) -> bool:
    """Write a file's text as it is, in UTF-8; say whether that went well. A closed stream is told nothing."""
    if file is not None and (raw := getattr(file, "buffer", None)):
        return _out(text.encode("utf-8"), raw)
    return _out(text, file)


def _out(written: str | bytes, file: IO | None) -> bool:
    if file is None:
        return True
    try:
        file.write(written)
        file.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # what is still kept back must not fail again when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())
        if isinstance(error, BrokenPipeError):  # a reader who has seen enough, such as head
            return True
        if file is not sys.stderr:
            refuse(f"output must go where it can be written ({error.strerror})")
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
