# make = make study; each target sets up .venv by itself when it is missing or out of date
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BIN := .venv/bin
READY := .venv/requirements.installed
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --workflow-profile workflow/profiles/default

.PHONY: study smoke report test bench restarts rulegraph requirements

study: $(READY)
	$(SNAKEMAKE)

smoke: $(READY)
	$(SNAKEMAKE) --configfile workflow/config/smoke.yaml

# the study, then results/report.html: one file with its figures, tables, summary, running times, settings and versions
report: $(READY)
	$(SNAKEMAKE) report_pages --report results/report.html --report-after-run

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

# the README's picture of the rules, without `all`, on which everything has a link (graphviz)
rulegraph: $(READY)
	$(SNAKEMAKE) --rulegraph dot \
		| gvpr -c 'N {if (label == "all") delete($$G, $$); else color = "slategray"} E {color = "slategray"}' \
		| dot -Grankdir=LR -Gnodesep=0.15 -Nheight=0.3 -Npenwidth=1 -Epenwidth=1 -Earrowsize=0.6 -Tsvg > workflow/rulegraph.svg

# pin what pyproject.toml asks for at today's versions
requirements:
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet .[study,test,cluster]
	(echo "# Generated from pyproject.toml by: make requirements"; $(BIN)/pip freeze --exclude latentdag) > requirements.txt

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --requirement requirements.txt
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@
