# `make demo` and `make test` are the two commands of the README; everything else is for daily work.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test install install-test lint check unit e2e bench clean

demo: install
	@echo '$$ sglint check demo'
	@$(BIN)/sglint check demo --fail-on never
	@echo
	@echo '$$ sglint size demo'
	@$(BIN)/sglint size demo

test: install-test lint unit e2e

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

install-test: $(VENV)/.installed-test

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/.installed

lint: install-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: install-test
	$(BIN)/python -m pytest -m 'not e2e'

e2e: install-test
	$(BIN)/python -m pytest -m e2e tests/e2e

bench: install-test
	$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
