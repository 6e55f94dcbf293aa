"""The generated parts of the pages are current, and say what the code and the tables declare."""

from functools import partial
from inspect import signature

import pytest
import yaml
from studies import ROOT, resolved

import latentdag
from latentdag.report.findings import write_findings
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from latentdag.study.schema import tables
from lib import parts
from lib.docs import (
    GENERATORS,
    MARKER,
    PAGES,
    farthest_that_matters,
    reference_markdown,
    renewed,
)
from lib.findings import paths_of, read_runs

TWO = """before
<!-- generated: one -->
old
<!-- end -->
between
<!-- generated: two -->
<!-- end -->
after
"""


def test_parts_are_renewed_and_the_rest_stays():
    new = renewed(TWO, {"one": lambda: "| 1 |\n| 2 |\n", "two": lambda: "second"})
    assert new == TWO.replace("old", "| 1 |\n| 2 |").replace(
        "two -->\n<!-- end", "two -->\nsecond\n<!-- end"
    )
    assert renewed(new, {"one": lambda: "| 1 |\n| 2 |", "two": lambda: "second"}) == new
    assert renewed("no part", {}) == "no part"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- generated: three -->\n<!-- end -->\n", "no generator of that name"),
        ("<!-- generated: one -->\nold\n", "has no end"),
        ("text\n<!-- end -->\n", "does not belong there"),
        ("<!-- generated: one -->\n<!-- generated: one -->\n<!-- end -->\n", "not nested"),
    ],
)
def test_wrong_markers(text, message):
    with pytest.raises(ValueError, match=message):
        renewed(text, {"one": lambda: "1"})


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


def test_every_generated_part_has_one_place():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    places = [marker["name"] for marker in MARKER.finditer(pages) if marker["name"]]
    assert sorted(places) == sorted(GENERATORS)


def test_the_reference_has_all_public_names():
    names = [line.removeprefix("::: latentdag.") for line in reference_markdown().split("\n\n")]
    assert set(names) == set(latentdag.__all__) - {"__version__"} and names == sorted(names)


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


def test_the_committed_parts_can_be_pooled_with_the_other_draws(committed):
    """And with no draw twice."""
    folders = sorted((committed / "draws-of-the-paper/parts").iterdir())
    draws = {draw for f in folders for draw in tables.read(f / "design.csv", "design")["draw"]}
    own = yaml.safe_load((ROOT / "workflow/config/draws.yaml").read_text(encoding="utf-8"))
    config = resolved(own, {"parts": [str(folder) for folder in folders]})
    others = set(range(config["draws"])) - draws
    assert list(parts.problems(config, others)) == []
    (twice,) = parts.problems(config, others | {max(draws)})
    assert f"draw {max(draws)} of" in twice
