"""What a browser keeps of the work: undo and redo for its tab, and the last plan for the next visit.

Nobody else sees it. A plan that is too large for an address is not kept.
"""

from __future__ import annotations

from streamlit.components import v2

from dpviz.history import LONGEST_PAST
from dpviz.plan import Document
from dpviz.plan.files import permalink
from dpviz.ui.shell import examples, page_state, reading, shell
from dpviz.ui.shell.document import address, session

KEY = "browser"
LAST = "dpviz.last"  # where the browser keeps name and address of the plan that was worked on last
# A session that knows no former state asks once for those that were kept around the same present one.
JS = """
const STEPS = "dpviz.steps";
export default function ({ data, setTriggerValue }) {
  try {
    if (data.last) localStorage.setItem("dpviz.last", JSON.stringify(data.last));
    const { session, marks, at, token } = data;
    const old = JSON.parse(sessionStorage.getItem(STEPS)) ?? { marks: [], tokens: {} };
    const there = old.marks.length > 1 && old.tokens[old.marks[old.at]] === token;
    if (marks.length === 1 && there && old.session !== session && window.dpvizAsked !== session) {
      window.dpvizAsked = session;
      const pairs = old.marks.map(mark => [mark, old.tokens[mark]]);
      setTriggerValue("kept", { past: pairs.slice(0, old.at), future: pairs.slice(old.at + 1) });
      return;
    }
    if (!data.last) return; // nothing of one's own yet: what another page of this tab has kept stays
    const tokens = {};
    for (const mark of marks) if (old.tokens[mark]) tokens[mark] = old.tokens[mark];
    if (token) tokens[marks[at]] = token;
    sessionStorage.setItem(STEPS, JSON.stringify({ session, marks, at, tokens }));
  } catch { /* a browser that keeps nothing, or has no room */ }
}
"""
_browser = v2.component("dpviz_browser", js=JS)


def keep() -> None:
    """Draw what lets the browser keep the work, and gives it back to a new session; nothing is seen of it."""
    marks, at = session.marks()
    token = address.token()
    last, read = address.last(), reading.level()
    last += f"&read={read}" * bool(last and read != reading.NUMBERS)
    named = last and {"name": examples.title(session.document().name), "search": last}
    data = {"session": session.visit(), "marks": marks, "at": at, "token": token, "last": named}
    _browser(key=KEY, data=data, on_kept_change=_take_back)


@shell.guarded
def _take_back() -> None:
    """Take back what undo and redo led to before the session was new; a callback."""
    found = page_state.held(KEY).get("kept") or {}
    session.restore(former(found.get("past"), -1)[::-1], former(found.get("future"), 1))


def former(kept: object, way: int) -> list[tuple[str, Document]]:
    """Return the states that a browser has kept, the nearest first, as far as they can be read.

    Parameters
    ----------
    kept : object
        Pairs of name and token, from a browser: anything may stand there.
    way : int
        Whether the nearest is the first of them (1) or the last (-1).
    """
    found = []
    for pair in (kept if isinstance(kept, list) else [])[::way][:LONGEST_PAST]:
        try:
            mark, token = pair
            found.append((str(mark)[:16], permalink.document(str(token))))
        except (TypeError, ValueError):  # none, or one that no link holds: what lies beyond it cannot be reached
            break
    return found
