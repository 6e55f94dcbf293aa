"""What the rules hand to their scripts, as Snakemake itself has it after it has read every file:
each parameter is that of its key, in a study of own data in which no two keys have the same value;
and the threads that each rule has.
"""

import pytest
from studies import SMALL, resolved

from latentdag.scores import JOBS

pytestmark = pytest.mark.slow

FIT = {"max_iterations": SMALL["max_iterations"]}
MAP, ML = (
    {"restarts": r["at_most"], "hits": r["hits"]} | FIT
    for r in (SMALL["restarts"][job] for job in ("map", "ml"))
)
REFERENCE = {
    name: SMALL["reference"][name] for name in ("target", "particles", "runs", "most_runs")
}


OWN = {
    "data": {
        "file": "mine.csv",
        "columns": ["a", "b", "c"],
        "beside": "d",
        "published": {"source": "a book", "classes": 2},
    },
    "family__hidden": [[2, 2], [3]],
    "family__observed": None,
    "true_structure": None,
    "sizes": None,
    "alpha": [3.0, 0.5, 0.9, 2.0],
    "equally_probable": "classes",
    "fit": {"replicates": 17, "draws": 350},
    "restarts__ml__at_most": 5,
    "search": {"method": "bic", "width": 6, "starts": 8, "keep": 9},
    "methods": ["map", "ml", "vb", "reference"],
    "prior__alphas": [],
    "threads": 3,
}


def test_of_own_data(unrun):
    """Of four alphas the second is the study's; a limit of restarts of its own for ML."""
    text = "a,b,c,d\n" + "x,u,0,l\ny,v,1,r\ny,u,2,r\n" * 5
    (unrun.folder / "mine.csv").write_text(text, encoding="utf-8")
    unrun.command(**OWN)  # writes config.yaml
    (own_rules,) = unrun.rules("config.yaml")
    of_ml = ML | {"restarts": 5}
    found = {name: rule["params"] for name, rule in own_rules.items()}
    threads = {name: rule["threads"] for name, rule in own_rules.items() if rule["runs"]}
    spread = {*JOBS, "fit"}
    assert threads == {name: 3 if name in spread else 1 for name in threads}
    family = {"hidden": [[2, 2], [3]], "observed": [2, 2, 3]}
    model = {"seed": 7, "alpha": 0.9, "alpha_hidden": 1.6, "family": family}
    data = resolved({"data": OWN["data"]})["data"]
    assert found["read_data"] == {"data": data}
    assert found["structures"] == {
        "model": model, "search": OWN["search"], "settings": MAP, "equally_probable": "classes",
    }  # fmt: skip
    settings = {"map": MAP, "reference": REFERENCE}
    assert found["prior"] == {
        "model": model, "n": 15, "alpha_hidden": 1.6, "settings": settings,
    }  # fmt: skip
    assert found["alpha"] == {"model": model, "methods": ["laplace", "reference"]}
    assert found["errors"] == {"model": model, "equally_probable": "classes"}
    assert found["parameters"] == {
        "model": model,
        "method": "reference",
        "data": data,
        "restarts": {"map": MAP["restarts"], "ml": 5},
        "draws": 350,
    }
    assert found["published"] == {
        "published": data["published"], "observed": [2, 2, 3], "seed": 7, "settings": of_ml,
    }  # fmt: skip
    assert found["fit"] == {
        "model": model, "equally_probable": "classes", "settings": of_ml, "replicates": 17,
    }  # fmt: skip
    assert found["summary"]["model"] == model
    arguments = {"observed": [2, 2, 3], "method": "reference"}
    assert found["plot_profiles"]["arguments"] == arguments
    assert found["plot_shared_causes"]["arguments"] == {"method": "reference"}
