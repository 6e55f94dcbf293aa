"""The command ``latentdag``: score or rank structures on a CSV file, without a workflow."""

import csv
import json
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from decimal import Decimal
from io import StringIO
from math import inf

import numpy as np

from latentdag import scores
from latentdag.analysis.fit import fit, starting_often
from latentdag.analysis.fit_tables import TABLES, UNIDENTIFIED
from latentdag.command.options import parser
from latentdag.command.progress import progress
from latentdag.data.tables import MISSING_TEXT, Table, read_table
from latentdag.engine.checks import integer
from latentdag.engine.parallel import check_cores
from latentdag.model.dimension import effective_dimension
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family, Structure, check_enumerable, check_states
from latentdag.ranking.names import states
from latentdag.ranking.prior import number_of_structures
from latentdag.ranking.rank import rank_structures
from latentdag.ranking.ranking import Ranking
from latentdag.ranking.trust import AUTOMATIC, choose, likely_scored
from latentdag.scores.base import Score

MOST_PAIRS = 28  # of variables that are all listed: those of 8 variables
FEW_HITS = 3  # restarts that reach the best fit: with fewer there may be a better one
MANY = 10_000  # structures, which take a second to enumerate
# columns that are printed with three digits, and with six decimals at most
PROBABILITIES = ("probability", "low", "high", "p_value", "p_error")
# columns of CSV and JSON alone
DETAILS = ("restarts", "restarts_at_best", "near_boundary", "alpha", "alpha_hidden", "reason")
SURE = 0.99  # probability above which a pair shares a cause almost surely
OF_INTERVALS = ": posterior mean and its 90 % interval, low to high; probability by the estimate"
NEAR = 0.1  # share of parameters near the boundary that is told
LONG = 10**15  # from which a table has a number as a power of ten
REMARKS = {
    "vb": (
        "vb is a lower bound that lies farther below the evidence the more links there are: it "
        "favours few links and is overconfident; laplace costs less, and reference estimates the "
        "evidence"
    ),
    "bic": (
        "bic is no estimate of the evidence of a model with hidden causes, whose dimension it "
        "overstates: it favours few links; laplace costs as much, and reference estimates the "
        "evidence"
    ),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command with ``arguments``, None for those of the process. Returns the exit status:
    0, or with a line on stderr 2 where the input is not valid, 1 where output, memory or a process
    fails, 130 on Ctrl-C. Raises SystemExit for --help and options that are not valid.
    """
    if sys.stdout is None:
        _say("standard output is closed")
        return 1
    try:
        try:
            options = parser(_score, _fit, _rank).parse_args(arguments)
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: _say(str(message))
                options.run(options)
        finally:  # also of --help, which exits
            sys.stdout.flush()
    except (ValueError, FloatingPointError) as error:
        _say(str(error))
        return 2
    except BrokenProcessPool:
        _say("a process was killed, probably out of memory: try --cores 1")
        return 1
    except MemoryError as error:
        _say(f"out of memory: {error or 'the work is too large'}")
        return 1
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    except OSError as error:  # standard output is full, or its reader, such as head, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            _say(f"{error.filename or 'standard output'}: {error.strerror}")
            return 1
    return 0


def _say(words: str) -> None:
    print(f"latentdag: {words}", file=sys.stderr)


def _settings(options, names: Iterable[str]) -> dict:
    """Keyword arguments of the library: those of every function, and those of these ``names``."""
    of_all = ("alpha", "alpha_hidden", "seed", "cores")
    return {name: getattr(options, name) for name in (*of_all, *names)}


def _method(options, table: Table, families: Sequence[Family], n_structures: int) -> str:
    """The method given, or else the most trusted one that is not too much work, with the reason."""
    if options.method is not None:
        _say_unused(options, options.method)
        return options.method
    # what a score would refuse is refused before a word is said of the method
    Prior(options.alpha, options.alpha_hidden)
    integer("seed", options.seed, 0)
    check_cores(options.cores)
    for method in AUTOMATIC:
        scores.settings_of(scores.SPECS[method].job, vars(options))
    chosen, why_not = choose(table.counts, families, n_structures)
    of = "1 structure" if n_structures == 1 else f"{n_structures:,} structures"
    words = f"by {chosen}, for {of} and {table.n:,} cases"
    words += "".join(f"; {other} {why}" for other, why in why_not.items())
    _say(words + (" (--method METHOD asks for another)" if why_not else ""))
    _say_unused(options, chosen)
    return chosen


def _say_unused(options, method: str) -> None:
    """Name the settings that are given and that no job behind the method has."""
    used = scores.settings_used(method)
    set_by_user = [name for name in scores.settings_by_name() if getattr(options, name) is not None]
    if unused := ["--" + name.replace("_", "-") for name in set_by_user if name not in used]:
        _say(f"{method} does not use {', '.join(unused)}")


def _families(options, table: Table) -> list[Family]:
    """The families of ``--hidden``, each once."""
    return [table.family(hidden) for hidden in dict.fromkeys(options.hidden or [scores.HIDDEN])]


def _table(options) -> Table:
    """The table of cases; remarks on likely mistakes in it go to stderr."""
    path = "/dev/stdin" if options.data == "-" else options.data
    levels, missing = dict(options.levels or ()), options.missing or MISSING_TEXT
    if len(levels) < len(options.levels or ()):
        raise ValueError("--levels: the levels of a column are given twice")
    table = read_table(path, options.count, levels, missing, options.columns)
    if table.doubtful:
        raise ValueError(f"{options.data}: {_instead(table)}")
    for remark in table.remarks:
        _say(f"{options.data}: {remark}")
    return table


def _instead(table: Table) -> str:
    """What to type where a column is hardly a variable."""
    name, kind = next(iter(table.doubtful.items()))
    if kind == "count":
        return (
            f"column {name!r} looks like counts of the lines: --count {shlex.quote(name)} takes "
            f"it as such, {_columns(table.names)} keeps it as a variable"
        )
    others = [other for other in table.names if other not in table.doubtful]
    without = f"{_columns(others)} leaves it out, " if others else ""
    return (
        f"column {name!r} has a different value on nearly every line, as an identifier does: "
        f"{without}{_columns(table.names)} keeps it as a variable"
    )


def _columns(names: Sequence[str]) -> str:
    """The option that names columns, as a shell takes it."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return f"--columns {shlex.quote(line.getvalue())}"


def _structure(options, table: Table) -> Structure:
    families = _families(options, table)
    if len(families) > 1:
        raise ValueError("--hidden: one family is needed, that of the structure")
    label = options.structure
    if not families[0].hidden:  # one class
        label = (label or "-".join("0" * len(table.names))).replace("1", "0")
    if label is None and len(families[0].hidden) == 1:  # the latent class model
        label = "-".join("1" * len(table.names))
    if label is None:
        raise ValueError("--structure LABEL is needed, or one cause of all, as by --hidden 3")
    return Structure.from_label(label, families[0])


def _fit(options) -> None:
    table = _table(options)
    if options.format == "csv" and options.table is None:
        raise ValueError(f"--format csv: --table must be one of {', '.join(TABLES)}")
    structure = _structure(options, table)
    settings = _settings(options, ("replicates", "draws", *scores.settings_used(options.method)))
    _say_unused(options, options.method)
    with progress(options.replicates or None, "replicates") as report:
        fitted = fit(table, structure, options.method, **settings, **report)
    if not fitted.converged:
        _say("the fit did not converge: raise --max-iterations")
    elif fitted.restarts_at_best < FEW_HITS:
        _say(
            f"{fitted.restarts_at_best} of {fitted.restarts} restarts reached this fit: it "
            "may not be the best; --restarts N tries more"
        )
    names = TABLES if options.table is None else [options.table]
    rows = {name: TABLES[name](fitted, table) for name in names}
    if fitted.unidentified:
        (row,) = rows.get("fit") or TABLES["fit"](fitted, table)
        _say(
            f"AIC and BIC count {fitted.dimension} parameters, as the data cannot tell all "
            f"{fitted.structure.n_parameters}; with all, as other programs count, they are "
            f"{row['AIC_parameters']:.6f} and {row['BIC_parameters']:.6f}"
        )
        _say(UNIDENTIFIED)
    if options.table is not None:
        shown = rows[options.table]
        if options.format != "table":  # a file is read without what is said beside it
            shown = [row | {"converged": fitted.converged} for row in shown]
        _print(shown, options.format)
    elif options.format == "json":
        print(json.dumps(rows, indent=1))
    else:
        for i, (name, of_table) in enumerate(rows.items()):
            title = name + OF_INTERVALS * (name == "parameters" and fitted.draws is not None)
            print("\n" * (i > 0) + title)
            _print(of_table, "table")


def _progress(method: str, n_structures: int | None):
    """The progress of scoring: each job behind a method reports every structure."""
    jobs = scores.jobs_needed([scores.SPECS[method].job.name])
    return progress(n_structures, "structures", len(jobs))


def _score(options) -> None:
    table = _table(options)
    structure = _structure(options, table)
    family = structure.without_childless().family
    check_states(family.hidden)
    method = _method(options, table, [family], 1)
    settings = _settings(options, scores.settings_used(method))
    if scores.SPECS[method].job.name == "ml":
        settings = starting_often(settings, structure)
    with _progress(method, 1) as report:
        scored = scores.score(table, structure, method, **settings, **report)
    _print([_row(scored, options.format)], options.format)
    for line in scores.what_failed([scored]):
        _say(line)
    if scored.restarts > 1 and scored.restarts_at_best == 1:
        _say(f"1 of {scored.restarts:g} restarts reached the best fit: there may be a better one")
    if scored.near_boundary > NEAR:
        _say(
            f"{100 * scored.near_boundary:.0f} % of the parameters rest on less than one expected "
            f"case: {method} takes them for as many as the others"
        )


def _deadline(within: float) -> Callable[[], bool]:
    """Whether this time in seconds has passed."""
    if not within > 0:
        raise ValueError(f"--within must be above 0 seconds, got {within}")
    end = time.monotonic() + within
    return lambda: time.monotonic() > end


def _ranking(options, table: Table, stop: Callable[[], bool] | None) -> Ranking:
    """The ranking of all structures, or of those that a search reaches."""
    families, searched = _families(options, table), options.search is not None
    number = likely_scored(families, options.search)
    if not searched:
        for family in families:
            check_enumerable(family)
            check_states(family.hidden)
        if number > MANY:
            _say(f"{number:,} structures; --search WIDTH scores fewer of them")
    method = _method(options, table, families, number)
    settings = _settings(options, ("prior", "search", *scores.settings_used(method)))
    with _progress(method, None if searched else number) as report:
        ranking = rank_structures(table, families, method, stop=stop, **settings, **report)
    scored, of_all = len(ranking.scores), number_of_structures(families)
    if scored < of_all:
        total = f"{of_all:,}" if of_all < LONG else f"{Decimal(of_all):.1e}"
        late = f"; it stopped --within {options.within:g} s" if stop and stop() else ""
        words = f"the search scored {scored:,} of {total} structures; others may be better"
        if not searched:
            words = f"stopped --within {options.within:g} s: {scored:,} of {total} structures "
            words, late = words + "are scored, those with the fewest parameters", ""
        if ranking.has_posterior:
            words += "; the prior is over all structures, the probabilities are over those scored"
        _say(words + late)
    return ranking


def _rank(options) -> None:
    if options.top < 0:
        raise ValueError(f"--top must be at least 0, got {options.top}")
    stop = None if options.within is None else _deadline(options.within)
    table = _table(options)
    ranking = _ranking(options, table, stop)
    weights, is_flat = ranking.weights, np.ptp(ranking.log_prior) == 0
    rows = []
    for i, scored in enumerate(ranking.scores[: options.top or None]):
        has_score = not np.isnan(weights[i])
        row = {"rank": int(1 + (weights > weights[i]).sum()) if has_score else None}
        row |= _row(scored, options.format)
        if ranking.has_posterior:
            row["probability"] = float(ranking.probabilities[i]) if has_score else None
            if options.format != "table" or not is_flat:
                row["log_prior"] = float(ranking.log_prior[i])
        rows.append(row)
    if options.format == "table":
        print(ranking.title + ":")
    _print(rows, options.format, decimals=2)
    if options.format == "table" and ranking.has_posterior:
        _print_marginals(ranking)
    if options.method in REMARKS:
        _say(REMARKS[options.method])
    for line in scores.what_failed(ranking.scores):
        _say(line)


def _print_marginals(ranking: Ranking) -> None:
    """p(causes) and p(two variables share a cause), below the ranking."""
    print()
    causes = [
        {"states of the causes": row["states"], "probability": row["probability"]}
        for row in ranking.cause_rows()
    ]
    _print(causes, "table")
    pairs = [
        {"share a cause": f"{row['first']}, {row['second']}", "probability": row["probability"]}
        for row in ranking.pair_rows()
    ]
    n_sure = sum(row["probability"] > SURE for row in pairs)
    n_unlikely = sum(row["probability"] < 1 - SURE for row in pairs)
    if pairs:
        print()
    if len(pairs) > 1 and len(pairs) in (n_sure, n_unlikely):
        side = f"above {SURE}" if n_sure else f"below {1 - SURE:.2g}"
        print(f"each of {len(pairs)} pairs of variables shares a cause with probability {side}")
        return
    many = len(pairs) > MOST_PAIRS
    if shown := [row for row in pairs if not many or 1 - SURE <= row["probability"] <= SURE]:
        _print(shown, "table")
    if many:
        print(f"above {SURE} for {n_sure} more pairs, below {1 - SURE:.2g} for {n_unlikely}")


def _row(score: Score, form: str) -> dict:
    """What a score says of a structure; in a table for the eye without `DETAILS`."""
    names = ("score", "standard_error", "converged", *(DETAILS if form != "table" else ()))
    numbers = {name: getattr(score, name) for name in names}
    return {
        "hidden states" if form == "table" else "hidden": states(score.structure.family.hidden),
        "structure": score.structure.label,
        "method": score.method,
        "n_parameters": score.structure.without_childless().n_parameters,
        "dimension": effective_dimension(score.structure),
        "class": score.structure.absorbed().label,
    } | {name: None if value != value else value for name, value in numbers.items()}


def _print(rows: list[dict], form: str, decimals: int = 6) -> None:
    """Print rows as JSON, CSV or a table, whose numbers have as many ``decimals``."""
    if form == "json":
        print(json.dumps(rows, indent=1))
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        columns = [_column(name, [row[name] for row in rows], decimals) for name in rows[0]]
        for line in zip(*columns, strict=True):
            print("  ".join(line).rstrip())


def _column(name: str, values: list, decimals: int) -> list[str]:
    """The lines of a column, of equal width: text stands on the left, numbers on the right."""
    lines = [name, *(_text(name, value, decimals) for value in values)]
    width = max(map(len, lines))
    is_text = any(isinstance(value, str) for value in values)
    return [line.ljust(width) if is_text else line.rjust(width) for line in lines]


def _text(name: str, value, decimals: int) -> str:
    """A value in a table: empty for None; a number of `LONG` or more as a power of ten."""
    if value is None:
        return ""
    if isinstance(value, int | float) and LONG <= abs(value) < inf:
        return f"{Decimal(value):.5e}"
    if isinstance(value, float):
        return f"{round(value, 6):.3g}" if name in PROBABILITIES else f"{value:.{decimals}f}"
    return str(value)
