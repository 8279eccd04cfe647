"""Exceptions that nobody expected, from slots, threads and anywhere else: written down and told."""

from __future__ import annotations

import logging
import sys
import threading
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.io.folders import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]

LOG_BYTES = 1_000_000
LOG_FILES = 2

log = logging.getLogger(__name__)


def log_file() -> Path:
    """Where warnings and unexpected errors are written."""
    return data_folder() / "log" / "inspector.log"


class Unexpected(QObject):
    """Hears of each exception that nothing has caught, as long as it listens.

    Whoever listened before hears of it too.

    Signals
    -------
    happened(exception)
        Something went wrong that nobody expected; comes on the GUI thread.
    """

    happened = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before: Hook = sys.excepthook
        self._thread_before = threading.excepthook
        self._handler: logging.Handler | None = None

    def listen(self) -> None:
        """Hear of exceptions, and write warnings and errors to the log file, from now on."""
        self._before, self._thread_before = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._on_exception, self._on_thread
        try:
            log_file().parent.mkdir(parents=True, exist_ok=True)
            self._handler = RotatingFileHandler(
                log_file(), maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
            )
        except OSError as error:
            log.warning("no log file can be written: %s", error)
            return
        self._handler.setLevel(logging.WARNING)
        self._handler.setFormatter(
            logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
        )
        logging.getLogger().addHandler(self._handler)

    def stop(self) -> None:
        """Leave exceptions to whoever listened before."""
        if sys.excepthook == self._on_exception:
            sys.excepthook = self._before
        if threading.excepthook == self._on_thread:
            threading.excepthook = self._thread_before
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            self.happened.emit(error)
        self._before(kind, error, trace)

    def _on_thread(self, args: threading.ExceptHookArgs) -> None:
        if isinstance(args.exc_value, Exception):
            self.happened.emit(args.exc_value)
        self._thread_before(args)
