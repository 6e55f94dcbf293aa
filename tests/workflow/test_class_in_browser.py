"""The page for a class in a browser, made from the committed tables: it moves, shows the numbers of
the tables, and loads nothing.
"""

import math
from pathlib import Path

import pandas as pd
import pytest
from browser import Browser
from studies import loaded, run_script

from latentdag.report.class_page import METHODS, UNIT
from latentdag.study.design.draws import nearest_draws
from latentdag.study.paper.runs import PAPERS
from latentdag.study.settings.study import TABLES_OF_DRAW, TABLES_OF_SHARES

weekly = pytest.mark.weekly

OTHER_DRAWS = {"nearest to the paper": "class-nearest", "typical": "class-typical"}
MODEL = {"seed": 2003, "alpha": 1.0, "alpha_hidden": 1.0}
MODEL |= {"family": {"hidden": [2, 2], "observed": [5, 5, 5, 5]}}
TRUE = "1-12-12-2"
HIDDEN = loaded("workflow/config/examples/carcinoma.yaml")["family"]["hidden"]
NAMES = ["$x$", "<b>", "a|b", "a&b;", r"\alpha", "<script>throw 1</script>", "</script>"]
MEGABYTE = 1_000_000
CARD = "document.querySelector('[data-method={}] {}')"
LABELS = {"bic": "BIC", "vb": "VB", "ais": "AIS", "laplace": "Laplace", "reference": "evidence"}


def write_page(folder: Path, inputs: dict, **params) -> Path:
    """The page, as the rule writes it."""
    params = {"variables": (), "draws": {}, "true_structure": None} | params
    page = folder / "class.html"
    run_script("class_page", folder / "log", inputs, {"page": page}, params=params)
    return page


@pytest.fixture(scope="module")
def study(committed, tmp_path_factory) -> Path:
    return write_page(
        tmp_path_factory.mktemp("class"),
        {name: committed / f"study/{name}.csv" for name in TABLES_OF_DRAW}
        | {"shares": [committed / PAPERS / f"{name}.csv" for name in TABLES_OF_SHARES]},
        title="Which structure made the data?",
        model=MODEL,
        true_structure=TRUE,
        n=480,
        priors=("structures", "classes"),
        draws={about: str(committed / folder) for about, folder in OTHER_DRAWS.items()},
    )


@pytest.fixture(scope="module")
def own_data(committed, tmp_path_factory) -> Path:
    folder = committed / "carcinoma"
    return write_page(
        tmp_path_factory.mktemp("own"),
        {name: folder / f"{name}.csv" for name in TABLES_OF_DRAW[:3]} | {"shares": []},
        title="Which hidden causes?",
        model=MODEL | {"family": {"hidden": HIDDEN, "observed": [2] * len(NAMES)}},
        n=118,
        variables=NAMES,
        priors=("classes", "structures", "families"),
    )


@pytest.mark.parametrize(
    "change", [{}, {"alpha": 0.5}, {"alpha_hidden": 0.5}, {"truth": "another-structure"}]
)
def test_draws_of_another_question_are_left_out(committed, tmp_path, change):
    """They have another prior than this study or another true structure; so has the population."""
    inputs = {name: committed / f"study/{name}.csv" for name in TABLES_OF_DRAW}
    inputs["structures"] = committed / change.get("truth", "study") / "structures.csv"
    inputs["shares"] = [committed / PAPERS / f"{name}.csv" for name in TABLES_OF_SHARES]
    draws = {about: str(committed / folder) for about, folder in OTHER_DRAWS.items()}
    about = {"title": "t", "n": 480, "priors": ("structures",), "true_structure": TRUE}
    page = write_page(tmp_path, inputs, model=MODEL | change, draws=draws, **about)
    text = page.read_text(encoding="utf-8")
    assert [f', {name}"' in text for name in OTHER_DRAWS] == [not change] * 2  # of their buttons
    assert ('"shares":null' in text) == bool(change)


def opened(browser: Browser, file: Path) -> Browser:
    browser.errors.clear()
    browser.show_as(1366, 768)
    browser.open(file.as_uri())
    return browser


@pytest.fixture
def page(browser, study) -> Browser:
    yield opened(browser, study)
    assert browser.errors == []


def move(page: Browser, at: int) -> None:
    page.value(f"$('n').value = {at}; $('n').dispatchEvent(new Event('input'))")


def click(page: Browser, selector: str, at: int = 0) -> None:
    page.value(f"document.querySelectorAll({selector!r})[{at}].click()")


def click_bar(page: Browser, method: str, at: int) -> None:
    """Click where the bar of one of the structures is."""
    bar = CARD.format(method, f".bars rect:nth-of-type({at + 1})")
    x = "box.left + box.width / 2"
    event = f"new MouseEvent('click', {{bubbles: true, clientX: {x}}})"
    page.value(f"(bar => (box => bar.dispatchEvent({event}))(bar.getBoundingClientRect()))({bar})")


def texts(page: Browser, selector: str) -> list[str]:
    return page.value(f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)")


@pytest.mark.slow
def test_the_committed_page_is_made_from_the_committed_tables(study, committed):
    committed_page = (committed / "study/class.html").read_bytes()
    assert study.read_bytes() == committed_page, "make class"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nearest", "typical"])
def test_the_other_draws_are_those_that_their_settings_select(committed, name):
    """The typical one by the medians over the draws."""
    nearest = loaded(f"workflow/config/class/{name}.yaml")["design"]["nearest"]
    draws, n_draws = nearest_draws(committed / PAPERS, nearest)
    design = pd.read_csv(committed / f"class-{name}/design.csv")
    assert (design["draw"].item(), n_draws) == (draws[0], 100)
    if name == "typical":
        table = pd.read_csv(committed / PAPERS / "found.csv").query("by == 'structure'")
        sizes = table.pivot(index="draw", columns="method", values="n_found").fillna(math.inf)
        assert sizes[list(nearest)].median().to_dict() == nearest


@weekly
def test_the_page_is_one_small_file_that_loads_nothing(page, study):
    assert study.stat().st_size < MEGABYTE
    assert page.value("performance.getEntriesByType('resource').length") == 0
    assert page.value("document.querySelectorAll('[src], link, a').length") == 0
    page.value("void fetch('https://example.org').catch(() => { window.refused = true })")
    page.wait("window.refused")
    assert [error for error in page.errors if "Content Security Policy" in error]
    page.errors.clear()


@weekly
def test_each_size_of_each_draw_has_the_numbers_of_the_tables(page, committed):
    """Ranks and favourites; of draw 0, whose posterior is committed, the truth's probability."""
    posterior = pd.read_csv(committed / "study/posterior.csv").query("structure == @TRUE")
    probability = posterior.set_index(["draw", "n", "method"])["probability"]
    for number, folder in enumerate(("study", *OTHER_DRAWS.values())):
        click(page, "[data-set=draw]", number)
        ranks = pd.read_csv(committed / folder / "ranks.csv")
        assert texts(page, "[data-set=draw]")[number].startswith(str(ranks["draw"].iloc[0]))
        assert int(page.value("$('n').max")) == ranks["n"].nunique() - 1
        for at, (n, of_size) in enumerate(ranks.groupby("n")):
            move(page, at)
            assert page.value("$('now').textContent") == f"n = {n} cases"
            for row in of_size[of_size["method"].isin(METHODS)].itertuples():
                rank = page.value(CARD.format(row.method, ".rank b") + ".textContent")
                favourite = page.value(CARD.format(row.method, "figure") + ".dataset.structure")
                assert (int(rank), favourite) == (row.rank, row.best_structure)
                if number == 0 and row.method != "map":  # whose likelihoods are no posterior
                    p = float(page.value(CARD.format(row.method, ".rank") + ".dataset.p")) / UNIT
                    expected = probability[row.draw, n, row.method]
                    assert p == pytest.approx(expected, abs=0.51 / UNIT)


@weekly
def test_scores_that_are_sure_and_wrong_are_named(page, committed):
    """Those that give another structure than the true one a probability of at least 0.9."""
    table = pd.read_csv(committed / "study/posterior.csv").query("draw == 0 and method != 'map'")
    wrong = table[(table["probability"] >= 0.9) & (table["structure"] != TRUE)]
    n_sure = 0
    for at, n in enumerate(sorted(table["n"].unique())):
        move(page, at)
        text, _, _ = page.value("$('said').textContent").rpartition(" sure and wrong")
        named = text.rpartition(". ")[2]
        sure = set(wrong.loc[wrong["n"] == n, "method"]) & set(LABELS)
        assert {m for m, label in LABELS.items() if label in named} == sure, n
        n_sure += len(sure)
    assert n_sure


@weekly
def test_a_draw_is_like_most_by_the_scores_that_do_as_in_most_draws(page, committed):
    table = pd.read_csv(committed / PAPERS / "found_share.csv").query("by == 'structure'")
    shares = table.set_index(["n", "method"])["share"]
    ranks = pd.read_csv(committed / "class-nearest/ranks.csv").pivot(
        index="n", columns="method", values="rank"
    )
    click(page, "[data-set=draw]", 1)
    n_unlike = 0
    for at, n in enumerate(ranks.index):
        move(page, at)
        _, _, unlike = page.value("$('typical').textContent").partition("unlike most by ")
        for method, label in LABELS.items():
            stays = (ranks.loc[n:, method] == 1).all()
            assert (label in unlike) == (stays != (shares[n, method] > 0.5)), (n, method)
        n_unlike += bool(unlike)
    assert 0 < n_unlike < len(ranks)


@weekly
def test_a_click_draws_a_structure_in_every_card(page):
    structures = texts(page, "#pick option")[1:]
    assert len(structures) == 136
    click_bar(page, "vb", 57)
    figures = "[...document.querySelectorAll('figure[data-structure]')]"
    compared = f"{figures}.map(f => f.dataset.structure)"
    label = structures[57].split()[0]
    assert page.value(compared)[1::2] == [label] * len(METHODS)
    assert texts(page, ".graph.picked circle") == [""] * 6 * len(METHODS)
    links = sum(len(parents.replace("0", "")) for parents in label.split("-"))
    first = ".card figure:nth-child(2) line:not(.missing)"
    assert len(texts(page, first)) == links * len(METHODS)
    click_bar(page, "vb", 57)
    assert len(page.value(compared)) == len(METHODS)


@weekly
def test_causes_are_named_so_that_most_links_are_true_ones(page):
    def links_of(label: str, named: str) -> set[str]:
        """Links as "cause-variable", the causes "1" and "2" called as in ``named``, from 0."""
        parents = enumerate(label.split("-"))
        return {
            f"{named.index(cause)}-{j}" for j, causes in parents for cause in causes if cause != "0"
        }

    true, drawn = links_of(TRUE, "12"), page.value("D.structures.map((_, s) => [...links(s)])")
    for label, shown in zip(page.value("D.structures"), drawn, strict=True):
        ways = [links_of(label, named) for named in ("12", "21")]
        assert set(shown) in ways
        assert len(true.intersection(shown)) == max(len(true & way) for way in ways)


@weekly
def test_the_truth_can_be_hidden_and_guessed(page):
    assert TRUE in page.value("$('made').textContent")
    assert page.value("document.querySelectorAll('.true').length") > 0
    click(page, "#truth")
    assert TRUE not in page.value("$('made').textContent + $('lead').textContent")
    assert page.value("document.querySelectorAll('.true, .missing, .extra, .rank').length") == 0
    assert page.value("$('needed').hidden")
    click_bar(page, "map", 3)
    assert "Your guess" in page.value("$('said').textContent")
    click(page, "#truth")
    assert "of the 6 true links" in page.value("$('said').textContent")


@weekly
def test_each_card_has_a_scale_that_its_highest_bar_uses(page, committed):
    """Or one scale from 0 to 1; a bar's height in pixels is its probability on the scale."""
    table = pd.read_csv(committed / "study/posterior.csv").query("draw == 0 and n == 480")
    highest = table.groupby("method")["probability"].max()
    for is_one in (False, True):
        for method in ("vb", "reference"):
            scale = max(map(float, texts(page, f"[data-method={method}] .bars .scale")))
            heights = page.value(
                f"[...document.querySelectorAll('[data-method={method}] .bars rect')]"
                ".map(bar => Number(bar.getAttribute('height')))"
            )
            assert scale == 1 if is_one else highest[method] <= scale < 2.6 * highest[method]
            assert max(heights) == pytest.approx(
                84 * highest[method] / scale, abs=84 * 0.51 / UNIT / scale
            )
        click(page, "#scale")


@weekly
def test_own_data_have_the_same_page_without_a_truth(browser, own_data, committed):
    opened(browser, own_data)
    assert browser.value("$('truth').hidden && $('sizes').hidden && $('needed').hidden")
    table = pd.read_csv(committed / "carcinoma/posterior.csv")
    for method in ("reference", "vb", "bic"):
        best = table[table["method"] == method].sort_values("probability").iloc[-1]
        figure = CARD.format(method, "figure") + ".dataset"
        assert browser.value(f"{figure}.structure") == best["structure"]
        shown = float(browser.value(f"{figure}.p")) / UNIT
        assert shown == pytest.approx(best["probability"], abs=0.51 / UNIT)
    graph = "#cards .card:first-child .graphs > :first-child .graph g:nth-last-of-type(-n+7) "
    assert texts(browser, graph + "title") == NAMES  # as they are
    assert texts(browser, graph + "text") == [*NAMES[:3], "4", "5", "6", "7"]
    legend = "".join(f" {j} {name}," for j, name in enumerate(NAMES[3:], start=4))
    assert browser.value("$('lead').textContent").endswith(f"Variables:{legend[:-1]}.")
    assert browser.errors == []
