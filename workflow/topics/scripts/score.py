"""Score every number of topics for one draw of corpora, at every number of documents; write the
scores, and the topics that VB finds with the true number of topics.
"""

import numpy as np
from topics import study
from topics.model.scores import score

from lib.job import logged


def pictures(kind: str, n: int, source: str, phi: np.ndarray) -> list[dict]:
    """Rows, dicts, of the table `found` for topics ``phi`` (K, V) of a corpus of this ``kind`` with
    ``n`` documents; the ``source`` is "true" or "found".
    """
    case = {"corpus": kind, "documents": n, "source": source}
    return [
        case | {"topic": topic, "word": word, "probability": p}
        for (topic, word), p in np.ndenumerate(phi)
    ]


with logged(snakemake.log[0]):
    config, kind = snakemake.params.config, snakemake.wildcards.corpus
    draw = int(snakemake.wildcards.draw)
    true, corpus = study.draw(kind, draw, config)
    settings = config["work"] | {name: config[name] for name in ("seed", "alpha", "beta")}
    rows, topics = [], pictures(kind, 0, "true", true)
    for n in config["documents"]:
        for k in config["topics"]:
            scores, fit = score(corpus.first(n), k, settings, kind, draw, n)
            case = {"corpus": kind, "draw": draw, "documents": n, "topics": k}
            rows += [case | {"method": method} | row for method, row in scores.items()]
            if k == len(true):
                topics += pictures(kind, n, "found", (fit.topics / fit.topics.sum(axis=0)).T)
        print(f"{n} documents", flush=True)
    study.write(snakemake.output.scores, "scores", rows)
    study.write(snakemake.output.found, "found", topics)
