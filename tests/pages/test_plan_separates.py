"""“What does it hide?” in the tab on what an attacker learns: asked from the address, answered from the promise."""

from dataclasses import replace

from dpviz import Guarantee, Laplace, Plan, RandomizedResponse, Release
from dpviz.plain import SYMBOLS
from dpviz.plan.units import KINDS, kinds
from dpviz.ui.plan.doors import WHOM
from dpviz.ui.plan.separates import UNKNOWN, UNREAD
from tests.pages.workbench import LEARNED, document, edit, opened, plain

STAYS = Plan([Release("Stays", Laplace.from_epsilon(0.1))], Guarantee(1.0), "user-day")


def answered(plan: Plan, **asked: str) -> str:
    app = opened(plan, tab=LEARNED, **asked)
    told = (plain(each.value) for each in app.markdown)
    signs = (" Hidden", " Hidden less well: ", " Not hidden: ")
    return next(each for each in told if any(sign in each for sign in signs))


def test_a_day_is_covered_and_a_week_is_seven():
    """What is asked follows from the unit."""
    app = opened(STAYS, tab=LEARNED, sepwho="one person's records of one day")
    assert not {"seprecords", "seppeople"} & {each.key for each in app.text_input}
    told = [plain(each.value) for each in app.markdown]
    assert any(" Hidden: the promise is for adding or removing one user-day." in each for each in told)
    week = answered(STAYS, sepdays="7")
    assert "7 days touch up to 7 of them. Then ε is at most 0.7" in week and "more than the budget" not in week
    over = answered(replace(STAYS, budget=Guarantee(0.05)), sepwho="one person's records of one day")
    assert ":material/warning: Hidden: " in over and "That is more than the budget of ε = 0.05." in over


def test_other_units_ask_other_facts():
    """Records of a trip; people of a person; people read it without signs."""
    trips = Plan(STAYS.releases, STAYS.budget, "trip")
    assert "5 of them differ. Then ε is at most 0.5" in answered(trips, seprecords="5")
    several = answered(Plan(STAYS.releases, STAYS.budget, "person"), sepwho="several people", seppeople="3")
    assert "3 people differ" in several
    swapped = Plan(STAYS.releases, STAYS.budget, "person", "replace_one")
    told = answered(swapped, read="people", sepchange="present or absent")
    assert "not for whether it is there" in told and not SYMBOLS.search(told)
    assert not SYMBOLS.search(answered(STAYS, read="people", sepdays="7"))


def test_without_a_unit_nothing_is_said():
    """The promise names nobody."""
    plan = Plan(STAYS.releases, STAYS.budget)
    assert "nobody said whom the promise is about" in answered(plan, sephow="present or absent")


def test_what_a_word_cannot_tell_is_asked_and_what_it_was_taken_for_is_said():
    """How many of it, and how many people; too many are refused in a sentence. Every word of a door is known."""
    unknown = Plan(STAYS.releases, STAYS.budget, "glurb")
    app = opened(unknown, tab=LEARNED, sepwho="several people", seppeople="3", seprecords="2")
    assert {"seprecords", "seppeople"} <= {each.key for each in app.text_input}
    said = "3 people differ; each may stay in the data with other records"
    assert any(said in plain(each.value) for each in app.markdown)
    assert any("Nobody has said whether a “glurb” is a person" in each.value for each in app.caption)
    many = opened(unknown, tab=LEARNED, sepwho="several people", seppeople="1000000")
    assert any("So much cannot be counted here." in each.value for each in many.warning)
    assert all(kinds(word) != tuple(KINDS) for word in WHOM)


def test_whether_there_are_other_records_is_asked_with_yes_and_no():
    """Of a person's own period yes at first; of days no, which costs more; of replaced units their length is named."""
    yearly = Plan(STAYS.releases, STAYS.budget, "person-year")
    assert " Hidden: the promise is for adding or removing one person-year." in answered(yearly, sepwho="one person")
    assert "one may stay in the data with other records" in answered(yearly, sepwho="one person", sepwhole="no")
    assert "one may stay in the data with other records" in answered(yearly, sepwho="one person", sepdays="1")
    assert " Hidden: " in answered(yearly, sepwho="one person", sepdays="1", sepalone="yes")
    for garbage in ("x", "7"):  # of a link: what is none falls back
        assert "idden: " in answered(yearly, sepspan=garbage, sepdays=garbage, sepwhole=garbage, sepwho=garbage)
    assert "one may stay in the data with other records" in answered(yearly, sepwho="one event, or a few")
    clients = replace(yearly, unit="client-year")
    assert " Hidden: " in answered(clients, sepspan="x") and "2 of them differ" in answered(clients, seprecords="2")
    for asked in ({"seprecords": "2"}, {"sepalone": "no"}, {"sepalone": "no", "seprecords": "1"}):
        assert "Hidden less well" in answered(clients, **asked), "as a link from before says it"
    for unit in ("client", "visitor"):
        assert " Hidden: " in answered(replace(yearly, unit=unit), sepspan="x", sepwho="one person", sephow="x")
        assert "Hidden less well" in answered(replace(yearly, unit=unit), sepwhole="no")
    for unit in ("hospital-year", "device-week", "company-week", "vehicle-week"):  # which others may use, too
        assert "Hidden less well" in answered(replace(yearly, unit=unit), sepspan="x", sepwho="one person")
    assert " Hidden: " in answered(replace(yearly, unit="device"), sepalone="yes")
    homes = Plan(STAYS.releases, STAYS.budget, "household-year")
    app = opened(homes, tab=LEARNED, sepwho="several people")
    assert app.selectbox(key="sepwhom").value == "people" and "sepwho" not in app.query_params
    app = app.selectbox(key="sepwhom").set_value("unit").run()
    assert app.selectbox(key="sepwhom").value == "unit" and not app.exception
    told = answered(homes, sepspan="x", sephow="x")
    assert " Hidden: the promise is for adding or removing one household-year." in told
    assert "one may stay in the data with other records" in answered(homes, sepwho="one person")
    swapped = Plan(STAYS.releases, STAYS.budget, "person-year", "replace_one")
    assert " Hidden: the promise is for replacing" in answered(swapped, sepwho="one person")
    assert "not for whether it is there" in answered(swapped, sepwho="one person", sepchange="present or absent")
    replaced = Plan(STAYS.releases, STAYS.budget, "person-year", "replace_one")
    told = answered(replaced, sepdays="400", sepwho="one person", sepchange="present or absent", read="people")
    assert "longer than the one year of the promise" in told
    app = opened(yearly, tab=LEARNED, sepwho="one person")
    assert UNREAD in [each.value for each in app.caption]


def test_surveys_that_are_answered_openly_are_said_to_be():
    """Of presence, which their chance does not hide; and rows that do not count are said to be missing."""
    asked = Plan([*STAYS.releases, Release("Survey", RandomizedResponse(1.0))], STAYS.budget, "person")
    told = answered(asked, sepwho="one person")
    assert " Hidden: the promise is for " in told and "Only whether somebody answers “Survey” is not hidden." in told
    unknown = Plan(STAYS.releases, STAYS.budget, "glurb-year")
    assert " Hidden: the promise is for adding or removing one glurb-year." in answered(unknown, sepwhom="several")
    assert "Survey" not in answered(asked, sephow="there in both, with another value")
    assert "Survey" not in answered(replace(asked, relation="replace_one"), sepwho="one person")
    app = edit(opened(asked, tab=LEARNED, sepwho="several people"), {0: {"noise": "nonsense"}})
    assert any("Rows that do not count yet are in no number of this answer." in each.value for each in app.warning)


def test_what_is_said_of_somebody_is_in_no_link():
    """It is kept for this session alone."""
    app = opened(STAYS, tab=LEARNED, sepdays="7", sepalone="yes")
    app = app.text_input(key="world1_presence").set_value("Anna was hurt in 2027.").run()
    assert not any("Anna" in str(value) for value in app.query_params.values())
    assert app.query_params["sepdays"] == "7"
    assert "Anna" not in str(document(app)) and UNREAD in [each.value for each in app.caption]
    assert app.session_state["_world1"] == app.text_input(key="world1_presence").value == "Anna was hurt in 2027."
    app = app.selectbox(key="sephow").set_value("value").run()
    assert app.text_input(key="world1_value").value == "Anna was hurt in 2027.", "what was typed stays"
    assert app.text_input(key="world2_value").value == "", "a link said what differs, and no sentence"


def test_the_sentences_go_with_what_differs():
    """Until somebody types others; who is not in the data has no records there, until it is said that some are."""
    app = opened(replace(STAYS, unit="client-year"), tab=LEARNED)
    app.session_state["separates"] = True
    app = app.run()
    assert app.text_input(key="world2_presence").value == "Anna is not in the data."
    assert any(" Hidden: the promise is for " in plain(each.value) for each in app.markdown)
    app = opened(replace(STAYS, unit="client-year"), tab=LEARNED, sepwhole="no")
    assert app.text_input(key="world2_part").placeholder == UNKNOWN and not app.text_input(key="world2_part").value
    assert any("one may stay in the data with other records" in plain(each.value) for each in app.markdown)
    app = opened(STAYS, tab=LEARNED)
    app.session_state["separates"] = True
    app.run().selectbox(key="sephow").set_value("value")
    app.session_state["separates"] = True
    app = app.run()
    worlds = [app.text_input(key=f"world{number}_value").value for number in (1, 2)]
    assert worlds == ["Anna's records are as they are.", "Anna's records say something else."]
