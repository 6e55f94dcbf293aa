"""The conventions of scikit-learn: its checks for estimators pass, on the categories that it makes
of its own data; and where scikit-learn is not installed, the error says what to install.

scikit-learn itself leaves out the checks of continuous data, of sparse data and of infinity, as the
estimator's tags say that rows are categories.
"""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    estimator_checks_generator,
)

from latentdag import LatentCauses

pytestmark = pytest.mark.slow

LATENT_CLASSES = LatentCauses(
    hidden=2, structure="1", method="bic", draws=0, settings={"restarts": 2}, unknown="missing"
)
# scikit-learn leaves it out itself where an environment variable is not set
NOT_RUN = {"check_array_api_input"}
CHECKS = {
    getattr(check, "func", check).__name__: check
    for _, check in estimator_checks_generator(LATENT_CLASSES)
}


@pytest.mark.parametrize("name", sorted(CHECKS.keys() - NOT_RUN))
@pytest.mark.filterwarnings("ignore:column")  # small tables, in which much looks like a mistake
def test_check_of_scikit_learn(name):
    CHECKS[name](LATENT_CLASSES)


def test_the_checks_are_those_of_an_estimator_with_weights_names_and_missing_values():
    expected = {
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_methods_subset_invariance",
        "check_n_features_in_after_fitting",
        "check_sample_weight_equivalence_on_dense_data",
    }
    assert expected <= CHECKS.keys() and get_tags(LATENT_CLASSES).input_tags.allow_nan
    assert len(CHECKS) > 40


def test_names_of_columns_are_checked_as_in_scikit_learn():
    check_dataframe_column_names_consistency("LatentCauses", LATENT_CLASSES)


def answers(n: int = 60, seed: int = 3) -> pd.DataFrame:
    """Three questions that depend on one cause, and one that depends on none."""
    rng = np.random.default_rng(seed)
    cause = rng.random(n) < 0.4
    columns = {
        name: np.where(rng.random(n) < 0.85, cause, ~cause) for name in ("trust", "vote", "read")
    }
    frame = pd.DataFrame(columns).replace({True: "yes", False: "no"}).astype("category")
    return frame.assign(town=pd.Categorical(rng.choice(["north", "south", "west"], n)))


def test_parameters_are_kept_as_they_are_given():
    model = LatentCauses(hidden=[(2,), (3,)], prior="structures", levels={"a": ["x", "y"]})
    again = clone(model)
    assert again is not model
    assert again.get_params() == model.get_params()
    with pytest.raises(ValueError, match=r"Invalid parameter 'hiden'"):
        model.set_params(hiden=2)


def test_a_grid_search_finds_the_common_cause_in_a_pipeline():
    frame = answers(150)
    questions = FunctionTransformer(lambda rows: rows[["trust", "vote", "read"]])
    pipeline = make_pipeline(questions, LatentCauses(hidden=2, method="bic", draws=0))
    structures = {"latentcauses__structure": ["0", "1"]}
    grid = GridSearchCV(pipeline, structures, cv=3, error_score="raise").fit(frame)
    assert grid.best_params_ == {"latentcauses__structure": "1"}
    scores = grid.cv_results_["mean_test_score"]
    assert scores[1] > scores[0] + 0.05
    assert set(grid.predict(frame)) == {0, 1}


def test_a_pickle_predicts_alike():
    frame = answers()
    model = LatentCauses(hidden=2, structure="1-1-1-0", draws=20).fit(frame)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    pd.testing.assert_frame_equal(again.parameters_, model.parameters_)


def test_before_it_is_fitted_it_says_so():
    for call in ("predict", "predict_proba", "score_samples", "score"):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(LatentCauses(), call)(answers())
    for picture in ("plot_links", "plot_profiles", "plot_structures"):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(LatentCauses(), picture)()


def test_metadata_routing_passes_weights_to_folds():
    frame = answers(60)
    with config_context(enable_metadata_routing=True):
        model = LATENT_CLASSES.__sklearn_clone__().set_fit_request(sample_weight=True)
        grid = GridSearchCV(model.set_score_request(sample_weight=True), {"structure": ["1"]}, cv=2)
        weights = np.r_[np.ones(30, int), np.full(30, 2)]
        grid.fit(frame, sample_weight=weights)
    assert grid.best_estimator_.fit_["cases"].tolist() == [90]


def test_without_scikit_learn_the_words_name_the_extra():
    code = """
import sys
sys.modules["sklearn"] = None  # an import of it fails
import latentdag
try:
    latentdag.LatentCauses
except ModuleNotFoundError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'latentdag[estimator]'" in run.stdout, run.stderr
