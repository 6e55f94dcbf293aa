"""Structures counted, against all of them listed."""

from collections import Counter
from math import exp

import pytest

from latentdag import Family, enumerate_structures
from latentdag.search.ranking import PRIORS, distinct_structures, model_of
from latentdag.search.structure_prior import log_prior, number_of_classes, number_of_structures

SETS = [
    [(2, 2)],
    [(2, 3)],
    [(2, 2, 2)],
    [(3, 2, 2)],
    [(2,), (3,), (4,), (2, 2)],
    [(2, 2, 3), (3, 3), (4,)],
    [(2, 3), (3, 2, 3), (5, 2)],
]


def families(hidden, observed):
    return [Family(own, observed) for own in hidden]


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("observed", [(2, 3, 2, 2), (2, 2), (5,)])
def test_every_structure_is_counted_once(hidden, observed):
    own = families(hidden, observed)
    listed = [s for new in distinct_structures(own) for s in new]
    assert number_of_structures(own) == len(listed)
    assert number_of_classes(own) == len({PRIORS["classes"](s) for s in listed})


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_a_prior_is_shared_by_the_members_of_a_group(hidden, prior):
    own = families(hidden, (2, 3, 2))
    listed = [s for new in distinct_structures(own) for s in new]
    members = Counter(PRIORS[prior](s) for s in listed)
    expected = [1 / (len(members) * members[PRIORS[prior](s)]) for s in listed]
    found = log_prior(listed, own, prior)
    assert [exp(p) for p in found] == pytest.approx(expected, rel=1e-12)
    assert log_prior([model_of(s) for s in listed], own, prior) == found


def test_families_that_are_too_large_to_be_listed():
    """136 structures of 78 classes in the paper's family; 5 causes of 12 variables in no order."""
    paper = Family()
    assert number_of_structures([paper]) == len(enumerate_structures(paper)) == 136
    assert number_of_classes([paper]) == 78
    many = number_of_structures([Family((2,) * 5, (2,) * 12)])
    # all 2^60 labelled ones over the 120 orders of causes, and few that are the same in two orders
    assert 1 < many / (2**60 / 120) < 1.003


def test_an_unknown_prior():
    with pytest.raises(ValueError, match="unknown prior 'links': it must be one of structures"):
        log_prior(enumerate_structures(), [Family()], "links")
