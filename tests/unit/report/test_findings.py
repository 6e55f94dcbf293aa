"""The findings that come first: a verdict follows its interval."""

from math import nan

import pandas as pd
import pytest

from latentdag.report import markdown
from latentdag.report.findings import headlines
from latentdag.study.schema import words
from latentdag.study.schema.columns import TABLES as COLUMNS


def shares(**counts):
    rows = [
        (n, "structure", m, 50, k / 50, 0.041, 0.214)
        for m, of in counts.items()
        for n, k in of.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS["found_share"].columns)


def pair(method, other, factor, low, high):
    row = {"by": "structure", "method": method, "other": other, "draws": 50, "earlier": 41}
    row |= {"later": 2, "same": 4, "undecided": 3}
    return row | {"factor": factor, "factor_low": low, "factor_high": high}


def table(*rows):
    return pd.DataFrame(rows).reindex(columns=COLUMNS["comparisons"].columns)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [((5, 2, 2), "fewer"), ((5, 3, 2), "as many"), ((2, 5, 2), "as many"), ((2, 1, 4), "more")],
)
def test_who_needs_fewer_cases_in_the_median_draw(counts, verdict):
    row = pair("vb", "bic", 2.0, nan, nan)
    row |= dict(zip(("earlier", "same", "later"), counts, strict=True))
    (line,) = headlines(shares(), table(row))
    assert line.startswith(f"In the median draw VB needs {verdict} cases ")


def test_no_interval_of_a_ratio_without_its_ends():
    (without,), (line,) = (
        headlines(shares(), table(pair("vb", "bic", 2.0, *ends))) for ends in ((nan, nan), (1.5, 3))
    )
    assert "ratio" not in without and "is 2 (1.5 to 3)" in line
    assert markdown.ratio_between(2.0, nan, nan) == "2"
    assert markdown.ratio_between(nan, nan, nan) == "never"
    assert markdown.ratio_between(nan, 44.52, nan) == "never (44.5 to never)"
    assert (
        words.plus_minus(0.0, 0.0) == "0.00" and words.plus_minus(1.0, 0.0004) == "1.0000 ± 0.0004"
    )


@pytest.mark.parametrize(("high", "most"), [(0.49, True), (0.51, False)])
def test_most_draws_need_more_where_the_interval_says_so(high, most):
    (line,) = headlines(shares(vb={480: 20}).assign(high=high), table())
    assert ("most draws" in line) == most


def test_headlines_without_their_numbers():
    assert headlines(shares(bic={480: 5}), table()) == []
    assert headlines(shares(), table()) == []
