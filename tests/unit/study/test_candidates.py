"""The structures of one's own data: their table, their names in it, and the way back."""

import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.search.ranking import class_of
from latentdag.study.own_data.structures_table import enumerated, rows
from latentdag.study.schema import candidates, tables

OBSERVED = (2, 4, 3)


def of(label, hidden):
    return Structure.from_label(label, Family(hidden, OBSERVED))


def families(*hidden):
    return [Family(own, OBSERVED) for own in hidden]


def written(path, structures, own):
    tables.write(path, "structures", rows(structures, len(own) > 1))
    return tables.read(path, "structures")


@pytest.mark.parametrize(
    ("structure", "own", "name", "hidden"),
    [
        (of("1-12-2", (3, 2)), families((3, 2)), "1-12-2", "3,2"),
        (of("1-12-2", (2, 3)), families((2, 3), (4,)), "1-12-2 (2,3)", "2,3"),
        (of("1-1-1", (12,)), families((12,), (4,)), "1-1-1 (12)", "12"),
        (of("0-0-0", ()), families((2,), (4,)), "0-0-0 (none)", "none"),
    ],
)
def test_a_name_leads_back_to_its_structure(structure, own, name, hidden):
    (row,) = rows([structure], len(own) > 1)
    assert (row["structure"], row["hidden"]) == (name, hidden)
    assert candidates.structure_of(name, hidden, OBSERVED) == structure


def test_a_row_of_several_families():
    """Two causes, the first of one variable alone: the class has one cause, of two variables."""
    (row,) = rows([of("1-2-2", (2, 3))], several=True)
    assert row == {
        "structure": "1-2-2 (2,3)",
        "n_links": 3,
        "n_parameters": 1 + 2 + 2 * 1 + 3 * 3 + 3 * 2,
        "dimension": 1 + 3 * 4 - 1,  # p(y1), and any 4 x 3 table
        "class": "0-1-1 (3)",
        "hidden": "2,3",
    }


@pytest.mark.parametrize("hidden", [(3, 2), (2, 2)])
def test_the_table_of_one_family_gives_its_structures_back(hidden, tmp_path):
    own = families(hidden)
    structures = enumerated(own)
    assert set(structures) == set(enumerate_structures(own[0]))
    numbers = [s.without_childless().n_parameters for s in structures]
    assert numbers == sorted(numbers)
    table = written(tmp_path / "structures.csv", structures, own)
    assert candidates.by_name(table, OBSERVED) == {s.label: s for s in structures}
    classes = candidates.classes_by_name(table, OBSERVED)
    assert classes == {s.absorbed().label: s.absorbed() for s in structures}
    assert len(classes) < len(structures)


def test_the_table_of_several_families_gives_its_structures_back(tmp_path):
    """Each model once, in whichever order a family has its causes; sorted by parameters."""
    own = families((3, 2), (2, 3), (2, 2), (4,))
    structures = enumerated(own)
    assert len(structures) == len(set(structures)) == 1 + 3 * 7 + 7 * 7 + 7 * 8 // 2
    assert all(set().union(*s.parents) == set(range(len(s.family.hidden))) for s in structures)
    numbers = [s.n_parameters for s in structures]
    assert numbers == sorted(numbers)
    table = written(tmp_path / "structures.csv", structures, own)
    assert list(candidates.by_name(table, OBSERVED).values()) == structures
    classes = candidates.classes_by_name(table, OBSERVED)
    assert set(classes.values()) == {class_of(s) for s in structures}
    assert "1-1-0 (4)" in classes
    assert "0-0-0 (none)" in classes
