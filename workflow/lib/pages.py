"""Pages of the report: HTML that needs no other file."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt

from latentdag.study.design.files import write_text

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1] / "report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write(path: str | Path, template: str, **content) -> None:
    """Write a page to ``path``: a ``template`` of ``workflow/report``, filled with ``content``.
    Raises jinja2.UndefinedError when it asks for what ``content`` lacks, OSError when the page
    cannot be written.
    """
    write_text(path, _TEMPLATES.get_template(template).render(content))


def flat(config: Mapping, prefix: str = "") -> list[tuple[str, str]]:
    """Pairs of key and value, as text, of a nested ``config``: nested keys joined by dots behind
    the ``prefix``, lists by commas, without values that are None.
    """
    settings = []
    for key, value in config.items():
        if isinstance(value, Mapping):
            settings += flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            settings.append((f"{prefix}{key}", ", ".join(map(str, value))))
        elif value is not None:
            settings.append((f"{prefix}{key}", str(value)))
    return settings
