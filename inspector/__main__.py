"""The program's door: a command, the window, or a composed window for scripts."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from inspector.cli import commands as cli

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from inspector.window.main_window import MainWindow


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or open the window; return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if arguments and arguments[0] in cli.COMMANDS:
        return cli.main(arguments)
    return cli.guarded(lambda: _open_window(arguments))


def build_window(paths: Sequence[Path | str] = ()) -> MainWindow:
    """Compose the whole program around the given files; neither shown nor running yet.

    A QApplication must exist. The first path is open when this returns, or the message bar says
    why it is not.
    """
    from inspector.window.compose import compose

    return compose(paths)


def _open_window(arguments: Sequence[str]) -> int:
    options = cli.window_options(arguments)
    problem = display_problem()
    if options.screenshot and problem:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    elif problem:
        print(  # noqa: T201
            f"{problem}. These work without one: inspector turn, inspector check, and "
            "inspector --screenshot FILE.png",
            file=sys.stderr,
        )
        return cli.EXIT_REFUSED
    from inspector.window.application import run

    return run(options)


def display_problem() -> str:
    """Say what is missing for a window, or "" when it can be shown."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if sys.platform != "linux" or platform:
        return ""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "No display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return ""


if __name__ == "__main__":
    sys.exit(main())
