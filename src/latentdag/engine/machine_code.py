"""Machine code of compiled functions, made where Python calls one, and kept between processes.

A function that compiled code calls becomes part of that code. numba would first make machine code
of each such function, and again of all that this calls, which takes twice as long in all.

What is kept goes to ``__pycache__`` beside the source or, where that cannot be written to, to the
user's cache; NUMBA_CACHE_DIR names another place. numba's own cache looks at a function's file
alone: it keeps old code where a called function's file was edited, and two processes that write at
once can mix up their files. Here

- a file holds one function, with all that it calls, for one combination of arguments' types and one
  type of processor, so that processes, and computers that share a disk, do not disturb each other;
- its name has a hash of the function's source file, of all that this file imports from the package,
  and of the versions of Python and the libraries;
- it is written whole or not at all. What cannot be written or read is compiled again;
- what other sources or versions left of a module is removed when a file of the module is written.
"""

import ast
import hashlib
import inspect
import pickle
import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba
import numpy as np
from numba import _dynfunc
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.environment import lookup_environment
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typed_passes import NativeLowering

ROOT = Path(__file__).parents[1]


def keep(dispatcher, started: float) -> None:
    """Keep the machine code of a dispatcher of numba, unless no folder can be written to.

    Nor if a source was edited after ``started`` (seconds since the epoch), when none was read yet:
    what is in memory may be older than the files.
    """
    function = dispatcher.py_func
    if max(path.stat().st_mtime for path in sources(_file(function))) < started:
        with suppress(RuntimeError):
            dispatcher._cache = Cache(function)


class Cache(FunctionCache):
    """numba's cache of one function with other file names, without its index of files."""

    def load_overload(self, sig, target_context):
        """The function for some argument types; None where it is not there, or damaged."""
        # numba would load all that it needs to compile here, which takes a quarter of a second
        rtsys.initialize(target_context)
        try:
            content = pickle.loads(self._path(sig, target_context.codegen()).read_bytes())
            return self._impl.rebuild(target_context, content)
        except Exception:
            return None

    def save_overload(self, sig, data):
        """Keep the function for some argument types, and remove what is out of date."""
        if not self._impl.check_cachable(data):
            return
        path = self._path(sig, data.codegen)
        content = dumps(self._impl.reduce(data))
        with suppress(OSError):
            self._impl.locator.ensure_cache_path()
            with self._cache_file._open_for_write(path) as file:
                file.write(content)
            module, version, _ = path.name.split("-")
            for other in path.parent.glob(f"{module}-*"):
                if not other.name.startswith(f"{module}-{version}-"):
                    other.unlink()

    def _path(self, sig, codegen) -> Path:
        function = self._py_func
        _, processor, code = self._index_key(sig, codegen)
        rest = (function.__qualname__, [described(each) for each in sig], processor, code)
        name = f"{function.__module__}-{version(_file(function))}-{_digest(repr(rest).encode())}"
        return Path(self.cache_path, f"{name}.machine_code")


class Part(JITCodeLibrary):
    """Code of a function for the code that calls it: optimised there, and no machine code by
    itself.
    """

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """The pass of numba that makes code of a function, for a `Part`."""

    def run_pass(self, state):
        """Compile the function that ``state`` describes."""
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        function, environment = state.cr.fndesc, state.cr.env
        nothing = 0  # address of the machine code
        of_python = function.lookup_module(), function.qualname, "", nothing, environment, ()
        name = _dynfunc.make_function(*of_python)  # by which numba knows the function
        state.targetctx.insert_user_function(name, function, [state.library])
        state.cr = state.cr._replace(cfunc=name)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerWhole(NativeLowering):
    """The same for a function that Python calls."""

    def run_pass(self, state):
        """Compile it, and tell its parts where numba keeps their constants."""
        super().run_pass(state)
        for variable in state.library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                state.targetctx.codegen().set_env(variable.name, environment)
        return True


class PartCompiler(CompilerBase):
    """numba's compiler, for parts."""

    lowering = LowerPart

    def define_pipelines(self):
        """All passes, with ``lowering`` in place of its base."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        manager = PassManager("nopython")
        for each, description in passes:
            manager.add_pass(self.lowering if each is NativeLowering else each, description)
        manager.finalize()
        return [manager]


class WholeCompiler(PartCompiler):
    """The same for functions that Python calls."""

    lowering = LowerWhole


# numba's options for a function that only compiled code calls
AS_PART = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PartCompiler,
}
# ... that Python calls: while it runs, other threads of Python can
AS_WHOLE = {"error_model": "numpy", "nogil": True, "pipeline_class": WholeCompiler}


def described(kind: types.Type) -> str:
    """Words that tell an argument's type from all others, and are the same in each process."""
    if isinstance(kind, types.BaseNamedTuple):  # what acts on it may stand in its class's file
        own = kind.instance_class
        name = f"{own.__module__} {own.__qualname__} {version(_file(own))} {kind.fields}"
        return f"{name} {[described(each) for each in kind]}"
    if isinstance(kind, types.BaseTuple):
        return f"{type(kind).__name__} {[described(each) for each in kind]}"
    if isinstance(kind, types.Dispatcher):  # a function
        function = kind.dispatcher.py_func
        return f"{function.__module__} {function.__qualname__} {version(_file(function))}"
    return str(kind)


@cache
def version(file: Path) -> str:
    """A hash of all sources that a file leads to, and of the versions of what they run on."""
    versions = platform.python_version(), numba.__version__, np.__version__
    content = [(path.name, path.read_bytes()) for path in sources(file)]
    return _digest(repr((versions, content)).encode())


@cache
def sources(file: Path) -> list[Path]:
    """A file, the files of this package that it imports, those that they import, and so on."""
    found, waiting = set(), [file]
    while waiting:
        if (path := waiting.pop()) not in found:
            found.add(path)
            waiting += filter(None, map(_module_file, _imported(path)))
    return sorted(found)


def _imported(path: Path) -> Iterator[str]:
    """Names of all modules that a file may import, and of what it takes from them."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _module_file(name: str) -> Path | None:
    """The file of a module of this package; None for any other name."""
    package, *inner = name.split(".")
    if package != ROOT.name:
        return None
    stem = ROOT.joinpath(*inner)
    files = stem / "__init__.py", stem.with_name(f"{stem.name}.py")
    return next((path for path in files if path.is_file()), None)


def _file(function) -> Path:
    return Path(inspect.getfile(function))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:20]
