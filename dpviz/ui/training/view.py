"""What the page on training shows."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from dpviz.figures.plan.training_curves import described, training_curves
from dpviz.plan import Document, Plan
from dpviz.rounding import next_above, shown_count, shown_delta, shown_down, shown_near, shown_up
from dpviz.training import LIBRARIES, SCHEMES, training_program
from dpviz.training.trials import NUMBERS
from dpviz.ui.shell import components, inputs, learn_pages, reading, typed, words
from dpviz.ui.shell.document import session
from dpviz.ui.shell.presets import fill
from dpviz.ui.training import answer as answers
from dpviz.ui.training import words as told
from dpviz.ui.training.answer import Found
from dpviz.ui.training.asked import COST

SCHEME_COLUMNS = {
    "label": "How batches are drawn", "most": "ε, at most", "least": "ε, at least", "number": "What the number is",
    "implement": "What the code must do", "change": "Protects",
}  # fmt: skip
MORE = ("All schemes", "Why larger batches help", "Hand it over", "Trying settings")
MOST_TRIALS = 1000
LIBRARY_LABELS = {each.key: each.label for each in LIBRARIES}


def metrics(found: Found) -> None:
    """Draw the figures of the run."""
    run, cost = found.run, found.cost
    least = f"at least {shown_down(cost.lower)}" if cost.lower else cost.kind
    mean = "Noise multiplier times clipping norm, over the batch size: what each coordinate of a mean gradient gets."
    components.metrics(
        (
            ("ε, at most", shown_up(cost.epsilon), least, f"At δ = {shown_delta(run.delta)}: {cost.kind}."),
            ("Noise multiplier", shown_up(run.noise_multiplier), "of the clipping norm"),
            ("Noise of a mean gradient", shown_near(run.noise_of_mean, 3), "in each coordinate", mean),
            ("Steps", shown_count(run.step_count), f"{shown_count(run.batches_per_epoch)} an epoch"),
        )
    )


def picture(asked: object, found: Found) -> None:
    """Draw the cost over epochs under every scheme."""
    components.chart(
        components.drawn(training_curves, found.curves, in_words=reading.people()),
        found.curves,
        "training",
        told.title(found),
        partial(described, found.curves),
    )


def keep(found: Found) -> None:
    """Draw the button that keeps what was searched, so that other batches are priced at that noise."""
    if found.budget is None or found.trouble or found.cost.reason:
        return
    run = found.run
    numbers = {"trains": next_above(run.noise_multiplier), "trainb": run.batch_size, "traine": run.epochs}
    held = {"trainsolve": COST, **{key: typed.shown(value) for key, value in numbers.items()}}  # noise as it is told
    st.button(
        told.KEEP, key="train_keep", on_click=fill, args=(held,), help=told.ABOUT_KEEP, icon=":material/lock:",
        type="tertiary",
    )  # fmt: skip


def schemes(found: Found) -> None:
    """Draw what each scheme costs, what that number is, and what must be implemented."""
    rows = found.table
    frame = rows.assign(
        most=[shown_up(value) if value < math.inf else "none known" for value in rows.epsilon],
        least=[shown_down(value) if value > 0 else "–" for value in rows.lower],
        change=rows.relation.map(told.relation),
        number=rows.kind.where(rows.reason == "", rows.kind + ": " + rows.reason),
    )
    for name in ("label", "number", "implement", "change"):
        frame[name] = frame[name].map(words.escaped).map(reading.told)
    frame.loc[frame.scheme == found.run.scheme, "label"] = "**" + frame.label + "** (chosen)"
    alt = "What training costs under every way to draw batches, and what each must implement"
    titles = {name: reading.told(label) for name, label in SCHEME_COLUMNS.items()}
    st.table(frame[list(titles)].rename(columns=titles), border="horizontal", hide_index=True, alt=alt)
    st.caption(
        "Rows that protect another change are not comparable."
        if reading.people()
        else "Rows that protect another change are not comparable as they stand. All rows have the same noise "
        "multiplier: a tree has that noise on every node, a banded matrix before it is correlated."
    )


def use(found: Found) -> None:
    """Draw what puts the run into the plan, beside what else is published about the same people, or begins one."""
    if found.cost.reason:
        st.caption("A run without a guarantee is no row of a plan.")
        return
    plan = session.current()
    own, added = answers.plan_of(found), answers.plan_of(found, plan)
    about = "Opens a plan of its own: the budget that is asked for here, one record at a time, and this training."
    start = partial(learn_pages.begin_plan, Document(own, told.OWN_PLAN), told.START, "training", about)
    if plan != Plan(()):  # somebody has stated what it promises
        about = "Adds this training to your plan, beside what else is published about the same people."
        learn_pages.use(added.releases, "training", about, told.not_in_plan(plan, own), start)
    else:
        start()
    st.caption(reading.told(f"{told.BESIDE.format(words.escaped(plan.unit_in_words))}{told.other_delta(plan, own)}"))


def batches(found: Found) -> None:
    """Draw what larger batches cost at the same accuracy of a step."""
    frame = answers.larger(found.run)
    shown = frame.assign(
        batch_size=[shown_count(int(value)) for value in frame.batch_size],
        noise_multiplier=[shown_near(value, 4) for value in frame.noise_multiplier],
        steps=[shown_count(int(value)) for value in frame.steps],
        epsilon=[shown_up(value) if value < math.inf else "none known" for value in frame.epsilon],
    )
    labels = {"batch_size": "Batch size", "noise_multiplier": "Noise multiplier", "steps": "Steps", "epsilon": "ε"}
    st.dataframe(
        shown, hide_index=True, column_config=components.right(labels),
        alt="What trainings of equally accurate steps cost, by their batch size",
    )  # fmt: skip
    st.caption(told.LARGER)


def program(found: Found) -> None:
    """Draw the run as code for a library, with what must be looked after."""
    about = "What trains the model, or prices it again."
    library = inputs.choice(
        "Library", "trainlib", tuple(LIBRARY_LABELS), about, index=1, format_func=LIBRARY_LABELS.get
    )
    try:
        code = training_program(found.run, library)
    except ValueError:
        st.warning(told.not_handed(found, LIBRARY_LABELS[library]))
        return
    st.code(code, language="python", wrap_lines=True)
    st.download_button(
        "This program", code, "training.py", "text/x-python", on_click="ignore", key="training_program",
        type="tertiary", icon=":material/download:",
    )  # fmt: skip


def search(found: Found) -> None:
    """Draw what it costs to train several times and publish the best."""
    left, right = st.columns(2)
    with left:
        about = "Trainings on average where their number is random. None may cost more than this one."
        number = inputs.count("Trainings", "traintrials", MOST_TRIALS, 10, about)
    with right:
        law = inputs.choice("Their number is drawn from", "trainlaw", NUMBERS, "Before the first one.")
    random, every = answers.trials(found.run, number, law)
    entries = [("One training", shown_up(found.cost.epsilon), "ε, at most")]
    if random is not None:
        entries.append(("The best of a random number", shown_up(random), "ε; the others stay secret"))
    if every is not None:
        entries.append((f"All {shown_count(number)}", shown_up(every), "ε; each may be published"))
    components.metrics(entries)
    if random is None:
        st.caption("Of a random number of trainings with such batches no price is known here: count every one.")
    st.caption(f"{told.SEARCH} Source: Papernot & Steinke (2022), arXiv 2110.03620, Theorems 2 and 6.")


def why() -> None:
    """Draw statement, assumptions and source of every scheme."""
    components.why(((scheme, "") for scheme in SCHEMES), "every way to draw batches, what it assumes and its source")
