"""The README's picture of the rules is that of the workflow."""

import re
from xml.etree import ElementTree

from studies import ROOT, tool

SVG = "{http://www.w3.org/2000/svg}"


def links(names: dict[str, str], pairs: list[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(names[a], names[b]) for a, b in pairs}


def test_picture_shows_the_rules_and_their_links(study):
    graph = study.call([tool("snakemake"), "--rulegraph", "dot"]).stdout
    rules = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)"', graph, re.MULTILINE))
    assert len(rules) > 15
    needs = {
        link
        for link in links(rules, re.findall(r"^\s*(\d+) -> (\d+)", graph, re.MULTILINE))
        if "all" not in link
    }

    parts = ElementTree.parse(ROOT / "workflow/rulegraph.svg").iter(f"{SVG}g")
    drawn = {"node": {}, "edge": []}
    for part in parts:
        title = part.findtext(f"{SVG}title")
        if part.get("class") == "node":
            drawn["node"][title] = part.findtext(f"{SVG}text")
        elif part.get("class") == "edge":
            drawn["edge"].append(title.split("->"))
    again = "the rules have changed: make rulegraph"
    assert set(drawn["node"].values()) == set(rules.values()) - {"all"}, again
    assert links(drawn["node"], drawn["edge"]) == needs, again
