"""Pages are written whole from whatever tables there are, and their numbers are those of the
tables, by plain loops.
"""

import re
from collections import Counter
from functools import cache
from math import inf, nan
from types import SimpleNamespace

import made_up
import made_up_population
import numpy as np
import pandas as pd
import pytest
from cases import CASES, OF_MANY, claims_held, own_data, run_of_findings, study
from made_up import TRUE
from scipy.stats import binomtest, spearmanr

from latentdag import Family, Structure
from latentdag.engine.significance import LEVEL
from latentdag.report import data_summary, markdown
from latentdag.report.findings import write_findings
from latentdag.report.population_summary import write_population_summary, wrong_picks
from latentdag.report.summary import write_summary
from latentdag.scores import SPECS
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import sources
from latentdag.study.paper.runs import EVERY, MORE_TRUTHS, PAPERS, VARIATIONS
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.words import label

BAR = re.compile(r"(?<!\\)\|")
MOST = {"study": 12_000, "population": 8_000, "data": 8_000, "findings": 12_000}  # bytes


def rows_of(line: str) -> list[str]:
    """The cells of a row of a table in Markdown."""
    return [cell.strip() for cell in BAR.split(line)[1:-1]]


def tables_of(page: str) -> list[list[list[str]]]:
    """The tables of a page in Markdown: rows of cells, the header first."""
    blocks = [block.split("\n") for block in page.strip().split("\n\n")]
    of_tables = [block for block in blocks if block[0].startswith("|")]
    return [[rows_of(line) for i, line in enumerate(block) if i != 1] for block in of_tables]


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def by_first(table: list[list[str]]) -> dict[str, dict[str, str]]:
    """Rows of a table by their first cell, cells by their heading."""
    header, *rows = table
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


@pytest.fixture
def view(monkeypatch) -> dict:
    """The values that the template of a page was filled with."""
    seen: dict = {}
    monkeypatch.setattr(markdown, "written", lambda *_, **values: seen.update(values) or "")
    return seen


GOLDEN = (
    *("study-everything", "study-several-ais", "population-uniform-truths"),
    *("population-one-structure", "data-families-and-comparisons", "findings-all-runs"),
)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")
page_of = cache(lambda name: CASES[name]())


def test_the_numbers_of_pages_are_as_they_were(golden):
    """In their order, a line for each section."""
    sections = ((name, *of) for name in GOLDEN for of in enumerate(page_of(name).split("\n## ")))
    golden("pages.csv", ((name, str(i), [" ".join(NUMBER.findall(t))]) for name, i, t in sections))


@pytest.mark.parametrize("name", CASES)
def test_a_page_is_whole_and_a_page(name):
    """Whatever is missing: no number that is none, no empty sentence, no row of other cells."""
    page = page_of(name)
    assert len(page.encode()) <= MOST[name.partition("-")[0]]
    assert not re.search(r"\b(nan|None|inf|NaN|Series|Name)\b", page)
    for table in tables_of(page):
        assert len({len(row) for row in table}) == 1 and len(table) > 1
    for line in page.split("\n"):
        if line and not line.startswith(("|", "#")):
            assert line.endswith((".", ":")) and len(line) > 12 and "  " not in line.strip(), line
            assert not re.search(r"[:,] [.;]| [.,;]|\(\)|(?<!\.)\.\.(?!\.)", line), line


# ---- the study of a draw


def test_the_scores_of_a_study_are_those_of_its_tables():
    """Error and order over the structures, the rank of the true one, and from where it is first."""
    scores = made_up.scores(draws=(0,), missing={("bic", 80)})
    (table,) = tables_of(section(study(scores, {"n": 480}), "Scores"))
    rows = by_first(table)
    assert set(rows) == {label(m) for m in set(scores["method"])}
    for m in sorted(set(scores["method"])):
        cells, places = rows[label(m)], {}
        for n in sorted(made_up.SIZES):
            evidence, values = (
                made_up.by_structure(scores, draw=0, n=n, method=k) for k in ("reference", m)
            )
            place = made_up.plain_rank(scores, draw=0, n=n, method=m)
            places[n] = inf if place is None else place
            both = np.array([(v, evidence[s]) for s, v in values.items()])
            judged = SPECS[m].judged and m != "reference" and len(both)
            if n in (10, 480, 10240):
                error = f"{abs(both[:, 0] - both[:, 1]).mean():.2f}" if judged else ""
                assert cells[f"error, n = {n}"] == error
            if n == 480 and judged and m != "exact":
                order = spearmanr(*both.T).statistic
                assert float(cells["order, n = 480"]) == pytest.approx(order, abs=6e-4)
            if n in (480, 10240) and values:
                assert cells[f"rank, n = {n}"].split(" ")[0] == f"{places[n]:g}"
        if values:  # at the largest size
            first = first_for_good(places)
            assert cells["first from n"] == (str(first) if first < inf else "never")


def test_empirical_bayes_is_not_called_the_nearest_to_the_evidence(view):
    scores = made_up.scores(draws=(0,), methods=("reference", "cs", "vb"))
    of_reference = scores[scores["method"] == "reference"]
    study(pd.concat([scores, of_reference.assign(method="vb_eb", standard_error=nan)]))
    name, nats = view["answer"]["nearest"]
    assert name in ("CS", "VB") and nats > 0


@pytest.mark.parametrize("chains", [1, 16])
def test_claims_about_ais_have_draws_of_as_many_chains_only(chains):
    scores = made_up.scores(draws=(0,))
    of_truth = ranks(scores, TRUE, 1, made_up.structures_table())
    tables = {"structures": made_up.structures_table(), "claims_held": claims_held()}
    page = write_summary({"ais": {"chains": chains}}, ranks=of_truth, **tables)
    (table,) = tables_of(section(page, "Claims"))
    rows = by_first(table)
    assert rows["the smallest size at which VB finds the true structure"]["over draws"] == (
        "3 of 20: 15 % (5 to 36)"
    )
    shown = rows["AIS, VB and BIC find it eventually"]["over draws"]
    assert shown == ("4 of 4; no draw can refute it" if chains == 1 else "")
    assert ("and this run has 16" in page) == (chains == 16)


# ---- populations


def first_for_good(places: dict[int, float]) -> float:
    """The smallest size from which the rank is 1 at every size."""
    lasting = [n for n in places if all(rank == 1 for at, rank in places.items() if at >= n)]
    return min(lasting, default=inf)


def test_the_scores_of_a_population_are_those_of_its_verdicts():
    tables = made_up_population.tables(20, (10, 80, 480, 1120, 5120), 7)
    verdicts = tables["verdicts"].query("by == 'structure'")
    (table, *_) = tables_of(section(write_population_summary({"n": 480}, **tables), "Scores"))
    rows = by_first(table)
    assert set(rows) == {label(m) for m in set(verdicts["method"])}
    for m, of_method in verdicts.groupby("method"):
        cells, at_n = rows[label(m)], of_method[of_method["n"] == 480]
        of_draws = [dict(zip(t["n"], t["rank"], strict=True)) for _, t in of_method.groupby("draw")]
        for n in (480, 1120, 5120):
            k = sum(first_for_good(ranks_of) <= n for ranks_of in of_draws)
            low, high = binomtest(k, 20).proportion_ci(method="wilson")
            expected = f"{5 * k} % ({100 * low:.0f} to {100 * high:.0f})"
            assert cells[f"found by {n}"] == expected
        for name, column in (("error", "mean_absolute_error"), ("regret", "regret")):
            values = at_n[column].dropna()
            mean = cells[name].partition(" ")[0]
            assert float(mean or nan) == pytest.approx(values.mean(), abs=0.051, nan_ok=True)
        if m != "map":
            right = np.mean(at_n["top"] == at_n["truth"])
            sure = at_n["top_probability"].mean()
            assert cells["accuracy (expected)"] == f"{100 * right:.0f} % ({100 * sure:.0f} %)"


def test_a_population_tells_of_the_papers_sizes_that_it_tried():
    tables = dict(made_up_population.tables(20, (10, 80, 480, 1280, 5120), 7))
    tables["design"] = tables["design"].assign(true_structure="1-12-12-2")
    page = write_population_summary({"n": 480}, **tables)
    told = NUMBER.findall(section(page, "In short"))
    assert "480" in told and "1120" not in told


def test_a_claim_about_ais_stands_in_one_table_of_a_population(view):
    CASES["population-several-ais"]()
    claims = view["claims"]
    about_ais, others = (
        {row[0] for row in of} for of in (claims["of_ais"]["rows"], claims["rows"])
    )
    assert about_ais and others and about_ais.isdisjoint(others)


def test_a_population_says_at_how_many_sizes_wrong_structures_are_worse():
    """At two of four sizes they surely lose more, and at one less."""
    rows = [
        (draw, n, method, "t" if method == "vb" else "a", lost)
        for n, gap in ((10, 2.0), (80, -2.0), (480, 2.0), (1120, 0.0))
        for draw in range(4)
        for method, lost in (("vb", 5.0), ("bic", 5.0 + gap + draw / 4 - 0.5))
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "method", "top", "lost_by_top"])
    wrong = wrong_picks(SimpleNamespace(verdicts=table.assign(truth="t", by="structure")))
    assert (wrong["sizes"], wrong["worse"], wrong["better"]) == (4, 2, 1)


def test_a_population_says_how_many_claims_hold_in_most_draws():
    """By the interval of their share; statements of our own are no claims of the sources."""
    tables = dict(made_up_population.tables(20, (480,), 7))
    held = tables["claims_held"].iloc[:7].assign(source=[*"abcdef", sources.OURS])
    low, high = [0.6, 0.1, 0.3, 0.7, 0.2, 0.8, 0.9], [0.9, 0.4, 0.7, 0.9, 0.3, 1.0, 1.0]
    tables["claims_held"] = held.assign(low=low, high=high, draws=20, holds=5, share=0.25, ais="")
    page = write_population_summary({}, **tables)
    *_, line = section(page, "In short").strip().split("\n")
    assert NUMBER.findall(line) == ["6", "3", "2", "1"]
    assert len(tables_of(section(page, "Claims"))[0]) == 1 + 6


# ---- own data


def test_the_probabilities_of_own_data_are_those_of_the_most_trusted_score():
    """In its order, the rest counted."""
    seen = {}
    page = own_data(keep=lambda judged: seen.setdefault("posterior", judged))
    (table,) = tables_of(section(page, "Structures"))
    judged = seen["posterior"]
    of = {m: t.set_index("structure")["probability"] for m, t in judged.groupby("method")}
    first = of["reference"].sort_values(ascending=False)
    assert [row[0] for row in table[1:]] == list(first.index[:10])
    assert first.index[0] not in {of[m].idxmax() for m in ("bic", "vb")}
    assert first.index[0] in section(page, "In short")
    for row in table[1:]:
        for heading, cell in list(zip(table[0], row, strict=True))[3:]:
            (m,) = (m for m in of if label(m) == heading)
            assert float(cell) == pytest.approx(of[m][row[0]], rel=6e-3)
    left = first.iloc[10:]
    assert f"{len(left)} structures with a total probability of {left.sum():.2g} are not" in page
    number = np.exp(-np.sum(first * np.log(first)))
    assert f"the exponential of the posterior's entropy, is {number:.1f}." in page


def test_own_data_name_the_scores_with_the_same_best_structure(view):
    seen, only = {}, ("0-0-0", "1-1-1", "1-1-0")
    own_data(keep=lambda judged: seen.setdefault("posterior", judged), only=only)
    by_method = seen["posterior"].groupby("method")
    best = {label(m): t.loc[t["probability"].idxmax(), "structure"] for m, t in by_method}
    of_trusted = best.pop("reference")
    agree = {m for m, structure in best.items() if structure == of_trusted}
    assert set(view["answer"]["agree"]) == agree != set()
    assert set(view["answer"]["differ"]) == set(best) - agree != set()


def test_what_is_said_of_the_fit_of_the_best_structure():
    """Of 28 complete cases and 40 simulated tables; p = 1 / 41 says that none fits as badly."""
    row = {"structure": "a", "log_likelihood": -60.0, "G2": 12.0, "degrees_of_freedom": 280}
    row |= {"AIC": 80.0, "BIC": 90.0, "p_error": 0.06, "replicates": 40, "complete_cases": 28}
    tables = {name: pd.DataFrame(columns=TABLES[name].columns) for name in ("residuals", "scores")}
    tables["scores"] = pd.DataFrame({"n": [30]})

    def said(p_value: float, best="a", **changes) -> tuple:
        of_fit = pd.DataFrame([row | {"p_value": p_value} | changes])
        data = SimpleNamespace(tables=SimpleNamespace(**tables, fit=of_fit), best=best)
        view = data_summary.fit(data)
        return view["best"] is not None, view["misfit"], view["rejected"], view["sparse"]

    assert said(0.0501) == (True, False, False, False)
    assert said(0.049, degrees_of_freedom=281) == (True, True, False, True)
    assert said(1 / 41) == (True, True, True, False)
    assert said(0.01, best="b") == said(0.01, degrees_of_freedom=0) == (False,) * 4


def test_the_most_probable_class_and_that_of_equally_probable_classes():
    seen = {}
    page = own_data(prior="families", keep=lambda judged: seen.setdefault("posterior", judged))
    rows = seen["posterior"].query("method == 'reference'").set_index("structure")
    family = Family((2, 2), (3, 2, 4))
    classes = [Structure.from_label(s, family).absorbed().label for s in rows.index]
    most = rows["probability"].groupby(classes).sum().idxmax()
    equal = (rows["probability"] / rows["prior"]).groupby(classes).mean().idxmax()
    assert most != equal
    assert f"The most probable class is {most}, but {equal} if all classes are" in page


def test_the_page_of_a_population_has_the_prior_of_the_parameters_where_it_is_another():
    names = ("population-another-prior", "population-one-structure")
    page, without = (Counter(NUMBER.findall(page_of(name))) for name in names)
    assert sorted((page - without).elements()) == ["0.25", "2", "2", "4"]


# ---- the findings


def test_the_counts_of_the_findings_are_those_of_the_draws():
    """In how many draws of each run scores find the truth by the paper's sizes, or never."""
    runs = {run: run_of_findings(i, run) for i, run in enumerate((PAPERS, *VARIATIONS))}
    page = section(write_findings(runs), "Sensitivity to the prior and to the structure")
    (table,) = tables_of(page)
    for i, row in enumerate(table[1:]):
        found = made_up_population.tables(40 - i, OF_MANY, seed=1 + i)["found"]
        sizes = found.query("by == 'structure'").fillna({"n_found": inf})
        sizes = sizes.pivot(index="draw", columns="method", values="n_found")
        vb, bic, laplace = sizes["vb"], sizes["bic"], sizes["laplace"]
        counts = [vb <= 480, bic <= 1120, vb < bic, vb > bic]
        counts += [m == inf for m in (vb, bic, laplace)]
        of = len(sizes)
        assert row[0] == str(of)
        assert row[2:] == [f"{100 * k.sum() / of:.0f} ({k.sum()})" for k in counts]


def test_the_findings_say_how_far_the_reference_is_from_calibrated():
    """Over all sizes and in more draws: the means over draws of a mean over sizes."""
    runs = {run: run_of_findings(i, run) for i, run in enumerate((EVERY, MORE_TRUTHS))}
    lines = [line for line in write_findings(runs).split("\n") if " accuracy " in line]
    assert len(lines) == len(runs)
    for line, of in zip(lines, runs.values(), strict=True):
        rows = of["verdicts"].query("by == 'structure' and method == 'reference'")
        hits = (rows["top"] == rows["truth"]) - rows["top_probability"]
        expected, columns = [], ("log_probability", "brier")
        for gaps in (hits, *(rows[c] - rows[f"expected_{c}"] for c in columns)):
            of_draw = [gap.dropna().mean() for _, gap in gaps.groupby(rows["draw"])]
            of_draw = [gap for gap in of_draw if gap == gap]
            error = np.std(of_draw, ddof=1) / len(of_draw) ** 0.5
            expected.append(f"{np.mean(of_draw):+.3f} ± {error:.3f}")
        assert re.findall(r"\S+ ± \S+", line) == expected
    assert {str(rows["draw"].nunique()), f"{rows['n'].max()}"} <= set(NUMBER.findall(lines[1]))
    tests = of["calibration"].query("method == 'reference'").dropna(subset="z")
    counts = [f"{LEVEL:g}", f"{(tests['p_value'] < LEVEL).sum()}", f"{len(tests)}"]
    assert NUMBER.findall(lines[1])[-3:] == counts


def test_the_other_tables_of_the_findings_are_those_of_the_draws():
    """Mean absolute distances, what is picked and what it loses, by plain means of the verdicts. A
    score that lacks one of two sizes keeps its row.
    """
    runs = {run: dict(run_of_findings(i, run)) for i, run in enumerate((PAPERS, EVERY))}
    population = runs[EVERY]["population"]
    lacking = (population["method"] == "cs") & (population["n"] == 640)
    runs[EVERY]["population"] = population[~lacking]
    of_distances, of_picks, of_losses = tables_of(write_findings(runs))
    of = {run: tables["verdicts"].query("by == 'structure'") for run, tables in runs.items()}

    def mean_of(run, method, n, column):
        rows = of[run]
        return rows.loc[(rows["method"] == method) & (rows["n"] == n), column].mean()

    methods = {label(m): m for m in SPECS}
    told = {"BIC", "CS", "Laplace", "VB", "reference"}
    assert set(by_first(of_picks)) == set(by_first(of_losses)) == told
    assert set(by_first(of_distances)) == {"AIS", "BIC", "Laplace", "VB"}
    for name, cells in by_first(of_distances).items():
        for n in (480, 10240):
            mean = mean_of(PAPERS, methods[name], n, "mean_absolute_error")
            assert cells[f"n = {n}"].startswith(f"{mean:.2f} ± ")
    for name, cells in by_first(of_picks).items():
        for n in (640, 5120):
            sure, first = cells[f"mean probability, n = {n}"], cells[f"share of draws, n = {n}"]
            if (name, n) == ("CS", 640):
                assert sure == first == ""
                continue
            right = (of[EVERY]["rank"] == 1).groupby([of[EVERY]["method"], of[EVERY]["n"]]).mean()
            assert sure == f"{100 * mean_of(EVERY, methods[name], n, 'top_probability'):.0f} %"
            assert first.startswith(f"{100 * right[methods[name], n]:.0f} % (")
    for name, cells in by_first(of_losses).items():
        for pick, column in (("its pick", "top"), ("the average over structures", "average")):
            mean = 1000 * mean_of(EVERY, methods[name], 80, f"lost_by_{column}")
            assert cells[f"by {pick}"].startswith(f"{mean:.2f} ± ")


def test_a_population_tells_of_two_scores_also_where_it_is_open_which_needs_fewer():
    """In 4 of 7 draws that differ; of the 20 draws they need the same number in 12."""
    tables = dict(made_up_population.tables(20, (10, 80, 480, 1120, 5120), 7))
    row = {"by": "structure", "method": "vb", "other": "bic", "draws": 20, "earlier": 4, "later": 3}
    row |= {"same": 12, "undecided": 1, "share_earlier": 4 / 7, "low": 0.25, "high": 0.84}
    tables["comparisons"] = pd.DataFrame([row]).reindex(columns=TABLES["comparisons"].columns)
    page = section(write_population_summary({"n": 480}, **tables), "In short")
    (line,) = [line for line in page.split("\n") if line.startswith("- VB") and "BIC" in line]
    assert re.findall(r"\d+", line)[:9] == ["4", "7", "57", "25", "84", "20", "12", "1", "5120"]


@pytest.mark.parametrize("write", [write_summary, write_population_summary])
def test_a_table_that_no_study_has_is_refused(write):
    with pytest.raises(TypeError, match="rankz"):
        write({}, rankz=pd.DataFrame())
