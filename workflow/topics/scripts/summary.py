"""Write the page on the number of topics."""

from pathlib import Path

import numpy as np
import pandas as pd
from topics import study
from topics.model import METHODS

from latentdag.report.markdown import percent, share, written
from latentdag.study.design.files import write_text
from lib.job import logged

CORPORA = {"bars": "Bars", "prior": "Topics from the prior"}
CHOOSE = [method for method in METHODS if method != "vbem"]
PAGE = Path(study.__file__).with_name("page.md.j2")
LARGEST = 8  # topics of the news that the page shows


def corpus_section(corpus: str, true: int, chosen: pd.DataFrame, errors: pd.DataFrame) -> dict:
    """Values for the template, a dict, on a ``corpus`` with ``true`` topics, from the tables
    ``chosen`` and ``errors``: by score how often it chooses the true K, and from how many documents
    on (``found``, ``choices``), and how far it is from the evidence there, in nats (``below``,
    ``errors``).
    """
    shares = study.shares_right(chosen).set_index(["corpus", "method", "documents"]).loc[corpus]
    needed = study.right_from(chosen).loc[corpus]
    distance = errors.set_index(["corpus", "topics", "method", "documents"]).loc[corpus, true]
    last, choices = chosen["documents"].max(), []
    for method in CHOOSE:
        of_sizes, ordered = shares.loc[method], np.sort(needed.loc[method])
        half = ordered[(len(ordered) - 1) // 2]  # the lower median
        cells = [share(*values) for values in of_sizes[["share", "low", "high"]].to_numpy()]
        cells.append(f"{half:.0f}" if half <= last else f"above {last}")
        means = of_sizes["mean"].iloc[[0, -1]]
        choices.append([METHODS[method], *cells, *(f"{mean:.1f}" for mean in means)])
    ends = distance[["error", "low", "high"]]
    cells = ends.apply(lambda row: "{:.1f} ({:.1f} to {:.1f})".format(*row), axis="columns")
    return {
        "name": CORPORA[corpus],
        "true": true,
        "found": [f"{METHODS[m]} {percent((needed.loc[m] < np.inf).mean())}" for m in CHOOSE],
        "below": {m: -distance["error"].loc[m].iloc[-1] for m in ("vb", "vb_collapsed")},
        "choices": choices,
        "errors": [[METHODS[m], *cells[m]] for m in METHODS if m != "evidence"],
    }


def does_it_hold(chosen: pd.DataFrame, errors: pd.DataFrame, scores: pd.DataFrame) -> dict:
    """Values for the template, a dict, from the tables ``chosen``, ``errors`` and ``scores``: the
    numbers behind the findings of the study of structures, for topics. By pair of scores which
    ``needs`` fewer documents, and which is ``nearer`` to the evidence; how VB's distance from it
    (nats) grows, by corpus (``growth``); and how many bounds lie ``above`` the evidence.
    """
    needed = study.right_from(chosen).unstack("method")
    absolute = errors.assign(error=errors["error"].abs())
    distance = absolute.groupby(["corpus", "documents", "method"])["error"].mean().unstack("method")
    ends = distance["vb"].groupby("corpus").agg(["first", "last"])
    return {
        "needs": [
            (a, b, (needed[a] < needed[b]).sum(), (needed[a] > needed[b]).sum(), len(needed))
            for a, b in (("vb", "bic"), ("evidence", "vb"))
        ],
        "nearer": [
            (near, far, (distance[near] < distance[far]).sum(), len(distance))
            for near, far in (("vb", "bic"), ("vb_collapsed", "vb"))
        ],
        "growth": [
            f"{CORPORA[corpus].lower()} {first:.1f} to {last:.1f} nats"
            for corpus, first, last in ends.itertuples()
        ],
        "grows": (ends["last"] > ends["first"]).all(),
        "above": [study.bounds_above_evidence(scores, method) for method in ("vb", "vb_collapsed")],
        "n_fits": (scores["method"] == "vb").sum(),
    }


def news_section(scores: pd.DataFrame, described: pd.DataFrame) -> dict:
    """Values for the template, a dict, on the news articles: ``rows`` of the ``scores`` of each K
    (nats), from the table `news`; the ``best`` K by score; and the largest ``topics``, those
    ``described`` in the table `news_topics`.
    """
    wide = scores.pivot(index="topics", columns="method", values="score")[CHOOSE]
    error = scores[scores["method"] == "evidence"].set_index("topics")["standard_error"]
    rows = [
        [k, *(f"{line[m]:.0f}" for m in CHOOSE[:-1]), f"{line['evidence']:.0f} ± {error[k]:.0f}"]
        for k, line in wide.iterrows()
    ]
    largest = [[f"{row.tokens:.0f}", row.words] for row in described.head(LARGEST).itertuples()]
    return {
        "documents": scores["documents"].iloc[0],
        "header": ["K", *(METHODS[m] for m in CHOOSE)],
        "rows": rows,
        "best": [f"{METHODS[m]} {k}" for m, k in wide.idxmax().items()],
        "topics": largest,
    }


with logged(snakemake.log[0]):
    files, config = snakemake.input, snakemake.params.config
    scores, chosen, errors = (pd.read_csv(files[name]) for name in ("scores", "chosen", "errors"))
    evidence = scores[(scores["method"] == "evidence") & (scores["topics"] > 1)]
    fits = scores[scores["method"].isin(["vbem", "vb"])]
    text = written(
        PAGE,
        methods=METHODS,
        config=config,
        sizes=sorted(errors["documents"].unique().tolist()),
        corpora=[corpus_section(*of, chosen, errors) for of in config["true_topics"].items()],
        standard_error=evidence.groupby("documents")["standard_error"].mean(),
        unfinished=(~fits["converged"].astype(bool)).sum(),
        fits=len(fits),
        news=news_section(*map(pd.read_csv, files.news)) if files.news else None,
        **does_it_hold(chosen, errors, scores),
    )
    write_text(snakemake.output.page, text)
