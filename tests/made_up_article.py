"""What the article is set from, made up: the tables of a study and of populations, and records of
how they were made.
"""

from functools import cache
from itertools import product

import made_up
import made_up_population
import pandas as pd

from latentdag.study.paper.beal_ghahramani import claims_of_draw
from latentdag.study.paper.claims_held import claims_held
from latentdag.study.schema.columns import TABLES

SIZES = (10, 80, 480, 1120, 10240)
METHODS = (*made_up.METHODS, "tempered_smc", "laplace", "cs_lr", "vb_mix", "vb_collapsed")
RECORD = {
    "command": "snakemake --cores 3",
    "commit": "0123456789abcdef",
    "uncommitted_changes_to_code": False,
    "config": {
        "seed": 77,
        "alpha": 0.75,
        "alpha_hidden": 1.25,
        "figure_n": 480,
        "family": {"hidden": [2, 3], "observed": [2, 3, 2]},
        "ais": {"steps": 4321, "chains": 19},
        "reference": {"target": 0.15, "runs": 13, "particles": 73},
        "restarts": {"map": {"at_most": 61, "hits": 7}, "vb": {"at_most": 127, "hits": 15}},
    },
    "python": "3.99.1",
    "packages": {"numpy": "2.98.7", "scipy": "1.97.6"},
    "machine": {"processor": "an abacus"},
    "jobs": {"map": {"processor_seconds": 1234.0}, "vb": {"processor_seconds": None}},
    "start": "2031-05-06T01:02:03+00:00",
    "end": "2031-05-07T01:02:03+00:00",
}


def experiments() -> dict[str, pd.DataFrame]:
    """The tables of experiments that pages quote: of two draws, two structures and two sizes."""
    alphas = (("1", "1-1-0", 0.0, 0.1), ("integrated", "1-2-0", 3.0, 1.0))
    integrated = [
        (draw, n, method, alpha, best, 1 + (draw == 0), lead, error, lead, error)
        for draw, n, method, (alpha, best, lead, error) in product(
            (0, 1), (80, 480), ("vb", "reference"), alphas
        )
    ]
    slopes = [
        (truth, structure, "vb", against, n, 7, -3.25 if n > 1e4 else None, 0.125)
        for truth, structure in (("1-12-12-2", "1-12-12-2"), ("0-0-0-0", "1-1-1-1"))
        for against in ("bic", "true parameters")
        for n in (10**4, 10**7)
    ]
    bridge = [
        (n, structure, estimator, error, 0.25)
        for n, estimator in product((80, 480), ("bridge sampling", "reciprocal"))
        for structure, error in (("1-1-0", -0.5), ("1-2-0", 1.5))
    ]
    audit = [
        (draw, n, structure, -100.0, 0.3, -100.0 + higher, 0.4, -higher / 0.5)
        for draw, n in product((0, 1), (80, 480))
        for structure, higher in (("1-1-0", 2.0), ("1-2-0", 3 * draw - 0.5))
    ]
    columns = {
        "alpha_integrated": "draw n method alpha best_structure rank "
        "lead lead_error lead_at_1 lead_at_1_error",
        "asymptotics": "true_structure structure method against n draws slope slope_error",
        "bridge_sampling": "n structure estimator error_nats standard_error",
        "evidence_audit": "draw n structure log_evidence standard_error audited audited_error z",
    }
    tables = zip(columns, (integrated, slopes, bridge, audit), strict=True)
    return {name: pd.DataFrame(rows, columns=columns[name].split()) for name, rows in tables}


@cache
def study() -> dict[str, pd.DataFrame]:
    """The tables of a study of single draws."""
    scores = made_up.with_copies(made_up.scores(methods=METHODS))
    steps = [
        (step, n, times * microseconds, 1.0, 1.0)
        for n, times in {80: 0.5, 480: 1.0, 10240: 9.0}.items()  # the article is of 480 alone
        for step, microseconds in {"EM iteration": 3.21, "VBEM iteration": 4.56}.items()
    ]
    benchmark = pd.DataFrame(steps, columns=TABLES["benchmark"].columns)
    return made_up.study(scores, benchmark=benchmark)


def population(truth: str | None, draws: int = 40, alpha: float = 1.0) -> dict[str, pd.DataFrame]:
    """The tables of a population; without a ``truth`` those of one in which draws differ in it."""
    made = made_up_population.tables(draws, SIZES)
    left_out = {"claims", "claims_held"} if truth is None else {"calibration"}
    t = {name: made[name] for name in made if name not in left_out}
    vb = t["population"][t["population"]["method"] == "vb"]
    collapsed = vb.assign(method="vb_collapsed", mean_error=0.75 * vb["mean_error"])
    t["population"] = pd.concat([t["population"], collapsed])
    t["design"] = t["design"].assign(alpha=alpha)
    if truth is not None:
        t["design"] = t["design"].assign(true_structure=truth)
        t["claims_held"] = claims(draws)
    return t


@cache
def claims_of_draws() -> pd.DataFrame:
    scores, structures = made_up.scores(methods=METHODS), made_up.structures_table()
    drawn = (made_up.of_draw(scores, draw) for draw in (0, 1))
    return pd.concat([claims_of_draw(of, structures, made_up.TRUE, 7) for of in drawn])


@cache
def claims(draws: int) -> pd.DataFrame:
    """Claims as they are named, of which none is empty."""
    made = made_up_population.tables(draws, SIZES)
    table = claims_held(claims_of_draws(), made["found"], made["verdicts"])
    return table.assign(draws=33, holds=range(len(table)), share=0.25, low=0.1, high=0.4)


@cache
def populations() -> dict[str, dict[str, pd.DataFrame]]:
    """All populations that the article tells of, by their folders."""
    of_another_prior = population("1-12-2", 21)
    design = of_another_prior["design"].assign(true_alpha=2.0, true_alpha_hidden=2.0)
    of_another_prior = of_another_prior | {"design": design}
    return {
        "draws-of-the-paper": population("1-12-2"),
        "every-structure": population(None),
        "audit-of-calibration": population(None, 21),
        "alpha-0.5": population("1-12-2", 21, 0.5),
        "alpha-2": population("1-12-2", 21, 2.0),
        "another-structure": population("1-1-2", 21),
        "true-alpha-2": of_another_prior,
        "scored-with-alpha-2": dict(of_another_prior),
        "ais-16-chains": population("1-12-2", 21),
        "ais-at-equal-cost": at_equal_cost(),
        "fine-grid": population("1-12-2", 27),
    }


def at_equal_cost() -> dict[str, pd.DataFrame]:
    """A population with two other kinds of AIS, of which the second is twice as far off."""
    made = population("1-12-2", 21)
    is_ais = made["verdicts"]["method"] == "ais"
    verdicts = [
        made["verdicts"][is_ais].assign(method=kind, mean_absolute_error=error)
        for kind, error in (("ais_long", 3.5), ("ais_rows", 7.0))
    ] + [made["verdicts"][~is_ais]]
    claims_of_kinds = [made["claims"].replace("ais", kind) for kind in ("ais_long", "ais_rows")]
    return made | {"verdicts": pd.concat(verdicts), "claims": pd.concat(claims_of_kinds)}


def records(names) -> dict[str, dict]:
    """A record for each population."""
    config = {"ais": {"steps": 5432, "chains": 3}, "reference": {"target": 0.15, "runs": 17}}
    config["restarts"] = {"map": {"at_most": 23, "hits": 4}, "vb": {"at_most": 22, "hits": 5}}
    config |= {"ais_long": {"steps": 65432}, "ais_rows": {"steps": 4567}}
    part = {"commit": "0123456789ab", "end": "2031-05-06T00:00:00+00:00"}
    parts = {"a part": part | {"jobs": {"ais": {"processor_seconds": 4321.0}}}}
    return {name: RECORD | {"config": RECORD["config"] | config, "parts": parts} for name in names}
