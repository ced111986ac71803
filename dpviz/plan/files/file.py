"""Plan files: a path or an upload, CSV or JSON, never half-read."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from dpviz.plan.fields import MAXIMUM_ROWS
from dpviz.plan.problems import PlanFileError, Problem

MAXIMUM_BYTES = 5_000_000


def contents(path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> tuple[str, bool]:
    """Return the text of a plan file, and whether it is JSON: by the extension, else by the content.

    Parameters
    ----------
    path_or_file : path, text file or binary file
        At most 5 MB and 100,000 rows, in UTF-8. A file is read from where it stands, and left open.

    Raises
    ------
    PlanFileError
        When it cannot be read, is too large or is no text.

    Examples
    --------
    >>> import io
    >>> contents(io.BytesIO(b"name,mechanism,epsilon"))
    ('name,mechanism,epsilon', False)
    """
    if isinstance(path_or_file, str | os.PathLike):
        name = os.fspath(path_or_file)
        content = _path_content(name)
    elif hasattr(path_or_file, "read"):
        name = getattr(path_or_file, "name", "")
        content = _content(path_or_file, str(name))
    else:
        raise ValueError(f"path_or_file must be a path or an open file; got {reprlib.repr(path_or_file)}")
    text = decoded(content).removeprefix("\ufeff")
    return text, _holds_json(str(name), text)


def write(path: str | os.PathLike[str], made: Mapping[str, Callable[[], str]]) -> None:
    """Write what belongs to the ending of a path; `made` has what makes the text for each ending.

    Raises
    ------
    ValueError
        When the ending is none of them.
    OSError
        When the file cannot be written.

    Examples
    --------
    >>> write("plan", {".json": str})
    Traceback (most recent call last):
        ...
    ValueError: path must end in .json; got 'plan'
    """
    ending = Path(path).suffix.lower()
    if ending not in made:
        raise ValueError(f"path must end in {' or '.join(made)}; got {os.fspath(path)!r}")
    Path(path).write_text(made[ending](), encoding="utf-8", newline="")


def _path_content(path: str) -> str | bytes:
    try:
        with Path(path).open("rb") as file:
            return _content(file, path)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        if isinstance(error, PlanFileError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise PlanFileError([Problem(None, "file", path, f"must be a file that can be read ({reason})")]) from None


def _content(file: IO[bytes] | IO[str], name: str) -> str | bytes:
    try:
        content = file.read(MAXIMUM_BYTES + 1)
    except UnicodeDecodeError as error:
        raise PlanFileError([Problem(None, "file", name, f"must be UTF-8 text ({error.reason})")]) from None
    if len(content) > MAXIMUM_BYTES:
        limits = f"must be at most {MAXIMUM_BYTES // 10**6} MB and {MAXIMUM_ROWS:,} rows"
        raise PlanFileError([Problem(None, "file", name, limits)])
    return content


def decoded(content: str | bytes) -> str:
    """Return what an upload or a file holds as text."""
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        value = content[error.start : error.start + 10].decode("latin-1")
        raise PlanFileError(
            [Problem(line, "text", value, "must be UTF-8 text; spreadsheets save it as CSV UTF-8")]
        ) from None


def _holds_json(name: str, text: str) -> bool:
    extension = Path(name).suffix.lower()
    return extension == ".json" or (extension != ".csv" and text.lstrip()[:1] in ("{", "["))
