# `make demo` and `make test` set everything up themselves, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests and linters share two cores in CI; let pytest use what there is.
PYTEST_ARGS ?=

.PHONY: demo test lint format setup docs clean side-by-side robust concrete wheel wheel-test

setup: $(READY)

$(READY): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "heapflow needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "setting up $(VENV); this takes a minute, once" >&2
	@# A venv without pip is what Debian leaves behind where python3-venv is missing.
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# Exit status 1 says that leaks were found: the examples contain some.
demo: $(READY)
	@for program in $(wildcard examples/*.c); do \
	  echo "== heapflow check $$program"; \
	  $(BIN)/heapflow check $$program || test $$? -eq 1 || exit 1; \
	done
	@echo "== heapflow check examples/inventory/*.c"
	@$(BIN)/heapflow check examples/inventory/*.c || test $$? -eq 1

test: $(READY)
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/mkdocs build --strict

# Benchmarks take the directories of captured builds: make side-by-side BUILDS="../tmux ../bash"
side-by-side: $(READY)
	$(BIN)/python -m benchmarks.side_by_side $(BUILDS)

robust: $(READY)
	$(BIN)/python -m benchmarks.robust --csmith $(or $(CSMITH),0) $(ROBUST_ARGS) $(BUILDS)

concrete: $(READY)
	$(BIN)/python -m benchmarks.concrete --csmith $(or $(CSMITH),300)

# The slowest phases compiled (hatch_build.py); needs gcc and Python's headers, and some minutes.
wheel: $(READY)
	rm -rf dist
	HEAPFLOW_COMPILE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist

# The annotated programs with the compiled wheel, installed in a venv of its own.
WHEEL_TESTS ?= tests/leaks tests/guards tests/cli/test_commands.py
wheel-test: wheel
	$(PYTHON) -m venv --clear build/wheel-venv
	build/wheel-venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt dist/heapflow-*.whl
	build/wheel-venv/bin/heapflow --version | grep compiled
	build/wheel-venv/bin/python -m pytest -n auto $(PYTEST_ARGS) $(WHEEL_TESTS)

clean:
	rm -rf site $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
