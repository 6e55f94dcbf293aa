"""The command: what it prints, and one line and exit status 2 for bad input."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from inspect import signature
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import latentdag
from latentdag.analysis import fit_tables
from latentdag.command import cli, options, progress
from latentdag.search import ranking, trust

ROLES = Path(__file__).parents[2] / "workflow/data/stouffer_toby_1951.csv"
COUNTED = (str(ROLES), "--count", "count")
CARCINOMA = str(ROLES.with_name("carcinoma_agresti_2002.csv"))
OF_FIT = ("fit", CARCINOMA, "--count", "count", "--hidden", "2", "--structure", "1-1-1-1-1-1-1")


def printed(capsys, *arguments: str) -> str:
    assert cli.main(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_fit_that_few_restarts_reach_may_not_be_the_best(capsys):
    five = ["5" if word == "2" else word for word in OF_FIT]
    assert cli.main([*five, "--restarts", "2", "--format", "json", "--table", "fit"]) == 0
    found = capsys.readouterr()
    (row,) = json.loads(found.out)
    assert row["restarts"] in (2, 3) and row["restarts_at_best"] < 3
    assert f"{row['restarts_at_best']} of {row['restarts']} restarts reached this fit" in found.err
    assert cli.main(list(OF_FIT)) == 0
    assert "may not be the best" not in capsys.readouterr().err
    assert cli.main([*OF_FIT, "--max-iterations", "3", "--format", "json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["fit"][0]["converged"] is False
    assert found.err == "latentdag: the fit did not converge: raise --max-iterations\n"


def test_bic_of_one_structure_starts_as_often_as_its_fit(capsys):
    """The maximum of six classes, which 2 to 4 of 32 restarts miss by 0.15 nats."""
    six = ["6" if word == "2" else word for word in OF_FIT[1:]]
    (row,) = json.loads(printed(capsys, "score", *six, "--method", "bic_ml", "--format", "json"))
    assert row["score"] == pytest.approx(-398.2977, abs=1e-4)
    assert row["converged"] is True


def test_one_column_is_ranked(capsys, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a\nx\ny\nx\n", encoding="utf-8")
    words = printed(capsys, "rank", str(path), "--hidden", "2", "--method", "laplace")
    assert words.count("no cause") == 1 and "share a cause" not in words


def test_score_is_the_librarys(capsys):
    (row,) = json.loads(
        printed(
            capsys,
            "score",
            *COUNTED,
            "--structure",
            "1-1-12-2",
            "--method",
            "vb",
            "--alpha",
            "0.5",
            "--format",
            "json",
        )
    )
    table = latentdag.read_table(ROLES, count="count")
    structure = latentdag.Structure.from_label("1-1-12-2", table.family((2, 2)))
    expected = latentdag.score(table.cases, structure, "vb", alpha=0.5)
    assert row == {
        "hidden": "2,2", "structure": "1-1-12-2", "method": "vb",
        "n_parameters": structure.n_parameters,
        "dimension": latentdag.effective_dimension(structure), "class": "1-1-12-2",
        "score": expected.score, "standard_error": None, "converged": True,
    }  # fmt: skip


def test_the_prior_of_hidden_variables_is_an_option_of_its_own(capsys):
    prior = ("--alpha", "0.5", "--alpha-hidden", "4")
    given = ("--structure", "1-1-12-2", "--method", "cs", *prior, "--format", "json")
    (row,) = json.loads(printed(capsys, "score", *COUNTED, *given))
    table = latentdag.read_table(ROLES, count="count")
    structure = latentdag.Structure.from_label("1-1-12-2", table.family((2, 2)))
    expected = latentdag.score(table.cases, structure, "cs", alpha=0.5, alpha_hidden=4.0)
    assert row["score"] == expected.score


def test_equal_scores_share_a_rank(capsys, monkeypatch):
    """1 + the number of higher ones, as in the study's table of ranks."""
    scores = iter([-2.0, -1.0, -2.0, -3.0])

    def score_structures(cases, structures, method, **settings):
        return [latentdag.Score(s, next(scores, -9.0), method=method) for s in structures]

    monkeypatch.setattr(ranking, "score_structures", score_structures)
    rows = json.loads(printed(capsys, "rank", *COUNTED, "--top", "5", "--format", "json"))
    assert [row["rank"] for row in rows] == [1, 2, 2, 4, 5]
    assert [row["score"] for row in rows] == [-1.0, -2.0, -2.0, -3.0, -9.0]


def test_rank_prints_the_best_first_in_every_format(capsys):
    everyone = latentdag.enumerate_structures(
        latentdag.read_table(ROLES, count="count").family((2, 2))
    )
    rows = json.loads(
        printed(capsys, "rank", *COUNTED, "--method", "bic", "--top", "0", "--format", "json")
    )
    assert {r["structure"] for r in rows} == {s.label for s in everyone}
    scores = [r["score"] for r in rows]
    probabilities = [r["probability"] for r in rows]
    assert probabilities == sorted(probabilities, reverse=True)
    assert scores != sorted(scores, reverse=True)  # some classes have more members than others
    assert sum(r["probability"] for r in rows) == pytest.approx(1)
    three = list(
        csv.DictReader(
            io.StringIO(
                printed(
                    capsys, "rank", *COUNTED, "--method", "bic", "--top", "3", "--format", "csv"
                )
            )
        )
    )
    assert [r["structure"] for r in three] == [r["structure"] for r in rows[:3]]
    assert [float(r["score"]) for r in three] == pytest.approx(scores[:3], abs=1e-6)
    lines = printed(capsys, "rank", *COUNTED, "--method", "bic").splitlines()
    assert lines[11] == "" and lines[10].split()[0] == "10"
    assert lines[0].split() == list(rows[0])
    assert lines[1].split()[:3] == ["1", "2,2", rows[0]["structure"]]
    assert (
        len({line.index(row["structure"]) for line, row in zip(lines[1:11], rows, strict=False)})
        == 1
    )  # in columns


def test_a_row_tells_the_class_and_the_dimension(capsys):
    """Of every member: as many dimensions, whatever its parameters."""
    asked = ("--method", "bic", "--restarts", "2", "--top", "0", "--format", "json")
    rows = json.loads(printed(capsys, "rank", *COUNTED, *asked))
    own = {r["structure"]: r for r in rows if r["class"] == "0-1-1-1"}
    assert {label: r["n_parameters"] for label, r in own.items()} == {
        "0-1-1-1": 8, "1-2-2-2": 10, "0-1-1-12": 11, "0-1-12-1": 11, "0-12-1-1": 11,
    }  # fmt: skip
    assert {r["dimension"] for r in own.values()} == {1 + 7}  # all tables of three binary variables
    assert len({r["class"] for r in rows}) == 78


def test_a_sampler_tells_its_error(capsys):
    arguments = (
        "--structure",
        "1-1-1-1",
        "--method",
        "ais",
        "--steps",
        "64",
        "--chains",
        "3",
        "--format",
        "json",
    )
    (row,) = json.loads(printed(capsys, "score", *COUNTED, *arguments))
    assert row["standard_error"] > 0


def test_families_are_ranked_together(capsys):
    families = ("--hidden", "2", "--hidden", "3", "--hidden", "2,2", "--hidden", "2")
    asked = ("rank", *COUNTED, "--method", "bic", "--restarts", "2", "--top", "0", *families)
    rows = json.loads(printed(capsys, *asked, "--format", "json"))
    assert sum(r["probability"] for r in rows) == pytest.approx(1)
    of_two = [r for r in rows if r["hidden"] == "2"]
    assert {r["structure"] for r in of_two} == {
        "-".join(label) for label in product("01", repeat=4)
    }
    lines = printed(capsys, *asked).splitlines()
    empty = [i for i, line in enumerate(lines) if line == ""]
    causes = [line.split("  ")[0] for line in lines[empty[0] + 2 : empty[1]]]
    assert sorted(causes) == ["2", "2,2", "3", "no cause"]
    told = {line.rpartition("  ")[0].strip() for line in lines[empty[1] + 2 :]}
    assert len(told) == 6 and "auto_passenger, drama_critic" in told


def test_a_search_scores_fewer(capsys):
    asked = (
        "rank",
        *COUNTED,
        "--method",
        "bic",
        "--restarts",
        "3",
        "--top",
        "0",
        "--format",
        "json",
    )
    cli.main([*asked, "--search", "2"])
    out, err = capsys.readouterr()
    rows, everyone = json.loads(out), json.loads(printed(capsys, *asked))
    assert f"the search scored {len(rows)} structures; others may be better" in err
    assert len(rows) < len(everyone)
    assert (rows[0]["structure"], rows[0]["score"]) == (
        everyone[0]["structure"],
        everyone[0]["score"],
    )


@pytest.mark.parametrize("width", [None, 2])
def test_the_prior_is_passed_on(capsys, width):
    """To the ranking of all structures, and to a search."""
    asked = ["rank", *COUNTED, "--method", "bic", "--restarts", "2", "--format", "json"]
    asked += ["--search", str(width)] if width else []
    table = latentdag.read_table(ROLES, count="count")
    family, first = table.family((2, 2)), {}
    for prior in ranking.PRIORS:
        settings = {"prior": prior, "restarts": 2}
        if width:
            expected = latentdag.search(table, family, "bic", width=2, **settings).ranking
        else:
            expected = latentdag.rank_structures(table, [family], "bic", **settings)
        (row, *_) = json.loads(printed(capsys, *asked, "--prior", prior))
        assert row["probability"] == pytest.approx(expected.probabilities[0])
        first[prior] = row["probability"]
    assert len({round(p, 9) for p in first.values()}) == 3
    (row, *_) = json.loads(printed(capsys, *asked))
    assert row["probability"] == first["classes"]


def test_options_have_the_defaults_of_the_library():
    """All but the number of cores, and the draws of a fit, which the command has unless told."""
    read = options.parser(Mock(), Mock(), Mock())
    structure = ("--structure", "1-1")
    for arguments, functions in (
        (("score", "x.csv", *structure), (latentdag.score_structures,)),
        (("fit", "x.csv", *structure), (latentdag.fit, latentdag.estimate)),
        (
            ("rank", "x.csv"),
            (latentdag.score_structures, latentdag.rank_structures, latentdag.search),
        ),
    ):
        values = vars(read.parse_args(arguments))
        for function in functions:
            defaults = {name: p.default for name, p in signature(function).parameters.items()}
            names = values.keys() & defaults.keys() - {"cores", "draws", "method", "structure"}
            assert {n: values[n] for n in names} == {n: defaults[n] for n in names}


def test_map_gives_no_posterior(capsys):
    (row, *_) = json.loads(
        printed(capsys, "rank", *COUNTED, "--method", "map", "--restarts", "2", "--format", "json")
    )
    assert "probability" not in row


WRONG = {
    "no file": (
        ("score", "nothing.csv", "--structure", "1-1"),
        "nothing.csv: there is no such file",
    ),
    "wrong label": (
        ("score", *COUNTED, "--structure", "1-3-1-1"),
        "unknown structure label '1-3-1-1'",
    ),
    "counts not named": (("score", str(ROLES), "--structure", "1-1-1-1"), "it needs 5 parts"),
    "alpha": (("rank", *COUNTED, "--alpha", "0"), "alpha must lie from 0.01 to 1e+12, got 0.0"),
    "exact": (
        ("score", *COUNTED, "--structure", "1-1-1-1", "--method", "exact"),
        "216 cases are too many",
    ),
    "too many structures": (("rank", *COUNTED, "--hidden", "2,2,2,2,2"), "at most 2^18"),
    "states": (
        ("rank", *COUNTED, "--hidden", "64,64"),
        "[64, 64] have 4,096 joint states; at most 1,024 are supported",
    ),
    "states of a method": (
        ("rank", *COUNTED, "--hidden", "1000000", "--method", "bic"),
        "[1000000] have 1,000,000 joint states",
    ),
    "no end": (("rank", *COUNTED, "--within", "nan"), "--within must be above 0 seconds, got nan"),
    "one value": (("rank", *COUNTED, "--hidden", "1"), "at least 2 values"),
    "no restarts": (("rank", *COUNTED, "--restarts", "0"), "restarts must be at least 1"),
    "seed": (("rank", *COUNTED, "--seed", "-1"), "seed must be at least 0"),
    "time": (("rank", *COUNTED, "--within", "0"), "--within must be above 0 seconds, got 0.0"),
    "cores": (("rank", *COUNTED, "--cores", "0"), "cores must be at least 1, got 0"),
    "cores of a fit": ((*OF_FIT, "--replicates", "2", "--cores", "-2"), "cores must be at least"),
    "top": (("rank", *COUNTED, "--top", "-1"), "--top must be at least 0"),
    "all tables as CSV": ((*OF_FIT, "--format", "csv"), "--format csv: --table must be one of fit"),
    "a search without width": (("rank", *COUNTED, "--search", "0"), "width must be at least 1"),
    "two families": (
        ("score", *COUNTED, "--structure", "1-1-1-1", "--hidden", "2", "--hidden", "3"),
        "--hidden: one family is needed",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_one_line_on_stderr(capsys, what):
    arguments, message = WRONG[what]
    assert cli.main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1 + (what == "counts not named")  # the column looks like counts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rank", *COUNTED, "--method", "vbem"), "invalid choice: 'vbem'"),
        (
            ("rank", *COUNTED, "--hidden", "two"),
            "argument --hidden: 'two' is not a list of integers",
        ),
        (("rank", *COUNTED, "--hidden", "2,x"), "argument --hidden: '2,x' is not a list of"),
        (("score", *COUNTED), "--structure"),
        ((), "COMMAND"),
    ],
)
def test_a_wrong_option_is_named(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--restarts", "2.5"), "argument --restarts: '2.5' is not an integer"),
        (("--same-starts", "yes"), "argument --same-starts: 'yes' is not true or false"),
        (("--alpha", "much"), "argument --alpha: 'much' is not a number"),
        (("--target", "x"), "argument --target: 'x' is not a number"),
        (("--cores", ""), "argument --cores: '' is not an integer"),
        (("--method", "vbem"), "argument --method: invalid choice: 'vbem'"),
    ],
)
def test_a_wrong_option_is_one_line(capsys, option, words):
    """Not the dozens that there are."""
    with pytest.raises(SystemExit):
        cli.main(["rank", *COUNTED, *option])
    err = capsys.readouterr().err
    assert err.startswith(f"latentdag rank: {words}") and err.count("\n") == 1
    assert err.endswith(" (--help lists the options)\n")


def test_missing_values_have_a_text(capsys, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n" + "x,?,u\nx,y,v\nz,y,u\nx,w,-\n" * 3)
    asked = ("--structure", "1-1-1", "--hidden", "2", "--method", "bic", "--format", "json")
    (row,) = json.loads(
        printed(capsys, "score", str(path), "--missing", "?", "--missing", "-", *asked)
    )
    table = latentdag.read_table(path, missing=["?", "-"])
    assert table.levels == (("x", "z"), ("w", "y"), ("u", "v"))
    structure = latentdag.Structure.from_label("1-1-1", table.family((2,)))
    assert row["score"] == latentdag.score(table.counts, structure, "bic").score
    path.write_text("a,b\nx,y\n,y\nz,w\nx,NA\n")
    (row,) = json.loads(printed(capsys, "score", str(path), *asked[:1], "1-1", *asked[2:]))
    assert row["n_parameters"] == 1 + 2 + 2


def test_columns_are_chosen(capsys, tmp_path):
    """In the order given; a name with a comma stands in quotes, as in a line of CSV."""
    path = tmp_path / "table.csv"
    path.write_text('id,"b, c",a,d\n1,x,u,p\n2,y,v,q\n3,y,u,q\n4,x,v,p\n')
    asked = ("--hidden", "2", "--method", "bic", "--format", "json", "--structure", "1-0")
    (row,) = json.loads(printed(capsys, "score", str(path), "--columns", 'a,"b, c"', *asked))
    table = latentdag.read_table(path, columns=["a", "b, c"])
    structure = latentdag.Structure.from_label("1-0", table.family((2,)))
    assert row["score"] == latentdag.score(table.counts, structure, "bic").score
    assert cli.main(["score", str(path), "--columns", "a,b", *asked]) == 2
    err = capsys.readouterr().err
    assert "there is no column 'b'" in err and err.count("\n") == 1


def test_of_many_pairs_the_doubtful_are_listed(capsys, tmp_path):
    """Of nine variables; the sum of the three kinds is all pairs."""
    rng = np.random.default_rng(1)
    cause = rng.integers(2, size=(60, 1))
    cases = np.where(rng.random((60, 9)) < [0.1] * 6 + [0.45] * 3, 1 - cause, cause)
    path = tmp_path / "table.csv"
    names = [f"x{j}" for j in range(9)]
    np.savetxt(path, cases, fmt="%d", delimiter=",", header=",".join(names), comments="")
    out = printed(capsys, "rank", str(path), "--hidden", "2", "--method", "bic")
    table = latentdag.read_table(path)
    pairs = latentdag.rank_structures(table.counts, [table.family((2,))], "bic").of_pairs()
    doubtful = {f"{names[i]}, {names[j]}" for (i, j), p in pairs.items() if 0.01 <= p <= 0.99}
    *lines, last = out.partition("share a cause")[2].splitlines()[1:]
    assert {line.rpartition("  ")[0].strip() for line in lines} == doubtful
    shown = [float(line.split()[-1]) for line in lines]
    assert shown == sorted(shown, reverse=True)  # and not in the order of the columns
    of_lines = [tuple(line.rpartition("  ")[0].strip().split(", ")) for line in lines]
    assert of_lines != sorted(of_lines)
    sure, few = sum(p > 0.99 for p in pairs.values()), sum(p < 0.01 for p in pairs.values())
    assert sure > 0 and 0 < len(doubtful) < 36
    assert last == f"above 0.99 for {sure} more pairs, below 0.01 for {few}"


def test_many_structures_are_told_before_they_are_listed(capsys, monkeypatch):
    def listed(families):
        raise ValueError("listed")

    monkeypatch.setattr(cli, "distinct_structures", listed)
    monkeypatch.setattr(cli, "MANY", 136)
    asked = ("rank", *COUNTED, "--hidden", "2,2")
    for more, told in (((), ""), (("--hidden", "3"), "151 structures; --search WIDTH")):
        assert cli.main([*asked, *more]) == 2
        words, _, end = capsys.readouterr().err.rpartition("latentdag: ")
        assert told in words and bool(told) == bool(words) and end.startswith("listed")


@pytest.mark.weekly
def test_counts_are_not_expanded(capsys, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c,n\nx,y,u,1000000000000\nz,w,v,2000000000000\nx,w,u,3\nz,y,u,5\n")
    asked = ("--count", "n", "--hidden", "2", "--top", "1", "--format", "json")
    cli.main(["rank", str(path), *asked, "--particles", "4", "--runs", "2"])
    out, err = capsys.readouterr()
    (row,) = json.loads(out)
    assert row["method"] == "bridge" and "reference is not done for as many cases" in err


def test_fit_is_the_librarys(capsys):
    asked = (
        "--method",
        "map",
        "--alpha",
        "2",
        "--restarts",
        "3",
        "--replicates",
        "3",
        "--seed",
        "4",
        "--draws",
        "30",
    )
    told = json.loads(printed(capsys, *OF_FIT, *asked, "--format", "json"))
    table = latentdag.read_table(CARCINOMA, count="count")
    structure = latentdag.Structure.from_label("1-1-1-1-1-1-1", table.family((2,)))
    settings = {"alpha": 2.0, "restarts": 3, "replicates": 3, "seed": 4, "draws": 30}
    expected = latentdag.fit(table.cases, structure, "map", **settings)
    assert told == {name: make(expected, table) for name, make in fit_tables.TABLES.items()}
    assert told["fit"][0]["p_value"] == expected.p_value


def test_tables_of_a_fit_are_printed(capsys):
    text = printed(capsys, *OF_FIT)
    assert [part.split("\n")[0] for part in text.split("\n\n")] == list(fit_tables.TABLES)
    assert "p_value" not in text
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *OF_FIT, *OF_CSV, "parameters"))))
    assert sum(float(r["probability"]) for r in rows if r["variable"] == "s1") == pytest.approx(1)
    (best,) = csv.DictReader(io.StringIO(printed(capsys, *OF_FIT, *OF_CSV, "fit")))
    assert float(best["G2"]) == pytest.approx(62.365, abs=1e-3)


def test_a_fit_has_intervals_unless_none_are_wanted(capsys):
    with_draws = printed(capsys, *OF_FIT, *OF_CSV, "parameters")
    rows = list(csv.DictReader(io.StringIO(with_draws)))
    assert len(rows) == 2 + 7 * 2 * 2
    shares = [r for r in rows if r["variable"] == "s1"]
    for r in shares:
        p, low, high = (float(r[name]) for name in ("mean", "low", "high"))
        assert low < p < high and 0.15 < high - low < 0.18  # 0.15 if the classes were known
    assert all(500 < float(r["effective_draws"]) <= 4000 for r in rows)
    without = printed(capsys, *OF_FIT, *OF_CSV, "parameters", "--draws", "0")
    assert without.splitlines()[0] == "variable,given,value,estimate,probability"


OF_CSV = ("--format", "csv", "--table")


def test_without_a_method_the_size_of_the_work_chooses(capsys):
    asked = ("--structure", "1-1-1-1", "--hidden", "2", "--format", "json", "--seed", "3")
    cli.main(["score", *COUNTED, *asked, "--particles", "8", "--runs", "3"])
    out, err = capsys.readouterr()
    table = latentdag.read_table(ROLES, count="count")
    structure = latentdag.Structure.from_label("1-1-1-1", table.family((2,)))
    expected = latentdag.score(table.cases, structure, "reference", seed=3, particles=8, runs=3)
    (row,) = json.loads(out)
    assert (row["method"], row["score"]) == ("reference", expected.score)
    assert err == (
        "latentdag: by reference, for 1 structure and 216 cases; exact is too much work "
        "(--method METHOD asks for another)\n"
    )


def test_the_choice_is_among_what_is_scored(capsys, monkeypatch):
    asked = []

    def choose(counts, families, n_structures):
        asked.append((counts.n, len(families), n_structures))
        return trust.Choice("bic", {})

    monkeypatch.setattr(cli, "choose", choose)
    rank = ["rank", *COUNTED, "--restarts", "1", "--cores", "1"]
    cli.main([*rank, "--hidden", "2", "--hidden", "3", "--hidden", "2,2"])
    cli.main([*rank, "--search", "6"])
    likely = trust.likely_scored([latentdag.Family((2, 2), (2, 2, 2, 2))], 6)
    assert asked == [(216, 3, 151), (216, 1, likely)]
    assert "latentdag: by bic, for 151 structures and 216 cases\n" in capsys.readouterr().err


def test_a_limit_of_time_stops_with_what_is_known(capsys, monkeypatch):
    """The first part is scored in any case; a search scores its first round."""
    monkeypatch.setattr(cli, "AT_ONCE", 10)
    asked = ["rank", *COUNTED, "--method", "bic", "--restarts", "1", "--top", "0"]
    asked += ["--format", "json"]
    everyone = {r["structure"]: r["score"] for r in json.loads(printed(capsys, *asked))}
    cli.main([*asked, "--within", "1e-9"])
    out, err = capsys.readouterr()
    rows = json.loads(out)
    assert len(rows) == 10
    assert all(everyone[r["structure"]] == r["score"] for r in rows)
    assert sum(r["probability"] for r in rows) == pytest.approx(1)
    assert "stopped --within 1e-09 s: 10 of 136 structures are scored" in err
    cli.main([*asked, "--search", "3", "--within", "1e-9"])
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 2  # where a search starts
    assert "; it stopped --within 1e-09 s" in err
    cli.main([*asked, "--within", "1e6"])
    out, err = capsys.readouterr()
    assert {r["structure"]: r["score"] for r in json.loads(out)} == everyone
    assert "stopped" not in err


def test_families_that_do_not_hold_each_other_are_searched_together(capsys):
    asked = ["rank", *COUNTED, "--method", "bic", "--restarts", "2", "--top", "0"]
    asked += ["--format", "json", "--search", "2"]
    alone = {}
    for hidden in ("3", "4"):
        for row in json.loads(printed(capsys, *asked, "--hidden", hidden)):
            key = (row["hidden"], row["structure"]) if row["structure"] != "0-0-0-0" else "none"
            alone[key] = row["score"]
    rows = json.loads(printed(capsys, *asked, "--hidden", "3", "--hidden", "4"))
    assert len(rows) == len(alone)
    assert sorted(r["score"] for r in rows) == pytest.approx(sorted(alone.values()))
    assert sum(r["probability"] for r in rows) == pytest.approx(1)


def test_bic_counts_the_parameters_that_are_used(capsys):
    """Independence is one model, whatever causes it does not use."""
    found = set()
    for hidden in ("2", "2,2", "9"):
        asked = ("score", *COUNTED, "--structure", "0-0-0-0", "--hidden", hidden)
        (row,) = json.loads(printed(capsys, *asked, "--method", "bic", "--format", "json"))
        found.add((row["n_parameters"], round(row["score"], 9)))
    ((n_parameters, score),) = found
    assert n_parameters == 4
    table = latentdag.read_table(ROLES, count="count")
    structure = latentdag.Structure.from_label("0-0-0-0", table.family((2, 2)))
    # of cases as codes, in the paper's way: two more
    papers = latentdag.score(table.cases, structure, "bic").score
    assert score == pytest.approx(papers + 2 / 2 * np.log(216))


@pytest.mark.slow
@pytest.mark.parametrize("cores", ["1", "2"])
def test_no_number_depends_on_the_cores(capsys, monkeypatch, cores):
    monkeypatch.setattr("latentdag.engine.parallel._started", True)
    asked = ("rank", *COUNTED, "--method", "bic", "--restarts", "2", "--top", "0")
    rows = json.loads(printed(capsys, *asked, "--format", "json", "--cores", cores))
    table = latentdag.read_table(ROLES, count="count")
    expected = latentdag.rank_structures(table, [table.family((2, 2))], "bic", restarts=2)
    assert {r["structure"]: r["score"] for r in rows} == {
        s.structure.label: s.score for s in expected.scores
    }
    assert len(rows) == len(expected.scores)


@pytest.mark.parametrize("method", ["reference", "bridge"])
def test_particles_and_runs_reach_both_samplers(capsys, method):
    asked = ("--structure", "1-1-12-2", "--particles", "16", "--runs", "3", "--format", "json")
    (row,) = json.loads(printed(capsys, "score", *COUNTED, *asked, "--method", method))
    table = latentdag.read_table(ROLES, count="count")
    structure = latentdag.Structure.from_label("1-1-12-2", table.family((2, 2)))
    expected = latentdag.score(table.cases, structure, method, particles=16, runs=3)
    assert (row["score"], row["standard_error"]) == (expected.score, expected.standard_error)
    assert expected.restarts == 3


def test_what_stops_a_command_is_told(capsys, monkeypatch):
    for error, status, words in (
        (KeyboardInterrupt(), 130, "stopped"),
        (MemoryError("Unable to allocate"), 1, "out of memory: Unable to allocate"),
        (BrokenProcessPool(), 1, "a process was killed, probably out of memory"),
    ):
        monkeypatch.setattr(cli, "read_table", Mock(side_effect=error))
        assert cli.main(["rank", "table.csv"]) == status
        assert capsys.readouterr().err.startswith(f"latentdag: {words}")


def test_what_looks_like_a_mistake_is_told_on_stderr(capsys):
    cli.main(
        ["score", str(ROLES), "--structure", "1-1-1-1-1", "--method", "bic", "--restarts", "1"]
    )
    out, err = capsys.readouterr()
    remark = "column 'count' looks like counts of the lines: if so, name it as the count"
    assert err == f"latentdag: {ROLES}: {remark}\n"
    assert "looks" not in out


def test_a_ranking_by_vb_or_bic_tells_its_bias(capsys):
    for method in ("vb", "bic", "cs"):
        cli.main(["rank", *COUNTED, "--hidden", "2", "--restarts", "1", "--method", method])
        told = capsys.readouterr().err
        assert told == (f"latentdag: {cli.REMARKS[method]}\n" if method != "cs" else "")


def test_progress_in_words(monkeypatch):
    monkeypatch.setattr(progress.time, "monotonic", lambda: 100.0)
    shown = progress.Progress(8, "structures", io.StringIO())
    assert shown.words(now=103.0) == "0% done after 3 s"
    shown(1)
    shown(1)
    assert shown.words(now=110.0) == "25% done, about 30 s left"
    shown(6.5)
    assert shown.words(now=110.0) == "100% done, about 1 s left"
    searched = progress.Progress(None, "structures", io.StringIO())
    searched(12)
    assert searched.words(now=400.0) == "12 structures after 5 min"


def test_progress_is_told_each_second_and_then_cleared(monkeypatch):
    """Whether or not there is any: a thread of its own tells."""
    stream, waits = io.StringIO(), iter((False, False, True))
    shown = progress.Progress(8, "structures", stream)
    monkeypatch.setattr(shown.ended, "wait", lambda seconds: next(waits))
    with shown:
        shown.thread.join()
    lines = [line.strip() for line in stream.getvalue().split("\r")]
    assert [line.partition(" after")[0] for line in lines if line] == ["0% done", "0% done"]
    assert stream.getvalue().endswith(f"\r{'':<60}\r")
    quick = io.StringIO()
    with progress.Progress(8, "structures", quick) as shown:
        shown(8)
    assert quick.getvalue() == ""


@pytest.mark.parametrize("method", ["vb", "vb_eb", "ais", "bic", "cs_lr"])
def test_progress_ends_when_all_is_done(capsys, monkeypatch, method):
    done = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress.Progress, "__call__", lambda self, n: done.append(n / self.total))
    cli.main(
        ["rank", *COUNTED, "--hidden", "2", "--method", method, "--restarts", "2", "--steps", "8"]
    )
    assert sum(done) == pytest.approx(1)
    assert capsys.readouterr().out


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error():
    rank = f"rank {ROLES} --count count --method bic --restarts 2 --top 0"
    command = f"{sys.executable} -m latentdag.command.cli {rank} | head -1"
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    result = subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout.startswith("rank")
    # the remark on BIC is written if the pipe took all rows before the reader left it
    assert all(said.startswith("latentdag: bic is no") for said in result.stderr.splitlines())


def test_levels_are_given_to_a_column(capsys, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\nyes,1\nyes,2\nyes,1\n")
    asked = ("score", str(path), "--structure", "1-0", "--hidden", "2", "--method", "bic")
    assert cli.main([*asked]) == 2
    assert "column 'a' has the one value 'yes': leave it out, or give its levels" in (
        capsys.readouterr().err
    )
    (row,) = json.loads(printed(capsys, *asked, "--levels", "a=no,yes", "--format", "json"))
    assert row["n_parameters"] == 1 + 2 + 1
    with pytest.raises(SystemExit):
        cli.main([*asked, "--levels", "a"])
    assert "argument --levels: 'a' is not COLUMN=VALUE,VALUE" in capsys.readouterr().err


def test_too_many_columns_are_known_before_the_table_is_read(capsys):
    names = ",".join(f"q{i}" for i in range(20))
    assert cli.main(["rank", "no-such-file.csv", "--columns", names]) == 2
    assert "2 hidden and 20 observed variables have 2^40 structures" in capsys.readouterr().err


def test_structures_without_a_score_and_fits_that_stopped_are_told(capsys):
    """The bridge cannot tell apart nine states of a cause; one iteration is no fit."""
    few = ("--hidden", "9", "--method", "bridge", "--runs", "2", "--particles", "8")
    assert cli.main(["rank", *COUNTED, *few]) == 0
    assert "15 of 16 structures have no score: too many ways to name" in capsys.readouterr().err
    assert cli.main(["score", *COUNTED, *few, "--structure", "1-1-1-1"]) == 0
    assert "1 of 1 structures have no score: too many ways to name" in capsys.readouterr().err
    short = ("--method", "bic", "--hidden", "2", "--max-iterations", "1")
    assert cli.main(["rank", *COUNTED, *short]) == 0
    err = capsys.readouterr().err
    unfinished = re.search(r"(\d+) of 16 fits did not converge: raise max_iterations", err)
    assert int(unfinished[1]) > 5
    assert cli.main(["rank", *COUNTED, *short[:-2]]) == 0
    assert "converge" not in capsys.readouterr().err
