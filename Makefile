# Needs only Python 3.11 to 3.13 and make. Choose another interpreter with PYTHON=python3.12.

PYTHON ?= python3
VENV ?= .venv
CHAINS ?= 1000
DRAWS ?= 200
WARMUP ?= 300
PROGRAMS ?= 10000
GRADIENTS ?= 2500
SEED ?= 0
STRESS_SECONDS ?= 480
WORKERS ?= 2
# Each share has processes of its own, which begin with little memory: XLA does not give back all of what it took.
SHARES ?= 1/2 2/2
SHARES_OF_ALL ?= 1/4 2/4 3/4 4/4
# What each test took, a line of JSON each: tests/support/costs.py sums them up.
COSTS := $(CURDIR)/out/costs.jsonl

RUN := $(VENV)/bin/python
STAMP := $(VENV)/.installed
# A test that has not ended after ten minutes says where it stands, and fails.
HUNG := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart=1

# By a path, not by an import hook: else a script beside this folder would import the folder.
EDITABLE := --config-settings editable_mode=compat --editable

# TensorFlow's C++ side otherwise logs the machine's capabilities before anything else.
export TF_CPP_MIN_LOG_LEVEL ?= 3

.PHONY: help venv nuts test test-all pythons lint types docs docs-serve dist bench fuzz stress cluster memory large clean

help:
	@echo "make nuts    sample the breast cancer posterior with $(CHAINS) chains; plots go to out/"
	@echo "make test    tests that touch all code, share by share, in $(WORKERS) processes (WORKERS=, SHARES=)"
	@echo "make test-all  nearly all tests, most of those that take long, too (WORKERS=, SHARES_OF_ALL=)"
	@echo "make pythons run the tests of nuts under each of Python 3.11 to 3.13 that is here"
	@echo "make lint    check style and format"
	@echo "make types   check the type hints of pcbatch"
	@echo "make docs    build the site into out/site, strictly;  make docs-serve  show it while you write"
	@echo "make dist    build the wheel and the sdist; install each alone, and run the README"
	@echo "make bench   the cases P1 to P10 and which targets are met"
	@echo "make fuzz    $(PROGRAMS) random programs against plain Python (PROGRAMS=, SEED=),"
	@echo "             and the gradients of $(GRADIENTS) random programs of each kind (GRADIENTS=)"
	@echo "make stress  random programs with random faults, kills and Ctrl-C: $(STRESS_SECONDS) s, and 50 kills each"
	@echo "make cluster runs on the engines of clusters that are installed: mpi4py, Parsl, executorlib, ..."
	@echo "make memory  first calls of samplers, of many widths, in processes of limited memory"
	@echo "make large   all tests, with all cases and large sample sizes, stopping at the first failure"
	@echo "make venv    only create $(VENV) and install;  make clean  remove what make made"

venv: $(STAMP)

$(STAMP): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check $(EDITABLE) ".[test,nuts,dev,docs]"
	@touch $@

nuts: $(STAMP)
	$(RUN) -m nuts breast_cancer --chains $(CHAINS) --draws $(DRAWS) --warmup $(WARMUP)

test: $(STAMP)
	@failed=0; for share in $(SHARES); do \
		$(RUN) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(HUNG) --share $$share || failed=1; \
	done; exit $$failed

test-all:
	@mkdir -p out && rm -f $(COSTS)
	PCBATCH_ALL=1 PCBATCH_COSTS=$(COSTS) $(MAKE) --no-print-directory SHARES="$(SHARES_OF_ALL)" test

pythons:
	@failed=0; for version in 3.11 3.12 3.13; do \
		python$$version --version 2> /dev/null || continue; \
		$(MAKE) --no-print-directory PYTHON=python$$version VENV=.venv-$$version venv && \
		.venv-$$version/bin/python -m pytest -n $(WORKERS) --dist loadfile $(HUNG) tests/nuts \
			|| failed=1; \
	done; exit $$failed

lint: $(STAMP)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(STAMP)
	$(RUN) -m mypy

# Without it Material for MkDocs advertises its successor.
docs docs-serve: export NO_MKDOCS_2_WARNING = 1

docs: $(STAMP)
	$(RUN) -m mkdocs build
	@echo "the site is out/site/index.html"

docs-serve: $(STAMP)
	$(RUN) -m mkdocs serve

dist: $(STAMP)
	rm -rf dist build
	$(RUN) -m build --outdir dist . > /dev/null
	$(RUN) -m tests.installed dist/*

bench: $(STAMP)
	$(RUN) -m bench targets

fuzz: $(STAMP)
	$(RUN) -m tests.fuzz --programs $(PROGRAMS) --seed $(SEED) --workers $(WORKERS)
	PCBATCH_GENERATED_GRADIENTS=$(GRADIENTS) $(RUN) -m pytest -q $(HUNG) -n $(WORKERS) \
		-k random tests/gradients

stress: $(STAMP)
	$(RUN) -m tests.stress --seconds $(STRESS_SECONDS) --kills 50 --workers 50 --calls 3 --seed $(SEED)

# mpi4py, parsl, executorlib, ipyparallel and ray are in no extra of setup.cfg: install those that are wanted.
cluster: $(STAMP)
	$(RUN) -m tests.runtime.engines

memory: $(STAMP)
	$(RUN) -m tests.memory

large: $(STAMP)
	PCBATCH_STRESS=1 $(RUN) -m pytest -x

clean:
	rm -rf $(VENV) build dist out *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
