"""The notebook runs from its first cell to its last, and shows what it says."""

import json
from pathlib import Path

import pandas as pd
import pytest

from latentdag import LatentCauses

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "workflow/docs/one_table.ipynb"


def test_the_notebook_runs(monkeypatch, capsys):
    """In one namespace, cell by cell, without Jupyter."""
    monkeypatch.chdir(NOTEBOOK.parent)
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


def kinds(notebook: dict) -> list[list]:
    """By cell with code, what Jupyter has to show of each of its outputs."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        [sorted(out["data"]) if "data" in out else out["text"] for out in cell["outputs"]]
        for cell in cells
    ]


def test_jupyter_shows_the_pictures_and_tables_that_are_committed():
    """A cell that draws shows a picture; every cell shows something, and nothing is an error."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    committed = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.from_dict(committed)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": NOTEBOOK.parent}}
    ).execute()
    assert kinds(notebook) == kinds(committed)
    for shown in (notebook, committed):
        drawing = [cell for cell in shown["cells"] if ".plot_" in cell["source"]]
        assert len(drawing) == 3
        for cell in drawing:
            (out,) = cell["outputs"]
            assert out["data"]["image/png"].startswith("iVBORw0KGgo")  # a PNG's first bytes
            assert 400 < out["metadata"]["image/png"]["width"] < 900
    assert all(kinds(notebook))


def test_the_committed_tables_are_those_of_a_new_run():
    """The first numbers of the table of causes, as text."""
    (cell,) = (
        cell
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        if "".join(cell["source"]).startswith("model.causes_")
    )
    table = pd.read_csv(ROOT / "workflow/data/carcinoma_agresti_2002.csv")
    counts = table.pop("count")
    model = LatentCauses(hidden=[(2,), (3,), (4,)], method="laplace", seed=1)
    causes = model.fit(table, sample_weight=counts).causes_
    assert "".join(cell["outputs"][0]["data"]["text/plain"]) == repr(causes)
