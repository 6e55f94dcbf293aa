# What if no structure is true? snakemake --snakefile workflow/rules/outside.smk --cores 2, or
# `make outside`.


include: "step.smk"


configfile: str(ROOT / "workflow/config/outside/outside.yaml")


RESULTS, FIGURES = config["results"], config["figures"]
TRUTHS = list(config["truths"])


wildcard_constraints:
    truth=r"\d+",
    draw=r"\d+",


rule all:
    """The summary and the figure."""
    default_target: True
    input:
        f"{RESULTS}/summary.md",
        f"{FIGURES}/outside.png",
    message:
        f"The picks are compared: see {RESULTS} and {FIGURES}"


# truths are numbered as in the settings
step(
    "picks",
    "The structures that the scores pick on one draw of a truth.",
    {"outside_picks": f"{RESULTS}/draws/{{truth}}.{{draw}}.csv"},
    params={
        "truth": lambda w: config["truths"][TRUTHS[int(w.truth)]] | {"name": TRUTHS[int(w.truth)]},
        "config": {k: v for k, v in config.items() if k not in ("truths", "draws")},
    },
    message="picks of the scores, truth {wildcards.truth}, draw {wildcards.draw}",
    runs="outside_picks",
    local=False,
)

step(
    "outside",
    "The picks of all draws, compared, and the summary.",
    {
        "outside_picks": f"{RESULTS}/outside_picks.csv",
        "outside": f"{RESULTS}/outside.csv",
        "page": f"{RESULTS}/summary.md",
    },
    inputs={
        "picks": expand(
            f"{RESULTS}/draws/{{truth}}.{{draw}}.csv",
            truth=range(len(TRUTHS)),
            draw=range(config["draws"]),
        )
    },
    params={"config": config},
)

step(
    "plot_outside",
    "The figure outside: what the picks lose.",
    {kind: f"{FIGURES}/outside.{kind}" for kind in ("png", "pdf")},
    inputs={"outside": f"{RESULTS}/outside.csv"},
    params={"figure": "outside", "tables": ["outside"], "arguments": {}},
    runs="plot",
)
