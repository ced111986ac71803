# make run | test | docs | fuzz | benchmark | screenshot | ...; "make" alone lists them.
#
# The virtual environment is made once and filled again only when a list of what is needed changes.
# PYTHON=/path/to/python3.12 names the Python it is made with; without it, the first suitable one is taken.

PYTHON ?=
VENV := .venv
PY := $(VENV)/bin/python

# What dpviz and its dashboard need, by the list in pyproject.toml, and what makes of it the oldest versions that it allows.
NEEDED := import tomllib; told = tomllib.load(open("pyproject.toml", "rb"))["project"]; extras = told["optional-dependencies"]; \
    print(*told["dependencies"], *extras["app"], *extras["plot"], sep="\n")
LOWER_BOUNDS := />=/!d; s/>=/==/; s/,<.*//

# Bytecode is made of what is imported, then; of all that is installed it would take a third of the time.
# Which versions are installed: in .venv those that were tested together; in .venv-oldest the oldest; elsewhere the newest.
VERSIONS = $(if $(findstring oldest,$(VENV)),$(PY) -c '$(NEEDED)' | sed '$(LOWER_BOUNDS)',$(if $(filter .venv,$(VENV)),cat requirements.lock,true))
INSTALL = $(VERSIONS) > $(VENV)/constraints.txt && \
    $(PY) -m pip install --quiet --disable-pip-version-check --no-compile -c $(VENV)/constraints.txt -r

# Without bytecode every process that a test starts, and each that runs tests, would compile all anew.
unexport PYTHONDONTWRITEBYTECODE

# Two processes on two cores; JOBS=0 runs the tests in one, for a debugger.
JOBS := auto
PYTEST = $(PY) -m pytest -n $(JOBS)
# make check: since which revision, and when no further test is begun.
SINCE := HEAD
SECONDS := 40
NEARBY := not browser and not rest and not slow

# What can differ on another Python or with other versions: imports and the public interface, doctests, golden numbers,
# the engine's brackets, one run of each page, files and links, the command line.
PORTABLE := dpviz dpviz_certified $(addprefix tests/, amplification figures losses notebook plan sources ui \
    certified/test_enclosures.py composition/test_composition.py composition/test_conversions.py \
    composition/test_never_below.py filters/test_filters.py jobs/test_commands.py jobs/test_simulate.py \
    mechanisms/test_contract.py mechanisms/test_gaussian.py mechanisms/test_mechanisms.py noise_sums/test_noise_sums.py \
    pages/test_chart_equivalents.py planning/test_checks.py privacy_loss/test_brackets.py \
    privacy_loss/test_lower_ends.py report/test_command_line.py test_architecture.py test_corners.py test_fuzz.py \
    test_guarantee.py test_guesses.py test_parameters.py test_readme.py)
SCREENSHOT := docs/pictures
SITE := build/docs
# Passed on: make run ARGS="--server.port 8600", make test ARGS="-k plan"
ARGS :=

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python)

.DEFAULT_GOAL := help
.PHONY: help venv run check test rest test-python test-oldest portable fuzz slow benchmark screenshot lock docs

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1|/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do \
	    printf '%-17s %s\n' "$$name" "$$text"; done

run: $(VENV)/.installed-run ## install what is missing and open the dashboard
	@$(PY) -m streamlit run app.py $(ARGS)

check: $(VENV)/.installed-dev ## a minute between two edits: linter, architecture, what the change can reach, nearest first
	@$(PY) -m ruff check --quiet .; lint=$$?; \
	files=$$($(PY) -m tests.nearby $(SINCE)) && HYPOTHESIS_PROFILE=brief DPVIZ_SECONDS=$(SECONDS) $(PYTEST) --quiet \
	    --dist load --maxschedchunk 1 -m "$(NEARBY)" $(ARGS) $$files && exit $$lint

test: $(VENV)/.installed-dev ## run everything: linter, tests, doctests, README examples, browser
	@$(PY) -m ruff check --quiet .; lint=$$?; \
	DPVIZ_FOLDERS=1 $(PYTEST) --dist worksteal -m "not rest and not slow" $(ARGS) || exit 1; \
	[ $$lint -eq 0 ] || { echo "make: the tests passed, but the linter found something: see above" >&2; exit 1; }

rest: $(VENV)/.installed-dev ## what a change seldom breaks: wheel, types, built site, benchmarks, processes and clusters
	@$(PYTEST) --dist worksteal -m rest $(ARGS)

test-python: ## what can differ on another Python, without browser, in .venv-3.12: make test-python PYTHON=python3.12
	@version=$$("$(or $(PYTHON),python3)" -c 'import sys; print("%d.%d" % sys.version_info[:2])') && \
	$(MAKE) --no-print-directory portable VENV=.venv-$$version

test-oldest: ## the same with the oldest versions that pyproject.toml allows, in .venv-oldest
	@$(MAKE) --no-print-directory portable VENV=.venv-oldest

portable: $(VENV)/.installed-dev
	@$(PY) -c 'import importlib.metadata as m, platform; print("Python", platform.python_version(), \
	    *(f"{name} {m.version(name)}" for name in "numpy pandas scipy plotly streamlit".split()))'
	@HYPOTHESIS_PROFILE=brief $(PYTEST) --dist worksteal -m "$(NEARBY)" $(ARGS) $(PORTABLE)

fuzz: $(VENV)/.installed-dev ## look for counterexamples, with new random examples at each call
	@HYPOTHESIS_PROFILE=fuzz $(PYTEST) --dist worksteal -m "hypothesis and not browser" tests $(ARGS)

slow: $(VENV)/.installed-dev ## what is slow in its nature, and the random laws with three times as many examples
	@HYPOTHESIS_PROFILE=slow $(PYTEST) --dist worksteal -m "(hypothesis and not browser) or slow" tests $(ARGS)

benchmark: $(VENV)/.installed-dev ## measure, side by side with other implementations
	@for script in benchmarks/[a-z]*.py; do \
	    if [ ! -e "$$script" ]; then echo "make: there is no script in benchmarks/" >&2; exit 1; fi; \
	    echo "== $$script"; PYTHONPATH=. $(PY) "$$script" $(ARGS) || exit 1; done

screenshot: $(VENV)/.installed-dev ## make the pictures of the README anew, from the real app
	@mkdir -p $(SCREENSHOT)
	@CI=true DPVIZ_SCREENSHOT=$(SCREENSHOT) $(PY) -m pytest --quiet tests/browser/test_screenshot.py
	@echo "wrote $(SCREENSHOT)"

lock: venv ## name the newest allowed versions in requirements.lock, which make run and make test install
	@$(PY) -m pip install --quiet --disable-pip-version-check "uv>=0.9,<1"
	@{ echo "# The versions that were tested together, on every Python that dpviz allows; written by make lock."; \
	    $(PY) -m uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url \
	    --annotation-style line --no-emit-package dpviz --no-emit-package dpviz-certified requirements-dev.txt; } > $(VENV)/lock.txt && cp $(VENV)/lock.txt requirements.lock

docs: $(VENV)/.installed-docs ## build the documentation, which reads offline
	@$(PY) -m sphinx --fail-on-warning --keep-going --fresh-env --quiet docs $(SITE)
	@echo "the documentation is in $(SITE)/index.html"

# Makes the environment, or says in one line why it cannot. One that is there already, made by hand or not, is used as it is.
venv:
	@if [ -e $(PY) ] || [ -L $(PY) ]; then \
	    $(PY) -c '$(SUPPORTED)' 2>/dev/null && exit 0; \
	    echo "make: $(VENV) holds $$($(PY) --version 2>/dev/null || echo 'no working Python'), dpviz needs 3.11 to 3.13:" \
	        "remove $(VENV) and call make again" >&2; exit 1; \
	fi; \
	problem="no Python found (tried: $(CANDIDATES)): install Python 3.11, 3.12 or 3.13, or name one with PYTHON=/path/to/python3.12"; rank=0; \
	for python in $(CANDIDATES); do \
	    version=$$("$$python" --version 2>/dev/null) || continue; \
	    if ! "$$python" -c '$(SUPPORTED)' 2>/dev/null; then \
	        [ $$rank -ge 1 ] || { rank=1; problem="$$python is $$version, dpviz needs Python 3.11 to 3.13: install one, or name it with PYTHON=/path/to/python3.12"; }; \
	    elif ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	        [ $$rank -ge 2 ] || { rank=2; problem="$$python has no module venv: install it (Debian, Ubuntu: apt-get install python3-venv), or name another Python with PYTHON=..."; }; \
	    else \
	        echo "Making $(VENV) with $$version"; exec "$$python" -m venv $(VENV); \
	    fi; \
	done; \
	echo "make: $$problem" >&2; exit 1

$(VENV)/.installed-run: pyproject.toml requirements.txt requirements.lock | venv
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip >/dev/null
	@echo "Installing requirements.txt (the first time about 700 MB)"
	@$(INSTALL) requirements.txt
	@touch $@

$(VENV)/.installed-docs: requirements-docs.txt pyproject.toml requirements.txt requirements.lock | venv
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip >/dev/null
	@echo "Installing requirements.txt and requirements-docs.txt"
	@$(INSTALL) requirements.txt -r requirements-docs.txt
	@touch $(VENV)/.installed-run $@

$(VENV)/.installed-dev: requirements-dev.txt requirements-docs.txt pyproject.toml dpviz_certified/pyproject.toml requirements.txt requirements.lock | venv
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip >/dev/null
	@echo "Installing requirements-dev.txt (the first time about 900 MB)"
	@$(INSTALL) requirements-dev.txt
	@touch $(VENV)/.installed-run $(VENV)/.installed-docs $@
