"""The companion's corpora and tables, against plain loops on made-up numbers."""

from itertools import product
from math import nan
from statistics import fmean, stdev

import numpy as np
import pandas as pd
import pytest
from topics import study

METHODS = ("evidence", "vb", "vb_collapsed")
CONFIG = {
    "seed": 5, "documents": [2, 6], "true_topics": {"bars": 10, "prior": 3}, "n_words": 12,
    "length": 30, "alpha": 0.4, "beta": 0.6,
}  # fmt: skip


def test_draws_are_nested_and_apart():
    few, many = (study.draw("prior", 1, CONFIG | {"documents": [n]}) for n in (5, 400))
    # of 400 documents together no word is missing; of 5 one may be
    kept = np.isin(many[0][0], few[0][0])
    np.testing.assert_array_equal(many[0][:, kept], few[0])
    dense = np.zeros((5, 12))
    first = many[1].first(5)
    dense[first.document, first.word] = first.count
    dense_few = np.zeros((5, kept.sum()))
    dense_few[few[1].document, few[1].word] = few[1].count
    np.testing.assert_array_equal(dense[:, kept], dense_few)
    assert many[0].shape == (3, 12)
    assert study.draw("prior", 2, CONFIG)[0][0, 0] != many[0][0, 0]
    assert study.draw("bars", 0, CONFIG)[0].shape[0] == 10


def test_news(tmp_path):
    """Words of four letters and more, in ten articles at least and a fifth at most."""
    lines = ["Rain, rain; storm's the end"] * 10 + ["other storm a1bc"] * 5
    lines += ["storm cricket"] * 5 + ["cricket"] * 80
    path = tmp_path / "news.cor"
    path.write_text("\n".join(lines), encoding="utf-8")
    corpus, words = study.read_news(path)
    assert words == ["rain", "storm"]  # `other` is in 5 articles, `cricket` in 85 of 100
    assert (corpus.n_documents, corpus.n_words) == (20, 2)  # the others are empty
    np.testing.assert_array_equal(corpus.count[:4], [2, 1, 2, 1])
    np.testing.assert_array_equal(corpus.word[-5:], 1)


def made_up() -> pd.DataFrame:
    """Three draws, sizes and numbers of topics unsorted."""
    rng = np.random.default_rng(0)
    rows = [
        ("bars", *of, method, rng.normal(), 0.5 if method == "evidence" else nan, None)
        for *of, method in product((1, 0, 2), (8, 4, 16), (3, 1, 2), METHODS)
    ]
    columns = study.SCHEMA["tables"]["scores"]["fields"]
    return pd.DataFrame(rows, columns=columns)


def test_chosen_and_errors():
    scores = made_up()
    chosen = study.chosen(scores, {"bars": 2})
    assert len(chosen) == 27
    assert list(chosen["method"][:3]) == ["vb", "vb_collapsed", "evidence"]
    by_topics = scores.set_index(["draw", "documents", "method", "topics"])["score"].sort_index()
    for row in chosen.itertuples():
        best = by_topics.loc[row.draw, row.documents, row.method].idxmax()
        assert (row.chosen, row.true_topics) == (best, 2)
    errors = study.errors(scores)
    assert len(errors) == 18
    for row in errors.itertuples():
        exact, bound = (
            by_topics.loc[:, row.documents, m, row.topics] for m in ("evidence", row.method)
        )
        gaps = [bound[draw] - exact[draw] for draw in range(3)]
        half = 4.3026527 * stdev(gaps) / 3**0.5
        ends = (row.low, row.error, row.high)
        assert ends == pytest.approx((fmean(gaps) - half, fmean(gaps), fmean(gaps) + half))
        assert row.draws == 3
    scores["score"] = 1.0
    assert set(study.chosen(scores, {"bars": 2})["chosen"]) == {1}  # of equals the fewest topics


def test_bounds_above_the_evidence_are_counted():
    scores = made_up()
    scores.loc[scores["method"] == "evidence", "score"] = -10.0
    scores.loc[scores["method"] == "vb", "score"] = -8.6  # 3 standard errors are 1.5
    assert study.bounds_above_evidence(scores, "vb") == 0
    scores.loc[scores.index[scores["method"] == "vb"][:2], "score"] = -8.4
    assert study.bounds_above_evidence(scores, "vb") == 2
