"""Random streams keyed by what they are for: no result depends on order or place."""

import hashlib

import numpy as np


def generator(seed: int, *key) -> np.random.Generator:
    """A generator for the stream that ``key`` names under the root ``seed``.

    ``key`` is a purpose and its coordinates, e.g. ``generator(2003, "ais", draw, n, "1-12-12-2",
    chain)``; equal keys give equal streams on every machine, different keys independent ones
    (SHA-256 of the key seeds a ``SeedSequence``).
    """
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    root = int(seed)
    n_words = max(1, -(-root.bit_length() // 32))
    # words of 32 bits: to make them of a list of integers takes NumPy longer than all the rest
    words = np.frombuffer(root.to_bytes(4 * n_words, "little") + digest, "<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))
