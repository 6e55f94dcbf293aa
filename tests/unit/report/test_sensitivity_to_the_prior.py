"""The section on alpha, its numbers found in the table."""

import pandas as pd

from latentdag.report.data import sensitivity_to_the_prior
from latentdag.study.schema.columns import TABLES

ROWS = [
    (alpha, 0.5, method, causes, *pair, p)
    for alpha, method, values in (
        (0.25, "laplace", (0.1, 0.9, 0.31)),
        (0.25, "reference", (0.2, 0.8, 0.32)),
        (1.0, "laplace", (0.3, 0.7, 0.33)),
        (1.0, "reference", (0.4, 0.6, 0.34)),
    )
    for (causes, pair), p in zip(
        (("none", ("", "")), ("2", ("", "")), ("", ("job", "a|ge"))), values, strict=True
    )
]
ESTIMATED = [
    (2.345, 6.78, "vb_eb", "2", "", "", 0.75),
    (2.345, 6.78, "vb_eb", "none", "", "", 0.25),
]
HEADER = TABLES["alpha"].columns


def test_probabilities_by_score_and_alpha():
    _, words, table = sensitivity_to_the_prior.section(
        pd.DataFrame(ROWS + ESTIMATED, columns=HEADER), 0.25
    )
    assert table.splitlines() == [
        "|  |  | Laplace, 0.25 | Laplace, 1 | reference, 0.25 | reference, 1 | VB emp. Bayes |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| states of the causes | none | 0.100 | 0.300 | 0.200 | 0.400 | 0.250 |",
        "| states of the causes | 2 | 0.900 | 0.700 | 0.800 | 0.600 | 0.750 |",
        "| share a cause | job, a\\|ge | 0.310 | 0.330 | 0.320 | 0.340 |  |",
    ]
    assert "All other tables use alpha = 0.25." in words
    assert "under alpha = 0.25, 1. The alpha of hidden variables is 0.5 in all cases." in words
    assert "For its most probable structure, VB emp. Bayes estimates alpha as 2.35" in words
    assert "and as 6.78 for hidden variables." in words


def test_without_an_estimate_or_another_alpha():
    words = sensitivity_to_the_prior.section(pd.DataFrame(ROWS, columns=HEADER), 1.0)[1]
    assert "estimates" not in words and "pairs" not in words
    assert sensitivity_to_the_prior.section(None, 1.0) == []


def test_of_many_pairs_those_that_change_most():
    change = {f"y{k}": (k * 7 % 20) / 100 for k in range(20)}
    rows = [
        (alpha, 1.0, "laplace", "", "x", name, 0.5 + (by if alpha > 1 else 0))
        for alpha in (1.0, 2.0)
        for name, by in change.items()
    ]
    causes = [(alpha, 1.0, "laplace", "2", "", "", 1.0) for alpha in (1.0, 2.0)]
    _, words, table = sensitivity_to_the_prior.section(
        pd.DataFrame(causes + rows, columns=HEADER), 1.0
    )
    told = [line.split("|")[2].strip() for line in table.splitlines()[2:]]
    assert told == ["2", *(f"x, {name}" for name, by in change.items() if by >= 0.05)]
    assert "The table has the 15 of 20 pairs of variables that change most." in words
