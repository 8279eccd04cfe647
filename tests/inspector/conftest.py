"""Windows to drive, and a watch over what tests leave behind."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from core.agent.workspace import Workspace
from core.embedding.embedder import ModelProvider
from tests.inspector.driver import Driver
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from core.embedding.embedder import Embedder
    from tests.inspector.driver import OpenWindow

JOIN_S = 5.0


@pytest.fixture
def plain_app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, given back its looks afterwards."""
    palette, sheet = qapp.palette(), qapp.styleSheet()
    yield qapp
    qapp.setStyleSheet(sheet)
    qapp.setPalette(palette)


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread, a window, a running timer or a child process behind."""
    threads, children = set(threading.enumerate()), _children()
    windows = _windows()
    yield
    for thread in set(threading.enumerate()) - threads:
        thread.join(JOIN_S if thread.name != "tqdm_monitor" else 0)
    left = [
        f"thread {thread.name}"
        for thread in set(threading.enumerate()) - threads
        if thread.name != "tqdm_monitor"
    ]  # of the model's library, when it runs in here
    left += [f"child process {pid}" for pid in sorted(_children() - children)]
    if _shown(windows):
        _delete_closed()
        gc.collect()
        left += [f"window {window!r}" for window in _shown(windows)]
    assert not left, f"left behind: {', '.join(left)}"


def _windows() -> set[QWidget]:
    app = QApplication.instance()
    return set(app.topLevelWidgets()) if isinstance(app, QApplication) else set()


def _shown(known: set[QWidget]) -> list[QWidget]:
    return [window for window in _windows() - known if window.isVisible()]


def _delete_closed() -> None:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()


def _children() -> set[int]:
    """Process ids of this process's children; none where the system does not tell."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        # A thread may end between the listing and the reading.
        with contextlib.suppress(OSError):
            found.update(int(pid) for pid in task.read_text().split())
    return found


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty settings and cache folders for one test; returns the settings folder."""
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("INSPECTOR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECTOR_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "config"


@pytest.fixture
def open_window(
    qtbot: QtBot, own_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenWindow]:
    """Compose windows as the program does, with an embedder in place of the model's process."""
    from inspector.__main__ import build_window

    drivers: list[Driver] = []

    def make(
        path: Path | None = None,
        embedder: Embedder | None = None,
        loader: Callable[..., Embedder] | None = None,
    ) -> Driver:
        chosen = embedder or WordEmbedder()
        monkeypatch.setattr(
            "core.embedding.embedder_process.ProcessEmbedder", loader or (lambda _name, *_: chosen)
        )
        driver = Driver(qtbot, build_window())
        drivers.append(driver)
        with qtbot.waitActive(driver.window):
            driver.window.show()
        if path is not None:
            driver.open(path)
        return driver

    yield make
    for driver in drivers:
        driver.window.close_at_once()
        running = [
            f"{type(timer.parent()).__name__} {timer.parent().objectName()}"
            for timer in driver.window.findChildren(QTimer)
            if timer.isActive()
        ]
        driver.window.deleteLater()
        _delete_closed()
        assert not running, f"timers run on after the window is closed: {running}"


@pytest.fixture
def fresh_aquarium(samples: Path, tmp_path: Path) -> Path:
    """A test's own copy of the aquarium sample's folder, without any sidecar."""
    folder = tmp_path / "aquarium"
    ignore = shutil.ignore_patterns("*.bm25", "*.hnsw*", "*.vectors*")
    shutil.copytree(samples / "aquarium", folder, ignore=ignore)
    return folder


@pytest.fixture(scope="session")
def prepared_aquarium(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The aquarium with the sidecars that a `WordEmbedder` leaves."""
    folder = tmp_path_factory.mktemp("prepared") / "aquarium"
    ignore = shutil.ignore_patterns("*.bm25", "*.hnsw*", "*.vectors*")
    shutil.copytree(samples / "aquarium", folder, ignore=ignore)
    workspace = Workspace(folder, ModelProvider(lambda _name: WordEmbedder()))
    searcher = workspace.opened("aquarium_all_mini.json").searcher
    for dense in (False, True):
        searcher.prepare(dense=dense)
    return folder


@pytest.fixture
def aquarium(prepared_aquarium: Path, tmp_path: Path) -> Path:
    """A test's own copy of the aquarium sample's folder; a `WordEmbedder` finds its sidecars."""
    folder = tmp_path / "aquarium"
    shutil.copytree(prepared_aquarium, folder)
    return folder


@pytest.fixture
def offscreen_env(tmp_path: Path) -> dict[str, str]:
    """Environment of a child process that has no display at all."""
    env = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return env | {
        "INSPECTOR_CONFIG_DIR": str(tmp_path / "config"),
        "INSPECTOR_CACHE_DIR": str(tmp_path / "cache"),
        "INSPECTOR_DATA_DIR": str(tmp_path / "data"),
    }
