"""Small tables by command, library, estimator and workflow: every method that applies gives each
structure the same score and probability, to the bit, and to the printed digits in the workflow.
Probabilities of structures, causes and pairs are those of a sum in plain loops over all structures.
"""

import json
import warnings
from collections import Counter
from itertools import combinations, count, product
from math import exp, fsum, isnan, nan
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from studies import OWN, Study

import latentdag
from latentdag.command import cli
from latentdag.ranking import beam
from latentdag.ranking.beam import STARTS
from latentdag.ranking.prior import PRIORS
from latentdag.ranking.ranking import Ranking
from latentdag.scores import JOBS, METHODS, SPECS, refuse, settings_used
from latentdag.scores.base import Task

# of every job that has a setting of this name: agreement is tested, not accuracy
FEW = {"restarts": 3, "hits": 3, "steps": 16, "chains": 2, "particles": 8, "runs": 2}
FEW |= {"most_runs": 2, "batch": 16}
SEED, ALPHA = 3, 0.5


class Case(NamedTuple):
    frame: pd.DataFrame
    families: tuple[tuple[int, ...], ...] = ((2,),)  # (1,): no cause
    count: str | None = None
    levels: dict[str, list[str]] = {}  # noqa: RUF012
    prior: str = "classes"
    search: int | None = None
    methods: tuple[str, ...] = METHODS


def table(
    seed: int, names=("a", "b", "c"), values=(2, 2, 2), n=30, missing=0.0, texts="xyz"
) -> pd.DataFrame:
    """Cases of one cause of two states, each variable wrong in a quarter of them; a share of the
    values ``missing``.
    """
    rng = np.random.default_rng(seed)
    state = rng.integers(2, size=(n, 1))
    other = rng.integers(np.array(values), size=(n, len(values)))
    codes = np.where(rng.random(other.shape) < 0.5, state, other)
    frame = pd.DataFrame(np.array(list(texts), dtype=object)[codes], columns=list(names))
    return frame.mask(rng.random(frame.shape) < missing)


def counted(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    return frame.assign(n=np.random.default_rng(seed).integers(1, 5, len(frame)))


def with_line_of_count_0() -> pd.DataFrame:
    line = pd.DataFrame({"a": ["z"], "b": ["x"], "c": ["y"], "n": [0]})
    return pd.concat([counted(table(3), 3), line], ignore_index=True)


def of_two_causes() -> pd.DataFrame:
    """Two causes of two variables each, some values missing, with the number of cases of a row."""
    rng = np.random.default_rng(5)
    causes = rng.integers(2, size=(150, 2))[:, [0, 0, 1, 1]]
    cases = np.where(rng.random(causes.shape) < 0.25, 1 - causes, causes)
    frame = pd.DataFrame(np.array(["no", "yes"], dtype=object)[cases], columns=list("abcd"))
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    return frame.assign(times=rng.integers(1, 4, len(frame)))


TWO = Case(of_two_causes(), ((1,), (2,), (3, 2)), "times", methods=("laplace",))
TABLES = {
    "count 0": Case(with_line_of_count_0(), count="n"),
    "several": Case(table(5, missing=0.1), ((2,), (3, 2)), prior="families"),
    "no cause": Case(table(6, values=(3, 2, 2)), ((1,), (2,))),
    "names": Case(table(7, ("a*b*c", "<age>", "__x|y__"), texts=("<18", "*", "$z$"))),
    "few": Case(table(8, n=7, missing=0.1)),  # few enough to enumerate their hidden states
    "all at once": Case(
        counted(table(9, values=(2, 3, 2), missing=0.1, n=15), 9), ((3,), (2, 2)), "n",
        {"a": ["y", "x", "w"]}, prior="structures",
    ),
    **{prior: TWO._replace(prior=prior) for prior in PRIORS},
    **{f"{prior}, search": TWO._replace(prior=prior, search=1, methods=("laplace", "ais"))
       for prior in PRIORS},
}  # fmt: skip
# score, standard error and probability by method, states and structure
Scores = dict[tuple[str, str, str], tuple[float | None, ...]]


def read(case: Case, path: Path) -> latentdag.Table:
    return latentdag.read_table(path, case.count, case.levels)


def written(case: Case, folder: Path) -> Path:
    path = folder / "table.csv"
    case.frame.to_csv(path, index=False)
    return path


def families(case: Case, data: latentdag.Table) -> list:
    return [data.family(hidden if hidden != (1,) else ()) for hidden in case.families]


def methods_of(case: Case, data: latentdag.Table) -> list[str]:
    """Those that do not refuse the table."""

    def is_refused(method: str) -> bool:
        try:
            for family in families(case, data):
                structures = latentdag.enumerate_structures(family)
                refuse(Task(structures, data.counts, only_used=True), [method])
        except ValueError:
            return True
        return False

    return [method for method in case.methods if not is_refused(method)]


def how(case: Case, method: str) -> dict:
    few = {name: FEW[name] for name in settings_used(method) if name in FEW}
    return {"alpha": ALPHA, "seed": SEED, **few}


def by_library(case: Case, folder: Path) -> tuple[latentdag.Table, dict[str, Ranking]]:
    data = read(case, written(case, folder))
    of_all = {"prior": case.prior, "search": case.search}
    rankings = {
        method: latentdag.rank_structures(
            data, families(case, data), method, **of_all, **how(case, method)
        )
        for method in methods_of(case, data)
    }
    return data, rankings


def scores_of(rankings: dict[str, Ranking]) -> Scores:
    frames = (of_frame(method, ranking.to_frame()) for method, ranking in rankings.items())
    return {key: numbers for frame in frames for key, numbers in frame.items()}


def of_frame(method: str, frame: pd.DataFrame) -> Scores:
    """Of several families a structure's name is its label, and the states of its causes."""
    return {
        (method, row.hidden, row.structure.split()[0]): (
            row.score, row.standard_error, getattr(row, "probability", nan)
        )
        for row in frame.itertuples()
    }  # fmt: skip


def same(scores: Scores, expected: Scores) -> None:
    assert scores.keys() == expected.keys()
    for key, numbers in expected.items():
        np.testing.assert_array_equal(np.float64(scores[key]), np.float64(numbers), str(key))


def key(hidden, parents) -> tuple:
    """A model, whatever its causes are called: the states and the children of each cause."""
    children = [tuple(j for j, p in enumerate(parents) if i in p) for i in range(len(hidden))]
    return tuple(sorted(cause for cause in zip(hidden, children, strict=True) if cause[1]))


def models(families, n_variables: int) -> set[tuple]:
    """All models of the families, from all their labelled graphs."""
    every = set()
    for hidden in families:
        causes = range(len(hidden)) if hidden != (1,) else ()
        sets = [s for size in range(len(causes) + 1) for s in combinations(causes, size)]
        every |= {key(hidden, parents) for parents in product(sets, repeat=n_variables)}
    return every


GROUPS = {
    "structures": lambda model: model,
    "families": lambda model: tuple(k for k, _ in model),
    "classes": lambda model: tuple(cause for cause in model if len(cause[1]) > 1),
}


def assert_close(probabilities: dict, expected: dict) -> None:
    assert probabilities.keys() == expected.keys()
    assert probabilities == pytest.approx(expected, abs=1e-12, rel=0)


def plain(case: Case, every: set[tuple], scores: dict[tuple, float]) -> tuple[dict, dict]:
    """The prior of all models ``every``, and p(model given the table) of those with a score: prior
    times exp(score), normalised.
    """
    group = GROUPS[case.prior]
    members = Counter(map(group, every))
    prior = {model: 1 / (len(members) * members[group(model)]) for model in every}
    highest = max(scores.values())
    weights = {model: prior[model] * exp(score - highest) for model, score in scores.items()}
    return prior, {model: weight / fsum(weights.values()) for model, weight in weights.items()}


def assert_sums(case: Case, ranking: Ranking, every: set[tuple]) -> None:
    """Of structures, of causes, and of pairs of variables."""
    of = [key(s.family.hidden, s.parents) for s in ranking.structures]
    rows = zip(of, ranking.scores, ranking.probabilities, strict=True)
    known = {model: (s.score, p) for model, s, p in rows if not isnan(s.score)}
    prior, p = plain(case, every, {model: score for model, (score, _) in known.items()})
    np.testing.assert_allclose(np.exp(ranking.log_prior), [prior[m] for m in of], rtol=1e-12)
    assert_close({model: probability for model, (_, probability) in known.items()}, p)
    causes, pairs = Counter(), Counter()
    names = [name for name in case.frame if name != case.count]
    for model, probability in p.items():
        kept = [k for k, children in model if len(children) > 1]
        causes[",".join(map(str, kept)) or "none"] += probability
        for first, second in combinations(range(len(names)), 2):
            shared = any({first, second} <= set(children) for _, children in model)
            pairs[names[first], names[second]] += probability * shared
    of_causes = ranking.causes().set_index("states")["probability"].to_dict()
    assert_close({k: q for k, q in of_causes.items() if q}, {k: q for k, q in causes.items() if q})
    of_pairs = ranking.pairs().set_index(["first", "second"])["probability"]
    assert_close(of_pairs.to_dict(), dict(pairs))


def test_the_models_are_all_structures():
    assert len(models([(2, 2)], 4)) == 136 == len(latentdag.enumerate_structures())


def by_command(case: Case, path: Path, method: str, capsys, within: str = "1e6") -> Scores:
    words = ["rank", str(path), "--method", method, "--top", "0", "--format", "json"]
    words += ["--cores", "1", "--within", within, "--prior", case.prior]
    words += ["--search", str(case.search)] if case.search else []
    words += ["--count", case.count] if case.count else []
    words += [f"--hidden={','.join(map(str, hidden))}" for hidden in case.families]
    words += [f"--levels={column}={','.join(v)}" for column, v in case.levels.items()]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in how(case, method).items()]
    assert cli.main(words) == 0
    numbers = ("score", "standard_error", "probability")
    return {
        (method, row["hidden"], row["structure"]): tuple(row.get(name, nan) for name in numbers)
        for row in json.loads(capsys.readouterr().out)
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_command_library_and_estimator_have_the_probabilities_of_a_plain_sum(
    name, tmp_path, capsys
):
    """And equal scores, of three structures also alone."""
    case = TABLES[name]
    data, rankings = by_library(case, tmp_path)
    assert case.methods != METHODS or ("exact" in rankings) == (name == "few")
    assert len(rankings) >= len(case.methods) - 1
    every = models(case.families, len(data.names))
    of_command, of_estimator = {}, {}
    for method, ranking in rankings.items():
        of_command |= by_command(case, tmp_path / "table.csv", method, capsys)
        assert len(ranking.scores) == len(every) or case.search
        for s, scored in zip(ranking.structures[:3], ranking.scores, strict=False):
            alone = latentdag.score(data, s, method, **how(case, method))
            numbers = [(one.score, one.standard_error) for one in (alone, scored)]
            assert repr(numbers[0]) == repr(numbers[1])
        if not SPECS[method].posterior:  # of likelihoods the estimator makes no probabilities
            continue
        assert_sums(case, ranking, every)
        few = {k: value for k, value in how(case, method).items() if k in FEW}
        model = latentdag.LatentCauses(
            hidden=case.families, method=method, alpha=ALPHA, seed=SEED, levels=case.levels,
            settings=few, draws=0, cores=1, prior=case.prior, search=case.search,
        )  # fmt: skip
        rows, weights = case.frame, None
        if case.count:
            rows, weights = rows.drop(columns=case.count), rows[case.count]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(rows, sample_weight=weights)
        of_estimator |= of_frame(method, model.structures_)
        causes = ranking.causes()
        np.testing.assert_array_equal(model.causes_, causes[causes["probability"] > 0])
        np.testing.assert_array_equal(model.links_, ranking.pairs())
    expected = scores_of(rankings)
    same(of_command, expected)
    same(of_estimator, {k: score for k, score in expected.items() if SPECS[k[0]].posterior})


@pytest.mark.slow
def test_a_limit_of_time_leaves_the_prior_as_it_is(tmp_path, capsys, monkeypatch):
    """Over all structures, of which ten are scored."""
    monkeypatch.setattr(beam, "AT_ONCE", 10)
    every, family = models([(2, 2)], 4), latentdag.Family((2, 2), (2, 2, 2, 2))
    for prior in PRIORS:
        monkeypatch.setattr(cli, "time", Mock(monotonic=count().__next__))
        case = TWO._replace(prior=prior, families=((2, 2),))
        rows = by_command(case, written(case, tmp_path), "laplace", capsys, within="0.5")
        of = {}
        for (_, _, label), (score, _, probability) in rows.items():
            of[key((2, 2), latentdag.Structure.from_label(label, family).parents)] = (
                score,
                probability,
            )
        assert len(of) == len(rows) == 10
        _, p = plain(case, every, {model: score for model, (score, _) in of.items()})
        assert_close({model: probability for model, (_, probability) in of.items()}, p)


def test_values_that_do_not_occur_are_no_reason_to_doubt(tmp_path, capsys):
    """In the command, in all that it makes of the table."""
    TWO.frame.drop(columns="times").to_csv(tmp_path / "levels.csv", index=False)
    words = [f"--levels={name}=no,yes,never" for name in "abcd"]
    words += ["--hidden", "2", "--draws", "20", "--replicates", "2"]
    assert cli.main(["fit", str(tmp_path / "levels.csv"), *words]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.weekly
@pytest.mark.parametrize("name", TABLES)
def test_the_workflow_prints_the_scores_of_the_library(name, tmp_path):
    """And the probabilities, of which a search has the structures that it keeps."""
    case, study = TABLES[name], Study(tmp_path / "study")
    if case.search:  # each method would search for itself
        case = case._replace(methods=("laplace",))
    data, rankings = by_library(case, study.folder)
    expected = scores_of(rankings)
    methods, width = list(rankings), case.search
    hidden = [list(family) for family in case.families]
    how = OWN | {
        "data": {"file": "table.csv", "count": case.count, "levels": case.levels or None},
        "family__hidden": hidden if len(hidden) > 1 else hidden[0],
        "scores": methods, "methods": list({SPECS[m].job.name for m in methods}),
        "alpha": ALPHA, "alpha_hidden": ALPHA, "seed": SEED, "prior__alphas": [],
        "results": "own", "figures": "own/figures", "equally_probable": case.prior,
        "search": {"method": "laplace", "width": width, "starts": STARTS} if width else None,
    }  # fmt: skip
    for job in JOBS.values():
        how |= {s.key.replace(".", "__"): FEW[s.name] for s in job.settings if s.name in FEW}
    # these jobs score some structures only, at sizes of their own
    how |= {job.sizes_key: [data.counts.n] for job in JOBS.values() if job.sizes_key}
    names = ["scores", "evidence", "structures", "posterior"]
    study.run(*(f"own/{table}.csv" for table in names), cores=2, **how)
    scores, evidence, structures, posterior = (
        pd.read_csv(study.folder / f"own/{table}.csv", keep_default_na=False, dtype={"hidden": str})
        for table in names
    )
    evidence = evidence.rename(columns={"log_evidence": "score"})
    scored = pd.concat([scores, evidence]).merge(structures[["structure", "hidden"]])
    assert set(scored["method"]) == set(methods)
    kept = scored[["hidden", "structure"]].drop_duplicates()
    assert len(kept) == len(next(iter(rankings.values())).scores) or width
    for row in scored.itertuples():
        score, *_ = expected[row.method, row.hidden, row.structure.split()[0]]
        assert float(row.score) == pytest.approx(score, abs=1e-6, rel=0), row
    # the reference is joined with tempered SMC there
    posterior = posterior[posterior["method"] != "reference"].merge(structures)
    for method, rows in posterior.groupby("method"):
        keys = [(method, *key) for key in zip(rows["hidden"], rows["structure"], strict=True)]
        p = np.array([expected[m, hidden, label.split()[0]][2] for m, hidden, label in keys])
        found = rows["probability"].to_numpy(float)
        np.testing.assert_allclose(found, p / np.nansum(p), atol=2e-6, err_msg=method)
