"""Random streams depend on their key and on nothing else."""

import hashlib

import numpy as np
import pytest

from latentdag.engine.streams import generator

KEYS = [
    (2003, "ais", 0, 480, "1-12-12-2", 3),
    (2004, "ais", 0, 480, "1-12-12-2", 3),
    (2003, "ais pilot", 0, 480, "1-12-12-2", 3),
    (2003, "ais", 1, 480, "1-12-12-2", 3),
    (2003, "ais", 0, 80, "1-12-12-2", 3),
    (2003, "ais", 0, 480, "1-12-12-12", 3),
    (2003, "ais", 0, 480, "1-12-12-2", 4),
    (2003, "ais", 0, 480, "1-12-12-2"),
    (2003, "ais", 0, 48, "01-12-12-2", 3),
    (2003,),
]


def test_equal_keys_give_equal_streams_whatever_was_drawn_before():
    first = generator(*KEYS[0]).random(5)
    np.random.default_rng(0).random(7)
    generator(*KEYS[1]).random(3)
    assert (generator(*KEYS[0]).random(5) == first).all()


def test_every_part_of_the_key_counts():
    draws = [generator(*key).integers(2**63) for key in KEYS]
    assert len(set(draws)) == len(KEYS)


@pytest.mark.parametrize("seed", [0, 2003, 2**32 - 1, 2**32, 2**64 + 5])
def test_the_seed_and_the_digest_of_the_key_are_the_entropy(seed):
    digest = np.frombuffer(hashlib.sha256(b"ais/0").digest(), "<u4").tolist()
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *digest])))
    assert (generator(seed, "ais", 0).random(5) == expected.random(5)).all()
