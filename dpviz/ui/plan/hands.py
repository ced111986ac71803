"""What the table of releases takes from a browser beside cells: pasted rows, orders to rows, keys in their order."""

from __future__ import annotations

from streamlit.components import v2

from dpviz.ui.plan.asked import RELEASE
from dpviz.ui.shell import page_state, row_choice
from dpviz.ui.shell.document import table_state

KEY, LOOKED = "hands", "looked_row"
ROW = 35  # pixels of a row of the table, and of its head
# The table's own paste ends at its last row, and a sign of two units, such as an emoji, moves all cells after it by a
# letter. So what is pasted into several cells goes to Python as it is. Where the cell stands, the table tells to
# readers of screens, a fifth of a second late.
# A key opens the editor of a cell, which is there a moment later; until then the table takes the next key for a new
# beginning. Likewise after a Tab. So keys wait for it, and are played in their order. The editor ends itself a moment
# after any key, once Tab or Enter was pressed, and after any but those two it forgets what was typed: keys that only
# write never reach it; the browser writes them all the same.
# An order moves or removes the row of the chosen cell. Python draws a new table then, in which the cell is chosen
# again; keys that come meanwhile wait for it, too.
# What was typed reaches Python a moment after its cell is left: who presses a link from an open cell waits for that.
# A panel opens beneath the table, often out of sight: it is brought there, the table above it; that of one release
# opens on the row of the cell that was chosen last.
JS = """
const TABLE = "[class*='st-key-releases_']", EDITOR = "#portal textarea, #portal input";
const AFTER = 350;  // ms until the table has told which cell is chosen, and has sent what was typed
const NEAR = 120;  // pixels that are not worth a jump of the page
const MOST_BROUGHT = 5;  // frames until a list has heard of its highlight
const CALM = 500;  // ms in which nobody types
const BUSY = 6000;  // ms that a busy browser may take to give the focus back
const LOOKS = 90;  // pictures that it draws in 1.5 s at leisure: a busy one has more time, as it draws fewer
export default function ({ setTriggerValue, data }) {
  window.dpvizTell = setTriggerValue;
  window.dpvizRows = data.rows;
  window.dpvizDue = data.due;
  window.dpvizSettle?.();
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
  const running = () => document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";
  const pause = time => new Promise(go => setTimeout(go, time));
  const met = async (condition, most) => {
    const end = performance.now() + most;
    for (let left = most / 60; !condition() && (left > 0 || performance.now() < end); left -= 1) await pause(30);
    return condition();
  };
  let waiting = [], until = 0, looks = LOOKS, looking = false, playing = false, edited = 0, held = null;
  // For so long what is wanted may come: in time, and in pictures that the browser has drawn since.
  const allow = time => {
    until = time && performance.now() + time;
    looks = time ? 0 : LOOKS;
    if (looking || !time) return;
    looking = true;
    const look = () => {
      looks += 1;
      looking = looks < LOOKS;
      if (looking) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };

  // Where the chosen cell is, from 0; the row is -1 where none is in sight
  const chosen = grid => {
    const cell = grid?.querySelector("td[aria-selected=true]");
    const row = cell ? cell.parentElement.getAttribute("aria-rowindex") - 2 : -1;
    return { row, column: cell ? cell.getAttribute("aria-colindex") - 1 : 0 };
  };
  // What is typed in full in a list is meant, also where the list's highlight lies on another, or it is left by a
  // click, which would take nothing; then the only one that is left is meant, too.
  const named = leaving => {
    const box = editor(), typed = box?.tagName === "INPUT" ? box.value.trim().toLowerCase() : "";
    const options = typed ? [...document.querySelectorAll("#portal [id*=-option-]")] : [];
    const found = options.find(each => each.textContent.trim().toLowerCase() === typed);
    return found ?? (leaving && options.length === 1 ? options[0] : null);
  };
  // Whether the highlight lies elsewhere than on what is typed in full; it is brought there then.
  const elsewhere = box => {
    const option = named(false);
    if (!option || box.getAttribute("aria-activedescendant") === option.id) return false;
    // The first lets the list hear of pointers again, which keys end.
    for (let n = 0; n < 2; n += 1) option.dispatchEvent(new MouseEvent("mousemove", { bubbles: true }));
    return true;
  };
  let pointed = 0;  // when a cell was clicked last
  let clicked = false;  // and whether no key came since
  document.addEventListener("pointerdown", event => {
    if (!event.target.closest?.("#portal")) named(true)?.click();
    if (!event.target.closest?.(TABLE)) return;
    pointed = performance.now();
    clicked = true;
    if (!carrying && !waiting.length) wanted = null;  // a click undoes what a key was to bring, as a closed editor
  }, true);
  // Once another table is in the place of this one, the same cell is chosen, so many rows further, unless a visitor
  // went elsewhere.
  const follow = async (grid, by) => {
    const scroller = each => each.closest("[data-testid=stDataFrame]")?.querySelector(".dvn-scroller");
    const [old, next] = [scroller(grid), () => document.querySelector(TABLE + " canvas")];
    let top = old?.scrollTop;
    const renewed = () => {
      if (grid.isConnected) top = old?.scrollTop;
      return !grid.isConnected && next();
    };
    if (!await met(renewed, 5000)) return;
    const { row, column } = chosen(grid);
    const to = by ? Math.max(0, Math.min(row + by, window.dpvizRows - 1)) : row;
    const cell = () => next()?.querySelector(`#glide-cell-${column}-${to}`);
    if (top) scroller(next()).scrollTop = top;
    if (row < 0 || !await met(cell, 2000) || document.activeElement !== document.body) return;
    const begun = performance.now();
    next().focus();  // which chooses its first cell
    await pause(60);
    if (pointed < begun) cell()?.focus();  // else a visitor has chosen another meanwhile
  };


  // A table that was drawn first hears of a paste first, and takes none while the focus is elsewhere.
  let lent = null;
  const sink = document.body.appendChild(document.createElement("textarea"));
  Object.assign(sink, { tabIndex: -1, ariaHidden: "true" });
  sink.style.cssText = "position: fixed; top: 0; width: 1px; height: 1px; opacity: 0; pointer-events: none";
  const giveBack = () => {
    if (document.activeElement === sink && lent?.isConnected) lent.focus();
    lent = null;
  };
  document.addEventListener("keydown", event => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "v" || !canvas()) return;
    lent = canvas();
    sink.focus({ preventScroll: true });
    setTimeout(giveBack, 200);  // where nothing is pasted
  }, true);
  window.addEventListener("paste", event => {
    const open = document.activeElement?.matches?.(EDITOR) ? document.activeElement : null;
    const own = document.activeElement === sink ? lent : null;
    const grid = own ?? (open ? document.querySelector(TABLE + " canvas") : canvas());
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!grid || !text || (!own && (before.has(grid) || !/[\\t\\n]/.test(text.replace(/\\r?\\n$/, ""))))) return;
    event.preventDefault();
    // Without a chosen cell the focus would choose the first one. Which is chosen, the table tells a moment later.
    const late = own && chosen(grid).row < 0;
    if (late) lent = null;
    else giveBack();
    event.stopImmediatePropagation();
    if (open) send(open, { key: "Escape" });  // rows are for the table, not for the one cell
    setTimeout(() => {
      const titles = [...grid.querySelectorAll("th")].map(each => each.textContent);
      const at = chosen(grid);
      window.dpvizTell("pasted", { ...at, titles, text });
      if (late && at.row < 0) sink.blur();  // or the next paste would go over the first rows
      else if (late) grid.focus();
      follow(grid, 0);
    }, AFTER);
  }, true);

  // Playing what waited
  const ready = () => {
    const open = editor();
    return open ? (document.activeElement === open ? open : null) : canvas();
  };
  const write = (field, key) => document.execCommand("insertText", false, key);
  // A busy browser may leave the focus nowhere for long: no key is played into nothing while the table is there.
  const awaited = field => {
    const late = !field && wanted && held?.isConnected ? BUSY : 0;
    return (looks < LOOKS || performance.now() < until + late) && !(field && settled(field));
  };
  let brought = 0;  // how often in a row the highlight of a list was
  const play = () => {
    if (!waiting.length) { playing = false; return; }
    const field = ready();
    if (awaited(field)) { requestAnimationFrame(play); return; }
    const target = field ?? document.activeElement;
    const leaves = target.matches("#portal input") && ["Enter", "Tab"].includes(waiting[0].key);
    if (leaves && brought < MOST_BROUGHT && elsewhere(target)) {
      brought += 1;
      requestAnimationFrame(play);
      return;
    }
    brought = 0;
    const key = waiting.shift();
    if (key.order !== undefined) carryOut(key.order);
    else if (target.matches(EDITOR) && key.key.length === 1) write(target, key.key);
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
    allow(wanted ? 1500 : 0);
  };
  const settled = field => !wanted || (wanted === "order" ? !carrying
    : wanted === "editor" ? field.matches(EDITOR) : !editor());

  // Orders: by how many rows one is moved, null where it is removed
  let carrying = false;
  const orderOf = event => {
    const main = event.ctrlKey || event.metaKey;
    if (main && !event.altKey && ["-", "Delete"].includes(event.key)) return null;
    return !main && event.altKey && !event.shiftKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
  };
  const hold = () => {
    carrying = true;
    wanted = "order";
    allow(9000);
  };
  // A table that was drawn anew for another reason, such as more rows, took the focus with it.
  const regain = async () => {
    const grid = held;
    held = null;
    hold();
    await follow(grid, 0);
    carrying = false;
    allow(0);
  };
  const carryOut = async order => {
    hold();
    await pause(AFTER);
    await met(() => performance.now() - pointed > 2 * AFTER, 2 * AFTER);  // a click is told later than a key
    await met(() => !running(), 2000);
    while (order && waiting[0]?.order) order += waiting.shift().order;  // one way, in one go
    const grid = canvas(), { row } = chosen(grid);
    if (row >= 0) {
      window.dpvizTell("ordered", { row, by: order });
      await follow(grid, order);
    }
    carrying = false;
    allow(0);
  };

  // A cell that means more than was typed says so once nobody types: a table that is drawn anew forgets an open cell.
  let settling = false, pressed = 0;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  window.dpvizSettle = async () => {
    if (settling) return;
    settling = true;
    for (let calm = 0; window.dpvizDue && calm < CALM;) {
      await pause(50);
      const touched = Math.max(pressed, pointed);  // a click is followed by keys
      calm = editor() || waiting.length || carrying || running() || performance.now() - touched < CALM ? 0 : calm + 50;
    }
    settling = false;
    if (!window.dpvizDue) return;
    const grid = canvas();
    if (grid) hold();
    window.dpvizTell("settled", window.dpvizDue);
    window.dpvizDue = "";
    if (!grid) return;
    await follow(grid, 0);
    carrying = false;
    allow(0);
  };

  document.addEventListener("keydown", event => {
    const order = orderOf(event);
    if (event.dpviz || event.isComposing) return;
    if (order === undefined && (event.ctrlKey || event.metaKey || event.altKey)) return;
    const inside = event.target.closest?.(TABLE + ", #portal") || event.target === document.body;
    // Two clicks at once, as a busy browser hears them, open an editor from which the table takes the focus again.
    const astray = clicked && !waiting.length && canvas() && order === undefined ? editor() : null;
    clicked = false;
    if (astray) {
      astray.focus();
      event.stopPropagation();  // what a key writes is written where the focus is
      if (event.key.length === 1) return;
      event.preventDefault();
      send(astray, { key: event.key, code: event.code, keyCode: event.keyCode, shiftKey: event.shiftKey });
      expect(astray, event.key);
      return;
    }
    const field = ready();
    if (canvas()) held = canvas();
    else if (event.key !== "Tab" && event.target === document.body && held?.isConnected === false) regain();
    if (waiting.length || (wanted && awaited(field))) {
      if (!inside) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      waiting.push({ key: event.key, code: event.code, keyCode: event.keyCode, shiftKey: event.shiftKey, order });
      if (!playing) { playing = true; requestAnimationFrame(play); }
      return;
    }
    wanted = null;
    if (order !== undefined) {
      if (!canvas()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      carryOut(order);
    } else if (event.target.closest?.("#portal")) {
      edited = performance.now();
      if (["Enter", "Tab"].includes(event.key) && elsewhere(event.target)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        waiting.push({ key: event.key, code: event.code, keyCode: event.keyCode, shiftKey: event.shiftKey });
        if (!playing) { playing = true; requestAnimationFrame(play); }
        return;
      }
      const writes = event.target.tagName === "TEXTAREA" ? !["Enter", "Tab", "Escape"].includes(event.key)
        : event.target.tagName === "INPUT" && event.key.length === 1 && event.key !== " ";
      if (writes) event.stopPropagation();
      else expect(event.target, event.key);
    } else if (canvas()) {
      expect(event.target, event.key);
      if (["Delete", "Backspace"].includes(event.key)) follow(canvas(), 0);  // an emptied row goes
    }
  }, true);

  // Undo and redo by keys, where nothing is being written
  document.addEventListener("keydown", async event => {
    const main = (event.ctrlKey || event.metaKey) && !event.altKey, key = event.key.toLowerCase();
    const name = !main ? "" : key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : "";
    const button = () => document.querySelector(`.st-key-${name} button:not(:disabled)`);
    if (!name || editor() || !(canvas() || document.activeElement === document.body)) return;
    event.preventDefault();
    const grid = canvas();
    await pause(AFTER);  // until what was typed last is in the plan
    await met(() => !running(), 2000);
    if (!button()) return;
    button().click();
    if (grid) follow(grid, 0);
  }, true);

  // Escape closes a list, and leaves what is chosen there
  document.addEventListener("keydown", event => {
    const box = event.key === "Escape" && event.target.closest?.("[data-testid=stSelectbox] input");
    if (!box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    box.blur();
    box.focus({ preventScroll: true });
  }, true);

  // A number of the promise is typed over, wherever in it one clicked; the next click into it chooses a place
  document.addEventListener("mousedown", event => {
    const box = event.target.closest?.(".st-key-promise .stTextInput input");
    if (!box || event.button || box === document.activeElement) return;
    event.preventDefault();
    box.focus({ preventScroll: true });
    box.select();
  }, true);

  // The second press of a double click takes the focus from what the first one opened, and closes a list
  document.addEventListener("dblclick", async event => {
    if (!event.target.closest?.(TABLE + ", #portal")) return;
    await pause(AFTER);
    const box = document.querySelector(EDITOR);
    if (box && box !== document.activeElement) box.focus();
    if (box?.getAttribute("aria-expanded") !== "false") return;
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  }, true);

  // A panel that is opened
  let looked = -1, touched = 0, acted = 0;
  const note = event => {
    const { row } = chosen(document.querySelector(TABLE + " canvas"));
    if (row >= 0) looked = row;
    if (event && event.type !== "focusout") acted = performance.now();
    if (event?.target.closest?.(TABLE + ", #portal")) touched = performance.now();
  };
  for (const kind of ["pointerdown", "keydown", "focusout"]) document.addEventListener(kind, note, true);
  // While that of one release is open, a click on a row opens it there; if one types in it, once that is sent, unless
  // one has gone on to the form.
  let rowClicks = 0;
  document.addEventListener("click", async event => {
    const pill = [...document.querySelectorAll(".st-key-panel button")].find(each => each.textContent === data.release);
    if (pill?.getAttribute("aria-checked") !== "true" || !event.target.closest?.(TABLE)) return;
    const mine = ++rowClicks, grid = event.target.closest("[data-testid=stDataFrame]");
    const [scrolled, shown] = [grid?.querySelector(".dvn-scroller"), grid?.querySelector("canvas")];
    if (!shown) return;
    const down = event.clientY - shown.getBoundingClientRect().top;  // the table tells later which cell is chosen
    const row = down < data.height ? -1 : Math.floor((down + scrolled.scrollTop) / data.height) - 1;
    await pause(AFTER);
    note();
    const typed = !!editor();
    while (editor()) {
      if (!await met(() => !editor(), 60000)) return;
      await pause(AFTER);
    }
    const here = document.activeElement;
    if (mine !== rowClicks || (typed && here !== document.body && !here?.closest(TABLE))) return;
    if (row >= 0) window.dpvizTell("looked", { row });
  }, true);
  document.addEventListener("click", async event => {
    const pill = event.target.closest?.(".st-key-panel button, .st-key-make_fit button");
    if (!pill || pill.getAttribute("aria-checked") === "true") return;
    if (pill.textContent === data.release) {
      if (performance.now() - touched < AFTER) await pause(AFTER);
      const since = acted;  // a visitor who has gone on meanwhile looks elsewhere
      const told = () => acted > since || chosen(document.querySelector(TABLE + " canvas")).row >= 0;
      if (performance.now() - touched < BUSY) await met(told, 4 * BUSY);  // a busy browser tells it later
      note();
      if (looked >= 0 && acted === since) window.dpvizTell("looked", { row: looked, opened: true });
    }
    const place = () => document.querySelector(".st-key-panel_place");
    if (!await met(() => place()?.clientHeight > 20, 5000)) return;
    const [pills, head] = [document.querySelector(".st-key-panel"), document.querySelector(".st-key-head")];
    const [top, begins] = [pills, place()].map(each => each.getBoundingClientRect().top);
    const [covered, beneath] = [head?.offsetHeight ?? 0, (head?.offsetHeight ?? 0) + 80];
    // Nothing moves under a hand for a line or two; beneath a long table the panel itself comes into sight.
    if (top >= covered && (begins < innerHeight / 2 || (top - beneath < NEAR && begins < innerHeight * 0.85))) return;
    const tall = begins - (top - beneath) > innerHeight * 0.85;
    const [shown, from] = tall ? [place(), innerHeight / 2] : [pills, beneath];
    shown.style.scrollMarginTop = from + "px";
    shown.scrollIntoView({ behavior: "smooth" });
  }, true);

  // A link from an open cell
  let opened = 0;
  document.addEventListener("pointerdown", event => {
    if (editor()) opened = performance.now();
    if (!event.target.closest?.(TABLE + ", #portal")) held = null;
  }, true);
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.dpviz || performance.now() - Math.max(opened, edited) > 1000) return;
    event.preventDefault();
    event.stopImmediatePropagation();
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


def listen(rows: int, due: str) -> None:
    """Draw what hears of pasted rows, of orders and of keys, in the browser; nothing is seen of it.

    Parameters
    ----------
    rows : int
        How many the table has, blank ones aside.
    due : str
        Of a table that is to be drawn anew once nobody types in it, see `table_state.due`.
    """
    heard = {
        "on_pasted_change": _take,
        "on_ordered_change": _obey,
        "on_settled_change": table_state.settle,
        "on_looked_change": _look,
    }
    _listen(key=KEY, data={"rows": rows, "due": due, "release": RELEASE, "height": ROW}, **heard)


def _take() -> None:
    """Take pasted rows; a callback."""
    found = page_state.held(KEY).get("pasted") or {}
    table_state.paste(found["row"], found["column"], found["titles"], found["text"])


def _obey() -> None:
    """Move or remove a row; a callback."""
    found = page_state.held(KEY).get("ordered") or {}
    if found["by"] is None:
        table_state.on_screen(table_state.remove_row, found["row"])
    else:
        table_state.on_screen(table_state.move_row, found["row"], found["by"])


def _look() -> None:
    """Look at the row of the chosen cell in the panel of one release; a callback."""
    found = page_state.held(KEY).get("looked") or {}
    place = table_state.held_place(found["row"])
    if place is None and found.get("opened") and found["row"]:  # Enter in the last row leads on to a blank one
        place = table_state.held_place(found["row"] - 1)
    if place is not None:
        page_state.put({LOOKED: place})


def look() -> None:
    """Choose the row that was clicked last: until a page stands whole, a browser may tell the former choice again."""
    if (place := page_state.held(LOOKED)) is not None:
        row_choice.choose("row", place)


def looked() -> None:
    """Leave the choice of a row to its box again; at the end of a page."""
    page_state.put({LOOKED: None})
