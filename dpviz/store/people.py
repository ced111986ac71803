"""Who may do what: projects with their members, and what each role allows."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from dpviz.parameters import checked_choice
from dpviz.plan.release import checked_text
from dpviz.plan.store import NotKept
from dpviz.store.connection import Connection
from dpviz.store.tables import members, projects

LOCAL = "local"  # the one user where nobody logs in: everything is theirs
VIEWER, ANALYST, STEWARD = ROLES = ("viewer", "analyst", "steward")
"""Who reads; who also saves plans and spends; who also opens budgets, takes plans into force, refunds, and invites."""
LONGEST_PERSON = 320  # an e-mail address


class NotAllowed(ValueError):
    """Whoever asks is a member, but their role does not allow it."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project as whoever asks sees it.

    Parameters
    ----------
    id, name : str
    role : str
        Theirs, one of `ROLES`.
    """

    id: str
    name: str
    role: str

    def require(self, role: str) -> None:
        """Refuse whoever has less than this role.

        Examples
        --------
        >>> Project("1", "census", "viewer").require("analyst")
        Traceback (most recent call last):
            ...
        dpviz.store.people.NotAllowed: role must be at least analyst in the project “census”; got viewer
        """
        if ROLES.index(self.role) < ROLES.index(role):
            raise NotAllowed(f"role must be at least {role} in the project “{self.name}”; got {self.role}")


def checked_person(person: str) -> str:
    """Return the name of a person, as a login gives it: 1 to 320 characters that can be printed."""
    if not isinstance(person, str) or not 1 <= len(person) <= LONGEST_PERSON or not person.isprintable():
        raise ValueError(f"person must be text of 1 to {LONGEST_PERSON} printable characters; got {person!r:.60}")
    return person


class Projects:
    """The projects that one person is a member of; to others they do not exist.

    Parameters
    ----------
    connection : Connection
        Of a database, which makes this object.
    person : str
    """

    def __init__(self, connection: Connection, person: str = LOCAL) -> None:
        self._connection, self.person = connection, checked_person(person)

    def create(self, name: str) -> Project:
        """Make a project, whose steward is whoever makes it.

        Raises
        ------
        ValueError
            When the name is none, or there is a project of that name.
        """
        name = checked_text("project", name)
        found = secrets.token_hex(8)
        with self._connection.writing() as connection:
            if connection.execute(sa.select(projects.c.id).where(projects.c.name == name)).first():
                raise ValueError(f"project must have a name that no other has; got {name!r}")
            row = {"id": found, "name": name, "at": self._connection.now(), "by": self.person}
            connection.execute(projects.insert().values(row))
            connection.execute(members.insert().values(project=found, person=self.person, role=STEWARD))
        return Project(found, name, STEWARD)

    def open(self, name: str) -> Project:
        """Return the project of this name.

        Raises
        ------
        NotKept
            When there is none that this person is a member of.
        """
        with self._connection.reading() as connection:
            return found(connection, self.person, projects.c.name == name, name)

    def list(self) -> tuple[Project, ...]:
        """Return the person's projects, by name."""
        with self._connection.reading() as connection:
            if connection is None:
                return ()
            rows = connection.execute(seen_by(self.person).order_by(projects.c.name)).all()
        return tuple(_project(row, self.person) for row in rows)

    def members(self, name: str) -> dict[str, str]:
        """Return the roles of all members of a project, by person."""
        with self._connection.reading() as connection:
            project = found(connection, self.person, projects.c.name == name, name)
            query = sa.select(members.c.person, members.c.role).where(members.c.project == project.id)
            return {row.person: row.role for row in connection.execute(query.order_by(members.c.person))}

    def invite(self, name: str, person: str, role: str | None) -> None:
        """Give a person a role in a project, another one, or none any more; stewards do, and one remains.

        Raises
        ------
        ValueError
            When the role is unknown, whoever asks is no steward, or none would be left.
        """
        checked_choice(role, (None, *ROLES), "role")
        with self._connection.writing() as connection:
            project = found(connection, self.person, projects.c.name == name, name)
            project.require(STEWARD)
            here = members.c.project == project.id
            connection.execute(members.delete().where(here, members.c.person == checked_person(person)))
            if role is not None:
                connection.execute(members.insert().values(project=project.id, person=person, role=role))
            if not connection.execute(sa.select(members.c.person).where(here, members.c.role == STEWARD)).first():
                raise ValueError(f"role must leave the project “{project.name}” a steward; got {role!r}")


def seen_by(person: str) -> sa.Select:
    """Return the query of the projects that a person is a member of, with their role."""
    mine = sa.and_(members.c.project == projects.c.id, members.c.person == person)
    query = sa.select(projects.c.id, projects.c.name, members.c.role).join(members, mine, isouter=person == LOCAL)
    return query


def _project(row: sa.Row, person: str) -> Project:
    return Project(row.id, row.name, STEWARD if person == LOCAL else row.role)


def found(connection: sa.Connection | None, person: str, where: sa.ColumnElement[bool], name: str) -> Project:
    """Return the one project of a person that this holds for; `NotKept` where there is none."""
    row = connection and connection.execute(seen_by(person).where(where)).first()
    if not row:
        raise NotKept(f"project must be one of yours; got {name!r:.90}")
    return _project(row, person)
