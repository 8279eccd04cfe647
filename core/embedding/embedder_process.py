"""An embedder in a process of its own, so that loading torch never holds up a window.

The child is this module run as a program.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Cancelled, Code, InspectorError
from core.io.child_process import ChildProcess, Frame, parent, receive_frame, send_frame
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.embedding.embedder import Embedder


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
        self._closed = False
        self._child, ready = self._start(work)
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
        self._child.stop()

    def _ask(self, request: dict[str, Any], work: Work) -> NDArray[np.float32]:
        with work.alone(self._lock):
            if not self._child.is_running():
                self._child, _ = self._start(work)
            self._child.send(request)
            try:
                header, payload = self._answer(self._child, work)
            except Cancelled:
                self._child.send({"cancel": True})
                self._answer(self._child, QUIETLY)
                raise
        return np.frombuffer(payload, dtype="<f4").reshape(header["shape"])

    def _start(self, work: Work) -> tuple[ChildProcess, dict[str, Any]]:
        """Start a child and wait until it has loaded the model; what it says of that."""
        if self._closed:
            raise Cancelled
        child = ChildProcess(__name__, self._name)
        try:
            header, _ = self._answer(child, work)
        except BaseException:
            child.stop()
            raise
        return child, header

    def _answer(self, child: ChildProcess, work: Work) -> Frame:
        """Return the next frame; a refusal is raised."""
        try:
            header, payload = child.answer(work)
        except EOFError:
            child.stop()
            if self._closed:
                raise Cancelled from None
            raise InspectorError(
                Code.InferenceFailed,
                "the embedding process died",
                hint="try again; if it dies again, memory may be short",
            ) from None
        if "error" in header:
            error = header["error"]
            raise InspectorError(Code(error["code"]), error["message"], hint=error["hint"])
        return header, payload


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


def main() -> None:
    """Load one model, and embed what is sent, until the connection ends."""
    from core.embedding.embedder import load_embedder

    there, (name,) = parent()
    try:
        embedder = load_embedder(name)
    except InspectorError as error:
        send_frame(there, _refusal(error))
        return
    ready = {name: getattr(embedder, name) for name in ("identity", "dimension", "max_tokens")}
    send_frame(there, ready)
    # Nothing is sent before an answer but what cancels it.
    work = Work(
        progress=lambda *report: send_frame(there, {"progress": report}), is_cancelled=there.poll
    )
    with contextlib.suppress(EOFError, OSError):
        while True:
            request, _ = receive_frame(there)
            if "cancel" not in request:
                send_frame(there, *_answer(embedder, request, work))


def _answer(embedder: Embedder, request: dict[str, Any], work: Work) -> Frame:
    try:
        if request["query"]:
            vectors = embedder.embed_query(request["texts"][0])[np.newaxis]
        else:
            vectors = embedder.embed(request["texts"], work)
    except Cancelled:
        return {"cancelled": True}, b""
    except InspectorError as error:
        return _refusal(error), b""
    return {"shape": vectors.shape}, vectors.astype("<f4").tobytes()


def _refusal(error: InspectorError) -> dict[str, Any]:
    return {"error": {"code": int(error.code), "message": error.message, "hint": error.hint}}


if __name__ == "__main__":
    main()
