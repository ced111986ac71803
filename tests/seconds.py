"""What the tests of each folder took, beside what they may take (`seconds.toml`), for the end of a run."""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

BUDGET: dict[str, int] = tomllib.loads((Path(__file__).parent / "seconds.toml").read_text(encoding="utf-8"))["folders"]
OTHERS = "other folders"


def place(nodeid: str) -> str:
    """The folder of the budget that a test belongs to."""
    folder = nodeid.partition("::")[0].rpartition("/")[0]
    inside = [name for name in BUDGET if f"{folder}/".startswith(f"{name}/")]
    return max(inside, key=len, default=OTHERS)


class Seconds:
    """Adds up what the phases of each test report."""

    def __init__(self) -> None:
        self.took: defaultdict[str, float] = defaultdict(float)
        self.tests: Counter[str] = Counter()

    def add(self, nodeid: str, phase: str, seconds: float) -> None:
        """Count one phase of one test: setup, call or teardown."""
        self.took[place(nodeid)] += seconds
        self.tests[place(nodeid)] += phase == "call"

    def lines(self) -> Iterable[str]:
        """Yield the table, the most expensive folder first; what is over its budget is marked."""
        yield f"{'folder':<22}{'tests':>7}{'seconds':>9}{'budget':>8}"
        for name in sorted(self.took, key=self.took.__getitem__, reverse=True):
            budget = BUDGET.get(name, 0)
            over = "  over" if self.took[name] > budget else ""
            yield f"{name:<22}{self.tests[name]:>7}{self.took[name]:>9.0f}{budget:>8}{over}"
        total = sum(self.took.values())
        yield f"{'all':<22}{self.tests.total():>7}{total:>9.0f}{sum(BUDGET.values()):>8}"
