"""The model that settings describe: family, prior, seed; the task of scoring under it."""

from collections.abc import Mapping, Sequence

from latentdag import Family, Prior, Structure
from latentdag.scores.base import Task


def family_of(model: dict) -> Family:
    """The `Family` of the settings ``model``: the cardinalities `hidden` and `observed` under their
    key `family`.
    """
    return Family(tuple(model["family"]["hidden"]), tuple(model["family"]["observed"]))


def prior_of(model: dict) -> Prior:
    """The `Prior` with `alpha` and `alpha_hidden` of the settings ``model``."""
    return Prior(model["alpha"], model["alpha_hidden"])


def task_of(model: dict, structures: Sequence[Structure], cases, *key, **how) -> Task:
    """The `Task` of scoring ``structures`` for ``cases``, codes (n, J) or `Counts`, under the prior
    and with the seed of the settings ``model``; ``key``, which begins with the draw, names the
    random streams, and ``how`` has further fields of `Task`.
    """
    return Task(structures, cases, prior_of(model), model["seed"], key, **how)


def families_of(model: dict) -> list[Family]:
    """A list of a `Family` for each list of cardinalities in `hidden` under the key `family` of the
    settings ``model``, or of one where that is a list of numbers. The list [1] is one class, which
    is no cause: a family without hidden variables.
    """
    hidden, observed = model["family"]["hidden"], tuple(model["family"]["observed"])
    several = hidden if isinstance(hidden[0], list) else [hidden]
    return [Family(() if states == [1] else tuple(states), observed) for states in several]


def value_at(config: Mapping, key: str):
    """The value at ``key``, such as `annealing.n`, in nested mappings ``config``. May raise
    KeyError.
    """
    for name in key.split("."):
        config = config[name]
    return config


def alphas(config: dict) -> list[float]:
    """A list of the strengths of the prior in the configuration ``config``, ascending: several for
    a user's data whose `alpha` is a list.
    """
    strengths = config["alpha"]
    return sorted(strengths) if isinstance(strengths, list) else [strengths]


def main_alpha(config: dict) -> float:
    """The strength of the prior, `Prior.alpha`, in the configuration ``config`` that the tables of
    a study rest on, but for the table `alpha` of a user's data and `prior` of a simulated study:
    the lower median of `alphas`.
    """
    several = alphas(config)
    return several[(len(several) - 1) // 2]
