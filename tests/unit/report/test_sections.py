"""Every number of a study's summary is the one of its row and column, in a made-up study of two
draws, sizes in no order and rows shuffled.

What the statistics themselves must be is tested beside them; here each cell is looked up.
"""

import re
from functools import cache
from math import inf
from statistics import median

import made_up
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE

from latentdag.report.markdown import label, place, place_between, plus_minus
from latentdag.report.study import how_much_of_vbs_error_is_ln_m, why_vb_lies_below_the_evidence
from latentdag.report.summary import write_summary
from latentdag.scores import METHODS, SPECS
from latentdag.study.many_draws import sizes_found
from latentdag.study.one_draw import (
    annealing,
    distances,
    errors,
    evidence_checks,
    fits,
    posterior,
    ranks,
    score_differences,
)
from latentdag.study.paper import timing
from latentdag.study.schema.frames import drawn

pytestmark = pytest.mark.slow

DRAW = 1  # not the first
SECONDS = {("vb", 480): 12.0, ("map", 480): 4.0, ("ais", 480): 60.0, ("ais", 10): 6.0}


@cache
def made_up_study():
    """Its tables by name."""
    scores = made_up.scores(missing={("bic", 80), ("cs", 480), ("vb", 10)})
    scores.loc[lambda t: (t["draw"] == 1) & t["score"].isna(), "score"] = 0.0
    structures = made_up.structures_table()
    return {
        "scores": scores,
        "ranks": ranks.ranks(scores, TRUE, 2003, structures),
        "annealing": made_up.annealing(),
        "structures": structures,
        "timing": timing.timing(SECONDS, 2),
        "errors": errors.errors(scores),
        "posterior": posterior.posterior(scores),
        "classes": posterior.classes(scores, structures),
        "sandwich": made_up.sandwich(),
        "prior": made_up.prior(),
        "cost": made_up.cost(),
    }


@cache
def summary(draw):
    """The summary of the tables, their rows in no order."""
    tables = {k: t.sample(frac=1, random_state=4) for k, t in made_up_study().items()}
    return write_summary({"draw": draw}, **tables)


def of_draw(name, draw=DRAW):
    return made_up_study()[name][made_up_study()[name]["draw"] == draw]


def section(title, draw=DRAW):
    """The paragraphs and the tables, as lists of rows by header, of the section whose title starts
    so.
    """
    (found,) = re.findall(
        rf"^## {re.escape(title)}.*?\n\n(.*?)(?=^## |\Z)", summary(draw), re.M | re.S
    )
    blocks = found.strip().split("\n\n")
    words = [b for b in blocks if not b.startswith("|")]
    tables = []
    for block in blocks:
        if block.startswith("|"):
            header, _, *lines = (
                [cell.strip() for cell in line[1:-1].split(" | ")] for line in block.splitlines()
            )
            tables.append([dict(zip(header, line, strict=True)) for line in lines])
            assert len(set(header)) == len(header)
    return words, tables


def method_of(name):
    (found,) = [m for m in METHODS if SPECS[m].label == name]
    return found


def looked_up(table, expected):
    """Hold each cell of a table by size and method against ``expected(n, method)``."""
    assert [int(row["n"]) for row in table] == sorted(made_up.SIZES)
    methods = [method_of(name) for name in table[0] if name != "n"]
    assert methods == [m for m in METHODS if m in methods]  # in the registry's order
    cells = {(int(row["n"]), m): row[SPECS[m].label] for row in table for m in methods}
    assert cells == {(n, m): expected(n, m) for n, m in cells}
    return methods


def told(table, expected, methods, more=()):
    """Hold each cell of a table with a row for each of ``methods`` against ``expected(n, method)``:
    the sizes of `made_up` are those that are told. ``more`` are further columns.
    """
    sizes = sorted(made_up.SIZES)
    assert list(table[0]) == ["score", *(f"n = {n}" for n in sizes), *more]
    scores = [row for row in table if not row["score"].startswith("*")]
    assert [row["score"] for row in scores] == [label(m) for m in METHODS if m in methods]
    for row in scores:
        m = method_of(row["score"])
        assert {n: row[f"n = {n}"] for n in sizes} == {n: expected(n, m) for n in sizes}


def number(table, n, method, form):
    if method not in table or n not in table.index or pd.isna(table.loc[n, method]):
        return ""
    return format(table.loc[n, method], form)


@pytest.mark.parametrize("draw", [0, 1])
def test_ranks_of_the_true_structure(draw):
    _, (sizes,) = section("Ranks of the true structure", draw)

    def expected(n, method):
        found = made_up.rows(made_up_study()["ranks"], draw=draw, n=n, method=method)
        if not found:
            return ""
        (row,) = found
        if row["rank"] is None:
            return "none"
        return place_between(row["rank"], row["rank_low"], row["rank_high"])

    assert set(looked_up(sizes, expected)) == set(drawn("rank", made_up.METHODS))
    assert any("to" in cell for cell in sizes[0].values())


@pytest.mark.parametrize("draw", [0, 1])
def test_what_each_score_is_worth(draw):
    words, (absolute, middle, order, table) = section("Accuracy of each score", draw)
    own = of_draw("errors", draw)
    judged = {m for m in made_up.METHODS if SPECS[m].judged and m != "reference"}
    sizes = sorted(made_up.SIZES)

    def of_errors(n, method, form):
        values = [r["error_nats"] for r in made_up.rows(own, n=n, method=method)]
        return form(values) if values else ""

    def mean_absolute(values):
        brackets = f" ({len(values)})" if len(values) < len(STRUCTURES) else ""
        return f"{sum(map(abs, values)) / len(values):.2f}{brackets}"

    told(absolute, lambda n, m: of_errors(n, m, mean_absolute), judged)
    told(middle, lambda n, m: of_errors(n, m, lambda v: f"{median(v):+z.2f}"), judged)
    lost = any(f"({len(STRUCTURES) - 1})" in cell for row in absolute for cell in row.values())
    assert lost == (draw == 0)
    assert any("if some have no score" in block for block in words) == lost
    found = distances.order_correlation(of_draw("scores", draw))
    told(order, lambda n, m: number(found, n, m, "z.3f"), judged)
    by_measure = {"error": errors.mean_absolute(own), "order": 1 - found}
    for shown, by in ((absolute, by_measure["error"]), (order, by_measure["order"])):
        last = {row["score"]: row for row in shown if row["score"].startswith("*")}
        for name, sampling in (("*nearest*", True), ("*nearest without sampling*", False)):
            best = distances.nearest(by, sampling)
            assert [last[name][f"n = {n}"] for n in sizes] == [label(best[n]) for n in sizes]

    def rank(n, method):
        found = made_up.plain_rank(made_up_study()["scores"], draw, n, method)
        return "" if found is None else place(found)

    told(table, rank, made_up.METHODS, ["first from n on"])
    for row in table:
        m = method_of(row["score"])
        places = [made_up.plain_rank(made_up_study()["scores"], draw, n, m) for n in sizes]
        good = [n for i, n in enumerate(sizes) if all(p == 1 for p in places[i:])]
        expected = str(good[0]) if good else "never"
        assert row["first from n on"] == ("" if m == "exact" else expected)


@pytest.mark.parametrize("draw", [0, 1])
def test_where_the_scores_fail(draw):
    words, (table, farthest) = section("Where the scores fail", draw)
    own = of_draw("errors", draw)
    own = own[own["method"].isin(drawn("tightness", own["method"]))]
    found = errors.by_links(own, made_up_study()["structures"], TRUE)
    assert [(method_of(row["score"]), row["links"]) for row in table] == found.index.tolist()
    for row, (_, values) in zip(table, found.iterrows(), strict=True):
        expected = ["" if pd.isna(v) else f"{v:+z.2f}" for v in values]
        assert [row[f"n = {n}"] for n in sorted(made_up.SIZES)] == expected
    # of the six, by the digits of their labels: 2, 0, 4, 3, 6, 2
    assert any("(fewer 4, as many 1, more 1)" in block for block in words)
    worst = errors.worst(own)
    assert [method_of(row["score"]) for row in farthest] == list(worst.index)
    for row, (_, r) in zip(farthest, worst.iterrows(), strict=True):
        assert list(row.values())[1:] == [
            plus_minus(r["error_nats"], r["standard_error"], "+"), r["structure"], str(r["n"])
        ]  # fmt: skip


@pytest.mark.parametrize("draw", [0, 1])
def test_vb_against_bic(draw):
    _, (table,) = section("VB against BIC", draw)
    found = score_differences.difference_by_size(of_draw("scores", draw), TRUE)
    assert [int(row["n"]) for row in table] == sorted(made_up.SIZES)
    for row, (_, r) in zip(table, found.iterrows(), strict=True):
        assert list(row.values())[1:] == [
            "" if pd.isna(r["true"]) else f"{r['true']:z.2f}",
            f"{r['median']:z.2f}",
            f"{r['lowest']:z.2f} to {r['highest']:z.2f}",
        ]
    assert any(row["VB minus BIC: true structure"] == "" for row in table) == (draw == 0)


def test_growth_of_vb_minus_bic():
    scores = of_draw("scores")[lambda t: t["n"] <= 1120]
    text = write_summary({"draw": DRAW}, scores=scores, structures=made_up_study()["structures"])
    growth = score_differences.growth(scores)
    low, high = growth.idxmin(), growth.idxmax()
    assert (
        "Growth of VB minus BIC from n = 480 to 1120, in nats per unit of ln n: "
        f"{growth[TRUE]:+z.2f} for the true structure, median {growth.median():+z.2f}, from "
        f"{growth[low]:+z.2f} ({low}) to {growth[high]:+z.2f} ({high})."
    ) in text
    gap = {
        n: score_differences.difference_by_size(scores, TRUE).loc[n, "true"] for n in (480, 1120)
    }
    here = f"{gap[480]:.2f} nats at n = 480, {gap[1120]:.2f} at 1120: {growth[TRUE]:+z.2f} per unit"
    assert here in text


def test_how_much_of_vbs_error_is_ln_m():
    counted = made_up.with_copies(of_draw("scores"))
    *_, table = how_much_of_vbs_error_is_ln_m.section(counted)
    found = score_differences.relabellings_in_error(counted)
    assert table.splitlines()[2:] == [
        f"| {n} | {r['structures']:g} | {r['error']:+z.2f} | {r['log_copies']:+z.2f} | "
        f"{r['rest']:+z.2f} | {'' if pd.isna(r['share']) else format(r['share'], '.0%')} |"
        for n, r in found.iterrows()
    ]
    assert len(found) == len(made_up.SIZES)
    assert how_much_of_vbs_error_is_ln_m.section(of_draw("scores")) == []


def test_why_vb_lies_below_the_evidence():
    bounds = made_up.scores(draws=(DRAW,), methods=("vb", "vb_collapsed", "vb_mix", "reference"))
    *_, table = why_vb_lies_below_the_evidence.section(bounds)
    found = score_differences.parts_of_gap(bounds)
    assert table.splitlines()[2:] == [
        f"| {n} | {r['structures']:g} | {r['gap']:.2f} | {r['theta']:.2f} | {r['modes']:.2f} | "
        f"{r['cases']:.2f} |"
        for n, r in found.iterrows()
    ]
    assert "product q(s) q(theta) | one mode of several | product over cases" in table
    assert why_vb_lies_below_the_evidence.section(of_draw("scores")) == []


def test_below_the_papers_size():
    _, (table,) = section("Below n = 480")
    small = of_draw("ranks")
    found = ranks.pairwise_wins(small[small["n"] < 480], ["ais", "vb", "bic"])
    for row, (a, b) in zip(table, found.index, strict=True):
        name, *counts = row.values()
        assert name == f"{label(a)} against {label(b)}"
        assert counts == [str(v) for v in found.loc[(a, b)]]


@pytest.mark.parametrize("draw", [0, 1])
def test_all_structures_at_the_papers_size(draw):
    _, (table,) = section(f"All {len(STRUCTURES)} structures at n = 480", draw)
    scores = made_up_study()["scores"]
    at = {"draw": draw, "n": 480}
    shown = [method_of(row["method"]) for row in table]
    assert shown == [m for m in METHODS if m in made_up.METHODS and m != "exact"]
    for row, m in zip(table, shown, strict=True):
        own = {r["structure"]: r for r in made_up.rows(scores, **at, method=m)}
        best = max(
            (s for s in own if own[s]["score"] is not None),
            key=lambda s: (own[s]["score"], -STRUCTURES[s], [-ord(c) for c in s]),
        )
        top, true = own[best], own[TRUE]
        assert row["best structure"] == best
        noise = top["standard_error"]
        assert row["its score (nats)"] == f"{top['score']:.2f}" + (
            f" ± {noise:.2f}" if noise else ""
        )
        rank = made_up.plain_rank(scores, draw, 480, m)
        if rank == inf:
            assert row["rank of the true structure"] == "none"
            assert row["best minus true (nats)"] == ""
            continue
        assert row["rank of the true structure"] == str(rank)
        gap = f"{top['score'] - true['score']:.2f}"
        if noise and best != TRUE:
            gap += f" ± {(noise**2 + true['standard_error'] ** 2) ** 0.5:.2f}"
        assert row["best minus true (nats)"] == gap


def test_annealing_of_the_true_structure():
    (words,), (table,) = section(f"Annealing {TRUE} at n = 480, metropolis transitions")
    found = annealing.by_length(of_draw("annealing"))
    assert [int(row["steps"]) for row in table] == found.index.tolist()
    for row, r in zip(table, found.itertuples(), strict=True):
        assert list(row.values())[1:] == [
            f"{r.median:.1f}",
            f"{r.estimate:.2f} ± {r.standard_error:.2f}",
            f"{r.true:.1f}",
            f"{r.spread:.1f}",
        ]
    at = {"draw": DRAW, "n": 480, "structure": TRUE}
    bic, vb = (made_up.score_of(made_up_study()["scores"], **at, method=m) for m in ("bic", "vb"))
    assert (
        f"over 3 chains that start at draws from the prior. BIC {bic:.2f} nats; VB {vb:.2f}"
        in words
    )


def test_computation_time():
    _, (table,) = section("Computation time, all structures")
    assert [list(row.values()) for row in table] == [
        ["BIC", "480", "2.0", "200", "100"],
        ["VB", "480", "6.0", "575", "96"],
        ["AIS", "480", "30.0", "55000", "1833"],
    ]


@pytest.mark.parametrize("draw", [0, 1])
def test_the_papers_ordering(draw):
    words, (table,) = section("AIS, VB and BIC against", draw)
    found = distances.measures(*(of_draw(t, draw) for t in ("errors", "ranks", "scores")))
    shows = (
        ("error", lambda table, n, m: number(table, n, m, ".2f")),
        ("rank off by", lambda t, n, m: "none" if t.loc[n, m] == inf else number(t, n, m, "g")),
        ("correlation", lambda table, n, m: number(1 - table, n, m, "z.3f")),
    )
    assert [int(row["n"]) for row in table] == sorted(made_up.SIZES)
    for row in table:
        n = int(row.pop("n"))
        assert row == {
            f"{label(m)}: {name}": show(measure, n, m)
            for (name, show), measure in zip(shows, found.values(), strict=True)
            for m in ("ais", "vb", "bic")
        }
    for what, by in found.items():
        stand = [by.loc[n, "ais"] <= by.loc[n, "vb"] <= by.loc[n, "bic"] for n in by.index]
        (line,) = [x for x in words[-1].splitlines() if x.startswith(f"- By {what}")]
        assert f"AIS, then VB, then BIC is the order at {sum(stand)} of 5 sizes" in line
    by_error, by_rank, by_order = found.values()
    for a, b in (("ais", "vb"), ("vb", "bic")):
        (line,) = [x for x in words[-1].splitlines() if x.startswith(f"- {label(a)} against")]
        nearer = [n for n in by_error.index if by_error.loc[n, a] < by_error.loc[n, b]]
        assert f"smaller mean absolute error at {len(nearer)} of 5 sizes" in line
        if 0 < len(nearer) < 5:
            assert ", n = " + ", ".join(map(str, nearer)) + ";" in line
        for table, say in (
            (by_rank, "nearer to the reference's at {}, farther at {}, equally near at {}"),
            (by_order, "ordered more like the reference at {}, less at {}, equally well at {}"),
        ):
            signs = [(table.loc[n, a], table.loc[n, b]) for n in table.index]
            counts = [sum(x < y for x, y in signs), sum(x > y for x, y in signs)]
            counts.append(sum(x == y for x, y in signs))
            assert say.format(*counts) in line


def test_what_limits_vb():
    (words,), (table,) = section("Is VB's rank limited")
    found = distances.vb_limits(of_draw("ranks"))
    for row, r in zip(table, found.itertuples(), strict=True):
        assert list(row.values()) == [
            str(r.Index),
            place_between(r.rank, r.low, r.high),
            f"{r.vb:g}",
            r.limited_by,
        ]
    for answer in found["limited_by"].unique():
        sizes = [n for n in found.index if found.loc[n, "limited_by"] == answer]
        count = "1 size" if len(sizes) == 1 else f"{len(sizes)} sizes"
        assert f"{answer} at {count} (n = {', '.join(map(str, sizes))})".lower() in words.lower()


@pytest.mark.parametrize("draw", [0, 1])
def test_distance_from_the_evidence(draw):
    words, (of_truth,) = section("How far is each score from the evidence", draw)
    own = of_draw("errors", draw)

    def expected(n, method):
        found = made_up.rows(own, n=n, method=method, structure=TRUE)
        if not found:
            return ""
        return plus_minus(found[0]["error_nats"], found[0]["standard_error"], "+")

    methods = looked_up(of_truth, expected)
    assert set(methods) == set(drawn("tightness", made_up.METHODS))
    level = made_up.score_of(
        made_up_study()["scores"], draw=draw, n=480, structure=TRUE, method="reference"
    )
    runs = annealing.by_length(of_draw("annealing", draw))
    for column in ("estimate", "median"):
        last = runs[column].iloc[-1] - level
        assert f"at 8192 steps it differs by {last:+z.2f} nats" in words[-1]


@pytest.mark.parametrize("draw", [0, 1])
def test_posterior_mass(draw):
    _, (table,) = section("Posterior mass of the true structure", draw)

    def expected(n, method):
        found = made_up.rows(of_draw("posterior", draw), n=n, method=method, structure=TRUE)
        if not found or found[0]["probability"] is None:
            return ""
        return f"{found[0]['probability']:.3g}"

    over = "over 50% from n on"
    told(table, expected, {m for m in made_up.METHODS if SPECS[m].posterior}, [over])
    start = posterior.mass_from(of_draw("posterior", draw), TRUE)
    for row in table:
        m = method_of(row["score"])
        assert row[over] == ("" if m == "exact" else str(start[m] or "never"))


@pytest.mark.parametrize("draw", [0, 1])
def test_by_class_of_equal_distributions(draw):
    words, (places, masses) = section("By class of equal distributions", draw)
    for said in (
        "The family's 6 structures fall into classes of equal distributions, 3 different models. ",
        "2 of them have more than one member. The largest, 0-0-0, has 3. ",
        f"The true structure {TRUE} shares its class 1-1-2 with 1-1-2.",
    ):
        assert said in f"{words[0]} "
    sizes = sorted(made_up.SIZES)
    methods = [m for m in METHODS if m in made_up.METHODS and SPECS[m].posterior]

    def rank_in_words(n, method):
        found = made_up.rows(made_up_study()["ranks"], draw=draw, n=n, method=method)
        if not found:
            return ""
        (row,) = found
        own = place_between(row["class_rank"], row["class_rank_low"], row["class_rank_high"])
        return f"{own} / {'none' if row['rank'] is None else format(row['rank'], 'g')}"

    told(places, rank_in_words, methods, ["first from n on"])
    assert any("to" in row[f"n = {sizes[0]}"] for row in places)

    def mass_in_words(n, method):
        at = {"n": n, "method": method}
        found = made_up.rows(of_draw("classes", draw), **at, **{"class": "1-1-2"})
        if not found:
            return ""
        (own,) = made_up.rows(of_draw("posterior", draw), **at, structure=TRUE)
        three = found[0]["probability"], found[0]["equal_classes"], own["probability"]
        return " / ".join("none" if p is None else f"{p:.3g}" for p in three)

    told(masses, mass_in_words, methods, ["over 50% from n on"])
    for m, ranked, mass in zip(methods, places, masses, strict=True):
        if m == "exact":
            assert ranked["first from n on"] == mass["over 50% from n on"] == ""
            continue
        starts = []
        for name in ("class_rank", "rank"):
            own = made_up.rows(made_up_study()["ranks"], draw=draw, method=m)
            own = {row["n"]: row[name] == 1 for row in own}
            starts.append(from_where(own))
        assert ranked["first from n on"] == " / ".join(starts)
        starts = []
        for name, column, at in (
            ("classes", "probability", {"class": "1-1-2"}),
            ("classes", "equal_classes", {"class": "1-1-2"}),
            ("posterior", "probability", {"structure": TRUE}),
        ):
            own = made_up.rows(of_draw(name, draw), method=m, **at)
            starts.append(from_where({row["n"]: (row[column] or 0) > 0.5 for row in own}))
        assert mass["over 50% from n on"] == " / ".join(starts)


def from_where(holds):
    """The smallest size at which, and at all larger ones, it holds, in words."""
    sizes = sorted(holds)
    good = [n for i, n in enumerate(sizes) if all(holds[k] for k in sizes[i:])]
    return str(good[0]) if good else "never"


def test_a_true_structure_alone_in_its_class():
    """Its mass is told once."""
    known = made_up.structures_table().assign(**{"class": list(STRUCTURES)})
    found = posterior.classes(made_up_study()["scores"], known)
    text = write_summary({}, **(made_up_study() | {"structures": known, "classes": found}))
    body = text.partition("## By class of equal distributions")[2].partition("\n## ")[0]
    assert f"The true structure {TRUE} is alone in its class." in body
    assert "6 different models. The true" in body and "more than one member" not in body
    (own,) = made_up.rows(found, draw=0, n=1120, method="vb", **{"class": TRUE})
    masses = body.split("| score |")[2]
    (line,) = [x for x in masses.splitlines() if x.startswith("| VB |")]
    cell = line.split(" | ")[1 + sorted(made_up.SIZES).index(1120)]
    assert cell == f"{own['probability']:.3g} / {own['equal_classes']:.3g}"


def test_the_reference_itself():
    (words,), _ = section("The reference itself")
    scores = made_up_study()["scores"]
    z = evidence_checks.z_scores(scores)
    assert f"n = 10: mean {z.mean():+.2f}, standard deviation {z.std():.2f}, largest " in words
    assert f"{z[z.abs().idxmax()]:+.2f} ({z.abs().idxmax()[2]}), over 12 structures." in words
    target = {10: 0.1, 80: 0.1, 480: 0.1, 1120: 0.25, 10240: 0.5}
    known = made_up.rows(scores, method="reference")
    missed = [r for r in known if r["standard_error"] > target[r["n"]]]
    missed.sort(key=lambda r: -r["standard_error"] / target[r["n"]])
    names = [
        f"{r['structure']} at n = {r['n']} of draw {r['draw']} ({r['standard_error']:.2f})"
        for r in missed
    ]
    assert f": {len(missed)} of 60 pairs miss theirs: {', '.join(names[:3])}" in words
    for method in ("cs", "vb"):
        own = made_up.rows(made_up_study()["errors"], method=method)
        above = sum(r["error_nats"] > 3 * r["standard_error"] + 1e-5 for r in own)
        line = f"- {label(method)}, a lower bound, lies above the reference by more than 3 standard"
        assert f"{line} errors in {above} of {len(own)} pairs." in words


def test_bounds_on_both_sides():
    (_, words), _ = section("Bounds on both sides")
    found = evidence_checks.sandwich_gaps(made_up_study()["sandwich"].reset_index(drop=True))
    lines = words.splitlines()
    assert lines[0].startswith(f"- For the true structure {TRUE}, 4 pairs")
    assert lines[1].startswith("- For other structures, each on data simulated from it, 20 pairs")
    for line, is_true in zip(lines, (True, False), strict=True):
        own = [r for r in made_up.rows(found) if (r["structure"] == TRUE) == is_true]

        def names(rows):
            return ", ".join(
                f"{r['structure']} at n = {r['n']} of draw {r['draw']} "
                f"({r['gap']:.2f} ± {r['error']:.2f} nats)"
                for r in sorted(rows, key=lambda r: -abs(r["gap"]))
            )

        wide = [r for r in own if r["gap"] > 1]
        crossed = [r for r in own if r["gap"] < -3 * r["error"] - 1e-5]
        largest = max(own, key=lambda r: r["gap"])
        assert f"the largest gap is {names([largest])}; gaps above 1 nat: {len(wide)}" in line
        assert not wide or f"above 1 nat: {len(wide)}: {names(wide)}; upper" in line
        end = f"3 standard errors: {len(crossed)}" + (f": {names(crossed)}" if crossed else "")
        assert line.endswith(f"{end}.")


def test_variants():
    (words,), _ = section("Variants of the scores")
    for a, b in score_differences.VARIANTS:
        (line,) = [x for x in words.splitlines() if x.startswith(f"- {label(a)} and {label(b)}:")]
        gap = score_differences.rank_gap(of_draw("ranks"), a, b)
        assert f"differ at {(gap > 0).sum()} of 5 sizes, by {gap.mean():.1f} on average" in line
        assert f"by at most {gap.max():g} (n = {gap.idxmax()})" in line
        gap = score_differences.score_gap(of_draw("scores"), a, b)
        assert f"median {gap.median():.2f}, from {gap.min():.2f} to {gap.max():.2f} nats" in line
    assert f"theorem rules out, in {(gap < -1e-5).sum()} of 30 fits" in line


def test_all_draws():
    (words,), (table,) = section("All draws")
    assert words == "Over 2 draws: median (10% and 90% quantiles)."
    found = sizes_found.quantiles_over_draws(made_up_study()["ranks"], 480)
    assert [row["method"] for row in table] == [label(m) for m in found.index]
    for row, (_, r) in zip(table, found.iterrows(), strict=True):
        cells = list(row.values())[1:]
        for cell, name, beyond in ((cells[0], "start", "never"), (cells[2], "rank", "none")):
            m, low, high = (
                beyond if r[f"{name}_{q}"] == inf else f"{r[f'{name}_{q}']:g}"
                for q in ("0.5", "0.1", "0.9")
            )
            assert cell == f"{m} ({low}, {high})"
        assert cells[1] == f"{r['never']:.0f}"


def test_exact_evidence():
    words, (table,) = section("Exact evidence at n = 10")
    scores = made_up_study()["scores"]
    at_10 = scores[scores["n"] == 10]
    found = evidence_checks.exact_gaps(evidence_checks.with_exact(at_10))
    assert [row["method"] for row in table] == [label(m) for m in found.index]
    for row, (_, r) in zip(table, found.iterrows(), strict=True):
        count, *rest = r.tolist()
        assert list(row.values())[1:] == [f"{count:.0f}", *(f"{v:z.3f}" for v in rest)]
    z = evidence_checks.in_standard_errors(at_10, "ais")
    assert f"- AIS, in units of its standard error: mean {z.mean():+.2f}, root mean" in words[-1]
    assert (
        f"largest {z.abs().max():.1f}; beyond 2 in {(z.abs() > 2).sum()} of {len(z)} " in words[-1]
    )
    for low, high, kept, pairs in evidence_checks.bounds_kept(evidence_checks.with_exact(at_10)):
        assert f"- {label(low)} <= {label(high)}: in {kept} of {pairs}; a theorem" in words[-1]


def test_structures_without_a_score():
    _, (table,) = section("Structures without a score")
    assert [list(row.values()) for row in table] == [
        ["BIC", "no maximum", "1", f"{TRUE} at n = 80 of draw 0"],
        ["CS", "no maximum", "1", f"{TRUE} at n = 480 of draw 0"],
        ["VB", "no maximum", "1", f"{TRUE} at n = 10 of draw 0"],
    ]


def test_fits():
    words, (lost, best) = section("Fits")
    of_fits = fits.fits(made_up_study()["scores"])
    counts = fits.convergence(of_fits)
    told = ", ".join(f"{label(j)} {r.failed} of {r.fits}" for j, r in counts.iterrows())
    assert words[0] == f"Fits that reached the iteration limit without convergence: {told}."
    shown = {
        (int(row["draw"]), int(row["n"]), method_of(row["method"]), s)
        for row in lost
        for s in row["structures"].split(", ")
    }
    failed = [r for r in made_up.rows(of_fits) if not r["converged"]]
    assert shown == {(r["draw"], r["n"], r["job"], r["structure"]) for r in failed}
    assert sum(int(row["not converged"]) for row in lost) == len(failed)
    found = fits.at_best(of_fits)
    for row, (job, r) in zip(best, found.iterrows(), strict=True):
        assert list(row.values()) == [
            label(job),
            f"{r.fits:.0f}",
            f"{r.fewest_restarts:g} to {r.most_restarts:g}",
            f"{r.fewest:g}",
            f"{r.tenth:g}",
            f"{r['median']:g}",
            f"{100 * r.share:.0f} %",
            f"{r.once:.0f} ({100 * r.once / r.fits:.1f} %)",
        ]


def test_claims_are_of_the_headline_draw():
    for draw in (0, 1):
        _, (table,) = section("Claim by claim", draw)
        here = {row["claim"]: row["this run"] for row in table}
        places = {
            m: [
                made_up.plain_rank(made_up_study()["scores"], draw, n, m)
                for n in sorted(made_up.SIZES)
            ]
            for m in ("vb", "bic", "ais")
        }
        pairs = list(zip(places["vb"], places["bic"], strict=True))
        counts = [sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)]
        counts.append(sum(a == b for a, b in pairs))
        assert here["VB almost always ranks it higher than BIC"] == (
            "better at {} of 5 sizes, worse at {}, equal at {}".format(*counts)
        )
        sizes = sorted(made_up.SIZES)
        first = [n for n, p in zip(sizes, places["ais"], strict=True) if p == 1]
        assert here["the smallest size at which AIS ranks it first"] == (
            f"n = {first[0]}" if first else "never"
        )
        own = {r["n"]: r for r in made_up.rows(made_up_study()["ranks"], draw=draw, method="ais")}
        lost = [n for n in sizes if first and n > first[0] and own[n]["rank"] > 1]
        within = sum(own[n]["rank_low"] == 1 for n in lost)
        assert within > 0 or draw == 0
        if first:
            noisy = here["the AIS rank is noisy after that"]
            assert noisy.startswith(f"not first at {len(lost)} of ")
            assert not lost or noisy.endswith(f"Monte Carlo error of first at {within})")
        eventually = [f"{label(m)} rank {places[m][-1]}" for m in ("ais", "vb", "bic")]
        assert here["AIS, VB and BIC find it eventually"] == (
            f"{', '.join(eventually)} at n = 10240"
        )
        at = {"draw": draw, "n": 480}
        both = {
            m: {
                r["structure"]: r["score"]
                for r in made_up.rows(made_up_study()["scores"], **at, method=m)
            }
            for m in ("ais", "vb")
        }
        gaps = sorted(both["ais"][s] - both["vb"][s] for s in STRUCTURES)
        middle = (gaps[2] + gaps[3]) / 2
        assert here["AIS lies above VB for every structure"].startswith(
            f"{sum(g > 0 for g in gaps)} of 6; AIS - VB from {gaps[0]:.2f} to {gaps[-1]:.2f} nats, "
            f"median {middle:.2f}"
        )
        runs = annealing.by_length(of_draw("annealing", draw))
        assert here["all AIS chains converge"] == (
            f"at 8192 steps all 5 chains within {runs['spread'].iloc[-1]:.1f} nats"
        )
        assert here["time of VB over that of BIC"] == "3.0 times as long"
    assert summary(0) != summary(1)


def test_the_order_of_rows_says_nothing():
    assert write_summary({"draw": DRAW}, **made_up_study()) == summary(DRAW)
