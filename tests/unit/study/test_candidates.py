"""The names of structures in the tables of one's own data, and the way back."""

import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.study import candidates, tables

OBSERVED = (2, 4, 3)


def of(label, hidden):
    return Structure.from_label(label, Family(hidden, OBSERVED))


@pytest.mark.parametrize(
    ("structure", "several", "name", "hidden"),
    [
        (of("1-12-2", (2, 3)), False, "1-12-2", "2,3"),
        (of("1-12-2", (2, 3)), True, "1-12-2 (2,3)", "2,3"),
        (of("1-1-1", (12,)), True, "1-1-1 (12)", "12"),
        (of("0-0-0", ()), True, "0-0-0 (none)", "none"),
    ],
)
def test_a_name_leads_back_to_its_structure(structure, several, name, hidden):
    (row,) = candidates.rows([structure], several)
    assert (row["structure"], row["hidden"]) == (name, hidden)
    assert candidates.structure_of(name, hidden, OBSERVED) == structure


def test_rows_of_several_families():
    """Two causes, the second of one variable alone: the class has one cause, of two variables."""
    (row,) = candidates.rows([of("1-1-2", (3, 2))], True)
    assert row == {
        "structure": "1-1-2 (3,2)",
        "n_links": 3,
        "n_parameters": 2 + 1 + 3 * 1 + 3 * 3 + 2 * 2,
        "is_true": False,
        "dimension": 2 * 4 - 1 + 2,  # any 2 x 4 table, and p(y3)
        "class": "1-1-0 (3)",
        "hidden": "3,2",
    }


@pytest.mark.parametrize("hidden", [(2, 3), (2, 2)])
def test_the_table_of_one_family_gives_its_structures_back(hidden, tmp_path):
    structures = enumerate_structures(Family(hidden, OBSERVED))
    path = tmp_path / "structures.csv"
    tables.write(path, "structures", candidates.rows(structures, False))
    table = tables.read(path, "structures")
    assert candidates.by_name(table, OBSERVED) == {s.label: s for s in structures}
    classes = candidates.classes_by_name(table, OBSERVED)
    assert classes == {s.absorbed().label: s.absorbed() for s in structures}
    assert len(classes) < len(structures)


def test_classes_of_several_families_by_their_own_states(tmp_path):
    """Classes may have fewer causes than any structure of the table."""
    path = tmp_path / "structures.csv"
    found = [of("1-1-2", (3, 2)), of("1-1-1", (2,)), of("1-2-0", (2, 2))]
    tables.write(path, "structures", candidates.rows(found, True))
    classes = candidates.classes_by_name(tables.read(path, "structures"), OBSERVED)
    assert classes == {
        "1-1-0 (3)": of("1-1-0", (3,)),
        "1-1-1 (2)": of("1-1-1", (2,)),
        "0-0-0 (none)": of("0-0-0", ()),
    }
