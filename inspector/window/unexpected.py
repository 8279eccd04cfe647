"""Exceptions that nobody expected, from slots, threads and anywhere else: written down and told."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import weakref
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.io.folders import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

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
        self._stop: Callable[[], object] = lambda: None
        self._handler: logging.Handler | None = None

    def listen(self) -> None:
        """Hear of exceptions, and write warnings and errors to the log file, from now on."""
        self._stop = _hook_into(weakref.ref(self))
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
        self._stop()
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()


def _hook_into(listener: weakref.ref[Unexpected]) -> Callable[[], object]:
    """Have a listener told of what nothing has caught, and return what ends that.

    The interpreter's hooks must not keep a window alive that is gone without a word.
    """
    before, thread_before = sys.excepthook, threading.excepthook

    def tell(error: BaseException | None) -> None:
        heard = listener()
        # Its C++ part may be gone already.
        if heard is not None and isinstance(error, Exception):
            with contextlib.suppress(RuntimeError):
                heard.happened.emit(error)

    def on_exception(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        tell(error)
        before(kind, error, trace)

    def on_thread(args: threading.ExceptHookArgs) -> None:
        tell(args.exc_value)
        thread_before(args)

    def stop() -> None:
        if sys.excepthook is on_exception:
            sys.excepthook = before
        if threading.excepthook is on_thread:
            threading.excepthook = thread_before

    sys.excepthook, threading.excepthook = on_exception, on_thread
    return stop
