"""Plot the scores against the number of topics, or the topics found as pictures of bars."""

import numpy as np
import pandas as pd
import scipy
from matplotlib.figure import Figure
from topics import study
from topics.model import METHODS, SIDE

from latentdag.drawing.style import GRID, INK, TRUTH, save, styled
from lib.job import logged

LOOKS = {
    "bic": ("#d9822b", "s"),
    "vb": ("#3467a8", "o"),
    "vb_collapsed": ("#12807c", "^"),
    "evidence": (INK, "D"),
}
NAMES = {"bars": "bars, {} topics", "prior": "from the prior, {} topics"}


@styled
def score_by_topics(scores: pd.DataFrame, true_topics: dict) -> Figure:
    """A figure, from the table ``scores``: each score minus the evidence of the true K, in nats per
    document, against K: the mean over draws with its 95 % interval. ``true_topics`` has the true K
    of each corpus.
    """
    sizes = sorted(scores["documents"].unique())[-3:]
    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.subplots(len(true_topics), len(sizes), sharex=True, sharey="row", squeeze=False)
    for row, (corpus, true) in zip(axes, true_topics.items(), strict=True):
        for axis, n in zip(row, sizes, strict=True):
            at_size = scores[(scores["corpus"] == corpus) & (scores["documents"] == n)]
            wide = at_size.pivot(index=["method", "topics"], columns="draw", values="score")
            relative = (wide - wide.loc["evidence", true]) / n
            axis.axvline(true, color=TRUTH, linewidth=0.8)
            for method, (colour, marker) in LOOKS.items():
                lines = relative.loc[method]
                bounds = np.array([study.interval(values) for _, values in lines.iterrows()])
                low, mean, high = bounds.T
                axis.fill_between(lines.index, low, high, color=colour, alpha=0.2, linewidth=0)
                axis.plot(lines.index, mean, color=colour, label=METHODS[method])
                best = np.argmax(mean)
                axis.plot(lines.index[best], mean[best], marker, color=colour, markersize=5)
            axis.set_title(f"{NAMES[corpus].format(true)}; {n} documents", fontsize=7.5)
            axis.grid(color=GRID, linewidth=0.5)
        curves = [line.get_ydata().max() for axis in row for line in axis.lines[1::2]]
        row[0].set_ylim(3 * min(curves), max(curves) + 0.5)
        row[0].set_ylabel("score - evidence at the true K\n(nats per document)")
    for axis in axes[-1]:
        axis.set_xticks(range(2, scores["topics"].max() + 1, 2))
        axis.set_xlabel("number of topics K")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


@styled
def bars(topics: pd.DataFrame) -> Figure:
    """A figure, from the table `found`, ``topics``: the true topics in the first row, then those
    that VB finds, by number of documents, matched to the true ones. An even grey is a topic that VB
    leaves empty.
    """
    sources = topics.pivot(index=["documents", "topic"], columns="word", values="probability")
    true = sources.loc[0].to_numpy()
    sizes = sources.index.get_level_values("documents").unique()
    figure = Figure(figsize=(7.2, 0.7 * len(sizes) + 0.2), layout="constrained")
    axes = figure.subplots(len(sizes), len(true))
    for row, n in zip(axes, sizes, strict=True):
        topic = sources.loc[n].to_numpy()
        _, order = scipy.optimize.linear_sum_assignment(true @ topic.T, maximize=True)
        for axis, phi in zip(row, topic[order], strict=True):
            axis.imshow(phi.reshape(SIDE, SIDE), cmap="Greys", vmin=0, vmax=1 / SIDE)
            axis.set_xticks([])
            axis.set_yticks([])
            axis.spines[:].set_visible(True)
        name = f"{n}\ndocuments" if n else "true"
        row[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=7.5)
    return figure


with logged(snakemake.log[0]):
    if snakemake.wildcards.figure == "bars":
        drawn = bars(pd.read_csv(snakemake.input.found))
    else:
        scores = pd.read_csv(snakemake.input.scores)
        drawn = score_by_topics(scores, snakemake.params.true_topics)
    save(drawn, snakemake.output.png, snakemake.output.pdf)
