"""How the cost grows with the family: structures, cells and hidden states. Prints the
table of the page on performance.

For each family 480 cases are simulated from the structure in which every hidden variable causes
every observed one. Processor time is that of ``vb`` with 20 restarts, averaged over a sample of
structures, and of one step of one AIS chain; memory is the most that the process, which scores that
sample, has used.
"""

import multiprocessing
import resource
import time
from collections.abc import Iterator

import common
import numpy as np

from latentdag import Family, Prior, Structure, draw_study, enumerate_structures, score_structures
from latentdag.inference.ais.annealing import PILOT_CHAINS, PILOT_STEPS

FAMILIES = [
    Family((2,), (2,) * 4),
    Family((2, 2), (2,) * 4),
    Family((2, 2), (5,) * 4),
    Family((3, 3), (5,) * 4),
    Family((2, 2, 2), (5,) * 4),
    Family((2, 2, 2), (2,) * 6),
    Family((2, 2), (10,) * 4),
    Family((2, 2, 2), (10,) * 4),
]
N, SAMPLE, STEPS, CHAINS = 480, 64, 256, 16


def measure(family: Family) -> tuple:
    """Structures, seconds to list them, ms of vb per structure, us of an AIS step, MiB."""
    everyone = tuple(range(len(family.hidden)))
    true = Structure((everyone,) * len(family.observed), family)
    cases = draw_study(true, Prior(), N, seed=0).cases
    begin = time.process_time()
    structures = enumerate_structures(family)
    listed = time.process_time() - begin
    chosen = np.unique(np.linspace(0, len(structures) - 1, SAMPLE).astype(int))
    sample = [structures[i] for i in chosen]
    for method, few in (("vb", {"restarts": 2}), ("ais", {"steps": 2})):  # not compiled yet
        score_structures(cases, sample[:1], method, **few)
    begin = time.process_time()
    score_structures(cases, sample, "vb", restarts=20)
    vb = (time.process_time() - begin) / len(sample)
    begin = time.process_time()
    score_structures(cases, sample, "ais", steps=STEPS, chains=CHAINS)
    n_steps = CHAINS * STEPS + PILOT_CHAINS * PILOT_STEPS
    ais = (time.process_time() - begin) / len(sample) / n_steps
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return len(structures), listed, 1e3 * vb, 1e6 * ais, memory


def rows() -> Iterator[tuple]:
    for family in FAMILIES:
        with multiprocessing.get_context("spawn").Pool(1) as fresh:  # its memory is its own
            n, listed, vb, ais, memory = fresh.apply(measure, (family,))
        sizes = [f"{len(k)} x {k[0]}" for k in (family.hidden, family.observed)]
        measured = f"{listed:.1f}", f"{vb:.1f}", f"{ais:.2f}", f"{memory:.0f}"
        yield *sizes, n, family.n_cells, family.n_states, *measured


def main() -> None:
    columns = "hidden | observed | structures | cells | hidden states | list them (s)"
    common.print_table(f"{columns} | vb (ms) | AIS step (us) | memory (MiB)", rows())


if __name__ == "__main__":
    main()
