"""The statement of a plan: HTML that opens offline and prints, Markdown, JSON, and an entry for a public registry."""

from dpviz.report.forms import FORMS, written_as
from dpviz.report.page import as_json, html, markdown
from dpviz.report.registry import Entry, registry_entry, registry_yaml
from dpviz.report.subject import Subject

__all__ = [
    "FORMS", "Entry", "Subject", "as_json", "html", "markdown", "registry_entry", "registry_yaml", "written_as",
]  # fmt: skip
