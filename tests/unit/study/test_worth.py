"""Scores at a few sizes, which is nearest, and where they fail, against plain loops."""

from math import log, nan
from statistics import mean

import made_up
import pandas as pd
import pytest

from latentdag.scores import METHODS, SPECS
from latentdag.study.one_draw.distances import nearest
from latentdag.study.one_draw.errors import (
    AS_MANY,
    FEWER,
    MORE,
    by_links,
    errors,
    link_groups,
    mean_absolute,
    worst,
)
from latentdag.study.one_draw.sizes import some_sizes

STUDY = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280)
ERRORS = errors(made_up.scores())
# links that are not those which the labels say
LINKS = {"1-1-0": 5, "0-0-0": 2, "1-12-2": 4, "1-1-2": 4, "12-12-12": 6, "0-1-1": 3}
STRUCTURES = pd.DataFrame({"structure": LINKS.keys(), "n_links": LINKS.values()})


def of_draw(draw):
    return ERRORS[ERRORS["draw"] == draw]


def test_the_sizes_that_are_told():
    assert some_sizes((*STUDY, 2560, 5120, 10240)[::-1]) == [10, 80, 480, 1280, 10240]
    assert some_sizes(made_up.SIZES) == [10, 80, 480, 1120, 10240]
    # by ratio: of 30 and 160, the second is nearer to 80; all are near to 480 but the last
    assert some_sizes((30, 160, 600, 90000)) == [30, 160, 600, 90000]
    assert some_sizes((3000, 4000, 5000)) == [3000, 5000]
    assert some_sizes((7,)) == [7] and some_sizes(()) == []
    sizes = some_sizes(range(5, 100000, 7))
    assert len(sizes) == 5 and sizes[0] == 5
    for n, told in zip(sizes[1:4], (80, 480, 1280), strict=True):
        assert abs(log(n / told)) == min(abs(log(m / told)) for m in range(5, 100000, 7))


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("sampling", [True, False])
def test_the_nearest_score_of_each_size(draw, sampling):
    distances = mean_absolute(of_draw(draw))
    found = nearest(distances, sampling)
    assert list(found.index) == sorted(made_up.SIZES)
    for n in made_up.SIZES:
        means = {}
        for m in ("bic", "cs", "bic_ml", "vb", "ais"):
            values = [abs(r["error_nats"]) for r in made_up.rows(of_draw(draw), n=n, method=m)]
            if values and (sampling or m != "ais"):
                means[m] = mean(values)
        assert found[n] == min(means, key=means.get)


def test_the_nearest_where_little_is_known():
    table = pd.DataFrame(
        {"bic": [2.0, nan, nan, 1.0], "vb": [2.0, nan, 3.0, nan], "ais": [nan, nan, 1.0, nan]}
        | {m: [0.0] * 4 for m in ("exact", "reference")},
        index=[10, 20, 30, 40],
    )
    assert nearest(table).tolist() == ["bic", "", "ais", "bic"]
    assert nearest(table, sampling=False).tolist() == ["bic", "", "vb", "bic"]
    assert not SPECS["vb"].monte_carlo and SPECS["ais"].monte_carlo


@pytest.mark.parametrize("draw", [0, 1])
def test_errors_by_the_number_of_links(draw):
    found = by_links(of_draw(draw), STRUCTURES, made_up.TRUE)
    kinds = {FEWER: range(4), AS_MANY: (4,), MORE: (5, 6)}
    methods = [m for m in METHODS if m in ("bic", "cs", "bic_ml", "vb", "ais", "exact")]
    assert found.index.tolist() == [(m, k) for m in methods for k in kinds]
    assert found.columns.tolist() == sorted(made_up.SIZES)
    for (m, kind), own in found.iterrows():
        for n, value in own.items():
            rows = made_up.rows(of_draw(draw), method=m, n=n)
            values = [r["error_nats"] for r in rows if LINKS[r["structure"]] in kinds[kind]]
            assert value == pytest.approx(mean(values) if values else nan, nan_ok=True)


def test_groups_of_links_that_no_structure_is_in():
    own = of_draw(1)
    few = STRUCTURES[STRUCTURES["n_links"] <= 4]
    assert link_groups(few, made_up.TRUE).to_dict() == {
        "0-0-0": FEWER, "1-12-2": AS_MANY, "1-1-2": AS_MANY, "0-1-1": FEWER,
    }  # fmt: skip
    found = by_links(own[own["structure"].isin(few["structure"])], few, made_up.TRUE)
    assert set(found.index.get_level_values("links")) == {FEWER, AS_MANY}


@pytest.mark.parametrize("draw", [0, 1])
def test_the_farthest_of_all_structures_and_sizes(draw):
    found = worst(of_draw(draw))
    signs = set()
    assert list(found.index) == [m for m in METHODS if m in set(ERRORS["method"])]
    for m, own in found.iterrows():
        rows = made_up.rows(of_draw(draw), method=m)
        row = min(rows, key=lambda r: (-abs(r["error_nats"]), r["n"], r["structure"]))
        for name in ("n", "structure", "error_nats", "standard_error"):
            assert own[name] == row[name]
        signs.add(own["error_nats"] > 0)
    assert signs == {True, False}
