"""A page of each kind from made-up tables is that of the folder `golden`, to the byte."""

import pytest
from cases import CASES

AS_THEY_WERE = (
    *("study-everything", "study-several-ais", "population-uniform-truths"),
    *("population-one-structure", "data-families-and-comparisons", "findings-all-runs"),
)


@pytest.mark.parametrize("name", AS_THEY_WERE)
def test_a_page_is_as_it_was(name, golden):
    golden(f"{name}.md", CASES[name]())
