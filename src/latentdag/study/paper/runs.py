"""The published runs that pages quote, named after their folders in `results/published`."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

from latentdag.study.schema import tables

PAPERS, EVERY = "draws-of-the-paper", "every-structure"
MORE_TRUTHS = "audit-of-calibration"  # as in EVERY, of one size
PAPER_RUNS = ("paper", "paper-nearest")  # of `make paper`
VARIATIONS = ("alpha-0.5", "alpha-2", "another-structure")
FINE_GRID = "fine-grid"  # sizes a ratio of 2^(1/4) apart
# true parameters from another prior than the scores assume
OTHER_PRIORS = ("true-alpha-0.5", "true-alpha-2", "scored-with-alpha-0.5", "scored-with-alpha-2")
MANY_CHAINS = "ais-16-chains"
EXPERIMENTS = "experiments"  # no run, but the tables of workflow/experiments
EQUAL_COST = "ais-at-equal-cost"  # one chain that costs as much, and one that moves row by row
AIS_CHAINS: Mapping[str, int] = {PAPERS: 1, MANY_CHAINS: 16}  # for each structure
# the runs with a kind of AIS, and the score that is it there
AIS_KINDS: Mapping[str, tuple[str, str]] = {
    "1 chain": (PAPERS, "ais"),
    "16 chains": (MANY_CHAINS, "ais"),
    "1 long chain": (EQUAL_COST, "ais_long"),
    "1 chain, row by row": (EQUAL_COST, "ais_rows"),
}
# by run the tables that are read
TABLES: Mapping[str, tuple[str, ...]] = {
    PAPERS: ("design", "found_share", "comparisons", "population", "claims", "verdicts"),
    **{run: ("design", "found_share", "comparisons") for run in VARIATIONS},
    EVERY: ("calibration", "population", "verdicts"),
    **{run: ("claims", "verdicts") for run in (MANY_CHAINS, EQUAL_COST)},
    FINE_GRID: ("verdicts",),
    **{run: ("design", "found_share", "comparisons") for run in OTHER_PRIORS},
    EXPERIMENTS: ("alpha_integrated", "asymptotics", "bridge_sampling", "evidence_audit"),
    MORE_TRUTHS: ("calibration", "verdicts"),
}


def read_runs(results: Path) -> dict[str, dict]:
    """A dict by run, and in it by name, of the DataFrames of those tables in `TABLES`, CSV or
    Parquet, that are there in the folder ``results`` of published runs. Raises ValueError as
    `tables.read`.
    """
    runs: dict[str, dict] = {}
    for run, names in TABLES.items():
        for name, end in product(names, ("csv", "parquet")):
            if (path := results / run / f"{name}.{end}").exists():
                runs.setdefault(run, {})[name] = tables.read(path, name)
    return runs
