"""Schema 0001: plans with versions and drafts, projects with members, and the ledger, which only takes inserts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

INSERT_ONLY = ("versions", "entries", "charges", "budgets")
# Constants, one per table: no statement is put together from text that somebody typed.
FORBIDDEN = {
    f"{table}_{deed}": f"CREATE TRIGGER {table}_{deed} BEFORE {deed} ON {table} BEGIN "
    f"SELECT RAISE(ABORT, 'rows of {table} are never changed'); END"
    for table in INSERT_ONLY
    for deed in ("UPDATE", "DELETE")
}
REVOKED = tuple(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM PUBLIC, CURRENT_USER" for table in INSERT_ONLY)


def upgrade() -> None:
    """Make all tables."""
    _people()
    _plans()
    _ledger()
    dialect = op.get_bind().dialect.name
    for statement in FORBIDDEN.values() if dialect == "sqlite" else REVOKED:
        op.execute(statement)


def _people() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by", sa.String(320), nullable=False),
    )
    op.create_table(
        "members",
        sa.Column("project", sa.String(16), sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("person", sa.String(320), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
    )
    op.create_table(
        "drafts",
        sa.Column("person", sa.String(320), primary_key=True),
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )


def _plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("owner", sa.String(320), nullable=False, index=True),
        sa.Column("project", sa.String(16), sa.ForeignKey("projects.id"), index=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("archived", sa.Boolean, nullable=False),
        sa.Column("newest", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "versions",
        sa.Column("plan", sa.String(16), sa.ForeignKey("plans.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("author", sa.String(320), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )


def _ledger() -> None:
    key = ("data", "unit", "epoch", "purpose", "holder", "term")
    op.create_table(
        "entries",
        _project(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by", sa.String(320), nullable=False),
        sa.Column("reference", sa.String(80), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("of", sa.Integer),
        sa.Column("version", sa.Integer),
        sa.Column("line", sa.Integer),
        sa.Column("uses", sa.BigInteger),
        sa.Column("told", sa.Text, nullable=False),
        sa.Column("former", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.UniqueConstraint("project", "reference", name="one_entry_per_reference"),
    )
    op.create_index("entries_by_what_they_belong_to", "entries", ["project", "of", "kind"])
    op.create_index("entries_by_kind", "entries", ["project", "kind"])
    op.create_index("entries_by_line", "entries", ["project", "version", "line", "uses"])
    op.create_table(
        "budgets",
        _project(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.String(80), nullable=False) for name in key),
        sa.UniqueConstraint("project", *key, name="one_budget_per_key_and_term"),
    )
    _charges()


def _project() -> sa.Column:
    return sa.Column("project", sa.String(16), sa.ForeignKey("projects.id"), primary_key=True)


def _charges() -> None:
    amounts = ("epsilon", "unbounded", "own"), ("total_epsilon", "total_unbounded", "total_own")
    op.create_table(
        "charges",
        _project(),
        sa.Column("budget", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("entry", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in amounts[0]),
        sa.Column("delta", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in amounts[1]),
        sa.Column("total_delta", sa.Text, nullable=False),
    )
    op.create_index("charges_by_end", "charges", ["project", "budget", "until"])
    op.create_index("charges_by_entry", "charges", ["project", "entry"])
