"""Fingerprints tell columns apart that differ by more than another processor's rounding."""

from math import inf, nan

import pytest
from fingerprints import differences, fingerprint

KNOWN = {"x": [1.5, 2.25, nan, -3.0, inf], "words": ["a", "", "b", "c", "nan"]}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", [2.25, 1.5, nan, -3.0, inf]),
        ("x", [1.5, 2.2725, nan, -3.0, inf]),
        ("x", [1.5, 2.25, -3.0, nan, inf]),
        ("x", [1.5, 2.25, nan, -3.0, -inf]),
        ("x", [1.5, 2.25, nan, -3.0, 1.0]),
        ("words", ["", "a", "b", "c", "nan"]),
        ("words", ["a", "", "b", "c"]),
        ("more", [1]),
    ],
)
def test_a_column_that_differs_is_named(name, values):
    before, after = (
        fingerprint(("t.csv", *column) for column in columns.items())
        for columns in (KNOWN, KNOWN | {name: values})
    )
    assert differences(before, after) == differences(after, before) == f"t.csv: {name}"


def test_what_does_not_differ():
    """Last digits; the order of columns counts."""
    before, rounded, turned = (
        fingerprint(("t.csv", *column) for column in columns)
        for columns in (
            KNOWN.items(),
            (KNOWN | {"x": [1.5 * (1 + 1e-12), *KNOWN["x"][1:]]}).items(),
            reversed(KNOWN.items()),
        )
    )
    assert differences(before, rounded) == ""
    assert differences(before, turned) == "t.csv: the order of the columns"
