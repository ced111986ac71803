"""What tests of saved plans share: a database of their own, and whoever asks."""

from pathlib import Path

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.plan import Document
from dpviz.store import Database, Key, Ledger
from dpviz.store.people import LOCAL
from dpviz.ui.shell import shell
from tests.pages.workbench import whole

HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) $$\\frac{1}{2}$$ :smile:"
SMALL = Document(Plan([Release("visits", Laplace.from_epsilon(0.5), 3)], Guarantee(2.0, 1e-6), "person"), "Visits")


class Store:
    """A database in a folder of its own, which tests look into beside the page."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.file, self._patch = folder / "plans.db", patch
        self.database = Database(str(self.file))
        self.move(str(self.file))

    def move(self, location: str) -> None:
        """Let the server have its database there from now on."""
        self._patch.setenv("DPVIZ_DATABASE", location)

    def ask_as(self, person: str | None, **claims: object) -> None:
        """Let somebody ask, by the e-mail of their login; "" for somebody who has not logged in, None for no login."""
        user = {"is_logged_in": bool(person), "email": person, "email_verified": True} | claims
        self._patch.setattr(streamlit, "user", {} if person is None else user)
        self._patch.setattr(streamlit, "secrets", {"auth": {"client_id": "dpviz"}})

    def plans(self, person: str = LOCAL):
        return self.database.plans(person)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = Store(tmp_path, monkeypatch)
    yield made
    made.database.close()


def in_force(store: Store, version: str, project: str) -> Ledger:
    """The ledger of a new project that takes a version into force, by a budget of 2 for life."""
    store.database.projects().create(project)
    ledger = store.database.ledger(project)
    ledger.open_budget(Key("census", "person"), 2.0, 1e-6, reference="budget")
    ledger.take_into_force(version, reference="plan")
    return ledger


def listed(**parameters: str) -> AppTest:
    """The page My plans at an address."""
    app = AppTest.from_file(str(shell.ROOT / "app.py"), default_timeout=600).switch_page("pages/my_plans.py")
    for name, value in parameters.items():
        app.query_params[name] = value
    return whole(app.run())
