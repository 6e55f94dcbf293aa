"""Numbers and names in words."""

from math import inf, nan

import pytest

from latentdag import Family, Structure
from latentdag.study.own_data.fitted import shown_scores
from latentdag.study.schema import words
from latentdag.study.schema.candidates import causes_in_words
from latentdag.study.schema.words import parents_of, shared_causes_in_words


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("0-0-0", "no variable has a cause"),
        ("1-1-1", "y1, y2 and y3 share a cause"),
        ("12-12-0", "y1 and y2 share 2 causes; y3 has no cause"),
        (
            "1-12-0-0",
            "y1 and y2 share a cause; y2 alone has another cause; y3 and y4 have no cause",
        ),
        ("2-1-12", "y2 and y3 share a cause; y1 and y3 share another cause"),
        ("1-1-1-1-1-1", "all 6 variables share a cause"),
        ("1-1-1-1-1-1-0", "y1, y2, y3, y4, y5 and 1 more share a cause; y7 has no cause"),
    ],
)
def test_which_variables_share_a_cause(structure, expected):
    assert shared_causes_in_words(parents_of(structure)) == expected


def test_names_stand_for_variables():
    assert shared_causes_in_words([(1,), (1,)], ["age", "sex"]) == "age and sex share a cause"


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("1-12-2", "s1: job, party; s2: party, age"),
        ("0-1-1", "s1: party, age; without a cause: job"),
        ("0-0-0", "without a cause: job, party, age"),
    ],
)
def test_causes_in_words(structure, expected):
    found = Structure.from_label(structure, Family((2, 2), (3, 2, 4)))
    assert causes_in_words(found, ["job", "party", "age"]) == expected


def test_of_many_variables_the_causes_have_numbers():
    structure = Structure.from_label("1-0-1-1-1-1-1-1-0", Family((2,), (2,) * 9))
    expected = "s1: y1, y3, y4, y5, y6, y7, y8; without a cause: y2, y9"
    assert causes_in_words(structure, list("abcdefghi")) == expected


def test_numbers_that_are_not_there_are_left_out():
    assert words.number(nan, ".2f") == "" and words.number(1.25, ".1f") == "1.2"
    assert words.plus_minus(1.234, nan) == "1.23"
    assert words.plus_minus(-1.0, 0.5, "+") == "-1.00 ± 0.50"
    assert words.plus_minus(2.0, 0.5, "+") == "+2.00 ± 0.50"
    assert words.plus_minus(-0.001, nan) == "0.00"
    assert words.plus_minus(nan, 0.5) == ""
    assert [words.place(rank) for rank in (3.0, inf, nan)] == ["3", "none", ""]


def test_one_is_singular():
    assert [words.counted(k, "size") for k in (0, 1, 2)] == ["0 sizes", "1 size", "2 sizes"]


def test_sizes_and_labels():
    assert words.at_size(None) == "never" and words.at_size(480) == "n = 480"
    assert words.joined([10.0, 480]) == "10, 480"
    assert [words.label(name) for name in ("bic_ml", "a job")] == ["BIC at ML", "a job"]


def test_scores_that_nobody_asked_for_are_left_out():
    ran = ["bic", "bic_dim", "vb", "vb_online", "ais", "vb_lr"]
    assert shown_scores(ran, "ais", []) == ["bic", "vb", "ais"]
    asked = ["bic", "vb", "vb_online", "ais", "vb_lr"]
    assert shown_scores(ran, "vb_lr", ["vb_online", "map"]) == asked
