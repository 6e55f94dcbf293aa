"""The estimator, against sums written out, published numbers, and the library."""

from itertools import combinations, product
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from latentdag import LatentCauses, Structure, fit, read_table, score
from latentdag.analysis import fit_tables

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[3] / "workflow/data"
ROLES = DATA / "stouffer_toby_1951.csv"
# of parameters: a fit that need not be the best
QUICK = {"hidden": 2, "structure": "1", "method": "bic", "settings": {"restarts": 2}}


def fitted(path: Path = DATA / "carcinoma_agresti_2002.csv", **parameters) -> LatentCauses:
    frame = pd.read_csv(path)
    model = LatentCauses(**{"draws": 0} | parameters)
    return model.fit(frame.drop(columns="count"), sample_weight=frame["count"])


def classes(k: int, **parameters) -> LatentCauses:
    return fitted(hidden=k, structure="1", method="bic", **parameters)


@pytest.fixture(scope="module")
def ranked() -> LatentCauses:
    return fitted(ROLES, hidden=(2, 2), method="laplace", alpha=1.5, seed=3, draws=200)


def by_hand(model: LatentCauses, row: dict) -> np.ndarray:
    """p(state, what is observed of the row) of latent classes, from their table of parameters."""
    table = model.parameters_
    joint = table.loc[table["variable"] == "s1", "probability"].to_numpy()
    for name, value in row.items():
        if value is not None:
            of_value = (table["variable"] == name) & (table["value"] == str(value))
            joint = joint * table.loc[of_value, "probability"].to_numpy()
    return joint


def test_new_rows_have_the_probabilities_of_the_table_of_parameters():
    """Rows of two answers: some have another state that makes them likelier than the predicted, as
    the prior of the states decides. A row without an answer, and a whole one.
    """
    model = classes(3, alpha=2.0, settings={"restarts": 8})
    rows = [
        {n: None for n in "ABCDEFG"} | dict(zip(names, values, strict=True))
        for names in (*combinations("ABCDEFG", 2), "", "ABCDEFG")
        for values in product(*map(model.levels_.__getitem__, names))
    ]
    joint, sizes = np.array([by_hand(model, row) for row in rows]), by_hand(model, {})
    most, likeliest = joint.argmax(axis=1), (joint / sizes).argmax(axis=1)
    assert (most != likeliest).any()
    new, total = pd.DataFrame(rows), joint.sum(axis=1)
    np.testing.assert_array_equal(model.predict(new), most)
    np.testing.assert_allclose(model.score_samples(new), np.log(total), 1e-10, 1e-12)
    np.testing.assert_allclose(model.predict_proba(new), joint / total[:, None], rtol=1e-10)
    weights = np.arange(len(rows)) % 4
    mean = np.average(np.log(total), weights=weights)
    assert model.score(new, sample_weight=weights) == pytest.approx(mean)


def test_the_maximum_likelihood_rules_out_a_row():
    """Where eight answers always agree, four that differ."""
    label = "-".join("1" * 8)
    model = LatentCauses(2, structure=label, method="bic", estimate="ml", draws=0)
    model.fit(np.repeat([[0] * 8, [1] * 8], 30, axis=0))
    scores = model.score_samples(np.array([[0] * 8, [1, 0] * 4]))
    np.testing.assert_allclose(scores, [np.log(0.5), -np.inf])


def test_memberships_keep_the_index_of_the_rows():
    table = pd.read_csv(DATA / "carcinoma_agresti_2002.csv")
    frame = table.drop(columns="count").set_axis([f"slide {i}" for i in table.index], axis=0)
    weights = table["count"].where(table.index != 3, 0)  # of no case
    model = LatentCauses(**QUICK, draws=0).fit(frame, sample_weight=weights)
    frame = frame.drop(index="slide 3")
    assert model.memberships_.index.equals(frame.index)
    p = model.predict_proba(frame)
    np.testing.assert_allclose(model.memberships_[["p(s1 = 1)", "p(s1 = 2)"]], p, rtol=1e-12)
    entropy = -(p * np.log(np.where(p > 0, p, 1))).sum(axis=1)
    np.testing.assert_allclose(model.memberships_["entropy"], entropy, atol=1e-12)
    best = model.states_["name"].to_numpy()[p.argmax(axis=1)]
    assert model.memberships_["most_probable"].tolist() == best.tolist()


def test_an_unknown_level_is_an_error_or_missing_as_asked():
    model = fitted(**QUICK)
    new = pd.DataFrame({name: ["no", "yes", "no"] for name in "ABCDEFG"})
    new.loc[1, "D"] = "perhaps"
    with pytest.raises(ValueError, match=r"row 2, column 'D': 'perhaps' is none of the levels"):
        model.predict(new)
    p = model.set_params(unknown="missing").predict_proba(new)
    new.loc[1, "D"] = None
    np.testing.assert_array_equal(p, model.predict_proba(new))
    new.loc[1, "D"] = "perhaps"
    model.set_params(unknown="error", missing=["perhaps"])
    np.testing.assert_array_equal(p, model.predict_proba(new))
    with pytest.raises(ValueError, match="unknown must be one of error, missing"):
        model.set_params(unknown="guess").predict(new)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"hidden": "many"}, "hidden must be"),
        ({"hidden": []}, "hidden must be"),
        ({"prior": "none"}, "unknown prior 'none'"),
        ({"estimate": "mode"}, "estimate must be map or ml"),
        ({"method": "map"}, "method must be one of"),
        ({"method": "lapalce"}, "method must be one of"),
        ({"structure": "1-1"}, "unknown structure label '1-1'"),
        ({"structure": "3"}, "unknown structure label '3-3-3"),
        ({"hidden": [(2,), (3,)], "structure": "1"}, "a structure has one family"),
        ({"settings": {"restart": 2}}, "unknown setting 'restart'.*did you mean 'restarts'"),
        (
            {"method": "vb", "settings": {"hits": 2, "steps": 9}},
            "'steps' is no setting of vb and map; known are restarts, hits, max_iterations",
        ),
        ({"settings": 5}, "settings must be a mapping, got 5"),
        ({"settings": {"alpha": 50.0}}, "unknown setting 'alpha'"),
        ({"levels": {"Z": ["a", "b"]}}, "levels are given for 'Z'"),
        ({"levels": ["A"]}, r"levels must be a mapping, got \['A'\]"),
        ({"missing": None}, "missing must be texts, got None"),
        # known once the rows are read again, at the end of a fit
        ({"unknown": "ignore"} | QUICK, "unknown must be one of error, missing"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        fitted(**parameters)


@pytest.mark.parametrize("structure", [None, "1", "0-0-0-0"])
def test_one_class_is_no_cause(structure):
    model, table = fitted(ROLES, hidden=1, structure=structure), read_table(ROLES, count="count")
    expected = score(table, "0-0-0-0", model.method_).score
    assert model.structures_["structure"].tolist() == ["0-0-0-0"]
    assert model.structures_["score"].tolist() == pytest.approx([expected])
    assert model.states_["name"].tolist() == ["none"]
    assert model.fit_["n_parameters"].tolist() == [4]


def test_the_method_of_a_search_is_chosen_for_the_structures_of_all_families(monkeypatch):
    choose = Mock(return_value=("bic", {}))
    monkeypatch.setattr("latentdag.estimator.latent_causes.choose", choose)
    for hidden in ([(2,), (3,)], (2,), (3,)):
        fitted(hidden=hidden, search=1)
    (both, n_both), (_, n_two), (_, n_three) = (call.args[1:] for call in choose.call_args_list)
    assert [f.hidden for f in both] == [(2,), (3,)] and n_both == n_two + n_three
    fitted(hidden=(2, 3), structure="2", search=1)  # one structure, of the family that it uses
    (family,), number = choose.call_args.args[1:]
    assert (family.hidden, number) == ((3,), 1)


def test_pictures_are_axes_of_matplotlib(ranked):
    structures, profiles = ranked.plot_structures(), ranked.plot_profiles()
    links, names = ranked.plot_links(), list(ranked.levels_)
    assert all(isinstance(axes, Axes) for axes in (*structures, *profiles, links))
    captions = [t.get_text() for axes in structures for t in axes.texts]
    for _, states, p in ranked.causes_.head(2).itertuples(index=False):  # all structures count
        assert any(f"causes {states}: probability {p:.2g}\n" in caption for caption in captions)
    assert [label.get_text() for label in links.get_yticklabels()] == names
    drawn = {line.get_gid(): line for axes in profiles for line in axes.lines}
    means = ranked.parameters_.set_index(["variable", "value", "given"])["mean"]
    shown = {key: drawn.get(f"estimate-{' '.join(key)}") for key in means[names].index}
    points = {key: line.get_xdata()[0] for key, line in shown.items() if line}
    assert points == {key: means[key] for key in points} != {}


def test_a_fit_is_that_of_the_library():
    """Of a structure with two causes."""
    prior, starts = {"alpha": 0.7, "alpha_hidden": 1.3}, {"restarts": 64, "hits": 2}
    how = {"structure": "1-12-2-2", "method": "bic", "settings": starts}
    with pytest.warns(UserWarning, match=fit_tables.UNIDENTIFIED):
        model = fitted(ROLES, hidden=(2, 2), draws=50, replicates=3, seed=5, **how, **prior)
    table = read_table(ROLES, count="count")
    structure = Structure.from_label("1-12-2-2", table.family((2, 2)))
    at_mode = fit(table, structure, "map", draws=50, seed=5, **prior, **starts)
    low, high = at_mode.draws.interval()
    columns = {"mean": at_mode.draws.mean(), "low": low, "high": high}
    for column, values in (columns | {"probability": at_mode.parameters}).items():
        expected = np.concatenate([t.ravel() for t in (*values.hidden, *values.observed)])
        np.testing.assert_allclose(model.parameters_[column], expected, rtol=1e-12)
    # a class of its own among the 78, one of 136 structures
    assert model.structures_["probability"].tolist() == [1.0]
    assert model.structures_["prior"].tolist() == pytest.approx([1 / 78])
    (best,) = model.fit_.to_dict("records")
    of_library = fit(table, structure, replicates=3, seed=5, **prior, **starts)
    assert best == fit_tables.statistics(of_library, table)[0]
    assert list(model.states_.columns) == ["s1", "s2", "name"]
    assert model.states_["name"].tolist() == [f"s1 = {i}, s2 = {j}" for i in (1, 2) for j in (1, 2)]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.inf, "sample_weight must be counts of cases"),
        (np.nan, "sample_weight must be counts of cases"),
        (1e17, "sample_weight sums to"),
        (2.0**53, "sample_weight sums to"),  # alone as many as are counted
    ],
)
def test_weights_are_counts(weight, message):
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("xxyy")})
    with pytest.raises(ValueError, match=message):
        LatentCauses(hidden=2).fit(frame, sample_weight=[1, 1, 1, weight])


def test_structures_without_a_score_are_told():
    frame = pd.DataFrame({"a": list("xyxyx"), "b": list("xxyyx"), "c": list("xyyxy")})
    how = {"method": "tempered_smc", "settings": {"runs": 2, "particles": 8, "restarts": 2}}
    with pytest.warns(UserWarning, match="7 of 8 structures have no score: too many relabellings"):
        LatentCauses(hidden=9, draws=0, **how).fit(frame)


def test_what_a_fit_lacks_is_told():
    """Convergence, and intervals where the states have too many relabellings."""
    rows, how = np.random.default_rng(2).integers(2, size=(40, 3)), QUICK | {"draws": 20}
    short = how | {"settings": {"restarts": 2, "max_iterations": 2}}
    with pytest.warns(UserWarning, match="^the fit did not converge"):
        LatentCauses(**short).fit(rows)
    with pytest.warns(UserWarning, match="no intervals"):
        model = LatentCauses(**how | {"hidden": 9}).fit(rows)
    assert model.parameters_["mean"].isna().all() and model.parameters_["probability"].notna().all()


def test_names_are_shown_whole_and_as_they_are():
    names = ["a*b*c", "<age>", "__x__", *"defghi"]
    values = np.random.default_rng(0).choice(["<unknown>", "known"], (40, 9))
    model = LatentCauses(**QUICK, draws=0)
    model.fit(pd.DataFrame(values, columns=names))
    (causes,) = model.structures_["causes"]
    assert all(name in causes for name in names)
    page = model._repr_html_()
    assert all(name in page for name in ("a*b*c", "&lt;age&gt;", "__x__")) and "<age>" not in page
