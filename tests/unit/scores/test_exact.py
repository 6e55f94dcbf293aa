"""The exact evidence against enumeration of all completions."""

import numpy as np
import oracles
import pytest
from small import FULL

from latentdag import Family, Prior, Structure
from latentdag.data.counts import MISSING
from latentdag.scores.exact import check_size, log_evidence

PRIORS = [(0.5, None), (1.0, None), (2.0, None), (0.5, 2.0), (1.5, 0.4)]


CHILDLESS = [  # one hidden variable or two have no child
    (Family((2, 2, 2), (2, 2, 2)), "3-0-3"),
    (Family((2, 3), (3, 2, 4)), "2-0-2"),
    (Family((3, 2), (2, 4, 3)), "1-1-0"),
]


@pytest.mark.parametrize(("alpha", "alpha_hidden"), PRIORS)
@pytest.mark.parametrize(("family", "label"), [*FULL, *CHILDLESS], ids=str)
@pytest.mark.parametrize("completions", [2, 5000])
def test_literal_enumeration(family, label, completions, alpha, alpha_hidden):
    """Of as many cases, 1 to 8, as have no more completions; some values are missing, but for one
    prior.
    """
    n = max(k for k in range(1, 9) if k == 1 or family.n_states**k <= completions)
    rng = np.random.default_rng(n)
    cases = np.column_stack([rng.integers(k, size=n) for k in family.observed])
    if alpha != 1.0:
        cases[rng.random(cases.shape) < 0.2] = MISSING
    s = Structure.from_label(label, family)
    expected = oracles.posterior(s, Prior(alpha, alpha_hidden), cases)[1]
    value = log_evidence(cases, [s], Prior(alpha, alpha_hidden))[0]
    assert value == pytest.approx(expected, abs=1e-11)


def test_too_many_cases_is_said_before_any_work(cases):
    full = Structure.from_label("0-1-12-12")
    two = [Structure.from_label("1-0-0-0"), full]
    for refuse in (lambda: check_size(14, two), lambda: log_evidence(cases[:14], two)):
        with pytest.raises(ValueError, match="exact: 14 cases are too many for structure 0-1-12"):
            refuse()
    check_size(13, [full])  # 4^12 entries are the most
    # one parent each: half the exponent
    assert np.isfinite(log_evidence(cases[:14], [Structure.from_label("1-1-0-0")])[0])
