"""Vectors of length 1, as cosine distances take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOLERANCE = 1e-3


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1; rows of length 0 stay 0. float32 (n, d) → float32 (n, d)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = vectors / lengths
    return scaled


def are_of_unit_length(vectors: NDArray[np.float32]) -> bool:
    """Whether every row has length 1 or 0; False with NaN or an infinity in it.

    Parameters
    ----------
    vectors : float32 (n, d).
    """
    with np.errstate(all="ignore"):
        squares = np.vecdot(vectors, vectors)
        return bool(((np.abs(squares - 1) <= _TOLERANCE) | (squares == 0)).all())
