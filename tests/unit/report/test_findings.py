"""The findings that come first: a verdict follows its interval."""

import re
from math import nan

import cases
import made_up_population
import pandas as pd
import pytest

from latentdag.report import markdown
from latentdag.report.findings import (
    headlines,
    kinds_of_ais,
    sensitivity_to_the_prior_and_to_the_structure,
)
from latentdag.study.paper.claims import AGREES, DIFFERS
from latentdag.study.paper.findings import over_all_sizes, where_they_differ
from latentdag.study.paper.runs import EQUAL_COST, EXPERIMENTS, MANY_CHAINS, PAPERS, TABLES
from latentdag.study.schema import words
from latentdag.study.schema.columns import TABLES as COLUMNS


def shares(**counts):
    numbers = [(n, m, k) for m, of in counts.items() for n, k in of.items()]
    rows = [(n, "structure", m, 50, k / 50, 0.041, 0.214) for n, m, k in numbers]
    return pd.DataFrame(rows, columns=COLUMNS["found_share"].columns)


def pair(method, other, least, most, low, high):
    row = {"by": "structure", "method": method, "other": other, "draws": 50, "earlier": 41}
    row |= {"later": 2, "same": 4, "undecided": 3, "ratio_least": least, "ratio_most": most}
    return row | {"ratio_low": low, "ratio_high": high}


def table(*rows):
    return pd.DataFrame(rows).reindex(columns=COLUMNS["comparisons"].columns)


def grid(comparisons, found_share=None):
    """Without shares, those of a score without a headline."""
    found_share = shares(cs={10240: 5}) if found_share is None else found_share
    return {"comparisons": comparisons, "found_share": found_share}


def test_the_audit_has_its_numbers_in_their_order():
    """Of 8 estimates 6 lie more than 3 standard errors below the second, and none above."""
    *_, of_audit = (line for line in cases.findings(EXPERIMENTS).split("\n") if line[:2] == "- ")
    numbers = re.findall(r"(?<![\w.])\d+(?![\w.])", of_audit)
    assert "8 6 3 0 4" in " ".join(numbers)  # of 4 data sets


@pytest.mark.parametrize(
    ("ends", "begin", "count"),
    [
        ((0.51, 0.9), "VB needs fewer cases than BIC", "41 of the 43 draws"),
        ((0.49, 0.9), "VB needs fewer", "41 of the 43 draws"),
        ((0.1, 0.51), "VB needs fewer", "41 of the 43 draws"),
        ((0.1, 0.49), "VB needs more cases than BIC", "2 of the 43 draws"),
    ],
)
def test_who_needs_fewer_cases_follows_from_the_interval_of_the_share(ends, begin, count):
    row = pair("vb", "bic", 0.0, nan, 0.0, nan) | dict(zip(("low", "high"), ends, strict=True))
    (line,) = headlines([grid(table(row))])
    assert line.startswith(begin) and count in line
    assert ("is open" in line) == (ends[0] <= 0.5 <= ends[1])


def test_the_share_of_draws_that_need_more_has_the_interval_of_the_others_turned_round():
    """2 of 43 need more: with 0.1 to 0.49 of those that need fewer, 0.51 to 0.9."""
    row = pd.Series(pair("vb", "bic", 0.0, nan, 0.0, nan) | {"low": 0.1, "high": 0.49})
    differ = where_they_differ(row)
    assert (differ["cases"], differ["number"], differ["draws"]) == ("more", 2, 43)
    assert [differ[end] for end in ("share", "low", "high")] == pytest.approx([2 / 43, 0.51, 0.9])


def test_scores_that_never_differ_have_no_share():
    row = pair("vb", "bic", 1.0, 1.0, 1.0, 1.0) | {"earlier": 0, "later": 0, "low": nan}
    (line,) = headlines([grid(table(row | {"high": nan}))])
    assert "0 of the 0 draws" in line and "is open" in line and "%" not in line
    assert "the same number in 4" in line


def test_two_scores_are_compared_on_the_fine_grid_where_it_has_both():
    pairs = [("vb", "bic", 1.0, 4.0, 0.5, 8.0), ("laplace", "reference", 0.5, 1.0, 0.4, 2.0)]
    coarse = table(*(pair(*values) for values in pairs))
    fine = coarse[:1].assign(ratio_least=1.7, ratio_most=2.0, draws=40, earlier=33, undecided=3)
    bic, reference = headlines([grid(fine, shares(cs={163840: 20})), grid(coarse)])
    assert "in 33 of the 35 draws" in bic and "in 3 neither finds it by 163840 cases" in bic
    assert "lies in 1.7 to 2 (0.5 to 8)." in bic
    assert "finds it by 10240 cases" in reference and "lies in 0.5 to 1 (0.4 to 2)." in reference
    assert markdown.median_ratio(5.1, nan, 4.0, nan) == "5.1 to ∞ (4 to ∞)"
    assert (
        words.plus_minus(0.0, 0.0) == "0.00" and words.plus_minus(1.0, 0.0004) == "1.0000 ± 0.0004"
    )


def verdicts(**ranks):
    """By method and draw ranks of the truth by size."""
    rows = [
        (draw, n, "structure", method, rank)
        for method, of_draws in ranks.items()
        for draw, of_sizes in of_draws.items()
        for n, rank in of_sizes.items()
    ]
    return pd.DataFrame(rows, columns=["draw", "n", "by", "method", "rank"])


def test_two_grids_are_one_for_the_draws_and_scores_of_both():
    """In draw 0 VB is first for good from 160 by the first grid, and from 80 by the finer one,
    which counts where both have a size.
    """
    papers = verdicts(
        vb={0: {40: 1, 80: 2, 160: 1}, 1: {40: 1, 80: 1, 160: 1}, 2: {40: 9, 80: 9, 160: 9}},
        bic={d: {40: 7, 80: 1, 160: 1} for d in range(3)},
        reference={d: {40: 1, 80: 1, 160: 1} for d in range(3)},
    )
    finer = verdicts(
        vb={0: {60: 3, 80: 1, 320: 1}, 1: {60: 1, 80: 1, 320: 1}},
        bic={d: {60: 1, 80: 1, 320: 1} for d in range(2)},
    )
    tables = over_all_sizes(papers, finer)
    found = tables["found_share"].set_index(["method", "n"])["share"]
    assert found["vb"].to_dict() == {40: 0.5, 60: 0.5, 80: 1.0, 160: 1.0, 320: 1.0}
    assert found["bic"].to_dict() == {40: 0.0, 60: 1.0, 80: 1.0, 160: 1.0, 320: 1.0}
    assert "reference" not in found and set(tables["found_share"]["draws"]) == {2}
    of_vb = tables["comparisons"].query("method == 'vb'").iloc[0]
    assert (of_vb["earlier"], of_vb["later"], of_vb["same"]) == (1, 1, 0)


@pytest.mark.parametrize(("high", "most"), [(0.49, True), (0.51, False)])
def test_most_draws_need_more_where_the_interval_says_so(high, most):
    (line,) = headlines([grid(table(), shares(vb={480: 20}).assign(high=high))])
    assert ("most draws" in line) == most


def test_a_kind_of_ais_is_the_score_of_its_run():
    """Two kinds that one run has, of which the second is twice as far from the evidence."""
    of = made_up_population.tables(20, (80, 480, 10240))
    scaled = {"ais_long": 1, "ais_rows": 2}
    verdicts = [
        of["verdicts"].replace("ais", name).assign(mean_absolute_error=lambda t, k=k: k * t["n"])
        for name, k in scaled.items()
    ]
    claims = [of["claims"].replace("ais", name) for name in scaled]
    runs = {
        PAPERS: {name: of[name] for name in TABLES[PAPERS]},
        EQUAL_COST: {"claims": pd.concat(claims), "verdicts": pd.concat(verdicts)},
    }
    rows = {row[0]: row[3:5] for row in kinds_of_ais(runs)["rows"]}
    assert rows["1 long chain"] == ["480.00", "10240.00"]
    assert rows["1 chain, row by row"] == ["960.00", "20480.00"]
    assert "1 chain" in rows and len(rows) == 3


def test_verdicts_on_kinds_of_ais_are_compared_where_all_sizes_were_tried():
    """A kind with fewer sizes may read otherwise for want of them; one with all may not."""
    of, few = (made_up_population.tables(20, sizes) for sizes in ((80, 480, 10240), (480, 10240)))
    kinds, claim = ("ais_long", "ais_rows"), "AIS is noisy"

    def claims(verdict, name="ais"):
        rows = of["claims"].replace("ais", name)
        changed = (rows["claim"] == claim) & (rows["ais"] == name)
        return rows.assign(verdict=rows["verdict"].mask(changed, verdict))

    def view(of_16, of_others):
        verdicts = pd.concat([few["verdicts"].replace("ais", kind) for kind in kinds])
        papers = {name: of[name] for name in TABLES[PAPERS]} | {"claims": claims(AGREES)}
        many = {"claims": claims(of_16), "verdicts": of["verdicts"]}
        others = pd.concat([claims(of_others, kind) for kind in kinds])
        equal = {"claims": others, "verdicts": verdicts}
        return kinds_of_ais({PAPERS: papers, MANY_CHAINS: many, EQUAL_COST: equal})

    assert claim not in view(AGREES, DIFFERS)["differ"]
    assert claim in view(DIFFERS, AGREES)["differ"]
    assert view(DIFFERS, AGREES)["full"] == ["1 chain", "16 chains"]


def test_the_share_under_another_prior_is_that_of_the_draws_that_differ():
    """12 of 13 draws; a run whose parameters have the prior of its scores has none."""
    of = made_up_population.tables(20, (80, 480, 1120, 10240))
    tables = {name: of[name] for name in ("design", "found_share", "comparisons")}
    names = tables["comparisons"][["by", "method", "other"]]
    is_pair = (names == ["structure", "vb", "bic"]).all(axis=1)
    comparisons = tables["comparisons"].copy()
    comparisons.loc[is_pair, ["earlier", "later", "low", "high"]] = (12, 1, 0.67, 0.99)
    design = tables["design"].assign(true_alpha=0.5)
    runs = {
        PAPERS: tables,
        "true-alpha-0.5": {**tables, "comparisons": comparisons, "design": design},
    }
    (words,) = sensitivity_to_the_prior_and_to_the_structure(runs)["fewer"]
    assert words == "92 % (67 to 99) with alpha = 1 in the scores, 0.5 in the parameters"
