"""The sources that results depend on: an edit reruns what stands on its floor of the house, and
what is made from that.

A rule names its own floor alone: what is below comes with the tables that it reads, and no module
imports from a floor above its own. Scripts are not listed, as Snakemake looks after them; nor is
`lib.job`, which says what a job does and changes nothing that it computes.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# so a project that is moved with its results has nothing to run; from elsewhere paths are whole
HERE = Path() if Path.cwd() == ROOT else ROOT


def files(*patterns: str) -> list[str]:
    """Paths of the project's files that match, for the input of a rule."""
    names = sorted(str(path.relative_to(ROOT)) for p in patterns for path in ROOT.glob(p))
    return [str(HERE / name) for name in names]


def _packages(*names: str) -> list[str]:
    return files(*(f"src/latentdag/{name}/**/*.py" for name in names))


ENGINE = _packages("engine")
JOBS = [
    *ENGINE,
    *_packages("model", "data", "inference", "scores", "ranking", "analysis", "study/schema"),
    *files("src/latentdag/study/schema/tables.yaml", "workflow/lib/files.py"),
]
# the structures of one's own data come before the jobs
STRUCTURES = [
    *JOBS,
    *files(*(f"src/latentdag/study/own_data/{x}.py" for x in ("searched", "structures_table"))),
]
STATISTICS = _packages("study/one_draw", "study/own_data", "study/paper")
OVER_DRAWS = _packages("study/many_draws")
FIGURES = [*JOBS, *_packages("drawing", "figures")]  # the true structure's waits for no table
TEXTS = [
    *_packages("report"),
    *files("src/latentdag/report/templates/*.j2"),
    *files(*(f"workflow/lib/{name}.py" for name in ("article", "pages", "record"))),
]
TOPICS = [
    *ENGINE,
    *_packages("inference/collapsed", "topics"),
    *files("workflow/lib/topics.py", "workflow/schemas/topics.yaml"),
]
