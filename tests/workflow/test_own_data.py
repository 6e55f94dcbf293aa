"""A study of the shipped table, and of tables that a user might bring."""

import os
import shutil

import pytest
from studies import ROOT, Study

SETTINGS = {
    "data": {"file": "mine.csv", "count": "count", "levels": None, "published": None},
    "family__hidden": [2],
    "family__observed": None,
    "true_structure": None,
    "sizes": None,
    "methods": ["map", "ml", "vb", "ais"],
}
PUBLISHED = {
    "source": "Goodman (1974)",
    "structure": "1-1-1-1",
    "likelihood_ratio": 2.72,
    "class_sizes": [0.279, 0.721],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("own"))
    shutil.copy(ROOT / "workflow/data/stouffer_toby_1951.csv", study.folder / "mine.csv")
    study.run(**SETTINGS | {"data": SETTINGS["data"] | {"published": PUBLISHED}})
    return study


def test_tables_and_figures_of_own_data(own):
    variables = own.table("results/variables.csv")
    assert [v["name"] for v in variables[::2]] == [
        "auto_passenger",
        "drama_critic",
        "insurance_doctor",
        "board_director",
    ]
    assert {
        sum(int(v["cases"]) for v in variables if v["variable"] == str(j)) for j in (1, 2, 3, 4)
    } == {216}
    scores = own.table("results/scores.csv")
    assert {r["n"] for r in scores} == {"216"}
    assert {r["method"] for r in scores} == {"map", "bic", "cs", "ml", "bic_ml", "vb", "ais"}
    assert (
        len({r["structure"] for r in scores}) == 16
    )  # each variable caused by the one hidden variable or not
    assert {r["is_true"] for r in own.table("results/structures.csv")} == {"false"}
    mass = sum(
        float(r["probability"]) for r in own.table("results/posterior.csv") if r["method"] == "vb"
    )
    assert mass == pytest.approx(1, abs=1e-4)
    for name in ("scores", "best_structures"):
        assert (own.folder / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (own.folder / f"figures/{name}.pdf").read_bytes().startswith(b"%PDF")
    for name in ("ranks.csv", "annealing.csv"):
        assert not (own.folder / "results" / name).exists()


def test_the_summary_compares_with_what_was_published(own):
    text = (own.folder / "results/summary.md").read_text(encoding="utf-8")
    assert "216 cases of 4 observed variables" in text
    assert "| likelihood ratio statistic | 2.720 | 2.720 |" in text
    assert "| class size | 0.279 | 0.279 |" in text
    assert "There is no known true structure" in text


def test_the_report_of_own_data(own):
    settings = SETTINGS | {"data": SETTINGS["data"] | {"published": PUBLISHED}}
    own.run("report_pages", "--report", "report.html", "--report-after-run", **settings)
    pages = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (own.folder / "results/report").glob("*.html")
    }
    assert {"variables", "parameters", "posterior", "scores", "summary", "provenance"} <= set(pages)
    assert not {"ranks", "annealing", "timing", "sandwich"} & set(pages)
    assert "What the scores say of mine.csv" in pages["summary"]
    report = (own.folder / "report.html").read_text(encoding="utf-8")
    assert "Best structures" in report
    assert "mine.csv" in report


def test_a_changed_table_reruns_everything_that_reads_it(own):
    settings = SETTINGS | {"data": SETTINGS["data"] | {"published": PUBLISHED}}
    assert own.pending(**settings) == {}
    path = own.folder / "mine.csv"
    text, status = path.read_text(), path.stat()
    try:
        path.write_text(text.replace(",42\n", ",43\n"))
        pending = own.pending(**settings)
    finally:
        path.write_text(text)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert {"read_data", "map", "vb", "ais", "ml", "scores", "summary", "plot_best"} <= set(pending)


def test_what_needs_a_true_structure_says_so(own):
    for target in ("ranks", "annealing", "sandwiches"):
        printed = own.run(target, status=1, **SETTINGS)
        assert "own data have no true structure" in printed
        assert "Traceback" not in printed
        assert "Finished job" not in printed


def test_wrong_data_stop_before_any_job(study):
    (study.folder / "mine.csv").write_text("a,b,count\nx,1,3\ny,,2\n")
    printed = study.run(status=1, **SETTINGS)
    assert "data: mine.csv: row 2 (line 3 of the file), column 'b': a value is missing" in printed
    assert "Traceback" not in printed
    assert not (study.folder / "results").exists()
