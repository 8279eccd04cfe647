"""Changes of files on disk are told once they are over, however an editor writes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from inspector.session.watching import SETTLE_MS, FileWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        path.write_text("1")
    return paths


@pytest.fixture
def watch(qtbot: QtBot, files: list[Path]) -> Iterator[FileWatch]:
    made = FileWatch()
    made.watch(files)
    yield made
    made.stop()


def _changed(qtbot: QtBot, watch: FileWatch, act: Callable[..., Any]) -> list[Any]:
    with qtbot.waitSignal(watch.changed) as seen:
        act()
    return seen.args[0]


def _rename_over(path: Path, text: str) -> None:
    fresh = path.with_name("fresh.tmp")
    fresh.write_text(text)
    os.replace(fresh, path)


def test_a_written_file_is_told(qtbot: QtBot, watch: FileWatch, files: list[Path]) -> None:
    assert _changed(qtbot, watch, lambda: files[0].write_text("23")) == [files[0]]


def test_a_file_replaced_by_rename_is_told_every_time(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    for text in ("23", "456", "7890"):
        assert _changed(qtbot, watch, lambda text=text: _rename_over(files[1], text)) == [files[1]]
    assert _changed(qtbot, watch, lambda: files[1].write_text("then written")) == [files[1]]


def test_a_deleted_file_and_its_return_are_told(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    assert _changed(qtbot, watch, files[0].unlink) == [files[0]]
    assert _changed(qtbot, watch, lambda: files[0].write_text("back")) == [files[0]]


def test_many_writes_are_told_once(qtbot: QtBot, watch: FileWatch, files: list[Path]) -> None:
    told: list[Any] = []
    watch.changed.connect(told.append)

    def write() -> None:
        for number in range(20):
            files[0].write_text("x" * number)
            files[1].write_text("y" * (number + 2))

    assert sorted(_changed(qtbot, watch, write)) == files
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        pass
    assert len(told) == 1


def test_other_files_of_the_folder_are_not_told(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        files[0].with_name("other.json").write_text("new")


def test_watching_again_takes_the_files_as_they_are(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        files[0].write_text("written by ourselves")
        watch.watch(files)


def test_files_that_are_not_watched_any_more_are_not_told(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    watch.watch(files[1:])
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        files[0].write_text("23")
    assert _changed(qtbot, watch, lambda: files[1].write_text("23")) == [files[1]]


def test_a_file_that_is_not_there_yet_is_told_when_it_comes(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    late = files[0].with_name("late.json")
    watch.watch([*files, late])
    assert _changed(qtbot, watch, lambda: late.write_text("1")) == [late]


def test_a_stopped_watch_tells_nothing(qtbot: QtBot, watch: FileWatch, files: list[Path]) -> None:
    files[0].write_text("23")
    watch.stop()
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        files[1].write_text("45")
