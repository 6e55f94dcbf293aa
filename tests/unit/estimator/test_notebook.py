"""The notebook runs from its first cell to its last, and shows what it says."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "workflow/docs/one_table.ipynb"


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
    of_causes = [
        out["data"]["text/plain"]
        for own in (notebook, committed)
        for cell in own["cells"]
        if cell["source"].startswith("model.causes_")
        for out in cell["outputs"]
    ]
    assert len(of_causes) == 2 and of_causes[0] == of_causes[1]
