"""Child processes of ours, and the frames that go to and fro over their pipes.

A frame is a line of JSON, followed by as many bytes of payload as its ``bytes`` says. No pickle
crosses a pipe.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import core

POLL_S = 0.05
QUIT_S = 2.0

Frame = tuple[dict[str, Any], bytes]


class ChildProcess:
    """A module of ours that runs as a program; a thread reads its frames as they come.

    Parameters
    ----------
    module : its full name.
    arguments : its command line.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        paths = [str(Path(core.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        threading.Thread(
            target=_pump, args=(self.process.stdout, self._frames), daemon=True, name="child-frames"
        ).start()

    def is_running(self) -> bool:
        """Tell whether it has not ended yet."""
        return self.process.poll() is None

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        """Send a frame. A child that has ended says so through the end of its frames."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                write_frame(self.process.stdin, header, payload)

    def receive(self, timeout_s: float = POLL_S) -> Frame | None:
        """Return the next frame, or None when none comes in time.

        Raises
        ------
        EOFError
            The child has ended.
        """
        try:
            frame = self._frames.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if frame is None:
            # Whoever asks again is told again.
            self._frames.put(None)
            raise EOFError
        return frame

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(QUIT_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def read_frame(pipe: IO[bytes]) -> Frame | None:
    """Read a frame; None at the end of the pipe, also in the middle of a frame."""
    line = pipe.readline()
    if not line.endswith(b"\n"):
        return None
    header: dict[str, Any] = json.loads(line)
    size = header.get("bytes", 0)
    payload = pipe.read(size) if size else b""
    return (header, payload) if len(payload) == size else None


def write_frame(pipe: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    """Write a frame."""
    if payload:
        header = header | {"bytes": len(payload)}
    pipe.write(json.dumps(header).encode() + b"\n" + payload)
    pipe.flush()


def take_output() -> IO[bytes]:
    """Return a child's standard output for its frames; what libraries print goes elsewhere."""
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    return answers


def _pump(pipe: IO[bytes] | None, frames: queue.SimpleQueue[Frame | None]) -> None:
    """Move frames from the pipe to the queue; None says that the pipe has ended."""
    try:
        while pipe is not None:
            frame = read_frame(pipe)
            frames.put(frame)
            if frame is None:
                return
    except (OSError, ValueError):
        frames.put(None)
