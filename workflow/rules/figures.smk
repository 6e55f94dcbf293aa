# Figures, from tables alone: a rule for each figure of workflow/lib/figures.py.

from lib.figures import figures_of

FIGURES = figures_of(config)
# what figures are given, by the names of their functions' arguments
ARGUMENTS = {
    "n": SHOWN_N,
    "draw": min(DRAWS, default=0),
    "family": MODEL["family"],
    "observed": MODEL["family"]["observed"],
    "chains": config["ais"]["chains"],
    "width": config["figure_width"],
    "structure": TRUTH,
    "method": MOST_TRUSTED if config["data"] else None,
}

for number, figure in enumerate(FIGURES, start=1):
    # scores are drawn with the evidence
    with_evidence = "scores" in figure.tables and "evidence" in TABLES
    shown = [*figure.tables, *(["evidence"] if with_evidence else [])]
    # AIS with one chain is drawn beside more
    one_chain = config["one_chain"] if figure.name == "found" else None
    arguments = {name: ARGUMENTS[name] for name in figure.arguments}
    if figure.name == "annealing":
        arguments["n"] = config["annealing"]["n"]

    rule:
        """The figure of this name."""
        name:
            figure.rule
        input:
            **{name: TABLES[name] for name in shown},
            one_chain=branch(one_chain, f"{one_chain}/found.csv"),
        output:
            png=report(
                f"<figures>/{figure.name}.png",
                caption=f"../report/{figure.name}.rst",
                category="Figures",
                labels={"no": str(number), "figure": figure.title, "paper": figure.paper},
            ),
            pdf=f"<figures>/{figure.name}.pdf",
        log:
            f"<results>/logs/{figure.rule}.log",
        benchmark:
            f"<results>/benchmarks/{figure.rule}.tsv"
        localrule: True
        conda:
            "../../environment.yml"
        params:
            code=code("plot.py"),
            figure=figure.name,
            tables=shown,
            arguments=arguments,
        script:
            "../scripts/plot.py"


rule figures:
    """All figures."""
    input:
        collect("<figures>/{figure.name}.{kind}", figure=FIGURES, kind=("png", "pdf")),
