# The page for a class, of one draw or of own data, beside other draws that asked the same question.


rule class_page:
    """A page for a class: how probable each score finds every structure, at every size."""
    input:
        scores="<results>/scores.csv",
        evidence=branch(REFERENCE, "<results>/evidence.csv"),
        structures="<results>/structures.csv",
        others=[
            f"{run}/{table}.csv" for run in OTHER_DRAWS.values() for table in study.TABLES_OF_DRAW
        ],
        shares=SHARES,
        template=str(PROJECT / "workflow/report/class.html"),
    output:
        page=report(
            "<results>/class.html",
            caption="../report/class.rst",
            category="For a class",
            labels={"page": "Which structure made the data?"},
        ),
    log:
        "<results>/logs/class_page.log",
    benchmark:
        "<results>/benchmarks/class_page.tsv"
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=code("class_page.py"),
        title=TITLE_FOR_A_CLASS,
        model=MODEL,
        true_structure=TRUTH,
        n=SHOWN_N,
        variables=VARIABLES,
        priors=PRIORS_FOR_A_CLASS,
        draws=OTHER_DRAWS,
    script:
        "../scripts/class_page.py"
