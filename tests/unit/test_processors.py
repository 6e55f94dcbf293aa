"""Compiled code gives the same bits on every processor, whatever vectors it has."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.weekly

PROGRAM = """
from latentdag import Family, Structure, score_structures
family = Family((2, 3), (3, 2, 4))
cases = [[i % 3, i * i % 2, i // 3 % 4] for i in range(40)]
structures = [Structure.from_label(label, family) for label in ("12-2-1", "1-12-2")]
few = {"restarts": 3}
settings = {"ais": {"steps": 256, "chains": 3}, "vb": few, "ml": few, "vb_mix": few}
for method, own in settings.items():
    print([s.score.hex() for s in score_structures(cases, structures, method, **own)])
"""


@pytest.mark.parametrize("processor", ["haswell", "generic"])  # AVX2; neither AVX nor fused sums
def test_another_processor_gives_the_same_bits(processor):
    def printed(**environment):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    here, there = printed(), printed(NUMBA_CPU_NAME=processor)
    assert here == there
    assert len(set(here.split())) == 8
