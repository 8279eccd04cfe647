"""Vectors from a prebuilt USearch index, where it fits: the knowledge then needs no embedding.

USearch is never imported here. A child process reads the file
(`core.embedding.prebuilt_process`), so that a damaged one ends the child and nothing else. An
index fits when it holds one vector for each record, of the model's dimension, with the record's
number as its key, built for cosine distances (or for inner products of vectors of length 1) and
kept in at least 16-bit floating point.
"""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from core.embedding.index_file import (
    USEARCH,
    IndexHeader,
    fault_of_index,
    read_index_header,
)
from core.embedding.prebuilt_process import INSTALL, REBUILD, sample_rows
from core.embedding.unit_vectors import are_of_unit_length
from core.embedding.vectors import (
    SUFFIX,
    RecordVectors,
    keep_vectors,
    prepare_vectors,
    vectors_key,
)
from core.io.cache import BoundedCache
from core.io.child_process import ChildProcess
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.embedding.embedder import Embedder
    from core.io.sidecar import SidecarFolder

SAMPLE_TOLERANCE = 0.02
"""Cosine distance up to which a vector of an index counts as the model's own."""

SAMPLE_LIMIT = 0.1
"""Beyond this it is another model's, or another text's; weights of 4 bits stay below 0.05."""

INSTEAD = " instead of index "
"""In the name of whose vectors they are: those of the model, for the index is of other texts."""

LEAST_TIME_S = 30.0
_BYTES_PER_S = 10e6
_MODULE = "core.embedding.prebuilt_process"
_REMEMBERED = 16
_OF_OTHER_TEXTS = (
    "the prebuilt index {} does not belong to these texts: its vectors are those of other records. "
    f"It is not used, and the texts are embedded; {REBUILD}"
)
_ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}

_Identity = tuple[str, int, int]

_known: BoundedCache[_Identity, PrebuiltIndex] = BoundedCache(lambda _: 1, _REMEMBERED)


@dataclass(frozen=True, slots=True, eq=False)
class PrebuiltIndex:
    """What reading a prebuilt index has shown.

    fault, hint : why it cannot be used and what to do; "" where it can.
    sha256 : of the file.
    count, dimension : of its vectors.
    precision : what it keeps them as, such as ``float32``.
    sample : float32 (s, dimension), of length 1: the vectors of `sample_rows`.
    """

    fault: str = ""
    hint: str = ""
    sha256: str = ""
    count: int = 0
    dimension: int = 0
    precision: str = ""
    sample: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))


class PrebuiltCheck:
    """The check of a prebuilt index: its child works while the caller does something else.

    What a file was found to be is remembered until its size or time changes. Leave the context to
    end the child.

    Parameters
    ----------
    path : the index file.

    Attributes
    ----------
    header : what the file says of itself, None where that is not known. Only a USearch index is
        read any further.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = read_index_header(path)
        self._identity = _identity(path)
        self._known = _fault_of_format(path, self.header) or _known.get(self._identity)
        self._reading = _Reading(path, "check") if self._known is None else None

    def __enter__(self) -> Self:
        """Return the check."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the child, if it still works."""
        if self._reading is not None:
            self._reading.close()

    def result(self, records: int | None, work: Work = QUIETLY) -> PrebuiltIndex:
        """Wait for what the child finds.

        Parameters
        ----------
        records : how many vectors the index must hold; None when that is not known.

        Raises
        ------
        Cancelled
            When `work` is cancelled.
        """
        if (
            self.header is not None
            and self.header.format == USEARCH
            and records not in (None, self.header.count)
        ):
            return PrebuiltIndex(
                f"it holds {self.header.count} vectors, and there are {records} records", REBUILD
            )
        if self._known is None and self._reading is not None:
            self._known = self._reading.result(work=work)
            if self._reading.is_certain:
                _known.put(self._identity, self._known)
        return self._known or PrebuiltIndex("it has not been read")


def prebuilt_vectors(
    path: Path,
    texts: Sequence[str],
    source: str,
    embedder: Embedder,
    sidecars: SidecarFolder,
    work: Work = QUIETLY,
) -> tuple[RecordVectors, str] | None:
    """Load the vectors of all texts from a prebuilt index, and keep them in the sidecar.

    The sidecar says from which index they came, so that another file is noticed. A text that has
    changed since then is embedded.

    Parameters
    ----------
    path : the index file.
    source : hash of the texts (`KnowledgeBase.digest`).

    Returns
    -------
    tuple[RecordVectors, str] | None
        The vectors, and whose they are, for `vectors_key`; None where the index is of no use, with
        a note unless a finding has said why when the knowledge was opened.

    Raises
    ------
    InspectorError
        4001 when the model fails.
    Cancelled
        When `work` is cancelled.
    """
    with PrebuiltCheck(path) as check:
        index = check.result(len(texts), work)
    if index.fault:
        return None
    if index.dimension != embedder.dimension:
        sidecars.note(
            f"the prebuilt index {path.name} is not used: its vectors have "
            f"{index.dimension} numbers, the model's have {embedder.dimension}"
        )
        return None
    made_by, instead = f"{embedder.identity} index {index.sha256}", _instead(index, embedder)
    if any(sidecar.key.model == instead for _, sidecar in sidecars.intact(SUFFIX)):
        sidecars.note(_OF_OTHER_TEXTS.format(path.name))
        return prepare_vectors(texts, source, embedder, sidecars, instead, work), instead
    if any(sidecar.key.model == made_by for _, sidecar in sidecars.intact(SUFFIX)):
        vectors = prepare_vectors(texts, source, embedder, sidecars, made_by, work)
    else:
        loaded = _load(path, index, sidecars, work)
        if loaded is None:
            return None
        key = vectors_key(source, made_by, embedder.dimension)
        vectors = keep_vectors(loaded, texts, key, sidecars)
    sidecars.note(f"the vectors come from the prebuilt index {path.name}{_caveat(index)}")
    return vectors, made_by


def compare_with_model(
    path: Path, texts: Sequence[str], embedder: Embedder, sidecars: SidecarFolder
) -> str:
    """Note it when the vectors of an index are not what the model makes of the texts.

    The texts of `sample_rows` are embedded. An index of this model whose vectors belong to other
    records is of no use. One of another model is used: the game searches it as well.

    Returns
    -------
    For an index of no use, whose the vectors are that take its place, for `vectors_key`; else "".

    Raises
    ------
    InspectorError
        4001 when the model fails.
    """
    with PrebuiltCheck(path) as check:
        index = check.result(len(texts))
    if index.fault or index.dimension != embedder.dimension:
        return ""
    sampled = [texts[row] for row in sample_rows(index.count)]
    distances = 1 - embedder.embed(sampled) @ index.sample.T
    if _are_of_other_texts(distances, sampled):
        sidecars.note(_OF_OTHER_TEXTS.format(path.name))
        return _instead(index, embedder)
    apart = float(distances.diagonal().max())
    if apart > SAMPLE_LIMIT:
        sidecars.note(
            f"the prebuilt index {path.name} was made by another model or from other "
            f"texts: a vector of it is {apart:.3f} away (cosine distance) from what the "
            f"model makes of the text. Its distances mislead; {REBUILD}"
        )
    elif apart > SAMPLE_TOLERANCE:
        sidecars.note(
            f"the prebuilt index {path.name} was made by a coarser form of the model: a "
            f"vector of it is {apart:.3f} away (cosine distance) from what the model "
            "makes of the text"
        )
    return ""


def _are_of_other_texts(distances: NDArray[np.float32], texts: Sequence[str]) -> bool:
    """Tell whether some vectors are the model's own, and some are not of the text in their place.

    Parameters
    ----------
    distances : float32 (s, s), of what the model makes of each text from each vector.
    """
    own = distances.diagonal()
    strange = own > SAMPLE_TOLERANCE
    if (own > SAMPLE_LIMIT).any() and not strange.all():
        return True
    places = zip(*np.nonzero((distances <= SAMPLE_TOLERANCE) & strange[:, np.newaxis]), strict=True)
    return any(texts[row] != texts[other] for row, other in places)


def _instead(index: PrebuiltIndex, embedder: Embedder) -> str:
    return f"{embedder.identity}{INSTEAD}{index.sha256}"


def _caveat(index: PrebuiltIndex) -> str:
    rounding = _ROUNDING.get(index.precision)
    if rounding is None:
        return ""
    # |Σ qᵢ vᵢ δᵢ| ≤ max |δᵢ| · |q| · |v|, and both have length 1.
    return f", which keeps them as {index.precision}: distances may be off by up to {rounding:.4f}"


def _load(
    path: Path, index: PrebuiltIndex, sidecars: SidecarFolder, work: Work
) -> NDArray[np.float32] | None:
    """Read all vectors: float32 (n, d), each of length 1; None, and a note, where that fails."""
    vectors = np.zeros((index.count, index.dimension), np.float32)

    def take(rows: tuple[int, int], payload: bytes) -> None:
        vectors[slice(*rows)] = np.frombuffer(payload, "<f4").reshape(-1, index.dimension)

    reading = _Reading(path, "vectors")
    try:
        found = reading.result(take, work)
    finally:
        reading.close()
    fault = found.fault
    if not fault and found.sha256 != index.sha256:
        fault = "it has changed since it was checked"
    if not fault and not (are_of_unit_length(vectors) and vectors.any(axis=1).all()):
        fault = "its vectors did not arrive whole"
    if fault:
        sidecars.note(f"the prebuilt index {path.name} is not used: {fault}")
        return None
    return vectors


class _Reading:
    """A child that reads one index file.

    is_certain : whether it has begun to read, so that its answer is about the file.
    """

    def __init__(self, path: Path, what: str) -> None:
        self.is_certain = False
        self._limit_s = LEAST_TIME_S + _identity(path)[1] / _BYTES_PER_S
        self._deadline = time.monotonic() + self._limit_s
        self._child = ChildProcess(_MODULE, str(path), what)

    def result(
        self, take: Callable[[tuple[int, int], bytes], None] | None = None, work: Work = QUIETLY
    ) -> PrebuiltIndex:
        """Wait until the child has read the file.

        Parameters
        ----------
        take : gets the vectors of some rows, from the first to before the second.
        """
        while True:
            try:
                header, payload = self._child.answer(work, self._deadline)
            except EOFError:
                return _died(self.is_certain)
            except TimeoutError:
                return PrebuiltIndex(
                    f"reading it took more than {self._limit_s:.0f} seconds", REBUILD
                )
            try:
                if "started" in header:
                    self.is_certain = True
                elif "rows" in header and take is not None:
                    first, stop = header["rows"]
                    take((first, stop), payload)
                else:
                    return _described(header, payload)
            except (KeyError, TypeError, ValueError):
                return PrebuiltIndex("the process that read it made no sense of it", REBUILD)

    def close(self) -> None:
        """End the child."""
        self._child.stop()


def _died(has_begun: bool) -> PrebuiltIndex:
    if has_begun:
        return PrebuiltIndex("the process that read it died, so the file is damaged", REBUILD)
    return PrebuiltIndex(
        "the process that reads it could not start",
        "open the knowledge again; if it happens again, memory may be short",
    )


def _described(header: dict[str, Any], payload: bytes) -> PrebuiltIndex:
    if "fault" in header:
        return PrebuiltIndex(header["fault"], header["hint"])
    sample = np.frombuffer(payload, "<f4").reshape(-1, header["dimension"])
    return PrebuiltIndex(
        sha256=header["sha256"],
        count=header["count"],
        dimension=header["dimension"],
        precision=header["precision"],
        sample=sample,
    )


def _fault_of_format(path: Path, header: IndexHeader | None) -> PrebuiltIndex | None:
    """Say why no child need look at the file: its format, or the library that it takes."""
    if header is None:
        fault, hint = fault_of_index(path)
        return PrebuiltIndex(fault, hint or REBUILD)
    if header.format != USEARCH:
        return PrebuiltIndex(f"it is an {header.format} index", "build it with USearch")
    if not _is_usearch_installed():
        return PrebuiltIndex("USearch, which reads it, is not installed", INSTALL)
    return None


def _is_usearch_installed() -> bool:
    try:
        return importlib.util.find_spec("usearch") is not None
    except (ImportError, ValueError):
        # An import hook may refuse it, a module in its place may have no spec.
        return False


def _identity(path: Path) -> _Identity:
    """Name a state of a file: path, size in bytes, and time of change in nanoseconds."""
    try:
        state = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path.resolve()), state.st_size, state.st_mtime_ns
