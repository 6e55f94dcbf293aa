"""The findings that come first: a verdict follows its interval, and what the tables lack is left
out.
"""

from types import SimpleNamespace

import made_up_population
import pandas as pd
import pytest

from latentdag.report.findings import headlines
from latentdag.report.population_summary import how_many_cases
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
    ("interval", "verdict"),
    [((1.01, 3), "fewer"), ((0.9, 1.0), "as many"), ((1.0, 2), "as many"), ((0.2, 0.99), "more")],
)
def test_a_verdict_follows_its_interval(interval, verdict):
    (line,) = headlines(shares(), table(pair("vb", "bic", 1.0, *interval)))
    assert line.startswith(f"VB needs {verdict} cases ")


@pytest.mark.parametrize(("high", "most"), [(0.49, True), (0.51, False)])
def test_most_draws_need_more_where_the_interval_says_so(high, most):
    (line,) = headlines(shares(vb={480: 20}).assign(high=high), table())
    assert ("most draws" in line) == most


def test_headlines_without_their_numbers():
    assert headlines(shares(bic={480: 5}), table()) == []
    nan = float("nan")
    assert headlines(shares(), table(pair("vb", "bic", nan, nan, nan))) == []


def test_scores_need_no_number_of_cases_where_no_draw_tells_it():
    needed = made_up_population.tables().cases_needed
    none = (needed["by"] == "class") | (needed["method"] == "vb")
    needed = needed.assign(draws=needed["draws"].mask(none, 0))
    told = how_many_cases(SimpleNamespace(cases_needed=needed))["by_kind"]
    assert set(told) == {"structure"}
    assert set(told["structure"].index) == set(needed["method"][~none])
