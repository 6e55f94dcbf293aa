"""The code that a script runs: its modules, the modules that they import, and a hash of them all.

A rule has the hash as a parameter: an edit reruns what imports the edited module, and no more.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"latentdag": ROOT / "src/latentdag"}
FOLDERS |= {name: ROOT / "workflow" / name for name in ("lib", "topics")}
# to parse the files takes a second, this some milliseconds
IMPORT = re.compile(rf"^ *from ((?:{'|'.join(FOLDERS)})\b[\w.]*) import (\([^)]*\)|.*)", re.M)
PUBLIC = re.compile(r"^from \.([\w.]+) import (\w+)", re.M)  # in the package's stub
LAZY = ("lazy.attach(", "import_module(")  # of packages that load the modules of their folder
DATA = ("*.yaml", "*.j2", "templates/*.j2")  # what the modules of a folder read
WITHOUT_EFFECT = {"lib.job"}  # it says what a job does, and no number depends on it


@cache
def modules() -> dict[str, Path]:
    """The paths of the project's Python files, by the names under which others import them."""
    paths = {}
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            paths[".".join(parts).removesuffix(".__init__")] = path
    return paths


@cache
def public() -> dict[str, str]:
    """The names that the package passes on, such as ``latentdag.fit``, each with the name of the
    module that defines it, ``latentdag.analysis.fit``.
    """
    stub = (FOLDERS["latentdag"] / "__init__.pyi").read_text(encoding="utf-8")
    return {f"latentdag.{name}": f"latentdag.{module}" for module, name in PUBLIC.findall(stub)}


@cache
def imports(path: Path) -> set[str]:
    """The names of the project's modules that the file at ``path`` imports, now or when they are
    used.
    """
    text, names = path.read_text(encoding="utf-8"), set()
    for module, what in IMPORT.findall(text):
        words = re.findall(r"(\w+)(?: as \w+)?", re.sub(r"#.*", "", what))
        names |= {f"{module}.{name}" for name in words}
    if path.name == "__init__.py" and any(call in text for call in LAZY):
        package = path.parent
        names |= {n for n, p in modules().items() if package in (p.parent, p.parent.parent)}
    return {module_of(public().get(name, name)) for name in names}


def module_of(name: str) -> str:
    """``name`` if it is that of a module, else the name of the module that has it, such as
    ``lib.code`` for ``lib.code.needed``.
    """
    return name if name in modules() else module_of(name.rpartition(".")[0])


def needed(script: Path) -> set[str]:
    """The names of the modules that the file ``script`` imports, and of those that they import,
    without `WITHOUT_EFFECT`.
    """
    names, more = set(), imports(script)
    while more:
        names |= more
        more = set().union(*(imports(modules()[n]) for n in more)) - names
    return names - WITHOUT_EFFECT


@cache
def content(module: str) -> bytes:
    """The name of a ``module``, its source and the data files in its folder, joined to bytes for a
    hash.
    """
    path = modules()[module]
    data = sorted(file for pattern in DATA for file in path.parent.glob(pattern))
    return b"\0".join([module.encode(), *(file.read_bytes() for file in (path, *data))])


@cache
def code(script: str) -> str:
    """The hash, 12 hexadecimal digits, of the code that ``script``, the name of a file of
    `workflow/scripts`, needs, without the script, which Snakemake looks after.
    """
    names = needed(ROOT / "workflow/scripts" / script)
    return hashlib.sha256(b"\0".join(map(content, sorted(names)))).hexdigest()[:12]
