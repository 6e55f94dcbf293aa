"""The model that settings describe: family, prior, seed; the task of scoring under it."""

from collections.abc import Mapping, Sequence

from latentdag import Family, Prior, Structure
from latentdag.scores.base import Task


def family_of(model: dict) -> Family:
    """The family under ``family``: its ``hidden`` and ``observed`` cardinalities."""
    return Family(tuple(model["family"]["hidden"]), tuple(model["family"]["observed"]))


def prior_of(model: dict) -> Prior:
    """The prior of ``alpha`` and ``alpha_hidden``."""
    return Prior(model["alpha"], model["alpha_hidden"])


def task_of(model: dict, structures: Sequence[Structure], cases, *key, **how) -> Task:
    """The task of scoring structures for ``cases`` under the prior and with the seed of a model;
    ``key`` begins with the draw.
    """
    return Task(structures, cases, prior_of(model), model["seed"], key, **how)


def families_of(model: dict) -> list[Family]:
    """The families under ``family``, whose ``hidden`` may be several lists of cardinalities; of
    these, [1] is one class, which is no cause.
    """
    hidden, observed = model["family"]["hidden"], tuple(model["family"]["observed"])
    several = hidden if isinstance(hidden[0], list) else [hidden]
    return [Family(() if states == [1] else tuple(states), observed) for states in several]


def value_at(config: Mapping, key: str):
    """The value of a configuration under a key with dots."""
    for name in key.split("."):
        config = config[name]
    return config


def alphas(config: dict) -> list[float]:
    """The strengths of the prior, ascending: several for own data whose ``alpha`` is a list."""
    strengths = config["alpha"]
    return sorted(strengths) if isinstance(strengths, list) else [strengths]


def main_alpha(config: dict) -> float:
    """The strength of the prior of all tables but ``alpha``: the lower median of `alphas`."""
    several = alphas(config)
    return several[(len(several) - 1) // 2]
