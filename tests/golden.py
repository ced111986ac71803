"""Reference values by section; the file is described in ``reference/README.md``."""

import json
from pathlib import Path

GOLDEN = json.loads((Path(__file__).parent / "reference" / "golden.json").read_text(encoding="utf-8"))

DOUBLE = 1e-12  # relative error that double precision and outward rounding may cause


def rows(section: str) -> list[tuple[dict[str, str], object]]:
    """The (arguments, value) pairs of a section."""
    return [(row["args"], row.get("value")) for row in GOLDEN[section]["rows"]]


def close_from_above(value: float, reference: str | float, tolerance: float = DOUBLE) -> bool:
    """Whether `value` is at most `tolerance` (relative) above the reference, and not below it but in its last digit."""
    exact = float(reference)
    return exact * (1 - 2e-16) <= value <= exact * (1 + tolerance) + 5e-324
