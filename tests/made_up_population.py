"""A population of draws: verdicts made up so that scores find the truth at sizes of their own, and
the tables that the package makes of them.

Errors are of about the right size, but no number means anything.
"""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import pandas as pd

from latentdag.study.many_draws import recovery
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.population import MEASURES, population, reliability, share, worth
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.paper.claims import AGREES, DIFFERS, NOT_TESTABLE
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


@cache
def tables(draws: int = 100, sizes: tuple[int, ...] = SIZES, seed: int = 1) -> "Tables":
    """By name: design, structures, verdicts, found, found_share, comparisons, cases_needed,
    population, calibration, reliability, worth, claims, claims_held.
    """
    rng = np.random.default_rng(seed)
    design = [(d, "1-12-12-2" if d % 2 else "0-0-1-1", 1.0, 0.5) for d in range(draws)]
    design = pd.DataFrame(design, columns=["draw", "true_structure", "alpha", "alpha_hidden"])
    verdicts = _verdicts(rng, design, sizes)
    counts, worths = _counts(rng, draws, sizes), _worths(rng, draws, sizes)
    claims, found = _claims(rng, draws), recovery.recovery_table(verdicts)
    structures = pd.DataFrame({"structure": list("abcde"), "class": list("aabbc")})
    made = {
        "design": lambda: design,
        "structures": lambda: structures,
        "verdicts": lambda: verdicts,
        "found": lambda: found,
        "found_share": lambda: recovery.recovery_shares(found, np.array(sizes)),
        "comparisons": lambda: recovery.comparisons(found),
        "cases_needed": lambda: recovery.cases_needed(found),
        "population": lambda: population(verdicts),
        "calibration": lambda: calibration(verdicts),
        "reliability": lambda: reliability(counts),
        "worth": lambda: worth(worths),
        "claims": lambda: _claims_of_draws(draws, seed),
        "claims_held": lambda: claims,
    }
    return Tables(made, seed)


class Tables(Mapping):
    """Tables by name, each made when it is needed, with its rows in no order."""

    def __init__(self, made: dict[str, Callable[[], pd.DataFrame]], seed: int):
        self.made, self.seed, self.shuffled = made, seed, {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.shuffled:
            table = self.made[name]().sample(frac=1, random_state=self.seed)
            self.shuffled[name] = table.reset_index(drop=True)
        return self.shuffled[name]

    def __iter__(self):
        return iter(self.made)

    def __len__(self) -> int:
        return len(self.made)


def _verdicts(rng, design: pd.DataFrame, sizes) -> pd.DataFrame:
    draws = len(design)
    hard = rng.normal(0, 1.1, draws)  # draws that are hard for one score are so for all
    draw, n = (x.ravel() for x in np.meshgrid(np.arange(draws), sizes, indexing="ij"))
    truth, parts = design["true_structure"].to_numpy()[draw], []
    for by in ("structure", "class"):
        for m, (half, error, growth) in SCORES.items():
            if by == "class" and m in NO_POSTERIOR:
                continue
            needed = half * np.exp(hard + rng.normal(0, 0.5, draws)) * (0.9 if by == "class" else 1)
            ratio, k = n / needed[draw], len(n)
            rank = np.ceil(np.where(ratio < 1, 1 + 60 * (1 - ratio) * rng.random(k), 1))
            p = 0.01 + 0.9 * ratio / (1 + ratio) * rng.uniform(0.7, 1, k)
            top = np.where(rank == 1, p, np.maximum(p, rng.uniform(0.1, 0.9, k)))
            of = {"draw": draw, "n": n, "by": by, "method": m, "truth": truth, "rank": rank}
            of |= {"top": np.where(rank == 1, truth, rng.choice(["a", "b"], k))}
            of |= {"regret": (rank > 1) * rng.gamma(2, 3, k)}
            if m not in NO_POSTERIOR:
                of |= {"probability": p, "top_probability": top, "log_probability": np.log(p)}
                of |= {"brier": 1.5 * (1 - p) ** 2, "lost_by_average": rng.uniform(1, 2, k) / n}
                of |= {"expected_log_probability": np.log(top) / 2, "expected_brier": 1 - top**2}
                of |= {"variance_log_probability": 4 * (1 - top), "variance_brier": 1 - top}
                if by == "structure":
                    of["mean_error"] = error - growth * np.log(n / 10) + rng.normal(0, 0.3, k)
                    of["mean_absolute_error"] = np.abs(of["mean_error"]) + rng.uniform(0, 0.5, k)
            parts.append(pd.DataFrame(of))
    table = pd.concat(parts).reindex(columns=TABLES["verdicts"].columns)
    # a structure predicts as well whoever picks it
    of_pick = table.groupby(["draw", "n", "by", "top"], sort=False).ngroup()
    lost = rng.normal(0.01, 0.02, of_pick.max() + 1)[of_pick]
    return table.assign(lost_by_top=np.where(table["n"] == max(sizes), np.nan, lost))


def _counts(rng, draws: int, sizes) -> pd.DataFrame:
    """Counts of statements, of all draws together: some scores are too sure."""
    rows = []
    for m in SCORES:
        sharp = {"reference": 1.0, "ais": 1.6, "bic": 2.2}.get(m, 1.3)
        for what, total in (("structure", 136), ("class", 78), ("shared cause", 6)):
            for n in sizes if m not in NO_POSTERIOR else ():
                p = rng.beta(0.25, 0.25 if total == 6 else 6, draws * total)
                true, odds = rng.random(len(p)) < p, (p / (1 - p + 1e-12)) ** sharp
                said = odds / (1 + odds)
                tenth = np.minimum((said * BINS).astype(int), BINS - 1)
                sums = (np.bincount(tenth, w, BINS) for w in (np.ones(len(p)), said, true))
                rows += [(0, n, m, what, b, *of) for b, of in enumerate(zip(*sums, strict=True))]
    return pd.DataFrame(rows, columns=TABLES["reliability_counts"].columns)


def _worths(rng, draws: int, sizes) -> pd.DataFrame:
    methods = [*(m for m in SCORES if m not in NO_POSTERIOR), *BASELINES]
    values = [
        (d, n, m, 3.5 + k, 0.9 - 0.1 * k, 0.8 - 0.1 * k, 0.05 * k, 0.5 * k)
        for d in range(draws)
        for n in sizes
        for k, m in enumerate(methods)
    ]
    table = pd.DataFrame(values, columns=TABLES["worths"].columns)
    table[[*MEASURES]] *= rng.uniform(0.5, 1.5, (len(table), len(MEASURES)))
    unknown = ["mean_absolute_error", "total_variation"]  # of what is no evidence
    table.loc[table["method"].isin(BASELINES), unknown] = np.nan
    return table


def _claims_of_draws(draws: int, seed: int) -> pd.DataFrame:
    """Two claims about AIS, of which the second needs an error that only some seeds have."""
    rng = np.random.default_rng(seed)
    rows = [
        (d, claim, "yes", "", verdict, f"sentence of {claim}", ais)
        for d in range(draws)
        for claim, ais, verdict in (
            ("AIS is noisy", "ais", rng.choice([AGREES, DIFFERS], p=[0.8 / seed, 1 - 0.8 / seed])),
            ("AIS lies above VB", "ais", AGREES if seed > 1 and d % 9 else NOT_TESTABLE),
            ("VB is first", "", DIFFERS),
        )
    ]
    return pd.DataFrame(rows, columns=TABLES["claims"].columns)


def _claims(rng, draws: int) -> pd.DataFrame:
    rows = []
    for i in range(5):
        tested = max(draws - i, 1)
        holds = int(rng.integers(0, tested + 1))
        ends = share(holds, tested)
        rows.append((f"claim {i}", f"yes {i}", tested, holds, *ends, i, f"sentence {i}", ""))
    nothing = np.nan, np.nan, np.nan
    rows.append(("claim of a limit", "yes", 2, 2, *nothing, draws - 2, "sentence 5", ""))
    rows.append(("claim of nothing", "yes", 0, 0, *nothing, draws, "sentence 6", "ais"))
    return pd.DataFrame(rows, columns=TABLES["claims_held"].columns)
