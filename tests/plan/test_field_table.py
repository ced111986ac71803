"""The table of fields: the order of files is frozen, and what an edit asks is said where its field is defined."""

from dataclasses import replace
from datetime import date

from dpviz import (
    Declared,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    KaryRandomizedResponse,
    Laplace,
    Plan,
    Release,
    Subsampled,
    Thresholding,
    TrainedModel,
    compose,
)
from dpviz.plan import Document
from dpviz.plan.document import CHANGED
from dpviz.plan.field_table import FIELDS, TYPES, VERSION, Field, of_version
from dpviz.planning.accuracy import scale_within

DONE = Release("Visits", Laplace(10, 1), done=True)
NEXT = Release("Stays", Laplace(20, 1), 3)
DAILY = replace(NEXT, start=date(2026, 1, 1), cadence="daily", end=date(2026, 1, 3))
CLIPPED = replace(NEXT, mechanism=Laplace(200, 10), kind="sum", lower=0.0, upper=6.0)
# A release before and after an edit of that field alone.
EDITS = {
    "name": (NEXT, replace(NEXT, name="Nights")),
    "mechanism": (NEXT, replace(NEXT, mechanism=DiscreteLaplace(20, 1))),
    "epsilon": (NEXT, replace(NEXT, mechanism=Laplace.from_epsilon(0.06, 1))),
    "delta": [replace(NEXT, mechanism=Gaussian.from_guarantee(0.5, delta)) for delta in (1e-6, 1e-7)],
    "scale": (NEXT, replace(NEXT, mechanism=Laplace(5, 1))),
    "sigma": [replace(NEXT, mechanism=Gaussian(sigma, 1)) for sigma in (5, 6)],
    "sensitivity": (NEXT, replace(NEXT, mechanism=Laplace(20, 2))),
    "calibration": [
        replace(NEXT, mechanism=Gaussian.from_guarantee(0.5, 1e-6, 1, way)) for way in ("analytic", "classical")
    ],
    "scheme": [
        replace(NEXT, mechanism=Subsampled(Laplace(20, 1), 0.1, way)) for way in ("poisson", "without_replacement")
    ],
    "rate": [replace(NEXT, mechanism=Subsampled(Laplace(20, 1), rate, "poisson")) for rate in (0.1, 0.2)],
    "count": (NEXT, replace(NEXT, count=4)),
    "part": (NEXT, replace(NEXT, part="north")),
    "start": (DAILY, replace(DAILY, start=date(2026, 1, 2))),
    "cadence": (DAILY, replace(DAILY, cadence="weekly")),
    "end": (DAILY, replace(DAILY, end=date(2026, 1, 9))),
    "weight": (NEXT, replace(NEXT, weight=2.0)),
    "typical": (NEXT, replace(NEXT, typical=100.0)),
    "answer_unit": (NEXT, replace(NEXT, answer_unit="nights")),
    "done": (NEXT, replace(NEXT, done=True)),
    "kind": (NEXT, replace(NEXT, kind="count")),
    "lower": (CLIPPED, replace(CLIPPED, lower=1.0)),
    "upper": (CLIPPED, replace(CLIPPED, upper=5.0)),
    "k": [replace(NEXT, mechanism=KaryRandomizedResponse(0.5, values)) for values in (5, 6)],
    "curve": [replace(NEXT, mechanism=Declared.zcdp(rho)) for rho in (0.1, 0.2)],
    "threshold": [replace(NEXT, mechanism=Thresholding(Laplace(20, 1), least)) for least in (200, 300)],
    "candidates": (replace(NEXT, mechanism=Exponential(1.0)), replace(NEXT, mechanism=Exponential(1.0), candidates=9)),
    "training": [replace(NEXT, mechanism=TrainedModel(900, 30, sigma, epochs=2)) for sigma in (1.0, 2.0)],
    "keys": [replace(NEXT, mechanism=Thresholding(Laplace(20, 1), 300, keys)) for keys in (1, 2)],
    "rows": [replace(NEXT, mechanism=Laplace(20, 3), kind="count", rows=rows) for rows in (2, 3)],
    "bars": [replace(NEXT, bars=bars) for bars in ("any", "different")],
    "averaged": (NEXT, replace(NEXT, averaged=2000)),
}


def asked(before: Release, after: Release) -> tuple[str, ...]:
    """What an edit of a release asks after another one was done."""
    plan = Plan([DONE, before])
    return Document(plan).edited(replace(plan, releases=(DONE, after))).questions


def test_an_edit_asks_where_its_field_touches_privacy():
    """A field that does not say otherwise touches it; what a neutral one changes is composed as before."""
    assert EDITS.keys() == {field.name for field in FIELDS} and not Field("owner", "text").neutral
    for field in FIELDS:
        before, after = EDITS[field.name]
        assert before != after
        assert asked(before, after) == (() if field.neutral else (CHANGED,)), field.name
        if field.neutral:
            (old, counts), (new, again) = (Plan([DONE, each]).workload() for each in (before, after))
            assert old == new and counts.tolist() == again.tolist(), field.name


def test_what_a_sensitivity_follows_from_touches_privacy_where_it_is_blank():
    """Kind and clipping are neutral beside a typed sensitivity; without one, the mechanism changes with them."""
    blank = replace(NEXT, mechanism=Laplace(20))
    summed = replace(blank, kind="sum", lower=0.0, upper=6.0)
    assert asked(replace(blank, kind="count"), summed) == asked(summed, replace(summed, upper=5.0)) == (CHANGED,)
    assert asked(replace(blank, kind="count"), replace(blank, kind="count", rows=2)) == (CHANGED,)


def test_files_of_a_version_have_the_fields_that_they_had():
    """The order of columns and the fields of each version are frozen: files and links of all of them are about."""
    noise = ["epsilon", "delta", "scale", "sigma", "sensitivity", "calibration", "scheme", "rate"]
    first = ["name", "mechanism", *noise, "count", "part"]
    second = [*first, "start", "cadence", "end", "weight", "typical", "done"]
    assert list(of_version(1)) == first and list(of_version(2)) == second
    assert set(of_version(3)) - set(second) == {"answer_unit"}
    fourth = [*second[:-1], "answer_unit", "done", "kind", "lower", "upper", "k", "curve"]
    assert list(of_version(4)) == list(of_version(5)) == fourth
    assert list(of_version(6)) == [*fourth, "threshold", "keys", "candidates", "training"]
    assert list(of_version(7)) == [*of_version(6), "rows", "bars", "averaged"]
    assert max(field.since for field in FIELDS) <= VERSION and {field.type for field in FIELDS} == {*TYPES}


def test_which_noise_costs_less_is_told_of_many_releases_and_of_few():
    """The help of the mechanism says so of noise with the same error, 19 times of 20."""
    assert "many times, Gaussian noise mostly costs less" in {field.name: field.help for field in FIELDS}["mechanism"]
    for error in (30.0, 200.0, 1000.0):
        laplace = Laplace(scale_within(Laplace, error, 0.95), 1.0)
        gaussian = Gaussian(scale_within(Gaussian, error, 0.95), 1.0)
        for uses, cheaper, dearer in ((1, laplace, gaussian), (2, laplace, gaussian), (365, gaussian, laplace)):
            costs = [compose(Plan([Release("Visits", each, uses)]), 1e-7).epsilon for each in (cheaper, dearer)]
            assert costs[0] < costs[1]
