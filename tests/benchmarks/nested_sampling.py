"""The evidence by dynesty, a well-known nested sampler, beside the reference and enumeration, on
two small cases.

Not a dependency of the study: ``pip install dynesty`` first; without it this says so and ends.
Prints a table.
"""

import numpy as np

from latentdag import Family, Prior, Structure, score
from latentdag.data.counts import cell_counts
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import draw_study
from latentdag.scores import exact

CASES = (
    (Structure.from_label("1-1-1", Family((2,), (2, 2, 2))), 12),
    (Structure.from_label("1-12", Family((2, 2), (2, 3))), 10),
)


def nested_sampling(dynesty, structure, cases) -> tuple[float, float]:
    """ln evidence and its error under Dirichlet(1) priors: rows are normalised exponentials of
    uniform numbers.
    """
    kernel = Kernel([structure.without_childless()], cell_counts(cases, structure.family))
    batch = kernel.batch(np.array([0]))

    def log_likelihood(u):
        weights = kernel.expand(0, -np.log(u))[None]
        return batch.log_likelihood(weights / batch.spread(batch.row_sums(weights))).item()

    size = int(kernel.n_coordinates[0])
    sampler = dynesty.NestedSampler(
        log_likelihood, lambda u: u, size, nlive=500, rstate=np.random.default_rng(0)
    )
    sampler.run_nested(dlogz=0.05, print_progress=False)
    return sampler.results.logz[-1], sampler.results.logzerr[-1]


def main() -> None:
    try:
        import dynesty
    except ImportError:
        print("dynesty is not installed (pip install dynesty): nothing to compare with")
        return
    print(f"{'structure':>10s} {'n':>3s} {'exact':>9s} {'reference':>18s} {'dynesty':>17s}")
    for structure, n in CASES:
        cases = draw_study(structure, Prior(), n, seed=0).cases
        truth = exact.log_evidence(cases, [structure]).item()
        reference = score(cases, structure, "reference")
        value, error = nested_sampling(dynesty, structure, cases)
        own = f"{reference.score:9.4f} ± {reference.standard_error:.4f}"
        print(f"{structure.label:>10s} {n:3d} {truth:9.4f} {own:>18s} {value:9.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
