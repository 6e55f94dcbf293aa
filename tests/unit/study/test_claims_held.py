"""In how many draws a claim of the paper holds, by plain counts over made-up draws."""

from math import inf, nan

import made_up
import numpy as np
import pandas as pd
import pytest

from latentdag.report.summary import write_summary
from latentdag.study.many_draws.population import share
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import beal_ghahramani
from latentdag.study.paper.claims import AGREES, BOUNDED, DIFFERS, NOT_TESTABLE
from latentdag.study.paper.claims_held import claims_held
from latentdag.study.schema.columns import TABLES

STRUCTURES = made_up.structures_table()
SIZES = [10, 80, 480, 1120, 2560, 10240]
NONE = pd.DataFrame(columns=TABLES["found"].columns)


def of_draw(table: pd.DataFrame, draw: int) -> pd.DataFrame:
    own = table[table["draw"] == draw]
    return beal_ghahramani.claims_of_draw(own, STRUCTURES, made_up.TRUE, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [0, 1])
def test_a_draw_is_judged_as_the_summary_of_its_study_judges_it(draw):
    table = made_up.scores()
    own = table[table["draw"] == draw]
    text = write_summary(
        {"draw": draw},
        scores=own,
        ranks=ranks(own, made_up.TRUE, 7, STRUCTURES),
        errors=errors(own),
        structures=STRUCTURES,
    )
    lines = text.split("## Claim by claim")[1].split("##")[0].splitlines()
    told = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][2:]
    found = of_draw(table, draw)
    assert list(found.columns) == list(TABLES["claims"].columns)
    assert set(found["draw"]) == {draw}
    assert found[["claim", "paper", "here", "verdict", "source"]].to_numpy().tolist() == told
    assert len(told) > 14 and len(set(found["verdict"])) > 2


def test_ranks_are_redrawn_from_the_studys_streams(monkeypatch):
    table, seeds = made_up.scores(), []

    def spy(scores, true_structure, seed, structures):
        seeds.append(seed)
        return ranks(scores, true_structure, seed, structures)

    monkeypatch.setattr(beal_ghahramani, "ranks", spy)
    assert len(of_draw(table, 1)) > 14
    assert seeds == [7]


def made_up_claims() -> pd.DataFrame:
    """Verdicts of 9 draws on four claims; the third claim is not made in draws 0 to 3."""
    verdicts = [AGREES, f"{AGREES} within the Monte Carlo error", f"{DIFFERS}: later", DIFFERS]
    verdicts += [NOT_TESTABLE]
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {
                "draw": d,
                "claim": claim,
                "paper": f"paper {claim}",
                "here": "",
                "verdict": verdict,
                "source": f"place {claim}",
            }
            for d in (5, 0, 3, 8, 1, 2, 7, 4, 6)
            for claim in "abcd"
            for verdict in [rng.choice(verdicts) if claim != "d" else NOT_TESTABLE]
            if claim != "c" or d > 3
        ]
    )


def test_the_shares_of_the_claims_by_plain_counts():
    claims = made_up_claims()
    found = claims_held(claims, NONE, SIZES)
    assert list(found.columns) == list(TABLES["claims_held"].columns)
    assert found["claim"].tolist() == list("abcd")
    for row in found.to_dict("records"):
        own = [r["verdict"] for r in claims.to_dict("records") if r["claim"] == row["claim"]]
        told = [v for v in own if v != "not testable"]
        holds = sum(v.startswith("agrees") for v in told)
        assert (row["draws"], row["holds"]) == (len(told), holds)
        assert row["undecided"] == len(own) - len(told)
        ends = row["share"], row["low"], row["high"]
        assert ends == pytest.approx(share(holds, len(told)), nan_ok=True)
        assert row["paper"] == f"paper {row['claim']}"
        assert row["source"] == f"place {row['claim']}"
    assert found.set_index("claim")["draws"]["d"] == 0
    assert 0 < found["holds"].max() < found["draws"].max()


def test_the_order_is_that_of_the_draw_that_makes_most_claims():
    claims = made_up_claims()
    late_first = pd.concat([claims[claims["draw"] == 0], claims[claims["draw"] != 0]])
    assert late_first["claim"].tolist()[:3] == ["a", "b", "d"]
    assert claims_held(late_first, NONE, SIZES)["claim"].tolist() == list("abcd")
    assert claims_held(claims[:0], NONE, SIZES).empty


FOUND = {  # by draw the sizes of VB and BIC
    0: (480, 1120),
    1: (80, 480),
    2: (480, 2560),
    3: (1120, 480),
    4: (inf, inf),
    5: (480, inf),
    6: (2560, inf),
    7: (10240, inf),  # BIC is beyond 10240, and may be found at 2.3 times as many, or not
    8: (inf, 2560),
    9: (1120, 2560),
}


def found_table() -> pd.DataFrame:
    rows = [
        (d, by, m, nan if n == inf else n)
        for d, both in FOUND.items()
        for by in ("structure", "class")
        for m, n in zip(("vb", "bic"), both if by == "structure" else (10, 10), strict=True)
    ]
    return pd.DataFrame(rows, columns=TABLES["found"].columns).astype({"n_found": float})


def test_a_claim_that_no_draw_can_refute_has_no_share():
    claims = made_up_claims()
    claims.loc[claims["claim"] == "b", "claim"] = BOUNDED
    found = claims_held(claims, NONE, SIZES).set_index("claim")
    assert found.loc[BOUNDED, ["share", "low", "high"]].isna().all()
    assert found.loc[BOUNDED, "draws"] > 0 and found.loc["a", "share"] > 0


def test_where_the_papers_figures_lie():
    found = claims_held(made_up_claims()[:0], found_table(), SIZES)
    counts = found[["draws", "holds", "undecided"]].to_numpy().tolist()
    vb = sum(a <= 480 for a, _ in FOUND.values())
    bic = sum(b <= 1120 for _, b in FOUND.values())
    both = sum(a <= 480 and b <= 1120 for a, b in FOUND.values())
    # 0: just so; 1: 6 times; 2: 5.3; 3: fewer; 5: above 21; 6: above 4; 8: fewer; 9: 2.29
    assert counts == [[10, vb, 0], [10, bic, 0], [10, both, 0], [8, 5, 2]]
    assert (vb, bic, both) == (4, 3, 2)
    assert found["claim"].tolist() == [
        "VB ranks the true structure first at 480 cases and at every larger size",
        "BIC ranks the true structure first at 1120 cases and at every larger size",
        "VB does so at 480 cases, and BIC at 1120",
        "BIC needs at least 2.3 times as many cases as VB",
    ]
    assert set(found["source"]) == {"ours, from the paper's sizes"}
    assert found["share"][0] == 0.4 and found["low"][0] == share(4, 10)[1]


def test_the_papers_figures_need_its_sizes_and_scores():
    claims, own = made_up_claims()[:0], found_table()
    assert claims_held(claims, own, [10, 80, 1120, 10240]).empty
    assert claims_held(claims, own[own["method"] != "bic"], SIZES).empty
    one = own[(own["method"] == "vb") | (own["draw"] < 3)]  # BIC ran in three draws alone
    assert claims_held(claims, one, SIZES)["draws"].tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        ({"sizes": (10, 80, 1120)}, ("at n = 480", "with the number of parameters")),
        ({"methods": ("map", "bic", "vb", "reference")}, ("AIS",)),
        ({"methods": ("bic",)}, ("VB", "AIS", "MAP")),
        ({"sizes": (20,)}, ("at n = 480",)),
    ],
)
def test_a_draw_tells_of_what_it_has(change, left_out):
    found = of_draw(made_up.scores(**change), 1)
    assert len(found) > 0
    assert not found["claim"].str.contains("|".join(left_out)).any()
