"""Fits, of a study as of one's own data: `latentdag.study.one_draw.fits`."""

import pandas as pd

from latentdag.report.markdown import label, table
from latentdag.study.one_draw import fits as of_fits

TITLE = "Fits"


def section(scores: pd.DataFrame) -> list[str]:
    """Which fits did not converge, and how many restarts ended at the best; of all draws."""
    fits = of_fits.fits(scores)
    convergence, at_best = of_fits.convergence(fits), of_fits.at_best(fits)
    failed = of_fits.not_converged(fits)
    text = []
    if len(convergence):
        words = ", ".join(
            f"{label(r.Index)} {r.failed} of {r.fits}" for r in convergence.itertuples()
        )
        text.append(f"Stopped at the iteration limit, not converged: {words}.")
    if len(failed):
        rows = [
            [draw, n, label(job), len(own), ", ".join(own["structure"])]
            for (draw, n, job), own in failed.groupby(["draw", "n", "job"])
        ]
        text.append(table(["draw", "n", "method", "not converged", "structures"], rows))
    rows = [
        [
            label(r.Index),
            r.fits,
            f"{r.fewest_restarts:g} to {r.most_restarts:g}",
            *(f"{v:g}" for v in (r.fewest, r.tenth, r.median)),
            f"{100 * r.share:.0f} %",
            f"{r.once} ({100 * r.once / r.fits:.1f} %)",
        ]
        for r in at_best.itertuples()
    ]
    if rows:
        header = [
            "fit",
            "fits",
            "restarts",
            "fewest at best",
            "10 % quantile",
            "median",
            "median share",
            "only one at best",
        ]
        text += ["How many restarts of a fit ended at its best optimum:", table(header, rows)]
    return [f"## {TITLE}", *text] if text else []
