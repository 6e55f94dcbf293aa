"""One table by command, library and estimator: the probabilities of structures, causes and pairs
are those of a sum in plain loops over all structures; `test_own_data.py` has them of the workflow.
"""

import json
from collections import Counter
from itertools import combinations, count, product
from math import exp, fsum
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import latentdag
from latentdag.command import cli
from latentdag.ranking import beam
from latentdag.ranking.names import structure_of
from latentdag.ranking.prior import PRIORS

pytestmark = pytest.mark.slow

NAMES = list("abcd")
SEVERAL = [(1,), (2,), (3, 2)]


def table() -> pd.DataFrame:
    """Two causes of two variables each, some values missing, with the number of cases of a row."""
    rng = np.random.default_rng(5)
    causes = rng.integers(2, size=(150, 2))[:, [0, 0, 1, 1]]
    cases = np.where(rng.random(causes.shape) < 0.25, 1 - causes, causes)
    frame = pd.DataFrame(np.array(["no", "yes"], dtype=object)[cases], columns=NAMES)
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    return frame.assign(times=rng.integers(1, 4, len(frame)))


FRAME = table()


def key(hidden, parents) -> tuple:
    """A model, whatever its causes are called: the states and the children of each cause."""
    children = [tuple(j for j, p in enumerate(parents) if i in p) for i in range(len(hidden))]
    return tuple(sorted(cause for cause in zip(hidden, children, strict=True) if cause[1]))


def models(families) -> set[tuple]:
    """All models of the families, from all their labelled graphs."""
    every = set()
    for hidden in families:
        causes = range(len(hidden)) if hidden != (1,) else ()
        sets = [s for size in range(len(causes) + 1) for s in combinations(causes, size)]
        every |= {key(hidden, parents) for parents in product(sets, repeat=len(NAMES))}
    return every


GROUPS = {
    "structures": lambda model: model,
    "families": lambda model: tuple(k for k, _ in model),
    "classes": lambda model: tuple(cause for cause in model if len(cause[1]) > 1),
}


def expected(families, prior: str, scores: dict[tuple, float]) -> dict[tuple, float]:
    """p(model given the table) of the models with a score, prior times exp(score), normalised."""
    members = Counter(map(GROUPS[prior], models(families)))
    highest = max(scores.values())
    weights = {
        model: exp(value - highest) / (len(members) * members[GROUPS[prior](model)])
        for model, value in scores.items()
    }
    return {model: weight / fsum(weights.values()) for model, weight in weights.items()}


def model_key(label: str, hidden: str) -> tuple:
    s = structure_of(label, hidden, (2,) * len(NAMES))
    return key(s.family.hidden, s.parents)


def by_command(path, families, prior, search, capsys, *more: str) -> dict[tuple, tuple]:
    """Score, probability and ln prior by model."""
    words = ["rank", str(path), "--count", "times", "--method", "laplace", "--prior", prior]
    words += [f"--hidden={','.join(map(str, hidden))}" for hidden in families]
    words += ["--search", str(search)] if search else []
    assert cli.main([*words, "--top", "0", "--format", "json", *more]) == 0
    rows = json.loads(capsys.readouterr().out)
    return {
        model_key(r["structure"], r["hidden"]): (r["score"], r["probability"], r["log_prior"])
        for r in rows
    }


def assert_close(probabilities: dict, expected: dict) -> None:
    assert probabilities.keys() == expected.keys()
    assert probabilities == pytest.approx(expected, abs=1e-12, rel=0)


@pytest.fixture
def path(tmp_path) -> Path:
    FRAME.to_csv(tmp_path / "mine.csv", index=False)
    return tmp_path / "mine.csv"


def test_the_models_are_all_structures():
    assert len(models([(2, 2)])) == 136 == len(latentdag.enumerate_structures())


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("families", "width"), [([(2, 2)], None), (SEVERAL, None), (SEVERAL, 1)])
def test_probabilities_are_those_of_a_sum_over_all_structures(path, capsys, families, width, prior):
    of_command = by_command(path, families, prior, width, capsys)
    everyone = models(families)
    assert of_command.keys() == everyone if width is None else of_command.keys() < everyone
    p = expected(families, prior, {m: score for m, (score, *_) in of_command.items()})
    assert_close({m: probability for m, (_, probability, _) in of_command.items()}, p)
    members = Counter(map(GROUPS[prior], everyone))
    for model, (_, _, log_prior) in of_command.items():
        group = members[GROUPS[prior](model)]
        assert exp(log_prior) == pytest.approx(1 / (len(members) * group), rel=1e-12)

    read = latentdag.read_table(path, "times")
    of_table = [read.family(hidden if hidden != (1,) else ()) for hidden in families]
    ranking = latentdag.rank_structures(read, of_table, "laplace", prior=prior, search=width)
    of_library = {
        key(s.family.hidden, s.parents): probability
        for s, probability in zip(ranking.structures, ranking.probabilities, strict=True)
    }
    assert_close(of_library, p)
    for s, scored in zip(ranking.structures[:3], ranking.scores, strict=False):
        assert latentdag.score(read, s, "laplace").score == scored.score

    model = latentdag.LatentCauses(
        hidden=families, method="laplace", prior=prior, search=width, draws=0
    )
    with pytest.MonkeyPatch.context() as patch:  # of the fit's warnings none is of interest
        patch.setattr("warnings.warn", lambda *words, **where: None)
        model.fit(FRAME[NAMES], sample_weight=FRAME["times"])
    of_estimator = {
        model_key(r.structure, r.hidden): r.probability for r in model.structures_.itertuples()
    }
    assert_close(of_estimator, p)

    causes, pairs = Counter(), Counter()
    for cause_of, probability in p.items():
        kept = [k for k, children in cause_of if len(children) > 1]
        causes[",".join(map(str, kept)) or "none"] += probability
        for first, second in combinations(range(len(NAMES)), 2):
            shared = any({first, second} <= set(children) for _, children in cause_of)
            pairs[NAMES[first], NAMES[second]] += probability * shared
    assert_close(ranking.causes().set_index("states")["probability"].to_dict(), dict(causes))
    of_pairs = ranking.pairs().set_index(["first", "second"])["probability"].to_dict()
    assert_close(of_pairs, dict(pairs))
    of_causes = model.causes_.set_index("states")["probability"].to_dict()
    assert_close(of_causes, {states: q for states, q in causes.items() if q})
    assert_close(model.links_.set_index(["first", "second"])["probability"].to_dict(), of_pairs)


def test_a_limit_of_time_leaves_the_prior_as_it_is(path, capsys, monkeypatch):
    """Over all structures, of which ten are scored."""
    monkeypatch.setattr(beam, "AT_ONCE", 10)
    monkeypatch.setattr(cli, "time", Mock(monotonic=count().__next__))
    for prior in PRIORS:
        rows = by_command(path, [(2, 2)], prior, None, capsys, "--within", "0.5")
        assert len(rows) == 10
        p = expected([(2, 2)], prior, {m: score for m, (score, *_) in rows.items()})
        assert_close({m: probability for m, (_, probability, _) in rows.items()}, p)


@pytest.mark.parametrize("search", [[], ["--search", "1"]])
def test_a_sampled_score_is_reproduced_by_its_structure(path, capsys, search):
    """With several families too: the stream is named after the model, as the table is."""
    words = [str(path), "--count", "times", "--method", "ais", "--steps", "8", "--format", "json"]
    cli.main(["rank", *words, "--hidden", "2", "--hidden", "3,2", "--top", "0", *search])
    rows = [r for r in json.loads(capsys.readouterr().out) if r["hidden"] in ("3", "2,3")]
    for row in rows[:: len(rows) // 5]:
        cli.main(["score", *words, "--structure", row["structure"], "--hidden", row["hidden"]])
        (alone,) = json.loads(capsys.readouterr().out)
        assert (alone["score"], alone["standard_error"]) == (row["score"], row["standard_error"])


def test_values_that_do_not_occur_are_no_reason_to_doubt(tmp_path, capsys):
    """In the command, in all that it makes of the table."""
    FRAME[NAMES].to_csv(tmp_path / "levels.csv", index=False)
    words = [f"--levels={name}=no,yes,never" for name in NAMES]
    words += ["--hidden", "2", "--draws", "20", "--replicates", "2"]
    assert cli.main(["fit", str(tmp_path / "levels.csv"), *words]) == 0
    assert capsys.readouterr().err == ""


def test_a_value_of_lines_of_count_0_is_no_level_and_is_remarked(tmp_path, capsys):
    """As a third value of a, it would change the score of 1-1 by 4 nats."""
    lines = ["a,b,n", "x,u,10", "x,v,4", "y,u,3", "y,v,12", "z,u,0"]
    for name, number in (("zero", 6), ("without", 5)):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines[:number]))
    levels = {"b": ["u", "v", "never"]}
    table = latentdag.read_table(tmp_path / "without.csv", "n", levels)
    ranking = latentdag.rank_structures(table, [table.family((2,))], "laplace")
    expected = {score.structure.label: score.score for score in ranking.scores}
    words = [str(tmp_path / "zero.csv"), "--count", "n", "--levels=b=u,v,never"]
    words += ["--hidden", "2", "--method", "laplace", "--format", "json", "--top", "0"]
    assert cli.main(["rank", *words]) == 0
    out, err = capsys.readouterr()
    assert err.count("zero.csv: column 'a': 'z' occurs only in lines of count 0") == 1
    of_command = {row["structure"]: row["score"] for row in json.loads(out)}
    assert of_command == pytest.approx(expected, abs=1e-9)
