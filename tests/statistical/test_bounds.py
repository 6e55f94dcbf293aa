"""Relations between scores that hold always: bounds, closed forms, and growth with n."""

import numpy as np
import oracles
import pytest

from latentdag import Structure, score
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior

pytestmark = pytest.mark.slow


ALPHAS = [MIN_ALPHA, 0.5, 1.0, 1e2, 1e5, 1e8, MAX_ALPHA]
UNEQUAL = [(1.0, MAX_ALPHA), (MAX_ALPHA, 1.0), (MIN_ALPHA, MAX_ALPHA), (MAX_ALPHA, MIN_ALPHA)]


@pytest.mark.parametrize(("alpha", "alpha_hidden"), [*((a, a) for a in ALPHAS), *UNEQUAL])
@pytest.mark.parametrize("label", ["1-1-1-1", "1-12-12-2"])
def test_every_score_over_the_whole_range_of_alpha(cases, label, alpha, alpha_hidden):
    """Against the enumeration by Polya's urn, which adds logarithms of ratios at any alpha."""
    s, y = Structure.from_label(label), cases[:6]
    n = len(y)
    expected = oracles.posterior(s, Prior(alpha, alpha_hidden), y)[1]

    def of(method, **settings):
        return score(y, s, method, alpha=alpha, alpha_hidden=alpha_hidden, **settings)

    assert of("exact").score == pytest.approx(expected, abs=1e-11)
    cs, vb, fit, ml = (of(m, restarts=16) for m in ("cs", "vb", "map", "ml"))
    assert all(r.converged for r in (cs, vb, fit, ml))
    assert cs.score <= vb.score + 1e-11
    assert vb.score <= expected + 1e-11
    assert fit.score <= ml.score + 1e-9
    assert of("bic", restarts=16).score == fit.score - s.n_parameters / 2 * np.log(n)
    if min(alpha, alpha_hidden) >= 100:
        # theta is known but for 1 / alpha, and every start leads to the one optimum
        assert cs.score >= expected - n**2 / alpha
        assert abs(fit.score - expected) < 2 * n**2 / alpha
        assert fit.restarts_at_best == fit.restarts
        assert vb.restarts_at_best == vb.restarts
    reference = of("reference")
    assert abs(reference.score - expected) < 6 * reference.standard_error + 2e-6
    for method in ("laplace", "cs_lr", "vb_lr"):
        curved = of(method, restarts=16)
        assert curved.reason or abs(curved.score) < 1000
    if min(alpha, alpha_hidden) >= 0.1:
        ais = of("ais", steps=1024, chains=16)
        assert abs(ais.score - expected) < 6 * ais.standard_error + 1e-9
