"""Plans and their versions in a database: each save is a new version, and nobody writes over somebody else's."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from dpviz.plan import Document
from dpviz.plan.document import LONGEST_NAME
from dpviz.plan.files import document_text
from dpviz.plan.store import NotKept
from dpviz.store.connection import Connection
from dpviz.store.in_force import InForce, in_force
from dpviz.store.people import ANALYST, LOCAL, STEWARD, VIEWER, Project, checked_person, found
from dpviz.store.tables import drafts, members, plans, projects, versions


@dataclass(frozen=True, slots=True)
class Version:
    """One saved state of a plan.

    Parameters
    ----------
    name : str
        What opens it: the plan's identifier and the version's number, as "3f2a9c0d1e5b7a64/2".
    number : int
        From 1.
    author : str
        Who saved it.
    at : int
        When, in microseconds since 1970.
    title : str
        What the plan was called.
    """

    name: str
    number: int
    author: str
    at: int
    title: str


@dataclass(frozen=True, slots=True)
class Saved:
    """A plan in the list, with its newest version.

    Parameters
    ----------
    plan : str
        Its identifier.
    title : str
    owner : str
    project : str
        Whose members see it; "" where only the owner does.
    newest : int
        Number of its newest version.
    at : int
        When that was saved, in microseconds since 1970.
    archived : bool
    author : str
        Who saved its newest version.
    """

    plan: str
    title: str
    owner: str
    project: str
    newest: int
    at: int
    archived: bool
    author: str

    @property
    def name(self) -> str:
        """What opens its newest version."""
        return f"{self.plan}/{self.newest}"


class SavedMeanwhile(ValueError):
    """Somebody saved another version meanwhile; both are here, and nothing is lost.

    Parameters
    ----------
    mine : Document
        What was to be saved.
    theirs : Document
        What was saved meanwhile.
    version : Version
        That of the latter.
    """

    def __init__(self, mine: Document, theirs: Document, version: Version) -> None:
        self.mine, self.theirs, self.version = mine, theirs, version
        super().__init__(
            f"the plan must be saved over its newest version; {version.author} saved version {version.number} meanwhile"
        )


class Plans:
    """The plans that one person may open: a `dpviz.plan.store.Store`. Others' are not found, whatever is asked.

    Parameters
    ----------
    connection : Connection
        Of a database, which makes this object.
    person : str
    """

    def __init__(self, connection: Connection, person: str = LOCAL) -> None:
        self._connection, self.person = connection, checked_person(person)
        self.sees = (
            "Whoever may read this computer's file." if self.person == LOCAL
            else "You, whoever runs the server, and the members of a project that you share it with."
        )  # fmt: skip

    def open(self, name: str) -> Document:
        """Return the version of this name; of a plan's identifier alone, its newest one.

        Raises
        ------
        NotKept
            When there is none that this person may open.
        """
        plan, _, number = str(name).partition("/")
        with self._connection.reading() as connection:
            row = self._plan(connection, plan, name)
            wanted = row.newest if not number else int(number) if number.isascii() and number.isdigit() else 0
            here = versions.c.plan == plan, versions.c.number == min(wanted, row.newest + 1)
            kept = connection.execute(sa.select(versions.c.document).where(*here)).first()
        if kept is None:
            raise NotKept(_sentence(name))
        return _document(kept.document, name)

    def save(self, document: Document, over: str | None = None) -> str:
        """Keep a document, and return the name of its version.

        Parameters
        ----------
        document : Document
        over : str, optional
            The version that it was made from, which must be the plan's newest. None makes a plan of its own.

        Raises
        ------
        SavedMeanwhile
            When somebody saved that plan since.
        NotKept
            When there is no such plan for this person.
        """
        text = _text(document)
        with self._connection.writing() as connection:
            plan, number = (secrets.token_hex(8), 0) if over is None else self._from(connection, over, document)
            at, number = self._connection.now(), number + 1
            row = {"name": document.name[:LONGEST_NAME], "newest": number, "at": at}
            if over is None:
                row |= {"id": plan, "owner": self.person, "project": None, "archived": False}
                connection.execute(plans.insert().values(row))
            else:
                connection.execute(plans.update().where(plans.c.id == plan).values(row))
            kept = {"plan": plan, "number": number, "author": self.person, "at": at, "name": row["name"]}
            connection.execute(versions.insert().values(kept | {"document": text}))
        return f"{plan}/{number}"

    def list(self) -> tuple[str, ...]:
        """Return the names of the newest versions of all plans that are not archived, in the order of saving."""
        return tuple(each.name for each in self.search())

    def search(self, words: str = "", archived: bool = False) -> tuple[Saved, ...]:
        """Return the plans whose title has all of these words, in the order in which they were saved last."""
        with self._connection.reading() as connection:
            if connection is None:
                return ()
            newest = sa.and_(versions.c.plan == plans.c.id, versions.c.number == plans.c.newest)
            query = self._seen().add_columns(versions.c.author).join(versions, newest)
            query = query.where(plans.c.archived == archived)
            for word in words.split():
                query = query.where(plans.c.name.icontains(word, autoescape=True))
            rows = connection.execute(query.order_by(plans.c.at, plans.c.id)).all()
        return tuple(
            Saved(each.id, each.name, each.owner, each.title or "", each.newest, each.at, each.archived, each.author)
            for each in rows
        )

    def versions(self, plan: str) -> tuple[Version, ...]:
        """Return the versions of a plan, the first one first; its identifier, or the name of any of them."""
        plan = str(plan).partition("/")[0]
        with self._connection.reading() as connection:
            self._plan(connection, plan, plan)
            query = sa.select(versions.c["number", "author", "at", "name"]).where(versions.c.plan == plan)
            rows = connection.execute(query.order_by(versions.c.number)).all()
        return tuple(Version(f"{plan}/{each.number}", each.number, each.author, each.at, each.name) for each in rows)

    def in_force(self, *names: str) -> tuple[InForce, ...]:
        """Return which versions of plans are in force in the ledgers of the person's projects.

        Parameters
        ----------
        *names : str
            Identifiers of plans, or names of any of their versions.
        """
        with self._connection.reading() as connection:
            if connection is None or not names:
                return ()
            plans = {str(each).partition("/")[0] for each in names}
            return in_force(connection, self.person, plans, self._connection.now())

    def rename(self, plan: str, title: str) -> None:
        """Call a plan otherwise; its versions stay as they were."""
        title = Document(self.open(plan).plan, title).name
        self._change(plan, ANALYST, {"name": title})

    def archive(self, plan: str, archived: bool = True) -> None:
        """Take a plan out of the list, or put it back; it can be opened as before."""
        self._change(plan, ANALYST, {"archived": bool(archived)})

    def duplicate(self, name: str) -> str:
        """Keep a version as a plan of one's own, and return its name."""
        return self.save(self.open(name))

    def share(self, plan: str, project: str | None) -> None:
        """Show a plan to the members of a project; with None, to its owner alone again. Owners and stewards do.

        Raises
        ------
        NotKept, NotAllowed
            When there is no such plan or project for this person, or neither is theirs to share.
        """
        with self._connection.writing() as connection:
            row = self._plan(connection, str(plan).partition("/")[0], plan)
            self._require(row, STEWARD)
            into = found(connection, self.person, projects.c.name == project, project) if project is not None else None
            if into is not None:
                into.require(ANALYST)
            changed = plans.update().where(plans.c.id == row.id).values(project=into and into.id)
            connection.execute(changed)

    def keep_draft(self, name: str, document: Document) -> None:
        """Keep what is being worked on under a name of one's own, such as a plan's; nobody else sees it."""
        row = {"person": self.person, "name": _draft(name)}
        text = _text(document)
        with self._connection.writing() as connection:
            connection.execute(drafts.delete().where(drafts.c.person == self.person, drafts.c.name == name))
            connection.execute(drafts.insert().values(row | {"at": self._connection.now(), "document": text}))

    def draft(self, name: str) -> Document:
        """Return what was being worked on under this name; `NotKept` where there is nothing."""
        with self._connection.reading() as connection:
            mine = drafts.c.person == self.person, drafts.c.name == _draft(name)
            row = connection and connection.execute(sa.select(drafts.c.document).where(*mine)).first()
        if not row:
            raise NotKept(f"name must be that of a draft of yours; got {name!r:.60}")
        return _document(row.document, name)

    def drafts(self) -> tuple[str, ...]:
        """Return the names of one's drafts, the latest last."""
        with self._connection.reading() as connection:
            if connection is None:
                return ()
            query = sa.select(drafts.c.name).where(drafts.c.person == self.person).order_by(drafts.c.at)
            return tuple(connection.execute(query).scalars())

    def drop_draft(self, name: str) -> None:
        """Forget a draft, as after a save; one that is not there is no fault."""
        with self._connection.writing() as connection:
            connection.execute(drafts.delete().where(drafts.c.person == self.person, drafts.c.name == _draft(name)))

    def _seen(self) -> sa.Select:
        """All plans that the person may open, with the role by which they do."""
        mine = sa.and_(members.c.project == plans.c.project, members.c.person == self.person)
        wanted = (*plans.c, members.c.role, projects.c.name.label("title"))
        query = sa.select(*wanted).select_from(plans.join(members, mine, isouter=True))
        query = query.join(projects, projects.c.id == plans.c.project, isouter=True)
        if self.person == LOCAL:
            return query
        return query.where(sa.or_(plans.c.owner == self.person, members.c.role.is_not(None)))

    def _plan(self, connection: sa.Connection | None, plan: str, name: object) -> sa.Row:
        row = connection and connection.execute(self._seen().where(plans.c.id == plan)).first()
        if not row:
            raise NotKept(_sentence(name))
        return row

    def _require(self, row: sa.Row, role: str) -> None:
        if self.person not in (LOCAL, row.owner):
            Project(row.project, row.title, row.role or VIEWER).require(role)

    def _change(self, plan: str, role: str, values: dict[str, object]) -> None:
        with self._connection.writing() as connection:
            row = self._plan(connection, str(plan).partition("/")[0], plan)
            self._require(row, role)
            connection.execute(plans.update().where(plans.c.id == row.id).values(values))

    def _from(self, connection: sa.Connection, over: str, document: Document) -> tuple[str, int]:
        """Plan and number of the version that is saved over; the plan's row is locked until the save is done."""
        plan, _, number = str(over).partition("/")
        self._plan(connection, plan, over)
        connection.execute(sa.select(plans.c.id).where(plans.c.id == plan).with_for_update())
        row = self._plan(connection, plan, over)
        self._require(row, ANALYST)
        if number == str(row.newest):
            return plan, row.newest
        query = sa.select(versions).where(versions.c.plan == plan, versions.c.number == row.newest)
        last = connection.execute(query).one()
        told = Version(f"{plan}/{last.number}", last.number, last.author, last.at, last.name)
        raise SavedMeanwhile(document, _document(last.document, over), told)


def _sentence(name: object) -> str:
    return f"name must be that of a plan of yours; got {name!r:.60}"


def _draft(name: object) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= 40 or not name.isprintable():
        raise ValueError(f"name must be text of 1 to 40 printable characters; got {name!r:.60}")
    return name


def _text(document: Document) -> str:
    text = document_text.written(document)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("document must hold letters that can be written; got half a pair of surrogates") from None
    return text


def _document(text: str, name: object) -> Document:
    try:
        return document_text.read(text)
    except ValueError as error:
        raise ValueError(f"the plan {name!r:.60} cannot be read ({error}): it is kept as it is") from None
