"""The command: what it prints, and one line and exit status 2 for bad input."""

import io
import json
import os
import re
import subprocess
import sys
import warnings
from concurrent.futures.process import BrokenProcessPool
from inspect import signature
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import latentdag
from latentdag.analysis import fit_tables
from latentdag.command import cli, options, progress
from latentdag.ranking import beam, trust

ROLES = Path(__file__).parents[3] / "workflow/data/stouffer_toby_1951.csv"
CARCINOMA = ROLES.with_name("carcinoma_agresti_2002.csv")
VOTES = ROLES.with_name("house_votes_1984.csv")
COUNTED = f"{ROLES} --count count"
COLUMNS = "auto_passenger,drama_critic,insurance_doctor,board_director,count"
OF_FIT = f"fit {CARCINOMA} --count count --structure 1-1-1-1-1-1-1 --hidden"
ONE = f"score {COUNTED} --structure"
LATENT = latentdag.read_table(CARCINOMA, count="count")
CLASSES = latentdag.Structure.from_label("1-1-1-1-1-1-1", LATENT.family((2,)))
TABLE = latentdag.read_table(ROLES, count="count")
FAMILY = TABLE.family((2, 2))


def run(capsys, words: str, *more: str, status: int = 0) -> tuple[str, str]:
    assert cli.main([*words.split(), *more]) == status
    return capsys.readouterr()


def rows_of(capsys, words: str, *more: str) -> list[dict]:
    return json.loads(run(capsys, f"{words} --format json", *more)[0])


def test_a_fit_that_few_restarts_reach_or_none_ends_may_not_be_the_best(capsys):
    out, err = run(capsys, f"{OF_FIT} 5 --restarts 2 --draws 20 --format json --table fit")
    (row,) = json.loads(out)
    assert row["restarts"] in (2, 3) and row["restarts_at_best"] < 3
    assert f"{row['restarts_at_best']} of {row['restarts']} restarts reached this fit" in err
    # of two classes every restart reaches the best; there is one more than asked for
    assert "latentdag: 2 of 2 restarts" in run(capsys, f"{OF_FIT} 2 --draws 0 --restarts 1")[1]
    assert "may not be the best" not in run(capsys, f"{OF_FIT} 2 --draws 0 --restarts 2")[1]
    for table in fit_tables.TABLES:
        short = (
            f"{OF_FIT} 2 --restarts 2 --max-iterations 3 --draws 20 --format json --table {table}"
        )
        out, err = run(capsys, short)
        assert json.loads(out)[0]["converged"] is False
        assert err == "latentdag: the fit did not converge: raise --max-iterations\n"


def test_warnings_are_remarks(capsys, monkeypatch):
    """In one line each, without the path and line of the code that warns."""

    def score(*_, **__):
        warnings.warn("take care", stacklevel=1)
        raise ValueError("the end")

    monkeypatch.setattr(cli.scores, "score", score)
    _, err = run(capsys, f"{ONE} 0-1-1-12 --method bic", status=2)
    assert err == "latentdag: take care\nlatentdag: the end\n"


def test_bic_of_one_structure_starts_as_often_as_its_fit(capsys):
    """The score by itself does not; of six classes 2 to 4 of its 32 restarts miss the maximum."""
    (row,) = rows_of(capsys, f"{OF_FIT} 2 --method bic_ml".replace("fit", "score", 1))
    often = latentdag.fit(LATENT, CLASSES).restarts
    assert row["restarts"] == often > latentdag.score(LATENT, CLASSES, "bic_ml").restarts


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("cs", {"alpha": 0.5, "alpha_hidden": 4.0}),
        ("ais", {"steps": 64, "chains": 3}),
        ("reference", {"particles": 16, "runs": 3}),
    ],
)
def test_score_is_the_librarys(capsys, method, settings):
    words = [f"--{k.replace('_', '-')} {v}" for k, v in settings.items()]
    (row,) = rows_of(capsys, f"{ONE} 0-1-1-12 --method {method} {' '.join(words)}")
    structure = latentdag.Structure.from_label("0-1-1-12", FAMILY)
    expected = latentdag.score(TABLE.cases, structure, method, **settings)
    sampled = method != "cs"
    assert row == {
        "hidden": "2,2", "structure": "0-1-1-12", "method": method,
        "n_parameters": 11, "dimension": 1 + 7, "class": "0-1-1-1",
        "score": expected.score, "converged": None if sampled else True,
        "standard_error": expected.standard_error if sampled else None,
        "restarts": expected.restarts,
        "restarts_at_best": None if sampled else expected.restarts_at_best,
        "near_boundary": None, "alpha": None, "alpha_hidden": None, "reason": "",
    }  # fmt: skip
    assert not sampled or row["standard_error"] > 0


def test_equal_scores_share_a_rank(capsys, monkeypatch):
    """1 + the number of higher ones, as in the study's table of ranks."""
    scores = iter([-2.0, -1.0, -2.0, -3.0])

    def score_codes(codes, structures, method, **settings):
        return [latentdag.Score(s, next(scores, -9.0), method=method) for s in structures]

    monkeypatch.setattr(beam, "score_codes", score_codes)
    rows = rows_of(capsys, f"rank {COUNTED} --top 5")
    assert [row["rank"] for row in rows] == [1, 2, 2, 4, 5]
    assert [row["score"] for row in rows] == [-1.0, -2.0, -2.0, -3.0, -9.0]


def test_rank_prints_the_best_first_in_every_format(capsys):
    command = f"rank {COUNTED} --method bic --restarts 8"
    rows = rows_of(capsys, command)
    assert len(rows) == 10
    scores, probabilities = ([r[name] for r in rows] for name in ("score", "probability"))
    assert probabilities == sorted(probabilities, reverse=True)
    assert scores != sorted(scores, reverse=True)  # some classes have more members than others
    priors = latentdag.rank_structures(TABLE, [FAMILY], "bic", restarts=8).log_prior[:10].tolist()
    assert [r["log_prior"] for r in rows] == priors and len({*priors}) > 1
    three = pd.read_csv(io.StringIO(run(capsys, f"{command} --top 3 --format csv")[0]))
    assert three["structure"].tolist() == [r["structure"] for r in rows[:3]]
    assert three["score"].tolist() == pytest.approx(scores[:3], abs=1e-6)
    ranked, causes, pairs = run(capsys, command)[0].split("\n\n")
    title, header, *lines = ranked.splitlines()
    assert "most probable first" in title and "uniform over classes" in title
    shown = [name for name in rows[0] if name not in cli.DETAILS]
    assert header.split() == " ".join(shown).replace("hidden", "hidden states").split()
    assert [line.split()[2] for line in lines] == [r["structure"] for r in rows]
    places = {line.index(r["structure"]) for line, r in zip(lines, rows, strict=True)}
    assert places == {header.index("structure")}  # in columns below their headers
    assert {len(line) for line in lines} == {len(header)}  # numbers end where these do
    assert "log_prior" not in run(capsys, f"{command} --prior structures --restarts 1")[0]
    of_causes = {line.split("  ")[0] for line in causes.splitlines()[1:]}
    assert of_causes == {"2", "2,2", "none"}
    p = latentdag.rank_structures(TABLE, [FAMILY], "bic").pairs()["probability"]
    assert p.min() > 0.99 and pairs.startswith("each of 6 pairs") and "above 0.99" in pairs
    pairs = run(capsys, f"rank {COUNTED} --method bic --alpha 9 --restarts 1")[0].split("\n\n")[2]
    of_pairs = {line.rpartition("  ")[0].strip() for line in pairs.splitlines()[1:]}
    assert len(of_pairs) == 6 and "auto_passenger, drama_critic" in of_pairs
    assert "probability" not in rows_of(capsys, command.replace("bic", "map"))[0]


def test_options_have_the_defaults_of_the_library():
    """All but the number of cores, and the draws of a fit, which the command has unless told."""
    for arguments, function in (
        ("score x.csv --structure 1-1", latentdag.score_structures),
        ("fit x.csv --structure 1-1", latentdag.fit),
        ("fit x.csv --structure 1-1", latentdag.estimate),
        ("rank x.csv", latentdag.score_structures),
        ("rank x.csv", latentdag.rank_structures),
    ):
        values = vars(options.parser(Mock(), Mock(), Mock()).parse_args(arguments.split()))
        defaults = {name: p.default for name, p in signature(function).parameters.items()}
        names = values.keys() & defaults.keys() - {"cores", "draws", "method", "structure"}
        assert {n: values[n] for n in names} == {n: defaults[n] for n in names}
    for word, value in (("true", True), ("false", False)):
        words = ["rank", "x.csv", "--same-starts", word]
        assert options.parser(Mock(), Mock(), Mock()).parse_args(words).same_starts is value


RANK = f"rank {COUNTED} --"
REQUIRED = "the following arguments are required:"
WRONG = [
    ("score nothing.csv --structure 1-1", "nothing.csv: there is no such file"),
    (f"{RANK}alpha 0", "alpha must lie from 0.01 to 1e+12, got 0.0"),
    (f"{ONE} 1-1-1-1 --method exact", "216 cases are too many"),
    (f"{RANK}hidden 2,2,2,2,2", "at most 2^18"),
    (f"{RANK}hidden 1000000 --method bic", "[1000000] have 1,000,000 joint states"),
    (f"{RANK}within nan", "--within must be above 0 seconds, got nan"),
    (f"{RANK}restarts 0", "restarts must be at least 1"),
    (f"{RANK}seed -1", "seed must be at least 0"),
    (f"{RANK}cores 0", "cores must be at least 1, got 0"),
    (f"{OF_FIT} 2 --replicates 2 --cores -2", "cores must be at least"),
    (f"{RANK}top -1", "--top must be at least 0"),
    (f"{OF_FIT} 2 --format csv", "--format csv: --table must be one of fit"),
    (f"{OF_FIT} 9 --restarts 1", "are needed for draws, or draws must be 0"),
    (f"{RANK}search 0", "width must be at least 1"),
    (f"{ONE} 1-1-1-1 --hidden 2 --hidden 3", "--hidden: one family is needed"),
    (f"rank {VOTES} --count nothing", "there is no column 'nothing' of counts"),
    # of the parser
    (f"score {COUNTED}", "--structure LABEL is needed, or one cause of all, as by --hidden 3"),
    ("score", f"latentdag score: {REQUIRED} DATA.csv (--help lists the options)\n"),
    ("", f"latentdag: {REQUIRED} COMMAND (--help lists the options)\n"),
    (f"{RANK}hidden=two", "rank: argument --hidden: 'two' is not a list of integers"),
    (f"{RANK}same-starts=yes", "rank: argument --same-starts: 'yes' is not true or false"),
    (f"{RANK}method=vbem", "rank: argument --method: invalid choice: 'vbem'"),
    (f"{RANK}levels=a=0,1 --levels=a=1,0", "--levels: the levels of a column are given twice"),
    (f"{RANK}levels=a=no,yes,", "--levels: 'a=no,yes,' is not COLUMN=VALUE,VALUE,..., each"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_bad_input_is_one_line_on_stderr(capsys, arguments, message):
    try:
        status = cli.main(arguments.split())
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("latentdag") and message in err


def test_a_table_is_read_as_asked(capsys, tmp_path):
    """A name with a comma stands in quotes, as in a line of CSV; NA is a value if not asked for."""
    path, how = tmp_path / "t.csv", {"levels": {"a": ["yes", "no", "NA"], "b, c": ["1", "2,3"]}}
    rows = pd.DataFrame({"a": ["yes", "no", "NA", "-"], "b, c": ["2,3", "1", "?", "1"], "d": "x"})
    rows.assign(n=[5, 6, 7, 8]).to_csv(path, index=False)
    how |= {"count": "n", "missing": ["?", "-"], "columns": ["a", "b, c"]}
    expected = latentdag.score(latentdag.read_table(path, **how), "1-1", "laplace", restarts=3)
    more = ["--levels", "a=yes,no,NA", "--levels", 'b, c=1,"2,3"', "--columns", 'a,"b, c"']
    command = f"score {path} --structure 1-1 --count n --missing ? --missing -"
    (row,) = rows_of(capsys, f"{command} --method laplace --restarts 3", *more)
    assert (row["score"], row["n_parameters"]) == (expected.score, 1 + 2 * 2 + 2)


def test_of_many_pairs_the_doubtful_are_listed(capsys, tmp_path):
    """Of nine variables, the most probable first. A table of one variable has no pairs."""
    rng = np.random.default_rng(1)
    cause = rng.integers(2, size=(60, 1))
    cases = np.where(rng.random((60, 9)) < [0.1] * 6 + [0.45] * 3, 1 - cause, cause)
    path = tmp_path / "table.csv"
    pd.DataFrame(cases).add_prefix("x").to_csv(path, index=False)
    out, _ = run(capsys, f"rank {path} --hidden 2 --method bic --restarts 4")
    table = latentdag.read_table(path)
    ranking = latentdag.rank_structures(table, [table.family((2,))], "bic", restarts=4)
    pairs = {f"{r.first}, {r.second}": r.probability for r in ranking.pairs().itertuples()}
    doubtful = [pair for pair, p in pairs.items() if 0.01 <= p <= 0.99]
    *lines, last = out.partition("share a cause")[2].splitlines()[1:]
    assert [line.rpartition("  ")[0].strip() for line in lines] == doubtful != sorted(doubtful)
    sure, few = sum(p > 0.99 for p in pairs.values()), sum(p < 0.01 for p in pairs.values())
    assert sure > 0 and 0 < len(doubtful) < 36
    assert last == f"above 0.99 for {sure} more pairs, below 0.01 for {few}"
    path.write_text("a\nx\ny\nx\n", encoding="utf-8")
    out, _ = run(capsys, f"rank {path} --hidden 2 --method laplace")
    assert out.count("none") == 1 and "share a cause" not in out


def test_pairs_are_listed_where_they_are_few_or_doubtful(capsys):
    """Those of eight variables are few. Several pairs that are certain alike are one line."""
    sure, open_, unlikely = 0.995, 0.5, 0.005
    for probabilities, listed, numbers in (
        ([sure] * 26 + [open_, unlikely], 28, []),
        ([sure] * 26 + [open_, unlikely, unlikely], 1, ["0.99", "26", "0.01", "2"]),
        ([unlikely] * 3, 0, ["3", "0.01"]),
        ([unlikely], 1, []),
    ):
        pairs = [{"first": "a", "second": "b", "probability": p} for p in probabilities]
        ranking = Mock(cause_rows=lambda: [{"states": "2", "probability": 1.0}])
        ranking.pair_rows.return_value = pairs
        cli._print_marginals(ranking)
        of_pairs = capsys.readouterr().out.split("\n\n")[1]
        assert of_pairs.count("a, b ") == listed
        *_, last = of_pairs.strip().split("\n")
        assert "a, b" in last if not numbers else re.findall(r"[\d.]+", last) == numbers


def test_many_structures_are_told_before_they_are_listed(capsys, monkeypatch):
    monkeypatch.setattr(cli, "rank_structures", Mock(side_effect=ValueError("listed")))
    monkeypatch.setattr(cli, "MANY", 136)
    command = f"rank {COUNTED} --method bic --hidden 2,2"
    assert run(capsys, command, status=2)[1] == "latentdag: listed\n"
    err = run(capsys, f"{command} --hidden 3", status=2)[1]
    assert err.startswith("latentdag: 151 structures; --search WIDTH")


def test_fit_is_the_librarys(capsys):
    settings = {"alpha": 2.0, "restarts": 3, "replicates": 3, "seed": 4, "draws": 30}
    words = " ".join(f"--{name} {value}" for name, value in settings.items())
    tables = rows_of(capsys, f"{OF_FIT} 2 --method map {words}")
    expected = latentdag.fit(LATENT.cases, CLASSES, "map", **settings)
    assert tables == {name: make(expected, LATENT) for name, make in fit_tables.TABLES.items()}


def test_tables_of_a_fit_are_printed_and_have_intervals_unless_none_are_wanted(capsys):
    text, _ = run(capsys, f"{OF_FIT} 2 --draws 0")
    assert [part.split("\n")[0] for part in text.split("\n\n")] == list(fit_tables.TABLES)
    assert "p_value" not in text and "effective_draws" not in text
    text, _ = run(capsys, f"{OF_FIT} 2 --draws 20")  # each number beside the interval that is its
    head = next(line for line in text.splitlines() if line.startswith("variable"))
    assert head.split()[3:] == ["mean", "low", "high", "effective_draws", "estimate", "probability"]
    text, _ = run(capsys, f"{OF_FIT} 2 --format csv --table parameters")
    table = pd.read_csv(io.StringIO(text))
    assert len(table) == 2 + 7 * 2 * 2 and table["effective_draws"].between(500, 4000).all()


def test_both_ways_to_count_parameters_are_told(capsys, tmp_path):
    """Two classes of a variable with four and one with three values have 11 parameters, and 9 where
    one is a function of the others: rank 2 tables of 4 x 3 cells. poLCA and StepMix count 11. Cases
    with a missing value count too.
    """
    codes = np.random.default_rng(0).integers((4, 3), size=(200, 2)).astype(str)
    codes[:9, 1] = "NA"
    path = tmp_path / "table.csv"
    pd.DataFrame(codes, columns=["a", "b"]).to_csv(path, index=False)
    command = f"fit {path} --structure 1-1 --draws 0 --format json --hidden 2"
    out, err = run(capsys, command)
    (row,) = json.loads(out)["fit"]
    assert (row["n_parameters"], row["dimension"]) == (11, 9)
    aic, bic = (-2 * row["log_likelihood"] + 11 * each for each in (2, np.log(200)))
    both = "AIC and BIC count 9 parameters, as the data cannot tell all 11; with all, as other"
    assert f"{both} programs count, they are {aic:.6f} and {bic:.6f}" in err
    assert both in run(capsys, f"{command},2")[1]  # a cause without children has no say
    assert fit_tables.UNIDENTIFIED in err
    assert fit_tables.UNIDENTIFIED not in run(capsys, f"{OF_FIT} 2 --draws 0")[1]


def test_without_a_method_the_size_of_the_work_chooses(capsys, monkeypatch):
    """Among as many structures as are scored."""
    (row,) = rows_of(capsys, f"{ONE} 1-1-1-1 --hidden 2 --particles 8 --runs 3")
    assert row["method"] == "reference"
    choose = Mock(return_value=("bic", {}))
    monkeypatch.setattr(cli, "choose", choose)
    rank = f"rank {COUNTED} --restarts 1 --cores 1"
    _, err = run(capsys, f"{rank} --hidden 2 --hidden 3 --hidden 2,2 --hidden 3")
    assert re.findall(r"\d+", err) == ["151", "216"]  # structures and cases
    run(capsys, f"{rank} --search 6")
    chosen = [(c.n, len(families), number) for (c, families, number), _ in choose.call_args_list]
    assert chosen == [(216, 3, 151), (216, 1, trust.likely_scored([FAMILY], 6))]


@pytest.mark.parametrize(
    ("within", "search", "scored", "words"),
    [
        ("1.5", "", 20, "stopped --within 1.5 s: 20 of 136 structures are scored"),
        ("1e6", "", 136, ""),
        ("0.5", "--search 3", 2, "; it stopped --within 0.5 s"),  # where a search starts
    ],
)
def test_a_limit_of_time_stops_with_what_is_known(
    capsys, monkeypatch, within, search, scored, words
):
    """The first part is scored in any case; a search scores its first round."""
    monkeypatch.setattr(beam, "AT_ONCE", 10)
    monkeypatch.setattr(cli, "time", Mock(monotonic=count().__next__))
    command = f"rank {COUNTED} --method bic --restarts 1 --top 0 --format json {search}"
    out, err = run(capsys, f"{command} --within {within}")
    rows = {r["structure"]: r["score"] for r in json.loads(out)}
    assert len(rows) == scored
    assert words in err and ("stopped" in err) == bool(words)
    labels = [latentdag.Structure.from_label(label, FAMILY) for label in rows]
    expected = latentdag.score_structures(TABLE, labels, "bic", restarts=1)
    assert list(rows.values()) == [s.score for s in expected]


def test_a_search_says_how_many_of_all_structures_it_scored(capsys):
    out, err = run(
        capsys, f"rank {COUNTED} --method bic --restarts 1 --top 0 --format json --search 1"
    )
    scored = len(json.loads(out))
    assert scored < 136 and f"scored {scored} of 136 structures" in err


@pytest.mark.parametrize("words", ["", "--structure 0-0-0-0", "--structure 1-1-1-1"])
def test_one_class_is_no_cause(capsys, words):
    (row,) = rows_of(capsys, f"score {COUNTED} --hidden 1 {words} --method bic")
    expected = latentdag.score(TABLE, "0-0-0-0", "bic").score
    assert (row["hidden"], row["structure"], row["score"]) == ("none", "0-0-0-0", expected)
    (row,) = rows_of(capsys, f"fit {COUNTED} --hidden none {words} --table fit")
    assert (row["structure"], row["dimension"]) == ("0-0-0-0", 4)


def test_bic_counts_the_parameters_that_are_used(capsys):
    """Independence is one model, whatever causes it does not use."""
    # of cases as codes, in the paper's way: two more
    structure = latentdag.Structure.from_label("0-0-0-0", FAMILY)
    papers = latentdag.score(TABLE.cases, structure, "bic").score
    for hidden in ("1", "2", "2,2", "9"):
        (row,) = rows_of(capsys, f"{ONE} 0-0-0-0 --hidden {hidden} --method bic")
        assert row["n_parameters"] == 4
        assert row["score"] == pytest.approx(papers + 2 / 2 * np.log(216), abs=1e-9)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (MemoryError("Unable to allocate"), 1, "out of memory: Unable to allocate"),
        (BrokenProcessPool(), 1, "a process was killed, probably out of memory"),
        (FloatingPointError("alpha is too small"), 2, "alpha is too small"),
    ],
)
def test_what_stops_a_command_is_told(capsys, monkeypatch, error, status, words):
    monkeypatch.setattr(cli, "read_table", Mock(side_effect=error))
    assert run(capsys, "rank table.csv", status=status)[1].startswith(f"latentdag: {words}")


@pytest.mark.parametrize(
    ("command", "method", "unused"),
    [
        (f"{ONE} 0-0-0-1 --method bic --steps 9 --restarts 2 --runs 3", "bic", "steps runs"),
        (f"{ONE} 0-0-0-1 --method vb_eb --restarts 2 --hits 2", "vb_eb", ""),
        (f"{ONE} 0-0-0-0 --steps 9", "exact", "steps"),
        (f"rank {COUNTED} --hidden 2 --method laplace --runs 9", "laplace", "runs"),
        (f"{OF_FIT} 2 --draws 0 --chains 3", "ml", "chains"),
    ],
)
def test_settings_that_a_method_does_not_use_are_told(capsys, command, method, unused):
    _, err = run(capsys, command)
    options = ", ".join(f"--{name}" for name in unused.split())
    assert (f"latentdag: {method} does not use {options}\n" in err) == bool(unused)
    assert err.count("does not use") == bool(unused)


def test_what_looks_like_a_mistake_and_what_a_score_favours_are_told_on_stderr(capsys):
    scored = f"score {ROLES} --columns {COLUMNS} --structure 1-1-1-1-1 --method bic --restarts 1"
    out, err = run(capsys, scored)
    remark = "column 'count' looks like counts of the lines: if so, name it as the count"
    assert err == f"latentdag: {ROLES}: {remark}\n" and "looks" not in out
    for method in ("vb", "bic", "cs"):
        _, err = run(capsys, f"rank {COUNTED} --hidden 2 --restarts 1 --method {method}")
        assert err == (f"latentdag: {cli.REMARKS[method]}\n" if method != "cs" else "")


def test_a_count_that_is_not_named_as_one_stops_the_command(capsys):
    out, err = run(capsys, f"rank {ROLES}", status=2)
    assert out == "" and err == (
        f"latentdag: {ROLES}: column 'count' looks like counts of the lines: --count count takes "
        f"it as such, --columns {COLUMNS} keeps it as a variable\n"
    )


def test_an_identifier_stops_the_command(capsys, tmp_path):
    path = tmp_path / "people.csv"
    lines = [f"p{i},{i % 2},{i % 3},q{i}" for i in range(20)]
    path.write_text("\n".join(['id,"a, b",c,code', *lines, ""]), encoding="utf-8")
    out, err = run(capsys, f"rank {path} --hidden 2", status=2)
    assert out == "" and err == (
        f"latentdag: {path}: column 'id' has a different value on nearly every line, as an "
        "identifier does: --columns '\"a, b\",c' leaves it out, --columns 'id,\"a, b\",c,code' "
        "keeps it as a variable\n"
    )
    method = ["--hidden", "2", "--method", "bic", "--restarts", "1"]
    for columns in ('"a, b",c', 'id,"a, b",c,code'):  # as a shell passes on what the message says
        assert run(capsys, f"score {path} --columns", columns, *method)[0]


@pytest.mark.parametrize("command", ["fit", "score"])
def test_one_cause_acts_on_all_variables_unless_told_otherwise(capsys, command):
    cause = f"{command} {CARCINOMA} --count count --hidden 3 --seed 1"
    cause += " --draws 0" if command == "fit" else " --method bic_ml"
    assert run(capsys, cause) == run(capsys, f"{cause} --structure 1-1-1-1-1-1-1")
    _, err = run(capsys, f"{command} {CARCINOMA} --count count --hidden 2,2", status=2)
    assert err == "latentdag: --structure LABEL is needed, or one cause of all, as by --hidden 3\n"


@pytest.mark.parametrize("method", ["vb", "vb_eb", "ais", "bic", "cs_lr"])
def test_progress_ends_when_all_is_done(capsys, monkeypatch, method):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = Mock(return_value="")
    monkeypatch.setattr(progress, "words", shown)
    monkeypatch.setattr(progress, "Event", AtTheEnd)
    assert run(capsys, f"rank {COUNTED} --hidden 2 --method {method} --restarts 2 --steps 8")[0]
    done, total, *_ = shown.call_args.args
    assert done / total == pytest.approx(1)


class AtTheEnd(progress.Event):
    """One whose first wait ends, as if nothing had happened, with the work."""

    def wait(self, timeout=None) -> bool:
        super().wait()
        self.wait = lambda timeout: True
        return False


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error_and_a_table_comes_by_a_pipe():
    environment = os.environ | {"PYTHONPATH": str(Path(latentdag.__file__).parents[1])}
    command = f"{sys.executable} -m latentdag.command"
    counted = "--count count --method bic --restarts 2"

    def result(words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", words], env=environment, capture_output=True, text=True, check=False
        )

    head = result(f"{command} rank {ROLES} {counted} --top 0 | head -1")
    assert head.stdout.startswith("136 structures by ")
    # the remark on BIC is written if the pipe took all rows before the reader left it
    assert all(line.startswith("latentdag: bic is no") for line in head.stderr.splitlines())
    piped = result(f"cat {ROLES} | {command} score - {counted} --structure 0-0-0-0 --format json")
    assert json.loads(piped.stdout)[0]["n_parameters"] == 4
    plain = result(f"NUMBA_DISABLE_JIT=1 {command} score {ROLES} {counted} --structure 0-0-0-0")
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr == "latentdag: latentdag needs compiled code: unset NUMBA_DISABLE_JIT\n"


def test_a_score_tells_all_that_lets_doubt_it(capsys):
    """In CSV and JSON; the table for the eye has no room, but what matters is said."""
    command = f"{ONE} 12-12-12-12 --hidden 6,6 --method map --restarts 2 --seed 1"
    (row,) = rows_of(capsys, command)
    assert row["restarts"] == 2 and 0.1 < row["near_boundary"] < 1
    out, err = run(capsys, command)
    assert "near_boundary" not in out and "less than one expected case" in err
    assert ("1 of 2 restarts" in err) == (row["restarts_at_best"] == 1)


def test_structures_without_a_score_and_fits_that_stopped_are_told(capsys):
    """Tempered SMC cannot tell apart nine states of a cause; one iteration is no fit."""
    few = f"score {COUNTED} --hidden 9 --method tempered_smc --runs 2 --particles 8"
    words = "1 of 1 structures have no score: too many relabellings"
    assert words in run(capsys, f"{few} --structure 1-1-1-1")[1]
    short = f"rank {COUNTED} --method bic --hidden 2"
    _, err = run(capsys, f"{short} --max-iterations 1")
    assert re.search(r"\d+ of 16 fits did not converge: allow more iterations", err)
    assert "converge" not in run(capsys, short)[1]
