"""The numbers of the article, from made-up tables in no order."""

import json

from made_up_article import RECORD, populations, records, study

from latentdag.report.article import numbers


def test_all_is_ready_for_json():
    """No nan, no infinite number, no number of NumPy. The text of the article holds the numbers."""
    found = numbers(RECORD, study(), populations(), records(populations()))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_evidence_is_that_of_its_table():
    """Also where it is not the reference's."""
    table = study()["evidence"].copy()
    own = (table["draw"] == 0) & (table["n"] == 480) & (table["structure"] == "1-1-0")
    table.loc[own, ["log_evidence", "method"]] = (-3.0, "bridge")
    best = numbers(RECORD, study() | {"evidence": table}, {}, {})["study"]["best"]["reference"]
    assert (best["best"], best["score"]) == ("1-1-0", -3.0)
