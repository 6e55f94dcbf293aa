"""How scores grow with ln n from 10^4 to 10^8 cases, and whether VB minus BIC stays bounded.

A score that is ln p(y given theta_hat) - c ln n, up to terms of order one, has slope -c per ln n
once the ln probability of the data under the true parameters is taken off. c is d / 2 for BIC, d
the number of free parameters. For the evidence c is the learning coefficient of singular theory
(Watanabe 2009, Algebraic Geometry and Statistical Learning Theory): d / 2 where the Jacobian of the
cell probabilities has rank d at the true parameters, and less where causes are redundant. For VB
the coefficient may differ from both (Watanabe & Watanabe 2006, J. Mach. Learn. Res. 7, 625-644).
The thesis (eq. 2.132) derives that the bound F becomes BIC, so that F - BIC would be bounded; it
calls this heuristic.

Two true structures: the paper's, scored by itself, by structures that contain it, and by some that
lack a link; and independence, scored by itself and by structures with redundant causes. The data
are counts of the 625 patterns, nested multinomial draws, whose cost does not grow with n; a
structure that lacks a link is compared with its own MAP estimate, as its distance from the true
parameters grows with n itself. Where a structure that contains the true one fits worse than this,
its fit has missed the best optimum and is repeated from more starts. Writes
results/experiments/asymptotics.csv, with means over the draws, and
figures/experiments/asymptotics.png and .pdf. An hour.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import common
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext

from latentdag import Parameters, Prior, Structure
from latentdag.data.counts import Counts
from latentdag.drawing import layout, style
from latentdag.engine.streams import generator
from latentdag.model.dimension import effective_dimension
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.scores import SPECS, compute
from latentdag.scores.base import Task

RESULT = common.EXPERIMENTS / "asymptotics.csv"
FIGURE = common.ROOT / "figures/experiments/asymptotics"
DRAWS, EVIDENCE_DRAWS = 20, 5
SIZES = tuple(10**k for k in range(4, 9))
METHODS = ("map", "bic", "cs", "laplace", "cs_lr", "vb")
EVIDENCE = "tempered_smc"  # at sizes up to EVIDENCE_UP_TO, where its standard error stays small
EVIDENCE_UP_TO = 10**6
EFFORT = {"restarts": 24, "hits": 3, "particles": 64}
MORE = EFFORT | {"restarts": 512, "hits": 512}  # where an optimum is missed
MISSED = 10.0  # nats
TRUTH, FIT = "true parameters", "map"  # what a score is compared with
COLOURS = {m: SPECS[m].look.colour for m in ("reference", "vb", "laplace", "bic")}
COLOURS[EVIDENCE] = COLOURS.pop("reference")
# by true structure the structures that contain it, which begins, and those that lack a link
CONTAIN = {
    "1-12-12-2": ("1-12-12-2", "1-12-12-12", "12-12-12-2", "12-12-12-12"),
    "0-0-0-0": ("0-0-0-0", "0-0-1-1", "1-1-1-1", "12-12-12-12"),
}
LACK = {"1-12-12-2": ("0-12-12-2", "1-12-12-0", "1-2-12-2", "1-1-12-2"), "0-0-0-0": ()}
# Learning coefficients where the Jacobian lacks rank, by structure, under independence: M = 16
# parameters are free without the cause, which is redundant. VB leaves one of its two states without
# cases, which costs alpha_hidden = 1: M / 2 + alpha_hidden, as Watanabe & Watanabe 2006 have it for
# mixtures with one component too many. The evidence integrates over the probability a of that
# state; near a = 0 p(y) differs from independence by O(a): M / 2 + alpha_hidden / 2. That is our
# derivation, and for variables of two values the coefficient of Rusakov & Geiger 2005, J. Mach.
# Learn. Res. 6, 1-35
SINGULAR = {
    "vb": {"0-0-1-1": 9.0, "1-1-1-1": 9.0},
    EVIDENCE: {"0-0-1-1": 8.5, "1-1-1-1": 8.5},
}


class Data(NamedTuple):
    """A data set, and its ln probability under the true parameters, nats."""

    counts: Counts
    log_probability: float


def data_sets(true: Structure, draw: int) -> Iterator[Data]:
    """That of each of SIZES, each holding the one before; true parameters are the study's."""
    parameters = draw_parameters(true, Prior(), generator(common.SEED, "parameters", draw))
    p = cell_probabilities(true, parameters)
    rng = generator(common.SEED, "asymptotics", true.label, draw)
    table, before = np.zeros(p.shape, dtype=np.int64), 0
    for n in SIZES:
        table += rng.multinomial(n - before, p.ravel() / p.sum()).reshape(p.shape)
        before = n
        yield Data(Counts.of_table(table), float(np.sum(table * np.log(p))))


def scores(
    structure: Structure, data: Data, draw: int, methods: Sequence[str] = METHODS, least=-np.inf
) -> dict[str, tuple[float, bool]]:
    """By method the score in nats, and whether its fit converged. The MAP estimate has missed the
    best optimum where its ln p(y given theta) is below ``least``: all are then fitted from MORE
    starts.
    """
    task = Task([structure.canonical()], data.counts, Prior(), common.SEED, (draw,))
    for effort in (EFFORT, MORE):
        by_method = compute(task, methods, effort)[0]
        by_method = {
            s.method: (s.score, s.method == EVIDENCE or bool(s.converged)) for s in by_method
        }
        if FIT not in by_method or by_method[FIT][0] >= least:
            break
    return by_method


def embedded(parameters: Parameters, true: Structure, structure: Structure) -> Parameters:
    """``parameters`` of ``true`` as those of a structure that contains it: rows are repeated."""
    observed = []
    for rows, parents, wider in zip(
        parameters.observed, true.parents, structure.parents, strict=True
    ):
        states = [np.arange(true.family.hidden[i]) for i in wider]
        grid = np.meshgrid(*states, indexing="ij") if wider else []
        row = np.zeros(np.shape(grid[0]) if grid else (), dtype=int)
        for i in parents:
            row = row * true.family.hidden[i] + grid[wider.index(i)]
        observed.append(rows[row.ravel()])
    return replace(parameters, observed=tuple(observed))


def jacobian_rank(structure: Structure, parameters: Parameters) -> int:
    """The rank of the Jacobian of the cell probabilities, each over its square root, at these
    parameters, with respect to the free ones. Every probability is linear in each parameter.
    """
    base = cell_probabilities(structure, parameters)

    def slope(kind: str, table: int, place: tuple[int, ...]) -> np.ndarray:
        changed = [t.copy() for t in getattr(parameters, kind)]
        changed[table][place] += 1
        return cell_probabilities(structure, replace(parameters, **{kind: tuple(changed)})) - base

    columns = []
    used = {i for parents in structure.parents for i in parents}
    for kind in ("hidden", "observed"):
        for table, rows in enumerate(getattr(parameters, kind)):
            if kind == "hidden" and table not in used:
                continue
            for *row, value in np.ndindex(*rows.shape):
                if value:
                    first = slope(kind, table, (*row, 0))
                    columns.append((slope(kind, table, (*row, value)) - first) / np.sqrt(base))
    return int(np.linalg.matrix_rank(np.array(columns).reshape(len(columns), -1), rtol=1e-9))


def expected(method: str, true: Structure, structure: Structure) -> float:
    """The slope per ln n that theory gives a score less the ln probability under the true
    parameters; nan where it is not known. ``structure`` contains the true one.
    """
    if method == "bic":
        return -structure.n_parameters / 2
    if method in SINGULAR and structure.label in SINGULAR[method] and true.label == "0-0-0-0":
        return -SINGULAR[method][structure.label]
    drawn = draw_parameters(true, Prior(), generator(common.SEED, "parameters", 0))
    d = structure.without_childless().n_parameters
    regular = jacobian_rank(structure, embedded(drawn, true, structure)) == d
    return -d / 2 if regular and method != "map" else np.nan


def of_draw(true: Structure, draw: int) -> Iterator[dict]:
    """Every difference of one draw, in nats. A structure that contains the true one fits the data
    as well, but for the pull of the prior, which is less than MISSED nats.
    """
    lacking = LACK[true.label]
    for data in data_sets(true, draw):
        least = -np.inf
        for label in CONTAIN[true.label] + lacking:
            structure, contains = Structure.from_label(label), label not in lacking
            by_method = scores(structure, data, draw, METHODS, least if contains else -np.inf)
            if label == true.label:
                least = by_method[FIT][0] - MISSED
            if contains and draw < EVIDENCE_DRAWS and data.counts.n <= EVIDENCE_UP_TO:
                by_method |= scores(structure, data, draw, [EVIDENCE])
            for method, (value, ok) in by_method.items():
                row = {"true_structure": true.label, "structure": label, "n": data.counts.n}
                row |= {"draw": draw, "method": method, "converged": ok}
                if contains:
                    yield row | {"against": TRUTH, "difference": value - data.log_probability}
                elif method != FIT:
                    yield row | {"against": FIT, "difference": value - by_method[FIT][0]}
            (vb, vb_ok), (bic, bic_ok) = by_method["vb"], by_method["bic"]
            row |= {"method": "vb", "converged": vb_ok and bic_ok, "against": "bic"}
            yield row | {"difference": vb - bic}


def mean(values: pd.Series) -> tuple[int, float, float]:
    """Number, mean and its standard error, of those that there are."""
    values = values.dropna()
    return len(values), values.mean(), values.sem()


def rows() -> Iterator[dict]:
    differences = []
    for label in CONTAIN:
        true = Structure.from_label(label)
        for draw in range(DRAWS):
            differences += of_draw(true, draw)
            print(label, draw, flush=True)
    table = pd.DataFrame(differences)
    of = ["true_structure", "structure", "method", "against"]
    for key, group in table.groupby(of, sort=False):
        true, structure = map(Structure.from_label, key[:2])
        by_n = group.pivot(index="draw", columns="n", values="difference")
        converged = group.groupby("n")["converged"].mean()
        for n in by_n:
            draws, difference, error = mean(by_n[n])
            row = dict(zip(of, key, strict=True)) | {"n": n, "draws": draws}
            row |= {"n_parameters": structure.n_parameters}
            row |= {"dimension": effective_dimension(structure)}
            row |= {"converged": converged[n]}
            row |= {"difference": difference, "standard_error": error}
            row |= {"slope": np.nan, "slope_error": np.nan, "expected": np.nan}
            if n > SIZES[0]:
                slope = (by_n[n] - by_n[SIZES[0]]) / np.log(n / SIZES[0])
                row |= dict(zip(("slope", "slope_error"), mean(slope)[1:], strict=True))
            if row["against"] == TRUTH:
                row["expected"] = expected(row["method"], true, structure)
            yield row


def draw_lines(axes: Axes, table: pd.DataFrame, by: str) -> None:
    """Mean differences by n with two standard errors, a line for each value of a column: broken for
    a structure that lacks a link.
    """
    lacking = {label for labels in LACK.values() for label in labels}
    for name, of_line in table.groupby(by, sort=False):
        label, look = (SPECS[name].label, COLOURS[name]) if by == "method" else (name, None)
        error = 2 * of_line["standard_error"]
        axes.errorbar(of_line["n"], of_line["difference"], error, color=look, label=label,
                      ls="--" if name in lacking else "-", marker="o", ms=3, lw=1.0)  # fmt: skip
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, columnspacing=1.0)
    layout.decades(axes, table["n"])
    axes.xaxis.set_major_formatter(LogFormatterMathtext())


@style.styled
def drawn(table: pd.DataFrame) -> Figure:
    """VB minus BIC by structure, under either truth; and the scores of one redundant cause."""
    titles = [f"VB minus BIC: truth {label}" for label in CONTAIN]
    figure, panels = layout.panels([*titles, "Scores of 1-1-1-1: truth 0-0-0-0"], 3.6, 3)
    for axes, label in zip(panels, CONTAIN, strict=False):
        shown = table[(table["true_structure"] == label) & (table["against"] == "bic")]
        draw_lines(axes, shown, "structure")
    shown = table[(table["true_structure"] == "0-0-0-0") & (table["structure"] == "1-1-1-1")]
    shown = shown[(shown["against"] == TRUTH) & shown["method"].isin(COLOURS)]
    draw_lines(panels[2], shown, "method")
    panels[0].set_ylabel("nats")
    figure.supxlabel("number of cases n")
    return figure


def slopes(table: pd.DataFrame) -> Iterator[list[str]]:
    """Rows of the page's table: slopes per ln n over all sizes, of the evidence over its own."""
    table = table.dropna(subset="slope")
    last = table[table["n"] == table.groupby(["structure", "method"])["n"].transform("max")]
    for (true, structure), of_structure in last.groupby(
        ["true_structure", "structure"], sort=False
    ):
        lacks = structure in LACK[true]
        by_method = {(r.method, r.against): r for r in of_structure.itertuples()}
        any_row = of_structure.iloc[0]
        cells = [
            true,
            structure,
            f"{any_row['n_parameters'] / 2:g}",
            f"{any_row['dimension'] / 2:g}",
        ]
        for method in (EVIDENCE, "vb", "cs", "laplace", "bic"):
            r = by_method.get((method, FIT if lacks else TRUTH))
            is_derived = r is not None and method in (EVIDENCE, "vb") and not np.isnan(r.expected)
            words = f" ({r.expected:g})" if is_derived else ""
            cells.append("" if r is None else f"{r.slope:.2f} ± {r.slope_error:.2f}{words}")
        apart = by_method["vb", "bic"]
        yield [*cells, f"{apart.slope:+.2f} ± {apart.slope_error:.2f}"]


def main() -> None:
    table = pd.DataFrame(common.write(RESULT, rows()))
    head = "truth | structure | d / 2 | D / 2 | evidence | VB | CS | Laplace | BIC | VB minus BIC"
    common.print_table(head, slopes(table))
    FIGURE.parent.mkdir(exist_ok=True)
    style.save(drawn(table), FIGURE.with_suffix(".png"), FIGURE.with_suffix(".pdf"))


if __name__ == "__main__":
    main()
