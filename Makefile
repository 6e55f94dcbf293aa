# make = make study; make help lists the rest. Each target sets up .venv by itself when it is
# missing or out of date.
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BIN := .venv/bin
READY := .venv/requirements.installed
TEST := .venv/test.installed
DOCS := .venv/docs.installed
ARTICLE := .venv/article.installed
INSTALL := $(BIN)/pip install --quiet --no-compile --constraint requirements.txt
# further packages, by the mark of their installation
EXTRAS_test := estimator,article,test,docs,cluster
# bars on a terminal; in a file or a pipe Snakemake's own log
SNAKEMAKE := $(BIN)/snakemake $(shell test -t 2 && echo --logger rich) --cores $(CORES)

# every job starts Python anew, and would compile anew all that it imports
unexport PYTHONDONTWRITEBYTECODE

.PHONY: study smoke paper report article compare publish class draws structures variations outside \
	redraw audit examples topics check test test-all lint docs bench experiment restarts rulegraph \
	requirements newest help

study: $(READY) ## the study of one draw: results/study/ and figures/study/ (the default)
	$(SNAKEMAKE)

smoke: $(READY) ## the same way in less than a minute, with small settings: results/smoke/
	$(SNAKEMAKE) --configfile workflow/config/smoke.yaml

OTHER_DRAW = --config 'draws=[$(DRAW)]' results=results/paper-$(DRAW) figures=figures/paper-$(DRAW)
paper: $(READY) ## the paper's study, of two draws (three minutes), or of one: make paper DRAW=17
	$(SNAKEMAKE) --configfile workflow/config/paper.yaml $(if $(DRAW),$(OTHER_DRAW))
	$(if $(DRAW),,$(SNAKEMAKE) --configfile workflow/config/paper.yaml \
		workflow/config/paper_nearest.yaml)

report: $(READY) ## the study, then results/study/report.html: one file with all of it
	$(SNAKEMAKE) report_pages --report results/study/report.html --report-after-run

article: $(ARTICLE) ## results/study/article.pdf, from the study and published runs
	$(SNAKEMAKE) article

# STUDY names the configuration files of another study: make compare STUDY=workflow/config/smoke.yaml
OF = $(if $(STUDY),--configfile $(STUDY)) $(if $(RESULTS),--config results=$(RESULTS))
compare: $(READY) ## whether the study reproduces the published one (RESULTS: another run's folder)
	@$(SNAKEMAKE) --quiet all --allowed-rules compare $(OF) -- compare

publish: $(READY) ## copy the study, when it is complete, to results/published, figures/published
	$(SNAKEMAKE) --allowed-rules publish $(OF) -- publish

class: $(READY) ## the two other draws of the page for a class (minutes)
	set -e; for draw in nearest typical; do $(SNAKEMAKE) \
		--configfile workflow/config/draws.yaml workflow/config/class/$$draw.yaml; done

draws: $(READY) ## the paper's question over 100 draws: results/draws-of-the-paper/ (hours)
	$(SNAKEMAKE) --configfile workflow/config/draws.yaml

structures: $(READY) ## 200 draws, each with a true structure of its own: results/every-structure/
	$(SNAKEMAKE) --configfile workflow/config/every-structure.yaml

VARIATIONS := $(patsubst %,'workflow/config/draws.yaml %', \
	$(wildcard workflow/config/variations/*.yaml))
variations: $(READY) ## other priors, another structure, other kinds of AIS, up to 163,840 cases
	set -e; for settings in $(VARIATIONS); do $(SNAKEMAKE) --configfile $$settings; done

outside: $(READY) ## 40 draws each of truths in and outside the structures: results/outside/
	$(SNAKEMAKE) --snakefile workflow/rules/outside.smk

# a population with no draws of its own pools those that are published
VARIED := $(patsubst results/published/%/verdicts.parquet,%, \
	$(wildcard results/published/*/verdicts.parquet))
redraw: $(READY) ## tables and figures of populations, from published verdicts: minutes
	set -e; for run in $(VARIED); do \
		case $$run in \
		draws-of-the-paper) settings=workflow/config/draws.yaml ;; \
		every-structure) settings=workflow/config/every-structure.yaml ;; \
		audit-of-calibration) settings="workflow/config/every-structure.yaml \
			workflow/config/audit/calibration.yaml" ;; \
		*) settings="workflow/config/draws.yaml workflow/config/variations/$$run.yaml" ;; esac; \
		$(SNAKEMAKE) --configfile $$settings --config draws=0 "parts=[results/published/$$run]"; done

EXAMPLES := $(wildcard workflow/config/examples/*.yaml)
examples: $(READY) ## three tables of the literature, and a report of each
	set -e; for example in $(EXAMPLES); do folder=results/$$(basename $$example .yaml); \
		$(SNAKEMAKE) report_pages --configfile $$example \
			--report $$folder/report.html --report-after-run; done

topics: $(READY) ## how many topics? the same question of latent Dirichlet allocation
	$(SNAKEMAKE) --snakefile workflow/topics/Snakefile

# a file's tests run in one process, as they share what is slow to compute
PYTEST := PYTHONHASHSEED=0 $(BIN)/python -m pytest --numprocesses $(CORES) \
	--dist loadfile --no-loadscope-reorder

check: $(TEST) ## unit tests, contract of the scores, settings, style: a minute or two
	$(PYTEST) -m "not slow and not weekly"

test: $(TEST) ## also statistical laws and studies run whole: minutes
	$(PYTEST) -m "not weekly"

test-all: $(TEST) ## also what is slow by nature: before a release, and each week in CI
	$(PYTEST)

lint: $(TEST) ## style, format, layers of imports, requirements
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/snakefmt --check Snakefile workflow/rules workflow/topics/Snakefile
	$(BIN)/snakemake --lint

docs: $(DOCS) ## write the generated parts of the pages anew, and the site: build/site/
	PYTHONPATH=workflow $(BIN)/python -m docs.generate
	$(BIN)/zensical build --strict --config-file build/mkdocs.yml

# microseconds to results/experiments/benchmark.csv, milliseconds to cost.csv
bench: $(READY) ## time of each step and score; accuracy of reference, tempered SMC and AIS
	$(BIN)/python workflow/experiments/steps.py
	$(BIN)/python workflow/experiments/scores.py
	$(BIN)/python workflow/experiments/accuracy.py

restarts: $(READY) ## would ten times as many restarts find better optima? (3 minutes)
	$(BIN)/python workflow/experiments/restarts.py

audit: $(READY) ## 400 more truths at 5120 cases (hours): results/audit-of-calibration/
	$(SNAKEMAKE) --configfile workflow/config/every-structure.yaml \
		workflow/config/audit/calibration.yaml

experiment: $(READY) ## one experiment, results/experiments/: make experiment NAME=asymptotics
	$(BIN)/python workflow/experiments/$(NAME).py

# without `all`, on which everything has a link
GREY = N {if (label == "all") delete($$G, $$); else color = "slategray"} \
	E {color = "slategray"}
rulegraph: $(READY) ## the picture of the rules (needs Graphviz)
	$(SNAKEMAKE) --rulegraph dot \
		| gvpr -c '$(GREY)' \
		| dot -Grankdir=LR -Gnodesep=0.15 -Nheight=0.3 -Npenwidth=1 -Epenwidth=1 -Earrowsize=0.6 \
			-Tsvg > workflow/rulegraph.svg

requirements: ## pin what pyproject.toml asks for at today's versions
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet .[estimator,study,article,test,docs,cluster]
	(echo "# Generated from pyproject.toml by: make requirements"; \
		$(BIN)/pip freeze --exclude latentdag) > requirements.txt

newest: $(TEST) ## the newest versions of everything in .venv, beyond what was tried
	sed -nE 's/^    "([A-Za-z0-9_.-]+)[<>=].*",$$/\1/p' pyproject.toml \
		| $(BIN)/pip install --quiet --upgrade --requirement /dev/stdin
	$(BIN)/python -m latentdag.command.warm_up

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(INSTALL) --editable .
	$(BIN)/python -m latentdag.command.warm_up & \
		$(INSTALL) 'latentdag[study]' && wait $$!
	touch $@

# what tests, pages and article need is installed when it is first asked for
.venv/%.installed: $(READY)
	$(INSTALL) 'latentdag[$(or $(EXTRAS_$*),$*)]'
	touch $@
