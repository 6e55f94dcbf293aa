"""Which sources a result depends on: an edit reruns what it can change, and nothing else.

A script depends on the modules that it imports, on those that they import, and so on. Imports are
found by parsing, wherever they stand and however they are written, those of lazy_loader too. A name
that a package's ``__init__`` only passes on counts as an import of the module that defines it: who
needs ``from latentdag import Structure`` depends on ``structures`` and not on the whole package.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from latentdag.scores import MODULES

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"latentdag": ROOT / "src", "lib": ROOT / "workflow"}  # of our packages
REGISTRY = "latentdag.scores"  # finds its scores by itself: no import shows them
FOUND_THERE = {"SPECS", "METHODS", "JOBS", "MODULES"}  # hold all scores
COLUMNS = "latentdag.study.schema.columns"  # reads the file of data beside it
# it says what a job does, and changes nothing that it computes
ONLY_SAY = {"lib.job"}


def of(script: str, *modules: str) -> list[str]:
    """Paths, from the project's folder, of what a script of ``workflow/scripts`` depends on besides
    itself (Snakemake sees to that), and of further modules and what they depend on.

    Who imports the list of all scores depends on the files of the scores, but not on how they are
    computed. Raises ModuleNotFoundError for a module that is not ours.
    """
    found = _closure(script, modules)
    return _paths(found | set(MODULES.values()) if _ALL_SCORES in found else found)


def of_scores(script: str, *modules: str) -> list[str]:
    """The same for a script that takes from the registry the scores of these modules alone."""
    return _paths(_closure(script, modules))


_ALL_SCORES = "all scores"  # stands for all modules of scores among names of modules


def _closure(script: str, modules: Iterable[str]) -> set[str]:
    """Names of all modules that a script and some modules lead to."""
    for name in modules:
        if _path(name) is None:
            raise ModuleNotFoundError(f"no module {name} in {', '.join(FOLDERS)}")
    waiting = [*modules, *_imported(ROOT / "workflow/scripts" / script, "")]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found and name not in ONLY_SAY:
            found.add(name)
            waiting += () if name == _ALL_SCORES else _needs(name)
    return found


def _paths(modules: Iterable[str]) -> list[str]:
    files = {_path(name) for name in set(modules) - {_ALL_SCORES}}
    if COLUMNS in modules:
        files |= {ROOT / "src/latentdag/study/schema/tables.yaml"}
    return sorted(str(path.relative_to(ROOT)) for path in files)


def imports_of(path: Path) -> set[str]:
    """The dotted names that a file imports, ``from a import b`` as ``a.b``; see `_imports`."""
    found = _imports(_run(_tree(path)), "")
    names = {base if name is None else f"{base}.{name}" for base, name in found}
    # `import a.b` imports a too, which says nothing more
    return {name for name in names if not any(n.startswith(f"{name}.") for n in names)}


@cache
def _needs(module: str) -> frozenset[str]:
    """What a module imports, and the packages around it that do more than pass names on."""
    parts = module.split(".")
    packages = [".".join(parts[:i]) for i in range(1, len(parts))]
    around = {package for package in packages if not _only_passes_on(_path(package))}
    return frozenset(around | _imported(_path(module), _package_of(module)))


@cache
def _path(module: str) -> Path | None:
    """The file of one of our modules; None for a module of others and for no module."""
    if module.partition(".")[0] not in FOLDERS:
        return None
    stem = FOLDERS[module.partition(".")[0]].joinpath(*module.split("."))
    files = (stem / "__init__.py", stem.with_name(f"{stem.name}.py"))
    return next((path for path in files if path.is_file()), None)


def _package_of(module: str) -> str:
    """The package that a module's relative imports start from."""
    return module if _path(module).name == "__init__.py" else module.rpartition(".")[0]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _imported(path: Path, package: str) -> set[str]:
    """Our modules that the imports of one file lead to."""
    found: set[str] = set()
    for base, name in _imports(_run(_tree(path)), package):
        found |= _defining(base, name)
    return found


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """All that a file has in it, but for what only a checker of types reads."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        elif not isinstance(node, ast.expr):  # no expression holds an import
            waiting += ast.iter_child_nodes(node)


def _imports(nodes: Iterator[ast.AST], package: str) -> Iterator[tuple[str, str | None]]:
    """(module, name) of everything imported, now or by ``NAME = lazy.load("MODULE", ...)`` when it
    is used; the name is None where a whole module is.
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
                if alias.asname is None:  # `import a.b` gives the name a, and all that is in a
                    yield alias.name.partition(".")[0], None
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:  # relative: one dot is the package itself, each further one a step up
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            yield from ((base, None if a.name == "*" else a.name) for a in node.names)
        elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("lazy.load("):
            yield node.value.args[0].value, None


def _defining(base: str, name: str | None) -> set[str]:
    """The modules of ours behind ``from base import name``, or ``import base`` for no name."""
    path = _path(base)
    if path is None:
        return set()
    if path.name != "__init__.py":
        return {base}
    if base == REGISTRY and (name is None or name in FOUND_THERE):
        return {base, _ALL_SCORES}
    if name is None:  # a package as a whole: whatever it passes on may be used
        return {base}
    stub = path.with_suffix(".pyi")  # of a package that loads its names when they are used
    passed_on = {
        alias.asname or alias.name: (base_of_name, alias.name)
        for node in _tree(stub if stub.exists() else path).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        for base_of_name, _ in _imports(iter([node]), base)
    }
    if passed_on.get(name, (base, name)) != (base, name):
        return _defining(*passed_on[name])
    inner = f"{base}.{name}"
    return _defining(inner, None) if _path(inner) else {base}


@cache
def _only_passes_on(path: Path) -> bool:
    """Whether running an ``__init__`` does nothing but import names and name literals, now or when
    the names are used.
    """
    return path.with_suffix(".pyi").exists() or all(
        isinstance(node, ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and _is_literal(node.value))
        for node in _tree(path).body
    )


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True
