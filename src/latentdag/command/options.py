"""The options of the command ``latentdag``, and its help."""

import argparse
import csv
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

import latentdag
from latentdag.analysis.fit import OFTEN
from latentdag.analysis.fit_tables import TABLES
from latentdag.analysis.posterior_draws import CHAINS, DRAWS
from latentdag.model.parameters import Prior
from latentdag.ranking.names import cardinalities
from latentdag.ranking.prior import PRIOR, PRIORS
from latentdag.ranking.trust import AUTOMATIC
from latentdag.scores import METHODS, SPECS, settings_by_name

# what the options mean, with their defaults in brackets; those of the scores are settings of jobs
MEANINGS = {
    "data": "one column per observed variable, one line per case; - for standard input",
    "--count": "column with the number of cases of each line",
    "--columns": "columns that are observed variables (all but --count)",
    "--missing": "text of a missing value, besides an empty cell; may be given several times (NA, "
    "NaN)",
    "--levels": "the values of a column in their order, such as --levels sex=male,female, where "
    "the table does not have them all; may be given several times (those found, sorted)",
    "--hidden": "numbers of states of the hidden variables (2,2); rank takes several, as in "
    "--hidden 2 --hidden 3, and compares them; 1, or none, is one class without a cause",
    "--alpha": "Dirichlet parameter of the observed variables (1)",
    "--alpha-hidden": "Dirichlet parameter of the hidden variables (that of --alpha)",
    "--seed": "root of the random streams (0)",
    "--format": "format of the output (table)",
    "--cores": "processor cores to use; the results do not depend on it (all)",
    "--structure": "parents of each observed variable, such as 1-12-12-2 (of one cause: it acts "
    "on all)",
    "--replicates": "simulated tables, for the p-value of G2 (0: none)",
    "--draws": f"posterior draws of each of {CHAINS} chains, for intervals of the parameters "
    f"({DRAWS}; 0: none)",
    "--table": "print this table alone, as --format csv needs",
    "--top": "structures to print, 0 for all (10)",
    "--prior": "uniform prior over structures, over families (numbers of states of the causes with "
    f"children), or over classes of equal distributions ({PRIOR})",
    "--within": "stop after this time, and rank the structures that are scored by then (no limit)",
    "--search": "do not score all structures: keep the best WIDTH and score their neighbours, "
    "until there are no new ones",
}
OF_METHOD = (
    f"one of {', '.join(METHODS)}; each is explained below (the first of {', '.join(AUTOMATIC)} "
    "that is expected to take a few minutes at most, by the number of structures and of cases)"
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help lists the options)\n")


class Version(argparse.Action):
    """Prints the version of the installed package, which takes time to find."""

    def __call__(self, parser: argparse.ArgumentParser, *_) -> NoReturn:
        print(f"{parser.prog} {latentdag.__version__}")
        parser.exit()


def parser(score: Callable, fit: Callable, rank: Callable) -> argparse.ArgumentParser:
    """The parser; ``run`` of its result is ``score``, ``fit`` or ``rank``."""
    whole = Parser(
        prog="latentdag",
        description="Which hidden variables cause which observed ones? "
        "Log scores of network structures, in nats.",
    )
    whole.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    _add(common, "data", metavar="DATA.csv")
    _add(common, "--count", metavar="COLUMN")
    _add(common, "--columns", type=_names, metavar="NAME,NAME,...")
    _add(common, "--missing", action="append", metavar="TEXT")
    _add(common, "--levels", type=_levels, action="append", metavar="COLUMN=VALUE,VALUE,...")
    _add(common, "--hidden", type=_cardinalities, action="append", metavar="K,K,...")
    _add(common, "--alpha", type=_number, default=Prior.alpha)
    _add(common, "--alpha-hidden", type=_number)
    _add(common, "--seed", type=_integer, default=0)
    for name, (kind, meaning) in _settings().items():
        option = "--" + name.replace("_", "-")
        metavar = "BOOLEAN" if kind is _boolean else "N"
        common.add_argument(option, dest=name, type=kind, metavar=metavar, help=meaning)
    _add(common, "--format", choices=("table", "csv", "json"), default="table")
    _add(common, "--cores", type=_integer, metavar="N")

    scored = argparse.ArgumentParser(add_help=False, parents=[common])
    scored.add_argument("--method", choices=METHODS, metavar="METHOD", help=OF_METHOD)
    layout = {
        "parents": [scored],
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": _methods(),
    }
    one = commands.add_parser("score", **layout, help="score one structure")
    _add(one, "--structure", metavar="LABEL")
    one.set_defaults(run=score)

    words = "parameters of one structure, how well they fit, and the states of each case"
    fitted = commands.add_parser("fit", parents=[common], help=words)
    _add(fitted, "--structure", metavar="LABEL")
    words = "estimate of the parameters (ml)"
    fitted.add_argument("--method", choices=("ml", "map"), default="ml", help=words)
    _add(fitted, "--replicates", type=_integer, default=0, metavar="N")
    _add(fitted, "--draws", type=_integer, default=DRAWS, metavar="N")
    _add(fitted, "--table", choices=TABLES)
    fitted.set_defaults(run=fit)

    ranked = commands.add_parser("rank", **layout, help="score all structures, best first")
    _add(ranked, "--top", type=_integer, default=10, metavar="N")
    _add(ranked, "--prior", choices=PRIORS, default=PRIOR)
    _add(ranked, "--within", type=_number, metavar="SECONDS")
    _add(ranked, "--search", type=_integer, metavar="WIDTH")
    ranked.set_defaults(run=rank)
    return whole


def _add(parser: argparse.ArgumentParser, option: str, **how) -> None:
    parser.add_argument(option, help=MEANINGS[option], **how)


def _reader(convert: Callable[[str], Any], noun: str) -> Callable[[str], Any]:
    """What reads the text of an option; its error says that the text is not a ``noun``."""

    def read(text: str) -> Any:
        try:
            return convert(text)
        except (ValueError, KeyError):
            raise argparse.ArgumentTypeError(f"{text!r} is not {noun}") from None

    return read


def _names(text: str) -> list[str]:
    """Names in a line of CSV: a name with a comma is quoted."""
    return next(csv.reader([text]), [])


def _read_levels(text: str) -> tuple[str, list[str]]:
    name, values = text.split("=", 1)
    if "" in (levels := _names(values)):
        raise ValueError
    return name, levels


_integer, _number = _reader(int, "an integer"), _reader(float, "a number")
_boolean = _reader({"true": True, "false": False}.__getitem__, "true or false")
_READERS = {int: _integer, float: _number, bool: _boolean}
_cardinalities = _reader(
    lambda text: () if text == "1" else cardinalities(text),
    "a list of integers, such as 2,2",
)
_levels = _reader(_read_levels, "COLUMN=VALUE,VALUE,..., each with a text")


def _settings() -> dict[str, tuple[Callable[[str], float], str]]:
    """The settings of all scores by name, each with its reader, and its meaning and defaults."""
    by_name = {}
    for name, users in settings_by_name().items():
        first = users[0][1]
        defaults = ", ".join(f"{job}: {str(s.default).lower()}" for job, s in users)
        if name in OFTEN:
            defaults += f"; fit, and score by ml or bic_ml: {OFTEN[name]}"
        by_name[name] = _READERS[type(first.default)], f"{first.meaning} ({defaults})"
    return by_name


def _methods() -> str:
    width = 2 + max(map(len, SPECS))
    lines = [f"{'methods':<{width}}definition"]
    for spec in SPECS.values():
        text = f"{spec.name:<{width}}{spec.definition} ({spec.source})"
        lines += textwrap.wrap(text, 92, subsequent_indent=" " * width)
    return "\n".join(lines)
