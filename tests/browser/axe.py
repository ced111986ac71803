"""axe-core, which finds in a page what keeps people from using it: fetched once by npm, and asked of a page."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from tests.chromium import lacking

VERSION = "4.14.1"
NO_NPM = "no npm found: install it (Debian: apt-get install nodejs npm)"
# Of each violation its rule, the kind of element (Streamlit's own name for the nearest one that has a name), and it.
RUN = """async () => {
    const named = "[data-testid]:not([data-testid^=stMarkdown])";  // any text is in one of these
    const kind = each => each.closest(named)?.dataset.testid || each.tagName.toLowerCase();
    const found = await axe.run(document, {resultTypes: ["violations", "passes"], elementRef: true});
    const seen = found.passes.reduce((sum, rule) => sum + rule.nodes.length, 0);
    return {
        faults: found.violations.flatMap(rule => rule.nodes.map(node =>
            [rule.id, kind(node.element), `${node.html.slice(0, 200)} ${node.failureSummary}`])),
        passed: found.passes.map(rule => rule.id),
        seen,
    };
}"""


@dataclass(frozen=True)
class Findings:
    """What axe-core says of a page.

    Parameters
    ----------
    faults : tuple of (str, str, str)
        Rule, kind of element, and the element with what is wrong with it.
    passed : tuple of str
        Rules that are kept.
    seen : int
        Elements that keep them.
    """

    faults: tuple[tuple[str, str, str], ...]
    passed: tuple[str, ...]
    seen: int

    @property
    def kinds(self) -> set[tuple[str, str]]:
        """The rules that are broken, by kind of element."""
        return {(rule, kind) for rule, kind, _ in self.faults}

    def beyond(self, bare: Findings) -> list[str]:
        """Tell the faults that a bare page has not."""
        return [" | ".join(fault) for fault in self.faults if fault[:2] not in bare.kinds]


def script() -> Path:
    """Return axe-core's script, which is fetched once into the environment."""
    kept = Path(sys.prefix) / "axe" / f"axe-{VERSION}.min.js"
    if kept.exists():
        return kept
    npm = shutil.which("npm") or lacking(NO_NPM)
    kept.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        command = [npm, "install", "--prefix", folder, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run([*command, f"axe-core@{VERSION}"], capture_output=True, text=True, check=False)
        if done.returncode:
            lacking(f"npm does not get axe-core:\n{done.stderr[-1000:]}")
        (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").replace(kept)
    return kept


def findings(page: Page, axe: Path) -> Findings:
    """Ask axe-core about a page as it stands there."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.add_script_tag(path=axe)
    told = page.evaluate(RUN)
    return Findings(tuple(map(tuple, told["faults"])), tuple(told["passed"]), told["seen"])
