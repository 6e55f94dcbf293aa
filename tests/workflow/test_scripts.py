"""What a script writes from given files and settings where no small study shows it: work within
reach, an evidence other than the reference's, own data with gaps; and the studies of topics and of
truths outside, whole.
"""

import base64
import csv
import gzip
import json
import re
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from fingerprints import of_study
from studies import changed, lines, loaded, run_script, written
from topics.model import SIDE

import latentdag
from latentdag import Family, Structure
from latentdag.figures import FIGURES
from latentdag.inference.tempered import estimates as tempered_evidence
from latentdag.ranking.ranking import described
from latentdag.scores import JOBS
from latentdag.scores.base import Score
from latentdag.study.design.files import read_cases, write_codes, write_text
from latentdag.study.many_draws.outside import outside
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence

pytestmark = pytest.mark.slow

MODEL = {"seed": 7, "alpha": 0.7, "alpha_hidden": 1.6}
MODEL |= {"family": {"hidden": [2, 2], "observed": [2, 3, 2]}}
STRUCTURES = latentdag.enumerate_structures(Family((2, 2), (2, 3, 2)))
N = 20
TOPICS = loaded("workflow/topics/settings.yaml")


@pytest.fixture
def run(tmp_path):
    """Run the script of a rule on files of a new folder; the rows of its tables, by name."""

    def run(name: str, outputs: dict, wildcards=(), params=(), **inputs) -> dict[str, list[dict]]:
        paths = {name: str(tmp_path / file) for name, file in outputs.items()}
        run_script(name, tmp_path / "log", inputs, paths, wildcards, params)
        return {
            name: list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))
            for name, path in paths.items()
            if path.endswith(".csv")
        }

    return run


@pytest.fixture
def drawn(tmp_path) -> str:
    """Cases of draw 1, more than a job may want."""
    path = str(tmp_path / "drawn.csv")
    write_codes(path, "y", latentdag.draw_study(STRUCTURES[20], latentdag.Prior(), 40, 7, 1).cases)
    return path


def test_tempered_smc_takes_what_the_reference_leaves_open(run, drawn, monkeypatch, tmp_path):
    """Of the structures within reach, by `cs_lr` or for want of it, those whose error is above the
    target of 0.7 and which three standard errors may lift to 1e-5 of the probability of the best;
    of the true one the error alone counts. It has more particles where its runs spread.
    """
    rows = [
        {"draw": 1} | Score(s, score, method=method, n=n, reason="singular").row()
        for n, best in ((10, -40.0), (N, -90.0))
        for k, s in enumerate(STRUCTURES)
        for method, score in (
            ("bic", -1.0 * k),
            ("cs_lr", np.nan if (n, k) in ((10, 30), (N, 31)) else best - 5.0 * abs(k - 3)),
        )
    ]
    tables.write(tmp_path / "map.csv", "scores", rows)
    errors = {1: (-13.5, 0.8), 2: (-14.0, 0.8), 3: (0.0, 0.7), 4: (-5.0, 0.71), 5: (-90.0, 30.0)}
    true = next(k for k, s in enumerate(STRUCTURES) if s.label == "1-12-2")
    errors |= {30: (-1.0, 5.0), 31: (-1.0, 5.0), true: (-80.0, 0.8)}
    rows = [
        {"draw": 1} | Score(s, score, error, method="reference", n=N).row()
        for s, (score, error) in ((STRUCTURES[k], errors.get(k, (-50.0, 9.0))) for k in range(36))
    ]
    tables.write(tmp_path / "reference.csv", "scores", rows)
    calls = []

    def estimates(model, particles, runs, stream):
        calls.append((particles, stream("run", 0).random()))
        return np.linspace(-2, 2, runs) - (30 if len(calls) == 1 else 0)

    monkeypatch.setattr(tempered_evidence, "log_estimates", estimates)
    params = {"job": "tempered_smc", "model": MODEL, "settings": {"particles": 8, "runs": 3}}
    params |= {"sizes": [N], "scores": None, "true_structure": "1-12-2", "of_all": False}
    wildcards = {"draw": "1", "scatteritem": "1-of-1"}
    outputs = {"scores": "s.csv", "seconds": "t.csv"}
    params["reach"] = {"nats": 10.0, "target": 0.7, "most_cases": 12}
    reach = [str(tmp_path / f"{name}.csv") for name in ("map", "reference")]
    inputs = {"structures": [], "cases": drawn, "reach": reach}
    scores = run("score", outputs, wildcards, params, **inputs)["scores"]
    expected = {STRUCTURES[k].label for k in (1, 4, 5, 31, true)}
    assert {row["structure"] for row in scores} == expected
    # -30, less than 1e-5 of the best: its runs stay; those of the others are followed by more
    assert [particles for particles, _ in calls[:2]] == [8, 8]
    assert sorted(particles for particles, _ in calls)[5:] == [64] * 4
    assert len({number for _, number in calls}) == 9


def test_seconds_of_a_job_that_spans_sizes_add_up(run, drawn, monkeypatch):
    """By a clock that ticks when it is read: twice for each part, here of one structure."""
    clock = count()
    monkeypatch.setitem(JOBS, "ais", replace(JOBS["ais"], together=1))
    monkeypatch.setattr("time.perf_counter", clock.__next__)
    params = {"job": "ais", "model": MODEL, "settings": {"steps": 4, "chains": 2}}
    params |= {"sizes": [10, N], "of_all": True}
    params |= dict.fromkeys(("scores", "reach", "true_structure"))
    outputs = {"scores": "s.csv", "seconds": "t.csv", "ais_chains": "c.csv"}
    outputs["ais_acceptance"] = "a.csv"
    wildcards = {"draw": "1", "scatteritem": "1-of-9"}
    inputs = {"cases": drawn, "structures": [], "reach": []}
    rows = run("score", outputs, wildcards, params, **inputs)["seconds"]
    spent = {row["n"]: float(row["seconds"]) for row in rows}
    assert spent == dict.fromkeys(("10", str(N)), 2.0)  # four parts of one second, of two sizes
    assert next(clock) == 8


def test_fits_start_from_those_of_their_own_size_and_structure(run, drawn, monkeypatch, tmp_path):
    """Which are the size and the place of the structure. They give the scores asked for."""
    starts = {f"{n}/{s.label}": np.array([n, k]) for n in (10, N) for k, s in enumerate(STRUCTURES)}
    np.savez(tmp_path / "vb.npz", **starts)
    seen = {}

    def run_job(job, task, settings, estimates, methods):
        seen[task.n, *methods] = {label: kept.tolist() for label, kept in estimates["vb"].items()}
        return [], {}

    monkeypatch.setattr("latentdag.scores.run_job", run_job)
    params = {"job": "vb_mf", "model": MODEL, "settings": {}, "sizes": [10, N], "of_all": True}
    params |= {"scores": ["vb_mf"], "reach": None, "true_structure": None}
    wildcards = {"draw": "1", "scatteritem": "1-of-1"}
    inputs = {"cases": drawn, "structures": [], "reach": [], "vb": tmp_path / "vb.npz"}
    run("score", {"scores": "s.csv", "seconds": "t.csv"}, wildcards, params, **inputs)
    labels = [s.label for s in STRUCTURES]
    assert seen == {(n, "vb_mf"): {s: [n, k] for k, s in enumerate(labels)} for n in (10, N)}


def test_the_time_of_a_job_in_parts_is_their_sum(run, tmp_path):
    """And that of BIC is its job's, map."""
    for part, seconds in (("a", 3.0), ("b", 5.0)):
        row = {"draw": 0, "job": "map", "n": N, "seconds": seconds}
        tables.write(tmp_path / f"{part}.csv", "seconds", [row])
    parts = [str(tmp_path / f"{part}.csv") for part in "ab"]
    (timing,) = run("timing", {"timing": "t.csv"}, seconds=parts)["timing"]
    assert (timing["method"], float(timing["seconds"])) == ("bic", 8.0)


def test_data_of_ones_own(run, tmp_path):
    """Values in the order of the settings; their codes, and none for a missing value."""
    lines = ["id,colour,size,number", "1,red,10,2", "2,blue,9,3", "3,red,9,1", "4,?,9,5"]
    lines += ["5,blue,9,1"]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    data = {"file": str(tmp_path / "mine.csv"), "count": "number", "columns": ["colour", "size"]}
    data |= {"levels": {"colour": ["red", "blue"]}, "missing": ["?"], "beside": None}
    outputs = {"cases": "cases.csv", "variables": "variables.csv"}
    variables = run("read_data", outputs, params={"data": data})["variables"]
    assert [tuple(row.values()) for row in variables] == [
        ("1", "colour", "0", "red", "3"),
        ("1", "colour", "1", "blue", "4"),
        ("2", "size", "0", "9", "10"),
        ("2", "size", "1", "10", "2"),
    ]
    counts = read_cases(tmp_path / "cases.csv")
    assert counts.patterns.tolist() == [[-1, 0], [0, 0], [0, 1], [1, 0]]
    assert counts.numbers.tolist() == [5, 1, 2, 4]


OWN_MODEL = MODEL | {"seed": 5, "family": {"hidden": [2], "observed": [2, 2]}}
TWO = [Structure.from_label(label, Family((2,), (2, 2))) for label in ("0-0", "1-1")]


@pytest.fixture
def own_files(run, tmp_path) -> dict:
    """Files of own data with two variables, beside which a third has two groups that answer alike,
    but for two answers: BIC prefers 0-0 by half a nat, the prior prefers 1-1 by ln 4.
    """
    lines = ["a,b,party", *["yes,yes,left"] * 9, *["no,no,right"] * 8, "yes,no,left", "?,?,right"]
    (tmp_path / "own.csv").write_text("\n".join(lines), encoding="utf-8")
    data = dict.fromkeys(("count", "columns", "levels"))
    data |= {"file": str(tmp_path / "own.csv"), "missing": ["?"], "beside": "party"}
    run("read_data", {"cases": "cases.csv", "variables": "v.csv"}, params={"data": data})
    tables.write(tmp_path / "s.csv", "structures", [described(s, several=False) for s in TWO])
    posterior = pd.DataFrame({"probability": [0.3, 0.7], "prior": [0.2, 0.8]})
    posterior = posterior.assign(draw=0, n=19, method="vb", structure=[s.label for s in TWO])
    tables.write(tmp_path / "p.csv", "posterior", posterior)
    scores = [
        Score(s, score, method="bic", n=19).row() | {"draw": 0}
        for s, score in zip(TWO, (-40.0, -40.5), strict=True)
    ]
    tables.write(tmp_path / "c.csv", "scores", scores)
    names = {"cases": "cases", "variables": "v", "structures": "s", "posterior": "p", "scores": "c"}
    return {name: str(tmp_path / f"{file}.csv") for name, file in names.items()} | {"data": data}


def test_states_beside_a_column(run, own_files):
    """Of the most probable structure; who gave no answer at all is left out."""
    outputs = {"parameters": "parameters.csv", "membership": "m.csv", "beside": "beside.csv"}
    params = {"model": OWN_MODEL, "method": "vb", "draws": 50, "restarts": {"map": 4}}
    params["data"] = own_files.pop("data")
    rows = run("parameters", outputs, params=params, **own_files)["beside"]
    cells = [tuple(row.values())[:5] for row in rows]
    assert {cell[:2] for cell in cells} == {("1-1", "party")}
    number = {(group, states): int(n) for _, _, group, states, n in cells}
    assert sorted(number.values()) == [0, 1, 8, 9]
    assert number["left", "s1 = 1"] + number["left", "s1 = 2"] == 10


@pytest.mark.parametrize(("equal", "best"), [("structures", "0-0"), ("families", "1-1")])
def test_the_best_structures_are_fitted_that_the_prior_prefers(run, own_files, equal, best):
    params = {"model": OWN_MODEL, "equally_probable": equal, "replicates": 0}
    params["settings"] = {"restarts": 3}
    rows = run("fit", {"fit": "fit.csv", "residuals": "r.csv"}, params=params, **own_files)
    assert [(r["structure"], r["best_by"]) for r in rows["fit"]] == [(best, "bic")]
    assert {r["structure"] for r in rows["residuals"]} == {best}


def test_figures_of_scores_have_the_evidence_of_its_table(run, tmp_path, monkeypatch):
    """Tempered SMC is the more exact for the first structure, and moves it by half a nat."""
    scores = [
        Score(s, -50.0 - k, 0.4, restarts=16, method="reference") for k, s in enumerate(STRUCTURES)
    ]
    scores.append(Score(STRUCTURES[0], -49.5, 0.1, restarts=8, method="tempered_smc"))
    files = {name: str(tmp_path / f"{name}.csv") for name in ("scores", "evidence")}
    tables.write(files["scores"], "scores", [score.row() | {"draw": 1} for score in scores])
    tables.write(files["evidence"], "evidence", evidence(tables.read(files["scores"], "scores")))
    seen = []
    monkeypatch.setitem(FIGURES, "scores", lambda scores, n: seen.append((scores, n)))
    monkeypatch.setattr("latentdag.drawing.style.save", lambda *_: None)
    params = {"figure": "scores", "tables": ["scores", "evidence"], "arguments": {"n": 480}}
    run("plot", {"png": "a.png", "pdf": "a.pdf"}, params=params, **files)
    ((drawn, n),) = seen
    assert n == 480 and set(drawn["method"]) == {"reference"}
    by_structure = drawn.set_index("structure")["score"]
    assert by_structure[[s.label for s in STRUCTURES[:2]]].tolist() == [-49.5, -51.0]


def test_the_page_of_a_table_has_its_cells(run, own_files, tmp_path):
    """Of probabilities those of the most trusted score first, and its most probable before."""
    rows = [
        {"draw": 0, "n": 19, "structure": s, "method": m, "probability": p}
        for m, of_method in {"vb": (0.3, 0.7, 0.1), "exact": (0.6, np.nan, 0.2)}.items()
        for s, p in zip("abc", of_method, strict=True)
    ]
    tables.write(own_files["posterior"], "posterior", rows)
    orders = {"posterior": ["a", "c", "b", "b", "a", "c"], "scores": ["0-0", "1-1"]}
    for name, structures in orders.items():
        run("table_page", {"page": "p.html"}, {"table": name}, table=own_files[name])
        page = (tmp_path / "p.html").read_text(encoding="utf-8")
        (data,) = re.findall(r'<script id="data"[^>]*>([^<]*)</script>', page)
        columns = json.loads(gzip.decompress(base64.b64decode(data)))
        frame = pd.read_csv(own_files[name], dtype=str, keep_default_na=False)
        shown = dict(zip(frame, (column["cells"] for column in columns), strict=True))
        assert shown["structure"] == structures
        assert sorted(zip(*shown.values(), strict=True)) == sorted(map(tuple, frame.to_numpy()))
        numeric = {name for name, column in zip(frame, columns, strict=True) if column["isNumber"]}
        assert {"draw", "n"} < numeric and not {"structure", "method", "reason"} & numeric
        assert {"restarts", "iterations"} & {*frame} <= numeric
        assert re.findall(r"<dt><code>(\w+)", page) == list(frame)


def test_the_page_of_a_long_table_has_its_most_probable_rows(run, tmp_path):
    """Of more than 50,000; they stand last in the table."""
    lines = [f"0,19,s{k},vb,{k / 1e10}" for k in range(1, 50_102)]
    file = tmp_path / "long.csv"
    file.write_text("\n".join(["draw,n,structure,method,probability", *lines]), encoding="utf-8")
    run("table_page", {"page": "p.html"}, {"table": "posterior"}, table=str(file))
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    (data,) = re.findall(r'<script id="data"[^>]*>([^<]*)</script>', page)
    cells = json.loads(gzip.decompress(base64.b64decode(data)))[2]["cells"]
    assert cells == [f"s{k}" for k in range(50_101, 50_101 - len(cells), -1)]


def test_the_article_is_set_from_its_files(run, tmp_path, monkeypatch):
    """Tables go by their names, those of a population and its record by the name of its folder; so
    do figures, whatever their order.
    """
    numbers, typeset = Mock(), Mock(return_value=b"%PDF")
    monkeypatch.setattr("latentdag.report.article.numbers", numbers)
    monkeypatch.setattr("lib.article.typeset", typeset)
    monkeypatch.setattr("latentdag.study.design.files.read_json", lambda path: f"record {path}")
    monkeypatch.setattr(tables, "read", lambda path, name: f"{name} {path}")
    files = ("a/design.csv", "a/provenance.json", "b/design.csv", "b/found.csv")
    inputs = {"record": "run.json", "scores": "s/scores.csv", "ranks": "s/ranks.csv"}
    inputs |= {"populations": files, "experiments": ["e/asymptotics.csv"]}
    inputs |= {"figures": ["f/scores.pdf", "f/rank.pdf"], "figures_quoted": ["q/paper/rank.pdf"]}
    inputs |= {"sources": ["article.typ"]}
    run("article", {"pdf": "a.pdf"}, params={"tables": ["ranks", "scores"]}, **inputs)
    numbers.assert_called_once_with(
        "record run.json",
        {"ranks": "ranks s/ranks.csv", "scores": "scores s/scores.csv"},
        {
            "a": {"design": "design a/design.csv"},
            "b": {"design": "design b/design.csv", "found": "found b/found.csv"},
        },
        {"a": "record a/provenance.json"},
        {"asymptotics": "asymptotics e/asymptotics.csv"},
    )
    paths = {"scores": "f/scores.pdf", "rank": "f/rank.pdf", "paper/rank": "q/paper/rank.pdf"}
    figures = {name: Path(path) for name, path in paths.items()}
    typeset.assert_called_once_with(numbers.return_value, figures, ["article.typ"])
    assert (tmp_path / "a.pdf").read_bytes() == b"%PDF"


def test_the_design_has_the_draws_of_parts_in_their_order(run, tmp_path):
    row = {"true_structure": "1-1", "alpha": 1.0, "alpha_hidden": 2.0}
    tables.write(tmp_path / "part.csv", "design", [{"draw": draw} | row for draw in (10, 2)])
    of = {"params": {"rows": [{"draw": 9} | row]}, "parts": [str(tmp_path / "part.csv")]}
    design = run("design", {"design": "design.csv"}, **of)["design"]
    assert [row["draw"] for row in design] == ["2", "9", "10"]


def test_the_tables_of_a_population_of_one_truth_follow_from_its_verdicts(run, committed, tmp_path):
    """Without a reference; pairs of variables have no place in its reliability."""
    folder, names = committed / "alpha-0.5", ("verdicts", "reliability_counts")
    files = {name: str(folder / f"{name}.parquet") for name in names}
    files |= {"claims": str(folder / "claims.csv"), "worths": [], "params": {"uniform": False}}
    outputs = {name: f"{name}.csv" for name in ("found", "reliability", "claims_held")}
    run("over_draws", outputs, **files)
    for file in outputs.values():
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes(), file


def test_the_report_begins_with_the_lines_in_short(run, tmp_path):
    files = {"text": tmp_path / "s.md", "record": tmp_path / "r.json"}
    write_text(files["text"], "before\n\n## In short\n\n- one\n- two\n\nafter\n")
    about = {"config": {"ais": {"steps": 5}}, "jobs": {}, "packages": {}, "machine": {"cores": 9}}
    write_text(files["record"], json.dumps({"end": "today"} | about))
    outputs = {name: f"{name}.html" for name in ("first", "summary", "provenance")}
    run("text_pages", outputs, figure=[files["text"]], **files)
    pages = [(tmp_path / path).read_text(encoding="utf-8") for path in outputs.values()]
    words = ("before", "one", "two", "after")
    assert [[word in page for word in words] for page in pages[:2]] == [[0, 1, 1, 0], [1] * 4]
    assert base64.b64encode(files["text"].read_bytes()).decode() in pages[0]
    shown = re.findall(r"(?:h2|td)>(Run|today|Settings|5|Machine|9)<", pages[2])
    assert shown == ["Run", "today", "Settings", "5", "Machine", "9"]


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
def test_the_committed_page_of_topics_is_that_of_the_committed_tables(run, committed, tmp_path):
    folder = committed / "topics"
    files = {name: str(folder / f"{name}.csv") for name in ("scores", "chosen", "errors")}
    files["news"] = [str(folder / f"{name}.csv") for name in ("news", "news_topics")]
    run("../topics/scripts/summary", {"page": "page.md"}, params={"config": TOPICS}, **files)
    assert (tmp_path / "page.md").read_bytes() == (folder / "summary.md").read_bytes()


def test_the_page_of_topics_says_whether_every_error_of_vb_grows(
    run, committed, monkeypatch, tmp_path
):
    folder, seen = committed / "topics", {}
    files = {k: str(folder / f"{k}.csv") for k in ("scores", "chosen", "errors")} | {"news": []}
    monkeypatch.setattr(
        "latentdag.report.markdown.written", lambda *_, **views: seen.update(views) or ""
    )
    errors = pd.read_csv(files["errors"])
    files["errors"] = str(tmp_path / "errors.csv")
    for shrinking, grows in (([], True), (["bars"], False), (["bars", "prior"], False)):
        signs = np.where(errors["corpus"].isin(shrinking), 1 / errors["documents"] ** 3, 1)
        errors.assign(error=errors["error"] * signs).to_csv(files["errors"], index=False)
        run("../topics/scripts/summary", {"page": "page.md"}, params={"config": TOPICS}, **files)
        assert seen["grows"] == grows


def test_topics_that_are_found_stand_below_the_true_ones(run, tmp_path, monkeypatch):
    """Found in another order, and mixed with an even grey."""
    true = np.random.default_rng(0).dirichlet(np.full(SIDE**2, 0.2), 3)
    rows = [
        {"documents": n, "topic": k, "word": w, "probability": p}
        for n, topics in ((0, true), (50, (0.9 * true + 0.1 / SIDE**2)[[2, 0, 1]]))
        for k, topic in enumerate(topics)
        for w, p in enumerate(topic)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "found.csv", index=False)
    seen = []
    monkeypatch.setattr("latentdag.drawing.style.save", lambda figure, *_: seen.extend(figure.axes))
    files = dict.fromkeys(("scores", "found"), str(tmp_path / "found.csv"))
    run("../topics/scripts/figure", {"png": "a.png", "pdf": "a.pdf"}, {"figure": "bars"}, **files)
    above, below = np.array([axis.images[0].get_array() for axis in seen]).reshape(2, 3, -1)
    assert (above == true).all() and below == pytest.approx(0.9 * true + 0.1 / SIDE**2)


def test_the_study_of_topics_runs_whole(study, run, monkeypatch, golden):
    """Its tables, and the curves of its figure; the news from made-up articles of sixty lines, in
    ten of which each word stands.
    """
    small = {"draws": 2, "documents": [3, 24], "topics": [1, 5, 10], "news": {"topics": [1, 2]}}
    small["length"] = 20
    small["work"] = {"restarts": 2, "start_steps": 5, "chains": 2, "steps": 6, "uniform_steps": 9}
    study.run_alone("topics/Snakefile", small)
    columns = [column for column in of_study(study.folder) if "news" not in column[0]]
    lines = [
        " ".join([f"word{chr(97 + d % 6)}"] * (1 + d % 4) + [f"word{chr(103 + d // 10)}"] * 2)
        for d in range(60)
    ]
    write_text(study.folder / "articles", "\n".join(lines))
    config = changed(TOPICS, {"work": TOPICS["work"] | small["work"], "news.topics": [1, 2]})
    outputs = {name: f"{name}.csv" for name in ("news", "news_topics")}
    articles = str(study.folder / "articles")
    news = run("../topics/scripts/news", outputs, params={"config": config}, articles=articles)
    columns += [
        (name, column, [row[column] for row in rows])
        for name, rows in news.items()
        for column in rows[0]
    ]
    seen = []
    monkeypatch.setattr("latentdag.drawing.style.save", lambda figure, *_: seen.extend(figure.axes))
    files = {k: str(study.folder / f"results/topics/{k}.csv") for k in ("scores", "found")}
    params = {"true_topics": {"bars": 10, "prior": 5}}
    outputs = {"png": "a.png", "pdf": "a.pdf"}
    run("../topics/scripts/figure", outputs, {"figure": "score_by_topics"}, params, **files)
    drawn = (
        ("score_by_topics", f"{number} {k}", np.ravel(places))
        for number, axis in enumerate(seen)
        for k, places in enumerate(
            chain(
                (line.get_xydata() for line in axis.lines),
                (path.vertices for area in axis.collections for path in area.get_paths()),
            )
        )
    )
    golden("topics.csv", chain(columns, drawn))


@pytest.mark.weekly
def test_the_study_of_truths_outside_runs_whole(study, golden):
    """Its rows are in the order of the settings, and its statistics are those of its picks."""
    small = {"draws": 1, "sizes": [20, 40], "methods": ["bic", "reference"], "replicates": 3}
    study.run_alone("rules/outside.smk", small)
    results = study.folder / "results/outside"
    picks = tables.read(results / "outside_picks.csv", "outside_picks")
    truths = ("two causes", "three causes", "a direct link")
    assert [tuple(row) for row in picks[["truth", "draw", "n", "method"]].to_numpy()] == [
        (truth, 0, n, m) for truth in truths for n in (20, 40) for m in small["methods"]
    ]
    # three simulated tables and the cases' own
    assert set(picks["p_value"].dropna()) <= {0.25, 0.5, 0.75, 1.0}
    assert lines(results / "outside.csv") == written(study.folder, "outside", outside(picks))
    golden("outside.csv", of_study(study.folder))
    assert (study.folder / "figures/outside/outside.pdf").exists()


def test_every_draw_of_every_truth_outside_is_planned(study):
    """Truths have the numbers of their places in the settings."""
    file, wildcards = "workflow/rules/outside.smk", {"truth": "2", "draw": "1"}
    rules = study.handed(file, ["outside", "picks"], wildcards, draws=2)
    draws = [f"results/draws/{truth}.{draw}.csv" for truth in range(3) for draw in range(2)]
    assert rules["outside"]["picks"] == draws
    truth = rules["picks"]["truth"]
    assert (truth["name"], truth["link"]) == ("a direct link", [1, 4])
