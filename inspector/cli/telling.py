"""What a turn found and noticed, as the command line tells it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from core.knowledge.blank_texts import what_is_blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from core.agent.turn import Turn
    from core.nodes.walk import RetrievalResult


def tell(turn: Turn, notes: Sequence[str], told: frozenset[str] = frozenset()) -> frozenset[str]:
    """Print on standard error what a search did not see of the question, lint, and the notes.

    Parameters
    ----------
    notes : what was made anew and why, and what could not be kept.
    told : the notes of earlier turns, which are not said again.

    Returns
    -------
    The notes that have been told now.
    """
    for name, result in _searches(turn):
        for warning in (*result.warnings, *_blank_hits(result)):
            print(f"warning {name}: {warning}", file=sys.stderr)
    for run in turn.runs:
        for problem in run.projection.problems if run.projection is not None else ():
            where = f"{run.name}.template: line {problem.line}, column {problem.column}"
            print(f"{problem.severity} {where}: {problem.message}", file=sys.stderr)
    tell_notes(note for note in notes if note not in told)
    return told.union(notes)


def _blank_hits(result: RetrievalResult) -> Iterator[str]:
    for hit in result.hits:
        what = what_is_blank(hit.text)
        if what:
            yield f'the text of the hit "{hit.id}" is {what}: it takes a place and says nothing'


def tell_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, a line each."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def near_misses_of(turn: Turn, limit: int) -> list[dict[str, Any]]:
    """Return the closest near-misses of every node that searched, as JSON data.

    Each has ``id``, ``rank``, ``reason`` and ``needs``; ``distance`` and ``bm25_score`` of a
    Retrieve, ``score`` and ``match_reason`` of the others; and ``node`` where more than one ran.
    """
    runs = _searches(turn)
    return [
        {"node": name} | entry if len(runs) > 1 else entry
        for name, result in runs
        for entry in result.near_misses(limit)
    ]


def query_words_of(turn: Turn) -> list[dict[str, Any]]:
    """Return the query as each leg of every node that searched sees it, as JSON data.

    Of a leg that searches by words what is ``kept``, ``dropped`` and ``unknown``, and for each of
    the last the ``nearest_known``; of a model its prompts; and ``node`` where more than one ran.
    """
    runs = _searches(turn)
    return [
        {"node": name} | query.to_json() if len(runs) > 1 else query.to_json()
        for name, result in runs
        for query in result.leg_queries
    ]


def _searches(turn: Turn) -> list[tuple[str, RetrievalResult]]:
    return [
        (run.name, run.retrieval)
        for run in turn.runs
        if run.retrieval is not None and run.retrieval.listing is not None
    ]
