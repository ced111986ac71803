"""Whoever performs a story on a page: by mouse, by touch, or by keys alone, counted."""

from __future__ import annotations

import contextlib
import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

from dpviz.ui.shell import plan_rows
from tests.browser.waiting import MOST_TRIES, NARROW, SIGHT, click, rest
from tests.browser.workbench import edit, holds, paste, settled

DRAWER = "Add, edit or remove"
LABELS = ("Release", "What it is", "Mechanism", "Noise", "Sensitivity", "Times", "How often")  # as rows are pasted
MOST_TABS = 120  # between any two places of a page
# Where the focus is: on an element, in its group, of which Tab reaches one member and arrows the others, or elsewhere.
FOCUS = """each => {
    const group = each.closest('[role=radiogroup],[role=tablist]') || each, at = document.activeElement;
    return !each.isConnected ? 'gone' : each.contains(at) ? 'on' : group.contains(at) ? 'in' : 'elsewhere';
}"""
WHERE = "(each => `${each.tagName} ${(each.ariaLabel || each.innerText || '').slice(0, 40)}`)(document.activeElement)"
BEHIND = "each => !!(each.compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING)"


class Hand:
    """A visitor's hand on a page.

    Parameters
    ----------
    page : Page

    Attributes
    ----------
    actions : int
        So far, by mouse: what was pressed, each box and cell that was filled, each paste.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def named(self, name: str) -> Locator:
        """Find what is pressed: a button, pill or tab of this name, its sign left aside."""
        text = re.compile(rf"^(\w+ )?{re.escape(name)}( \w+)?$")
        found = [self.page.get_by_role(role, name=text) for role in ("button", "radio", "tab")]
        return found[0].or_(found[1]).or_(found[2]).filter(visible=True).first

    def press(self, name: str) -> None:
        """Press a button, pill or tab, and wait until the page rests."""
        self.activate(self.named(name))
        settled(self.page)

    def activate(self, place: Locator) -> None:
        """Press what stands at a place."""
        raise NotImplementedError

    def fill(self, place: Locator, text: str) -> None:
        """Put a text into a box in the place of what it holds."""
        raise NotImplementedError

    def choose(self, place: Locator, option: str) -> None:
        """Choose an option of a select box."""
        raise NotImplementedError

    def release(self, **fields: str) -> None:
        """Add a release in the panel with all its fields, which are told by their labels."""
        if not self.page.locator(".st-key-row_add").is_visible():
            self.press(DRAWER)
        number = self._rows() + 1
        self.press("Add a release")
        expect(self.field("row")).to_have_value(re.compile(rf"^{number} · "))
        expect(self.field("cell_name")).to_have_value("New release")
        for label, text in fields.items():
            self._take(label, text)
        expect(self.field("row")).to_have_value(f"{number} · {fields['Release']}")
        settled(self.page)

    def releases(self, rows: str) -> None:
        """Add the releases of a spreadsheet."""
        for row in rows.splitlines():
            cells = zip(LABELS, row.split("\t"), strict=True)
            self.release(**{label: text for label, text in cells if text})

    def field(self, key: str) -> Locator:
        """Find the box of an input by its key."""
        return self.page.locator(f".st-key-{key}").get_by_role("textbox").or_(
            self.page.locator(f".st-key-{key}").get_by_role("combobox")
        )  # fmt: skip

    def _rows(self) -> int:
        return len(holds(self.page, lambda document: True).plan.releases)

    def _take(self, label: str, text: str) -> None:
        keys = dict(zip(LABELS, ("name", "kind", "mechanism", "noise", "sensitivity", "count", "cadence"), strict=True))
        place = self.field(f"cell_{keys[label]}")
        rest(self.page)  # what moves while a page is drawn stands at both places until it is done
        if place.input_value() == text:
            return
        if label not in ("What it is", "Mechanism", "How often"):
            self.fill(place, text)
            return
        self.choose(place, text)
        expect(place).to_have_value(text)
        # What a mechanism or a rhythm takes is filled in, which a visitor sees and then types over.
        holds(self.page, lambda document: plan_rows.rows_of(document.plan)[-1][keys[label]] == text)
        rest(self.page)


class Mouse(Hand):
    """Clicks, types into the table, and pastes there."""

    def activate(self, place: Locator) -> None:
        self.actions += 1
        click(place)

    def fill(self, place: Locator, text: str) -> None:
        self.actions += 1
        place.fill(text)
        self.page.keyboard.press("Tab")
        expect(place).to_have_value(text)
        rest(self.page)  # what is drawn meanwhile moves what is pressed next

    def release(self, **fields: str) -> None:
        row = self._rows()
        for column, text in fields.items():
            self.actions += 1
            edit(self.page, row, {"Release": "name", "Noise": "noise"}[column], text)
            holds(self.page, lambda document: len(document.plan.releases) == row + 1)
            settled(self.page)  # a new row fills its other cells, and a cell that is open meanwhile would be closed

    def releases(self, rows: str) -> None:
        self.actions += 1
        paste(self.page, self._rows(), "name", rows)


class Touch(Hand):
    """Taps; nothing that it sees is wider than the screen."""

    def press(self, name: str) -> None:
        super().press(name)
        assert self.page.evaluate(NARROW), name

    def activate(self, place: Locator) -> None:
        place.tap()

    def fill(self, place: Locator, text: str) -> None:
        place.tap()
        place.fill(text)
        place.blur()

    def choose(self, place: Locator, option: str) -> None:
        found = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(MOST_TRIES):  # a list that is open while the page is drawn anew is closed, which is seen
            with contextlib.suppress(TimeoutError):
                place.tap()
                found.tap(timeout=SIGHT * 1000)
                return
        raise AssertionError(f"{option} was not to be tapped in {place}")


class Keys(Hand):
    """Presses keys and nothing else, and counts them.

    Attributes
    ----------
    presses : int
        So far, each letter of a text among them.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.presses = 0

    def key(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            self.page.keyboard.press(name)
            self.presses += 1

    def reach(self, place: Locator) -> None:
        """Bring the focus to a place: by Tab, backwards if that is nearer, and within a group by arrows towards it."""
        place.wait_for()
        rest(self.page)
        target = place.element_handle()  # found once: to look for a name in a whole page takes longer than a key
        back, passed = target.evaluate(BEHIND), []
        for _ in range(MOST_TABS):
            while (at := target.evaluate(FOCUS)) == "gone":  # drawn anew
                target = place.element_handle()
            if at == "on":
                return
            passed.append(self.page.evaluate(WHERE))
            if at == "in":
                # Opens a tab as it passes, so that the page is drawn again; not every group goes round at its end.
                self.key("ArrowLeft" if target.evaluate(BEHIND) else "ArrowRight")
                rest(self.page)
            else:
                self.key("Shift+Tab" if back else "Tab")
        raise AssertionError(f"keys do not reach {place}, {'back' if back else 'forth'} over {passed}")

    def activate(self, place: Locator) -> None:
        self.reach(place)
        self.key("Enter")

    def fill(self, place: Locator, text: str) -> None:
        self.reach(place)
        self.key("ControlOrMeta+a")
        self.write(text)
        self.key("Tab")

    def choose(self, place: Locator, option: str) -> None:
        self.reach(place)
        found = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(MOST_TRIES):  # a list that is open while the page is drawn anew is closed, which is seen
            self.key("ControlOrMeta+a")
            self.write(option)
            with contextlib.suppress(TimeoutError):
                found.wait_for(timeout=SIGHT * 1000)
                break
        expect(found).to_be_visible()
        self.key("Enter")

    def write(self, text: str) -> None:
        """Type a text as a keyboard of any country does."""
        self.page.keyboard.insert_text(text)
        self.presses += len(text)
