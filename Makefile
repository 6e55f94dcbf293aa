# make = make study; each target sets up .venv by itself when it is missing or out of date
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BIN := .venv/bin
READY := .venv/requirements.installed
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --workflow-profile workflow/profiles/default

.PHONY: study smoke test bench restarts requirements

study: $(READY)
	$(SNAKEMAKE)

smoke: $(READY)
	$(SNAKEMAKE) --configfile workflow/config/smoke.yaml

test: $(READY)
	$(BIN)/python -m pytest

# microseconds per step beside plain code, to results/benchmark.csv; accuracy of the reference beside AIS
bench: $(READY)
	$(BIN)/python tests/benchmarks/steps.py
	$(BIN)/python tests/benchmarks/accuracy.py
	$(BIN)/python tests/benchmarks/nested_sampling.py

# would ten times as many restarts find better optima? (about 20 minutes)
restarts: $(READY)
	$(BIN)/python tests/benchmarks/restarts.py

# pin what pyproject.toml asks for at today's versions
requirements:
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet .[study,test]
	(echo "# Generated from pyproject.toml by: make requirements"; $(BIN)/pip freeze --exclude latentdag) > requirements.txt

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --requirement requirements.txt
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@
