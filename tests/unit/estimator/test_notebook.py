"""The notebook runs from its first cell to its last, and shows what it says."""

import json
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "workflow/docs/one_table.ipynb"


def test_the_notebook_runs(monkeypatch, capsys):
    """In one namespace, cell by cell, without Jupyter."""
    monkeypatch.chdir(ROOT)
    names: dict = {}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 12
    for cell in code:
        exec(compile(cell, NOTEBOOK.name, "exec"), names)
    assert names["model"].causes_["states"].iloc[0] == "3"
    (row,) = (
        names["latent_classes"]
        .set_params(hidden=3, estimate="ml")
        .fit(names["table"], sample_weight=names["counts"])
        .fit_.to_dict("records")
    )
    assert (round(row["G2"], 2), round(row["BIC"], 2)) == (15.26, 697.14)  # as the text says
    out = capsys.readouterr().out
    assert "row 1, column 'A': 'perhaps' is none of the levels" in out
    assert "{'hidden': (3,)}" in out
    assert isinstance(names["new"], pd.DataFrame)


def test_the_notebook_has_no_outputs():
    """They would change with every run."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in cells)
