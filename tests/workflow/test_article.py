"""The article: each number in it is one of the tables, and it says where tables are missing."""

import copy
import html
import re
from math import log

import made_up_article
import pandas as pd
import pytest
import typst
from made_up import TRUE
from studies import ROOT

from latentdag.report.article import numbers
from latentdag.scores import SPECS
from lib.article import typeset
from lib.plan import PAPER_IN_ARTICLE, POPULATION_IN_ARTICLE, POPULATIONS, STUDY_IN_ARTICLE

pytestmark = pytest.mark.slow

SOURCES = [ROOT / "workflow/article" / name for name in ("article.typ", "references.bib")]
TEXT, BIBLIOGRAPHY = (path.read_text(encoding="utf-8") for path in SOURCES)
OF_STUDY = (*STUDY_IN_ARTICLE[1], *PAPER_IN_ARTICLE)
FIGURES = {name: ROOT / f"figures/{name}.pdf" for name in OF_STUDY}
FIGURES |= {
    f"{POPULATIONS[0]}/{name}": ROOT / f"figures/{POPULATIONS[0]}/{name}.pdf"
    for name in POPULATION_IN_ARTICLE[1]
}


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


@pytest.fixture(scope="module")
def told() -> str:
    return words(gathered())


def with_cell(table, column: str, value, **where):
    """A copy of the table in which the rows with these values have another cell."""
    rows = True
    for name, is_value in where.items():
        rows = rows & (table[name] == is_value)
    assert rows.any()
    changed = table.copy()
    changed.loc[rows, column] = value
    return changed


VB = {"by": "structure", "method": "vb"}
# a table of the study or of a population, the cells that are changed in some of its rows, and what
# the article then says
CHANGED = {
    "share found": (
        "draws-of-the-paper/found_share",
        {"share": 0.425, "low": 0.313, "high": 0.555},
        VB | {"n": 480},
        "17 of 40 draws (42 %; 31 to 56 %)",
    ),
    "error over draws": (
        "draws-of-the-paper/population",
        {"mean_absolute_error": 87.65, "mean_absolute_error_se": 4.32},
        VB | {"n": 480},
        "87.6 ± 4.3 for VB",
    ),
    "a claim": (
        "draws-of-the-paper/claims_held",
        {"holds": 29, "share": 0.88, "low": 0.73, "high": 0.95},
        {"claim": "AIS lies above VB for every structure"},
        "29 of 33 (88 %; 73 to 95 %) yes",
    ),
    "another prior": (
        "alpha-0.5/found_share",
        {"share": 13 / 21, "low": 0.41, "high": 0.79},
        VB | {"n": 480},
        "With 𝛼 = 0.5 VB finds the true structure by 480 cases in 13 of 21 draws",
    ),
    "which score needs fewer cases": (
        "draws-of-the-paper/comparisons",
        {"earlier": 3, "later": 30, "low": 0.02, "high": 0.25}
        | {"factor_low": 3.0, "factor_high": 4.0},
        VB | {"other": "bic"},
        "Our order differs.",
        "(95 % interval 3 to 4)",
    ),
    "the paper's ratio": (
        "draws-of-the-paper/claims_held",
        {"holds": 27, "share": 0.82, "low": 0.66, "high": 0.91},
        {"claim": "BIC needs at least 2.3 times as many cases as VB"},
        "the paper’s ratio, in 27 of 33 testable draws (82 %; 66 to 91 %)",
    ),
    "a step": ("benchmark", {"microseconds": 7.77}, {"step": "VBEM iteration"}, "VBEM 7.77 µs"),
    "a bound on both sides": (
        "sandwich",
        {"gap": 8.76},
        {"structure": "1-1-0", "draw": 1, "n": 80},
        "a gap of at most 8.76 nats",
    ),
}


@pytest.fixture(scope="module")
def changed() -> str:
    """What the article says when all these cells are changed."""
    study, populations = dict(made_up_article.study()), of_draws()
    for path, cells, where, *_ in CHANGED.values():
        folder, _, table = path.rpartition("/")
        tables = populations[folder] if folder else study
        for column, value in cells.items():
            tables[table] = with_cell(tables[table], column, value, **where)
    return words(gathered(study, populations))


@pytest.mark.parametrize("name", CHANGED)
def test_a_number_is_that_of_its_table(told, changed, name):
    _, _, _, *expected = CHANGED[name]
    for sentence in expected:
        assert sentence not in told
        assert sentence in changed


def test_how_long_annealing_must_be_is_of_the_median_chain():
    """Of three chains one is so high at 64 steps that the mean weight is the evidence already."""
    study = dict(made_up_article.study())
    known = study["evidence"].query(f"draw == 0 and n == 480 and structure == '{TRUE}'")
    level = known["log_evidence"].item()
    rows = [
        (0, 480, TRUE, "metropolis", steps, "prior", chain, level + above)
        for steps, chains in {64: (-30, -30, log(3)), 256: (0, 0, 0)}.items()
        for chain, above in enumerate(chains)
    ]
    study["annealing"] = pd.DataFrame(rows, columns=study["annealing"].columns)
    assert gathered(study)["study"]["annealing"]["median_near"] == 256


def test_verdicts_follow_the_numbers(told, changed):
    """A sentence that judges holds for the tables that it is set from."""
    assert "Our order agrees." in told
    against = r"Do not hold in most testable draws: [^.]*VB needs fewer cases than BIC"
    assert re.search(against, changed) and not re.search(against, told)


@pytest.mark.parametrize("names", [(), POPULATIONS[:1], POPULATIONS[1:], POPULATIONS[1:2]])
def test_it_says_which_populations_are_missing(names):
    found = words(gathered(populations={name: of_draws()[name] for name in names}))
    absent = "The tables over many draws were not there when this article was set"
    assert (absent in found) == (POPULATIONS[0] not in names)
    absent = "with a true structure for each draw were not there"
    assert (absent in found) == (POPULATIONS[1] not in names)
    assert "What this rests on" in found


def test_a_study_of_fewer_scores_has_an_article():
    kept = ("reference", "map", "bic", "vb")
    study = made_up_article.study()
    fewer = {k: t[t["method"].isin(kept)] if "method" in t else t for k, t in study.items()}
    fewer["evidence"] = study["evidence"]
    fewer |= {name: study[name].iloc[:0] for name in ("annealing", "timing", "sandwich")}
    del fewer["benchmark"]
    found = words(gathered(fewer, {}))
    assert "A tighter lower bound" not in found and "References" in found


def test_pages_and_bytes():
    """Six to eight pages with all figures, nothing missing in its fonts, the same bytes again."""
    found = gathered()
    pdf = typeset(found, FIGURES, SOURCES)
    assert pdf.startswith(b"%PDF") and pdf == typeset(copy.deepcopy(found), FIGURES, SOURCES)
    assert b"20310507" in pdf, "its date is that of the study"
    assert 6 <= len(typeset(found, FIGURES, SOURCES, format="png", ppi=10)) <= 9
    told = words(found, FIGURES)
    assert all(f"Figure {n}:" in told for n in range(1, len(FIGURES)))  # two are one


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


def test_every_score_has_its_formula(told):
    for name in ("formulas", "sources"):
        (block,) = re.findall(rf"^#let {name} = \((.*?)^\)$", TEXT, re.M | re.S)
        assert set(re.findall(r"(?:^|, )\s*(\w+): [$\[]", block, re.M)) == set(SPECS), name
    assert all(spec.label in told for spec in SPECS.values())
