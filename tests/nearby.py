"""The test files that a change can reach, the nearest first: what ``make check`` runs until its minute is over.

Near is who imports a changed module: its own tests before those of the rooms that use it. A changed file that is no
module is near to the tests that name it. ``python -m tests.nearby [REVISION]`` prints the nearest files; without a
revision, changed is what differs from the last commit, and where nothing does, what that commit changed.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.test_architecture import imports, module_of

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("dpviz", "dpviz_certified", "pages", "tests")
MOST = 60  # files; only to collect them all takes half a minute
ALWAYS = ("tests/test_architecture.py",)


def git(*arguments: str) -> set[str]:
    """The paths that a command of git lists."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def changed(revision: str = "HEAD") -> set[str]:
    """The files that differ from a revision, new ones included; of a clean tree, those of its last commit."""
    found = git("diff", "--name-only", revision) | git("ls-files", "--others", "--exclude-standard")
    return found or git("diff", "--name-only", "HEAD~1")


def named(path: str) -> str:
    """The name by which a file is imported."""
    name = path.removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def importers() -> dict[str, set[str]]:
    """Per file of Python, the files that import it; a door is also imported with every module behind it."""
    paths = sorted(str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    known = {named(path): Path(path) for path in (*paths, "app.py")}
    found = defaultdict(set)
    for path in paths:
        source = (ROOT / path).read_text(encoding="utf-8")
        for name in imports(ast.parse(source), Path(path)):
            if target := module_of(name, known):
                found[str(known[target])].add(path)
        if path.startswith("tests/pages/test_"):
            for page in (ROOT / "pages").glob("*.py"):
                if page.stem in path or not any(each.stem in path for each in (ROOT / "pages").glob("*.py")):
                    found[f"pages/{page.name}"].add(path)
    return found


def naming(path: str) -> set[str]:
    """The test files whose text names a file, or the folder of examples, notes or scripts that it stands in."""
    folder, inside = Path(path).parts[0], path.startswith(("docs/", "examples/", "deploy/"))
    told = {Path(path).name, *([f'"{folder}"'] if inside else [])}
    files = (ROOT / "tests").rglob("test_*.py")
    return {str(each.relative_to(ROOT)) for each in files if any(name in each.read_text("utf-8") for name in told)}


def reached(start: Iterable[str]) -> list[str]:
    """The test files that a change of these files can reach, and modules with doctests, nearest first.

    Of two equally near the one comes first that is called after the room of a changed file.
    """
    users, start = importers(), sorted(start)
    rooms = {word for path in start for word in Path(path).with_suffix("").parts[1:]}

    def distant(path: str) -> tuple[bool, str]:
        words = {*Path(path).parts, *Path(path).stem.split("_")}
        return not words & rooms, path

    found, ring = list(ALWAYS), {*start, *(name for path in start if not path.endswith(".py") for name in naming(path))}
    while ring:
        found += sorted(ring - {*found}, key=distant)
        ring = {user for path in ring for user in users.get(path, ())} - {*found}
    return [path for path in found if (ROOT / path).is_file() and is_tried(path)]


def is_tried(path: str) -> bool:
    """Whether a file holds tests without a browser, or modules with doctests."""
    if path.startswith("tests/"):
        return Path(path).name.startswith("test_") and not path.startswith("tests/browser/")
    return path.startswith(("dpviz/", "dpviz_certified/")) and path.endswith(".py")


if __name__ == "__main__":
    files = reached(changed(*sys.argv[1:2]))
    print("\n".join(files[:MOST]))
    if files[MOST:]:
        print(f"not tried: {len(files) - MOST} files that the change reaches by more steps", file=sys.stderr)
