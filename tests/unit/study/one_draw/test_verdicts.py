"""What each score says of the truth on one draw: by definition, from the tables of ranks,
posteriors, classes and errors, which have tests of their own.
"""

from math import exp, hypot, log, nan, sqrt

import made_up
import pandas as pd
import pytest
from made_up import CLASSES, IN_ORDER, TRUE, assert_rows, assert_table, by_structure, of_draw

from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.schema.columns import TABLES

TABLE = made_up.structures_table().set_index("structure").loc[IN_ORDER].reset_index()
SIZES = sorted(made_up.SIZES)
LIKELIHOOD = {n: -1.3 * n - n**0.5 for n in SIZES}
TRUTH = pd.DataFrame({"n": LIKELIHOOD.keys(), "log_likelihood": LIKELIHOOD.values()})
NO_REFERENCE = {("0-0-0", 80), ("12-12-12", 480), ("0-1-1", 480), ("1-1-2", 10240)}
RUNS_AND_ERRORS = [  # of the reference: not exact enough, of too few runs, without an error
    *((480, TRUE, 0.4, 5), (480, "1-1-2", 0.4, 4), (480, "1-1-0", 0.4, 5)),
    *((80, "1-1-2", 0.51, 30), (80, "0-1-1", 0.49, 8), (80, "12-12-12", 0.2, 7)),
    *((1120, TRUE, 0.6, 9), (1120, "1-1-2", 0.3, 8), (80, "1-1-0", nan, 7)),
]
EXACT = {480: {TRUE, "1-1-0"}, 80: {"0-1-1"}, 1120: {"1-1-2"}}  # of these


def table(draw):
    """Scores of one draw; the reference lacks some, VB a size, and CS has no score at another."""
    scores = of_draw(made_up.scores(), draw).copy()
    n, structure, method = (scores[name] for name in ("n", "structure", "method"))
    for size, s, error, runs in RUNS_AND_ERRORS:
        at = (method == "reference") & (n == size) & (structure == s)
        scores.loc[at, ["standard_error", "restarts"]] = error, runs
    for s, size in NO_REFERENCE:
        at = (method == "reference") & (n == size) & (structure == s)
        scores.loc[at, ["score", "standard_error"]] = nan
    scores.loc[(method == "cs") & (n == 10240), "score"] = nan
    return scores[(method != "vb") | (n != 1120)]


def evidence_of(scores, n, by):
    """ln evidence by structure, or by class of the mean over its members, and standard errors."""
    score = by_structure(scores, n=n, method="reference")
    error = by_structure(scores, "standard_error", n=n, method="reference")
    error = {s: error.get(s, nan) for s in score}
    if by == "structure":
        return score, error
    joined, errors = {}, {}
    for c in dict.fromkeys(CLASSES[s] for s in score):
        members = [s for s in score if CLASSES[s] == c]
        weights = {s: exp(score[s] + n) for s in members}
        total = sum(weights.values())
        joined[c] = log(total / len(members)) - n
        errors[c] = sqrt(sum((weights[s] / total * error[s]) ** 2 for s in members))
    return joined, errors


def of_posterior(p, true, top):
    """What a posterior says of the truth, and expects of itself."""

    def brier(truth):
        return sum((q - (item == truth)) ** 2 for item, q in p.items()) + (truth not in p)

    row = {"probability": p.get(true, 0.0), "top_probability": p[top], "brier": brier(true)}
    row["log_probability"] = log(p[true]) if true in p else nan
    for name, of in (("log_probability", lambda item: log(p[item])), ("brier", brier)):
        mean = sum(q * of(item) for item, q in p.items())
        row[f"expected_{name}"] = mean
        row[f"variance_{name}"] = sum(q * (of(item) - mean) ** 2 for item, q in p.items())
    return row


def of_evidence(scores, n, by, top, p):
    """What is lost by the pick, in evidence now and per case on the next cases."""
    evidence, error = evidence_of(scores, n, by)
    best, row = max(evidence, key=evidence.get), {}
    if top in evidence:
        row["regret"] = evidence[best] - evidence[top]
        row["regret_error"] = nan if top == best else hypot(error[best], error[top])
    if n == SIZES[-1]:
        return row
    after = SIZES[SIZES.index(n) + 1]
    cases, possible = after - n, LIKELIHOOD[after] - LIKELIHOOD[n]
    later, later_error = evidence_of(scores, after, by)
    growth = {item: later[item] - evidence[item] for item in evidence if item in later}
    if top in growth:
        row["lost_by_top"] = (possible - growth[top]) / cases
        row["lost_error"] = hypot(error[top], later_error[top]) / cases
    if p and set(p) <= set(growth):
        average = log(sum(q * exp(growth[item] + cases) for item, q in p.items())) - cases
        row["lost_by_average"] = (possible - average) / cases
    return row


@pytest.mark.parametrize("draw", [0, 1])
def test_every_column(draw):
    scores = table(draw)
    placed = {(r["n"], r["method"]): r for r in made_up.rows(ranks(scores, TRUE, 13, TABLE))}
    exact = [
        s in EXACT.get(n, ()) if (n, s) in {r[:2] for r in RUNS_AND_ERRORS} else True
        for n, s in zip(scores["n"], scores["structure"], strict=True)
    ]
    gaps = errors(scores[exact]).set_index(["n", "method"])["error_nats"].sort_index()
    beliefs = {
        "structure": posterior(scores),
        "class": classes(scores, TABLE).assign(structure=lambda t: t["class"]),
    }
    expected = {}
    for n in SIZES:
        ran = made_up.registered(m for k, m in placed if k == n)
        for by, m in ((by, m) for by in ("class", "structure") for m in ran):
            if by == "class" and not SPECS[m].posterior:
                continue
            of, truth = ("", TRUE) if by == "structure" else ("class_", CLASSES[TRUE])
            place = placed[n, m]
            row = dict.fromkeys(TABLES["verdicts"].columns, nan)
            row |= {"draw": draw, "n": n, "by": by, "method": m, "truth": truth}
            row |= {end: place[of + end] for end in ("rank", "rank_low", "rank_high")}
            row["top"] = top = place[f"best_{by}"]
            at = made_up.rows(beliefs[by], n=n, method=m)
            p = {r["structure"]: r["probability"] for r in at if r["probability"] is not None}
            row |= of_posterior(p, truth, top) if p else {}
            row |= of_evidence(scores, n, by, top, p) if top else {}
            if by == "structure" and (n, m) in gaps.index:
                row["mean_error"] = gaps.loc[[(n, m)]].mean()
                row["mean_absolute_error"] = gaps.loc[[(n, m)]].abs().mean()
            expected[n, by, m] = row
    judged = verdicts(scores, TABLE, TRUE, TRUTH.sample(frac=1, random_state=draw), 13)
    assert_table("verdicts", judged, ["n", "by", "method"], expected)
    assert (judged.notna().sum() > 3).all() and (judged["top"] == "").any()
    assert (judged["rank"].isna().any() and (judged["probability"] == 0).any()) == (draw == 0)


def far_apart(gaps):
    """Scores by VB and the reference at one size, so many nats below the best."""
    rows = [
        (3, 10, s, m, -5e4 - gap, nan, 9, 8) for s, gap in gaps.items() for m in ("vb", "reference")
    ]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    return pd.DataFrame(rows, columns=[*columns, "restarts"])


def test_logarithms_where_probabilities_underflow():
    gaps = {TRUE: 2000.0, "1-1-0": 0.0, "0-0-0": 0.0, "12-12-12": 3000.0}
    judged = verdicts(far_apart(gaps), TABLE, TRUE, TRUTH).set_index(["by", "method"])
    row = {"probability": 0.0, "log_probability": -2000 - log(2), "brier": 1.5}
    row |= {"expected_log_probability": -log(2), "variance_log_probability": 0.0}
    of_class = {"log_probability": -2000 - log(2), "brier": 2.0, "regret": 0.0}
    expected = {("structure", "vb"): row, ("class", "vb"): of_class}
    assert_rows(judged.loc[list(expected)], expected)


@pytest.mark.parametrize("first", IN_ORDER)
def test_of_equal_structures_the_first_is_picked_and_of_classes_the_largest(first):
    order = pd.concat([TABLE[TABLE["structure"] == first], TABLE]).drop_duplicates()
    judged = verdicts(far_apart(dict.fromkeys(IN_ORDER, 0.0)), order, first, TRUTH)
    picks = judged.groupby("by")["top"].agg(set)
    assert picks.to_dict() == {"structure": {first}, "class": {"0-0-0"}}


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
    with pytest.raises(ValueError, match=words):
        verdicts(change(far_apart({TRUE: 0.0, "1-1-0": 1.0})), TABLE, TRUE, TRUTH)
