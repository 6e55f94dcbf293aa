"""The votes that ship with the examples have the numbers that their source states."""

import csv
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


@pytest.mark.parametrize("vote", DEMOCRATS)
def test_parties_behind_each_vote(vote):
    for j, published in enumerate(DEMOCRATS[vote].split(), start=1):
        parties = [row[0] for row in ROWS if row[j] == vote]
        assert parties.count("democrat") / len(parties) == pytest.approx(float(published), abs=6e-3)
