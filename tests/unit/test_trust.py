"""Which score to trust, against the committed tables; and which is chosen unasked."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentdag import METHODS, Counts, Family, Structure, enumerate_structures
from latentdag.scores import SPECS
from latentdag.search import trust
from latentdag.search.structure_prior import number_of_structures
from latentdag.search.trust import AUTOMATIC, ORDER, choose, likely_scored, most_trusted

POPULATION = Path(__file__).parents[2] / "results/draws-of-the-paper/population.csv"
FAMILY = Family((2, 2), (2, 2, 2, 2))
STRUCTURES = enumerate_structures(FAMILY)


def test_the_order_has_every_score_from_which_a_posterior_follows():
    assert sorted(ORDER) == sorted(m for m, spec in SPECS.items() if spec.posterior)
    assert [m for m in AUTOMATIC if SPECS[m].side is not SPECS["bic"].side] == [
        "exact", "reference", "bridge"
    ]  # fmt: skip
    assert "bic" not in AUTOMATIC


@pytest.mark.parametrize("column", ["mean_absolute_error", "brier"])
def test_the_order_is_that_of_the_study_of_many_draws(column):
    """Of two scores the more trusted one is not much worse by either measure."""
    table = pd.read_csv(POPULATION)
    table = table[table["by"] == "structure"]
    worth = table.groupby("method")[column].mean().dropna()
    # AIS: its chains are too short later; BIC by dimension: its Brier score alone is good
    known = [m for m in ORDER if m in worth and m not in ("ais", "bic_dim")]
    assert len(known) >= 7
    for i, better in enumerate(known):
        for other in known[i + 1 :]:
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
        (("vb", "cs", "laplace"), "laplace"),
        (("vb", "cs"), "vb"),
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


@pytest.mark.parametrize(
    ("n", "structures", "method", "passed"),
    [
        (20, STRUCTURES[:40], "reference", ["exact"]),
        (8, STRUCTURES, "exact", []),
        (216, STRUCTURES, "reference", ["exact"]),
        (5_000, STRUCTURES, "laplace", ["exact", "reference", "bridge"]),
        (60_000, STRUCTURES[-3:], "bridge", ["exact", "reference"]),
    ],
)
def test_the_choice_is_by_the_size_of_the_work(n, structures, method, passed):
    found = choose(counts(n, min(n, 16)), structures)
    assert (found.method, list(found.why_not)) == (method, passed)
    assert found == choose(counts(n, min(n, 16)), structures)  # no clock in it


def test_many_structures_are_more_work_than_few():
    data = counts(216)
    assert choose(data, STRUCTURES).method == "reference"
    assert choose(data, STRUCTURES, n_scored=100_000).method == "laplace"


def test_states_that_can_be_named_in_many_ways_have_no_bridge():
    nine = Structure.from_label("1-1-1-1", Family((9,), (2, 2, 2, 2)))  # 9! ways
    assert choose(counts(400_000), [nine]).method == "laplace"
    two = Structure.from_label("1-1-1-1", Family((2,), (2, 2, 2, 2)))
    assert choose(counts(400_000), [two]).method == "bridge"


def test_what_the_reference_is_not_done_for():
    assert choose(counts(10**7), STRUCTURES[-1:]).why_not["reference"] == (
        "is not done for as many cases"
    )


def test_what_a_search_is_likely_to_score():
    """The neighbours of the structure with a cause of all; never more than there are."""
    for causes, variables in ((1, 5), (2, 8)):
        some, n = likely_scored(Family((2,) * causes, (2,) * variables), 5)
        assert 1 < len(some) <= n <= number_of_structures([some[0].family])
    wide = Family((2, 2), (2,) * 20)
    assert likely_scored(wide, 14)[1] == pytest.approx(2 * likely_scored(wide, 7)[1], abs=1)
    assert likely_scored(FAMILY, 100)[1] == len(STRUCTURES)
    assert likely_scored(Family((), (2, 2)), 1)[1] == 1


def test_a_score_without_a_place_is_trusted_least(monkeypatch):
    monkeypatch.setattr(trust, "ORDER", tuple(m for m in ORDER if m not in ("vb", "cs")))
    assert most_trusted(["vb", "cs", "bic"]) == "bic"
    assert most_trusted(["vb", "cs"]) == "vb"
