"""The exact evidence against a literal sum over all completions, and against closed forms."""

from fractions import Fraction
from itertools import product

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, enumerate_structures, score
from latentdag.model.parameters import Prior
from latentdag.scores.exact import check_size, log_evidence

PRIORS = [(0.5, None), (1.0, None), (2.0, None), (0.5, 2.0), (1.5, 0.4)]
LABELS = ["1-12-12-2", "12-12-12-12", "1-1-2-2", "0-1-0-12", "1-1-1-1", "0-0-0-0"]


@pytest.mark.parametrize(("alpha", "alpha_hidden"), PRIORS)
@pytest.mark.parametrize("label", LABELS)
def test_literal_enumeration_in_the_papers_family(cases, label, alpha, alpha_hidden):
    s = Structure.from_label(label)
    for n in (1, 2, 5):
        expected = oracles.log_evidence_by_completions(s, cases[20 : 20 + n], alpha, alpha_hidden)
        assert score(
            cases[20 : 20 + n], s, "exact", alpha=alpha, alpha_hidden=alpha_hidden
        ).score == pytest.approx(expected, abs=1e-11)


def test_literal_enumeration_of_65536_completions(cases):
    for label in ("1-12-12-2", "12-0-12-2"):
        s = Structure.from_label(label)
        assert score(cases[:8], s, "exact").score == pytest.approx(
            oracles.log_evidence_by_completions(s, cases[:8]), abs=1e-10
        )


@pytest.mark.parametrize(("alpha", "alpha_hidden"), PRIORS)
@pytest.mark.parametrize(
    ("family", "label", "n"),
    [
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
def test_literal_enumeration_in_other_families(family, label, n, alpha, alpha_hidden):
    rng = np.random.default_rng(n)
    cases = np.column_stack([rng.integers(k, size=n) for k in family.observed])
    s = Structure.from_label(label, family)
    expected = oracles.log_evidence_by_completions(s, cases, alpha, alpha_hidden)
    assert log_evidence(cases, [s], Prior(alpha, alpha_hidden))[0] == pytest.approx(
        expected, abs=1e-11
    )


def test_in_fractions():
    """Two cases, two binary hidden variables, one child of both, uniform priors: every completion
    in exact arithmetic.
    """
    total = Fraction(0)
    for (a, b), (c, d) in product(product((0, 1), repeat=2), repeat=2):
        hidden = (
            Fraction(1, 2) ** 2
            * (Fraction(2, 3) if a == c else Fraction(1, 3))
            * (Fraction(2, 3) if b == d else Fraction(1, 3))
        )
        observed = Fraction(1, 3) * (
            Fraction(2, 4) if (a, b) == (c, d) else Fraction(1, 3)
        )  # the same value of three, twice
        total += hidden * observed
    s = Structure.from_label("12", Family((2, 2), (3,)))
    assert log_evidence([[1], [1]], [s])[0] == pytest.approx(np.log(float(total)), abs=1e-14)


def test_structures_together_are_structures_alone(cases):
    structures = enumerate_structures()
    together = log_evidence(cases[:9], structures, Prior(0.7, 1.2))
    for i in range(0, 136, 15):
        assert log_evidence(cases[:9], [structures[i]], Prior(0.7, 1.2))[0] == together[i]


def test_the_order_of_the_cases_does_not_show_in_any_bit(cases):
    rng, s = np.random.default_rng(0), Structure.from_label("1-12-12-2")
    orders = (rng.permutation(9) for _ in range(8))
    assert len({log_evidence(cases[:9][order], [s], Prior(0.7, 1.3))[0] for order in orders}) == 1


def test_probabilities_of_all_data_sets_sum_to_one():
    """Every constant is there: the evidence is a probability of the ordered cases."""
    family = Family((2, 2), (2, 3))
    for label in ("1-12", "12-12", "1-2", "0-0"):
        s = Structure.from_label(label, family)
        data = product(product(range(2), range(3)), repeat=3)
        assert sum(
            np.exp(log_evidence(np.array(y), [s], Prior(0.6, 1.4))[0]) for y in data
        ) == pytest.approx(1, abs=1e-12)


def test_no_links_any_number_of_cases(cases):
    """Without links there is nothing to enumerate, and n may be large (8-bit counters once
    overflowed here).
    """
    s = Structure.from_label("0-0-0-0")
    for n in (255, 256, 500, 2560):
        expected = oracles.log_evidence_without_parents(s.family, cases[:n], 1.0)
        assert score(cases[:n], s, "exact").score == pytest.approx(expected, abs=1e-8)


def test_a_private_parent_is_the_convolution_over_splits(cases):
    """Ties the closed form that reaches large n to the enumeration."""
    y = cases[:10]
    for a, h in ((1.0, 1.0), (0.5, 2.0)):
        one, two = (oracles.log_evidence_private_parent(y[:, j], 5, a, h) for j in (0, 1))
        rest = [
            oracles.log_dirichlet_multinomial(np.bincount(y[:, j], minlength=5), a)
            for j in range(4)
        ]
        exact = log_evidence(
            y, [Structure.from_label("1-0-0-0"), Structure.from_label("1-2-0-0")], Prior(a, h)
        )
        assert exact == pytest.approx([one + sum(rest[1:]), one + two + sum(rest[2:])], abs=1e-11)


def test_too_many_cases_is_said_before_any_work(cases):
    with pytest.raises(ValueError, match="exact: 14 cases are too many for structure 12-12-12-12"):
        log_evidence(
            cases[:14], [Structure.from_label("1-0-0-0"), Structure.from_label("12-12-12-12")]
        )
    check_size(13, [Structure.from_label("12-12-12-12")])  # 4^12 entries are the most
    # one parent each: half the exponent
    assert np.isfinite(log_evidence(cases[:14], [Structure.from_label("1-1-0-0")])[0])
