"""What all draws say together: ranks, sizes from which the truth is found, errors, prediction,
calibration, and what scores are worth.
"""

from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.population import population, reliability, worth
from latentdag.study.many_draws.sizes_found import (
    cases_needed,
    comparisons,
    found_share,
    found_table,
)
from latentdag.study.paper.claims_held import claims_held
from latentdag.study.schema import tables
from lib.job import tabulate


def main(snakemake):
    verdicts = tables.read(snakemake.input.verdicts, "verdicts")
    counts = tables.read(snakemake.input.reliability_counts, "reliability_counts")
    sizes = found_table(verdicts)
    results = {
        "population": population(verdicts),
        "found": sizes,
        "found_share": found_share(sizes, verdicts["n"].unique()),
        "comparisons": comparisons(sizes),
        # where the truth is one structure, a pair shares a cause in every draw or in none
        "reliability": reliability(
            counts if snakemake.params.uniform else counts[counts["what"] == "structure"]
        ),
    }
    if snakemake.output.get("cases_needed"):
        results["cases_needed"] = cases_needed(sizes)
        results["worth"] = worth(tables.read(snakemake.input.worths, "worths"))
    if snakemake.params.uniform:
        results["calibration"] = calibration(verdicts)
    else:
        claims = tables.read(snakemake.input.claims, "claims")
        results["claims_held"] = claims_held(claims, sizes, verdicts["n"].unique())
    return results


tabulate(snakemake, main)
