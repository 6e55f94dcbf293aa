"""The runs whose tables the findings are worded from, named after their folders in `results`."""

from collections.abc import Mapping

ONE_DRAW = ""  # the study itself, in whose folder the others are
PAPERS, EVERY = "draws-of-the-paper", "every-structure"
VARIATIONS = ("alpha-0.5", "alpha-2", "another-structure")
# by run the tables that are read
TABLES: Mapping[str, tuple[str, ...]] = {
    ONE_DRAW: ("scores", "evidence", "errors", "ranks"),
    PAPERS: ("design", "found_share", "comparisons", "population"),
    **{run: ("design", "found_share", "comparisons") for run in VARIATIONS},
    EVERY: ("calibration", "population"),
}
