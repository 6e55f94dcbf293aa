# Figures, from tables alone.


rule plot_structure:
    input:
        code=package("plots"),
    output:
        png=report(
            f"{FIGURES}/true_structure.png",
            caption="../report/true_structure.rst",
            category="Figures",
            labels={"no": "1", "figure": "True structure", "paper": "Figure 1, left"},
        ),
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
        family=FAMILY,
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
        png=report(
            f"{FIGURES}/scores.png",
            caption="../report/scores.rst",
            category="Figures",
            labels={
                "no": "2",
                "figure": "Scores of all structures",
                "paper": "Figure 1, right",
            },
        ),
        pdf=f"{FIGURES}/scores.pdf",
    log:
        log_of("plot_scores"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_scores.tsv"
    conda:
        "../../environment.yml"
    params:
        figure="scores",
        n=FIGURE_N,
    message:
        "Draw the scores of all structures"


use rule plot_structure as plot_rank with:
    input:
        ranks=rules.ranks.output.table,
        structures=rules.structures.output.table,
        code=package("plots"),
    output:
        png=report(
            f"{FIGURES}/rank.png",
            caption="../report/rank.rst",
            category="Figures",
            labels={
                "no": "3",
                "figure": "Rank of the true structure",
                "paper": "Figure 2, left",
            },
        ),
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
        png=report(
            f"{FIGURES}/annealing.png",
            caption="../report/annealing.rst",
            category="Figures",
            labels={
                "no": "4",
                "figure": "Length of annealing",
                "paper": "Figure 2, right",
            },
        ),
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
        png=report(
            f"{FIGURES}/tightness.png",
            caption="../report/tightness.rst",
            category="Figures",
            labels={
                "no": "5",
                "figure": "Distance from the evidence",
                "paper": "none",
            },
        ),
        pdf=f"{FIGURES}/tightness.pdf",
    log:
        log_of("plot_tightness"),
    benchmark:
        f"{RESULTS}/benchmarks/plot_tightness.tsv"
    params:
        figure="tightness",
    message:
        "Draw the error of each score"


if OWN_DATA:

    use rule plot_structure as plot_best with:
        input:
            posterior=rules.errors.output.posterior,
            variables=rules.read_data.output.variables,
            code=package("plots", "data_summary"),
        output:
            png=report(
                f"{FIGURES}/best_structures.png",
                caption="../report/best_structures.rst",
                category="Figures",
                labels={"no": "1", "figure": "Best structures", "paper": "none"},
            ),
            pdf=f"{FIGURES}/best_structures.pdf",
        log:
            log_of("plot_best"),
        benchmark:
            f"{RESULTS}/benchmarks/plot_best.tsv"
        conda:
            "../../environment.yml"
        params:
            figure="best_structures",
            family=FAMILY,
        message:
            "Draw the most probable structures"


rule figures:
    input:
        rules.plot_scores.output,
        (
            rules.plot_best.output
            if OWN_DATA
            else [
                *rules.plot_structure.output,
                *rules.plot_rank.output,
                *rules.plot_annealing.output,
                *(rules.plot_tightness.output if EVIDENCE else []),
            ]
        ),
    message:
        "All figures are drawn"
