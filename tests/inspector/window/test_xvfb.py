"""The window on a real X display, driven from outside by real key presses and clicks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.xvfb, pytest.mark.slow]

SCRIPT = """
import sys
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSlider

import core.embedding.embedder_process as embedding_process
from tests.inspector.light_embedder import WordEmbedder

embedding_process.ProcessEmbedder = lambda _name, *_: WordEmbedder()
app = QApplication(sys.argv[:1])
from inspector.__main__ import build_window

assert app.platformName() == "xcb", app.platformName()
window = build_window()
shown = []
window.turnShown.connect(shown.append)
QTimer.singleShot(60_000, lambda: sys.exit("too late"))


def wait(condition, what):
    for _ in range(2000):
        if condition():
            return
        QTest.qWait(10)
    sys.exit(f"waited in vain: {what}")


def find(name, kind):
    return window.findChild(kind, name)


window.show()
wait(window.isVisible, "the window")
window.open_path(Path(sys.argv[1]))
wait(lambda: window.session.graph is not None and not window.jobs.is_busy("index"), "the file")
window.activateWindow()
edit = window.panels.query.edit
edit.setFocus()
say = lambda *words: print(*words, flush=True)
place = edit.mapToGlobal(edit.rect().center())
say("type", place.x(), place.y())
wait(lambda: edit.text() == "clownfish" and shown, "typing")
button = find("runButton", QPushButton)
place = button.mapToGlobal(button.rect().center())
count = len(shown)
say("click", place.x(), place.y())
wait(lambda: len(shown) > count, "clicking")
slider = find("topKSlider", QSlider)
start = slider.mapToGlobal(QPoint(round(slider.x_of(slider.value())), slider.height() // 2))
end = slider.mapToGlobal(QPoint(round(slider.x_of(14)), slider.height() // 2))
say("drag", start.x(), start.y(), end.x(), end.y())
wait(lambda: shown[-1].request.params["knowledge"].top_k == 14, "dragging")
rows = window.panels.hits.model.rowCount()
say("done", rows, len(shown[-1].runs[0].retrieval.hits))
window.grab().save(sys.argv[2])
window.close_at_once()
"""


@pytest.fixture
def display(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start Xvfb on a free display and return the environment that leads to it."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    read, write = os.pipe()
    server = subprocess.Popen(
        [
            "Xvfb",
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1400x900x24",
            "-nolisten",
            "tcp",
            "-noreset",
        ],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    if not number:
        server.wait(10)
        pytest.skip("Xvfb does not start here")
    env = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
    yield env | {
        "DISPLAY": f":{number}",
        "QT_QPA_PLATFORM": "xcb",
        "INSPECTOR_CONFIG_DIR": str(tmp_path / "config"),
        "INSPECTOR_CACHE_DIR": str(tmp_path / "cache"),
    }
    server.terminate()
    server.wait(10)


def _xdotool(env: dict[str, str], *arguments: object) -> None:
    subprocess.run(["xdotool", *map(str, arguments)], env=env, check=True, timeout=30)


def test_real_keys_and_clicks_on_an_x_display(
    display: dict[str, str], repo: Path, aquarium: Path, tmp_path: Path
) -> None:
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed")
    script, picture = tmp_path / "drive.py", tmp_path / "window.png"
    script.write_text(SCRIPT, encoding="utf-8")
    window = subprocess.Popen(
        [sys.executable, str(script), str(aquarium / "rag.graph.json"), str(picture)],
        cwd=repo,
        env=display | {"PYTHONPATH": str(repo)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said: list[list[str]] = []
    try:
        for line in window.stdout:
            word, *numbers = line.split()
            said.append([word, *numbers])
            if word == "type":
                _xdotool(display, "mousemove", *numbers, "click", "1", "type", "clownfish")
            elif word == "click":
                _xdotool(display, "mousemove", *numbers, "click", "1")
            elif word == "drag":
                _xdotool(display, "mousemove", *numbers[:2], "mousedown", "1")
                _xdotool(display, "mousemove", *numbers[2:], "mouseup", "1")
        assert window.wait(60) == 0, window.stderr.read()
    finally:
        window.kill()
        window.wait(10)
        for pipe in (window.stdout, window.stderr):
            pipe.close()
    assert [words[0] for words in said] == ["type", "click", "drag", "done"]
    assert int(said[-1][1]) > int(said[-1][2]) > 0
    assert picture.stat().st_size > 20_000
