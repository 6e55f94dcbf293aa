"""The summary, on tables made by hand whose answers are known."""

import re

import numpy as np
import pandas as pd
import pytest

from latentdag.summary import CONVERGED, found_for_good, stays_above, write_summary
from latentdag.tables import COLUMNS

TRUE = "1-12-12-2"
STRUCTURES = pd.DataFrame(
    [("0-0-0-0", 0, 18, False), (TRUE, 6, 50, True), ("12-12-12-12", 8, 66, False)],
    columns=["structure", "n_links", "n_parameters", "is_true"],
)
SIZES = (10, 80, 400, 480, 1120, 2560)


def rank_table(by_method, sizes=SIZES, draw=0, spread=0):
    rows = [
        (draw, n, m, r, 0.0, TRUE, 0.0, max(1, r - spread * (m == "ais")), r + spread * (m == "ais"))
        for m, ranks in by_method.items()
        for n, r in zip(sizes, ranks, strict=True)
    ]
    columns = ["draw", "n", "method", "rank", "score_true", "best_structure", "score_best", "rank_low", "rank_high"]
    return pd.DataFrame(rows, columns=columns)


AS_THE_PAPER = {
    "map": (30, 20, 10, 6, 5, 4),
    "ais": (10, 8, 12, 1, 3, 1),
    "vb": (40, 50, 9, 1, 1, 1),
    "bic": (90, 80, 70, 20, 1, 1),
}


def score_table(values, n=480, draw=0, errors=None):
    """``values[method]`` are the scores of the three structures."""
    rows = []
    for m, of_method in values.items():
        for structure, d, v in zip(STRUCTURES["structure"], STRUCTURES["n_parameters"], of_method, strict=True):
            error = (errors or {}).get(m, np.nan)
            rows.append((draw, n, structure, m, float(v), error, d, 9.0, True, 8.0, 8.0, np.nan))
    columns = [
        "draw",
        "n",
        "structure",
        "method",
        "score",
        "standard_error",
        "n_parameters",
        "iterations",
        "converged",
        "restarts",
    ]
    return pd.DataFrame(rows, columns=[*columns, "restarts_at_best", "log_prior"])


def claim(text, name):
    """The row of the claim: paper, this run, verdict."""
    rows = [line for line in text.splitlines() if line.startswith(f"| {name}")]
    assert len(rows) == 1, f"{name}: {rows}"
    return tuple(cell.strip() for cell in rows[0].strip("|").split("|"))[1:]


def section(text, title):
    """The tables' rows and the paragraphs of one section."""
    (found,) = re.findall(rf"^## {re.escape(title)}.*?\n\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)
    return found


def row(text, first):
    (found,) = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_found_for_good_means_at_every_larger_size_too():
    def found(*ranks):
        return found_for_good(pd.Series(ranks, index=SIZES[: len(ranks)]))

    assert found(5, 1, 1) == 80
    assert found(1, 5, 1) == 400
    assert found(1, 1, 2) is None
    assert found(1, 1, 1) == 10
    assert found_for_good(pd.Series([1, 1, 5], index=[480, 1120, 10])) == 480  # whatever the order of the rows
    assert stays_above(pd.Series([-9, -5, -9, -4, -3], index=[1, 2, 4, 8, 16]), -6) == 8
    assert stays_above(pd.Series([-6.0], index=[1]), -6) is None


def test_a_run_like_the_paper_agrees_with_it():
    text = write_summary({}, ranks=rank_table(AS_THE_PAPER))
    assert claim(text, "VB finds") == ("from n = 480", "from n = 480", "agrees")
    assert claim(text, "BIC finds") == ("from n = 1120", "from n = 1120", "agrees")
    assert claim(text, "VB needs")[2] == "agrees"
    assert claim(text, "VB almost") == ("yes", "better at 4 of 6 sizes, worse at 0, equal at 2", "agrees")
    assert claim(text, "AIS puts it first for") == ("n = 480", "n = 480", "agrees")
    noisy = "not first at 1 of 2 larger sizes (worst rank 3 at n = 1120; within its Monte Carlo error of first at 0)"
    assert claim(text, "the AIS rank") == ("yes", noisy, "agrees")
    assert claim(text, "AIS, VB and BIC")[2] == "agrees"
    here = "median rank over the 3 sizes below 480: AIS 10, VB 40, BIC 80"
    assert claim(text, "small n") == ("yes", here, "agrees")
    below = section(text, "Below n = 480")
    assert row(below, "AIS against VB")[1:] == ["2", "1", "0", "2", "1"]
    assert row(below, "VB against BIC")[1:] == ["3", "0", "0", "3", "0"]
    assert row(section(text, "Ranks"), "first for good from") == ["first for good from", "never", "1120", "480", "2560"]


def test_a_run_unlike_the_paper_differs_from_it():
    other = {"ais": (60, 60, 1, 1, 1, 1), "vb": (50, 50, 50, 50, 50, 2), "bic": (70, 40, 1, 1, 1, 1)}
    text = write_summary({}, ranks=rank_table(other, spread=15))
    assert claim(text, "VB finds")[1:] == ("never (rank 2 at n = 2560)", "differs: not reached")
    assert claim(text, "BIC finds")[1:] == ("from n = 400", "differs: earlier")
    assert claim(text, "VB needs")[1:] == ("never against n = 400", "differs")
    assert claim(text, "VB almost")[1:] == ("better at 1 of 6 sizes, worse at 5, equal at 0", "differs")
    assert claim(text, "the AIS rank")[1:] == ("not first at 0 of 3 larger sizes", "differs")
    assert claim(text, "AIS, VB and BIC")[1:] == ("AIS rank 1, VB rank 2, BIC rank 1 at n = 2560", "differs")
    assert claim(text, "small n")[2] == "differs"
    # better by 10 ranks at two sizes, which is within the error, by 49 at one, which is not
    assert row(section(text, "Below n = 480"), "AIS against VB")[1:] == ["1", "2", "0", "1", "0"]
    assert row(section(text, "Below n = 480"), "AIS against BIC")[1:] == ["1", "1", "1", "0", "1"]
    assert row(section(text, "Ranks"), "10")[1:] == ["70", "50", "60 (45 to 75)"]


def test_figure_1_best_structures_ais_above_vb_and_trends():
    values = {"map": (-30, -20, -10), "bic": (-40, -50, -60), "vb": (-30, -25, -28), "ais": (-29, -27, -26)}
    text = write_summary({"n": 480}, scores=score_table(values, errors={"ais": 0.3}), structures=STRUCTURES)
    assert claim(text, "VB puts the true") == ("yes", TRUE, "agrees")
    here = "12-12-12-12, 1.00 ± 0.42 nats above the true one (rank 2)"
    assert claim(text, "AIS puts the true") == ("yes", here, "differs")
    here = "2 of 3; AIS - VB from -2.00 to 2.00 nats, median 1.00; 1 of the 1 others below by more than 2 standard errors"
    assert claim(text, "AIS lies above VB") == ("all", here, "differs")
    assert claim(text, "MAP rises")[1:] == ("rank correlation +1.00", "agrees")
    assert claim(text, "BIC falls")[1:] == ("rank correlation -1.00", "agrees")
    cells = row(section(text, "All 3 structures at n = 480"), "BIC")
    assert cells == ["BIC", "0-0-0-0", "-40.00", "2", "10.00"]
    noisier = write_summary({}, scores=score_table(values, errors={"ais": 1.1}), structures=STRUCTURES)
    assert claim(noisier, "AIS lies above VB")[2] == "agrees within the Monte Carlo error"


def annealing_table(log_weights, true):
    rows = [
        (0, 480, TRUE, "metropolis", steps, "prior", c, w)
        for steps, weights in log_weights.items()
        for c, w in enumerate(weights)
    ]
    rows += [(0, 480, TRUE, "metropolis", steps, "true", 0, w) for steps, w in true.items()]
    return pd.DataFrame(rows, columns=["draw", "n", "structure", "transition", "steps", "start", "chain", "log_weight"])


def test_annealing_steps_are_those_from_which_the_median_stays_above():
    scores = score_table({"bic": (0, -50, 0), "vb": (0, -20, 0)})
    chains = {
        256: (-60, -49, -48),  # above BIC, but not for good
        512: (-80, -60, -10),
        2048: (-40, -30, -10),
        4096: (-25, -19, -12),
        8192: (-19, -16, -10),
    }
    table = annealing_table(chains, {8192: -9.0})
    text = write_summary({"n": 480}, scores=scores, annealing=table, structures=STRUCTURES)
    assert claim(text, "AIS chains reach BIC") == ("about 1000 steps", "2048 steps (log mean weight: 256)", "differs: later")
    assert claim(text, "AIS chains pass VB") == ("about 5000 steps", "4096 steps (log mean weight: 512)", "agrees")
    assert claim(text, "all AIS chains converge") == ("yes", "at 8192 steps all 4 chains within 10.0 nats", "agrees")
    cells = row(section(text, f"Annealing {TRUE} at n = 480"), "8192")
    estimate = np.log(np.mean(np.exp([-19, -16, -10])))
    assert cells[1] == "-16.0" and cells[2].startswith(f"{estimate:.2f} ± ") and cells[3:] == ["-9.0", "10.0"]
    apart = annealing_table(chains, {8192: -8.0 + CONVERGED})
    assert claim(write_summary({}, annealing=apart), "all AIS chains converge")[2] == "differs"
    never = write_summary({}, scores=scores, annealing=table[table["steps"] == 512])
    assert claim(never, "AIS chains pass VB")[1:] == ("never (log mean weight: 512)", "differs: not reached")


def test_times_are_compared_as_ratios():
    timing = pd.DataFrame(
        [(480, "bic", 2.0, 200.0), (480, "vb", 6.0, 575.0), (480, "ais", 60.0, 55000.0), (480, "ml", 9.0, np.nan)],
        columns=["n", "method", "seconds", "paper_seconds"],
    )
    text = write_summary({}, timing=timing)
    assert claim(text, "time of VB") == ("2.9 times as long", "3.0 times as long", "agrees")
    assert claim(text, "time of AIS") == ("95.7 times as long", "10.0 times as long", "differs: smaller")
    cells = section(text, "Computation time")
    assert row(cells, "BIC") == ["BIC", "480", "2.0", "200", "100"]
    assert row(cells, "ML") == ["ML", "480", "9.0", "", ""]


def test_variants_of_the_scores():
    ranks = rank_table({"bic": (9, 9, 9, 9, 9, 9), "bic_ml": (9, 9, 9, 5, 9, 7), "vb": (1,) * 6, "cs": (1, 1, 1, 1, 1, 2)})
    scores = score_table({"vb": (-10, -20, -30), "cs": (-11, -24, -29.5)})
    text = section(write_summary({}, ranks=ranks, scores=scores), "Variants")
    assert "differ at 2 of 6 sizes, by 1.0 on average and by at most 4 (n = 480)" in text
    assert "differ at 1 of 6 sizes, by 0.2 on average and by at most 1 (n = 2560)" in text
    assert "median 1.00, from -0.50 to 4.00 nats" in text
    assert "CS above VB, which must not be, in 1 of 3 fits" in text


def test_exact_evidence_beside_the_others():
    values = {"exact": (-10, -20, -30), "ais": (-10.2, -19.9, -29), "vb": (-11, -22, -29.9), "cs": (-12, -22, -32)}
    text = write_summary({}, scores=score_table(values, n=10, errors={"ais": 0.1}))
    body = section(text, "Exact evidence at n = 10")
    assert row(body, "VB")[1:6] == ["3", "-0.967", "1.050", "-2.000", "0.100"]
    z = np.array([-2, 1, 10])
    assert f"mean {z.mean():+.2f}, root mean square {np.sqrt((z**2).mean()):.2f}, largest 10.0; beyond 2 in 1 of 3" in body
    assert "VB <= exact: in 2 of 3" in body and "CS <= VB: in 3 of 3" in body


def test_fits_are_named_when_not_converged_and_counted_once():
    scores = score_table({"map": (1, 2, 3), "bic": (1, 2, 3), "cs": (1, 2, 3), "vb": (1, 2, 3), "ais": (1, 2, 3)})
    lost = scores["method"].isin(["map", "bic", "cs"]) & (scores["structure"] == "0-0-0-0")
    scores["converged"] = scores["converged"].astype(object)
    scores.loc[lost, "converged"] = False
    scores.loc[scores["method"] == "ais", ["converged", "restarts_at_best"]] = np.nan
    scores.loc[lost, "restarts_at_best"] = 1.0
    body = section(write_summary({}, scores=scores), "Fits")
    assert "MAP 1 of 3, VB 0 of 3." in body
    assert row(body, "0")[1:] == ["480", "MAP", "1", "0-0-0-0"]
    assert row(body, "MAP") == ["MAP", "3", "8 to 8", "1", "2.4", "8", "100 %", "1 (33.3 %)"]
    assert "| AIS |" not in body
    as_text = scores.assign(converged=scores["converged"].map({True: "true", False: "false"}))
    assert section(write_summary({}, scores=as_text), "Fits") == body


def test_several_draws_give_quantiles_and_the_headline_stays_draw_0():
    starts = {0: 480, 1: 80, 2: 1120, 3: None, 4: 480}
    tables = []
    for draw, start in starts.items():
        ranks = [1 if start is not None and n >= start else 7 for n in SIZES]
        tables.append(rank_table({"vb": ranks, "bic": [9] * len(SIZES)}, draw=draw))
    text = write_summary({}, ranks=pd.concat(tables))
    assert claim(text, "VB finds")[1:] == ("from n = 480", "agrees")
    body = section(text, "All draws")
    assert row(body, "VB") == ["VB", "480 (80, never)", "1", "7 (1, 7)"]
    assert row(body, "BIC")[1:3] == ["never (never, never)", "5"]
    assert "quantiles over all 5 draws" in text
    one = write_summary({}, ranks=tables[0])
    assert "one draw is one draw" in one and "## All draws" not in one
    assert claim(write_summary({"draw": 2}, ranks=pd.concat(tables)), "VB finds")[1] == "from n = 1120"


def test_whatever_is_missing_is_left_out():
    assert write_summary({}).startswith("# What the paper says")
    empty = {name: pd.DataFrame(columns=COLUMNS[name]) for name in ("scores", "ranks", "annealing", "structures", "timing")}
    assert "\n## " not in write_summary({}, **empty)
    few = rank_table({"vb": (4, 2), "ais": (3, 1)}, sizes=(20, 40))
    text = write_summary({"root_seed": 5, "sizes": [20, 40], "em": {"restarts": 3}}, ranks=few, structures=STRUCTURES)
    assert "root_seed = 5; sizes = 20, 40; em.restarts = 3." in text
    assert "BIC finds" not in text and "## Annealing" not in text and "nan" not in text.lower()
    with_scores = write_summary({"n": 40}, scores=score_table({"vb": (-3, -2, -1)}, n=40), structures=STRUCTURES)
    assert claim(with_scores, "VB puts the true structure first at n = 40") == (
        "yes, at n = 480", "12-12-12-12, 1.00 nats above the true one (rank 2)", "differs",
    )  # fmt: skip
    assert "## All 3 structures" not in write_summary({"n": 480}, scores=score_table({"vb": (1, 2, 3)}, n=40))


@pytest.mark.parametrize("absent", ["scores", "ranks", "annealing", "structures", "timing"])
def test_no_table_is_indispensable(absent):
    tables = {
        "scores": score_table({m: (-3.0, -1.0, -2.0) for m in ("map", "bic", "vb", "ais", "exact")}, errors={"ais": 0.1}),
        "ranks": rank_table(AS_THE_PAPER),
        "annealing": annealing_table({64: (-9.0, -8.0), 128: (-5.0, -4.0)}, {128: -4.5}),
        "structures": STRUCTURES,
        "timing": pd.DataFrame([(480, "vb", 1.0, 575.0)], columns=["n", "method", "seconds", "paper_seconds"]),
    }
    del tables[absent]
    text = write_summary({"true_structure": TRUE}, **tables)
    for line in text.splitlines():
        if line.startswith("|"):
            assert "nan" not in line.lower()
