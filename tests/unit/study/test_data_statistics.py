"""What a posterior says of data of one's own, against sums written out."""

import numpy as np
import pandas as pd
import pytest

from latentdag import Family, Structure
from latentdag.study import own_data

FAMILY = Family((2, 3), (2, 4, 3))  # unequal cardinalities


def test_most_probable_structures_are_those_of_one_method():
    masses = pd.DataFrame({"vb": [0.1, 0.6, 0.3], "bic": [0.7, 0.1, 0.2]}, index=["a", "b", "c"])
    assert own_data.most_probable(masses, "vb", 2).index.tolist() == ["b", "c"]
    assert own_data.most_probable(masses, "bic", 9).index.tolist() == ["a", "c", "b"]


def test_likelihood_ratio_against_the_saturated_model():
    cases = pd.DataFrame([(0, 1), (0, 1), (1, 1), (0, 0), (0, 1)], columns=["y1", "y2"])
    saturated = 3 * np.log(3 / 5) + 2 * np.log(1 / 5)
    assert own_data.likelihood_ratio(-7.0, cases) == pytest.approx(2 * (saturated + 7.0))


@pytest.mark.parametrize(
    ("label", "dimension"),
    [
        ("1-1-1", 1 + 2 * (1 + 3 + 2)),  # as many as free parameters: a latent class model
        ("1-1-2", 2 * 4 - 1 + 2),  # 2 x 4 tables of rank 2 are all there are
        # 4 x 3 tables of rank 2 for one value of y1, 2 * (4 + 3 - 2) directions; y2 and y3 are
        # independent, p(y2) any in the span of such a table's two columns, p(y3) any at all
        ("12-1-2", 10 + 1 + 2),
        ("0-12-12", 1 + 3 * 4 - 1),  # any 4 x 3 table
        ("12-12-12", 2 * 4 * 3 - 1),  # more parameters than cells
    ],
)
def test_degrees_of_freedom_go_by_the_dimension_not_by_parameters(label, dimension):
    structure = Structure.from_label(label, FAMILY)
    assert own_data.degrees_of_freedom(structure) == 2 * 4 * 3 - 1 - dimension


def test_more_parameters_than_the_table_has_degrees_of_freedom():
    """Those of a hidden variable without children do not count; 23 is not more than 23."""

    def found(family, *labels):
        known = {label: Structure.from_label(label, family) for label in labels}
        return own_data.more_than_the_table(known)

    large = found(Family((2, 2), (2, 4, 3)), "12-12-12", "0-12-12", "1-12-12", "1-1-1")
    assert large == {"12-12-12": 26, "1-12-12": 24}
    small = found(Family((2, 3), (2, 2)), "1-1", "0-1", "0-0")
    assert small == {"1-1": 5, "0-1": 4}  # 0-1: 1 + 1 + 2 and s1 alone, 4 > 3


def test_saturated_structures_have_the_dimension_of_the_table():
    table = pd.DataFrame({"structure": list("abcd"), "dimension": [23, 22, 24, 23]})
    assert own_data.saturated(table, FAMILY.n_cells) == ["a", "d"]
