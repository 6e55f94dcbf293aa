"""Sections and figures show what `study` has computed."""

import ast
from pathlib import Path

import pytest

from latentdag import figures, report

COMPUTED = {"agg", "aggregate", "corr", "cumsum", "groupby", "idxmax", "idxmin", "mean", "median"}
COMPUTED |= {"merge", "nlargest", "nsmallest", "nunique", "quantile", "rank", "sem", "sort_values"}
COMPUTED |= {"std", "sum", "transform", "value_counts", "var"}
SOURCES = [f for of in (report, figures) for f in sorted(Path(of.__file__).parent.rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_section_and_no_figure_computes_a_statistic(path):
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & COMPUTED
