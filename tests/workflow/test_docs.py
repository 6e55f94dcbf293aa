"""The generated parts of the READMEs are current, and say what the code declares."""

import csv
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import made_up
import pytest
from numpy import inf, isinf
from scipy.stats import binomtest, spearmanr
from studies import ROOT

from latentdag import Family, Structure, effective_dimension, enumerate_structures
from latentdag.analysis import equal_modes
from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.annealing import by_length, steps_within
from latentdag.study.one_draw.distances import in_this_order, measures, order_correlation
from latentdag.study.one_draw.errors import MORE, by_links, error_by_size, errors, mean_absolute
from latentdag.study.one_draw.sizes import sizes_for_good
from latentdag.study.own_data.published import agrees
from latentdag.study.paper.chickering_heckerman import total_variation
from latentdag.study.paper.numbers import BEST_FIRST
from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES, Kind
from latentdag.study.schema.evidence import evidence
from lib.docs import (
    GENERATORS,
    MARKER,
    PAGES,
    examples_markdown,
    renewed,
    scores_markdown,
    searches_markdown,
    worth_markdown,
)
from lib.experiments import (
    EXPERIMENTS,
)

TWO = """before
<!-- generated: one -->
old
<!-- end -->
between
<!-- generated: two -->
<!-- end -->
after
"""


def test_parts_are_renewed_and_the_rest_stays():
    new = renewed(TWO, {"one": lambda: "| 1 |\n| 2 |\n", "two": lambda: "second"})
    assert new == TWO.replace("old", "| 1 |\n| 2 |").replace(
        "two -->\n<!-- end", "two -->\nsecond\n<!-- end"
    )
    assert renewed(new, {"one": lambda: "| 1 |\n| 2 |", "two": lambda: "second"}) == new
    assert renewed("no part", {}) == "no part"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- generated: three -->\n<!-- end -->\n", "no generator of that name"),
        ("<!-- generated: one -->\nold\n", "has no end"),
        ("text\n<!-- end -->\n", "does not belong there"),
        ("<!-- generated: one -->\n<!-- generated: one -->\n<!-- end -->\n", "not nested"),
    ],
)
def test_wrong_markers(text, message):
    with pytest.raises(ValueError, match=message):
        renewed(text, {"one": lambda: "1"})


def test_the_caption_of_equal_modes_names_its_model():
    text = (ROOT / "workflow/report/equal_modes.rst").read_text(encoding="utf-8")
    assert f"and {equal_modes.N} simulated cases" in " ".join(text.split())
    first, second = equal_modes.TRUE.observed[0][:, 1]
    assert f"The true values are {first:g} and {second:g}." in text
    assert all((table == equal_modes.TRUE.observed[0]).all() for table in equal_modes.TRUE.observed)


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page, committed):
    of_results = {
        "worth": worth_markdown,
        "searches": searches_markdown,
        "examples": examples_markdown,
        **EXPERIMENTS,
    }
    of_committed = {name: partial(write, committed) for name, write in of_results.items()}
    generators = GENERATORS | of_committed
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, generators) == text, "make docs"


@pytest.mark.slow
def test_the_tables_of_another_run_change_nothing(committed, tmp_path):
    """After ``make`` the working tree has other times, and after an edit of a setting other
    numbers: the tests of this file still hold the pages against the committed tables.
    """
    for name in ("src", "workflow", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    results = shutil.copytree(committed, tmp_path / "results")
    for command in (["init", "--quiet"], ["add", "--force", "results"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    for path in (*results.rglob("*.csv"), *results.rglob("*.json")):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.translate(str.maketrans("123456789", "912345678")), encoding="utf-8")
    this = f"tests/workflow/{Path(__file__).name}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", this]
    paths = os.pathsep.join(str(tmp_path / name) for name in ("src", "workflow"))
    done = subprocess.run(
        [*command, "--deselect", f"{this}::test_the_tables_of_another_run_change_nothing"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout and " skipped" not in done.stdout


def test_every_generated_part_has_one_place():
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    places = [marker["name"] for marker in MARKER.finditer(pages) if marker["name"]]
    assert sorted(places) == sorted(GENERATORS)


def test_table_of_what_scores_are_worth(tmp_path):
    """Of draw 0, at the sizes told and no other; empty where there is no number, and no line for a
    score that has none.
    """
    scores = made_up.scores()
    found = {
        "scores": scores,
        "evidence": evidence(scores),
        "errors": errors(scores),
        "cost": made_up.cost(),
    }
    for name, table in found.items():
        tables.write(tmp_path / f"{name}.csv", name, table)
    header, _, *lines = worth_markdown(tmp_path).splitlines()
    assert len(header.split(" | ")) == 1 + 4 + 4 + 2
    rows = {line.split("`")[1]: line[1:-1].split(" | ")[1:] for line in lines}
    assert list(rows) == ["bic", "cs", "bic_ml", "vb", "ais"]  # the exact is known at 10 alone
    for m, cells in rows.items():
        cells = [cell.strip() for cell in cells]
        for k, n in enumerate((80, 480, 1280, 10240)):
            at = {"draw": 0, "n": n}
            of = {
                r["structure"]: r["score"] for r in made_up.rows(scores, **at, method="reference")
            }
            own = {
                r["structure"]: r["score"]
                for r in made_up.rows(scores, **at, method=m)
                if r["score"] is not None
            }
            if n == 1280:
                assert (cells[k], cells[4 + k]) == ("", "")
                continue
            gaps = [abs(own[s] - of[s]) for s in own]
            assert cells[k] == f"{sum(gaps) / len(gaps):.1f}"
            assert (
                cells[4 + k] == f"{spearmanr([own[s] for s in own], [of[s] for s in own])[0]:.3f}"
            )
        expected = {"cs": ["9.00", "0.48"], "vb": ["70.00", "0.24"]}
        assert cells[8:] == expected.get(m, ["", ""])


def test_table_of_searches(tmp_path):
    """By family and score in the order of the rows: means, worst cases and shares by hand."""
    numbers = [  # found below the best, and scored: of the beam, of structural EM
        ("2 x 4", 200, "bic", [(0.0, 20), (1.5, 40)], [(2.0, 2), (0.25, 4)]),
        ("2 x 4", 200, "vb", [(0.0, 10), (5e-7, 30)], [(0.0, 2), (0.0, 4)]),
        ("3 x 4", 400, "bic", [(3.0, 40)], [(4.0, 1)]),
    ]
    rows = [
        {
            "family": family,
            "table": number,
            "method": method,
            "search": search,
            "structures": structures,
            "scored": scored,
            "fits": 7,
            "best_structure": "1-1-1-1",
            "score_best": -1000.0,
            "score_found": -1000.0 - below,
        }
        for family, structures, method, *both in numbers
        for search, own in zip(("beam", "structural EM"), both, strict=True)
        for number, (below, scored) in enumerate(own)
    ]
    tables.write(tmp_path / "searches.csv", "searches", rows)
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in searches_markdown(tmp_path).splitlines()[2:]
    ]
    em = ["0", "1.12", "2.00", "1.5 %"]
    assert cells == [
        ["2 x 4", "200", "`bic`", "2", "1", "0.75", "1.50", "15.0 %", *em],
        ["2 x 4", "200", "`vb`", "2", "2", "0.00", "0.00", "10.0 %", "2", "0.00", "0.00", "1.5 %"],
        ["3 x 4", "400", "`bic`", "1", "0", "3.00", "3.00", "10.0 %", "0", "4.00", "4.00", "0.2 %"],
    ]


def cells_of(markdown):
    """The cells of a table's rows, without its header."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()[2:]
    ]


def of_experiment(folder, name, rows):
    """The rows of the page's table, from those of the experiment's."""
    (folder / "experiments").mkdir(exist_ok=True)
    rows = [dict(zip(TABLES[name].columns, row, strict=True)) for row in rows]
    tables.write(folder / f"experiments/{name}.csv", name, rows)
    return cells_of(EXPERIMENTS[name](folder))


def test_table_of_importance_sampling(tmp_path):
    """Errors -1 and 3: mean absolute error 2, mean 1, the standard errors 1 and 2."""
    rows = [
        (80, "1-1-0-0", "one mode", 10.0, -1.0, 0.5),
        (80, "1-1-0-0", "all copies", 1.0, 0.0, 0.1),
        (80, "1-1-1-0", "one mode", 20.0, 3.0, 1.0),
        (80, "1-1-1-0", "all copies", 3.04, 0.5, 0.1),
    ]
    first, second = of_experiment(tmp_path, "importance_sampling", rows)
    assert first == [
        *("80", "one mode", "2", "15 (10.0 to 20)", "2.00 ± 1.00", "1.00 ± 2.00", "0.75"),
    ]
    assert second[3:5] == ["2 (1.0 to 3)", "0.25 ± 0.25"]


def test_table_of_chib(tmp_path):
    rows = [
        (480, s, "MAP estimate", relabelled, error + relabelled, 0.25)
        for s, error in (("1-1-0-0", -4.0), ("1-1-1-0", 2.0), ("1-1-1-1", 3.0))
        for relabelled in (False, True)
    ]
    first, second = of_experiment(tmp_path, "chib", rows)
    assert first[:5] == ["480", "MAP estimate", "none", "3", "3.00 ± 0.58"]
    assert first[5:] == ["0.33 ± 2.19", "2.00", "4.0", "0.25"]
    assert second[2:5] == ["all", "3", "3.33 ± 0.33"]


def test_table_of_path_sampling(tmp_path):
    """Path sampling is 2 and 4 too low, with an error of 1.5: one of two beyond two errors."""
    rows = [
        (n, s, method, error, 1.5)
        for n in (80, 10)
        for s, low in (("1-1-0-0", -2.0), ("1-1-1-0", -4.0))
        for method, error in (("ais", low + 3.0), ("path sampling", low))
    ]
    first, second = of_experiment(tmp_path, "path_sampling", rows)
    assert first == [
        *("80", "2", "3.00 ± 1.00", "-3.00 ± 1.00", "50 %", "1.00 ± 0.00", "0.00 ± 1.00", "0 %"),
    ]
    assert second == ["10", *first[1:]]


def test_table_of_posterior_widths(tmp_path):
    rows = [
        (80, "1-1-0-0", 10, 0.5, 0.9),
        (80, "1-1-1-0", 20, 0.7, 1.0),
        (80, "1-1-1-1", 30, 0.6, 1.1),
        (80, "12-1-1-1", 0, None, None),
    ]
    (row,) = of_experiment(tmp_path, "posterior_width", rows)
    q = ["0.60 (0.55 to 0.65)", "0.60 ± 0.06"]
    assert row == ["80", "3", "60", *q, "1.00 (0.95 to 1.05)", "1.00 ± 0.06"]


def test_table_of_slopes(tmp_path):
    rows = [(n, m, x, 0.25) for n in (80, 10) for m, x in (("vb", -n / 8), ("ais", 0.5))]
    first, second = of_experiment(tmp_path, "bias_by_parameters", rows)
    assert first == ["`vb`", "-10.00 ± 0.25", "-1.25 ± 0.25"]
    assert second == ["`ais`", "0.50 ± 0.25", "0.50 ± 0.25"]


def row_without_values(table):
    """Empty cells for all columns of a table."""
    kinds = {name: TABLES[table].column(name).kind for name in TABLES[table].columns}
    return {name: "" if kind is Kind.TEXT else None for name, kind in kinds.items()}


def test_table_of_annealing_and_rank(tmp_path):
    """The rank moves by 3 and 1 in one run and by 1 and 3 in the other; by 2 and 4 in a third. The
    evidence's moves by 4 and 2.
    """
    tables.write(
        tmp_path / "ranks.csv",
        "ranks",
        [
            row_without_values("ranks") | {"draw": draw, "method": method, "n": n, "rank": rank}
            for draw, method, by_size in (
                *((0, "ais", (9, 9, 9)), (0, "reference", (7, 3, 1)), (1, "reference", (1, 1, 1))),
            )
            for n, rank in zip((10, 80, 480), by_size, strict=True)
        ],
    )
    runs = {(64, 0): (6, 3, 2), (64, 1): (3, 2, 5), (64, 2): (7, 5, 1), (4096, 0): (7, 3, 2)}
    rows = [
        (*which, n, rank)
        for which, ranks in runs.items()
        for n, rank in zip((480, 10, 80), (ranks[2], *ranks[:2]), strict=True)
    ]
    short, long, evidence = of_experiment(tmp_path, "annealing_and_rank", rows)
    # away from 7, 3, 1: by 2 / 3, 9 / 3 and 2 / 3
    assert short == ["64", "3", "2.33 ± 0.33", "1.44 ± 0.78"]
    assert long[:2] == ["4096", "1"] and long[2].startswith("2.50") and long[3].startswith("0.33")
    assert evidence == ["evidence", "", "3.00", ""]


def test_table_of_states(tmp_path):
    """Of four draws two are right; one has no choice, and the mean is that of three."""
    rows = [
        (draw, n, method, choice)
        for method, n, choices in (
            *(("vb", 160, (3, 3, 2, 2)), ("vb", 640, (3, 3, 3, 3))),
            *(("cs", 160, (3, 1, None, 2)), ("cs", 640, (6, 6, 1, 1))),
        )
        for draw, choice in enumerate(choices)
    ]
    vb, cs = of_experiment(tmp_path, "states_of_a_cause", rows)
    assert vb == ["`vb`", "50 ± 25 %; 2.50 ± 0.29", "100 ± 0 %; 3.00 ± 0.00"]
    assert cs == ["`cs`", "25 ± 22 %; 2.00 ± 0.58", "0 ± 0 %; 3.50 ± 1.44"]


def test_table_of_mean_field_starts(tmp_path):
    rows = [
        (80, label, start, share, times * below)
        for start, times, shares in (("parameters", 1, (0.2, 0.6)), ("mean field", 2, (1.0, 0.6)))
        for label, share, below in zip(("1-12-1-1", "12-1-1-1"), shares, (2.0, 1.0), strict=True)
    ]
    (row,) = of_experiment(tmp_path, "mean_field_starts", rows)
    shares = ["0.40 ± 0.20", "0.80 ± 0.20", "0.40 ± 0.40"]
    assert row == ["80", "2", *shares, "1.50 ± 0.50", "3.00 ± 1.00", "1.50 ± 0.50"]


def test_table_of_pruned_states(tmp_path):
    """Of 4 and of 2 states; online VB's bound is 3 and 4 below, and that of another draw 90."""
    tables.write(
        tmp_path / "scores.csv",
        "scores",
        [
            row_without_values("scores")
            | {"draw": draw, "n": n, "method": method, "structure": label, "n_parameters": 9}
            | {"score": -90 if draw else -n - low * (method == "vb_online")}
            for draw in (0, 1)
            for n in (480, 1280)
            for method in ("vb", "vb_online")
            for label, low in (("1-2-1-1", 3.0), ("1-1-1-1", 4.0), ("0-0-0-0", 50.0))
        ],
    )
    rows = [
        (n, label, method, states, pruned if n == 480 else 0, rare)
        for n in (480, 1280)
        for method, of in (("vb", ((4, 0, 1), (2, 1, 1))), ("vb_online", ((4, 3, 4), (2, 1, 2))))
        for label, (states, pruned, rare) in zip(("1-2-1-1", "1-1-1-1"), of, strict=True)
    ]
    first, second = of_experiment(tmp_path, "pruned_states", rows)
    vb, online = ("25.00 ± 25.00", "37.50 ± 12.50"), ("62.50 ± 12.50", "100.00 ± 0.00")
    assert first == ["480", "2", *vb, *online, "-3.50 ± 0.50"]
    no = "0.00 ± 0.00"
    assert second == ["1280", "2", no, vb[1], no, online[1], "-3.50 ± 0.50"]


def test_table_of_expectation_propagation(tmp_path):
    """Six of seven converge; scores are held against the evidence on these six, on draw 0. Ranks
    of expectation propagation have squared differences of 0, 1, 1, 0, 1, 1: Spearman's correlation
    is 1 - 6 * 4 / (6 * 35).
    """
    labels = ["1-1-0-0", "1-1-1-0", "1-1-1-1", "0-1-1-0", "0-1-1-1", "0-0-1-1", "1-0-0-1"]
    evidence = [-500.0, -502.0, -504.0, -506.0, -508.0, -510.0, -450.0]
    lower = [1.0, 3.0, 0.0, 1.0, 3.0, 0.0, 50.0]  # of expectation propagation
    tables.write(
        tmp_path / "errors.csv",
        "errors",
        [
            row_without_values("errors")
            | {"draw": draw, "n": n, "method": method, "structure": label}
            | {"error_nats": draw + n / 480 * error}
            for draw in (0, 1)
            for n in (80, 480)
            for method, errors in (
                ("cs_lr", [-1.0, 3.0] * 3 + [50.0]),
                ("vb_mix", [-2.0] * 6 + [50.0]),
                ("vb", [-2.0 * (x + 510.0) for x in evidence]),
            )
            for label, error in zip(labels, errors, strict=True)
        ],
    )
    tables.write(
        tmp_path / "evidence.csv",
        "evidence",
        [
            row_without_values("evidence")
            | {"draw": d, "n": n, "structure": s, "log_evidence": x * (1 - 2 * d)}
            for d in (0, 1)
            for n in (80, 480)
            for s, x in zip(labels, evidence, strict=True)
        ],
    )
    rows = [
        (480, label, 100 + below, below < 50, -below if below < 50 else None, 0.1)
        for label, below in zip(labels, lower, strict=True)
    ]
    found = of_experiment(tmp_path, "expectation_propagation", rows)
    ep, cs_lr, vb_mix, vb = (row[1:] for row in found)
    order = 1 - 6 * 4 / (6 * 35)
    error = (1 - order**2) * ((1 + order**2 / 2) / 3) ** 0.5
    assert ep[:3] == ["expectation propagation", "6 of 7", "101.0"]
    assert ep[3:] == ["1.33 ± 0.56", "-1.33 ± 0.56", f"{order:.2f} ± {error:.2f}"]
    assert cs_lr[:5] == ["`cs_lr`", "6 of 7", "", "2.00 ± 0.45", "1.00 ± 0.89"]
    assert vb_mix[1:] == ["6 of 7", "", "2.00 ± 0.00", "-2.00 ± 0.00", "1.00 ± 0.00"]
    assert vb[3:] == ["10.00 ± 3.06", "-10.00 ± 3.06", "-1.00 ± 0.00"]


def test_what_the_page_says_of_the_experiments(committed):
    """Beside the numbers of its tables."""

    def read(name):
        return tables.read(committed / f"experiments/{name}.csv", name)

    found = read("importance_sampling").groupby(["n", "proposal"])
    assert (found["effective_draws"].median() < 30).all()
    assert (found["error_nats"].mean() < -3 * found["standard_error"].median()).all()
    chib = read("chib")
    means = chib["error_nats"].abs().groupby([chib[c] for c in ("n", "point", "relabelled")]).mean()
    assert means.loc[480:].min() > 9
    assert f"{means[80, 'MAP estimate', True]:.1f}" == "0.5"
    scores_of_all = scores = tables.read(committed / "errors.csv", "errors")
    scores = scores[(scores["n"] == 80) & scores["structure"].isin(chib["structure"])]
    of_scores = scores["error_nats"].abs().groupby(scores["method"]).mean()
    assert [f"{of_scores[m]:.1f}" for m in ("ais", "cs_lr")] == ["0.3", "1.7"]
    paths = read("path_sampling")
    paths["beyond"] = paths["error_nats"].abs() / paths["standard_error"] > 2
    paths["size"] = paths["error_nats"].abs()
    by = paths.groupby(["n", "method"])[["size", "beyond"]].mean().unstack()
    assert (by["size", "path sampling"] > 1.5 * by["size", "ais"]).all()
    assert (by["beyond", "ais"] < 0.1).all() and by.loc[
        480:, ("beyond", "path sampling")
    ].min() > 0.8
    widths = read("posterior_width").groupby("n")[["width_q", "width_response"]].mean()
    ranges = [f"{widths[c].min():.2f} to {widths[c].max():.2f}" for c in widths]
    assert ranges == ["0.76 to 0.84", "0.92 to 0.98"]
    chosen = {s.label for s in enumerate_structures()[2::7]}
    for name in ("importance_sampling", "chib", "posterior_width"):
        assert set(read(name)["structure"]) == chosen, name
    chosen = {s.label for s in enumerate_structures()[2::7]}
    found = read("expectation_propagation")
    assert set(found["structure"]) == chosen and found["converged"].all() and len(found) == 60
    ep = found["error_nats"].groupby(found["n"]).mean()
    assert [f"{x:.0f}" for x in ep] == ["-2", "-5", "-6"]
    of_ep = scores_of_all[scores_of_all["structure"].isin(chosen)]
    of_ep = of_ep.assign(error_nats=of_ep["error_nats"].abs()).pivot_table(
        index="n", columns="method", values="error_nats"
    )
    share = ep.abs() / of_ep.loc[ep.index, "vb_mix"]
    assert share.between(0.5, 0.56).all() and (ep.abs() > of_ep.loc[ep.index, "cs_lr"]).all()
    rows = [row[2:] for row in cells_of(EXPERIMENTS["annealing_and_rank"](committed))]
    moves, away = (
        [float(cell.split()[0]) for cell in column if cell] for column in zip(*rows, strict=True)
    )
    assert [f"{x:.0f}" for x in moves[2:]] == ["14", "13", "9"]
    assert [f"{x:.0f}" for x in away[2:]] == ["8", "6"]
    assert moves[:3] == sorted(moves[:3], reverse=True) and moves[0] > 2 * moves[2]
    choice = read("states_of_a_cause").pivot(
        index=["n", "draw"], columns="method", values="states_chosen"
    )
    right, means = (choice == 3).groupby("n").mean(), choice.groupby("n").mean()
    assert list(right["reference"].loc[[160, 10240]]) == [0.32, 0.9]
    assert (means["reference"] - 3).abs().max() < 1 / 3
    few = means[["bic", "cs", "vb"]]
    assert (few < 3).all(axis=None) and (few.idxmin(axis=1) == "bic").all()
    alike = choice.eq(choice["reference"], axis=0).groupby("n").mean().drop(columns="reference")
    near = ["laplace", "cs_lr", "vb_collapsed_lr"]
    assert (alike.loc[2560, near] == 0.9).all() and set(alike.loc[10240, near]) == {0.96, 0.97}
    assert (alike.drop(columns=near).loc[2560:].max(axis=1) < 0.92).all()
    assert alike.loc[640].idxmax() == "vb_collapsed_lr"
    assert alike.loc[640, "vb_collapsed_lr"] == 0.74 and right.loc[10240, "ais"] == 0.58
    assert f"{means.loc[160, 'vb_collapsed_lr']:.1f}" == "4.8" and means.loc[10240, "map"] == 6
    found = read("mean_field_starts").pivot(index=["n", "structure"], columns="start")
    gain = found.xs("mean field", axis=1, level=1) - found.xs("parameters", axis=1, level=1)
    gain, error = gain.groupby("n").mean(), gain.groupby("n").sem()
    better = gain["share_best"].drop(2560)
    assert (better > 2 * error["share_best"].drop(2560)).all()
    assert [f"{100 * x:.0f}" for x in (better.min(), better.max())] == ["2", "5"]
    assert f"{gain['below_best'].min():.1f}" == "-0.6"
    assert (gain.loc[2560].abs() < 1.5 * error.loc[2560]).all()
    found = read("pruned_states")
    for what in ("pruned", "rare"):
        found[what] /= found["n_states"]
    found = found.pivot_table(index="n", columns="method", values=["pruned", "rare"])
    percent = [f"{100 * x:.1f}" for x in found.loc[10240]]
    assert percent == ["11.5", "0.2", "24.8", "43.9"]
    bounds = tables.read(committed / "scores.csv", "scores")
    bounds = bounds[(bounds["draw"] == 0) & bounds["structure"].ne("0-0-0-0")]
    bounds = bounds.pivot_table(index="n", columns="method", values="score")
    low = bounds["vb"] - bounds["vb_online"]
    assert [f"{low[n]:.0f}" for n in (480, 10240)] == ["1", "84"]
    found = read("bias_by_parameters").pivot(index="n", columns="method")
    slope, error = found["slope"], found["slope_error"]
    assert (slope["vb"] < -10 * error["vb"]).all() and slope["vb"].is_monotonic_decreasing
    assert [f"{slope['vb'][n]:.2f}" for n in (10, 10240)] == ["-0.09", "-0.62"]
    share, other = slope["vb_mix"] / slope["vb"], slope["vb_collapsed_lr"]
    assert [f"{x:.1f}" for x in (share.min(), share.max())] == ["0.2", "0.6"]
    assert [f"{x:.2f}" for x in (other.min(), other.max())] == ["0.04", "0.12"]


def test_what_the_readme_says_of_searches(committed):
    rows = tables.read(committed / "searches.csv", "searches")
    rows["below"] = rows["score_best"] - rows["score_found"]
    assert (rows["below"] > -1e-6).all() and (rows["scored"] < rows["structures"]).all()
    beam, em = (rows[rows["search"] == search] for search in ("beam", "structural EM"))
    rugged = (beam["family"] == "3 x 6") & (beam["method"] == "laplace")
    assert beam["below"][~rugged].max() < 1e-6
    of_four = em[em["family"] != "3 x 6"]
    found = (of_four["below"] < 1e-6).groupby(of_four["method"]).agg(["sum", "size"])
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    missed = beam[rugged & (beam["below"] > 1e-6)]
    best = [
        Structure.from_label(label, Family((2,) * 3, (2,) * 6))
        for label in missed["best_structure"]
    ]
    more = [s.n_parameters - effective_dimension(s) for s in best]
    assert (
        f"of six on {rugged.sum() - len(missed)} of {rugged.sum()}. What it misses there is the "
        f"best by Laplace alone, a structure with {min(more)} to {max(more)} parameters more than "
        "its effective dimension"
    ) in text
    assert (
        "by VB on {} of {}, by BIC on {}, and by Laplace on {}:".format(
            *found.loc["vb"], found["sum"]["bic"], found["sum"]["laplace"]
        )
        in text
    )


def test_the_readme_says_which_published_numbers_differ(committed):
    found = []
    for name in ("role-conflict", "carcinoma", "house-votes"):
        path = committed / f"examples/{name}/published.csv"
        for row in tables.read(path, "published").itertuples():
            if not agrees(row.published, row.found):
                found.append((row.latent_classes, row.quantity, row.published, row.found))
    x2, freedom = "Pearson's statistic X2", "degrees of freedom"
    assert {(k, quantity) for k, quantity, *_ in found} == {
        *((3, x2), (4, x2)),
        *((2, freedom), (3, freedom)),
    }
    by_name = {(k, quantity): rest for k, quantity, *rest in found}
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    theirs, ours = by_name[3, x2]
    assert f"three classes ({ours:.5f}, not {theirs:.5f}) and by " in text
    theirs, ours = by_name[4, x2]
    assert f"by {theirs - ours:.3f} for four classes" in text
    theirs, ours = by_name[3, freedom]
    assert f"from the 128 cells: {ours:.0f}, not {theirs:.0f}, for three classes" in text


def test_table_of_examples(tmp_path):
    """The most probable causes by each score; those without results have no line."""
    folder = tmp_path / "examples/carcinoma"
    folder.mkdir(parents=True)
    variables = [
        (1, "a", 0, "no", 5),
        (1, "a", 1, "yes", 2),
        (2, "b", 0, "x", 6),
        (2, "b", 1, "y", 4),
    ]
    posterior = [(0, 10, s, "vb", p, 0.5) for s, p in (("1-1 (2)", 0.4), ("0-0 (none)", 0.6))]
    causes = [
        (k, states, m, p)
        for m, ps in (("vb", (0.6, 0.4)), ("bic", (0.1, 0.9)), ("reference", (0.2512, 0.7488)))
        for k, states, p in zip((0, 1), ("none", "2"), ps, strict=True)
    ]
    published = [("s", 2, "AIC", 1.25, 1.2549), ("s", 2, "BIC", 1.25, 1.26), ("s", 2, "X2", 3, 3)]
    structures = [("1-1 (2)", 2, 3, False, 3, "1-1 (2)", "2")] * 4
    for name, rows in {
        "variables": variables,
        "posterior": posterior,
        "causes": causes,
        "published": published,
        "structures": structures,
    }.items():
        columns = TABLES[name].columns + TABLES[name].of_own_data
        found = [dict(zip(columns, row, strict=True)) for row in rows]
        tables.write(folder / f"{name}.csv", name, found)
    assert len(examples_markdown(tmp_path).splitlines()) == 2
    (folder / "summary.md").write_text("written last", encoding="utf-8")
    header, _, line = examples_markdown(tmp_path).splitlines()
    assert "causes: BIC | causes: VB | causes: reference" in header
    cells = ["10", "2", "3", "4", "2 (0.9)", "none (0.6)", "2 (0.749)", "3", "2"]
    assert line.split(" | ")[1:] == [*cells[:-1], "2 |"]
    assert line.startswith("| [carcinoma](results/examples/carcinoma/summary.md) |")


def test_table_of_scores():
    """One line per score, in the registry's order; what is in a cell does not end it."""
    odd = replace(SPECS["ais"], name="odd", definition="p(y|m)")
    header, _, *lines = scores_markdown({**SPECS, "odd": odd}).splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [row[0] for row in rows] == [f"`{name}`" for name in (*SPECS, "odd")]
    assert {len(row) for row in rows} == {header.count("|") - 1}
    by_name = {row[0].strip("`"): row[1:] for row in rows}
    assert by_name["odd"][1] == r"p(y\|m)"
    for name, spec in SPECS.items():
        assert by_name[name][:3] == [spec.title, spec.definition, spec.source]
    assert by_name["vb"][3:] == ["lower bound", "no"]
    assert by_name["ais"][3:] == ["estimate", "yes"]
    assert by_name["bic"][3:] == ["criterion", "no"]


def test_the_readme_has_the_numbers_of_the_committed_own_data(committed):
    """Posterior probabilities by class of equal distributions."""
    with (committed / "own-data/posterior.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    family = Family((2, 2), (2, 2, 2, 2))
    of_class: dict[tuple[str, str], list[float]] = {}
    saturated = 0.0
    for row in rows:
        structure, p = Structure.from_label(row["structure"], family), float(row["probability"])
        of_class.setdefault((row["method"], structure.absorbed().label), []).append(p)
        if row["method"] == "reference":
            saturated += p * (effective_dimension(structure) == 15)
            if row["structure"] == "1-1-1-1":
                alone = p

    def mass(method: str, name: str = "1-1-1-1") -> float:
        return sum(of_class[method, name])

    def equal(method: str, name: str = "1-1-1-1") -> float:
        means = {key: sum(ps) / len(ps) for key, ps in of_class.items() if key[0] == method}
        assert len(means) == 78
        return means[method, name] / sum(means.values())

    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for words in (
        f"common cause a probability of {mass('bic'):.3f} and VB {mass('vb'):.2f}, the evidence "
        f"{mass('reference'):.2f}.",
        f"structure `1-1-1-1` ({alone:.2f} by the evidence)",
        f"it has {equal('reference'):.2f} by the evidence (VB {equal('vb'):.2f}, BIC "
        f"{equal('bic'):.3f}), and `1-1-12-12`, a second cause of two answers, "
        f"{equal('reference', '1-1-12-12'):.2f}.",
        f"(15, of 16 cells) hold {saturated:.2f} of the posterior over structures",
    ):
        assert words in text


VARIATIONAL = ("vb", "vb_eb", "vb_mf", "vb_online", "vb_collapsed")
COLLAPSED = ("vb_collapsed", "vb_mix", "vb_collapsed_lr")


def test_the_readme_has_the_numbers_of_the_committed_study(committed):
    """What the first screen says of the scores of draw 0, by size and over all sizes."""
    scores = tables.read(committed / "scores.csv", "scores")
    errors = tables.read(committed / "errors.csv", "errors")
    ranks = tables.read(committed / "ranks.csv", "ranks")
    error, order = mean_absolute(errors), order_correlation(scores)
    first = sizes_for_good(ranks)
    middle = error_by_size(errors, "median")
    vb = errors[errors["method"] == "vb"]
    of_copies = {
        n: scores[(scores["n"] == n) & (scores["method"] == "vb_lr")]["log_copies"].mean()
        / -vb[vb["n"] == n]["error_nats"].mean()
        for n in (10, 480, 10240)
    }
    cost = tables.read(committed / "cost.csv", "cost")
    job = cost[cost["n"] == 480].set_index("method")["job_milliseconds"]
    reading = cost.pivot(index="n", columns="method", values="score_milliseconds")
    corrected = reading[["laplace", "cs_lr", "vb_lr"]]
    assert corrected.loc[480].max() < 1 and corrected.loc[10240].round().eq(1).all()
    collapsed_lr = job[["map", "vb", "vb_collapsed"]].sum() + reading.loc[480, "vb_collapsed_lr"]
    few, nearer = order.loc[:320], error["vb_collapsed_lr"] < error["cs_lr"]
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for words in (
        f"`vb_collapsed_lr` up to 960 cases, {collapsed_lr:.0f} ms per structure with the fits "
        f"that it starts from at n = 480 (`vb` {job[['map', 'vb']].sum():.0f}, "
        f"`ais` {job['ais']:.0f}). Mean error {error['vb_collapsed_lr'][10]:.1f} nats at n = 10, "
        f"{error['vb_collapsed_lr'][80]:.1f} at 80, {error['vb_collapsed_lr'][480]:.1f} at 480.",
        f"Above, `cs_lr`, {job['cs_lr'] + reading.loc[480, 'cs_lr']:.0f} ms with its MAP fit: "
        f"{error['cs_lr'][1280]:.1f} at 1280, {error['cs_lr'][10240]:.1f} at 10240.",
        f"The mixture lies {error['vb_mix'][10]:.1f} nats below the evidence at n = 10 and "
        f"{error['vb_mix'][480]:.1f} at 480, VB {error['vb'][10]:.1f} and {error['vb'][480]:.1f}.",
        f"its rank correlation with the evidence is {few['vb_collapsed_lr'].min():.2f} to "
        f"{few['vb_collapsed_lr'].max():.2f}; `cs_lr` has {few['cs_lr'].min():.2f} to "
        f"{few['cs_lr'].max():.2f}, AIS {few['ais'].min():.2f} to {few['ais'].max():.2f}.",
        f"nearer to the evidence than `cs_lr` at {nearer.loc[:960].sum()} of the "
        f"{len(nearer.loc[:960])} sizes up to 960 cases, and farther above.",
        f"`vb_collapsed_lr` up to 1280 cases (rank correlation with the evidence "
        f"{order.loc[:1280, 'vb_collapsed_lr'].min():.2f} to "
        f"{order.loc[:1280, 'vb_collapsed_lr'].max():.2f}; VB "
        f"{order.loc[:1280, 'vb'].min():.2f} to {order.loc[:1280, 'vb'].max():.2f}), or `ais` "
        f"({order.loc[:1280, 'ais'].min():.2f} to {order.loc[:1280, 'ais'].max():.2f}). "
        "Above, `cs_lr` or `laplace` too: "
        f"{order.loc[2560:, ['cs_lr', 'laplace']].min().min():.2f} and more.",
        f"`vb_mix`. It is the tightest here, {error['vb_mix'].min():.1f} to "
        f"{error['vb_mix'].max():.1f} nats below (`vb` {error['vb'].min():.1f} to "
        f"{error['vb'].max():.1f})",
        f"{error['laplace'].min():.1f} to {error['laplace'].max():.1f} nats off (mean over the "
        f"structures) where VB is {error['vb'].min():.1f} to {error['vb'].max():.1f} off",
        f"comes from {error['vb'][480]:.0f} to {error['vb_lr'][480]:.0f} nats at n = 480",
        f"VB lies {-middle['vb'][10]:.0f} nats (n = 10) to {-middle['vb'][10240]:.0f} nats (n = "
        f"10240) below the evidence for the median structure, BIC {-middle['bic'][10]:.0f} to "
        f"{-middle['bic'][10240]:.0f}",
        f"{100 * of_copies[10]:.0f} % at n = 10, {100 * of_copies[480]:.0f} % at 480, "
        f"{100 * of_copies[10240]:.0f} % at 10240",
        f"at 10240 it lies {error['ais'][10240]:.1f} nats off",
        f"BIC ({error['bic'].min():.0f} to {error['bic'].max():.0f} nats off",
    ):
        assert words in text
    noise = scores[scores["method"] == "reference"].groupby("n")["standard_error"].median()
    assert f"{noise.min():.3f} to {noise.max():.2f} nats (median structure)" in text
    of_size, of_rank, _ = measures(errors, ranks, scores).values()
    right = [int(in_this_order(found, BEST_FIRST).sum()) for found in (of_size, of_rank)]
    assert f"the paper's order holds at all {right[0]} sizes" in text and right[0] == len(of_size)
    assert f"By the rank that they give the true structure it holds at {right[1]} of 20" in text
    runs = by_length(tables.read(committed / "annealing.csv", "annealing"))
    at = scores[(scores["n"] == 480) & (scores["structure"] == "1-12-12-2")]
    level = at.set_index("method")["score"]["reference"]
    steps = {steps_within(runs[column], level)[1] for column in ("estimate", "median")}
    assert f"needs {max(steps)} steps for the true structure" in text
    structures = tables.read(committed / "structures.csv", "structures")
    more = by_links(errors, structures, "1-12-12-2").loc[[("laplace", MORE), ("cs_lr", MORE)]]
    low, high = -more.loc[:, 480:].max().max(), -more.loc[:, 480:].min().min()
    farthest = errors[errors["method"].isin(["laplace", "cs_lr"])]["error_nats"].min()
    assert f"are {low:.0f} to {high:.0f} nats too low, and up to {-farthest:.0f}" in text
    assert f"are {structures['class'].nunique()} different models" in text
    # at every size
    assert (error["laplace"] < error["vb"]).all() and (error["cs_lr"] < error["laplace"]).all()
    assert error.loc[:20, "cs_lr"].tolist() < (0.62 * error.loc[:20, "laplace"]).tolist()
    assert order.loc[:320, ["laplace", "cs_lr", "vb_lr"]].max().max() < 0.45
    assert (order.loc[:1280, "bic"] < 0).all() and (order["bic_dim"] < order["bic"]).all()
    assert (error["bic_dim"] < error["bic"]).all()
    assert (error.loc[480:, ["wbic", "vb_online"]].min(axis=1) > error.loc[480:, "vb"]).all()
    bounds = error[[m for m in error if SPECS[m].side is Side.LOWER_BOUND]]
    assert (bounds.min(axis=1) == error["vb_mix"]).all()
    assert (order["vb_mix"] > order["vb"]).all()
    assert (order["vb_mix"] > order["cs_lr"]).loc[:560].all() and len(order.loc[:560]) == 12
    assert not nearer.loc[961:].any()
    assert {m: first[m] for m in ("laplace", "cs_lr", "reference")} == dict.fromkeys(
        ("laplace", "cs_lr", "reference"), 10240
    )
    assert first["vb"] is None and first["bic"] is None
    distance = total_variation(tables.read(committed / "posterior.csv", "posterior"))
    near = distance.drop(columns="exact").stack()
    at_last = {(10240, m) for m in ("laplace", "cs_lr", "vb_lr", "ais", *COLLAPSED)}
    assert set(near[near <= 0.1].index) == at_last | {
        *((n, "ais") for n in (10, 20, 40)),
        *((10, "vb_mix"), (5120, "vb_collapsed_lr")),
    }


def test_the_readme_has_the_numbers_of_the_committed_draws(committed):
    """What the first screen says of many draws, counted from the sizes found."""
    found = tables.read(committed / "draws-of-the-paper/found.csv", "found")
    found = found[found["by"] == "structure"]
    sizes = found.pivot(index="draw", columns="method", values="n_found").fillna(inf)
    draws = len(sizes)
    assert sizes.index.tolist() == list(range(draws))

    def share(k: int) -> str:
        low, high = binomtest(k, draws).proportion_ci(method="wilson")
        return f"{100 * k / draws:.0f} % of the draws ({100 * low:.0f} to {100 * high:.0f})"

    vb, bic, laplace, reference = (sizes[m] for m in ("vb", "bic", "laplace", "reference"))
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    of_bic = share((bic <= 1120).sum()).replace(" of the draws", "")
    table = tables.read(committed / "draws-of-the-paper/comparisons.csv", "comparisons")
    table = table[table["by"] == "structure"].set_index(["method", "other"])

    def factor(method: str, other: str) -> tuple[str, ...]:
        columns = ["factor", "factor_low", "factor_high"]
        return tuple(f"{x:g}" for x in table.loc[(method, other), columns].round(2))

    population = tables.read(committed / "draws-of-the-paper/population.csv", "population")
    population = population[population["by"] == "structure"].set_index(["method", "n"])
    error = population["mean_absolute_error"]
    bics, low, high = factor("vb", "bic")
    vbs, vbs_low, vbs_high = factor("laplace", "vb")
    its, its_low, its_high = factor("laplace", "reference")
    for words in (
        f"Over {draws} draws, with the evidence",
        f"for good at 480 cases in {share((vb <= 480).sum())}, BIC at 1120 in {of_bic}:",
        f"The evidence has at 480 cases in {100 * (reference <= 480).mean():.0f} %.",
        f"VB needs fewer cases than BIC in {(vb < bic).sum()} draws and more in none; BIC needs "
        f"{bics} times as many ({low} to {high},",
        f"misses it in {isinf(vb).sum()} of the {draws} draws, BIC in {isinf(bic).sum()}, the "
        f"evidence itself in {isinf(reference).sum()} (it is",
        f"needs fewer cases than VB in {(laplace < vb).sum()} draws and more in "
        f"{(laplace > vb).sum()}: half as many (VB's by Laplace's: {vbs}, {vbs_low} to {vbs_high})",
        f"(its by Laplace's: {its}, {its_low} to {its_high})",
        f"it is {error['ais', 480]:.1f} nats off at 480 cases (mean absolute error) and "
        f"{error['ais', 10240]:.0f} at 10240, where VB is {error['vb', 10240]:.0f} off.",
        f"It misses the structure at 10240 in {(sizes['ais'] == inf).sum()} draws",
        f"draws 0 to {draws - 1}: `",
        f"--config draws={draws}`",
    ):
        assert words in text, words
    assert not (vb > bic).any()
    assert sizes["cs_lr"].median() == laplace.median()


def test_the_readme_has_the_numbers_of_every_structure(committed):
    """What it says of probabilities, from the committed tables."""
    folder = committed / "every-structure"
    calibration = tables.read(folder / "calibration.csv", "calibration")
    population = tables.read(folder / "population.csv", "population")
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    own = calibration[calibration["method"] == "reference"].dropna(subset="z")
    p = own["p_value"]
    others = calibration[calibration["statistic"].str.startswith("below the reference")]
    at = population.set_index(["by", "method", "n"])

    def both(method: str) -> str:
        row = at.loc["structure", method, 640]
        return f"{100 * row['expected_first']:.0f} % and {100 * row['first']:.0f} %"

    def first(by: str) -> list[str]:
        methods = ("laplace", "reference", "vb", "bic")
        return [f"{100 * at.loc[(by, m, 5120), 'first']:.0f} %" for m in methods]

    def lost(method: str, how: str) -> str:
        return f"{1000 * at.loc[('structure', method, 80), f'lost_by_{how}']:.1f}"

    vb = at.loc["structure", "vb", 640]
    laplace, reference, of_vb, of_bic = first("structure")
    of_classes = first("class")
    assert population["draws"].eq(100).all() and (others["z"] > 0).all()
    for words in (
        f"Of {len(own)} tests of the reference's",
        f"{(p < 0.05).sum()} have p below 0.05 and the smallest is {p.min():.2g};",
        f"(Bonferroni: p at most {min(1, len(p) * p.min()):.2g})",
        f"None of the {len(others)} comparisons",
        f"a probability of {100 * vb['expected_first']:.0f} % by VB (mean over the draws), and is "
        f"the true one in {100 * vb['first']:.0f} % of the draws",
        f"BIC: {both('bic')}. Laplace: {both('laplace')}. The reference: {both('reference')}.",
        f"in {laplace} of the draws, the reference in {reference}, VB in {of_vb}, BIC in {of_bic};",
        f"the true class in {', '.join(of_classes[:3])} and {of_classes[3]}.",
        f"VB picks loses {lost('vb', 'top')} thousandths",
        f"most evidence {lost('reference', 'top')}; the average",
        f"loses {lost('vb', 'average')} by VB's probabilities and",
        f"and {lost('reference', 'average')} by the evidence's",
    ):
        assert words in text, words


VARIATIONS = {
    "draws-of-the-paper": "alpha = 1, structure `1-12-12-2`",
    "alpha-0.5": "alpha = 0.5",
    "alpha-2": "alpha = 2",
    "another-structure": "alpha = 1, structure `12-12-1-1`",
}


@pytest.mark.parametrize("run", VARIATIONS)
def test_the_readme_has_the_numbers_of_the_variations(run, committed):
    found = tables.read(committed / f"{run}/found.csv", "found")
    sizes = found[found["by"] == "structure"].pivot(
        index="draw", columns="method", values="n_found"
    )
    vb, bic, laplace = (sizes[m].fillna(inf) for m in ("vb", "bic", "laplace"))
    counts = [vb <= 480, bic <= 1120, vb < bic, vb > bic, isinf(vb), isinf(bic), isinf(laplace)]
    row = [f"{len(sizes)}, {VARIATIONS[run]}", *(str(int(own.sum())) for own in counts)]
    assert f"| {' | '.join(row)} |" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_has_the_times_of_the_committed_run(committed):
    record = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    jobs = record["jobs"]
    start, end = (datetime.fromisoformat(record[when]) for when in ("start", "end"))

    def minutes(*rules: str) -> str:
        return f"{sum(jobs[rule]['processor_seconds'] for rule in rules) / 60:.1f}"

    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for words in (
        f"The committed run took {(end - start).total_seconds() / 60:.1f} minutes",
        f"machine that others share ({record['machine']['processor']})",
        f"took {minutes(*jobs)} minutes of processor time: {minutes('reference')} for the",
        f"and {minutes('sandwich')} for the bounds beside them, {minutes('ais')} for AIS, "
        f"{minutes('bridge')} for the bridge",
        f"{minutes('map', 'ml', *VARIATIONAL)} for all fits, "
        f"{minutes('prior')} for the scores under other priors",
    ):
        assert words in text, words
