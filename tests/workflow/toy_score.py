"""Toy: the MAP fit less one nat for each link. The tests drop this file among the scores."""

from dataclasses import replace

from latentdag.scores import map as at_map
from latentdag.scores.base import Side, Spec


def read(task, found):
    """The likelihood at the MAP estimate, less the number of links."""
    for fit in at_map.read(task, found):
        yield replace(fit, score=fit.score - fit.structure.n_links)


TOY = Spec(
    name="toy",
    label="Toy",
    title="A toy score",
    definition="`map` less one nat for each link",
    source="made up for a test",
    job=at_map.JOB,
    read=read,
    side=Side.CRITERION,
    figures=("rank", "scores"),
)
