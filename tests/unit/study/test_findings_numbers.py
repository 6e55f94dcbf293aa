"""The numbers of the findings on tables made up by hand, and on made-up studies by plain loops."""

from statistics import mean

import made_up
import pandas as pd
import pytest
from scipy.stats import spearmanr

from latentdag.study.one_draw.errors import errors
from latentdag.study.paper import findings
from latentdag.study.schema.columns import TABLES

SIZES = (480, 10240, 1120)
# by kind and method the number of 20 draws that have found the truth at 480, 10240 and 1120 cases
FOUND = {
    ("structure", "vb"): (3, 17, 9),
    ("class", "vb"): (4, 18, 10),
    ("structure", "bic"): (0, 11, 5),
    ("structure", "laplace"): (6, 19, 8),
}


def found_share(**more):
    rows = [
        (n, by, m, 20, k / 20, k / 20 - 0.1, k / 20 + 0.2)
        for (by, m), counts in (FOUND | more).items()
        for n, k in zip(SIZES, counts, strict=True)
    ]
    return pd.DataFrame(rows, columns=TABLES["found_share"].columns)


def comparisons(**of):
    rows = [
        {"by": by, "method": "vb", "other": "bic", "draws": 20, "earlier": k, "later": 2}
        | {"same": 3, "undecided": 1, "factor": 1.5, "factor_low": 1.2, "factor_high": 2.5}
        for by, k in (("class", 15), ("structure", 14))
    ]
    return pd.DataFrame(rows).reindex(columns=TABLES["comparisons"].columns)


def test_what_is_found_is_that_of_structures():
    rows = findings.found_by(found_share(), 480)
    assert {m: findings.number(row) for m, row in rows.items()} == {"vb": 3, "bic": 0, "laplace": 6}
    assert findings.found_by(found_share(), 500) == {}


def test_not_found_is_at_the_largest_size():
    assert findings.not_found(found_share()) == {"bic": 9, "laplace": 1, "vb": 3}


def test_compared_is_that_of_structures():
    assert findings.compared(comparisons(), "vb", "bic")["earlier"] == 14
    assert findings.compared(comparisons(), "bic", "vb") is None


def test_sensitivity_in_its_order():
    table = found_share()
    assert findings.sensitivity(table, comparisons()) == [3, 5, 14, 2, 3, 9, 1]
    assert findings.sensitivity(table[table["method"] != "laplace"], comparisons()) is None
    assert findings.sensitivity(table[table["n"] != 480], comparisons()) is None
    assert findings.sensitivity(table, comparisons().iloc[:0]) is None


@pytest.mark.parametrize("draw", [0, 1])
def test_over_sizes_by_plain_loops(draw):
    scores = made_up.scores().query("draw == @draw")
    found = findings.over_sizes(errors(scores), scores)
    assert {"ais", "bic", "vb"} <= set(found.index)
    for m in ("ais", "vb"):
        means, orders = [], []
        for n in made_up.SIZES:
            own = {r["structure"]: r["score"] for r in made_up.rows(scores, n=n, method=m)}
            of = {r["structure"]: r["score"] for r in made_up.rows(scores, n=n, method="reference")}
            means.append(mean(abs(own[s] - of[s]) for s in own))
            orders.append(spearmanr(list(own.values()), [of[s] for s in own])[0])
        ends = [found.loc[m, (name, end)] for name in ("error", "order") for end in ("min", "max")]
        assert ends == pytest.approx([min(means), max(means), min(orders), max(orders)])
