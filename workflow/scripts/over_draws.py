"""What all draws say together: ranks, sizes from which the truth is found, errors, prediction,
calibration, and what scores are worth.
"""

from latentdag.study.many_draws import recovery
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.population import population, reliability, worth
from latentdag.study.paper.claims_held import claims_held
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    files, uniform = snakemake.input, snakemake.params.uniform
    verdicts = tables.read(files.verdicts, "verdicts")
    counts = tables.read(files.reliability_counts, "reliability_counts")
    if not uniform:  # where the truth is one structure, a pair shares a cause in all draws or none
        counts = counts[counts["what"] == "structure"]
    recovered, sizes = recovery.recovery_table(verdicts), verdicts["n"].unique()
    results = {
        "population": population(verdicts),
        "found": recovered,
        "found_share": recovery.recovery_shares(recovered, sizes),
        "comparisons": recovery.comparisons(recovered),
        "reliability": reliability(counts),
    }
    if files.worths:
        results["cases_needed"] = recovery.cases_needed(recovered)
        results["worth"] = worth(tables.read(files.worths, "worths"))
    if uniform:
        results["calibration"] = calibration(verdicts)
    else:
        results["claims_held"] = claims_held(
            tables.read(files.claims, "claims"), recovered, verdicts
        )
    for name, path in snakemake.output.items():
        tables.write(path, name, results[name])
