"""Sizes from which scores find the truth for good, over draws, by plain loops."""

from math import inf, nan

import pandas as pd
import pytest

from latentdag.study.many_draws.sizes_found import QUANTILES, found_quantiles
from latentdag.study.paper.claims_held import at_the_papers_sizes

FOUND = {
    "vb": [480, nan, 80, 2560, 80, 640, 10240, nan, 20, 1120, 320],
    "bic": [nan] * 11,
    "reference": [40, 10, 20],
}


def table():
    rows = [(d, m, n) for m, sizes in FOUND.items() for d, n in enumerate(sizes)]
    frame = pd.DataFrame(rows, columns=["draw", "method", "n_found"]).assign(by="class")
    return frame.sample(frac=1, random_state=2)


def test_quantiles_count_what_is_never_found_as_beyond_all():
    found = found_quantiles(table())
    assert list(found.index) == ["bic", "vb", "reference"]
    for m, sizes in FOUND.items():
        own = sorted(inf if n != n else n for n in sizes)
        assert found.loc[m, "draws"] == len(own)
        assert found.loc[m, "never"] == own.count(inf)
        for q in QUANTILES:
            # the least size that at least this share of the draws does not exceed
            least = next(n for n in own if sum(o <= n for o in own) >= q * len(own) - 1e-9)
            assert found.loc[m, q] == least
    assert found.loc["vb", 0.5] == 640 and found.loc["bic", 0.1] == inf


def shares(sizes):
    rows = [
        (n, m, 40, (n + k) / 40000, 0.5 * n / 40000, 0.9)
        for n in sizes
        for k, m in enumerate(("vb", "bic", "cs"))
    ]
    columns = ["n", "method", "draws", "share", "low", "high"]
    return pd.DataFrame(rows, columns=columns).assign(by="structure").sample(frac=1, random_state=1)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((2560, 480, 20, 1120), {"vb": 480, "bic": 1120}),
        ((2560, 400, 20, 560, 1000), {"vb": 400, "bic": 1000}),  # the largest below
        ((20, 640), {"vb": 20}),  # nothing as large as the paper's 1120
        ((640, 2560), {"bic": 640}),
    ],
)
def test_the_papers_sizes(sizes, expected):
    found = at_the_papers_sizes(shares(sizes))
    assert set(found.index) == set(expected)
    for m, n in expected.items():
        share = (n + ("vb", "bic").index(m)) / 40000
        row = found.loc[m]
        assert row["n"] == {"vb": 480, "bic": 1120}[m]
        assert (row["share"], row["low"], row["high"]) == (share, 0.5 * n / 40000, 0.9)
        assert row["draws"] == 40 and row["number"] == round(40 * share)


def test_no_such_scores():
    own = shares((20, 480))
    assert at_the_papers_sizes(own[own["method"] == "cs"]).empty
