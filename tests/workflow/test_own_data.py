"""A study of the shipped table, and of tables that a user might bring."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from math import log

import pandas as pd
import pytest
from fingerprints import of_study
from studies import ROOT, Study, tool

import latentdag
from latentdag.scores import SPECS

pytestmark = pytest.mark.slow

# the order of one column's values is given, and is not the sorted one
LEVELS = {"drama_critic": ["universalistic", "particularistic"]}
PUBLISHED = {
    "source": "Goodman (1974)",
    "classes": 2,
    "cases": 216,
    "likelihood_ratio": 2.72,
    "class_sizes": [0.279, 0.721],
}
SETTINGS = {
    "data": {"file": "mine.csv", "count": "count", "levels": LEVELS, "published": PUBLISHED},
    "family__hidden": [2],
    "family__observed": None,
    "true_structure": None,
    "sizes": None,
    "methods": ["map", "ml", "vb", "ais"],
    "restarts": {"ml": {"at_most": 8, "hits": 8}},
    "fit": {"replicates": 9, "draws": 200},
    "alpha": [1, 2.0],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("own"))
    shutil.copy(ROOT / "workflow/data/stouffer_toby_1951.csv", study.folder / "mine.csv")
    study.run(**SETTINGS)
    return study


def test_it_is_as_it_was(own, golden):
    golden("own-data.csv", of_study(own.folder))


@pytest.fixture(scope="module")
def answers(own) -> Counter:
    """How many respondents gave each combination of answers, read by hand."""
    found = Counter()
    with (own.folder / "mine.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            number = int(row.pop("count"))
            found[tuple(row.values())] += number
    assert found.total() == 216
    return found


def names(own) -> list[str]:
    header = (own.folder / "mine.csv").read_text(encoding="utf-8").splitlines()[0]
    return [name for name in header.split(",") if name != "count"]


def test_cases_are_the_answers(own, answers):
    value = {
        (row["variable"], row["code"]): row["value"]
        for row in own.table("results/mine/variables.csv")
    }
    cases = own.table("results/mine/draws/0/n216/cases.csv")
    found = {
        tuple(value[str(j), case[f"y{j}"]] for j in (1, 2, 3, 4)): int(case["count"])
        for case in cases
    }
    assert found == answers


def test_parameters_reproduce_the_answers(own, answers):
    """At the maximum likelihood of a latent class model the shares of the values are the data's; at
    the MAP estimate nearly so. Hidden states are numbered by falling probability.
    """
    rows = own.table("results/mine/parameters.csv")
    # cs_lr is the most trusted of the scores that the study has
    posterior = [r for r in own.table("results/mine/posterior.csv") if r["method"] == "cs_lr"]
    best = max(posterior, key=lambda r: float(r["probability"]))["structure"]
    structures = {kind: {r["structure"] for r in rows if r["estimate"] == kind} for kind in KINDS}
    assert structures == {"map": {best}, "ml": {"1-1-1-1 (2)"}}
    for kind, tolerance in KINDS.items():
        p = {
            (r["variable"], r["given"], r["value"]): float(r["probability"])
            for r in rows
            if r["estimate"] == kind
        }
        states = [p["s1", "", state] for state in ("1", "2")]
        assert states[0] > states[1]
        assert sum(states) == pytest.approx(1, abs=1e-5)
        for j, name in enumerate(names(own)):
            for value in {answer[j] for answer in answers}:
                share = sum(n for answer, n in answers.items() if answer[j] == value) / 216
                if (name, "", value) in p:
                    found = p[name, "", value]
                else:
                    found = sum(
                        weight * p[name, f"s1 = {k}", value]
                        for k, weight in enumerate(states, start=1)
                    )
                assert found == pytest.approx(share, abs=tolerance), (kind, name, value)
    classes = [p["s1", "", state] for state in ("2", "1")]
    assert classes == pytest.approx(PUBLISHED["class_sizes"], abs=1e-3)


KINDS = {"map": 0.03, "ml": 1e-4}


def test_how_well_the_best_structures_fit(own, answers):
    """The latent class model of Goodman has a G2 of 2.720 with 6 degrees of freedom; of independent
    answers it is a sum over the cells.
    """
    rows = {r["structure"]: r for r in own.table("results/mine/fit.csv")}
    best_by = {m: s for s, r in rows.items() for m in r["best_by"].split()}
    scores = [r for r in own.table("results/mine/scores.csv") if r["score"]]
    judged = {r["method"] for r in scores if SPECS[r["method"]].judged}
    for method in judged:
        by_score = {r["structure"]: float(r["score"]) for r in scores if r["method"] == method}
        assert by_score[best_by[method]] == max(by_score.values())
    latent = rows["1-1-1-1"]
    assert float(latent["G2"]) == pytest.approx(2.720, abs=5e-4)
    assert (latent["degrees_of_freedom"], latent["dimension"]) == ("6", "9")
    saturated = sum(n * log(n / 216) for n in answers.values())
    assert float(latent["log_likelihood"]) == pytest.approx(saturated - 2.720 / 2, abs=5e-4)
    for row in rows.values():
        deviance, d = -2 * float(row["log_likelihood"]), int(row["dimension"])
        assert float(row["AIC"]) == pytest.approx(deviance + 2 * d, abs=1e-4)
        assert float(row["BIC"]) == pytest.approx(deviance + d * log(216), abs=1e-4)
        # of ten tables, its own counted in, some have as large a G2
        p = float(row["p_value"])
        assert 10 * p == pytest.approx(round(10 * p)) and p > 0
        assert float(row["p_error"]) == pytest.approx((p * (1 - p) / 9) ** 0.5, abs=1e-4)
    residuals = own.table("results/mine/residuals.csv")
    assert Counter(r["structure"] for r in residuals) == dict.fromkeys(rows, 6)
    assert all(float(r["residual"]) < 1.5 for r in residuals if r["structure"] == "1-1-1-1")


def test_estimator_command_and_workflow_have_the_same_numbers(own):
    frame = pd.read_csv(own.folder / "mine.csv")
    counts = frame.pop("count")
    settings = json.loads((own.folder / "results/mine/provenance.json").read_text())["config"]
    keywords = {"alpha": 1.0, "alpha_hidden": settings["alpha_hidden"], "seed": settings["seed"]}
    model = latentdag.LatentCauses(hidden=2, method="laplace", levels=LEVELS, draws=0, **keywords)
    found = model.fit(frame, sample_weight=counts).structures_.set_index("structure")
    of_workflow = {
        r["structure"]: float(r["probability"])
        for r in own.table("results/mine/posterior.csv")
        if r["method"] == "laplace"
    }
    assert found["probability"].to_dict() == pytest.approx(of_workflow, abs=1e-5)
    command = ["-m", "latentdag.command", "rank", "mine.csv", "--count", "count", "--hidden"]
    command += ["2", "--method", "laplace", "--top", "0", "--format", "json"]
    command += ["--levels", "drama_critic=" + ",".join(LEVELS["drama_critic"])]
    for name, value in keywords.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run(
        [sys.executable, *command], cwd=own.folder, env=environment, capture_output=True, text=True
    )
    of_command = {r["structure"]: r for r in json.loads(run.stdout)}
    for label, row in found.iterrows():
        assert of_command[label]["score"] == pytest.approx(row["score"], abs=1e-9)
        assert of_command[label]["probability"] == pytest.approx(row["probability"], abs=1e-9)


def test_a_changed_table_reruns_everything_that_reads_it(own):
    def moved(text):  # one case, so that their number stays
        return text.replace(",42\n", ",41\n").replace(",23\n", ",24\n")

    with own.edited("mine.csv", moved):
        pending = own.pending(**SETTINGS)
    assert {"read_data", "map", "vb", "ais", "ml", "scores", "summary", "plot_best"} <= set(pending)


def test_what_needs_a_true_structure_says_so(own, rules):
    printed = own.run("plot_tightness", status=1, **SETTINGS)
    assert "own data have no true structure for plot_tightness" in printed
    assert len(printed.splitlines()) < 10
    assert "Traceback" not in printed
    text = (ROOT / "workflow/rules/own_data.smk").read_text(encoding="utf-8")
    listed = text.partition("WITHOUT_TRUTH = {")[2].partition("}")[0]
    only = rules["study"].keys() - rules["own-data"].keys()
    assert set(re.findall(r'"(\w+)"', listed)) == only


MODULE = """
configfile: "mine.yaml"

rule mine:
    input:
        "results/mine/scores.csv"

module latentdag:
    snakefile: {snakefile!r}
    config: config

use rule * from latentdag as study_*
"""


def test_a_workflow_of_ones_own_has_it_as_a_module_or_runs_it_from_elsewhere(tmp_path):
    """The same table to the byte, in the folder of whoever runs it; and then nothing is left to do.

    Settings that are left out come with the workflow. What is done unasked is one's own rule.
    """
    study = Study(tmp_path / "the project")
    folder = study.folder
    snakefile = folder / "Snakefile"
    tables = {}
    for name in ("module", "elsewhere"):
        study.folder = tmp_path / name
        study.folder.mkdir()
        (study.folder / "mine.csv").write_text("a,b\n0,0\n1,1\n0,1\n0,0\n1,1\n", encoding="utf-8")
        settings = {"data": {"file": "mine.csv"}, "methods": ["map"], "family": {"hidden": [2]}}
        (study.folder / "mine.yaml").write_text(json.dumps(settings), encoding="utf-8")
        command = [tool("snakemake"), "--cores", "1"]
        if name == "module":
            text = MODULE.format(snakefile=str(snakefile))
            (study.folder / "Snakefile").write_text(text, encoding="utf-8")
        else:
            command += ["results/mine/scores.csv"]
            command += ["--snakefile", str(snakefile), "--configfile", "mine.yaml"]
        study.call(command)
        tables[name] = (study.folder / "results/mine/scores.csv").read_bytes()
        assert not (study.folder / "results/mine/summary.md").exists()
        assert "Nothing to be done" in study.call([*command, "--dry-run"]).stdout
    assert len(tables["module"].splitlines()) > 4
    assert tables["module"] == tables["elsewhere"]
    assert not (folder / "results").exists()
