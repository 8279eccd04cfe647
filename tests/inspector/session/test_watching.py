"""Changes of files on disk are told once they are over, however an editor writes them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QTimer

from inspector.session.watching import SETTLE_MS, FileWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.slow  # files have to rest before they are told


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


# Folders


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "pages"
    (folder / "inner").mkdir(parents=True)
    (folder / "b.md").write_text("b")
    (folder / "inner" / "c.md").write_text("c")
    return folder


def test_a_new_page_is_told_wherever_it_lies(qtbot: QtBot, watch: FileWatch, pages: Path) -> None:
    watch.watch([pages])
    for name in ("a.md", "inner/d.md"):
        page = pages / name
        assert _changed(qtbot, watch, lambda page=page: page.write_text("new")) == [page]

    def add_folder() -> None:
        (pages / "later").mkdir()
        (pages / "later" / "e.md").write_text("new")

    assert pages / "later" / "e.md" in _changed(qtbot, watch, add_folder)
    page = pages / "later" / "e.md"
    assert _changed(qtbot, watch, lambda: page.write_text("newer")) == [page]


def test_a_changed_and_a_removed_page_are_told(qtbot: QtBot, watch: FileWatch, pages: Path) -> None:
    watch.watch([pages])
    page = pages / "inner" / "c.md"
    assert _changed(qtbot, watch, lambda: page.write_text("other")) == [page]
    assert _changed(qtbot, watch, page.unlink) == [page]


def test_what_nobody_reads_in_a_folder_is_not_told(
    qtbot: QtBot, watch: FileWatch, pages: Path
) -> None:
    watch.watch([pages])
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 150):
        (pages / "picture.png").write_bytes(b"1")
        (pages / ".hidden.md").write_text("1")


def _swap(folder: Path, text: str) -> None:
    """Put another folder in the place of one, as a deployment does."""
    fresh = folder.with_name("fresh")
    shutil.copytree(folder, fresh)
    (fresh / "b.md").write_text(text)
    folder.rename(folder.with_name(f"old_{text}"))
    fresh.rename(folder)


def test_a_folder_swapped_by_rename_is_told_every_time(
    qtbot: QtBot, watch: FileWatch, pages: Path
) -> None:
    page = pages / "b.md"
    watch.watch([page])
    for text in ("one", "two", "three"):
        assert _changed(qtbot, watch, lambda text=text: _swap(pages, text)) == [page]
    assert _changed(qtbot, watch, lambda: page.write_text("written in place")) == [page]


def test_a_swapped_folder_further_up_is_told(qtbot: QtBot, watch: FileWatch, pages: Path) -> None:
    page, project = pages / "b.md", pages.parent

    def swap() -> None:
        shutil.copytree(project, project.with_name("fresh"))
        (project.with_name("fresh") / "pages" / "b.md").write_text("another")
        project.rename(project.with_name("old"))
        project.with_name("fresh").rename(project)

    watch.watch([page])
    assert _changed(qtbot, watch, swap) == [page]
    assert _changed(qtbot, watch, lambda: page.write_text("in place")) == [page]


def test_folders_that_go_and_come_back_are_told(
    qtbot: QtBot, watch: FileWatch, pages: Path
) -> None:
    page, project = pages / "b.md", pages.parent
    watch.watch([page])
    assert _changed(qtbot, watch, lambda: shutil.rmtree(project)) == [page]
    assert watch.missing() == [page]

    def bring_back() -> None:
        pages.mkdir(parents=True)
        page.write_text("back")

    assert _changed(qtbot, watch, bring_back) == [page]


def test_a_file_that_is_still_being_written_is_told_once_it_rests(
    qtbot: QtBot, watch: FileWatch, files: list[Path]
) -> None:
    told: list[int] = []
    watch.changed.connect(lambda _paths: told.append(files[0].stat().st_size))
    writer = QTimer(interval=SETTLE_MS // 5)
    left = iter(range(10))

    def write() -> None:
        if next(left, None) is None:
            writer.stop()
        else:
            with files[0].open("a") as stream:
                stream.write("more")

    writer.timeout.connect(write)
    writer.start()
    qtbot.waitUntil(lambda: bool(told))
    assert told == [1 + 4 * 10]


def test_a_stopped_watch_tells_nothing(qtbot: QtBot, watch: FileWatch, files: list[Path]) -> None:
    files[0].write_text("23")
    watch.stop()
    with qtbot.assertNotEmitted(watch.changed, wait=SETTLE_MS + 100):
        files[1].write_text("45")
