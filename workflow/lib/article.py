"""The article: sources and figures in one folder, and typst, which sets them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typst


def typeset(
    numbers: Mapping[str, Any],
    figures: Mapping[str, str | Path],
    sources: Iterable[str | Path],
    **how: Any,
) -> bytes | list[bytes]:
    """The article as PDF, from its ``numbers`` (see `latentdag.report.article.numbers`), the PDF
    files of its ``figures`` by their names, and its ``sources``, the text first.

    ``how`` goes to `typst.compile`, such as ``format="html"``. The same input gives the same bytes:
    fonts are those of typst, and the date is that of the study. Raises typst.TypstError where the
    text cannot be set.
    """
    text, *others = map(Path, sources)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "numbers.json").write_text(json.dumps(numbers, allow_nan=False), "utf-8")
        (folder / "figures.json").write_text(json.dumps(sorted(figures)), "utf-8")
        for source in (text, *others):
            (folder / source.name).write_bytes(source.read_bytes())
        for figure, path in figures.items():
            copy = folder / f"figures/{figure}.pdf"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(Path(path).read_bytes())
        return typst.compile(str(folder / text.name), root=name, ignore_system_fonts=True, **how)
