"""The structures of one's own data: their table, their names in it, the search for them, and
published models.
"""

from math import exp, log, nan

import numpy as np
import pandas as pd
import pytest

from latentdag import Counts, Family, Parameters, Structure, enumerate_structures
from latentdag.analysis.fit import Fit
from latentdag.scores.base import Score
from latentdag.search.beam import SearchResult
from latentdag.search.ranking import Ranking, class_of
from latentdag.search.structure_prior import log_prior
from latentdag.study.own_data import published, searched
from latentdag.study.own_data.structures_table import enumerated, rows
from latentdag.study.schema import candidates, tables

OBSERVED = (2, 4, 3)


def of(label, hidden, observed=OBSERVED):
    return Structure.from_label(label, Family(hidden, observed))


def families(*hidden):
    return [Family(own, OBSERVED) for own in hidden]


def test_a_row_of_several_families():
    """Two causes, the first of one variable alone: the class has one cause, of two variables."""
    (row,) = rows([of("1-2-2", (2, 3))], several=True)
    classes = candidates.by_name(pd.DataFrame([row]), OBSERVED, "class")
    assert classes == {"0-1-1 (3)": of("0-1-1", (3,))}
    assert row == {
        "structure": "1-2-2 (2,3)",
        "n_links": 3,
        "n_parameters": 1 + 2 + 2 * 1 + 3 * 3 + 3 * 2,
        "dimension": 1 + 3 * 4 - 1,  # p(y1), and any 4 x 3 table
        "class": "0-1-1 (3)",
        "hidden": "2,3",
    }


@pytest.mark.parametrize(
    ("hidden", "number"),
    [(((3, 2),), 64), (((2, 2),), 36), (((3, 2), (2, 3), (2, 2), (12,)), 1 + 3 * 7 + 7 * 7 + 28)],
)
def test_the_table_gives_its_structures_back(hidden, number, tmp_path):
    """Of several families each model once, in whichever order a family has its causes; sorted by
    parameters.
    """
    own, several = families(*hidden), len(hidden) > 1
    structures = enumerated(own)
    assert len(structures) == len(set(structures)) == number
    numbers = [s.without_childless().n_parameters for s in structures]
    assert numbers == sorted(numbers)
    tables.write(tmp_path / "structures.csv", "structures", rows(structures, several))
    table = tables.read(tmp_path / "structures.csv", "structures")
    assert list(candidates.by_name(table, OBSERVED).values()) == structures
    classes = candidates.by_name(table, OBSERVED, "class")
    absorbed = {class_of(s) if several else s.absorbed() for s in structures}
    assert set(classes.values()) == absorbed and len(classes) < number
    if several:
        assert {"1-1-0 (12)", "0-0-0 (none)"} <= set(classes)
        assert all(set().union(*s.parents) == set(range(len(s.family.hidden))) for s in structures)
    else:
        assert set(structures) == set(enumerate_structures(own[0]))


@pytest.fixture
def found(monkeypatch):
    """What `searched` makes of made-up scores, by family and label."""

    def found(by_family, prior="structures", keep=99):
        rounds = iter(range(4, 9))

        def search(cases, family, method, **settings):
            assert (cases, method, settings) == ("cases", "bic", {"prior": prior, "width": 4})
            own = by_family[family.hidden].items()
            scores = tuple(Score(of(label, family.hidden), value) for label, value in own)
            return SearchResult(Ranking(scores, prior), rounds=next(rounds))

        monkeypatch.setattr(searched, "search", search)
        return searched.searched("cases", families(*by_family), prior, "bic", keep, width=4)

    return found


def test_as_many_structures_as_hold_nearly_all_are_kept(found):
    """exp(-4), exp(-8) and exp(-12) of the best: one other is needed for 99.9 %. They are in the
    order of the table of structures: by parameters.
    """
    scores = {"1-1-1": -3.0, "0-0-0": -15.0, "0-1-1": -7.0, "1-1-2": -11.0, "1-2-1": nan}
    structures, (row,) = found({(2, 2): scores})
    assert [s.label for s in structures] == ["0-1-1", "1-1-1"]
    share = (1 + exp(-4)) / sum(exp(-k) for k in (0, 4, 8, 12))
    expected = {"hidden": "2,2", "method": "bic", "rounds": 4, "scored": 5, "kept": 2}
    assert row == expected | {"probability": pytest.approx(share)} and share > 0.999
    structures, (row,) = found({(2, 2): scores}, keep=1)
    assert [s.label for s in structures] == ["1-1-1"]


def test_a_model_of_two_families_is_scored_once(found):
    """In the first of them, without its childless variable; causes sorted by their states."""
    structures, found_rows = found(
        {
            (2,): {"1-1-1": -3.0, "0-0-0": -4.0},
            (3, 2): {"2-2-2": -3.0, "1-1-1": -3.2, "1-12-2": -3.4, "0-0-0": -4.0},
        }
    )
    expected = {of("1-1-1", (2,)), of("0-0-0", ()), of("1-1-1", (3,)), of("2-12-1", (2, 3))}
    assert set(structures) == expected
    weights = [exp(0) + exp(-1), exp(-0.2) + exp(-0.4)]
    for row, hidden, rounds, weight in zip(found_rows, ("2", "3,2"), (4, 5), weights, strict=True):
        assert (row["hidden"], row["rounds"], row["scored"], row["kept"]) == (hidden, rounds, 2, 2)
        assert row["probability"] == pytest.approx(weight / sum(weights))


@pytest.mark.parametrize("prior", ["families", "classes"])
def test_the_prior_of_a_search_is_that_over_all_structures(found, prior):
    """Not over those found: one of the few structures with one cause has more of it."""
    scores = {"1-1-1": -9.0, "1-1-2": -3.0, "1-2-1": -3.1, "0-0-0": -9.5}
    structures, (row,) = found({(2, 2): scores}, prior, keep=2)
    own = [of(label, (2, 2)) for label in scores]
    values = log_prior(own, families((2, 2)), prior)
    worth = {s.label: v + p for s, v, p in zip(own, scores.values(), values, strict=True)}
    kept = sorted(worth, key=worth.get)[-2:]
    assert {s.label for s in structures} == set(kept)
    total = sum(map(exp, worth.values()))
    assert row["probability"] == pytest.approx(sum(exp(worth[s]) for s in kept) / total)


def test_each_published_number_is_paired_with_its_own():
    """Independence of two variables given a class that tells nothing; class sizes from the largest
    down.
    """
    model = {"source": "s", "classes": 3, "class_sizes": [0.2, 0.7, 0.1]}
    model |= {key: i + 0.5 for i, key in enumerate(published.QUANTITIES)}
    counts = Counts.of_table(np.array([[40, 10], [10, 40]]))
    parameters = Parameters((np.array([0.1, 0.6, 0.3]),), (np.full((3, 2), 0.5),) * 2)
    fit = Fit(published.latent_classes(3, (2, 2)), parameters, "ml", counts)
    assert fit.structure.parents == ((0,), (0,)) and fit.structure.family.hidden == (3,)
    rows = list(published.published_rows(model, fit))
    assert [row["published"] for row in rows] == [*(i + 0.5 for i in range(8)), 0.7, 0.2, 0.1]
    likelihood, g2 = 100 * log(0.25), 2 * (80 * log(40 / 25) + 20 * log(10 / 25))
    # cases, parameters, ln likelihood, G2, X2, degrees of freedom, AIC, BIC; dimension 3
    expected = [100, 8, likelihood, g2, 36, 0, 6 - 2 * likelihood, 3 * log(100) - 2 * likelihood]
    assert [row["found"] for row in rows] == pytest.approx([*expected, 0.6, 0.3, 0.1])
    (row,) = published.published_rows({"source": "s", "classes": 3, "cases": 9, "bic": None}, fit)
    assert (row["source"], row["latent_classes"], row["published"]) == ("s", 3, 9)


@pytest.mark.parametrize(
    ("number", "found", "digits", "agrees"),
    [
        (2.72, 2.7199, 2, True),
        (2.72, 2.7251, 2, False),
        (15.26171, 15.261716, 5, False),
        (697.0, 697.4, 0, True),
        (1e-7, 1.4e-7, 0, True),
        (-317.2568, -317.25684, 4, True),
    ],
)
def test_agreement_goes_by_the_digits_published(number, found, digits, agrees):
    assert published.agrees(number, found) is agrees
    assert published.decimals(number) == digits
