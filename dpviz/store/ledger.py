"""The ledger of a project: what its budgets promise, what is reserved for plans, what was spent, and on what ground.

Every row is added and never changed. All budgets that something touches are checked first and charged then, in one
transaction; what is refused leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from datetime import date, datetime

from dpviz.filters.filter_file import request_fields
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.parameters import COUNT, shown
from dpviz.plan import Plan
from dpviz.plan.release import checked_text
from dpviz.plan.store import NotKept
from dpviz.store.amounts import Amount
from dpviz.store.budgets import KEY, LIFELONG, Budget, Key
from dpviz.store.connection import Connection
from dpviz.store.entries import (
    BUDGET,
    GIVE_BACK,
    LINE,
    REFUND,
    REQUEST,
    RESERVE,
    Charge,
    Entry,
    exported,
)
from dpviz.store.people import ANALYST, STEWARD, Project, found
from dpviz.store.plans import Plans
from dpviz.store.reservations import given_back, own_delta, reserved
from dpviz.store.rows import Refused, Rows, charged, returned
from dpviz.store.standing import Standing, standings
from dpviz.store.tables import projects
from dpviz.store.terms import LIFETIME, SECOND, Term, moment, read, written
from dpviz.store.verify import Verification, verify

Asked = Guarantee | Mechanism | Mapping[Key, Guarantee | Mechanism]
_DAY = 86_400 * SECOND


class Ledger:
    """The ledger of one project, as one person may use it.

    Parameters
    ----------
    connection : Connection
        Of a database, which makes this object.
    project : Project
        As `dpviz.store.Projects` gives it: with the person's role.
    person : str

    Examples
    --------
    >>> import tempfile
    >>> from dpviz import Guarantee
    >>> from dpviz.store import Database, Key
    >>> folder = tempfile.TemporaryDirectory()
    >>> database = Database(f"{folder.name}/plans.db")
    >>> _ = database.projects().create("census")
    >>> ledger = database.ledger("census")
    >>> _ = ledger.open_budget(Key("census", "person"), 1.0, reference="budget 2026")
    >>> ledger.spend(asked=Guarantee(0.75), reference="run 1").charges[0].total.epsilon
    750000
    >>> ledger.spend(asked=Guarantee(0.75), reference="run 1").number, len(ledger.entries())
    (2, 2)
    >>> ledger.spend(asked=Guarantee(0.75), reference="run 2")
    Traceback (most recent call last):
        ...
    dpviz.store.rows.Refused: refused, and nothing was charged: the budget of census, person (lifetime): the sum ...
    >>> ledger.verify().faults
    ()
    >>> database.close()
    >>> folder.cleanup()
    """

    def __init__(self, connection: Connection, project: Project, person: str) -> None:
        self._connection, self.project, self.person = connection, project, person

    def open_budget(
        self,
        key: Key,
        epsilon: float,
        delta: float = 0.0,
        *,
        reference: str,
        rule: str = "basic",
        release_delta: float | None = None,
        term: Term = LIFELONG,
        relation: str = "add_remove",
        parent: Budget | None = None,
        note: str = "",
        at: datetime | None = None,
    ) -> Entry:
        """Open a budget; its terms never change. Stewards do.

        Parameters
        ----------
        key, epsilon, delta, rule, release_delta, term, relation
            As for `Budget`.
        reference : str
            What this is called, 1 to 80 characters: with the same reference, the same entry.
        parent : Budget, optional
            The budget that it is shared out of: it is charged the whole of it, as 5 are shared out as 2 and 3.
        note : str
        at : datetime, optional
            Now, where it is not named.

        Raises
        ------
        Refused
            When the parent has not so much left.
        ValueError
            When something is not allowed, or there is a budget of this key and term.

        Notes
        -----
        A parent counts by the basic rule and has the same data, unit, relation and term. Holders of several budgets may
        act at once and hear of each other's answers: what takes turns composes as what follows each other does.

        References
        ----------
        Haney, Shoemate, Tian, Vadhan, Vyrros, Xu & Zhang (2023), "Concurrent composition for interactive differential
        privacy with adaptive privacy-loss parameters".
        """
        budget = Budget(key, epsilon, delta, rule, release_delta, term, relation, parent=parent.number if parent else 0)
        if parent is not None:
            _check_share(budget, parent)

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            if any(each.term == term for each in rows.budgets(key)):
                raise ValueError(f"key must be one that has no {term} budget yet; got {key}")
            return charged(rows, [(parent, budget.whole, None)], at) if parent is not None else ()

        return self._append(STEWARD, BUDGET, reference, note, budget.fields, budget.fields, made, at)

    def take_into_force(
        self,
        version: str,
        *,
        reference: str,
        key: Key | None = None,
        delta: float | None = None,
        until: datetime | None = None,
        note: str = "",
        at: datetime | None = None,
    ) -> Entry:
        """Reserve the whole composed cost of a saved version; from then on its lines cost nothing new. Stewards do.

        Parameters
        ----------
        version : str
            As `Plans.save` named it.
        reference, note, at
            As for `open_budget`.
        key : Key, optional
            Whose budgets are charged; may be left out where there is one.
        delta : float, optional
            The δ at which it is composed; left out, that of its own budget, or what is left of it.
        until : datetime, optional
            The last moment at which a line may run. Left out: for ever where every budget is for a lifetime, else the
            end of its schedule, or of the window where it has none.

        Raises
        ------
        Refused
            When a budget has not so much left.
        ValueError
            When unit or relation of the plan are not the budget's, no theorem gives a total, or something is not kept.
        """
        document = Plans(self._connection, self.person).open(version)
        if "/" not in version:
            raise ValueError(f"version must name one version of a plan, such as “{version}/1”; got {version!r:.60}")
        plan, last = document.plan, None if until is None else moment(until)
        with self._rows() as rows:
            now = self._at(rows, at)
            costs = [self._cost(rows, plan, each, delta, now) for each in self._budgets(rows, key)]
        last = _last(plan, [each for each, *_ in costs], now) if last is None else last
        told = {"version": version, "name": document.name, "plan": plan.to_json(), "until": written(last)}
        told |= {"key": key and _key_fields(key)}
        told |= {"theorems": [theorem for *_, theorem, _ in costs], "deltas": [str(delta) for *_, delta in costs]}

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            if [each.number for each in self._budgets(rows, key)] != [each.number for each, *_ in costs]:
                raise ValueError("key must have the budgets that it had a moment ago: try again")
            if last is not None and last < at:
                raise ValueError(f"until must not lie before now; got {written(last)}")
            return charged(rows, [(budget, amount, last) for budget, amount, *_ in costs], at)

        return self._append(STEWARD, RESERVE, reference, note, {"version": version}, told, made, at)

    def spend(
        self,
        line: str | None = None,
        *,
        reference: str,
        asked: Asked | None = None,
        version: str | None = None,
        count: int = 1,
        note: str = "",
        at: datetime | None = None,
    ) -> Entry:
        """Ask before a release, and note it: a line of a version in force, or something that was not planned.

        A line costs nothing new, since its parameters were fixed before the first answer. Anything else was chosen
        along the way: the budget's rule, a filter, admits or refuses it. Analysts do.

        Parameters
        ----------
        line : str, optional
            The name of a release of the version in force, or its row, as "3".
        reference, note, at
            As for `open_budget`; a pipeline that tries again names the same reference.
        asked : Guarantee, Mechanism or mapping of Key to one of them, optional
            What is asked where it is no line; of several keys, what each is charged.
        version : str, optional
            Which version in force; may be left out where there is one.
        count : int
            How often, in [1, 1e9].

        Raises
        ------
        Refused
            When a budget does not admit it; nothing was written then.
        ValueError
            When there is no such line, or no use of it is left.
        """
        if (line is None) == (asked is None):
            raise ValueError("line or asked must be given, and not both")
        count = COUNT.check(count)
        if count < 1:
            raise ValueError(f"count must be at least 1; got {count}")
        if line is not None:
            return self._line(line, version, count, reference, note, at)
        told = {"asked": _asked(asked), "count": count}

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            return charged(rows, [(*each, at) for each in self._requests(rows, asked, count)], at)

        return self._append(ANALYST, REQUEST, reference, note, told, told, made, at)

    def refusal(self, asked: Asked, count: int = 1, at: datetime | None = None) -> str:
        """Return why something that was not planned would be refused now; "" if not. Charges nothing."""
        with self._rows() as rows:
            now = self._at(rows, at)
            try:
                charged(rows, [(*each, now) for each in self._requests(rows, asked, count)], now)
            except Refused as error:
                return str(error)
        return ""

    def refund(self, of: str, *, reference: str, note: str, at: datetime | None = None) -> Entry:
        """Take back what was noted for a run that did not happen: a row of its own. Stewards do.

        Parameters
        ----------
        of : str
            The reference of a line or a request, of which no answer was ever seen.
        reference, at
            As for `open_budget`.
        note : str
            Why it did not run.

        Raises
        ------
        ValueError
            When there is nothing of that reference to take back, or no note.
        """
        if not note.strip():
            raise ValueError("note must say why it did not run; got none")
        with self._rows() as rows:
            former = rows.referred(of)
        if former is None or former.kind not in (LINE, REQUEST):
            raise ValueError(f"of must be the reference of a line or a request; got {shown(of)}")

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            if rows.of(former.number, REFUND):
                raise ValueError(f"of must not have been taken back before; got {shown(of)}")
            if former.kind == LINE:
                if rows.of(former.told["of"], GIVE_BACK):
                    raise ValueError("of must belong to a version whose unused lines were not given back since")
                version, row, count = (former.told[name] for name in ("of", "row", "count"))
                told["ran"] = rows.ran_line(version, row) - count
            known = {each.number: each for each in rows.budgets()}
            back = [(known[each.budget], each, -each.amount) for each in former.charges]
            return returned(rows, back, at)

        told = {"of": former.number}
        return self._append(STEWARD, REFUND, reference, note, {**told}, told, made, at)

    def give_back(self, of: str, *, reference: str, note: str = "", at: datetime | None = None) -> Entry:
        """Give back what a version in force will not use any more; none of its lines can run afterwards. Stewards do.

        Which lines are left may depend on answers, so that what ran is counted by the budget's rule from then on; see
        `dpviz.store.reservations.given_back`.

        Parameters
        ----------
        of : str
            The reference under which it was taken into force.
        reference, note, at
            As for `open_budget`.

        Raises
        ------
        ValueError
            When there is nothing of that reference, or its rule lets nothing be given back.
        """
        with self._rows() as rows:
            former = rows.referred(of)
        if former is None or former.kind != RESERVE:
            raise ValueError(f"of must be the reference of a version in force; got {shown(of)}")
        plan, ran = Plan.from_json(former.told["plan"]), {}

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            if rows.of(former.number, GIVE_BACK):
                raise ValueError(f"of must not have been given back before; got {shown(of)}")
            ran.update(rows.ran(former.number))
            known = {each.number: each for each in rows.budgets()}
            back = [
                (known[each.budget], each, given_back(plan, ran, each, known[each.budget])) for each in former.charges
            ]
            return returned(rows, back, at)

        told = {"of": former.number}
        return self._append(STEWARD, GIVE_BACK, reference, note, told, told, made, at)

    def in_force(self, at: datetime | None = None) -> tuple[Entry, ...]:
        """Return the versions that were taken into force, whose lines may still run."""
        with self._rows() as rows:
            return tuple(self._in_force(rows, self._at(rows, at)))

    def left(self, of: Entry) -> dict[str, int]:
        """Return how many uses each line of a version in force has left, by its name and row."""
        with self._rows() as rows:
            ran = rows.ran(of.number)
        releases = Plan.from_json(of.told["plan"]).releases
        return {f"{row + 1}. {each.name}": each.uses - ran.get(row, 0) for row, each in enumerate(releases)}

    def budgets(self) -> tuple[Budget, ...]:
        """Return all budgets, in the order in which they were opened."""
        with self._rows() as rows:
            return tuple(rows.budgets())

    def standings(self, at: datetime | None = None) -> tuple[Standing, ...]:
        """Return where every budget stands, in the order in which they were opened."""
        with self._rows() as rows:
            return standings(rows, self._at(rows, at))

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, the first one first."""
        with self._rows() as rows:
            return tuple(entry for entry, _ in rows.all())

    def head(self) -> tuple[int, str]:
        """Return number and hash of the last entry, which tell this state of the ledger from every other one."""
        with self._rows() as rows:
            number, _, hash = rows.last()
        return number, hash

    def export(self) -> str:
        """Return the whole ledger as JSON text, which `dpviz verify` checks without any database."""
        with self._rows() as rows:
            return exported(self.project.name, rows.all())

    def verify(self) -> Verification:
        """Check hashes, arithmetic and theorems of the whole ledger, as `dpviz verify` does."""
        return verify(self.export())

    def _line(
        self, line: str, version: str | None, count: int, reference: str, note: str, at: datetime | None
    ) -> Entry:
        with self._rows() as rows:
            again = rows.referred(reference) if isinstance(reference, str) else None
            force = again if again and again.kind == LINE else self._version(rows, version, self._at(rows, at))
            if force is again:
                force = rows.entry(again.told["of"])
        plan = Plan.from_json(force.told["plan"])
        row = _row_named(plan, line)
        told = {"of": force.number, "row": row, "line": plan.releases[row].name, "count": count}

        def made(rows: Rows, at: int) -> tuple[Charge, ...]:
            if force not in self._in_force(rows, at):
                raise ValueError(f"version must be in force; “{force.told['name']}” is not any more")
            ran = rows.ran_line(force.number, row)
            told["ran"], left = ran + count, plan.releases[row].uses - ran
            if left < count:
                raise ValueError(
                    f"line “{plan.releases[row].name}” has {left:,} of {plan.releases[row].uses:,} uses left; got "
                    f"{count:,}: what is not in the plan is asked by its ε and δ"
                )
            return ()

        return self._append(ANALYST, LINE, reference, note, {**told}, told, made, at)

    def _append(
        self,
        role: str,
        kind: str,
        reference: str,
        note: str,
        same: dict[str, object],
        told: dict[str, object],
        made: Callable[[Rows, int], tuple[Charge, ...]],
        at: datetime | None,
    ) -> Entry:
        """Add an entry whose charges `made` returns; where its reference is there already, return what is there."""
        reference = checked_text("reference", reference)
        note = checked_text("note", note) if note else ""
        with self._connection.writing() as connection:
            rows = Rows(connection, self.project.id)
            rows.lock()
            found(connection, self.person, projects.c.id == self.project.id, self.project.name).require(role)
            if (former := rows.referred(reference)) is not None:
                return _again(former, kind, reference, same)
            number, _, hash = rows.last()
            now = self._at(rows, at)
            charges = made(rows, now)
            entry = Entry(number + 1, kind, now, self.person, reference, note, told, charges, hash)
            rows.append(entry)
        return entry

    @contextmanager
    def _rows(self) -> Iterator[Rows]:
        """The rows, to be read by one of the project's members."""
        with self._connection.reading() as connection:
            found(connection, self.person, projects.c.id == self.project.id, self.project.name)
            yield Rows(connection, self.project.id)

    def _at(self, rows: Rows, at: datetime | None) -> int:
        """Now; never before the last entry, whatever the clock says."""
        last = rows.last()[1]
        if at is None:
            return max(self._connection.now(), last)
        if moment(at) < last:
            raise ValueError(f"at must not lie before the last entry, {written(last)}; got {at.isoformat()}")
        return moment(at)

    def _budgets(self, rows: Rows, key: Key | None) -> list[Budget]:
        found = rows.budgets(key)
        if key is None and len({each.key for each in found}) > 1:
            raise ValueError("key must be named where a project has budgets of several; got none")
        if not found:
            raise ValueError(f"key must have a budget in the project “{self.project.name}”; got {key or 'none'}")
        return found

    def _cost(
        self, rows: Rows, plan: Plan, budget: Budget, delta: float | None, now: int
    ) -> tuple[Budget, Amount, str, float]:
        used = own_delta(plan, budget, rows.spent(budget, now).delta) if delta is None else delta
        amount, theorem = reserved(plan, budget, used)
        return budget, amount, theorem, used

    def _requests(self, rows: Rows, asked: Asked, count: int) -> list[tuple[Budget, Amount]]:
        pairs = asked.items() if isinstance(asked, Mapping) else [(None, asked)]
        found = [(budget, request) for key, request in pairs for budget in self._budgets(rows, key)]
        for budget, request in found:
            relation = getattr(request, "relation", None)
            if relation not in (None, budget.relation):
                raise ValueError(f"asked must hold for the budget's relation, {budget.relation}; got {relation}")
        return [(budget, Amount.of(budget.filter, request, count)) for budget, request in found]

    def _in_force(self, rows: Rows, at: int) -> list[Entry]:
        gone = {each.told["of"] for each in rows.of_kind(GIVE_BACK)}
        return [
            each
            for each in rows.of_kind(RESERVE)
            if each.number not in gone and (each.told["until"] is None or read(each.told["until"]) >= at)
        ]

    def _version(self, rows: Rows, version: str | None, at: int) -> Entry:
        found = [each for each in self._in_force(rows, at) if version in (None, each.told["version"])]
        if len(found) != 1:
            named = ", ".join(each.told["version"] for each in self._in_force(rows, at)) or "none is"
            raise ValueError(f"version must name one that is in force ({named}); got {version or 'none'}")
        return found[0]


def _again(former: Entry, kind: str, reference: str, same: dict[str, object]) -> Entry:
    if former.kind == kind and all(former.told.get(name) == value for name, value in same.items()):
        return former
    raise ValueError(f"reference must be new for something new; {shown(reference)} is entry {former.number}, another")


def _asked(asked: Asked) -> list[dict[str, object]]:
    pairs = asked.items() if isinstance(asked, Mapping) else [(None, asked)]
    found = [
        {"key": key and _key_fields(key), "request": request_fields(request)}
        for key, request in pairs
    ]
    if not found:
        raise ValueError("asked must name at least one key; got none")
    return found


def _key_fields(key: Key) -> dict[str, str]:
    return dict(zip(KEY, astuple(key), strict=True))


def _check_share(budget: Budget, parent: Budget) -> None:
    if parent.rule != "basic":
        raise ValueError(f"parent must count by the rule basic to be shared out; got {parent.rule}")
    for name in ("data", "unit"):
        if getattr(budget.key, name) != getattr(parent.key, name):
            raise ValueError(f"{name} must be that of the parent, {getattr(parent.key, name)}")
    for name in ("term", "relation"):
        if getattr(budget, name) != getattr(parent, name):
            raise ValueError(f"{name} must be that of the parent, {getattr(parent, name)}")


def _row_named(plan: Plan, line: str) -> int:
    """The row of a line, from 0, by its name, or by its number from 1 where no name is meant."""
    named = [row for row, each in enumerate(plan.releases) if each.name == line]
    if len(named) == 1:
        return named[0]
    if not named and line in {str(row + 1) for row in range(len(plan.releases))}:
        return int(line) - 1
    several = f"{len(named)} releases have that name: name its row" if named else "no release has that name"
    raise NotKept(f"line must be one of the version in force ({several}); got {shown(line)}")


def _last(plan: Plan, budgets: list[Budget], now: int) -> int | None:
    """Until when lines may run where nobody says it."""
    if all(each.term.kind == LIFETIME for each in budgets):
        return None
    days = [each.end or each.start for each in plan.releases if each.uses]
    if days and all(days):
        return ((max(days) - date(1970, 1, 1)).days + 1) * _DAY - 1
    return min(end for each in budgets if (end := each.term.end(now)) is not None)
