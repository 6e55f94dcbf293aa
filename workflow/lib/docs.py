"""The generated parts of the Markdown pages: tables that follow from what the code declares.

A part is what stands between the lines ``<!-- generated: NAME -->`` and ``<!-- end -->``. ``make
docs`` writes all parts anew; a test holds them current.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from math import nan
from pathlib import Path

import pandas as pd

from latentdag.report.markdown import number, table
from latentdag.scores import SPECS
from latentdag.scores.base import Spec
from latentdag.study.one_draw.distances import order_correlation
from latentdag.study.one_draw.errors import mean_absolute
from latentdag.study.own_data.published import agrees
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import with_evidence
from latentdag.study.schema.frames import present
from latentdag.study.schema.tables import columns_markdown
from lib.experiments import EXPERIMENTS
from lib.schema import markdown as settings_markdown

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
WORTH_AT = (80, 480, 1280, 10240)  # cases at which the README tells what a score is worth
COST_AT = 480
SAME = 1e-6  # nats: scores that differ by less are one
EXAMPLES = ROOT / "workflow/config/examples"
OF_CAUSES = ("bic", "vb", "reference")  # scores whose most probable causes the README tells
PAGES = (
    "README.md",
    "workflow/config/README.md",
    "workflow/docs/what_the_sources_name.md",
)
MARKER = re.compile(r"^<!-- (?:generated: (?P<name>\w+)|(?P<end>end)) -->$", re.MULTILINE)


def scores_markdown(specs: Mapping[str, Spec] = SPECS) -> str:
    """The table of scores: what each is, by whom, and where it lies from the evidence."""
    header = (
        "method",
        "score",
        "definition",
        "source",
        "side of the evidence",
        "Monte Carlo error",
    )
    rows = [
        (
            f"`{spec.name}`",
            spec.title,
            spec.definition,
            spec.source,
            spec.side.value,
            "yes" if spec.monte_carlo else "no",
        )
        for spec in specs.values()
    ]
    return table(header, rows)


def worth_markdown(results: Path = RESULTS) -> str:
    """What each score is worth, from the committed tables of draw 0 and of `make bench`: its mean
    absolute error and the order of its structures at some sizes, and its processor time per
    structure. Scores without a number in it are left out.
    """
    errors = tables.read(results / "errors.csv", "errors")
    # of the table of scores only these: it may be from before its newest column
    columns = ["draw", "n", "structure", "method", "score", "standard_error"]
    scores = pd.read_csv(results / "scores.csv", usecols=columns)
    scores = with_evidence(scores, tables.read(results / "evidence.csv", "evidence"))
    cost = tables.read(results / "cost.csv", "cost")
    cost = cost[cost["n"] == COST_AT].set_index("method")
    error, order = (
        frame.reindex(list(WORTH_AT))
        for frame in (
            mean_absolute(errors[errors["draw"] == 0]),
            order_correlation(scores[scores["draw"] == 0]),
        )
    )
    header = [
        "method",
        *(f"error (nats), n = {n}" for n in WORTH_AT),
        *(f"order, n = {n}" for n in WORTH_AT),
        f"job (ms), n = {COST_AT}",
        "reading (ms)",
    ]
    rows = [
        [
            f"`{m}`",
            *(number(v, ".1f") for v in error[m]),
            *(number(v, ".3f") for v in order[m]),
            *(
                number(cost[c].get(m, nan), ".2f")
                for c in ("job_milliseconds", "score_milliseconds")
            ),
        ]
        for m in present(set(error.columns[error.notna().any()]) & set(order))
    ]
    return table(header, rows)


def searches_markdown(results: Path = RESULTS) -> str:
    """How often each search finds the best structure, how far below it ends, and what share of the
    structures it scores, from what ``tests/benchmarks/searches.py`` has written.
    """
    rows = tables.read(results / "searches.csv", "searches")
    rows["below"] = rows["score_best"] - rows["score_found"]
    rows["is_best"] = rows["below"] < SAME
    searches = ("beam", "structural EM")
    header = ["causes x variables", "structures", "score", "tables"]
    header += [
        f"{search}: {what}"
        for search in searches
        for what in ("best found", "below, mean (nats)", "below, most (nats)", "scored")
    ]
    lines = []
    for (family, structures, method), own in rows.groupby(
        ["family", "structures", "method"], sort=False
    ):
        line = [family, str(structures), f"`{method}`", str(own["table"].nunique())]
        for search in searches:
            of = own[own["search"] == search]
            line += [
                f"{of['is_best'].sum()}",
                number(of["below"].mean(), ".2f"),
                number(of["below"].max(), ".2f"),
                f"{of['scored'].mean() / structures:.1%}".replace("%", " %"),
            ]
        lines.append(line)
    return table(header, lines)


def examples_markdown(results: Path = RESULTS) -> str:
    """What was found in each example whose results are there: the most probable causes by some
    scores, and how many of the published numbers are the same to every digit.
    """
    header = [
        *("example", "cases", "variables", "missing values", "structures scored"),
        *(f"causes: {SPECS[m].label}" for m in OF_CAUSES),
        *("published numbers", "the same here"),
    ]
    names = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))
    names = [n for n in names if (results / "examples" / n / "summary.md").exists()]
    rows = [_example(results, name) for name in names]
    return table(header, rows)


def _example(results: Path, name: str) -> list:
    found = {
        t: tables.read(results / "examples" / name / f"{t}.csv", t)
        for t in ("variables", "structures", "posterior", "causes", "published")
    }
    n, variables = int(found["posterior"]["n"].iloc[0]), found["variables"]
    n_variables, published = variables["variable"].nunique(), found["published"]
    same = sum(map(agrees, published["published"], published["found"]))
    of_method = {m: own for m, own in found["causes"].groupby("method")}
    best = [of_method[m].nlargest(1, "probability").iloc[0] for m in OF_CAUSES]
    return [
        f"[{name}](results/examples/{name}/summary.md)",
        *(n, n_variables, n * n_variables - variables["cases"].sum(), len(found["structures"])),
        *(f"{row['causes']} ({number(row['probability'], '.3g')})" for row in best),
        *(len(published), same),
    ]


GENERATORS: Mapping[str, Callable[[], str]] = {
    "scores": scores_markdown,
    "worth": worth_markdown,
    "searches": searches_markdown,
    "examples": examples_markdown,
    **{name: partial(markdown, RESULTS) for name, markdown in EXPERIMENTS.items()},
    "settings": settings_markdown,
    "columns": columns_markdown,
}


def renewed(text: str, generators: Mapping[str, Callable[[], str]]) -> str:
    """``text`` with every generated part as its generator writes it today.

    Raises ValueError for a part without a generator, and for markers that do not come in pairs.
    """
    pieces, copied, name = [], 0, None
    for marker in MARKER.finditer(text):
        if (name is None) == (marker["name"] is None):
            raise ValueError(f"{marker[0]} does not belong there: parts are not nested")
        if marker["name"]:
            name = marker["name"]
            if name not in generators:
                raise ValueError(f"{marker[0]}: there is no generator of that name")
            pieces.append(text[copied : marker.end()])
        else:
            pieces.append(f"\n{generators[name]().strip()}\n")
            copied, name = marker.start(), None
    if name is not None:
        raise ValueError(f"<!-- generated: {name} --> has no end")
    return "".join(pieces) + text[copied:]


def main() -> None:
    """Write the parts that are not current, and name the pages."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = renewed(text, GENERATORS)
        if new != text:
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"written anew: {page}")


if __name__ == "__main__":
    main()
