"""What a posterior says of data of one's own, against sums written out."""

import numpy as np
import pandas as pd

from latentdag import Family, Structure
from latentdag.study.own_data import marginals as own_data

FAMILY = Family((2, 3), (2, 4, 3))  # unequal cardinalities


def test_most_probable_structures_are_those_of_one_method():
    masses = pd.DataFrame({"vb": [0.1, 0.6, 0.3], "bic": [0.7, 0.1, 0.2]}, index=["a", "b", "c"])
    assert own_data.most_probable(masses, "vb", 2).index.tolist() == ["b", "c"]
    assert own_data.most_probable(masses, "bic", 9).index.tolist() == ["a", "c", "b"]


def test_no_more_structures_are_told_than_make_up_99_percent():
    masses = pd.DataFrame(
        {"vb": [0.004, 0.6, 0.388, np.nan, 0.008], "bic": [0.988, 0.002, 0.001, 0.009, 0.0]},
        index=list("abcde"),
    )
    assert own_data.most_probable(masses, "vb", 9).index.tolist() == ["b", "c", "e"]  # 0.996
    assert own_data.most_probable(masses, "vb", 2).index.tolist() == ["b", "c"]
    assert own_data.most_probable(masses, "bic", 9).index.tolist() == ["a", "d"]


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
