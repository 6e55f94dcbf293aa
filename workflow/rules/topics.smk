# How many topics? snakemake --snakefile workflow/rules/topics.smk --cores 2, or `make topics`.
# It is a Snakefile of its own: as a module of the study's it would change that Snakefile and be
# planned with every study.
from snakemake.logging import logger


configfile: "workflow/config/topics/topics.yaml"


include: "step.smk"


from lib import topics

RESULTS, FIGURES = config["results"], config["figures"]
ARTICLES = topics.news_path()
TABLES = {name: f"{RESULTS}/{name}.csv" for name in ("scores", "chosen", "errors", "found")}
NEWS = {name: f"{RESULTS}/{name}.csv" for name in ("news", "news_topics")}
if ARTICLES is None and workflow.is_main_process:
    logger.warning("gensim is not installed: its news articles are not scored; pip install gensim")
SIMULATED = {key: value for key, value in config.items() if key != "news"}


wildcard_constraints:
    corpus="bars|prior",
    draw=r"\d+",
    figure=r"\w+",


rule all:
    """The summary, the figures and the tables of the news."""
    default_target: True
    input:
        f"{RESULTS}/summary.md",
        expand(f"{FIGURES}/{{figure}}.png", figure=["score_by_topics", "bars"]),
        NEWS.values() if ARTICLES else [],
    message:
        "The topics are counted: see {RESULTS} and {FIGURES}"


step(
    "score",
    "Scores of each number of topics on one simulated corpus.",
    {
        "scores": f"{RESULTS}/draws/{{corpus}}.{{draw}}.csv",
        "found": f"{RESULTS}/draws/{{corpus}}.{{draw}}.found.csv",
    },
    params={"config": SIMULATED},
    message="score {wildcards.corpus}, draw {wildcards.draw}",
    runs="topics_score",
    local=False,
)

step(
    "tables",
    "The tables of all draws.",
    TABLES,
    inputs={
        "scores": expand(
            f"{RESULTS}/draws/{{corpus}}.{{draw}}.csv",
            corpus=config["true_topics"],
            draw=range(config["draws"]),
        ),
        "found": f"{RESULTS}/draws/bars.0.found.csv",
    },
    params={"true_topics": config["true_topics"]},
    runs="topics_tables",
)

if ARTICLES:
    step(
        "news",
        "Scores of each number of topics on news articles.",
        NEWS,
        inputs={"articles": str(ARTICLES)},
        params={"config": config},
        runs="topics_news",
        local=False,
    )

step(
    "figure",
    "One figure of the topics.",
    {kind: f"{FIGURES}/{{figure}}.{kind}" for kind in ("png", "pdf")},
    inputs=TABLES,
    params={"true_topics": config["true_topics"]},
    message="figure {wildcards.figure}",
    runs="topics_figure",
)

# Without gensim the section on the news comes from tables that are there already, as in a clone.
step(
    "summary",
    "The summary of the topics.",
    {"page": f"{RESULTS}/summary.md"},
    inputs={
        **TABLES,
        "news": NEWS.values() if ARTICLES or all(map(os.path.exists, NEWS.values())) else [],
    },
    params={"config": config},
    runs="topics_summary",
)
