"""Families, labels, exchange classes and parameter counts; and the number of distinct relabelled
copies of a mode, against a list of all its images.
"""

from itertools import permutations, product
from math import exp, factorial, log

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.inference.relabellings import log_copies
from latentdag.model.parameters import check_cells
from latentdag.model.structures import check_enumerable, check_states

FAMILIES = [
    Family((2,), (2, 2, 2)),
    Family((2, 2, 2), (2, 2, 2)),
    Family((2, 3), (2, 4, 3)),  # unequal: nothing may be exchanged
    Family((3, 2, 3), (2, 2)),  # only the first and the third may
    Family((2, 2), (3,)),
    Family((), (2, 3)),
    Family(),
]


def first_of_renamings(label, hidden):
    """The first of the labels that one of these becomes where causes with as many states change
    their names: by its parts, with 0 < 1 < 12 < 2.
    """
    images = []
    for p in permutations(range(len(hidden))):
        if all(hidden[i] == hidden[p[i]] for i in p):
            renamed = {str(i + 1): str(p[i] + 1) for i in p} | {"0": "0"}
            images.append(["".join(sorted(map(renamed.get, part))) for part in label.split("-")])
    return "-".join(min(images))


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_enumeration_is_one_structure_per_exchange_class(family):
    structures, names = enumerate_structures(family), "123"[: len(family.hidden)]
    parts = ["".join(filter(None, part)) or "0" for part in product(*(("", n) for n in names))]
    graphs = map("-".join, product(parts, repeat=len(family.observed)))
    assert len(structures) == len({s.label for s in structures})
    assert {s.label for s in structures} == {first_of_renamings(g, family.hidden) for g in graphs}
    assert all(s.family == family for s in structures)


LARGE = [
    Family((2,) * 5, (2, 2)),
    Family((2, 3, 2, 3, 2), (2,) * 3),
    Family((4, 2, 3, 2), (2,) * 4),
]


@pytest.mark.parametrize("family", [*FAMILIES, *LARGE], ids=str)
def test_labels_go_both_ways_and_canonical_form_is_unique(family):
    """The canonical form is the first of all renamings; of large families some structures."""
    rng = np.random.default_rng(5)
    every = list(product(family.parent_sets(), repeat=len(family.observed)))
    some = range(len(every)) if len(every) < 1000 else rng.integers(len(every), size=100)
    for parents in (every[i] for i in some):
        s = Structure(parents, family)
        assert Structure.from_label(s.label, family) == s
        assert s.canonical().label == first_of_renamings(s.label, family.hidden)
        assert s.canonical().n_parameters == s.n_parameters


@pytest.mark.parametrize(
    ("label", "family", "n_parameters", "n_links"),
    [
        # 4 x 4 + 2: hidden variables without children count, as in the paper
        ("0-0-0-0", Family(), 18, 0),
        ("1-12-12-2", Family(), 50, 6),  # 8 + 16 + 16 + 8 + 2
        ("12-12-12-12", Family(), 66, 8),
        ("1-0-0-0", Family(), 22, 1),
        ("1-1-1", Family((3,), (2, 4, 3)), 2 + 3 * (1 + 3 + 2), 3),
        ("12-2-0", Family((2, 3), (2, 4, 3)), 1 + 2 + 6 * 1 + 3 * 3 + 2, 3),
        ("123", Family((2, 3, 4), (5,)), 1 + 2 + 3 + 24 * 4, 3),
    ],
)
def test_parameter_and_link_counts(label, family, n_parameters, n_links):
    s = Structure.from_label(label, family)
    assert (s.n_parameters, s.n_links) == (n_parameters, n_links)


def test_childless_hidden_variables_are_dropped_with_their_cardinality():
    s = Structure.from_label("0-2-2", Family((2, 3), (2, 2, 2))).without_childless()
    assert s.family.hidden == (3,)
    assert s.label == "0-1-1"
    s = Structure.from_label("13-3", Family((2, 3, 4), (2, 2))).without_childless()
    assert (s.family.hidden, s.label) == ((2, 4), "12-2")
    assert Structure.from_label("0-0-0-0").without_childless().family.hidden == ()


@pytest.mark.parametrize(
    "label", ["", "1-12-12", "1-12-12-3", "1-21-12-2", "1-12-12-2-0", "a-b-c-d", "01-1-1-1"]
)
def test_an_unknown_label_is_named(label):
    with pytest.raises(ValueError, match="unknown structure label") as error:
        Structure.from_label(label)
    assert repr(label) in str(error.value)
    assert "0, 1, 12, 2" in str(error.value)


@pytest.mark.parametrize(
    ("make", "arguments", "words"),
    [
        (Family, ((2, 1), (5, 5)), "at least 2 values"),
        (Family, ((2,), (5, 0)), "at least 2 values"),
        *(
            (Family, (wrong, (5, 5)), "hidden must be the cardinalities of the hidden")
            for wrong in ((2.7,), (2.0, 2), ("2",), 2)
        ),
        (Family, ((2,), ()), "at least one observed"),
        (Family, ((2,) * 10, (2,)), "at most 9"),
        (Structure, (((0,), (0,), (1,)),), "3 parent sets for 4"),
        (Structure, (((0,), (0,), (1,), (2,)),), "outside"),
        (Structure, (((-1,), (0,), (1,), (1,)),), "outside"),
    ],
)
def test_wrong_families_and_parents(make, arguments, words):
    with pytest.raises(ValueError, match=words):
        make(*arguments)
    assert Family(np.array([2, 3]), (5, 5)) == Family((2, 3), (5, 5))


@pytest.mark.parametrize(
    ("check", "most", "more", "words"),
    [
        (check_states, (2,) * 10, (5, 5, 41), "1,025 joint states; at most 1,024"),
        (check_enumerable, Family((2,) * 3, (2,) * 6), Family((2,), (2,) * 19), "at most 2\\^18"),
        (
            check_cells, Family((2,), (1000, 1000)), Family((2,), (1000, 1001)),
            "y1 has 1000, y2 has 1001.*at most 1,000,000",
        ),
    ],
)  # fmt: skip
def test_as_many_as_are_said_are_supported(check, most, more, words):
    check(most)
    with pytest.raises(ValueError, match=words):
        check(more)


def test_parents_in_any_order_are_the_same_structure():
    assert Structure(((1, 0), (0,), (), (1, 1))) == Structure.from_label("12-1-0-2")


RENAMED = [
    ("1-1", Family((3,), (2, 3))),
    ("1-12-12-2", Family()),
    ("12-12-12-12", Family()),
    ("1-1-2-2", Family()),
    ("12-12", Family((2, 2), (3, 2))),
    ("12-12", Family((2, 3), (3, 2))),
    ("12-12", Family((3, 3), (2, 2))),
    ("12-2-1", Family((3, 2), (2, 2, 2))),
    ("123-123", Family((2, 2, 2), (3, 2))),
    ("12-123", Family((2, 2, 2), (3, 2))),
    ("13-123-2", Family((2, 3, 2), (2, 2, 2))),
    ("0-0", Family((), (3, 2))),
]
each_family = pytest.mark.parametrize(("label", "family"), RENAMED, ids=str)


def flat(hidden, tables):
    return np.concatenate([np.ravel(x) for x in (*hidden, *tables)])


def count(structure, hidden, tables):
    distinct = []
    for names in oracles.relabellings(structure):
        parameters = flat(*oracles.image(structure, hidden, tables, *names))
        if all(np.abs(parameters - other).max() > 1e-2 for other in distinct):
            distinct.append(parameters)
    return len(distinct)


def copies(structure, hidden, tables):
    number = exp(log_copies(structure, oracles.as_slots(structure, hidden, tables)))
    assert number == pytest.approx(round(number), rel=1e-12)
    return round(number)


def random_mode(structure, rng):
    parameters = oracles.random_parameters(structure, rng)
    return list(parameters.hidden), oracles.tables(structure, parameters)


@each_family
@pytest.mark.parametrize("seed", range(6))
def test_a_mode_that_is_its_own_image(label, family, seed):
    """The mean of a mode and its images under a relabelling or two, again and again, is a mode
    that these map onto itself.
    """
    structure = Structure.from_label(label, family)
    rng = np.random.default_rng(seed)
    hidden, tables = random_mode(structure, rng)
    names = list(oracles.relabellings(structure))
    for which in rng.integers(len(names), size=1 + seed % 2):
        for _ in range(12):  # more than the order of any of them
            orbit, total = (hidden, tables), 0
            for _ in range(12):
                orbit = oracles.image(structure, *orbit, *names[which])
                total = total + flat(*orbit)
            sizes = np.cumsum([x.size for x in (*hidden, *tables)])[:-1]
            parts = np.split(total / 12, sizes)
            n = len(hidden)
            tables = [p.reshape(t.shape) for p, t in zip(parts[n:], tables, strict=True)]
            hidden = parts[:n]
    expected = count(structure, hidden, tables)
    assert copies(structure, hidden, tables) == expected
    # neither the noise of a fit nor another name changes that
    noisy = [h + 1e-5 * rng.normal(size=h.shape) for h in hidden]
    assert copies(structure, noisy, tables) == expected
    for other in rng.integers(len(names), size=3):
        renamed = oracles.image(structure, hidden, tables, *names[other])
        assert copies(structure, *renamed) == expected


def test_only_the_joint_states_tell_them_apart():
    """Parity of three causes: no state, nor pair of states, differs from another; but to rename the
    states of one or of three causes makes odd of even.
    """
    structure = Structure.from_label("123", Family((2, 2, 2), (2,)))
    parity = np.indices((2, 2, 2)).sum(axis=0) % 2
    tables = [np.stack([0.1 + 0.8 * parity, 0.9 - 0.8 * parity], axis=-1)]
    hidden = [np.array([0.5, 0.5])] * 3
    assert copies(structure, hidden, tables) == 2 == count(structure, hidden, tables)


@pytest.mark.parametrize("alike", [1, 4, 9])
def test_nine_states(alike):
    """More images than can be listed."""
    structure = Structure.from_label("1-1-1", Family((9,), (3, 3, 4)))
    hidden, tables = random_mode(structure, np.random.default_rng(4))
    for x in (*hidden, *tables):
        x[:alike] = x[0]
    number = log_copies(structure, oracles.as_slots(structure, hidden, tables))
    assert number == pytest.approx(log(factorial(9) / factorial(alike)), rel=1e-12)


@pytest.mark.parametrize(("apart", "expected"), [(0.008, 1), (0.012, 2)])
def test_how_far_apart_two_modes_are(apart, expected):
    structure = Structure.from_label("1", Family((2,), (2,)))
    table = np.array([[0.5, 0.5], [0.5 + apart, 0.5 - apart]])
    assert copies(structure, [np.full(2, 0.5)], [table]) == expected
