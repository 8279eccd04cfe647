"""What persists between starts, and what a broken settings file does: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QByteArray

from inspector.session.preferences import RECENT_LIMIT, Preferences

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "inspector.ini"


def test_a_first_start_has_the_defaults(file: Path) -> None:
    preferences = Preferences(file)
    assert preferences.theme == "system"
    assert preferences.recent == ()
    assert preferences.flag("live", True) is True
    assert preferences.flag("reload", False) is False
    assert preferences.blob("docks").isEmpty()


def test_flags_theme_and_states_come_back(file: Path) -> None:
    first = Preferences(file)
    first.set_flag("live", False)
    first.set_flag("reload", True)
    first.theme = "dark"
    state = bytes(range(256))
    first.set_blob("docks", state)
    first.set_blob("hits", QByteArray(b"abc"))
    first.sync()
    second = Preferences(file)
    assert second.flag("live", True) is False
    assert second.flag("reload", False) is True
    assert second.theme == "dark"
    assert bytes(second.blob("docks").data()) == state
    assert bytes(second.blob("hits").data()) == b"abc"


def test_recent_files_are_newest_first_without_doubles_and_not_endless(
    file: Path, tmp_path: Path
) -> None:
    preferences = Preferences(file)
    paths = [tmp_path / f"graph {i}.json" for i in range(RECENT_LIMIT + 3)]
    for path in paths:
        path.write_text("{}")
        preferences.add_recent(path)
    preferences.add_recent(paths[5])
    preferences.sync()
    expected = [paths[5], *(p for p in reversed(paths) if p != paths[5])][:RECENT_LIMIT]
    assert Preferences(file).recent == tuple(expected)


@pytest.mark.parametrize(
    "name", ["käse, mit; Zeichen=1.json", "日本語.json", "100%.json", "a\\b.json"]
)
def test_a_single_recent_file_of_any_name_comes_back(file: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("{}")
    first = Preferences(file)
    first.add_recent(path)
    first.sync()
    assert Preferences(file).recent == (path.resolve(),)


def test_recent_files_that_are_gone_are_left_out(file: Path, tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept.json", tmp_path / "gone.json"
    preferences = Preferences(file)
    for path in (kept, gone):
        path.write_text("{}")
        preferences.add_recent(path)
    gone.unlink()
    assert preferences.recent == (kept,)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe garbage [[[",
        b"[General]\ntheme=pink\nlive=perhaps\nrecent=@Variant(\\0)\n",
        b"[General]\ntheme=@ByteArray(dark)\nrecent=@Invalid()\n[state]\ndocks=text\n",
        b"[General\ntheme=dark",
        b"recent=/a/\x00b, /c\n",
    ],
)
def test_a_broken_settings_file_gives_the_defaults(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    preferences = Preferences(file)
    assert preferences.theme in ("system", "dark")
    assert preferences.flag("live", True) is True
    assert preferences.recent == ()
    assert preferences.blob("docks").isEmpty()
    preferences.theme = "light"
    preferences.sync()
    assert Preferences(file).theme == "light"


def test_a_settings_file_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocker = tmp_path / "config"
    blocker.write_text("a file where the folder should be")
    preferences = Preferences(blocker / "inspector.ini")
    preferences.theme = "dark"
    preferences.sync()
    assert preferences.theme == "dark"
