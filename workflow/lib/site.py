"""The pages of the site: the README, the pages of `workflow/docs`, and what they link to.

`make docs` copies them to `build/pages`, each in its place, so that links between them hold; MkDocs
makes the site of that folder.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from lib.docs import PAGES, ROOT

FOLDER = ROOT / "build/pages"
CODE = re.compile(r"^```[\s\S]*?^```$|^(?: {4}.*\n)+|`[^`\n]*`", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def links_of(text: str) -> list[str]:
    """The targets of the links and images of a page, code left out."""
    return LINK.findall(CODE.sub("", text))


def linked(page: Path) -> list[Path]:
    """The files to which a page links by relative addresses."""
    targets = links_of(page.read_text(encoding="utf-8"))
    names = [t.partition("#")[0] for t in targets if "://" not in t]
    return [(page.parent / name).resolve() for name in names if name]


def reached(pages: Iterable[Path]) -> list[Path]:
    """The pages and all files to which links lead from them, over other pages too."""
    found, waiting = [], list(pages)
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
            waiting += linked(path) if path.suffix == ".md" else []
    return found


def copied(path: Path, folder: Path) -> None:
    """Copy a file of the project to its place in another folder."""
    copy = folder / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)


def main() -> None:
    """Copy the pages and what they link to."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for path in reached(ROOT / page for page in PAGES):
        copied(path, FOLDER)


if __name__ == "__main__":
    main()
