"""A full disk, or a folder that cannot be written to: one clear line, and nothing that is half
written.
"""

import compileall
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from studies import LESS, ROOT, TABLES, Study

from lib import places

pytestmark = pytest.mark.slow


@contextmanager
def disk(folder: Path, size: str):
    """A file system of its own in ``folder``; the test is skipped where none can be mounted."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mount = subprocess.run(command, capture_output=True, text=True, check=False)
    if mount.returncode != 0:
        pytest.skip(f"no file system can be mounted: {mount.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def leave(study: Study, kilobytes: int) -> None:
    """Fill the study's disk but for so much."""
    filler = study.folder / "filler"
    filler.unlink(missing_ok=True)
    with filler.open("wb") as file:
        file.write(bytes(shutil.disk_usage(study.folder).free - 1024 * kilobytes))


def is_whole(path: Path, finished: Path) -> bool:
    """Whether a file is as in the finished study; of a figure, which shows more draws there, that
    it has an end; of times, that no line lacks a cell.
    """
    ends = {".png": b"IEND\xaeB`\x82", ".pdf": b"%%EOF\n"}
    content = path.read_bytes()
    if path.name.endswith(".seconds.csv"):  # it differs from run to run
        return content.endswith(b"\n") and content.count(b"\n") == content.count(b",") / 3
    if path.suffix in ends:
        return content.endswith(ends[path.suffix])
    return finished.exists() and content == finished.read_bytes()


def half_written(study: Study, finished: Study) -> list[str]:
    """Files that are there, but not whole."""
    files = [
        path
        for name in ("results/draws", "figures")
        for path in (study.folder / name).rglob("*")
        if path.is_file()
    ]
    names = [path.relative_to(study.folder) for path in files]
    tables = [name for name in TABLES if (study.folder / name).exists()]
    wrong = [n for n in names if not is_whole(study.folder / n, finished.folder / n)]
    return wrong + [n for n in tables if study.of_less([n]) != finished.of_less([n])]


@pytest.mark.weekly
def test_a_study_goes_on_when_a_full_disk_has_room_again(finished, tmp_path):
    """The project is on the disk with Snakemake's records, without the cache in the user's home."""
    with disk(tmp_path / "study", "64m"):
        study = Study(tmp_path / "study")
        (tmp_path / "cache").mkdir()
        (study.folder / ".cache").symlink_to(tmp_path / "cache")
        command = study.command(**LESS)
        compileall.compile_dir(study.folder, quiet=1)  # a full disk leaves Python cut bytecode
        leave(study, 0)
        said = study.call(command, status=1).stderr
        assert "results: cannot write to results: No space left on device" in said
        assert len(said.splitlines()) < 10, said
        for kilobytes in (20, 60, 100, 450):
            leave(study, kilobytes)
            assert "No space left on device" in study.call(command, status=1).stderr
            assert half_written(study, finished) == []
        (study.folder / "filler").unlink()
        study.call(command)
        assert half_written(study, finished) == []
        assert study.of_less() == finished.of_less()


def test_nothing_is_done_without_a_folder_for_the_results(study):
    (study.folder / "results").write_text("a file")
    (study.folder / "figures").symlink_to("nowhere")
    said = study.run(status=1)
    for key in ("results", "figures"):
        assert f"{key}: cannot write to {key}: {study.folder / key} is not a folder" in said
    assert len(said.splitlines()) < 10, said
    assert (study.folder / "results").read_text() == "a file"


def test_a_folder_that_no_study_writes_to(monkeypatch, tmp_path):
    own = {"data": None, "population": False}
    for name, why in (
        ("null", "it is no folder"),
        ("https://a/b", "it is no folder"),
        (str(ROOT / "workflow/config"), "it holds sources"),
    ):
        lines = places.obstacles(own | {"results": name, "figures": name})
        assert lines == [f"{key}: cannot write to {name}: {why}" for key in ("results", "figures")]
    monkeypatch.setattr(places, "ROOT", tmp_path / "{x}")
    free = dict.fromkeys(("results", "figures"), str(tmp_path / "new"))
    (line,) = places.obstacles(own | free)
    assert line == f"{tmp_path}/{{x}}: a folder with a brace in its name is a pattern of Snakemake"


def test_what_the_disk_keeps_for_root_is_no_space(monkeypatch, tmp_path):
    for left, why in ((1, None), (0, "No space left on device")):
        space = SimpleNamespace(f_blocks=9, f_bfree=3, f_bavail=left)
        monkeypatch.setattr("os.statvfs", lambda path, space=space: space)
        assert places.obstacle(tmp_path / "new") == why


def test_compiled_code_that_cannot_be_kept_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    assert places.nothing_kept() == []
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/dev/null/new")
    (line,) = places.nothing_kept()
    assert line.endswith("a minute longer: /dev/null is not a folder")
