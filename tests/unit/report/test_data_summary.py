"""The summary of one's own data, from tables made by hand, and the estimates behind it."""

import re

import numpy as np
import pandas as pd
import pytest

from latentdag import Family, Structure, enumerate_structures, estimate, score
from latentdag.model.parameters import cell_probabilities
from latentdag.report.data_summary import write_data_summary
from latentdag.study.one_draw.posterior import classes
from latentdag.study.own_data import marginals
from latentdag.study.schema.columns import TABLES

FAMILY = Family((2, 2), (2, 2, 2))
KNOWN = {s.label: s for s in enumerate_structures(FAMILY)}
MASS = {"1-1-1": 0.6, "1-1-2": 0.3, "0-1-1": 0.1}
PUBLISHED = pd.DataFrame(
    [
        ("a book (1974)", 2, "likelihood ratio statistic G2", 1.25, 1.2496),
        ("a book (1974)", 2, "class size", 0.701, 0.72),
        ("a table", 2, "degrees of freedom", 95, 104),
        ("a book (1974)", 3, "BIC", 697.1357, 697.13574),
    ],
    columns=TABLES["published"].columns,
)


@pytest.fixture
def cases():
    return pd.DataFrame(
        np.random.default_rng(0).integers(2, size=(60, 3)), columns=["y1", "y2", "y3"]
    )


@pytest.fixture
def tables():
    scores, posterior = [], []
    for label in KNOWN:
        d = Structure.from_label(label, FAMILY).n_parameters
        for method in ("map", "bic", "ml", "vb", "reference"):
            value = -120.0 + 10 * MASS.get(label, 0) - (0 if method == "reference" else 1)
            error = 0.25 if method == "reference" else np.nan
            scores.append(
                (
                    0,
                    60,
                    label,
                    method,
                    value,
                    error,
                    d,
                    np.nan,
                    method != "vb" or label != "0-0-0",
                    8,
                    3,
                    np.nan,
                )
            )
        posterior += [(0, 60, label, m, MASS.get(label, 0.0)) for m in ("reference", "vb", "bic")]
    columns = TABLES["scores"].columns[:12]
    names = [
        (j + 1, name, c, v, 30)
        for j, name in enumerate(["a", "b", "c"])
        for c, v in enumerate(["no", "yes"])
    ]
    parameters = [
        ("1-1-1", kind, "s1", "", state, p, p - 0.1, p + 0.1, 900, p)
        for kind in ("map", "ml")
        for state, p in (("1", 0.72), ("2", 0.28))
    ] + [
        ("1-1-1", "map", "a", "s1 = 1", v, p, np.nan, np.nan, np.nan, np.nan)
        for v, p in (("no", 0.9), ("yes", 0.1))
    ]
    fit = ("1-1-1", "bic vb", -119.5, 2.25, 2.5, 0, 7, 7, 253.0, 267.66, np.nan, np.nan, 0, 60)
    membership = [
        ("1-1-1", i + 1, values, 30, state, p, p > 0.5, 0.5)
        for i, values in enumerate(["no, no, no", "yes, no, no"])
        for state, p in (("s1 = 1", 0.25), ("s1 = 2", 0.75))
    ]
    scores = pd.DataFrame(scores, columns=columns)
    posterior = pd.DataFrame(posterior, columns=TABLES["posterior"].columns)
    structures = pd.DataFrame(
        [(s, Structure.from_label(s, FAMILY).absorbed().label, 4, "2,2") for s in KNOWN],
        columns=["structure", "class", "dimension", "hidden"],
    )
    return {
        "scores": scores,
        "structures": structures,
        "classes": classes(scores, structures),
        "posterior": posterior,
        "causes": marginals.causes(posterior, KNOWN),
        "links": marginals.links(posterior, KNOWN, ["a", "b", "c"]),
        "variables": pd.DataFrame(names, columns=["variable", "name", "code", "value", "cases"]),
        "parameters": pd.DataFrame(
            parameters,
            columns=TABLES["parameters"].columns,
        ),
        "membership": pd.DataFrame(membership, columns=TABLES["membership"].columns),
        "fit": pd.DataFrame([fit], columns=TABLES["fit"].columns),
        "residuals": pd.DataFrame([("1-1-1", "a", "b", 0.5)], columns=TABLES["residuals"].columns),
        "errors": pd.DataFrame(
            [(0, 60, s, "vb", -1.0 - i, 0.25) for i, s in enumerate(KNOWN)],
            columns=["draw", "n", "structure", "method", "error_nats", "standard_error"],
        ),
    }


def summary(tables, **more):
    config = {"data": {"file": "mine.csv"}, "seed": 3, "equally_probable": "structures"}
    return write_data_summary(config, FAMILY.observed, **tables, **more)


def test_it_tells_the_best_structures_and_their_probabilities(tables):
    text = summary(tables)
    assert text.startswith("# What the scores say of mine.csv\n")
    assert "| reference | 1-1-1 | -114.00 ± 0.25 | 3.00 ± 0.35 | 0.6 |" in text
    d = Structure.from_label("1-1-2", FAMILY).n_parameters
    assert f"| 1-1-2 | 1-1-0 | s1: a, b; s2: c | {d} | 4 | 0.3 | 0.3 | 0.3 |" in text
    assert "s1: b, c; without a cause: a" in text
    assert "By reference, the most trusted score, " in text
    assert "true structure first" not in text
    assert "seed = 3" in text


def test_pairs_are_summed_over_all_structures(tables):
    text = summary(tables)
    assert "| a | b | 0.900 |" in text
    assert "| a | c | 0.600 |" in text
    assert "| b | c | 0.700 |" in text
    assert "by reference: 0 causes 0.000, 1 cause 1.000, 2 causes 0.000." in text
    assert "| 1 | 2 | 1 | 1 | 1 |" in text  # the second cause of 1-1-2 has one child


def test_published_models_beside_their_fits(tables):
    """A table for each model; whether a number is the published one, by the digits published."""
    text = summary(tables, published=PUBLISHED)
    (section,) = re.findall(r"## Comparison with published results\n(.*?)\n## ", text, re.DOTALL)
    book, other, more = re.split(r"\n(?=a book|a table)", section)[1:]
    assert book.startswith("a book (1974):\n\n| 2 classes | published | this run |")
    assert "| likelihood ratio statistic G2 | 1.250 | 1.250 | yes |" in book
    assert "| class size | 0.701 | 0.720 | no |" in book
    assert "| degrees of freedom | 95 | 104 | no |" in other
    assert more.startswith("a book (1974):\n\n| 3 classes |")
    assert "| BIC | 697.1357 | 697.1357 | yes |" in more
    assert "published" not in summary(tables)


def test_what_did_not_converge_is_named_and_errors_are_told(tables):
    text = summary(tables)
    assert "0-0-0" in text.split("## Fits")[1]
    assert "## How far the scores are from the evidence" in text
    assert (
        "evidence"
        not in summary(tables | {"errors": tables["errors"].iloc[:0]})
        .split("## Fits")[0]
        .split("## Common")[1]
    )


@pytest.mark.parametrize("label", ["1-12-2", "0-1-1", "12-12-12"])
def test_an_estimate_has_the_likelihood_of_its_score(label, cases):
    s = Structure.from_label(label, FAMILY)
    data = cases.to_numpy()
    for method in ("ml", "map"):
        reduced, parameters = estimate(data, s, method, restarts=4)
        cells = cell_probabilities(reduced, parameters)
        assert cells.sum() == pytest.approx(1)
        own = np.log(cells[tuple(data.T)]).sum()
        assert own == pytest.approx(score(data, s, method, restarts=4).score, abs=1e-6)
    with pytest.raises(ValueError, match="unknown estimate 'vb'"):
        estimate(data, s, "vb")


def test_another_column_beside_the_states(tables):
    rows = [("1-1-1", "party", v, s, n, np.nan) for v, s, n in CROSSED]
    beside = pd.DataFrame(rows, columns=TABLES["beside"].columns)
    text = summary(tables, beside=beside)
    (section,) = re.findall(r"## Comparison with party\n(.*?)\n## ", text, re.DOTALL)
    assert "at the MAP estimate of 1-1-1. In brackets" in " ".join(section.split())
    table = [line for line in section.splitlines() if line.startswith("|")]
    assert table == [
        "| most probable states | left | right |",
        "| --- | --- | --- |",
        "| s1 = 1 | 30 (94%) | 2 (6%) |",
        "| s1 = 3 | 0 (0%) | 11 (100%) |",
    ]
    x2 = 43 * (30 * 11 - 2 * 0) ** 2 / (32 * 11 * 30 * 13)  # of a table of four cells
    assert f"X2 would be about 1: it is {x2:.1f} (p = 5.2e-09" in section
    assert f"Cramer's V is {(x2 / 43) ** 0.5:.2f}:" in section
    alone = summary(tables, beside=beside[beside["value"] == "left"])
    assert "There is nothing to test" in alone


CROSSED = [
    (value, f"s1 = {state}", n)
    for value, numbers in (("left", (30, 0, 0)), ("right", (2, 0, 11)))
    for state, n in enumerate(numbers, start=1)
]
