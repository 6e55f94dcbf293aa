# make = make study; make help lists the rest. Each target sets up .venv by itself when it is
# missing or out of date.
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BIN := .venv/bin
READY := .venv/requirements.installed
# bars on a terminal; in a file or a pipe Snakemake's own log
SNAKEMAKE := $(BIN)/snakemake $(shell test -t 2 && echo --logger rich) --cores $(CORES)

# every job starts Python anew, and would compile anew all that it imports
unexport PYTHONDONTWRITEBYTECODE

.PHONY: study smoke paper report article class draws structures variations outside redraw audit examples \
	topics check test test-all lint docs bench experiment restarts rulegraph requirements newest help

study: $(READY) ## the whole study: results/ and figures/ (the default)
	$(SNAKEMAKE)

smoke: $(READY) ## the same way in less than a minute, with small settings: results/smoke/
	$(SNAKEMAKE) --configfile workflow/config/smoke.yaml

OTHER_DRAW = --config 'draws=[$(DRAW)]' results=results/paper/draw-$(DRAW) \
	figures=figures/paper/draw-$(DRAW)
paper: $(READY) ## the paper's study, of two draws (three minutes), or of one: make paper DRAW=17
	$(SNAKEMAKE) --configfile workflow/config/paper.yaml $(if $(DRAW),$(OTHER_DRAW))
	$(if $(DRAW),,$(SNAKEMAKE) --configfile workflow/config/paper.yaml \
		workflow/config/paper_nearest.yaml)

report: $(READY) ## the study, then results/report.html: one file with all that it found
	$(SNAKEMAKE) report_pages --report results/report.html --report-after-run

article: $(READY) ## results/article.pdf, from the study and the populations that are there
	$(SNAKEMAKE) article

# the other draws of the page, as long as they are not there; then the page, from committed tables
CLASS := nearest typical
class: $(READY) ## results/class.html: move n, and see what each score believes (minutes)
	for draw in $(CLASS); do test -e results/class/$$draw/evidence.csv || $(SNAKEMAKE) \
		--configfile workflow/config/draws.yaml workflow/config/class/$$draw.yaml \
		-- $(patsubst %,results/class/$$draw/%.csv,scores evidence ranks design structures); done
	$(SNAKEMAKE) results/class.html --allowed-rules class_page --forcerun class_page

draws: $(READY) ## the paper's question over 100 draws: results/draws-of-the-paper/ (hours)
	$(SNAKEMAKE) --configfile workflow/config/draws.yaml

structures: $(READY) ## 200 draws, each with a true structure of its own: results/every-structure/
	$(SNAKEMAKE) --configfile workflow/config/every-structure.yaml

VARIATIONS := $(patsubst %,'workflow/config/draws.yaml %', \
	$(wildcard workflow/config/variations/*.yaml))
variations: $(READY) ## other priors, another structure, 16 AIS chains, 37 sizes up to 163,840 cases
	set -e; for settings in $(VARIATIONS); do $(SNAKEMAKE) --configfile $$settings; done

outside: $(READY) ## 40 draws each of truths in and outside the structures: results/outside/
	$(SNAKEMAKE) --snakefile workflow/rules/outside.smk

# what is made from the committed verdicts of a population's draws, and the rules that make it
POOLED := design structures over_draws summary datapackage figures
POOLED_FIGURES := cases_needed found rank_over_draws error_over_draws accuracy reliability
VARIED := $(patsubst results/%/verdicts.parquet,workflow/config/variations/%.yaml, \
	$(wildcard results/*/verdicts.parquet))
redraw: $(READY) ## statistics and figures of populations, from committed verdicts: a minute
	set -e; for settings in workflow/config/draws.yaml workflow/config/every-structure.yaml \
		$(patsubst %,'workflow/config/draws.yaml %',$(wildcard $(VARIED))); do \
		case $$settings in *variations*) figures= ;; *) figures=figures ;; esac; \
		$(SNAKEMAKE) summary datapackage $$figures --forceall --configfile $$settings \
		--allowed-rules $(POOLED) $(POOLED_FIGURES:%=plot_%); done

EXAMPLES := $(wildcard workflow/config/examples/*.yaml)
examples: $(READY) ## three tables of the literature, and a report of each: results/examples/
	set -e; for example in $(EXAMPLES); do \
		folder=results/examples/$$(basename $$example .yaml); \
		$(SNAKEMAKE) report_pages --configfile $$example \
			--report $$folder/report.html --report-after-run; done

topics: $(READY) ## how many topics? the same question of latent Dirichlet allocation
	$(SNAKEMAKE) --snakefile workflow/topics/Snakefile

# a file's tests run in one process, as they share what is slow to compute
PYTEST := PYTHONHASHSEED=0 $(BIN)/python -m pytest --numprocesses $(CORES) \
	--dist loadfile --no-loadscope-reorder

check: $(READY) ## unit tests, contract of the scores, settings, style: a minute or two
	$(PYTEST) -m "not slow and not weekly"

test: $(READY) ## also statistical laws and studies run whole: minutes
	$(PYTEST) -m "not weekly"

test-all: $(READY) ## also what is slow by nature: before a release, and each week in CI
	$(PYTEST)

lint: $(READY) ## style, format, layers of imports, requirements
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/snakefmt --check Snakefile workflow/rules workflow/topics/Snakefile
	$(BIN)/snakemake --lint

docs: $(READY) ## write the generated parts of the pages anew, and the site: build/site/
	PYTHONPATH=workflow $(BIN)/python -m lib.docs
	$(BIN)/mkdocs build --quiet --strict --config-file workflow/docs/mkdocs.yml

# microseconds to results/benchmark.csv, milliseconds to results/cost.csv
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

newest: $(READY) ## the newest versions of everything in .venv, beyond what was tried
	sed -nE 's/^    "([A-Za-z0-9_.-]+)[<>=].*",$$/\1/p' pyproject.toml \
		| $(BIN)/pip install --quiet --upgrade --requirement /dev/stdin
	$(BIN)/python -m latentdag.command.warm_up

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --no-compile --constraint requirements.txt --editable .
	$(BIN)/python -m latentdag.command.warm_up & \
		$(BIN)/pip install --quiet --no-compile --requirement requirements.txt && wait $$!
	touch $@
