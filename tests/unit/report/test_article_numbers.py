"""The numbers of the article, against plain loops over made-up tables in no order."""

import json
from itertools import chain

import made_up
import numpy as np
import pandas as pd
import pytest
from fingerprints import gather
from made_up import TRUE, rows
from made_up_article import RECORD, population, records, study

from latentdag.report.article import numbers, of_study


@pytest.fixture(scope="module")
def found_of_draw():
    return numbers(RECORD, study(), {}, {})


def test_of_the_first_draw(found_of_draw):
    """Errors and ranks are those of draw 0 at each size, with sizes as strings."""
    found, scores = found_of_draw["study"], study()["scores"]
    assert found["draw"] == 0 and found["sizes"] == made_up.sizes_of(scores)
    for n in made_up.sizes_of(scores):
        gaps = [r["error_nats"] for r in rows(study()["errors"], draw=0, n=n, method="vb")]
        assert found["error"]["vb"][str(n)] == pytest.approx(np.mean(np.abs(gaps)))
        for m in ("vb", "bic"):
            rank = made_up.plain_rank(scores, 0, n, m)
            # none where the true structure has no score
            assert found["rank"][m][str(n)] == (None if rank == np.inf else rank)
    ais, vb = (
        {r["structure"]: r["score"] for r in rows(scores, draw=0, n=480, method=m)}
        for m in ("ais", "vb")
    )
    gaps, told = [ais[s] - vb[s] for s in ais], found["ais_minus_vb"]  # at the figures' size
    assert [told[k] for k in ("number", "lowest", "highest")] == [len(gaps), min(gaps), max(gaps)]
    one = scores[scores["draw"] == 0].set_index(["n", "structure", "method"])["score"].unstack()
    gaps = (one["vb"] - one["cs"]).dropna()  # at all sizes
    told = found["vb_minus_cs"]
    assert [told["number"], told["below"]] == [len(gaps), sum(gaps < 0)] and told["below"]
    assert found["true"]["structure"] == TRUE and found["structures"] == len(made_up.STRUCTURES)


def test_of_the_checks_of_the_evidence(found_of_draw):
    found = found_of_draw["study"]["evidence"]
    references = rows(study()["scores"], method="reference")
    assert found["pairs"] == len(references)
    assert found["sandwich"]["pairs"] == len(study()["sandwich"])
    largest = max(study()["sandwich"]["gap"], key=abs)
    assert found["sandwich"]["largest"]["gap"] == pytest.approx(largest)
    exact = rows(study()["scores"], method="exact")
    assert found["exact"]["gap"]["structures"] == len(exact)


def test_the_evidence_is_that_of_its_table():
    """Also where it is not the reference's."""
    table = study()["evidence"].copy()
    own = (table["draw"] == 0) & (table["n"] == 480) & (table["structure"] == "1-1-0")
    table.loc[own, ["log_evidence", "method"]] = (-3.0, "bridge")
    best = numbers(RECORD, study() | {"evidence": table}, {}, {})["study"]["best"]["reference"]
    assert (best["best"], best["score"]) == ("1-1-0", -3.0)


def test_of_the_record(found_of_draw):
    assert found_of_draw["record"]["processor_minutes"] == pytest.approx(1234 / 60)
    assert found_of_draw["record"]["config"]["ais"] == RECORD["config"]["ais"]


def test_of_a_population():
    tables = population("1-12-2", 21, 0.5)
    found = numbers(RECORD, study(), {"alpha-0.5": tables}, records(["alpha-0.5"]))
    found = found["populations"]["alpha-0.5"]
    assert (found["draws"], found["truth"], found["alpha"]) == (21, "1-12-2", 0.5)
    for r in rows(tables["found_share"], by="structure"):
        known = found["share"][r["method"]][str(r["n"])]
        sizes = rows(tables["found"], by="structure", method=r["method"])
        count = sum(1 for s in sizes if s["n_found"] is not None and s["n_found"] <= r["n"])
        assert known["number"] == count and known["share"] == r["share"]
    (pair,) = rows(tables["comparisons"], by="structure", method="vb", other="bic")
    assert found["pairs"]["vb"]["bic"]["later"] == pair["later"]
    assert len(found["claims"]) == len(tables["claims_held"]) and "calibration" not in found


def test_all_are_as_they_were(golden):
    """A line for each statistic of the study and of a population, by its last key."""
    tables = {"one-truth": population("1-12-2", 21, 0.5), "every-structure": population(None)}
    found = numbers(RECORD, study(), tables, records(tables))
    columns: dict[tuple[str, str], list] = {}
    for part, statistics in chain([("study", found["study"])], found["populations"].items()):
        for statistic, values in statistics.items():
            leaves: dict[str, list] = {}
            gather(values, statistic, leaves)
            for key, of_key in leaves.items():
                name = f"{statistic}: {key.rpartition('.')[2]}"
                columns.setdefault((part, name), []).extend(of_key)
    golden("article.csv", ((*key, values) for key, values in columns.items()))


def test_all_is_ready_for_json():
    """No nan, no infinite number, no number of NumPy."""
    populations = {"every-structure": population(None)}
    found = numbers(RECORD, study(), populations, records(populations))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["populations"]["every-structure"]["truth"] is None


def test_a_missing_table_is_named():
    without = {name: table for name, table in study().items() if name != "ranks"}
    with pytest.raises(AttributeError, match="ranks"):
        of_study(RECORD["config"], without)
    assert isinstance(study()["ranks"], pd.DataFrame)
