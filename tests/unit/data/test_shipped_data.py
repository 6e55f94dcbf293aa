"""The votes that ship with the examples have the numbers that their source states."""

import csv
from collections import Counter
from pathlib import Path

import pytest

VOTES = Path(__file__).parents[3] / "workflow/data/house_votes_1984.csv"
# of those who voted so on each of the 16 votes, the share of Democrats, as UCI prints it; its first
# is 0.91, and a misprint: the number beside it, a share too, is 1.21
DEMOCRATS = {
    "y": "0.83 0.62 0.91 0.08 0.26 0.45 0.84 0.90 0.91 0.57 0.86 0.21 0.35 0.36 0.92 0.64",
    "n": "0.43 0.62 0.17 0.99 0.96 0.89 0.32 0.25 0.29 0.66 0.48 0.91 0.89 0.98 0.39 0.19",
    "?": "0.75 0.58 0.64 0.73 0.80 0.82 0.57 0.27 0.86 0.57 0.57 0.58 0.60 0.59 0.57 0.79",
}


with VOTES.open(newline="", encoding="utf-8") as file:
    _, *ROWS = csv.reader(file)


def test_members_and_missing_votes():
    """UCI's list of missing votes is one line too low, and lacks the last."""
    assert Counter(row[0] for row in ROWS) == {"democrat": 267, "republican": 168}
    votes = [row[1:] for row in ROWS]
    missing = [column.count("?") for column in zip(*votes, strict=True)]
    assert missing == [12, 48, 11, 11, 15, 11, 14, 15, 22, 7, 21, 31, 25, 17, 28, 104]
    assert sum(missing) == 392
    assert sum("?" not in row for row in votes) == 232
    assert [line for line, row in enumerate(votes, start=2) if set(row) == {"?"}] == [250]


@pytest.mark.parametrize("vote", DEMOCRATS)
def test_parties_behind_each_vote(vote):
    for j, published in enumerate(DEMOCRATS[vote].split(), start=1):
        parties = [row[0] for row in ROWS if row[j] == vote]
        assert parties.count("democrat") / len(parties) == pytest.approx(float(published), abs=6e-3)
