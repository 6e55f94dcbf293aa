"""The command ``latentdag``: score or rank structures on a CSV file, without a workflow."""

import argparse
import csv
import json
import math
import os
import sys
import textwrap
import time
from typing import TextIO

import numpy as np

from latentdag.data import Table, read_table
from latentdag.dimension import effective_dimension
from latentdag.model import Prior
from latentdag.scores import METHODS, SPECS, score_structures, settings_by_name, with_needs
from latentdag.structures import Structure, enumerate_structures

OF_VB = (
    "vb is a lower bound, farther below the evidence where there are more links: it favours few, "
    "and is too sure; laplace costs less, and reference is the evidence itself"
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; exit status 2 with one line on stderr when the input is not valid."""
    options = _parser().parse_args(arguments)
    try:
        rows = options.run(options)
        _print(rows, options.format)
    except (ValueError, FloatingPointError) as error:
        print(f"latentdag: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="latentdag",
        description="Which hidden variables cause which observed ones? "
        "Log scores of network structures, in nats.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "data", metavar="DATA.csv", help="one column per observed variable, one line per case"
    )
    common.add_argument(
        "--count", metavar="COLUMN", help="column that says how often a line stands for a case"
    )
    common.add_argument(
        "--hidden",
        type=_cardinalities,
        default=(2, 2),
        metavar="K,K,...",
        help="cardinalities of the hidden variables (2,2)",
    )
    common.add_argument(
        "--method",
        choices=METHODS,
        default="vb",
        metavar="METHOD",
        help=f"one of {', '.join(METHODS)} (vb); what each is stands below",
    )
    common.add_argument(
        "--alpha",
        type=float,
        default=Prior.alpha,
        help="Dirichlet parameter of the observed variables (1)",
    )
    common.add_argument(
        "--alpha-hidden",
        type=float,
        help="Dirichlet parameter of the hidden variables (that of --alpha)",
    )
    common.add_argument("--seed", type=int, default=0, help="root of the random streams (0)")
    for name, (kind, meaning) in _settings().items():
        option = "--" + name.replace("_", "-")
        common.add_argument(option, dest=name, type=kind, metavar="N", help=meaning)
    common.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="of the output (table)"
    )
    layout = {
        "parents": [common],
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": _methods_in_words(),
    }
    score = commands.add_parser("score", **layout, help="score one structure")
    score.add_argument(
        "--structure",
        required=True,
        metavar="LABEL",
        help="parents of each observed variable, such as 1-12-12-2",
    )
    score.set_defaults(run=_score)
    rank = commands.add_parser("rank", **layout, help="score all structures, best first")
    rank.add_argument(
        "--top", type=int, default=10, metavar="N", help="structures to print, 0 for all (10)"
    )
    rank.set_defaults(run=_rank)
    return parser


def _cardinalities(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of whole numbers, such as 2,2"
        ) from None


def _settings() -> dict[str, tuple[type, str]]:
    """The settings of all scores by name, each with its type, and its meaning and defaults."""
    found = {}
    for name, users in settings_by_name().items():
        first, defaults = users[0][1], ", ".join(f"{job}: {s.default}" for job, s in users)
        found[name] = type(first.default), f"{first.meaning} ({defaults})"
    return found


def _methods_in_words() -> str:
    lines = [f"methods{'':>5}what each is"]
    for spec in SPECS.values():
        indent = " " * 12
        lines += textwrap.wrap(
            f"{spec.name:<12}{spec.definition} ({spec.source})", 92, subsequent_indent=indent
        )
    return "\n".join(lines)


class Progress:
    """Tells on a terminal how many structures are done and how long the rest will take."""

    def __init__(self, total: float, stream: TextIO):
        self.total, self.stream = total, stream
        self.done, self.began = 0.0, time.monotonic()
        self.told = self.began

    def __call__(self, done: float) -> None:
        """Count structures that are ``done`` since the last call; a line at most once a second."""
        self.done += done
        now = time.monotonic()
        if now - self.told < 1:
            return
        self.told = now
        left = (now - self.began) * (self.total / self.done - 1)
        self._write(f"{self.done / self.total:.0%} done, about {left:.0f} s left")

    def end(self) -> None:
        """Clear the line, if there is one."""
        if self.told > self.began:
            self._write("")

    def _write(self, words: str) -> None:
        print(f"\r{words:<40}", end="\r", file=self.stream, flush=True)


def _scores(options, structures, cases):
    names = ("alpha", "alpha_hidden", "seed", *_settings())
    settings = {name: getattr(options, name) for name in names}
    if not sys.stderr.isatty():
        return score_structures(cases, structures, options.method, **settings)
    jobs = with_needs([SPECS[options.method].job.name])
    progress = Progress(len(structures) * len(jobs), sys.stderr)
    try:
        return score_structures(cases, structures, options.method, report=progress, **settings)
    finally:
        progress.end()


def _table(options) -> Table:
    """The cases, after what looks like a mistake in them was told."""
    table = read_table(options.data, options.count)
    for remark in table.remarks:
        print(f"latentdag: {options.data}: {remark}", file=sys.stderr)
    return table


def _score(options) -> list[dict]:
    table = _table(options)
    structure = Structure.from_label(options.structure, table.family(options.hidden))
    return [_row(s) for s in _scores(options, [structure], table.cases)]


def _rank(options) -> list[dict]:
    if options.top < 0:
        raise ValueError(f"--top must be at least 0, got {options.top}")
    table = _table(options)
    scores = _scores(options, enumerate_structures(table.family(options.hidden)), table.cases)
    values = np.array([s.score for s in scores])
    known = ~np.isnan(values)
    weights = np.exp(values[known] - values[known].max(initial=-np.inf))
    rows = []
    best_first = np.argsort(-values, kind="stable")  # those without a score come last
    for i in best_first[: options.top or None]:
        row = {"rank": int(1 + (values > values[i]).sum()) if known[i] else None}
        row |= _row(scores[i])
        if SPECS[options.method].posterior:
            share = np.exp(values[i] - values[known].max(initial=-np.inf)) / weights.sum()
            row["probability"] = float(share) if known[i] else None
        rows.append(row)
    if options.method == "vb":
        print(f"latentdag: {OF_VB}", file=sys.stderr)
    return rows


def _row(score) -> dict:
    numbers = {"score": score.score, "standard_error": score.standard_error}
    known = {name: None if math.isnan(value) else value for name, value in numbers.items()}
    return {
        "structure": score.structure.label,
        "method": score.method,
        "n_parameters": score.n_parameters,
        "dimension": effective_dimension(score.structure),
        "class": score.structure.absorbed().label,
    } | known


def _print(rows: list[dict], form: str) -> None:
    if form == "json":
        print(json.dumps(rows, indent=1))
        return
    header = list(rows[0])
    lines = [[_text(name, row[name]) for name in header] for row in rows]
    if form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows([header, *lines])
        return
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    for line in (header, *lines):
        words = (
            w.ljust(k) if name in ("structure", "method", "class") else w.rjust(k)
            for name, w, k in zip(header, line, widths, strict=True)
        )
        print("  ".join(words).rstrip())


def _text(name: str, value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if name == "probability" else f"{value:.6f}"
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
