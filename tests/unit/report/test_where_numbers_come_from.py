"""Whoever reads a summary finds its section in the template by the title, and above it the
statistics and the tables that it shows.
"""

import ast
import importlib
import re
from pathlib import Path

import pytest

from latentdag import figures, report
from latentdag.study.schema.columns import TABLES

TEMPLATES = Path(report.__file__).parent / "templates"


def comments(name: str) -> list[str]:
    """The last comment above each section of a template."""
    text = (TEMPLATES / f"{name}.md.j2").read_text(encoding="utf-8")
    *above, _ = re.split(r"^## .*$", text, flags=re.M)
    return [re.findall(r"\{# (.*?) #\}", part, re.S)[-1] for part in above]


NAMES = ("study", "population", "data", "findings", "fits")
COMMENTS = [comment for name in NAMES for comment in comments(name)]


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_section_names_what_it_shows(comment):
    assert len(COMMENTS) > 50
    statistics = re.findall(r"latentdag\.([\w.]+)\.(\w+)", comment)
    for module, function in statistics:
        assert callable(getattr(importlib.import_module(f"latentdag.{module}"), function))
    named = re.findall(r"tables? ([\w, ]+?)(?::|;|$|, latentdag)", " ".join(comment.split()))
    tables = [table for names in named for table in re.split(r", | and ", names)]
    assert set(tables) <= set(TABLES) and (statistics or tables)


COMPUTED = {"agg", "aggregate", "corr", "cumsum", "groupby", "idxmax", "idxmin", "mean", "median"}
COMPUTED |= {"merge", "nlargest", "nsmallest", "nunique", "quantile", "rank", "sem", "sort_values"}
COMPUTED |= {"std", "sum", "transform", "value_counts", "var"}
SOURCES = [f for of in (report, figures) for f in sorted(Path(of.__file__).parent.rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_section_and_no_figure_computes_a_statistic(path):
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & COMPUTED
