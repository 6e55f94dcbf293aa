"""The article: each number in it is one of the tables, and it says where tables are missing."""

import copy
import html
import re

import made_up_article
import pytest
from studies import ROOT

from latentdag.report.article import numbers
from latentdag.study.paper.runs import EVERY, MORE_TRUTHS, PAPERS
from lib.article import FIGURES_OF_STUDY, FIGURES_QUOTED, typeset

pytestmark = pytest.mark.slow

SOURCES = [ROOT / "workflow/article" / name for name in ("article.typ", "references.bib")]
PUBLISHED = ROOT / "figures/published"
FIGURES = {name: PUBLISHED / f"study/{name}.pdf" for name in FIGURES_OF_STUDY}
FIGURES |= {name: PUBLISHED / f"{name}.pdf" for name in FIGURES_QUOTED}


def gathered(study=None, populations=None) -> dict:
    study = made_up_article.study() if study is None else study
    populations = made_up_article.populations() if populations is None else populations
    records, experiments = made_up_article.records(populations), made_up_article.experiments()
    return numbers(made_up_article.RECORD, study, populations, records, experiments)


def words(article: dict, figures: dict | None = None) -> str:
    """What the article says, its tables row by row."""
    page = typeset(article, figures or {}, SOURCES, format="html").decode()
    body = re.sub(r"<(style|head)>.*?</\1>|<img[^>]*>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def fewer_scores() -> dict:
    """And no table over many draws."""
    kept = ("reference", "map", "bic", "vb")
    study = made_up_article.study()
    fewer = {k: t[t["method"].isin(kept)] if "method" in t else t for k, t in study.items()}
    fewer["evidence"] = study["evidence"]
    fewer |= {name: study[name].iloc[:0] for name in ("annealing", "timing", "sandwich")}
    del fewer["benchmark"]
    return gathered(fewer, {})


def test_it_is_set_from_fewer_tables_too():
    every = {EVERY: made_up_article.populations()[EVERY]}
    for article in (fewer_scores(), gathered(populations=every)):
        assert not re.search(r"\b(None|nan|inf)\b", words(article))


def test_the_long_chain_and_that_by_rows_have_their_own_numbers():
    """Of steps, and of nats from the evidence."""
    told = re.findall(r"\d+(?:\.\d+)?", words(gathered()))
    long, by_rows = told.index("65432"), told.index("4567")
    assert long < told.index("3.5", long) < by_rows < told.index("7.0", long)


def test_more_truths_have_the_tests_and_the_log_score_of_their_draws():
    tables = made_up_article.population(None, 37)
    article = gathered(populations=made_up_article.populations() | {MORE_TRUTHS: tables})
    rows = tables["verdicts"].query("by == 'structure' and method == 'reference'")
    gaps = (rows["log_probability"] - rows["expected_log_probability"]).groupby(rows["draw"]).mean()
    tests = tables["calibration"].query("method == 'reference'").dropna(subset="z")
    told = re.findall(r"\d+(?:\.\d+)?", words(article))
    counts = [f"{len(tests)}", "0.05", f"{abs(gaps.mean()):.2f}", f"{gaps.sem():.2f}"]
    of_draws = told[told.index("37") :]
    assert counts == [number for number in of_draws[:9] if number in counts]


def sentences(article: dict) -> set[str]:
    """What the article says, with # for each number."""
    return set(re.split(r"(?<=[.:]) ", re.sub(r"\d+(?:\.\d+)?", "#", words(article))))


@pytest.mark.parametrize("run", [PAPERS, "true-alpha-2"])
def test_where_another_score_needs_fewer_cases_other_sentences_say_so(run):
    """With the order of VB and BIC turned round, of true structures in the paper's order or of
    another prior.
    """
    populations = dict(made_up_article.populations())
    del populations["fine-grid"]  # which comes before the study's sizes
    table = populations[run]["comparisons"].copy()
    pair = (table["by"] == "structure") & (table["method"] == "vb") & (table["other"] == "bic")
    columns, said = ["earlier", "later", "low", "high", "ratio_least"], []
    for of_pair in ((30, 3, 0.8, 0.98, 0.5), (29, 4, 0.7, 0.96, 0.5), (3, 30, 0.02, 0.25, 3.0)):
        table.loc[pair, columns] = of_pair
        turned = populations[run] | {"comparisons": table.copy()}
        said.append(sentences(gathered(populations=populations | {run: turned})))
    assert said[0] == said[1] != said[2]


def test_the_same_numbers_give_the_same_bytes():
    """With all figures, and the date of the study."""
    article = gathered()
    pdf = typeset(article, FIGURES, SOURCES)
    assert pdf.startswith(b"%PDF") and pdf == typeset(copy.deepcopy(article), FIGURES, SOURCES)
    assert b"20310507" in pdf
    assert len(typeset(article, FIGURES, SOURCES, format="png", ppi=10)) <= 9  # pages
    # those of the paper are one, and `annealing` is one of them
    assert set(re.findall(r"Figure (\d):", words(article, FIGURES))) == set("12345")
