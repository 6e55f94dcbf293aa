"""What a script writes from given files and settings, in seconds and without Snakemake: draw 1,
priors other than uniform, unequal cardinalities, several blocks. `test_values.py` holds the numbers
of a whole study against the library.
"""

import csv
import runpy
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from studies import ROOT

import latentdag
from latentdag import Family, Structure
from latentdag.engine.streams import generator
from latentdag.figures import FIGURES
from latentdag.inference.bridge import estimates as bridge_evidence
from latentdag.inference.particles import bounds
from latentdag.inference.particles import evidence as particles_evidence
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.scores import JOBS, bridge, run_job
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Score, Task
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.own_data import structures_table
from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.evidence import evidence
from lib.files import own_table, read_cases, with_beside, write_codes, write_parameters

pytestmark = pytest.mark.slow

MODEL = {
    "seed": 7,
    "alpha": 0.7,
    "alpha_hidden": 1.6,
    "family": {"hidden": [2, 2], "observed": [2, 3, 2]},
}
FAMILY, PRIOR = latentdag.Family((2, 2), (2, 3, 2)), latentdag.Prior(0.7, 1.6)
TRUE = latentdag.Structure.from_label("1-12-2", FAMILY)
STRUCTURES = latentdag.enumerate_structures(FAMILY)
N, DRAWN = 20, latentdag.draw_study(TRUE, PRIOR, 40, 7, 1)


class Named(dict):
    """Files or values as Snakemake hands them to a script."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def run(tmp_path):
    """Run a script on files of a new folder; the rows of the tables that it writes, by name."""

    def run(script: str, outputs: dict, wildcards=(), params=(), **inputs) -> dict[str, list[dict]]:
        job = SimpleNamespace(
            input=Named(inputs),
            output=Named({name: str(tmp_path / file) for name, file in outputs.items()}),
            wildcards=Named(wildcards),
            params=Named(params),
            threads=1,
            log=[str(tmp_path / "log")],
        )
        runpy.run_path(str(ROOT / "workflow/scripts" / script), {"snakemake": job})
        return {
            name: list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))
            for name, path in job.output.items()
            if path.endswith(".csv")
        }

    return run


@pytest.fixture
def drawn(tmp_path) -> dict[str, str]:
    """Files of draw 1, of more cases than a job may want."""
    files = {name: str(tmp_path / f"drawn_{name}") for name in ("cases", "states", "parameters")}
    write_codes(files["cases"], "y", DRAWN.cases)
    write_codes(files["states"], "s", DRAWN.states)
    write_parameters(files["parameters"], DRAWN.parameters)
    return files


def column(rows: list[dict], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def test_structures(run):
    params = {"model": MODEL, "true_structure": "1-12-2"}
    rows = run("structures.py", {"table": "structures.csv"}, params=params)["table"]
    assert [row["structure"] for row in rows] == [s.label for s in STRUCTURES]
    found = {row.pop("structure"): tuple(row.values()) for row in rows}
    assert found["0-0-0"] == ("0", "6", "false", "4", "0-0-0")
    assert found["1-12-2"] == ("4", "14", "true", "10", "1-12-2")
    assert found["1-1-2"] == ("3", "10", "false", "6", "1-1-0")
    assert [row["is_true"] for row in rows].count("true") == 1


def test_a_draw(run, tmp_path):
    outputs = {"cases": "cases.csv", "states": "states.csv", "parameters": "parameters.json"}
    outputs |= {"truth": "truth.csv"}
    params = {"model": MODEL, "true_structure": "1-12-2", "sizes": [10, N]}
    found = run("draw.py", outputs, {"draw": "1"}, params)
    cells = cell_probabilities(TRUE, DRAWN.parameters)
    expected = [sum(np.log(cells[tuple(c)]) for c in DRAWN.cases[:n]) for n in (10, N)]
    assert column(found["truth"], "n") == [10, N]
    assert column(found["truth"], "log_likelihood") == pytest.approx(expected, abs=2e-6)
    for name, letter, expected in (("cases", "y", DRAWN.cases), ("states", "s", DRAWN.states)):
        assert list(found[name][0]) == [f"{letter}{j + 1}" for j in range(expected.shape[1])]
        assert [[int(v) for v in row.values()] for row in found[name]] == expected[:N].tolist()


def test_annealing(run, drawn):
    params = {"model": MODEL, "true_structure": "1-12-2", "n": N, "chains": 3}
    wildcards = {"draw": "1", "steps": "16"}
    rows = run("anneal.py", {"table": "annealing.csv"}, wildcards, params, **drawn)["table"]
    task = Task([TRUE], DRAWN.cases[:N], PRIOR, 7, (1,))
    expected = {
        "prior": annealing_runs(task, 16, 3),
        "true": annealing_runs(task, 16, 1, DRAWN.parameters),
    }
    for start, weights in expected.items():
        own = [row for row in rows if row["start"] == start]
        assert column(own, "log_weight") == pytest.approx(weights.tolist(), abs=1e-5)
        assert [int(row["chain"]) for row in own] == list(range(len(weights)))
    assert {(row["draw"], row["n"], row["steps"]) for row in rows} == {("1", str(N), "16")}


def test_another_prior(run, drawn):
    """Alike for hidden and observed variables; with the study's own the study's scores. Each with
    the settings of its job.
    """
    model = MODEL | {"alpha_hidden": 0.7}
    fit = {"restarts": 3, "hits": 3, "max_iterations": 500}
    settings = {
        "map": fit,
        "vb": fit | {"restarts": 5, "hits": 5, "same_starts": False},
        "reference": {"target": 5.0, "particles": 8, "runs": 3, "most_runs": 9},
    }
    study = {}
    for name, own in settings.items():
        params = {"job": name, "model": model, "settings": own, "sizes": [10, N, 40]}
        params |= {"blocks": 1, "true_structure": None, "of_all": True}
        outputs = {"scores": f"{name}.csv", "seconds": f"{name}.seconds.csv"}
        if name != "reference":
            outputs["estimates"] = f"{name}.npz"
        inputs = {"cases": drawn["cases"]} | {
            needed: str(Path(drawn["cases"]).with_name(f"{needed}.npz")) for needed in settings
        }
        wildcards = {"draw": "1", "sizes": "10-40", "block": "1"}
        for row in run("score.py", outputs, wildcards, params, **inputs)["scores"]:
            if int(row["n"]) == N and row["method"] != "map":
                study[row["structure"], row["method"]] = row["score"], row["standard_error"]
    params = {"model": MODEL, "n": N, "alpha_hidden": None, "settings": settings}
    found = {}
    for alpha in ("0.7", "3"):
        wildcards = {"draw": "1", "alpha": alpha}
        rows = run("prior.py", {"table": "prior.csv"}, wildcards, params, cases=drawn["cases"])
        found[alpha] = {
            (r["structure"], r["method"]): (r["score"], r["standard_error"]) for r in rows["table"]
        }
        about = {(r["draw"], r["n"], r["alpha"]) for r in rows["table"]}
        assert about == {("1", str(N), alpha)}
    assert found["0.7"] == study
    assert all(found["3"][key] != value for key, value in study.items())


def test_times(run, tmp_path):
    """Summed over draws and blocks, and told for one draw."""
    seconds = {"map": (1.5, 2.5, 4.0, 2.0), "vb": (30.0, 10.0, 20.0, 40.0)}
    parts = []
    for job, values in seconds.items():
        for k, value in enumerate(values):
            parts.append(str(tmp_path / f"{job}.{k}.csv"))
            own = {"draw": k // 2, "n": 10, "job": job, "seconds": value}
            tables.write(parts[-1], "seconds", [own, own | {"n": 20, "seconds": 2 * value}])
    params = {"draws": 2}
    rows = run("timing.py", {"table": "timing.csv"}, params=params, parts=parts)["table"]
    found = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert found == {("10", "bic"): 5, ("10", "vb"): 50, ("20", "bic"): 10, ("20", "vb"): 100}


def evidence_of(cases) -> float:
    """A number that stands for these cases, in this order."""
    return -float(np.sum(np.arange(1, cases.size + 1) * (cases.ravel() + 1)))


def test_bounds(run, drawn, monkeypatch):
    """On the truth's data for the true structure, on its own for each other. Stand-ins for the
    samplers show which cases, states and settings they were given.
    """
    seen = []

    def below(cases, structure, prior, seed, key, **settings):
        seen.append((structure == TRUE, len(cases), prior, seed, key))
        assert settings == {"target": 0.1, "particles": 8, "runs": 3}
        value = evidence_of(cases)
        return SimpleNamespace(log_evidence=value, standard_error=value / 100, particles=77)

    def above(cases, states, structure, prior, particles, runs, seed, key):
        seen.append((structure == TRUE, len(cases), prior, seed, key))
        assert (particles, runs) == (77, 2)  # as many particles as below
        value = evidence_of(cases) + evidence_of(states)
        return SimpleNamespace(log_evidence=value, standard_error=value / 10)

    monkeypatch.setattr(particles_evidence, "log_evidence", below)
    monkeypatch.setattr(bounds, "log_evidence_upper", above)
    params = {
        "model": MODEL,
        "true_structure": "1-12-2",
        "sizes": [10, 40],
        "settings": {"target": 0.1, "particles": 8, "runs": 3},
        "upper_runs": 2,
        "others": 2,
        "other_sizes": [10],
    }
    rows = run("sandwich.py", {"table": "sandwich.csv"}, {"draw": "1"}, params, **drawn)["table"]
    labels = [row["structure"] for row in rows]
    assert labels[:2] == ["1-12-2"] * 2 and len({*labels}) == 3
    for row in rows:
        n, structure = int(row["n"]), latentdag.Structure.from_label(row["structure"], FAMILY)
        cases, states = DRAWN.cases, DRAWN.states
        if structure != TRUE:
            rng = generator(7, "sandwich", 1, structure.label)
            parameters = draw_parameters(structure, PRIOR, rng)
            cases, states = latentdag.simulate(structure, parameters, 10, rng)
        lower = evidence_of(cases[:n])
        upper = lower + evidence_of(states[:n])
        found = [float(row[k]) for k in ("lower", "lower_error", "upper", "upper_error", "gap")]
        expected = [lower, lower / 100, upper, upper / 10, upper - lower]
        assert found == pytest.approx(expected, abs=1e-3), (row["structure"], n)
    # streams of their own for data of their own
    of_truth = [(True, n, PRIOR, 7, (1,)) for n in (10, 40)]
    of_others = [(False, 10, PRIOR, 7, (1, "own data"))] * 2
    assert seen == [each for each in of_truth + of_others for _ in ("below", "above")]


def test_the_scores_of_all_blocks(run, drawn, tmp_path):
    """Each structure once, with the values that it has without blocks."""
    settings = {"steps": 8, "chains": 2}
    params = {"job": "ais", "model": MODEL, "settings": settings, "sizes": [N]}
    params |= {"blocks": 5, "true_structure": None, "of_all": True}
    names = ("scores", "seconds", "ais_chains", "ais_acceptance")
    outputs = {name: f"{name}.csv" for name in names}
    found = {name: [] for name in outputs}
    for block in range(1, 6):
        wildcards = {"draw": "1", "sizes": str(N), "block": str(block)}
        for name, rows in run("score.py", outputs, wildcards, params, cases=drawn["cases"]).items():
            found[name] += rows
    task = Task(STRUCTURES, DRAWN.cases[:N], PRIOR, 7, (1,))
    scores, chains = run_job(JOBS["ais"], task, settings)
    expected = {(s.structure.label, s.method): s.score for s in scores}
    values = {(r["structure"], r["method"]): float(r["score"] or "nan") for r in found["scores"]}
    assert len(found["scores"]) == len(values)
    assert values == pytest.approx(expected, abs=1e-5, nan_ok=True)
    for row in found["ais_chains"]:
        weight = chains[row["structure"]][N].log_weights[int(row["chain"])]
        assert float(row["log_weight"]) == pytest.approx(weight, abs=1e-5)
    for row in found["ais_acceptance"]:
        share = chains[row["structure"]][N].acceptance.mean(axis=0)[int(row["part"]) - 1]
        assert float(row["acceptance"]) == pytest.approx(share, abs=1e-3)
    assert {row["draw"] for rows in found.values() for row in rows} == {"1"}
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert log.count("% done") == 7 and "100 % done" in log  # after each structure of the block


def test_the_reference_of_all_blocks(run, drawn, monkeypatch):
    """Each structure at each size once, size by size, with the target of the size and the time."""
    seen = []

    def found_by(cases, structure, prior, **settings):
        seen.append((len(cases), prior, settings))
        time.sleep(0.01)
        value = evidence_of(cases) - structure.n_parameters
        return SimpleNamespace(log_evidence=value, standard_error=1.0, by_run=np.zeros(len(cases)))

    monkeypatch.setattr(particles_evidence, "log_evidence", found_by)
    monkeypatch.setattr("latentdag.scores.reference.LOOSER", {10: 1.0, np.inf: 3.0})
    settings = {"target": 0.5, "particles": 8, "runs": 3, "most_runs": 9}
    params = {"job": "reference", "model": MODEL, "settings": settings, "sizes": [10, N]}
    params |= {"blocks": 5, "true_structure": None, "of_all": True}
    found = []
    for block in range(1, 6):
        wildcards = {"draw": "1", "sizes": f"10-{N}", "block": str(block)}
        outputs = {"scores": "s.csv", "seconds": "t.csv"}
        rows = run("score.py", outputs, wildcards, params, cases=drawn["cases"])
        assert column(rows["scores"], "n") == sorted(column(rows["scores"], "n"))
        assert [(r["draw"], r["n"], r["job"]) for r in rows["seconds"]] == [
            ("1", str(n), "reference") for n in (10, N)
        ]
        here = len(rows["scores"]) / 2
        assert all(0.01 * here <= s < 0.02 * here for s in column(rows["seconds"], "seconds"))
        found += rows["scores"]
    assert {(row["n"], row["structure"]): float(row["score"]) for row in found} == {
        (str(n), s.label): evidence_of(DRAWN.cases[:n]) - s.n_parameters
        for n in (10, N)
        for s in STRUCTURES
    }
    assert len(found) == 2 * len(STRUCTURES)
    assert all(row["draw"] == "1" and row["method"] == "reference" for row in found)
    assert all(row["restarts"] == row["n"] for row in found)  # the number of runs
    common = settings | {"seed": 7, "key": (1,)}
    expected = [(10, PRIOR, common), (N, PRIOR, common | {"target": 1.5})]
    assert sorted(seen, key=str) == sorted(expected * len(STRUCTURES), key=str)


def scores_for_reach(path: Path) -> str:
    """`cs_lr` of all structures at two sizes, in steps of 5 nats from the best, structure 3; one
    has none at n = 10.
    """
    rows = [
        {"draw": 1} | Score(s, score, method=method, n=n, reason="singular").row()
        for n, best in ((10, -40.0), (N, -90.0))
        for k, s in enumerate(STRUCTURES)
        for method, score in (
            ("bic", -1.0 * k),
            ("cs_lr", np.nan if (n, k) == (10, 30) else best - 5.0 * abs(k - 3)),
        )
    ]
    tables.write(path, "scores", rows)
    return str(path)


REACH = {"nats": 10.0, "target": 0.7, "most_cases": 12}


def test_the_reference_spends_its_work_within_reach(run, drawn, monkeypatch, tmp_path):
    """Five structures within 10 nats, the one without a score, and the true one."""
    seen = {}

    def found_by(cases, structure, prior, **settings):
        seen[len(cases), structure.label] = settings
        return SimpleNamespace(log_evidence=0.0, standard_error=1.0, by_run=np.zeros(3))

    monkeypatch.setattr(particles_evidence, "log_evidence", found_by)
    settings = {"target": 0.5, "particles": 8, "runs": 6, "most_runs": 9}
    params = {"job": "reference", "model": MODEL, "settings": settings, "sizes": [10, N]}
    params |= {"blocks": 1, "true_structure": "1-12-2", "of_all": True, "reach": REACH}
    wildcards = {"draw": "1", "sizes": f"10-{N}", "block": "1"}
    outputs = {"scores": "s.csv", "seconds": "t.csv"}
    reach = [scores_for_reach(tmp_path / "map.csv")]
    run("score.py", outputs, wildcards, params, cases=drawn["cases"], reach=reach)
    within = {s.label for s in STRUCTURES[1:6]} | {"1-12-2"}
    assert "1-12-2" not in {s.label for s in STRUCTURES[1:6]}
    at_10 = within | {STRUCTURES[30].label}
    effort = {key: (s["runs"], s["most_runs"], s.get("pilot")) for key, s in seen.items()}
    assert {s for (n, s), e in effort.items() if n == 10 and e == (6, 9, False)} == at_10
    assert {s for (n, s), e in effort.items() if n == N and e == (6, 9 * 12 // N, False)} == within
    assert sum(e == (2, 2, None) for e in effort.values()) == 2 * len(STRUCTURES) - 7 - 6
    assert {s["target"] for s in seen.values() if "pilot" in s} == {0.7}


def test_the_bridge_scores_the_structures_within_reach(run, drawn, monkeypatch, tmp_path):
    monkeypatch.setattr(bridge_evidence, "log_estimates", lambda model, *_: np.zeros(3))
    params = {"job": "bridge", "model": MODEL, "settings": {"particles": 8, "runs": 3}}
    params |= {"sizes": [N], "blocks": 1, "true_structure": "1-12-2", "of_all": False}
    wildcards = {"draw": "1", "sizes": f"10-{N}", "block": "1"}
    outputs = {"scores": "s.csv", "seconds": "t.csv"}
    reach = [scores_for_reach(tmp_path / "map.csv")]
    rows = run(
        "score.py", outputs, wildcards, params | {"reach": REACH}, cases=drawn["cases"], reach=reach
    )
    assert {r["structure"] for r in rows["scores"]} == {
        *(s.label for s in STRUCTURES[1:6]),
        "1-12-2",
    }


def test_the_bridge_takes_what_the_reference_leaves_open(run, drawn, monkeypatch, tmp_path):
    """Of the structures within reach those whose error is above the target of 0.7 and which three
    standard errors may lift to 1e-5 of the probability of the best; of the true one the error
    alone counts. It has more particles where its runs spread.
    """
    errors = {1: (-13.5, 0.8), 2: (-14.0, 0.8), 3: (0.0, 0.7), 4: (-5.0, 0.71), 5: (-90.0, 30.0)}
    true = next(k for k, s in enumerate(STRUCTURES) if s.label == "1-12-2")
    errors |= {30: (-1.0, 5.0), true: (-80.0, 0.8)}
    rows = [
        {"draw": 1} | Score(s, score, error, method="reference", n=N).row()
        for s, (score, error) in ((STRUCTURES[k], errors.get(k, (-50.0, 9.0))) for k in range(36))
    ]
    tables.write(tmp_path / "reference.csv", "scores", rows)
    asked = []

    def estimates(model, particles, runs, stream):
        asked.append((particles, stream("run", 0).random()))
        return np.linspace(-2, 2, runs) - (30 if particles == 8 and len(asked) == 1 else 0)

    monkeypatch.setattr(bridge_evidence, "log_estimates", estimates)
    params = {"job": "bridge", "model": MODEL, "settings": {"particles": 8, "runs": 3}}
    params |= {"sizes": [N], "blocks": 1, "true_structure": "1-12-2", "of_all": False}
    wildcards = {"draw": "1", "sizes": f"10-{N}", "block": "1"}
    outputs = {"scores": "s.csv", "seconds": "t.csv"}
    reach = [scores_for_reach(tmp_path / "map.csv"), str(tmp_path / "reference.csv")]
    found = run(
        "score.py", outputs, wildcards, params | {"reach": REACH}, cases=drawn["cases"], reach=reach
    )["scores"]
    expected = {STRUCTURES[k].label for k in (1, 4, 5, true)}
    assert {r["structure"] for r in found} == expected
    # -30, less than 1e-5 of the best: its runs stay; those of the others are followed by more
    assert [particles for particles, _ in asked[:2]] == [8, 8]
    assert sorted(particles for particles, _ in asked)[4:] == [64] * 3
    assert len({number for _, number in asked}) == 7


def table_of_scores(path: Path, method: str, *draws: int) -> str:
    """Scores of all structures with errors, so close that their order is uncertain."""
    rows = [
        {"draw": draw} | Score(s, -k / 4, 1.0, method=method, n=N).row()
        for draw in draws
        for k, s in enumerate(STRUCTURES)
    ]
    tables.write(path, "scores", rows)
    return str(path)


def test_a_table_of_all_jobs(run, tmp_path):
    """By draw, then by score in the registry's order."""
    parts = [
        table_of_scores(tmp_path / f"{method}.{draw}.csv", method, draw)
        for method in ("ais", "vb", "map", "bic")
        for draw in (1, 0)
    ]
    rows = run("gather.py", {"table": "all.csv"}, params={"table": "scores"}, parts=parts)["table"]
    found = [(row["draw"], row["method"]) for row in rows]
    assert list(dict.fromkeys(found)) == [
        (draw, method) for draw in "01" for method in ("map", "bic", "vb", "ais")
    ]
    assert len(rows) == len(parts) * len(STRUCTURES)


def table_of_structures(path: Path) -> str:
    """Classes that only the table can tell: those of equal numbers of links."""
    rows = [
        {"structure": s.label, "n_links": s.n_links, "n_parameters": s.n_parameters}
        | {"is_true": False, "dimension": 3, "class": f"links {s.n_links}"}
        for s in STRUCTURES
    ]
    tables.write(path, "structures", rows)
    return str(path)


def test_ranks(run, tmp_path):
    """From the study's seed, on which the ends of the intervals depend."""
    scores = table_of_scores(tmp_path / "scores.csv", "ais", *range(10))
    label = STRUCTURES[12].label
    params = {"true_structure": label, "seed": 7}
    structures = table_of_structures(tmp_path / "structures.csv")
    files = {"scores": scores, "structures": structures}
    rows = run("ranks.py", {"table": "ranks.csv"}, params=params, **files)["table"]
    assert column(rows, "rank") == [13] * 10
    table, known = tables.read(scores, "scores"), tables.read(structures, "structures")
    own, other = (ranks(table, label, seed, known) for seed in (7, 0))
    assert column(rows, "rank_low") == own["rank_low"].tolist()
    assert column(rows, "rank_high") == own["rank_high"].tolist()
    assert column(rows, "class_rank_low") == own["class_rank_low"].tolist()
    assert {row["best_class"] for row in rows} <= {f"links {k}" for k in range(7)}
    assert not own.equals(other)


def test_ranks_and_errors_have_the_evidence_of_its_table(run, tmp_path):
    """Which differs from the reference's scores by 100 nats, and makes its first its last."""
    paths = [table_of_scores(tmp_path / f"{m}.csv", m, 80) for m in ("reference", "bic")]
    scores = pd.concat([tables.read(path, "scores") for path in paths])
    known = evidence(scores)
    rank = known["log_evidence"].rank()
    known["log_evidence"] = -100.0 * rank
    tables.write(tmp_path / "scores.csv", "scores", scores)
    tables.write(tmp_path / "evidence.csv", "evidence", known)
    files = {name: str(tmp_path / f"{name}.csv") for name in ("scores", "evidence")}
    files["structures"] = table_of_structures(tmp_path / "structures.csv")
    worst = known["structure"].iloc[rank.argmax()]
    params = {"true_structure": worst, "seed": 7}
    rows = run("ranks.py", {"table": "ranks.csv"}, params=params, **files)["table"]
    assert {row["method"]: float(row["score_true"]) for row in rows}["reference"] == (
        known["log_evidence"].min()
    )
    names = ("errors", "posterior", "classes")
    params = {"model": MODEL, "equally_probable": None}
    found = run("errors.py", {name: f"{name}.csv" for name in names}, params=params, **files)
    of = scores[scores["method"] == "bic"].set_index("structure")["score"]
    gaps = of - known.set_index("structure")["log_evidence"]
    errors = {row["structure"]: float(row["error_nats"]) for row in found["errors"]}
    assert errors == pytest.approx(gaps.to_dict(), abs=2e-6)


def test_data_of_ones_own(run, tmp_path):
    """Values in the order that is given; codes that lead back to them, and none where a value is
    missing.
    """
    lines = ["id,colour,size,number", "1,red,10,2", "2,blue,9,3", "3,red,9,1", "4,?,9,5"]
    lines += ["5,blue,9,1"]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    data = {"file": str(tmp_path / "mine.csv"), "count": "number", "columns": ["colour", "size"]}
    data |= {"levels": {"colour": ["red", "blue"]}, "missing": ["?"], "beside": None}
    outputs = {"cases": "cases.csv", "variables": "variables.csv"}
    found = run("read_data.py", outputs, params={"data": data})
    assert [tuple(row.values()) for row in found["variables"]] == [
        ("1", "colour", "0", "red", "3"),
        ("1", "colour", "1", "blue", "4"),
        ("2", "size", "0", "9", "10"),
        ("2", "size", "1", "10", "2"),
    ]
    cases = [tuple(row.values()) for row in found["cases"]]
    assert cases == [("", "0", "5"), ("0", "0", "1"), ("0", "1", "2"), ("1", "0", "4")]
    counts = read_cases(tmp_path / "cases.csv")
    assert counts.patterns.tolist() == [[-1, 0], [0, 0], [0, 1], [1, 0]]
    assert counts.numbers.tolist() == [5, 1, 2, 4]


def own(tmp_path, text, **keys) -> dict:
    """What the keys of ``data`` are for a table of one's own."""
    (tmp_path / "own.csv").write_text(text, encoding="utf-8")
    data = dict.fromkeys(("count", "columns", "levels", "beside", "published"))
    return data | {"file": str(tmp_path / "own.csv"), "missing": ["?"]} | keys


def test_a_column_to_compare_with_is_no_variable(tmp_path):
    text = "party,a,b,n\nleft,1,x,2\nright,2,?,3\n?,2,y,1\n"
    data = own(tmp_path, text, count="n", beside="party")
    assert own_table(data).names == ("a", "b")
    assert own_table(data).n == 6
    both = with_beside(data)
    assert both.names == ("a", "b", "party")
    assert both.levels[-1] == ("left", "right")
    assert with_beside(data | {"columns": ["b"]}).names == ("b", "party")
    for wrong, message in (
        ({"beside": "sex"}, "there is no column 'sex'"),
        ({"beside": "n"}, "column 'n' is that of the counts"),
        ({"beside": "a", "columns": ["a", "b"]}, "'a' is one of the columns"),
    ):
        with pytest.raises(ValueError, match=message):
            own_table(data | wrong)


def test_states_beside_a_column(run, tmp_path):
    """Two groups that answer alike within, and one who gave no answer at all."""
    lines = ["yes,yes,yes,left"] * 9 + ["no,no,no,right"] * 8 + ["yes,yes,no,right", "?,?,?,left"]
    data = own(tmp_path, "\n".join(["a,b,c,party", *lines]), beside="party")
    run("read_data.py", {"cases": "cases.csv", "variables": "v.csv"}, params={"data": data})
    family = Family((2,), (2, 2, 2))
    label = "1-1-1"
    structures = structures_table.rows([Structure.from_label(label, family)], several=False)
    tables.write(tmp_path / "s.csv", "structures", structures)
    one = {"draw": 0, "n": 18, "structure": label, "method": "vb", "probability": 1.0}
    tables.write(tmp_path / "p.csv", "posterior", [one])
    model = {"family": {"hidden": [2], "observed": [2, 2, 2]}, "seed": 1}
    found = run(
        "parameters.py",
        {"parameters": "parameters.csv", "membership": "m.csv", "beside": "beside.csv"},
        params={
            "model": model | {"alpha": 1.0, "alpha_hidden": 1.0},
            "method": "vb",
            "data": data,
            "restarts": {"map": 4},
            "draws": 50,
        },
        cases=tmp_path / "cases.csv",
        variables=tmp_path / "v.csv",
        structures=tmp_path / "s.csv",
        posterior=tmp_path / "p.csv",
    )["beside"]
    assert [tuple(row.values()) for row in found] == [
        (label, "party", "left", "s1 = 1", "9", "0.900000"),
        (label, "party", "left", "s1 = 2", "0", "0.000000"),
        (label, "party", "right", "s1 = 1", "1", "0.100000"),
        (label, "party", "right", "s1 = 2", "8", "1.000000"),
    ]


@pytest.mark.parametrize(("equal", "best"), [("structures", "0-0"), ("families", "1-1")])
def test_the_best_structures_are_fitted_that_the_prior_prefers(run, tmp_path, equal, best):
    """The scores prefer 0-0 by half a nat, the prior prefers 1-1 by ln 4."""
    data = own(tmp_path, "a,b\n" + "yes,yes\nno,no\n" * 9 + "yes,no\nno,yes\n" * 5)
    run("read_data.py", {"cases": "cases.csv", "variables": "v.csv"}, params={"data": data})
    of_both = [Structure.from_label(label, Family((2,), (2, 2))) for label in ("0-0", "1-1")]
    tables.write(tmp_path / "s.csv", "structures", structures_table.rows(of_both, several=False))
    scores, posterior = [], []
    for s, score, prior in zip(of_both, (-40.0, -40.5), (0.2, 0.8), strict=True):
        row = {"draw": 0, "n": 28, "structure": s.label, "method": "bic"}
        empty = dict.fromkeys(TABLES["scores"].columns)
        scores.append(empty | row | {"score": score, "n_parameters": s.n_parameters, "reason": ""})
        posterior.append(row | {"probability": 0.5, "prior": prior})
    tables.write(tmp_path / "c.csv", "scores", scores)
    tables.write(tmp_path / "p.csv", "posterior", posterior)
    found = run(
        "fit.py",
        {"fit": "fit.csv", "residuals": "r.csv"},
        params={
            "model": {"family": {"hidden": [2], "observed": [2, 2]}, "seed": 1},
            "equally_probable": equal,
            "settings": {"restarts": 3},
            "replicates": 0,
        },
        cases=tmp_path / "cases.csv",
        variables=tmp_path / "v.csv",
        structures=tmp_path / "s.csv",
        posterior=tmp_path / "p.csv",
        scores=tmp_path / "c.csv",
    )
    assert [(r["structure"], r["best_by"]) for r in found["fit"]] == [(best, "bic")]
    assert {r["structure"] for r in found["residuals"]} == {best}


def test_a_job_of_some_structures_scores_these(run, drawn, monkeypatch):
    """Chosen by size and truth, each once in all blocks, of which some may be left empty."""
    monkeypatch.setattr(bridge_evidence, "log_estimates", lambda model, *_: np.zeros(3))
    settings = {"particles": 8, "runs": 3}
    params = {"job": "bridge", "model": MODEL, "settings": settings, "sizes": [10, N]}
    params |= {"blocks": 30, "true_structure": "1-12-2", "of_all": False}
    found = []
    for block in range(1, 31):
        wildcards = {"draw": "1", "sizes": f"10-{N}", "block": str(block)}
        outputs = {"scores": "s.csv", "seconds": "t.csv"}
        rows = run("score.py", outputs, wildcards, params, cases=drawn["cases"])
        found += [(int(row["n"]), row["structure"]) for row in rows["scores"]]
    chosen = [(n, s.label) for n in (10, N) for s in bridge.some(STRUCTURES, TRUE, n)]
    assert sorted(found) == sorted(chosen)
    assert (10, "1-12-2") in found and len(found) < 30


def test_published_models_are_fitted_with_the_settings_of_maximum_likelihood(
    run, drawn, monkeypatch
):
    """All of them, and no others: the bound of restarts is not that of the MAP estimate."""
    settings = {"restarts": 3, "hits": 2, "max_iterations": 500}
    seen, really = [], latentdag.fit

    def fit(cases, structure, method, **given):
        seen.append((structure.label, method, given))
        return really(cases, structure, method, seed=0, restarts=1)

    monkeypatch.setattr("latentdag.analysis.fit.fit", fit)
    model = {"source": "a book", "classes": 2, "cases": 40}
    params = {"published": [model], "observed": [2, 3, 2], "seed": 5, "settings": settings}
    files = {"cases": drawn["cases"]}
    rows = run("published.py", {"table": "published.csv"}, params=params, **files)["table"]
    assert seen == [("1-1-1", "ml", settings | {"seed": 5})]
    assert [(row["quantity"], row["published"], row["found"]) for row in rows] == [
        ("cases", "40", "40")
    ]


def recorded(monkeypatch, place: str, result) -> list[tuple]:
    """The calls of the function at ``place``, which gives ``result`` in place of its own."""
    seen = []

    def function(*arguments, **keywords):
        seen.append((arguments, keywords))
        return result

    monkeypatch.setattr(place, function)
    return seen


@pytest.fixture
def own_files(run, tmp_path) -> dict[str, str]:
    """Tables of own data: of two structures VB believes in the first, the reference in the second,
    BIC in the first most firmly of all.
    """
    data = own(tmp_path, "a,b\n" + "yes,yes\nno,no\n" * 9 + "yes,no\nno,yes\n" * 5)
    run("read_data.py", {"cases": "cases.csv", "variables": "v.csv"}, params={"data": data})
    two = [Structure.from_label(label, Family((2,), (2, 2))) for label in ("0-0", "1-1")]
    tables.write(tmp_path / "s.csv", "structures", structures_table.rows(two, several=False))
    about = {"draw": 0, "n": 28}
    believed = {"bic": (0.99, 0.01), "vb": (0.7, 0.3), "reference": (0.2, 0.8)}
    rows = [
        about | {"structure": s.label, "method": method, "probability": p, "prior": prior}
        for method, own_probabilities in believed.items()
        for s, p, prior in zip(two, own_probabilities, (0.4, 0.6), strict=True)
    ]
    tables.write(tmp_path / "p.csv", "posterior", rows)
    names = {"cases": "cases", "variables": "v", "structures": "s", "posterior": "p"}
    return {name: str(tmp_path / f"{file}.csv") for name, file in names.items()}


OWN_MODEL = {
    "seed": 5,
    "alpha": 0.7,
    "alpha_hidden": 1.6,
    "family": {"hidden": [2], "observed": [2, 2]},
}


def test_parameters_are_of_the_most_probable_structure_by_the_method(run, own_files, monkeypatch):
    """Under the study's prior, with its seed, restarts and draws; published classes at their
    maximum likelihood.
    """
    found = latentdag.fit([[0, 0], [1, 1]], Structure.from_label("0-0", Family((2,), (2, 2))))
    seen = recorded(monkeypatch, "latentdag.analysis.fit.fit", found)
    data = {"published": [{"classes": 3}], "beside": None}
    params = {"model": OWN_MODEL, "method": "reference", "data": data, "draws": 70}
    params["restarts"] = {"map": 6, "ml": 4}
    outputs = {"parameters": "parameters.csv", "membership": "m.csv"}
    rows = run("parameters.py", outputs, params=params, **own_files)["parameters"]
    settings = {"alpha": 0.7, "alpha_hidden": 1.6, "seed": 5, "draws": 70}
    fitted = [(s.label, s.family.hidden, kind, own) for (_, s, kind), own in seen]
    assert fitted == [
        ("1-1", (2,), "map", settings | {"restarts": 6}),
        ("1-1", (3,), "ml", settings | {"restarts": 4}),
    ]
    assert all(arguments[0].n == 28 for arguments, _ in seen)
    assert {row["structure"] for row in rows} == {"1-1", "1-1 (3)"}


def test_fits_have_the_settings_of_maximum_likelihood(run, own_files, tmp_path, monkeypatch):
    s = Structure.from_label("1-1", Family((2,), (2, 2)))
    row = Score(s, -40.0, method="bic", n=28).row() | {"draw": 0}
    tables.write(tmp_path / "c.csv", "scores", [row])
    found = latentdag.fit([[0, 0], [1, 1]], s)
    seen = recorded(monkeypatch, "latentdag.analysis.fit.fit", found)
    settings = {"restarts": 3, "hits": 2, "max_iterations": 500}
    params = {"model": OWN_MODEL, "equally_probable": "structures"}
    params |= {"settings": settings, "replicates": 11}
    outputs = {"fit": "fit.csv", "residuals": "r.csv"}
    run("fit.py", outputs, params=params, **own_files, scores=tmp_path / "c.csv")
    ((cases, structure), keywords) = seen[0]
    assert (cases.n, structure.label, len(seen)) == (28, "1-1", 1)
    assert keywords == settings | {"method": "ml", "replicates": 11, "seed": 5}


def test_a_search_has_the_studys_prior_and_settings(run, own_files, monkeypatch):
    structures = [Structure.from_label("1-1", Family((2,), (2, 2)))]
    seen = recorded(monkeypatch, "latentdag.study.own_data.searched.searched", (structures, []))
    keys = {"method": "bic", "width": 6, "starts": 8, "keep": 9}
    params = {"model": OWN_MODEL, "search": keys, "settings": {"restarts": 3}}
    params |= {"equally_probable": "classes"}
    outputs = {"table": "found.csv", "search": "search.csv"}
    run("own_structures.py", outputs, params=params, cases=own_files["cases"])
    ((cases, families, prior), keywords) = seen[0]
    assert (cases.n, [f.hidden for f in families], prior) == (28, [(2,)], "classes")
    del keywords["report"]
    prior = {"alpha": 0.7, "alpha_hidden": 1.6, "seed": 5}
    assert keywords == keys | prior | {"restarts": 3}


def test_the_prior_over_structures_is_in_posterior_and_classes(run, own_files, tmp_path):
    """By the scores both are equally probable; each is a class by itself."""
    about = {"draw": 0, "n": 28}
    known = latentdag.enumerate_structures(Family((2,), (2, 2)))
    by_label = {s.label: s for s in known}
    rows = [
        Score(by_label[label], -40.0, method="bic", n=28).row() | about for label in ("0-0", "1-1")
    ]
    tables.write(tmp_path / "c.csv", "scores", rows)
    outputs = {name: f"{name}.csv" for name in ("errors", "posterior", "classes")}
    params = {"model": OWN_MODEL, "equally_probable": "families"}
    files = {"scores": tmp_path / "c.csv", "structures": own_files["structures"]}
    found = run("errors.py", outputs, params=params, **files)
    # two families, no cause or one; the second has three structures: 1-1, 0-1 and 1-0
    expected = {"0-0": 1 / (1 + 1 / 3), "1-1": (1 / 3) / (1 + 1 / 3)}
    p = {row["structure"]: float(row["probability"]) for row in found["posterior"]}
    assert p == pytest.approx(expected, abs=1e-4)
    p = {row["class"]: float(row["probability"]) for row in found["classes"]}
    assert p == pytest.approx(expected, abs=1e-4)
    equal = {row["class"]: float(row["equal_classes"]) for row in found["classes"]}
    assert equal == pytest.approx({"0-0": 0.5, "1-1": 0.5})


def scores_with_the_bridge(path: Path) -> pd.DataFrame:
    """The bridge is the more exact for the first structure, and moves it by half a nat."""
    rows = []
    for k, s in enumerate(STRUCTURES):
        rows += [
            Score(s, -50.0 - k, 0.4, restarts=16, method="reference", n=N).row(),
            Score(s, -60.0 - k, method="bic", n=N).row(),
        ]
    rows.append(Score(STRUCTURES[0], -49.5, 0.1, restarts=8, method="bridge", n=N).row())
    tables.write(path, "scores", [row | {"draw": 1} for row in rows])
    return tables.read(path, "scores")


def test_figures_of_scores_have_the_evidence_of_its_table(run, tmp_path, monkeypatch):
    scores = scores_with_the_bridge(tmp_path / "scores.csv")
    tables.write(tmp_path / "evidence.csv", "evidence", evidence(scores))
    seen = []
    monkeypatch.setitem(FIGURES, "scores", lambda **given: seen.append(given))
    monkeypatch.setattr("latentdag.figures.style.save", lambda *_: None)
    params = {"figure": "scores", "tables": ["scores", "structures", "evidence"]}
    params |= {"arguments": {"n": 480}}
    files = {name: str(tmp_path / f"{name}.csv") for name in ("scores", "evidence")}
    files["structures"] = table_of_structures(tmp_path / "structures.csv")
    run("plot.py", {"png": "a.png", "pdf": "a.pdf"}, params=params, **files)
    (given,) = seen
    assert set(given) == {"scores", "structures", "n"} and given["n"] == 480
    own = given["scores"].set_index(["method", "structure"])["score"]
    first, second = (s.label for s in STRUCTURES[:2])
    assert (own["reference", first], own["reference", second]) == (-49.5, -51.0)
    assert "bridge" not in own


def test_verdicts_are_by_the_evidence(run, tmp_path, monkeypatch):
    """Of each draw its own: the bridge's number moves the mean error of BIC."""
    scores_with_the_bridge(tmp_path / "scores.csv")
    tables.write(tmp_path / "truth.csv", "truth", [{"draw": 1, "n": N, "log_likelihood": -45.0}])
    outputs = {"scores": "all.parquet", "verdicts": "verdicts.parquet"}
    outputs |= {"reliability_counts": "counts.parquet", "claims": "claims.csv"}
    files = {"scores": [tmp_path / "scores.csv"], "truth": [tmp_path / "truth.csv"]}
    files["structures"] = table_of_structures(tmp_path / "structures.csv")
    params = {"true_structure": STRUCTURES[2].label, "seed": 7}
    run("verdicts.py", outputs, params=params, **files)
    found = tables.read(tmp_path / "verdicts.parquet", "verdicts")
    own = found[(found["by"] == "structure") & (found["method"] == "bic")]
    assert own["mean_error"].tolist() == pytest.approx([-10 - 0.5 / len(STRUCTURES)])
    assert own["rank"].tolist() == [3] and own["truth"].tolist() == [STRUCTURES[2].label]
    written = tables.read(tmp_path / "all.parquet", "scores")
    assert set(written["method"]) == {"bic", "bridge", "reference"}
    # and over all draws, with the sizes of the verdicts
    seen = recorded(monkeypatch, "latentdag.study.paper.claims_held.claims_held", pd.DataFrame())
    names = ("population", "found", "found_share", "comparisons", "reliability", "claims_held")
    names += ("cases_needed",)
    files = {"verdicts": tmp_path / "verdicts.parquet", "claims": tmp_path / "claims.csv"}
    files["reliability_counts"] = tmp_path / "counts.parquet"
    outputs = {name: f"all_{name}.csv" for name in names}
    tables_of_all = run("over_draws.py", outputs, params={"uniform": False}, **files)
    ((claims, found, sizes), _) = seen[0]
    assert list(sizes) == [N] and len(seen) == 1
    pd.testing.assert_frame_equal(claims, tables.read(tmp_path / "claims.csv", "claims"))
    assert set(found["method"]) == {"bic", "reference"}
    assert {row["rank_50"] for row in tables_of_all["population"] if row["by"] == "structure"} == {
        "3"
    }


def test_the_summarys_rule_words_the_findings_of_each_run(run, tmp_path, monkeypatch):
    """From the tables of its own folder and of a run's there, and none of these for the summary."""
    seen = recorded(monkeypatch, "latentdag.report.findings.write_findings", "the findings")
    told = recorded(monkeypatch, "latentdag.report.summary.write_summary", "the summary")
    (tmp_path / "alpha-2").mkdir()
    paths = [tmp_path / "design.csv", tmp_path / "alpha-2/design.csv"]
    for path, alpha in zip(paths, (1.0, 2.0), strict=True):
        row = {"draw": 0, "true_structure": "1-12-2", "alpha": alpha, "alpha_hidden": 0.5}
        tables.write(path, "design", [row])
    outputs = {"text": "summary.md", "findings": "findings.md"}
    files = {"of_findings": list(map(str, paths)), "structures": tmp_path / "structures.csv"}
    table_of_structures(files["structures"])
    run("summary.py", outputs, params={"settings": {"n": 480}}, **files)
    (((runs,), _),) = seen
    assert {run: list(of) for run, of in runs.items()} == {"": ["design"], "alpha-2": ["design"]}
    assert [runs[run]["design"]["alpha"][0] for run in ("", "alpha-2")] == [1.0, 2.0]
    assert (tmp_path / "findings.md").read_text(encoding="utf-8") == "the findings"
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == "the summary"
    assert set(told[0][1]) == {"structures"}


def test_the_summary_of_own_data_has_the_studys_alpha(run, own_files, monkeypatch):
    seen = recorded(monkeypatch, "latentdag.report.data_summary.write_data_summary", "the text")
    files = {name: own_files[name] for name in ("structures", "posterior")}
    params = {"settings": {"alpha": [0.7, 2.0]}, "model": OWN_MODEL, "asked": ["vb_mf"]}
    run("own_summary.py", {"text": "summary.md"}, params=params, **files)
    ((settings, observed), given) = seen[0]
    assert (settings, observed, given.pop("main_alpha")) == ({"alpha": [0.7, 2.0]}, (2, 2), 0.7)
    assert given.pop("asked") == ["vb_mf"] and set(given) == set(files)
    for name, table in given.items():
        pd.testing.assert_frame_equal(table, tables.read(files[name], name))


def test_marginals_by_alpha_have_the_studys_prior(run, own_files, tmp_path, monkeypatch):
    empty = pd.DataFrame(columns=TABLES["alpha"].columns)
    seen = recorded(monkeypatch, "latentdag.study.own_data.marginals.under_alphas", empty)
    about = {"draw": 0, "n": 28, "structure": "1-1", "score": -40.0, "standard_error": None}
    for alpha in (2.0, 3.0):
        row = about | {"alpha": alpha, "method": "laplace"}
        tables.write(tmp_path / f"prior.{alpha:g}.csv", "prior", [row])
    s = Structure.from_label("1-1", Family((2,), (2, 2)))
    row = Score(s, -40.0, method="laplace", n=28).row() | {"draw": 0}
    tables.write(tmp_path / "c.csv", "scores", [row])
    files = {name: own_files[name] for name in ("variables", "structures", "posterior")}
    files["scores"] = tmp_path / "c.csv"
    files["prior"] = [tmp_path / f"prior.{alpha}.csv" for alpha in (2, 3)]
    params = {"model": OWN_MODEL, "methods": ["laplace"]}
    run("alpha.py", {"table": "alpha.csv"}, params=params, **files)
    ((prior, posterior, scores), given) = seen[0]
    assert prior["alpha"].tolist() == [2.0, 3.0]
    assert set(posterior["method"]) == {"bic", "vb", "reference"}
    assert scores["method"].tolist() == ["laplace"]
    known = given.pop("known")
    assert {name: s.family.hidden for name, s in known.items()} == {"0-0": (2,), "1-1": (2,)}
    expected = {"methods": ["laplace"], "alpha": 0.7, "alpha_hidden": 1.6, "names": ["a", "b"]}
    assert given == expected


def test_a_job_starts_from_the_estimates_of_its_size(run, drawn, tmp_path, monkeypatch):
    seen = []

    def run_job(job, task, settings, starts, methods):
        values = {v for own in starts.values() for array in own.values() for v in array}
        seen.append((task.n, set(starts), {len(own) for own in starts.values()}, values))
        return [], {}

    monkeypatch.setattr("latentdag.scores.run_job", run_job)
    left = {f"{n}/{s.label}": np.array([float(n)]) for n in (10, N, 40) for s in STRUCTURES}
    np.savez(tmp_path / "map.npz", **left)
    params = {"job": "ml", "model": MODEL, "settings": {}, "sizes": [10, N, 40]}
    params |= {"blocks": 1, "true_structure": None, "of_all": True}
    wildcards = {"draw": "1", "sizes": "10-40", "block": "1"}
    outputs = {"scores": "s.csv", "seconds": "t.csv"}
    files = {"cases": drawn["cases"], "map": str(tmp_path / "map.npz")}
    run("score.py", outputs, wildcards, params, **files)
    assert seen == [(n, {"map"}, {len(STRUCTURES)}, {float(n)}) for n in (10, N, 40)]


def test_another_prior_of_own_data_keeps_that_of_hidden_variables(run, drawn):
    fit = {"restarts": 2, "hits": 2, "max_iterations": 300}
    params = {"model": MODEL, "n": N, "alpha_hidden": 1.6, "settings": {"map": fit}}
    wildcards = {"draw": "1", "alpha": "3"}
    found = run("prior.py", {"table": "p.csv"}, wildcards, params, cases=drawn["cases"])["table"]
    task = Task(STRUCTURES, DRAWN.cases[:N], latentdag.Prior(3.0, 1.6), 7, (1,))
    scores, _ = run_job(JOBS["map"], task, fit)
    expected = {s.structure.label: s.score for s in scores if s.method == "cs"}
    own = {row["structure"]: float(row["score"]) for row in found if row["method"] == "cs"}
    assert own == pytest.approx(expected, abs=2e-6)
