# Figures, from tables alone.

FIGURES = PLAN.figures_by_rule()

for number, (name, figure) in enumerate(FIGURES.items(), start=1):
    labels = {"no": str(number), "figure": figure.title, "paper": figure.paper}
    png, pdf = (PLAN.figure(figure.name, kind) for kind in ("png", "pdf"))
    step(
        name,
        f"Figure {figure.name}: {figure.title}.",
        {"png": shown(png, figure.name, "Figures", **labels), "pdf": pdf},
        inputs=PLAN.tables_of(figure),
        params={
            "figure": figure.name,
            "tables": list(PLAN.tables_of(figure)),
            "arguments": PLAN.arguments_of(figure),
        },
        runs="plot",
    )


rule figures:
    """All figures."""
    input:
        *(PLAN.figure(figure.name, kind) for figure in FIGURES.values() for kind in ("png", "pdf")),
    message:
        f"All figures are drawn: see {PLAN.figures}"
