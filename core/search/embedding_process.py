"""An embedder in a process of its own, so that loading torch never holds up a window.

The child is this module run as a program. Both sides speak in frames: a line of JSON, followed
by as many bytes of payload as its ``bytes`` says. No pickle crosses the pipe.
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
from typing import IO, TYPE_CHECKING, Any

import numpy as np

import core
from core.errors import Cancelled, Code, InspectorError
from core.progress import IsCancelled, Progress, never_cancelled, no_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

POLL_S = 0.05
QUIT_S = 2.0


class ProcessEmbedder:
    """The `Embedder` protocol over a child process; one request at a time, from any thread.

    A child that dies fails the request under way with 4001; the next request starts another.

    Parameters
    ----------
    name : the model's catalog name or folder.

    Raises
    ------
    InspectorError
        What loading the model refuses: 8003 or 4001.
    Cancelled
        When `is_cancelled` says so while the model is loading; the child is ended.
    """

    def __init__(self, name: str, is_cancelled: IsCancelled = never_cancelled) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._frames: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()
        self._closed = False
        with self._lock:
            ready = self._start(is_cancelled)
        self.identity: str = ready["identity"]
        self.dimension: int = ready["dimension"]
        self.max_tokens: int = ready["max_tokens"]

    def embed(self, texts: Sequence[str], progress: Progress = no_progress,
              is_cancelled: IsCancelled = never_cancelled) -> NDArray[np.float32]:
        """Return L2-normalised embeddings: float32 (len(texts), dimension)."""
        return self._ask({"texts": list(texts), "query": False}, progress, is_cancelled)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the L2-normalised embedding of a query: float32 (dimension,)."""
        vectors = self._ask({"texts": [text], "query": True}, no_progress, never_cancelled)
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def close(self) -> None:
        """End the child, also in the middle of a request."""
        self._closed = True
        self._stop()

    def _ask(self, request: dict[str, Any], progress: Progress,
             is_cancelled: IsCancelled) -> NDArray[np.float32]:
        while not self._lock.acquire(timeout=POLL_S):
            if is_cancelled():
                raise Cancelled
        try:
            if self._child is None or self._child.poll() is not None:
                self._start(is_cancelled)
            self._send(request)
            return self._answer(progress, is_cancelled)
        finally:
            self._lock.release()

    def _start(self, is_cancelled: IsCancelled) -> dict[str, Any]:
        if self._closed:
            raise Cancelled
        # One that has died still has pipes to close.
        self._stop()
        self._frames = queue.SimpleQueue()
        paths = [str(Path(core.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        self._child = subprocess.Popen(
            [sys.executable, "-m", __name__, self._name], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))})
        threading.Thread(target=_pump, args=(self._child.stdout, self._frames), daemon=True,
                         name="embedding-frames").start()
        try:
            header: dict[str, Any] = self._next_frame(is_cancelled)[0]
        except InspectorError:
            self._stop()
            raise
        return header

    def _answer(self, progress: Progress, is_cancelled: IsCancelled) -> NDArray[np.float32]:
        told = False
        while True:
            if is_cancelled() and not told:
                self._send({"cancel": True})
                told = True
            frame = self._next_frame(is_cancelled if not told else never_cancelled, wait=False)
            if frame is None:
                continue
            header, payload = frame
            if "progress" in header:
                progress(*header["progress"])
            elif header.get("cancelled"):
                raise Cancelled
            else:
                vectors = np.frombuffer(payload, dtype="<f4")
                return vectors.reshape(header["count"], header["dimension"])

    def _next_frame(self, is_cancelled: IsCancelled, *,
                    wait: bool = True) -> Any:
        while True:
            try:
                frame = self._frames.get(timeout=POLL_S)
            except queue.Empty:
                if not wait:
                    return None
                if is_cancelled():
                    self._stop()
                    raise Cancelled from None
                continue
            if frame is None:
                self._stop()
                if self._closed:
                    raise Cancelled
                raise InspectorError(Code.InferenceFailed, "the embedding process died",
                                     hint="try again; if it dies again, memory may be short")
            header, payload = frame
            if "error" in header:
                error = header["error"]
                raise InspectorError(Code(error["code"]), error["message"], hint=error["hint"])
            return header, payload

    def _send(self, request: dict[str, Any]) -> None:
        child = self._child
        if child is None or child.stdin is None:
            return
        # A child that has died says so through the end of its frames.
        with contextlib.suppress(OSError):
            _write_frame(child.stdin, request)

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait(QUIT_S)
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class EmbedderProcesses:
    """Loads models for a `ModelProvider`, each in a process of its own.

    Closing ends those that are still loading, too.
    """

    def __init__(self) -> None:
        self._closing = threading.Event()

    def __call__(self, name: str) -> ProcessEmbedder:
        """Return an embedder whose model is loaded; see `ProcessEmbedder`."""
        return ProcessEmbedder(name, self._closing.is_set)

    def close(self) -> None:
        """Give up what is being loaded."""
        self._closing.set()


def _pump(pipe: IO[bytes] | None,
          frames: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None]) -> None:
    """Move frames from the pipe to the queue; None says that the pipe has ended."""
    try:
        while pipe is not None:
            frame = _read_frame(pipe)
            frames.put(frame)
            if frame is None:
                return
    except (OSError, ValueError):
        frames.put(None)


def _read_frame(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    line = pipe.readline()
    if not line.endswith(b"\n"):
        return None
    header: dict[str, Any] = json.loads(line)
    size = header.get("bytes", 0)
    payload = pipe.read(size) if size else b""
    return (header, payload) if len(payload) == size else None


def _write_frame(pipe: IO[bytes], header: dict[str, Any], payload: bytes = b"") -> None:
    if payload:
        header = header | {"bytes": len(payload)}
    pipe.write(json.dumps(header).encode() + b"\n" + payload)
    pipe.flush()


class _Child:
    """The program in the child process: loads one model and embeds what it is sent."""

    def __init__(self, name: str, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._answers = answers
        self._work: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        threading.Thread(target=self._listen, args=(requests,), daemon=True).start()
        self._name = name

    def _listen(self, requests: IO[bytes]) -> None:
        while (frame := _read_frame(requests)) is not None:
            if frame[0].get("cancel"):
                self._stop.set()
            else:
                self._work.put(frame[0])
        self._work.put(None)

    def run(self) -> None:
        from core.search.embedding import load_embedder

        try:
            embedder = load_embedder(self._name)
        except InspectorError as error:
            self._refuse(error)
            return
        _write_frame(self._answers, {"identity": embedder.identity,
                                     "dimension": embedder.dimension,
                                     "max_tokens": embedder.max_tokens})
        while (request := self._work.get()) is not None:
            self._stop.clear()
            try:
                if request["query"]:
                    vectors = embedder.embed_query(request["texts"][0])[np.newaxis]
                else:
                    vectors = embedder.embed(request["texts"], self._report, self._stop.is_set)
            except Cancelled:
                _write_frame(self._answers, {"cancelled": True})
            except InspectorError as error:
                self._refuse(error)
            else:
                data = np.ascontiguousarray(vectors, dtype="<f4")
                _write_frame(self._answers, {"count": data.shape[0], "dimension": data.shape[1]},
                             data.tobytes())

    def _report(self, what: str, done: int, total: int) -> None:
        _write_frame(self._answers, {"progress": [what, done, total]})

    def _refuse(self, error: InspectorError) -> None:
        _write_frame(self._answers, {"error": {
            "code": int(error.code), "message": error.message, "hint": error.hint}})


def main() -> None:
    """Serve one model over standard input and output."""
    # The window shares the processor with this; it must not wait for it.
    with contextlib.suppress(AttributeError, OSError):
        os.nice(5)
    answers = sys.stdout.buffer
    # Nothing that a library prints may get between the frames.
    sys.stdout = sys.stderr
    _Child(sys.argv[1], sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
