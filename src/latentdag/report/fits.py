"""Fits, of a study as of one's own data: `latentdag.study.one_draw.fits`."""

import pandas as pd

from latentdag.report.markdown import label, table_of
from latentdag.study.one_draw import fits as of_fits

TITLE = "Fits"
NOT_CONVERGED = {
    "draw": lambda r: r.draw,
    "n": lambda r: r.n,
    "method": lambda r: label(r.job),
    "not converged": lambda r: len(r.structures),
    "structures": lambda r: ", ".join(r.structures),
}
AT_BEST = {
    "fit": lambda r: label(r.Index),
    "fits": lambda r: r.fits,
    "restarts": lambda r: f"{r.fewest_restarts:g} to {r.most_restarts:g}",
    "fewest": lambda r: f"{r.fewest:g}",
    "10 % quantile": lambda r: f"{r.tenth:g}",
    "median": lambda r: f"{r.median:g}",
    "median share of restarts": lambda r: f"{100 * r.share:.0f} %",
    "fits with one such restart": lambda r: f"{r.once} ({100 * r.once / r.fits:.1f} %)",
}


def section(scores: pd.DataFrame) -> list[str]:
    """Which fits did not converge, and how many restarts ended at the best; of all draws."""
    fits = of_fits.fits(scores)
    convergence, at_best = of_fits.convergence(fits), of_fits.at_best(fits)
    failed = of_fits.not_converged_by_size(fits)
    text = []
    if len(convergence):
        words = ", ".join(
            f"{label(r.Index)} {r.failed} of {r.fits}" for r in convergence.itertuples()
        )
        text.append(f"Fits that reached the iteration limit without convergence: {words}.")
    if len(failed):
        text.append(table_of(failed, NOT_CONVERGED))
    if len(at_best):
        text.append("For each fit, the number of restarts that ended at its best optimum:")
        text.append(table_of(at_best, AT_BEST))
    return [f"## {TITLE}", *text] if text else []
