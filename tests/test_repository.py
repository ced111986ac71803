"""The files around the source: dependencies, version, configuration, commands."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKE = shutil.which("make")


def requirements(name: str) -> list[str]:
    """The requirements in a file, without comments and references to other files."""
    lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("-")]


def tracked_files() -> list[Path]:
    """The files that are, or are about to be, in the repository; without git, all but the hidden and the built ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        files = [ROOT / name for name in answer.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        built = {".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", "build", "dist"}
        files = [path for path in ROOT.rglob("*") if not built & set(path.relative_to(ROOT).parts)]
    return [path for path in files if path.is_file()]


# ---- dependencies and version


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements-dev.txt", "requirements-docs.txt"])
def test_every_requirement_is_bounded(name: str):
    """Each requirement says from which version on it works, and where that knowledge ends."""
    extras = [text for texts in PROJECT["project"]["optional-dependencies"].values() for text in texts]
    project = [each for each in [*PROJECT["project"]["dependencies"], *extras] if not each.startswith("dpviz[")]
    told = project if name == "pyproject.toml" else requirements(name)
    assert told
    assert not [line for line in told if not re.fullmatch(r"[a-z0-9-]+(\[[a-z]+\])?>=[\d.]+,<[\d.]+", line)]


def test_there_is_one_list_of_dependencies():
    """The tests need what the dashboard needs, and more; nothing is named twice."""
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    files = ("requirements-dev.txt", "requirements-docs.txt")
    names = [re.split("[><=]", line)[0] for file in files for line in requirements(file)]
    assert len(names) == len(set(names))


def test_the_versions_of_python_agree():
    """The package and the Makefile accept the same versions of Python."""
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_there_is_one_version():
    """The version is written once, in the package, and the changelog knows it."""
    written = re.compile(r"""^__version__\s*=\s*["']([^"']+)["']""", re.MULTILINE)
    sources = [path for path in tracked_files() if path.suffix == ".py"]
    found = {path: match for path in sources for match in written.findall(path.read_text(encoding="utf-8"))}
    assert list(found) == [ROOT / "dpviz" / "__init__.py"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    [version] = found.values()
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# ---- the dashboard's configuration


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_each_mode_has_ten_chart_colours(mode: str):
    """With fewer than ten, Streamlit drops all of them for Plotly charts."""
    colours = CONFIG["theme"][mode]["chartCategoricalColors"]
    assert len(colours) == len({colour.lower() for colour in colours}) == 10
    assert all(re.fullmatch("#[0-9A-Fa-f]{6}", colour) for colour in colours)


@pytest.mark.parametrize(
    ("section", "option", "value"),
    [
        ("browser", "gatherUsageStats", False),
        ("browser", "serverAddress", "localhost"),  # unset, a server without display asks the internet for its address
        ("server", "address", "localhost"),  # this machine alone, unless somebody says otherwise
        ("server", "showEmailPrompt", False),
        ("server", "maxUploadSize", 5),
        ("server", "enableXsrfProtection", True),
        ("client", "showErrorDetails", "none"),
        ("client", "showErrorLinks", False),
        ("client", "toolbarMode", "viewer"),
        ("runner", "postScriptGC", False),  # else a large plan holds everybody after each rerun of anybody
    ],
)
def test_the_dashboard_keeps_to_itself(section: str, option: str, value: object):
    """No telemetry, no request from the server, no tracebacks for visitors, no large uploads."""
    assert CONFIG[section][option] == value


def test_nothing_is_sent_as_a_reference():
    """The browser may have let go of what a reference names, and the page is dead then."""
    assert CONFIG["global"]["minCachedMessageSize"] > CONFIG["server"]["maxMessageSize"] * 2**20


def test_streamlit_knows_every_option():
    """A misspelt option would be ignored with no more than a warning in the log."""
    from streamlit import config

    known = config.get_config_options(force_reparse=False)
    flat = [
        f"{section}.{name}.{inner}" if isinstance(value, dict) else f"{section}.{name}"
        for section, options in CONFIG.items()
        for name, value in options.items()
        for inner in (value if isinstance(value, dict) else [""])
    ]
    assert not [name for name in flat if name not in known]


def test_both_modes_are_offered():
    """A lone base theme would take the light and dark switch away."""
    assert "base" not in CONFIG["theme"]
    assert set(CONFIG["theme"]["light"]) == set(CONFIG["theme"]["dark"])


# ---- what may be in the repository


def test_no_file_names_a_machine_or_a_package_registry():
    """The repository works anywhere: no absolute path of some machine, no host to install from."""
    words = ["/" + "work/", "/" + "root/", "/" + "home/", "/" + "Users/", "py" + "pi.org", "python" + "hosted"]
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}" for word in words))
    found = []
    for path in tracked_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    assert not found


def test_no_file_is_larger_than_a_picture():
    """A clone stays small."""
    assert not [path for path in tracked_files() if path.stat().st_size > 1_000_000]


# ---- the commands


def make(*arguments: str) -> subprocess.CompletedProcess:
    """Run make in the repository, outside any other make that called the tests."""
    own = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHON"}
    environment = {name: value for name, value in os.environ.items() if name not in own}
    return subprocess.run([MAKE, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def fake_python(path: Path, version: str, *, supported: bool, venv: bool) -> Path:
    """A program that answers what the Makefile asks a Python."""
    path.write_text(
        "#!/bin/sh\n"
        f'case "$*" in\n  --version) echo "Python {version}" ;;\n'
        f"  *version_info*) exit {int(not supported)} ;;\n  *ensurepip*) exit {int(not venv)} ;;\n"
        '  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;\nesac\n'
    )
    path.chmod(0o755)
    return path


@pytest.mark.skipif(MAKE is None, reason="make is not installed")
class TestMake:
    """What make says and does before anything is installed."""

    def test_help_lists_the_commands(self):
        """``make`` alone says what there is."""
        commands = {line.split()[1] for line in make().stdout.splitlines()}
        tests = {"check", "test", "rest", "test-python", "test-oldest", "fuzz", "slow"}
        assert commands == tests | {"run", "benchmark", "screenshot", "lock", "docs", "help"}

    @pytest.mark.parametrize(
        ("version", "supported", "venv", "advice"),
        [
            ("3.10.13", False, True, "install one, or name it with PYTHON="),
            ("3.14.0", False, True, "install one, or name it with PYTHON="),
            ("3.11.2", True, False, "apt-get install python3-venv"),
        ],
    )
    def test_unfit_python(self, tmp_path: Path, version: str, supported: bool, venv: bool, advice: str):
        """A Python that cannot carry dpviz is refused in one line that says what to do."""
        python = fake_python(tmp_path / "python", version, supported=supported, venv=venv)
        run = make("venv", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}")
        [line, *rest] = run.stderr.splitlines()
        assert run.returncode and advice in line and not run.stdout
        assert all("Error" in text for text in rest), "only make's own closing line may follow"
        assert not (tmp_path / "venv").exists()

    def test_missing_python(self, tmp_path: Path):
        """Where there is no Python at all, the line says which to install."""
        run = make("venv", f"PYTHON={tmp_path / 'nowhere'}", f"VENV={tmp_path / 'venv'}")
        assert run.returncode and "install Python 3.11, 3.12 or 3.13" in run.stderr

    def test_fit_python(self, tmp_path: Path):
        """A fit Python makes the environment, once."""
        python = fake_python(tmp_path / "python", "3.12.1", supported=True, venv=True)
        arguments = ("venv", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}")
        assert "Making" in make(*arguments).stdout
        assert make(*arguments).stdout.strip() == ""

    def test_environment_of_another_version(self, tmp_path: Path):
        """An environment with an unfit Python is named and left alone."""
        (tmp_path / "venv" / "bin").mkdir(parents=True)
        python = fake_python(tmp_path / "venv" / "bin" / "python", "3.9.2", supported=False, venv=True)
        run = make("venv", f"VENV={tmp_path / 'venv'}")
        assert run.returncode and "holds Python 3.9.2" in run.stderr and python.exists()


def test_the_oldest_versions_are_the_lower_bounds():
    """What ``make test-oldest`` makes of the list pins each requirement to its lower bound, and no other list does."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    [expression] = re.findall("^LOWER_BOUNDS := (.*)$", text, re.MULTILINE)
    [program] = re.findall("^NEEDED := (.*)$", text, re.MULTILINE)
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    text = subprocess.run(["sed", expression], input=told, capture_output=True, text=True, check=True).stdout
    project = PROJECT["project"]
    needed = [*project["dependencies"], *(project["optional-dependencies"][extra] for extra in ("app", "plot"))]
    flat = [text for each in needed for text in ([each] if isinstance(each, str) else each) if ">=" in text]
    assert len(flat) == 11 and text.splitlines() == [re.sub(">=([^,]*),.*", r"==\1", line) for line in flat]


class TestCI:
    """The script of the build server, with commands that only say how they were called."""

    @pytest.fixture
    def run(self, tmp_path: Path):
        """Run the script in a repository of its own, beside Python 3.11, a dead shim of 3.12, and no 3.13."""
        bare, home = tmp_path / "repository", tmp_path / "bin"
        for name in (".ci/run", "pyproject.toml"):
            (bare / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, bare / name)
        commands = {
            bare / ".venv/bin/python": "echo 3.11",
            home / "python3.11": "exit 0",
            home / "python3.12": "exit 127",
            home / "python3.13": "exit 127",
            home / "pyenv": f'[ "$1" = versions ] && printf "3.1.2\\n3.12.9\\n3.12.10\\n" || echo "{tmp_path}/$2"',
            home / "chromium-headless-shell": "exit 0",
            home / "firefox-esr": "exit 0",
            home / "npm": "exit 0",
            home / "haproxy": "exit 0",
            tmp_path / "3.12.10/bin/python3.12": "exit 0",
        }

        def started(make: str) -> subprocess.CompletedProcess:
            for path, text in {**commands, home / "make": make}.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
                path.chmod(0o755)
            environment = {"PATH": f"{home}:{os.environ['PATH']}"}
            return subprocess.run([bare / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False)

        return started

    def test_it_tries_every_python_that_starts(self, run, tmp_path: Path):
        """The one that ``make test`` uses once; a shim that does not start leads to the version behind it."""
        done = run('echo "make $*"')
        assert done.returncode == 0 and not done.stderr
        told = [line for line in done.stdout.splitlines() if not re.match(r"\.ci/run: \d+ min \d+ s: ", line)]
        assert told == [
            "make venv",
            ".ci/run: tried is Python 3.11 3.12; not on this machine: 3.13",
            f"make test-python PYTHON={tmp_path}/3.12.10/bin/python3.12",
            "make test-oldest PYTHON=python3.11",
            "make test",
            "make rest",
        ]

    @pytest.mark.parametrize("target", ["test-python", "test-oldest", "test", "rest"])
    def test_it_fails_where_one_of_them_fails(self, run, target: str):
        """The others are tried all the same."""
        done = run(f'echo "make $*"; [ "$1" != {target} ]')
        assert done.returncode == 1 and {"make test", "make rest"} <= {*done.stdout.splitlines()}
        assert len(done.stderr.splitlines()) == 1
