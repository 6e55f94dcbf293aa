"""The whole way, from structures drawn uniformly over parameters, cases and exact evidences to the
statistics of a population: the exact posterior must be calibrated, and no score may do better.
"""

import numpy as np
import pandas as pd
import pytest

from latentdag import Family, enumerate_structures
from latentdag.engine.streams import generator
from latentdag.model.parameters import Prior, cell_probabilities, draw_study
from latentdag.scores.exact import log_evidence
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.population import reliability
from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.one_draw.verdicts import verdicts

pytestmark = pytest.mark.weekly

FAMILY = Family((2, 2), (4, 3, 3))
STRUCTURES = enumerate_structures(FAMILY)
TABLE = pd.DataFrame(
    {"structure": [s.label for s in STRUCTURES], "class": [s.absorbed().label for s in STRUCTURES]}
)
PRIOR = Prior(0.3, 1.0)
OTHER = Prior(1.0, 1.0)  # scores that assume it are not calibrated
SIZES = (3, 7)
DRAWS = 300


@pytest.fixture(scope="module")
def population():
    """Verdicts and reliability counts; ``reference`` is exact, ``vb`` exact under another prior,
    ``bic`` exact but too sure.
    """
    judged, counts = [], []
    for number in range(DRAWS):
        rng = generator(5, "true structure", number)
        true = STRUCTURES[rng.integers(len(STRUCTURES))]
        draw = draw_study(true, PRIOR, max(SIZES), 5, number)
        cells = cell_probabilities(true, draw.parameters)
        likelihood = np.cumsum(np.log(cells[tuple(draw.cases.T)]))
        truth = pd.DataFrame({"n": SIZES, "log_likelihood": likelihood[np.array(SIZES) - 1]})
        rows = []
        for n in SIZES:
            right, other = (log_evidence(draw.cases[:n], STRUCTURES, p) for p in (PRIOR, OTHER))
            for method, values in (("reference", right), ("vb", other), ("bic", 3 * right)):
                rows += [
                    {"draw": number, "n": n, "method": method, "structure": s.label, "score": value}
                    for s, value in zip(STRUCTURES, values, strict=True)
                ]
        scores = pd.DataFrame(rows).assign(standard_error=np.nan, n_parameters=9, restarts=8)
        judged.append(verdicts(scores, TABLE, true.label, truth))
        counts.append(reliability_counts(scores, TABLE, true.label))
    return pd.concat(judged), pd.concat(counts)


def test_the_exact_posterior_is_calibrated_and_no_score_does_better(population):
    table = calibration(population[0]).set_index(["method", "by", "n", "statistic"])["z"]
    assert len(table["reference"]) == 2 * 2 * 3
    assert (table["reference"].abs() < 3).all()
    below = table[table.index.get_level_values("method") != "reference"]
    below = below[below.index.get_level_values("statistic").str.startswith("below")]
    assert len(below) == 2 * 2 * 2 * 2
    assert (below > -3).all() and (below > 3).any()
    too_sure = table["bic"].unstack().xs(SIZES[-1], level="n")
    assert (too_sure["accuracy"] < -4).all() and (too_sure["log score"] < -4).all()


def test_what_the_exact_posterior_says_is_as_often_true(population):
    table = reliability(population[1])
    table["error"] = np.sqrt(table["mean_probability"] * (1 - table["mean_probability"]))
    table["z"] = (table["share_true"] - table["mean_probability"]) * np.sqrt(table["number"])
    table = table[table["number"] * table["mean_probability"] > 5]
    z = (table["z"] / table["error"]).groupby(table["method"]).agg(lambda z: z.abs().max())
    assert z["reference"] < 4 < z["bic"]
    p = table[table["method"] == "reference"]
    assert set(p["what"]) == {"structure", "class", "shared cause"}
    assert p.loc[p["what"] == "shared cause", "mean_probability"].max() > 0.8


def test_nothing_predicts_better_than_the_exact_average(population):
    """In the mean: the true parameters lose less, and no other average does."""
    losses = population[0]
    losses = losses[losses["n"] == SIZES[0]]
    wide = losses.pivot(index="draw", columns=["by", "method"], values="lost_by_average")
    best = wide["structure", "reference"]
    assert best.mean() > 3 * best.sem()
    assert wide["class", "reference"].to_numpy() == pytest.approx(best.to_numpy())
    for other in wide.columns.drop([("structure", "reference"), ("class", "reference")]):
        gap = wide[other] - best
        assert gap.mean() > -3 * gap.sem()
