"""The report of a plan: one HTML page that opens offline, holds no script and prints on two sheets; or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import urlsplit

from dpviz.parameters import checked
from dpviz.plain import in_plain_words
from dpviz.plan import Plan, Release
from dpviz.planning.advice.finding import FAULT
from dpviz.report.certificate import certificate_sentence
from dpviz.report.charts import bars, steps
from dpviz.report.facts import facts
from dpviz.report.subject import Subject
from dpviz.report.words import asked_in_words, day_in_words, given_in_words, noise_in_words, when_in_words
from dpviz.rounding import (
    delta_in_words,
    shown_change,
    shown_count,
    shown_delta,
    shown_down,
    shown_error,
    shown_quantity,
    shown_total,
    shown_up,
)

MOST_ROWS = 20  # releases printed; all of them are in the JSON
MOST_CHECKS = 8
NEAR = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # names of the reader's own machine
# Nothing is fetched and nothing runs, whatever a name in the plan says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
@page { size: A4; margin: 14mm }
:root { --ink: #1a1a1a; --paper: #fff; --faint: #555; --rule: #ddd; --bar: #0072B2; --pale: #b9b9b9; --limit: #b00020 }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 860px; margin: 24px auto; padding: 0 16px; color: var(--ink);
  background: var(--paper); overflow-wrap: anywhere }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 4px } h2 { font-size: 16px; margin: 20px 0 4px }
p { margin: 4px 0 } ul { margin: 4px 0; padding-left: 18px } a { color: var(--bar) }
.by, caption, footer { color: var(--faint) } .by { margin: 0 0 10px }
table { border-collapse: collapse; width: 100%; font-size: 12.5px } caption { text-align: left; padding: 0 6px 4px }
th, td { text-align: left; padding: 3px 6px; border-bottom: 1px solid var(--rule); vertical-align: top;
  overflow-wrap: break-word }
td:first-child { min-width: 8em; overflow-wrap: anywhere }
.n { text-align: right } td.n { white-space: nowrap } .finding { font-size: 17px } .wide { overflow-x: auto }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif } svg text { fill: currentColor;
  paint-order: stroke; stroke: var(--paper); stroke-width: 3px }
svg rect.ink { fill: var(--bar) } svg rect.pale { fill: var(--pale) } svg path.ink { stroke: var(--bar) }
svg line.pale { stroke: var(--pale) } svg line.limit { stroke: var(--limit) }
footer { margin-top: 14px; font-size: 12px }
h2, caption, thead, thead tr, tbody tr:first-child { break-after: avoid } tbody tr:last-child { break-before: avoid }
tr, svg, li, .whole { break-inside: avoid } p { orphans: 3; widows: 3 }
@media screen { :root { color-scheme: light dark } }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #15181c; --faint: #a8adb4; --rule: #3a3f46; --bar: #4fb0ea; --pale: #5d646d;
    --limit: #ff7a86 }
}
@media screen and (max-width: 640px) {
  svg { font-size: 17px; overflow: visible } .wide { overflow: visible } thead { display: none }
  table, tbody, tr, td, caption { display: block }
  tr { border: 1px solid var(--rule); border-radius: 6px; margin: 0 0 8px; padding: 4px 2px }
  td, td.n { border: 0; text-align: left; white-space: normal; padding: 1px 8px } td:first-child { font-weight: 600 }
  td:not(:first-child)::before { content: attr(data-head) ": "; color: var(--faint) } td:empty { display: none }
}
@media print {
  body { margin: 0; max-width: none; padding: 0; font-size: 9.5px; line-height: 1.25 }
  svg { width: 62% } svg text { stroke: none }
  h1 { font-size: 15px } h2 { font-size: 11px; margin: 7px 0 2px } .finding { font-size: 11.5px }
  .by { margin: 0 0 4px }
  table { font-size: 8.5px } th, td { padding: 1px 4px } caption { padding: 0 4px 1px } .wide { overflow: visible }
  footer { margin-top: 6px; font-size: 9px }
}
"""


def as_json(subject: Subject | Plan) -> str:
    """Return the report as JSON text; see `dpviz.report.facts.facts` for its fields.

    Parameters
    ----------
    subject : Subject or Plan
        A plan alone has no name, author or date.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> '"dpviz":' in as_json(Subject(Plan([])))
    True
    """
    return json.dumps(facts(_subject(subject)), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _subject(given: Subject | Plan) -> Subject:
    return Subject(given) if isinstance(given, Plan) else checked(given, Subject, "subject", "a Plan or a Subject")


def html(subject: Subject | Plan) -> str:
    """Return the report as one self-contained HTML page.

    Parameters
    ----------
    subject : Subject or Plan
        The plan, and what else is said of it.

    Returns
    -------
    str
        No script, no request; every text that comes from the plan is escaped.

    Examples
    --------
    >>> from dpviz.plan import Plan
    >>> "<script" in html(Subject(Plan([], unit="<script>")))
    False
    """
    subject = _subject(subject)
    told, plan = facts(subject), subject.plan
    parts = _in_words(told, plan) if subject.people else [
        _head(told), _finding(told), _promise(told), _theorems(told), _spending(told), _errors(told, plan),
        _risk(told), _checks(told), _published(told), _comparison(told), _assumptions(told), _releases(told, plan),
        _foot(told),
    ]  # fmt: skip
    titled = f"{told['document']['name']}: privacy budget" if told["document"]["name"] else "Privacy budget"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(titled)} per {escape(plan.unit_in_words)}</title><style>{_STYLE}</style></head><body><main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main></body></html>\n"
    )


def _table(caption: str, heads: Sequence[str], rows: Iterable[Iterable[str]], numbers: tuple[int, ...] = ()) -> str:
    """A table of plain text; columns in `numbers` are set to the right. Narrow screens show a row as a card."""

    def row(tag: str, texts: Iterable[str], roles: str) -> str:
        cells = (
            f"<{tag} role={roles}{' class=n' if place in numbers else ''}"
            f'{_head_of(heads[place]) if tag == "td" else " scope=col"}>{escape(text)}</{tag}>'
            for place, text in enumerate(texts)
        )
        return f"<tr role=row>{''.join(cells)}</tr>"

    body = "".join(row("td", each, "cell") for each in rows)
    return (
        f'<div class="wide"><table role=table><caption>{escape(caption)}</caption>'
        f"<thead role=rowgroup>{row('th', heads, 'columnheader')}</thead>"
        f"<tbody role=rowgroup>{body}</tbody></table></div>"
    )


def _in_words(told: dict, plan: Plan) -> list[str]:
    """One page for who reads neither symbols nor theorems: what is used of the budget, how sure, how accurate."""
    learned = f"<h2>What an attacker could learn</h2><p>{escape(told['risk']['odds'])}</p>"
    faults = in_plain_words(_faults(told))
    return [_head(told), _used(told), faults, _left_out(told), learned, _ranges(told, plan), _foot(told)]


def _used(told: dict) -> str:
    """How much of what is allowed these releases use; rounded up."""
    budget, total, one = told["budget"], told["total"], told["one_unit"]
    spent, unit = (one or total)["epsilon"], escape(told["promise"]["unit_in_words"])
    about = f"{escape(told['promise']['relation_in_words'])}; {told['promise']['order_in_words']}"
    if spent is None:
        said = f"<b>Nothing bounds</b> what these releases reveal about one {unit}."
    elif not budget["epsilon"]:
        said = f"No limit is set for what these releases may reveal about one {unit}."
    elif budget["within"] is None:
        said = "Whether that is within what is allowed cannot be said."
    else:
        percent = f"{math.ceil(100 * spent / budget['epsilon']):,} %"
        verdict = "Within the budget" if budget["within"] else "More than the budget"
        said = f"<b>{verdict}:</b> these releases use at most <b>{percent}</b> of what is allowed for one {unit}."
    rarely = f"The promise holds {delta_in_words(budget['delta'])}."
    return f'<p class="finding">{said}</p><p>{about[0].upper()}{about[1:]}. {rarely}</p>'


def _ranges(told: dict, plan: Plan) -> str:
    """How far each number lies from the exact one."""
    pairs = list(zip(told["errors"], plan.releases, strict=False))[:MOST_ROWS]
    rows = [
        (row["release"], asked_in_words(release), when_in_words(release), shown_count(row["uses"]),
         "–" if row["half_width"] is None else f"{shown_error(row['half_width'])} {release.answer_unit or ''}".strip())
        for row, release in pairs
    ]  # fmt: skip
    heads = ("Release", "What it is", "When", "Times", "Off by at most, 19 times of 20")
    caption = "One number of each, by its noise" + _left(told["errors"])
    return "<h2>How accurate each number is</h2>" + _table(caption, heads, rows, (3, 4)) if rows else ""


def _head_of(head: str) -> str:
    """What a card names a cell by, since its row of heads is far away."""
    return f' data-head="{escape(head)}"'


def _head(told: dict) -> str:
    document = told["document"]
    by = [document["name"]]
    by += [f"by {document['author']}"] if document["author"] else []
    by += [day_in_words(document["date"])] if document["date"] else []
    line = f'<p class="by">{escape(" · ".join(filter(None, by)))}</p>' if any(by) else ""
    return f"<h1>What these releases cost one {escape(told['promise']['unit_in_words'])}</h1>{line}"


def _epsilon(total: dict, limit: float | None = None) -> str:
    if total["epsilon"] is None:
        return "no bound"
    return f"ε ≤ {shown_total(total['epsilon'], math.inf if limit is None else limit)}"


def _finding(told: dict) -> str:
    total, budget, promise = told["total"], told["budget"], told["promise"]
    uses = f"{shown_count(promise['uses'])} use{'s' * (promise['uses'] != 1)} of mechanisms"
    when = promise["order_in_words"]
    cost = f"<b>{escape(_epsilon(total, budget['epsilon']))}</b> at <b>δ = {shown_delta(budget['delta'])}</b>"
    by = (
        f" by {escape(total['label'])} ({escape(total['kind'])})"
        if total["theorem"]
        else f": {escape(total['reason'])}"
    )
    said = f'<p class="finding">{uses}, {when}: {cost}{by}{_one_unit(told)}. {_within(told)}</p>'
    return said + _faults(told) + _left_out(told)


def _faults(told: dict) -> str:
    """What makes the total another one than the plan costs, before anybody reads on."""
    found = [escape(each["sentence"]) for each in told["checks"] if each["severity"] == FAULT]
    return "".join(f'<p class="finding"><b>Not what this plan costs:</b> {each}</p>' for each in found[:MOST_CHECKS])


def _left_out(told: dict) -> str:
    """What stood in the table and is not counted."""
    named = escape("; ".join(told["left_out"]))
    return f'<p class="finding"><b>Not counted:</b> {named}.</p>' if named else ""


def _one_unit(told: dict) -> str:
    """What one unit loses, where the total is that of somebody in the data beyond the period that it names."""
    one = told["one_unit"]
    if one is None:
        return ""
    unit, cost = escape(told["promise"]["unit_in_words"]), _epsilon(one)
    return f", for all dates together; one {unit}, touched by one {one['window']}'s releases only: <b>{cost}</b>"


def _within(told: dict) -> str:
    budget = told["budget"]
    if budget["epsilon"] is None:
        return "No limit is set."
    if budget["within"] is None:
        return f"Whether that is within the budget of ε = {shown_down(budget['epsilon'])} cannot be said."
    admitting = [row["label"] for row in told["filters"] if row["whole"]]
    verdict = "Within" if budget["within"] else "<b>More than</b>"
    text = f"{verdict} the budget of ε = {shown_down(budget['epsilon'])}."
    if one := told["one_unit"]:
        unit, whom = escape(told["promise"]["unit_in_words"]), escape(one["whose"])
        return f"{text[:-1]} per {unit}; no budget is stated for a whole {whom}."
    if admitting and not budget["within"]:
        text += (
            f" A filter with this budget, fixed before the first release, admits all: {escape(' or '.join(admitting))}."
        )
    return text


def _promise(told: dict) -> str:
    promise, pure = told["promise"], told["pure"]
    stated = "stated" if promise["relation_stated"] else "not stated: the one in force"
    people = "not stated" if promise["population"] is None else shown_count(promise["population"])
    spent = None if told["one_unit"] else told["exhausted"]
    rows = [
        ("Unit of privacy", promise["unit"] or "not stated"),
        ("Neighbouring data", f"{promise['relation_in_words']} ({stated})"),
        ("Releases", promise["order_in_words"]),
        ("Pure total, δ = 0", "no finite ε without δ" if pure["epsilon"] is None else _epsilon(pure)),
        ("People in the data", people),
        *([("Budget exceeded on", _day(spent["date"]) or "no date of the schedule")] if spent else []),
    ]
    return "<h2>The promise</h2>" + _table("Whom it is about, and what is meant", ("What", "Value"), rows)


def _theorems(told: dict) -> str:
    applying = sorted((row for row in told["theorems"] if row["applies"]), key=lambda row: row["epsilon"])
    refused = [row for row in told["theorems"] if not row["applies"]]
    limit = _held_against_all(told)
    most = told["budget"]["epsilon"] or math.inf
    rows = [(row["label"], row["epsilon"], shown_total(row["epsilon"], most)) for row in applying]
    alt = "Total ε by theorem: " + ", ".join(f"{label} {shown}" for label, _, shown in rows)
    drawn = bars(rows, limit, alt, "budget" if limit is not None else "")
    missing = "".join(f"<li>{escape(row['label'])}: {escape(row['reason'])}</li>" for row in refused)
    sources = _table(
        "The totals, the smallest first",
        ("Theorem", "ε", "δ spent", "What it is", "Source"),
        ((row["label"], shown, shown_delta(row["delta"]), row["kind"], row["source"])
         for row, (_, _, shown) in zip(applying, rows, strict=True)),
        (1, 2),
    )  # fmt: skip
    refusals = f"<p>Does not apply:</p><ul>{missing}</ul>" if missing else ""
    return f"<h2>Under each theorem</h2>{drawn}{sources}{_certified(told)}{refusals}"


def _certified(told: dict) -> str:
    """The enclosure of the tight total, or why there is none; nothing where it was not asked for."""
    return f"<p>{escape(certificate_sentence(told['certified']))}</p>" if "certified" in told else ""


def _held_against_all(told: dict) -> float | None:
    """The limit that all dates together are held against: none where it is promised per unit of a shorter period."""
    return None if told["one_unit"] else told["budget"]["epsilon"]


def _spending(told: dict) -> str:
    if told["exhausted"] is None:
        return ""
    rows, limit = told["exhausted"]["spent"], _held_against_all(told)
    last, day = rows[-1], told["exhausted"]["date"]
    end = "no bound" if last["epsilon"] is None else f"ε = {shown_up(last['epsilon'])}"
    alt = f"Spent from {_day(rows[0]['date'])} to {_day(last['date'])}: {end} at the end"
    drawn = steps([(row["date"], row["epsilon"]) for row in rows], limit, alt)
    when = f"The budget is exceeded on {_day(day)}." if day else "The budget is not exceeded on any date of the plan."
    return f"<h2>When it is spent</h2>{drawn}<p>{escape(when if limit is not None else alt)}</p>"


def _day(day: str | None) -> str:
    return day_in_words(day) if day else ""


def _errors(told: dict, plan: Plan) -> str:
    rows = told["errors"]
    if not rows:
        return ""
    shown = [_error_cells(row, release) for row, release in zip(rows[:MOST_ROWS], plan.releases, strict=False)]
    heads = ("Release", "Noise", "Uses", "Expected error", "95 % within", "of typical", "Note")
    return "<h2>How accurate each number is</h2>" + _table(
        "Error of one use, by its noise alone" + _left(rows), heads, shown, (2, 3, 4, 5)
    )


def _error_cells(row: dict, release: Release) -> tuple[str, ...]:
    unit = f" {release.answer_unit}" if release.answer_unit and not row["reason"] else ""
    noisy = "noise exceeds the typical value" if row["noisy"] else ""
    return (
        row["release"],
        noise_in_words(release),
        shown_count(row["uses"]),
        _number(row["expected_absolute"], "–"),
        "–" if row["half_width"] is None else f"±{shown_error(row['half_width'])}",
        "–" if row["relative"] is None else f"{shown_up(100 * row['relative'], 3)} %",
        row["reason"] or "; ".join(filter(None, (unit and f"in{unit}", noisy))),
    )


def _left(rows: list) -> str:
    return f"; {len(rows) - MOST_ROWS} more releases are in the JSON" if len(rows) > MOST_ROWS else ""


def _number(value: float | None, otherwise: str, sign: str = "") -> str:
    return otherwise if value is None else f"{sign}{_separated(shown_up(value))}"


def _separated(shown: str) -> str:
    """A shown number with separators between thousands."""
    whole, point, rest = shown.partition(".")
    return f"{int(whole):,}{point}{rest}" if whole.isascii() and whole.isdigit() else shown


def _change(difference: float | None) -> str:
    """What B has more, or less, than A."""
    return "–" if difference is None else "no change" if difference == 0 else shown_change(difference)


def _risk(told: dict) -> str:
    risk = told["risk"]
    advantage = shown_up(risk["advantage"], 3)
    return (
        f"<h2>What an attacker could learn</h2><p>{escape(risk['odds'])}</p><p>Greatest advantage over guessing: "
        f"{advantage}, {escape(risk['basis'])}. What follows about a person without their data is not covered.</p>"
    )


def _checks(told: dict) -> str:
    found = told["checks"]
    if not found:
        return "<h2>Checks</h2><p>The checks for known mistakes found nothing.</p>"
    listed = "".join(
        f"<li><b>{escape(each['label'])}</b> ({each['severity']}): {escape(each['sentence'])}</li>"
        for each in found[:MOST_CHECKS]
    )
    more = f"<li>and {len(found) - MOST_CHECKS} more in the JSON</li>" if len(found) > MOST_CHECKS else ""
    return f"<h2>Checks</h2><ul>{listed}{more}</ul>"


def _published(told: dict) -> str:
    rows = [
        (row["name"], row["curator"], row["variant"], "–" if row["epsilon"] is None else shown_up(row["epsilon"]),
         row["epsilon_basis"], "–" if row["delta"] is None else shown_delta(row["delta"]), row["review_status"])
        for row in told["published"][:MOST_ROWS]
    ]  # fmt: skip
    if not rows:
        return ""
    heads = ("Deployment", "Curator", "Variant", "ε", "How", "δ", "Review")
    caption = "As reported to the OpenDP deployments registry; other units of privacy are not comparable"
    return "<h2>Published for the same unit of privacy</h2>" + _table(caption, heads, rows, (3, 5))


def _comparison(told: dict) -> str:
    if told["comparison"] is None:
        return ""
    found = told["comparison"]["total"]
    [limits] = [row for row in found if row["quantity"] == "budget"]
    rows = [
        (
            row["label"],
            *(_compared(row, name, limits[name]) for name in ("a", "b")),
            _change(row["difference"]),
            row["reason"] or row["b_note"],
        )
        for row in found
    ]
    return "<h2>Against plan A</h2>" + _table("This plan is B", ("What", "A", "B", "B − A", "Note"), rows, (1, 2, 3))


def _compared(row: dict, name: str, limit: float | None) -> str:
    value = row[name]
    return "–" if value is None else shown_quantity(row["quantity"], value, math.inf if limit is None else limit)


def _assumptions(told: dict) -> str:
    return (
        "<h2>What this rests on</h2><ul>"
        + "".join(f"<li>{escape(each)}</li>" for each in told["assumptions"])
        + "</ul>"
    )


def _releases(told: dict, plan: Plan) -> str:
    rows = told["plan"]["releases"]
    heads = ("Release", "What it is", "Noise", "Times", "When", "Given")
    shown = [
        (each.name, asked_in_words(each), noise_in_words(each), shown_count(each.count), when_in_words(each),
         given_in_words(each))
        for each in plan.releases[:MOST_ROWS]
    ]  # fmt: skip
    if not any(row[1] for row in shown):  # what nobody has told takes no column
        heads, shown = (heads[0], *heads[2:]), [(row[0], *row[2:]) for row in shown]
    return "<h2>The plan</h2>" + _table("As entered" + _left(rows), heads, shown, (heads.index("Times"),))


def _is_near(address: str) -> bool:
    """Whether an address leads to whoever reads it, and not to who made the report."""
    return address.startswith(("http://", "https://")) and (urlsplit(address).hostname or "") in NEAR


def _foot(told: dict) -> str:
    address = told["address"]
    link = (
        f'<a href="{escape(address)}">{escape(address)}</a>'
        if address.startswith(("http://", "https://"))
        else escape(address)
    )
    near = ", on the machine that made this report only: no other can reach it" if _is_near(address) else ""
    where = f"Open this plan: {link}{near}. " if address else ""
    return f"<footer>{where}Made with dpviz {escape(told['dpviz'])}. Costs are rounded up.</footer>"
