"""What the project's files declare of themselves: versions, targets, imports."""

import ast
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from studies import ROOT


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def asked_for() -> list[Requirement]:
    """What the project needs by name: to run, for the study, and for its tests."""
    project = pyproject()
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group]


def pinned() -> dict[str, str]:
    """Versions in requirements.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    for line in wanted:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line), (
            f"not an exact version: {line}"
        )
    return {
        canonicalize_name(name): version for name, version in (line.split("==") for line in wanted)
    }


def make_targets() -> set[str]:
    """What ``make`` can be asked for."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text.replace("\\\n", " "), re.MULTILINE)
    return set(phony.split())


def imports_of(path: Path) -> set[str]:
    """The dotted names that a file imports, ``from a import b`` as ``a.b``, now or when they are
    used; but not what only a checker of types reads.
    """
    found, waiting = set(), [ast.parse(path.read_text(encoding="utf-8"), str(path))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {
                node.module if a.name == "*" else f"{node.module}.{a.name}" for a in node.names
            }
        elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("lazy.load("):
            found.add(node.value.args[0].value)
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        elif not isinstance(node, ast.expr):  # no expression holds an import
            waiting += ast.iter_child_nodes(node)
    return found


def modules(folder: Path, package: str = "") -> dict[str, Path]:
    """Python files below ``folder`` by the names under which others import them."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = [*filter(None, [package]), *path.relative_to(folder).with_suffix("").parts]
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def needs(known: dict[str, Path]) -> dict[str, set[str]]:
    """For each of the modules ``known`` by name, which of the others it imports."""
    found = {}
    for name, path in known.items():
        found[name] = set()
        for imported in imports_of(path):
            while imported and imported not in known:  # a.b.c may be the name c in module a.b
                imported = imported.rpartition(".")[0]
            found[name] |= {imported} - {"", name}
    return found
