"""Pages by name: functions that write them from made-up tables.

Rows are in no order, and no two numbers of a table are alike where that is possible, so that a
number from another row or column shows.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from math import prod

import made_up
import made_up_article
import made_up_population
import numpy as np
import pandas as pd
from made_up import TRUE

from latentdag import Family, Structure, enumerate_structures
from latentdag.ranking.names import n_used
from latentdag.ranking.prior import log_prior
from latentdag.report.data_summary import write_data_summary
from latentdag.report.findings import write_findings
from latentdag.report.population_summary import write_population_summary
from latentdag.report.summary import write_summary
from latentdag.scores import SPECS
from latentdag.study.many_draws import recovery
from latentdag.study.many_draws.population import share
from latentdag.study.one_draw import errors, posterior
from latentdag.study.own_data import marginals
from latentdag.study.paper import sources
from latentdag.study.paper.claims import VB_BEFORE_BIC
from latentdag.study.paper.runs import AIS_KINDS, EQUAL_COST, EXPERIMENTS, OTHER_PRIORS, VARIATIONS
from latentdag.study.paper.runs import TABLES as OF_FINDINGS
from latentdag.study.schema.candidates import by_name
from latentdag.study.schema.columns import TABLES

nan, inf = float("nan"), float("inf")

# studies of simulated data


def study(scores: pd.DataFrame, /, config: Mapping | None = None, **tables: pd.DataFrame) -> str:
    """What follows from some scores, with the other tables of a study."""
    made = made_up.study(scores, **tables)
    return write_summary(
        config or {}, **{k: t.sample(frac=1, random_state=4) for k, t in made.items()}
    )


def everything() -> str:
    """Two draws with all scores; the second is not the first that is there."""
    methods = (*made_up.METHODS, "laplace", "tempered_smc", "vb_collapsed", "vb_mix")
    scores = made_up.scores(methods=methods, missing={("bic", 80), ("cs", 480), ("vb", 10)})
    config = {"draw": 1, "ais": {"chains": 16}, "reference": {"target": 0.2}, "sizes": [10, 80]}
    tables = {"scores": made_up.with_copies(scores), "claims_held": claims_held()}
    return study(scores, config, **tables)


FINDS = "the smallest size at which {} finds the true structure"


def claims_held() -> pd.DataFrame:
    """Claims that no draw can test, that none can refute, and two that are ours."""
    rows = [
        (FINDS.format("VB"), "n = 480", 20, 3, *share(3, 20), 1, sources.FINDS, ""),
        (VB_BEFORE_BIC, "", 20, 18, *share(18, 20), 1, sources.FINDS, ""),
        (FINDS.format("BIC"), "", 0, 0, *[nan] * 3, 21, sources.FINDS, ""),
        ("AIS, VB and BIC find it eventually", "", 4, 4, *[nan] * 3, 17, "no refutation", "ais"),
        ("VB at 480 cases", "from n = 480", 21, 4, *share(4, 21), 0, sources.OURS, ""),
        ("nobody can tell", "yes", 0, 0, *[nan] * 3, 21, sources.OURS, ""),
    ]
    return pd.DataFrame(rows, columns=TABLES["claims_held"].columns)


SIZES = (10, 80, 400, 480, 1120, 2560)
RANKS = ["draw", "n", "method", "rank", "score_true", "best_structure", "score_best", "rank_low"]
RANKS += ["rank_high", "class_rank", "class_rank_low", "class_rank_high"]


def of_ranks(
    config: Mapping | None = None, held: bool = False, spread: int = 0, **places: Iterable[int]
) -> str:
    """From the rank by each score at each of SIZES; AIS and the reference have this ``spread``."""
    rows = []
    for m, of_method in places.items():
        for n, rank in zip(SIZES, of_method, strict=True):
            wide = spread * (m in ("ais", "reference"))
            ends = (float(max(1, rank - wide)), float(rank + wide))
            rows.append((0, n, m, float(rank), 0.0, TRUE, 0.0, *ends, 2.0, 2.0, 3.0))
    tables = {"ranks": pd.DataFrame(rows, columns=RANKS), "structures": made_up.structures_table()}
    tables |= {"claims_held": claims_held()} if held else {}
    return write_summary(config or {}, **tables)


AS_THE_PAPER = {
    **{"map": (30, 20, 10, 6, 5, 4), "ais": (10, 8, 12, 1, 3, 1)},
    **{"vb": (40, 50, 9, 1, 1, 1), "bic": (90, 80, 70, 20, 1, 1)},
}
UNLIKE_THE_PAPER = {
    **{"reference": (5, 1, 2, 1, 1, 1), "ais": (60, 60, 1, 1, 1, 1)},
    **{"vb": (50, 50, 50, 2, 50, 2), "bic": (70, 40, 1, 1, 1, 1)},
}


def exact_and_not() -> str:
    """A reference that claims to be exact and is not, one that is noisy, and one without error."""
    scores = made_up.scores(
        seed=2, draws=(0,), sizes=(10, 640, 2560), methods=("reference", "exact", "vb")
    )
    reference = scores["method"] == "reference"
    scores.loc[reference & (scores["structure"] != TRUE), "standard_error"] = 0.0
    scores.loc[reference & (scores["n"] == 2560), "standard_error"] = nan
    return study(scores, structures=made_up.structures_table().iloc[:0])


def one_draw(change: Callable[[pd.DataFrame], pd.DataFrame], **tables) -> str:
    return study(change(made_up.scores(draws=(0,))), {"n": 10240}, **tables)


CHOSEN = {"design": {"population": "many", "nearest": {"vb": 480, "bic": 1120}}}
STUDIES = {
    "everything": everything,
    "nothing": partial(write_summary, {}),
    "ranks-as-in-the-paper": partial(of_ranks, CHOSEN, held=True, **AS_THE_PAPER),
    "several-ais": partial(of_ranks, **AS_THE_PAPER, ais_single=(10, 1, 2, 1, 1, 3)),
    "ranks-unlike-the-paper": partial(
        of_ranks, {"restarts": {"vb": {"same_starts": True}}}, spread=1, **UNLIKE_THE_PAPER
    ),
    "exact-and-not": exact_and_not,
    "no-truth": lambda: write_summary({}, scores=made_up.scores(), sandwich=made_up.sandwich()),
    "one-structure-at-one-size": partial(
        one_draw, lambda t: t[(t["structure"] == TRUE) & (t["n"] == 10)]
    ),
    "no-score-at-all": partial(
        one_draw, lambda t: t.assign(score=nan, standard_error=nan, reason="it | failed")
    ),
    "truth-without-score": partial(
        one_draw, lambda t: t.assign(score=t["score"].mask(t["structure"] == TRUE))
    ),
}

# populations of draws


def population(change: Callable[[str, pd.DataFrame], pd.DataFrame] | None = None, **of) -> str:
    """The summary of made-up tables, each changed by its name; those that are None are left out."""
    sizes = of.get("sizes", (10, 80, 480, 1120, 5120))
    tables = made_up_population.tables(of.get("draws", 20), sizes, 7)
    config = {"seed": 2003, "n": of.get("n", 480)}
    if change:
        tables = {name: change(name, table) for name, table in tables.items()}
    return write_population_summary(config, **{k: t for k, t in tables.items() if t is not None})


def with_gaps(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Cells without a number, and z that is infinite."""
    gaps = {
        "comparisons": {"factor_low": ("method", "cs"), "factor": ("other", "map")},
        "population": {"rank_75": ("method", "cs"), "brier": ("method", "vb")},
        "calibration": {"z": ("method", "cs"), "p_value": ("method", "cs")},
    }
    for column, (of, value) in gaps.get(name, {}).items():
        table = table.assign(**{column: table[column].mask(table[of] == value)})
    if name == "calibration":
        sure = (table["method"] == "bic") & (table["n"] == 5120)
        table.loc[sure, ["z", "p_value"]] = (-inf, 0.0)
    return table


def of_one_structure(name: str, table: pd.DataFrame) -> pd.DataFrame | None:
    """As in the paper, with two priors."""
    if name == "design":
        alpha = np.where(table["draw"] < 7, 2.0, 0.5)
        return table.assign(true_structure="1-12-12-2", alpha=alpha)
    return None if name == "calibration" else table


def another_prior(name: str, table: pd.DataFrame) -> pd.DataFrame | None:
    """As in the paper, with true parameters from two priors that no score assumes."""
    if name == "design":
        alpha = np.where(table["draw"] < 7, 4.0, 0.25)
        table = table.assign(true_alpha=alpha, true_alpha_hidden=2.0)
    return of_one_structure(name, table)


def several_ais(name: str, table: pd.DataFrame) -> pd.DataFrame | None:
    """As in the paper, and two scores play AIS."""
    if name == "claims_held":
        single = table[table["ais"] == "ais"].assign(ais="ais_single", draws=7, holds=5)
        single[["share", "low", "high"]] = share(5, 7)
        table = pd.concat([table, single])
    return of_one_structure(name, table)


def without_reference(name: str, table: pd.DataFrame) -> pd.DataFrame | None:
    """Nothing is held against the evidence, and three structures are not equally often true."""
    for column in ("method", "other"):
        table = table[table[column] != "reference"] if column in table else table
    if name == "design":
        return table.assign(true_structure=["a"] * 3 + ["b"] + ["c"] * 16)
    if name == "calibration":
        return table[~table["statistic"].str.startswith("below")]
    columns = {"regret", "lost_by_top", "lost_by_average", "mean_error", "mean_absolute_error"}
    table = table.assign(**dict.fromkeys(columns & set(table), nan))
    return None if name in ("cases_needed", "claims_held", "worth") else table


def rows_of(name: str, table: pd.DataFrame, **of: Iterable) -> pd.DataFrame:
    for column, values in of.items():
        table = table[table[column].isin(values)] if column in table else table
    return table


POPULATIONS = {
    "uniform-truths": partial(population, with_gaps),
    "one-structure": partial(population, of_one_structure),
    "another-prior": partial(population, another_prior),
    "several-ais": partial(population, several_ais, sizes=(480,)),
    "no-evidence": partial(population, without_reference),
    "one-draw": partial(population, draws=1, sizes=(80, 1120), n=100),
    "one-size-and-score": partial(population, partial(rows_of, n=[480], method=["vb"]), n=9000),
}

# one's own data

NAMES = ["job|trade", "party", "age"]


def own_data(
    family: Family = Family((2, 2), (3, 2, 4)),
    names: list[str] = NAMES,
    only: tuple[str, ...] = (),
    methods: tuple[str, ...] = ("reference", "map", "bic", "vb", "ais", "ml", "bic_dim"),
    prior: str = "structures",
    requested: tuple[str, ...] = (),
    draws: float = 900.0,
    p: float = 0.051,
    keep: Callable[[pd.DataFrame], pd.DataFrame] = lambda judged: judged,
    **more: pd.DataFrame,
) -> str:
    """The structures of a family, or ``only`` some of them, by several scores; the second of
    the fits has no degrees of freedom. ``keep`` sees the posterior.
    """
    rng = np.random.default_rng(8)
    labels = only or [s.label for s in enumerate_structures(family)]
    by_label = {label: Structure.from_label(label, family) for label in labels}
    rows = [
        (0, 40, s, m, -120 + 2 * rng.normal(), rng.uniform(0.1, 0.9) if noisy else nan,
         structure.n_parameters, 30.0, None if noisy else rng.random() < 0.9, 8.0, 5.0, nan, "")
        for m in methods
        for noisy in [SPECS[m].monte_carlo]
        for s, structure in by_label.items()
    ]  # fmt: skip
    scores = pd.DataFrame(rows, columns=TABLES["scores"].columns[:13])
    scores = scores.sample(frac=1, random_state=1).reindex(columns=TABLES["scores"].columns)
    hidden = ",".join(map(str, family.hidden))
    free = prod(family.observed) - 1
    rows = [
        (s, m.n_links, n_used(m), min(free, 3 * m.n_links), m.absorbed().label, hidden)
        for s, m in by_label.items()
    ]
    structures = pd.DataFrame(rows, columns=TABLES["structures"].columns_of_own_data)
    priors = None
    if prior != "structures":
        priors = pd.Series(log_prior([*by_label.values()], [family], prior), index=labels)
    judged = keep(posterior.posterior(scores, priors))
    values = [
        (j + 1, name, code, f"{name[0]}{code}", 10 * j + code)
        for j, (name, k) in enumerate(zip(names, family.observed, strict=True))
        for code in range(k)
    ]
    parameters = [
        (s, kind, variable, state, value, *rng.random(3), draws, rng.random())
        for s in by_label
        for kind in ("ml", "map")
        for variable, state in (("s1", ""), (names[1], "s1 = 1"), (names[1], "s1 = 2"))
        for value in "12"
    ]
    states = [f"s1 = {first}, s2 = {second}" for first in (1, 2) for second in (1, 2)]
    shares = rng.dirichlet(np.ones(len(states)), 12)
    membership = [
        (labels[0], i, f"j{i}, p|q", i * i % 13, state, share, share == row.max(), 0.1 * i)
        for i, row in enumerate(shares, start=1)
        for state, share in zip(states, row, strict=True)
    ]
    trusted = methods[0] if SPECS[methods[0]].posterior else methods[-1]
    best = list(judged[judged["method"] == trusted].nlargest(3, "probability")["structure"])
    fit = [
        (s, by, -60.5 - i, 12.25 + i, 13.5 + i, 9 * (i != 1), 7 + i, 6 + i, 80.5 + i,
         90.25 + i, p * (i + 1), p / 4, 40 if p == p else 0, 28 if p == p else 40)
        for i, (s, by) in enumerate(zip(best, ("bic vb", "ais", "laplace"), strict=False))
    ]  # fmt: skip
    others = names[1:6] if len(names) > 2 else []
    residuals = [(s, names[0], other, rng.random()) for s in best for other in others]
    tables = {"parameters": parameters, "membership": membership, "fit": fit}
    tables |= {"residuals": residuals, "variables": values}
    return write_data_summary(
        {"data": {"file": "t.csv"}, "seed": 1, "equally_probable": prior},
        family.observed,
        requested=requested,
        scores=scores,
        structures=structures,
        posterior=judged,
        causes=marginals.causes(judged, by_name(structures, family.observed)),
        links=marginals.links(judged, by_label, names),
        classes=posterior.classes(scores, structures, priors),
        errors=errors.errors(scores),
        **{k: pd.DataFrame(rows, columns=TABLES[k].columns) for k, rows in tables.items()},
        **more,
    )


def compared_with() -> dict[str, pd.DataFrame]:
    """Tables of a column, of other alphas, and of a search."""
    states = [("left", (30, 0, 0)), ("ri|ght", (2, 0, 11))]
    beside = [
        ("1-1-1", "party", value, f"s1 = {k}", n, nan)
        for value, numbers in states
        for k, n in enumerate(numbers, start=1)
    ]
    pairs = [("job|trade", f"v{k}") for k in range(17)]
    statements = [("none", "", ""), ("2", "", ""), *(("", *pair) for pair in pairs)]
    alpha = [
        (alpha, 0.5, method, *statement, (i * 7 % 20 * alpha + j) / 100)
        for j, method in enumerate(("laplace", "reference"))
        for alpha in (1.0, 0.25)
        for i, statement in enumerate(statements)
    ]
    alpha += [(2.345, 6.78, "vb_eb", *statement, 0.75) for statement in statements[:2]]
    search = [("2,2", "bic", 3, 25, 10, 0.99), (",".join("3" * 9), "bic", 4, 1000, 7, 0.991)]
    tables = {"beside": beside, "alpha": alpha, "search": search}
    return {k: pd.DataFrame(rows, columns=TABLES[k].columns) for k, rows in tables.items()}


def all_and_none(count: int) -> tuple[Family, list[str], tuple[str, str]]:
    """A family of so many variables, their names, and the structures where all and none have the
    cause.
    """
    labels = tuple("-".join(state * count) for state in "10")
    return Family((2,), (2,) * count), [f"v{j}" for j in range(count)], labels


ONE_VALUE = {"beside": pd.DataFrame([("1-1", "c", "x", "s1 = 1", 3, 1.0)],
                                    columns=TABLES["beside"].columns)}  # fmt: skip
OWN_DATA = {
    "uniform": own_data,
    "families-and-comparisons": lambda: own_data(
        prior="families", requested=("bic_dim",), p=0.011, **compared_with()
    ),
    "classes-and-few-draws": partial(own_data, prior="classes", draws=90.0, p=1 / 41),
    "many-variables": partial(
        own_data, Family((2,), (2,) * 7), list("abcdefg"), methods=("vb", "bic"), p=nan
    ),
    "one-structure": lambda: own_data(
        Family((2,), (2, 3)), ["a", "b"], ("1-1",), ("map", "bic"), draws=nan, p=0.049, **ONE_VALUE
    ),
    "hundred-variables": partial(own_data, *all_and_none(100)),
}

# the findings

OF_MANY = (80, 110, 480, 640, 1120, 5120, 10240)  # the sizes that findings name


@cache
def run_of_findings(place: int, run: str) -> dict[str, pd.DataFrame]:
    """The tables of a run; of comparisons, which take seconds, those that findings have."""
    of = made_up_population.tables(40 - place, OF_MANY, seed=1 + place)
    tables = {name: of[name] for name in OF_FINDINGS[run] if name != "comparisons"}
    sizes = of["found"].query("by == 'structure'")
    sizes = sizes[sizes["method"].isin(["bic", "cs", "laplace", "vb", "reference"])]
    return tables | {"comparisons": recovery.comparisons(sizes)}


def findings(*runs: str) -> str:
    tables = {}
    for i, run in enumerate(runs):
        if run == EXPERIMENTS:
            tables[run] = made_up_article.experiments()
            continue
        tables[run] = dict(run_of_findings(i, run))
        if run == EQUAL_COST:
            of_kinds = [AIS_KINDS["1 long chain"], AIS_KINDS["1 chain, row by row"]]
            for name, table in tables[run].items():
                of_scores = [table.replace("ais", method) for _, method in of_kinds]
                tables[run][name] = pd.concat(of_scores, ignore_index=True)
        design = tables[run].get("design")
        if run in VARIATIONS:
            tables[run]["design"] = design.assign(true_structure="12-12-1-1", alpha=0.25)
        if run in OTHER_PRIORS:
            tables[run]["design"] = design.assign(true_alpha=2.0, true_alpha_hidden=2.0)
    return write_findings(tables)


FINDINGS = {
    "all-runs": partial(findings, *OF_FINDINGS),
    "one-run": partial(findings, "draws-of-the-paper"),
    "none": findings,
}

KINDS = {"study": STUDIES, "population": POPULATIONS, "data": OWN_DATA, "findings": FINDINGS}
CASES = {f"{kind}-{name}": write for kind, of in KINDS.items() for name, write in of.items()}
