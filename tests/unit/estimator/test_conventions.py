"""The conventions of scikit-learn: its checks for estimators pass, on the categories that it makes
of its own data; and where scikit-learn is not installed, the error says what to install.

scikit-learn itself leaves out the checks of continuous data, of sparse data and of infinity, as the
estimator's tags say that rows are categories.
"""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

from latentdag import LatentCauses

pytestmark = pytest.mark.slow

LATENT_CLASSES = LatentCauses(
    hidden=2, structure="1", method="bic", draws=0, settings={"restarts": 2}, unknown="missing"
)


@parametrize_with_checks([LATENT_CLASSES])
@pytest.mark.filterwarnings("ignore:column")  # small tables, in which much looks like a mistake
def test_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_names_of_columns_are_checked_as_in_scikit_learn():
    check_dataframe_column_names_consistency("LatentCauses", LATENT_CLASSES)


def test_a_grid_search_finds_the_common_cause_in_a_pipeline():
    """Three questions depend on it, and a fourth that the pipeline leaves out does not."""
    rng = np.random.default_rng(3)
    cause = rng.random(150) < 0.4
    columns = {name: np.where(rng.random(150) < 0.85, cause, ~cause) for name in "abc"}
    frame = pd.DataFrame(columns).assign(town=rng.choice(["north", "south", "west"], 150))
    questions = FunctionTransformer(lambda rows: rows[["a", "b", "c"]])
    pipeline = make_pipeline(questions, LatentCauses(hidden=2, method="bic", draws=0))
    structures = {"latentcauses__structure": ["0", "1"]}
    grid = GridSearchCV(pipeline, structures, cv=3, error_score="raise").fit(frame)
    assert grid.best_params_ == {"latentcauses__structure": "1"}
    scores = grid.cv_results_["mean_test_score"]
    assert scores[1] > scores[0] + 0.05
    assert set(grid.predict(frame)) == {0, 1}


@pytest.mark.parametrize("picture", ["plot_links", "plot_profiles", "plot_structures"])
def test_before_it_is_fitted_there_is_no_picture(picture):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(LatentCauses(), picture)()


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
