"""Which score to trust, against the committed tables, and which is chosen unasked."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentdag import Counts, Family
from latentdag.ranking import trust
from latentdag.ranking.trust import AUTOMATIC, ORDER, choose, likely_scored, most_trusted
from latentdag.scores import METHODS, SPECS

FAMILY = Family((2, 2), (2, 2, 2, 2))
POPULATION = Path(__file__).parents[3] / "results/published/draws-of-the-paper/population.csv"


def test_the_order_has_every_score_from_which_a_posterior_follows():
    assert sorted(ORDER) == sorted(m for m, spec in SPECS.items() if spec.posterior)
    assert [m for m in AUTOMATIC if SPECS[m].side is not SPECS["bic"].side] == [
        "exact", "reference", "tempered_smc", "vb"
    ]  # fmt: skip
    assert "bic" not in AUTOMATIC


@pytest.mark.parametrize("column", ["mean_absolute_error", "brier"])
def test_the_order_is_that_of_the_study_of_many_draws(column):
    """Of two scores the more trusted one is not much worse by either measure."""
    table = pd.read_csv(POPULATION)
    table = table[table["by"] == "structure"]
    worth = table.groupby("method")[column].mean().dropna()
    # AIS: its chains are too short later; BIC by dimension: its Brier score alone is good
    methods = [m for m in ORDER if m in worth and m not in ("ais", "bic_dim")]
    assert len(methods) >= 7
    for better, other in combinations(methods, 2):
        assert worth[better] < worth[other] * (1.2 if column == "brier" else 1.3), other
    assert worth["cs_lr"] < worth["laplace"] < worth["vb_lr"] < worth["vb"] < worth["cs"]


@pytest.mark.parametrize(
    ("methods", "best"),
    [
        (METHODS, "reference"),
        (("exact", "ais"), "exact"),
        (("ais", "vb", "cs", "bic", "bic_ml"), "ais"),
        (("ais", "vb", "laplace", "cs_lr"), "cs_lr"),
        (("bic_ml", "cs", "bic"), "cs"),
        (("map", "bic", "ml"), "bic"),
    ],
)
def test_the_most_trusted_method(methods, best):
    assert most_trusted(methods) == most_trusted(methods[::-1]) == best


def counts(n: int, patterns: int = 16, seed: int = 0) -> Counts:
    """``n`` cases of at most so many patterns of four binary variables."""
    rng = np.random.default_rng(seed)
    codes = np.array(list(np.ndindex(2, 2, 2, 2)))[:patterns]
    numbers = rng.multinomial(n - patterns, np.full(patterns, 1 / patterns)) + 1
    return Counts.of(codes, numbers)


TOO_MUCH = dict.fromkeys(["exact", "reference", "tempered_smc"], "is too much work")


@pytest.mark.parametrize(
    ("n", "hidden", "n_structures", "method"),
    [
        (10, (2, 2), 100_000, "exact"),  # 4^10 = 2^20 completions
        (11, (2, 2), 136, "reference"),
        (125, (2, 2), 500, "reference"),  # a million units
        (125, (2, 2), 501, "laplace"),
        # 16 x 16 x 8 units and 20,000 more for each structure
        (60_000, (2, 2), 45, "tempered_smc"),
        (60_000, (2, 2), 46, "laplace"),
        (60_000, (9,), 1, "laplace"),  # 9! ways to name its states
    ],
)
def test_the_choice_is_by_the_size_of_the_work(n, hidden, n_structures, method):
    """And of nothing else: no clock is asked."""
    families = [Family((2,), (2,) * 4), Family(hidden, (2,) * 4)]
    passed = {name: TOO_MUCH[name] for name in AUTOMATIC[: AUTOMATIC.index(method)]}
    assert choose(counts(n, min(n, 16)), families, n_structures) == (method, passed)


def test_what_the_reference_is_not_done_for():
    _, why_not = choose(counts(10**7), [FAMILY], 1)
    assert why_not["reference"] == "is not done for as many cases"


def test_what_a_search_is_likely_to_score():
    """Within a factor of 2 of the mean of each family of the measured searches."""
    table = pd.read_csv(POPULATION.parents[1] / "experiments/searches.csv")
    scored = table[(table["search"] == "beam") & (table["method"] == "laplace")]
    for name, mean in scored.groupby("family")["scored"].mean().items():
        causes, variables = map(int, name.split(" x "))
        likely = likely_scored([Family((2,) * causes, (2,) * variables)], 5)
        assert mean / 2 < likely < mean * 2
    assert likely_scored([Family((2, 2), (2,) * 6)], 5) == 5 * 2 * 6**3 // 4 + 1
    assert likely_scored([FAMILY, FAMILY], 100) == 2 * 136  # never more than there are
    assert likely_scored([Family((), (2, 2))], 1) == 1


def test_a_score_without_a_place_is_trusted_least(monkeypatch):
    monkeypatch.setattr(trust, "ORDER", tuple(m for m in ORDER if m not in ("vb", "cs")))
    assert most_trusted(["vb", "cs", "bic"]) == "bic"
    assert most_trusted(["vb", "cs"]) == "vb"
