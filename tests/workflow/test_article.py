"""The article: each number in it is one of the tables, and it says where tables are missing."""

import copy
import html
import re

import made_up_article
import pytest
import typst
from studies import ROOT

from latentdag.report.article import numbers
from latentdag.scores import SPECS
from latentdag.study.paper.runs import EVERY, PAPERS
from lib.article import (
    FIGURES_OF_STUDY,
    FIGURES_QUOTED,
    FILES_OF_POPULATIONS,
    typeset,
)

pytestmark = pytest.mark.slow

SOURCES = [ROOT / "workflow/article" / name for name in ("article.typ", "references.bib")]
TEXT, BIBLIOGRAPHY = (path.read_text(encoding="utf-8") for path in SOURCES)
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
    return numbers(known, study, populations, made_up_article.records(populations))


def words(found: dict, figures: dict | None = None) -> str:
    """What the article says, its tables row by row."""
    page = typeset(found, figures or {}, SOURCES, format="html").decode()
    body = re.sub(r"<(style|head)>.*?</\1>|<img[^>]*>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def otherwise() -> dict:
    """With the order of VB and BIC turned round."""
    populations = of_draws()
    table = populations[PAPERS]["comparisons"].copy()
    own = (table["by"] == "structure") & (table["method"] == "vb") & (table["other"] == "bic")
    table.loc[own, ["earlier", "later", "low", "high"]] = (3, 30, 0.02, 0.25)
    table.loc[own, ["ratio_least", "ratio_low", "ratio_high"]] = (3.0, 2.5, float("nan"))
    populations[PAPERS]["comparisons"] = table
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


ARTICLES = {
    "everything": gathered,
    "otherwise": otherwise,
    "fewer-scores": fewer_scores,
    "some-populations": lambda: gathered(populations={name: of_draws()[name] for name in [EVERY]}),
}


@pytest.mark.parametrize("name", ARTICLES)
def test_its_numbers_are_as_they_were(golden, name):
    """All its numbers, in order; no two of the made-up tables are alike where that is possible."""
    told = words(ARTICLES[name]())
    golden(f"article-{name}.txt", "\n".join(re.findall(r"[+−]?\d[\d.,]*", told)) + "\n")


def test_verdicts_follow_the_numbers():
    """A sentence that judges holds for the tables that it is set from."""
    told, other = (words(article()) for article in (gathered, otherwise))
    assert "The order of VB and BIC is the paper’s." in told
    assert "The order of VB and BIC is not the paper’s." in other
    against = r"Do not hold in most [^:]*: [^.]*VB needs fewer cases than BIC"
    assert re.search(against, other) and not re.search(against, told)


@pytest.mark.parametrize("names", [(), [PAPERS], [*FILES_OF_POPULATIONS][1:], [EVERY]])
def test_it_says_which_populations_are_missing(names):
    found = words(gathered(populations={name: of_draws()[name] for name in names}))
    absent = "The tables over many draws were not there when this article was set"
    assert (absent in found) == (PAPERS not in names)
    absent = "with a true structure for each draw were not there"
    assert (absent in found) == (EVERY not in names)


def test_pages_and_bytes():
    """Six to eight pages with all figures, nothing missing in its fonts, the same bytes again."""
    found = gathered()
    pdf = typeset(found, FIGURES, SOURCES)
    assert pdf.startswith(b"%PDF") and pdf == typeset(copy.deepcopy(found), FIGURES, SOURCES)
    assert b"20310507" in pdf, "its date is that of the study"
    assert 6 <= len(typeset(found, FIGURES, SOURCES, format="png", ppi=10)) <= 9
    told = words(found, FIGURES)  # those of the paper are one, and `annealing` is one of them
    assert set(re.findall(r"Figure (\d):", told)) == set("12345")


def test_every_reference_is_cited_and_there(tmp_path):
    keys = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.M)
    cited = set(re.findall(r"@(\w+)|<(\w+)>\)|cite\(<(\w+)>", TEXT))
    assert len(set(keys)) == len(keys) > 10
    assert set(keys) <= {key for found in cited for key in found}
    dois = re.findall(r"^\s+doi\s+= \{(.*)\},$", BIBLIOGRAPHY, re.M)
    assert len(set(dois)) == len(dois) > 10
    assert all(re.fullmatch(r"10\.\d{4,5}/\S+", doi) for doi in dois)

    without = tmp_path / "references.bib"
    without.write_text(re.sub(r"@article\{neal2001.*?^\}", "", BIBLIOGRAPHY, flags=re.M | re.S))
    with pytest.raises(typst.TypstError, match="neal2001"):
        typeset(gathered(populations={}), {}, [SOURCES[0], without])


def test_claims_are_found_by_their_names():
    """The claims that the article looks up are among those that are judged."""
    names = of_draws()["draws-of-the-paper"]["claims_held"]["claim"]
    patterns = set(re.findall(r'claim\("(.*?)"\)', TEXT))
    assert len(patterns) > 3
    for pattern in patterns:
        assert sum(bool(re.search(pattern, name)) for name in names) == 1, pattern


def test_no_number_is_typed():
    """But for places in the sources, what defines a formula, and units."""
    prose = TEXT[TEXT.index("// First page") :]
    for code in (
        r"^#let formulas = \(.*?^\)$", r"^#let sources = \(.*?^\)$",  # definitions, places
        r"//.*", r"\$[^$]*\$", r'"[^"]*"', r"digits: \d", r"\bat\([^()]*\)", r"range\(.*",
        r"calc\.(min|max|pow)\(.*", r"columns: .*", r"\.len\(\) \+ 1", r"zip\(.*",
        r"[\d.]+(pt|cm|em|fr)\b", r"(width|columns|sym|h)[:(] ?\d[\d.%]*", r"luma\(\d+\)",
        r"[<>=]=? ?[\d.]+", r"\b100 \* ", r"\b[\d+]+ [+*] ", r"\.slice\(0, 10\)", r"low: 0\b",
        r"95~%|90~%|\(10 to", r"Section~[\d.]+|Section\s+[\d.]+|Figure~\d|note 4",
        r"\[(4\.2|3\.1|thesis, 2\.3\.2)[],]", r"1~GHz Pentium III",
        r"(probability|share\s+of)\s+0\.7",
        r"within 1~nat", r"more than 3 standard|beyond 3\.", r"0 and 1|0\s+and 1",
    ):  # fmt: skip
        prose = re.sub(code, " ", prose, flags=re.M | re.S if code.startswith("^") else re.M)
    prose = re.sub(r"#[\w.-]+|\b[a-z_-]+\d+\b", " ", prose)
    left = [line.strip() for line in prose.splitlines() if re.search(r"\d", line)]
    assert left == []


def test_every_score_has_its_formula():
    for name in ("formulas", "sources"):
        (block,) = re.findall(rf"^#let {name} = \((.*?)^\)$", TEXT, re.M | re.S)
        assert set(re.findall(r"(?:^|, )\s*(\w+): [$\[]", block, re.M)) == set(SPECS), name
