"""The pages of the site (the README and the pages of `workflow/docs`), and their generated parts:
text that follows from what the code declares, and from the committed tables.

A part is what stands between the lines ``<!-- generated: NAME -->`` and ``<!-- end -->``. ``make
docs`` writes all parts anew; a test holds them current. What stands between ``<!-- measured:
COMMAND -->`` and ``<!-- end -->`` was found once, by that command, and stays. A number that was
found stands in one of the two.

``make docs`` then copies the pages, and what they link to, to `build/pages`, each in its place, so
that links between them hold; Zensical makes the site of that folder.
"""

import re
import shutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from math import nan
from pathlib import Path

import pandas as pd
import yaml

import latentdag
from latentdag.ranking.probabilities import normalise
from latentdag.report.findings import headlines, write_findings
from latentdag.report.markdown import listing, number, plus_minus, table
from latentdag.scores import SPECS, jobs_needed, present
from latentdag.study.design.draws import nearest_draws
from latentdag.study.design.files import read_json
from latentdag.study.design.model import value_at
from latentdag.study.many_draws.population import MEASURES, share
from latentdag.study.one_draw.distances import order_correlation
from latentdag.study.one_draw.errors import mean_absolute
from latentdag.study.one_draw.sizes import sizes_for_good
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.paper.numbers import METHODS, PAPER
from latentdag.study.paper.runs import (
    EVERY,
    FINE_GRID,
    PAPER_RUNS,
    PAPERS,
    paths_of,
    read_runs,
)
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import join_evidence
from latentdag.study.settings.schema import schema
from lib.figures import OF_OWN_DATA, OF_POPULATION, OF_SIMULATION
from lib.places import defaults

ROOT = Path(__file__).parents[2]
RESULTS, FIGURES = (ROOT / name / "published" for name in ("results", "figures"))
FIRST_RUNS = (PAPERS, EVERY, FINE_GRID, "study")  # of the page of figures
WORTH_AT = (80, 480, 1280, 10240)  # cases at which a page has what scores are worth
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
# by purpose the score that the README recommends
CHOICE = {
    "probabilities of structures; the standard for other scores": "reference",
    "comparison with the paper's gold standard: one chain": "ais",
    "approximate ln evidence at low cost": "cs_lr",
    "a guaranteed lower bound": "vb_mix",
    "comparison with the paper's bound": "vb",
}
CHOICE_AT = (80, 480, 10240)
FIRST_NAMES = ("LatentCauses", "read_table", "rank_structures")  # of the reference
STYLE = ROOT / "workflow/docs/site.css"
WIDTH = 100  # characters of a line
LEAST_SHARE = 0.01  # of the processor time, below which a rule is not listed
PART = re.compile(
    r"(<!-- (?:generated: (?P<name>\w+)|measured: (?P<command>.+)) -->\n)"
    r"(?P<content>(?:(?!<!--)[\s\S])*)(?=<!-- end -->\n)"
)
CODE = re.compile(r"^```[\s\S]*?^```$|^(?: {4}.*\n)+|`[^`\n]*`", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NEAREST = ROOT / "workflow/config/paper_nearest.yaml"
OF_EVIDENCE, OF_FITS = ("reference", "tempered_smc"), ("map", "vb", "vb_collapsed")  # jobs


def scores_markdown() -> str:
    """The table of scores: what each is, by whom, and where it lies from the evidence."""
    header = ["method", "score", "definition", "source", "side of the evidence"]
    rows = [
        (f"`{s.name}`", s.title, s.definition, s.source, s.side.value, NO_OR_YES[s.monte_carlo])
        for s in SPECS.values()
    ]
    return table([*header, "Monte Carlo error"], rows)


def _costs(results: Path) -> pd.DataFrame:
    """The processor times at COST_AT cases by score."""
    cost = tables.read(results / "experiments/cost.csv", "cost")
    return cost[cost["n"] == COST_AT].set_index("method")


def _scores_of_draw(results: Path) -> pd.DataFrame:
    """The scores of draw 0, with few columns: the table may be from before its newest one."""
    columns = ["draw", "n", "structure", "method", "score", "standard_error"]
    return pd.read_csv(results / "study/scores.csv", usecols=columns).query("draw == 0")


def worth_markdown(results: Path = RESULTS) -> str:
    """What each score is worth, from the committed tables of draw 0 and of `make bench`: its mean
    absolute error and the order of its structures at some sizes, and its processor time per
    structure. Scores without a number in it are left out.
    """
    errors = tables.read(results / "study/errors.csv", "errors")
    evidence = tables.read(results / "study/evidence.csv", "evidence")
    scores = join_evidence(_scores_of_draw(results), evidence)
    error = mean_absolute(errors[errors["draw"] == 0]).reindex(WORTH_AT)
    order = order_correlation(scores).reindex(WORTH_AT)
    cost = _costs(results)
    columns = {
        **{f"error (nats), n = {n}": (error.loc[n], ".1f") for n in WORTH_AT},
        **{f"order, n = {n}": (order.loc[n], ".3f") for n in WORTH_AT},
        f"fit (ms), n = {COST_AT}": (cost["job_milliseconds"], ".2f"),
        f"score (ms), n = {COST_AT}": (cost["score_milliseconds"], ".2f"),
    }
    rows = [
        [f"`{m}`", *(number(values.get(m, nan), form) for values, form in columns.values())]
        for m in present(set(error.columns[error.notna().any()]) & set(order))
    ]
    return table(["method", *columns], rows)


def worth_over_draws_markdown(results: Path = RESULTS) -> str:
    """What scores are worth over the draws of `make draws`, with standard errors, at some sizes."""
    worth = tables.read(results / PAPERS / "worth.csv", "worth")
    worth = worth[worth["n"].isin(OVER_DRAWS_AT) & ~worth["method"].isin(NOT_SHOWN)]
    rows = [
        [str(row["n"]), row["method"] if row["method"] in BASELINES else f"`{row['method']}`"]
        + [_with_error(row, name) for name in MEASURES]
        for row in worth.to_dict("records")
    ]
    header = ["n", "score", "error (nats)", "order", "order, same d"]
    return table([*header, "total variation", "regret (nats)"], rows)


def _with_error(row: Mapping, name: str) -> str:
    """A mean over draws and its standard error; nothing where no draw has it."""
    return plus_minus(row[name], row[f"{name}_se"])


def _mean(row: Mapping, name: str) -> str:
    """A mean over draws, with the digits that its standard error allows."""
    return _with_error(row, name).partition(" ±")[0]


def choice_markdown(results: Path = RESULTS) -> str:
    """The recommended scores with their errors and their order over the draws of `make draws`, and
    their processor time, with that of the fits that they start from.
    """
    worth = tables.read(results / PAPERS / "worth.csv", "worth")
    by_score = {(row["method"], row["n"]): row for row in worth.to_dict("records")}
    cost, rows = _costs(results), []
    # the table has it with each score of a job
    of_jobs = cost["job_milliseconds"].groupby(lambda m: SPECS[m].job.name).first()
    for purpose, m in CHOICE.items():
        errors = [_mean(by_score[m, n], "mean_absolute_error") for n in CHOICE_AT]
        fit = _mean(by_score[m, COST_AT], "order")
        jobs = [job.name for job in jobs_needed([SPECS[m].job.name])]
        time = of_jobs[jobs].sum() + cost["score_milliseconds"][m]
        rows.append([purpose, f"`{m}`", *errors, fit, f"{time:.0f}"])
    header = [
        *("purpose", "score", *(f"error, n = {n}" for n in CHOICE_AT)),
        *(f"order, n = {COST_AT}", f"ms, n = {COST_AT}"),
    ]
    return table(header, rows)


def wrapped(text: str) -> str:
    """Text with lines of at most WIDTH characters, but for headings and rows of tables."""
    how, lines = {"break_on_hyphens": False}, []
    for line in text.split("\n"):
        indent = " " * len(re.match(r"(- |\d+\. )?", line)[0])
        is_text = line and not line.startswith(("|", "#"))
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=indent, **how) if is_text else [line]
    return "\n".join(lines)


def headlines_markdown(results: Path = RESULTS) -> str:
    """The findings that come first, numbered."""
    runs = read_runs(paths_of(results), results)
    lines = headlines(runs[PAPERS]["found_share"], runs[PAPERS]["comparisons"], runs.get(FINE_GRID))
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))


def findings_markdown(results: Path = RESULTS) -> str:
    """The findings over many draws, without their title."""
    runs = read_runs(paths_of(results), results)
    text = write_findings(runs)
    return text.partition("\n")[2]


def times_markdown(results: Path = RESULTS) -> str:
    """How long the committed run took, and its rules that took most."""
    record = read_json(results / "study/provenance.json")
    start, end = (datetime.fromisoformat(record[when]) for when in ("start", "end"))
    seconds = {rule: job["processor_seconds"] for rule, job in record["jobs"].items()}
    total, machine = sum(seconds.values()), record["machine"]
    words = (
        f"The committed run took {(end - start).total_seconds() / 60:.1f} minutes on "
        f"{machine['cores']} cores ({machine['processor']}), and {total / 60:.1f} minutes of "
        "processor time."
    )
    rows = [
        [f"`{rule}`", f"{spent / 60:.1f}", f"{100 * spent / total:.0f} %"]
        for rule, spent in sorted(seconds.items(), key=lambda item: -item[1])
        if spent >= LEAST_SHARE * total
    ]
    return f"{words}\n\n{table(['rule', 'processor minutes', 'share'], rows)}"


def draw_cost_markdown(results: Path = RESULTS) -> str:
    """Processor time of a draw of `make draws`, from the records of the committed population and
    of its parts.
    """
    draws = len(tables.read(results / PAPERS / "design.csv", "design"))
    record = read_json(results / PAPERS / "provenance.json")
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


def paper_markdown(results: Path = RESULTS) -> str:
    """Why the second draw of `make paper` was chosen, and from which size on each score ranks the
    true structure first in both draws.
    """
    nearest = yaml.safe_load(NEAREST.read_text(encoding="utf-8"))["design"]["nearest"]
    draws, of = nearest_draws(results / PAPERS, nearest)
    ends = [f"{100 * value:.0f}" for value in share(len(draws), of)]
    ranks = [tables.read(results / name / "ranks.csv", "ranks") for name in PAPER_RUNS]
    (draw,) = set(ranks[1]["draw"])
    sizes = [sizes_for_good(of_run) for of_run in ranks]
    labels = listing([SPECS[m].label for m in nearest])
    in_paper, in_draw = (
        listing([str(of_draw[m]) for m in nearest]) for of_draw in (nearest, sizes[1])
    )
    equal = [f"draw {other}" for other in draws if other != draw]
    others = f"{listing(equal)} {'is' if len(equal) == 1 else 'are'}" if equal else "no other is"
    words = (
        f"Draw {draw} was chosen because {labels} find the true structure by {in_draw} cases, "
        f"which is nearest to {in_paper} in the paper (sum of squared log ratios). "
        f"Of the {of} draws of `make draws`, {others} as near. So the share of draws as near as "
        f"this is {ends[0]} % ({ends[1]} to {ends[2]}). *Never* means not by "
        f"{ranks[0]['n'].max()} cases."
    )
    header = ["finds the true structure by n =", "paper", "draw 0", f"draw {draw}"]
    of_paper = nearest | {"vb": f"after {PAPER.vb_from}", "ais": f"after {PAPER.ais_first}"}
    rows = [
        [SPECS[m].label, of_paper.get(m, "not given"), *(of_run[m] or "never" for of_run in sizes)]
        for m in METHODS
    ]
    return f"{words}\n\n{table(header, rows)}"


def farthest_that_matters(results: Path = RESULTS) -> float:
    """How far below its best structure `cs_lr` puts one with more than 1e-4 of the posterior, at
    most over the sizes, in nats: on draw 0, whose evidence is known for all structures.
    """
    scores = _scores_of_draw(results)
    cheap = scores[scores["method"] == "cs_lr"].set_index(["n", "structure"])["score"]
    evidence = tables.read(results / "study/evidence.csv", "evidence")
    evidence = evidence[evidence["draw"] == 0].set_index(["n", "structure"])["log_evidence"]
    matter = evidence.groupby("n").transform(lambda scores: normalise(scores.to_numpy())) > 1e-4
    behind = cheap.groupby("n").transform("max") - cheap
    return float(behind[matter[matter].index].max())


def reach_markdown(results: Path = RESULTS) -> str:
    """How well `cs_lr` tells the structures that can matter."""
    return (
        "On draw 0 `cs_lr` puts every structure with posterior probability above 1e-4 within "
        f"{farthest_that_matters(results):.1f} nats of its best."
    )


def outside_markdown(results: Path = RESULTS) -> str:
    """What the page of `make outside` says of the evidence at the largest size."""
    page = (results / "outside/summary.md").read_text(encoding="utf-8")
    return re.search(r"^At \d+ cases, by the evidence:\n\n(?:- .*\n)+", page, re.MULTILINE)[0]


def steps_markdown(results: Path = RESULTS) -> str:
    """Processor time of a step at each size, and of the same written plainly."""
    benchmark = tables.read(results / "experiments/benchmark.csv", "benchmark")
    times = benchmark.pivot(index="step", columns="n", values="microseconds").map("{:.2f}".format)
    plain = benchmark[benchmark["n"] == COST_AT].set_index("step")[["plain_microseconds", "ratio"]]
    rows = times.loc[plain.index].join(plain.map("{:.0f}".format)).reset_index()
    header = ["step", *(f"microseconds, n = {n}" for n in times)]
    return table([*header, f"written plainly, n = {COST_AT}", "ratio"], rows.to_numpy())


def reference_markdown() -> str:
    """The public names of the package, as mkdocstrings takes them, those to begin with first."""
    names = sorted(name for name in latentdag.__all__ if not name.startswith("_"))
    names = [*FIRST_NAMES, *(name for name in names if name not in FIRST_NAMES)]
    return "\n\n".join(f"::: latentdag.{name}" for name in names)


def examples_markdown(results: Path = RESULTS) -> str:
    """The most probable causes by some scores, of each example whose results are there."""
    header = [
        *("example", "cases", "variables", "missing values", "structures scored"),
        *(f"causes: {SPECS[m].label}" for m in OF_CAUSES),
    ]
    names = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))
    names = [n for n in names if (results / n / "summary.md").exists()]
    return table(header, [_example(results, name) for name in names])


def _example(results: Path, name: str) -> list:
    frames = {
        t: tables.read(results / name / f"{t}.csv", t)
        for t in ("variables", "structures", "posterior", "causes")
    }
    n, variables = int(frames["posterior"]["n"].iloc[0]), frames["variables"]
    n_variables = variables["variable"].nunique()
    of_method = {m: of_causes for m, of_causes in frames["causes"].groupby("method")}
    best = [of_method[m].nlargest(1, "of_classes").iloc[0] for m in OF_CAUSES]
    return [
        f"[{name}](../../results/published/{name}/summary.md)",
        *(n, n_variables, n * n_variables - variables["cases"].sum(), len(frames["structures"])),
        *(f"{row['causes']} ({number(row['of_classes'], '.3g')})" for row in best),
    ]


def gallery_markdown(figures: Path = FIGURES) -> str:
    """Every published figure, by its run, those of many draws first."""
    titles = {f.name: f.title for f in (*OF_SIMULATION, *OF_POPULATION, *OF_OWN_DATA)}
    runs = sorted({path.parent.name for path in figures.glob("*/*.png")})
    lines = []
    for run in (*FIRST_RUNS, *(run for run in runs if run not in FIRST_RUNS)):
        page = f"../../results/published/{run}/summary.md"
        is_there = (ROOT / "workflow/docs" / page).exists()
        lines.append(f"## [{run}]({page})" if is_there else f"## {run}")
        for path in sorted((figures / run).glob("*.png")):
            title = titles.get(path.stem, path.stem.replace("_", " ").capitalize())
            lines += [f"*{title}*", f"![{title}](../../figures/published/{run}/{path.name})"]
    return "\n\n".join(lines)


def settings_markdown() -> str:
    """Every key with its meaning, range and default."""
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


GENERATORS: Mapping[str, Callable[[], str]] = {"columns": tables.columns_markdown} | {
    name.removesuffix("_markdown"): write
    for name, write in globals().items()
    if name.endswith("_markdown")
}


def renewed(text: str, generators: Mapping[str, Callable[[], str]]) -> str:
    """``text`` with every generated part as its generator writes it today."""

    def written(part: re.Match) -> str:
        if part["name"] is None:
            return part[0]
        return f"{part[1]}{wrapped(generators[part['name']]().strip())}\n"

    return PART.sub(written, text)


def links_of(text: str) -> list[str]:
    """The targets of the links and images of a page, code left out."""
    return LINK.findall(CODE.sub("", text))


def linked(page: Path) -> list[Path]:
    """The files to which a page links by relative addresses."""
    targets = links_of(page.read_text(encoding="utf-8"))
    names = [t.partition("#")[0] for t in targets if "://" not in t]
    return [(page.parent / name).resolve() for name in names if name]


def reached(pages: Iterable[Path]) -> list[Path]:
    """The pages and all files to which links lead from them, over other pages too."""
    visited, waiting = [], list(pages)
    while waiting:
        path = waiting.pop(0)
        if path not in visited:
            visited.append(path)
            waiting += linked(path) if path.suffix == ".md" else []
    return visited


def copied(path: Path, folder: Path) -> None:
    """Copy a file of the project to its place in another folder; of a notebook also a page in
    Markdown, with the outputs that it has.
    """
    copy = folder / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    if path.suffix == ".ipynb":
        from nbconvert import MarkdownExporter  # a second: for the site alone

        text, resources = MarkdownExporter().from_filename(str(path))
        text = re.sub(r"<style scoped>[\s\S]*?</style>\n?", "", text)  # of pandas, for Jupyter
        copy.with_suffix(".md").write_text(text, encoding="utf-8")
        for name, picture in resources["outputs"].items():
            copy.with_name(name).write_bytes(picture)


def copy_site(folder: Path) -> None:
    """Copy what the site is made of."""
    shutil.rmtree(folder / "pages", ignore_errors=True)
    for path in (STYLE, *reached(ROOT / page for page in PAGES)):
        copied(path, folder / "pages")
    for name in ("mkdocs.yml", "doctests.py"):
        shutil.copyfile(ROOT / "workflow/docs" / name, folder / name)


def main() -> None:
    """Write the parts that are not current, and name their pages; copy what the site shows."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = renewed(text, GENERATORS)
        if new != text:
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"written anew: {page}")
    copy_site(ROOT / "build")


if __name__ == "__main__":
    main()
