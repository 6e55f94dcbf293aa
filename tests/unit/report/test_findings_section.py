"""The section on Chickering & Heckerman: each cell is the statistic of its row, and each finding
has the verdict of its rule, on made-up tables of two draws.
"""

import made_up
import pandas as pd
import pytest

from latentdag.report.markdown import label, number, plus_minus
from latentdag.report.study.chickering_and_heckerman import section
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import chickering_heckerman as findings
from latentdag.study.paper.claims import AGREES, DIFFERS
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()


def laplace() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Errors and fits of four pairs; CS is better in the two near the boundary, Laplace in the
    others.
    """
    rows, fits = [], []
    for n, share, cs, own in (
        (10, 0.5, 1, -3),
        (20, 0.4, -2, 2.5),
        (40, 0, 9, 1),
        (80, 0.1, 8, -2),
    ):
        at = (0, n, made_up.TRUE)
        rows += [(*at, "cs", cs, 0.0), (*at, "laplace", own, 0.0)]
        fits.append((*at, "map", share))
    columns = ["draw", "n", "structure", "method", "near_boundary"]
    return pd.DataFrame(rows, columns=TABLES["errors"].columns), pd.DataFrame(fits, columns=columns)


def told(
    tables: dict[str, pd.DataFrame], draw: int = 0
) -> tuple[list[str], dict[str, list[dict[str, str]]]]:
    """The paragraphs of the section, and its tables by the first cell of their headers."""
    own = [tables[name] for name in ("posterior", "ranks", "scores", "errors", "prior")]
    text = section(*(t[t["draw"] == draw] for t in own), tables["cost"])
    found = {}
    for block in text:
        if block.startswith("|"):
            header, _, *rows = (
                [c.strip() for c in b[1:-1].split(" | ")] for b in block.splitlines()
            )
            found[header[0] + header[1][:4]] = [dict(zip(header, r, strict=True)) for r in rows]
    return text, found


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return {
        "scores": SCORES,
        "posterior": posterior(SCORES),
        "ranks": ranks(SCORES, made_up.TRUE, 2003, made_up.structures_table()),
        "errors": errors(SCORES),
        "prior": made_up.prior(),
        "cost": made_up.cost(),
    }


@pytest.mark.parametrize("draw", [0, 1])
def test_each_cell_is_its_statistic(tables, draw):
    one = {k: t[t["draw"] == draw] if "draw" in t else t for k, t in tables.items()}
    _, found = told(tables, draw)
    distances = findings.total_variation(one["posterior"])
    rows = found["n" + label(distances.columns[0])[:4]]
    assert [int(row["n"]) for row in rows] == sorted(made_up.SIZES)
    for row in rows:
        own = distances.loc[int(row["n"])]
        assert [row[label(m)] for m in distances] == [number(v, ".3f") for v in own]
    chosen = findings.chosen(findings.choices(one["ranks"], one["scores"]))
    for row, r in zip(found["methodsize"], chosen.itertuples(), strict=True):
        assert list(row.values()) == [
            label(r.Index), str(r.sizes), str(r.best), str(r.within), f"{r.mean:.2f}",
            plus_minus(r.largest, r.error), str(r.at),
        ]  # fmt: skip
    changes = findings.changes(one["prior"])
    for row, r in zip(found["methodstru"], changes.itertuples(), strict=True):
        assert list(row.values()) == [
            label(r.Index), str(r.structures), f"{r.correlation:.3f}", f"{r.mean:z.2f}",
            f"{r.deviation:.2f}", number(r.error, ".2f"), number(r.apart, ".2f"),
        ]  # fmt: skip


def test_the_findings_with_their_verdicts(tables):
    """Of BIC and CS alone, and of the cost, which is known for Laplace."""
    text, found = told(tables)
    claims = {row["finding"]: row for row in found["findingthey"]}
    assert list(claims) == [
        "averaging over structures",
        "choice of a structure",
        "cost",
        "sensitivity to the prior",
    ]
    assert claims["cost"]["this run"].endswith(
        "CS 0.08, Laplace 0.32 at n = 80; CS 0.48, Laplace 1.92 at n = 480"
    )
    assert claims["cost"]["verdict"] == AGREES
    slower = tables["cost"].replace({"method": {"cs": "laplace", "laplace": "cs"}})
    _, other = told(tables | {"cost": slower})
    assert next(r for r in other["findingthey"] if r["finding"] == "cost")["verdict"] == DIFFERS
    changes = findings.changes(tables["prior"].query("draw == 0"))
    assert changes.loc["bic", "deviation"] < findings.SELECTS < changes.loc["cs", "deviation"]
    assert claims["sensitivity to the prior"]["verdict"] == AGREES
    assert claims["sensitivity to the prior"]["this run"] == (
        "standard deviation over the structures of the change from alpha = 0.5 to 10, in nats: "
        + ", ".join(
            f"{label(m)} {changes.loc[m, 'deviation']:.2f}" for m in ("bic", "cs", "reference")
        )
    )
    distances = findings.total_variation(tables["posterior"].query("draw == 0"))
    within = [sum(v <= 0.1 for v in distances[m]) for m in ("bic", "cs")]
    assert claims["averaging over structures"]["this run"].endswith(
        f"at most 0.1: {label('bic')} {within[0]} of 5, {label('cs')} {within[1]} of 5"
    )
    assert claims["averaging over structures"]["verdict"] == AGREES
    assert findings.RULES in text


def test_near_a_boundary(tables):
    own_errors, fits = laplace()
    others = SCORES[SCORES["method"] != "map"]
    _, found = told(tables | {"errors": own_errors, "scores": pd.concat([others, fits])})
    (claim,) = [r for r in found["findingthey"] if r["finding"].startswith("MAP parameters")]
    assert claim["this run"] == (
        "mean absolute error in the pairs with more parameters near the boundary: CS 1.50, Laplace "
        "2.75 nats; in the others CS 8.50, Laplace 1.50"
    )
    assert claim["verdict"] == AGREES
    near, other = (list(row.values()) for row in found["pairs of structure and sizenumb"])
    assert near == ["more parameters near the boundary", "2 pairs", "0.450", "1.50", "2.75", "2"]
    assert other == ["fewer", "2 pairs", "0.050", "8.50", "1.50", "0"]
    away = fits.assign(near_boundary=-fits["near_boundary"])
    _, found = told(tables | {"errors": own_errors, "scores": pd.concat([others, away])})
    (claim,) = [r for r in found["findingthey"] if r["finding"].startswith("MAP parameters")]
    assert claim["verdict"] == DIFFERS


def test_nothing_of_nothing(tables):
    empty = {name: table.iloc[:0] for name, table in tables.items()}
    assert told(empty)[0] == []
