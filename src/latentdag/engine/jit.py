"""Compiled code: numba's ``njit`` with the options that all our functions share, and the folder in
which numba keeps their machine code.

By itself numba

- keeps old code where a function that is called from another file was edited, and finds code by the
  path of a source. So each state of the sources has a folder, named by a hash of them, of the
  versions and of the processor, in the user's cache folder or below NUMBA_CACHE_DIR: clones, wheels
  and moved folders share it.
- can mix up two processes that keep one function for different types at once. So a process holds a
  lock on the folder while it keeps a function; several compile at once.
- is of no use any more where Ctrl-C stopped its work on a function. So Ctrl-C waits.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding as llvm

from latentdag.engine.files import NAME, cache_folder
from latentdag.engine.interrupts import uninterrupted

if os.getenv("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    raise ImportError("latentdag needs compiled code: unset NUMBA_DISABLE_JIT")
PACKAGE = Path(__file__).parents[1]
SOURCES = ("engine", "inference")  # the folders that hold compiled functions
FREE_SPACE = 2**26  # bytes: a disk with less space is as good as full
UNUSED = 30 * 86_400  # seconds after which code of another state is removed
# numba's events: loading, compiling and keeping a function; the second of these alone
WORK, COMPILATION = "numba:compiler_lock", "numba:compile"


def state_of(package: Path) -> str:
    """A hash, 20 hexadecimal digits, of what machine code depends on: the sources in the folder
    ``package``, versions and processor.
    """
    digest = hashlib.sha256()
    for path in sorted(file for name in SOURCES for file in (package / name).rglob("*.py")):
        digest.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    versions = [platform.python_version(), *map(version, ("numba", "llvmlite", "numpy"))]
    processor = [os.getenv(f"NUMBA_CPU_{name}") for name in ("NAME", "FEATURES")]
    processor += [llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    digest.update(repr((versions, processor)).encode())
    return digest.hexdigest()[:20]


def _folder() -> Path | None:
    """The folder of the present state; None, after a line on stderr, where it cannot be used."""
    parent = cache_folder()
    folder = parent / f"{NAME}{state_of(PACKAGE)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lock").touch()
        if shutil.disk_usage(folder).free < FREE_SPACE:
            raise OSError(0, "the disk is full")
    except OSError as error:
        _say(f"compiled code is not kept: cannot write to {folder}: {error.strerror}")
        return None
    for other in parent.glob(f"{NAME}*/lock"):
        if time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other.parent, ignore_errors=True)
    return folder


def _say(words: str) -> None:
    print(f"latentdag: {words}", file=sys.stderr)


FOLDER = _folder()
if FOLDER:
    os.environ["NUMBA_CACHE_DIR"] = str(FOLDER)

with uninterrupted:
    import numba  # the folder must be known to it
    from numba.core.event import Event, Listener, register


class StateLocator:
    """Where numba keeps the machine code of a function of the package: in the folder of the state,
    by its place in the package and its line. The folder's name is the stamp of all sources. The
    methods are those that numba asks of a class in its setting CACHE_LOCATOR_CLASSES.
    """

    def __init__(self, folder: Path, line: int):
        self._folder, self._line = folder, line

    @classmethod
    def from_function(cls, function, file: str) -> StateLocator | None:
        """The locator of a ``function`` of the source ``file``; None, so that numba asks the next
        class, where the package does not have the file or keeps no compiled code.
        """
        path = Path(file)
        if not (FOLDER and path.is_relative_to(PACKAGE)):
            return None
        return cls(FOLDER / path.relative_to(PACKAGE).parent, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """A string that changes with the sources: the name of the folder of their state."""
        return FOLDER.name

    def get_disambiguator(self) -> str:
        """A string that tells functions of one file and name apart: the line of the function."""
        return str(self._line)


numba.config.reload_config()  # where numba was imported before
OTHERS = "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,IPythonCacheLocator"
if not numba.config.CACHE_LOCATOR_CLASSES:
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{StateLocator.__name__},{OTHERS}"


class _Undisturbed(Listener):
    """Lets numba finish its work on a function. Of all processes one at a time keeps a function:
    it holds the folder's lock from the end of the compilation to that of the work.
    """

    def __init__(self):
        self.file = (FOLDER / "lock").open() if FOLDER else None
        self.holders, self.counting = 0, threading.Lock()
        self.of_thread = threading.local()

    def on_start(self, event: Event) -> None:
        if event.kind == WORK:
            self._holds().append(False)
            uninterrupted.__enter__()

    def on_end(self, event: Event) -> None:
        if event.kind == COMPILATION:
            self._holds()[-1] = True
            self._hold(+1)
        else:
            if self._holds().pop():
                self._hold(-1)
            uninterrupted.__exit__()

    def _holds(self) -> list[bool]:
        """Whether each work of this thread, one within another, holds the lock."""
        return self.of_thread.__dict__.setdefault("holds", [])

    def _hold(self, more: int) -> None:
        with self.counting:
            self.holders += more
            if self.file:
                fcntl.flock(self.file, fcntl.LOCK_EX if self.holders else fcntl.LOCK_UN)


class _SaysThatItCompiles(Listener):
    """Writes one line when the first of our functions is compiled."""

    said = False

    def on_start(self, event: Event) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith("latentdag.")
        if ours and not self.said:
            self.said = True
            again = "this happens once" if FOLDER else "every process has to"
            _say(f"compiling for this processor: {again}, and takes seconds to a minute")

    def on_end(self, event: Event) -> None:
        pass


register(COMPILATION, _SaysThatItCompiles())
undisturbed = _Undisturbed()
register(WORK, undisturbed)
register(COMPILATION, undisturbed)

# A division by zero gives what it gives in NumPy: a test for it would prevent vector instructions.
DIVISION = {"error_model": "numpy"}


# while a function runs, other threads of Python can
OPTIONS = {**DIVISION, "nogil": True, "cache": FOLDER is not None}

compiled = numba.njit(**OPTIONS)

# For a long function with one caller: compiled as a part of that, and not by itself as well.
once = numba.njit(**OPTIONS, inline="always")

# For the inside of long loops: the code stands within that of the callers. A call would copy the
# address, shape and strides of each array: for the particles a fifth of the references' time.
inlined = numba.njit(**OPTIONS, forceinline=True)
