"""An embedder in a process of its own, so that loading torch never holds up a window.

The child is this module run as a program.
"""

from __future__ import annotations

import queue
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from core.errors import Cancelled, Code, InspectorError
from core.io.child_process import (
    ChildProcess,
    Frame,
    read_frame,
    take_output,
    write_frame,
)
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


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
        When `work` is cancelled while the model is loading; the child is ended.
    """

    def __init__(self, name: str, work: Work = QUIETLY) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._closed = False
        with self._lock:
            ready = self._start(work)
        self.identity: str = ready["identity"]
        self.dimension: int = ready["dimension"]
        self.max_tokens: int = ready["max_tokens"]

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        """Return L2-normalised embeddings: float32 (len(texts), dimension)."""
        return self._ask({"texts": list(texts), "query": False}, work)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the L2-normalised embedding of a query: float32 (dimension,)."""
        vectors = self._ask({"texts": [text], "query": True}, QUIETLY)
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def close(self) -> None:
        """End the child, also in the middle of a request."""
        self._closed = True
        self._stop()

    def _ask(self, request: dict[str, Any], work: Work) -> NDArray[np.float32]:
        with work.alone(self._lock):
            if self._child is None or not self._child.is_running():
                self._start(work)
            self._send(request)
            return self._answer(work)

    def _start(self, work: Work) -> dict[str, Any]:
        # One that has died still has pipes to close.
        self._stop()
        if self._closed:
            raise Cancelled
        self._child = ChildProcess(__name__, self._name)
        try:
            while True:
                frame = self._receive()
                if frame is not None:
                    return frame[0]
                work.stop_if_cancelled()
        except (InspectorError, Cancelled):
            self._stop()
            raise

    def _answer(self, work: Work) -> NDArray[np.float32]:
        told = False
        while True:
            if work.is_cancelled() and not told:
                self._send({"cancel": True})
                told = True
            frame = self._receive()
            if frame is None:
                continue
            header, payload = frame
            if "progress" in header:
                work.progress(*header["progress"])
            elif header.get("cancelled"):
                raise Cancelled
            else:
                vectors = np.frombuffer(payload, dtype="<f4")
                return vectors.reshape(header["count"], header["dimension"])

    def _send(self, request: dict[str, Any]) -> None:
        child = self._child
        if child is not None:
            child.send(request)

    def _receive(self) -> Frame | None:
        """Return the next frame, or None when none comes in time; a refusal is raised."""
        child = self._child
        try:
            if child is None:
                raise EOFError
            frame = child.receive()
        except EOFError:
            self._stop()
            if self._closed:
                raise Cancelled from None
            raise InspectorError(
                Code.InferenceFailed,
                "the embedding process died",
                hint="try again; if it dies again, memory may be short",
            ) from None
        if frame is not None and "error" in frame[0]:
            error = frame[0]["error"]
            raise InspectorError(Code(error["code"]), error["message"], hint=error["hint"])
        return frame

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()


class EmbedderProcesses:
    """Loads models for a `ModelProvider`, each in a process of its own.

    Closing ends those that are still loading, too.
    """

    def __init__(self) -> None:
        self._closing = threading.Event()

    def __call__(self, name: str) -> ProcessEmbedder:
        """Return an embedder whose model is loaded; see `ProcessEmbedder`."""
        return ProcessEmbedder(name, Work(is_cancelled=self._closing.is_set))

    def close(self) -> None:
        """Give up what is being loaded."""
        self._closing.set()


class _Child:
    """The program in the child process: loads one model and embeds what it is sent."""

    def __init__(self, name: str, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._answers = answers
        self._requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        threading.Thread(target=self._listen, args=(requests,), daemon=True).start()
        self._name = name

    def _listen(self, requests: IO[bytes]) -> None:
        while (frame := read_frame(requests)) is not None:
            if frame[0].get("cancel"):
                self._stop.set()
            else:
                self._requests.put(frame[0])
        self._requests.put(None)

    def run(self) -> None:
        from core.embedding.embedder import load_embedder

        try:
            embedder = load_embedder(self._name)
        except InspectorError as error:
            self._refuse(error)
            return
        write_frame(
            self._answers,
            {
                "identity": embedder.identity,
                "dimension": embedder.dimension,
                "max_tokens": embedder.max_tokens,
            },
        )
        work = Work(progress=self._report, is_cancelled=self._stop.is_set)
        while (request := self._requests.get()) is not None:
            self._stop.clear()
            try:
                if request["query"]:
                    vectors = embedder.embed_query(request["texts"][0])[np.newaxis]
                else:
                    vectors = embedder.embed(request["texts"], work)
            except Cancelled:
                write_frame(self._answers, {"cancelled": True})
            except InspectorError as error:
                self._refuse(error)
            else:
                data = np.ascontiguousarray(vectors, dtype="<f4")
                write_frame(
                    self._answers,
                    {"count": data.shape[0], "dimension": data.shape[1]},
                    data.tobytes(),
                )

    def _report(self, what: str, done: int, total: int) -> None:
        write_frame(self._answers, {"progress": [what, done, total]})

    def _refuse(self, error: InspectorError) -> None:
        write_frame(
            self._answers,
            {"error": {"code": int(error.code), "message": error.message, "hint": error.hint}},
        )


def main() -> None:
    """Serve one model over standard input and output."""
    _Child(sys.argv[1], sys.stdin.buffer, take_output()).run()


if __name__ == "__main__":
    main()
