"""What is installed: a library that needs no dashboard, and a wheel that holds the whole dashboard."""

import importlib.metadata
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import dpviz

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WITHOUT = """
import sys
from importlib.machinery import PathFinder
found = PathFinder.find_spec
absent = ("streamlit", "plotly")
PathFinder.find_spec = lambda name, *others: None if name.partition(".")[0] in absent else found(name, *others)
"""
OPENED = """
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
import dpviz
home = Path(dpviz.__file__).parent / "dashboard"
app = AppTest.from_file(str(home / "app.py"), default_timeout=600)
app.query_params["example"] = "statistics-office"
app.run()
assert not app.exception and not app.error, (app.exception, app.error)
for page in sorted((home / "pages").glob("*.py")):
    app.switch_page(f"pages/{page.name}").run()
    assert not app.exception, (page, app.exception)
print(home)
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the tree as it is, with what is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's files, as an installer lays them out."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python(*arguments: str, home: Path, cwd: Path) -> subprocess.CompletedProcess:
    """Run Python elsewhere, with the installed package before all else."""
    environment = {**os.environ, "PYTHONPATH": str(home)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.rest
def test_the_wheel_holds_the_dashboard(wheel: Path):
    """Every page, every example, the configuration and the types travel; tests, balls and benchmarks do not."""
    names = set(zipfile.ZipFile(wheel).namelist())
    there = [path for path in (ROOT / "dpviz").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    wanted = {str(path.relative_to(ROOT)) for path in there}
    for folder in ("pages", "examples"):
        found = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        wanted |= {f"dpviz/dashboard/{path.relative_to(ROOT)}" for path in found}
    wanted |= {"dpviz/dashboard/app.py", "dpviz/dashboard/.streamlit/config.toml"}
    assert {name for name in names if ".dist-info/" not in name} == wanted
    assert "dpviz/py.typed" in wanted


@pytest.mark.rest
def test_the_wheel_says_what_it_needs(wheel: Path):
    """The library needs no dashboard; the extra has it; the command is `dpviz`; no licence is invented."""
    with zipfile.ZipFile(wheel) as archive:
        [meta] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        told = Parser().parsestr(archive.read(meta).decode("utf-8"))
        entries = archive.read(meta.replace("METADATA", "entry_points.txt")).decode("utf-8")
    needs = [Requirement(text) for text in told.get_all("Requires-Dist")]
    library = {"numpy", "pandas", "scipy", "joblib", "jinja2", "pyyaml"}
    assert {each.name for each in needs if each.marker is None} == library
    assert set(told.get_all("Provides-Extra")) == {"app", "plot", "paper", "dask", "postgres", "certify", "completion"}
    assert told["Version"] == dpviz.__version__
    assert "dpviz = dpviz.cli.command_line:main" in entries
    assert told["License"] is None and told["License-Expression"] is None and told["Project-URL"] is None
    assert told["Author"] == "The dpviz developers" and "Private :: Do Not Upload" in told.get_all("Classifier")


@pytest.mark.rest
def test_balls_are_a_package_of_their_own(tmp_path: Path):
    """In the version of dpviz; its source archive builds the same wheel, and that of dpviz holds tests and docs."""
    for folder, target in ((ROOT / "dpviz_certified", "wheel"), (ROOT / "dpviz_certified", "sdist"), (ROOT, "sdist")):
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(tmp_path)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    version = dpviz.__version__
    with zipfile.ZipFile(tmp_path / f"dpviz_certified-{version}-py3-none-any.whl") as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == {f"dpviz_certified/{path.name}" for path in (ROOT / "dpviz_certified").glob("*.py")}
    with tarfile.open(tmp_path / f"dpviz-{version}.tar.gz") as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tests/test_package.py", "docs/index.md", "docs/conf.py", "SECURITY.md", "requirements.lock"} <= sources
    with tarfile.open(tmp_path / f"dpviz_certified-{version}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "again"]
    unpacked = tmp_path / f"dpviz_certified-{version}"
    subprocess.run(command, cwd=unpacked, check=True, capture_output=True)
    with zipfile.ZipFile(unpacked / "again" / f"dpviz_certified-{version}-py3-none-any.whl") as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == held


@pytest.mark.rest
def test_the_installed_dashboard_opens_every_page(installed: Path, tmp_path: Path):
    """From the wheel alone, in a folder that holds nothing."""
    done = python("-c", OPENED, home=installed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(installed / "dpviz" / "dashboard")]


@pytest.mark.rest
def test_the_installed_dashboard_is_served(installed: Path, tmp_path: Path):
    """`dpviz run` serves it at localhost alone, by its own configuration, until it is ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dpviz", "run", "--server.port", str(port), "--server.headless", "true"]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        try:
            assert answered(server, f"http://localhost:{port}/_stcore/health") == "ok"
            config = json.loads(answered(server, f"http://localhost:{port}/_stcore/host-config"))
            assert config
            assert f"http://localhost:{port}" in (tmp_path / "log").read_text()
            assert not listens_elsewhere(port)
        finally:
            server.terminate()
            server.wait()


def answered(server: subprocess.Popen, address: str) -> str:
    """What the server says, as soon as it does."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.read().decode("utf-8")
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail("the server ended before it answered")


def listens_elsewhere(port: int) -> bool:
    """Whether an address of this machine that is not its own loopback takes connections at a port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # sends nothing: only asks which address would be used
            own = asked.getsockname()[0]
        except OSError:
            own = "127.0.0.2"
    with socket.socket() as tried:
        tried.settimeout(30)
        return tried.connect_ex((own, port)) == 0


@pytest.mark.rest
def test_the_library_needs_no_dashboard(tmp_path: Path):
    """Totals, the command line and a report without Streamlit and Plotly; what needs them says so."""
    code = WITHOUT + (
        "from dpviz import *\nfrom dpviz import plot\nfrom dpviz.cli.command_line import main\n"
        f"plan = r'{ROOT / 'examples' / 'mobility.json'}'\n"
        "assert compose(Plan.read(plan), 1e-6).epsilon < 2.5\n"
        "assert main(['check', plan]) == 0 and main(['report', plan, '-o', 'report.html']) == 0\n"
        "try:\n    plot(compare(Laplace(1.0), 0))\nexcept ImportError as error:\n    print(error, file=sys.stderr)\n"
        "sys.exit(main(['run']))"
    )
    done = python("-c", code, home=ROOT, cwd=tmp_path)
    assert done.returncode == 2 and (tmp_path / "report.html").stat().st_size > 10_000
    assert done.stderr.splitlines() == [
        'figures need Plotly: pip install "dpviz[plot]"',
        'dpviz: the dashboard needs its packages: pip install "dpviz[app]"',
    ]


def test_arguments_of_the_server_are_those_of_run_alone(capsys):
    """What `run` does not know goes to Streamlit; all other commands refuse it."""
    from dpviz.cli.command_line import main

    assert main(["check", str(ROOT / "examples" / "mobility.json"), "--server.port", "1"]) == 2
    assert "unrecognized arguments: --server.port 1" in capsys.readouterr().err


# ---- the lists


def listed(name: str) -> list[Requirement]:
    """The requirements in a file of this repository."""
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def needed(*extras: str) -> list[Requirement]:
    """What dpviz needs with these extras, by the one list."""
    optional = PROJECT["project"]["optional-dependencies"]
    told = [*PROJECT["project"]["dependencies"], *(text for extra in extras for text in optional[extra])]
    return [each for each in map(Requirement, told) if each.name != "dpviz"]


def certified() -> dict[str, object]:
    """The list of the package beside dpviz."""
    return tomllib.loads((ROOT / "dpviz_certified" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_there_is_one_list_of_requirements():
    """The files that pip reads install dpviz by it; no requirement of it stands in another list."""
    extras = PROJECT["project"]["optional-dependencies"]
    assert not listed("requirements.txt")
    own = {each.name for each in needed(*extras)} | {Requirement(each).name for each in certified()["dependencies"]}
    assert not own & {each.name for name in ("requirements-dev.txt", "requirements-docs.txt") for each in listed(name)}
    lines = [line for name in ("requirements.txt", "requirements-dev.txt") for line in
             (ROOT / name).read_text(encoding="utf-8").splitlines() if line.startswith("-e")]  # fmt: skip
    assert lines == ["-e .[app]", "-e .[dask,completion,postgres]", "-e ./dpviz_certified"]
    assert extras["certify"] == ["dpviz-certified>=0.1,<0.2"] and certified()["name"] == "dpviz-certified"
    assert Requirement(extras["certify"][0]).specifier.contains(dpviz.__version__)


@pytest.mark.parametrize("version", ["3.11.0", "3.12.0", "3.13.0"])
def test_the_lock_names_an_allowed_version_of_each(version: str):
    """On every Python that dpviz allows: exactly one."""
    place = {"python_full_version": version, "python_version": version[:4]}
    locked: dict[str, list[str]] = {}
    for each in listed("requirements.lock"):
        if each.marker is None or each.marker.evaluate(place):
            locked.setdefault(each.name.lower(), []).append(str(each.specifier).removeprefix("=="))
    balls = [Requirement(each) for each in certified()["dependencies"] if each != "dpviz"]
    wanted_by_all = [*needed("app", "plot", "dask", "completion", "postgres"), *balls]
    for wanted in [*wanted_by_all, *listed("requirements-dev.txt"), *listed("requirements-docs.txt")]:
        [found] = locked[wanted.name.lower()]
        assert found in wanted.specifier, wanted


def test_the_citation_is_that_of_this_version():
    """It names version and title, and no licence, which is the owner's to choose."""
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (told["cff-version"], told["title"], told["version"]) == ("1.2.0", "dpviz", dpviz.__version__)
    assert {"message", "authors"} <= told.keys() and "license" not in told
    assert not (ROOT / "LICENSE").exists()


def test_the_hook_runs_the_linter_of_the_tests():
    """The same ruff, by the same bounds, from no other repository."""
    [repository] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    [hook] = repository["hooks"]
    [ruff] = [str(each) for each in listed("requirements-dev.txt") if each.name == "ruff"]
    assert repository["repo"] == "local"
    assert [str(Requirement(each)) for each in hook["additional_dependencies"]] == [ruff]
    [linted] = set(re.findall(r"-m (ruff check --quiet)", (ROOT / "Makefile").read_text(encoding="utf-8")))
    assert hook["entry"] == linted


def test_what_is_tested_is_what_the_lock_names():
    """In the environment of make test; others take other versions on purpose."""
    if not (Path(sys.prefix).name == ".venv" and (ROOT / ".venv").resolve() == Path(sys.prefix).resolve()):
        pytest.skip("not the environment that the lock fills")
    here = {each.name.lower(): each for each in listed("requirements.lock") if each.marker is None}
    different = [str(each) for name, each in here.items() if importlib.metadata.version(name) not in each.specifier]
    assert not different
