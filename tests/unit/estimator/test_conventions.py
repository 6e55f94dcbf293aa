"""The conventions of scikit-learn: its checks for estimators pass, on the categories that it makes
of its own data; and where scikit-learn is not installed, the error says what to install.

scikit-learn itself leaves out the checks of continuous data, of sparse data and of infinity, as the
estimator's tags say that rows are categories.
"""

import subprocess
import sys

import pytest
from sklearn.exceptions import NotFittedError
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
