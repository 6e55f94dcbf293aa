"""What runs again after a change: what depends on it, and no more. Snakemake itself is asked."""

from contextlib import ExitStack

import pytest
from studies import LESS, ROOT

from latentdag.scores import JOBS
from lib import code

SCORING = set(JOBS)
LAST = {"provenance"}  # reads all tables, figures, settings and sources
OF_RANKS = {"ranks", "plot_rank", "summary", *LAST}
OF_SCORES = {
    *("scores", "evidence", "errors", "plot_scores", "plot_annealing", "plot_tightness"),
    *("plot_climb", "class_page", *OF_RANKS),
}
TIMED = {"timing", *OF_SCORES}  # their time is in a table
OF_AIS = {"ais", "table_of_job", *TIMED}
OF_ANNEALING = {"anneal", "annealing", "plot_annealing", "summary", *LAST}
OF_BOUNDS = {"sandwich", "summary", *LAST}
OF_PRIORS = {"prior", "priors", "summary", *LAST}
OF_CLIMB = {"climb", "plot_climb", *LAST}
OF_EQUAL_MODES = {"equal_modes", "plot_equal_modes", *LAST}
OF_MEAN_FIELD = {"vb_mf", *OF_SCORES}
OF_VB = {"vb", "vb_eb", "vb_collapsed", *OF_MEAN_FIELD, *TIMED, *OF_PRIORS}
OF_MAP = {"map", "ml", *OF_VB}
PLOTS = {
    *("plot_structure", "plot_scores", "plot_rank", "plot_annealing", "plot_tightness"),
    *("plot_climb", "plot_equal_modes"),
}
SAID = {"summary", *LAST}  # all state the settings
EVERYTHING = {
    *("structures", "design", "draw"),
    *(SCORING | PLOTS | OF_AIS | OF_ANNEALING | OF_BOUNDS | OF_PRIORS | OF_CLIMB | OF_EQUAL_MODES),
}
OF_NO_CASES = {"structures", "design", "plot_structure", "equal_modes", "plot_equal_modes"}


# changed keys -> the rules that run again
CHANGES = {
    "restarts.map": ({"restarts__map": {"at_most": 4, "hits": 3}}, OF_MAP),
    "samplers and restarts": (
        {
            **{"ais__steps": 33, "tempered_smc__runs": 4, "annealing__chains": 3},
            **{"reference__others": 2, "restarts__ml": {"at_most": 3, "hits": 1}},
            "reference__target": 1.5,
        },
        {"ml", "tempered_smc", "reference", *OF_AIS, *OF_ANNEALING, *OF_BOUNDS, *OF_PRIORS},
    ),
    "pictures, and one more length of the annealing schedule and prior": (
        {
            **{"figure_n": 40, "figure_width": 5},
            **{"annealing__steps": [32, 24, 16], "prior__alphas": [1.3, 0.5, 2]},
        },
        {"plot_scores", "plot_rank", "class_page", *OF_CLIMB, *OF_ANNEALING, *OF_PRIORS},
    ),
    "sizes": ({"sizes": [40, 10, 20]}, EVERYTHING - OF_NO_CASES),
    "alpha": ({"alpha": 0.8}, EVERYTHING - {"plot_structure"}),  # it draws the parameters
}


@pytest.mark.slow
@pytest.mark.parametrize("key", CHANGES)
def test_a_changed_key_reruns_what_depends_on_it(finished, key):
    changes, expected = CHANGES[key]
    pending = finished.pending(**changes)
    assert set(pending) == expected
    if key.startswith("pictures"):  # of a list the new alone
        assert pending["anneal"] == {"results/draws/0/annealing/24.csv"}
        assert pending["prior"] == {"results/draws/0/prior/2.csv"}


def test_one_method_less_leaves_the_others_alone(finished):
    pending = finished.pending(methods=LESS["methods"])
    assert set(pending) == {
        *("scores", "plot_scores", "plot_annealing", "class_page", "datapackage"),
        *OF_PRIORS,
        *OF_RANKS,
    }


# edited sources -> the rules that run again
EDITS = {
    # the page for a class is of that folder too
    ("src/latentdag/report/templates/study.md.j2", "src/latentdag/study/one_draw/ranks.py"): {
        *SAID, "class_page", "ranks", "plot_rank",
    },
    ("src/latentdag/scores/vb.py",): (
        EVERYTHING - {"structures", "design", "draw", "anneal", "sandwich", "climb"}
    ),
    # no rule uses the one, each job the other; the record has the hash of all sources
    ("src/latentdag/estimator/latent_causes.py", "workflow/lib/job.py"): LAST,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sources", EDITS)
def test_an_edited_source_reruns_what_imports_it(finished, sources):
    with ExitStack() as edits:
        for source in sources:
            edits.enter_context(finished.edited(source))
        assert set(finished.pending()) == EDITS[sources]


def test_code_has_the_modules_that_a_package_passes_on_and_the_data_of_its_folder(tmp_path):
    em, scores, model = (f"latentdag.{name}" for name in ("inference.em", "scores", "model"))
    imports = {name: code.imports(code.modules()[name]) for name in (em, scores, model)}
    assert {f"{em}.vbem", f"{em}.point_estimate"} <= imports[em]
    of_jobs = {getattr(job.run, "func", job.run).__module__ for job in JOBS.values()}
    assert of_jobs <= imports[scores]
    assert imports[model] == set()
    assert code.public()["latentdag.Structure"] == "latentdag.model.structures"
    mine = tmp_path / "mine.py"
    mine.write_text("from latentdag import Structure, score\n", encoding="utf-8")
    assert code.imports(mine) == {"latentdag.model.structures", code.public()["latentdag.score"]}
    declared = (ROOT / "src/latentdag/study/schema/tables.yaml").read_bytes()
    assert declared in code.content("latentdag.study.schema.columns")
    of_topics = (ROOT / "workflow/topics/page.md.j2").read_bytes()
    assert of_topics in code.content("topics.study")
