"""Windows that were closed are gone: nothing grows when they are opened again and again."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from inspector.__main__ import build_window
from inspector.session.jobs import Jobs
from inspector.session.session import Session
from inspector.window.main_window import MainWindow
from tests.inspector.driver import QUESTION, Driver
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

ROUNDS = 3


def _collect() -> None:
    # Opening a file takes what there is out of the collector's sight.
    gc.unfreeze()
    for _ in range(2):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        gc.collect()


def _is_ours(thing: object) -> bool:
    return str(type(thing).__module__).startswith(("core.", "inspector."))


def _counts() -> Counter[str]:
    """Count the living things that a window is made of, by kind."""
    # The type alone is looked at: a deleted C++ object must not be touched.
    objects = Counter(
        type(thing).__qualname__
        for thing in gc.get_objects()
        if issubclass(type(thing), QObject) or _is_ours(thing)
    )
    objects["top-level windows"] = len(QApplication.topLevelWidgets())
    objects["widgets"] = len(QApplication.allWidgets())
    objects["threads"] = threading.active_count()
    if sys.platform == "linux":
        objects["files"] = len(os.listdir("/proc/self/fd"))
    return objects


def _one_round(user: Driver, aquarium: Path) -> None:
    user.open(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.drag_threshold(0.8, 0.9)
    user.click("modeHybrid")
    user.set_spin("topKSpin", "9")
    user.ask("which fish eat algae?")
    user.window.close()
    user.window.deleteLater()


@pytest.mark.usefixtures("own_settings")
def test_nothing_grows_when_windows_are_opened_and_closed(
    qtbot: QtBot, aquarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "core.embedding.embedder_process.ProcessEmbedder", lambda _name, *_: WordEmbedder()
    )

    def one_round() -> None:
        user = Driver(qtbot, build_window())
        with qtbot.waitActive(user.window):
            user.window.show()
        _one_round(user, aquarium)

    one_round()
    _collect()
    before = _counts()
    for _ in range(ROUNDS):
        one_round()
    _collect()
    after = _counts()
    grown = {
        kind: (before[kind], count)
        for kind, count in after.items()
        if count - before[kind] >= ROUNDS
    }
    assert grown == {}
    for kind in (MainWindow, Session, Jobs):
        assert after[kind.__qualname__] == before[kind.__qualname__], kind


def test_what_was_open_is_freed_at_once_without_the_collector(
    open_window: OpenWindow, samples: Path
) -> None:
    """The collector is told to leave alone what is there when a file is opened."""
    user = open_window()
    before: list[weakref.ref[object]] = []
    gc.collect()
    gc.disable()
    try:
        for name in (
            "aquarium/hybrid.graph.json",
            "adventure/oracle.graph.json",
            "town/town.kg.json",
            "handbook",
            "aquarium/rag.graph.json",
        ):
            user.open(samples / name)
            assert [reference() for reference in before] == [None] * len(before), name
            user.ask(QUESTION)
            user.session.edit_param("top_k" if "k" not in user.params().specs() else "k", 7)
            user.window.panels.hits.select_record(3)
            before = [weakref.ref(user.session.current.workspace), weakref.ref(user.session.turn)]
    finally:
        gc.enable()


@pytest.mark.usefixtures("own_settings")
def test_moving_a_slider_again_and_again_keeps_nothing(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    slider = user.find("thresholdSlider")

    def move() -> None:
        for value in range(500, 700):
            slider.setValue(value)
        slider.edit_finished.emit()
        QApplication.processEvents()

    move()
    _collect()
    before = _counts()
    move()
    _collect()
    after = _counts()
    grown = {
        kind: (before[kind], count) for kind, count in after.items() if count > before[kind] + 30
    }
    assert grown == {}
