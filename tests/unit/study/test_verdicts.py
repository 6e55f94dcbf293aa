"""What each score says of the truth on one draw, by plain loops over made-up tables."""

from math import exp, fsum, hypot, log, nan, sqrt

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import CLASSES, STRUCTURES, TRUE, assert_rows, of_draw

from latentdag.scores import SPECS
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.schema.columns import TABLES

TABLE = made_up.structures_table()
SIZES = sorted(made_up.SIZES)
LIKELIHOOD = {n: -1.3 * n - n**0.5 for n in SIZES}
TRUTH = pd.DataFrame({"n": LIKELIHOOD.keys(), "log_likelihood": LIKELIHOOD.values()})
NO_REFERENCE = {("0-0-0", 80), ("12-12-12", 480), ("0-1-1", 480), ("1-1-2", 10240)}

INEXACT = [
    *((480, TRUE, 0.4, 5), (480, "1-1-2", 0.4, 4), (480, "1-1-0", 0.4, 5)),
    *((80, "1-1-2", 0.51, 30), (80, "0-1-1", 0.49, 8), (80, "12-12-12", 0.2, 7)),
    *((1120, TRUE, 0.6, 9), (1120, "1-1-2", 0.3, 8)),
]


def table(draw: int) -> pd.DataFrame:
    """Scores of one draw; of the reference, some are missing and one has no error."""
    own = of_draw(made_up.scores(), draw).copy()
    reference = own["method"] == "reference"
    for structure, n in NO_REFERENCE:
        at = reference & (own["n"] == n) & (own["structure"] == structure)
        own.loc[at, ["score", "standard_error"]] = nan
    own.loc[reference & (own["n"] == 80) & (own["structure"] == "1-1-0"), "standard_error"] = nan
    # evidence that is not exact enough, or from fewer runs than that of the true structure
    for n, structure, error, runs in INEXACT:
        at = reference & (own["n"] == n) & (own["structure"] == structure)
        own.loc[at, ["standard_error", "restarts"]] = error, runs
    # no VB at all at one size, and a method without a score at another
    own = own[(own["method"] != "vb") | (own["n"] != 1120)]
    own.loc[(own["method"] == "cs") & (own["n"] == 10240), "score"] = nan
    return own


def plain(own: pd.DataFrame, n: int, method: str, by: str) -> dict:
    """A row of the table of verdicts from its definition."""

    def values(method: str, n: int, column: str = "score") -> dict:
        found = {r["structure"]: r[column] for r in made_up.rows(own, n=n, method=method)}
        return {s: found[s] for s in STRUCTURES if found.get(s) is not None}

    def evidence(n: int) -> tuple[dict, dict]:
        score, error = values("reference", n), values("reference", n, "standard_error")
        error = {s: error.get(s, 0.0) for s in score}
        if by == "structure":
            return score, error
        joined, errors = {}, {}
        for c in dict.fromkeys(CLASSES.values()):
            members = [s for s in score if CLASSES[s] == c]
            if members:
                highest = max(score[s] for s in members)
                weights = {s: exp(score[s] - highest) for s in members}
                total = sum(weights.values())
                joined[c] = highest + log(total / len(members))
                errors[c] = sqrt(sum((weights[s] / total * error[s]) ** 2 for s in members))
        return joined, errors

    mine, true = values(method, n), TRUE
    if by == "class":
        true = CLASSES[true]
        weights = {}
        for s, value in mine.items():
            weights.setdefault(CLASSES[s], []).append(exp(value + n))
        order = dict.fromkeys(CLASSES.values())
        mine = {c: log(fsum(weights[c])) - n for c in order if c in weights}
    row = dict.fromkeys(TABLES["verdicts"].columns, nan)
    row |= {"n": n, "by": by, "method": method, "truth": true, "top": ""}
    if not mine:
        return row
    top = max(mine, key=mine.get)  # the first of equals
    row["top"] = top
    if true in mine:
        row["rank"] = 1 + sum(v > mine[true] for v in mine.values())
    p = {}
    if SPECS[method].posterior:
        total = sum(exp(v + n) for v in mine.values())
        p = {s: exp(v + n) / total for s, v in mine.items()}

        def brier(truth):
            others = sum(q**2 for s, q in p.items() if s != truth)
            return others + (p.get(truth, 0.0) - 1) ** 2

        row["probability"], row["top_probability"] = p.get(true, 0.0), p[top]
        row["log_probability"] = log(p[true]) if true in p else nan
        row["brier"] = brier(true)
        for name, of in (("log_probability", lambda s: log(p[s])), ("brier", brier)):
            mean = sum(q * of(s) for s, q in p.items())
            row[f"expected_{name}"] = mean
            row[f"variance_{name}"] = sum(q * (of(s) - mean) ** 2 for s, q in p.items())
    reference, error = evidence(n)
    best = max(reference, key=reference.get)
    if top in reference:
        row["regret"] = reference[best] - reference[top]
        if best != top:
            row["regret_error"] = hypot(error[best], error[top])
    if by == "structure" and SPECS[method].judged and method != "reference":
        runs = values("reference", n, "restarts")
        errors = [
            v - reference[s]
            for s, v in mine.items()
            if s in reference
            and (error[s] == 0 or (error[s] <= 0.5 and runs[s] >= min(8, runs[true])))
        ]
        row["mean_error"] = sum(errors) / len(errors)
        row["mean_absolute_error"] = sum(map(abs, errors)) / len(errors)
    if n < SIZES[-1]:
        after = SIZES[SIZES.index(n) + 1]
        later, later_error = evidence(after)
        growth = {s: later[s] - reference[s] for s in reference if s in later}
        possible = LIKELIHOOD[after] - LIKELIHOOD[n]
        if top in growth:
            row["lost_by_top"] = (possible - growth[top]) / (after - n)
            row["lost_error"] = hypot(error[top], later_error[top]) / (after - n)
        if p and set(p) <= set(growth):
            near = after - n  # scores are near -n
            average = log(sum(q * exp(growth[s] + near) for s, q in p.items())) - near
            row["lost_by_average"] = (possible - average) / (after - n)
    return row


@pytest.mark.parametrize("draw", [0, 1])
def test_every_column(draw):
    """The ends of ranks are those of the table of ranks, by the same seed."""
    own = table(draw)
    found = verdicts(own, TABLE, TRUE, TRUTH.sample(frac=1, random_state=draw), 3)
    ends = {(r["n"], r["method"]): r for r in made_up.rows(ranks(own, TRUE, 3, TABLE))}
    expected = {}
    for n in SIZES:
        ran = made_up.registered(r["method"] for r in made_up.rows(own, n=n))
        for by, of in (("class", "class_"), ("structure", "")):
            for m in (m for m in ran if by == "structure" or SPECS[m].posterior):
                row = plain(own, n, m, by) | {"draw": draw}
                row |= {end: ends[n, m][of + end] for end in ("rank_low", "rank_high")}
                expected[n, by, m] = row
    assert list(found) == list(TABLES["verdicts"].columns)
    assert_rows(found.set_index(["n", "by", "method"], drop=False), expected)
    assert (found["rank_low"] < found["rank_high"]).any()
    assert (found.notna().sum() > 3).all() and (found["top"] == "").any()
    assert (found["rank"].isna().any() and (found["probability"] == 0).any()) == (draw == 0)


def far_apart(gaps: dict[str, float]) -> pd.DataFrame:
    """Scores by VB and the reference at one size, so many nats below the best."""
    rows = [
        {"draw": 3, "n": 10, "structure": s, "method": m, "score": -5e4 - gap}
        for s, gap in gaps.items()
        for m in ("vb", "reference")
    ]
    return pd.DataFrame(rows).assign(standard_error=nan, n_parameters=9, restarts=8)


def test_logarithms_where_probabilities_underflow():
    gaps = {TRUE: 2000.0, "1-1-0": 0.0, "0-0-0": 0.0, "12-12-12": 3000.0}
    found = verdicts(far_apart(gaps), TABLE, TRUE, TRUTH)
    by_structure = found[found["by"] == "structure"].iloc[0]
    assert by_structure["probability"] == 0.0
    assert by_structure["log_probability"] == pytest.approx(-2000 - log(2), abs=1e-9)
    assert by_structure["expected_log_probability"] == pytest.approx(-log(2))
    assert by_structure["variance_log_probability"] == pytest.approx(0, abs=1e-12)
    assert by_structure["brier"] == pytest.approx(1.5)
    of_class = found[found["by"] == "class"].iloc[0]
    assert of_class["log_probability"] == pytest.approx(-2000 - log(2), abs=1e-9)
    assert of_class["brier"] == pytest.approx(2)
    assert of_class["regret"] == 0.0


def test_what_is_expected_is_the_mean_over_truths_from_the_posterior():
    rng = np.random.default_rng(3)
    for _ in range(5):
        gaps = dict(zip(STRUCTURES, rng.exponential(2, size=6), strict=True))
        scores = far_apart(gaps)
        found = {s: verdicts(scores, TABLE, s, TRUTH).iloc[-1] for s in gaps}
        some = next(iter(found.values()))
        p = np.array([found[s]["probability"] for s in gaps])
        assert p.sum() == pytest.approx(1)
        for name in ("log_probability", "brier"):
            values = np.array([found[s][name] for s in gaps])
            assert some[f"expected_{name}"] == pytest.approx(p @ values)
            variance = p @ (values - p @ values) ** 2
            assert some[f"variance_{name}"] == pytest.approx(variance)


def test_the_average_by_the_evidence_predicts_as_the_mean_evidence_grows():
    """p(next cases given y) = sum of p(y to n' given m) / sum of p(y to n given m)."""
    own = made_up.scores(missing=())
    own = own[own["draw"] == 0]
    before = verdicts(own, TABLE, TRUE, TRUTH)
    mine = before[before["method"] == "reference"].pivot(
        index="n", columns="by", values="lost_by_average"
    )
    wide = own[own["method"] == "reference"].pivot(index="n", columns="structure", values="score")
    mean = np.logaddexp.reduce(wide.sort_index().to_numpy(), axis=1)
    growth = np.diff(mean) - np.diff(list(LIKELIHOOD.values()))
    for by in ("structure", "class"):
        assert -mine[by].to_numpy()[:-1] == pytest.approx(growth / np.diff(SIZES))


@pytest.mark.parametrize("first", STRUCTURES)
def test_of_equal_structures_the_first_is_picked_and_of_classes_the_largest(first):
    order = pd.concat([TABLE[TABLE["structure"] == first], TABLE]).drop_duplicates()
    found = verdicts(far_apart(dict.fromkeys(STRUCTURES, 0.0)), order, first, TRUTH)
    picks = found.groupby("by")["top"].agg(set)
    assert picks.to_dict() == {"structure": {first}, "class": {"0-0-0"}}
    assert set(found.loc[found["by"] == "structure", "rank"]) == {1}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: pd.concat([t, t.assign(draw=4)]), "one draw at a time: the scores have 2"),
        (lambda t: t.replace("1-1-0", "1-1-1"), "the table of structures lacks 1-1-1"),
        (
            lambda t: t[(t["structure"] != TRUE) | (t["method"] != "vb")],
            f"vb at n = 10 has no row for the structure {TRUE}",
        ),
    ],
)
def test_scores_that_are_not_of_one_draw_and_family_are_refused(change, words):
    scores = far_apart({TRUE: 0.0, "1-1-0": 1.0})
    with pytest.raises(ValueError, match=words):
        verdicts(change(scores), TABLE, TRUE, TRUTH)
