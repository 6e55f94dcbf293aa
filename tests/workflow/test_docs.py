"""The generated parts of the pages are current, and say what the code and the tables declare."""

import re
import shutil
from functools import partial
from inspect import signature

import pytest
import yaml
from studies import ROOT, changed, resolved

from latentdag.report.findings import write_findings
from latentdag.report.summary import write_summary
from latentdag.study.own_data.published import agrees
from latentdag.study.paper.runs import (
    EVERY,
    MANY_CHAINS,
    PAPERS,
    VARIATIONS,
    paths_of,
    read_runs,
)
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from latentdag.study.schema import tables
from lib import parts
from lib.docs import (
    GENERATORS,
    PAGES,
    PART,
    farthest_that_matters,
    renewed,
)
from lib.plan import plan_of


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page, committed):
    of_committed = {
        name: partial(write, committed)
        for name, write in GENERATORS.items()
        if "results" in signature(write).parameters
    }
    generators = GENERATORS | of_committed
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, generators) == text, "make docs"


def test_every_generated_part_has_one_place_and_an_end():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    parts = list(PART.finditer(pages))
    assert sorted(part["name"] for part in parts if part["name"]) == sorted(GENERATORS)
    markers = re.findall("^<!-- (?:generated|measured|end)", pages, re.MULTILINE)
    assert len(markers) == 2 * len(parts)


@pytest.mark.slow
def test_the_committed_summary_is_that_of_the_committed_tables(committed, monkeypatch):
    """Also of those over many draws, which it quotes."""
    monkeypatch.chdir(committed.parent)
    plan = plan_of(resolved())
    paths = {k: path for k, path in plan.summary_inputs().items() if k != "of_findings"}
    found = {name: tables.read(path, name) for name, path in paths.items()}
    text = (committed / "summary.md").read_text(encoding="utf-8")
    assert text == write_summary(plan.settings_told(), **found)


@pytest.mark.slow
def test_the_committed_findings_are_those_of_the_committed_tables(committed):
    runs = read_runs(paths_of(committed), committed)
    assert set(runs) == set(TABLES_OF_FINDINGS)
    text = (committed / "findings.md").read_text(encoding="utf-8")
    assert text == write_findings(runs)


def test_the_reach_of_the_populations_leaves_out_no_structure_that_matters(committed):
    for name in ("draws", "every-structure"):
        path = ROOT / f"workflow/config/{name}.yaml"
        reach = yaml.safe_load(path.read_text(encoding="utf-8"))["reach"]["nats"]
        assert reach > 1.4 * farthest_that_matters(committed)


@pytest.mark.parametrize("name", [PAPERS, EVERY, *VARIATIONS, MANY_CHAINS])
def test_the_committed_draws_can_be_pooled_with_others(committed, tmp_path, name):
    """Of the same settings, with no draw twice, and where all files are there."""
    paths = [ROOT / f"workflow/config/variations/{name}.yaml"] * (name not in (PAPERS, EVERY))
    paths.insert(0, ROOT / f"workflow/config/{name if name == EVERY else 'draws'}.yaml")
    given = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths]
    part = tmp_path / "part"
    part.symlink_to(committed / name)
    own = resolved(*given, {"parts": [str(part)]})
    assert list(parts.problems(own, range(1000, 2000))) == []
    (twice,) = parts.problems(own, range(2))
    assert twice == f"parts: draw 0 of {part} is also in the draws"
    for key, value in {"seed": 1, "alpha_hidden": 3.0, "reach.nats": 1, "ais.steps": 2}.items():
        (line,) = parts.problems(changed(own, {key: value}), ())
        assert line.startswith(f"parts: {part} has {key} ") and line.endswith(f"is {value}")
    needed = {*parts.FILES}
    needed |= {"worths.parquet"} if "reference" in own["methods"] else set()
    needed |= {"claims.csv"} if name != EVERY else set()
    for missing in needed:
        part.unlink()
        part.mkdir()
        for file in needed - {missing}:
            (part / file).symlink_to(committed / name / file)
        assert list(parts.problems(own, ())) == [f"parts: {part} has no {missing}"]
        shutil.rmtree(part)
        part.symlink_to(committed / name)


def test_published_numbers_that_differ_are_those_that_the_page_names(committed):
    found = set()
    for name in ("role-conflict", "carcinoma", "house-votes"):
        path = committed / f"examples/{name}/published.csv"
        for row in tables.read(path, "published").itertuples():
            if not agrees(row.published, row.found):
                found.add((name, row.quantity))
    assert found == {("carcinoma", "Pearson's statistic X2"), ("carcinoma", "degrees of freedom")}
