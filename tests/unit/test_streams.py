"""Random streams depend on their key and on nothing else; compiled ones are those of xoshiro."""

import hashlib
from itertools import islice

import numpy as np
import oracles
import pytest
from numba import njit

from latentdag.engine import simd
from latentdag.engine.streams import generator
from latentdag.inference.ais import walk
from latentdag.inference.particles import loops


@pytest.mark.parametrize("seed", [0, 2003, 2**32 - 1, 2**32, 2**64 + 5])
def test_the_seed_and_the_digest_of_the_key_are_the_entropy(seed):
    """Every part of the key counts."""
    digest = np.frombuffer(hashlib.sha256(b"ais/0/480/1-12-12-2/3").digest(), "<u4").tolist()
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *digest])))
    assert (generator(seed, "ais", 0, 480, "1-12-12-2", 3).random(5) == expected.random(5)).all()


@njit
def many_words(streams, out):
    for row in range(len(out)):
        simd.store(out, row, walk.random_words(streams))


@njit
def many_bits(streams, out):
    for row in range(len(out)):
        simd.store_wide(out, row, loops._random_bits(streams))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiled", "plain", "n_bits", "shift", "known"),
    [
        (many_words, oracles.random_words, 64, 0, [41943041, 58720359, 3588806011781223]),
        (many_bits, oracles.random_words_of_32_bits, 32, 8, [5, 12295, 25178119, 27286542]),
    ],
    ids=["xoshiro256++", "xoshiro128+, the upper 24 bits"],
)
def test_random_words(compiled, plain, n_bits, shift, known):
    """Other programs' numbers from the state 1, 2, 3, 4; in every lane those of its own state."""
    kind = np.dtype(f"u{n_bits // 8}")
    lanes = simd.LANES if n_bits == 64 else simd.WIDE
    states = np.random.default_rng(5).integers(2**n_bits, size=(4, lanes), dtype=kind)
    states[:, 3] = 1, 2, 3, 4
    expected = np.array([list(islice(plain(s), 999)) for s in states.T], dtype=kind)
    assert expected[3, : len(known)].tolist() == known
    found = np.empty((999, lanes), dtype=np.uint64 if n_bits == 64 else np.int32)
    compiled(states, found)
    assert (found == expected.T >> shift).all()
