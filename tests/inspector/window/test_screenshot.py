"""The window's command line, in processes of its own: pictures, refusals, no display."""

from __future__ import annotations

import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from inspector.__main__ import main
from inspector.window.main_window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

pytestmark = pytest.mark.slow

REFUSED = 2


def _run(repo: Path, env: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector", *map(str, arguments)],
        cwd=repo,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def _png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def test_a_picture_is_taken_without_a_display(
    repo: Path, offscreen_env: dict[str, str], aquarium: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "shot.png"
    done = _run(
        repo,
        offscreen_env,
        aquarium / "rag.graph.json",
        "--message",
        "clownfish",
        "--set",
        "retrieval_mode=Lexical",
        "--screenshot",
        picture,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    assert _png_size(picture) == (1280, 800)
    assert picture.stat().st_size > 40_000


def test_a_picture_has_the_size_theme_and_parameters_asked_for(
    repo: Path, offscreen_env: dict[str, str], aquarium: Path, tmp_path: Path
) -> None:
    from PySide6.QtGui import QImage

    picture = tmp_path / "shot.png"
    done = _run(
        repo,
        offscreen_env,
        aquarium / "hybrid.graph.json",
        "--message",
        "clownfish",
        "--node",
        "answer",
        "--set",
        "knowledge.retrieval_mode=Lexical",
        "--theme",
        "dark",
        "--size",
        "900x600",
        "--screenshot",
        picture,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert _png_size(picture) == (900, 600)
    assert QImage(str(picture)).pixelColor(2, 597).lightness() < 80


def test_the_welcome_page_is_pictured_without_a_file(
    repo: Path, offscreen_env: dict[str, str], tmp_path: Path
) -> None:
    picture = tmp_path / "welcome.png"
    done = _run(repo, offscreen_env, "--screenshot", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert _png_size(picture) == (1280, 800)


def test_opening_a_window_without_a_display_says_what_is_missing_and_what_works(
    repo: Path, offscreen_env: dict[str, str], aquarium: Path
) -> None:
    done = _run(repo, offscreen_env, aquarium / "rag.graph.json")
    assert done.returncode == REFUSED
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    for word in ("DISPLAY", "inspector turn", "inspector check", "--screenshot"):
        assert word in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def in_here(
    own_settings: Path,
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Any]:
    """Run the window's command line in this process: exit status and standard error."""

    def run(*arguments: object) -> tuple[int, list[str]]:
        monkeypatch.setattr("signal.signal", lambda *_: None)
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        for window in qapp.topLevelWidgets():
            if isinstance(window, MainWindow):
                window.deleteLater()
        return status, capsys.readouterr().err.splitlines()

    return run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no_such.graph.json"], "3010"),
        (["broken.graph.json"], "broken.graph.json"),
        (["rag.graph.json", "--node", "nobody"], "3005"),
        (["rag.graph.json", "--set", "knowledge.top_k=0"], "3007"),
        (["rag.graph.json", "--set", "top_kk=3"], "3007"),
        (["rag.graph.json", "--var", "novalue"], "3007"),
        (["rag.graph.json", "--size", "huge"], "1280x800"),
    ],
)
def test_what_is_refused_exits_with_two_and_one_line_and_no_picture(
    in_here: Callable[..., Any], aquarium: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (aquarium / "broken.graph.json").write_text('{"nodes": 3')
    picture = tmp_path / "shot.png"
    status, lines = in_here(
        aquarium / arguments[0], *arguments[1:], "--message", "fish", "--screenshot", picture
    )
    assert status == REFUSED
    assert len(lines) == 1
    assert lines[0].startswith("error ")
    assert said in lines[0]
    assert not picture.exists()


def test_a_file_that_does_not_open_is_refused_by_the_program_too(
    repo: Path, offscreen_env: dict[str, str], aquarium: Path, tmp_path: Path
) -> None:
    (aquarium / "broken.graph.json").write_text('{"nodes": 3')
    done = _run(
        repo, offscreen_env, aquarium / "broken.graph.json", "--screenshot", tmp_path / "shot.png"
    )
    assert done.returncode == REFUSED
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error ")
    assert not (tmp_path / "shot.png").exists()


def test_a_picture_that_cannot_be_written_is_refused(
    in_here: Callable[..., Any], aquarium: Path, tmp_path: Path
) -> None:
    status, lines = in_here(
        aquarium / "rag.graph.json", "--screenshot", tmp_path / "missing" / "shot.png"
    )
    assert status == REFUSED
    assert len(lines) == 1
    assert "shot.png" in lines[0]
