"""Ten small tables by command, library, estimator and workflow: every method that applies gives
each structure the same score, to the bit, and to the printed digits in the workflow.
"""

import json
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from studies import OWN, Study

import latentdag
from latentdag.command import cli
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


TABLES = {
    "plain": Case(table(0)),
    "counts": Case(counted(table(1, n=12), 1), count="n"),
    "missing": Case(table(2, values=(2, 3, 2), missing=0.15)),
    "count 0": Case(with_line_of_count_0(), count="n"),
    "levels": Case(table(4), levels={"b": ["y", "x", "never"], "c": ["x", "y", "z"]}),
    "families": Case(table(5, missing=0.1), ((2,), (3, 2))),
    "no cause": Case(table(6, values=(3, 2, 2)), ((1,), (2,))),
    "names": Case(table(7, ("a*b*c", "<age>", "__x|y__"), texts=("<18", "*", "$z$"))),
    "few": Case(table(8, n=7, missing=0.1)),  # few enough to enumerate their hidden states
    "all at once": Case(
        counted(table(9, values=(2, 3, 2), missing=0.1, n=15), 9), ((3,), (2, 2)), "n",
        {"a": ["y", "x", "w"]},
    ),
}  # fmt: skip
Scores = dict[tuple[str, str, str], tuple[float, float | None]]  # by method, states and structure


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

    return [method for method in METHODS if not is_refused(method)]


def settings(method: str) -> dict[str, int]:
    return {name: FEW[name] for name in settings_used(method) if name in FEW}


@cache
def by_library(name: str, folder: Path) -> Scores:
    case = TABLES[name]
    data = read(case, written(case, folder))
    scores: Scores = {}
    for method in methods_of(case, data):
        how = {"alpha": ALPHA, "seed": SEED, **settings(method)}
        ranking = latentdag.rank_structures(data, families(case, data), method, **how)
        scores |= of_frame(method, ranking.to_frame())
    return scores


def of_frame(method: str, frame: pd.DataFrame) -> Scores:
    """Of several families a structure's name is its label, and the states of its causes."""
    return {
        (method, row.hidden, row.structure.split()[0]): (row.score, row.standard_error)
        for row in frame.itertuples()
    }


def same(scores: Scores, expected: Scores) -> None:
    assert scores.keys() == expected.keys()
    for key, numbers in expected.items():
        np.testing.assert_array_equal(np.float64(scores[key]), np.float64(numbers), str(key))


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_command_and_estimator_have_the_scores_of_the_library(name, tmp_path, capsys):
    case, expected = TABLES[name], by_library(name, tmp_path)
    path = tmp_path / "table.csv"
    methods = methods_of(case, read(case, path))
    assert ("exact" in methods) == (name == "few") and len(methods) >= len(METHODS) - 1
    of_command, of_estimator = {}, {}
    for method in methods:
        few = settings(method)
        words = ["rank", str(path), "--method", method, "--top", "0", "--format", "json"]
        words += ["--seed", str(SEED), "--alpha", str(ALPHA), "--cores", "1"]
        words += ["--count", case.count] if case.count else []
        words += [f"--hidden={','.join(map(str, hidden))}" for hidden in case.families]
        words += [f"--levels={column}={','.join(v)}" for column, v in case.levels.items()]
        words += [f"--{name.replace('_', '-')}={value}" for name, value in few.items()]
        assert cli.main(words) == 0
        of_command |= {
            (method, row["hidden"], row["structure"]): (row["score"], row.get("standard_error"))
            for row in json.loads(capsys.readouterr().out)
        }
        if not SPECS[method].posterior:  # of likelihoods the estimator makes no probabilities
            continue
        model = latentdag.LatentCauses(
            hidden=case.families, method=method, alpha=ALPHA, seed=SEED, levels=case.levels,
            settings=few, draws=0, cores=1,
        )  # fmt: skip
        rows, weights = case.frame, None
        if case.count:
            rows, weights = rows.drop(columns=case.count), rows[case.count]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(rows, sample_weight=weights)
        of_estimator |= of_frame(method, model.structures_)
    same(of_command, expected)
    likely = {key: score for key, score in expected.items() if SPECS[key[0]].posterior}
    same(of_estimator, likely)


@pytest.mark.weekly
@pytest.mark.parametrize("name", TABLES)
def test_the_workflow_prints_the_scores_of_the_library(name, tmp_path):
    case, expected = TABLES[name], by_library(name, tmp_path)
    study = Study(tmp_path / "study")
    data = read(case, written(case, study.folder))
    methods = methods_of(case, data)
    hidden = [list(family) for family in case.families]
    how = OWN | {
        "data": {"file": "table.csv", "count": case.count, "levels": case.levels or None},
        "family__hidden": hidden if len(hidden) > 1 else hidden[0],
        "scores": methods, "methods": list({SPECS[m].job.name for m in methods}),
        "alpha": ALPHA, "alpha_hidden": ALPHA, "seed": SEED, "prior__alphas": [],
        "results": "own", "figures": "own/figures",
    }  # fmt: skip
    for job in JOBS.values():
        how |= {s.key.replace(".", "__"): FEW[s.name] for s in job.settings if s.name in FEW}
    # these jobs score some structures only, at sizes of their own
    how |= {job.sizes_key: [data.counts.n] for job in JOBS.values() if job.sizes_key}
    names = ["scores", "evidence", "structures"]
    study.run(*(f"own/{table}.csv" for table in names), cores=2, **how)
    scores, evidence, structures = (
        pd.read_csv(study.folder / f"own/{table}.csv", keep_default_na=False, dtype={"hidden": str})
        for table in names
    )
    evidence = evidence.rename(columns={"log_evidence": "score"})
    scored = pd.concat([scores, evidence]).merge(structures[["structure", "hidden"]])
    assert set(scored["method"]) == set(methods)
    for row in scored.itertuples():
        score, _ = expected[row.method, row.hidden, row.structure.split()[0]]
        assert float(row.score) == pytest.approx(score, abs=1e-6, rel=0), row
