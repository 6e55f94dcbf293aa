"""A population of draws, end to end: parts are pooled, and more draws compute the new ones only."""

import json
import re
import shutil

import pandas as pd
import pytest
from fingerprints import of_study
from oracles import log_evidence_without_parents
from studies import ROOT, Study, jobs, small, tool

import latentdag
from latentdag.report.population_summary import write_population_summary
from latentdag.study.design.files import read_json
from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.paper.beal_ghahramani import rank_claims
from latentdag.study.paper.runs import (
    EQUAL_COST,
    EVERY,
    FINE_GRID,
    MANY_CHAINS,
    MORE_TRUTHS,
    OTHER_PRIORS,
    PAPERS,
    VARIATIONS,
)
from latentdag.study.schema import tables
from latentdag.study.schema.comparison import Verdict, compare
from latentdag.study.schema.evidence import evidence, join_evidence
from latentdag.study.settings.problems import problems
from lib import record

pytestmark = pytest.mark.slow

# the study's true structure and prior; one that is drawn, and another prior
DESIGN = {"0": "1-12-2,", "4": ",0.5"}
SETTINGS = {
    "population": True,
    "methods": ["map", "vb", "tempered_smc", "reference"],
    # of a part of the structures tempered SMC knows the evidence better
    "tempered_smc": {"particles": 16, "runs": 8},
    "reference__runs": 8,
    "reach": {"nats": 4.0, "target": 0.05, "most_cases": 20},
    "true_structure": "uniform",
    "draws": None,
    "design": "mine.csv",
}
KEPT = ("verdicts", "reliability_counts", "worths")  # of every draw
MORE_CLAIMS = (PAPERS, MANY_CHAINS, FINE_GRID, *VARIATIONS[1:], *OTHER_PRIORS)
TABLES_OVER_DRAWS = (
    *("population", "found", "found_share", "comparisons", "reliability", "cases_needed"),
    *("worth", "calibration"),
)


def write_design(study: Study, name: str, rows: dict[str, str]) -> None:
    lines = ["draw,true_structure,alpha", *(f"{draw},{row}" for draw, row in rows.items()), ""]
    (study.folder / name).write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def pooled(tmp_path_factory) -> Study:
    """Two draws, one of them with a true structure of its own: tables, summary, and a figure."""
    study = Study(tmp_path_factory.mktemp("population"))
    write_design(study, "mine.csv", DESIGN)
    names = ("summary.md", "scores.parquet", *(f"{name}.csv" for name in TABLES_OVER_DRAWS))
    study.run(*(f"results/{name}" for name in names), "figures/found.png", **SETTINGS)
    return study


def test_the_population_is_as_it_was(pooled, golden):
    golden("population.csv", of_study(pooled.folder))


def test_each_draw_has_its_prior(pooled):
    """Its parameters come from it, and scores assume it: the evidence of independent variables is a
    product of Dirichlet-multinomial probabilities, which VB's bound attains.
    """
    scores = read(pooled, "scores", "parquet")
    family = latentdag.Family((2, 2), (2, 3, 2))
    independent = scores[(scores["method"] == "vb") & (scores["structure"] == "0-0-0")]
    assert len(independent) == 4
    of_draw = read(pooled, "design").set_index("draw")
    for row in independent.itertuples():
        true, alpha = of_draw.loc[row.draw, "true_structure"], {0: 0.7, 4: 0.5}[row.draw]
        structure, prior = latentdag.Structure.from_label(true, family), latentdag.Prior(alpha, 1.6)
        cases = latentdag.draw_study(structure, prior, 40, seed=7, draw=row.draw).cases[: row.n]
        expected = log_evidence_without_parents(family, cases, alpha)
        assert row.score == pytest.approx(float(expected), abs=1e-6)


def test_probabilities_are_counted_by_the_evidence_that_is_better(pooled):
    structures, counts = read(pooled, "structures"), read(pooled, "reliability_counts", "parquet")
    for draw, truth in read(pooled, "design").set_index("draw")["true_structure"].items():
        scores = tables.read(pooled.folder / f"results/draws/{draw}/scores.parquet", "scores")
        judged = join_evidence(scores, evidence(scores))
        expected = reliability_counts(judged, structures, truth)
        found = counts[counts["draw"] == draw].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_the_page_of_a_population_is_that_of_its_tables(pooled, monkeypatch):
    monkeypatch.chdir(pooled.folder)
    config = small(**SETTINGS)
    names = {name: "csv" for name in ("design", "structures", *TABLES_OVER_DRAWS)}
    names["verdicts"] = "parquet"
    frames = {name: read(pooled, name, kind) for name, kind in names.items()}
    page = (pooled.folder / "results/summary.md").read_text(encoding="utf-8")
    assert page == write_population_summary(config | {"n": config["figure_n"]}, **frames)


def read(study: Study, name: str, kind: str = "csv") -> pd.DataFrame:
    return tables.read(study.folder / f"results/{name}.{kind}", name)


def test_parts_are_pooled_to_the_same_tables(pooled, tmp_path, monkeypatch):
    """Draw 0 as a part, and draw 4 computed beside it: tables are those of one run."""
    study = Study(tmp_path / "study", pooled.folder)  # draw 4's scores are there
    shutil.rmtree(study.folder / "results/draws/0")
    for path in study.folder.glob("results/*.*"):
        path.unlink()
    part = study.folder / "part"
    part.mkdir()
    for name in ("design.csv", *(f"{table}.parquet" for table in KEPT)):
        rows = read(pooled, *name.split("."))
        tables.write(part / name, name.partition(".")[0], rows[rows["draw"] == 0])
    shutil.copy(pooled.folder / "results/draws/0/claims.csv", part)
    record_of_part = json.dumps({"config": small(**SETTINGS)})
    (part / "provenance.json").write_text(record_of_part, encoding="utf-8")
    for draw in DESIGN:
        write_design(study, f"{draw}.csv", {draw: DESIGN[draw]})
    names = ("population", "reliability", "worth")  # of each of KEPT
    settings = SETTINGS | {"parts": ["part"], "design": "4.csv"}
    study.run(*(f"results/{name}.csv" for name in (*names, "claims")), **settings)
    assert set(read(study, "claims")["draw"]) == {0, 4}
    for name in names:
        whole = (pooled.folder / f"results/{name}.csv").read_bytes()
        assert (study.folder / f"results/{name}.csv").read_bytes() == whole, name
    # a draw twice, another prior, a folder of something else
    monkeypatch.chdir(study.folder)
    for change, line in (
        ({"design": "0.csv"}, "parts: draw 0 of part is also in the draws"),
        ({"alpha": 2.0}, "parts: part has alpha 0.7, here it is 2.0"),
        ({"restarts__map__hits": 1}, "parts: part has restarts.map.hits 2, here it is 1"),
        ({"parts": ["workflow"]}, "parts: workflow has no design.csv"),
        ({"population": False, "true_structure": "1-12-2"}, "parts: only a population has parts"),
        ({"one_chain": "part"}, "one_chain: part has no found.csv"),
        (
            {"one_chain": "part", "parts": [], "population": False, "true_structure": "1-12-2"},
            "one_chain: only a population has the figure found",
        ),
    ):
        assert line in problems(small(**settings | change))
    (remark,) = record.other_code(small(**settings))
    assert remark == "parts: part was computed by another version (commit None)"
    assert problems(small(**settings | {"methods": ["map", "reference"]})) == []
    # of jobs that one of the two does not run
    unread = {"ais__steps": 5, "ais_long_sizes": [], "exact_sizes": [], "restarts__ml__hits": 1}
    assert problems(small(**settings | unread)) == []


@pytest.mark.weekly
@pytest.mark.parametrize(
    "name", [PAPERS, EVERY, MORE_TRUTHS, *VARIATIONS, *OTHER_PRIORS, MANY_CHAINS, EQUAL_COST]
)
def test_a_published_population_is_redrawn_to_the_byte(committed, tmp_path, name):
    """As `make redraw` has it: a population without draws of its own pools the published ones."""
    study = Study(tmp_path / "study")
    (study.folder / "results").mkdir()
    shutil.copytree(committed, study.folder / "results/published")
    of = {
        PAPERS: ["draws"],
        EVERY: [EVERY],
        MORE_TRUTHS: [EVERY, "audit/calibration"],
    }.get(name, ["draws", f"variations/{name}"])
    settings = [f"workflow/config/{config}.yaml" for config in of]
    pool = ["draws=0", f"parts=[results/published/{name}]"]
    study.call([tool("snakemake"), "--cores", "2", "--configfile", *settings, "--config", *pool])
    redrawn = study.folder / "results" / name
    comparisons = compare(redrawn, committed / name)
    assert max(comparison.verdict for comparison in comparisons) is Verdict.SAME
    runs = read_json(redrawn / "provenance.json")["parts"].values()
    assert runs and all(
        run["config"].get("draws") != 0 for run in runs
    )  # those that computed draws
    for page in ("summary.md", "datapackage.json"):
        assert (redrawn / page).read_bytes() == (committed / name / page).read_bytes()
    drawn = ROOT / "figures/published" / name
    for path in drawn.iterdir() if drawn.exists() else ():
        assert (study.folder / "figures" / name / path.name).read_bytes() == path.read_bytes()


def test_the_data_package_has_the_tables_that_are_published(pooled):
    """Neither the scores of all draws nor what no run repeats."""
    pooled.run("results/datapackage.json", **SETTINGS)
    package = read_json(pooled.folder / "results/datapackage.json")
    listed = {resource["name"] for resource in package["resources"]}
    assert {"verdicts", "worths", *TABLES_OVER_DRAWS} < listed
    assert not {"scores", "seconds"} & listed


def test_the_true_structure_is_that_of_the_draws(tmp_path):
    """If all have the same, which the settings need not name."""
    study = Study(tmp_path / "study")
    write_design(study, "mine.csv", {"0": "1-1-2,", "1": "1-1-2,"})
    study.run("results/structures.csv", **SETTINGS)
    structures = read(study, "structures")
    assert structures.loc[structures["is_true"], "structure"].tolist() == ["1-1-2"]


def test_more_draws_compute_the_new_ones(pooled):
    """And the report has no pages of tables that are large. A dry run writes nothing but what is
    Snakemake's.
    """

    def files() -> dict:
        paths = [path for path in pooled.folder.glob("[!.]*/**/*") if path.suffix != ".pyc"]
        return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}

    write_design(pooled, "more.csv", DESIGN | {"2": ",", "7": ","})
    before = files()
    said = pooled.run("--dry-run", "all", "report_pages", **SETTINGS | {"design": "more.csv"})
    assert files() == before
    todo = jobs(said)
    assert {todo[name] for name in ("draw", *SETTINGS["methods"], "verdicts_of_draw")} == {2}
    assert "structures" not in todo
    pages = set(re.findall(r"results/report/(\w+)\.html", said))
    assert {"population", "found_share", "calibration", "design"} <= pages
    assert not {"scores", "verdicts"} & pages


@pytest.mark.parametrize(
    "run",
    [EQUAL_COST, VARIATIONS[0], *(pytest.param(r, marks=pytest.mark.weekly) for r in MORE_CLAIMS)],
)
def test_committed_claims_follow_from_committed_verdicts(committed, run):
    """Those about ranks, draw by draw and for each kind of AIS, by the rules of today."""
    verdicts = tables.read(committed / run / "verdicts.parquet", "verdicts")
    every = tables.read(committed / run / "claims.csv", "claims").set_index(["draw", "claim"])
    verdicts = verdicts[verdicts["by"] == "structure"]
    kinds = {"ais", "ais_long", "ais_rows"} & {*verdicts["method"]}
    for kind in kinds or {""}:
        of_kind = verdicts[~verdicts["method"].isin(kinds - {kind})].replace({kind: "ais"})
        claims, n_claims = every[every["ais"].fillna("").isin(["", kind])], 0
        for draw, rows in of_kind.groupby("draw"):
            for claim in rank_claims(rows):
                row, at = claims.loc[(draw, claim.claim)], (draw, kind, claim.claim)
                assert (row["verdict"], row["here"]) == (claim.verdict, claim.here), at
                n_claims += 1
        assert n_claims >= 5 * verdicts["draw"].nunique()


def test_the_two_published_grids_agree_at_the_sizes_of_both(committed):
    """So that one may stand for the other where two scores are compared at all sizes."""
    of = ["draw", "n", "by", "method"]
    papers, finer = (
        tables.read(committed / run / "verdicts.parquet", "verdicts") for run in (PAPERS, FINE_GRID)
    )
    both = papers.merge(finer, on=of, suffixes=("", "_finer"))
    assert set(both["n"]) == {320, 640, 1280, 2560, 5120, 10240} and set(both["draw"]) == {
        *range(100)
    }
    assert (both["rank"] == both["rank_finer"]).all()
    assert both["probability"].to_numpy() == pytest.approx(
        both["probability_finer"].to_numpy(), abs=1e-6, nan_ok=True
    )
