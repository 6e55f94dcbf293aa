"""Whoever reads a summary finds the file of each section by its title, and in it the statistic that
it shows.
"""

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

import made_up
import made_up_population
import pytest

from latentdag import figures, report
from latentdag.report import data, population, study
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.study.one_draw import errors, posterior, ranks
from latentdag.study.paper import timing


@cache
def summary() -> str:
    scores = made_up.scores(methods=(*made_up.METHODS, "bridge", "vb_collapsed", "vb_mix"))
    structures = made_up.structures_table()
    return write_summary(
        {},
        scores=made_up.with_copies(scores),
        ranks=ranks.ranks(scores, made_up.TRUE, 0, structures),
        errors=errors.errors(scores),
        posterior=posterior.posterior(scores),
        classes=posterior.classes(scores, structures),
        structures=structures,
        annealing=made_up.annealing(),
        timing=timing.timing({("map", 480): 1.0}, 1),
        sandwich=made_up.sandwich(),
        prior=made_up.prior(),
        cost=made_up.cost(),
    )


def population_summary() -> str:
    return write_population_summary({}, **vars(made_up_population.tables(6, (20, 480, 1120))))


def modules(package):
    return [
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
        if not found.ispkg
    ]


SECTIONS = [
    m for p in (report, study, data, population) for m in modules(p) if hasattr(m, "section")
]
OF_POPULATIONS = [m for m in SECTIONS if ".population." in m.__name__]
OF_STUDIES = [m for m in SECTIONS if ".data." not in m.__name__ and m not in OF_POPULATIONS]
TOLD = ((summary, OF_STUDIES), (population_summary, OF_POPULATIONS))


def has_title(module, heading):
    pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(module.TITLE))
    return re.fullmatch(pattern, heading)


@pytest.mark.parametrize(("write", "sections"), TOLD, ids=("study", "population"))
def test_each_section_is_a_file_of_its_name(write, sections):
    for heading in re.findall(r"^## (.*)$", write(), re.M):
        (module,) = [m for m in sections if has_title(m, heading)]
        words = module.__name__.rpartition(".")[2].split("_")
        told = re.sub(r"\W", " ", f"{heading} {module.__doc__}".lower().replace("'", "")).split()
        assert set(words) <= set(told), heading


@pytest.mark.parametrize("module", SECTIONS, ids=lambda m: m.__name__.partition("report.")[2])
def test_each_section_names_what_it_shows(module):
    named = re.findall(r"`(latentdag\.study\.\w+\.\w+)(?:\.(\w+))?`", module.__doc__)
    assert named or re.search(r"the tables? of \w+", module.__doc__, re.IGNORECASE)
    for name, function in named:
        found = importlib.import_module(name)
        assert not function or callable(getattr(found, function))


@pytest.mark.parametrize(("write", "sections"), TOLD, ids=("study", "population"))
def test_every_section_is_told(write, sections):
    titles = re.findall(r"^## (.*)$", write(), re.M)
    for module in sections:
        assert any(has_title(module, title) for title in titles), module.__name__


COMPUTED = {"agg", "aggregate", "corr", "cumsum", "groupby", "idxmax", "idxmin", "mean", "median"}
COMPUTED |= {"merge", "nlargest", "nsmallest", "nunique", "quantile", "rank", "sem", "sort_values"}
COMPUTED |= {"std", "sum", "transform", "value_counts", "var"}
SOURCES = [f for of in (report, figures) for f in sorted(Path(of.__file__).parent.rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_section_and_no_figure_computes_a_statistic(path):
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not {f.attr for f in calls if isinstance(f, ast.Attribute)} & COMPUTED
