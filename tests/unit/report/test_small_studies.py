"""The summaries of studies with little in them are still English, and claim nothing of nothing."""

import re

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import TRUE

from latentdag.report.data_summary import write_data_summary
from latentdag.report.summary import write_summary
from latentdag.study.one_draw import errors, posterior, ranks
from latentdag.study.own_data import marginals
from latentdag.study.paper import timing
from latentdag.study.schema.candidates import by_name
from latentdag.study.schema.columns import TABLES

pytestmark = pytest.mark.slow

NOUNS = "sizes|structures|pairs|cases|draws|chains|fits|nats|steps|variables|degrees|others"
BAD = (
    rf"\b1 (larger )?({NOUNS})\b",
    r"\b0 of 0\b",
    r"\bof the 1\b",
    r"\bnan\b",
    r"\binf\b",
    r"\bNone\b",
    r"\bnot first at \d+ of 0",
    r"\n\n\n",
    r"[^|\s]  +[^|\s]",
    r"\(\)",
    r": \.",
    r"-0\.0+\b",
)


def study(scores, draw=0, **tables):
    """The summary of what follows from some scores."""
    few = scores["n"].nunique() == 1
    found = {
        "scores": scores,
        "ranks": ranks.ranks(scores, TRUE, 0, made_up.structures_table()),
        "errors": errors.errors(scores),
        "posterior": posterior.posterior(scores),
        "classes": posterior.classes(scores, made_up.structures_table()),
        "structures": made_up.structures_table(),
        "annealing": made_up.annealing(draws=scores["draw"].unique(), n=480),
        "timing": timing.timing({("map", 480): 0.0 if few else 1.0, ("vb", 480): 3.0}, 1),
        "sandwich": made_up.sandwich(draws=scores["draw"].unique()),
        "prior": made_up.prior(draws=scores["draw"].unique()),
        "cost": made_up.cost(),
    }
    return write_summary({"draw": draw, "n": int(scores["n"].max())}, **(found | tables))


def without(scores, *methods):
    return scores[~scores["method"].isin(methods)]


SMALL = {
    "one draw": lambda: study(made_up.scores(draws=(0,))),
    "one structure at one size": lambda: study(
        made_up.scores(draws=(0,), sizes=(10,)).query("structure == @TRUE"),
        sandwich=made_up.sandwich(draws=(0,)).query("structure == @TRUE and n == 80"),
    ),
    "two structures": lambda: study(
        made_up.scores(draws=(0,)).query("structure == @TRUE or structure == '0-0-0'")
    ),
    "neither": lambda: study(without(made_up.scores(), "exact", "reference")),
    "VB and reference": lambda: study(made_up.scores(methods=("vb", "reference"))),
    "AIS alone": lambda: study(made_up.scores(methods=("ais",), sizes=(480, 10))),
    "MAP alone": lambda: study(made_up.scores(methods=("map",), draws=(0,))),
    "no truth": lambda: write_summary(
        {}, scores=made_up.scores(), errors=errors.errors(made_up.scores())
    ),
    "no score at all": lambda: study(
        made_up.scores(draws=(0,)).assign(score=np.nan, reason="it failed", standard_error=np.nan)
    ),
    "true structure never scored": lambda: study(
        made_up.scores(draws=(0,), missing={(m, n) for m in made_up.METHODS for n in made_up.SIZES})
    ),
    "one chain": lambda: study(
        made_up.scores(draws=(0,)),
        annealing=made_up.annealing(draws=(0,)).query("chain == 0 and start == 'prior'"),
    ),
    "no annealing": lambda: study(
        made_up.scores(draws=(0,)), annealing=pd.DataFrame(columns=TABLES["annealing"].columns)
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_study_in_words(name):
    text = SMALL[name]()
    assert text.endswith("\n") and text.count("\n# ") == 0 and text.startswith("# What the paper")
    for bad in BAD:
        found = re.search(rf".*{bad}.*", text)
        assert not found, f"{bad}: {found.group()}"
    for block in text.split("\n\n"):
        if block.startswith("|"):  # every row of a table has as many cells
            assert len({line.count("|") for line in block.splitlines()}) == 1
            assert len(block.splitlines()) > 2, block
    titles = re.findall(r"^## .*$", text, re.M)
    assert len(titles) == len(set(titles))


def verdicts(text):
    """The verdict on each claim."""
    (found,) = re.findall(r"^## Claim by claim\n\n(.*?)\n\n", text, re.M | re.S)
    cells = [line[1:-1].split("|") for line in found.splitlines()[2:]]
    return {row[0].strip(): row[3].strip() for row in cells}


def test_one_size_can_tell_of_no_size():
    found = verdicts(study(made_up.scores(draws=(0,), sizes=(10,))))
    for claim in (
        "VB finds the true structure",
        "BIC finds the true structure",
        "the smallest size at which AIS ranks it first",
        "VB puts the true structure first at n = 10",
        "AIS lies above VB for every structure",
        "MAP rises with the number of parameters",
    ):
        assert found[claim] == "not testable"


def own_data(labels, methods, with_reference=True):
    rng = np.random.default_rng(0)
    rows = [
        {
            "draw": 0, "n": 3, "structure": s, "method": m, "score": -9 + rng.normal(),
            "standard_error": 0.2 if m in ("ais", "reference") else np.nan, "n_parameters": 5,
            "iterations": 3.0, "converged": m not in ("ais", "reference") or None,
            "restarts": 8.0, "restarts_at_best": 8.0, "log_prior": np.nan, "reason": "",
        }
        for s in labels for m in methods
    ]  # fmt: skip
    scores = pd.DataFrame(rows, columns=TABLES["scores"].columns)
    values = [(1, "a", 0, "no", 1), (1, "a", 1, "yes", 2)]
    values += [(2, "b", k, str(k), 1) for k in range(3)]
    structures = pd.DataFrame(
        [(s, 2, 5, 5, "0-0", "2,2") for s in labels],
        columns=TABLES["structures"].own_columns,
    )
    known, judged = by_name(structures, (2, 3)), posterior.posterior(scores)
    parameters = [(s, "map", "s1", "", "1", 0.5, *[np.nan] * 4) for s in labels]
    fit = (labels[0], "bic", -9.5, 0.5, 0.5, 0, 5, 5, 29.0, 24.5, np.nan, np.nan, 0, 3)
    membership = (labels[0], 1, "no, 0", 1, "no cause", 1.0, True, 0.0)
    return write_data_summary(
        {"data": {"file": "t.csv"}, "seed": 1, "equally_probable": "structures"},
        (2, 3),
        scores=scores,
        structures=structures,
        posterior=judged,
        causes=marginals.causes(judged, known),
        links=marginals.links(judged, known, ["a", "b"]),
        classes=posterior.classes(scores, structures),
        variables=pd.DataFrame(values, columns=TABLES["variables"].columns),
        parameters=pd.DataFrame(parameters, columns=TABLES["parameters"].columns),
        membership=pd.DataFrame([membership], columns=TABLES["membership"].columns),
        fit=pd.DataFrame([fit], columns=TABLES["fit"].columns),
        residuals=pd.DataFrame([], columns=TABLES["residuals"].columns),
        errors=errors.errors(scores),
    )


@pytest.mark.parametrize("labels", [("1-1",), ("1-1", "0-0"), ("1-1", "0-1", "1-2", "0-0")])
@pytest.mark.parametrize("methods", [("map", "bic"), ("map", "vb", "reference"), ("ais", "bic")])
def test_small_own_data_in_words(labels, methods):
    text = own_data(labels, methods)
    for bad in BAD:
        found = re.search(rf".*{bad}.*", text)
        assert not found, f"{bad}: {found.group()}"
    assert ("this structure holds 100%" in text) == (len(labels) == 1)
