"""The findings in words: each number is its statistic, a verdict follows its interval, and what a
run lacks is left out.
"""

import re
from types import SimpleNamespace

import made_up
import made_up_population
import pandas as pd
import pytest

from latentdag.report.findings import headlines, write_findings
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper.runs import TABLES
from latentdag.study.schema.columns import TABLES as COLUMNS
from latentdag.study.schema.evidence import evidence

OF_DRAWS = vars(made_up_population.tables(40))
SCORES = made_up.scores()
ONE = {
    "scores": SCORES,
    "evidence": evidence(SCORES),
    "errors": errors(SCORES),
    "ranks": ranks(SCORES, made_up.TRUE, 2003, made_up.structures_table()),
}
RUNS = {run: ONE if run == "" else {n: OF_DRAWS[n] for n in of} for run, of in TABLES.items()}


def shares(**counts):
    rows = [
        (n, "structure", m, 50, k / 50, 0.041, 0.214)
        for m, of in counts.items()
        for n, k in of.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS["found_share"].columns)


def pair(method, other, factor, low, high):
    row = {"by": "structure", "method": method, "other": other, "draws": 50, "earlier": 41}
    row |= {"later": 2, "same": 4, "undecided": 3}
    return row | {"factor": factor, "factor_low": low, "factor_high": high}


def table(*rows):
    return pd.DataFrame(rows).reindex(columns=COLUMNS["comparisons"].columns)


def test_headlines_to_the_word():
    compared = table(pair("vb", "bic", 2, 1.6, 2.5), pair("laplace", "vb", 1.25, 1, 1.5))
    first, second, third = headlines(shares(vb={480: 5, 1120: 9}), compared)
    assert first == (
        "In the paper VB finds the true structure after 480 cases. Here VB ranks the true "
        "structure first at 480 cases and at every larger size in 10 % (4 to 21) of 50 draws. Most "
        "draws need more cases."
    )
    assert second == (
        "VB needs fewer cases than BIC to find the true structure: the ratio of sample sizes, BIC "
        "to VB, is 2 (1.6 to 2.5; median over the draws in which both find it)."
    )
    assert third.startswith("Laplace needs as many cases as VB to find")
    assert "VB to Laplace, is 1.25 (1 to 1.5;" in third


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [((1.01, 3), "fewer"), ((0.9, 1.0), "as many"), ((1.0, 2), "as many"), ((0.2, 0.99), "more")],
)
def test_a_verdict_follows_its_interval(interval, verdict):
    (line,) = headlines(shares(), table(pair("vb", "bic", 1.0, *interval)))
    assert line.startswith(f"VB needs {verdict} cases ")


@pytest.mark.parametrize(("high", "most"), [(0.49, True), (0.51, False)])
def test_most_draws_need_more_where_the_interval_says_so(high, most):
    (line,) = headlines(shares(vb={480: 20}).assign(high=high), table())
    assert line.endswith(" Most draws need more cases.") == most


def test_headlines_without_their_numbers():
    assert headlines(shares(bic={480: 5}), table()) == []
    nan = float("nan")
    assert headlines(shares(), table(pair("vb", "bic", nan, nan, nan))) == []


def headings(text):
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def test_every_run_has_its_part():
    text = write_findings(RUNS)
    assert headings(text) == [
        "40 draws of the paper's structure",
        "Sensitivity to the prior and to the structure",
        "Calibration over 40 draws",
        "Draw 0",
    ]
    assert "nan" not in text


@pytest.mark.parametrize("run", ["", "draws-of-the-paper", "every-structure"])
def test_a_run_that_is_absent_or_lacks_a_table_is_left_out(run):
    of = {"": "Draw", "draws-of-the-paper": "40 draws", "every-structure": "Calibration"}[run]
    for less in ({}, {name: RUNS[run][name] for name in TABLES[run][1:]}):
        found = headings(write_findings(RUNS | {run: less}))
        assert len(found) == 3 and not any(h.startswith(of) for h in found)


def test_without_any_run():
    assert write_findings({}) == "# Findings\n\nNo run has the tables that findings need.\n"
    only = write_findings({"draws-of-the-paper": RUNS["draws-of-the-paper"]})
    assert headings(only) == ["40 draws of the paper's structure"]  # one row is no comparison


def rows_below(text, heading):
    lines = text.partition(f"## {heading}")[2].partition("\n## ")[0].splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows]


def test_sensitivity_has_the_counts_of_each_run():
    other = made_up_population.tables(30, seed=5)
    design = other.design.assign(true_structure="12-12-1-1", alpha=0.25)
    runs = RUNS | {"alpha-2": vars(other) | {"design": design}}
    rows = rows_below(write_findings(runs), "Sensitivity")[2:]
    assert len(rows) == 4
    assert rows[2][:2] == ["30", "alpha = 0.25, `12-12-1-1`"]
    of = other.found_share[other.found_share["by"] == "structure"]
    count = {(r.method, r.n): round(r.share * 30) for r in of.itertuples()}
    compared = other.comparisons[other.comparisons["by"] == "structure"]
    (both,) = compared.query("method == 'vb' and other == 'bic'").itertuples()
    expected = [count["vb", 480], count["bic", 1120], both.earlier, both.later]
    expected += [30 - count[m, 10240] for m in ("vb", "bic", "laplace")]
    assert rows[2][2:] == [str(k) for k in expected]


def test_calibration_has_the_picks_at_both_sizes():
    text = write_findings(RUNS)
    below = rows_below(text, "Calibration")
    rows, loss = ({row[0]: row[1:] for row in part[2:]} for part in (below[:7], below[7:]))
    assert list(rows) == list(loss) == ["BIC", "CS", "Laplace", "VB", "reference"]
    of = OF_DRAWS["population"].query("by == 'structure' and method == 'vb'").set_index("n")
    cells = []
    for n in (640, 5120):
        r = SimpleNamespace(**of.loc[n])
        low, high = 100 * r.first_low, 100 * r.first_high
        cells += [f"{100 * r.expected_first:.0f} %"]
        cells += [f"{100 * r.first:.0f} % ({low:.0f} to {high:.0f})"]
    assert rows["VB"] == cells
    at = of.loc[80]
    for cell, name in zip(loss["VB"], ("lost_by_top", "lost_by_average"), strict=True):
        assert cell == f"{1000 * at[name]:.2f} ± {1000 * at[f'{name}_se']:.2f}"
    low = OF_DRAWS["calibration"].query("method == 'reference'")["p_value"].min()
    assert f"The smallest p is {low:.2g}; corrected" in text


def test_one_draw_is_the_first():
    text = write_findings({"": ONE})
    rows = {row[0]: row[1:] for row in rows_below(text, "Draw 0")[2:]}
    of = ONE["errors"].query("draw == 0 and method == 'vb'")
    means = of["error_nats"].abs().groupby(of["n"]).mean()
    assert rows["VB"][0] == f"{means.min():.1f} to {means.max():.1f}"
    known = ONE["evidence"].query("draw == 0 and n == 480")["standard_error"].max()
    assert f"standard error of the evidence at 480 cases is {known:.2f} nats" in text
    assert "from 10 to 10240 cases" in text
