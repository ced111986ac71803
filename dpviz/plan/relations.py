"""The neighbour relations: what happens to the one unit in which neighbouring data differ."""

from __future__ import annotations

# In the passive and in the active voice.
RELATIONS = {"add_remove": "added or removed", "replace_one": "replaced by another"}
CHANGES = {"add_remove": "adding or removing one {}", "replace_one": "replacing one {} by another"}
