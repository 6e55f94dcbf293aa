"""The companion on topics: its corpora, its tables and what these say."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import scipy  # loads scipy.stats when it is first used: that takes a second
import yaml

from latentdag.engine.files import atomic_write
from latentdag.engine.significance import FAR
from latentdag.engine.streams import generator
from latentdag.study.many_draws.population import share
from latentdag.study.one_draw.sizes import recovery_sizes
from latentdag.study.schema.columns import Column, Kind
from topics.model import METHODS, Corpus, bars, simulate

SCHEMA = yaml.safe_load((Path(__file__).parent / "tables.yaml").read_text("utf-8"))
COLUMNS = {name: Column.of(name, field) for name, field in SCHEMA["fields"].items()}
NEWS = "test/test_data/lee_background.cor"  # within gensim; Lee, Pincombe & Welsh 2005
LETTERS, FEWEST, LARGEST_SHARE = 4, 10, 0.2
CASE, SCORED = ["corpus", "draw", "documents"], ["corpus", "documents", "topics", "method"]


def draw(kind: str, number: int, config: Mapping) -> tuple[np.ndarray, Corpus]:
    """The topics (K, V) and the `Corpus` of all documents of draw ``number`` of the corpora of a
    ``kind``, "bars" or "prior", as ``config`` says. Words that none of these has are left out.
    """
    seed, n_topics = config["seed"], config["true_topics"][kind]
    topics = bars()
    if kind == "prior":
        prior = np.full(config["n_words"], config["beta"])
        topics = generator(seed, "topics", number).dirichlet(prior, n_topics)
    length, alpha, documents = config["length"], config["alpha"], range(max(config["documents"]))
    rngs = (generator(seed, "document", kind, number, d) for d in documents)
    counts = np.array([simulate(topics, length, alpha, rng) for rng in rngs])
    seen = counts.sum(axis=0) > 0
    return topics[:, seen], Corpus.of(counts[:, seen])


def news_path() -> Path | None:
    """The path of gensim's file of 300 news articles, one a line; None without gensim."""
    gensim = find_spec("gensim")
    return Path(gensim.origin).parent / NEWS if gensim and gensim.origin else None


def read_news(path: Path) -> tuple[Corpus, list[str]]:
    """The `Corpus` of the articles in the file at ``path``, one a line, and their words: those of
    at least 4 letters that stand in at least 10 articles and in at most a fifth of them. Articles
    without such words are left out.
    """
    texts = pd.Series(path.read_text("utf-8").lower().splitlines())
    words = texts.str.findall(rf"\b[a-z]{{{LETTERS},}}\b").explode()
    counts = pd.crosstab(words.index, words)
    having = (counts > 0).sum()
    counts = counts.loc[:, (having >= FEWEST) & (having <= LARGEST_SHARE * len(texts))]
    return Corpus.of(counts[counts.sum(axis=1) > 0].to_numpy()), counts.columns.tolist()


def write(path: str | Path, name: str, rows: pd.DataFrame | list[dict]) -> None:
    """Write ``rows`` to ``path``, a CSV file with the columns that ``tables.yaml`` declares for the
    table ``name``, in that order: numbers in their declared form, flags as true or false. Further
    columns of ``rows`` are left out.
    """
    frame = pd.DataFrame(rows)[SCHEMA["tables"][name]["fields"]]
    for column in map(COLUMNS.get, frame):
        if column.kind is Kind.NUMBER:
            frame[column.name] = frame[column.name].map(column.form.format, na_action="ignore")
        elif column.kind is Kind.FLAG:
            frame[column.name] = frame[column.name].map({True: "true", False: "false"})
    with atomic_write(path) as unfinished:
        frame.to_csv(unfinished, index=False, lineterminator="\n")


def chosen(scores: pd.DataFrame, true_topics: Mapping[str, int]) -> pd.DataFrame:
    """The table `chosen` from that of ``scores``: by corpus, draw, number of documents and method
    the K with the best score, of equal scores the smaller one; beside it the true K of the corpus.
    """
    ordered = scores.sort_values("topics", kind="stable")
    best = ordered.loc[ordered.groupby([*CASE, "method"], sort=False)["score"].idxmax()]
    table = best.rename(columns={"topics": "chosen"})
    table["true_topics"] = table["corpus"].map(true_topics)
    return _in_order(table, [*CASE, "method"])


def errors(scores: pd.DataFrame) -> pd.DataFrame:
    """The table `errors` from that of ``scores``: score minus evidence, in nats, by corpus,
    documents, topics and method; the mean over draws, with the ends of its 95 % interval. The
    evidence has no rows.
    """
    wide = scores.pivot(index=[*CASE, "topics"], columns="method", values="score")
    difference = wide.sub(wide.pop("evidence"), axis="index").stack()
    rows = [
        (*key, len(values), *interval(values)) for key, values in difference.groupby(level=SCORED)
    ]
    table = pd.DataFrame(rows, columns=[*SCORED, "draws", "low", "error", "high"])
    return _in_order(table, SCORED)


def interval(values: pd.Series) -> tuple[float, float, float]:
    """The 95 % t interval of the mean of ``values``: its lower end, the mean, its upper end."""
    n, mean = len(values), float(np.mean(values))
    error = np.std(values, ddof=1) / np.sqrt(n) if n > 1 else np.nan
    half = scipy.stats.t.ppf(0.975, n - 1) * error
    return mean - half, mean, mean + half


def _in_order(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Rows sorted by columns, methods as in `METHODS`."""
    places = {method: place for place, method in enumerate(METHODS)}
    return frame.sort_values(
        columns, key=lambda c: c.map(places) if c.name == "method" else c, ignore_index=True
    )


def shares_right(table: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame from ``table``, which is `chosen`: the share of draws in which a score chooses
    the true K, and its 95 % Wilson interval, by corpus, documents and method; the mean chosen K
    too.
    """
    of, right = ["corpus", "documents", "method"], table["chosen"] == table["true_topics"]
    rows = [
        (*key, *share(group["right"].sum(), len(group)), group["chosen"].mean())
        for key, group in table.assign(right=right).groupby(of)
    ]
    return pd.DataFrame(rows, columns=[*of, "share", "low", "high", "mean"])


def right_from(table: pd.DataFrame) -> pd.Series:
    """A Series from ``table``, which is `chosen`, by corpus, method and draw: the smallest number
    of documents from which on a score chooses the true K at every size; infinity if it does not at
    the largest.
    """
    right = table["chosen"] == table["true_topics"]
    ranks = table.assign(n=table["documents"], rank=np.where(right, 1, 2))
    of = ["corpus", "method", "draw"]
    return recovery_sizes(ranks, of).set_index(of)["n_found"].fillna(np.inf).rename("documents")


def bounds_above_evidence(scores: pd.DataFrame, method: str) -> int:
    """For how many corpora (of a draw and number of documents) and K in the table ``scores`` the
    bound ``method`` lies above the evidence by more than `FAR` standard errors.
    """
    wide = scores.pivot(index=[*CASE, "topics"], columns="method")
    gap = wide["score", method] - wide["score", "evidence"]
    return int((gap > FAR * wide["standard_error", "evidence"].fillna(0) + 1e-6).sum())
