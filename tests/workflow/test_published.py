"""A complete run is published, another one is refused, and `compare` judges what a run made."""

import json
import re
import shutil

import pytest
from studies import Study, run_script

MISSING = ("ranks.csv", "summary.md", "class.html", "article.pdf")  # this one has not been made
ONLY = ("publish", "--allowed-rules", "publish")


@pytest.fixture(scope="module")
def published(finished, tmp_path_factory) -> Study:
    study = Study(tmp_path_factory.mktemp("published") / "study", finished.folder)
    said = study.run(*ONLY)
    assert "results/published/results and figures/published/results hold the run" in said
    return study


def test_what_is_published_are_the_tables_pages_and_figures(published):
    tables = {path.name for path in (published.folder / "results").glob("*.csv")}
    copied = {path.name for path in (published.folder / "results/published/results").iterdir()}
    pages = {"summary.md", "class.html", "datapackage.json", "provenance.json"}
    assert copied == tables - {"comparison.csv"} | pages
    for folder in ("results", "figures"):
        for path in (published.folder / folder / "published/results").iterdir():
            assert path.read_bytes() == (published.folder / folder / path.name).read_bytes()


def test_a_run_compares_with_the_published_one(published):
    said = published.run("compare", "--quiet", "all")
    assert "The same to the byte" in said
    scores = published.folder / "results/published/results/scores.csv"
    text = scores.read_text(encoding="utf-8")
    header, first, *rest = text.splitlines()
    cells = first.split(",")
    cells[header.split(",").index("n_parameters")] = "99"
    scores.write_text("\n".join([header, ",".join(cells), *rest]) + "\n", encoding="utf-8")
    said = published.run("compare", "--quiet", "all", status=1)
    assert "Not reproduced: scores, row 1 (draw 0, n 10, " in said
    assert "published 99" in said
    scores.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "change", "words"),
    [
        ("another", {}, "other sources made the run"),
        ("same", {"alphas": [1.3]}, "the run was made with prior.alphas 1.3, 0.5"),
        ("same", {"a": {"n": 1}}, "the run was made with prior.a.n None"),
    ],
)
def test_a_run_of_other_sources_or_settings_is_not_published(tmp_path, code, change, words):
    config = {"prior": {"n": 10, "alphas": [1.3, 0.5]}}
    record = tmp_path / "provenance.json"
    record.write_text(json.dumps({"code_sha256": "same", "config": config}), encoding="utf-8")
    params = {"code_sha256": code, "config": {"prior": config["prior"] | change}}
    with pytest.raises(SystemExit, match=f"Nothing is published: {words}"):
        run_script("publish", tmp_path / "log", {"record": record}, params=params)


def test_a_run_takes_the_place_of_what_was_published(tmp_path):
    paths = [tmp_path / name for name in ("provenance.json", "ranks.csv", "rank.pdf", "old/b.csv")]
    paths[-1].parent.mkdir()
    for path in paths:
        path.write_text(json.dumps({"code_sha256": "a", "config": {}}), encoding="utf-8")
    inputs = {"record": paths[0], "results": [paths[1]], "figures": [paths[2]]}
    params = {"to_results": tmp_path / "old", "to_figures": tmp_path / "new/figures"}
    how = {"params": params | {"code_sha256": "a", "config": {}}}
    run_script("publish", tmp_path / "log", inputs, **how)
    names = [sorted(path.name for path in folder.iterdir()) for folder in params.values()]
    assert names == [["provenance.json", "ranks.csv"], ["rank.pdf"]]


def test_an_incomplete_run_is_not_published(published, tmp_path):
    study = Study(tmp_path / "study", published.folder)
    shutil.rmtree(study.folder / "results/published")
    (study.folder / "results/ranks.csv").unlink()
    (study.folder / "results/class.html").unlink()
    (study.folder / "results/summary.md").unlink()
    quoted = {"results": "results/quoted", "figures": "figures/quoted"}
    said = study.run(*ONLY, status=1, quoted=quoted)
    assert "Missing input files for rule publish" in said
    missing = {f"results/{name}" for name in MISSING}
    assert missing <= set(re.findall(r"\bresults/[\w.]+", said))
    assert not (study.folder / "results/published").exists()
