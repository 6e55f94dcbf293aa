"""The study of truths outside the family, from settings to page."""

import pytest
import yaml
from fingerprints import of_study
from studies import ROOT, lines, tool, written

from latentdag.report import markdown
from latentdag.study.many_draws import outside as statistics
from latentdag.study.schema import tables
from lib.files import write_text


@pytest.mark.slow
def test_it_runs_whole(study, golden):
    """Its rows are in the order of the settings, and its statistics are those of its picks."""
    small = {"draws": 1, "sizes": [20, 40], "methods": ["bic", "reference"], "replicates": 3}
    write_text(study.folder / "small.yaml", yaml.safe_dump(small))
    rules = ROOT / "workflow/rules/outside.smk"
    asked = ["--configfile", "small.yaml", "--directory", ".", "--cores", "2"]
    study.call([tool("snakemake"), "--snakefile", str(rules), *asked])
    results = study.folder / "results/outside"
    picks = tables.read(results / "outside_picks.csv", "outside_picks")
    truths = ("two causes", "three causes", "a direct link")
    assert [tuple(row) for row in picks[["truth", "draw", "n", "method"]].to_numpy()] == [
        (truth, 0, n, m) for truth in truths for n in (20, 40) for m in small["methods"]
    ]
    # three simulated tables and the cases' own
    assert set(picks["p_value"].dropna()) <= {0.25, 0.5, 0.75, 1.0}
    assert lines(results / "outside.csv") == written(
        study.folder, "outside", statistics.outside(picks)
    )
    golden("outside.csv", of_study(study.folder))
    assert (study.folder / "figures/outside/outside.pdf").exists()


def test_the_committed_table_and_page_are_those_of_the_committed_picks(committed, tmp_path):
    picks = tables.read(committed / "outside/outside_picks.csv", "outside_picks")
    settings = ROOT / "workflow/config/outside/outside.yaml"
    config = yaml.safe_load(settings.read_text(encoding="utf-8"))
    assert picks.groupby("truth", sort=False)["draw"].nunique().to_dict() == dict.fromkeys(
        config["truths"], config["draws"]
    )
    table = statistics.outside(picks)
    assert lines(committed / "outside/outside.csv") == written(tmp_path, "outside", table)
    page = markdown.written("outside.md.j2", statistics, config=config, table=table)
    assert page == (committed / "outside/summary.md").read_text(encoding="utf-8")
