# Two commands do everything: `make run` and `make test`. Each sets up what it needs in .venv first.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: run test check bench faces constraints clean

run: .venv/run.stamp ## serve http://127.0.0.1:8765, with the page and an embedded PostgreSQL
	$(BIN)/recollect serve

test: check ## all checks, then all tests
	$(BIN)/pytest --numprocesses=2 --dist=worksteal

check: .venv/dev.stamp ## style, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache

bench: .venv/dev.stamp ## measure, beside peers
	$(PIP) --group bench
	$(BIN)/python benchmarks/history.py
	$(BIN)/python benchmarks/recall.py
	$(BIN)/python benchmarks/learning.py
	$(BIN)/python benchmarks/over_http.py
	$(BIN)/python benchmarks/cache.py
	$(BIN)/python benchmarks/faces.py

faces: .venv/dev.stamp ## run the test suites of others against our classes, and write docs/faces.md
	$(BIN)/python tools/faces_table.py

constraints: .venv/run.stamp ## compile constraints.txt anew from pyproject.toml
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --group dev --group bench \
	  --upgrade --no-header --no-annotate --no-emit-index-url --quiet --output-file constraints.txt

clean:
	rm -rf .venv .recollect dist

.venv/run.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Recollect needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Say which one to use: make run PYTHON=python3.12")'
	@test -x $(BIN)/python || { echo "Making .venv ..."; $(PYTHON) -m venv .venv; }
	@echo "Installing Recollect into .venv ..."
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet 'pip>=25.1'
	@$(PIP) --editable '.[server,mcp,openai,pdf]'
	@touch $@

.venv/dev.stamp: .venv/run.stamp
	@echo "Installing the test tools into .venv ..."
	@$(PIP) --editable '.[all]' --group dev
	@$(BIN)/python tools/chromium.py --install > /dev/null
	@touch $@
