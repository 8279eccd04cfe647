"""Hits and near-misses of a keyword retrieval as every table shows them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.hits.hit import Hit
from core.hits.listing import Bar, ScoreLine, SortKeys, Timing, sort_keys
from core.hits.numbers import in_detail
from core.hits.stage import StageRows
from core.hits.words import QueryWords
from core.keyword import stages
from core.keyword.index import matched_spans
from core.keyword.preview import unread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from core.hits.stage import StageKind
    from core.hits.words import Span
    from core.index.leg_query import LegQuery
    from core.keyword.scoring import FieldPart
    from core.keyword.select import KeywordHit, KeywordSelection

_MARKS = 12


class KeywordListing:
    """A `core.hits.listing.Listing` of corpus entries; rows are those of the index."""

    is_complete = True

    fields = ("rank", "score", "match_reason")
    known_fields: tuple[str, ...] | None = None

    def __init__(self, selection: KeywordSelection) -> None:
        self.selection = selection
        self.hit_rows: NDArray[np.int64] = selection.hit_rows
        self._stories: dict[int, Hit] = {}

    @property
    def search(self) -> object:
        """The index that was searched and the words that were searched for."""
        # Other weights make other scores of the same search.
        return self.selection.candidates.overlaps

    @property
    def record_count(self) -> int:
        """Number of entries in the corpus."""
        return self.selection.counts.entries

    @property
    def near_miss_count(self) -> int:
        """How many entries match the query and are no hits."""
        return self.selection.near_miss_count

    @property
    def bar(self) -> Bar | None:
        """The score, ending at the best one; the line is `min_score`."""
        found, floor = self.selection.candidates, self.selection.min_score
        best = float(found.scores[found.order[0]]) if len(found.order) else 1.0
        return Bar("score", max(best, floor), floor or None)

    @cached_property
    def words(self) -> QueryWords:
        """The query's stems."""
        return QueryWords(frozenset(self.selection.candidates.stems), find=matched_spans)

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """The query's stems, and the words that it drops."""
        return (self.selection.candidates.seen,)

    @property
    def marks(self) -> Mapping[str, Sequence[float]]:
        """The best scores: floors at which the result changes."""
        found = self.selection.candidates
        return {"min_score": found.scores[found.order[:_MARKS]].tolist()}

    @property
    def timing(self) -> Timing:
        """How long the search took."""
        return Timing(self.selection.candidates.search_ms)

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The entries that are returned, best first."""
        return tuple(self.story(row) for row in self.hit_rows.tolist())

    def story(self, row: int) -> Hit:
        """Return everything about one entry (made once, then kept)."""
        known = self._stories.get(row)
        if known is None:
            known = self._stories[row] = _hit(row, self.selection.story(row))
        return known

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the rows of the first `limit` near-misses, best score first."""
        return self.selection.near_miss_rows(limit)

    def stage_rows(self, kind: StageKind) -> StageRows | None:
        """Return the entries that a stage removed, best score first."""
        counts, ranking = self.selection.counts, self.selection.ranking
        ends = {
            stages.MATCHED: (counts.matched, counts.entries),
            stages.AT_OR_ABOVE: (counts.at_or_above, counts.matched),
            stages.HITS: (counts.hits, counts.at_or_above),
        }.get(kind)
        return None if ends is None else StageRows.of(ranking[slice(*ends)])

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what near-misses are sorted by."""
        if field == "score":
            return self.selection.candidates.scores[list(rows)]
        return sort_keys([self.story(row) for row in rows], field)

    def row_of(self, hit_id: str) -> int:
        """Return the row of the entry with this path, or −1."""
        return self.selection.candidates.index.row_of(hit_id)

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Show the score field by field with the stems that matched there, and what is missing."""
        told = self.selection.story(row)
        lines = [] if told.rank is None else [ScoreLine("rank", str(told.rank))]
        lines += [_field_line(part) for part in told.parts if part.stems]
        if not any(part.stems for part in told.parts):
            lines.append(ScoreLine("no field", "has a word of the question in what is read"))
        lines += self._preview_lines(row)
        folder = told.entry.category or "no folder"
        lines += [
            ScoreLine("sum", in_detail(told.base, 0)),
            ScoreLine("category", f"{folder} × {in_detail(told.category_weight, 0)}"),
            ScoreLine("score", _product(told.base, told.category_weight, told.score)),
        ]
        if told.misses_by:
            lines.append(ScoreLine("misses min_score by", _missing(told, self.selection.min_score)))
        return tuple(lines)

    def unread(self, row: int) -> tuple[Span, ...]:
        """Return what the preview leaves out of an entry's body."""
        index = self.selection.candidates.index
        entry = index.entries[row]
        return unread(entry.content, entry.body, index.preview_chars)

    def _preview_lines(self, row: int) -> list[ScoreLine]:
        """Say how much of a body is not read, and which words of the query stand there."""
        index, left_out = self.selection.candidates.index, self.unread(row)
        if not left_out:
            return []
        whole = len(index.entries[row].body)
        read = whole - sum(end - start for start, end in left_out)
        limit = f"preview_chars {index.preview_chars}, front matter included"
        lines = [ScoreLine("text read", f"{read:,} of {whole:,} characters", limit)]
        stems, chars = self.selection.candidates.beyond(row)
        if stems:
            lines.append(
                ScoreLine("beyond what is read", ", ".join(stems), f"preview_chars ≥ {chars:,}")
            )
        return lines

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return what the front matter, or the record, says, and all cross links."""
        entry = self.selection.candidates.index.entries[row]
        return {**entry.metadata, "related": entry.related} if entry.related else entry.metadata


def _hit(row: int, told: KeywordHit) -> Hit:
    needs = told.needs
    if told.misses_by and told.score:
        # The gap beside the floor, so that a table shows both: ``min_score ≤ 2.25 (−0.75)``.
        needs += f" (−{in_detail(told.misses_by, 0)})"
    return Hit(
        row=row,
        id=told.entry.path,
        text=told.entry.body,
        reason=told.reason,
        rank=told.rank,
        needs=needs,
        score=told.score,
        match_reason=told.match_reason,
    )


def _field_line(part: FieldPart) -> ScoreLine:
    return ScoreLine(
        part.field,
        f"{_product(part.counted, part.weight, part.points)} · {', '.join(part.stems)}",
        part.note,
    )


def _missing(told: KeywordHit, min_score: float) -> str:
    missing, floor, score = (in_detail(n, 0) for n in (told.misses_by, min_score, told.score))
    return f"{missing} ({floor} − {score})"


def _product(one: float, other: float, result: float) -> str:
    return f"{in_detail(one, 0)} × {in_detail(other, 0)} = {in_detail(result, 0)}"
