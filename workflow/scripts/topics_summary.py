"""Write the page on the number of topics."""

from pathlib import Path

import numpy as np
import pandas as pd

from latentdag.engine.files import atomic_write
from latentdag.report.markdown import share, table
from latentdag.topics import METHODS
from lib import topics
from lib.job import logged

CORPORA = {"bars": "Bars", "prior": "Topics from the prior"}
CHOOSE = [method for method in METHODS if method != "vbem"]


def which_score(chosen: pd.DataFrame) -> list[str]:
    """How often each score chooses the true K, and from how many documents on."""
    shares = topics.shares_right(chosen).set_index(["corpus", "method", "documents"])
    needed = topics.right_from(chosen)
    sizes = sorted(chosen["documents"].unique())
    ends = (sizes[0], sizes[-1])
    parts = ["## Which score chooses the true K, from how many documents on?"]
    for corpus, true in chosen.groupby("corpus")["true_topics"].first().items():
        rows = []
        for method in CHOOSE:
            of_sizes = shares.loc[corpus, method]
            cells = [share(*of_sizes.loc[n, ["share", "low", "high"]]) for n in sizes]
            ordered = np.sort(needed.loc[corpus, method])
            half = ordered[(len(ordered) - 1) // 2]
            means = [f"{of_sizes.loc[n, 'mean']:.1f}" for n in ends]
            from_on = f"{half:.0f}" if half < np.inf else f"above {sizes[-1]}"
            rows.append([METHODS[method], *cells, from_on, *means])
        header = ["score", *map(str, sizes), "documents for half of the draws"]
        header += [f"mean chosen K at {n}" for n in ends]
        parts += [f"{CORPORA[corpus]}, K = {true}, by number of documents:", table(header, rows)]
    return [
        *parts,
        "A cell is the share of the draws in which the score chooses the true K, with its 95 % "
        "Wilson interval. *Documents for half of the draws* is the lower median over draws of the "
        "smallest number at which, and above which, the score chooses the true K.",
    ]


def in_short(chosen: pd.DataFrame, errors: pd.DataFrame) -> list[str]:
    """The answers, a line for each kind of corpus."""
    needed = topics.right_from(chosen)
    largest = errors["documents"].max()
    at_last = errors[errors["documents"] == largest].set_index(["corpus", "topics", "method"])
    lines = []
    for corpus, true in chosen.groupby("corpus")["true_topics"].first().items():
        found = ", ".join(
            f"{METHODS[m]} {(needed.loc[corpus, m] < np.inf).mean():.0%}".replace("%", " %")
            for m in CHOOSE
        )
        low, tight = (-at_last["error"].loc[corpus, true, m] for m in ("vb", "vb_collapsed"))
        lines.append(
            f"- {CORPORA[corpus]}: share of draws in which a score chooses the true K = {true} at "
            f"{largest} documents: {found}. At the true K, VB is {low:.0f} nats below the "
            f"evidence, and collapsed VB {tight:.0f}."
        )
    return ["\n".join(lines)]


def how_far(errors: pd.DataFrame, scores: pd.DataFrame, true_topics: dict) -> list[str]:
    """Score minus evidence at the true K."""
    sizes = sorted(errors["documents"].unique())
    indexed = errors.set_index(["corpus", "topics", "method", "documents"])
    parts = ["## How far is each score from the evidence?"]
    for corpus, true in true_topics.items():
        rows = []
        for method in METHODS:
            if method != "evidence":
                of_sizes = indexed.loc[corpus, true, method]
                cells = [tuple(of_sizes.loc[n, ["error", "low", "high"]]) for n in sizes]
                texts = ["{:.1f} ({:.1f} to {:.1f})".format(*cell) for cell in cells]
                rows.append([METHODS[method], *texts])
        header = ["score", *map(str, sizes)]
        parts += [f"{CORPORA[corpus]}, K = {true}, nats, by number of documents:"]
        parts += [table(header, rows)]
    evidence = scores[(scores["method"] == "evidence") & (scores["topics"] > 1)]
    known = evidence.groupby("documents")["standard_error"].mean()
    cells = ", ".join(f"{known[n]:.1f} at {n}" for n in sizes)
    return [
        *parts,
        "A cell is the mean over draws of score minus evidence, with its 95 % t interval. The mean "
        f"standard error of the evidence (K > 1) is, by number of documents: {cells}. Annealing "
        "that is too short gives an evidence that is too low. Then the bounds are less tight than "
        "the table says.",
    ]


def does_it_hold(chosen: pd.DataFrame, errors: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """Findings of the study of structures, and the same of topics."""
    needed = topics.right_from(chosen).unstack("method")
    rows = []
    for first, second in (("vb", "bic"), ("evidence", "vb")):
        fewer = int((needed[first] < needed[second]).sum())
        more = int((needed[first] > needed[second]).sum())
        rows.append(
            [
                f"{METHODS[first]} needs fewer data than {METHODS[second]}",
                "yes" if fewer > more else "no",
                f"fewer documents in {fewer} of {len(needed)} draws, more in {more}",
            ]
        )
    absolute = errors.assign(error=errors["error"].abs())
    distance = absolute.groupby(["corpus", "documents", "method"])["error"].mean()
    distance = distance.unstack("method")
    for near, far in (("vb", "bic"), ("vb_collapsed", "vb")):
        times = int((distance[near] < distance[far]).sum())
        rows.append(
            [
                f"{METHODS[near]} is nearer to the evidence than {METHODS[far]} at every size",
                "yes" if times == len(distance) else "no",
                f"in {times} of {len(distance)} pairs of a corpus and a number of documents",
            ]
        )
    growth, grows = [], True
    for corpus, group in distance.groupby("corpus"):
        first, last = group["vb"].iloc[[0, -1]]
        growth.append(f"{CORPORA[corpus].lower()} {first:.1f} to {last:.1f} nats")
        grows &= last > first
    rows.append(
        ["the error of VB grows with the data", "yes" if grows else "no", ", ".join(growth)]
    )
    n_fits = int((scores["method"] == "vb").sum())
    above = [topics.above_the_evidence(scores, method) for method in ("vb", "vb_collapsed")]
    rows.append(
        [
            "no bound is above the evidence by more than 3 standard errors",
            "yes" if sum(above) == 0 else "no",
            f"VB is above it in {above[0]} of {n_fits} fits, collapsed VB in {above[1]}",
        ]
    )
    return [
        "## Do the findings on the 136 structures hold for topics?",
        "Errors in this table are averaged over all K: the absolute value of the mean error at "
        "each K. At the true K alone another score can be nearer (table above).",
        table(["finding of the study of structures", "holds", "here"], rows),
    ]


def news(scores: pd.DataFrame, described: pd.DataFrame, settings: dict) -> list[str]:
    """The news articles: the scores of each K, and the topics."""
    wide = scores.pivot(index="topics", columns="method", values="score")[CHOOSE]
    error = scores[scores["method"] == "evidence"].set_index("topics")["standard_error"]
    rows = [
        [k, *(f"{line[m]:.0f}" for m in CHOOSE[:-1]), f"{line['evidence']:.0f} ± {error[k]:.0f}"]
        for k, line in wide.iterrows()
    ]
    best = ", ".join(f"{METHODS[m]} {wide[m].idxmax()}" for m in CHOOSE)
    largest = described.head(8)
    return [
        "## News articles",
        f"{scores['documents'].iloc[0]} news articles that gensim ships (Lee, Pincombe & Welsh "
        "2005, Proc. CogSci 27, 1254-1259), and their words of at least 4 letters that occur in at "
        "least 10 articles and in at most a fifth of them; "
        f"alpha = {settings['alpha']}, beta = {settings['beta']}. Scores in nats:",
        table(["K", *(METHODS[m] for m in CHOOSE)], rows),
        f"Chosen K: {best}. The largest topics at the K that VB chooses:",
        table(
            ["tokens", "words"],
            [[f"{row.tokens:.0f}", row.words] for row in largest.itertuples()],
        ),
    ]


def main(snakemake):
    scores, chosen, errors = (
        pd.read_csv(snakemake.input[name]) for name in ("scores", "chosen", "errors")
    )
    config = snakemake.params.config
    fits = scores[scores["method"].isin(["vbem", "vb"])]
    unfinished = int((~fits["converged"].astype(bool)).sum())
    parts = [
        "# How many topics?",
        f"Latent Dirichlet allocation. Of each kind of corpus there are {config['draws']} draws; "
        f"a document has {config['length']} tokens; alpha = {config['alpha']} and beta = "
        f"{config['beta']} are the same in simulation and scores. Each K from "
        f"{min(config['topics'])} to {max(config['topics'])} is scored. VBEM with point estimates "
        "of the topics bounds the maximum of the ln likelihood, not the evidence. BIC uses this "
        "bound, because the maximum cannot be computed. The evidence is the mean of annealed "
        "importance weights.",
        *in_short(chosen, errors),
        *which_score(chosen),
        *how_far(errors, scores, config["true_topics"]),
        *does_it_hold(chosen, errors, scores),
    ]
    if snakemake.input.news:
        tables = map(pd.read_csv, snakemake.input.news)
        parts += news(*tables, config["news"])
    parts += [
        "## Limits",
        f"VBEM and VB start {config['work']['restarts']} times per K. In {unfinished} of "
        f"{len(fits)} fits a start reached the limit of iterations. A better optimum may have been "
        "missed, and the risk grows with K. Topics that are bars are not draws from "
        "the prior of the topics. In the figure `bars` an even grey is a topic that VB leaves "
        "empty.",
    ]
    with atomic_write(Path(snakemake.output.page)) as partial:
        partial.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


with logged(snakemake.log[0]):
    main(snakemake)
