"""The numbers of the article, from made-up tables in no order."""

from itertools import chain

import pytest
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
    bridge = quoted["bridge_sampling"]["480"]
    assert (bridge["structures"], bridge["absolute"], bridge["absolute_error"]) == (2, 1.0, 0.5)
    audit = quoted["evidence_audit"]
    # of two draws and two structures, one 2 too low, the other -0.5 or 2.5
    assert (audit["by_size"]["80"]["nats"], audit["by_size"]["80"]["draws"]) == (-1.5, 2)
    counts = ("structures", "below", "above", "data_sets", "same_first")
    assert [audit["all"][name] for name in counts] == [8, 6, 0, 4, 2]
    assert numbers(RECORD, study(), {}, {}, {})["experiments"] == {}


def test_the_prior_of_the_parameters_stands_beside_that_of_the_scores():
    names = ("true-alpha-2", "alpha-2")
    tables = {name: populations()[name] for name in names}
    of = numbers(RECORD, study(), tables, records(names), {})["populations"]
    priors = [(of[name]["alpha"], of[name]["true_alpha"]) for name in names]
    assert priors == [(1.0, 2.0), (2.0, None)]


def test_ais_and_vb_are_told_of_the_draws_that_both_runs_of_ais_have():
    names = ("draws-of-the-paper", "ais-16-chains")
    tables = {name: dict(populations()[name]) for name in names}
    claims = tables[names[1]]["claims"]
    tables[names[1]]["claims"] = claims[claims["draw"] < 15]
    of_ais = numbers(RECORD, study(), tables, records(names), {})["ais"]
    for name, chains in zip(names, ("1", "16"), strict=True):
        verdicts = tables[name]["verdicts"].query("by == 'structure' and draw < 15")
        of_method = {m: rows for m, rows in verdicts.groupby("method")}
        first = of_method["ais"].assign(wrong=of_method["ais"]["rank"] != 1)
        wrong = first[first["n"] >= 480].groupby("draw")["wrong"].sum()
        assert of_ais["found_by"][chains]["number"] == (wrong == 0).sum()
        assert of_ais["found_by"][chains]["draws"] == len(wrong) == 15
        if chains == "1":
            errors = of_method["vb"].groupby("n")["mean_error"]
            assert of_ais["vb_at"]["480"]["mean_error"] == pytest.approx(errors.mean()[480])
            assert of_ais["vb_at"]["480"]["mean_error_se"] == pytest.approx(errors.sem()[480])


def test_the_fine_grid_is_compared_at_the_sizes_of_both_runs():
    names = ("draws-of-the-paper", "fine-grid")
    tables = {name: dict(populations()[name]) for name in names}
    finer = tables["fine-grid"]["verdicts"]
    tables["fine-grid"]["verdicts"] = finer.assign(n=finer["n"].replace(10240, 20480))
    grid = numbers(RECORD, study(), tables, records(names), {})["populations"]["fine-grid"]
    sizes = {n for name in names for n in tables[name]["verdicts"]["n"]}
    assert grid["sizes"] == sorted(sizes) and {10240, 20480} <= sizes
    assert set(grid["share"]["vb"]) == {str(n) for n in sizes}


def test_draws_were_scored_at_the_commits_of_the_parts_or_of_the_run():
    tables = {"alpha-2": populations()["alpha-2"]}
    of = records(tables)
    for has_parts in (True, False):
        if not has_parts:
            of["alpha-2"] = {k: value for k, value in of["alpha-2"].items() if k != "parts"}
        told = numbers(RECORD, study(), tables, of, {})["populations"]["alpha-2"]["record"]
        own = {"commit": RECORD["commit"], "end": RECORD["end"]}
        part = {"commit": "0123456789ab", "end": "2031-05-06T00:00:00+00:00"}
        assert told["scored"] == [part if has_parts else own]
