"""The generated parts of the READMEs are current, and say what the code declares."""

from dataclasses import replace

import pytest
from studies import ROOT

from latentdag.scores import SPECS
from lib.docs import GENERATORS, MARKER, PAGES, renewed, scores_markdown

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


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, GENERATORS) == text, "make docs"


def test_every_generated_part_has_one_place():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    places = [marker["name"] for marker in MARKER.finditer(pages) if marker["name"]]
    assert sorted(places) == sorted(GENERATORS)


def test_table_of_scores():
    """One line per score, in the registry's order; what is in a cell does not end it."""
    odd = replace(SPECS["ais"], name="odd", definition="p(y|m)")
    header, _, *lines = scores_markdown({**SPECS, "odd": odd}).splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [row[0] for row in rows] == [f"`{name}`" for name in (*SPECS, "odd")]
    assert {len(row) for row in rows} == {header.count("|") - 1}
    by_name = {row[0].strip("`"): row[1:] for row in rows}
    assert by_name["odd"][1] == r"p(y\|m)"
    for name, spec in SPECS.items():
        assert by_name[name][:3] == [spec.title, spec.definition, spec.source]
    assert by_name["vb"][3:] == ["lower bound", "no"]
    assert by_name["ais"][3:] == ["estimate", "yes"]
    assert by_name["bic"][3:] == ["criterion", "no"]
