"""In which forms a statement leaves the house, by the ending of its file: for the command line and the dashboard."""

from __future__ import annotations

from collections.abc import Callable

from dpviz.plan import Plan
from dpviz.report.page import as_json, html, markdown
from dpviz.report.registry import registry_yaml
from dpviz.report.subject import Subject

FORMS: dict[str, Callable[[Subject | Plan], str]] = {
    ".html": html, ".md": markdown, ".json": as_json, ".yaml": registry_yaml,
}  # fmt: skip
_OTHERS = {".htm": ".html", ".yml": ".yaml", ".markdown": ".md"}


def written_as(ending: str) -> Callable[[Subject | Plan], str]:
    """Return what writes the form of this ending.

    Raises
    ------
    ValueError
        When there is none.

    Examples
    --------
    >>> written_as(".md") is markdown, written_as(".YML") is registry_yaml
    (True, True)
    """
    wanted = _OTHERS.get(ending.lower(), ending.lower())
    if wanted not in FORMS:
        raise ValueError(f"output must end in one of {', '.join(FORMS)}; got {ending!r}")
    return FORMS[wanted]
