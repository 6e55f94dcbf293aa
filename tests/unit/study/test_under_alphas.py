"""The marginals under several alphas, against softmax and sums written out."""

from math import exp

import numpy as np
import pandas as pd
import pytest

from latentdag import Family, enumerate_structures
from latentdag.study.own_data import marginals
from latentdag.study.schema.columns import TABLES

FAMILY = Family((2, 2), (2, 3, 2))
KNOWN = {s.label: s for s in enumerate_structures(FAMILY)}
NAMES = ["job", "party", "age"]
RNG = np.random.default_rng(7)
PRIOR = pd.DataFrame(
    [
        (0, 60, alpha, s, method, -100 + 2 * RNG.normal(), np.nan)
        for alpha in (4.0, 0.25)
        for method in ("laplace", "bic", "reference")
        for s in KNOWN
    ],
    columns=TABLES["prior"].columns,
).sample(frac=1, random_state=2)
P_STRUCTURE = dict(zip(KNOWN, RNG.dirichlet(np.ones(len(KNOWN))), strict=True))  # beforehand
POSTERIOR = pd.DataFrame(
    [
        (0, 60, s, method, p, P_STRUCTURE[s])
        for method in ("bic", "laplace", "reference", "vb_eb")
        for s, p in zip(KNOWN, RNG.dirichlet(np.ones(len(KNOWN))), strict=True)
    ],
    columns=[*TABLES["posterior"].columns, "prior"],
)
SCORES = pd.DataFrame(
    [
        (s, method, RNG.uniform(1, 3), RNG.uniform(3, 9))
        for s in KNOWN
        for method in ("vb_eb", "ml")
    ],
    columns=["structure", "method", "alpha", "alpha_hidden"],
)
OPTIONS = {
    "methods": ["laplace", "reference"],
    "alpha": 1.0,
    "alpha_hidden": 0.5,
    "known": KNOWN,
    "names": NAMES,
}


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    return marginals.under_alphas(PRIOR, POSTERIOR, SCORES, **OPTIONS)


def masses(method: str, alpha: float) -> dict[str, float]:
    """p(structure) by its label."""
    if alpha == 1.0:
        own = POSTERIOR[POSTERIOR["method"] == method]
        return dict(zip(own["structure"], own["probability"], strict=True))
    own = PRIOR[(PRIOR["method"] == method) & (PRIOR["alpha"] == alpha)]
    scored = zip(own["structure"], own["score"], strict=True)
    weights = {s: exp(x + 100) * P_STRUCTURE[s] for s, x in scored}
    return {s: w / sum(weights.values()) for s, w in weights.items()}


def parents(label: str) -> list[set[str]]:
    return [set(part) - {"0"} for part in label.split("-")]


def n_causes_of(label: str) -> int:
    """Of the class: a cause of one variable is absorbed."""
    own = parents(label)
    return sum(sum(cause in p for p in own) > 1 for cause in set().union(*own))


@pytest.mark.parametrize("method", ["laplace", "reference"])
@pytest.mark.parametrize("alpha", [0.25, 1.0, 4.0])
def test_sums_over_the_structures(found, method, alpha):
    own = found[(found["method"] == method) & (found["alpha"] == alpha)]
    assert set(own["alpha_hidden"]) == {0.5}
    p = masses(method, alpha)
    for states, n_causes in (("none", 0), ("2", 1), ("2,2", 2)):
        expected = sum(m for s, m in p.items() if n_causes_of(s) == n_causes)
        (value,) = own.loc[own["causes"] == states, "probability"]
        assert value == pytest.approx(expected)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = sum(m for s, m in p.items() if parents(s)[i] & parents(s)[j])
        pair = (own["first_name"] == NAMES[i]) & (own["second_name"] == NAMES[j])
        assert own.loc[pair, "probability"].item() == pytest.approx(expected)


def test_empirical_bayes_stands_with_the_alpha_of_its_best_structure(found):
    p = masses("vb_eb", 1.0)
    fit = SCORES[SCORES["method"] == "vb_eb"].set_index("structure").loc[max(p, key=p.get)]
    own = found[found["method"] == "vb_eb"]
    assert set(own["alpha"]) == {fit["alpha"]} and set(own["alpha_hidden"]) == {fit["alpha_hidden"]}
    (none,) = own.loc[own["causes"] == "none", "probability"]
    assert none == pytest.approx(sum(m for s, m in p.items() if n_causes_of(s) == 0))


def test_rows_in_order_and_nothing_else(found):
    assert list(found.columns) == list(TABLES["alpha"].columns)
    assert found["alpha"].drop_duplicates().tolist()[:3] == [0.25, 1.0, 4.0]
    assert set(found["method"]) == {"laplace", "reference", "vb_eb"}
    assert len(found) == (3 * 2 + 1) * (3 + 3)
    without = POSTERIOR[POSTERIOR["method"] != "vb_eb"]
    rest = marginals.under_alphas(PRIOR, without, SCORES, **OPTIONS)
    assert set(rest["method"]) == {"laplace", "reference"}
