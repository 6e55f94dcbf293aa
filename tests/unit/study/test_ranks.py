"""Ranks of the true structure and of its class, by counting, and sizes from which it is first; and
what each score says of the truth on one draw: by definition, from the tables of ranks, posteriors,
classes and errors, which have tests of their own.
"""

from collections import Counter
from math import exp, hypot, inf, isnan, log, nan, sqrt

import made_up
import pandas as pd
import pytest
from made_up import CLASSES, IN_ORDER, TRUE, assert_rows, assert_table, by_structure, of_draw

from latentdag.engine.streams import generator
from latentdag.scores import SPECS
from latentdag.study.one_draw import sizes
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import rank_by_size, ranks
from latentdag.study.one_draw.verdicts import verdicts
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores_with_gaps()
STRUCTURES = made_up.structures_table()
RANKS = ranks(SCORES, TRUE, 2003, STRUCTURES)
NOISY = ("ais", "reference")


def log_sums(scores):
    """By class ln of the sum of exp(score) over its members."""
    sums = {}
    for c in ("0-0-0", "1-1-2", "12-12-12"):
        values = [v for s, v in scores.items() if CLASSES[s] == c]
        if values:
            sums[c] = max(values) + log(sum(exp(v - max(values)) for v in values))
    return sums


def place(scores, item):
    """1 + the number of scores that are higher but for rounding; None where it has none."""
    higher = sum(v > scores[item] + 1e-9 for v in scores.values()) if item in scores else 0
    return 1 + higher if item in scores else None


def redrawn(key, scores, errors):
    """The scores of the structures, redrawn from the stream of this draw, size and method."""
    for z in generator(2003, "rank", *key).standard_normal((2000, 6)).tolist():
        noise = dict(zip(IN_ORDER, z, strict=True))
        yield {s: v + errors[s] * noise[s] for s, v in scores.items()}


def test_the_table_of_ranks():
    """The ends are the 100th and the 1900th of 2000 ranks redrawn, and hold the rank itself."""
    expected, ties, deep = {}, 0, 0
    for key in made_up.ran():
        at = dict(zip(("draw", "n", "method"), key, strict=True))
        scores, errors = (by_structure(SCORES, c, **at) for c in ("score", "standard_error"))
        masses = log_sums(scores) if SPECS[key[2]].posterior else {}
        row = {
            "score_true": scores.get(TRUE),
            "best_structure": max(scores, key=scores.get, default=""),
        }
        row["score_best"] = max(scores.values(), default=None)
        rounded = {c: round(v, 9) for c, v in masses.items()}
        row["best_class"] = max(rounded, key=rounded.get, default="")
        row["class_probability"] = None
        if "1-1-2" in masses:
            gaps = [v - masses["1-1-2"] for v in masses.values()]
            deep += max(gaps) > 800
            row["class_probability"] = 1 / sum(map(exp, gaps)) if max(gaps) < 700 else 0.0
        of_draws = [*redrawn(key, scores, errors)] if key[2] in NOISY else []
        for name, own, item, sums in (
            ("rank", scores, TRUE, dict),
            ("class_rank", masses, "1-1-2", log_sums),
        ):
            row[name] = row[f"{name}_low"] = row[f"{name}_high"] = place(own, item)
            if row[name] and of_draws:
                places = sorted(place(sums(scores), item) for scores in of_draws)
                row[f"{name}_low"] = min(row[name], places[100])
                row[f"{name}_high"] = max(row[name], places[1899])
        expected[key] = row
        ties += Counter(scores.values())[scores.get(TRUE)] > 1
    assert_rows(RANKS.set_index(["draw", "n", "method"]), expected)
    noisy = RANKS[RANKS["method"].isin(NOISY)]
    assert ties > 5 and deep == 1
    assert (noisy["rank_low"] < noisy["rank_high"]).sum() > 10
    assert (noisy["class_rank_low"] < noisy["class_rank_high"]).sum() > 5


@pytest.mark.parametrize(("gap", "end", "held"), [(0.1, "rank_low", 1), (-0.1, "rank_high", 41)])
def test_the_ends_hold_the_rank_that_hardly_any_redrawn_score_has(gap, end, held):
    """Of 41 structures that differ by less than their errors, each is first, and last, in 1 of 41
    redrawn rankings, which is less than 5 %.
    """
    names = [f"s{k}" for k in range(41)]
    about = {"draw": 0, "n": 80, "method": "ais", "n_parameters": 9, "standard_error": 5.0}
    values = [gap, *[0.0] * 40]
    scores = pd.DataFrame({"structure": names, "score": values}).assign(**about)
    structures = pd.DataFrame({"structure": names, "class": names})
    row = ranks(scores, "s0", 7, structures).iloc[0]
    assert row["rank"] == row[end] == held
    assert row["rank_high"] - row["rank_low"] > 30


def test_a_sampled_rank_without_an_error_has_no_ends():
    """Where one structure lacks an error, at one size; the others and scores without sampling keep
    their ends. Where the truth has no score it is unranked, and not without ends."""
    lacking = (SCORES["method"] == "ais") & (SCORES["n"] == 480) & (SCORES["structure"] != TRUE)
    bare = SCORES.assign(standard_error=SCORES["standard_error"].mask(lacking))
    found, ends = ranks(bare, TRUE, 2003, STRUCTURES), ["rank_low", "rank_high"]
    ends += [f"class_{end}" for end in ends]
    at = (found["method"] == "ais") & (found["n"] == 480)
    assert found.loc[at, ["rank", "class_rank"]].notna().all(axis=None) and at.sum() == 2
    assert found.loc[at, ends].isna().all(axis=None)
    pd.testing.assert_frame_equal(found[~at], RANKS[~at])
    pd.testing.assert_frame_equal(found.drop(columns=ends), RANKS.drop(columns=ends))

    rows = [(10, "ais", 1.0, nan, nan), (10, "vb", 5.0, 5.0, 5.0), (10, "bic", 3.0, 3.0, 3.0)]
    rows += [(80, m, nan, nan, nan) for m in ("ais", "vb", "bic")]
    table = pd.DataFrame(rows, columns=["n", "method", "rank", "rank_low", "rank_high"])
    assert isnan(rank_by_size(table, "rank_low").loc[10, "ais"])
    assert rank_by_size(table, "rank_high").loc[80, "ais"] == inf


def test_a_method_that_ran_on_some_structures_ranks_the_true_one_among_these():
    """As if the others were not in the table; beside a method that ran on all."""
    some = ["0-1-1", TRUE, "12-12-12"]
    few = SCORES[(SCORES["method"] == "ais") & SCORES["structure"].isin(some)]
    alone = ranks(few, TRUE, 2003, STRUCTURES[STRUCTURES["structure"].isin(some)])
    every = pd.concat([SCORES[SCORES["method"] == "reference"], few])
    found = ranks(every, TRUE, 2003, STRUCTURES)
    found = found[found["method"] == "ais"].reset_index(drop=True)
    assert set(alone["rank"].dropna()) > {1}
    pd.testing.assert_frame_equal(found, alone)


@pytest.mark.parametrize(
    ("tried", "shown"),
    [
        ((10240, 5120, 2560, 1280, 1120, 480, 430, 80, 40, 10), [10, 80, 480, 1280, 10240]),
        (made_up.SIZES, [10, 80, 480, 1120, 10240]),
        # by ratio: of 30 and 160, the second is nearer to 80; all are near to 480 but the last
        ((30, 160, 600, 90000), [30, 160, 600, 90000]),
        ((3000, 4000, 5000), [3000, 5000]),
        ((7,), [7]),
        ((), []),
    ],
)
def test_some_sizes(tried, shown):
    assert sizes.some_sizes(tried) == shown


def test_the_first_size_and_that_for_good_whatever_the_order_of_the_rows():
    assert sizes.for_good(pd.Series([True, True, False], index=[480, 1120, 10])) == 480
    assert sizes.for_good(pd.Series([True, False, True], index=[480, 80, 10])) == 480
    assert sizes.first_recovery(pd.Series([1, 5, 1], index=[480, 10, 80])) == 80


# ---- verdicts

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
    own = of_draw(made_up.scores(), draw).copy()
    reference = own["method"] == "reference"
    changes = [(n, s, nan, nan, 9) for s, n in NO_REFERENCE]
    for n, s, score, error, runs in changes + [(n, s, None, *of) for n, s, *of in RUNS_AND_ERRORS]:
        at = reference & (own["n"] == n) & (own["structure"] == s)
        own.loc[at, ["standard_error", "restarts"]] = error, runs
        own.loc[at, "score"] = own.loc[at, "score"] if score is None else score
    own.loc[(own["method"] == "cs") & (own["n"] == 10240), "score"] = nan
    return own[(own["method"] != "vb") | (own["n"] != 1120)]


def evidence_of(own, n, by):
    """ln evidence by structure, or by class of the mean over its members, and standard errors."""
    score = by_structure(own, n=n, method="reference")
    known = by_structure(own, "standard_error", n=n, method="reference")
    error = {s: known.get(s, nan) for s in score}
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


def of_evidence(own, n, by, top, p):
    """What is lost by the pick, in evidence now and per case on the next cases."""
    evidence, error = evidence_of(own, n, by)
    best, row = max(evidence, key=evidence.get), {}
    if top in evidence:
        row["regret"] = evidence[best] - evidence[top]
        row["regret_error"] = nan if top == best else hypot(error[best], error[top])
    if n == SIZES[-1]:
        return row
    after = SIZES[SIZES.index(n) + 1]
    cases, possible = after - n, LIKELIHOOD[after] - LIKELIHOOD[n]
    later, later_error = evidence_of(own, after, by)
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
    own = table(draw)
    placed = {(r["n"], r["method"]): r for r in made_up.rows(ranks(own, TRUE, 13, TABLE))}
    exact = [
        s in EXACT.get(n, ()) if (n, s) in {r[:2] for r in RUNS_AND_ERRORS} else True
        for n, s in zip(own["n"], own["structure"], strict=True)
    ]
    gaps = errors(own[exact]).set_index(["n", "method"])["error_nats"].sort_index()
    beliefs = {
        "structure": posterior(own),
        "class": classes(own, TABLE).assign(structure=lambda t: t["class"]),
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
            row |= of_evidence(own, n, by, top, p) if top else {}
            if by == "structure" and (n, m) in gaps.index:
                row["mean_error"] = gaps.loc[[(n, m)]].mean()
                row["mean_absolute_error"] = gaps.loc[[(n, m)]].abs().mean()
            expected[n, by, m] = row
    found = verdicts(own, TABLE, TRUE, TRUTH.sample(frac=1, random_state=draw), 13)
    assert_table("verdicts", found, ["n", "by", "method"], expected)
    assert (found.notna().sum() > 3).all() and (found["top"] == "").any()
    assert (found["rank"].isna().any() and (found["probability"] == 0).any()) == (draw == 0)


def far_apart(gaps):
    """Scores by VB and the reference at one size, so many nats below the best."""
    rows = [
        (3, 10, s, m, -5e4 - gap, nan, 9, 8) for s, gap in gaps.items() for m in ("vb", "reference")
    ]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    return pd.DataFrame(rows, columns=[*columns, "restarts"])


def test_logarithms_where_probabilities_underflow():
    gaps = {TRUE: 2000.0, "1-1-0": 0.0, "0-0-0": 0.0, "12-12-12": 3000.0}
    found = verdicts(far_apart(gaps), TABLE, TRUE, TRUTH).set_index(["by", "method"])
    row = {"probability": 0.0, "log_probability": -2000 - log(2), "brier": 1.5}
    row |= {"expected_log_probability": -log(2), "variance_log_probability": 0.0}
    of_class = {"log_probability": -2000 - log(2), "brier": 2.0, "regret": 0.0}
    expected = {("structure", "vb"): row, ("class", "vb"): of_class}
    assert_rows(found.loc[list(expected)], expected)


@pytest.mark.parametrize("first", IN_ORDER)
def test_of_equal_structures_the_first_is_picked_and_of_classes_the_largest(first):
    order = pd.concat([TABLE[TABLE["structure"] == first], TABLE]).drop_duplicates()
    found = verdicts(far_apart(dict.fromkeys(IN_ORDER, 0.0)), order, first, TRUTH)
    picks = found.groupby("by")["top"].agg(set)
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
