"""The door to the main window for scripts and tests."""

from inspector.window.main_window import MainWindow

__all__ = ["MainWindow"]
