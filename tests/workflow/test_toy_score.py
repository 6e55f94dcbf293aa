"""A score is one file: one more, dropped among the others, is everywhere at once."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from studies import SMOKE, Study, tool

pytestmark = pytest.mark.slow

TOY = Path(__file__).with_name("toy_score.py")
RESULTS = "results/smoke"
TABLES = ("scores", "ranks", "errors", "posterior")
FEW = {
    "sizes": [10, 480],
    "methods": ["map", "reference"],
    "reference": {"particles": 16, "runs": 2, "others": 0},
    "annealing": {"steps": [16, 32]},
}


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Study:
    """A smoke study of a project that has the toy score as well, and nothing else changed."""
    study = Study(tmp_path_factory.mktemp("toy"))
    study.copy_package()
    shutil.copy(TOY, study.folder / "src/latentdag/scores/toy.py")
    (study.folder / "few.yaml").write_text(yaml.safe_dump(FEW), encoding="utf-8")
    study.call([tool("snakemake"), *SMOKE, "few.yaml"])
    return study


def test_it_is_small():
    assert len(TOY.read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.parametrize("table", TABLES)
def test_it_is_in_every_table(toy, table):
    rows = [row for row in toy.table(f"{RESULTS}/{table}.csv") if row["method"] == "toy"]
    assert len(rows) == len(FEW["sizes"]) * (1 if table == "ranks" else 136)


def test_its_numbers_are_those_that_it_defines(toy):
    links = {
        row["structure"]: int(row["n_links"]) for row in toy.table(f"{RESULTS}/structures.csv")
    }
    scores = toy.table(f"{RESULTS}/scores.csv")
    by_key = {(r["n"], r["structure"], r["method"]): float(r["score"]) for r in scores}
    own = {key: value for key, value in by_key.items() if key[2] == "toy"}
    for (n, label, _), value in own.items():
        assert value == pytest.approx(by_key[n, label, "map"] - links[label], abs=2e-6)
    for row in toy.table(f"{RESULTS}/ranks.csv"):
        if row["method"] == "toy":
            here = {label: value for (n, label, _), value in own.items() if n == row["n"]}
            expected = 1 + sum(value > here["1-12-12-2"] for value in here.values())
            assert int(row["rank"]) == expected
    for row in toy.table(f"{RESULTS}/errors.csv"):
        if row["method"] == "toy":
            n, label = row["n"], row["structure"]
            gap = own[n, label, "toy"] - by_key[n, label, "reference"]
            assert float(row["error_nats"]) == pytest.approx(gap, abs=3e-6)
    for n in FEW["sizes"]:
        here = np.array([value for (size, *_), value in own.items() if size == str(n)])
        largest = max(
            float(row["probability"])
            for row in toy.table(f"{RESULTS}/posterior.csv")
            if row["method"] == "toy" and row["n"] == str(n)
        )
        assert largest == pytest.approx(1 / np.exp(here - here.max()).sum(), rel=1e-4)


LEGENDS = """
import sys
from latentdag.figures import rank
from latentdag.figures import scores as of_scores
from latentdag.study.schema import tables
ranks, scores, structures = (
    tables.read(f"{sys.argv[1]}/{name}.csv", name) for name in ("ranks", "scores", "structures")
)
for figure in (
    rank.rank(ranks, structures),
    of_scores.scores(scores, structures, 480),
):
    print("Toy" in [text.get_text() for legend in figure.legends for text in legend.get_texts()])
"""


def test_it_is_in_the_legends_of_its_figures(toy):
    """As the toy's project draws them from its tables, which it did for the files as well."""
    path = {"PYTHONPATH": str(toy.folder / "src")}
    printed = subprocess.run(
        [sys.executable, "-c", LEGENDS, RESULTS],
        cwd=toy.folder,
        env=toy.environment() | path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split() == ["True", "True"]
    for figure in ("rank", "scores"):
        assert (toy.folder / RESULTS / "figures" / f"{figure}.png").stat().st_size > 5000


def test_it_is_in_the_summary(toy):
    text = (toy.folder / RESULTS / "summary.md").read_text(encoding="utf-8")
    header = text.partition("## Ranks of the true structure")[2].split("\n\n")[2].splitlines()[0]
    assert "Toy" in [cell.strip() for cell in header.split("|")]
    assert text.count("Toy") >= 3
