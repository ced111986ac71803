"""An entry of OpenDP's registry of deployments (YAML): its total, as a plan of one release and as a claim."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dpviz.decimals import spelt
from dpviz.guarantee import Guarantee
from dpviz.mechanisms import ApproximateDP, Declared, Mechanism
from dpviz.parameters import DELTA, EPSILON, RHO, shown
from dpviz.plan.fields import plain_number
from dpviz.plan.files.foreign.literals import check_size
from dpviz.plan.files.foreign.opened import Opened, refused
from dpviz.plan.plan import Plan
from dpviz.plan.release import LONGEST_TEXT, Release

FORM = "an entry of the deployments registry"
DEEPEST, MOST = 30, 20_000  # levels and parts of a YAML file
PURE = "Pure DP"
_NUMBERS = ("epsilon", "delta", "rho")
# YAML 1.1 reads 010 as eight, 1:30 as ninety and 0x10 as sixteen; YAML 1.2, and people, do not.
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?|[+-]?\.(inf|nan)", re.ASCII | re.IGNORECASE)
_RELATIONS = {
    "symmetric distance": "add_remove",
    "change-one distance": "replace_one",
    "bounded neighbors": "replace_one",
}
_NO_DELTA = (
    "The entry names an ε without a δ above 0, and not as “Pure DP”: that is no claim, and less than what may be lost."
)
_BESIDE_RHO = "The entry names an ε beside its ρ: what is known of the release is the ρ, and the ε is the claim."
# Names before and since July 2026.
_BASIC, _VARIANT = ("basic", "product"), ("dp_variant", "dp_flavor")
_RELATED = ("privacy_unit_details", "privacy_unit_description")  # where the relation is told, if anywhere


def parsed_yaml(text: str) -> object:
    r"""Return what a YAML text holds: plain values, no references, not too deep.

    Raises
    ------
    PlanFileError
        In one sentence, for everything else.

    Examples
    --------
    >>> parsed_yaml("epsilon: 4.72")
    {'epsilon': 4.72}
    >>> parsed_yaml("a: &a [x]\nb: *a")
    Traceback (most recent call last):
        ...
    dpviz.plan.problems.PlanFileError: The plan was not read, because of 1 problem:
    plan, text 'YAML': must hold plain values without references (&, *) and tags (!)
    >>> parsed_yaml("epsilon: 10\nepsilon: 1")
    Traceback (most recent call last):
        ...
    dpviz.plan.problems.PlanFileError: The plan was not read, because of 1 problem:
    plan, text 'epsilon': must stand once beside the names around it
    """
    import yaml

    check_size(text)
    depth = 0
    try:
        for number, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            named = getattr(event, "anchor", None) or getattr(event, "tag", None)
            if named or isinstance(event, yaml.AliasEvent):
                raise refused("text", "YAML", "must hold plain values without references (&, *) and tags (!)")
            if depth > DEEPEST or number > MOST:
                raise refused("text", "YAML", f"must have at most {DEEPEST} levels and {MOST:,} parts")
        _check_mappings(yaml.compose(text, Loader=yaml.SafeLoader))
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        if hasattr(error, "problems"):
            raise
        raise refused("text", "YAML", "must be valid YAML") from None


def _check_mappings(node: object) -> None:
    """Refuse a name that stands for two things, and a parameter whose digits are no decimal number."""
    children = getattr(node, "value", None)
    if not isinstance(children, list):
        return
    names = set()
    for child in children:
        for each in child if isinstance(child, tuple) else (child,):
            _check_mappings(each)
        if not isinstance(child, tuple):
            continue
        name, value = child
        if name.tag.endswith(":merge") or str(name.value) in names:
            raise refused("text", str(name.value), "must stand once beside the names around it")
        names.add(str(name.value))
        number = value.tag.endswith((":int", ":float"))
        if name.value in _NUMBERS and number and not _DECIMAL.fullmatch(value.value):
            raise refused("text", value.value, f"must be a decimal number such as 0.5, as {name.value}")


def opened_entry(text: str) -> Opened:
    """Return the plan and the claim of an entry of the registry.

    Parameters
    ----------
    text : str
        YAML, with the names of any year.

    Raises
    ------
    PlanFileError
        When it is no entry, or names no parameter.

    Notes
    -----
    An entry states a total and not its releases: the plan has one release, of which this bound alone is known. An ε
    without a δ is a claim of "Pure DP" alone; of anything else it is none, and then the file is incomplete.

    Examples
    --------
    >>> entry = "deployment: {basic: {name: Scenes}, privacy_loss: {privacy_parameters: {epsilon: 1, delta: 1.5e-7}}}"
    >>> found = opened_entry(entry)
    >>> found.plan.releases[0].name, found.claim
    ('Scenes', Guarantee(epsilon=1.0, delta=1.5e-07))
    """
    value = parsed_yaml(text)
    deployment = _part(_mapping(value), "deployment") or _mapping(value)
    loss = _part(deployment, "privacy_loss")
    given = _part(loss, "privacy_parameters")
    known = {name: _number(name, given[name]) for name in _NUMBERS if given.get(name) is not None}
    name = _text(_part(deployment, *_BASIC).get("name")) or "Deployment"
    variant = _text(_part(deployment, *_VARIANT).get("variant_name", _part(deployment, *_VARIANT).get("name")))
    try:
        releases = (Release(name, _mechanism(known)),)
        relation = _relation(loss)
        plan = Plan(releases, unit=_text(loss.get("privacy_unit")) or None, relation=relation)
        claim = _claim(known, variant)
    except ValueError as error:
        if hasattr(error, "problems"):
            raise
        raise refused("text", "privacy_parameters", str(error)) from None
    open_delta = claim is None and "epsilon" in known
    more = _more_parameters(given)
    told = (*_not_understood(deployment, loss, known, relation), *[_NO_DELTA] * open_delta, *more)
    incomplete = bool(more) or (open_delta and "rho" not in known)
    printed = spelt(_printed_epsilon(text), claim.epsilon) if claim else ""
    return Opened(FORM, told, incomplete, claim, printed, plan=plan)


def _printed_epsilon(text: str) -> str:
    """ε as it stands in the text of an entry, with all its digits; "" where it is not found."""
    import yaml

    node = yaml.compose(text, Loader=yaml.SafeLoader)
    for name in ("deployment", "privacy_loss", "privacy_parameters", "epsilon"):
        children = {key.value: child for key, child in node.value} if isinstance(node, yaml.MappingNode) else {}
        node = children.get(name, node if name == "deployment" else None)
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _mechanism(known: Mapping[str, float]) -> Mechanism:
    if "rho" in known:
        return Declared.zcdp(RHO.check(known["rho"]), 0.0)
    if "epsilon" in known:
        return ApproximateDP(EPSILON.check(known["epsilon"]), DELTA.check(known.get("delta", 0.0)))
    raise refused("text", "privacy_parameters", "must name an ε or a ρ")


def _claim(known: Mapping[str, float], variant: str) -> Guarantee | None:
    """What is claimed; a δ of 0 under a variant that has one, as "Approximate DP" does, is none that was told."""
    delta = 0.0 if variant.lower() == PURE.lower() else known.get("delta")
    if variant and variant.lower() != PURE.lower():
        delta = delta or None
    return None if "epsilon" not in known or delta is None else Guarantee(known["epsilon"], delta)


def _relation(loss: Mapping[str, object]) -> str | None:
    told = " ".join(str(loss.get(name) or "") for name in _RELATED).lower()
    told = told.replace("“", "").replace("”", "")
    found = {relation for words, relation in _RELATIONS.items() if words in told}
    return found.pop() if len(found) == 1 else None


def _more_parameters(given: Mapping[str, object]) -> list[str]:
    """What is said of parameters that are not understood: they may say that more is lost."""
    others = [name for name, value in given.items() if name not in _NUMBERS and value not in (None, "")]
    return [f"The parameter “{name!s:.40}” is not understood, and may say that more is lost." for name in others]


def _not_understood(
    deployment: Mapping[str, object], loss: Mapping[str, object], known: Mapping[str, float], relation: str | None
) -> list[str]:
    told = ["The entry states a total, not the releases that it is the total of: of these only this bound is known."]
    if relation is None:
        told.append("Which data sets are neighbours is not told in words that are understood here.")
    if "rho" in known and "epsilon" not in known:
        told.append("The entry names a ρ and no ε: a claim in ε and δ has to be typed.")
    if {"rho", "epsilon"} <= known.keys():
        told.append(_BESIDE_RHO)
    ignored = [name for name in deployment if name not in (*_BASIC, *_VARIANT, "privacy_loss")]
    ignored += [name for name in loss if name not in ("privacy_unit", "privacy_parameters", *_RELATED)]
    if ignored:
        told.append(f"Not taken over, since a plan has no place for it: {', '.join(map(str, ignored))[:300]}.")
    return told


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise refused("text", shown(value), "must be an entry of the registry: YAML with a deployment")
    return value


def _part(parent: Mapping[str, object], *names: str) -> Mapping[str, object]:
    """The first part of one of these names; nothing where there is none."""
    return next((parent[name] for name in names if isinstance(parent.get(name), dict)), {})


def _text(value: object) -> str:
    return " ".join(str(value).split())[:LONGEST_TEXT] if isinstance(value, str | int | float) else ""


def _number(name: str, value: object) -> float:
    """A number, which YAML takes for text where it has an exponent and no point."""
    found = plain_number(value.strip().lower()) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise refused("text", shown(value), f"must be a number, as {name}")
    return found
