"""The rows of the table that a document stands for, those that make no release among them."""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import replace

from dpviz.decimals import rounded_up, typed
from dpviz.mechanisms.left_open import follows
from dpviz.parameters import AVERAGED
from dpviz.plan import RELATIONS, Document, Uncounted
from dpviz.plan.cadence import recurs
from dpviz.plan.document import fitting
from dpviz.plan.fields import plain_number
from dpviz.plan.sensitivity import where_replaced
from dpviz.planning.scenario import rarer, rows_before
from dpviz.rounding import next_above
from dpviz.ui.shell import plan_rows, refusals
from dpviz.ui.shell.document import filled_in

# Mechanisms that are told by their loss; of answers randomized one by one it is that of a replaced one already.
STATING = ("approximate_dp", "exponential_mechanism", "permute_and_flip", "report_noisy_max", "declared")
# How a sample, and the batches of a training, are drawn where the other neighbour relation is to hold.
OTHER_SAMPLE = {"poisson": "without_replacement", "without_replacement": "poisson"}
OTHER_BATCHES = {"poisson": "fixed_size", "fixed_size": "poisson"}
_SCHEME = re.compile(r"\bscheme (\w+)")  # in the text of a training
SHOWN_DIGITS = 6  # of a sensitivity that is enlarged, rounded up
GROWING = ("count", "sum", "histogram")  # kinds whose answers grow with the time that is counted
MOST_TOLD = 3  # means of which it is said what the noise of their sums is


def rows_of(held: Document) -> list[plan_rows.Row]:
    """Return the rows of the table: the releases, and in their places the rows that make none."""
    rows = plan_rows.rows_of(held.plan)
    for row in held.uncounted:
        rows.insert(row.position, plan_rows.row_of(dict(row.cells)))
    return rows


def counted(held: Document) -> dict[int, int]:
    """Return which release (from 0) each row of the table is, by its place (from 0); rows that make none are not in."""
    outside = {row.position for row in held.uncounted}
    places = [place for place in range(len(held.plan.releases) + len(outside)) if place not in outside]
    return {place: index for index, place in enumerate(places)}


def with_rows(held: Document, rows: list[plan_rows.Row]) -> Document:
    """Return the document with these rows in place of those that it has; blank ones are left out."""
    rows = [plan_rows.row_of(row) for row in rows if not plan_rows.blank(row)]
    releases, wrong = plan_rows.releases_of(rows, held.plan)
    places = list(releases)
    plan, refused = fitting(held.plan, releases.values())
    outside = sorted([*wrong, *(places[index] for index, _ in refused)])
    cells = {place: tuple((name, text) for name, text in rows[place].items() if text) for place in outside}
    return held.edited(plan, [Uncounted(place, cells[place]) for place in outside])


def entered(held: Document, rows: list[plan_rows.Row]) -> Document:
    """Return the document with rows that somebody typed, under the neighbour relation that they need.

    Where nobody has stated one, and more of them count under the other, none of them less, that one is stated then; but
    not where a sensitivity was typed, or a loss stated, which may be meant for the one that held.
    """
    new = with_rows(held, rows)
    fixed = new.plan.relation is not None or any(enlarged(row) != row or _states(row) for row in rows)
    other = otherwise_related(new) if new.uncounted and not fixed else None
    left = {row.position for row in other.uncounted} if other else ()
    return other if other and left <= {row.position for row in new.uncounted} else new


def enlarged(row: plan_rows.Row) -> plan_rows.Row:
    """Return a row whose typed sensitivity is enough where a unit is replaced, if it is where one is added or removed.

    That of a mean was typed for units that are replaced: it has no other.
    """
    value, kind = plain_number(row["sensitivity"] or ""), plan_rows.KIND_KEYS.get(row["kind"] or "")
    norm = plan_rows.norm_of(row)
    if not value or not 0 < value < math.inf or not norm or kind == "mean":
        return row
    enough = where_replaced(value, kind, norm, *(plain_number(row[end] or "") for end in ("lower", "upper")))
    if enough == value:
        return row
    whole = plan_rows.KEYS.get(row["mechanism"] or "", "").startswith("discrete_")  # which takes whole numbers alone
    more = math.ceil(enough) if whole and math.isfinite(enough) else next_above(enough, SHOWN_DIGITS)
    return {**row, "sensitivity": repr(more).removesuffix(".0")}


def faults_of(held: Document) -> dict[int, str]:
    """Return what is wrong with every row of the table that does not count, by its position (from 0), in order."""
    if not held.uncounted:
        return {}
    releases, found = plan_rows.releases_of(rows_of(held), held.plan)
    places, told = list(releases), {place: refusals.row(problems) for place, problems in found.items()}
    told |= {places[index]: refusals.sentence(reason) for index, reason in fitting(held.plan, releases.values())[1]}
    return dict(sorted(told.items()))


def otherwise_related(held: Document) -> Document | None:
    """Return the document under the other neighbour relation where more of its rows count so; else None."""
    [other] = {*RELATIONS} - {held.plan.neighbours}
    new = related(held, other)
    return new if len(new.uncounted) < len(held.uncounted) else None


def following(held: Document) -> Document | None:
    """Return the document in which sensitivities follow that keep rows from counting; None where none does."""
    typed, out = rows_of(held), {row.position for row in held.uncounted}
    for _ in range(2):  # then of those alone that count for it
        out = {place for place in out if typed[place]["kind"] and typed[place]["sensitivity"]}
        rows = [{**row, "sensitivity": None} if place in out else row for place, row in enumerate(typed)]
        new = with_rows(held, rows) if out else held
        out -= {row.position for row in new.uncounted}
    return followed(held, new) if len(new.uncounted) < len(held.uncounted) else None


def related(held: Document, relation: str, rows: list[plan_rows.Row] | None = None) -> Document:
    """Return the document under a neighbour relation, of whose rows, or of these, more or fewer may count.

    Sensitivities that were typed for units added or removed become enough for units that are replaced.
    """
    empty = replace(held, plan=replace(held.plan, releases=(), relation=relation))
    new = followed(held, with_rows(empty, rows_of(held) if rows is None else rows))
    return outgrown(new) or new


def redrawn(held: Document) -> Document | None:
    """Return the document under the other neighbour relation, with samples that are drawn as it demands.

    None where no row draws any, or where one that counts would not.
    """
    [other] = {*RELATIONS} - {held.plan.neighbours}
    rows = rows_of(held)
    if (drawn := [_redrawn(row) for row in rows]) == rows:
        return None
    new = related(held, other, drawn)
    return new if {row.position for row in new.uncounted} <= {row.position for row in held.uncounted} else None


def _redrawn(row: plan_rows.Row) -> plan_rows.Row:
    if batches := OTHER_BATCHES.get(batches_of(row)):
        return {**row, **with_batches(row, batches)}
    return {**row, "scheme": OTHER_SAMPLE.get(row["scheme"], row["scheme"])}


def batches_of(row: plan_rows.Row) -> str:
    """Return how the batches of a trained model are drawn, by its key: Poisson where nobody said; "" of another row."""
    if row["mechanism"] != plan_rows.LABELS["trained_model"]:
        return ""
    told = _SCHEME.search(row["noise"] or "")
    return told[1] if told else "poisson"


def with_batches(row: plan_rows.Row, scheme: str) -> plan_rows.Row:
    """Return the noise of a trained model whose batches are drawn in the way of this key."""
    text = row["noise"] or ""
    return {"noise": _SCHEME.sub(f"scheme {scheme}", text) if _SCHEME.search(text) else f"{text}, scheme {scheme}"}


def followed(old: Document, new: Document, *, typed: bool = True) -> Document:
    """Return a changed document with what was typed for another relation or a shorter time, and may be too small now.

    Where the relation stays, those of the old one that were not typed anew, by number and name, or by number and place
    where a name was changed. Where it changes, the others. What a press scaled was not typed anew.
    """
    new = replace(new, typed_shorter=_typed_shorter(old, new), typical_before=_typical_before(old, new))
    turned = old.plan.neighbours != new.plan.neighbours
    noted = set(old.typed_otherwise)
    if not noted and not turned:
        return replace(new, typed_otherwise=()) if new.typed_otherwise else new
    before, rows = [_typed(row) for row in rows_of(old)], rows_of(new)
    after, places = [_typed(row) for row in rows], {*before} - {None}
    if len(before) == len(after):  # one that is called otherwise now is what it was
        after = [was if now and was and now not in places and _stays(was, now, typed) else now
                 for was, now in zip(before, after, strict=True)]  # fmt: skip
    kept = [_typed(row) for row, was in zip(rows, after, strict=True) if was in places and (was in noted) != turned]
    return replace(new, typed_otherwise=tuple(dict.fromkeys(kept)))


def _typed_shorter(old: Document, new: Document) -> tuple[tuple[str, str], ...]:
    """What comes out less often than when it was typed how much one unit moves it; what waits to count again stays."""
    releases, noted = new.plan.releases, dict(old.typed_shorter)
    longer = {releases[row].name: cadence for row, cadence in rarer(old.plan, new.plan, noted).items()
              if releases[row].rows or not follows(releases[row].mechanism)}  # fmt: skip
    counted = {each.name for each in old.plan.releases} & {each.name for each in releases}
    counted = counted if old.plan.unit == new.plan.unit else set()  # of another unit nothing was typed since
    waiting = {row["name"] for row in rows_of(new)} - counted
    return tuple((longer | {name: noted[name] for name in noted if name in waiting}).items())


def _typical_before(old: Document, new: Document) -> tuple[tuple[str, str], ...]:
    """What comes out in another rhythm than when its typical value was typed, which grows with the time counted."""
    noted, found = dict(old.typical_before), {}
    for row, before in rows_before(old.plan, new.plan).items():
        was, now = old.plan.releases[before], new.plan.releases[row]
        cadence = noted.get(was.name, was.cadence)
        same = now.typical is not None and now.typical == was.typical and now.kind in GROWING
        if same and recurs(cadence) and now.cadence != cadence:
            found[now.name] = cadence
    return tuple(found.items())


def _stays(was: tuple[float, str], now: tuple[float, str], typed: bool) -> bool:
    """Whether what stands in a row now is what was typed there: called otherwise, or a stated loss that was scaled."""
    return now[0] == was[0] or (not typed and now[1] == was[1] and was[0] < 0 and now[0] < 0)


def _typed(row: plan_rows.Row) -> tuple[float, str] | None:
    """The sensitivity that was typed in a row, and the row's name; None where none was.

    Of a row that states what it loses, a negative number in its place that changes with what is stated.
    """
    value = plain_number(row["sensitivity"] or "")
    if value is None and _states(row):
        value = -1.0 - zlib.crc32(row["noise"].encode())
    return (value, row["name"] or "") if value is not None and math.isfinite(value) else None


def _states(row: plan_rows.Row) -> bool:
    """Whether a row states a loss that does not follow from noise and sensitivity."""
    return bool(row["noise"]) and plan_rows.KEYS.get(row["mechanism"] or "", "") in STATING


def stated_otherwise(held: Document) -> list[str]:
    """Return the names of rows that stated their loss while the other relation held, where units are replaced now.

    Such a loss may be one for units added or removed, of which a replaced one is two.
    """
    if not held.typed_otherwise or held.plan.neighbours != "replace_one":
        return []
    noted = {*held.typed_otherwise}
    return [row["name"] or "" for row in rows_of(held) if _states(row) and _typed(row) in noted]


def outgrown(held: Document) -> Document | None:
    """Return the document whose sensitivities are enough where units are replaced, as which others were typed.

    None where units are not replaced, and where each was typed anew or is enough already.
    """
    if not held.typed_otherwise or held.plan.neighbours != "replace_one":
        return None
    rows, noted = rows_of(held), {*held.typed_otherwise}
    new = [enlarged(row) if _typed(row) in noted else row for row in rows]
    return None if new == rows else followed(held, with_rows(held, new))


def told_enlarged(before: Document, after: Document) -> str:
    """Return which sensitivities became larger from one document to another of the same rows; "" where none did."""
    pairs = [(old, new) for old, new in zip(rows_of(before), rows_of(after), strict=False)
             if old["sensitivity"] and new["sensitivity"] not in (None, old["sensitivity"])]  # fmt: skip
    changes = (f"{new['sensitivity']} in place of {old['sensitivity']} for “{new['name']}”"
               for old, new in pairs[:MOST_TOLD])  # fmt: skip
    named = ", ".join(changes)
    more = f" and {len(pairs) - MOST_TOLD} more" if len(pairs) > MOST_TOLD else ""
    if not pairs:
        return ""
    told = (
        " Where noise is given as ε, ρ or μ, that number stays, and so its errors grow with the sensitivity."
        if _follows(pairs) else ""
    )  # fmt: skip
    return f"Sensitivities for one that is replaced: {named}{more}.{told}"


def _follows(pairs: list[tuple[plan_rows.Row, plan_rows.Row]]) -> bool:
    """Whether the noise of one of these rows is in proportion to its sensitivity."""
    found = (plan_rows.noise_of(row["noise"] or "", plan_rows.KEYS.get(row["mechanism"] or "", "")) for row, _ in pairs)
    return any(isinstance(each, dict) and each.keys() & {"epsilon", "rho", "mu"} for each in found)


def summed_and_counted(held: Document) -> Document | None:
    """Return the document with a sum and a count in place of every mean that does not count; None where there is none.

    Their noise is that of `filled_in.sum_and_count`.
    """
    if held.plan.neighbours != "add_remove":
        return None
    rows, means, people = rows_of(held), means_of(held), held.plan.population
    parts = {place: filled_in.sum_and_count(rows[place], people) for place in means}
    new = with_rows(held, [each for place, row in enumerate(rows) for each in parts.get(place, (row,))])
    return new if parts and len(new.uncounted) < len(held.uncounted) else None


def divided_publicly(held: Document) -> tuple[Document, list[int]] | None:
    """Return every mean that does not count as a sum of parts of a public number, and those numbers; None without one.

    That number stays as it is where one unit is added or removed, so that each value moves the sum by its part.
    """
    if held.plan.neighbours != "add_remove":
        return None
    rows, found = rows_of(held), []
    for place in means_of(held):
        row, many = rows[place], _divisor(rows[place], held.plan.population)
        ends = {name: plain_number(row[name] or "") for name in ("lower", "upper")}
        if many and not {None, math.inf, -math.inf} & {*ends.values()}:
            found.append(many)
            parts = {name: repr(_part(end, many)) for name, end in ends.items()}
            as_sum = {"kind": plan_rows.KIND_LABELS["sum"], "averaged": None, **parts}
            rows = [*rows[:place], {**row, **as_sum}, *rows[place + 1 :]]
    new = with_rows(held, list(rows))
    return (new, found) if found and len(new.uncounted) < len(held.uncounted) else None


def _divisor(row: plan_rows.Row, people: int | None) -> int | None:
    """By which number a mean divides, as its row states it; all people where it states none; None if it is none."""
    if not (row["averaged"] or "").strip():
        return people
    many = plain_number(row["averaged"])
    return int(many) if many is not None and AVERAGED.admits(many) else None


def _part(end: float, many: int) -> float:
    """The part of an end of the range that a mean of so many counts, rounded away from 0."""
    part = rounded_up(abs(typed(end)) / many)
    return -part if end < 0 else part


def means_of(held: Document) -> list[int]:
    """Return the places (from 0) of rows of means that do not count."""
    mean = plan_rows.KIND_LABELS["mean"]
    return [row.position for row in held.uncounted if dict(row.cells).get("kind") == mean]


def parted(held: Document) -> str:
    """Return what is said of the noise of sums and counts that `summed_and_counted` puts in the place of means."""
    rows = rows_of(held)
    return " ".join(filled_in.told_parts(rows[place], held.plan.population) for place in means_of(held)[:MOST_TOLD])


def settled(held: Document) -> Document:
    """Return a document whose plans may all be quoted: a release whose sensitivity forbids it is a row not counted.

    Of plan A, and of the plan as it was opened, such a release is left out.
    """
    if held.plan.faults:
        held = with_rows(held, rows_of(held))
    for name in ("opened", "baseline"):
        plan = getattr(held, name)
        if plan is not None and plan.faults:
            held = replace(held, **{name: fitting(plan, plan.releases)[0]})
    return held
