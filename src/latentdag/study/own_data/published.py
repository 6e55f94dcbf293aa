"""Published latent class models against our fits to the same table."""

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

import pandas as pd

from latentdag.analysis.fit import Fit
from latentdag.model.structures import Family, Structure

# what may be published of a model, in the order of tables, in words and as an attribute of a fit
QUANTITIES = {
    "cases": ("cases", "n_cases"),
    "parameters": ("free parameters", "structure.n_parameters"),
    "log_likelihood": ("ln likelihood", "log_likelihood"),
    "likelihood_ratio": ("likelihood ratio statistic G2", "g2"),
    "pearson": ("Pearson's statistic X2", "x2"),
    "degrees_of_freedom": ("degrees of freedom", "degrees_of_freedom"),
    "aic": ("AIC", "aic"),
    "bic": ("BIC", "bic"),
}
CLASS_SIZE = "class size"


def latent_classes(number: int, observed: Iterable[int]) -> Structure:
    """One hidden variable of ``number`` states is the parent of all ``observed`` variables."""
    observed = tuple(observed)
    return Structure(((0,),) * len(observed), Family((number,), observed))


def published_rows(published: Mapping, fit: Fit) -> Iterator[dict]:
    """Rows of the table ``published``: each number of a latent class model, with that of its
    ``fit``. ``published`` has ``source``, ``classes`` and what is known of `QUANTITIES` and
    ``class_sizes``. Class sizes are paired from the largest down.
    """
    about = {"source": published["source"], "latent_classes": published["classes"]}
    for key, (words, name) in QUANTITIES.items():
        if published.get(key) is not None:
            found = attrgetter(name)(fit)
            yield about | {"quantity": words, "published": published[key], "found": found}
    theirs = sorted(published.get("class_sizes") or (), reverse=True)
    for size, ours in zip(theirs, sorted(fit.parameters.hidden[0], reverse=True), strict=False):
        yield about | {"quantity": CLASS_SIZE, "published": size, "found": float(ours)}


def decimals(value: float) -> int:
    """How many digits stand after the point of a number, as it is written shortest."""
    return len(f"{value:.10g}".partition(".")[2])


def agrees(published: float, found: float) -> bool:
    """Whether ``found`` is ``published`` to the digits that were published."""
    half = 0.5 * 10.0 ** -decimals(published)
    return abs(found - published) <= half * (1 + 1e-9)


def by_model(published: pd.DataFrame) -> dict[tuple[str, int], pd.DataFrame]:
    """Rows by source and number of classes, in the table's order, and if each ``agrees``."""
    pairs = zip(published["published"], published["found"], strict=True)
    rows = published.assign(agrees=[agrees(*pair) for pair in pairs])
    return dict(list(rows.groupby(["source", "latent_classes"], sort=False)))
