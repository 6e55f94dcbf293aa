"""Reliability of statements about structures, by plain loops over made-up scores."""

from math import exp

import made_up
import pytest
from made_up import CLASSES, STRUCTURES, TRUE, assert_rows, by_structure, of_draw

from latentdag.scores import SPECS
from latentdag.study.one_draw.reliability_counts import reliability_counts
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
CERTAIN = (SCORES["method"] == "vb") & (SCORES["n"] == 80) & (SCORES["structure"] == TRUE)
SCORES["score"] += 900.0 * CERTAIN
KEYS = ["n", "method", "what", "bin"]
# pairs of observed variables (1, 2), (1, 3), (2, 3) with a common parent, by eye
SHARING = {
    "1-1-0": (1, 0, 0),
    "0-0-0": (0, 0, 0),
    "1-12-2": (1, 0, 1),
    "1-1-2": (1, 0, 0),
    "12-12-12": (1, 1, 1),
    "0-1-1": (0, 0, 1),
}


def statements(draw, n, method):
    """What each statement is about, its probability, and whether it is true."""
    scores = by_structure(SCORES, draw=draw, n=n, method=method)
    highest = max(scores.values(), default=0.0)
    total = sum(exp(v - highest) for v in scores.values())
    p = {s: exp(scores[s] - highest) / total if s in scores else 0.0 for s in STRUCTURES}
    for s in STRUCTURES:
        yield "structure", p[s], s == TRUE
    for c in set(CLASSES.values()):
        yield "class", sum(p[s] for s in p if CLASSES[s] == c), c == CLASSES[TRUE]
    for i in range(3):
        yield "shared cause", sum(p[s] for s in p if SHARING[s][i]), bool(SHARING[TRUE][i])


def binned(draw):
    """Number of statements, sum of their probabilities and number that are true, in order."""
    found = {}
    for n in sorted(made_up.SIZES):
        for m in made_up.registered(made_up.METHODS):
            ran = SPECS[m].posterior and (m != "exact" or n in made_up.EXACT_SIZES)
            counts = {}
            for what, p, true in statements(draw, n, m) if ran else ():
                key = n, m, what, min(int(p * 10 + 1e-12), 9)  # tenths; 1 is in the last
                number, total, count = counts.get(key, (0, 0.0, 0))
                counts[key] = number + 1, total + p, count + true
            found |= dict(sorted(counts.items()))
    return found


@pytest.mark.parametrize("draw", [0, 1])
def test_the_counts_of_one_draw(draw):
    found = reliability_counts(of_draw(SCORES, draw), made_up.structures_table(), TRUE)
    names = ("number", "sum_probability", "number_true")
    expected = {key: dict(zip(names, own, strict=True)) for key, own in binned(draw).items()}
    assert list(found) == list(TABLES["reliability_counts"].columns)
    assert set(found["draw"]) == {draw}
    assert_rows(found.set_index(KEYS), expected)
