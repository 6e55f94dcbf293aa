"""A run next to a published one: what differs is named, and judged by what its table declares."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.comparison import WORDS, Verdict, compare, sentence

PUBLISHED = Path(__file__).parents[4] / "results/published"
SAME, ROUNDING, MONTE_CARLO, NOT = Verdict
COLUMNS = ["n", "method", "score", "standard_error", "iterations", "restarts_at_best"]
ROWS = [
    (10, "vb", -12.5, np.nan, 7.0, 8.0),
    (10, "reference", -12.0, 0.05, np.nan, np.nan),
    (80, "vb", -90.25, np.nan, 9.0, 6.0),
    (80, "reference", -88.5, 0.1, np.nan, np.nan),
]
ABOUT = {"draw": 0, "structure": "1-1", "n_parameters": 13, "converged": True, "restarts": 8.0}
SCORES = pd.DataFrame(ROWS, columns=COLUMNS).assign(**ABOUT, reason="")
SCORES = SCORES.reindex(columns=TABLES["scores"].columns)
TIMING = pd.DataFrame({"n": [80], "method": "vb", "seconds": 1.5, "paper_seconds": 575.0})
POSTERIOR = SCORES[["draw", "n", "structure", "method"]].assign(probability=[0.5, 0.4, 0.3, 0.2])
ERRORS = SCORES[["draw", "n", "structure", "method"]].assign(
    error_nats=[-0.5, 0.0, -1.75, 0.0], standard_error=[0.05, np.nan, 0.1, np.nan]
)
RUN = {"scores": SCORES, "timing": TIMING, "posterior": POSTERIOR, "errors": ERRORS}


def judged(folder: Path, *changes: tuple) -> dict:
    """The comparisons, by table, of a run that differs in some cells from the published one:
    table, row, column, value.
    """
    for name in ("run", "published"):
        (folder / name).mkdir()
        for table, rows in RUN.items():
            of_run = rows.copy()
            for _, row, column, value in [c for c in changes if c[0] == table and name == "run"]:
                of_run.loc[row, column] = value
            tables.write(folder / name / f"{table}.csv", table, of_run)
    comparisons = compare(folder / "run", folder / "published")
    assert [c.table for c in comparisons] == sorted(RUN)
    return {c.table: c for c in comparisons}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ([], SAME),
        ([("timing", 0, "seconds", 99.0)], SAME),
        ([("scores", 0, "score", -12.500001)], ROUNDING),
        ([("scores", 0, "score", -12.500003)], NOT),
        ([("scores", 0, "iterations", 30.0)], ROUNDING),
        ([("scores", 0, "converged", False)], NOT),
        ([("posterior", 0, "probability", 0.500001)], ROUNDING),
        # of an estimate the distance counts in standard errors of the difference, 0.0707
        ([("scores", 1, "score", -12.3)], MONTE_CARLO),
        ([("scores", 1, "score", -12.4)], NOT),
        # what follows from estimates may differ where an estimate does, and only there
        ([("posterior", 1, "probability", 0.45)], NOT),
        ([("posterior", 1, "probability", 0.45), ("scores", 1, "score", -12.1)], MONTE_CARLO),
        ([("posterior", 0, "probability", 0.45), ("scores", 1, "score", -12.1)], NOT),
        # an error depends on the evidence, also that of a deterministic score
        ([("errors", 0, "error_nats", -0.4), ("scores", 1, "score", -12.1)], MONTE_CARLO),
        ([("errors", 0, "error_nats", -0.1), ("scores", 1, "score", -12.1)], NOT),
    ],
)
def test_a_verdict_is_that_of_the_worst_cell(tmp_path, changes, verdict):
    comparisons = judged(tmp_path, *changes)
    assert max(c.verdict for c in comparisons.values()) is verdict
    assert sentence(list(comparisons.values()))[1:].startswith(WORDS[verdict][1:])


def test_the_largest_difference_has_its_column_unit_and_standard_errors(tmp_path):
    changes = [("scores", 1, "score", -12.1), ("scores", 3, "score", -88.2)]
    scores = judged(tmp_path, *changes)["scores"]
    assert (scores.rows, scores.equal_rows, scores.different_cells) == (4, 2, 2)
    assert (scores.column, scores.unit) == ("score", "nats")
    assert scores.largest_difference == pytest.approx(0.3)
    assert scores.standard_errors == pytest.approx(0.3 / np.hypot(0.1, 0.1))
    assert scores.first_place.startswith("row 2 (draw 0, n 10, structure 1-1, method reference)")


def test_rows_columns_and_tables_that_lack_are_not_reproduced(tmp_path):
    judged(tmp_path)
    run = tmp_path / "run"
    tables.write(run / "scores.csv", "scores", SCORES[:3])
    tables.write(run / "errors.csv", "posterior", POSTERIOR)
    (run / "timing.csv").unlink()
    verdicts = {c.table: c.verdict for c in compare(run, tmp_path / "published")}
    assert verdicts == {"errors": NOT, "posterior": SAME, "scores": NOT, "timing": NOT}


def test_a_part_of_a_population_is_compared_by_its_draws(tmp_path):
    whole, part = PUBLISHED / "every-structure", tmp_path / "part"
    part.mkdir()
    for name in ("design.csv", "verdicts.parquet"):
        table = tables.read(whole / name, name.partition(".")[0])
        tables.write(part / name, name.partition(".")[0], table[table["draw"].isin([3, 7])])
    for name in ("structures.csv", "found.csv"):
        shutil.copy(whole / name, part)
    verdicts = {c.table: c.verdict for c in compare(part, whole)}
    assert verdicts["verdicts"] is verdicts["design"] is verdicts["structures"] is SAME
    assert verdicts["found"] is NOT  # it has the rows of other draws
    assert verdicts["worths"] is NOT  # it is not there
    assert "population" not in verdicts  # statistics over all draws
