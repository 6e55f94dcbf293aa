"""The command ``latentdag``: score or rank structures on a CSV file, without a workflow."""

import argparse
import csv
import json
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Event, Thread
from typing import NoReturn, TextIO

import numpy as np

from latentdag.choice import LADDER, Choice, choose, in_words, likely_scored
from latentdag.counting import number_of_structures
from latentdag.data import MISSING_TEXT, Table, read_table
from latentdag.dimension import effective_dimension
from latentdag.fit_tables import TABLES
from latentdag.goodness import fit
from latentdag.model import Prior
from latentdag.posterior_draws import CHAINS, DRAWS
from latentdag.ranking import PRIORS, Ranking, distinct_structures, rank_structures
from latentdag.scores import JOBS, METHODS, SPECS, score, settings_by_name, with_needs
from latentdag.scores.base import Score
from latentdag.structure_search import search
from latentdag.structures import Family, Structure, check_enumerable

WITHIN = 60.0  # seconds
MOST_PAIRS = 28  # of which each is told: those of 8 variables
MANY = 10_000  # structures: to list them takes a second
PROBABILITIES = (
    "probability",
    "low",
    "high",
    "p_value",
    "p_error",
)  # three digits say enough, and below 1e-6 none
OF_VB = (
    "vb is a lower bound, farther below the evidence where there are more links: it favours few, "
    "and is too sure; laplace costs less, and reference is the evidence itself"
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; exit status 2 with one line on stderr when the input is not valid."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, FloatingPointError) as error:
        _say(str(error))
        return 2
    except BrokenProcessPool:
        _say("a process was killed, perhaps for want of memory: --cores 1 takes least")
        return 1
    except MemoryError as error:
        _say(f"there is not enough memory: {error or 'the work is too large'}")
        return 1
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


class Parser(argparse.ArgumentParser):
    """Tells a wrong option in one line, without all the others."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help lists the options)\n")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
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
        "--columns",
        type=_names,
        metavar="NAME,NAME,...",
        help="columns that are observed variables (all but --count)",
    )
    common.add_argument(
        "--missing",
        action="append",
        metavar="TEXT",
        help="text that stands for a missing value; may be given several times (an empty cell, NA "
        "and NaN)",
    )
    common.add_argument(
        "--hidden",
        type=_cardinalities,
        action="append",
        metavar="K,K,...",
        help="numbers of states of the hidden variables (2,2); rank takes several, as in "
        "--hidden 2 --hidden 3, and compares them",
    )
    common.add_argument(
        "--alpha",
        type=_number,
        default=Prior.alpha,
        help="Dirichlet parameter of the observed variables (1)",
    )
    common.add_argument(
        "--alpha-hidden",
        type=_number,
        help="Dirichlet parameter of the hidden variables (that of --alpha)",
    )
    common.add_argument("--seed", type=_whole, default=0, help="root of the random streams (0)")
    for name, (kind, meaning) in _settings().items():
        option = "--" + name.replace("_", "-")
        common.add_argument(option, dest=name, type=kind, metavar="N", help=meaning)
    common.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="of the output (table)"
    )
    common.add_argument(
        "--cores",
        type=_whole,
        metavar="N",
        help="processor cores to use; no number depends on it (all)",
    )
    scored = argparse.ArgumentParser(add_help=False, parents=[common])
    judge = scored.add_mutually_exclusive_group()
    judge.add_argument(
        "--method",
        choices=METHODS,
        metavar="METHOD",
        help=f"one of {', '.join(METHODS)}; what each is stands below",
    )
    judge.add_argument(
        "--within",
        type=_number,
        default=WITHIN,
        metavar="SECONDS",
        help=f"without --method the first of {', '.join(LADDER)} that is likely to take no longer "
        f"is used ({WITHIN:g})",
    )
    layout = {
        "parents": [scored],
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": _methods_in_words(),
    }
    one = commands.add_parser("score", **layout, help="score one structure")
    structure = {
        "required": True,
        "metavar": "LABEL",
        "help": "parents of each observed variable, such as 1-12-12-2",
    }
    one.add_argument("--structure", **structure)
    one.set_defaults(run=_score)
    fitted = commands.add_parser(
        "fit",
        parents=[common],
        help="parameters of one structure, how well they fit, and the states of each case",
    )
    fitted.add_argument("--structure", **structure)
    fitted.add_argument(
        "--method", choices=("ml", "map"), default="ml", help="estimate of the parameters (ml)"
    )
    fitted.add_argument(
        "--replicates",
        type=_whole,
        default=0,
        metavar="N",
        help="simulated tables, for the p-value of G2 (0: none)",
    )
    fitted.add_argument(
        "--draws",
        type=_whole,
        default=DRAWS,
        metavar="N",
        help=f"posterior draws of each of {CHAINS} chains, for intervals of the parameters "
        f"({DRAWS}; 0: none)",
    )
    fitted.add_argument(
        "--table", choices=TABLES, help="print this table alone, as --format csv needs"
    )
    fitted.set_defaults(run=_fit)
    rank = commands.add_parser("rank", **layout, help="score all structures, best first")
    rank.add_argument(
        "--top", type=_whole, default=10, metavar="N", help="structures to print, 0 for all (10)"
    )
    rank.add_argument(
        "--prior",
        choices=PRIORS,
        default="structures",
        help="what is equally probable beforehand: structures, families (causes with children, by "
        "their numbers of states), or classes of equal distributions (structures)",
    )
    rank.add_argument(
        "--search",
        type=_whole,
        metavar="WIDTH",
        help="score not all structures: keep the best WIDTH and score their neighbours, as long as "
        "there are new ones",
    )
    rank.set_defaults(run=_rank)
    return parser


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def _names(text: str) -> list[str]:
    """Names as a line of CSV has them: one with a comma stands in quotes."""
    return next(csv.reader([text]), [])


def _cardinalities(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of whole numbers, such as 2,2"
        ) from None


def _settings() -> dict[str, tuple[Callable[[str], float], str]]:
    """The settings of all scores by name, each with what reads it, and its meaning and defaults."""
    found = {}
    for name, users in settings_by_name().items():
        first, defaults = users[0][1], ", ".join(f"{job}: {s.default}" for job, s in users)
        of_text = _whole if isinstance(first.default, int) else _number
        found[name] = of_text, f"{first.meaning} ({defaults})"
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
    """Tells on a terminal, once a second, how much is done and how long the rest will take.

    ``total`` is the work in all; None where nobody knows, as in a search: then what is told is how
    many ``things`` are done.
    """

    def __init__(self, total: float | None, things: str, stream: TextIO):
        self.total, self.things, self.stream = total, things, stream
        self.done, self.began = 0.0, time.monotonic()
        self.told = False
        self.ended = Event()
        self.teller = Thread(target=self._tell, daemon=True)

    def __call__(self, done: float) -> None:
        """Count what is ``done`` since the last call."""
        self.done += done

    def __enter__(self) -> "Progress":
        self.teller.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.teller.join()
        if self.told:
            self._write("")

    def words(self, now: float) -> str:
        """What is told at a time, as `time.monotonic` has it."""
        spent = now - self.began
        if self.total is None:
            return f"{self.done:.0f} {self.things} after {in_words(spent)}"
        share = min(self.done / self.total, 1.0)
        if share == 0:
            return f"0% done after {in_words(spent)}"
        return f"{share:.0%} done, about {in_words(spent * (1 / share - 1))} left"

    def _tell(self) -> None:
        while not self.ended.wait(1.0):
            self.told = True
            self._write(self.words(time.monotonic()))

    def _write(self, words: str) -> None:
        print(f"\r{words:<60}", end="\r", file=self.stream, flush=True)


@contextmanager
def _progress(total: float | None, things: str, per_thing: float = 1.0) -> Iterator[dict]:
    """The keyword argument ``report`` of the library, where somebody may see it; each of the
    ``things`` is reported as ``per_thing``.
    """
    if not sys.stderr.isatty():
        yield {}
        return
    with Progress(total, things, sys.stderr) as progress:
        yield {"report": lambda done: progress(done / per_thing)}


def _say(words: str) -> None:
    """A line on stderr."""
    print(f"latentdag: {words}", file=sys.stderr)


def _settings_of(options, names: Sequence[str]) -> dict:
    """Keyword arguments of the library."""
    return {name: getattr(options, name) for name in names}


def _of_scores(options) -> dict:
    """Those of `score_structures`."""
    return _settings_of(options, ("alpha", "alpha_hidden", "seed", "cores", *_settings()))


def _method(
    options, table: Table, structures: Sequence[Structure], n_scored: int | None = None
) -> str:
    """The method asked for, or else the best in time for these structures, and why."""
    if options.method is None:
        keywords = {"within": options.within, "n_scored": n_scored} | _of_scores(options)
        choice = choose(table.counts, structures, **keywords)
        _say(_in_words(choice, options.within))
        return choice.method
    return options.method


def _in_words(choice: Choice, within: float) -> str:
    """What was chosen, and why nothing better, in one line."""
    words = f"by {choice.method}, in {choice.chosen}"
    if choice.chosen.seconds > within:
        words += f", as no method is likely to take --within {within:g} s"
    for other in choice.better:
        words += f"; {other.method} " + ("cannot be used" if other.why_not else f"takes {other}")
    if any(not other.why_not for other in choice.better):
        words += " (--method METHOD asks for it)"
    return words


def _families(options, table: Table) -> list[Family]:
    """One or several families of hidden variables, each once."""
    return [table.family(hidden) for hidden in dict.fromkeys(options.hidden or [(2, 2)])]


def _table(options) -> Table:
    """The cases, after what looks like a mistake in them was told."""
    missing = options.missing or MISSING_TEXT
    table = read_table(options.data, options.count, columns=options.columns, missing=missing)
    for remark in table.remarks:
        _say(f"{options.data}: {remark}")
    return table


def _structure(options, table: Table) -> Structure:
    families = _families(options, table)
    if len(families) > 1:
        raise ValueError("--hidden: one family is needed, as the structure belongs to one")
    return Structure.from_label(options.structure, families[0])


def _fit(options) -> None:
    table = _table(options)
    if options.format == "csv" and options.table is None:
        raise ValueError(f"--format csv: --table must be one of {', '.join(TABLES)}")
    own = [setting.name for setting in JOBS[options.method].settings]
    with _progress(options.replicates or None, "replicates") as report:
        found = fit(
            table.counts,
            _structure(options, table),
            options.method,
            **_settings_of(options, ["alpha", "alpha_hidden", "seed", "cores", *own]),
            **_settings_of(options, ["replicates", "draws"]),
            **report,
        )
    rows = {name: TABLES[name](found, table) for name in TABLES}
    if options.table is not None:
        _print(rows[options.table], options.format)
    elif options.format == "json":
        print(json.dumps(rows, indent=1))
    else:
        for i, (name, own) in enumerate(rows.items()):
            print("\n" * (i > 0) + name)
            _print(own, "table")


def _n_jobs(method: str) -> int:
    """Jobs behind a method; each reports every structure."""
    return len(with_needs([SPECS[method].job.name]))


def _score(options) -> None:
    table = _table(options)
    structure = _structure(options, table)
    method = _method(options, table, [structure])
    with _progress(1, "structures", _n_jobs(method)) as report:
        found = score(table.counts, structure, method, **_of_scores(options), **report)
    _print([_row(found)], options.format)


def _enumerated(options, table: Table, families: list[Family]) -> Ranking:
    for family in families:
        check_enumerable(family)
    if (number := number_of_structures(families)) > MANY:
        _say(f"{number:,} structures; --search WIDTH scores fewer of them")
    structures = [s for own in distinct_structures(families) for s in own]
    method = _method(options, table, structures)
    with _progress(len(structures), "structures", _n_jobs(method)) as report:
        return rank_structures(
            table.counts, families, method, prior=options.prior, **_of_scores(options), **report
        )


def _searched(options, table: Table, families: list[Family]) -> Ranking:
    if len(families) > 1:
        raise ValueError("--search: one family is needed; it holds those with fewer causes")
    some, likely = likely_scored(families[0], options.search)
    method = _method(options, table, some, likely)
    with _progress(None, "structures", _n_jobs(method)) as report:
        found = search(
            table.counts,
            families[0],
            method,
            width=options.search,
            prior=options.prior,
            **_of_scores(options),
            **report,
        )
    _say(
        f"the search scored {len(found.ranking.scores)} structures; others may be better, and "
        "probabilities are among these"
    )
    return found.ranking


def _rank(options) -> None:
    if options.top < 0:
        raise ValueError(f"--top must be at least 0, got {options.top}")
    table = _table(options)
    families = _families(options, table)
    rank_all = _enumerated if options.search is None else _searched
    ranking = rank_all(options, table, families)
    values = np.array([s.score for s in ranking.scores])
    has_posterior = SPECS[ranking.scores[0].method].posterior
    rows = []
    for own, p in zip(ranking.scores[: options.top or None], ranking.probabilities, strict=False):
        known = not math.isnan(own.score)
        row = {"rank": int(1 + (values > own.score).sum()) if known else None}
        row |= _row(own)
        if has_posterior:
            row["probability"] = float(p) if known else None
        rows.append(row)
    _print(rows, options.format)
    if options.format == "table" and has_posterior:
        _print_marginals(ranking, table)
    if options.method == "vb":
        _say(OF_VB)


def _print_marginals(ranking: Ranking, table: Table) -> None:
    """p(causes) and p(two variables share a cause), below the ranking."""
    print()
    causes = [
        {"states of the causes": ",".join(map(str, states)) or "no cause", "probability": p}
        for states, p in ranking.of_causes().items()
    ]
    _print(causes, "table")
    print()
    pairs = [
        {"share a cause": f"{table.names[i]}, {table.names[j]}", "probability": p}
        for (i, j), p in sorted(ranking.of_pairs().items(), key=lambda item: -item[1])
    ]
    if len(pairs) <= MOST_PAIRS:
        _print(pairs, "table")
        return
    doubtful = [row for row in pairs if 0.01 <= row["probability"] <= 0.99]
    if doubtful:
        _print(doubtful, "table")
    n_sure = sum(row["probability"] > 0.99 for row in pairs)
    n_rest = len(pairs) - len(doubtful) - n_sure
    print(f"above 0.99 for {n_sure} more pairs, below 0.01 for {n_rest}")


def _row(own: Score) -> dict:
    numbers = {"score": own.score, "standard_error": own.standard_error}
    known = {name: None if math.isnan(value) else value for name, value in numbers.items()}
    return {
        "hidden": ",".join(map(str, own.structure.family.hidden)),
        "structure": own.structure.label,
        "method": own.method,
        "n_parameters": own.n_parameters,
        "dimension": effective_dimension(own.structure),
        "class": own.structure.absorbed().label,
    } | known


def _print(rows: list[dict], form: str) -> None:
    if form == "json":
        print(json.dumps(rows, indent=1))
        return
    header = list(rows[0])
    if form == "csv":
        writer = csv.DictWriter(sys.stdout, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    lines = [[_text(name, row[name]) for name in header] for row in rows]
    texts = [any(isinstance(row[name], str) for row in rows) for name in header]
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    for line in (header, *lines):
        words = (
            w.ljust(k) if is_text else w.rjust(k)
            for is_text, w, k in zip(texts, line, widths, strict=True)
        )
        print("  ".join(words).rstrip())


def _text(name: str, value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{round(value, 6):.3g}" if name in PROBABILITIES else f"{value:.6f}"
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
