"""The numbers of the article, from made-up tables in no order."""

from itertools import chain

from fingerprints import gather
from made_up_article import RECORD, experiments, populations, records, study

from latentdag.report.article import numbers


def test_all_numbers_are_as_they_were(golden):
    """A line for each statistic of the study and of a population, by its last key."""
    tables = {name: populations()[name] for name in ("alpha-0.5", "every-structure")}
    of_article = numbers(RECORD, study(), tables, records(tables), {})
    columns: dict[tuple[str, str], list] = {}
    for part, statistics in chain(
        [("study", of_article["study"])], of_article["populations"].items()
    ):
        for statistic, values in statistics.items():
            leaves: dict[str, list] = {}
            gather(values, statistic, leaves)
            for key, of_key in leaves.items():
                name = f"{statistic}: {key.rpartition('.')[2]}"
                columns.setdefault((part, name), []).extend(of_key)
    golden("article.csv", ((*key, values) for key, values in columns.items()))


def test_the_evidence_is_that_of_its_table():
    """Also where it is not the reference's."""
    table = study()["evidence"].copy()
    one = (table["draw"] == 0) & (table["n"] == 480) & (table["structure"] == "1-1-0")
    table.loc[one, ["log_evidence", "method"]] = (-3.0, "tempered_smc")
    best = numbers(RECORD, study() | {"evidence": table}, {}, {}, {})["study"]["best"]["reference"]
    assert (best["best"], best["score"]) == ("1-1-0", -3.0)


def test_experiments_are_quoted_by_size_and_structure():
    """The reference alone where alpha is integrated out; the sizes and structures are keys."""
    quoted = numbers(RECORD, study(), {}, {}, experiments())["experiments"]
    integrated = {row["n"]: (row["same"], row["draws"]) for row in quoted["alpha_integrated"]}
    assert integrated == {80: (0, 2), 480: (0, 2)}
    assert {row["method"] for row in quoted["alpha_integrated"]} == {"reference"}
    slope = quoted["asymptotics"]["0-0-0-0"]["1-1-1-1"]
    assert (slope["slope"], slope["slope_error"], slope["draws"]) == (-3.25, 0.125, 7)
    assert quoted["bridge_sampling"]["480"] == {"structures": 2, "mean": 1.0, "sem": 0.5}
    assert numbers(RECORD, study(), {}, {}, {})["experiments"] == {}


def test_the_prior_of_the_parameters_stands_beside_that_of_the_scores():
    names = ("true-alpha-2", "alpha-2")
    tables = {name: populations()[name] for name in names}
    of = numbers(RECORD, study(), tables, records(names), {})["populations"]
    priors = [(of[name]["alpha"], of[name]["true_alpha"]) for name in names]
    assert priors == [(1.0, 2.0), (2.0, None)]
