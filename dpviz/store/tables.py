"""The tables of the database, as the newest migration leaves them; `dpviz/store/migrations` has how they came to be."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text
from sqlalchemy import UniqueConstraint as Unique

metadata: MetaData = MetaData()
INSERT_ONLY = ("versions", "entries", "charges", "budgets")  # no row is ever changed or removed

projects: Table = Table(
    "projects",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("at", BigInteger, nullable=False),
    Column("by", String(320), nullable=False),
)
members: Table = Table(
    "members",
    metadata,
    Column("project", String(16), ForeignKey("projects.id"), primary_key=True),
    Column("person", String(320), primary_key=True),
    Column("role", String(16), nullable=False),
)
plans: Table = Table(
    "plans",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("owner", String(320), nullable=False, index=True),
    Column("project", String(16), ForeignKey("projects.id"), index=True),
    Column("name", String(80), nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("newest", Integer, nullable=False),  # number of its newest version
    Column("at", BigInteger, nullable=False),  # of that version
)
versions: Table = Table(
    "versions",
    metadata,
    Column("plan", String(16), ForeignKey("plans.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("author", String(320), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("name", String(80), nullable=False),
    Column("document", Text, nullable=False),
)
drafts: Table = Table(
    "drafts",
    metadata,
    Column("person", String(320), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("document", Text, nullable=False),
)
# No foreign key leads to a table that only takes inserts: PostgreSQL would want the right to update it.
entries: Table = Table(
    "entries",
    metadata,
    Column("project", String(16), ForeignKey("projects.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("by", String(320), nullable=False),
    Column("reference", String(80), nullable=False),
    Column("note", Text, nullable=False),
    Column("of", Integer),  # the entry that a line, a refund or what is given back belongs to
    Column("version", Integer),  # of a line that ran, or did not: the entry that took its version into force,
    Column("line", Integer),  # its row there,
    Column("uses", BigInteger),  # and how often; below 0 where it is taken back
    Column("told", Text, nullable=False),
    Column("former", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Unique("project", "reference", name="one_entry_per_reference"),
    Index("entries_by_what_they_belong_to", "project", "of", "kind"),
    Index("entries_by_kind", "project", "kind"),
    Index("entries_by_line", "project", "version", "line", "uses"),
    Index("entries_by_last_of_line", "project", "version", "line", "number"),
)
budgets: Table = Table(
    "budgets",
    metadata,
    Column("project", String(16), ForeignKey("projects.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    *(Column(name, String(80), nullable=False) for name in ("data", "unit", "epoch", "purpose", "holder", "term")),
    Unique("project", "data", "unit", "epoch", "purpose", "holder", "term", name="one_budget_per_key_and_term"),
)
charges: Table = Table(
    "charges",
    metadata,
    Column("project", String(16), ForeignKey("projects.id"), primary_key=True),
    Column("budget", Integer, primary_key=True, autoincrement=False),
    Column("entry", Integer, primary_key=True, autoincrement=False),
    Column("epsilon", BigInteger, nullable=False),
    Column("unbounded", BigInteger, nullable=False),
    Column("own", BigInteger, nullable=False),
    Column("delta", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("until", BigInteger),
    Column("total_epsilon", BigInteger, nullable=False),
    Column("total_unbounded", BigInteger, nullable=False),
    Column("total_own", BigInteger, nullable=False),
    Column("total_delta", Text, nullable=False),
    Index("charges_by_end", "project", "budget", "until"),
    Index("charges_by_entry", "project", "entry"),
)
