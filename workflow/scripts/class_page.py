"""Write the page for a class: the scores of the study at every size; and, of other runs that asked
the same question, their draws, and how typical a draw is.
"""

import json
from pathlib import Path

import pandas as pd

from latentdag.drawing.style import TRUTH
from latentdag.report.class_page import Candidates, content
from latentdag.study.design.files import read_structures
from latentdag.study.design.model import families_of
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib import pages
from lib.job import logged


def draws_of(scores: str, evidence: str | None) -> dict[str, pd.DataFrame]:
    """The scores of the draws of a run, by their numbers, from the paths of its tables of
    ``scores`` and of ``evidence``, None where it has none.
    """
    by_draw = read_with_evidence(scores, evidence).groupby("draw")
    return {str(number): rows for number, rows in by_draw}


def asks_the_same(folder: str | Path, structures, model: dict) -> bool:
    """Whether a run, whose tables are in ``folder``, has the structures, the true structure and the
    prior of this study: its table of ``structures`` and the alphas of its ``model``.
    """
    design = tables.read(f"{folder}/design.csv", "design")
    is_prior = all((design[key] == model[key]).all() for key in ("alpha", "alpha_hidden"))
    return is_prior and tables.read(f"{folder}/structures.csv", "structures").equals(structures)


with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    structures = tables.read(files.structures, "structures")
    draws = draws_of(files.scores, files.evidence or None)
    for about, folder in params.draws.items():
        if asks_the_same(folder, structures, params.model):
            further = draws_of(f"{folder}/scores.csv", f"{folder}/evidence.csv")
            draws |= {f"{number}, {about}": rows for number, rows in further.items()}
    found_share = None
    if files.shares and asks_the_same(Path(files.shares[0]).parent, structures, params.model):
        found_share = tables.read(files.shares[0], "found_share")
    families = families_of(params.model)
    candidates = Candidates(
        read_structures(files.structures if params.variables else None, params.model),
        families,
        dict(zip(structures["structure"], structures["n_parameters"], strict=True)),
        params.true_structure,
    )
    variables = params.variables or [f"y{j + 1}" for j in range(len(families[0].observed))]
    data = content(draws, candidates, params.priors, variables, found_share)
    pages.write(
        snakemake.output.page,
        "class.html",
        title=params.title,
        truth_colour=TRUTH,
        first_n=params.n,
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )
