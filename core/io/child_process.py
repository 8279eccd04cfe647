"""Child processes of ours, and the frames that go to and fro over a connection.

A frame is two messages: a header in JSON, and a payload of bytes. Nothing is ever pickled, so
`send` and `recv` of a connection are not used.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import time
from multiprocessing import connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_POLL_S = 0.05
_QUIT_S = 2.0

Frame = tuple[dict[str, Any], bytes]


class ChildProcess:
    """A module of ours that runs as a program, with a connection to it.

    Parameters
    ----------
    module : its full name.
    arguments : its command line, after the connection's handle.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        self._connection, theirs = connection.Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, str(theirs.fileno()), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
                **_inheriting(theirs.fileno()),
            )

    def is_running(self) -> bool:
        """Tell whether it has not ended yet."""
        return self.process.poll() is None

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send a frame. A child that has ended says so when its next frame is asked for."""
        with contextlib.suppress(OSError):
            send_frame(self._connection, header, payload)

    def answer(self, work: Work = QUIETLY, until: float = math.inf) -> Frame:
        """Wait for the next frame that does not report progress, and pass on those that do.

        Parameters
        ----------
        until : `time.monotonic` at which to give up.

        Raises
        ------
        EOFError
            The child has ended.
        TimeoutError
            It is too late.
        Cancelled
            When `work` is cancelled.
        """
        while True:
            work.stop_if_cancelled()
            if time.monotonic() > until:
                raise TimeoutError
            try:
                if not self._connection.poll(_POLL_S):
                    continue
                header, payload = receive_frame(self._connection)
            except OSError as error:
                # In the middle of a frame.
                raise EOFError from error
            if "progress" not in header:
                return header, payload
            work.progress(*header["progress"])

    def stop(self) -> None:
        """End it, whatever it is doing.

        Who waits for a frame is told by the end of the connection, which is therefore not closed
        here: the number of a closed one may be another file's by the time that it is read.
        """
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_QUIT_S)


def parent() -> tuple[Connection, list[str]]:
    """Return a child's connection to who started it, and its other arguments."""
    kind = getattr(connection, "PipeConnection", connection.Connection)
    return kind(int(sys.argv[1])), sys.argv[2:]


def send_frame(there: Connection, header: dict[str, Any], payload: bytes = b"") -> None:
    """Send a frame."""
    there.send_bytes(json.dumps(header).encode())
    there.send_bytes(payload)


def receive_frame(there: Connection) -> Frame:
    """Wait for a frame.

    Raises
    ------
    EOFError, OSError
        The other end is gone, before a frame or within one.
    """
    return json.loads(there.recv_bytes()), there.recv_bytes()


def _inheriting(handle: int) -> dict[str, Any]:
    """Return what lets a child process have this handle, under the same number."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)
        return {"close_fds": False}
    return {"pass_fds": (handle,)}


def usable_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
