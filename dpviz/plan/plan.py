"""A plan: the releases somebody intends to make, the budget they must fit into, and whom the promise is about."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from html import escape
from itertools import compress
from typing import IO, TYPE_CHECKING

import numpy as np

from dpviz.guarantee import Guarantee
from dpviz.mechanisms import Mechanism
from dpviz.mechanisms.uses import taken_apart
from dpviz.parameters import COUNT, POPULATION, checked, checked_choice
from dpviz.plan import promise
from dpviz.plan.answers import Answers
from dpviz.plan.derived import Known, settled
from dpviz.plan.disclosure import Disclosure
from dpviz.plan.files import csv_file, file, json_file, packed
from dpviz.plan.problems import PlanFileError, Problem, blamed
from dpviz.plan.promise import NO_LIMIT, RELATIONS, Relation
from dpviz.plan.release import Release, checked_text
from dpviz.rounding import shown_down

if TYPE_CHECKING:
    import pandas

SHOWN = 50  # releases in a notebook
LARGEST_WORKLOAD = 5_000_000  # counts held at once (40 MB): a crafted plan must not exhaust the memory


@dataclass(frozen=True, slots=True)
class Plan:
    """Releases with their budget, unit of privacy and neighbour relation.

    Parameters
    ----------
    releases : iterable of Release
        Kept as a tuple.
    budget : Guarantee
        What the plan may cost; ``epsilon=inf`` sets no limit.
    unit : str, optional
        Whom, or what, the promise protects, such as "person" or "user-day"; 1 to 80 characters. None, or "", is not
        stated.
    relation : {"add_remove", "replace_one"}, optional
        Neighbour relation; None takes the one the mechanisms demand, else add_remove (see `neighbours`).
    population : int, optional
        People in the data, at least 1.
    adaptive : bool, optional
        Whether later releases are chosen after seeing earlier results; None is not stated, and taken as no, which
        whoever quotes the total says beside it. That a release is done does not
        change it: what was fixed before the first release stays so while it is published. What is *changed* once
        something is done may depend on its result; a plan cannot know that, so who changes it must say it here (the
        dashboard asks).
    disclosure : Disclosure, optional
        What is stated in public beside the numbers; one that states nothing is None. No cost depends on it.
    answers : Answers, optional
        What its author answered to what its checks ask; without an answer it is None. No cost depends on it: it says
        whether the total is that of this plan.

    Raises
    ------
    ValueError
        When a value is not allowed; when mechanisms demand different relations, or another one than `relation`; when
        there are parts under replace_one.

    Notes
    -----
    Parallel composition over parts holds for add_remove only: replacing one record can take it out of one part and
    put it into another, which changes two parts at once.

    References
    ----------
    McSherry (2009), Privacy Integrated Queries, Thm 4 (parallel composition).

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> plan = Plan([Release("Mean age", Laplace.from_epsilon(0.5))], unit="person")
    >>> plan.neighbours, plan.repeated(3).releases[0].count
    ('add_remove', 3)
    """

    releases: tuple[Release, ...]
    budget: Guarantee = NO_LIMIT
    unit: str | None = None
    relation: Relation | None = None
    population: int | None = None
    adaptive: bool | None = None
    disclosure: Disclosure | None = None
    answers: Answers | None = None
    sensitivities: tuple[Known | None, ...] = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # any iterable is taken, and kept as a tuple

        def __init__(
            self,
            releases: Iterable[Release],
            budget: Guarantee = NO_LIMIT,
            unit: str | None = None,
            relation: Relation | None = None,
            population: int | None = None,
            adaptive: bool | None = None,
            disclosure: Disclosure | None = None,
            answers: Answers | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "releases", _checked_releases(self.releases))
        checked(self.budget, Guarantee, "budget")
        unstated = self.unit is None or (isinstance(self.unit, str) and not self.unit)
        object.__setattr__(self, "unit", None if unstated else checked_text("unit", self.unit))
        checked_choice(self.relation, (None, *RELATIONS), "relation")
        if self.population is not None:
            object.__setattr__(self, "population", POPULATION.check(self.population))
        if not isinstance(self.adaptive, bool | None):
            raise ValueError(f"adaptive must be None, True or False; got {reprlib.repr(self.adaptive)}")
        if self.disclosure is not None and not checked(self.disclosure, Disclosure, "disclosure").stated:
            object.__setattr__(self, "disclosure", None)
        if self.answers is not None and not checked(self.answers, Answers, "answers").stated:
            object.__setattr__(self, "answers", None)
        _check_relations(self)
        _check_parts(self)
        neighbours, unit = self.neighbours, self.unit_in_words
        known = [settled(each, neighbours, self.population, unit) for each in self.releases]
        object.__setattr__(self, "releases", tuple(release for release, _ in known))
        object.__setattr__(self, "sensitivities", tuple(each for _, each in known))

    @property
    def neighbours(self) -> str:
        """The neighbour relation in force: the stated one, else the one the mechanisms demand, else add_remove.

        Examples
        --------
        >>> Plan([]).neighbours
        'add_remove'
        """
        if self.relation:
            return self.relation
        demanding = _first_demanding(self.releases)
        return demanding.mechanism.relation if demanding else "add_remove"

    @property
    def faults(self) -> dict[int, str]:
        """Why no total may be quoted, by the position (from 0) of each release whose sensitivity forbids it.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> income = Release("Income", Laplace(100.0, 1.0), kind="sum", lower=0, upper=100_000)
        >>> print(Plan([income]).faults[0])
        sensitivity must be at least 100000: when one unit is added or removed, the sum changes by at most 100,000...
        """
        return {row: known.fault for row, known in enumerate(self.sensitivities) if known and known.fault}

    def check_sensitivities(self) -> None:
        """Refuse a plan of which no total may be quoted: a sensitivity of what is used is open, or too small.

        Raises
        ------
        ValueError
            With the first such release and its reason, and how many more there are.
        """
        found = [(self.releases[row].name, why) for row, why in self.faults.items() if self.releases[row].uses]
        if found:
            (name, why), more = found[0], len(found) - 1
            said = f"{reprlib.repr(name)}: {why}"
            raise ValueError(f"release {said}{f' (and {more:,} more)' if more else ''}")

    @property
    def unit_in_words(self) -> str:
        """The unit of privacy for a sentence, as in "one person"; "unit" where none is stated.

        Examples
        --------
        >>> Plan([], unit="user-day").unit_in_words, Plan([]).unit_in_words
        ('user-day', 'unit')
        """
        return self.unit or "unit"

    @property
    def stated(self) -> dict[str, object]:
        """What somebody stated of the plan as a whole, by the column of a table that holds it; the rest is absent.

        Examples
        --------
        >>> Plan([], Guarantee(4, 1e-6), relation="replace_one").stated
        {'relation': 'replace_one', 'budget_epsilon': 4.0, 'budget_delta': 1e-06}
        """
        limit = None if self.budget.epsilon == NO_LIMIT.epsilon else self.budget.epsilon
        budget = {} if self.budget == NO_LIMIT else dict(zip(promise.BUDGET, (limit, self.budget.delta), strict=True))
        found = {name: getattr(self, name) for name in promise.FIELDS} | budget
        return {column: found[column] for column in promise.COLUMNS if found.get(column) is not None}

    @property
    def in_words(self) -> dict[str, str]:
        """Unit, relation and order in words, each with "(not stated)" where it is only assumed.

        Examples
        --------
        >>> Plan([], unit="user-day", adaptive=True).in_words
        {'unit': 'user-day', 'relation': 'added or removed (not stated)', 'order': 'chosen along the way'}
        """
        order = "chosen along the way" if self.adaptive else "fixed in advance"
        words = {"unit": self.unit_in_words, "relation": RELATIONS[self.neighbours], "order": order}
        fields = {"unit": self.unit, "relation": self.relation, "order": self.adaptive}
        return {name: text + " (not stated)" * (fields[name] is None) for name, text in words.items()}

    def repeated(self, times: int) -> Plan:
        """Return the plan with every count multiplied by `times`.

        Parameters
        ----------
        times : int
            A whole number, at least 0.

        Raises
        ------
        ValueError
            When `times`, or a count that results, is not allowed.

        Examples
        --------
        >>> Plan([]).repeated(30) == Plan([])
        True
        """
        times = COUNT.check(times, "times")
        return replace(self, releases=tuple(replace(each, count=each.count * times) for each in self.releases))

    def without(self, row: int) -> Plan:
        """Return the plan without one of its releases, at this place from 0, under the same relation.

        That stays though the one that is left out may alone have asked for it: the promise is what the others cost by.

        Examples
        --------
        >>> from dpviz import Laplace, Release
        >>> Plan([Release("a", Laplace(10, 1)), Release("b", Laplace(10, 1))]).without(0).releases[0].name
        'b'
        """
        return replace(self, releases=(*self.releases[:row], *self.releases[row + 1 :]), relation=self.neighbours)

    def of_units(self, copies: int, days: int = 1, unit: str | None = None) -> Plan:
        """Return what the plan means for a unit with several records: it touches every release with all of them.

        Parameters
        ----------
        copies : int
            Records of one unit that a release reads, at most, in [1, 1e6].
        days : int
            Times that the unit meets every release, where the plan states what one day publishes; at least 1.
        unit : str, optional
            Who is protected then; None keeps the words.

        Raises
        ------
        ValueError
            When a value is not allowed, a sensitivity becomes too large, or samples are answered to be drawn otherwise
            than they are counted, which what several records lose would no longer show.

        Notes
        -----
        Laplace and Gaussian noise, on whole numbers, too: exact for answers that move by their sensitivity with every
        record. Picks by scores: exact for scores that do. Survey answers that are randomized each by itself: exact, as
        so many answers. All else: at each ε the least that follows from the profile of one record, from its stated
        pair, and in a Poisson sample from how many of the records are drawn.

        References
        ----------
        Dwork & Roth (2014), Thm 2.2; Vadhan (2017), Lemma 2.2.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> plan = Plan([Release("Visits", Laplace.from_epsilon(0.1))], unit="event")
        >>> monthly = plan.of_units(3, days=30, unit="user-month")
        >>> monthly.releases[0].mechanism.stated.epsilon, monthly.releases[0].count
        (0.3, 30)
        """
        days = COUNT.check(days, "days")
        if days < 1:
            raise ValueError(f"days must be at least 1; got {days}")
        self.check_sensitivities()
        _check_drawn(self)
        releases = tuple(each.of_units(copies, days) for each in self.releases)
        return replace(self, releases=releases, relation=self.neighbours, unit=self.unit if unit is None else unit)

    def __add__(self, other: Release | Iterable[Release]) -> Plan:
        """Return the plan with one more release at its end, or several.

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> len((Plan([]) + Release("Visits", Laplace.from_epsilon(0.1))).releases)
        1
        """
        if not isinstance(other, Release) and (isinstance(other, Plan | str) or not isinstance(other, Iterable)):
            return NotImplemented
        return self.with_(releases=(*self.releases, *([other] if isinstance(other, Release) else other)))

    def with_(self, **changes: object) -> Plan:
        """Return the plan with other values of some of its fields, such as ``budget=Guarantee(1, 1e-6)``.

        Raises
        ------
        ValueError
            When a field is unknown, or a value not allowed.

        Examples
        --------
        >>> Plan([]).with_(unit="user-day", budget=Guarantee(1, 1e-6)).unit
        'user-day'
        """
        known = [each.name for each in fields(self) if each.init]
        for name in changes:
            checked_choice(name, known, "field")
        return replace(self, **changes)

    def workload(self) -> tuple[tuple[Mechanism, ...], np.ndarray]:
        """Return the distinct mechanisms that are used, and how often each part of the data meets them.

        Returns
        -------
        mechanisms : tuple of Mechanism
            In order of first use; those with count 0 are left out. Of a threshold it is what that costs.
        counts : ndarray of int64, shape (parts, mechanisms)
            Per part, the releases that read all the data plus those of that part. Parts with equal counts cost the same
            and stand here once; a plan without parts has one row.

        Raises
        ------
        ValueError
            When no total may be quoted (`faults`).

        Examples
        --------
        >>> from dpviz.mechanisms import Laplace
        >>> mean, histogram = Laplace.from_epsilon(0.5), Laplace.from_epsilon(0.1)
        >>> north, south = Release("North", histogram, 2, "N"), Release("South", histogram, 3, "S")
        >>> plan = Plan([Release("Mean", mean), north, south])
        >>> plan.workload()[1].tolist()
        [[1, 2], [1, 3]]
        """
        self.check_sensitivities()
        table = count_table(self.releases, (each.uses for each in self.releases))
        mechanisms, counts = taken_apart(*table, bars=False)
        used = counts.any(axis=0)
        counts = np.ascontiguousarray(counts[:, used])
        distinct: dict[bytes, int] = {}
        for index, each in enumerate(counts):
            distinct.setdefault(each.tobytes(), index)
        return tuple(compress(mechanisms, used)), counts[list(distinct.values())]

    @classmethod
    def read(cls, path_or_file: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Plan:
        """Read a plan from a CSV or JSON file of at most 5 MB and 100,000 rows; an open one is left open.

        Raises
        ------
        PlanFileError
            With everything that is wrong in the file.

        Examples
        --------
        >>> import io
        >>> upload = io.BytesIO(b'{"dpviz_plan": 1, "unit": "user-day", "releases": []}')
        >>> Plan.read(upload).unit
        'user-day'
        """
        text, is_json = file.contents(path_or_file)
        return cls.from_json(text) if is_json else cls.from_csv(text)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the plan into a file: JSON or CSV, by its ending; one that is there is replaced.

        Raises
        ------
        ValueError
            When the ending is another one.
        OSError
            When the file cannot be written.

        Examples
        --------
        >>> Plan([]).write("plan.xlsx")
        Traceback (most recent call last):
            ...
        ValueError: path must end in .json or .csv; got 'plan.xlsx'
        """
        file.write(path, {".json": self.to_json, ".csv": self.to_csv})

    def link(self, dashboard: str = "http://localhost:8501") -> str:
        """Return the link that opens the plan in a dashboard, and holds all of it; nothing is stored anywhere.

        Parameters
        ----------
        dashboard : str
            Where one is served.

        Raises
        ------
        ValueError
            When the plan is too large for a link.

        Examples
        --------
        >>> Plan([], unit="household").link()[:30]
        'http://localhost:8501/?plan=1.'
        """
        token = packed.token_of(self.to_json(), packed.PLAN, len(self.releases))
        return f"{dashboard.rstrip('/')}/?plan={token}"

    @classmethod
    def from_frame(cls, frame: pandas.DataFrame) -> Plan:
        """Read a plan from a data frame with the columns of a CSV file, one row per release.

        Parameters
        ----------
        frame : pandas.DataFrame
            Its columns in any order; the index is left out, and what is missing was not stated. What the columns
            are is said in the reference of file formats.

        Raises
        ------
        PlanFileError
            With every bad row: the header is line 1.

        Examples
        --------
        >>> import pandas
        >>> frame = pandas.DataFrame({"name": ["Mean age"], "mechanism": ["laplace"], "epsilon": [0.5]})
        >>> Plan.from_frame(frame).releases[0].mechanism.stated.epsilon
        0.5
        """
        if not hasattr(frame, "to_csv") or not hasattr(frame, "columns"):
            raise ValueError(f"frame must be a pandas.DataFrame; got {reprlib.repr(frame)}")
        return cls.from_csv(frame.to_csv(index=False))

    @classmethod
    def from_csv(cls, text: str) -> Plan:
        r"""Read a plan from CSV text; see `dpviz.plan.files.csv_file`.

        Raises
        ------
        PlanFileError
            With every bad line.

        Examples
        --------
        >>> Plan.from_csv("name,mechanism,epsilon\nMean age,laplace,0.5").releases[0].mechanism.stated.epsilon
        0.5
        """
        releases, stated = csv_file.from_csv(checked(text, str, "text", "text"))
        try:
            return cls(releases, **promise.arguments(stated))
        except ValueError as error:
            raise PlanFileError([Problem(None, *blamed(error, {}, None))]) from None

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read a plan from JSON text; see `dpviz.plan.files.json_file`.

        Raises
        ------
        PlanFileError
            With everything that is wrong.

        Examples
        --------
        >>> Plan.from_json(Plan([], unit="household").to_json()).unit
        'household'
        """
        return json_file.from_json(checked(text, str, "text", "text"), cls)

    def to_csv(self) -> str:
        r"""Return the plan as CSV text, one line per release; `from_csv` gives back an equal plan.

        Examples
        --------
        >>> Plan([]).to_csv()
        'name,mechanism,epsilon,delta,scale,sigma,sensitivity,calibration,scheme,rate,count,part\n'
        """
        return csv_file.to_csv(self.releases, self.stated)

    def to_json(self) -> str:
        """Return the whole plan as JSON text; `from_json` gives back an equal plan.

        Examples
        --------
        >>> plan = Plan([], Guarantee(0.3, 1e-9), population=1000)
        >>> Plan.from_json(plan.to_json()) == plan
        True
        """
        said = {name: getattr(self, name) for name in promise.FIELDS}
        return json_file.to_json(self.releases, self.budget, said, self.disclosure, self.answers)

    def _repr_html_(self) -> str:
        """How a notebook shows it: whom it protects within which budget, rounded down, and its first releases."""
        limit = "none" if self.budget.epsilon == NO_LIMIT.epsilon else f"ε = {shown_down(self.budget.epsilon, 6)}"
        limit += f" at δ = {shown_down(self.budget.delta, 6)}"
        told = self.in_words
        heads = ("release", "mechanism", "uses", "part of the data")
        rows = [(each.name, each.mechanism, f"{each.uses:,}", each.part or "") for each in self.releases[:SHOWN]]
        rest = len(self.releases) - SHOWN
        return (
            f"<p>One {escape(told['unit'])} {told['relation']}; budget {limit}; {told['order']}</p><table><thead><tr>"
            + "".join(f"<th>{head}</th>" for head in heads)
            + "</tr></thead><tbody>"
            + "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
            + f"</tbody></table>{f'<p>and {rest:,} more</p>' if rest > 0 else ''}"
        )


def count_table(
    releases: tuple[Release, ...], uses: Iterable[int | np.ndarray], shape: tuple[int, ...] = ()
) -> tuple[tuple[Mechanism, ...], np.ndarray]:
    """Return the distinct mechanisms, and how often each part meets them: counts of shape (*shape, parts, mechanisms).

    From the uses of each release, of that shape.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> count_table((Release("a", Laplace(1.0, 1)), Release("b", Laplace(2.0, 1))), [3, 4])[1].tolist()
    [[3, 4]]
    """
    columns: dict[Mechanism, int] = {}
    rows: dict[str | None, int] = {None: 0}
    places = [(rows.setdefault(r.part, len(rows)), columns.setdefault(r.mechanism, len(columns))) for r in releases]
    counts = np.zeros((*shape, len(rows), len(columns)), dtype=np.int64)
    for place, each in zip(places, uses, strict=True):
        counts[..., *place] += each
    return tuple(columns), counts[..., 1:, :] + counts[..., :1, :] if len(rows) > 1 else counts


def _checked_releases(releases: object) -> tuple[Release, ...]:
    if not isinstance(releases, Iterable):
        raise ValueError(f"releases must be a sequence of Release; got {reprlib.repr(releases)}")
    releases = tuple(releases)
    for each in releases:
        if not isinstance(each, Release):
            raise ValueError(f"releases must be a sequence of Release; got {reprlib.repr(each)}")
    return releases


def _first_demanding(releases: tuple[Release, ...]) -> Release | None:
    return next((each for each in releases if each.mechanism.relation), None)


def _check_relations(plan: Plan) -> None:
    first = _first_demanding(plan.releases)
    for each in plan.releases:
        demanded = each.mechanism.relation
        if demanded and plan.relation and demanded != plan.relation:
            raise ValueError(
                f"relation must be {demanded}, which release {each.name!r} demands, or None; got {plan.relation!r}"
            )
        if demanded and demanded != first.mechanism.relation:
            raise ValueError(
                f"relation must be the same for all releases of a plan; got {first.mechanism.relation} from release "
                f"{first.name!r} and {demanded} from release {each.name!r}"
            )


def _check_parts(plan: Plan) -> None:
    parted = [each for each in plan.releases if each.part is not None]
    if not parted:
        return
    if plan.neighbours == "replace_one":
        raise ValueError(
            "part must be empty under replace_one, since replacing one record can change two parts and parallel "
            f"composition holds for add_remove only; got {parted[0].part!r} in release {parted[0].name!r}"
        )
    parts, mechanisms = len({each.part for each in parted}), len({each.mechanism for each in plan.releases})
    if parts * mechanisms > LARGEST_WORKLOAD:
        raise ValueError(
            f"part must take so few values that parts times different mechanisms is at most {LARGEST_WORKLOAD}; "
            f"got {parts} times {mechanisms}"
        )


def _check_drawn(plan: Plan) -> None:
    """Refuse samples and batches that the answers of a plan contradict."""
    said = plan.answers or Answers()
    for each in plan.releases:
        drawn = getattr(each.mechanism, "scheme", None)
        apart = each.mechanism.sampled or drawn in ("poisson", "truncated_poisson")
        otherwise = said.batches in ("shuffled", "fixed") or (said.batches == "poisson" and "poisson" not in str(drawn))
        if each.uses and apart and (otherwise or (each.mechanism.sampled and said.sample_secret is False)):
            raise ValueError(
                f"answers must be counted before several records of one unit are, since they say that {each.name!r} is "
                f"drawn otherwise than it is entered; got {said.batches or 'samples that are known'!r}"
            )
