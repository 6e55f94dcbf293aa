"""The tables of a population of draws, made up: scores that find the truth at sizes of their own.

Intervals and errors are of about the right size, but no number in them means anything.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy

from latentdag.study.many_draws.population import MEASURES
from latentdag.study.many_draws.sizes_found import cases_needed
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.schema.columns import TABLES

SIZES = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280, 2560)
SIZES += (5120, 10240)
# by score: the size at which half of the draws have found the truth, and the error in nats at the
# smallest size, and how it grows
SCORES = {
    "map": (np.inf, 0.0, 0.0),
    "bic": (3600, -34.0, 7.0),
    "bic_ml": (4000, -30.0, 7.0),
    "cs": (1500, -5.5, 2.4),
    "laplace": (900, -1.9, 0.2),
    "cs_lr": (850, -1.0, 0.3),
    "vb": (1300, -4.8, 2.0),
    "vb_mix": (1000, -1.5, 0.8),
    "ais": (1700, -0.3, 0.7),
    "reference": (800, 0.0, 0.0),
}
NO_POSTERIOR = ("map",)
BINS = 10


def wilson(successes, trials):
    if not trials:
        return np.nan, np.nan
    p, z2 = successes / trials, 1.96**2
    middle = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = np.sqrt(p * (1 - p) * z2 / trials + z2**2 / (4 * trials**2)) / (1 + z2 / trials)
    return middle - half, middle + half


@cache
def tables(draws: int = 100, sizes: tuple[int, ...] = SIZES, seed: int = 1) -> SimpleNamespace:
    """population, found_share, found, cases_needed, comparisons, calibration, reliability,
    claims_held, design, verdicts, structures: rows in no order.
    """
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1.1, draws)  # draws that are hard for one score are so for all
    starts = {}
    for by in ("structure", "class"):
        for m, (half, *_) in SCORES.items():
            if by == "class" and m in NO_POSTERIOR:
                continue
            needed = half * np.exp(hard + rng.normal(0, 0.5, draws)) * (0.9 if by == "class" else 1)
            starts[by, m] = [next((n for n in sorted(sizes) if n >= x), np.nan) for x in needed]
    population, share = [], []
    for (by, m), needed in starts.items():
        needed = np.array(needed)
        for n in sizes:
            known = (needed <= n).sum()
            low, high = wilson(known, draws)
            share.append((n, by, m, draws, known / draws, low, high))
            population.append(_population(rng, n, by, m, known, draws))
    found = [(d, by, m, needed[d]) for (by, m), needed in starts.items() for d in range(draws)]
    design = [(d, "1-12-12-2" if d % 2 else "0-0-1-1", 1.0, 0.5) for d in range(draws)]
    made = {
        "design": pd.DataFrame(design, columns=["draw", "true_structure", "alpha", "alpha_hidden"]),
        "structures": pd.DataFrame({"structure": list("abcde"), "class": list("aabbc")}),
        "verdicts": _verdicts(rng, design, sizes),
        "comparisons": _comparisons(rng, draws),
        "calibration": _calibration(rng, draws, sizes),
        "claims_held": _claims(rng, draws),
        "population": pd.DataFrame(population),
        "found_share": pd.DataFrame(
            share, columns=["n", "by", "method", "draws", "share", "low", "high"]
        ),
        "found": pd.DataFrame(found, columns=["draw", "by", "method", "n_found"]),
        "reliability": _reliability(rng, draws, sizes),
        "worth": _worth(draws, sizes),
    }
    made["cases_needed"] = cases_needed(made["found"])
    return SimpleNamespace(
        **{k: t.sample(frac=1, random_state=seed).reset_index(drop=True) for k, t in made.items()}
    )


def _population(rng, n, by, m, known, draws):
    _, error, growth = SCORES[m]
    own = by == "structure"
    posterior = m not in NO_POSTERIOR
    first = min(draws, known + rng.integers(0, 4))
    five = min(draws, first + rng.integers(3, 14))
    middle = 1 + 60 * (1 - first / draws) ** 2 * (80 / (80 + n)) ** 0.4
    quantiles = np.maximum(1, np.round(middle * np.array([0.2, 0.5, 1.0, 1.6, 2.4])))
    mean = error - growth * np.log(n / 10) if own and m != "map" else np.nan
    row = {"n": n, "by": by, "method": m, "draws": draws}
    row |= dict(
        zip(("rank_10", "rank_25", "rank_50", "rank_75", "rank_90"), quantiles, strict=True)
    )
    for name, count in (("first", first), ("in_five", five)):
        low, high = wilson(count, draws)
        row |= {name: count / draws, f"{name}_low": low, f"{name}_high": high}
    row |= {"mean_error": mean, "mean_error_se": abs(mean) * 0.05 + 0.02}
    row |= {
        "mean_absolute_error": abs(mean) + 0.3,
        "mean_absolute_error_se": 0.05 * abs(mean) + 0.02,
    }
    for name, value in (
        ("regret", 12 * (1 - first / draws) * rng.uniform(0.6, 1)),
        ("brier", 0.9 * (1 - first / draws) if posterior else np.nan),
        ("log_probability", -5 * (1 - first / draws) - 0.1 if posterior else np.nan),
        ("lost_by_top", 2 / n * rng.uniform(1, 2)),
        ("lost_by_average", 2 / n * rng.uniform(0.7, 1) if posterior else np.nan),
    ):
        row |= {name: value, f"{name}_se": abs(value) * rng.uniform(0.05, 0.2)}
    row["expected_first"] = min(1, first / draws + 0.02 + 0.3 * (m != "reference"))
    if not posterior:
        row["expected_first"] = np.nan
    return row


def _worth(draws, sizes):
    rows = []
    for n in sizes:
        for k, m in enumerate([*(m for m in SCORES if m not in NO_POSTERIOR), *BASELINES]):
            values = [3.5 + k, 0.9 - 0.1 * k, 0.8 - 0.1 * k, 0.05 * k, 0.5 * k]
            if m in BASELINES:
                values[0] = values[3] = np.nan
            row = {"n": n, "method": m, "draws": draws}
            for name, value in zip(MEASURES, values, strict=True):
                row |= {name: value, f"{name}_se": 0.1 * abs(value)}
            rows.append(row)
    return pd.DataFrame(rows)


def _reliability(rng, draws, sizes):
    rows = []
    for m in SCORES:
        if m in NO_POSTERIOR:
            continue
        sharp = {"reference": 1.0, "ais": 1.6, "bic": 2.2}.get(m, 1.3)
        for what, total in (("structure", 136), ("class", 78), ("shared cause", 6)):
            for n in sizes:
                p = rng.beta(0.25, 0.25 if total == 6 else 6, draws * total)
                true = rng.random(len(p)) < p
                odds = (p / (1 - p + 1e-12)) ** sharp
                said = odds / (1 + odds)
                bins = np.minimum((said * BINS).astype(int), BINS - 1)
                for b in range(BINS):
                    own = bins == b
                    low = high = mean = part = np.nan
                    if own.any():
                        mean, part = said[own].mean(), true[own].mean()
                        low, high = wilson(true[own].sum(), own.sum())
                    rows.append((n, m, what, b, own.sum(), mean, part, low, high))
    columns = ["n", "method", "what", "bin", "number", "mean_probability", "share_true"]
    return pd.DataFrame(rows, columns=[*columns, "low", "high"])


def _verdicts(rng, design, sizes):
    rows = [
        (d, n, by, m, truth, truth if rng.random() < 0.4 else rng.choice(["a", "b"]))
        for d, truth, *_ in design
        for n in sizes
        for by in ("structure", "class")
        for m in SCORES
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "by", "method", "truth", "top"])
    # a structure predicts as well whoever picks it
    lost = rng.normal(0.01, 0.02, len(table))
    table["lost_by_top"] = (
        pd.Series(lost).groupby([table[c] for c in ("draw", "n", "by", "top")]).transform("first")
    )
    table.loc[table["n"] == max(sizes), "lost_by_top"] = np.nan
    return table


def _comparisons(rng, draws):
    rows = []
    for by in ("structure", "class"):
        for a in SCORES:
            for b in SCORES:
                if a == b or (by == "class" and {a, b} & set(NO_POSTERIOR)):
                    continue
                counts = rng.multinomial(draws, (0.5, 0.2, 0.2, 0.1))
                low, high = wilson(counts[0], counts[:2].sum())
                share = counts[0] / counts[:2].sum() if counts[:2].any() else np.nan
                factor = rng.uniform(0.5, 4)
                ends = (factor * 0.8, factor * 1.3)
                rows.append((by, a, b, draws, *counts, share, low, high, factor, *ends))
    columns = ["by", "method", "other", "draws", "earlier", "later", "same", "undecided"]
    columns += ["share_earlier", "low", "high", "factor", "factor_low", "factor_high"]
    return pd.DataFrame(rows, columns=columns)


def _calibration(rng, draws, sizes):
    rows = []
    for by in ("structure", "class"):
        for m in SCORES:
            if m in NO_POSTERIOR:
                continue
            names = ["accuracy", "log score", "Brier score"]
            if m != "reference":
                names += [f"below the reference in {name}" for name in names[1:]]
            for n in sizes:
                for name in names:
                    z = rng.normal(0, 1.5)
                    value, error = rng.uniform(-2, 2), rng.uniform(0.1, 0.5)
                    if "below" in name:
                        value = z * error
                    p = scipy.stats.norm.sf(abs(z)) * 2
                    rows.append((n, by, m, name, draws, value, value - z * error, error, z, p))
    columns = ["n", "by", "method", "statistic", "draws", "value", "expected"]
    return pd.DataFrame(rows, columns=[*columns, "standard_error", "z", "p_value"])


def _claims(rng, draws):
    rows = []
    for i in range(5):
        tested = max(draws - i, 1)
        holds = int(rng.integers(0, tested + 1))
        low, high = wilson(holds, tested)
        place = f"sentence {i}"
        rows.append((f"claim {i}", f"yes {i}", tested, holds, holds / tested, low, high, i, place))
    nothing = np.nan, np.nan, np.nan
    rows.append(("claim of a limit", "yes", 2, 2, *nothing, draws - 2, "sentence 5"))
    rows.append(("claim of nothing", "yes", 0, 0, *nothing, draws, "sentence 6"))
    return pd.DataFrame(rows, columns=TABLES["claims_held"].columns)
