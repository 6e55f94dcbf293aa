"""The summary, on tables made by hand whose answers are known."""

import re

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag.report.summary import write_summary
from latentdag.study.one_draw.distances import limited_by
from latentdag.study.one_draw.errors import errors as errors_of
from latentdag.study.one_draw.posterior import classes as classes_of
from latentdag.study.one_draw.posterior import posterior as posterior_of
from latentdag.study.one_draw.sizes import found_for_good, stays_above
from latentdag.study.paper import sources
from latentdag.study.paper.claims import CONVERGED, VB_BEFORE_BIC
from latentdag.study.schema.columns import TABLES

pytestmark = pytest.mark.slow

TRUE = "1-12-12-2"
STRUCTURES = pd.DataFrame(
    [("0-0-0-0", 0, 18, False), (TRUE, 6, 50, True), ("12-12-12-12", 8, 66, False)],
    columns=["structure", "n_links", "n_parameters", "is_true"],
).assign(dimension=9, **{"class": ["0-0-0-0", TRUE, TRUE]})
SIZES = (10, 80, 400, 480, 1120, 2560)


def rank_table(by_method, sizes=SIZES, draw=0, spread=0):
    rows = [
        (
            draw,
            n,
            m,
            r,
            0.0,
            TRUE,
            0.0,
            max(1, r - spread * (m == "ais")),
            r + spread * (m == "ais"),
        )
        for m, ranks in by_method.items()
        for n, r in zip(sizes, ranks, strict=True)
    ]
    columns = [
        "draw",
        "n",
        "method",
        "rank",
        "score_true",
        "best_structure",
        "score_best",
        "rank_low",
        "rank_high",
    ]
    of_class = {"class_rank": 2.0, "class_rank_low": 2.0, "class_rank_high": 3.0}
    return pd.DataFrame(rows, columns=columns).assign(**of_class)


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
        for structure, d, v in zip(
            STRUCTURES["structure"], STRUCTURES["n_parameters"], of_method, strict=True
        ):
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
    """The row of the claim: what the source and this run say, and the verdict."""
    rows = [line for line in text.splitlines() if line.startswith(f"| {name}")]
    assert len(rows) == 1, f"{name}: {rows}"
    _, *cells, place = (cell.strip() for cell in rows[0].strip("|").split("|"))
    assert place.startswith(("paper, sec. ", "thesis, sec. ", "Beal & Ghahramani 2006"))
    return tuple(cells[:3])


def section(text, title):
    """The tables' rows and the paragraphs of one section."""
    (found,) = re.findall(
        rf"^## {re.escape(title)}.*?\n\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S
    )
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
    assert (
        found_for_good(pd.Series([1, 1, 5], index=[480, 1120, 10])) == 480
    )  # whatever the order of the rows
    assert stays_above(pd.Series([-9, -5, -9, -4, -3], index=[1, 2, 4, 8, 16]), -6) == 8
    assert stays_above(pd.Series([-6.0], index=[1]), -6) is None


def test_a_run_like_the_paper_agrees_with_it():
    text = write_summary({}, ranks=rank_table(AS_THE_PAPER))
    assert claim(text, "VB finds") == ("after 480 cases", "from n = 480", "agrees")
    assert claim(text, "BIC finds") == ("at 1120 cases", "from n = 1120", "agrees")
    assert claim(text, "VB needs fewer cases than BIC")[2] == "agrees"
    assert claim(text, "VB almost") == (
        "yes",
        "better at 4 of 6 sizes, worse at 0, equal at 2",
        "agrees",
    )
    assert claim(text, "the smallest size at which AIS") == ("n = 480", "n = 480", "agrees")
    assert claim(text, "the smallest size at which VB and AIS") == ("n = 480", "n = 480", "agrees")
    assert claim(text, "VB locks on") == ("yes", "VB: n = 480; AIS: n = 2560", "agrees")
    noisy = (
        "not first at 1 of 2 larger sizes (worst rank 3 at n = 1120; within its Monte Carlo error "
        "of first at 0)"
    )
    assert claim(text, "the AIS rank") == ("yes", noisy, "agrees")
    assert claim(text, "AIS, VB and BIC")[2] == "agrees"
    here = "median rank over the 3 sizes below 480: AIS 10, VB 40, BIC 80"
    assert claim(text, "small n") == ("yes", here, "agrees")
    assert "ver many draws" not in text
    below = section(text, "Below n = 480")
    assert row(below, "AIS against VB")[1:] == ["2", "1", "0", "2", "1"]
    assert row(below, "VB against BIC")[1:] == ["3", "0", "0", "3", "0"]
    worth = section(text, "Accuracy of each score")
    last = {m: row(worth, m)[-1] for m in ("MAP", "BIC", "VB", "AIS")}
    assert last == {"MAP": "never", "BIC": "1120", "VB": "480", "AIS": "2560"}


def test_claims_over_many_draws_are_told_beside_those_of_this_one():
    held = [
        ("VB finds the true structure", "n = 480", 20, 3, 0.15, 0.05, 0.36, 1, sources.FINDS),
        (
            VB_BEFORE_BIC,
            "",
            0,
            0,
            *[np.nan] * 3,
            21,
            sources.FINDS,
        ),
        ("AIS, VB and BIC find it eventually", "", 4, 4, *[np.nan] * 3, 17, "no refutation"),
        ("VB at 480 cases", "from n = 480", 21, 4, 0.19, 0.08, 0.4, 0, sources.OURS),
        ("a claim that this run does not make", "", 21, 4, 0.19, 0.08, 0.4, 0, sources.CLOSE),
        ("nobody can tell", "yes", 0, 0, *[np.nan] * 3, 21, sources.OURS),
    ]
    held = pd.DataFrame(held, columns=TABLES["claims_held"].columns)
    text = write_summary({}, ranks=rank_table(AS_THE_PAPER), claims_held=held)
    assert row(text, "claim")[3:] == ["verdict", "over many draws", "place in the source"]
    here = ["agrees", "3 of 20: 15 % (5 to 36)", sources.FINDS]
    assert row(text, "VB finds the true structure")[3:] == here
    # no draw can test the first, the second was not judged, and no draw can refute the third
    assert row(text, VB_BEFORE_BIC)[-2] == ""
    assert row(text, "BIC finds the true structure")[-2] == ""
    limit = row(text, "AIS, VB and BIC find it eventually")[-2]
    assert limit == "4 of 4; no draw can refute it"
    claims = section(text, "Claim by claim").splitlines()
    assert [line for line in claims if line.startswith("- VB")] == [
        "- VB at 480 cases: 4 of 21: 19 % (8 to 40)."
    ]


def test_a_run_unlike_the_paper_differs_from_it():
    other = {
        "ais": (60, 60, 1, 1, 1, 1),
        "vb": (50, 50, 50, 50, 50, 2),
        "bic": (70, 40, 1, 1, 1, 1),
    }
    text = write_summary({}, ranks=rank_table(other, spread=15))
    assert claim(text, "VB finds")[1:] == ("never (rank 2 at n = 2560)", "differs: not reached")
    assert claim(text, "BIC finds")[1:] == ("from n = 400", "differs: earlier")
    assert claim(text, "VB needs fewer cases than BIC")[1:] == ("never against n = 400", "differs")
    assert claim(text, "VB almost")[1:] == (
        "better at 1 of 6 sizes, worse at 5, equal at 0",
        "differs",
    )
    assert claim(text, "the AIS rank")[1:] == ("not first at 0 of 3 larger sizes", "differs")
    assert claim(text, "AIS, VB and BIC")[1:] == (
        "AIS rank 1, VB rank 2, BIC rank 1 at n = 2560",
        "differs",
    )
    assert claim(text, "small n")[2] == "differs"
    # better by 10 ranks at two sizes, which is within the error, by 49 at one, which is not
    assert row(section(text, "Below n = 480"), "AIS against VB")[1:] == ["1", "2", "0", "1", "0"]
    assert row(section(text, "Below n = 480"), "AIS against BIC")[1:] == ["1", "1", "1", "0", "1"]
    assert row(section(text, "Ranks"), "10")[1:] == ["70", "50", "60 (45 to 75)"]


def test_figure_1_best_structures_ais_above_vb_and_trends():
    values = {
        "map": (-30, -20, -10),
        "bic": (-40, -50, -60),
        "vb": (-30, -25, -28),
        "ais": (-29, -27, -26),
    }
    text = write_summary(
        {"n": 480}, scores=score_table(values, errors={"ais": 0.3}), structures=STRUCTURES
    )
    assert claim(text, "VB puts the true") == ("yes", TRUE, "agrees")
    here = "12-12-12-12, 1.00 ± 0.42 nats above the true one (rank 2)"
    assert claim(text, "AIS puts the true") == ("yes", here, "differs")
    here = (
        "2 of 3; AIS - VB from -2.00 to 2.00 nats, median 1.00; below by more than 2 standard "
        "errors: 1"
    )
    assert claim(text, "AIS lies above VB") == ("all", here, "differs")
    assert claim(text, "MAP rises")[1:] == ("rank correlation +1.00", "agrees")
    assert claim(text, "BIC falls")[1:] == ("rank correlation -1.00", "agrees")
    cells = row(section(text, "All 3 structures at n = 480"), "BIC")
    assert cells == ["BIC", "0-0-0-0", "-40.00", "2", "10.00"]
    noisier = write_summary(
        {}, scores=score_table(values, errors={"ais": 1.1}), structures=STRUCTURES
    )
    assert claim(noisier, "AIS lies above VB")[2] == "agrees within the Monte Carlo error"


def annealing_table(log_weights, true):
    rows = [
        (0, 480, TRUE, "metropolis", steps, "prior", c, w)
        for steps, weights in log_weights.items()
        for c, w in enumerate(weights)
    ]
    rows += [(0, 480, TRUE, "metropolis", steps, "true", 0, w) for steps, w in true.items()]
    return pd.DataFrame(
        rows,
        columns=["draw", "n", "structure", "transition", "steps", "start", "chain", "log_weight"],
    )


def test_annealing_steps_are_those_from_which_the_median_stays_above():
    scores = score_table({"bic": (0, -50, 0), "vb": (0, -20, 0)})
    chains = {
        256: (-60, -49, -48),  # above BIC, but not for good
        512: (-80, -60, -10),
        1024: (-80, -60, -10),
        2048: (-40, -30, -10),
        4096: (-25, -19, -12),
        8192: (-19, -16, -10),
    }
    table = annealing_table(chains, {8192: -9.0})
    text = write_summary({"n": 480}, scores=scores, annealing=table, structures=STRUCTURES)
    assert claim(text, "AIS chains reach BIC") == (
        "about 1000 steps",
        "2048 steps (log mean weight: 256)",
        "differs: later",
    )
    assert claim(text, "AIS chains pass VB") == (
        "about 5000 steps",
        "4096 steps (log mean weight: 512)",
        "agrees",
    )
    assert claim(text, "all AIS chains converge") == (
        "yes",
        "at 8192 steps all 4 chains within 10.0 nats",
        "agrees",
    )
    cells = row(section(text, f"Annealing {TRUE} at n = 480"), "8192")
    estimate = np.log(np.mean(np.exp([-19, -16, -10])))
    assert (
        cells[1] == "-16.0"
        and cells[2].startswith(f"{estimate:.2f} ± ")
        and cells[3:] == ["-9.0", "10.0"]
    )
    # the paper's chains have converged at 260,000 steps, and may not have at 8192
    for longest, verdict in ((8192, "not testable"), (262144, "differs")):
        apart = annealing_table({longest: chains[8192]}, {longest: -8.0 + CONVERGED})
        text = write_summary({}, annealing=apart)
        assert claim(text, "all AIS chains converge")[2] == verdict
    short = table[table["steps"] <= 2048]
    for found, verdict in ((short, "not testable"), (table, "differs: not reached")):
        text = write_summary({}, scores=scores, annealing=found[found["steps"] != 4096])
        if verdict == "differs: not reached":
            late = pd.concat([found, annealing_table({16384: (-40, -30, -21)}, {})])
            text = write_summary({}, scores=scores, annealing=late)
        assert claim(text, "AIS chains pass VB")[2] == verdict


def test_times_are_compared_as_ratios():
    timing = pd.DataFrame(
        [
            (480, "bic", 2.0, 200.0),
            (480, "vb", 6.0, 575.0),
            (480, "ais", 60.0, 55000.0),
            (480, "ml", 9.0, np.nan),
        ],
        columns=["n", "method", "seconds", "paper_seconds"],
    )
    text = write_summary({}, timing=timing)
    assert claim(text, "time of VB") == ("575 s against 200 s", "3.0 times as long", "agrees")
    assert claim(text, "time of AIS") == (
        "55000 s against 575 s",
        "10.0 times as long",
        "differs: smaller",
    )
    of_16 = write_summary({"ais": {"chains": 16}}, timing=timing.assign(seconds=[2, 6, 9600, 9]))
    assert claim(of_16, "time of AIS")[1:] == (
        "100.0 times as long for each of 16 chains, 1600.0 for all",
        "agrees",
    )
    cells = section(text, "Computation time")
    assert row(cells, "BIC") == ["BIC", "480", "2.0", "200", "100"]
    assert "| ML |" not in cells  # the paper has no time for it
    more = pd.concat(
        [
            timing,
            timing.assign(n=80, seconds=1.0, paper_seconds=np.nan),
            timing.assign(n=10, paper_seconds=np.nan),
        ]
    )
    assert write_summary({}, timing=more) == text
    assert "Computation time" not in write_summary({}, timing=more[more["n"] != 480])


def test_vb_minus_bic_that_has_settled():
    at = {10: (-50, -20), 400: (-70, -30), 1120: (-80, -39), 2560: (-90, -48.5)}  # BIC, VB
    scores = pd.concat(
        [
            score_table({"bic": (-9 - n, bic, -7), "vb": (-9, vb, -7)}, n)
            for n, (bic, vb) in at.items()
        ]
    )
    name = "VB minus BIC stays bounded"
    for sizes, here in (
        (at, "40.00 nats at n = 400, 41.50 at 2560: +0.81 per unit of ln n"),
        ((10, 1120, 2560), "41.00 nats at n = 1120, 41.50 at 2560: +0.60 per unit of ln n"),
        ((10, 2560), "41.50 nats at n = 2560"),
    ):
        own = scores[scores["n"].isin(sizes)]
        text = write_summary({}, scores=own, structures=STRUCTURES)
        assert claim(text, name)[1:] == (here, "not testable")
    flat = scores.assign(score=scores["score"].where(scores["method"] == "bic", -29.0))
    flat = flat.assign(score=flat["score"].where(flat["method"] == "vb", -70.0))
    text = write_summary({}, scores=flat, structures=STRUCTURES)
    here = "41.00 nats at n = 400, 41.00 at 2560: +0.00 per unit of ln n"
    assert claim(text, name) == ("yes", here, "agrees")
    table = row(section(text, "VB against BIC as n grows"), "400")
    assert table[1:] == ["41.00", "41.00", "41.00 to 41.00"]


def test_variants_of_the_scores():
    ranks = rank_table(
        {
            "bic": (9, 9, 9, 9, 9, 9),
            "bic_ml": (9, 9, 9, 5, 9, 7),
            "vb": (1,) * 6,
            "cs": (1, 1, 1, 1, 1, 2),
        }
    )
    scores = score_table({"vb": (-10, -20, -30), "cs": (-11, -24, -29.5)})
    text = section(write_summary({}, ranks=ranks, scores=scores), "Variants")
    assert "differ at 2 of 6 sizes, by 1.0 on average and by at most 4 (n = 480)" in text
    assert "differ at 1 of 6 sizes, by 0.2 on average and by at most 1 (n = 2560)" in text
    assert "median 1.00, from -0.50 to 4.00 nats" in text
    assert "CS lies above VB, which a theorem rules out, in 1 of 3 fits" in text


def test_exact_evidence_beside_the_others():
    values = {
        "exact": (-10, -20, -30),
        "ais": (-10.2, -19.9, -29),
        "vb": (-11, -22, -29.9),
        "cs": (-12, -22, -32),
    }
    text = write_summary({}, scores=score_table(values, n=10, errors={"ais": 0.1}))
    body = section(text, "Exact evidence at n = 10")
    assert row(body, "VB")[1:6] == ["3", "-0.967", "1.050", "-2.000", "0.100"]
    z = np.array([-2, 1, 10])
    root = np.sqrt((z**2).mean())
    here = f"mean {z.mean():+.2f}, root mean square {root:.2f}, largest 10.0; beyond 2 in 1 of 3"
    assert here in body
    assert "VB <= exact: in 2 of 3" in body and "CS <= VB: in 3 of 3" in body


def test_fits_are_named_when_not_converged_and_counted_once():
    scores = score_table(
        {"map": (1, 2, 3), "bic": (1, 2, 3), "cs": (1, 2, 3), "vb": (1, 2, 3), "ais": (1, 2, 3)}
    )
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


def evidence_tables(scores):
    return {
        "errors": errors_of(scores),
        "posterior": posterior_of(scores),
        "classes": classes_of(scores, STRUCTURES),
    }


def sandwich_table(rows):
    """Rows of structure, n, gap."""
    rows = [(0, n, structure, -100.0, 0.03, -100.0 + gap, 0.04, gap) for structure, n, gap in rows]
    return pd.DataFrame(rows, columns=TABLES["sandwich"].columns)


def test_ordering_when_the_evidence_is_known():
    at_10 = {
        "reference": (-10, -20, -30),
        "ais": (-11, -20, -30),
        "vb": (-13, -23, -33),
        "bic": (-29, -20, -39),
    }
    at_480 = {
        "reference": (-30, -20, -25),
        "ais": (-39, -38, -37),
        "vb": (-31, -21, -26),
        "bic": (-36, -26, -31),
    }
    scores = pd.concat(
        [
            score_table(v, n, errors={"reference": 0.1, "ais": 0.5})
            for n, v in ((10, at_10), (480, at_480))
        ]
    )
    ranks = rank_table(
        {"reference": (3, 1), "ais": (7, 3), "vb": (4, 1), "bic": (2, 1)}, sizes=(10, 480)
    )
    ranks.loc[(ranks["method"] == "reference") & (ranks["n"] == 10), "rank_high"] = 5
    text = write_summary(
        {}, scores=scores, ranks=ranks, structures=STRUCTURES, **evidence_tables(scores)
    )
    assert "nearest to the evidence" not in section(text, "Claim by claim")  # no source says so
    body = section(text, "AIS, VB and BIC against the evidence")
    order = "AIS, then VB, then BIC is the order at"
    assert f"- By mean absolute error, {order} 1 of 2 sizes; not at n = 480." in body
    assert f"- By rank of the true structure, {order} 0 of 2 sizes; not at n = 10, 480." in body
    assert f"- By order of all structures, {order} 1 of 2 sizes; not at n = 480." in body
    # AIS, VB, BIC: errors, distances of ranks, correlations
    expected = ["0.33", "3.00", "9.33", "2", "0", "1", "1.000", "1.000", "0.500"]
    assert row(body, "10")[1:] == expected
    expected = ["13.00", "1.00", "6.00", "2", "0", "0", "0.500", "1.000", "1.000"]
    assert row(body, "480")[1:] == expected
    assert "AIS against VB: smaller mean absolute error at 1 of 2 sizes, n = 10; rank of" in body
    assert "nearer to the reference's at 0, farther at 2, equally near at 0" in body
    far = section(text, "How far is each score")
    assert row(far, "480")[1:] == ["-6.00 ± 0.10", "-1.00 ± 0.10", "-18.00 ± 0.51"]
    assert row(far, "10")[1:] == ["+0.00 ± 0.10", "-3.00 ± 0.10", "+0.00 ± 0.51"]
    absolute, middle, order, places = section(text, "Accuracy of each score").split("| score |")[1:]
    assert row(absolute, "AIS")[1:] == ["0.33", "13.00"]
    assert row(absolute, "*nearest without sampling*")[1:] == ["VB", "VB"]
    assert row(middle, "BIC")[1:] == ["-9.00", "-6.00"]
    assert row(middle, "VB")[1:] == ["-3.00", "-1.00"]
    assert row(order, "AIS")[1:] == ["1.000", "0.500"]
    assert row(places, "AIS")[1:] == ["7", "3", "never"]


def test_the_data_or_the_bound_limit_vb():
    assert limited_by(1, 5, 4, 6) == limited_by(1, 1, 1, 1) == "nothing (VB ranks it first)"
    assert limited_by(2, 1, 1, 1) == "the bound"
    assert (
        limited_by(6, 5, 4, 6) == "the data" and limited_by(7, 5, 4, 6) == "the data, and the bound"
    )
    assert limited_by(2, 1, 1, 2) == limited_by(9, 3, 1, 4) == "undecided"
    table = rank_table({"reference": (5, 3, 2, 1, 1, 1), "vb": (9, 3, 4, 2, 1, 1), "ais": (1,) * 6})
    table.loc[(table["method"] == "reference") & (table["n"] == 400), ["rank_low", "rank_high"]] = (
        1,
        3,
    )
    body = section(write_summary({}, ranks=table), "Is VB's rank limited")
    assert row(body, "10")[1:] == ["5", "9", "the data, and the bound"]
    assert row(body, "80")[1:] == ["3", "3", "the data"]
    assert row(body, "400")[1:] == ["2 (1 to 3)", "4", "undecided"]
    assert row(body, "480")[1:] == ["1", "2", "the bound"]
    assert "(VB ranks it first) at 2 sizes (n = 1120, 2560)" in body
    without = write_summary({}, ranks=table[table["method"] != "reference"])
    assert "Is VB's" not in without


def test_steps_that_annealing_needs():
    scores = score_table({"reference": (0, -10.0, 0)}, errors={"reference": 0.05})
    chains = {64: (-40, -40), 128: (-10.5, -10.5), 256: (-13, -13), 512: (-30, -9.5)}
    body = section(
        write_summary({}, scores=scores, annealing=annealing_table(chains, {})),
        "How far is each score",
    )
    of_mean = (
        "the log mean weight of 2 chains is within 1 nat of the reference from 128 steps on (at "
        "every larger number: from 512); at 512 steps it differs by -0.19 nats"
    )
    assert f"- {TRUE} at n = 480, metropolis transitions: {of_mean}; " in body
    near = "the median chain is within 1 nat of the reference from 128 steps on (at every larger "
    assert f"{near}number: never); at 512 steps it differs by -9.75 nats." in body
    short = annealing_table({64: (-40, -40), 128: (-20, -20)}, {})
    body = section(write_summary({}, scores=scores, annealing=short), "How far is each score")
    far = "of 2 chains needs more than 128 steps to come within 1 nat of the reference"
    assert f"{far}; at 128 steps it differs by -10.00 nats" in body


def test_mass_of_the_true_structure():
    at = {
        10: (0.0, 0.0, 0.0),
        80: (0.0, 9.0, 0.0),
        480: (9.0, 0.0, 0.0),
        1120: (0.0, 1.0, 0.0),
        2560: (0.0, 9.0, 0.0),
    }
    scores = pd.concat(
        [score_table({"reference": v, "vb": (0, 2, 0), "bic": (0, 0, 0)}, n) for n, v in at.items()]
    )
    posterior = evidence_tables(scores)["posterior"]
    body = section(write_summary({}, posterior=posterior, structures=STRUCTURES), "Posterior mass")
    assert body.startswith("Under a uniform prior")
    # n = 10, 80, 480, 1120, 2560, and over half of the mass for good from
    assert row(body, "BIC")[1:] == ["0.333"] * 5 + ["never"]
    assert row(body, "VB")[1:] == ["0.787"] * 5 + ["10"]
    assert row(body, "reference")[1:] == ["0.333", "1", "0.000123", "0.576", "1", "1120"]


def test_reference_against_exact_targets_and_bounds():
    exact = score_table(
        {"exact": (-10, -20, -30), "reference": (-10.1, -19.8, -30), "vb": (-9, -21, -31)}, n=10
    )
    exact.loc[exact["method"] == "reference", "standard_error"] = [0.1, 0.05, 0.0]
    tables = [exact]
    for n, error in ((640, 0.11), (800, 0.2), (2560, 0.26), (5120, 0.5), (10240, np.nan)):
        tables.append(score_table({"reference": (0, 0, 0)}, n=n, errors={"reference": error}))
    scores = pd.concat(tables, ignore_index=True)
    body = section(
        write_summary({}, scores=scores, **evidence_tables(scores)), "The reference itself"
    )
    assert (
        f"n = 10: mean +1.50, standard deviation 3.54, largest +4.00 ({TRUE}), over 2 structures"
        in body
    )
    looser = write_summary({"reference": {"target": 0.2}}, scores=scores)
    assert "(0.2 up to n = 640, 0.5 up to n = 2560, 1 above): 3 of 18 pairs" in looser
    targets = "(0.1 up to n = 640, 0.25 up to n = 2560, 0.5 above)"
    assert f"{targets}: 9 of 18 pairs miss theirs: 0-0-0-0 at n = 640 (0.11), " in body
    assert (
        "at n = 800" not in body
        and "n = 5120" not in body
        and "0-0-0-0 at n = 10240 (none)" in body
    )
    assert (
        "VB, a lower bound, lies above the reference by more than 3 standard errors in 1 of 3 pairs"
        in body
    )
    many = pd.concat(
        [score_table({"reference": (0, 0, 0)}, n=n, errors={"reference": n}) for n in range(1, 18)]
    )
    body = section(write_summary({}, scores=many), "The reference itself")
    assert (
        f"51 of 51 pairs miss theirs: 0-0-0-0 at n = 17 (17.00), {TRUE} at n = 17 (17.00), " in body
    )
    assert "n = 1 (1.00) and 1 more." in body
    wrong = exact.assign(standard_error=0.0)
    body = section(write_summary({}, scores=wrong), "The reference itself")
    assert (
        f"claims to be exact and is not, in 2 pairs: 0-0-0-0 at n = 10, {TRUE} at n = 10." in body
    )


def test_gaps_between_the_bounds():
    others = [("0-0-0-0", 80, -0.5), ("12-12-12-12", 80, 0.1)]
    table = sandwich_table([(TRUE, 10, 0.0), (TRUE, 480, 1.5), (TRUE, 2560, 0.7), *others])
    body = section(write_summary({}, sandwich=table, structures=STRUCTURES), "Bounds on both sides")
    worst = f"{TRUE} at n = 480 (1.50 ± 0.05 nats)"
    assert (
        f"- For the true structure {TRUE}, 3 pairs of structure and n: the largest gap is {worst}; "
        in body
    )
    assert f"gaps above 1 nat: 1: {worst}; upper bounds below" in body
    largest = "the largest gap is 12-12-12-12 at n = 80 (0.10 ± 0.05 nats)"
    assert f"{largest}; gaps above 1 nat: 0; upper bounds below the lower by more than" in body
    assert body.rstrip().endswith("standard errors: 1: 0-0-0-0 at n = 80 (-0.50 ± 0.05 nats).")


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
    assert "has one draw (draw 0), which was chosen before" in one and "## All draws" not in one
    like = {"design": {"population": "many", "nearest": {"vb": 480}}}
    one = write_summary(like, ranks=tables[3])
    assert "has one draw (draw 3), which was chosen for its results: in many, " in one
    assert "before any result" not in write_summary({"design": "mine.csv"}, ranks=tables[3])
    assert (
        claim(write_summary({"draw": 2}, ranks=pd.concat(tables)), "VB finds")[1] == "from n = 1120"
    )


def test_whatever_is_missing_is_left_out():
    assert write_summary({}).startswith("# What the paper says")
    empty = {name: pd.DataFrame(columns=TABLES[name].columns) for name in EVERY}
    assert "\n## " not in write_summary({}, **empty)
    few = rank_table({"vb": (4, 2), "ais": (3, 1)}, sizes=(20, 40))
    text = write_summary(
        {"root_seed": 5, "sizes": [20, 40], "em": {"restarts": 3}}, ranks=few, structures=STRUCTURES
    )
    assert "root_seed = 5; sizes = 20, 40; em.restarts = 3." in text
    assert "BIC finds" not in text and "## Annealing" not in text and "nan" not in text.lower()
    with_scores = write_summary(
        {"n": 40}, scores=score_table({"vb": (-3, -2, -1)}, n=40), structures=STRUCTURES
    )
    assert claim(with_scores, "VB puts the true structure first at n = 40") == (
        "yes, at n = 480", "12-12-12-12, 1.00 nats above the true one (rank 2)", "not testable",
    )  # fmt: skip
    assert "## All 3 structures" not in write_summary(
        {"n": 480}, scores=score_table({"vb": (1, 2, 3)}, n=40)
    )


EVERY = ["scores", "ranks", "annealing", "structures", "timing", "errors", "posterior", "sandwich"]
EVERY += ["classes"]
EVERY += ["prior", "cost"]


@pytest.mark.parametrize("absent", [*EVERY, "truth"])
def test_no_table_is_indispensable(absent):
    methods = ("map", "bic", "vb", "ais", "exact", "reference")
    scores = score_table(
        {m: (-3.0, -1.0, -2.0) for m in methods}, errors={"ais": 0.1, "reference": 0.05}
    )
    tables = {
        "scores": scores,
        **evidence_tables(scores),
        "sandwich": sandwich_table([(TRUE, 480, 0.5)]),
        "ranks": rank_table(AS_THE_PAPER | {"reference": (1,) * 6}),
        "annealing": annealing_table({64: (-9.0, -8.0), 128: (-5.0, -4.0)}, {128: -4.5}),
        "structures": STRUCTURES,
        "prior": made_up.prior(),
        "cost": made_up.cost(),
        "timing": pd.DataFrame(
            [(480, "vb", 1.0, 575.0)], columns=["n", "method", "seconds", "paper_seconds"]
        ),
    }
    if absent == "truth":
        del tables["structures"]
    else:
        del tables[absent]
    text = write_summary({} if absent == "truth" else {"true_structure": TRUE}, **tables)
    assert ("## Bounds on both sides" in text) == (absent != "sandwich")
    assert ("## The reference itself" in text) == (absent != "scores")
    assert ("## Posterior mass" in text) == (absent not in ("posterior", "truth"))
    without = ("classes", "posterior", "structures", "truth")
    assert ("## By class of equal distributions" in text) == (absent not in without)
    for line in text.splitlines():
        if line.startswith("|"):
            assert "nan" not in line.lower()
