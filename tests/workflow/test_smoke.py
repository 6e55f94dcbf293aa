"""The smoke study as a user runs it, and what it leaves behind."""

import csv
import json
import math
from collections import Counter
from io import StringIO

import pytest
import yaml
from studies import ROOT, SMOKE, SMOKE_CONFIG, tool

from latentdag import enumerate_structures
from latentdag.study.tables import COLUMNS

SETTINGS = yaml.safe_load((ROOT / SMOKE_CONFIG).read_text(encoding="utf-8"))
RESULTS, FIGURES = SETTINGS["results"], SETTINGS["figures"]
SCORES_OF = {method: (method,) for method in SETTINGS["methods"]} | {
    "map": ("map", "bic", "cs"),
    "ml": ("ml", "bic_ml"),
}
N_JUDGED = 5  # bic, cs, bic_ml, vb and ais are held against the reference evidence at every size, exact where it is known
N_BELIEVED = 5  # bic, cs, vb, ais and the reference imply a posterior


def expected_rows() -> dict[str, int]:
    """Rows of the tables, counted from the settings."""
    n_structures = len(enumerate_structures())
    ranks = sum(
        len(SCORES_OF[m])
        * sum(m != "exact" or n in SETTINGS["exact_sizes"] for n in SETTINGS["sizes"])
        for m in SETTINGS["methods"]
    )
    ais, annealing, reference = SETTINGS["ais"], SETTINGS["annealing"], SETTINGS["reference"]
    n_sizes = len(SETTINGS["sizes"])
    return {
        "structures": n_structures,
        "scores": n_structures * ranks,
        "ranks": ranks,
        "annealing": len(annealing["steps"]) * (annealing["chains"] + 1),
        "ais_chains": n_structures * n_sizes * ais["chains"],
        "sandwich": n_sizes + reference["others"] * len(reference["other_sizes"]),
        "errors": n_structures * (N_JUDGED * n_sizes + len(SETTINGS["exact_sizes"])),
        "posterior": n_structures * N_BELIEVED * n_sizes,
        "timing": 3 * n_sizes,
    }


@pytest.mark.parametrize("name", [*expected_rows(), "ais_acceptance"])
def test_tables_have_their_columns(smoke, name):
    header = (smoke.folder / RESULTS / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0]
    assert tuple(header.split(",")) == COLUMNS[name]


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
    assert {row["method"] for row in rows} == {
        score for m in SETTINGS["methods"] for score in SCORES_OF[m]
    }


def test_tables_are_sorted(smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    listed = [row["structure"] for row in smoke.table(f"{RESULTS}/structures.csv")]
    assert [int(row["n"]) for row in rows] == sorted(int(row["n"]) for row in rows)
    assert [row["structure"] for row in rows[: len(listed)]] == listed


@pytest.mark.parametrize("name", ["true_structure", "scores", "rank", "annealing", "tightness"])
def test_figures_are_there(smoke, name):
    png, pdf = ((smoke.folder / FIGURES / f"{name}.{kind}").read_bytes() for kind in ("png", "pdf"))
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert min(len(png), len(pdf)) > 5000


def test_summary_and_provenance(smoke):
    text = (smoke.folder / RESULTS / "summary.md").read_text(encoding="utf-8")
    for words in ("Claim by claim", "BIC", "VB", "AIS", "one draw"):
        assert words in text
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
    for method in (*SETTINGS["methods"], "sandwich"):
        logs = list((smoke.folder / RESULTS / "logs").glob(f"{method}.*.log"))
        assert logs, method
        for log in logs:
            text = log.read_text(encoding="utf-8")
            assert "100 % done" in text, log
    (longest,) = (smoke.folder / RESULTS / "logs").glob(f"ais.0.{max(SETTINGS['sizes'])}.*.log")
    assert longest.read_text(encoding="utf-8").count("% done") > 3  # more than a last word


def test_nothing_partial_is_left(smoke):
    assert not list(smoke.folder.rglob("*.partial*"))


def test_a_changed_reference_reruns_the_references(smoke):
    reference = SETTINGS["reference"] | {"runs": SETTINGS["reference"]["runs"] + 1}
    (smoke.folder / "changed.yaml").write_text(
        yaml.safe_dump({"reference": reference}), encoding="utf-8"
    )
    plan = smoke.call([tool("snakemake"), *SMOKE, "changed.yaml", "--summary"]).stdout
    pending = {
        row["rule"]
        for row in csv.DictReader(StringIO(plan), delimiter="\t")
        if row["plan"] != "no update"
    }
    assert {
        "reference",
        "sandwich",
        "sandwiches",
        "errors",
        "scores",
        "ranks",
        "plot_tightness",
        "summary",
    } <= pending
    assert not pending & {
        "draw",
        "map",
        "ml",
        "vb",
        "ais",
        "exact",
        "anneal",
        "structures",
        "plot_structure",
    }


def test_the_number_of_reference_jobs_changes_no_byte(smoke):
    """In the same folder, where the reference's loops are compiled, with a smaller study whose
    results lie elsewhere.
    """
    found = []
    for n in (1, 3):
        smoke.run(
            "results/scores.csv", methods=["map", "reference"], max_iterations=50, reference__jobs=n
        )
        assert (smoke.folder / f"results/draws/0/reference/{n}.csv").exists()
        found.append((smoke.folder / "results/scores.csv").read_bytes())
    assert b"reference" in found[0]
    assert found[0] == found[1]
