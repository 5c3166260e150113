# Every target prepares what it needs by itself; a machine with Python 3.11+ and make is enough.
#
#   make demo     anonymize a made-up census and show what comes out
#   make test     everything that must hold before a change is merged
#   make test-lowest  the tests with the lowest versions that pyproject.toml allows
#   make lint     ruff and mypy only
#   make fuzz     search for tables and files that break a promise, for SECONDS=600 or as long as you say, and run every
#                 generated test with all of its examples
#   make bounds   the tests with every array access of the compiled code checked; slower
#   make format   let ruff rewrite what it can
#   make bench    time, memory and information loss side by side
#   make docs     the documentation as a site, to be read offline and searched: build/site/index.html
#   make pictures the pictures in README and gallery, of made-up people
#   make screens  what every command shows on terminals of 80 and 120 columns, for the tests to compare
#   make figures  every experiment of the four papers, and a verdict on every claim: docs/papers; FIGURES=--quick
#   make dist     the wheels and the source distribution, in dist/
#   make try-dist install the wheel with kernels into an empty environment: is its first run about as fast as the next?
#   make clean    remove caches and results; `make distclean` removes .venv too
#
# One test only:  make test TESTS=tests/privacy
# One process:    make test WORKERS=0

# An environment has its programs in another folder on Windows.
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN     := .venv/$(SCRIPTS)
WORKERS ?= 2
TESTS   ?=
SECONDS ?= 600
KERNELS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sfumato/kernels
FIGURES ?=

# Workers begin at different tests, so that they do not compile the same kernels at the same time.
SHARED  := -n $(WORKERS) --dist worksteal

.PHONY: help demo test pytest test-lowest lint fuzz bounds format dist try-dist bench docs pictures screens figures clean distclean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

demo: .venv/.ready-core
	@$(BIN)/sfumato demo --force demo

# Types are checked beside the tests: a worker that waits for the cluster or for a process leaves a core idle.
test: .venv/.ready-dev
	@$(MAKE) --no-print-directory --jobs=2 lint pytest

# Tests start hundreds of processes; each would compile all sources again where bytecode may not be kept. Compiled kernels
# are kept for all checkouts, by the digests of their sources, and removed after a month.
pytest: export PYTHONDONTWRITEBYTECODE =
pytest: export SFUMATO_KERNELS = $(KERNELS)
pytest: .venv/.ready-dev
	@mkdir -p $(KERNELS) && find $(KERNELS) -name '*.nbk*' -mtime +30 -delete
	$(BIN)/pytest $(SHARED) $(TESTS)

test-lowest: .venv-lowest/.ready
	.venv-lowest/$(SCRIPTS)/pytest $(SHARED) $(TESTS)

lint: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: export SFUMATO_KERNELS = $(KERNELS)
fuzz: .venv/.ready-dev
	SFUMATO_FUZZ_SECONDS=$(SECONDS) $(BIN)/pytest -n 0 tests/fuzz
	SFUMATO_FUZZ_SECONDS=$(SECONDS) $(BIN)/pytest $(SHARED) -m hypothesis --ignore tests/fuzz

# Kernels checked like this are other code, so they are kept apart from the usual ones.
bounds: .venv/.ready-dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/bounds-cache $(BIN)/pytest $(SHARED) $(TESTS)

format: .venv/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# One wheel for everybody, and one with kernels compiled ahead for this Python on this kind of machine.
dist: .venv/.ready-dev
	rm -rf src/sfumato/common/numba/ahead
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python tools/ship_kernels.py
	$(BIN)/python -m hatchling build -d dist -t wheel
	rm -rf src/sfumato/common/numba/ahead

try-dist: dist
	$(BIN)/python tools/try_wheel.py

bench: .venv/.ready-bench
	$(BIN)/python -m benchmarks

docs: .venv/.ready-docs
	$(BIN)/sphinx-build -W --keep-going -q -c docs -d build/doctrees . build/site
	@echo "build/site/index.html"

pictures: .venv/.ready-dev
	$(BIN)/python docs/pictures.py

screens: .venv/.ready-dev
	$(BIN)/python -m tests.cli.screens.record

figures: .venv/.ready-bench
	$(BIN)/python -m benchmarks figures $(FIGURES)

# One stamp per extra; only a change of pyproject.toml makes the set-up run again.
.venv/.ready-%: pyproject.toml
	@tools/setup $*
	@touch $@

.venv-lowest/.ready: pyproject.toml
	@tools/setup lowest
	@touch $@

# Make would delete the stamps as intermediate files, and set up again next time.
.PRECIOUS: .venv/.ready-%

clean:
	rm -rf build dist demo benchmarks/results .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf .venv .venv-lowest
