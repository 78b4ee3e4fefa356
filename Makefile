# Everything needs only Python 3.11+ and git; the virtual environment is made on first use.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
STAMP   = $(VENV)/.installed
PIP     = $(BIN)/python -m pip install --quiet --disable-pip-version-check
export OMP_NUM_THREADS ?= 1

.PHONY: help install demo test lint types contracts bench docs clean

help:
	@echo "make demo    both halves end to end; ends with demo/report.html"
	@echo "make test    every test"
	@echo "make lint    style, types and import contracts"
	@echo "make bench   timings (not part of the tests)"
	@echo "make docs    check that the documentation's commands and links hold"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@echo "==> Making the environment in $(VENV) and installing dependencies (some minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip
	@echo "    torch (CPU build) ..."
	@$(PIP) torch==2.13.0
	@echo "    mustermann with its tables, report, demo and test extras ..."
	@$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: install
	@echo "==> Demo: a private table, labelled letters, a detector, one report (some minutes)"
	@rm -rf demo
	@$(BIN)/mustermann demo --out demo

test: install
	@echo "==> Tests"
	@$(BIN)/python -m pytest -n 2

lint: install
	@echo "==> Style"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory types contracts

types: install
	@echo "==> Types"
	@$(BIN)/mypy

contracts: install
	@echo "==> Import contracts"
	@$(BIN)/lint-imports

bench: install
	@echo "==> Benchmarks"
	@for file in benchmarks/*.py; do echo "--- $$file"; $(BIN)/python $$file || exit 1; done

docs: install
	@$(BIN)/python -m pytest -q tests/docs

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
