"""Fitted parameters of the most probable structure, and of published models if there are some."""

from collections.abc import Iterator, Sequence

import numpy as np

from latentdag import Parameters, Structure, estimate
from latentdag.study import tables
from latentdag.study.candidates import name
from latentdag.study.published import latent_classes
from lib.files import observed_of, prior_of, read_cases, read_structures
from lib.job import logged


def rows_of(
    structure: Structure,
    parameters: Parameters,
    names: Sequence[str],
    levels: Sequence[Sequence[str]],
) -> Iterator[dict]:
    """Each probability with its variable, value and parents' states, of a structure whose hidden
    variables all have children. Their states are numbered by falling probability.
    """
    order = [np.argsort(-p, kind="stable") for p in parameters.hidden]
    for i, p in enumerate(parameters.hidden):
        for state, probability in enumerate(p[order[i]].tolist(), start=1):
            value = {"variable": f"s{i + 1}", "given": "", "value": str(state)}
            yield value | {"probability": probability}
    for j, (parents, rows) in enumerate(zip(structure.parents, parameters.observed, strict=True)):
        shape = [len(parameters.hidden[i]) for i in parents]
        rows = rows.reshape(*shape, -1)[np.ix_(*(order[i] for i in parents), range(rows.shape[1]))]
        for states in np.ndindex(*shape):
            pairs = zip(parents, states, strict=True)
            given = ", ".join(f"s{i + 1} = {state + 1}" for i, state in pairs)
            for value, probability in zip(levels[j], rows[states].tolist(), strict=True):
                where = {"variable": names[j], "given": given, "value": value}
                yield where | {"probability": probability}


def main(snakemake):
    p = snakemake.params
    prior = prior_of(p.model)
    known = read_structures(snakemake.input.structures, p.model)
    cases = read_cases(snakemake.input.cases)
    variables = tables.read(snakemake.input.variables, "variables").groupby("variable")
    names = variables["name"].first().tolist()
    levels = variables["value"].agg(list).tolist()
    posterior = tables.read(snakemake.input.posterior, "posterior")
    own = posterior[posterior["method"] == p.method]
    best = own.loc[own["probability"].idxmax(), "structure"]
    wanted = [("map", best, known[best])]
    for classes in sorted({model["classes"] for model in p.published or ()}):
        structure = latent_classes(classes, observed_of(p.model))
        wanted.append(("ml", name(structure, several=True), structure))
    rows = []
    for kind, label, structure in wanted:
        reduced, parameters = estimate(
            cases,
            structure,
            kind,
            alpha=prior.alpha,
            alpha_hidden=prior.alpha_hidden,
            seed=p.model["seed"],
            restarts=p.restarts,
        )
        about = {"structure": label, "estimate": kind}
        rows += [about | row for row in rows_of(reduced, parameters, names, levels)]
    tables.write(snakemake.output.table, "parameters", rows)
    print(f"{len(rows)} parameters")


with logged(snakemake.log[0]):
    main(snakemake)
