"""Columns of records that were read at different times, put together without reading them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.knowledge.schema import Column, FieldType

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CODED = frozenset({FieldType.STRING, FieldType.SET})


def joined(first: Column, second: Column) -> Column:
    """Return the column of the n records of `first` and, after them, the m of `second`.

    Both are of the same field. The result is what `columns.build_columns` makes of all n + m
    records at once.
    """
    present = np.concatenate([first.present, second.present])
    present.setflags(write=False)
    vocabulary: tuple[str, ...] = ()
    parts: list[NDArray[np.generic]] = [first.values, second.values]
    if first.field.type in _CODED:
        vocabulary = _merged(first.vocabulary, second.vocabulary)
        parts = [_recoded(column, vocabulary) for column in (first, second)]
    values = np.concatenate(parts)
    values.setflags(write=False)
    offsets = None
    if first.offsets is not None and second.offsets is not None:
        offsets = np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]])
        offsets.setflags(write=False)
    return Column(first.field, values, present, vocabulary, offsets)


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    known = frozenset(first)
    new = [text for text in second if text not in known]
    return tuple(sorted((*first, *new))) if new else first


def _recoded(column: Column, vocabulary: tuple[str, ...]) -> NDArray[np.generic]:
    """Return the codes of the column in a vocabulary that holds its own."""
    if column.vocabulary == vocabulary:
        return column.values
    place = {text: code for code, text in enumerate(vocabulary)}
    # The last entry is what the code -1, for an absent value, finds.
    codes = np.array([*(place[text] for text in column.vocabulary), -1], dtype=np.int32)
    recoded: NDArray[np.int32] = codes[column.values.astype(np.int64)]
    return recoded
