"""What the table of releases takes from a browser beside its cells: rows that are pasted, and keys in their order."""

from __future__ import annotations

from streamlit.components import v2

from dpviz.ui.shell import page_state
from dpviz.ui.shell.document import table_state

KEY = "hands"
# The table's own paste ends at its last row, and a sign of two units, such as an emoji, moves all cells after it by a
# letter. So what is pasted into several cells goes to Python as it is. Where the cell stands, the table tells to
# readers of screens, a fifth of a second late.
# A key opens the editor of a cell, which is there a moment later; until then the table takes the next key for a new
# beginning. Likewise after a Tab. So keys wait for it, and are played in their order. The editor ends itself a moment
# after any key, once Tab or Enter was pressed, and after any but those two it forgets what was typed: keys that only
# write never reach it; the browser writes them all the same.
# What was typed reaches Python a moment after its cell is left: who presses a link from an open cell waits for that.
JS = """
const TABLE = "[class*='st-key-releases_']", EDITOR = "#portal textarea, #portal input";
const AFTER = 350;  // ms until the table has told which cell is chosen, and has sent what was typed
export default function ({ setTriggerValue }) {
  window.dpvizTook = found => setTriggerValue("pasted", found);
  if (window.dpvizHands) return;
  window.dpvizHands = true;
  // A table that was there before this was read hears of a paste first: it keeps its own way.
  const before = new WeakSet(document.querySelectorAll(TABLE + " canvas"));
  const canvas = () => document.activeElement?.closest?.(TABLE + " canvas");
  const send = (target, key) => {
    const copy = new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true });
    copy.dpviz = true;
    target.dispatchEvent(copy);
  };
  const editor = () => document.querySelector(EDITOR);
  let waiting = [], until = 0, playing = false, edited = 0;

  window.addEventListener("paste", event => {
    const open = document.activeElement?.matches?.(EDITOR) ? document.activeElement : null;
    const grid = open ? document.querySelector(TABLE + " canvas") : canvas();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!grid || before.has(grid) || !/[\\t\\n]/.test(text.replace(/\\r?\\n$/, ""))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (open) send(open, { key: "Escape" });  // rows are for the table, not for the one cell
    setTimeout(() => {
      const cell = grid.querySelector("td[aria-selected=true]");
      const titles = [...grid.querySelectorAll("th")].map(each => each.textContent);
      const row = cell ? cell.parentElement.getAttribute("aria-rowindex") - 2 : -1;
      const column = cell ? cell.getAttribute("aria-colindex") - 1 : 0;
      window.dpvizTook({ row, column, titles, text });
    }, AFTER);
  }, true);

  // Playing what waited
  const ready = () => {
    const open = editor();
    return open ? (document.activeElement === open ? open : null) : canvas();
  };
  const write = (field, key) => document.execCommand("insertText", false, key);
  const play = () => {
    if (!waiting.length) { playing = false; return; }
    const field = ready();
    if (performance.now() < until && !(field && settled(field))) { requestAnimationFrame(play); return; }
    const key = waiting.shift();
    const target = field ?? document.activeElement;
    if (target.matches(EDITOR) && key.key.length === 1) write(target, key.key);
    else {
      send(target, key);
      expect(target, key.key);
    }
    requestAnimationFrame(play);
  };
  // What is to come after a key: an editor after a letter in the table, the table after Tab or Enter in the editor.
  let wanted = null;
  const expect = (target, key) => {
    if (target.matches(EDITOR)) wanted = ["Tab", "Enter"].includes(key) ? "table" : null;
    else wanted = key.length === 1 && key !== " " ? "editor" : null;
    until = wanted ? performance.now() + 1500 : 0;
  };
  const settled = field => !wanted || (wanted === "editor" ? field.matches(EDITOR) : !editor());

  document.addEventListener("keydown", event => {
    if (event.dpviz || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const inside = event.target.closest?.(TABLE + ", #portal") || event.target === document.body;
    const field = ready();
    if (waiting.length || (wanted && performance.now() < until && !(field && settled(field)))) {
      if (!inside) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      waiting.push({ key: event.key, code: event.code, keyCode: event.keyCode, shiftKey: event.shiftKey });
      if (!playing) { playing = true; requestAnimationFrame(play); }
      return;
    }
    wanted = null;
    if (event.target.closest?.("#portal")) {
      edited = performance.now();
      const writes = event.target.tagName === "TEXTAREA" ? !["Enter", "Tab", "Escape"].includes(event.key)
        : event.target.tagName === "INPUT" && event.key.length === 1 && event.key !== " ";
      if (writes) event.stopPropagation();
      else expect(event.target, event.key);
    } else if (canvas()) expect(event.target, event.key);
  }, true);

  // A link from an open cell
  let opened = 0;
  document.addEventListener("pointerdown", () => { if (editor()) opened = performance.now(); }, true);
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.dpviz || performance.now() - Math.max(opened, edited) > 1000) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const running = () => document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";
    const start = performance.now();
    const go = () => {
      const passed = performance.now() - start;
      if (passed < AFTER || (running() && passed < 5000)) { setTimeout(go, 50); return; }
      const copy = new MouseEvent("click", { bubbles: true, cancelable: true, view: window });
      copy.dpviz = true;
      link.dispatchEvent(copy);
    };
    go();
  }, true);
}
"""
_listen = v2.component("dpviz_hands", js=JS)


def listen() -> None:
    """Draw what hears of pasted rows, and of keys, in the browser; nothing is seen of it."""
    _listen(key=KEY, on_pasted_change=_take)


def _take() -> None:
    """Take pasted rows; a callback."""
    found = page_state.held(KEY).get("pasted") or {}
    table_state.paste(found["row"], found["column"], found["titles"], found["text"])
