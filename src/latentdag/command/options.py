"""The options of the command ``latentdag``, and its help."""

import argparse
import csv
import textwrap
from collections.abc import Callable
from typing import NoReturn

import latentdag
from latentdag.analysis.fit import OFTEN
from latentdag.analysis.fit_tables import TABLES
from latentdag.analysis.posterior_draws import CHAINS, DRAWS
from latentdag.model.parameters import Prior
from latentdag.ranking.names import cardinalities
from latentdag.ranking.prior import PRIOR, PRIORS
from latentdag.ranking.trust import AUTOMATIC
from latentdag.scores import METHODS, SPECS, settings_by_name

OF_METHOD = (
    f"one of {', '.join(METHODS)}; each is explained below (the first of {', '.join(AUTOMATIC)} "
    "that is expected to take a few minutes at most, by the number of structures and of cases)"
)
OF_STRUCTURE = {
    "metavar": "LABEL",
    "help": "parents of each observed variable, such as 1-12-12-2 (of one cause: it acts on all)",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print ``message`` in one line on stderr, and exit with status 2."""
        self.exit(2, f"{self.prog}: {message} (--help lists the options)\n")


def parser(score: Callable, fit: Callable, rank: Callable) -> argparse.ArgumentParser:
    """The parser of the command's arguments. The options that it gives have as ``run`` the function
    of the subcommand, ``score``, ``fit`` or ``rank``, which takes these options.
    """
    whole = Parser(
        prog="latentdag",
        description="Which hidden variables cause which observed ones? "
        "Log scores of network structures, in nats.",
    )
    version = f"latentdag {latentdag.__version__}"
    whole.add_argument("--version", action="version", version=version, help="print the version")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    words = "one column per observed variable, one line per case; - for standard input"
    add("data", metavar="DATA.csv", help=words)
    add("--count", metavar="COLUMN", help="column with the number of cases of each line")
    words = "columns that are observed variables (all but --count)"
    add("--columns", type=_names, metavar="NAME,NAME,...", help=words)
    words = "text of a missing value, besides an empty cell; may be given several times (NA, NaN)"
    add("--missing", action="append", metavar="TEXT", help=words)
    words = (
        "the values of a column in their order, such as --levels sex=male,female, where the table "
        "does not have them all; may be given several times (those found, sorted)"
    )
    add("--levels", type=_levels, action="append", metavar="COLUMN=VALUE,VALUE,...", help=words)
    words = (
        "numbers of states of the hidden variables (2,2); rank takes several, as in --hidden 2 "
        "--hidden 3, and compares them; 1, or none, is one class without a cause"
    )
    add("--hidden", type=_states, action="append", metavar="K,K,...", help=words)
    words = "Dirichlet parameter of the observed variables (1)"
    add("--alpha", type=float, default=Prior.alpha, help=words)
    words = "Dirichlet parameter of the hidden variables (that of --alpha)"
    add("--alpha-hidden", type=float, help=words)
    add("--seed", type=int, default=0, help="root of the random streams (0)")
    for name, users in settings_by_name().items():
        first = users[0][1]
        defaults = ", ".join(f"{job}: {str(s.default).lower()}" for job, s in users)
        if name in OFTEN:
            defaults += f"; fit, and score by ml or bic_ml: {OFTEN[name]}"
        kind, metavar = type(first.default), "N"
        if kind is bool:
            kind, metavar = _boolean, "BOOLEAN"
        option, words = "--" + name.replace("_", "-"), f"{first.meaning} ({defaults})"
        add(option, dest=name, type=kind, metavar=metavar, help=words)
    form = ("table", "csv", "json")
    add("--format", choices=form, default="table", help="format of the output (table)")
    words = "processor cores to use; the results do not depend on it (all)"
    add("--cores", type=int, metavar="N", help=words)

    scored = argparse.ArgumentParser(add_help=False, parents=[common])
    scored.add_argument("--method", choices=METHODS, metavar="METHOD", help=OF_METHOD)
    layout = {
        "parents": [scored],
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": _methods(),
    }
    one = commands.add_parser("score", **layout, help="score one structure")
    one.add_argument("--structure", **OF_STRUCTURE)
    one.set_defaults(run=score)

    words = "parameters of one structure, how well they fit, and the states of each case"
    fitted = commands.add_parser("fit", parents=[common], help=words)
    add = fitted.add_argument
    add("--structure", **OF_STRUCTURE)
    words = "estimate of the parameters (ml)"
    add("--method", choices=("ml", "map"), default="ml", help=words)
    words = "simulated tables, for the p-value of G2 (0: none)"
    add("--replicates", type=int, default=0, metavar="N", help=words)
    words = f"posterior draws of each of {CHAINS} chains, for intervals of the parameters "
    add("--draws", type=int, default=DRAWS, metavar="N", help=words + f"({DRAWS}; 0: none)")
    add("--table", choices=TABLES, help="print this table alone, as --format csv needs")
    fitted.set_defaults(run=fit)

    ranked = commands.add_parser("rank", **layout, help="score all structures, best first")
    add = ranked.add_argument
    add("--top", type=int, default=10, metavar="N", help="structures to print, 0 for all (10)")
    words = (
        "uniform prior over structures, over families (numbers of states of the causes with "
        f"children), or over classes of equal distributions ({PRIOR})"
    )
    add("--prior", choices=PRIORS, default=PRIOR, help=words)
    words = "stop after this time, and rank the structures that are scored by then (no limit)"
    add("--within", type=float, metavar="SECONDS", help=words)
    words = (
        "do not score all structures: keep the best WIDTH and score their neighbours, until there "
        "are no new ones"
    )
    add("--search", type=int, metavar="WIDTH", help=words)
    ranked.set_defaults(run=rank)
    return whole


def _names(text: str) -> list[str]:
    """Names in a line of CSV: a name with a comma is quoted."""
    return next(csv.reader([text]), [])


def _levels(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals or "" in (levels := _names(values)):
        words = f"{text!r} is not COLUMN=VALUE,VALUE,..., each with a text"
        raise argparse.ArgumentTypeError(words)
    return name, levels


def _states(text: str) -> tuple[int, ...]:
    try:
        return () if text == "1" else cardinalities(text)
    except ValueError:
        words = f"{text!r} is not a list of integers, such as 2,2"
        raise argparse.ArgumentTypeError(words) from None


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"{text!r} is not true or false")
    return text == "true"


def _methods() -> str:
    width = 2 + max(map(len, SPECS))
    lines = [f"{'methods':<{width}}definition"]
    for spec in SPECS.values():
        text = f"{spec.name:<{width}}{spec.definition} ({spec.source})"
        lines += textwrap.wrap(text, 92, subsequent_indent=" " * width)
    return "\n".join(lines)
