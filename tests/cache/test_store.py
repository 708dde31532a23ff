"""The files of the cache, whatever happens to them."""

from __future__ import annotations

import errno
import os
import pathlib

import platformdirs
import pytest

from pcbatch import cache
from pcbatch.cache import store
from pcbatch.cache.store import Entry

ENTRY = Entry(b"a program", {"one": b"an executable", "two": b""})


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """A directory for the cache, which is not there yet."""
    monkeypatch.setenv("PCBATCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(folder: pathlib.Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read(folder):
    assert store.read("name") is None
    store.write("name", ENTRY)
    assert store.read("name") == ENTRY
    assert store.read("another") is None
    assert files(folder) == ["name.program"]


def test_the_directory_is_what_the_environment_says(monkeypatch, folder):
    assert cache.directory() == folder
    monkeypatch.setenv("PCBATCH_CACHE", "~/programs")
    assert cache.directory() == pathlib.Path.home() / "programs"
    monkeypatch.delenv("PCBATCH_CACHE")
    assert cache.directory() == pathlib.Path(platformdirs.user_cache_dir("pcbatch", False))


def test_an_empty_variable_switches_the_cache_off(monkeypatch, folder):
    store.write("name", ENTRY)
    monkeypatch.setenv("PCBATCH_CACHE", "")
    assert cache.directory() is None
    assert cache.size() == 0
    assert store.read("name") is None
    store.write("other", ENTRY)
    store.remove("name")
    cache.clear()
    assert files(folder) == ["name.program"]


WHOLE = store._packed(ENTRY)
DAMAGED = {
    "cut short": WHOLE[:-1],
    "longer": WHOLE + b"\0",
    "a bit is another": WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
    "a bit of the header is another": WHOLE[:70] + bytes([WHOLE[70] ^ 1]) + WHOLE[71:],
    "the first line only": store.MAGIC,
    "empty": b"",
    "another version": WHOLE.replace(b"cache 1", b"cache 2"),
    "foreign": b"\x89PNG\r\n",
}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_file_that_is_not_whole_is_none(folder, how):
    store.write("name", ENTRY)
    (folder / "name.program").write_bytes(DAMAGED[how])
    assert store.read("name") is None
    store.write("name", ENTRY)
    assert store.read("name") == ENTRY


@pytest.mark.parametrize("length", range(0, len(WHOLE), 7))
def test_a_file_may_be_cut_anywhere(folder, length):
    folder.mkdir()
    (folder / "name.program").write_bytes(WHOLE[:length])
    assert store.read("name") is None


def test_a_directory_that_cannot_be_made_is_as_good_as_none(folder):
    folder.write_text("a file stands here")
    store.write("name", ENTRY)
    assert store.read("name") is None
    assert cache.size() == 0
    cache.clear()
    assert folder.read_text() == "a file stands here"


def test_a_full_disk_leaves_what_was_there(monkeypatch, folder):
    store.write("name", ENTRY)
    whole = pathlib.Path.write_bytes

    def half(path: pathlib.Path, content: bytes) -> None:
        whole(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_bytes", half)
    store.write("name", Entry(b"a longer program", {}))
    store.write("other", ENTRY)
    assert files(folder) == ["name.program"]
    assert store.read("name") == ENTRY


def test_what_was_used_least_recently_makes_room(monkeypatch, folder):
    for age, name in enumerate(("first", "second", "third")):
        store.write(name, ENTRY)
        os.utime(folder / f"{name}.program", (0, 1000 + age))
    monkeypatch.setattr(store, "LIMIT", 3 * len(WHOLE))
    assert store.read("first") == ENTRY
    store.write("fourth", ENTRY)
    assert files(folder) == ["first.program", "fourth.program", "third.program"]
    assert cache.size() == 3 * len(WHOLE)


def test_what_others_have_not_finished_is_removed_in_time(folder):
    folder.mkdir()
    old, new = folder / f"old{store.UNFINISHED}", folder / f"new{store.UNFINISHED}"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (0, 0))
    store.write("name", ENTRY)
    assert files(folder) == ["name.program", new.name]


def test_clearing_leaves_what_is_no_part_of_the_cache(folder):
    store.write("name", ENTRY)
    (folder / "notes.txt").write_text("mine")
    assert cache.size() == len(WHOLE)
    cache.clear()
    assert files(folder) == ["notes.txt"]
    assert cache.size() == 0
