"""An index over a store's vectors, and what may make it elsewhere than in this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from core.io.sidecar import SidecarFolder, SidecarKey
    from core.io.work import Work


class VectorIndex(Protocol):
    """Finds near vectors quickly, most of them the nearest."""

    @property
    def dimension(self) -> int:
        """Length of the vectors."""

    @property
    def count(self) -> int:
        """How many there are."""

    def nearest(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64] | None:
        """Return the rows of `k` near records: int64 (k,); None when the index cannot answer.

        Parameters
        ----------
        query : float32 (dimension,), finite.
        k : 1 to `count`.
        """


@dataclass(frozen=True, slots=True)
class IndexTask:
    """What an index is made from.

    key : of the index; `vectors_key` of the vectors' sidecar.
    sidecars : where both lie.
    first : files to try before the sidecars.
    """

    key: SidecarKey
    vectors_key: SidecarKey
    sidecars: SidecarFolder
    first: Sequence[Path] = ()


class IndexMaker(Protocol):
    """Makes the indexes of large stores."""

    def __call__(self, task: IndexTask, work: Work) -> VectorIndex | None:
        """Load an index, or build and store it; None where that fails.

        Raises
        ------
        Cancelled
            When `work` is cancelled, or this is closed.
        """

    def close(self) -> None:
        """End what is being made."""
