# How many topics? snakemake --snakefile workflow/rules/topics.smk --cores 2, or `make topics`.
# It is a Snakefile of its own: as a module of the study's it would change that Snakefile and be
# planned with every study.
import os
import sys
from pathlib import Path

from snakemake.logging import logger
from snakemake.utils import min_version

min_version("9.0")


configfile: "workflow/config/topics/topics.yaml"


CODE = [str(Path(workflow.basedir).parents[1] / name) for name in ("src", "workflow")]
sys.path[:0] = CODE
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [*CODE, os.getenv("PYTHONPATH")])),
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
)

from lib import sources, topics

RESULTS, FIGURES = config["results"], config["figures"]
ARTICLES = topics.news_path()
NEWS = [f"{RESULTS}/news.csv", f"{RESULTS}/news_topics.csv"]
if ARTICLES is None and workflow.is_main_process:
    logger.warning(
        "gensim is not installed: its news articles are not scored; pip install gensim"
    )
SIMULATED = {key: value for key, value in config.items() if key != "news"}
SCHEMA = "workflow/schemas/topics.yaml"


wildcard_constraints:
    corpus="bars|prior",
    draw=r"\d+",
    figure=r"\w+",


rule all:
    default_target: True
    input:
        f"{RESULTS}/summary.md",
        expand(f"{FIGURES}/{{figure}}.png", figure=["score_by_topics", "bars"]),
        NEWS if ARTICLES else [],
    message:
        "The topics are counted: see {RESULTS} and {FIGURES}"


rule score:
    input:
        code=sources.TOPICS,
        schema=SCHEMA,
    output:
        scores=f"{RESULTS}/draws/{{corpus}}.{{draw}}.csv",
        found=f"{RESULTS}/draws/{{corpus}}.{{draw}}.found.csv",
    log:
        f"{RESULTS}/logs/score.{{corpus}}.{{draw}}.log",
    benchmark:
        f"{RESULTS}/logs/score.{{corpus}}.{{draw}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        config=SIMULATED,
    message:
        "score {wildcards.corpus}, draw {wildcards.draw}"
    script:
        "../scripts/topics_score.py"


rule tables:
    input:
        scores=expand(
            f"{RESULTS}/draws/{{corpus}}.{{draw}}.csv",
            corpus=config["true_topics"],
            draw=range(config["draws"]),
        ),
        found=f"{RESULTS}/draws/bars.0.found.csv",
        code=sources.TOPICS,
        schema=SCHEMA,
    output:
        scores=f"{RESULTS}/scores.csv",
        chosen=f"{RESULTS}/chosen.csv",
        errors=f"{RESULTS}/errors.csv",
        found=f"{RESULTS}/found.csv",
    log:
        f"{RESULTS}/logs/tables.log",
    benchmark:
        f"{RESULTS}/logs/tables.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        true_topics=config["true_topics"],
    message:
        "tables of all draws"
    script:
        "../scripts/topics_tables.py"


if ARTICLES:

    rule news:
        input:
            articles=str(ARTICLES),
            code=sources.TOPICS,
            schema=SCHEMA,
        output:
            scores=NEWS[0],
            topics=NEWS[1],
        log:
            f"{RESULTS}/logs/news.log",
        benchmark:
            f"{RESULTS}/logs/news.tsv"
        conda:
            "../../environment.yml"
        threads: 1
        params:
            config=config,
        message:
            "score the news articles"
        script:
            "../scripts/topics_news.py"


rule figure:
    input:
        scores=f"{RESULTS}/scores.csv",
        found=f"{RESULTS}/found.csv",
        code=sources.FIGURES,
    output:
        png=f"{FIGURES}/{{figure}}.png",
        pdf=f"{FIGURES}/{{figure}}.pdf",
    log:
        f"{RESULTS}/logs/figure.{{figure}}.log",
    benchmark:
        f"{RESULTS}/logs/figure.{{figure}}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        true_topics=config["true_topics"],
    message:
        "figure {wildcards.figure}"
    script:
        "../scripts/topics_figure.py"


# Without gensim the section on the news comes from tables that are there already, as in a clone.
rule summary:
    input:
        scores=f"{RESULTS}/scores.csv",
        chosen=f"{RESULTS}/chosen.csv",
        errors=f"{RESULTS}/errors.csv",
        news=NEWS if ARTICLES or all(Path(path).exists() for path in NEWS) else [],
        code=sources.TEXTS,
    output:
        page=f"{RESULTS}/summary.md",
    log:
        f"{RESULTS}/logs/summary.log",
    benchmark:
        f"{RESULTS}/logs/summary.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        config=config,
    message:
        "summary"
    script:
        "../scripts/topics_summary.py"
