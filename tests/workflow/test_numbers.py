"""Every number in the tables of the small study, held against the library or a count by hand: sizes
given unsorted, priors other than uniform, unequal cardinalities.
"""

from itertools import product

import numpy as np
import pytest
from studies import N_STRUCTURES, SMALL, lines, written

import latentdag
from latentdag.analysis import equal_modes
from latentdag.analysis.climb import climbs
from latentdag.engine.streams import generator
from latentdag.inference.particles.evidence import log_evidence, log_evidence_upper
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.scores import JOBS, METHODS, SPECS, run_job
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import evidence, with_evidence
from lib.files import read_parameters

pytestmark = pytest.mark.slow

FAMILY = latentdag.Family((2, 2), (2, 3, 2))
PRIOR = latentdag.Prior(0.7, 1.6)
SEED, SIZES = 7, (10, 40)
TRUE = latentdag.Structure.from_label("1-12-2", FAMILY)
STRUCTURES = latentdag.enumerate_structures(FAMILY)
# by job its settings by name, as SMALL has them
SETTINGS = {
    name: {
        "restarts": SMALL["restarts"][name]["at_most"],
        "hits": SMALL["restarts"][name]["hits"],
        "max_iterations": SMALL["max_iterations"],
    }
    for name in SMALL["restarts"]
}
SETTINGS["vb"]["same_starts"] = False
SETTINGS |= {
    "vb_mf": {"max_iterations": SMALL["max_iterations"]},
    "vb_collapsed": {"max_iterations": SMALL["max_iterations"]},
    "vb_online": {
        "batch": SMALL["vb_online"]["batch"],
        "restarts": SMALL["vb_online"]["passes"],
        "max_iterations": SMALL["max_iterations"],
    },
    "ais": {name: SMALL["ais"][name] for name in ("steps", "chains")},
    "exact": {},
    "bridge": {name: SMALL["bridge"][name] for name in ("particles", "runs")},
    "reference": {
        name: SMALL["reference"][name] for name in ("target", "particles", "runs", "most_runs")
    },
}
DATA = latentdag.draw_study(TRUE, PRIOR, max(SIZES), SEED, 0)


def task(n: int, structures=STRUCTURES, sizes=None) -> Task:
    return Task(structures, DATA.cases[:n], PRIOR, SEED, (0,), sizes)


def test_the_study_is_what_this_file_takes_it_for():
    assert SMALL["family"] == {"hidden": [2, 2], "observed": [2, 3, 2]}
    assert (SMALL["alpha"], SMALL["alpha_hidden"], SMALL["seed"]) == (0.7, 1.6, SEED)
    assert SMALL["true_structure"] == TRUE.label
    assert tuple(sorted(SMALL["sizes"])) == SIZES != tuple(SMALL["sizes"])
    assert len(STRUCTURES) == N_STRUCTURES
    settings = [tuple(s.values()) for s in SETTINGS.values() if [*s] != ["max_iterations"]]
    assert len(set(settings)) == len(settings), "two jobs have the same settings"


def test_structures_counted_by_hand(finished):
    rows = finished.table("results/structures.csv")
    labels = {row["structure"] for row in rows}
    everyone = {"-".join(parents) for parents in product(("0", "1", "12", "2"), repeat=3)}
    renamed = {"0": "0", "1": "2", "2": "1", "12": "12", "-": "-"}
    assert labels <= everyone
    for label in everyone:  # one of each pair that differs by the names of the hidden variables
        other = "-".join(renamed[parents] for parents in label.split("-"))
        assert len({label, other} & labels) == 1
    # y1 .. y3 with 2, 3, 2 values: two that share a cause have all tables, 2 x 3 or 2 x 2
    dimensions = {"0-0-0": 4, "1-1-0": 6, "0-1-1": 6, "1-0-1": 5, "1-1-1": 9}
    for row in rows:
        # a cause of one child goes, and the other has the first name
        parents = row["structure"].split("-")
        kept = [c for c in "12" if sum(c in p for p in parents) > 1]
        left = "-".join("".join(c for c in p if c in kept) or "0" for p in parents)
        swapped = "-".join(renamed[p] for p in left.split("-"))
        assert row["class"] == min(left, swapped, key=lambda x: x.split("-"))
        own = latentdag.Structure.from_label(row["structure"], FAMILY)
        dimension = dimensions.get(row["class"], latentdag.effective_dimension(own))
        assert int(row["dimension"]) == dimension
        links = sum(len(p.strip("0")) for p in parents)
        free = 2 + sum(
            (k - 1) * 2 ** len(p.strip("0")) for k, p in zip((2, 3, 2), parents, strict=True)
        )
        assert (int(row["n_links"]), int(row["n_parameters"])) == (links, free)
        assert row["is_true"] == ("true" if row["structure"] == "1-12-2" else "false")
    assert any(int(row["n_links"]) != int(row["n_parameters"]) for row in rows)


def test_the_data_set_is_that_of_the_library(finished):
    folder = finished.folder / "results/draws/0/n10-40"
    for name, expected in (("cases", DATA.cases), ("states", DATA.states)):
        found = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, dtype=int)
        assert np.array_equal(found, expected)
    cells = cell_probabilities(TRUE, DATA.parameters)
    for row in finished.table(folder / "truth.csv"):
        expected = sum(np.log(cells[tuple(case)]) for case in DATA.cases[: int(row["n"])])
        assert float(row["log_likelihood"]) == pytest.approx(expected, abs=2e-6)
    parameters = read_parameters(folder / "parameters.json")
    for kind in ("hidden", "observed"):
        both = zip(getattr(parameters, kind), getattr(DATA.parameters, kind), strict=True)
        assert all(np.array_equal(found, expected) for found, expected in both)


@pytest.mark.parametrize("n", SIZES)
def test_scores_are_those_of_the_library(finished, tmp_path, n):
    """Of all structures by every job, each with its own settings, to the byte; and what else AIS
    leaves.
    """
    rows, found = [], {}

    def run(name):
        job = JOBS[name]
        if name in found or (job.sizes_key and n not in SMALL[job.sizes_key]):
            return
        for need in job.needs:
            run(need)
        own = task(n, job.some(STRUCTURES, TRUE, n) if job.some else STRUCTURES)
        if job.spans_sizes(SETTINGS[name]):
            own = task(max(SIZES), sizes=SIZES)
        starts = {need: JOBS[need].estimates(found[need]) for need in job.needs}
        new, found[name] = run_job(job, own, SETTINGS[name], starts)
        rows.extend({"draw": 0} | score.row() for score in new if score.n == n)

    for name in JOBS:
        run(name)
    written_rows = {"scores": rows}
    for table, rows_of in JOBS["ais"].tables.items():
        written_rows[table] = [{"draw": 0} | row for row in rows_of(task(n), found["ais"])]
    for table, own in written_rows.items():
        study = lines(finished.folder / f"results/{table}.csv", 0, n)
        assert sorted(study) == sorted(written(tmp_path, table, own)), table


def test_annealing_runs_are_those_of_the_library(finished, tmp_path):
    given, rows = SMALL["annealing"], []
    about = {"draw": 0, "n": given["n"], "structure": "1-12-2", "transition": "metropolis"}
    for steps in given["steps"]:
        own = task(given["n"], [TRUE])
        runs = {
            "prior": annealing_runs(own, steps, given["chains"]),
            "true": annealing_runs(own, steps, 1, DATA.parameters),
        }
        rows += [
            about | {"steps": steps, "start": start, "chain": k, "log_weight": weight}
            for start, weights in runs.items()
            for k, weight in enumerate(weights)
        ]
    study = lines(finished.folder / "results/annealing.csv")
    assert sorted(study) == sorted(written(tmp_path, "annealing", rows))


def test_scores_under_other_priors_are_those_of_the_library(finished, tmp_path):
    """Alike for observed and hidden variables."""
    n, rows = SMALL["prior"]["n"], []
    for alpha in SMALL["prior"]["alphas"]:
        prior, found = latentdag.Prior(alpha, alpha), {}
        at = Task(STRUCTURES, DATA.cases[:n], prior, SEED, (0,))
        for name in ("map", "vb", "reference"):
            starts = {need: JOBS[need].estimates(found[need]) for need in JOBS[name].needs}
            scores, found[name] = run_job(JOBS[name], at, SETTINGS[name], starts)
            rows += [
                {"draw": 0, "n": n, "alpha": alpha, "structure": s.structure.label}
                | {"method": s.method, "score": s.score, "standard_error": s.standard_error}
                for s in scores
                if SPECS[s.method].judged
            ]
    study = lines(finished.folder / "results/prior.csv")
    assert sorted(study) == sorted(written(tmp_path, "prior", rows))
    alphas = [float(row["alpha"]) for row in finished.table("results/prior.csv")]
    assert alphas == sorted(alphas)


ORDER = {
    "scores": ("draw", "n", "method", "n_parameters", "structure"),
    "ais_chains": ("draw", "n", "structure", "chain"),
    "ais_acceptance": ("draw", "n", "structure", "part"),
    "annealing": ("draw", "n", "structure", "start", "steps", "chain"),
    "sandwich": ("draw", "n", "structure"),
    "climb": ("draw", "algorithm", "iteration", "half_step"),
}


@pytest.mark.parametrize("table", ORDER)
def test_tables_are_sorted(finished, table):
    rows = [
        tuple(
            METHODS.index(row[c]) if c == "method" else int(row[c]) if row[c].isdigit() else row[c]
            for c in ORDER[table]
        )
        for row in finished.table(f"results/{table}.csv")
    ]
    assert len(set(rows)) >= 2
    assert rows == sorted(rows)


def test_statistics_are_those_of_the_library(finished, tmp_path):
    """From the written tables, to the byte and in the same order."""
    folder = finished.folder / "results"
    scores, known, structures = (
        tables.read(folder / f"{name}.csv", name) for name in ("scores", "evidence", "structures")
    )
    read = with_evidence(scores, known)
    for table, rows in {
        "evidence": evidence(scores),
        "ranks": ranks(read, TRUE.label, SEED, structures),
        "errors": errors(read),
        "posterior": posterior(read),
        "classes": classes(read, structures),
    }.items():
        assert lines(folder / f"{table}.csv") == written(tmp_path, table, rows), table


def test_bounds_are_those_of_the_library(finished, tmp_path):
    """On the truth's data for the true structure; on data of its own for the other."""
    reference, settings = SMALL["reference"], SETTINGS["reference"]
    both = [s for s in STRUCTURES if s != TRUE and {"1", "2"} <= set(s.label)]
    other = both[0]  # one of those with two causes: the first
    (size,) = reference["other_sizes"]
    rows = []
    rng = generator(SEED, "sandwich", 0, other.label)
    own = latentdag.simulate(other, draw_parameters(other, PRIOR, rng), size, rng)
    for s, (cases, states), sizes, key in (
        (TRUE, (DATA.cases, DATA.states), SIZES, (0,)),
        (other, own, (size,), (0, "own data")),
    ):
        at = {"seed": SEED, "key": key}
        for n in sizes:
            below = log_evidence(cases[:n], s, PRIOR, **settings, **at)
            effort = below.particles, reference["upper_runs"]
            above = log_evidence_upper(cases[:n], states[:n], s, PRIOR, *effort, **at)
            lower, upper = below.log_evidence, above.log_evidence
            row = {"draw": 0, "n": n, "structure": s.label, "gap": upper - lower}
            row |= {"lower": lower, "lower_error": below.standard_error}
            rows.append(row | {"upper": upper, "upper_error": above.standard_error})
    study = lines(finished.folder / "results/sandwich.csv")
    assert sorted(study) == sorted(written(tmp_path, "sandwich", rows))


def test_half_steps_are_those_of_the_library(finished, tmp_path):
    n = SMALL["figure_n"]
    about = {"draw": 0, "n": n, "structure": TRUE.label}
    rows = [about | step._asdict() for step in climbs(task(n, [TRUE]))]
    assert lines(finished.folder / "results/climb.csv") == written(tmp_path, "climb", rows)


def test_equal_modes_are_those_of_the_library(finished, tmp_path):
    rows = equal_modes.rows(equal_modes.densities(equal_modes.simulated(SEED), PRIOR, SEED))
    found = lines(finished.folder / "results/equal_modes.csv")
    assert found == written(tmp_path, "equal_modes", rows)


def test_times_are_those_of_the_jobs(finished):
    """Each job's under the score whose time the paper states."""
    found = {
        (row["n"], method): float(row["seconds"])
        for job, method in (("map", "bic"), ("vb", "vb"), ("ais", "ais"))
        for row in finished.table(f"results/draws/0/n10-40/{job}.1.seconds.csv")
    }
    rows = finished.table("results/timing.csv")
    seconds = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert seconds == pytest.approx(found, abs=0.051)
    assert {row["paper_seconds"] for row in rows} == {""}


def test_another_size_and_how_the_work_is_cut_change_no_value_of_the_reference(finished, study):
    """The second of three parts, on two cores, with a size more: every third structure, as it was
    in one part.
    """
    block = "results/draws/0/n10-40/reference.2.csv"
    study.run(block, cores=2, sizes=[20, 10, 40], reference__jobs=3, threads=2)
    known = lines(finished.folder / "results/draws/0/n10-40/reference.1.csv")
    new = [line for line in lines(study.folder / block) if line.split(",")[1] != "20"]
    assert len(lines(study.folder / block)) == len(known) / 2
    assert len(new) == len(known) / 3 and set(new) < set(known)
    labels = {line.split(",")[2] for line in new}
    assert labels == {structure.label for structure in STRUCTURES[1::3]}
