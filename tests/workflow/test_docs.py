"""The generated parts of the pages are current, and say what the code and the tables declare."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import made_up
import pytest
import yaml
from scipy.special import softmax
from scipy.stats import spearmanr
from studies import ROOT, resolved

import latentdag
from latentdag import Family, Structure, effective_dimension, enumerate_structures
from latentdag.analysis import equal_modes
from latentdag.report.findings import write_findings
from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.errors import MORE, by_links, errors, mean_absolute, slopes
from latentdag.study.own_data.published import agrees
from latentdag.study.paper.chickering_heckerman import total_variation
from latentdag.study.paper.runs import TABLES as TABLES_OF_FINDINGS
from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES, Kind
from latentdag.study.schema.evidence import evidence
from lib import parts
from lib.docs import (
    GENERATORS,
    MARKER,
    PAGES,
    choice_markdown,
    examples_markdown,
    findings_markdown,
    headlines_markdown,
    reference_markdown,
    renewed,
    scores_markdown,
    searches_markdown,
    steps_markdown,
    times_markdown,
    worth_markdown,
    wrapped,
)
from lib.experiments import EXPERIMENTS
from lib.findings import paths_of, read_runs

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
    assert f"The true values are {first:g} and {second:g}." in " ".join(text.split())
    assert all((table == equal_modes.TRUE.observed[0]).all() for table in equal_modes.TRUE.observed)


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page, committed):
    of_results = {
        "worth": worth_markdown,
        "searches": searches_markdown,
        "examples": examples_markdown,
        "headlines": headlines_markdown,
        "findings": findings_markdown,
        "choice": choice_markdown,
        "times": times_markdown,
        "steps": steps_markdown,
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
        (k, states, m, p, p)
        for m, ps in (("vb", (0.6, 0.4)), ("bic", (0.1, 0.9)), ("reference", (0.2512, 0.7488)))
        for k, states, p in zip((0, 1), ("none", "2"), ps, strict=True)
    ]
    published = [("s", 2, "AIC", 1.25, 1.2549), ("s", 2, "BIC", 1.25, 1.26), ("s", 2, "X2", 3, 3)]
    structures = [("1-1 (2)", 2, 3, 3, "1-1 (2)", "2")] * 4
    for name, rows in {
        "variables": variables,
        "posterior": posterior,
        "causes": causes,
        "published": published,
        "structures": structures,
    }.items():
        columns = TABLES[name].own_columns
        found = [dict(zip(columns, row, strict=True)) for row in rows]
        tables.write(folder / f"{name}.csv", name, found)
    assert len(examples_markdown(tmp_path).splitlines()) == 2
    (folder / "summary.md").write_text("written last", encoding="utf-8")
    header, _, line = examples_markdown(tmp_path).splitlines()
    assert "causes: BIC | causes: VB | causes: reference" in header
    cells = ["10", "2", "3", "4", "2 (0.9)", "none (0.6)", "2 (0.749)", "3", "2"]
    assert line.split(" | ")[1:] == [*cells[:-1], "2 |"]
    assert line.startswith("| [carcinoma](../../results/examples/carcinoma/summary.md) |")


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


def test_table_of_recommended_scores(tmp_path):
    """Errors and orders of draw 0 by plain loops; times with those of the fits beneath; of the
    evidence its median standard error.
    """
    methods = ("reference", "vb", "vb_mix", "vb_collapsed_lr", "cs_lr")
    scores = made_up.scores(sizes=(480, 80, 10240), methods=methods, missing=())
    job, read = {"map": 1.0, "vb": 20.0, "vb_collapsed": 300.0, "reference": 4000.0}, 0.25
    cost = [
        (m, n, job[SPECS[m].job.name] * (1 + (n == 80)), read)
        for m in (*methods, "map")
        for n in (80, 480)
    ]
    found = {
        "scores": scores,
        "evidence": evidence(scores),
        "errors": errors(scores),
        "cost": [dict(zip(TABLES["cost"].columns, row, strict=True)) for row in cost],
    }
    for name, rows in found.items():
        tables.write(tmp_path / f"{name}.csv", name, rows)
    cells = {row[1].strip("`"): row[2:] for row in cells_of(choice_markdown(tmp_path))}
    assert list(cells) == ["reference", "vb_collapsed_lr", "cs_lr", "vb_mix", "vb"]
    for m, row in cells.items():
        for n, cell in zip((80, 480, 10240), row, strict=False):
            of = made_up.rows(scores, draw=0, n=n, method="reference")
            if m == "reference":
                assert cell == f"± {median(r['standard_error'] for r in of):.2f}"
                continue
            own = {r["structure"]: r["score"] for r in made_up.rows(scores, draw=0, n=n, method=m)}
            gaps = [abs(own[r["structure"]] - r["score"]) for r in of]
            assert cell == f"{sum(gaps) / len(gaps):.1f}"
            if n == 480:
                known = [r["score"] for r in of]
                order = spearmanr([own[r["structure"]] for r in of], known)[0]
                assert row[3] == f"{order:.2f}"
    times = {m: row[4] for m, row in cells.items()}
    assert times == {
        "reference": "4000", "vb_collapsed_lr": "321", "cs_lr": "1", "vb_mix": "321", "vb": "21",
    }  # fmt: skip


def test_times_of_a_run(tmp_path):
    """The longest rule first, without those that take less than a hundredth."""
    record = {
        "start": "2026-11-23T13:49:47+00:00",
        "end": "2026-11-23T15:25:47+01:30",
        "machine": {"cores": 3, "processor": "a processor"},
        "jobs": {
            "short": {"processor_seconds": 3.0},
            "ais": {"processor_seconds": 117.0},
            "reference": {"processor_seconds": 480.0},
        },
    }
    (tmp_path / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    words, _, lines = times_markdown(tmp_path).partition("\n\n")
    assert " ".join(words.split()) == (
        "The committed run took 6.0 minutes on 3 cores (a processor), and 10.0 minutes of "
        "processor time."
    )
    assert cells_of(lines) == [["`reference`", "8.0", "80 %"], ["`ais`", "1.9", "20 %"]]


def test_times_of_steps(tmp_path):
    rows = [
        (step, n, k * n / 1000, k * n, 1000.0)
        for step, k in (("EM iteration", 2), ("Metropolis AIS step", 1))
        for n in (80, 480)
    ]
    rows = [dict(zip(TABLES["benchmark"].columns, row, strict=True)) for row in rows]
    tables.write(tmp_path / "benchmark.csv", "benchmark", rows)
    assert cells_of(steps_markdown(tmp_path)) == [
        ["EM iteration", "0.16", "0.96", "960", "1000"],
        ["Metropolis AIS step", "0.08", "0.48", "480", "1000"],
    ]


def test_lines_are_wrapped():
    long = "one two " * 15
    text = f"# {long}\n\n- {long.strip()}\n12. {long}\n| {long} |\n{long}"
    found = wrapped(text).split("\n")
    assert found[0] == f"# {long}" and f"| {long} |" in found
    kept = [line for line in found if not line.startswith(("#", "|"))]
    assert max(map(len, kept)) <= 100 and len(kept) == 7
    assert kept[2].startswith("  ") and not kept[2].startswith("   ") and kept[4].startswith("    ")
    assert " ".join(text.split()) == " ".join(wrapped(text).split())


def test_the_reference_has_all_public_names():
    names = [line.removeprefix("::: latentdag.") for line in reference_markdown().split("\n\n")]
    assert set(names) == set(latentdag.__all__) - {"__version__"} and names == sorted(names)


def test_the_committed_findings_are_those_of_the_committed_tables(committed):
    runs = read_runs(paths_of(committed), committed)
    assert set(runs) == set(TABLES_OF_FINDINGS)
    text = (committed / "findings.md").read_text(encoding="utf-8")
    assert text == write_findings(runs)


def test_what_the_pages_say_of_the_choice_of_a_score(committed):
    """Of draw 0, in the committed tables."""
    found = tables.read(committed / "errors.csv", "errors")
    error = mean_absolute(found)
    bounds = error[[m for m in error if SPECS[m].side is Side.LOWER_BOUND]]
    assert (bounds.min(axis=1) == error["vb_mix"]).all()
    nearer = error["vb_collapsed_lr"] < error["cs_lr"]
    assert nearer.loc[:960].mean() > 0.9 and not nearer.loc[961:].any()
    structures = tables.read(committed / "structures.csv", "structures")
    more = by_links(found, structures, "1-12-12-2").loc[[("laplace", MORE), ("cs_lr", MORE)]]
    assert (more.loc[:, 480:] < -3).all(axis=None)
    parameters = structures.set_index("structure")["n_parameters"]
    slope = slopes(found, parameters)["slope"].unstack("method")
    assert (slope[["bic", "cs", "vb"]] < 0).all(axis=None)
    distance = total_variation(tables.read(committed / "posterior.csv", "posterior"))
    assert ((distance.drop(columns="exact") > 0.1).mean() > 0.5).all()


def test_what_the_pages_say_of_searches(committed):
    rows = tables.read(committed / "searches.csv", "searches")
    rows["below"] = rows["score_best"] - rows["score_found"]
    assert (rows["below"] > -1e-6).all() and (rows["scored"] < rows["structures"]).all()
    beam, em = (rows[rows["search"] == search] for search in ("beam", "structural EM"))
    rugged = (beam["family"] == "3 x 6") & (beam["method"] == "laplace")
    assert beam["below"][~rugged].max() < 1e-6
    missed = beam[rugged & (beam["below"] > 1e-6)]
    best = [
        Structure.from_label(label, Family((2,) * 3, (2,) * 6))
        for label in missed["best_structure"]
    ]
    assert best and all(s.n_parameters > effective_dimension(s) for s in best)
    found = (em["below"] < 1e-6).groupby(em["method"]).mean()
    assert found["laplace"] < found.drop("laplace").min()


def test_published_numbers_that_differ_are_those_that_the_page_names(committed):
    found = set()
    for name in ("role-conflict", "carcinoma", "house-votes"):
        path = committed / f"examples/{name}/published.csv"
        for row in tables.read(path, "published").itertuples():
            if not agrees(row.published, row.found):
                found.add((name, row.quantity))
    assert found == {("carcinoma", "Pearson's statistic X2"), ("carcinoma", "degrees of freedom")}


def test_what_the_page_says_of_the_evidence_over_draws_is_in_its_table():
    """The table that tests/benchmarks/reach.py printed: all within reach, and the target met."""
    page = (ROOT / "workflow/docs/many_draws.md").read_text(encoding="utf-8")
    lines = page.partition("## How exact the evidence is")[2].partition("\n## ")[0].splitlines()
    rows = [[float(c) for c in r.strip("|").split("|")] for r in lines if r[2:3].isdigit()]
    assert len(rows) == 20
    assert all(matter == within for _, matter, within, *_ in rows)
    assert sum(error > 0.3 for _, _, _, error, *_ in rows) == 1
    words = " ".join(page.split())
    assert "at most 0.3 nats at every size but 5120" in words
    assert [row[1] for row in rows if row[0] == 10240] == [2]  # "two structures only"


def test_the_cost_of_a_draw_is_that_of_the_committed_part(committed):
    """And the part can be pooled with the other draws of `make draws`, and with no draw twice."""
    (part,) = (committed / "draws-of-the-paper/parts").iterdir()
    jobs = json.loads((part / "provenance.json").read_text(encoding="utf-8"))["jobs"]
    draws = len(tables.read(part / "design.csv", "design"))
    each = {name: job["processor_seconds"] / draws for name, job in jobs.items()}
    evidence, fits = (
        sum(each[name] for name in names)
        for names in (("reference", "bridge"), ("map", "vb", "vb_collapsed"))
    )
    total = sum(each.values())
    page = (ROOT / "workflow/docs/many_draws.md").read_text(encoding="utf-8")
    words = " ".join(page.split())
    assert (
        f"takes {total:.0f} seconds of processor time on a machine with AVX-512: {evidence:.0f} "
        f"for the evidence, {each['ais']:.0f} for AIS and {fits:.0f} for the fits (means over "
        f"{draws} draws, `results/draws-of-the-paper/parts/{part.name}/provenance.json`). So 1000 "
        f"draws take {1000 * total / 3600:.0f} core-hours, and 10,000 draws "
        f"{10000 * total / 3600:.0f}."
    ) in words
    own = yaml.safe_load((ROOT / "workflow/config/draws.yaml").read_text(encoding="utf-8"))
    config = resolved(own, {"parts": [str(part)]})
    assert list(parts.problems(config, range(draws, config["draws"]))) == []
    (twice,) = parts.problems(config, range(draws - 1, config["draws"]))
    assert f"draw {draws - 1} of" in twice


def test_the_reach_leaves_out_no_structure_that_matters(committed):
    """On draw 0, whose evidence is known for all 136: at each size every structure with more than
    1e-4 of the posterior lies within the reach of the populations by `cs_lr`.
    """
    scores = tables.read(committed / "scores.csv", "scores")
    known = tables.read(committed / "evidence.csv", "evidence").set_index(["n", "structure"])
    cheap = scores[scores["method"] == "cs_lr"].set_index(["n", "structure"])["score"]
    behind = {}
    for n, log_evidence in known["log_evidence"].groupby("n"):
        p = softmax(log_evidence)
        assert len(p) == 136
        matter = log_evidence.index.get_level_values("structure")[p > 1e-4]
        behind[n] = cheap[n].max() - cheap[n][matter].min()
    farthest = max(behind.values())
    page = (ROOT / "workflow/docs/many_draws.md").read_text(encoding="utf-8")
    assert f"above 1e-4 within {farthest:.1f} nats of its best" in " ".join(page.split())
    for name in ("draws", "every-structure"):
        path = ROOT / f"workflow/config/{name}.yaml"
        assert yaml.safe_load(path.read_text(encoding="utf-8"))["reach"]["nats"] > 1.4 * farthest
