"""How far the errors of AIS can be trusted: by several estimates of the standard error of ln of a
mean weight, z against the evidence over repeated sets of chains.

Twelve structures at n = 10, 80 and 480 of draw 0; the evidence is that of the committed tables,
with its own error. Prints a table for each number of chains: the root mean square of z, and how
often the evidence lies within one and two standard errors (normal: 1, 68 % and 95 %). A minute or
two.
"""

import common
import numpy as np

from latentdag import enumerate_structures
from latentdag.engine.log_mean import log_mean_exp
from latentdag.scores import compute
from latentdag.scores.base import Task

SIZES, CHAINS, NUMBERS = (10, 80, 480), 640, (4, 16, 64)
RESAMPLED = 200
RNG = np.random.default_rng(0)


def delta_method(w: np.ndarray) -> float:
    """Standard error of the mean weight over the mean."""
    weights = np.exp(w - w.max())
    return weights.std(ddof=1) / weights.mean() / np.sqrt(len(w))


def bootstrap(w: np.ndarray) -> float:
    """Standard deviation over sets that are drawn from the chains with replacement."""
    drawn = np.exp(w - w.max())[RNG.integers(len(w), size=(RESAMPLED, len(w)))]
    return np.log(drawn.mean(axis=1)).std()


def half_samples(w: np.ndarray) -> float:
    """Root mean square of half the difference between two halves of the chains."""
    drawn = RNG.permuted(np.tile(np.exp(w - w.max()), (RESAMPLED, 1)), axis=1)
    halves = np.log(drawn.reshape(RESAMPLED, 2, -1).mean(axis=2))
    return np.sqrt(np.mean(np.diff(halves, axis=1) ** 2)) / 2


def jackknife(w: np.ndarray) -> float:
    """From the results without one chain each (Efron & Stein 1981, Ann. Stat. 9, 586-596)."""
    k = len(w)
    without = np.array([np.logaddexp.reduce(np.delete(w, i)) for i in range(k)])
    return np.sqrt((k - 1) * without.var())


def log_normal(w: np.ndarray) -> float:
    """Of mean + variance / 2 of the ln weights (Cox's, see Land 1972, Technometrics 14, 145)."""
    variance = w.var(ddof=1)
    return np.sqrt(variance / len(w) + variance**2 / (2 * (len(w) - 1)))


ESTIMATES = {
    "delta method": delta_method,
    "bootstrap": bootstrap,
    "half-samples": half_samples,
    "jackknife": jackknife,
    "ln weights normal": log_normal,
    "spread of ln weights (used)": lambda w: log_mean_exp(w)[1],
}


def main() -> None:
    cases = common.cases_of(max(SIZES))
    evidence, structures = common.evidence(), enumerate_structures()[3::12]
    z = {(name, k): [] for name in ESTIMATES for k in NUMBERS}
    for n in SIZES:
        _, findings = compute(Task(structures, cases[:n], seed=1), ["ais"], {"chains": CHAINS})
        for (name, k), of_sizes in z.items():
            of_sizes.append([])
            for s in structures:
                for w in findings["ais"][s.label][n].log_weights.reshape(-1, k):
                    estimated = log_mean_exp(w)[0], ESTIMATES[name](w)
                    error = common.error(*estimated, evidence.loc[0, n, s.label])
                    of_sizes[-1].append(error["error_nats"] / error["standard_error"])
    for k in NUMBERS:
        sets = len(structures) * CHAINS // k
        print(f"\n{k} chains, {sets} sets\n")
        rows = []
        for name in ESTIMATES:
            of_sizes = ((np.square(x).mean() ** 0.5, np.abs(x)) for x in z[name, k])
            figures = (
                (f"{rms:.2f}", *(f"{100 * np.mean(x < most):.0f} %" for most in (1, 2)))
                for rms, x in of_sizes
            )
            rows.append((name, *(figure for of_size in figures for figure in of_size)))
        columns = (f"n = {n}: z | within 1 | within 2" for n in SIZES)
        common.print_table(" | ".join(("standard error", *columns)), rows)


if __name__ == "__main__":
    main()
