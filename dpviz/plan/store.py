"""Where documents are kept: the one contract of every place that keeps them."""

from __future__ import annotations

from typing import Protocol

from dpviz.plan.document import Document


class NotKept(ValueError):
    """No document is kept under that name, or not any more."""


class Store(Protocol):
    """A place that keeps documents: the memory of a session, the address of a page, a database.

    An implementation owes:

    - **Versions.** What is saved is kept whole and never changed: `save` of a changed document adds to `list`, or takes
      the place of what the name stood for, but a name that was given before opens the document that it was given for,
      or is refused. It never opens another one. What a former version of dpviz saved opens as long as it is kept.
    - **Refusals.** `open` and `save` answer for the whole document or raise a `ValueError` of one sentence: `NotKept`
      where there is nothing of that name, another where it cannot be read or has no room. There is no half of a
      document. What is refused leaves all that is kept as it was.
    - **Who sees.** `sees` tells it to the person who is about to save, names of releases included. Where documents of
      several people are kept, `list` names only those that whoever asks may open.

    Whether the plans of a document may be quoted as they are is not asked here: whoever opens one decides that.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> class Drawer:
    ...     sees = "Whoever opens the drawer."
    ...     def __init__(self):
    ...         self.kept = {}
    ...     def open(self, name):
    ...         if name not in self.kept:
    ...             raise NotKept(f"name must be one of those that are kept; got {name!r}")
    ...         return self.kept[name]
    ...     def save(self, document):
    ...         self.kept[f"{len(self.kept)}"] = document
    ...         return f"{len(self.kept) - 1}"
    ...     def list(self):
    ...         return tuple(self.kept)
    >>> drawer: Store = Drawer()
    >>> drawer.open(drawer.save(Document(Plan([]), "Census"))).name, drawer.list()
    ('Census', ('0',))
    """

    sees: str  # who may read what is kept, in one sentence

    def open(self, name: str) -> Document:
        """Return the document of this name."""
        ...

    def save(self, document: Document) -> str:
        """Keep a document, and return the name that opens it."""
        ...

    def list(self) -> tuple[str, ...]:
        """Return the names that open something, in the order in which it was saved."""
        ...
