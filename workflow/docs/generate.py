"""The pages of the site (the README and the pages of `workflow/docs`), and their generated parts:
text that follows from what the code declares, and from the committed tables.

A part is what stands between the lines ``<!-- generated: NAME -->`` and ``<!-- end -->``. ``make
docs`` writes all parts anew; a test holds them current. What stands between ``<!-- measured:
COMMAND -->`` and ``<!-- end -->`` was found once, by that command, and stays. A number that was
found stands in one of the two.

``make docs`` then copies the pages, and the files that they link to, to `build/pages`, each in its
place, so that links between them hold; Zensical makes the site of that folder.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import pandas as pd
import yaml

from latentdag.report.findings import headlines, write_findings
from latentdag.report.markdown import number, plus_minus, table, with_error
from latentdag.scores import SPECS
from latentdag.study.design.draws import nearest_draws
from latentdag.study.design.files import read_json
from latentdag.study.design.model import value_at
from latentdag.study.many_draws.population import MEASURES
from latentdag.study.one_draw.sizes import sizes_for_good
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.paper import experiments
from latentdag.study.paper.findings import grids
from latentdag.study.paper.numbers import METHODS, PAPER
from latentdag.study.paper.runs import EVERY, FINE_GRID, PAPER_RUNS, PAPERS, read_runs
from latentdag.study.schema import tables
from latentdag.study.schema.words import listing
from latentdag.study.settings.schema import schema
from lib.figures import OF_OWN_DATA, OF_POPULATION, OF_SIMULATION
from lib.places import defaults

ROOT = Path(__file__).parents[2]
RESULTS, FIGURES = (ROOT / name / "published" for name in ("results", "figures"))
FIRST_RUNS = (PAPERS, EVERY, FINE_GRID, "study")  # of the page of figures
COST_AT = 480
OVER_DRAWS_AT = (20, 80, 480, 1280, 10240)  # cases at which a page has that over draws
NOT_SHOWN = ("bic_dim", "cs_dim")  # scores that it leaves out there
WORDS = {"string": "text", "object": "keys", "boolean": "true or false"}  # of types
NO_OR_YES = ("no", "yes")
EXAMPLES = ROOT / "workflow/config/examples"
OF_CAUSES = ("bic", "vb", "reference")  # scores whose most probable causes a page has
PAGES = (
    "README.md",
    "workflow/config/README.md",
    *(f"workflow/docs/{path.name}" for path in sorted((ROOT / "workflow/docs").glob("*.md"))),
)
NOTEBOOK = ROOT / "workflow/docs/one_table.ipynb"
# what the site is made of: the pages, and what they link to or show
SITE = (
    *("README.md", ".github/CONTRIBUTING.md", "workflow/*/*.md", "workflow/docs/*.ipynb"),
    *("workflow/docs/site.css", "workflow/docs/*.png", "workflow/rulegraph.svg"),
    *("results/published/*/summary.md", "results/published/study/class.html"),
    "figures/published/*/*.png",
)
LEAST_SHARE = 0.01  # of the processor time, below which a rule is not listed
PART = re.compile(
    r"(<!-- (?:generated: (?P<name>\w+)|measured: (?P<command>.+)) -->\n)"
    r"(?P<content>(?:(?!<!--)[\s\S])*)(?=<!-- end -->\n)"
)
NEAREST = ROOT / "workflow/config/paper_nearest.yaml"
# experiments with estimates of the evidence: the columns beside n of a table of their errors
ESTIMATES = {
    "importance_sampling": {"proposal": "proposal"},
    "chib": {"point": "point", "relabelled": "all relabellings"},
    "bridge_sampling": {"estimator": "estimator"},
    "path_sampling": {"method": "estimator"},
}
OF_EVIDENCE, OF_FITS = ("reference", "tempered_smc"), ("map", "vb", "vb_collapsed")  # jobs


def scores_markdown() -> str:
    """A table of the scores in Markdown: what each is, by whom, and its side of the evidence."""
    header = ["method", "score", "definition", "source", "side of the evidence"]
    rows = [
        (f"`{s.name}`", s.title, s.definition, s.source, s.side.value, NO_OR_YES[s.monte_carlo])
        for s in SPECS.values()
    ]
    return table([*header, "Monte Carlo error"], rows)


def cost_markdown() -> str:
    """A table in Markdown: the processor times of each score, per structure, in milliseconds at
    `COST_AT` cases, from the table of `make bench`.
    """
    header = ["method", f"fit (ms), n = {COST_AT}", f"score (ms), n = {COST_AT}"]
    columns = ["job_milliseconds", "score_milliseconds"]
    cost = tables.read(RESULTS / "experiments/cost.csv", "cost")
    rows = cost[cost["n"] == COST_AT].set_index("method")[columns]
    texts = rows.map("{:.2f}".format).itertuples()
    return table(header, [(f"`{m}`", *times) for m, *times in texts])


def worth_over_draws_markdown() -> str:
    """A table in Markdown: what scores are worth over the draws of `make draws`, with standard
    errors, at some sizes.
    """
    worth = tables.read(RESULTS / PAPERS / "worth.csv", "worth")
    worth = worth[worth["n"].isin(OVER_DRAWS_AT) & ~worth["method"].isin(NOT_SHOWN)]
    rows = [
        [str(row.n), row.method if row.method in BASELINES else f"`{row.method}`"]
        + [with_error(row, name) for name in MEASURES]
        for row in worth.itertuples()
    ]
    header = ["n", "score", "error (nats)", "order", "order, same d"]
    return table([*header, "total variation", "regret (nats)"], rows)


def _errors(name: str, by: Mapping[str, str]) -> str:
    """A table of `errors_of_estimates`, of the table ``name`` by n and the columns ``by``, which
    have these titles; with the median and the range of the ``effective_draws``, if it has them.
    """
    estimates = tables.read(RESULTS / f"experiments/{name}.csv", name)
    columns = ["n", *by]
    groups = dict([*estimates.groupby(columns, sort=False)])
    header, rows = ["n", *by.values()], []
    has_draws = "effective_draws" in estimates
    header += ["effective samples: median (range)"] * has_draws
    for r in experiments.errors_of_estimates(estimates, columns).itertuples():
        row = [NO_OR_YES[cell] if isinstance(cell, bool) else str(cell) for cell in r.Index]
        if has_draws:
            draws = groups[r.Index]["effective_draws"]
            row.append(f"{draws.median():.0f} ({draws.min():.1f} to {draws.max():.0f})")
        row += [f"{r.structures}", plus_minus(r.absolute, r.absolute_error)]
        row += [plus_minus(r.signed, r.signed_error), f"{r.median:.2f}", f"{r.largest:.1f}"]
        rows.append([*row, f"{r.claimed:.2f}", f"{100 * r.beyond:.0f} %"])
    header += ["structures", "mean absolute error (nats)", "mean error (nats)", "median error"]
    header += ["largest", "standard error claimed, median", "beyond two standard errors"]
    return table(header, rows)


def audit_of_evidence_markdown() -> str:
    """A table in Markdown by size: what the audit of the evidence of `make draws` finds, of the
    evidence and its posteriors.
    """
    audit = tables.read(RESULTS / "experiments/evidence_audit.csv", "evidence_audit")
    rows = [
        [
            *(f"{count}" for count in (r.Index, r.draws, r.structures)),
            *(plus_minus(r.z, r.z_error), f"{r.z_scale:.2f}", f"{r.below}", f"{r.above}"),
            *(plus_minus(r.nats, r.nats_error), f"{r.most_moved:.2f}"),
            f"{r.same_first} of {r.draws}",
        ]
        for r in experiments.audit_of_evidence(audit).itertuples()
    ]
    header = ["n", "draws", "structures", "mean z", "root mean square z", "z below -3"]
    header += ["z above 3", "mean difference (nats)", "largest total variation"]
    return table([*header, "same structure first"], rows)


def audit_of_the_truth_markdown() -> str:
    """A table in Markdown by size: what the audit changes for the true structure, beside the
    published verdicts.
    """
    audit = tables.read(RESULTS / "experiments/evidence_audit.csv", "evidence_audit")
    verdicts = tables.read(RESULTS / PAPERS / "verdicts.parquet", "verdicts")
    rows = [
        [
            *(f"{r.Index}", plus_minus(r.difference, r.difference_error)),
            *(f"{count} of {r.draws}" for count in (r.first, r.first_audited, r.as_published)),
            f"{r.moved:.3f}",
        ]
        for r in experiments.audit_of_the_truth(audit, verdicts).itertuples()
    ]
    header = ["n", "its probability: mean difference", "first", "first by the second estimate"]
    header += ["rank as published", "largest difference from its published probability"]
    return table(header, rows)


def headlines_markdown() -> str:
    """The findings that come first, as a numbered list in Markdown."""
    lines = headlines(grids(read_runs(RESULTS)))
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))


def findings_markdown() -> str:
    """The findings over many draws in Markdown, without their title."""
    runs = read_runs(RESULTS)
    text = write_findings(runs)
    return text.partition("\n")[2]


def times_markdown() -> str:
    """In Markdown, how long the committed run took, and a table of its rules that took most."""
    record = read_json(RESULTS / "study/provenance.json")
    start, end = (datetime.fromisoformat(record[when]) for when in ("start", "end"))
    minutes = pd.DataFrame(record["jobs"]).T["processor_seconds"] / 60
    minutes, machine = minutes.sort_values(ascending=False), record["machine"]
    shares = minutes / minutes.sum()
    rows = [
        [f"`{rule}`", f"{minutes[rule]:.1f}", f"{100 * of_all:.0f} %"]
        for rule, of_all in shares[shares >= LEAST_SHARE].items()
    ]
    return (
        f"The committed run took {(end - start).total_seconds() / 60:.1f} minutes on "
        f"{machine['cores']} cores ({machine['processor']}), and {minutes.sum():.1f} minutes of "
        f"processor time.\n\n{table(['rule', 'processor minutes', 'share'], rows)}"
    )


def draw_cost_markdown() -> str:
    """A paragraph on the processor time of a draw of `make draws`, from the records of the
    committed population and of its parts.
    """
    draws = len(tables.read(RESULTS / PAPERS / "design.csv", "design"))
    record = read_json(RESULTS / PAPERS / "provenance.json")
    each = Counter()
    for run in (record, *record.get("parts", {}).values()):
        each.update({job: of["processor_seconds"] / draws for job, of in run["jobs"].items()})
    total = sum(each.values())
    evidence, fits = (sum(each[job] for job in of) for of in (OF_EVIDENCE, OF_FITS))
    return (
        f"A draw of `make draws` takes {total:.0f} seconds of processor time on a machine with "
        f"AVX-512, of which {evidence:.0f} are for the evidence, {each['ais']:.0f} for AIS and "
        f"{fits:.0f} for the fits (means over {draws} draws). So 1000 draws take "
        f"{1000 * total / 3600:.0f} core-hours, and 10,000 take {10_000 * total / 3600:.0f}."
    )


def paper_markdown() -> str:
    """In Markdown, a table of the size from which on each score ranks the true structure first in
    both draws of `make paper`, and which draws are as near to the paper's sizes as the second one,
    chosen for that.
    """
    nearest = yaml.safe_load(NEAREST.read_text(encoding="utf-8"))["design"]["nearest"]
    draws, of = nearest_draws(RESULTS / PAPERS, nearest)
    ranks = [tables.read(RESULTS / name / "ranks.csv", "ranks") for name in PAPER_RUNS]
    (draw,), sizes = set(ranks[1]["draw"]), [sizes_for_good(rows) for rows in ranks]
    of_paper = nearest | {"vb": f"after {PAPER.vb_from}", "ais": f"after {PAPER.ais_first}"}
    rows = [
        [SPECS[m].label, of_paper.get(m, "not given"), *(by[m] or "never" for by in sizes)]
        for m in METHODS
    ]
    header = ["finds the true structure by n =", "paper", "draw 0", f"draw {draw}"]
    return (
        f"The nearest of the {of} draws of `make draws` are, equally near, "
        f"{listing([*map(str, draws)])}. We took draw {draw}, the first. *Never* means not by "
        f"{ranks[0]['n'].max()} cases.\n\n"
        f"{table(header, rows)}"
    )


def outside_markdown() -> str:
    """In Markdown, what the page of `make outside` says of the evidence at the largest size."""
    page = (RESULTS / "outside/summary.md").read_text(encoding="utf-8")
    return re.search(r"^At \d+ cases, by the evidence:\n\n(?:- .*\n)+", page, re.MULTILINE)[0]


def steps_markdown() -> str:
    """A table in Markdown: the processor time of each step, in microseconds, by size, and of the
    step written plainly, at `COST_AT`.
    """
    benchmark = tables.read(RESULTS / "experiments/benchmark.csv", "benchmark")
    times = benchmark.pivot(index="step", columns="n", values="microseconds").map("{:.2f}".format)
    plain = benchmark[benchmark["n"] == COST_AT].set_index("step")[["plain_microseconds", "ratio"]]
    rows = times.loc[plain.index].join(plain.map("{:.0f}".format)).reset_index()
    header = ["step", *(f"microseconds, n = {n}" for n in times)]
    return table([*header, f"written plainly, n = {COST_AT}", "ratio"], rows.to_numpy())


def examples_markdown() -> str:
    """A table in Markdown: the most probable causes by some scores, of each example whose results
    are there.
    """
    header = ["example", "structures scored", *(f"causes: {SPECS[m].label}" for m in OF_CAUSES)]
    names = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))
    names = [n for n in names if (RESULTS / n / "summary.md").exists()]
    return table(header, [_example(name) for name in names])


def _example(name: str) -> list:
    structures, causes = (
        tables.read(RESULTS / name / f"{t}.csv", t) for t in ("structures", "causes")
    )
    best = causes.loc[causes.groupby("method")["of_classes"].idxmax()].set_index("method")
    return [
        f"[{name}](../../results/published/{name}/summary.md)",
        len(structures),
        *(f"{best['causes'][m]} ({number(best['of_classes'][m], '.3g')})" for m in OF_CAUSES),
    ]


def gallery_markdown() -> str:
    """Every published figure in Markdown, by its run, those of many draws first."""
    titles = {f.name: f.title for f in (*OF_SIMULATION, *OF_POPULATION, *OF_OWN_DATA)}
    runs = sorted({path.parent.name for path in FIGURES.glob("*/*.png")})
    lines = []
    for run in (*FIRST_RUNS, *(run for run in runs if run not in FIRST_RUNS)):
        page = f"../../results/published/{run}/summary.md"
        is_there = (ROOT / "workflow/docs" / page).exists()
        lines.append(f"## [{run}]({page})" if is_there else f"## {run}")
        for path in sorted((FIGURES / run).glob("*.png")):
            title = titles.get(path.stem, path.stem.replace("_", " ").capitalize())
            lines += [f"*{title}*", f"![{title}](../../figures/published/{run}/{path.name})"]
    return "\n\n".join(lines)


def settings_markdown() -> str:
    """A table in Markdown: every key of a configuration with its meaning, range and default."""
    of_study, rows = defaults(), []
    for key, part in _leaves(schema()):
        default = _in_words(part, "default") or _in_words(of_study, key)
        default = default.lower() if part.get("type") == "boolean" else default
        rows.append(
            [f"`{key}`", part["description"], _range(part), default, part.get("source", "")]
        )
    return table(["key", "meaning", "range", "default", "source of the default"], rows)


def _leaves(part: dict, at: str = "") -> Iterator[tuple[str, dict]]:
    """Keys that hold a value, and groups of keys that may be null, with their schemas; the keys of
    a list's items stand below that of the list.
    """
    for name, inner in part["properties"].items():
        if "properties" not in inner or "null" in inner["type"]:
            yield at + name, inner
        group = inner.get("items", inner)
        if "properties" in group:
            yield from _leaves(group, f"{at}{name}.")


def _in_words(config: dict, key: str) -> str:
    """The value under a key with dots; nothing where there is none."""
    try:
        value = value_at(config, key)
    except (KeyError, TypeError):
        return ""
    if value is None:
        return "null"
    return ", ".join(filter(None, map(str, value))) if isinstance(value, list) else str(value)


def _range(part: dict) -> str:
    """What a value may be, in a few words."""
    if "range" in part:
        return part["range"]
    if "enum" in part:
        return "one of " + ", ".join(part["enum"])
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    if kinds[0] == "array":
        items = part["items"]
        each = ", ".join(items["enum"]) if "enum" in items else _range(items)
        words = "some of " + each if "enum" in items else each.replace(" ", "s ", 1)
        words = f"list of {words}" if words == "keys" else words
    else:
        words = WORDS.get(kinds[0], kinds[0])
    for limit, word in (("minimum", "from"), ("maximum", "to")):
        if limit in part:
            words += f" {word} {part[limit]:g}"
    return words + (" or null" if "null" in kinds else "")


GENERATORS: dict[str, Callable[[], str]] = {"columns": tables.columns_markdown} | {
    name.removesuffix("_markdown"): write
    for name, write in globals().items()
    if name.endswith("_markdown")
}
GENERATORS |= {name: partial(_errors, name, by) for name, by in ESTIMATES.items()}


def renewed(text: str) -> str:
    """The ``text`` of a page with every generated part as its generator writes it today."""

    def written(part: re.Match) -> str:
        if part["name"] is None:
            return part[0]
        return f"{part[1]}{GENERATORS[part['name']]().strip()}\n"

    return PART.sub(written, text)


def copy_site(folder: Path) -> None:
    """Copy what the site is made of to ``folder``, its pages to ``pages`` there, in place of what
    that holds; of the notebook a page in Markdown, with its outputs.
    """
    from nbconvert import MarkdownExporter  # a second: for the site alone
    from nbconvert.writers import FilesWriter

    shutil.rmtree(folder / "pages", ignore_errors=True)
    for path in (path for pattern in SITE for path in ROOT.glob(pattern)):
        copy = folder / "pages" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for name in ("mkdocs.yml", "doctests.py"):
        shutil.copyfile(ROOT / "workflow/docs" / name, folder / name)
    page = MarkdownExporter().from_filename(str(NOTEBOOK))
    writer = FilesWriter(build_directory=str(folder / "pages/workflow/docs"))
    writer.write(*page, notebook_name=NOTEBOOK.stem)


def main() -> None:
    """Write the generated parts that are not current into their pages, and print the pages' names;
    copy what the site shows to `build`.
    """
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = renewed(text)
        if new != text:
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"written anew: {page}")
    copy_site(ROOT / "build")


if __name__ == "__main__":
    main()
