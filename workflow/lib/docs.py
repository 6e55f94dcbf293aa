"""The generated parts of the Markdown pages: tables that follow from what the code declares.

A part is what stands between the lines ``<!-- generated: NAME -->`` and ``<!-- end -->``. ``make
docs`` writes all parts anew; a test holds them current.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from latentdag.report.markdown import table
from latentdag.scores import SPECS
from latentdag.scores.base import Spec
from latentdag.study.tables import columns_markdown
from lib.schema import markdown as settings_markdown

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "workflow/config/README.md")
MARKER = re.compile(r"^<!-- (?:generated: (?P<name>\w+)|(?P<end>end)) -->$", re.MULTILINE)


def scores_markdown(specs: Mapping[str, Spec] = SPECS) -> str:
    """The table of scores: what each is, by whom, and where it lies from the evidence."""
    header = (
        "method",
        "score",
        "definition",
        "source",
        "side of the evidence",
        "Monte Carlo error",
    )
    rows = [
        (
            f"`{spec.name}`",
            spec.title,
            spec.definition,
            spec.source,
            spec.side.value,
            "yes" if spec.monte_carlo else "no",
        )
        for spec in specs.values()
    ]
    return table(header, rows)


GENERATORS: Mapping[str, Callable[[], str]] = {
    "scores": scores_markdown,
    "settings": settings_markdown,
    "columns": columns_markdown,
}


def renewed(text: str, generators: Mapping[str, Callable[[], str]]) -> str:
    """``text`` with every generated part as its generator writes it today.

    Raises ValueError for a part without a generator, and for markers that do not come in pairs.
    """
    pieces, copied, name = [], 0, None
    for marker in MARKER.finditer(text):
        if (name is None) == (marker["name"] is None):
            raise ValueError(f"{marker[0]} does not belong there: parts are not nested")
        if marker["name"]:
            name = marker["name"]
            if name not in generators:
                raise ValueError(f"{marker[0]}: there is no generator of that name")
            pieces.append(text[copied : marker.end()])
        else:
            pieces.append(f"\n{generators[name]().strip()}\n")
            copied, name = marker.start(), None
    if name is not None:
        raise ValueError(f"<!-- generated: {name} --> has no end")
    return "".join(pieces) + text[copied:]


def main() -> None:
    """Write the parts that are not current, and name the pages."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = renewed(text, GENERATORS)
        if new != text:
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"written anew: {page}")


if __name__ == "__main__":
    main()
