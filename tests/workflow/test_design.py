"""What a configuration or a file of one's own makes of a study: its draws, sizes, jobs, tables and
figures.
"""

import json

import pytest
from studies import SMALL, loaded, resolved
from studies import small as config

import latentdag
from latentdag.engine.streams import generator
from latentdag.study.design.draws import design, design_rows, nearest_draws
from latentdag.study.design.model import family_of
from latentdag.study.paper.runs import AIS_CHAINS, MANY_CHAINS, PAPERS
from latentdag.study.settings import parts
from latentdag.study.settings.problems import problems
from lib import record


def test_numbers_of_chains_are_those_of_the_settings():
    for run, name in ((PAPERS, "draws"), (MANY_CHAINS, f"variations/{MANY_CHAINS}")):
        settings = loaded(f"workflow/config/{name}.yaml")
        assert settings["ais"]["chains"] == AIS_CHAINS[run]
        assert settings["results"] == f"results/{run}"


FAMILY = latentdag.Family((2, 2), (2, 3, 2))
LABELS = [s.label for s in latentdag.enumerate_structures(FAMILY)]


def rows(config: dict) -> list[tuple]:
    return [tuple(draw) for draw in design(config, FAMILY)]


def written(tmp_path, text: str) -> dict:
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return {"design": str(path), "draws": None, "population": True}


def test_true_structures_drawn_uniformly():
    """From a stream of each draw: those of the first draws stay when more are asked for."""
    few, many = (rows(config(draws=n, true_structure="uniform")) for n in (3, 2000))
    assert few == many[:3]
    stream = generator(SMALL["seed"], "true structure", 2)
    assert few[2][1] == LABELS[stream.integers(len(LABELS))]
    counts = [sum(row[1] == label for row in many) for label in LABELS]
    expected = len(many) / len(LABELS)
    # chi-squared with 35 degrees of freedom is above 66.6 once in a thousand times
    assert sum((count - expected) ** 2 / expected for count in counts) < 66.6


def test_draws_by_their_numbers():
    few = rows(config(draws=[4, 2], true_structure="uniform", population=True))
    assert few == [rows(config(draws=5, true_structure="uniform"))[k] for k in (2, 4)]


def test_a_file_of_ones_own(tmp_path):
    """Cells and columns that it lacks come from the configuration; rows are sorted."""
    text = "draw,true_structure,alpha\n7,1-1-1,0.5\n2,,\n4,uniform,2\n"
    uniform = rows(config(draws=5, true_structure="uniform"))[4][1]
    assert rows(config(**written(tmp_path, text))) == [
        (2, "1-12-2", 0.7, 1.6, None, None),
        (4, uniform, 2.0, 1.6, None, None),
        (7, "1-1-1", 0.5, 1.6, None, None),
    ]
    assert problems(config(**written(tmp_path, text))) == []


def priors(row) -> tuple[tuple, tuple]:
    """(alpha, alpha_hidden) that the scores of a draw assume, and that its parameters come from."""
    return tuple((of["alpha"], of["alpha_hidden"]) for of in (row.prior, row.true_prior))


def test_parameters_may_come_from_another_prior_than_the_scores_assume(tmp_path):
    """That of the settings, or of a draw; the design has it where it differs in one draw."""
    text, names = "draw,alpha,true_alpha\n0,,0.25\n1,3,\n", ("alpha", "alpha_hidden")
    study = config(**written(tmp_path, text) | {"true_alpha_hidden": 4.0})
    assert problems(study) == []
    draws = design(study, FAMILY)
    expected = [((0.7, 1.6), (0.25, 4.0)), ((3.0, 1.6), (3.0, 4.0))]
    assert list(map(priors, draws)) == expected
    for draw, (row, (scores, truth)) in enumerate(zip(design_rows(draws), expected, strict=True)):
        true_prior = {f"true_{k}": v for k, v in zip(names, truth, strict=True)}
        prior = dict(zip(names, scores, strict=True))
        assert row == {"draw": draw, "true_structure": "1-12-2"} | prior | true_prior
    same = design_rows(design(config(true_alpha=0.7), FAMILY))  # that of the scores
    assert same == [{"draw": 0, "true_structure": "1-12-2", "alpha": 0.7, "alpha_hidden": 1.6}]


@pytest.mark.parametrize("alpha", ["0.5", "2"])
def test_populations_of_another_prior_have_the_draws_of_one_and_the_scores_of_the_other(alpha):
    """Parameters and cases depend on the seed, the family, the prior that parameters come from, the
    structure and the draw.
    """

    def simulation(*variations) -> tuple:
        names = ["draws", *(f"variations/{name}" for name in variations)]
        settings = resolved(*(loaded(f"workflow/config/{name}.yaml") for name in names))
        row = design(settings, family_of(settings))[7]
        return row, [settings[key] for key in ("seed", "family", "sizes")]

    usual, other = simulation(), simulation(f"alpha-{alpha}")
    for name, (drawn, same), (scored, _) in (
        (f"true-alpha-{alpha}", other, usual),
        (f"scored-with-alpha-{alpha}", usual, other),
    ):
        row, settings = simulation(name)
        assert settings == same
        assert (row.draw, row.true_structure) == (drawn.draw, drawn.true_structure)
        assert row.true_prior == drawn.true_prior == drawn.prior
        assert row.prior == scored.prior != row.true_prior


WRONG = {
    "draw,alfa\n1,2\n": "unknown column alfa; known are draw, true_structure, alpha, alpha_hidden, "
    "true_alpha, true_alpha_hidden",
    "alpha\n1\n": "must have the column draw",
    "draw\n": "at least one row",
    "draw\n1\n1\n": "line 3: draw 1 is there twice",
    "draw\n-1\n": "line 2: draw -1 is negative",
    "draw\nx\n": "line 2: draw: 'x' is not a whole number",
    "draw,alpha\n0,0\n": "line 2: alpha must be from",
    "draw,alpha\n0,nan\n": "line 2: alpha must be from",
    "draw,alpha_hidden\n0,1\n1,0\n": "line 3: alpha_hidden must be from",
    "draw,true_alpha\n0,\n1,0\n": "line 3: true_alpha must be from",
    "draw,true_structure\n0,1-1\n": "line 2: true_structure: ",
    "draw,true_structure\n0,2-2-2\n": "line 2: true_structure: 2-2-2 is not canonical; write 1-1-1",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_file_is_told(tmp_path, text):
    (line,) = problems(config(**written(tmp_path, text)))
    assert line.startswith("design: ") and WRONG[text] in line, line


FOUND = """draw,by,method,n_found
0,structure,vb,160
0,structure,bic,
2,structure,vb,40
2,structure,bic,80
5,structure,vb,80
5,structure,bic,480
4,structure,vb,160
4,structure,bic,320
7,structure,vb,80
7,class,bic,80
"""


def population(folder, **changes) -> dict:
    """The settings for the draw of a population that is nearest to 80 (VB) and 160 (BIC)."""
    folder.mkdir()
    (folder / "found.csv").write_text(FOUND, encoding="utf-8")
    record = {"config": config() | changes}
    (folder / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    nearest = {"population": str(folder), "nearest": {"vb": 80, "bic": 160}}
    return {"design": nearest, "draws": None, "population": False}


def test_the_draw_that_is_nearest_to_given_sizes(tmp_path):
    """2 and 4 are off by a factor of 2 for both scores, the first is taken; 5 is off by a factor of
    3 for one; 0 and 7 lack a size.
    """
    settings = config(**population(tmp_path / "many"))
    assert problems(settings) == []
    assert rows(settings) == [(2, "1-12-2", 0.7, 1.6, None, None)]
    assert nearest_draws(**settings["design"]) == ([2, 4], 5)


def test_a_population_without_a_nearest_draw_is_refused(tmp_path):
    others = {"seed": 8, "family": "?", "true_structure": "?", "alpha": 0.3, "alpha_hidden": 0.3}
    others |= {"true_alpha": 0.3, "true_alpha_hidden": 0.3}
    for key, value in others.items():
        (line,) = problems(config(**population(tmp_path / key, **{key: value})))
        assert line.endswith(f"has {key} {value}, here it is {config()[key]}")
    settings = population(tmp_path / "many")
    for change, words in (
        ({"nearest": {"ais": 80, "vb": 80}}, "in no draw ais and vb find the truth"),
        ({"nearest": {"fast": 80}}, "'fast' is not one of"),
        ({"population": str(tmp_path)}, "found.csv is no table of sizes found"),
        ({"nearest": None}, "design.nearest"),
    ):
        changed = settings | {"design": settings["design"] | change}
        assert any(words in line for line in problems(config(**changed))), words


def test_a_design_that_contradicts_the_rest_is_refused(tmp_path):
    mixed = written(tmp_path, "draw,alpha\n0,1\n1,2\n")
    for change, words in (
        ({"population": False}, "several draws are a population; write population: true"),
        ({"design": None}, "draws: needed without a design, and null with one"),
        ({"design": str(tmp_path / "none.csv")}, "none.csv: No such file"),
    ):
        (line,) = problems(config(**mixed | change))
        assert words in line


def part(folder, draws: list[int], **settings) -> str:
    """The folder of a population with these draws, whose other tables are empty files."""
    folder.mkdir()
    for name in (*parts.FILES, "claims.csv", "worths.parquet"):
        (folder / name).touch()
    (folder / "design.csv").write_text("\n".join(["draw", *map(str, draws)]), encoding="utf-8")
    text = json.dumps({"config": of_population(**settings), "code_sha256": folder.name})
    (folder / "provenance.json").write_text(text, encoding="utf-8")
    return str(folder)


def of_population(**changes) -> dict:
    return config(**{"methods": ["map", "vb"], "population": True} | changes)


@pytest.mark.parametrize(
    ("of_part", "here", "key"),
    [
        ({"alpha_hidden": 1.0}, {}, "alpha_hidden"),
        ({"restarts.vb.hits": 2}, {}, "restarts.vb.hits"),
        # a setting that the one or the other reads
        ({"methods": ["map"], "restarts.vb.hits": 2}, {}, None),
        ({"methods": ["map", "vb", "ais"]}, {"ais.steps": 5}, None),
        ({"figure_n": 40, "annealing.n": 10, "results": "elsewhere"}, {"draws": 4}, None),
    ],
)
def test_a_part_has_the_settings_on_which_its_draws_depend(tmp_path, of_part, here, key):
    folder = part(tmp_path / "part", [5, 6], **of_part)
    lines = problems(of_population(parts=[folder], **here))
    assert [line.split(" has ")[1].split()[0] for line in lines] == ([key] if key else [])


def test_parts_have_all_tables_and_draws_of_their_own(tmp_path, monkeypatch):
    """And other code may have computed one of them."""
    a, b = part(tmp_path / "a", [5, 3]), part(tmp_path / "b", [4, 3])
    several = of_population(parts=[a, b], draws=[0, 7])
    assert problems(several) == [f"parts: draw 3 of {b} is also in {a}"]
    monkeypatch.setattr(record, "code_hash", lambda: "a")
    assert [b in line for line in record.other_code(several)] == [True]
    for name, methods in (("claims.csv", ["map"]), ("worths.parquet", ["map", "reference"])):
        (tmp_path / "a" / name).unlink()
        with_part = of_population(parts=[a], methods=methods)
        assert problems(with_part) == [f"parts: {a} has no {name}"]
        (tmp_path / "a" / name).touch()


def assert_handed(rules: dict[str, dict], expected: dict[str, dict]) -> None:
    for rule, values in expected.items():
        assert {name: rules[rule][name] for name in values} == values, rule


@pytest.mark.slow
def test_each_rule_of_one_draw_has_its_own_settings(study):
    """And what published runs it quotes."""
    settings = {
        **{"draws": [3], "sizes": [40, 10, 20], "figure_n": 20, "figure_width": 5},
        **{"annealing.chains": 5, "reference.upper_runs": 6, "reference.others": 4},
        **{"reference.other_sizes": [8], "quoted": {"results": "q", "figures": "f"}},
    }
    about = {"draw": 3, "width": 5}
    page = {
        "draws": {"nearest to the paper": "q/class-nearest", "typical": "q/class-typical"},
        "shares": [f"q/{PAPERS}/{table}.csv" for table in ("found_share", "structures", "design")],
    }
    truth = {"true_structure": "1-12-2"}
    bounds = {"upper_runs": 6, "others": 4, "other_sizes": [8], "sizes": [10, 20, 40]}
    expected = {
        "structures": truth,
        "draw": {"sizes": [10, 20, 40]} | truth,
        "prior": {"n": 10, "alpha_hidden": None},
        "anneal": {"n": 40, "chains": 5} | truth,
        "sandwich": {"draw": 3} | bounds | truth,
        "climb": {"draw": 3, "n": 20} | truth,
        "ranks": {"seed": 7, "evidence": "results/evidence.csv"} | truth,
        "class_page": {"n": 20, "priors": ["structures", "classes"]} | page | truth,
        "plot_scores": {"arguments": {"n": 20} | about, "evidence": "results/evidence.csv"},
        "plot_annealing": {"arguments": {"n": 40} | about},
        "summary": {"claims_held": f"q/{PAPERS}/claims_held.csv"},
        "text_pages": {"figure": ["figures/rank.png"]},
    }  # fmt: skip
    names = [*expected, "reference", "all", "report_pages"]
    rules = study.handed("Snakefile", names, {"draw": "3"}, **settings)
    assert_handed(rules, expected)
    assert rules["sandwich"]["settings"] == rules["reference"]["settings"]
    made, shown = {*rules["all"][""]}, {*rules["report_pages"][""]}
    assert {f"results/{name}" for name in ("ranks.csv", "summary.md", "class.html")} < made
    assert {f"results/{page}.html" for page in ("report/ranks", "class")} < shown


@pytest.mark.slow
def test_a_population_without_draws_of_its_own_pools_those_of_its_parts(study):
    """Its scores are those of its own draws alone."""
    some = {"methods": ["map", "vb", "reference"], "true_alpha": 3.0}
    one_chain = part(study.folder / "one", [5], **some)
    (study.folder / "one/found.csv").touch()
    part(study.folder / "part", [5, 3], **some)
    expected = {
        "structures": {"true_structure": "1-12-2"},
        "design": {"rows": [], "parts": ["part/design.csv"]},
        "map": {"scores": ["bic"]},
        "reference": {"scores": None},
        "claims": {"parts": ["part/claims.csv"]},
        "of_all_draws": {"parts": []},
        "over_draws": {"uniform": False, "worths": "results/worths.parquet"},
        "plot_found": {"one_chain": f"{one_chain}/found.csv", "arguments": {"chains": 3}},
        "datapackage": {"optional": ["true_alpha", "true_alpha_hidden"]},
    }  # fmt: skip
    rules = study.handed("Snakefile", [*expected, "summary"], {"table": "scores"}, **some | {
        "population": True, "draws": 0, "parts": ["part"], "one_chain": one_chain,
        "scores": ["bic", "vb", "reference"], "figure_n": 40,
    })  # fmt: skip
    assert_handed(rules, expected)
    assert rules["summary"]["settings"]["n"] == 40
