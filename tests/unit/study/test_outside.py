"""Truths in no structure: their cells by plain sums, what picks lose, and the table over draws."""

from itertools import product
from math import log, nan, prod, sqrt

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows

from latentdag import Family, Prior, Structure, fit, score_structures
from latentdag.analysis.estimates import estimate
from latentdag.engine.streams import generator
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.study.many_draws.outside import cases_of_cells, outside, picks, truth_cells
from latentdag.study.many_draws.population import share

FAMILY = Family((2, 3), (2, 3, 4))
STRUCTURE = Structure.from_label("1-12-2", FAMILY)


@pytest.mark.parametrize(("link", "parent", "child"), [((1, 3), 0, 2), ((3, 2), 2, 1)])
def test_a_linked_variable_has_a_table_for_each_value_of_its_parent(link, parent, child):
    """The first drawn parameters are those of a structure; then follow the child's tables."""
    cells = truth_cells(STRUCTURE, Prior(), np.random.default_rng(1), link)
    rng = np.random.default_rng(1)
    drawn, *others = (draw_parameters(STRUCTURE, Prior(), rng) for _ in range(1 + 4))
    for y in product(*map(range, FAMILY.observed)):
        expected = 0.0
        for s in product(*map(range, FAMILY.hidden)):
            rows = [s[0], 3 * s[0] + s[1], s[1]]  # of each variable's parents' states
            tables = [others[y[parent]] if j == child else drawn for j in range(3)]
            p = [tables[j].observed[j][rows[j]][y[j]] for j in range(3)]
            expected += prod(p) * drawn.hidden[0][s[0]] * drawn.hidden[1][s[1]]
        assert cells[y] == pytest.approx(expected, rel=1e-12)
    alone = truth_cells(STRUCTURE, Prior(), np.random.default_rng(1))
    np.testing.assert_allclose(alone, cell_probabilities(STRUCTURE, drawn))


def test_cases_have_the_probabilities_of_the_cells():
    cells, n = np.array([[0.1, 0.0, 0.2], [0.3, 0.25, 0.15]]), 10_000
    cases = cases_of_cells(cells, n, np.random.default_rng(2))
    for y, p in np.ndenumerate(cells):
        found = (cases == y).all(axis=1).mean()
        assert abs(found - p) <= 4 * sqrt(p * (1 - p) / n)
    assert (cases_of_cells(cells, 7, np.random.default_rng(2)) == cases[:7]).all()


def test_picks_are_those_of_the_library():
    truth = {"name": "linked", "hidden": [2], "structure": "1-1-1", "link": [1, 2]}
    structures = [Structure.from_label(x, Family((2,), (2, 3, 2))) for x in ("0-0-0", "1-1-1")]
    asked = {"sizes": [60, 500], "methods": ["bic", "reference"], "seed": 5, "prior": Prior(2.0)}
    rows = picks(truth, 3, structures, replicates=9, settings={"runs": 4}, **asked)
    assert [(r["draw"], r["n"], r["method"]) for r in rows] == [
        (3, n, m) for n in (60, 500) for m in ("bic", "reference")
    ]
    rng = generator(5, "outside", "linked", 3)
    cells = truth_cells(structures[1], Prior(2.0), rng, (1, 2))
    cases = cases_of_cells(cells, 500, rng)
    for row in rows:
        own = cases[: row["n"]]
        key = ("outside", "linked", 3)
        settings = {"runs": 4} if row["method"] == "reference" else {}
        scores = score_structures(
            own, structures, row["method"], seed=5, key=key, alpha=2.0, **settings
        )
        top = max(scores, key=lambda s: s.score)
        assert (row["top"], row["n_links"]) == (top.structure.label, top.structure.n_links)
        weights = [np.exp(s.score - top.score) for s in scores]
        assert row["top_probability"] == pytest.approx(1 / sum(weights))
        model = cell_probabilities(*estimate(own, top.structure, alpha=2.0, seed=5))
        loss = sum(p * log(p / q) for p, q in zip(cells.ravel(), model.ravel(), strict=True))
        assert row["lost_by_top"] == pytest.approx(loss)
        if row["method"] == "reference":
            assert row["p_value"] == fit(own, top.structure, replicates=9, seed=5).p_value
        else:
            assert np.isnan(row["p_value"])


def test_over_draws_by_hand():
    """Truths keep their order; a p-value of exactly 5 % rejects, which is the level of the test."""
    rows = [
        ("none", d, 80, m, top, links, p, lost, value if m == "reference" else nan)
        for d, (top, links, p, lost, value) in enumerate(
            [("1-1", 2, 0.5, 0.1, 0.01), ("0-0", 0, 0.9, 0.4, 0.05), ("1-1", 2, 0.7, 0.4, 0.06)]
        )
        for m in ("vb", "reference")
    ]
    columns = ["truth", "draw", "n", "method", "top", "n_links", "top_probability"]
    frame = pd.DataFrame(rows, columns=[*columns, "lost_by_top", "p_value"])
    found = outside(pd.concat([frame, frame.assign(truth="a link")]))
    assert list(found["truth"]) == ["none", "none", "a link", "a link"]
    row = {"draws": 3, "top": "1-1", "share": 2 / 3, "n_links": 4 / 3, "n_links_se": 2 / 3}
    row |= {"top_probability": 0.7, "top_probability_se": 0.2 / sqrt(3)}
    row |= {"lost_by_top": 0.3, "lost_by_top_se": 0.1}
    none = dict.fromkeys(("rejected", "low", "high"), nan)
    tested = dict(zip(none, share(2, 3), strict=True))
    expected = {"vb": row | none, "reference": row | tested}
    assert_rows(found.iloc[:2].set_index("method"), expected)
