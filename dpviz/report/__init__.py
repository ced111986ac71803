"""The report of a plan: one page that opens offline and prints, or the same facts as JSON."""

from dpviz.report.page import as_json, html
from dpviz.report.subject import Subject

__all__ = ["Subject", "as_json", "html"]
