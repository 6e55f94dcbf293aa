"""The picture of the rules is that of the workflow."""

from xml.etree import ElementTree

import pytest
from studies import ROOT, links

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
def test_picture_shows_the_rules_and_their_links(unrun):
    pairs = links(unrun)
    needs = {pair for pair in pairs if "all" not in pair}
    rules = {rule for pair in pairs for rule in pair} - {"all"}
    assert len(rules) > 15

    parts = ElementTree.parse(ROOT / "workflow/rulegraph.svg").iter(f"{SVG}g")
    drawn = {"node": {}, "edge": []}
    for part in parts:
        title = part.findtext(f"{SVG}title")
        if part.get("class") == "node":
            drawn["node"][title] = part.findtext(f"{SVG}text")
        elif part.get("class") == "edge":
            drawn["edge"].append(title.split("->"))
    again = "the rules have changed: make rulegraph"
    assert set(drawn["node"].values()) == rules, again
    assert {(drawn["node"][a], drawn["node"][b]) for a, b in drawn["edge"]} == needs, again
