"""Which records each stage of a search in records removed, and which of them went on nevertheless.

As many as the stage's number says, where all records are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.hits.stage import StageKind, StageRows
from core.index.candidates import ranks
from core.index.order import largest_first
from core.retrieve import stages
from core.retrieve.modes import RetrievalMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from core.retrieve.select import Choice

_BACK_THROUGH_WORDS = "came back through BM25"
_BACK_THROUGH_MEANING = "came back through the dense leg"
_COUNTED_ONCE = "in both legs, counted once"


def stage_rows(choice: Choice, kind: StageKind) -> StageRows | None:
    """Return the records that a stage removed, the closest to getting in first.

    None for a stage that a search in this mode does not have.
    """
    find = _FINDERS[choice.settings.mode].get(kind)
    return None if find is None else find(choice)


def _by_filter(choice: Choice) -> StageRows:
    matching = choice.candidates.matching
    if matching is None:
        return StageRows.of(np.zeros(0, dtype=np.int64))
    return StageRows.of(_in_order(choice, ~matching))


def _beyond_top_k(choice: Choice) -> StageRows:
    """Dense: what the leg does not give, missed by the index or not."""
    return StageRows.of(_not_among(choice, choice.dense.rows[: choice.settings.top_k]))


def _by_threshold(choice: Choice) -> StageRows:
    return StageRows.of(choice.dense.rows[: choice.settings.top_k][len(choice.hit_rows) :])


def _without_words(choice: Choice) -> StageRows:
    is_hybrid = choice.settings.mode is RetrievalMode.Hybrid
    rows = _in_order(choice, _matching(choice) & (choice.sparse.scores == 0))
    return StageRows.of(rows, _kept(choice) if is_hybrid else None, _BACK_THROUGH_MEANING)


def _beyond_words_depth(choice: Choice) -> StageRows:
    is_hybrid = choice.settings.mode is RetrievalMode.Hybrid
    rows = choice.sparse.rows[choice.settings.depth :]
    return StageRows.of(rows, _kept(choice) if is_hybrid else None, _BACK_THROUGH_MEANING)


def _beyond_meaning_depth(choice: Choice) -> StageRows:
    rows = _not_among(choice, choice.dense.rows[: choice.settings.depth])
    return StageRows.of(rows, _worded(choice), _BACK_THROUGH_WORDS)


def _by_threshold_in_leg(choice: Choice) -> StageRows:
    rows = choice.dense.rows[: choice.settings.depth][len(_kept(choice)) :]
    return StageRows.of(rows, _worded(choice), _BACK_THROUGH_WORDS)


def _in_both(choice: Choice) -> StageRows:
    kept = _kept(choice)
    both = kept[np.isin(kept, _worded(choice))]
    return StageRows.of(both, both, _COUNTED_ONCE)


def _last(choice: Choice) -> StageRows:
    """Lexical and Hybrid: what the ranking gives beyond top_k."""
    ranking = choice.ranking
    if choice.settings.mode is RetrievalMode.Lexical:
        ranking = _worded(choice)
    return StageRows.of(ranking[len(choice.hit_rows) :])


def _nothing(_choice: Choice) -> StageRows:
    return StageRows.of(np.zeros(0, dtype=np.int64))


def _matching(choice: Choice) -> NDArray[np.bool_]:
    known = choice.candidates
    return np.ones(known.known_count, np.bool_) if known.matching is None else known.matching


def _kept(choice: Choice) -> NDArray[np.int64]:
    """Return what the dense leg gives, within the threshold."""
    return choice.gate(choice.dense.rows[: choice.settings.depth])


def _worded(choice: Choice) -> NDArray[np.int64]:
    """Return what the BM25 leg gives."""
    return choice.sparse.rows[: choice.settings.depth]


def _not_among(choice: Choice, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    outside = ranks(rows, choice.candidates.known_count) == 0
    return _in_order(choice, _matching(choice) & outside)


def _in_order(choice: Choice, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rows of a mask, the nearest first; in Lexical mode the best by words first."""
    if choice.settings.mode is RetrievalMode.Lexical:
        return largest_first(np.nan_to_num(choice.sparse.scores), np.flatnonzero(mask))
    order = choice.dense.order
    return order[mask[order]]


_FINDERS: dict[RetrievalMode, dict[StageKind, Callable[[Choice], StageRows]]] = {
    RetrievalMode.Dense: {
        stages.MATCHING: _by_filter,
        stages.RAW: _beyond_top_k,
        stages.NEAREST: _beyond_top_k,
        stages.WITHIN_THRESHOLD: _by_threshold,
        stages.HITS: _nothing,
    },
    RetrievalMode.Lexical: {
        stages.MATCHING: _by_filter,
        stages.WITH_WORDS: _without_words,
        stages.SPARSE_RAW: _beyond_words_depth,
        stages.HITS: _last,
    },
    RetrievalMode.Hybrid: {
        stages.MATCHING: _by_filter,
        stages.DENSE_RAW: _beyond_meaning_depth,
        stages.WITHIN_THRESHOLD: _by_threshold_in_leg,
        stages.WITH_WORDS: _without_words,
        stages.SPARSE_RAW: _beyond_words_depth,
        stages.FUSED: _in_both,
        stages.HITS: _last,
    },
}
