"""A study of the shipped table, and of tables that a user might bring."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from fingerprints import of_study
from studies import OWN, ROOT, Study, small, tool

import latentdag
from latentdag.analysis import fit_tables
from latentdag.report.data_summary import write_data_summary
from latentdag.study.schema import tables

pytestmark = pytest.mark.slow

# the order of one column's values is given, and is not the sorted one
LEVELS = {"drama_critic": ["universalistic", "particularistic"]}
STOUFFER = ROOT / "workflow/data/stouffer_toby_1951.csv"
DATA = {"file": "mine.csv", "count": "count"}
OF_ALL = OWN | {"data": DATA | {"levels": LEVELS}, "alpha": [1, 2.0]}
OF_ALL |= {"family__hidden": [2], "methods": ["map", "ml", "vb", "ais"]}
OF_ALL |= {"restarts": {"ml": {"at_most": 8, "hits": 8}}, "fit": {"replicates": 9, "draws": 200}}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Study:
    """A study of one family, with all its tables, figures and its page. A value of a line of count
    0 is no level, and is remarked.
    """
    study = Study(tmp_path_factory.mktemp("own"))
    line = "never,universalistic,universalistic,universalistic,0\n"
    (study.folder / "mine.csv").write_text(STOUFFER.read_text(encoding="utf-8") + line)
    said = study.run(**OF_ALL)
    remark = "mine.csv: column 'auto_passenger': 'never' occurs only in lines of count 0"
    assert said.count(remark) == 1
    return study


def test_own_data_are_as_they_were(whole, golden):
    golden("own-data.csv", of_study(whole.folder))


def test_another_alpha_leaves_the_prior_of_the_causes_as_it_is(whole):
    rows = tables.read(whole.folder / "results/draws/0/prior/2.0.csv", "prior")
    laplace = rows[rows["method"] == "laplace"].set_index("structure")["score"]
    table = latentdag.read_table(whole.folder / "mine.csv", count="count", levels=LEVELS)
    structures = latentdag.enumerate_structures(table.family((2,)))
    how = {"alpha": 2.0, "alpha_hidden": 1.6, "seed": 7, "restarts": 3, "hits": 2}
    scores = latentdag.score_structures(table, structures, "laplace", **how)
    expected = {s.structure.label: s.score for s in scores}
    assert laplace.to_dict() == pytest.approx(expected, abs=2e-6, nan_ok=True)


def test_parameters_memberships_and_fits_are_those_of_the_library(whole):
    """Of the most probable structure by the most trusted score, and of those that scores prefer."""
    names = ("posterior", "parameters", "membership", "fit")
    posterior, parameters, membership, fits = (
        tables.read(whole.folder / f"results/{name}.csv", name) for name in names
    )
    table = latentdag.read_table(whole.folder / "mine.csv", count="count", levels=LEVELS)
    trusted = posterior[posterior["method"] == "cs_lr"].set_index("structure")["probability"]

    def fitted(label: str, method: str, **how) -> latentdag.Fit:
        structure = latentdag.Structure.from_label(label, table.family((2,)))
        return latentdag.fit(table, structure, method, seed=7, **how)

    best = trusted.idxmax()
    of_best = fitted(best, "map", alpha=1.0, alpha_hidden=1.6, restarts=3)
    expected = pd.DataFrame(fit_tables.parameters(of_best, table)).assign(structure=best)
    # posterior draws are other ones after an estimate with other last digits
    columns = ["structure", "estimate", "variable", "given", "value", "probability"]
    pd.testing.assert_frame_equal(parameters[columns], expected[columns], atol=1e-6)
    by_pattern = membership.pivot(index="pattern", columns="states", values="probability")
    np.testing.assert_allclose(by_pattern, of_best.memberships, atol=1e-6)
    for row in fits.itertuples():
        of_row = fitted(row.structure, "ml", restarts=8, hits=8, replicates=9)
        numbers = (row.log_likelihood, row.G2, row.p_value, row.dimension)
        expected = (of_row.log_likelihood, of_row.g2, of_row.p_value, of_row.dimension)
        assert numbers == pytest.approx(expected, abs=1e-4)


def test_the_page_of_own_data_is_that_of_its_tables(whole, monkeypatch):
    monkeypatch.chdir(whole.folder)
    config = small(**OF_ALL)
    paths = (whole.folder / "results").glob("*.csv")  # more than it reads
    frames = {path.stem: tables.read(path, path.stem) for path in paths}
    frames |= {"main_alpha": 1.0, "requested": OF_ALL["methods"]}
    page = (whole.folder / "results/summary.md").read_text(encoding="utf-8")
    assert page == write_data_summary(config | {"n": 216}, (2, 2, 2, 2), **frames)


COLUMNS = ["auto_passenger", "drama_critic", "board_director"]
OF_THREE = OWN | {"data": DATA | {"columns": COLUMNS}, "methods": ["map", "vb", "ais"]}
SEVERAL = OF_THREE | {"family__hidden": [[3], [2], [3, 2]], "equally_probable": "classes"}
SEVERAL |= {"results": "several", "figures": "several/figures"}
SEARCH = OF_THREE | {"family__hidden": [[2, 2], [3]], "equally_probable": "families"}
SEARCH |= {"methods": ["map"], "search": {"method": "bic", "width": 1, "starts": 1, "keep": 4}}
SEARCH |= {"results": "searched", "figures": "searched/figures"}


@pytest.fixture(scope="module")
def families(tmp_path_factory) -> Study:
    """A study of several families, and one with a search."""
    study = Study(tmp_path_factory.mktemp("families"))
    shutil.copy(STOUFFER, study.folder / "mine.csv")
    study.run(*(f"several/{name}.csv" for name in ("ais_chains", "causes")), spread=2, **SEVERAL)
    study.run("searched/summary.md", **SEARCH)
    return study


def test_several_families_are_as_they_were(families, golden):
    golden("families.csv", of_study(families.folder))


@pytest.mark.parametrize("settings", [SEVERAL, SEARCH], ids=lambda settings: settings["results"])
def test_probabilities_are_those_of_the_library(families, settings):
    """Of structures, of which a search keeps the best, of causes, and of pairs of variables, which
    stand in the order of the columns.
    """
    rows = {
        name: tables.read(families.folder / settings["results"] / f"{name}.csv", name)
        for name in ("posterior", "causes", "links")
    }
    posterior, causes, links = (table[table["method"] == "bic"] for table in rows.values())
    table = latentdag.read_table(families.folder / "mine.csv", "count", columns=COLUMNS)
    every = [table.family(hidden) for hidden in settings["family__hidden"]]
    how = {"alpha": 0.7, "alpha_hidden": 1.6, "seed": 7, "restarts": 3, "hits": 2}
    how |= {"search": 1, "starts": 1} if "search" in settings else {}
    ranking = latentdag.rank_structures(
        table, every, "bic", prior=settings["equally_probable"], **how
    )
    of_structures = ranking.to_frame().set_index("structure")["probability"]
    probabilities = posterior.set_index("structure")["probability"]
    kept = of_structures[probabilities.index]
    assert probabilities.to_dict() == pytest.approx((kept / kept.sum()).to_dict(), abs=2e-6)
    if "search" in settings:
        assert set(kept.index) == set(of_structures.index[: len(kept)])
        assert 1 < len(kept) <= 4 and kept.sum() > 0.999
        return
    assert len(kept) == len(of_structures)
    of_causes = ranking.causes().set_index("states")["probability"].to_dict()
    assert causes.set_index("causes")["of_classes"].to_dict() == pytest.approx(of_causes, abs=1e-5)
    of_pairs = ranking.pairs().set_index(["first", "second"])["probability"].to_dict()
    of_links = links.set_index(["first_name", "second_name"])["probability"].to_dict()
    assert of_links == pytest.approx(of_pairs, abs=1e-5)


def test_what_runs_again(families):
    """Another prior scores nothing; other data search again, where structures are searched for."""
    pending = families.pending(spread=2, **SEVERAL | {"equally_probable": "families"})
    assert {"errors", "marginals", "summary"} <= set(pending)
    assert {"structures", "map", "vb", "ais", "scores"}.isdisjoint(pending)
    with families.edited("mine.csv", lambda text: text.replace(",42\n", ",43\n")):
        pending = families.pending(**SEARCH)
    assert {"read_data", "structures", "map", "scores", "fit", "summary"} <= set(pending)


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
PREFIXED = 'config: config\n    prefix: "sub"'


@pytest.mark.weekly
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
    text = MODULE.format(snakefile=str(snakefile)).replace("config: config", PREFIXED)
    text = text.replace('"results/mine/', '"sub/results/mine/')
    settings["data"]["file"] = str(study.folder / "mine.csv")  # another path would get the prefix
    (study.folder / "mine.yaml").write_text(json.dumps(settings), encoding="utf-8")
    (study.folder / "Snakefile").write_text(text, encoding="utf-8")
    study.call([tool("snakemake"), "--cores", "1"])
    assert (study.folder / "sub/results/mine/scores.csv").read_bytes() == tables["module"]
