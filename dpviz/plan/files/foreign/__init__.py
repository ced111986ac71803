"""Files that other programs write about releases, read as plans: by parsers alone, nothing in them is ever run."""

from dpviz.plan.files.foreign.opened import Opened
from dpviz.plan.files.foreign.reading import ENDINGS, ending_of, opened, opened_foreign

__all__ = ["ENDINGS", "Opened", "ending_of", "opened", "opened_foreign"]
