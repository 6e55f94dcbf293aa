"""The smoke study as a user runs it: every score of all 136 structures is there, and its record."""

import json
import math

from studies import resolved_smoke

from latentdag import Structure, enumerate_structures
from latentdag.scores import JOBS, METHODS
from lib.figures import OF_SIMULATION

SETTINGS = resolved_smoke()


def expected(n: int, method: str) -> int:
    """How many structures are scored: the bridge scores some, for the reference's sake."""
    if method == "exact" and n not in SETTINGS["exact_sizes"]:
        return 0
    if method != "bridge":
        return 136
    true = Structure.from_label(SETTINGS["true_structure"])
    some = JOBS["bridge"].some(enumerate_structures(), true, n)
    return len(some) if n in SETTINGS["bridge_sizes"] else 0


def test_every_score_of_every_structure_is_there(smoke):
    rows = smoke.table("results/smoke/scores.csv")
    assert all(math.isfinite(float(row["score"])) for row in rows)
    keys = [(int(row["n"]), row["method"], row["structure"]) for row in rows]
    assert len(set(keys)) == len(keys)
    found = {(n, m): 0 for n in SETTINGS["sizes"] for m in METHODS}
    for n, method, _ in keys:
        found[n, method] += 1
    assert found == {(n, m): expected(n, m) for n, m in found}


def test_its_figures_and_its_record_are_there(smoke):
    for figure in OF_SIMULATION:
        assert (smoke.folder / f"results/smoke/figures/{figure.name}.png").is_file()
    record = json.loads((smoke.folder / "results/smoke/provenance.json").read_text("utf-8"))
    assert record["config"] == SETTINGS
