"""What pages quote of the tables of `workflow/experiments`, beside the studies."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from latentdag.engine.significance import CLAIMED, FAR
from latentdag.ranking.probabilities import normalise
from latentdag.study.many_draws.population import share


def alpha_integrated_out(table: pd.DataFrame) -> list[dict]:
    """A list of dicts by size `n` and score `method`, of what integrating alpha out changes, from
    ``table``, that named `alpha_integrated`: of how many `draws` the structure with the highest
    score is the `same` as with alpha 1, this as a `share` with its Wilson 95 % interval (`low`,
    `high`); in how many it is another beyond the Monte Carlo error, with alpha 1 and with alpha
    integrated out (`surely_another`); and in how many the true structure is first with alpha 1
    (`first`), and with alpha integrated out (`first_integrated`).
    """
    by = ["n", "method", "draw"]
    one, integrated = (table[table["alpha"] == alpha] for alpha in ("1", "integrated"))
    one = one[[*by, "best_structure", "rank"]]
    both = integrated.merge(one, on=by, suffixes=("", "_1"), validate="one_to_one")
    rows = []
    for (n, method), pairs in both.groupby(by[:2], sort=False):
        same = int((pairs["best_structure"] == pairs["best_structure_1"]).sum())
        row = {"n": n, "method": method, "draws": len(pairs), "same": same}
        row |= dict(zip(("share", "low", "high"), share(same, len(pairs)), strict=True))
        row["surely_another"] = int((_is_sure(pairs, "lead") & _is_sure(pairs, "lead_at_1")).sum())
        row["first"] = int((pairs["rank_1"] == 1).sum())
        row["first_integrated"] = int((pairs["rank"] == 1).sum())
        rows.append(row)
    return rows


def _is_sure(rows: pd.DataFrame, lead: str) -> pd.Series:
    """Which leads are beyond their error; a deterministic score has none."""
    return rows[lead] > CLAIMED * rows[f"{lead}_error"].fillna(0.0)


def slopes_of_vb_minus_bic(table: pd.DataFrame) -> pd.DataFrame:
    """How the mean of VB minus BIC changes per unit of ln n, from the smallest to the largest size:
    a DataFrame by true and by scored structure (index) of the number of `draws`, `slope` and its
    standard error over the draws, `slope_error`, in nats; from ``table``, that named `asymptotics`.
    """
    rows = table[(table["method"] == "vb") & (table["against"] == "bic")]
    rows = rows[rows["n"] == rows["n"].max()]
    return rows.set_index(["true_structure", "structure"])[["draws", "slope", "slope_error"]]


def errors_of_estimates(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How far estimates lie from the evidence, a DataFrame by the columns ``by`` (index, in order
    of first appearance), from a ``table`` with a row for each structure and the columns
    `error_nats` and `standard_error`, in nats: the number of `structures`; means over them of the
    `absolute` and of the `signed` error, with standard errors (`absolute_error`, `signed_error`);
    the `median` error; the `largest` absolute one; the median of the standard errors (`claimed`);
    and the share of structures beyond CLAIMED standard errors (`beyond`).
    """
    signed, absolute = table["error_nats"], table["error_nats"].abs()
    beyond = absolute > CLAIMED * table["standard_error"]
    columns = table.assign(signed=signed, absolute=absolute, beyond=beyond)
    return columns.groupby(list(by), sort=False).agg(
        structures=("signed", "size"),
        absolute=("absolute", "mean"),
        absolute_error=("absolute", "sem"),
        signed=("signed", "mean"),
        signed_error=("signed", "sem"),
        median=("signed", "median"),
        largest=("absolute", "max"),
        claimed=("standard_error", "median"),
        beyond=("beyond", "mean"),
    )


def errors_of_bridge_sampling(table: pd.DataFrame) -> pd.DataFrame:
    """The DataFrame of `errors_of_estimates` by size (index `n`), of the estimator of that name
    alone; from ``table``, that named `bridge_sampling`.
    """
    return errors_of_estimates(table[table["estimator"] == "bridge sampling"], ["n"])


def audit_of_evidence(table: pd.DataFrame) -> pd.DataFrame:
    """How the evidence of a population differs from that of the audit, a DataFrame by size (index
    `n`), from ``table``, that named `evidence_audit`: the number of `draws` and of `structures`;
    `z` and the difference in `nats`, each the mean over the draws of the mean over the structures
    of a draw, with its standard error over the draws (`z_error`, `nats_error`); the root mean
    square of z (`z_scale`); how many structures lie more than FAR standard errors `below` and
    `above` the audit; the largest total variation between the posteriors of a draw over its
    structures, which are equally probable a priori (`most_moved`); and in how many draws both have
    the same structure first (`same_first`).
    """
    rows = []
    for n, of_size in table.groupby("n"):
        of_draws = [_audit_of_draw(of_draw) for _, of_draw in of_size.groupby("draw")]
        of = pd.DataFrame(of_draws)
        row = {"n": n, "draws": len(of), "structures": len(of_size)}
        for name in ("z", "nats"):
            row |= {name: of[name].mean(), f"{name}_error": of[name].sem()}
        row["z_scale"] = np.sqrt((of_size["z"] ** 2).mean())
        row |= {"below": (of_size["z"] < -FAR).sum(), "above": (of_size["z"] > FAR).sum()}
        row |= {"most_moved": of["moved"].max(), "same_first": of["same"].sum()}
        rows.append(row)
    return pd.DataFrame(rows).set_index("n")


def audit_over_all_sizes(by_size: pd.DataFrame) -> dict:
    """A dict from ``by_size``, the DataFrame of `audit_of_evidence`, over all its sizes: the
    numbers of `structures`, `below`, `above`, `same_first` and of `data_sets`, and the largest
    `most_moved`.
    """
    counts = by_size[["structures", "below", "above", "same_first"]].sum()
    moved = by_size["most_moved"].max()
    return {**counts, "data_sets": by_size["draws"].sum(), "most_moved": moved}


def audit_of_the_truth(table: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """What the audit changes for the true structure, a DataFrame by size (index `n`), from
    ``table``, that named `evidence_audit`, and the population's published ``verdicts``: the number
    of `draws`; the mean over them of its probability by the population's evidence minus that by the
    audit (`difference`), with its standard error, `difference_error`; in how many draws it is
    `first` by the one and by the other (`first_audited`); in how many its rank is the published one
    (`as_published`); and the largest absolute difference from its published probability (`moved`).
    Structures are equally probable a priori; those without a row of the table are left out.
    """
    published = verdicts[(verdicts["method"] == "reference") & (verdicts["by"] == "structure")]
    published, rows = published.set_index(["n", "draw"]), []
    for key, of_draw in table.groupby(["n", "draw"]):
        verdict = published.loc[key]
        at = of_draw["structure"].tolist().index(verdict["truth"])
        p, q = normalise(of_draw[["log_evidence", "audited"]].to_numpy().T)
        rows.append(
            {
                "n": key[0],
                "difference": p[at] - q[at],
                "first": p.argmax() == at,
                "first_audited": q.argmax() == at,
                "as_published": 1 + (p > p[at]).sum() == verdict["rank"],
                "moved": abs(p[at] - verdict["probability"]),
            }
        )
    return (
        pd.DataFrame(rows)
        .groupby("n")
        .agg(
            draws=("first", "size"),
            difference=("difference", "mean"),
            difference_error=("difference", "sem"),
            first=("first", "sum"),
            first_audited=("first_audited", "sum"),
            as_published=("as_published", "sum"),
            moved=("moved", "max"),
        )
    )


def _audit_of_draw(rows: pd.DataFrame) -> dict:
    """Means over the structures of a draw at one size, and how its posteriors differ."""
    evidence = rows[["log_evidence", "audited"]].to_numpy().T
    p, first = normalise(evidence), evidence.argmax(axis=1)
    moved, nats = np.abs(p[0] - p[1]).sum() / 2, (evidence[0] - evidence[1]).mean()
    return {"z": rows["z"].mean(), "nats": nats, "moved": moved, "same": first[0] == first[1]}
