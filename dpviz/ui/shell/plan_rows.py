"""The table of releases as text, exactly as typed, and the releases that it means."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from dpviz.mechanisms import BASE_MECHANISMS, Mechanism, TrainedModel
from dpviz.mechanisms.forms import parameters_of, single_parameter
from dpviz.mechanisms.gaussian import sigma_from_mu, sigma_from_rho
from dpviz.mechanisms.left_open import DERIVED
from dpviz.mechanisms.mechanism import adds_noise
from dpviz.mechanisms.subsampled import RELATIONS as SCHEMES
from dpviz.plan import CADENCES, Plan, Release
from dpviz.plan.derived import ASSUMED, Known, settled
from dpviz.plan.field_table import CURVE, DATES, FIELDS, NUMBERS, TRAINING, WRITTEN, Field
from dpviz.plan.fields import (
    DATE_ALLOWED,
    DONE_ALLOWED,
    NUMBER_ALLOWED,
    UNGROUPED_ALLOWED,
    day,
    done,
    grouped,
    plain_number,
    release_fields,
    release_from,
    release_problems,
)
from dpviz.plan.kinds import BOUND, KINDS
from dpviz.plan.problems import Problem, blamed
from dpviz.plan.units import kinds
from dpviz.planning.accuracy import epsilon_of_true, half_width, scale_within
from dpviz.rounding import next_above, shown_up
from dpviz.ui.shell.typed import counted_number, dated, ends_of, unmarked

NOISE = {"epsilon": "ε", "delta": "δ", "scale": "b", "sigma": "σ", "k": "k"}  # what one cell holds, by signs
_FIRST = (
    "name", "kind", "mechanism", "noise", "sensitivity", "rows", "bars", "averaged", "count", "cadence", "start", "end",
    "done", "typical", "answer_unit", "weight", "lower", "upper", "calibration", "scheme", "rate", "part",
)  # fmt: skip
COLUMNS = (*_FIRST, *(field.name for field in FIELDS if field.name not in (*_FIRST, *NOISE, *WRITTEN)))
USUAL_WIDTH = 90
_WIDTHS = {
    "name": 240, "kind": 104, "mechanism": 150, "sensitivity": 104, "count": 78, "cadence": 100, "start": 100,
    "end": 100, "done": 106, "typical": 122, "answer_unit": 128, "weight": 85, "calibration": 115, "scheme": 120,
    "rate": 122, "part": 80, "keys": 134, "candidates": 98, "threshold": 104, "rows": 142, "bars": 136, "averaged": 150,
}  # fmt: skip
SIGNS = NOISE | {"rho": "ρ", "mu": "μ"}
SHOWN = SIGNS | {"within": "±"}
TYPED = {"epsilon": "eps", "delta": "delta", "scale": "b", "sigma": "sigma"}  # the same from any keyboard
WANTED = "half_width"  # what ± is to the core
LABELS = {mechanism.key: mechanism.label for mechanism in BASE_MECHANISMS}
KEYS = {label: key for key, label in LABELS.items()}
KIND_KEYS = {kind.label: kind.key for kind in KINDS}
KIND_LABELS = {kind.key: kind.label for kind in KINDS}
CLIPPED = (KIND_LABELS["sum"], KIND_LABELS["mean"])
# The noise of a new row of each mechanism; a bare number is the sign's.
USUAL = {
    "laplace": "ε 0.1",
    "gaussian": "σ 10",
    "randomized_response": "ε 1",
    "approximate_dp": "ε 0.1, δ 1e-9",
    "name_and_shame": "δ 1e-9",
    "kary_randomized_response": "ε 1, k 10",
    "declared": "rho 0.1",
    "trained_model": "multiplier 1.1, batch 256 of 60000, epochs 30",
}
BARE = {key: NOISE.get(single_parameter(key), "ε") for key in LABELS}
USUAL |= {key: f"{BARE[key]} {10 if BARE[key] == 'σ' else 0.1}" for key in LABELS if key not in USUAL}
NEW_ROW = {"name": "New release", "mechanism": "Laplace", "noise": "ε 0.1", "count": "1"}
FOLLOWS = "= "  # stands before a sensitivity that was not typed but follows, and is read as a blank cell
OFFERED = " → "  # stands between the noise of now and the one that is offered
CONFIDENCE = 0.95  # with which a wanted ± is kept
MUCH_LOSS = 10  # a bare number as large, in the place of a smaller loss of added noise, is not taken for one
UNSIGNED = "must say what the number is: {}"
# What Gaussian noise may be told by beside its own parameters: with the sensitivity, its σ has a closed form.
STRENGTHS = {"rho": sigma_from_rho, "mu": sigma_from_mu}
_TOLD_BY = {"gaussian": ("rho", "mu"), "discrete_gaussian": ("rho",)}
_SPELT = {"epsilon": "0.1", "delta": "1e-9", "scale": "10", "sigma": "40", "k": "10", "rho": "0.05", "mu": "0.5",
          "half_width": "20"}  # fmt: skip
_SIGNS = {
    "ε": "epsilon", "eps": "epsilon", "epsilon": "epsilon", "δ": "delta", "delta": "delta", "b": "scale", "k": "k",
    "scale": "scale", "σ": "sigma", "sigma": "sigma", "sd": "sigma", "std": "sigma", "±": "within", "within": "within",
    "ρ": "rho", "rho": "rho", "μ": "mu", "\u00b5": "mu", "mu": "mu",
}  # fmt: skip
_PART = re.compile(r"([^\d\s=.]*?)\s*=?\s*([-+]?[\d.][^\s;]*?|inf)")
# How often a ± is kept, which is the same for all.
_OFTEN = re.compile(r"[,;]?\s*\(?\s*\b(?:19\s*(?:times\s*)?(?:of|in|out of)\s*20|95\s*%)\s*\)?\s*$")
_DEVIATION = re.compile(r"\bst(?:andard|d)?\.?\s*dev(?:iation)?\b\.?(?: of)?")
_BETWEEN = re.compile(r"\s*;\s*|\s*,\s+|\s+(?=(?!inf)[^\W\d_]|±)")
_QUOTIENT = re.compile(r"([\d.]+)\s*/\s*([\d.]+)")  # a range of values by how many are averaged, a sample by all
_PER_CENT = re.compile(r"([\d.]+)\s*%")
_AVERAGED = re.compile(r"(.+?)\s*(?:/|÷|among|of|over)\s*([\d.]+)")  # the same, with the ends of the range
# Randomized answers that stay as they are: “true 75 of 100”, or “75 % true”.
_TRUE = re.compile(r"(?=.*of 100|.*true)(?:true )?(\d+(?:\.\d+)?)(?: of 100| ?%)(?: (?:stay )?true)?")
_COUNT = re.compile("number of (.+)", re.IGNORECASE)  # of people: of what else, one person may have several
_COMMA = re.compile(r"\d,\d")
POINT = ", with a decimal point"
HERE = {
    "sensitivity": " Of a sum or a mean, the range to which values are clipped may be typed here, such as 0 to 100; of "
    "a mean of 2,000 values, “0 to 100 / 2000”.",
    "rate": " A quotient such as 1/200, or 0.5 %, may be typed here.",
}
RANGED = ", or the range of the values, such as 0 to 100"
OF_WHAT = "; a range is read of a sum or a mean: choose that first"
# Zeros that only say how small a number is, and its digits.
_LONG = re.compile(r"(0?\.0*|)([\d.]+)")
_NUMERIC = {"noise", *NUMBERS}  # columns
MOST_DIGITS, FEW_DIGITS = 8, 6  # that a cell shows whole; of a number with more
_PAIR = re.compile("[ε]|eps")  # a pair instead of a curve
_KINDS = {mechanism.key: mechanism for mechanism in BASE_MECHANISMS}
# What only makes sense together: where one is wrong, nothing is said of the others that follows from it.
JOINT = (("start", "cadence", "end"), ("lower", "upper"), ("scheme", "rate"), ("threshold", "keys"))
Row = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, and the input of one release that holds the same.

    Parameters
    ----------
    label, about : str
    width : int
        Of the column, in pixels.
    options : tuple of str
        What may be chosen; () for what is typed.
    """

    label: str
    about: str
    width: int = USUAL_WIDTH
    options: tuple[str, ...] = ()


_NOISE = Column(
    "Noise",
    "With a sign that says what it is: ε 0.1, σ 40, b 10 (a scale), or the error that you want, such as ±20 (19 times "
    "of 20). Both ε and δ: ε 0.1, δ 1e-9. Gaussian noise also by ρ 0.05 or μ 0.5. Declared curves: rho 0.1, mu 0.5, "
    "renyi 2:0.1 4:0.3 or profile 0.5:1e-6 1:1e-9. Trained models: noise multiplier 1.1, batch size 256, records "
    "60000, epochs 30. Randomized response also by how many answers stay true: true 80 of 100.",
    112,
)
# What mechanisms are called elsewhere, too, in small letters.
_CALLED = {
    "mechanism": {
        "dp-sgd": LABELS["trained_model"], "dp sgd": LABELS["trained_model"],
        "geometric": LABELS["discrete_laplace"], "two-sided geometric": LABELS["discrete_laplace"],
        "exponential": LABELS["exponential_mechanism"],
        **{label.lower().replace("randomized", "randomised"): label for label in LABELS.values()
           if "andomized" in label},
        **dict.fromkeys(("zcdp", "gdp", "rdp", "renyi"), LABELS["declared"]),
    },
    "kind": dict.fromkeys(("training", "model", "trained model", "machine learning"), KIND_LABELS["other"])
    | dict.fromkeys(("average", "avg"), KIND_LABELS["mean"])
    | {"total": KIND_LABELS["sum"], "counts": KIND_LABELS["count"]}
    | dict.fromkeys(("choice", "choose", "winner", "most frequent"), KIND_LABELS["selection"])
    | dict.fromkeys(("survey question", "yes/no survey", "yes/no question", "poll"), KIND_LABELS["survey"]),
    "cadence": {each.label: each.key for each in CADENCES} | {
        f"{word} {step}": key for word in ("each", "per", "once a", "once per", "every")
        for step, key in (("day", "daily"), ("week", "weekly"), ("month", "monthly"), ("quarter", "quarterly"),
                          ("year", "yearly"))
    } | {"twice a year": "half-yearly", "semi-annually": "half-yearly", "annually": "yearly", "annual": "yearly",
         "every second week": "fortnightly"},
}  # fmt: skip
_NAMES = {"mechanism": LABELS, "kind": KIND_LABELS}  # of what a cell shows in place of keys


def _offered(options: list[str]) -> tuple[str, ...]:
    """The options, none after one whose name holds its own: a list takes the first that holds what is typed."""
    def place(option: str) -> float:
        return max(row + 0.5 * (other != option) for row, other in enumerate(options) if other in option)

    return tuple(sorted(options, key=place))


def _column(field: Field) -> Column:
    """What is told of a field; of what is chosen, all that it may be."""
    names = _NAMES.get(field.name, {})
    options = _offered([names.get(key, key) for key in field.choices])
    return Column(field.label, field.help + HERE.get(field.name, ""), _WIDTHS.get(field.name, USUAL_WIDTH), options)


def plain(name: str) -> str:
    """A name in small letters, without what stands between the words of a key."""
    return name.strip().lower().replace("_", " ")


_OWN = {"noise": _NOISE, **{field.name: _column(field) for field in FIELDS if field.label}}
CELLS = {name: _OWN[name] for name in COLUMNS if name in _OWN}
# What a cell that is chosen from a list may be called, in small letters, and how the list names it.
CHOICES = {
    name: _CALLED.get(name, {})
    | {plain(key): _NAMES.get(name, {}).get(key, key) for key in (*field.choices, *_OWN[name].options)}
    for name, field in ((field.name, field) for field in FIELDS if field.name in _OWN and field.choices)
}
WHOLE = tuple(field.name for field in FIELDS if field.name in NUMBERS and field.interval and field.interval.integer)
_NUMBERS = {
    field.name: f"must be in {field.interval.interval}"
    for field in FIELDS
    if field.interval not in (None, BOUND) and field.name not in NOISE
}
_READ = {
    **{name: (plain_number, _NUMBERS.get(name, NUMBER_ALLOWED)) for name in NUMBERS},
    # Commas in a number that is whole, or in a typical one, stand between thousands, as in boxes.
    **{name: (counted_number, _NUMBERS.get(name, NUMBER_ALLOWED)) for name in (*WHOLE, "typical")},
    **dict.fromkeys(DATES, (day, DATE_ALLOWED)),
    "done": (done, DONE_ALLOWED),
}


def rows_of(plan: Plan) -> list[Row]:
    """Return one row of text per release."""
    return [row_for(release) for release in plan.releases]


def row_of(cells: dict[str, str]) -> Row:
    """Return a whole row with these cells; parameters that older rows hold apart become its noise."""
    row = {column: cells.get(column) for column in COLUMNS}
    if apart := [f"{sign} {cells[name]}" for name, sign in NOISE.items() if cells.get(name)]:
        row["noise"] = ", ".join(apart)
    for name in WRITTEN:
        row["noise"] = cells.get(name) or row["noise"]
    return row


def written_out(row: Row) -> bool:
    """Say whether a text says all of the noise of a row, as of a trained model.

    Examples
    --------
    >>> written_out(row_of({"mechanism": "Laplace"})), written_out(row_of({"mechanism": "Trained model"}))
    (False, True)
    """
    return bool(_written(parameters_of(KEYS[row["mechanism"]]))) if row["mechanism"] in KEYS else False


def norm_of(row: Row) -> str | None:
    """Return the norm of a row's sensitivity, "L1" or "L2"; None where its mechanism has none.

    Examples
    --------
    >>> [norm_of(row_of({"mechanism": label})) for label in ("Laplace", "Gaussian", "Trained model", "?")]
    ['L1', 'L2', None, None]
    """
    kind = _KINDS.get(KEYS.get(row["mechanism"] or "", ""))
    return kind.norm if kind else None


def seen(column: str, text: str | None) -> str | None:
    """Return what a cell shows of its text: of a number with more than eight digits the first six, and "…".

    Examples
    --------
    >>> seen("noise", "σ 8.27605888602368"), seen("sensitivity", "1.4142136"), seen("name", "3.14159265358979")
    ('σ 8.27605…', '1.4142136', '3.14159265358979')
    """
    return _LONG.sub(_cut, text) if text and column in _NUMERIC else text


def _cut(number: re.Match[str]) -> str:
    """The number as it is, or the first digits of its decimal fraction."""
    zeros, digits = number.groups()
    whole = digits.find(".")
    if sum(map(str.isdigit, digits)) <= MOST_DIGITS or (whole < 0 and not zeros):
        return number[0]
    return f"{zeros}{digits[: max(FEW_DIGITS + (whole >= 0), whole + 2)]}…"


def meant(rows: Sequence[Row], column: str, text: str | None) -> str | None:
    """Return what stands behind a text that a cell shows shortened, in whatever row; else the text itself."""
    if not text or "…" not in text:
        return text
    whole = {row[column] for row in rows if row[column] != text and seen(column, row[column]) == text}
    return whole.pop() if len(whole) == 1 else text


def blank(row: Row) -> bool:
    """Say whether nothing is typed in a row."""
    return not _any(row, row)


def _any(row: Row, columns: Collection[str]) -> bool:
    """Whether something is typed in these columns of a row."""
    return any((row[column] or "").strip() for column in columns)


def row_for(release: Release) -> Row:
    """Return the row of a release; noise that was asked for by its error is told by that error.

    Examples
    --------
    >>> from dpviz.mechanisms import Laplace
    >>> [row_for(Release("Visits", Laplace(b)))["noise"] for b in (scale_within(Laplace, 40.0), 13.35)]
    ['±40', 'b 13.35']
    """
    fields = release_fields(release)
    fields["mechanism"] = LABELS[fields["mechanism"]]
    fields["kind"] = KIND_LABELS.get(fields.get("kind"))
    row = row_of({column: _text(value) for column, value in fields.items()})
    if isinstance(release.mechanism, TrainedModel):
        return row | {"noise": release.mechanism.in_short}
    return row | {"noise": wished} if (wished := _wished(release.mechanism.base)) else row


@lru_cache(4096)
def _wished(mechanism: Mechanism) -> str:
    """The error or the ρ, such as ±40, from which exactly this noise follows; "" where its number is short, or none."""
    if not adds_noise(type(mechanism)):
        return ""
    given, name = mechanism.parameters, type(mechanism).forms[-1].needed[0]
    if name not in given or len(f"{given[name]!r}".replace(".", "").lstrip("0")) <= MOST_DIGITS:
        return ""
    for digits in (4, FEW_DIGITS):  # as people type it, and as noise of a wanted error is fitted
        # Little noise on integers has no error at all, as if half a unit had been asked for.
        width = float(f"{half_width(mechanism, CONFIDENCE):.{digits}g}") or 0.5
        if scale_within(type(mechanism), width, CONFIDENCE) == given[name]:
            return f"±{width:.0f}" if 1e5 <= width < 1e15 and width % 1 == 0 else f"±{width:g}"  # no 6e+07
    changes = given.get("sensitivity")
    for sign in _TOLD_BY.get(mechanism.key, ()) if changes else ():
        strength = float(f"{getattr(mechanism, sign):.4g}")
        if STRENGTHS[sign](strength, changes) == given[name]:
            return f"{SIGNS[sign]} {strength:g}"
    return ""


def _cell(column: str, value: object) -> str | None:
    """What is typed in a cell; nothing where it is a sensitivity that follows, as it is shown there."""
    text = _text(value)
    return None if column == "sensitivity" and text and text.strip().startswith(FOLLOWS.strip()) else text


def following(known: Known | None) -> str | None:
    """Return how a cell shows a sensitivity that was not typed; None where it was, or where it is open.

    Examples
    --------
    >>> from dpviz import Laplace, Plan
    >>> following(Plan([Release("Visits", Laplace(10), kind="count")]).sensitivities[0])
    '= 1'
    """
    return f"{FOLLOWS}{shown_up(known.value, 6)}" if known and known.origin in (DERIVED, ASSUMED) else None


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else None
    if isinstance(value, float):
        return str(value).removesuffix(".0").replace("e-0", "e-")
    return None if value is None else str(value)


def changed(rows: list[Row], changes: dict[str, object]) -> list[Row] | None:
    """Return rows after the changes that a table reports; None where they are of rows that there are not.

    Parameters
    ----------
    rows : list of dict
        What the table started from.
    changes : dict
        "edited_rows" (cells by position), as Streamlit has them.
    """
    edited = {int(place): cells for place, cells in changes["edited_rows"].items()}
    if not edited.keys() <= set(range(len(rows))):
        return None
    typed = {
        place: {column: meant(rows, column, _cell(column, cell)) for column, cell in cells.items()}
        for place, cells in edited.items()
    }
    after = [row_of({**row, **typed.get(place, {})}) for place, row in enumerate(rows)]
    return [{**row, "noise": _of_two(row["noise"], old["noise"])} for row, old in zip(after, rows, strict=True)]


def _of_two(noise: str | None, stood: str | None) -> str | None:
    """The one that is meant of the noise of now → the offered one, where somebody edits a cell that shows both."""
    if OFFERED not in (noise or ""):
        return noise
    now, then = noise.split(OFFERED, 1)
    other, comma, rest = then.partition(", ")
    if not now.startswith(("noise multiplier", "multiplier", "epochs", "steps")):
        return now if now not in (stood, seen("noise", stood)) else then
    kept, name = now + comma + rest, now.rpartition(" ")[0]
    with suppress(ValueError):  # the cell names all parts of a training, the one that is offered first
        kept, stood = (TrainedModel.from_text(each or "").in_short for each in (kept, stood))
    return kept if kept != stood else f"{name} {other}{comma}{rest}"


def understood(rows: list[Row], before: list[Row]) -> list[Row]:
    """Return rows in which cells that mean more than was typed say so.

    A mechanism, a kind or a rhythm is known in small letters, too, and by its key in files. A bare number typed over
    noise with a sign has that sign: an ε stays an ε; nothing is guessed where no sign stood, or more than one, or the
    mechanism changed. A range typed as the sensitivity of a sum or mean is what its values are clipped to, from which
    the sensitivity follows. A quotient typed as a sensitivity or sampling rate becomes its number, rounded up, and so
    do per cent of a rate; that of a trained model is told with its noise.

    Parameters
    ----------
    rows, before : list of dict
        The table now, and as it was on the screen before the last change, of one length.

    Examples
    --------
    >>> old = row_of({"name": "Pay", "kind": "sum", "mechanism": "Laplace", "noise": "ε 0.1"})
    >>> [understood([{**old, "noise": "0.02"}], [each])[0]["noise"] for each in (old, {**old, "noise": None})]
    ['ε 0.02', '0.02']
    >>> [row] = understood([{**old, "sensitivity": "0 to 6000"}], [old])
    >>> row["lower"], row["upper"], row["sensitivity"]
    ('0', '6000', None)
    >>> [row] = understood([{**old, "mechanism": "discrete_gaussian", "rate": "1/200"}], [old])
    >>> row["mechanism"], row["rate"], understood([{**old, "rate": "5 %"}], [old])[0]["rate"]
    ('Discrete Gaussian', '0.005', '0.05')
    >>> [understood([{**old, "start": each}], [old])[0]["start"] for each in ("1 September 2027", "1.9.2027")]
    ['2027-09-01', '1.9.2027']
    >>> asked = {**old, "mechanism": "randomized_response"}
    >>> understood([{**asked, "noise": "true 80 of 100"}], [asked])[0]["noise"]
    'ε 1.38629'
    """
    named = map(_of_run, map(_answered, map(_named, rows)))
    return [_ranged(_signed_as(row, old), old) for row, old in zip(named, before, strict=True)]


def _named(row: Row) -> Row:
    """The row with what is chosen from a list named as the list names it."""
    named = {column: CHOICES.get(column, {}).get(plain(text or ""), text) for column, text in row.items()}
    named |= {column: dated(named[column]) for column in (*DATES, "done") if named[column]}
    counted = _COUNT.fullmatch(named["kind"] or "")
    return {**named, "kind": KIND_LABELS["count"]} if counted and kinds(counted[1]) == ("person",) else named


def _answered(row: Row) -> Row:
    """The row with the ε of randomized response that is told by how many answers stay true, as its error is."""
    found = _TRUE.fullmatch((row["noise"] or "").strip().lower())
    if not found or row["mechanism"] != LABELS["randomized_response"] or not 50 < float(found[1]) < 100:
        return row
    return {**row, "noise": f"ε {epsilon_of_true(float(found[1])):.6g}"}


def _of_run(row: Row) -> Row:
    """The row of a trained model with its sampling rate told with its noise: its batches are its samples."""
    noise = (row["noise"] or "").strip()
    if not row["rate"] or not written_out(row) or row["mechanism"] != LABELS["trained_model"]:
        return row
    scheme = f", scheme {row['scheme']}" if row["scheme"] and "scheme" not in noise else ""
    return {**row, "noise": f"{noise}, sampling rate {row['rate']}{scheme}".strip(", "), "rate": None, "scheme": None}


def _ranged(row: Row, old: Row) -> Row:
    quotients = {"sensitivity": row["sensitivity"], "rate": _PER_CENT.sub(r"\1/100", row["rate"] or "")}
    row = row | {name: found for name, text in quotients.items() if (found := _divided(text, old[name]))}
    if row["kind"] not in CLIPPED or all(row[each] == old[each] for each in ("sensitivity", "kind")):
        return row
    text, of = (row["sensitivity"] or "").strip(), None
    if row["kind"] == "mean" and (parts := _AVERAGED.fullmatch(text)):
        text, of = parts[1], plain_number(parts[2]) or 0
    ends = ends_of(text)
    if not ends or (of is not None and of < 1):  # what is of no values is refused as it stands
        return row
    told = {"averaged": parts[2]} if of else {"sensitivity": _widened(ends, old) if row["kind"] == "mean" else None}
    return {**row, "lower": ends[0], "upper": ends[1], "sensitivity": None, **told}


def _divided(text: str | None, before: str | None) -> str:
    """The number that a quotient means, rounded up, which costs more; "" of what is none, or stood there before."""
    parts = _QUOTIENT.fullmatch((text or "").strip())
    if not parts or text == before or not all(map(plain_number, parts.groups())):
        return ""
    return f"{next_above(plain_number(parts[1]) / plain_number(parts[2]), 12):.12g}"


def _widened(ends: tuple[str, str], old: Row) -> str | None:
    """The sensitivity that stood where a range of a mean is typed, in proportion to it where another range stood.

    So a mean of some, whose number only that sensitivity tells, does not become one of everybody in the data.
    """
    if plain_number(old["sensitivity"] or "") is None:
        return None
    before, now = (_width(*pair) for pair in ((old["lower"], old["upper"]), ends))
    if not before or now is None or before == now:
        return old["sensitivity"]
    return f"{next_above(plain_number(old['sensitivity']) / before * now, 12):.12g}"


def _width(lower: str | None, upper: str | None) -> float | None:
    """How far two ends lie apart; None where one is missing, or they lie the wrong way round."""
    low, high = (plain_number(text or "") for text in (lower, upper))
    return None if low is None or high is None or high <= low else high - low


def averaged(ends: tuple[str | None, str | None], row: Row) -> int | None:
    """Return of how many values between these ends a mean is made, as stated or by the sensitivity typed; else None.

    Examples
    --------
    >>> averaged(("1", "10"), row_of({"sensitivity": "0.0045"})), averaged(("1", "10"), row_of({}))
    (2000, None)
    """
    if row["averaged"]:
        return plain_number(row["averaged"])
    width, change = _width(*ends), plain_number(row["sensitivity"] or "")
    of = width / change if width and change else 0
    return round(of) if of >= 1 and math.isclose(of, round(of), rel_tol=1e-6) else None


def _signed_as(row: Row, old: Row) -> Row:
    """The row with a bare number as its noise under the sign of the noise that stood there; as it is where it has one.

    It stays bare where the error of Gaussian noise stood, since the number may as well be its σ. In the place of a loss
    of added noise stands none that nobody promises: such a number may be its scale or error, and is asked about.
    """
    new, stood = (_PART.fullmatch((each["noise"] or "").strip().lower()) for each in (row, old))
    if row["mechanism"] != old["mechanism"] or not new or not stood or new[1] or plain_number(stood[2]) is None:
        return row
    name, value, key = _SIGNS.get(stood[1], ""), plain_number(new[2]), KEYS.get(row["mechanism"] or "", "")
    if value is None or not 0 < value < math.inf or (name == "within" and key in _TOLD_BY):
        return row
    sign = SHOWN.get(name, "")
    if name in ("epsilon", "rho", "mu") and value >= MUCH_LOSS > plain_number(stood[2]):
        sign = ""
    return {**row, "noise": f"{sign} {new[2]}"} if sign else row


def emptied(rows: list[Row], before: list[Row], shown: Collection[str]) -> list[Row]:
    """Return rows in which nothing is left of one whose cells in sight were all cleared: what is hidden goes with them.

    Parameters
    ----------
    rows, before : list of dict
        The table now, and as it was before the last change, of one length.
    shown : collection of str
        The columns in sight.

    Examples
    --------
    >>> old = row_of({"name": "Visits", "count": "1", "start": "2026-01-01"})
    >>> [row] = emptied([{**old, "name": None, "count": None}], [old], ["name", "count"])
    >>> blank(row), emptied([{**old, "name": None}], [old], ["name", "count"])[0]["start"]
    (True, '2026-01-01')
    """
    return [
        row_of({}) if not _any(row, shown) and _any(old, shown) else row
        for row, old in zip(rows, before, strict=True)
    ]  # fmt: skip


def noise_of(text: str, key: str) -> dict[str, float] | str:
    """Return the parameters that the cell of a row's noise gives, "within" among them; what is allowed where it fails.

    Parameters
    ----------
    text : str
        Such as "ε 0.1", "σ = 40", "b 10", "ε 0.1, δ 1e-9", "±20", or a bare number where it can mean one thing only.
    key : str
        Of the mechanism, which says what a bare number is. Noise that is added may be told by several signs: read as
        another one than was meant, 0.05 is an ε of 203, so it is not read without one.

    Examples
    --------
    >>> noise_of("ε 0.1, δ 1e-9", "gaussian"), noise_of("0.5", "randomized_response"), noise_of("±20", "laplace")
    ({'epsilon': 0.1, 'delta': 1e-09}, {'epsilon': 0.5}, {'within': 20})
    >>> noise_of("±20 (19 times of 20)", "laplace")
    {'within': 20}
    >>> noise_of("standard deviation 40", "gaussian"), noise_of("st. dev. = 40", "gaussian")
    ({'sigma': 40}, {'sigma': 40})
    >>> noise_of("40", "gaussian")
    'must say what the number is: “eps 40, delta 1e-9”, “sigma 40”, “rho 40”, “mu 40” or “±40” for the wanted error'
    >>> noise_of("0,05", "randomized_response")
    'must be written as “eps 0.1”, with a decimal point'
    >>> noise_of("±2,000", "laplace")
    'must be written without a comma, as “±2000” if that is what it means'
    """
    found: dict[str, float] = {}
    text = _DEVIATION.sub("sd", re.sub(r"\+/?-", "±", text.strip().lower()))
    if text.startswith("±"):
        text = _OFTEN.sub("", text).strip()
    for part in filter(None, _BETWEEN.split(text)):
        match = _PART.fullmatch(part)
        name = match and _SIGNS.get(match[1] or BARE.get(key, "ε"))
        value = match and plain_number(match[2])
        if not name or value is None or name in found:
            return _with_point(text, key)
        if not match[1] and (signed := _signed(match[2], value, key)):
            return signed
        found[name] = value
    return found


def _with_point(text: str, key: str) -> str:
    """How noise is written, with the number that was typed where its comma is all that is wrong."""
    if not _COMMA.search(text):
        return noise_allowed(key)
    if re.search(r"\d,\d{3}(?!\d)", text):  # two thousand, or two
        bare = re.sub(r"(?<=\d),(?=\d)", "", text.strip())
        return f"must be written without a comma, as “{bare}” if that is what it means"
    number = text.strip().replace(",", ".")
    if plain_number(number) and (signed := _signed(number, plain_number(number), key)):
        return signed.replace("must say what the number is:", "must be written with a decimal point:")
    return noise_allowed(key) + POINT


def noise_allowed(key: str) -> str:
    """Return how the noise of a mechanism is written.

    Examples
    --------
    >>> noise_allowed("laplace"), noise_allowed("randomized_response")
    ('must be written as “eps 0.1”, “b 10” or “±20” for the wanted error', 'must be written as “eps 0.1”')
    """
    if TRAINING in parameters_of(key):
        return f"must be written like “{USUAL[key]}”"
    if CURVE in parameters_of(key):
        return "must be written as a curve, such as “rho 0.1”, or as “eps 0.1, delta 1e-9”"
    return f"must be written as {_spelt(_KINDS.get(key, _KINDS['laplace']), _SPELT)}"


def _ways(kind: type[Mechanism]) -> list[tuple[str, ...]]:
    """The names of what gives the noise of a mechanism, for every way to give it."""
    return [*(form.needed for form in kind.forms), *((name,) for name in _TOLD_BY.get(kind.key, ()))]


def _spelt(kind: type[Mechanism], values: dict[str, str]) -> str:
    """Every way to write the noise of a mechanism, with these numbers."""
    ways = [", ".join(f"{TYPED.get(name, name)} {values[name]}" for name in names) for names in _ways(kind)]
    wanted = [f"“±{values[WANTED]}” for the wanted error"] if adds_noise(kind) else []
    quoted = [*(f"“{way}”" for way in ways), *wanted]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _signed(text: str, value: float, key: str) -> str:
    """What a bare number of added noise must be written as; "" where it may stay bare."""
    kind = _KINDS.get(key)
    if not kind or not adds_noise(kind):
        return ""
    if not 0 < value < math.inf:
        return noise_allowed(key)
    return UNSIGNED.format(_spelt(kind, dict.fromkeys((*SIGNS, WANTED), text) | {"delta": _SPELT["delta"]}))


def releases_of(rows: list[Row], plan: Plan | None = None) -> tuple[dict[int, Release], dict[int, tuple[Problem, ...]]]:
    """Return the releases that a table means, and what is wrong with every row that means none; blank rows count not.

    Parameters
    ----------
    rows : list of dict
        Text by column, None where a cell is empty.
    plan : Plan, optional
        Whose promise says which sensitivity follows, where a ρ or μ needs one; None for one that states nothing.

    Returns
    -------
    releases : dict of Release
        By the position of their row, from 0.
    faults : dict of tuple of Problem
        Likewise, all of a row; the column of what the cell of its noise holds is the name of the parameter.
    """
    releases, faults, known = {}, {}, {}
    promise = replace(plan or Plan(()), releases=())
    demanded = (SCHEMES[row["scheme"]] for row in rows if row.get("scheme") in SCHEMES)
    relation = promise.relation or next(demanded, promise.neighbours)
    context = (relation, promise.population, promise.unit_in_words)
    for position, row in enumerate(rows):
        texts = {column: text.strip() for column, text in row.items() if text and text.strip()}
        if not texts:
            continue
        outcome = _release(texts, known, context)
        (releases if isinstance(outcome, Release) else faults)[position] = outcome
    return releases, faults


def _release(
    texts: dict[str, str], known: dict[tuple, Mechanism], context: tuple[str, int | None, str]
) -> Release | tuple[Problem, ...]:
    """The release of one row, or all that is wrong with it."""
    fields: dict[str, object] = dict(texts)
    problems = [*_read_cells(fields), *_read_mechanism(fields), *_read_strength(fields, known, context)]
    if not problems:
        try:
            return release_from(fields, known)
        except ValueError:
            pass  # the usual row is right: what is wrong is looked for only here
    bad = {problem.column for problem in problems}
    beside = {name for group in JOINT if bad & {*group} for name in group} | bad
    problems += [_problem(*each) for each in release_problems(fields, known) if each[0] not in beside]
    return tuple(replace(each, value=texts.get(_cell_of(each.column), each.value)) for each in problems)


def _problem(column: str | None, text: str, allowed: str) -> Problem:
    """A problem; without its column where the sentence says it all."""
    return Problem(None, column if allowed.startswith("must ") else None, text, allowed)


def _cell_of(column: str | None) -> str | None:
    """The column in which something is typed; of what is written out the part that is wrong is known already."""
    return "noise" if column in (*SIGNS, WANTED) else column


def _read_cells(fields: dict[str, object]) -> list[Problem]:
    """Put what the cells mean into their places; take out, and return, what cannot be read."""
    problems = []
    for column, (read, allowed) in _READ.items():
        if column not in fields:
            continue
        text = str(fields.pop(column))
        if column in ("sensitivity", "lower") and (meant := unmarked(text)):
            fields.pop("upper" if column == "lower" else column, None)
            told = f"must be written without a mark between thousands, as “{meant}” if that is what it means"
            problems.append(Problem(None, "bounds" if column == "lower" else column, text, told))
        elif (value := read(text.lower())) is None:
            comma = allowed.endswith((")", "]")) and _COMMA.search(text)
            told = UNGROUPED_ALLOWED if grouped(text) else allowed + (POINT if comma else "")
            if column == "sensitivity" and (fields.get("kind") in CLIPPED or ends_of(_AVERAGED.sub(r"\1", text))):
                told += RANGED if fields.get("kind") in CLIPPED else OF_WHAT
            problems.append(Problem(None, column, text, told))
        else:
            fields[column] = value
    if "kind" in fields:
        fields["kind"] = KIND_KEYS.get(kind := str(fields["kind"]), kind)
        if fields["kind"] not in KIND_KEYS.values():
            del fields["kind"]
            problems.append(Problem(None, "kind", kind, f"must be one of {', '.join(KIND_KEYS)}"))
    return problems


def _read_mechanism(fields: dict[str, object]) -> list[Problem]:
    """Put the key of the mechanism and what its noise means into their places, or what is allowed beside the problem.

    So that what else is wrong with the row is found, too.
    """
    typed = str(fields.get("mechanism", ""))
    key = fields["mechanism"] = KEYS.get(typed, typed)
    noise = str(fields.pop("noise", ""))
    if key not in _KINDS:
        for name in ("sensitivity", "calibration"):
            fields.pop(name, None)
        fields |= {"mechanism": "randomized_response", "epsilon": 1.0}
        return [Problem(None, "mechanism", typed, f"must be one of {', '.join(KEYS)}")]
    try:
        found = _noise(noise, _KINDS[key])
    except ValueError as error:
        fields |= _usual(key)
        return [_problem(*blamed(error, {WANTED: "", "noise": ""}, None)), *_superfluous(fields, parameters_of(key))]
    fields |= found
    return _superfluous(fields, _beside(found.keys(), _KINDS[key]))


def _noise(text: str, kind: type[Mechanism]) -> dict[str, object]:
    """The parameters that the cell of a row's noise gives; a ValueError says why it gives none."""
    written = _written(parameters_of(kind.key))
    curved = written == CURVE
    if written and not (curved and _PAIR.match(text.lower())):
        return {written: text}
    found = noise_of(text, kind.key)
    if isinstance(found, str):
        raise ValueError(f"noise {found}; got {text}")
    if curved and {"epsilon"} <= found.keys() <= {"epsilon", "delta"}:
        return {CURVE: f"profile {found['epsilon']!r}:{found.get('delta', 0)!r}"}
    if "within" in found and adds_noise(kind) and len(found) == 1:
        return {kind.forms[-1].needed[0]: scale_within(kind, found["within"], CONFIDENCE)}
    if not any(found.keys() == {*way} for way in _ways(kind)):
        raise ValueError(f"noise {noise_allowed(kind.key)}; got {text}")
    return found


def _usual(key: str) -> dict[str, object]:
    written = _written(parameters_of(key))
    return {written: USUAL[key]} if written else noise_of(USUAL[key], key)


def _written(names: Collection[str]) -> str:
    """The text that says all of a mechanism, among the names of its parameters; "" where there is none."""
    return next((name for name in WRITTEN if name in names), "")


def _beside(given: Set[str], kind: type[Mechanism]) -> set[str]:
    """What may stand beside noise that is given so."""
    taken = {name for form in kind.forms if {*form.needed} == given for name in form.optional}
    return taken | ({"sensitivity"} if adds_noise(kind) else set())


def _superfluous(fields: dict[str, object], taken: Collection[str]) -> list[Problem]:
    """Take out, and return, what stands beside noise that does not go with it."""
    why = {
        "sensitivity": "since the noise of this mechanism is not added to an answer",
        "calibration": "since it says how σ follows from ε and δ",
    }
    beside = [name for name in why if name in fields and name not in taken]
    return [Problem(None, name, str(fields.pop(name)), f"must be empty, {why[name]}") for name in beside]


def _read_strength(
    fields: dict[str, object], known: dict[tuple, Mechanism], context: tuple[str, int | None, str]
) -> list[Problem]:
    """Put the σ that a ρ or μ means into its place, rounded up; return why there is none."""
    name = next((each for each in STRENGTHS if each in fields), None)
    if name is None:
        return []
    strength, fields["sigma"] = fields.pop(name), float(_SPELT["sigma"])
    try:
        _, found = settled(release_from({"name": "any", **fields}, known), *context)
    except ValueError:
        return []  # which is said of the cell that is wrong
    if found.value is None:
        return [Problem(None, None, "", found.sentence)]
    try:
        fields["sigma"] = STRENGTHS[name](strength, found.value)
    except ValueError as error:
        return [_problem(*blamed(error, {name: strength}, "noise"))]
    return []
