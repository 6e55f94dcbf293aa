"""Posterior over classes of structures that describe the same distributions:
`latentdag.study.one_draw.posterior` and `latentdag.study.own_data.marginals.most_probable`.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from latentdag.model.structures import Structure
from latentdag.report.data.posterior_over_structures import causes, others
from latentdag.report.markdown import label, number, table
from latentdag.study.one_draw.posterior import class_dimensions, effective_number
from latentdag.study.own_data.marginals import most_probable
from latentdag.study.schema.frames import by_method

TITLE = "Posterior over classes"
SHOWN = 10  # classes
COUNTS = {
    "structures": "Every structure is equally probable beforehand",
    "families": "Beforehand, structures with the same causes are equally probable",
}


def section(
    classes: pd.DataFrame,
    method: str,
    structures: pd.DataFrame,
    known: Mapping[str, Structure],
    names: Sequence[str],
    equally_probable: str,
) -> list[str]:
    """From the tables of classes and structures, and what stands for the classes by their names;
    ``method`` is the most trusted one. Where classes are ``equally_probable`` beforehand, so are
    they in every column.
    """
    by_class = equally_probable == "classes"
    masses, equal = (by_method(classes, c, "class") for c in ("probability", "equal_classes"))
    members = by_method(classes, "members", "class")[method]
    dimension = class_dimensions(structures)
    best = most_probable(masses, method, SHOWN)
    rows = [
        [name, causes(known[name], names), members[name], dimension[name]]
        + [number(p, ".3g") for p in of_methods]
        + ([] if by_class else [number(equal.loc[name, method], ".3g")])
        for name, of_methods in best.iterrows()
    ]
    header = ["class", "causes", "members", "D", *map(label, masses)]
    spread = (
        f"By {label(method)} the posterior is spread as over "
        f"{effective_number(masses[method]):.1f} equally probable classes"
    )
    if by_class:
        words = f"Every class is equally probable beforehand. {spread}."
    else:
        header.append(f"{label(method)}, equal classes")
        (first,) = most_probable(equal, method, 1).index
        words = (
            f"{COUNTS[equally_probable]}, so that a class counts once per member. "
            "The last column gives every class the same prior probability, shared by its members: "
            f"by it {first} is the most probable class. {spread}, or "
            f"{effective_number(equal[method]):.1f} by the last column."
        )
    return [
        f"## {TITLE}",
        "A hidden variable with one child can be absorbed in that child's table: structures of one "
        "class describe the same distributions, and are one model with different priors on its "
        "parameters. What is left of them names the class; D is its effective dimension.",
        f"{words} {others(masses[method], best.index, 'class', 'classes')}".strip(),
        table(header, rows),
    ]
