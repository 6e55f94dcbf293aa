"""Posterior over classes of structures that describe the same distributions:
`latentdag.study.one_draw.posterior` and `latentdag.study.own_data.marginals.most_probable`.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from latentdag.model.structures import Structure
from latentdag.report.data.posterior_over_structures import others
from latentdag.report.markdown import label, number, table
from latentdag.study.one_draw.posterior import class_dimensions, effective_number
from latentdag.study.own_data.marginals import most_probable
from latentdag.study.schema.candidates import causes_in_words
from latentdag.study.schema.frames import by_method

TITLE = "Posterior over classes"
SHOWN = 10  # classes
COUNTS = {
    "structures": "The prior is uniform over structures",
    "families": "The prior is uniform over structures with the same causes",
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
        [name, causes_in_words(known[name], names), members[name], dimension[name]]
        + [number(p, ".3g") for p in of_methods]
        + ([] if by_class else [number(equal.loc[name, method], ".3g")])
        for name, of_methods in best.iterrows()
    ]
    header = ["class", "causes", "members", "D", *map(label, masses)]
    spread = (
        f"By {label(method)} the posterior is as uncertain as one over "
        f"{effective_number(masses[method]):.1f} equally probable classes"
    )
    if by_class:
        words = f"The prior is uniform over classes. {spread}."
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
        "A hidden variable with one child can be absorbed in that child's table. Structures of one "
        "class describe the same distributions: they are one model with different priors on its "
        "parameters. A class is named by the structure without such variables; D is its effective "
        "dimension.",
        f"{words} {others(masses[method], best.index, 'class', 'classes')}".strip(),
        table(header, rows),
    ]
