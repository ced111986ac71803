"""Plans and versions, drafts and members; hostile names are text; the tables are what the migrations leave."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan import Document, Uncounted
from dpviz.plan.files import document_text
from dpviz.plan.store import NotKept
from dpviz.store import Database, Key, SavedMeanwhile, Term, tables, verify
from dpviz.store.people import NotAllowed
from tests.plan_strategies import PLANS

PLAN = Plan([Release("Visits", Laplace.from_epsilon(0.1), 3)], Guarantee(1.0, 1e-6), "person")
DOCUMENT = Document(PLAN, "Year 2026")
HOSTILE = (
    "'; DROP TABLE plans; --", 'x" OR "1"="1', "%", "_", "\\", "100 %_\\", "<script>alert(1)</script>", "{{7*7}}",
    "${HOME}", "../../etc/passwd", "naïve Ωμέγα 表", "\u202eright to left", "😀", "=1+1", "null", ":name", "%(name)s",
    "?", "a/b/2",
)  # fmt: skip


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.rest)])
def anywhere(request: pytest.FixtureRequest, database: Database, clock):
    """A database of either kind that nobody has used yet."""
    if request.param == "sqlite":
        yield database
        return
    made = Database(request.getfixturevalue("postgres"), clock)
    yield made
    made.close()


def test_every_save_is_a_version(anywhere):
    plans = anywhere.plans()
    first = plans.save(DOCUMENT)
    second = plans.save(replace(DOCUMENT, name="Year 2027"), over=first)
    assert [each.title for each in plans.versions(first)] == ["Year 2026", "Year 2027"]
    assert plans.open(first) == DOCUMENT and plans.open(second).name == plans.open(first[:16]).name == "Year 2027"
    assert plans.list() == (second,)
    copy = plans.duplicate(first)
    assert plans.list() == (second, copy) and plans.open(copy) == DOCUMENT
    plans.rename(copy, "Copy")
    plans.archive(second)
    assert [each.title for each in plans.search()] == ["Copy"] and plans.open(copy) == DOCUMENT
    assert [each.title for each in plans.search(archived=True)] == ["Year 2027"]
    plans.archive(second, False)
    assert [each.name for each in plans.search("year 27")] == [second] and not plans.search("year 28")
    for bad in ("3", "0", "-1", "9" * 40, "²"):
        with pytest.raises(NotKept):
            plans.open(f"{first[:16]}/{bad}")


def test_nobody_writes_over_what_somebody_saved_meanwhile(anywhere):
    """Both are there, and nothing is lost."""
    anywhere.projects("a@x").create("census")
    anywhere.projects("a@x").invite("census", "b@x", "analyst")
    mine, theirs = anywhere.plans("a@x"), anywhere.plans("b@x")
    first = mine.save(DOCUMENT)
    mine.share(first, "census")
    second = theirs.save(replace(DOCUMENT, name="Theirs"), over=first)
    wanted = replace(DOCUMENT, name="Mine")
    with pytest.raises(SavedMeanwhile, match="b@x saved version 2 meanwhile") as refused:
        mine.save(wanted, over=first)
    assert refused.value.mine == wanted and refused.value.theirs == theirs.open(second)
    assert refused.value.version.name == second
    assert mine.open(mine.save(wanted, over=second)).name == "Mine"


def test_others_plans_are_not_found(anywhere):
    """Whatever is asked, the answer does not tell whether there is such a plan."""
    owner, stranger = anywhere.plans("owner@x"), anywhere.plans("stranger@x")
    name = owner.save(DOCUMENT)
    deeds = (
        stranger.open, stranger.versions, stranger.archive, stranger.duplicate,
        lambda each: stranger.save(DOCUMENT, over=each), lambda each: stranger.rename(each, "Mine"),
        lambda each: stranger.share(each, None),
    )  # fmt: skip
    for deed in deeds:
        told = []
        for each in (name, name[:16], "0" * 16 + "/1"):
            with pytest.raises(NotKept) as error:
                deed(each)
            told.append(str(error.value).replace(each, "…").replace(each[:16], "…"))
        assert len(set(told)) == 1
    assert stranger.list() == () and owner.list() == (name,)
    owner.keep_draft(name[:16], DOCUMENT)
    with pytest.raises(NotKept):
        stranger.draft(name[:16])


def test_members_of_a_project_see_what_is_shared_with_it(anywhere):
    owner = anywhere.plans("owner@x")
    anywhere.projects("owner@x").create("census")
    for role in ("viewer", "analyst"):
        anywhere.projects("owner@x").invite("census", f"{role}@x", role)
    name = owner.save(DOCUMENT)
    viewer, analyst = anywhere.plans("viewer@x"), anywhere.plans("analyst@x")
    assert viewer.list() == ()
    owner.share(name, "census")
    assert viewer.list() == analyst.list() == (name,) and viewer.open(name) == DOCUMENT
    assert viewer.search()[0].project == "census" and viewer.search()[0].owner == "owner@x"
    refused = (
        lambda: viewer.save(DOCUMENT, over=name),
        lambda: viewer.archive(name),
        lambda: analyst.share(name, None),
    )
    for deed in refused:
        with pytest.raises(NotAllowed):
            deed()
    newer = analyst.save(replace(DOCUMENT, name="By an analyst"), over=name)
    assert [each.author for each in owner.versions(name)] == ["owner@x", "analyst@x"]
    owner.share(newer, None)
    with pytest.raises(NotKept):
        viewer.open(name)
    with pytest.raises(NotKept, match="project must be one of yours"):
        owner.share(newer, "another")


def test_which_versions_are_in_force(anywhere, clock):
    """As each project's ledger says, and of other people's projects nothing; hostile titles are no version."""
    plan = replace(PLAN, budget=Guarantee(9.0, 1e-6))
    ada, bob = anywhere.plans("ada"), anywhere.plans("bob")
    first = ada.save(Document(plan, "Year"))
    second = ada.save(Document(plan, f'x","version":"{first}'), over=first)
    other = ada.save(Document(plan, f'"version":"{first}"'))
    for project, term in (("census", Term()), ("survey", Term.rolling(60))):
        anywhere.projects("ada").create(project)
        ledger = anywhere.ledger(project, "ada")
        for holder in ("", "team"):
            ledger.open_budget(Key(project, "person", holder=holder), 9.0, 1e-5, term=term, reference=f"b{holder}")
        for version in (first, second, other):
            ledger.take_into_force(version, key=Key(project, "person"), reference=version)
        assert [each.told["version"] for each in ledger.in_force()] == [first, second, other]
    anywhere.projects("ada").invite("survey", "bob", "viewer")

    def told(*found) -> list[tuple]:
        return [(each.version, each.project, each.budgets) for each in found]

    census, survey = ([(each, project, (1,)) for each in (first, second)] for project in ("census", "survey"))
    assert told(*ada.in_force(first)) == told(*ada.in_force(second[:16])) == [*census, *survey]
    assert told(*bob.in_force(first)) == survey and len(ada.in_force(other)) == 2
    assert told(*anywhere.plans().in_force(first)) == [*census, *survey]
    assert not anywhere.plans("eve").in_force(first, second) and not ada.in_force() and not ada.in_force("%", "_", "'")
    anywhere.ledger("census", "ada").give_back(second, reference="back")
    clock.later(61)
    assert told(*ada.in_force(first, other)) == [census[0], (other, "census", (1,))]


def test_what_is_typed_is_kept_as_a_draft(anywhere):
    plans = anywhere.plans()
    for name in ("new", "3f2a"):
        for step in range(3):
            plans.keep_draft(name, replace(DOCUMENT, name=f"{name} {step}"))
    assert plans.drafts() == ("new", "3f2a") and plans.draft("new").name == "new 2"
    plans.drop_draft("new")
    plans.drop_draft("never")
    assert plans.drafts() == ("3f2a",) and plans.list() == ()
    with pytest.raises(NotKept):
        plans.draft("new")


def test_hostile_names_are_text(anywhere):
    """Of plans, people, projects, keys, references and notes; and what is searched for."""
    for number, name in enumerate(HOSTILE):
        person = f"{name} {number}" if name.isprintable() else f"person {number}"
        kept = anywhere.plans(person).save(Document(PLAN, name, author=name))
        assert anywhere.plans(person).open(kept).name == name
        assert [each.title for each in anywhere.plans(person).search(name)] == [name]
        anywhere.projects(person).create(name)
        ledger = anywhere.ledger(name, person)
        ledger.open_budget(Key(name, "person", name, name, name), 1.0, reference=name, note=name)
        ledger.spend(asked=Guarantee(0.1), reference=f"{name} again", note=name)
        assert ledger.take_into_force(kept, reference=f"{name} plan").told["name"] == name
        assert ledger.verify().holds and verify(ledger.export()).project == name
    assert len(anywhere.plans().search("%")) == 3  # as text: "%", "100 %_\", "%(name)s"
    assert len(anywhere.projects().list()) == len(HOSTILE)


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "a\nb", "a\x00b", "\ud800", None, 7])
def test_names_that_are_none_are_refused(database, name):
    database.projects().create("census")
    ledger = database.ledger("census")
    for deed in (
        lambda: database.projects().create(name),
        lambda: Key(name, "person"),
        lambda: ledger.open_budget(Key("census", "person"), 1.0, reference=name),
    ):
        with pytest.raises(ValueError, match="must be"):
            deed()
    assert not ledger.entries()


def test_letters_that_cannot_be_written_are_refused(database):
    with pytest.raises(ValueError, match="surrogates"):
        database.plans().save(Document(PLAN, "\ud800"))
    assert database.plans().list() == ()


@given(PLANS, st.lists(st.tuples(st.integers(0, 9), st.text("aé<\x00\x1e\n", max_size=300)), max_size=3))
def test_a_document_is_kept_without_loss(plan, rows):
    uncounted = tuple(Uncounted(place, (("name", text),)) for place, text in rows)
    document = Document(plan, "A plan", baseline=PLAN, baseline_name="A", uncounted=uncounted, questions=("promise",))
    assert document_text.read(document_text.written(document)) == document


def test_the_tables_are_what_the_migrations_leave(anywhere):
    anywhere.plans().save(DOCUMENT)
    with anywhere.connection.reading() as connection:
        assert not compare_metadata(MigrationContext.configure(connection), tables.metadata)


def test_no_statement_is_put_together_from_text():
    """All SQL but constants is built by SQLAlchemy: none is formatted, joined or added up, and `text` is not used."""
    folder = Path(tables.__file__).parent
    speaks = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|REVOKE|PRAGMA|BEGIN)\b")
    files = sorted(folder.glob("*.py"))
    assert len(files) > 10
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.JoinedStr():
                    assert not speaks.search(ast.unparse(node)), file
                case ast.BinOp(left=ast.Constant(str(words))) | ast.Attribute(value=ast.Constant(str(words))):
                    assert not speaks.search(words), file
                case ast.Call(func=ast.Attribute(attr="text") | ast.Name("text")):
                    raise AssertionError(f"{file}: {ast.unparse(node)}")


def test_what_a_person_is_called_is_checked(database):
    for person in ("", "a\nb", "x" * 321, None):
        with pytest.raises(ValueError, match="person must be"):
            database.plans(person)
