"""The report of a plan: one HTML page that opens offline, holds no script and prints on two sheets; or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from dpviz.plan import Plan
from dpviz.report.certificate import certificate_sentence
from dpviz.report.charts import bars, steps
from dpviz.report.facts import facts
from dpviz.rounding import shown_count, shown_delta, shown_down, shown_up

MOST_ROWS = 20  # releases printed; all of them are in the JSON
MOST_CHECKS = 8
# Nothing is fetched and nothing runs, whatever a name in the plan says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
@page { size: A4; margin: 14mm }
body { font: 13px/1.4 system-ui, sans-serif; max-width: 800px; margin: 24px auto; padding: 0 16px; color: #1a1a1a;
  background: #fff; overflow-wrap: anywhere }
h1 { font-size: 21px; margin: 0 0 4px } h2 { font-size: 15px; margin: 16px 0 4px; break-after: avoid }
p { margin: 4px 0 } ul { margin: 4px 0; padding-left: 18px }
table { border-collapse: collapse; width: 100%; font-size: 11.5px } caption { text-align: left; color: #555 }
td { overflow-wrap: normal } th { white-space: nowrap }
th, td { text-align: left; padding: 2px 6px; border-bottom: 1px solid #ddd; vertical-align: top }
.n { text-align: right; white-space: nowrap } .finding { font-size: 16px } .wide { overflow-x: auto }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif } tr, svg { break-inside: avoid }
footer { color: #555; margin-top: 12px; font-size: 11px }
@media print {
  body { margin: 0; max-width: none; padding: 0; font-size: 9.5px; line-height: 1.25 } svg { width: 62% }
  h1 { font-size: 15px } h2 { font-size: 11px; margin: 7px 0 2px } .finding { font-size: 11.5px }
  table { font-size: 8.5px } th, td { padding: 1px 4px }
}
"""


def as_json(
    plan: Plan,
    baseline: Plan | None = None,
    address: str = "",
    left_out: Iterable[object] = (),
    certify: bool = False,
) -> str:
    """Return the report as JSON text; see `dpviz.report.facts.facts` for its fields.

    Examples
    --------
    >>> '"dpviz":' in as_json(Plan([]))
    True
    """
    told = facts(plan, baseline, address, left_out, certify)
    return json.dumps(told, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def html(
    plan: Plan,
    baseline: Plan | None = None,
    address: str = "",
    left_out: Iterable[object] = (),
    certify: bool = False,
) -> str:
    """Return the report as one self-contained HTML page.

    Parameters
    ----------
    plan : Plan
    baseline : Plan, optional
        The plan it is compared with, as A with B.
    address : str
        Where the dashboard opens this plan; printed, and a link where it is an http address.
    left_out : iterable
        What stood in its table and is not counted: named beneath the finding.
    certify : bool
        Whether the tight total is enclosed by ball arithmetic, too, and the enclosure printed beneath the theorems.

    Returns
    -------
    str
        No script, no request; every text that comes from the plan is escaped.

    Examples
    --------
    >>> "<script" in html(Plan([], unit="<script>"))
    False
    """
    told = facts(plan, baseline, address, left_out, certify)
    parts = [
        _head(told), _finding(told), _promise(told), _theorems(told), _spending(told), _errors(told), _risk(told),
        _checks(told), _published(told), _comparison(told), _assumptions(told), _releases(told), _foot(told),
    ]  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Privacy budget per {escape(plan.unit)}</title><style>{_STYLE}</style></head><body><main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main></body></html>\n"
    )


def _table(caption: str, heads: Iterable[str], rows: Iterable[Iterable[str]], numbers: tuple[int, ...] = ()) -> str:
    """A table of plain text; columns in `numbers` are set to the right."""

    def cells(tag: str, texts: Iterable[str], scope: str = "") -> str:
        placed = ((" class=n" if place in numbers else "", text) for place, text in enumerate(texts))
        return "<tr>" + "".join(f"<{tag}{scope}{side}>{escape(text)}</{tag}>" for side, text in placed) + "</tr>"

    head, body = cells("th", heads, " scope=col"), "".join(cells("td", row) for row in rows)
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _head(told: dict) -> str:
    return f"<h1>What these releases cost one {escape(told['promise']['unit'])}</h1>"


def _epsilon(total: dict) -> str:
    return "no bound" if total["epsilon"] is None else f"ε ≤ {shown_up(total['epsilon'])}"


def _finding(told: dict) -> str:
    total, budget, promise = told["total"], told["budget"], told["promise"]
    uses = f"{shown_count(promise['uses'])} use{'s' * (promise['uses'] != 1)} of mechanisms"
    when = "chosen along the way" if promise["adaptive"] else "fixed in advance"
    cost = f"<b>{escape(_epsilon(total))}</b> at <b>δ = {shown_delta(budget['delta'])}</b>"
    by = (
        f" by {escape(total['label'])} ({escape(total['kind'])})"
        if total["theorem"]
        else f": {escape(total['reason'])}"
    )
    return f'<p class="finding">{uses}, {when}: {cost}{by}{_one_unit(told)}. {_within(told)}</p>{_left_out(told)}'


def _left_out(told: dict) -> str:
    """What stood in the table and is not counted."""
    named = escape("; ".join(told["left_out"]))
    return f'<p class="finding"><b>Not counted:</b> {named}.</p>' if named else ""


def _one_unit(told: dict) -> str:
    """What one unit loses, where the total is that of somebody in the data beyond the period that it names."""
    one = told["one_unit"]
    if one is None:
        return ""
    unit, cost = escape(told["promise"]["unit"]), _epsilon(one)
    return f", for all dates together; one {unit}, touched by one {one['window']}'s releases only: <b>{cost}</b>"


def _within(told: dict) -> str:
    budget = told["budget"]
    if budget["within"] is None:
        return "No limit is set."
    admitting = [row["label"] for row in told["filters"] if row["whole"]]
    verdict = "Within" if budget["within"] else "<b>More than</b>"
    text = f"{verdict} the budget of ε = {shown_down(budget['epsilon'])}."
    if one := told["one_unit"]:
        unit, whom = escape(told["promise"]["unit"]), escape(one["whose"])
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
        ("Unit of privacy", promise["unit"]),
        ("Neighbour relation", f"{promise['relation_in_words']} ({promise['relation']}, {stated})"),
        ("Releases", "chosen along the way" if promise["adaptive"] else "fixed in advance"),
        ("Pure total, δ = 0", "no finite ε without δ" if pure["epsilon"] is None else _epsilon(pure)),
        ("People in the data", people),
        *([("Budget exceeded on", spent["date"] or "no date of the schedule")] if spent else []),
    ]
    return "<h2>The promise</h2>" + _table("Whom it is about, and what is meant", ("What", "Value"), rows)


def _theorems(told: dict) -> str:
    applying = sorted((row for row in told["theorems"] if row["applies"]), key=lambda row: row["epsilon"])
    refused = [row for row in told["theorems"] if not row["applies"]]
    limit = _held_against_all(told)
    rows = [(row["label"], row["epsilon"], shown_up(row["epsilon"])) for row in applying]
    alt = "Total ε by theorem: " + ", ".join(f"{label} {shown}" for label, _, shown in rows)
    drawn = bars(rows, limit, alt, "budget" if limit is not None else "")
    missing = "".join(f"<li>{escape(row['label'])}: {escape(row['reason'])}</li>" for row in refused)
    sources = _table(
        "The totals, the smallest first",
        ("Theorem", "ε", "δ spent", "What it is", "Source"),
        ((row["label"], shown_up(row["epsilon"], 6), shown_delta(row["delta"]), row["kind"], row["source"])
         for row in applying),
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
    alt = f"Spent from {rows[0]['date']} to {last['date']}: {end} at the end"
    drawn = steps([(row["date"], row["epsilon"]) for row in rows], limit, alt)
    when = f"The budget is exceeded on {day}." if day else "The budget is not exceeded on any date of the plan."
    return f"<h2>When it is spent</h2>{drawn}<p>{escape(when if limit is not None else alt)}</p>"


def _errors(told: dict) -> str:
    rows = told["errors"]
    if not rows:
        return ""
    shown = [_error_cells(row) for row in rows[:MOST_ROWS]]
    heads = ("Release", "Noise", "Uses", "Expected |error|", "95 % within", "of typical", "Note")
    return "<h2>How accurate each number is</h2>" + _table(
        "Error of one use, by its noise alone" + _left(rows), heads, shown, (2, 3, 4, 5)
    )


def _error_cells(row: dict) -> tuple[str, ...]:
    return (
        row["release"],
        row["mechanism"],
        shown_count(row["uses"]),
        _number(row["expected_absolute"], row["reason"]),
        _number(row["half_width"], "–", "±"),
        "–" if row["relative"] is None else f"{shown_up(100 * row['relative'], 3)} %",
        "noise exceeds the typical value" if row["noisy"] else "",
    )


def _left(rows: list) -> str:
    return f"; {len(rows) - MOST_ROWS} more releases are in the JSON" if len(rows) > MOST_ROWS else ""


def _number(value: float | None, otherwise: str, sign: str = "") -> str:
    return otherwise if value is None else f"{sign}{shown_up(value)}"


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
        f"<li><b>{escape(each['label'])}</b>: {escape(each['sentence'])}</li>" for each in found[:MOST_CHECKS]
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
    rows = [
        (
            row["label"],
            _number(row["a"], "–"),
            _number(row["b"], "–"),
            "–" if row["difference"] is None else f"{row['difference']:+.4g}",
            row["reason"] or row["b_note"],
        )
        for row in told["comparison"]["total"]
    ]
    return "<h2>Against plan A</h2>" + _table("This plan is B", ("What", "A", "B", "B - A", "Note"), rows, (1, 2, 3))


def _assumptions(told: dict) -> str:
    return (
        "<h2>What this rests on</h2><ul>"
        + "".join(f"<li>{escape(each)}</li>" for each in told["assumptions"])
        + "</ul>"
    )


def _releases(told: dict) -> str:
    rows = told["plan"]["releases"]
    known = ("name", "mechanism", "count")
    shown = [
        (row["name"], row["mechanism"], str(row["count"]),
         ", ".join(f"{name} {value}" for name, value in row.items() if name not in known and value is not None))
        for row in rows[:MOST_ROWS]
    ]  # fmt: skip
    return "<h2>The plan</h2>" + _table(
        "As entered" + _left(rows), ("Release", "Mechanism", "Times", "Given"), shown, (2,)
    )


def _foot(told: dict) -> str:
    address = told["address"]
    link = (
        f'<a href="{escape(address)}">{escape(address)}</a>'
        if address.startswith(("http://", "https://"))
        else escape(address)
    )
    where = f"Open this plan: {link}. " if address else ""
    return f"<footer>{where}Made with dpviz {escape(told['dpviz'])}. Costs are rounded up.</footer>"
