"""Schema 0002: the last entry of a line is found at once, however often it ran."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the index."""
    op.create_index("entries_by_last_of_line", "entries", ["project", "version", "line", "number"])
