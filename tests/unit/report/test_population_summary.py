"""Every number of the summary of a population is the one of its row and column, in made-up tables
with rows in no order.
"""

import re
from math import inf

import made_up_population
import numpy as np
import pytest
from made_up_population import SCORES
from test_small_studies import BAD

from latentdag.report.markdown import label, plus_minus
from latentdag.report.population_summary import write_population_summary
from latentdag.scores import METHODS
from latentdag.study.many_draws.prediction import apart_from_the_evidence, wrong_against_true
from latentdag.study.many_draws.sizes_found import found_quantiles

pytestmark = pytest.mark.slow

SIZES = (10, 80, 480, 1120, 1280, 5120)
MADE_UP = vars(made_up_population.tables(20, SIZES, 7)).copy()
MADE_UP["comparisons"] = MADE_UP["comparisons"].assign(
    # too few draws for an interval, and none at all that decide
    factor_low=lambda t: t["factor_low"].mask(t["method"] == "cs"),
    factor=lambda t: t["factor"].mask(t["other"] == "map"),
    share_earlier=lambda t: t["share_earlier"].mask(t["method"] == "ais"),
)
MADE_UP["population"] = MADE_UP["population"].assign(
    rank_75=lambda t: t["rank_75"].mask((t["method"] == "cs") & (t["n"] == 80)),
)
MADE_UP["calibration"] = MADE_UP["calibration"].assign(
    z=lambda t: t["z"].mask((t["method"] == "cs") & (t["n"] == 80)),
    p_value=lambda t: t["p_value"].mask((t["method"] == "cs") & (t["n"] == 80)),
)
sure = (MADE_UP["calibration"]["method"] == "bic") & (MADE_UP["calibration"]["n"] == 5120)
MADE_UP["calibration"].loc[sure, ["z", "p_value"]] = (-inf, 0.0)
TEXT = write_population_summary({"seed": 2003}, **MADE_UP)
TOLD = [10, 80, 480, 1120, 1280, 5120]  # smallest, largest, near 80, 480, 1280, the paper's
METHODS_TOLD = [m for m in METHODS if m in SCORES]


def section(title, text=TEXT):
    """The section's words, and its tables as lists of rows by header."""
    (found,) = re.findall(rf"^## {re.escape(title)}\n\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    blocks = found.strip().split("\n\n")
    tables = []
    for block in (b for b in blocks if b.startswith("|")):
        header, _, *lines = (
            [cell.strip() for cell in line[1:-1].split(" | ")] for line in block.splitlines()
        )
        assert len(set(header)) == len(header)
        tables.append([dict(zip(header, line, strict=True)) for line in lines])
    return [b for b in blocks if not b.startswith("|")], tables


def row_of(name, **where):
    """The one row of a made-up table with these values; None if there is none."""
    own = MADE_UP[name]
    for column, value in where.items():
        own = own[own[column] == value]
    assert len(own) <= 1
    return next(own.itertuples(), None)


def looked_up(table, expected, sizes=TOLD):
    """Hold each cell of a table by score and size against ``expected(method, n)``."""
    assert list(table[0]) == ["score", *(f"n = {n}" for n in sizes)]
    rows = {m: {n: expected(m, n) for n in sizes} for m in METHODS_TOLD}
    rows = {m: cells for m, cells in rows.items() if any(cells.values())}
    assert [row["score"] for row in table] == [label(m) for m in rows]
    for row, (_, cells) in zip(table, rows.items(), strict=True):
        assert {n: row[f"n = {n}"] for n in sizes} == cells


def percent(share, low, high):
    return f"{round(100 * share)} % ({round(100 * low)} to {round(100 * high)})"


def of_population(by, cell):
    def expected(m, n):
        row = row_of("population", by=by, method=m, n=n)
        return "" if row is None else cell(row)

    return expected


def number(words):
    """All numbers in some words."""
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", words)]


def test_the_draws():
    words, _ = section("The draws")
    assert words[0] == (
        "This run has 20 draws of parameters and data, from 2 true structures, each true in 10 "
        "draws; Dirichlet prior with alpha = 1 and 0.5 for hidden variables. 5 structures of 3 "
        "different models are scored at 6 sizes from 10 to 5120 cases, by "
        f"{', '.join(map(label, METHODS_TOLD))}."
    )


def with_design(**columns):
    return write_population_summary(
        {}, **(MADE_UP | {"design": MADE_UP["design"].assign(**columns)})
    )


def test_the_draws_of_one_structure_and_two_priors():
    alpha = np.where(MADE_UP["design"]["draw"] < 7, 2.0, 0.5)
    words, _ = section("The draws", with_design(true_structure="1-1-2-2", alpha=alpha))
    assert "This run has 20 draws of parameters and data from the structure 1-1-2-2; " in words[0]
    assert "alpha = 2 and 0.5 for hidden variables in 7 draws" in words[0]
    assert "alpha = 0.5 and 0.5 for hidden variables in 13 draws" in words[0]
    truths = ["a"] * 3 + ["b"] + ["c"] * 16
    words, _ = section("The draws", with_design(true_structure=truths))
    assert "from 3 true structures, each true in 1 to 16 draws;" in words[0]


def test_found_for_good():
    _, tables = section("First from n on")
    assert len(tables) == 3
    for table, by in zip(tables, ("structure", "class"), strict=False):

        def cell(m, n, by=by):
            r = row_of("found_share", by=by, method=m, n=n)
            return "" if r is None else percent(r.share, r.low, r.high)

        looked_up(table, cell)
    kinds = {
        by: found_quantiles(MADE_UP["found"].query(f"by == '{by}'"))
        for by in ("structure", "class")
    }
    assert [row["score"] for row in tables[2]] == [label(m) for m in METHODS_TOLD]
    for row, m in zip(tables[2], METHODS_TOLD, strict=True):
        for by, found in kinds.items():
            if m not in found.index:
                assert row[f"by {by}"] == row[f"by {by}: never"] == ""
                continue
            low, middle, high = (
                "more" if found.loc[m, q] == inf else f"{found.loc[m, q]:g}"
                for q in (0.1, 0.5, 0.9)
            )
            assert row[f"by {by}"] == f"{middle} ({low}, {high})"
            assert row[f"by {by}: never"] == f"{found.loc[m, 'never']:g} of 20 draws"


def test_the_papers_sizes_stand_beside_draws_of_one_structure_alone():
    assert not [w for w in section("First from n on")[0] if "In the paper" in w]
    words, _ = section("First from n on", with_design(true_structure="1-12-12-2"))
    (lines,) = [w for w in words if "In the paper" in w]
    expected = []
    for by in ("structure", "class"):
        for m, n in (("vb", 480), ("bic", 1120)):
            r = row_of("found_share", by=by, method=m, n=n)
            expected.append(
                f"- In the paper {label(m)} finds the true structure at {n} cases. Here, by {by}, "
                f"{label(m)} ranks the truth first from {n} cases on, or from fewer, in "
                f"{round(20 * r.share)} of 20 draws: {percent(r.share, r.low, r.high)}."
            )
    # the order of methods in a kind is the paper's
    assert lines.splitlines() == expected


def factor(r):
    if np.isnan(r.factor):
        return ""
    ends = "" if np.isnan(r.factor_low) else f" ({r.factor_low:.3g} to {r.factor_high:.3g})"
    return f"{r.factor:.3g}{ends}"


def test_how_many_cases():
    _, tables = section("How many cases each score needs")
    for by, table in zip(("structure", "class"), tables, strict=True):
        own = MADE_UP["cases_needed"].query(f"by == '{by}' and draws > 0")
        methods = [m for m in METHODS if m in set(own["method"])]
        assert [r["score"] for r in table] == [label(m) for m in methods]
        for row, m in zip(table, methods, strict=True):
            r = row_of("cases_needed", by=by, method=m)
            q10, q25, q50, q75, q90, low, high = (
                "never" if np.isnan(v) else f"{v:.3g}" for v in r[4:11]
            )
            assert row["median (95 %)"] == f"{q50} ({low} to {high})"
            assert row["middle half"] == f"{q25} to {q75}"
            assert row["10 to 90 %"] == f"{q10} to {q90}"
            assert row["never (95 %)"] == percent(r.never, r.never_low, r.never_high)
            assert int(row["draws"]) == r.draws
    text = write_population_summary({}, **MADE_UP | {"cases_needed": None})
    assert "How many cases each score needs" not in text


def test_side_by_side():
    words, tables = section("Side by side")
    for by, line in zip(("structure", "class"), words[1].splitlines(), strict=True):
        r = row_of("comparisons", by=by, method="vb", other="bic")
        assert line == (
            f"- VB against BIC by {by}, over 20 draws: VB needs fewer cases in {r.earlier}, more "
            f"in {r.later}, and the same number in {r.same}; in {r.undecided} neither finds the "
            f"truth. VB is earlier in {percent(r.share_earlier, r.low, r.high)} of the draws in "
            "which the two differ. If both find it, the ratio of sample sizes, BIC to VB, is "
            f"{factor(r)}."
        )
    for by, table in zip(("structure", "class"), tables, strict=True):
        methods = [m for m in METHODS_TOLD if by == "structure" or m != "map"]
        pairs = []
        for other in ("bic", "vb", "reference"):
            pairs += [(m, other) for m in methods if m != other and (other, m) not in pairs]
        assert [(r["score"], r["against"]) for r in table] == [
            (label(m), label(other)) for m, other in pairs
        ]
        for row, (m, other) in zip(table, pairs, strict=True):
            r = row_of("comparisons", by=by, method=m, other=other)
            names = {"earlier": "earlier", "later": "later", "same": "same", "neither": "undecided"}
            for name, column in names.items():
                assert int(row[name]) == getattr(r, column)
            known = not np.isnan(r.share_earlier)
            share = percent(r.share_earlier, r.low, r.high) if known else ""
            assert row["share earlier"] == share
            assert row["factor"] == factor(r)


def test_claims():
    _, (table,) = section("The claims, draw by draw")
    tested = MADE_UP["claims_held"][MADE_UP["claims_held"]["draws"] > 0]
    assert len(table) == len(tested) == 6
    for row, r in zip(table, tested.itertuples(), strict=True):
        assert list(row.values()) == [
            r.claim,
            r.paper,
            f"{r.holds} of {r.draws}",
            percent(r.share, r.low, r.high) if r.share == r.share else "",
            str(r.undecided),
            r.source,
        ]
    assert tested["share"].isna().sum() == 1  # the claim that no draw can refute
    assert tested["undecided"].any()


def first(r):
    found = percent(r.first, r.first_low, r.first_high)
    return found if np.isnan(r.expected_first) else f"{found}; {round(100 * r.expected_first)} %"


def in_five(r):
    return percent(r.in_five, r.in_five_low, r.in_five_high)


def ranks(r):
    low, middle, high = (
        "none" if np.isnan(v) else f"{v:g}" for v in (r.rank_25, r.rank_50, r.rank_75)
    )
    return f"{middle} ({low} to {high})"


def mean(name, times=1, sign=""):
    return lambda r: plus_minus(times * getattr(r, name), times * getattr(r, f"{name}_se"), sign)


@pytest.mark.parametrize(
    ("title", "cells"),
    [
        ("How often first", (first, in_five)),
        ("Ranks over draws", (ranks,)),
        ("Probability of the truth", (mean("log_probability"), mean("brier"))),
        ("Errors over draws", (mean("mean_error", sign="+"), mean("mean_absolute_error"))),
        ("Regret", (mean("regret"),)),
        ("Prediction", (mean("lost_by_top", 1000), mean("lost_by_average", 1000))),
    ],
)
def test_tables_of_populations(title, cells):
    _, tables = section(title)
    kinds = ("structure",) if title.startswith("Errors") else ("structure", "class")
    wanted = [(cell, by) for cell in cells for by in kinds]
    more = 2 if title == "Prediction" else 0
    assert len(tables) == len(wanted) + more
    for table, (cell, by) in zip(tables, wanted, strict=False):
        looked_up(table, of_population(by, cell))


def test_wrong_structures_in_prediction():
    words, tables = section("Prediction")
    found = wrong_against_true(MADE_UP["verdicts"])
    table, apart = tables[-2:]
    assert [int(row["n"]) for row in table] == list(found.index) == TOLD[:-1]
    for row, (_, r) in zip(table, found.iterrows(), strict=True):
        _, draws, gap, worse = row.values()
        assert (int(draws), int(worse)) == (r["draws"], r["worse"])
        assert gap == plus_minus(1000 * r["mean"], 1000 * r["standard_error"], "+")
    surely = [n for n, r in found.iterrows() if r["mean"] > 2 * r["standard_error"]]
    better = [n for n, r in found.iterrows() if r["mean"] < -2 * r["standard_error"]]
    (sentence,) = [w for w in words if w.startswith("Does a wrong")]

    def told(sizes):
        return f"{len(sizes)}" + (f" (n = {', '.join(map(str, sizes))})" if sizes else "")

    worse = f"{len(surely)} of 5 sizes" + told(surely)[len(str(len(surely))) :]
    assert sentence.endswith(
        f"worse by more than 2 standard errors at {worse}, better by as much at {told(better)}."
    )
    rows = apart_from_the_evidence(MADE_UP["verdicts"])

    def cell(m, n):
        if (m, n) not in rows.index:
            return ""
        r = rows.loc[(m, n)]
        gap = plus_minus(1000 * r["mean"], 1000 * r["standard_error"], "+")
        return f"{gap} ({int(r['draws'])})"

    looked_up(apart, cell, TOLD[:-1])


def p_of(value):
    return "below 0.0001" if value < 1e-4 else f"{value:.2g}"


def test_calibration_of_the_reference():
    words, tables = section("Calibration")
    own = MADE_UP["calibration"]
    own = own[own["method"] == "reference"]
    low = own.loc[own["p_value"].idxmin()]
    assert (
        f"36 tests of the reference: p is below 0.05 in {(own['p_value'] < 0.05).sum()} of them; "
        "if the reference is right, 1.8 are expected. "
        f"The smallest p is {p_of(low['p_value'])} ({low['statistic']} by "
        f"{low['by']} at n = {low['n']})."
    ) in words[1]
    together = p_of(min(1, 36 * low["p_value"]))
    assert f"Corrected for the number of tests (Bonferroni) it is {together}; this" in words[1]
    for by, table in zip(("structure", "class"), tables, strict=False):
        assert [int(row["n"]) for row in table] == sorted(SIZES)
        for row in table:
            assert row["draws"] == "20"
            for name in ("accuracy", "log score", "Brier score"):
                r = row_of(
                    "calibration", by=by, method="reference", n=int(row["n"]), statistic=name
                )
                assert number(row[f"{name} (expected)"]) == pytest.approx(
                    [r.value, r.expected, r.standard_error], abs=0.00051
                )
                assert row[f"{name}: z (p)"] == f"{r.z:+z.2f} ({p_of(r.p_value)})"


def test_no_score_is_better_than_the_reference_but_by_chance():
    words, tables = section("Calibration")
    own = MADE_UP["calibration"]
    own = own[own["statistic"].str.startswith("below") & own["z"].notna()]
    better = own[own["z"] < 0]
    sure = better[better["p_value"] < 0.05]
    (line,) = [w for w in words if w.startswith("Better than")]
    assert line.startswith(
        f"Better than the reference in {len(better)} of {len(own)} comparisons, with p below 0.05 "
        f"in {len(sure)}: "
    )
    assert len(sure) > 2 and line.count("p ") == len(sure) + 1
    for r in sure.itertuples():
        name = r.statistic.removeprefix("below the reference in ")
        assert f"{label(r.method)} in {name} by {r.by} at n = {r.n}, p {p_of(r.p_value)}" in line
    wanted = [(name, by) for name in ("log", "Brier") for by in ("structure", "class")]
    for table, (name, by) in zip(tables[2:6], wanted, strict=True):

        def cell(m, n, name=name, by=by):
            r = row_of(
                "calibration", by=by, method=m, n=n,
                statistic=f"below the reference in {name} score",
            )  # fmt: skip
            if r is None:
                return ""
            gap = plus_minus(r.value, r.standard_error, "+")
            return gap if np.isnan(r.p_value) else f"{gap} ({p_of(r.p_value)})"

        looked_up(table, cell)


def test_calibration_of_the_other_scores():
    _, tables = section("Calibration")
    for by, table in zip(("structure", "class"), tables[6:], strict=True):

        def cell(m, n, by=by):
            if m in ("map", "reference"):
                return ""
            found = [
                row_of("calibration", by=by, method=m, n=n, statistic=name).z
                for name in ("accuracy", "log score", "Brier score")
            ]
            words = {-inf: "-∞", inf: "+∞"}
            return " / ".join("none" if np.isnan(z) else words.get(z, f"{z:+z.1f}") for z in found)

        looked_up(table, cell)


@pytest.mark.parametrize(("asked", "n"), [(None, 480), (100, 80), (10_000, 5120)])
def test_whether_probabilities_come_true(asked, n):
    text = write_population_summary({} if asked is None else {"n": asked}, **MADE_UP)
    words, tables = section("Reliability of the probabilities", text)
    assert f"by the probability that a score gives them at n = {n}. If" in words[0]
    own = MADE_UP["reliability"]
    own = own[(own["n"] == n) & (own["number"] > 0)]
    assert len(tables) == 3
    for what, table in zip(("structure", "class", "shared cause"), tables, strict=True):
        here = own[own["what"] == what]
        expected = {}
        for r in here.itertuples():
            words = f"{round(100 * r.share_true)} % of {r.number}"
            expected[f"{r.bin / 10:g} to {(r.bin + 1) / 10:g}", label(r.method)] = words
        found = {
            (row["probability"], name): cell
            for row in table
            for name, cell in row.items()
            if name != "probability" and cell
        }
        assert found == expected
        lows = [float(row["probability"].split()[0]) for row in table]
        assert lows == sorted(lows)


@pytest.mark.parametrize(
    ("name", "title"),
    [("calibration", "Calibration"), ("claims_held", "The claims, draw by draw")],
)
def test_what_is_not_given_is_not_told(name, title):
    """Calibration where the truths are not uniform, the paper's claims where they are."""
    text = write_population_summary({}, **{k: t for k, t in MADE_UP.items() if k != name})
    titles = [re.findall(r"^## (.*)$", t, re.M) for t in (TEXT, text)]
    assert [heading for heading in titles[0] if heading != title] == titles[1] != titles[0]


def few(**where):
    """The summary of some rows."""
    tables = MADE_UP
    for column, values in where.items():
        tables = {k: t[t[column].isin(values)] if column in t else t for k, t in tables.items()}
    return write_population_summary({"seed": 1}, **tables)


def of_draws(draws):
    tables = vars(made_up_population.tables(draws, SIZES, 3))
    return write_population_summary({}, **tables)


def without_reference():
    """Nothing is held against the evidence."""
    known = ("regret", "lost_by_top", "lost_by_average", "mean_error", "mean_absolute_error")
    tables = {
        name: t[t["method"] != "reference"] if "method" in t else t for name, t in MADE_UP.items()
    }
    of_calibration = tables["calibration"]
    tables |= {
        "comparisons": tables["comparisons"].query("other != 'reference'"),
        "calibration": of_calibration[~of_calibration["statistic"].str.startswith("below")],
        "population": tables["population"].assign(**dict.fromkeys(known, np.nan)),
        "verdicts": tables["verdicts"].assign(lost_by_top=np.nan),
    }
    return write_population_summary({}, **tables)


def test_without_a_reference_nothing_is_held_against_it():
    text = without_reference()
    titles = re.findall(r"^## (.*)$", text, re.M)
    gone = {"Errors over draws", "Regret", "Prediction"}
    assert set(re.findall(r"^## (.*)$", TEXT, re.M)) - set(titles) == gone
    assert "Better than the reference" not in text and "tests of the reference" not in text


SMALL = {
    "no evidence": without_reference,
    "all": lambda: TEXT,
    "one size": lambda: few(n=[480]),
    "one draw": lambda: of_draws(1),
    "two draws": lambda: of_draws(2),
    "one score": lambda: few(method=["vb"]),
    "no reference": lambda: few(method=["vb", "map", "bic"], other=["vb", "map", "bic"]),
    "by structure": lambda: few(by=["structure"]),
    "one structure": lambda: with_design(true_structure="1-12-12-2"),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_populations_are_english(name):
    text = SMALL[name]()
    for pattern in BAD:
        found = re.search(pattern, text.replace("one by one", ""))
        assert not found, text[max(0, found.start() - 80) : found.end() + 40]
