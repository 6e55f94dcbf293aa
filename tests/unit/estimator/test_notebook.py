"""The notebook runs from its first cell to its last, and shows what it says."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.weekly

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "workflow/docs/one_table.ipynb"


def outputs(notebook: dict) -> dict[str, list]:
    """What Jupyter shows of each cell with code, by its source."""
    return {c["source"]: c["outputs"] for c in notebook["cells"] if c["cell_type"] == "code"}


def test_jupyter_shows_the_pictures_and_tables_that_are_committed():
    """A cell that draws shows a picture; every cell shows something, and nothing is an error."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    committed = nbformat.read(NOTEBOOK, as_version=4)
    notebook, place = nbformat.from_dict(committed), {"metadata": {"path": NOTEBOOK.parent}}
    nbclient.NotebookClient(notebook, timeout=300, resources=place).execute()
    shown, expected = outputs(notebook), outputs(committed)
    assert shown.keys() == expected.keys() and sum(".plot_" in source for source in shown) == 3
    for source, cells in shown.items():
        kinds = [
            [sorted(out["data"]) if "data" in out else out["text"] for out in of]
            for of in (cells, expected[source])
        ]
        assert kinds[0] == kinds[1] and kinds[0]
        for out in (*cells, *expected[source]) if ".plot_" in source else ():
            assert out["data"]["image/png"].startswith("iVBORw0KGgo")  # a PNG's first bytes
            assert 400 < out["metadata"]["image/png"]["width"] < 900
        if source.startswith("model.causes_"):
            assert cells[0]["data"]["text/plain"] == expected[source][0]["data"]["text/plain"]
