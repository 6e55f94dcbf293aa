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
from latentdag.scores import METHODS, SPECS, settings_by_name
from latentdag.search.ranking import PRIOR, PRIORS
from latentdag.search.trust import AUTOMATIC


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
    found = Parser(
        prog="latentdag",
        description="Which hidden variables cause which observed ones? "
        "Log scores of network structures, in nats.",
    )
    found.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = found.add_subparsers(required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "data",
        metavar="DATA.csv",
        help="one column per observed variable, one line per case; - for standard input",
    )
    common.add_argument(
        "--count", metavar="COLUMN", help="column with the number of cases of each line"
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
        help="text of a missing value, besides an empty cell; may be given several times (NA, NaN)",
    )
    common.add_argument(
        "--levels",
        type=_levels,
        action="append",
        metavar="COLUMN=VALUE,VALUE,...",
        help="the values of a column in their order, such as --levels sex=male,female, where the "
        "table does not have them all; may be given several times (those found, sorted)",
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
    common.add_argument("--seed", type=_integer, default=0, help="root of the random streams (0)")
    for name, (kind, meaning) in _settings().items():
        option = "--" + name.replace("_", "-")
        metavar = "BOOLEAN" if kind is _boolean else "N"
        common.add_argument(option, dest=name, type=kind, metavar=metavar, help=meaning)
    common.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="format of the output (table)",
    )
    common.add_argument(
        "--cores",
        type=_integer,
        metavar="N",
        help="processor cores to use; the results do not depend on it (all)",
    )
    scored = argparse.ArgumentParser(add_help=False, parents=[common])
    scored.add_argument(
        "--method",
        choices=METHODS,
        metavar="METHOD",
        help=f"one of {', '.join(METHODS)}; each is explained below (the first of "
        f"{', '.join(AUTOMATIC)} that is expected to take a few minutes at most, by the number of "
        "structures and of cases)",
    )
    layout = {
        "parents": [scored],
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "epilog": _methods(),
    }
    one = commands.add_parser("score", **layout, help="score one structure")
    structure = {
        "required": True,
        "metavar": "LABEL",
        "help": "parents of each observed variable, such as 1-12-12-2",
    }
    one.add_argument("--structure", **structure)
    one.set_defaults(run=score)
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
        type=_integer,
        default=0,
        metavar="N",
        help="simulated tables, for the p-value of G2 (0: none)",
    )
    fitted.add_argument(
        "--draws",
        type=_integer,
        default=DRAWS,
        metavar="N",
        help=f"posterior draws of each of {CHAINS} chains, for intervals of the parameters "
        f"({DRAWS}; 0: none)",
    )
    fitted.add_argument(
        "--table", choices=TABLES, help="print this table alone, as --format csv needs"
    )
    fitted.set_defaults(run=fit)
    ranked = commands.add_parser("rank", **layout, help="score all structures, best first")
    ranked.add_argument(
        "--top", type=_integer, default=10, metavar="N", help="structures to print, 0 for all (10)"
    )
    ranked.add_argument(
        "--prior",
        choices=PRIORS,
        default=PRIOR,
        help="uniform prior over structures, over families (numbers of states of the causes with "
        f"children), or over classes of equal distributions ({PRIOR})",
    )
    ranked.add_argument(
        "--within",
        type=_number,
        metavar="SECONDS",
        help="stop after this time, and rank the structures that are scored by then (no limit)",
    )
    ranked.add_argument(
        "--search",
        type=_integer,
        metavar="WIDTH",
        help="do not score all structures: keep the best WIDTH and score their neighbours, until "
        "there are no new ones",
    )
    ranked.set_defaults(run=rank)
    return found


def _reader(convert: Callable[[str], Any], noun: str) -> Callable[[str], Any]:
    """What reads the text of an option; its error says that the text is not a ``noun``."""

    def read(text: str) -> Any:
        try:
            return convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {noun}") from None

    return read


def _read_boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError
    return text == "true"


_integer, _number = _reader(int, "an integer"), _reader(float, "a number")
_boolean = _reader(_read_boolean, "true or false")
_READERS = {int: _integer, float: _number, bool: _boolean}
_cardinalities = _reader(
    lambda text: tuple(map(int, text.split(","))), "a list of integers, such as 2,2"
)


def _names(text: str) -> list[str]:
    """Names in a line of CSV: a name with a comma is quoted."""
    return next(csv.reader([text]), [])


def _read_levels(text: str) -> tuple[str, list[str]]:
    """A column and its values."""
    name, equals, values = text.partition("=")
    if not equals:
        raise ValueError
    return name, _names(values)


_levels = _reader(_read_levels, "COLUMN=VALUE,VALUE,...")


def _settings() -> dict[str, tuple[Callable[[str], float], str]]:
    """The settings of all scores by name, each with its reader, and its meaning and defaults."""
    found = {}
    for name, users in settings_by_name().items():
        first = users[0][1]
        defaults = ", ".join(f"{job}: {str(s.default).lower()}" for job, s in users)
        if name in OFTEN:
            defaults += f"; fit, and score by ml or bic_ml: {OFTEN[name]}"
        found[name] = _READERS[type(first.default)], f"{first.meaning} ({defaults})"
    return found


def _methods() -> str:
    width = 2 + max(map(len, SPECS))
    lines = [f"{'methods':<{width}}definition"]
    for spec in SPECS.values():
        text = f"{spec.name:<{width}}{spec.definition} ({spec.source})"
        lines += textwrap.wrap(text, 92, subsequent_indent=" " * width)
    return "\n".join(lines)
