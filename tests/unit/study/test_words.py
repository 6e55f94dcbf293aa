"""Numbers and names in words."""

import pytest

from latentdag import Family, Structure
from latentdag.study.schema.candidates import causes_in_words
from latentdag.study.schema.words import parents_of, shared_causes_in_words


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("0-0-0", "no variable has a cause"),
        ("1-1-1", "y1, y2 and y3 share a cause"),
        ("12-12-0", "y1 and y2 share 2 causes, and y3 has no cause"),
        (
            "1-12-0-0",
            "y1 and y2 share a cause; y2 alone has another; y3 and y4 have no cause",
        ),
        ("2-1-12", "y2 and y3 share a cause, and y1 and y3 share another"),
        ("1-1-1-1-1-1", "all 6 variables share a cause"),
        ("1-1-1-1-1-1-0", "y1, y2, y3, y4, y5 and 1 more share a cause, and y7 has no cause"),
    ],
)
def test_which_variables_share_a_cause(structure, expected):
    assert shared_causes_in_words(parents_of(structure)) == expected


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
