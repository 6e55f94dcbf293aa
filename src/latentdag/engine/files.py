"""Files that appear whole or not at all, and the folder of compiled code."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from platformdirs import user_cache_path

NAME = "latentdag-compiled-"  # begins the folder of compiled code of one state of the sources


def cache_folder() -> Path:
    """The folder in which the folders of compiled code lie."""
    folder = Path(os.getenv("NUMBA_CACHE_DIR") or user_cache_path("latentdag"))
    # set by the process that started this one
    return folder.parent if folder.name.startswith(NAME) else folder


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yields a temporary path. On exit it replaces ``path``; on failure ``path`` is untouched, and
    OSError says why.
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
