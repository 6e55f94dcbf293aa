# A table of one's own, which has one size and no true structure. Its files are those of draw 0.
from latentdag.ranking.prior import PRIORS
from latentdag.study.settings import work
from latentdag.study.design.draws import DesignRow
from latentdag.study.design.model import main_alpha
from latentdag.study.design.user_table import user_table

TABLE = user_table(config["data"])
SIZES, SHOWN_N = [TABLE.n], TABLE.n
DRAWS = {0: DesignRow(0, None, main_alpha(config), config["alpha_hidden"])}
FAMILY = config["family"] | {"observed": list(TABLE.cardinalities)}
MODEL = {key: config[key] for key in ("seed", "alpha_hidden")}
MODEL |= {"alpha": main_alpha(config), "family": FAMILY}
MOST_TRUSTED = study.most_trusted_of(config, SIZES)
DATA = config["data"]
TITLE = f"Structures with hidden causes for {Path(DATA['file']).name}"
VARIABLES, OPTIONAL = TABLE.names, ()
TRUTH = None
# what the page for a class asks; there are no other runs beside it
TITLE_FOR_A_CLASS = f"Which hidden causes? {Path(DATA['file']).name}"
PRIORS_FOR_A_CLASS = (
    config["equally_probable"],
    *(prior for prior in PRIORS if prior != config["equally_probable"]),
)
OTHER_DRAWS, SHARES = {}, []

MEASURED = ROOT / "results/published/experiments/cost.csv"  # by make bench

if workflow.is_main_process:
    for remark in TABLE.remarks:
        logger.warning(f"{DATA['file']}: {remark}")
    logger.warning(f"{DATA['file']}: {work.of_own_data(config, TABLE, MEASURED)}")


rule read_data:
    """The cases and variables of a table."""
    input:
        table=DATA["file"],
    output:
        cases="<results>/draws/0/cases.csv",
        variables="<results>/variables.csv",
    log:
        "<results>/logs/read_data.log",
    benchmark:
        "<results>/benchmarks/read_data.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("read_data.py"),
        data=DATA,
    script:
        "../scripts/read_data.py"


rule structures:
    """The structures that are scored: all, or the best that a search finds."""
    input:
        cases="<results>/draws/0/cases.csv",
    output:
        **({"search": "<results>/search.csv"} if config["search"] else {}),
        structures="<results>/structures.csv",
    log:
        "<results>/logs/structures.log",
    benchmark:
        "<results>/benchmarks/structures.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **(
            {
                "equally_probable": config["equally_probable"],
                "settings": study.settings_of(config, SPECS[config["search"]["method"]].job),
            }
            if config["search"]
            else {}
        ),
        code=code("own_structures.py"),
        model=MODEL,
        search=config["search"],
    script:
        "../scripts/own_structures.py"


rule marginals:
    """Probabilities of hidden causes and of links."""
    input:
        structures="<results>/structures.csv",
        variables="<results>/variables.csv",
        posterior="<results>/posterior.csv",
    output:
        causes="<results>/causes.csv",
        links="<results>/links.csv",
    log:
        "<results>/logs/marginals.log",
    benchmark:
        "<results>/benchmarks/marginals.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("marginals.py"),
        model=MODEL,
    script:
        "../scripts/marginals.py"


rule alpha:
    """The probabilities of causes under priors of other strengths."""
    input:
        structures="<results>/structures.csv",
        variables="<results>/variables.csv",
        posterior="<results>/posterior.csv",
        scores="<results>/scores.csv",
        prior=collect("<results>/draws/0/prior/{alpha}.csv", alpha=study.other_alphas(config)),
    output:
        alpha="<results>/alpha.csv",
    log:
        "<results>/logs/alpha.log",
    benchmark:
        "<results>/benchmarks/alpha.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("alpha.py"),
        model=MODEL,
        methods=study.scores_under_priors(config),
    script:
        "../scripts/alpha.py"


rule parameters:
    """Parameters and memberships of the most probable structures."""
    input:
        cases="<results>/draws/0/cases.csv",
        variables="<results>/variables.csv",
        structures="<results>/structures.csv",
        posterior="<results>/posterior.csv",
        table=DATA["file"],
    output:
        **({"beside": "<results>/beside.csv"} if DATA["beside"] else {}),
        parameters="<results>/parameters.csv",
        membership="<results>/membership.csv",
    log:
        "<results>/logs/parameters.log",
    benchmark:
        "<results>/benchmarks/parameters.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("parameters.py"),
        model=MODEL,
        method=MOST_TRUSTED,
        data=DATA,
        restarts={kind: config["restarts"][kind]["at_most"] for kind in ("map", "ml")},
        draws=config["fit"]["draws"],
    script:
        "../scripts/parameters.py"


rule fit:
    """How well the structures fit the table."""
    input:
        cases="<results>/draws/0/cases.csv",
        variables="<results>/variables.csv",
        structures="<results>/structures.csv",
        scores="<results>/scores.csv",
        posterior="<results>/posterior.csv",
    output:
        fit="<results>/fit.csv",
        residuals="<results>/residuals.csv",
    log:
        "<results>/logs/fit.log",
    benchmark:
        "<results>/benchmarks/fit.tsv"
    conda:
        "../../environment.yml"
    threads: config["threads"]
    params:
        code=code("fit.py"),
        model=MODEL,
        equally_probable=config["equally_probable"],
        settings=study.settings_of(config, JOBS["ml"]),
        replicates=config["fit"]["replicates"],
    script:
        "../scripts/fit.py"


NOT_IN_SUMMARY, OTHERS_IN_SUMMARY = ("ais_chains", "ais_acceptance", "evidence"), {}
# the scores that the configuration names; none where it leaves them out
NAMED = config["scores"] or (METHODS if set(METHODS) != set(JOBS) else [])
