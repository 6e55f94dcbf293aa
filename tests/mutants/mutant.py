"""What a mutant is."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One mistake: in ``file``, ``old`` (which occurs there once) becomes ``new``.

    ``tests`` are the files, or tests in them, that should see it; ``survives`` says why no test
    can.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    survives: str = ""


def by_their_text(file: str, *mistakes: tuple[str, str, tuple[str, ...]]) -> Iterator[Mutant]:
    """Mutants of one file, each (old, new, tests), named by what is changed."""
    for old, new, tests in mistakes:
        words = [" ".join(text.split()) for text in (old, new)]
        yield Mutant(f"{Path(file).stem}: {words[0]} -> {words[1]}", file, old, new, tests)
