"""Summaries of made-up tables are those of the folder `golden`, to the byte."""

import re
from pathlib import Path

import pytest
from cases import CASES

GOLDEN = Path(__file__).parent / "golden"
NOUNS = "sizes|structures|pairs|cases|draws|chains|fits|nats|steps|variables|degrees|others"
BAD = (
    rf"\b1 (larger )?({NOUNS})\b",
    r"\b0 of 0\b",
    r"\bof the 1\b",
    r"\bnan\b",
    r"\binf\b",
    r"\bNone\b",
    r"\bnot first at \d+ of 0",
    r"\n\n\n",
    r"[^|\s]  +[^|\s]",
    r" [.,;:)](\s|$)",
    r"\(\)",
    r"-0\.0+\b",
)


@pytest.mark.parametrize("name", CASES)
def test_a_summary_is_as_it_was(name, golden):
    golden(f"{name}.md", CASES[name]())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.md")), ids=lambda path: path.stem)
def test_it_is_english_and_its_tables_are_whole(path):
    text = path.read_text(encoding="utf-8")
    assert path.stem in CASES
    for bad in BAD:
        found = re.search(rf".*{bad}.*", text.replace("one by one", ""))
        assert not found, f"{bad}: {found.group()}"
    for block in text.split("\n\n"):
        if block.startswith("|"):
            rows = [re.sub(r"\\\|", "", line) for line in block.splitlines()]
            assert len(rows) > 2 and len({line.count("|") for line in rows}) == 1, block
    titles = re.findall(r"^## .*$", text, re.M)
    assert len(titles) == len(set(titles))
