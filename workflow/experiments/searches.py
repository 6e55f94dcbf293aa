"""How often do the search and structural EM find the best structure, and after scoring what share
of all? Held against enumeration on simulated tables.

The true structure of each table is drawn from all of its family, its parameters from the prior.
Every structure is scored, by all METHODS at once; as a structure's score is the same to the bit in
whatever company, what the searches score is then looked up. The scores of a table are kept in
``results/experiments/searches/``, and its rows in ``results/experiments/searches.csv``: what is
done is not done again.

Run as ``nice python workflow/experiments/searches.py [TABLES]`` (20): an hour, most of it for the
last family.
"""

import sys
import time

import common
import numpy as np
import structural_em

from latentdag import Family, Prior, Structure, draw_study, enumerate_structures
from latentdag.engine.files import atomic_write
from latentdag.engine.streams import generator
from latentdag.ranking import beam
from latentdag.scores import JOBS, compute, settings_of
from latentdag.scores.base import Score, Task
from latentdag.study.schema import tables

RESULT = common.EXPERIMENTS / "searches.csv"
KEPT = RESULT.with_suffix("")
# Three causes of four binary variables would be too many: their 16 cells leave 15 degrees of
# freedom. Six binary variables have 64 cells.
FAMILIES = {
    "2 x 4": Family(),
    "3 x 4": Family((2, 2, 2), (5, 5, 5, 5)),
    "3 x 6": Family((2, 2, 2), (2, 2, 2, 2, 2, 2)),
}
METHODS = ("vb", "laplace", "bic")
N, SEED = 480, common.SEED  # cases
EFFORT = {"restarts": 8}  # one round
BLOCK = 1024  # structures scored at a time


def simulated(name: str, table: int) -> tuple[Structure, np.ndarray]:
    """The true structure of a table, and its cases (N, J)."""
    everyone = enumerate_structures(FAMILIES[name])
    true = everyone[generator(SEED, "searches", name, table).integers(len(everyone))]
    return true, draw_study(true, Prior(), N, seed=SEED, draw=table).cases


def enumerated(name: str, table: int) -> dict[str, np.ndarray]:
    """The scores of all structures by method, (S,), in the order of `enumerate_structures`."""
    path = KEPT / f"{name.replace(' ', '')}-{table}.npz"
    if not path.exists():
        begin = time.process_time()
        everyone, cases = enumerate_structures(FAMILIES[name]), simulated(name, table)[1]
        by_method: dict[str, list] = {method: [] for method in METHODS}
        for start in range(0, len(everyone), BLOCK):
            task = Task(everyone[start : start + BLOCK], cases)
            place = {s: i for i, s in enumerate(task.structures)}
            scores = compute(task, METHODS, EFFORT)[0]
            for s in sorted(scores, key=lambda s: place[s.structure]):
                by_method[s.method].append(s.score)
        KEPT.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial, partial.open("wb") as file:
            np.savez(file, **by_method)
        print(f"{name}, table {table}: {time.process_time() - begin:.0f} s", flush=True)
    with np.load(path) as kept:
        return dict(kept)


def searched(name: str, table: int) -> list[dict]:
    """Rows of a table: what each search finds by each score, each as it is by default."""
    family, kept = FAMILIES[name], enumerated(name, table)
    everyone = enumerate_structures(family)
    place = {s: i for i, s in enumerate(everyone)}
    task = Task(everyone[:1], simulated(name, table)[1])
    first = structural_em.beginnings(family, structural_em.STARTS, generator(0, "structural EM"))
    limit = settings_of(JOBS["vb"], {})["max_iterations"]
    ways = [[s for s, _ in structural_em.way(task, start, limit)] for start in first]
    on_the_way = [place[s] for s in set().union(*ways)]
    rows = []
    for method in METHODS:
        values = kept[method]

        def look_up(new: list[Structure], values=values) -> list[Score]:
            return [Score(s, float(values[place[s]])) for s in new]

        starts = beam.beginnings(family, beam.STARTS, generator(0, "search"))
        in_search, _ = beam.climb(look_up, starts, beam.WIDTH)
        in_beam = [place[places.structure] for places in in_search]
        for search, places, fits in (
            ("beam", in_beam, 0),
            ("structural EM", on_the_way, sum(map(len, ways))),
        ):
            which = {"family": name, "table": table, "method": method, "search": search}
            work = {"structures": len(everyone), "scored": len(places), "fits": fits}
            best = {"best_structure": everyone[np.nanargmax(values)].label}
            best |= {"score_best": float(np.nanmax(values))}  # some have no Laplace score
            rows.append(which | work | best | {"score_found": float(np.nanmax(values[places]))})
    return rows


def main(n_tables: int) -> None:
    rows = tables.read(RESULT, "searches").to_dict("records") if RESULT.exists() else []
    done = {(row["family"], row["table"]) for row in rows}
    for name in FAMILIES:
        for table in range(n_tables):
            if (name, table) not in done:
                rows += searched(name, table)
                tables.write(RESULT, "searches", rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
