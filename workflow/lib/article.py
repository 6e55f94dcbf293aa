"""The article: what it shows of the study and of other runs; typst, which sets it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from latentdag.study.paper import runs

TABLES_OF_STUDY = (
    *("structures", "scores", "evidence", "errors", "ranks", "annealing", "timing", "sandwich"),
)
TABLES_OF_EXPERIMENTS = runs.TABLES[runs.EXPERIMENTS]
FIGURES_OF_STUDY = ("true_structure", "scores", "annealing")
# of published runs
FIGURES_QUOTED = (
    *(f"{run}/{name}" for name in ("scores", "rank", "annealing") for run in runs.PAPER_RUNS),
    *(f"{runs.PAPERS}/{name}" for name in ("cases_needed", "error_over_draws")),
)
_FILES = (
    *("design.csv", "structures.csv", "population.csv", "found.csv", "found_share.csv"),
    *("comparisons.csv", "verdicts.parquet", "provenance.json"),
)
_CLAIMS = ("claims.csv", "claims_held.csv")
FILES_OF_POPULATIONS = {
    runs.PAPERS: (*_FILES, *_CLAIMS, "worth.csv"),
    runs.EVERY: (*_FILES, "calibration.csv", "worth.csv"),
    runs.MORE_TRUTHS: (*_FILES, "calibration.csv"),
    **{run: (*_FILES, *_CLAIMS) for run in (*runs.VARIATIONS, *runs.OTHER_PRIORS)},
    runs.MANY_CHAINS: (*_FILES, *_CLAIMS, "worth.csv"),
    runs.EQUAL_COST: (*_FILES, *_CLAIMS),
    runs.FINE_GRID: (*_FILES, *_CLAIMS),
}


def typeset(
    numbers: Mapping[str, Any],
    figures: Mapping[str, str | Path],
    sources: Iterable[str | Path],
    **how: Any,
) -> bytes | list[bytes]:
    """The article as PDF, from its ``numbers`` (see `latentdag.report.article.numbers`), the PDF
    files of its ``figures`` by their names, and its ``sources``, the text first.

    ``how`` goes to `typst.compile`, such as ``format="html"``. The same input gives the same bytes:
    fonts are those of typst, and the date is that of the study. Raises typst.TypstError where the
    text cannot be set.
    """
    import typst  # the study does without it, where it is not installed

    text, *others = map(Path, sources)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "numbers.json").write_text(json.dumps(numbers, allow_nan=False), "utf-8")
        (folder / "figures.json").write_text(json.dumps(sorted(figures)), "utf-8")
        for source in (text, *others):
            (folder / source.name).write_bytes(source.read_bytes())
        for figure, path in figures.items():
            copy = folder / f"figures/{figure}.pdf"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(Path(path).read_bytes())
        return typst.compile(str(folder / text.name), root=name, ignore_system_fonts=True, **how)
