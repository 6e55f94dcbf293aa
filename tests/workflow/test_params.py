"""What the rules hand to their scripts, as Snakemake itself has it after it has read every file:
each parameter is that of its key, in studies in which no two keys have the same value.
"""

import json
import sys

import pytest
from studies import ROOT, SMALL, resolved

pytestmark = pytest.mark.slow

FIT = {"max_iterations": SMALL["max_iterations"]}
MAP, ML = (
    {"restarts": r["at_most"], "hits": r["hits"]} | FIT
    for r in (SMALL["restarts"][job] for job in ("map", "ml"))
)
REFERENCE = {
    name: SMALL["reference"][name] for name in ("target", "particles", "runs", "most_runs")
}
MODEL = {name: SMALL[name] for name in ("seed", "alpha", "alpha_hidden", "family")}
DESIGN = "draw,true_structure,alpha,alpha_hidden\n1,1-1-1,2.5,0.3\n6,0-1-12,,\n"
OWN = {
    "data": {
        "file": "mine.csv",
        "columns": ["a", "b", "c"],
        "beside": "d",
        "published": {"source": "a book", "classes": 2},
    },
    "draws": 1,
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
}


STUDIES = {
    "designed": {"design": "design.csv", "draws": None, "population": True},
    "own": OWN,
}


@pytest.fixture(scope="module")
def params(unrun) -> dict[str, dict[str, dict]]:
    """The parameters of every rule by its name, of each of STUDIES."""
    (unrun.folder / "design.csv").write_text(DESIGN, encoding="utf-8")
    text = "a,b,c,d\n" + "x,u,0,l\ny,v,1,r\ny,u,2,r\n" * 5
    (unrun.folder / "mine.csv").write_text(text, encoding="utf-8")
    for name, changes in STUDIES.items():
        unrun.command(**changes)  # writes config.yaml
        (unrun.folder / "config.yaml").rename(unrun.folder / f"{name}.yaml")
    script = str(ROOT / "tests/workflow/rules.py")
    command = [sys.executable, script, "--each", *(f"{name}.yaml" for name in STUDIES)]
    found = json.loads(unrun.call(command).stdout)
    return {
        name: {rule["name"]: rule["params"] for rule in rules}
        for name, rules in zip(STUDIES, found, strict=True)
    }


def test_of_a_population_with_a_design(params):
    """Draw 1 has a true structure and a prior of its own."""
    found = params["designed"]
    own = {"model": MODEL | {"alpha": 2.5, "alpha_hidden": 0.3}, "true_structure": "1-1-1"}
    assert found["draw"] == own | {"sizes": [10, 40]}
    assert found["bridge"].items() >= own.items()
    assert found["verdicts_of_draw"] == {"true_structure": "1-1-1", "seed": 7}
    assert found["over_draws"] == {"uniform": False}
    assert [tuple(row.values()) for row in found["design"]["rows"]] == [
        (1, "1-1-1", 2.5, 0.3),
        (6, "0-1-12", 0.7, 1.6),
    ]
    assert found["structures"] == {"model": MODEL, "true_structure": None}


def test_of_own_data(params):
    """Of four alphas the second is the study's; a limit of restarts of its own for ML."""
    of_ml, found = ML | {"restarts": 5}, params["own"]
    family = {"hidden": [[2, 2], [3]], "observed": [2, 2, 3]}
    model = {"seed": 7, "alpha": 0.9, "alpha_hidden": 1.6, "family": family}
    data = resolved({"data": OWN["data"]})["data"]
    assert found["read_data"] == {"data": data}
    assert found["structures"] == {
        "model": model, "search": OWN["search"], "settings": MAP, "equally_probable": "classes",
    }  # fmt: skip
    settings = {"map": MAP, "reference": REFERENCE}
    assert found["under_alpha"] == {
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
