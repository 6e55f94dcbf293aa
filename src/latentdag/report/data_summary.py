"""The summary of a study of one's own data: what the scores say of the structures, as Markdown,
from the tables alone.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from latentdag.report.summary import NAMES, fits_section, flat, markdown, plus_minus
from latentdag.structures import Family, Structure

JUDGES = ("reference", "ais", "vb", "cs", "bic")  # whose posterior is told, the most accurate first
TOLD = 10  # structures
STRUCTURE_FREE = ("map", "ml")  # no penalty for parameters: they rank the largest structure first


def judge(posterior: pd.DataFrame) -> str:
    """The most accurate method of a posterior table."""
    present = set(posterior["method"])
    return next(m for m in JUDGES if m in present)


def write_data_summary(
    config: Mapping,
    family: Family,
    *,
    scores: pd.DataFrame,
    posterior: pd.DataFrame,
    variables: pd.DataFrame,
    parameters: pd.DataFrame,
    cases: pd.DataFrame,
    errors: pd.DataFrame,
) -> str:
    """The summary in Markdown, from the tables of a study with ``data``, and its cases (n, J) as
    codes from 0.

    Of ``config`` the key ``data`` is read (``file`` and ``published``); all keys are listed.
    """
    source = config["data"]["file"]
    names = variables.drop_duplicates("variable").set_index("variable")["name"].tolist()
    n, method = len(cases), judge(posterior)
    mass = posterior.pivot(index="structure", columns="method", values="probability")
    text = [f"# What the scores say of {source}", _data_section(variables, n, family)]
    text += _best_section(scores, mass)
    text += _posterior_section(mass, method, family, names)
    text += _pairs_section(mass[method], family, names)
    text += _published_section(config["data"]["published"], scores, parameters, cases, family)
    text += _parameters_section(parameters, variables, mass[method].idxmax())
    text += _errors_section(errors)
    text += fits_section(scores)
    text.append("Settings: " + "; ".join(f"{key} = {value}" for key, value in flat(config)) + ".")
    return "\n\n".join(text) + "\n"


def _data_section(variables: pd.DataFrame, n: int, family: Family) -> str:
    rows = [
        [
            f"y{variable}",
            name,
            "; ".join(f"{v} ({c})" for v, c in zip(own["value"], own["cases"], strict=True)),
        ]
        for (variable, name), own in variables.groupby(["variable", "name"], sort=False)
    ]
    hidden = ", ".join(f"s{i + 1} with {k} values" for i, k in enumerate(family.hidden))
    return (
        f"{n} cases of {len(rows)} observed variables; hidden variables: {hidden}. There is no known true structure. Scores are "
        "natural logarithms, in nats; every structure is equally probable beforehand.\n\n"
        + markdown(["", "variable", "values (cases)"], rows)
    )


def _best_section(scores: pd.DataFrame, mass: pd.DataFrame) -> list[str]:
    wide = scores.pivot(index="structure", columns="method", values="score")
    errors = scores.pivot(index="structure", columns="method", values="standard_error")
    rows = []
    for m in (m for m in NAMES if m in wide and m not in STRUCTURE_FREE):
        own = wide[m].dropna().sort_values(ascending=False, kind="stable")
        lead = own.iloc[0] - own.iloc[1] if len(own) > 1 else np.nan
        noise = np.hypot(*errors.loc[own.index[:2], m]) if len(own) > 1 else np.nan
        probability = f"{mass.loc[own.index[0], m]:.3g}" if m in mass else ""
        rows.append(
            [
                NAMES[m],
                own.index[0],
                plus_minus(own.iloc[0], errors.loc[own.index[0], m]),
                plus_minus(lead, noise),
                probability,
            ]
        )
    header = [
        "method",
        "best structure",
        "its score (nats)",
        "before the second by",
        "its posterior probability",
    ]
    return [f"## Best of {len(wide)} structures, by each score", markdown(header, rows)]


def _posterior_section(
    mass: pd.DataFrame, method: str, family: Family, names: list[str]
) -> list[str]:
    methods = [m for m in JUDGES if m in mass]
    best = mass.sort_values(method, ascending=False, kind="stable").head(TOLD)
    rows = []
    for label, row in best.iterrows():
        structure = Structure.from_label(label, family)
        rows.append(
            [
                label,
                _in_words(structure, names),
                structure.n_parameters,
                *(f"{row[m]:.3g}" for m in methods),
            ]
        )
    effective = np.exp(-np.sum(mass[method] * np.log(mass[method].where(mass[method] > 0, 1))))
    said = (
        f"By {NAMES[method]}, the most accurate of the scores here, these {len(best)} structures hold "
        f"{best[method].sum():.0%} of the posterior probability, which is spread as over {effective:.1f} equally probable ones."
    )
    return [
        "## Posterior over structures",
        said,
        markdown(["structure", "causes", "d", *(NAMES[m] for m in methods)], rows),
    ]


def _in_words(structure: Structure, names: list[str]) -> str:
    """Which observed variables each hidden one causes."""
    causes = [
        f"s{h + 1}: {', '.join(name for name, parents in zip(names, structure.parents, strict=True) if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [name for name, parents in zip(names, structure.parents, strict=True) if not parents]
    return "; ".join(causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))


def _pairs_section(mass: pd.Series, family: Family, names: list[str]) -> list[str]:
    """Statements that do not depend on the names of hidden variables, averaged over all structures."""
    structures = {label: Structure.from_label(label, family) for label in mass.index}
    rows = []
    for i, j in combinations(range(len(names)), 2):
        shared = [bool(set(s.parents[i]) & set(s.parents[j])) for s in structures.values()]
        rows.append([names[i], names[j], f"{mass[shared].sum():.3f}"])
    active = pd.Series({label: len(set().union(*s.parents)) for label, s in structures.items()})
    counts = ", ".join(f"{k}: {mass[active == k].sum():.3f}" for k in sorted(active.unique()))
    return [
        "## Common causes",
        "Posterior probability that two observed variables share a hidden cause, summed over all structures:",
        markdown(["", "", "probability"], rows),
        f"And of the number of hidden variables that have children: {counts}.",
    ]


def _published_section(published, scores, parameters, cases, family) -> list[str]:
    """A published latent class model beside ours: likelihood ratio statistic against the saturated
    model, class sizes.
    """
    if not published:
        return []
    label = published["structure"]
    structure = Structure.from_label(label, family).without_childless()
    own = scores[(scores["structure"] == label) & (scores["method"] == "ml")]
    counts = cases.value_counts().to_numpy()
    saturated = float(counts @ np.log(counts / counts.sum()))
    ratio = 2 * (saturated - own["score"].iloc[0])
    freedom = family.n_cells - 1 - structure.n_parameters
    fitted = parameters[(parameters["structure"] == label) & (parameters["estimate"] == "ml")]
    sizes = sorted(fitted.loc[fitted["variable"] == "s1", "probability"])
    theirs = sorted(published["class_sizes"])
    rows = [
        ["likelihood ratio statistic", f"{published['likelihood_ratio']:.3f}", f"{ratio:.3f}"],
        *(["class size", f"{a:.3f}", f"{b:.3f}"] for a, b in zip(theirs, sizes, strict=True)),
    ]
    return [
        "## Beside what was published",
        f"{published['source']}: the latent class model {label} at its maximum likelihood, against the saturated model "
        f"({freedom} degrees of freedom).",
        markdown(["", "published", "this run"], rows),
    ]


def _parameters_section(parameters: pd.DataFrame, variables: pd.DataFrame, best: str) -> list[str]:
    own = parameters[(parameters["structure"] == best) & (parameters["estimate"] == "map")]
    rows = []
    for (variable, given), row in own.groupby(["variable", "given"], sort=False):
        each = "; ".join(
            f"{v}: {p:.3f}" for v, p in zip(row["value"], row["probability"], strict=True)
        )
        rows.append([variable, given, each])
    return [
        f"## Fitted parameters of {best}",
        "At its MAP estimate; `parameters.csv` has all. The states of a hidden variable have no order: the largest is first.",
        markdown(["variable", "given", "probabilities"], rows),
    ]


def _errors_section(errors: pd.DataFrame) -> list[str]:
    if errors.empty:
        return []
    rows = [
        [NAMES[m], *(f"{v:.2f}" for v in (e.median(), e.min(), e.max()))]
        for m, e in errors.groupby("method", sort=False)["error_nats"]
    ]
    return [
        "## How far the scores are from the evidence",
        "Score minus the reference evidence, over the structures, in nats.",
        markdown(["method", "median", "lowest", "highest"], rows),
    ]
