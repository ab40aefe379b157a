# Every target makes what it needs: an environment in .venv, the package built and installed in it.
#
#   make demo     from a file to a report by the command line: a minute on a fresh machine
#   make test     ruff, mypy and pytest
#   make test-all the same with the slow tests, all parameters and other random examples
#   make oldest   pytest with the lowest versions of the dependencies that pyproject.toml allows
#   make lint     ruff and mypy only
#   make bench    measure against scikit-learn, LightGBM and XGBoost, and all algorithms (slow)
#   make fuzz     100,000 damaged model files, 20,000 damaged data files, all malformed calls
#   make sanitize the kernels with sanitizers of addresses, undefined behaviour and threads
#   make portability  the kernels compiled for other systems, as far as compilers are installed
#   make docs     the documentation, as HTML in docs/_build/html
#   make wheel    a wheel for other machines in dist/, checked in an empty environment
#   make dist     the same, the source distribution, and both for costboost-lab
#   make release VERSION=1.2.3   version, date and model files of a release, to be committed
#   make clean    remove what the targets above have made
#
# PYTHON chooses the interpreter (3.11 or newer): make test PYTHON=python3.12
# VENV chooses the place of the environment:      make test VENV=.venv-3.12 PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml meson.build \
	$(shell find src lab -type f -not -name '*.pyc')

.PHONY: demo test test-all oldest lint bench fuzz sanitize portability docs wheel dist release clean
.DELETE_ON_ERROR:

demo: $(VENV)/.with-cli
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/python -m pytest -n auto

test-all: lint
	COSTBOOST_EXAMPLES=0.25 $(BIN)/python -m pytest -n auto

oldest: export PIP_CONSTRAINT := $(abspath $(VENV))-oldest.txt
oldest:
	$(PYTHON) release/floors.py > $(PIP_CONSTRAINT)
	$(MAKE) VENV=$(VENV)-oldest $(VENV)-oldest/.with-test
	$(VENV)-oldest/bin/python -m pytest -n auto

lint: $(VENV)/.with-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.with-peers
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/algorithms.py

fuzz: $(VENV)/.with-test
	PYTHONPATH=tests $(BIN)/python -m fuzz

sanitize: $(VENV)/.with-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check meson ninja "Cython>=3.1"
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tests/sanitize.py

portability: $(VENV)/.with-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "Cython>=3.1" ziglang
	$(BIN)/python tests/portability.py

docs: $(VENV)/.with-docs
	rm -rf docs/generated
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: $(VENV)/.with-release
	$(BIN)/python release/build.py --wheel-only

dist: $(VENV)/.with-release
	$(BIN)/python release/build.py

release: $(VENV)/.with-test
	$(BIN)/python release/prepare.py $(VERSION)
	$(MAKE) $(VENV)/.with-test
	$(BIN)/python tests/files/make_models.py
	@echo "next: make test-all docs dist, commit, git tag v$(VERSION), git push --tags"

clean:
	rm -rf dist $(VENV) $(VENV)-oldest $(VENV)-oldest.txt docs/_build docs/generated demo-output .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- the environment: costboost with an extra, and costboost-lab; a stamp for each extra, older
# ---- than the sources when they have changed

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit("costboost needs Python 3.11 or newer, this is " + \
		sys.version.split()[0] + "; choose one with PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

.PRECIOUS: $(VENV)/.with-%
$(VENV)/.with-%: $(VENV)/.python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ".[$*]" \
		"./lab$(if $(filter test,$*),[test])"
	@touch $@
