"""Score numbers of topics for the news articles that gensim ships."""

from pathlib import Path

import numpy as np
from topics import study
from topics.model.scores import score

from lib.job import logged

SHOWN = 10  # words of a topic


def described(parameters: np.ndarray, words: list[str], beta: float) -> list[dict]:
    """Rows, dicts, of the table `news_topics` for q(phi) with Dirichlet ``parameters`` (V, K) and
    prior ``beta``: the topics with their expected tokens and most probable ``words``, largest
    first.
    """
    tokens = parameters.sum(axis=0) - beta * len(words)
    return [
        {"topic": number, "tokens": tokens[k], "words": " ".join(words[w] for w in order[:SHOWN])}
        for number, k in enumerate(np.argsort(-tokens))
        for order in [np.argsort(-parameters[:, k])]
    ]


with logged(snakemake.log[0]):
    config = snakemake.params.config
    corpus, words = study.read_news(Path(snakemake.input.articles))
    print(f"{corpus.n_documents} articles, {corpus.n_words} words, {corpus.count.sum():.0f} tokens")
    news = config["news"]
    settings = config["work"] | {"seed": config["seed"]} | news
    rows, fits = [], {}
    for k in news["topics"]:
        scores, fits[k] = score(corpus, k, settings, "news")
        case = {"documents": corpus.n_documents, "topics": k}
        rows += [case | {"method": method} | row for method, row in scores.items()]
        print(f"{k} topics", flush=True)
    best = fits[max(fits, key=lambda k: fits[k].bound)].topics
    study.write(snakemake.output.news, "news", rows)
    topics = described(best, words, news["beta"])
    study.write(snakemake.output.news_topics, "news_topics", topics)
