# The structures and the draws of a simulated study: the design, and the data sets.
from latentdag.study.schema.columns import TABLES as SCHEMAS
from latentdag.study.design.draws import UNIFORM, design, design_rows
from latentdag.study.design.model import family_of

DRAWS = {row.draw: row for row in design(config, family_of(config))}
ROWS = design_rows(list(DRAWS.values()))
SIZES = sorted(config["sizes"])
MODEL = {key: config[key] for key in ("seed", "alpha", "alpha_hidden", "family")}
# the true structure, where all draws have the same; a run without draws of its own pools others
TRUTHS = {row.true_structure for row in DRAWS.values()} or {config["true_structure"]} - {UNIFORM}
TRUTH = min(TRUTHS) if len(TRUTHS) == 1 else None
NUMBER = "one draw" if len(DRAWS) == 1 else f"{len(DRAWS)} draws"
if config["parts"]:  # which have draws of their own
    NUMBER = "many draws"
TITLE = f"Scores of network structures with hidden causes, {NUMBER} of parameters and data"
VARIABLES = ()  # names, of own data
# of the columns that the design has in some studies, those that it has in this one
FIRST_ROW = (ROWS or design_rows(design(config | {"draws": 1}, family_of(config))))[0]
OPTIONAL = [name for name in SCHEMAS["design"].optional if name in FIRST_ROW]


rule structures:
    """All structures of the family: links, parameters, dimension, class."""
    output:
        structures="<results>/structures.csv",
    log:
        "<results>/logs/structures.log",
    benchmark:
        "<results>/benchmarks/structures.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("structures.py"),
        model=MODEL,
        true_structure=TRUTH,
    script:
        "../scripts/structures.py"


rule design:
    """The draws: true structure and priors of each."""
    input:
        parts=[f"{folder}/design.csv" for folder in config["parts"]],
    output:
        design="<results>/design.csv",
    log:
        "<results>/logs/design.log",
    benchmark:
        "<results>/benchmarks/design.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("design.py"),
        rows=ROWS,
    script:
        "../scripts/design.py"


rule draw:
    """True parameters from the prior, and cases simulated from them."""
    output:
        parameters="<results>/draws/{draw}/parameters.json",
        cases="<results>/draws/{draw}/cases.csv",
        states="<results>/draws/{draw}/states.csv",
        truth="<results>/draws/{draw}/truth.csv",
    log:
        "<results>/logs/draw.{draw}.log",
    benchmark:
        "<results>/benchmarks/draw.{draw}.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("draw.py"),
        model=true_model,
        true_structure=truth,
        sizes=SIZES,
    message:
        "draw {wildcards.draw}"
    script:
        "../scripts/draw.py"
