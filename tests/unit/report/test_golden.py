"""Summaries of made-up tables are those of the folder `golden`, to the byte."""

import pytest
from cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_a_summary_is_as_it_was(name, golden):
    golden(f"{name}.md", CASES[name]())
