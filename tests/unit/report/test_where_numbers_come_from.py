"""Whoever reads a summary finds its section in the template by the title, and there the statistics
and tables that it shows, and the view that picks the numbers, or what is shown as it is.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from latentdag import figures, report
from latentdag.report import data_summary, findings, population_summary, summary
from latentdag.study.schema.columns import TABLES

TEMPLATES = Path(report.__file__).parent / "templates"
VIEWS = {
    "study": summary,
    "population": population_summary,
    "data": data_summary,
    "findings": findings,
    "fits": None,  # shared by two summaries, without a view
}


def sections(name: str) -> list[tuple[str, str, str, str]]:
    """Of a template: its name, and by section the comment above, the code and the title."""
    text = (TEMPLATES / f"{name}.md.j2").read_text(encoding="utf-8")
    found = []
    for part in re.split(r"^\{# (?=latentdag|table)", text, flags=re.M)[1:]:
        comment, _, code = part.partition(" #}")
        found += [(name, comment, code, title) for title in re.findall(r"^## (.*)$", code, re.M)]
    return found


SECTIONS = [section for name in VIEWS for section in sections(name)]


@pytest.mark.parametrize(("name", "comment", "code", "title"), SECTIONS)
def test_a_section_names_what_it_shows(name, comment, code, title):
    assert len(SECTIONS) > 50
    views = re.findall(r"views\.(\w+)\(", code)
    assert all(inspect.isfunction(getattr(VIEWS[name], view)) for view in views)
    statistics = re.findall(r"latentdag\.([\w.]+)\.(\w+)", comment)
    for module, function in statistics:
        assert callable(getattr(importlib.import_module(f"latentdag.{module}"), function))
    named = re.findall(r"tables? ([\w, ]+?)(?::|;|$|, latentdag)", " ".join(comment.split()))
    tables = [table for names in named for table in re.split(r", | and ", names)]
    assert set(tables) <= set(TABLES) and (statistics or tables)
    words = re.sub(r"\W", " ", title.lower().replace("'", "")).split()
    stems = {word.rstrip("s") for word in words}
    if not any({word.rstrip("s") for word in view.split("_")} <= stems for view in views):
        shown = {function for _, function in statistics} | set(tables)
        assert shown & set(re.findall(r"\w+", code))


COMPUTED = {"agg", "aggregate", "corr", "cumsum", "groupby", "idxmax", "idxmin", "mean", "median"}
COMPUTED |= {"merge", "nlargest", "nsmallest", "nunique", "quantile", "rank", "sem", "sort_values"}
COMPUTED |= {"std", "sum", "transform", "value_counts", "var"}
SOURCES = [f for of in (report, figures) for f in sorted(Path(of.__file__).parent.rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_section_and_no_figure_computes_a_statistic(path):
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & COMPUTED
