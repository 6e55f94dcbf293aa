"""Small structures of every kind, and cases, a kernel and parameters of one."""

import numpy as np
import oracles

from latentdag import Family, Structure
from latentdag.data.counts import MISSING, cell_counts
from latentdag.inference.slots import Kernel

# family and labels in which every hidden variable has a child
FULL = [
    (Family(), "1-12-12-2"),
    (Family(), "12-12-12-12"),
    (Family(), "1-2-0-0"),
    (Family(), "0-1-12-1"),
    (Family((2,), (2, 2, 2)), "1-1-1"),
    (Family((2,), (3, 2, 4)), "1-0-1"),
    (Family((2, 2, 2), (2, 2, 2)), "12-23-13"),
    (Family((2, 2, 2), (2, 2, 2)), "123-2-3"),
    (Family((2, 3), (3, 2, 4)), "12-2-1"),
    (Family((3, 2), (2, 4, 3)), "1-12-2"),
    (Family((2, 3, 2), (3, 2)), "13-123"),
    (Family((2, 3, 2, 2), (2, 3, 2)), "12-34-24"),
    (Family((3,), (4,)), "1"),  # a single observed variable: no right half
    (Family((2, 3), (5,)), "12"),
    (Family((), (2, 3, 2)), "0-0-0"),  # no hidden variable
    (Family((), (4,)), "0"),
]


def make(family, label, n=17, seed=0, missing=0.0):
    rng = np.random.default_rng([seed, *label.encode()])
    s = Structure.from_label(label, family)
    cases = np.column_stack([rng.integers(k, size=n) for k in family.observed])
    if missing:
        cases[rng.random(cases.shape) < missing] = MISSING
    kernel = Kernel([s], cell_counts(cases, family))
    return s, cases, kernel, oracles.random_parameters(s, rng)
