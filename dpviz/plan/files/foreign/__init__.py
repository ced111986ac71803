"""Files that other programs write about releases, read as plans: by parsers alone, nothing in them is ever run."""

from dpviz.plan.files.foreign.opened import Opened
from dpviz.plan.files.foreign.reading import opened

__all__ = ["Opened", "opened"]
