from dataclasses import replace

import pytest

from latentdag import scores as registry


@pytest.fixture
def add_scores(monkeypatch):
    """Adds scores to the registry that declare no look."""

    def add(*names, figures):
        for name in names:
            own = {"name": name, "label": name.title(), "title": "A title that needs two lines"}
            spec = replace(registry.SPECS["vb"], figures=figures, look=None, **own)
            monkeypatch.setitem(registry.SPECS, name, spec)
        return names

    return add
