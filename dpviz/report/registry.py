"""A plan as an entry of a public registry of deployments: what it knows, and a list of what it lacks.

The names are those of the OpenDP deployments registry's schema of July 2026; nothing is sent anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpviz.parameters import checked
from dpviz.plan import Plan
from dpviz.plan.cadence import recurs
from dpviz.report.facts import facts
from dpviz.report.figures import bracket_told, epsilon, faulty, gaussian_told, renyi_told, unanswered
from dpviz.report.subject import Subject
from dpviz.report.words import given_in_words, noise_in_words
from dpviz.rounding import next_above

if TYPE_CHECKING:
    import yaml

MODELS = ("Local", "Central", "Shuffle", "Federated", "Varies")
NO_DATE = "1900-01-01"  # as the registry's own template has it: a date is required
ASSUMED = "Summary statistics"
_DIGITS = 6  # of parameters


@dataclass(frozen=True, slots=True)
class Entry:
    """One record for the registry.

    Parameters
    ----------
    record : dict
        Text, numbers, lists and dicts, as the schema of July 2026 has them.
    lacking : tuple of str
        The fields, by their path in the record, that the plan does not state: empty, left out, or filled in by a
        value that the schema demands.
    """

    record: dict[str, object]
    lacking: tuple[str, ...]

    @property
    def yaml(self) -> str:
        """The record as YAML, under a comment that lists what it lacks."""
        import yaml

        head = "".join(f"# - {each}\n" for each in self.lacking)
        said = f"# To be filled in by hand, since the plan does not state it:\n{head}" if head else ""
        return said + yaml.dump(self.record, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100)


def registry_entry(subject: Subject | Plan) -> Entry:
    """Return the entry of a plan for the deployments registry.

    Parameters
    ----------
    subject : Subject or Plan
        Its name, author and day go into the entry.

    Returns
    -------
    Entry
        With status "Draft": who publishes it reads it first. Parameters are rounded up.

    References
    ----------
    OpenDP deployments registry, schemas/deployments-schema.yaml as of July 2026.

    Examples
    --------
    >>> from dpviz import Guarantee, Laplace, Release
    >>> plan = Plan([Release("Mean age", Laplace.from_epsilon(0.5))], Guarantee(1, 0), unit="person")
    >>> registry_entry(plan).record["deployment"]["privacy_loss"]["privacy_parameters"]
    {'epsilon': 0.5, 'delta': 0.0, 'rho': 0.106531}
    >>> "deployment.basic.data_product_region" in registry_entry(plan).lacking
    True
    """
    subject = Subject(subject) if isinstance(subject, Plan) else checked(subject, Subject, "subject", "a Plan")
    told = facts(subject)
    record = {
        "url_slug": _slug(told),
        "status": "Draft",
        "tier": 1,
        "deployment": {
            "basic": _basic(told, subject.plan),
            "dp_variant": _variant(told),
            "privacy_loss": _privacy_loss(told),
            "deployment_model": _model(told, subject.plan),
            "accounting": {
                "post_processing": _said(told, "post_processing"),
                "composition": _composition(told),
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": _said(told, "preparation"),
                "mechanisms": _mechanisms(told, subject.plan),
                "justification": _said(told, "justification"),
            },
            "administrative": {
                "sources": _said(told, "sources"),
                "notes": _notes(told),
                "registry_authors": [told["document"]["author"]],
            },
        },
    }
    if told["promise"]["unit"] and "model_name" in record["deployment"]["deployment_model"]:
        record["tier"] = 2
    return Entry(record, tuple(_lacking(record)))


def registry_yaml(subject: Subject | Plan) -> str:
    """Return the entry of a plan as YAML, under a comment that lists what it lacks.

    Examples
    --------
    >>> print(registry_yaml(Plan([]))[:60])
    # To be filled in by hand, since the plan does not state it:
    """
    return registry_entry(subject).yaml


def _said(told: dict[str, Any], *names: str) -> str:
    """What is stated under these names, each in its own paragraph; "" where nothing is."""
    return "\n\n".join(text for name in names if (text := told["disclosure"][name]))


def _slug(told: dict[str, Any]) -> str:
    words = re.findall(r"[a-z0-9]+", told["document"]["name"].lower())
    year = (told["document"]["date"] or "")[:4]
    return "-".join([*words, *([year] if year and words and year not in words else [])]) or "plan"


def _basic(told: dict[str, Any], plan: Plan) -> dict[str, object]:
    starts = [each.start.isoformat() for each in plan.releases if each.start and each.uses]
    return {
        "name": told["document"]["name"],
        "data_curators": [_said(told, "owner")],
        "description": _said(told, "description"),
        "intended_use": _said(told, "intended_use"),
        "data_product_type": ASSUMED,
        "data_product_region": _said(told, "region"),
        "publication_date": min(starts, default=told["document"]["date"] or NO_DATE),
    }


def _variant(told: dict[str, Any]) -> dict[str, object]:
    spent = told["total"]["delta"]
    name = {} if spent is None else {"variant_name": "Approximate DP" if spent else "Pure DP"}
    return name | {"data_domain": "", "unprotected_quantities": _said(told, "unprotected", "other_releases")}


def _privacy_loss(told: dict[str, Any]) -> dict[str, object]:
    promise, total = told["promise"], told["one_unit"] or told["total"]
    found = {"epsilon": total["epsilon"], "delta": told["total"]["delta"], "rho": told["parameters"]["rho"]}
    if told["one_unit"]:
        found["rho"] = None  # that of the whole plan is the one of another unit
    neighbours = f"Neighbouring data: {promise['relation_in_words']}."
    whole = f"All releases together: {epsilon(told['total'])}." if told["one_unit"] else ""
    details = [
        f"Both ends: {bracket_told(told)}.", f"Other measures: {renyi_told(told['parameters'])}.",
        f"Gaussian DP: {gaussian_told(told['parameters'])}.", whole,
    ]  # fmt: skip
    if faulty(told):  # then these are numbers of another plan
        found, details = {}, ["An answer about this plan is not counted yet: what it costs is not known."]
    elif unanswered(told):
        found, details = {}, [f"What it costs is not known until this is said: {' '.join(unanswered(told))}"]
    return {
        "privacy_unit": promise["unit"] or "",
        "privacy_unit_details": "\n\n".join(filter(None, (neighbours, _said(told, "contributions", "size_public")))),
        "privacy_parameters": {
            name: next_above(value, _DIGITS) if value else 0.0 for name, value in found.items() if value is not None
        },
        "privacy_parameters_details": "\n".join(f"- {each}" for each in details if each),
    }


def _model(told: dict[str, Any], plan: Plan) -> dict[str, object]:
    trust = _said(told, "trust")
    model = next((each for each in MODELS if trust.casefold().startswith(each.casefold())), None)
    days = {each.start for each in plan.releases if each.uses}
    many = len(days) > 1 or any(recurs(each.cadence) for each in plan.releases if each.uses)
    access = {"access_type": "Non-interactive"} if plan.adaptive is False else {}
    return {
        **({"model_name": model} if model else {}),
        "model_name_details": trust,
        "actors": _said(told, "actors"),
        "release_type": "Many releases" if many else "One release",
        "release_type_details": "\n\n".join(filter(None, (*told["over_time"], _said(told, "renewal")))),
        "data_source_type_details": _said(told, "period"),
        **access,
        "access_type_details": _said(told, "access"),
    }


def _composition(told: dict[str, Any]) -> str:
    total = told["total"]
    if total["theorem"] is None or faulty(told) or unanswered(told):
        return ""
    return f"{total['label']} ({total['kind']}): {total['assumes']}. Source: {total['source']}."


def _mechanisms(told: dict[str, Any], plan: Plan) -> str:
    lines = [f"- {each.name}: {noise_in_words(each)}, {given_in_words(each)}" for each in plan.releases if each.uses]
    return "\n\n".join(filter(None, ("\n".join(lines), _said(told, "implementation", "side_channels", "security"))))


def _notes(told: dict[str, Any]) -> str:
    where = f" Plan: {told['address']}." if told["address"] else ""
    return f"Computed with dpviz {told['dpviz']}.{where} SHA-256 of the plan as a JSON file: {told['digest']}."


_WANTED = {
    "dp_variant": ("variant_name",), "privacy_loss": (), "basic": ("data_product_sector",),
    "deployment_model": ("model_name", "data_source_type", "access_type"),
}  # fmt: skip


def _lacking(record: dict[str, Any]) -> list[str]:
    """The paths of what is empty, left out, or only taken."""
    found = [name for name in ("url_slug",) if record[name] == "plan"]
    for part, fields in record["deployment"].items():
        place = f"deployment.{part}"
        found += [f"{place}.{name}" for name, value in fields.items() if not value or value in ([""], NO_DATE)]
        found += [f"{place}.{name}" for name in _WANTED.get(part, ()) if name not in fields]
    return [*found, f"deployment.basic.data_product_type (taken as {ASSUMED})"]


def _dumper() -> type[yaml.SafeDumper]:
    """What writes several lines as such, so that they read in the registry as they do here."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    return Dumper
