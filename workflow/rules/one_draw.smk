# What only a study of one draw has, as its true structure is given.
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import PAPERS

(DRAW,) = DRAWS
SHOWN_N = config["figure_n"]  # the size that figures show
# the jobs of scores whose time the paper states
TIMED = [name for name in SCORED if name in {SPECS[score].job.name for score in PAPER.seconds}]


rule anneal:
    """AIS of the true structure at one size, with one length of the annealing schedule."""
    input:
        cases="<results>/draws/{draw}/cases.csv",
        parameters="<results>/draws/{draw}/parameters.json",
    output:
        annealing="<results>/draws/{draw}/annealing/{steps}.csv",
    log:
        "<results>/logs/anneal.{draw}.{steps}.log",
    benchmark:
        "<results>/benchmarks/anneal.{draw}.{steps}.tsv"
    priority: 10  # the longest schedule is the longest job: not last
    conda:
        "../../environment.yml"
    params:
        code=code("anneal.py"),
        model=model,
        true_structure=truth,
        n=config["annealing"]["n"],
        chains=config["annealing"]["chains"],
    message:
        "annealing, {wildcards.steps} steps"
    script:
        "../scripts/anneal.py"


use rule scores as annealing with:
    """AIS of the true structure by length of the annealing schedule."""
    input:
        parts=collect(
            "<results>/draws/{draw}/annealing/{steps}.csv",
            draw=DRAWS,
            steps=config["annealing"]["steps"],
        ),
    output:
        annealing="<results>/annealing.csv",
    log:
        "<results>/logs/annealing.log",
    benchmark:
        "<results>/benchmarks/annealing.tsv"


use rule scores as priors with:
    """Cheap scores and the reference by strength of the prior."""
    input:
        parts=collect(
            "<results>/draws/{draw}/prior/{alpha}.csv",
            draw=DRAWS,
            alpha=config["prior"]["alphas"],
        ),
    output:
        prior="<results>/prior.csv",
    log:
        "<results>/logs/priors.log",
    benchmark:
        "<results>/benchmarks/priors.tsv"


rule sandwich:
    """Bounds on both sides of the evidence, where hidden states are given."""
    input:
        cases=f"<results>/draws/{DRAW}/cases.csv",
        states=f"<results>/draws/{DRAW}/states.csv",
    output:
        sandwich="<results>/sandwich.csv",
    log:
        "<results>/logs/sandwich.log",
    benchmark:
        "<results>/benchmarks/sandwich.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("sandwich.py"),
        draw=DRAW,
        model=MODEL,
        true_structure=TRUTH,
        sizes=SIZES,
        settings=study.settings_of(config, JOBS["reference"]),
        upper_runs=config["reference"]["upper_runs"],
        others=config["reference"]["others"],
        other_sizes=config["reference"]["other_sizes"],
    script:
        "../scripts/sandwich.py"


# two pictures for learners: a bound that climbs, and a posterior with two equal modes
rule climb:
    """Each half-step of EM and of VBEM for the true structure."""
    input:
        cases=f"<results>/draws/{DRAW}/cases.csv",
    output:
        climb="<results>/climb.csv",
    log:
        "<results>/logs/climb.log",
    benchmark:
        "<results>/benchmarks/climb.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("climb.py"),
        draw=DRAW,
        model=MODEL,
        true_structure=TRUTH,
        n=SHOWN_N,
    script:
        "../scripts/climb.py"


rule equal_modes:
    """A posterior with two equal modes, and approximations to it."""
    output:
        equal_modes="<results>/equal_modes.csv",
    log:
        "<results>/logs/equal_modes.log",
    benchmark:
        "<results>/benchmarks/equal_modes.tsv"
    conda:
        "../../environment.yml"
    params:
        code=code("equal_modes.py"),
        model={key: config[key] for key in ("seed", "alpha", "alpha_hidden")},
    script:
        "../scripts/equal_modes.py"


rule ranks:
    """The rank of the true structure, and of its class, by every score."""
    input:
        scores="<results>/scores.csv",
        evidence=branch(REFERENCE, "<results>/evidence.csv"),
        structures="<results>/structures.csv",
    output:
        ranks="<results>/ranks.csv",
    log:
        "<results>/logs/ranks.log",
    benchmark:
        "<results>/benchmarks/ranks.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("ranks.py"),
        true_structure=TRUTH,
        seed=config["seed"],
    script:
        "../scripts/ranks.py"


rule timing:
    """Running times of the jobs whose times the paper states."""
    input:
        seconds=gather.structures(
            "<results>/draws/{draw}/{job}.{scatteritem}.seconds.csv", draw=DRAWS, job=TIMED
        ),
    output:
        timing="<results>/timing.csv",
    log:
        "<results>/logs/timing.log",
    benchmark:
        "<results>/benchmarks/timing.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("timing.py"),
    script:
        "../scripts/timing.py"


# what the page for a class asks; and the published runs that it shows beside the study: other draws,
# by what is said of them, and the population that says how typical a draw is
QUOTED = config["quoted"] and config["quoted"]["results"]
TITLE_FOR_A_CLASS = "Which structure made the data?"
PRIORS_FOR_A_CLASS = ("structures", "classes")
OTHER_DRAWS = {
    about: f"{QUOTED}/{run}"
    for about, run in {"nearest to the paper": "class-nearest", "typical": "class-typical"}.items()
    if QUOTED
}
SHARES = [f"{QUOTED}/{PAPERS}/{table}.csv" for table in study.TABLES_OF_SHARES if QUOTED]
# tables of published runs that the summary quotes
QUOTED_TABLES = ("experiments/benchmark", "experiments/pruned_states", f"{PAPERS}/claims_held")
NOT_IN_SUMMARY = ("design", "prior", "ais_chains", "ais_acceptance", "climb", "equal_modes")
NAMED = []
OTHERS_IN_SUMMARY = {Path(name).stem: f"{QUOTED}/{name}.csv" for name in QUOTED_TABLES if QUOTED}
