"""Fitted parameters of the most probable structure, and of the published one if there is one."""

import numpy as np

from latentdag import Structure, estimate
from latentdag.report.data_summary import judge
from latentdag.study import tables

from job import family_of, logged, prior_of, read_cases


def rows_of(structure, kind, parameters, names, levels):
    """Rows of the table, hidden states by falling probability."""
    order = [np.argsort(-p, kind="stable") for p in parameters.hidden]
    for i, p in enumerate(parameters.hidden):
        for state, value in enumerate(p[order[i]].tolist()):
            yield (structure.label, kind, f"s{i + 1}", "", str(state + 1), value)
    reduced = structure.without_childless()
    for j, (parents, rows) in enumerate(zip(reduced.parents, parameters.observed, strict=True)):
        shape = [len(parameters.hidden[i]) for i in parents]
        rows = rows.reshape(*shape, -1)[np.ix_(*(order[i] for i in parents), range(rows.shape[1]))]
        for states in np.ndindex(*shape):
            given = ", ".join(
                f"s{i + 1} = {state + 1}" for i, state in zip(parents, states, strict=True)
            )
            for value, probability in zip(levels[j], rows[states].tolist(), strict=True):
                yield (structure.label, kind, names[j], given, value, probability)


def main(job):
    p = job.params
    family, prior = family_of(p.model), prior_of(p.model)
    cases = read_cases(job.input.cases, None)
    variables = tables.read(job.input.variables, "variables").groupby("variable")
    names = variables["name"].first().tolist()
    levels = variables["value"].agg(list).tolist()
    posterior = tables.read(job.input.posterior, "posterior")
    own = posterior[posterior["method"] == judge(posterior)]
    wanted = [(own.loc[own["probability"].idxmax(), "structure"], "map")]
    if p.published:
        wanted.append((p.published["structure"], "ml"))
    rows = []
    for label, kind in wanted:
        structure = Structure.from_label(label, family)
        settings = {
            "alpha": prior.alpha,
            "alpha_hidden": prior.alpha_hidden,
            "seed": p.model["seed"],
            "restarts": p.restarts,
        }
        parameters = estimate(cases, structure, kind, **settings)[1]
        rows += rows_of(structure, kind, parameters, names, levels)
    tables.write(job.output.table, "parameters", rows)
    print(f"{len(rows)} parameters")


with logged(snakemake.log[0]):
    main(snakemake)
