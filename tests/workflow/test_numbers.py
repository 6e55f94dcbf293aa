"""Structures counted by hand, times, and a job that is cut otherwise; the golden fingerprint of the
small study holds all other numbers.
"""

from itertools import product

import pytest
from studies import lines

import latentdag

pytestmark = pytest.mark.slow

FAMILY = latentdag.Family((2, 2), (2, 3, 2))
STRUCTURES = latentdag.enumerate_structures(FAMILY)


def test_structures_counted_by_hand(finished):
    rows = finished.table("results/structures.csv")
    labels = {row["structure"] for row in rows}
    everyone = {"-".join(parents) for parents in product(("0", "1", "12", "2"), repeat=3)}
    renamed = {"0": "0", "1": "2", "2": "1", "12": "12", "-": "-"}
    assert labels <= everyone
    for label in everyone:  # one of each pair that differs by the names of the hidden variables
        other = "-".join(renamed[parents] for parents in label.split("-"))
        assert len({label, other} & labels) == 1
    # y1 .. y3 with 2, 3, 2 values: two that share a cause have all tables, 2 x 3 or 2 x 2
    dimensions = {"0-0-0": 4, "1-1-0": 6, "0-1-1": 6, "1-0-1": 5, "1-1-1": 9}
    for row in rows:
        # a cause of one child goes, and the other has the first name
        parents = row["structure"].split("-")
        kept = [c for c in "12" if sum(c in p for p in parents) > 1]
        left = "-".join("".join(c for c in p if c in kept) or "0" for p in parents)
        swapped = "-".join(renamed[p] for p in left.split("-"))
        assert row["class"] == min(left, swapped, key=lambda x: x.split("-"))
        own = latentdag.Structure.from_label(row["structure"], FAMILY)
        dimension = dimensions.get(row["class"], latentdag.effective_dimension(own))
        assert int(row["dimension"]) == dimension
        links = sum(len(p.strip("0")) for p in parents)
        free = 2 + sum(
            (k - 1) * 2 ** len(p.strip("0")) for k, p in zip((2, 3, 2), parents, strict=True)
        )
        assert (int(row["n_links"]), int(row["n_parameters"])) == (links, free)
        assert row["is_true"] == ("true" if row["structure"] == "1-12-2" else "false")
    assert any(int(row["n_links"]) != int(row["n_parameters"]) for row in rows)


def test_times_are_those_of_the_jobs(finished):
    """Each job's under the score whose time the paper states."""
    found = {
        (row["n"], method): float(row["seconds"])
        for job, method in (("map", "bic"), ("vb", "vb"), ("ais", "ais"))
        for row in finished.table(f"results/draws/0/n10-40/{job}.1.seconds.csv")
    }
    rows = finished.table("results/timing.csv")
    seconds = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert seconds == pytest.approx(found, abs=0.051)
    assert {row["paper_seconds"] for row in rows} == {""}


def test_another_size_and_how_the_work_is_cut_change_no_value_of_the_reference(finished, study):
    """The second of three parts, on two cores, with a size more: every third structure, as it was
    in one part.
    """
    block = "results/draws/0/n10-40/reference.2.csv"
    study.run(block, cores=2, sizes=[20, 10, 40], reference__jobs=3, threads=2)
    known = lines(finished.folder / "results/draws/0/n10-40/reference.1.csv")
    new = [line for line in lines(study.folder / block) if line.split(",")[1] != "20"]
    assert len(lines(study.folder / block)) == len(known) / 2
    assert len(new) == len(known) / 3 and set(new) < set(known)
    labels = {line.split(",")[2] for line in new}
    assert labels == {structure.label for structure in STRUCTURES[1::3]}
