"""The smoke study as a user runs it, and what it leaves behind."""

import csv
import json
import math
from collections import Counter
from io import StringIO

import pytest
from studies import SMOKE, resolved_smoke, tool

from latentdag import Structure, enumerate_structures
from latentdag.scores import JOBS, SPECS
from latentdag.study.schema.columns import TABLES
from lib.figures import OF_SIMULATION

SETTINGS = resolved_smoke()
RESULTS, FIGURES = SETTINGS["results"], SETTINGS["figures"]
N_SIZES = len(SETTINGS["sizes"])
# how often each score is computed for a structure: at every size, and where it can be enumerated
TIMES = {
    **dict.fromkeys(SPECS, N_SIZES),
    "exact": len(SETTINGS["exact_sizes"]),
}
del TIMES["bridge"]  # it scores some structures, for the reference's sake
UNDER_PRIORS = [
    method
    for method, spec in SPECS.items()
    if spec.judged and spec.job.name in ("map", "vb", "reference")
]


def expected_rows() -> dict[str, int]:
    """Rows of the tables, counted from the settings."""
    n_structures, n_scores = len(enumerate_structures()), sum(TIMES.values())
    fits = 2 * N_SIZES  # map and ml
    ais, annealing, reference = SETTINGS["ais"], SETTINGS["annealing"], SETTINGS["reference"]
    true = Structure.from_label(SETTINGS["true_structure"])
    bridged = sum(
        len(JOBS["bridge"].some(enumerate_structures(), true, n)) for n in SETTINGS["bridge_sizes"]
    )
    return {
        "structures": n_structures,
        "scores": n_structures * n_scores + bridged,
        "evidence": n_structures * TIMES["reference"],
        "ranks": n_scores,
        "annealing": len(annealing["steps"]) * (annealing["chains"] + 1),
        "ais_chains": n_structures * N_SIZES * ais["chains"],
        "sandwich": N_SIZES + reference["others"] * len(reference["other_sizes"]),
        "prior": n_structures * len(SETTINGS["prior"]["alphas"]) * len(UNDER_PRIORS),
        "errors": n_structures * (n_scores - fits - TIMES["reference"]),
        "posterior": n_structures * (n_scores - fits),
        "classes": 78 * (n_scores - fits),
        "timing": 3 * N_SIZES,
        "equal_modes": 50 * 50,
    }


@pytest.mark.parametrize("name", [*expected_rows(), "ais_acceptance", "climb"])
def test_tables_have_their_columns(smoke, name):
    header = (smoke.folder / RESULTS / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0]
    assert tuple(header.split(",")) == TABLES[name].columns


def test_tables_have_their_rows(smoke):
    expected = expected_rows()
    assert {name: len(smoke.table(f"{RESULTS}/{name}.csv")) for name in expected} == expected
    parts = Counter(
        (row["n"], row["structure"]) for row in smoke.table(f"{RESULTS}/ais_acceptance.csv")
    )
    assert len(parts) == 136 * len(SETTINGS["sizes"])
    assert len(set(parts.values())) == 1


def test_scores_are_there_once_and_finite(smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    keys = [(row["n"], row["structure"], row["method"]) for row in rows]
    assert len(set(keys)) == len(keys)
    assert all(math.isfinite(float(row["score"])) for row in rows)
    assert {row["method"] for row in rows} == {*TIMES, "bridge"}


def test_under_the_studys_prior_the_scores_are_the_studys(smoke):
    own = {**SETTINGS["prior"], "alpha": SETTINGS["alpha"]}
    assert own["alpha"] in own["alphas"]
    known = {
        (r["structure"], r["method"]): (r["score"], r["standard_error"])
        for r in smoke.table(f"{RESULTS}/scores.csv")
        if int(r["n"]) == own["n"] and r["method"] in UNDER_PRIORS
    }
    of_alpha = {alpha: {} for alpha in own["alphas"]}
    for r in smoke.table(f"{RESULTS}/prior.csv"):
        key = r["structure"], r["method"]
        of_alpha[float(r["alpha"])][key] = r["score"], r["standard_error"]
    assert of_alpha[own["alpha"]] == known
    assert all(of_alpha[0.5][key] != value for key, value in known.items())


def test_tables_are_sorted(smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    listed = [row["structure"] for row in smoke.table(f"{RESULTS}/structures.csv")]
    assert [int(row["n"]) for row in rows] == sorted(int(row["n"]) for row in rows)
    assert [row["structure"] for row in rows[: len(listed)]] == listed


@pytest.mark.parametrize("name", [figure.name for figure in OF_SIMULATION])
def test_figures_are_there(smoke, name):
    png, pdf = ((smoke.folder / FIGURES / f"{name}.{kind}").read_bytes() for kind in ("png", "pdf"))
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert min(len(png), len(pdf)) > 5000


def test_article(smoke):
    """Without the populations, which stand beside the study's own results."""
    assert (smoke.folder / RESULTS / "article.pdf").read_bytes().startswith(b"%PDF")


def test_summary_and_provenance(smoke):
    text = (smoke.folder / RESULTS / "summary.md").read_text(encoding="utf-8")
    for words in ("Claim by claim", "BIC", "VB", "AIS", "one draw"):
        assert words in text
    text = (smoke.folder / RESULTS / "findings.md").read_text(encoding="utf-8")
    assert text.startswith("# Findings\n\n## Draw 0\n") and "| VB | " in text
    record = json.loads((smoke.folder / RESULTS / "provenance.json").read_text(encoding="utf-8"))
    assert record["config"] == SETTINGS


def test_every_job_leaves_a_log_and_a_benchmark(smoke):
    plan = smoke.call([tool("snakemake"), *SMOKE, "--summary"]).stdout
    rows = list(csv.DictReader(StringIO(plan), delimiter="\t"))
    logs = {row["log-file(s)"] for row in rows}
    assert len(logs) > 20
    for log in logs:
        assert (smoke.folder / log).is_file(), log
        benchmark = log.replace("/logs/", "/benchmarks/").removesuffix(".log") + ".tsv"
        lines = (smoke.folder / benchmark).read_text(encoding="utf-8").splitlines()
        assert len(lines) == 2, benchmark
        assert lines[0].startswith("s\t"), benchmark
    assert {row["plan"] for row in rows} == {"no update"}


def test_logs_of_scoring_jobs_show_progress(smoke):
    for method in (*SETTINGS["methods"], "sandwich", "prior"):
        logs = list((smoke.folder / RESULTS / "logs").glob(f"{method}.*.log"))
        assert logs, method
        for log in logs:
            text = log.read_text(encoding="utf-8")
            assert "100 % done" in text, log
    longest = smoke.folder / RESULTS / "logs/vb.0.10-480.1.log"
    assert longest.read_text(encoding="utf-8").count("% done") > 3  # more than a last word


def test_nothing_partial_is_left(smoke):
    assert not list(smoke.folder.rglob("*.partial*"))
