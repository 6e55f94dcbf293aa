# Figures, from tables alone.


rule plot_structure:
    input:
        code=package("plots"),
    output:
        png=f"{FIGURES}/true_structure.png",
        pdf=f"{FIGURES}/true_structure.pdf",
    log:
        log_of("plot_structure"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_structure.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    params:
        figure="true_structure",
        true_structure=config["true_structure"],
        family=config["family"],
    message:
        "Draw the true structure"
    script:
        "../scripts/plot.py"


use rule plot_structure as plot_scores with:
    input:
        scores=rules.scores.output.table,
        structures=rules.structures.output.table,
        code=package("plots"),
    output:
        png=f"{FIGURES}/scores.png",
        pdf=f"{FIGURES}/scores.pdf",
    log:
        log_of("plot_scores"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_scores.tsv"
    conda:
        "../../environment.yml"
    params:
        figure="scores",
        n=config["figure_n"],
    message:
        "Draw the scores of all structures"


use rule plot_structure as plot_rank with:
    input:
        ranks=rules.ranks.output.table,
        structures=rules.structures.output.table,
        code=package("plots"),
    output:
        png=f"{FIGURES}/rank.png",
        pdf=f"{FIGURES}/rank.pdf",
    log:
        log_of("plot_rank"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_rank.tsv"
    conda:
        "../../environment.yml"
    params:
        figure="rank",
    message:
        "Draw the rank of the true structure"


use rule plot_structure as plot_annealing with:
    input:
        annealing=rules.annealing.output.table,
        scores=rules.scores.output.table,
        code=package("plots"),
    output:
        png=f"{FIGURES}/annealing.png",
        pdf=f"{FIGURES}/annealing.pdf",
    log:
        log_of("plot_annealing"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_annealing.tsv"
    conda:
        "../../environment.yml"
    params:
        figure="annealing",
        n=config["annealing"]["n"],
    message:
        "Draw the annealing runs"


use rule plot_structure as plot_tightness with:
    input:
        errors=rules.errors.output.errors,
        structures=rules.structures.output.table,
        code=package("plots"),
    output:
        png=f"{FIGURES}/tightness.png",
        pdf=f"{FIGURES}/tightness.pdf",
    log:
        log_of("plot_tightness"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_tightness.tsv"
    params:
        figure="tightness",
    message:
        "Draw the error of each score"


rule figures:
    input:
        rules.plot_structure.output,
        rules.plot_scores.output,
        rules.plot_rank.output,
        rules.plot_annealing.output,
        rules.plot_tightness.output if EVIDENCE else [],
    message:
        "All figures are drawn"
