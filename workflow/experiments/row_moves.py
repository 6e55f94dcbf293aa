"""Processor time of a step of AIS whose update moves all parameters, and of one that moves a row.

Run ``python workflow/experiments/row_moves.py``: prints microseconds per chain and temperature, for
the true structure of draw 0, 16 chains side by side; the least of `REPEATS`.
"""

import time

import common

from latentdag import Prior
from latentdag.data.counts import cell_counts
from latentdag.engine.simd import LANES
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.slots import Kernel

SIZES, STEPS, REPEATS = (80, 480, 10240), 16384, 7


def microseconds(kernel: Kernel, by_row: bool) -> float:
    pilots = [generator(0, "pilot", c) for c in range(ais.PILOT_CHAINS)]
    tuning = ais.tune(kernel, 0, Prior(), pilots, by_row)
    spent = []
    for _ in range(REPEATS):
        streams = [generator(0, "chain", c) for c in range(LANES)]
        began = time.process_time()
        ais.anneal(kernel, 0, Prior(), tuning, STEPS, streams)
        spent.append(time.process_time() - began)
    return min(spent) / (STEPS * LANES) * 1e6


def main() -> None:
    cases = common.cases_of(max(SIZES))
    for n in SIZES:
        kernel = Kernel([common.TRUE], cell_counts(cases[:n], common.TRUE.family))
        joint, row = (microseconds(kernel, by_row) for by_row in (False, True))
        print(f"n = {n}: all parameters {joint:.2f}, one row {row:.2f} microseconds")


if __name__ == "__main__":
    main()
