"""The exact evidence against a literal sum over all completions, and against closed forms."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import MISSING
from latentdag.model.parameters import Prior
from latentdag.scores.exact import check_size, log_evidence

PRIORS = [(0.5, None), (1.0, None), (2.0, None), (0.5, 2.0), (1.5, 0.4)]


@pytest.mark.parametrize(("alpha", "alpha_hidden"), PRIORS)
@pytest.mark.parametrize(
    ("family", "label", "n"),
    [
        (Family(), "1-12-12-2", 1),
        (Family(), "1-12-12-2", 5),
        (Family(), "12-12-12-12", 4),
        (Family(), "0-1-0-12", 4),
        (Family((2,), (2, 2, 2)), "1-1-1", 8),
        (Family((3,), (3, 2, 4)), "1-0-1", 6),
        (Family((2, 2, 2), (2, 2, 2)), "123-12-3", 4),
        (Family((2, 2, 2), (2, 2, 2)), "12-13-23", 4),
        (Family((2, 2, 2), (2, 2, 2)), "3-0-3", 4),
        (Family((2, 3), (3, 2, 4)), "12-2-1", 4),
        (Family((2, 3), (3, 2, 4)), "2-0-2", 4),  # the binary hidden variable has no child
        (Family((3, 2), (2, 4, 3)), "1-12-0", 4),
        (Family((2, 3), (5,)), "12", 4),
        (Family((), (2, 3)), "0-0", 5),
    ],
)
def test_literal_enumeration(family, label, n, alpha, alpha_hidden):
    """A fifth of the values is missing in every other setting."""
    rng = np.random.default_rng(n)
    cases = np.column_stack([rng.integers(k, size=n) for k in family.observed])
    if alpha != 1.0:
        cases[rng.random(cases.shape) < 0.2] = MISSING
    s = Structure.from_label(label, family)
    expected = oracles.posterior(s, Prior(alpha, alpha_hidden), cases)[1]
    found = log_evidence(cases, [s], Prior(alpha, alpha_hidden))[0]
    assert found == pytest.approx(expected, abs=1e-11)


def test_too_many_cases_is_said_before_any_work(cases):
    full = Structure.from_label("0-1-12-12")
    two = [Structure.from_label("1-0-0-0"), full]
    for refuse in (lambda: check_size(14, two), lambda: log_evidence(cases[:14], two)):
        with pytest.raises(ValueError, match="exact: 14 cases are too many for structure 0-1-12"):
            refuse()
    check_size(13, [full])  # 4^12 entries are the most
    # one parent each: half the exponent
    assert np.isfinite(log_evidence(cases[:14], [Structure.from_label("1-1-0-0")])[0])
