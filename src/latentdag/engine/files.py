"""Files that appear whole or not at all, and the folder of compiled code."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from platformdirs import user_cache_path

NAME = "latentdag-compiled-"  # begins the folder of compiled code of one state of the sources


def cache_folder() -> Path:
    """The path of the folder that has a folder of compiled code for each state of the sources: that
    of NUMBA_CACHE_DIR, or else the user's cache folder. It need not exist.
    """
    folder = Path(os.getenv("NUMBA_CACHE_DIR") or user_cache_path("latentdag"))
    # set by the process that started this one
    return folder.parent if folder.name.startswith(NAME) else folder


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """A context that yields a temporary path, to write a file to. On exit this file replaces
    ``path``; on failure ``path`` is untouched. Raises OSError, which names ``path`` and the reason,
    where it cannot be written.
    """
    partial = Path(f"{path}.partial")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())  # some file systems find only now that they are full
        partial.replace(path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
