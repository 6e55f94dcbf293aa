# Figures, from tables alone.

FIGURES = PLAN.figures_by_rule()

for number, (name, figure) in enumerate(FIGURES.items(), start=1):

    rule:
        name:
            name
        input:
            **PLAN.tables_of(figure),
            started=PLAN.started,
            code=sources.FIGURES,
        output:
            png=report(
                PLAN.figure(figure.name, "png"),
                caption=f"../report/{figure.name}.rst",
                category="Figures",
                labels={
                    "no": str(number),
                    "figure": figure.title,
                    "paper": figure.paper,
                },
            ),
            pdf=PLAN.figure(figure.name, "pdf"),
        log:
            PLAN.log(name),
        benchmark:
            PLAN.benchmark(name)
        localrule: True
        conda:
            "../../environment.yml"
        threads: 1
        params:
            figure=figure.name,
            tables=list(PLAN.tables_of(figure)),
            arguments=PLAN.arguments_of(figure),
        message:
            f"figure {figure.name}"
        script:
            "../scripts/plot.py"


rule figures:
    input:
        *(
            PLAN.figure(figure.name, kind)
            for figure in FIGURES.values()
            for kind in ("png", "pdf")
        ),
    message:
        f"All figures are drawn: see {PLAN.figures}"
