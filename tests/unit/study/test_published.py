"""Published latent class models beside their fits: the literature's numbers of the shipped tables,
and what is compared with what.
"""

from pathlib import Path

import numpy as np
import pytest

from latentdag import read_table
from latentdag.analysis.fit import fit
from latentdag.study.own_data.published import (
    QUANTITIES,
    agrees,
    decimals,
    latent_classes,
    published_rows,
)

DATA = Path(__file__).parents[3] / "workflow/data"
PUBLISHED = [
    ("stouffer_toby_1951", {"classes": 2, "likelihood_ratio": 2.720, "cases": 216}),
    ("stouffer_toby_1951", {"classes": 2, "class_sizes": [0.279, 0.721]}),
    ("stouffer_toby_1951", {"classes": 2, "log_likelihood": -504.4677}),
    ("stouffer_toby_1951", {"classes": 3, "log_likelihood": -503.3011}),
    ("carcinoma_agresti_2002", {"classes": 2, "log_likelihood": -317.2568, "pearson": 92.648}),
    ("carcinoma_agresti_2002", {"classes": 2, "likelihood_ratio": 62.365}),
    (
        "carcinoma_agresti_2002",
        {
            "classes": 3,
            "cases": 118,
            "parameters": 23,
            "log_likelihood": -293.705,
            "likelihood_ratio": 15.26171,
            "aic": 633.41,
            "bic": 697.1357,
            "class_sizes": [0.3736, 0.1817, 0.4447],
        },
    ),
    ("carcinoma_agresti_2002", {"classes": 4, "log_likelihood": -289.2858}),
    ("carcinoma_agresti_2002", {"classes": 4, "likelihood_ratio": 6.423}),
]


def fitted(name, classes):
    table = read_table(DATA / f"{name}.csv", count="count")
    structure = latent_classes(classes, table.cardinalities)
    return fit(table.cases, structure, "ml", restarts=64, seed=2003)


@pytest.mark.parametrize(("name", "model"), PUBLISHED)
def test_the_literature_agrees_to_every_digit(name, model):
    rows = list(published_rows({"source": "a book"} | model, fitted(name, model["classes"])))
    n_numbers = sum(len(v) if isinstance(v, list) else 1 for v in model.values()) - 1
    assert len(rows) == n_numbers
    for row in rows:
        assert (row["source"], row["latent_classes"]) == ("a book", model["classes"])
        assert agrees(row["published"], row["found"]), row


@pytest.mark.parametrize(("classes", "x2", "digits"), [(3, 20.50335, 1e-5), (4, 10.086, 2.5e-3)])
def test_pearsons_statistic_is_nearly_the_published_one(classes, x2, digits):
    """At the same ln likelihood: X2 is not at an optimum there, and so shows first where a fit
    stopped a little early.
    """
    found = fitted("carcinoma_agresti_2002", classes)
    assert found.x2 == pytest.approx(x2, abs=digits)
    assert not agrees(x2, found.x2)


def test_each_number_is_beside_its_own():
    """Of three classes that leave one of the dimensions of 14 parameters unused: AIC, BIC and
    degrees of freedom go by the dimension.
    """
    found = fitted("stouffer_toby_1951", 3)
    model = {"source": "s", "classes": 3} | {key: i + 0.5 for i, key in enumerate(QUANTITIES)}
    rows = list(published_rows(model | {"class_sizes": [0.2, 0.7, 0.1]}, found))
    assert [row["published"] for row in rows] == [*(i + 0.5 for i in range(8)), 0.7, 0.2, 0.1]
    likelihood = found.log_likelihood
    assert [row["found"] for row in rows[:3]] == [216, 14, likelihood]
    assert rows[3]["found"] == pytest.approx(0.386856, abs=1e-4)
    assert rows[4]["found"] == pytest.approx(0.4225, abs=1e-3)
    assert rows[5]["found"] == 15 - 13
    assert rows[6]["found"] == pytest.approx(-2 * likelihood + 26)
    assert rows[7]["found"] == pytest.approx(-2 * likelihood + 13 * np.log(216))
    sizes = [row["found"] for row in rows[8:]]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == pytest.approx(1)


@pytest.mark.parametrize(
    ("published", "found", "expected"),
    [
        (2.72, 2.7199, True),
        (2.72, 2.7251, False),
        (15.26171, 15.261712, True),
        (15.26171, 15.261716, False),
        (95, 104, False),
        (118, 118.4, True),
        (1e-7, 1.4e-7, True),
        (-317.2568, -317.25684, True),
    ],
)
def test_agreement_goes_by_the_digits_published(published, found, expected):
    assert agrees(published, found) is expected


def test_digits_after_the_point():
    assert [decimals(v) for v in (95, 2.72, -317.2568, 0.3736, 697.0)] == [0, 2, 4, 4, 0]
