"""What pages under Learn share: how they start from the plan, what people are asked, and ways into the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dpviz.mechanisms import ApproximateDP, Mechanism, NameAndShame, TrainedModel, mechanism_from
from dpviz.mechanisms.forms import parameters_of, single_parameter
from dpviz.plain import SYMBOLS
from dpviz.plan import Document, Plan, Release
from dpviz.plan.fields import plain_number
from dpviz.sources import DOCUMENTS
from dpviz.training import scheme_named
from dpviz.ui.shell import inputs, page_state, reading, refusals, shell, typed, workspace
from dpviz.ui.shell.document import session
from dpviz.ui.shell.presets import fill
from dpviz.ui.shell.words import escaped

COST = "the privacy loss"  # what the page on training searches where all of a run is given
USED = "_used"  # holds the document that such a page has made


def start_from_plan(**first: object) -> None:
    """Set the inputs of a page for a visitor who comes with a plan, and name them in the address, for links.

    Parameters
    ----------
    **first
        By their key in the address; the first one says what the page is about. None leaves an input empty.
    """
    if not inputs.linked() and not page_state.holds(next(iter(first))) and session.current().releases:
        fill({key: value for key, value in first.items() if value is not None})


def offered(options: Iterable[Any], key: str, shown: Callable[[object], str] = str) -> list[Any]:
    """Return the choices whose names hold no sign, for people; all of them for others, and always the one that is held.

    Parameters
    ----------
    options : iterable
    key : str
        Of the widget, whose choice an address may name.
    shown : callable
        Gives the name of a choice.
    """
    held = page_state.held(key), st.query_params.get(key)
    people = reading.people()
    return [
        each for each in options
        if not (people and SYMBOLS.search(shown(each))) or each == held[0] or shown(each) == held[1]
    ]  # fmt: skip


def rest() -> object:
    """Return where inputs stand that a layperson cannot answer: folded away for people, at hand for others."""
    return st.expander("For experts") if reading.people() else st.container()


def mechanism(kind: str, sigmas: tuple[float, float]) -> Mechanism:
    """Draw the parameters of one release by a mechanism, by its key, with sensitivity 1, and return it."""
    if single_parameter(kind) == "sigma":
        about = "Standard deviation of the noise, in units of the L2 sensitivity. More noise is more private."
        return mechanism_from(kind, {"sigma": inputs.number("σ of one release", "sigma1", sigmas, 10.0, about)})
    leak = 0.0
    if kind in (ApproximateDP.key, NameAndShame.key):
        about = "The probability with which one release reveals everything."
        leak = inputs.delta("δ of one release", "delta1", 1e-9, about)
    if kind == NameAndShame.key:
        return NameAndShame(leak)
    loss = inputs.epsilon("ε of one release", "eps1", 0.1, "Privacy loss of one release. A smaller ε is more noise.")
    if "k" in parameters_of(kind):
        values = inputs.count("Values, k", "values1", 10**6, 10, "How many values one answer may have.", least=2)
        return mechanism_from(kind, {"epsilon": loss, "k": values})
    return ApproximateDP(loss, leak) if kind == ApproximateDP.key else mechanism_from(kind, {"epsilon": loss})


def use(
    releases: Iterable[Release], key: str, about: str, refused: str = "", beside: Callable[[], object] | None = None,
    **fields: object,
) -> None:  # fmt: skip
    """Draw the button that adds releases to the plan, and, once pressed, the way there.

    Parameters
    ----------
    releases : iterable of Release
    key : str
        Tells this button from others of its page.
    about : str
        What it does, in one sentence.
    refused : str
        Why the plan cannot take them, where the page knows.
    beside : callable, optional
        Draws what stands in the same line.
    **fields
        Further fields of the plan that change with it.
    """
    use_instead((*session.current().releases, *releases), key, about, fields, refused, beside)


def use_instead(
    releases: Iterable[Release], key: str, about: str, fields: Mapping[str, object] | None = None, refused: str = "",
    beside: Callable[[], object] | None = None, **further: object,
) -> None:  # fmt: skip
    """Draw the button that puts releases into the plan in place of those that it has; then inputs are set so.

    `refused` is why the plan cannot take them, where the page knows; `beside` draws what stands in the same line.
    """
    plan, trouble = session.current(), refused
    try:
        plan = replace(plan, releases=tuple(releases), **(fields or {}))
        trouble = trouble or ("" if plan != session.current() else "The plan is like that already.")
    except ValueError as error:  # such as sampled noise, which holds for one neighbour relation only
        trouble = refused = refused or f"The plan refuses it. {escaped(refusals.sentence(error))}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use this in my plan", on_click=_take, args=(plan, key, further), key=f"use_{key}",
            icon=":material/add:", disabled=bool(trouble), help=reading.told(trouble or about),
        )  # fmt: skip
        if page_state.held(USED) == (key, session.document()):
            shell.link(shell.HOME, "See it in the plan")
        if beside:
            beside()
    if refused:
        st.caption(reading.told(refused))


def begin_plan(document: Document, label: str, key: str, about: str) -> None:
    """Draw the button that opens the workbench with a plan of its own, from which undo leads back to the present one.

    Parameters
    ----------
    document : Document
    label : str
        Of the button.
    key, about : str
        As of `use`.
    """
    sign = ":material/note_add:"
    if st.button(label, on_click=_begin, args=(document,), key=f"begin_{key}", icon=sign, help=reading.told(about)):
        st.switch_page(shell.HOME.path, query_params=shell.carried())


@shell.guarded
def _begin(document: Document) -> None:
    """Open a plan, and say how the former one is found again; a callback."""
    former = session.current().releases
    workspace.open_plan(document.plan, document.name)
    if former:
        st.toast("“Undo” brings back the plan that was there.", icon=":material/undo:")


@shell.guarded
def _take(plan: Plan, key: str, further: dict[str, object]) -> None:
    """Make the plan the current one, so that undo brings back the former; a callback."""
    session.change_plan(plan)
    page_state.put({**further, USED: (key, session.document())})
    st.toast("It is in the plan now. “Undo in the plan”, in the sidebar, takes it out again.", icon=":material/check:")


def claims(document: str) -> None:
    """Draw the way to what a document claims, one of `dpviz.sources.DOCUMENTS`: each number is computed again there."""
    shell.link(shell.page_named("theorems"), "What the source says, and what is right", doc=DOCUMENTS[document])


def sources() -> None:
    """Draw, at the level of proofs, the way to every theorem and its source."""
    if reading.proofs():
        shell.link(shell.page_named("theorems"), "Every theorem with its source, and every claim checked")


def training_of(plan: Plan) -> None:
    """Draw the way to the page on training, from which a model comes into this plan, with its people and its δ.

    Fewer records that stand there already stay: of more, one would seem to lose less.
    """
    people, held = plan.population, plain_number(str(page_state.held("trainn") or ""))
    known = {"trainn": people and min(people, held if held and held > 0 else people), "traind": plan.budget.delta}
    asked = {key: typed.shown(value) for key, value in known.items() if value}
    shell.link(shell.page_named("training"), "Add a trained model", **asked)


def trained(model: TrainedModel, delta: float) -> None:
    """Draw the button that opens the page on training with a model of a plan, whose cost and code are looked at there.

    Parameters
    ----------
    model : TrainedModel
        With its epochs, which that page asks for.
    delta : float
    """
    known = {
        "trainn": model.records, "trainb": model.batch_size, "traine": model.epochs, "trains": model.noise_multiplier,
        "traind": delta, "trainmax": model.largest_batch, "trainbands": model.bands, "trainclip": model.clipping_norm,
    }  # fmt: skip
    numbers = {key: typed.shown(value) for key, value in known.items() if value is not None}
    if st.button("Its batches, and its code at this noise", key="trained", icon=":material/code:"):
        page_state.put(numbers | {"trainsolve": COST, "trainscheme": model.scheme})
        asked = numbers | {"trainsolve": COST, "trainscheme": scheme_named(model.scheme).label}
        st.switch_page(shell.page_named("training").path, query_params=shell.carried() | asked)
