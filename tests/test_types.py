"""The types of the public API: all known, and what the documentation shows is right in a type checker's strict mode."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TYPING = ROOT / "tests" / "typing"
# Not for others to import; and one class of a library that has no types of its own.
INTERNAL = re.compile(r"dpviz\.(ui\.|figures\.base\.ink\.[Ff]inished)")

pytestmark = pytest.mark.rest


def pyright(folder: Path, *arguments: object) -> dict:
    """What pyright says, with dpviz found as others find it: as an installed package."""
    if not (folder / "dpviz").exists():
        (folder / "dpviz").symlink_to(ROOT / "dpviz")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.lstrip().startswith("{"), done.stdout + done.stderr
    return json.loads(done.stdout)


def test_every_type_of_the_public_interface_is_known(tmp_path: Path):
    """No public name has a type that a checker cannot know. What a mechanism answers is stated in its base class."""
    told = pyright(tmp_path, "--verifytypes", "dpviz", "--ignoreexternal")["typeCompleteness"]
    shown = [each for each in told["symbols"] if each["isExported"] and not INTERNAL.match(each["name"])]
    unknown = [each["name"] for each in shown if not each["isTypeKnown"] and not each["isTypeAmbiguous"]]
    assert len(shown) > 2000
    assert not unknown


def checked(folder: Path, name: str) -> list[int]:
    """The lines, from 1, in which a file of tests/typing has an error."""
    (folder / name).write_text((TYPING / name).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', encoding="utf-8")
    told = pyright(folder, folder / name)["generalDiagnostics"]
    return sorted({each["range"]["start"]["line"] + 1 for each in told if each["severity"] == "error"})


def test_what_the_documentation_shows_is_right(tmp_path: Path):
    lines = (TYPING / "documented_use.py").read_text(encoding="utf-8").splitlines()
    assert not [lines[number - 1] for number in checked(tmp_path, "documented_use.py")]


def test_what_is_wrong_is_refused(tmp_path: Path):
    """So that the test above could fail."""
    lines = (TYPING / "wrong_use.py").read_text(encoding="utf-8").splitlines()
    wrong = [number for number, line in enumerate(lines, 1) if line.endswith("# wrong")]
    assert checked(tmp_path, "wrong_use.py") == wrong
