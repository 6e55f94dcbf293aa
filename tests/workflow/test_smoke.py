"""The smoke study as a user runs it, and what it leaves behind."""

import csv
import json
import math
from collections import Counter
from io import StringIO

import pytest
import yaml
from studies import ROOT, Study, tool

from latentdag import enumerate_structures
from latentdag.tables import COLUMNS

CONFIG = "workflow/config/smoke.yaml"
SETTINGS = yaml.safe_load((ROOT / CONFIG).read_text(encoding="utf-8"))
RESULTS, FIGURES = SETTINGS["results"], SETTINGS["figures"]
COMMAND = ("--cores", "2", "--configfile", CONFIG)
SCORES_OF = {"map": ("map", "bic", "cs"), "ml": ("ml", "bic_ml"), "vb": ("vb",), "ais": ("ais",), "exact": ("exact",)}


@pytest.fixture(scope="module")
def smoke(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("smoke"))
    study.call([tool("snakemake"), *COMMAND])
    return study


def expected_rows() -> dict[str, int]:
    """Rows of the tables, counted from the settings."""
    n_structures = len(enumerate_structures())
    ranks = sum(
        len(SCORES_OF[m]) * sum(m != "exact" or n in SETTINGS["exact_sizes"] for n in SETTINGS["sizes"])
        for m in SETTINGS["methods"]
    )
    ais, annealing = SETTINGS["ais"], SETTINGS["annealing"]
    return {
        "structures": n_structures,
        "scores": n_structures * ranks,
        "ranks": ranks,
        "annealing": len(annealing["steps"]) * (annealing["chains"] + 1),
        "ais_chains": n_structures * len(SETTINGS["sizes"]) * ais["chains"],
        "timing": 3 * len(SETTINGS["sizes"]),
    }


@pytest.mark.parametrize("name", [*expected_rows(), "ais_acceptance"])
def test_tables_have_their_columns(smoke, name):
    header = (smoke.folder / RESULTS / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0]
    assert tuple(header.split(",")) == COLUMNS[name]


def test_tables_have_their_rows(smoke):
    expected = expected_rows()
    assert {name: len(smoke.table(f"{RESULTS}/{name}.csv")) for name in expected} == expected
    parts = Counter((row["n"], row["structure"]) for row in smoke.table(f"{RESULTS}/ais_acceptance.csv"))
    assert len(parts) == 136 * len(SETTINGS["sizes"])
    assert len(set(parts.values())) == 1


def test_scores_are_there_once_and_finite(smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    keys = [(row["n"], row["structure"], row["method"]) for row in rows]
    assert len(set(keys)) == len(keys)
    assert all(math.isfinite(float(row["score"])) for row in rows)
    assert {row["method"] for row in rows} == {score for m in SETTINGS["methods"] for score in SCORES_OF[m]}


def test_tables_are_sorted(smoke):
    rows = smoke.table(f"{RESULTS}/scores.csv")
    listed = [row["structure"] for row in smoke.table(f"{RESULTS}/structures.csv")]
    assert [int(row["n"]) for row in rows] == sorted(int(row["n"]) for row in rows)
    assert [row["structure"] for row in rows[: len(listed)]] == listed


@pytest.mark.parametrize("name", ["true_structure", "scores", "rank", "annealing"])
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
    assert {"numpy", "scipy", "snakemake"} <= set(record["packages"])
    assert record["first_job_ended"] <= record["end"]
    assert "commit" in record


def test_every_job_leaves_a_log_and_a_benchmark(smoke):
    plan = smoke.call([tool("snakemake"), *COMMAND, "--summary"]).stdout
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
    for method in SETTINGS["methods"]:
        logs = list((smoke.folder / RESULTS / "logs").glob(f"{method}.*.log"))
        assert logs, method
        for log in logs:
            text = log.read_text(encoding="utf-8")
            assert "100 % done" in text, log
    (longest,) = (smoke.folder / RESULTS / "logs").glob(f"ais.0.{max(SETTINGS['sizes'])}.*.log")
    assert longest.read_text(encoding="utf-8").count("% done") > 3  # more than a last word


def test_nothing_partial_is_left(smoke):
    assert not list(smoke.folder.rglob("*.partial*"))
