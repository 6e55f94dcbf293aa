"""The article: each number in it is one of the tables, and it says where tables are missing."""

import copy
import html
import re

import made_up_article
import pytest
from studies import ROOT

from latentdag.report.article import numbers
from latentdag.study.paper.runs import EVERY, PAPERS
from lib.article import (
    FIGURES_OF_STUDY,
    FIGURES_QUOTED,
    typeset,
)

pytestmark = pytest.mark.slow

SOURCES = [ROOT / "workflow/article" / name for name in ("article.typ", "references.bib")]
PUBLISHED = ROOT / "figures/published"
FIGURES = {name: PUBLISHED / f"study/{name}.pdf" for name in FIGURES_OF_STUDY}
FIGURES |= {name: PUBLISHED / f"{name}.pdf" for name in FIGURES_QUOTED}


def of_draws() -> dict[str, dict]:
    """The tables of the populations, of which a test may put others into the dictionaries."""
    return {name: dict(tables) for name, tables in made_up_article.populations().items()}


def gathered(study=None, populations=None, **record) -> dict:
    known = made_up_article.RECORD | record
    study = made_up_article.study() if study is None else study
    populations = of_draws() if populations is None else populations
    records = made_up_article.records(populations)
    return numbers(known, study, populations, records, made_up_article.experiments())


def words(found: dict, figures: dict | None = None) -> str:
    """What the article says, its tables row by row."""
    page = typeset(found, figures or {}, SOURCES, format="html").decode()
    body = re.sub(r"<(style|head)>.*?</\1>|<img[^>]*>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def otherwise() -> dict:
    """With the order of VB and BIC turned round, and without a finer grid."""
    populations = of_draws()
    del populations["fine-grid"]
    for run in (PAPERS, "true-alpha-2"):
        table = populations[run]["comparisons"].copy()
        own = (table["by"] == "structure") & (table["method"] == "vb") & (table["other"] == "bic")
        table.loc[own, ["earlier", "later", "low", "high"]] = (3, 30, 0.02, 0.25)
        table.loc[own, ["ratio_least", "ratio_low", "ratio_high"]] = (3.0, 2.5, float("nan"))
        populations[run]["comparisons"] = table
    return gathered(populations=populations)


def fewer_scores() -> dict:
    """And no table over many draws."""
    kept = ("reference", "map", "bic", "vb")
    study = made_up_article.study()
    fewer = {k: t[t["method"].isin(kept)] if "method" in t else t for k, t in study.items()}
    fewer["evidence"] = study["evidence"]
    fewer |= {name: study[name].iloc[:0] for name in ("annealing", "timing", "sandwich")}
    del fewer["benchmark"]
    return gathered(fewer, {})


def some_populations() -> dict:
    return gathered(populations={name: of_draws()[name] for name in [EVERY]})


def test_it_is_set_from_fewer_tables_too():
    for article in (fewer_scores, some_populations):
        assert not re.search(r"\b(None|nan|inf)\b", words(article()))


def test_verdicts_follow_the_numbers():
    """A sentence that judges holds for the tables that it is set from."""
    told, other = (words(article()) for article in (gathered, otherwise))
    assert "The order of VB and BIC is the paper’s." in told
    assert "The order of VB and BIC is not the paper’s." in other
    against = r"Do not hold in most [^:]*: [^.]*VB needs fewer cases than BIC"
    assert re.search(against, other) and not re.search(against, told)
    assert "with each of the two pairs of priors" in told
    assert "with one of the two pairs of priors" in other


def test_pages_and_bytes():
    """Six to eight pages with all figures, nothing missing in its fonts, the same bytes again."""
    found = gathered()
    pdf = typeset(found, FIGURES, SOURCES)
    assert pdf.startswith(b"%PDF") and pdf == typeset(copy.deepcopy(found), FIGURES, SOURCES)
    assert b"20310507" in pdf, "its date is that of the study"
    assert 6 <= len(typeset(found, FIGURES, SOURCES, format="png", ppi=10)) <= 9
    told = words(found, FIGURES)  # those of the paper are one, and `annealing` is one of them
    assert set(re.findall(r"Figure (\d):", told)) == set("12345")
