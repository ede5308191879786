# Every target sets up .venv by itself; `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2

BIN := $(VENV)/bin
SOURCES := src tests benchmarks examples scripts docs/conf.py
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow bench paper docs package clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.stamp-all  ## solve 100 values of C on a toy problem; print tables, write build/demo.{png,html}
	$(BIN)/thresher demo --output build

test: $(VENV)/.stamp-dev  ## format, lint, types, fast tests and the examples in docstrings
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/pytest -n $(JOBS) -m "not slow" --doctest-modules src/thresher tests

test-slow: $(VENV)/.stamp-dev  ## the tests marked slow
	$(BIN)/pytest -n $(JOBS) -m slow

bench: $(VENV)/.stamp-bench  ## measure against the peers, rewrite the tables in README and docs
	$(BIN)/python -m benchmarks

paper: $(VENV)/.stamp-report  ## the DVI paper's experiments, build/paper/paper.html and docs; QUICK=1 for a look
	$(BIN)/python -m thresher.paper $(if $(QUICK),--quick,--docs docs/_generated)

docs: $(VENV)/.stamp-dev  ## build docs/_build/html, warnings are errors
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

package: $(VENV)/.stamp-dev  ## build wheel and source archive into dist/, and try both in empty environments
	rm -rf dist build/package
	$(BIN)/python -m build
	sh scripts/try-package.sh dist/*.whl
	sh scripts/try-package.sh dist/*.tar.gz

clean:  ## remove everything the other targets made
	rm -rf $(VENV) build dist docs/_build docs/_extra docs/gallery .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks examples -type d -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-%: pyproject.toml | $(VENV)/bin/python
	$(PIP_INSTALL) -e '.[$*]'
	touch $@
