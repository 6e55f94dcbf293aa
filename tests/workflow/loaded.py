"""Print which of our modules scripts load when Python really imports what they need, as JSON.

``python loaded.py SCRIPT[,SCORE_MODULE...] ...``: a line for each, with a registry that finds only
these modules of scores. Names that the package only passes on are taken from the modules that
define them; imports within functions are read off their byte code, and done too, and modules that
are loaded when they are used are loaded.
"""

import ast
import dis
import importlib
import json
import pkgutil
import sys
import types
from pathlib import Path
from unittest.mock import patch

OURS = ("latentdag", "lib")
PACKAGES = ("lib",)  # from which functions import modules
ROOT = Path(__file__).parents[2]


def homes() -> dict[str, str]:
    """The modules that define what ``latentdag`` passes on."""
    package = importlib.import_module("latentdag")
    found = {n: getattr(getattr(package, n), "__module__", None) for n in package.__all__}
    return {name: home or "latentdag.scores" for name, home in found.items()}


class Lazy(types.ModuleType):
    """The package ``latentdag`` without running its ``__init__``."""

    def __init__(self, homes: dict[str, str]):
        super().__init__("latentdag")
        self.__path__ = [str(ROOT / "src/latentdag")]
        self.homes = homes

    def __getattr__(self, name: str):
        if name not in self.homes:
            raise AttributeError(name)
        return getattr(importlib.import_module(self.homes[name]), name)


def late_imports(code: types.CodeType):
    """Modules that functions import when they run."""
    for inner in (const for const in code.co_consts if isinstance(const, types.CodeType)):
        base = None
        for step in dis.get_instructions(inner):
            if step.opname == "IMPORT_NAME":
                base = step.argval
                yield base
            elif step.opname == "IMPORT_FROM" and base in PACKAGES:
                yield f"{base}.{step.argval}"
        yield from late_imports(inner)


def loaded() -> set[str]:
    return {name for name in sys.modules if name.partition(".")[0] in OURS}


def forget() -> None:
    for name in loaded():
        del sys.modules[name]


def find_only(score_modules: list[str]):
    """What `pkgutil.iter_modules` is to find: of the scores only these modules."""
    everything = pkgutil.iter_modules

    def found(path=None, prefix=""):
        in_scores = any(str(place).endswith("latentdag/scores") for place in path or ())
        for module in everything(path, prefix):
            if not in_scores or f"latentdag.scores.{module.name}" in score_modules:
                yield module

    return found


def modules_of(script: Path, score_modules: list[str], homes: dict[str, str]) -> list[str]:
    forget()
    sys.modules["latentdag"] = Lazy(homes)
    with patch("pkgutil.iter_modules", find_only(score_modules)):
        for name in score_modules:
            importlib.import_module(name)
        text = script.read_text(encoding="utf-8")
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                exec(ast.unparse(statement), {})
        waiting, done = [compile(text, script, "exec")], set()
        while waiting:
            for name in late_imports(waiting.pop()):
                if name.partition(".")[0] in OURS:
                    importlib.import_module(name)
            for name in loaded() - done - {"latentdag"}:
                path = Path(sys.modules[name].__file__)  # which loads a lazy module
                waiting.append(compile(path.read_text(encoding="utf-8"), path, "exec"))
                done.add(name)
    return sorted(loaded() - {"latentdag"})


if __name__ == "__main__":
    passed_on = homes()
    for request in sys.argv[1:]:
        script, *names = request.split(",")
        path = ROOT / "workflow/scripts" / script
        print(json.dumps(modules_of(path, names, passed_on)))
