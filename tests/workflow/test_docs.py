"""The generated parts of the pages are current, and say what the code and the tables declare."""

import json
import re
from dataclasses import replace
from functools import partial
from inspect import signature
from math import nan
from pathlib import Path

import made_up
import pytest
import yaml
from scipy.stats import spearmanr
from studies import ROOT, resolved

import latentdag
from latentdag.analysis import equal_modes
from latentdag.report.findings import write_findings
from latentdag.report.summary import write_summary
from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import errors
from latentdag.study.own_data.published import agrees
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
    draw_cost_markdown,
    examples_markdown,
    farthest_that_matters,
    parts_of,
    reference_markdown,
    renewed,
    scores_markdown,
    searches_markdown,
    steps_markdown,
    times_markdown,
    worth_markdown,
    worth_over_draws_markdown,
    wrapped,
)
from lib.findings import paths_of, read_runs
from lib.plan import plan_of

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


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_current(page, committed):
    of_committed = {
        name: partial(write, committed)
        for name, write in GENERATORS.items()
        if "results" in signature(write).parameters
    }
    generators = GENERATORS | of_committed
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renewed(text, generators) == text, "make docs"


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


def worth_of_draws(folder: Path, *rows: tuple) -> None:
    """Put the table of worth there: (n, method, error, its standard error, order, its, ...)."""
    (folder / "draws-of-the-paper").mkdir()
    names = [name for name in TABLES["worth"].columns if name != "draws"]
    found = [dict(zip(names, row, strict=True)) | {"draws": 7} for row in rows]
    tables.write(folder / "draws-of-the-paper/worth.csv", "worth", found)


def test_table_of_worth_over_draws(tmp_path):
    """With standard errors, at the sizes of the page, in the order of the rows; nothing where a
    baseline has no distance.
    """
    rows = [
        (20, "ais", 1.5, 0.5, 0.6, 0.1, 0.3, 0.05, 0.6, 0.1, 4.0, 1.0),
        (20, "cs_dim", *[0.0] * 10),
        (160, "ais", *[0.0] * 10),
        (480, "fewer links", nan, nan, -0.5, 0.0, 0.1, 0.0, nan, nan, 8.0, 1.0),
    ]
    worth_of_draws(tmp_path, *rows)
    assert cells_of(worth_over_draws_markdown(tmp_path)) == [
        [
            "20",
            "`ais`",
            *("1.50 ± 0.50", "0.60 ± 0.10", "0.30 ± 0.05", "0.60 ± 0.10", "4.00 ± 1.00"),
        ],
        ["480", "fewer links", *("", "-0.50 ± 0.00", "0.10 ± 0.00", "", "8.00 ± 1.00")],
    ]


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
    """Errors and orders over draws; times with those of the fits beneath."""
    methods = ("reference", "vb", "ais", "vb_mix", "cs_lr")
    sizes = (80, 480, 10240)
    numbers = {(m, n): (k + n / 100, k / 10) for k, m in enumerate(methods) for n in sizes}
    rows = [(n, m, *of, of[1], 0.01, *[nan] * 6) for (m, n), of in numbers.items()]
    worth_of_draws(tmp_path, *rows)
    job = {"map": 1.0, "vb": 20.0, "vb_collapsed": 300.0, "ais": 50.0, "reference": 4000.0}
    read = 0.25
    cost = [
        (m, n, job[SPECS[m].job.name] * (1 + (n == 80)), read)
        for m in (*methods, "map")
        for n in (80, 480)
    ]
    rows = [dict(zip(TABLES["cost"].columns, row, strict=True)) for row in cost]
    tables.write(tmp_path / "cost.csv", "cost", rows)
    cells = {row[1].strip("`"): row[2:] for row in cells_of(choice_markdown(tmp_path))}
    assert list(cells) == ["reference", "ais", "cs_lr", "vb_mix", "vb"]
    for m, row in cells.items():
        means = [numbers[m, n] for n in sizes]
        assert row[:3] == [f"{value:.2f} ± {se:.2f}" for value, se in means]
        assert row[3] == f"{numbers[m, 480][1]:.2f} ± 0.01"
    times = {m: row[4] for m, row in cells.items()}
    assert times == {
        "reference": "4000", "ais": "50", "cs_lr": "1", "vb_mix": "321", "vb": "21",
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


@pytest.mark.slow
def test_the_committed_summary_is_that_of_the_committed_tables(committed, monkeypatch):
    """Also of those over many draws, which it quotes."""
    monkeypatch.chdir(committed.parent)
    plan = plan_of(resolved())
    paths = {k: path for k, path in plan.of_summary().items() if k != "of_findings"}
    found = {name: tables.read(path, name) for name, path in paths.items()}
    text = (committed / "summary.md").read_text(encoding="utf-8")
    assert text == write_summary(plan.settings_told(), **found)


@pytest.mark.slow
def test_the_committed_findings_are_those_of_the_committed_tables(committed):
    runs = read_runs(paths_of(committed), committed)
    assert set(runs) == set(TABLES_OF_FINDINGS)
    text = (committed / "findings.md").read_text(encoding="utf-8")
    assert text == write_findings(runs)


def decimals(text: str) -> list[str]:
    """The lines of a page with a decimal number that nothing has written or measured. Code and
    numbers of sections and equations do not count.
    """
    kept = list(text)
    for start, end in parts_of(text):
        kept[start.start() : end.end()] = "\n" * (end.end() - start.start())
    plain = re.sub(r"```.*?```|`[^`]*`", "", "".join(kept), flags=re.DOTALL)
    plain = re.sub(r"^ {4}.*$", "", plain, flags=re.MULTILINE)
    source = r"(?:eq\.|section|sec\.|thesis|Python|version)"
    plain = re.sub(rf"{source}\s[\d.]+(?:\s(?:and|to)\s[\d.]+)?", "", plain)
    return [
        line for line in plain.splitlines() if re.search(r"(?<![\w.])(?<![A-Z]-)-?\d+\.\d", line)
    ]


def test_which_decimals_count():
    text = "eq. 2.76 to 2.78, `a 1.5`\n<!-- measured: x -->\n0.5\n<!-- end -->\nGPL-2.1, v1.0\n"
    assert decimals(text) == []
    for line in ("error of 0.5 nats", "slope -0.09", "2.3.2 alone"):
        assert decimals(f"{text}{line}\n") == [line]


@pytest.mark.parametrize("page", [page for page in PAGES if not page.endswith("changelog.md")])
def test_numbers_that_were_found_are_generated_or_measured(page):
    assert decimals((ROOT / page).read_text(encoding="utf-8")) == []


def test_cost_of_a_draw(tmp_path):
    """Means over the three draws of a population and of its part."""
    seconds = {"reference": 60.0, "bridge": 40.0, "ais": 30.0, "map": 8.0, "vb": 2.0, "draw": 60.0}
    seconds["vb_collapsed"] = 10.0
    one, two = (
        {"jobs": {job: {"processor_seconds": times * own} for job, own in seconds.items()}}
        for times in (1.0, 2.0)
    )
    folder = tmp_path / "draws-of-the-paper"
    folder.mkdir()
    record = json.dumps(one | {"parts": {"elsewhere": two}})
    (folder / "provenance.json").write_text(record, encoding="utf-8")
    values = [(draw, "1-1-1-1", 1.0, 1.0) for draw in (3, 5, 7)]
    rows = [dict(zip(TABLES["design"].columns, row, strict=True)) for row in values]
    tables.write(folder / "design.csv", "design", rows)
    found, _, *parts, draws, _, hours = map(int, re.findall(r"\d+", draw_cost_markdown(tmp_path)))
    assert (found, parts, draws, hours) == (210, [100, 30, 20], 3, 58)


def test_the_farthest_structure_that_matters(tmp_path):
    """Of the other draw, and of structures with less than 1e-4 of the posterior, none counts."""
    rows = [  # draw, structure, its score by cs_lr, its evidence
        *((0, "0-0", -10.0, -50.0), (0, "0-1", -12.5, -51.0), (0, "1-1", -40.0, -60.0)),
        *((1, "0-0", 0.0, 0.0), (1, "0-1", -20.0, 0.0)),
    ]
    empty = {table: row_without_values(table) for table in ("scores", "evidence")}
    empty["scores"]["n_parameters"] = 9
    at = [{"draw": draw, "n": 80, "structure": s} for draw, s, *_ in rows]
    scores = [
        empty["scores"] | here | {"method": method, "score": score}
        for here, (*_, cheap, _) in zip(at, rows, strict=True)
        for method, score in (("cs_lr", cheap), ("vb", 99.0))
    ]
    evidence = [
        empty["evidence"] | here | {"log_evidence": value}
        for here, (*_, value) in zip(at, rows, strict=True)
    ]
    tables.write(tmp_path / "scores.csv", "scores", scores)
    tables.write(tmp_path / "evidence.csv", "evidence", evidence)
    assert farthest_that_matters(tmp_path) == 2.5


def row_without_values(table):
    """Empty cells for all columns of a table."""
    kinds = {name: TABLES[table].column(name).kind for name in TABLES[table].columns}
    return {name: "" if kind is Kind.TEXT else None for name, kind in kinds.items()}


def test_the_reach_of_the_populations_leaves_out_no_structure_that_matters(committed):
    for name in ("draws", "every-structure"):
        path = ROOT / f"workflow/config/{name}.yaml"
        reach = yaml.safe_load(path.read_text(encoding="utf-8"))["reach"]["nats"]
        assert reach > 1.4 * farthest_that_matters(committed)


def test_the_committed_draws_can_be_pooled_with_others(committed):
    """And with no draw twice."""
    own = yaml.safe_load((ROOT / "workflow/config/draws.yaml").read_text(encoding="utf-8"))
    folder = str(committed / "draws-of-the-paper")
    config = resolved(own, {"parts": [folder]})
    assert list(parts.problems(config, range(100, 200))) == []
    (twice,) = parts.problems(config, range(99, 200))
    assert twice == f"parts: draw 99 of {folder} is also in the draws"


def test_published_numbers_that_differ_are_those_that_the_page_names(committed):
    found = set()
    for name in ("role-conflict", "carcinoma", "house-votes"):
        path = committed / f"examples/{name}/published.csv"
        for row in tables.read(path, "published").itertuples():
            if not agrees(row.published, row.found):
                found.add((name, row.quantity))
    assert found == {("carcinoma", "Pearson's statistic X2"), ("carcinoma", "degrees of freedom")}
