"""JSON Schemas of what dpviz reads and writes: how each is named, versioned and put together.

A version is raised where what a key means changes, or a key goes; a key that comes changes none. So the schemas of
answers allow keys that they do not know, and readers do well to do so, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import dpviz

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = Mapping[str, object]
TEXT, NUMBER, WHOLE, TRUTH = ({"type": each} for each in ("string", "number", "integer", "boolean"))
SAID, MEASURED, COUNTED, DECIDED = ({"type": [each["type"], "null"]} for each in (TEXT, NUMBER, WHOLE, TRUTH))
"""The same, or null: nobody stated it, there is none, or a number is infinite."""


def published(key: str, version: int, title: str, schema: Schema) -> dict[str, object]:
    """Return a schema with its dialect, title and name; the name is a URN, which nothing is fetched from.

    Examples
    --------
    >>> published("plan", 5, "A plan", {"type": "object"})["$id"]
    'urn:dpviz:schema:plan:5'
    """
    return {"$schema": DIALECT, "$id": f"urn:dpviz:schema:{key}:{version}", "title": title, **schema}


def described(schema: Schema, about: str) -> dict[str, object]:
    """Return a schema with a sentence on what it is."""
    return {**schema, "description": about}


def record(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> dict[str, object]:
    """Return the schema of an object with these keys, of which the optional ones may be missing.

    Examples
    --------
    >>> record({"epsilon": NUMBER}, {"reason": TEXT})["required"]
    ['epsilon']
    """
    return {"type": "object", "required": list(properties), "properties": {**properties, **(optional or {})}}


def listed(item: Schema) -> dict[str, object]:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def nullable(schema: Schema) -> dict[str, object]:
    """Return the schema of what may be null, too."""
    return {"anyOf": [schema, {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class Answered:
    """A kind of JSON that dpviz writes: an object that names its version, and that of dpviz.

    Parameters
    ----------
    key : str
        Its name; the first key of every such object is ``dpviz_`` and this, and holds the version of the format.
    version : int
    title : str
    properties : mapping
        The schema of each key.
    optional : mapping
        Likewise, of keys that may be missing.
    definitions : mapping
        Schemas with names of their own, which those refer to.

    Examples
    --------
    >>> total = Answered("total", 1, "A total", {"epsilon": NUMBER})
    >>> total.document({"epsilon": 0.5})["dpviz_total"], total.schema()["$id"]
    (1, 'urn:dpviz:schema:total:1')
    """

    key: str
    version: int
    title: str
    properties: Mapping[str, Schema]
    optional: Mapping[str, Schema] | None = None
    definitions: Mapping[str, Schema] | None = None

    def document(self, told: Mapping[str, object]) -> dict[str, object]:
        """Return an answer with the versions of its format and of dpviz before it."""
        return {f"dpviz_{self.key}": self.version, "dpviz": dpviz.__version__, **told}

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema (draft 2020-12) of such answers."""
        versions = {
            f"dpviz_{self.key}": {"type": "integer", "const": self.version, "description": "version of the format"},
            "dpviz": described(TEXT, "version of dpviz"),
        }
        inner = {"$defs": dict(self.definitions)} if self.definitions else {}
        whole = record({**versions, **self.properties}, self.optional)
        return published(self.key, self.version, self.title, {**whole, **inner})
