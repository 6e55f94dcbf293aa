"""A structure scored alone by the package has the study's row of the table, to the byte."""

import numpy as np
import pytest
from studies import N_STRUCTURES, SMALL

import latentdag
from latentdag.study import tables

FAMILY = latentdag.Family(*(tuple(SMALL["family"][kind]) for kind in ("hidden", "observed")))


@pytest.mark.parametrize("n", SMALL["sizes"])
@pytest.mark.parametrize("method", [m for m in latentdag.METHODS if m != "reference"])
def test_a_structure_scored_alone(finished, tmp_path, method, n):
    rows = [
        r
        for r in finished.table("results/scores.csv")
        if r["method"] == method and int(r["n"]) == n
    ]
    if method == "exact" and n not in SMALL["exact_sizes"]:
        assert not rows
        return
    assert len(rows) == N_STRUCTURES
    cases = np.loadtxt(
        finished.folder / f"results/draws/0/n{n}/cases.csv", delimiter=",", skiprows=1, dtype=int
    )
    settings = {"restarts": 2, "hits": 2, "max_iterations": SMALL["max_iterations"], **SMALL["ais"]}
    assert all(SMALL["restarts"][m] == {"at_most": 2, "hits": 2} for m in ("map", "ml", "vb"))
    labels = {
        rows[0]["structure"],
        rows[N_STRUCTURES // 2]["structure"],
        SMALL["true_structure"],
        rows[-1]["structure"],
    }
    alone = [
        latentdag.score(
            cases,
            latentdag.Structure.from_label(label, FAMILY),
            method,
            seed=SMALL["seed"],
            key=(0,),
            **settings,
        )
        for label in labels
    ]
    tables.write(
        tmp_path / "alone.csv",
        "scores",
        [
            (
                0, n, s.structure.label, s.method, s.score, s.standard_error, s.n_parameters,
                s.iterations, s.converged, s.restarts, s.restarts_at_best, s.log_prior,
            )
            for s in alone
        ],
    )  # fmt: skip
    lines = (finished.folder / "results/scores.csv").read_text(encoding="utf-8").splitlines()
    written = (tmp_path / "alone.csv").read_text(encoding="utf-8").splitlines()
    assert len(written) == 5
    assert set(written) <= set(lines)
