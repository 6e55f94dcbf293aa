"""A population of draws, end to end: the tables are those of the library's statistics, draw 0 is
that of a study of one draw, and more draws compute the new ones only.
"""

import shutil

import numpy as np
import pandas as pd
import pytest
from studies import LEFT_OUT, Study, jobs

import latentdag
from latentdag.model.parameters import cell_probabilities, draw_study
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.population import population
from latentdag.study.many_draws.reliability import reliability, reliability_counts
from latentdag.study.many_draws.sizes_found import (
    cases_needed,
    comparisons,
    found_share,
    found_table,
)
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.schema import tables

pytestmark = pytest.mark.slow

METHODS = ["map", "vb", "ais", "reference"]
FAMILY, PRIOR = latentdag.Family((2, 2), (2, 3, 2)), latentdag.Prior(0.7, 1.6)
SETTINGS = {"population": True, "methods": METHODS, "true_structure": "uniform", "draws": 3}
TABLES_OVER_DRAWS = (
    *("population", "found", "found_share", "comparisons", "reliability", "cases_needed"),
    "calibration",
)
# only draw 0 has the study's true structure
DESIGN = "draw,true_structure\n0,1-12-2\n1,1-1-1\n4,uniform\n"


@pytest.fixture(scope="module")
def uniform(tmp_path_factory) -> Study:
    """Three draws with true structures of their own."""
    study = Study(tmp_path_factory.mktemp("uniform"))
    study.run(**SETTINGS)
    return study


@pytest.fixture(scope="module")
def designed(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("designed"))
    (study.folder / "mine.csv").write_text(DESIGN, encoding="utf-8")
    changes = {"design": "mine.csv", "draws": None, "methods": ["map"]}
    study.run("results/scores.parquet", **SETTINGS | changes)
    return study


def read(study: Study, name: str, kind: str = "csv") -> pd.DataFrame:
    return tables.read(study.folder / f"results/{name}.{kind}", name)


def test_the_design_is_a_table(uniform, designed):
    drawn = read(uniform, "design")
    assert drawn["draw"].tolist() == [0, 1, 2]
    assert drawn["true_structure"].nunique() > 1
    assert set(drawn["alpha"]) == {0.7} and set(drawn["alpha_hidden"]) == {1.6}
    assert not read(uniform, "structures")["is_true"].any()
    assert sorted(read(designed, "scores", "parquet")["draw"].unique()) == [0, 1, 4]


def test_draw_0_is_that_of_the_study(finished, designed):
    """To the digits of its table, from the same streams."""
    own = read(designed, "scores", "parquet")
    own = own[own["draw"] == 0]
    tables.write(designed.folder / "own.csv", "scores", own)
    known = finished.first_draw(["results/scores.csv"])["results/scores.csv"]
    known = [line for line in known if line.split(",")[3] in {*own["method"], "method"}]
    assert (designed.folder / "own.csv").read_text(encoding="utf-8").splitlines() == known
    assert not {*own["method"]} & {*LEFT_OUT}


def test_statistics_are_those_of_the_library(uniform, tmp_path):
    """Of one draw at a time, with its own true structure and its cases' probability."""
    scores, structures = read(uniform, "scores", "parquet"), read(uniform, "structures")
    assert len(scores.groupby(["draw", "n"])) == 6
    own, counts = [], []
    for draw in read(uniform, "design").itertuples():
        true = latentdag.Structure.from_label(draw.true_structure, FAMILY)
        simulated = draw_study(true, PRIOR, 40, 7, draw.draw)
        cells = cell_probabilities(true, simulated.parameters)
        log_p = np.log(cells[tuple(simulated.cases.T)]).cumsum()
        truth = pd.DataFrame({"n": [10, 40], "log_likelihood": [log_p[9], log_p[39]]}).round(6)
        here = scores[scores["draw"] == draw.draw].reset_index(drop=True)
        own.append(verdicts(here, structures, true.label, truth, 7))
        counts.append(reliability_counts(here, structures, true.label))
    own = pd.concat(own, ignore_index=True)
    stacked = read(uniform, "verdicts", "parquet")
    pd.testing.assert_frame_equal(stacked, own, check_dtype=False, check_categorical=False)
    sizes = found_table(own)
    expected = {
        "population": population(own),
        "found": sizes,
        "found_share": found_share(sizes, own["n"].unique()),
        "comparisons": comparisons(sizes),
        "cases_needed": cases_needed(sizes),
        "calibration": calibration(own),
        "reliability": reliability(pd.concat(counts)),
    }
    for name, rows in expected.items():
        tables.write(tmp_path / f"{name}.csv", name, rows)
        written = (uniform.folder / f"results/{name}.csv").read_text(encoding="utf-8")
        assert (tmp_path / f"{name}.csv").read_text(encoding="utf-8") == written, name


def test_parts_are_pooled_to_the_same_tables(uniform, tmp_path):
    """Draws 0 and 2 as a part, and draw 1 computed beside them: every table is that of one run."""
    study = Study(tmp_path / "study")
    part = study.folder / "part"
    part.mkdir()
    for name in ("design.csv", "verdicts.parquet", "reliability_counts.parquet"):
        rows = read(uniform, *name.split("."))
        tables.write(part / name, name.partition(".")[0], rows[rows["draw"] != 1])
    shutil.copy(uniform.folder / "results/provenance.json", part)
    for name, draws in (("own", "1\n"), ("others", "0\n2\n")):
        (study.folder / f"{name}.csv").write_text(f"draw\n{draws}", encoding="utf-8")
    here = {"results": "here", "figures": "here/figures", "design": "own.csv"}
    pooled = SETTINGS | {"draws": None, "parts": ["part"]} | here
    names = ("design", *TABLES_OVER_DRAWS)
    study.run(*(f"here/{name}.csv" for name in names), **pooled)
    for name in names:
        whole = (uniform.folder / f"results/{name}.csv").read_bytes()
        assert (study.folder / f"here/{name}.csv").read_bytes() == whole, name
    # a draw twice, another prior, a folder of something else: before any work
    refused = {
        "parts: draw 0 of part is also in the draws": {"design": "others.csv"},
        "parts: part has alpha 0.7, here it is 2.0": {"alpha": 2.0},
        "parts: figures has no design.csv": {"parts": ["figures"]},
        "parts: only a population has parts": {"population": False, "true_structure": "1-12-2"},
    }
    for line, change in refused.items():
        assert line in study.run("--dry-run", status=1, **pooled | change)
    fewer = jobs(study.run("--dry-run", **pooled | {"methods": ["map", "reference"]}))
    assert "verdicts_of_draw" in fewer and not set(fewer) & {"ais", "vb"}


def test_more_draws_compute_the_new_ones(uniform):
    todo = jobs(uniform.run("--dry-run", **SETTINGS | {"draws": 5}))
    assert {todo[name] for name in ("draw", *METHODS, "verdicts_of_draw")} == {2}
    assert "structures" not in todo


def test_what_all_draws_say_is_told_and_drawn(uniform):
    text = (uniform.folder / "results/summary.md").read_text(encoding="utf-8")
    assert text.startswith("# ") and "3 draws" in text
    over_draws = ("found", "rank_over_draws", "error_over_draws", "reliability", "accuracy")
    for figure in ("cases_needed", *over_draws):
        png = (uniform.folder / f"figures/{figure}.png").read_bytes()
        assert png.startswith(b"\x89PNG") and len(png) > 5000, figure


def test_the_report_has_what_is_not_large(uniform):
    said = uniform.run("--dry-run", "report_pages", **SETTINGS)
    pages = {line.split("table ")[1] for line in said.splitlines() if "report: table " in line}
    assert {"population", "found_share", "calibration", "design"} <= pages
    assert not {"scores", "verdicts"} & pages
