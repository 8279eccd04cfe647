"""How the keyword retriever scores: weights, the score of every entry, and where it comes from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from core.hits.numbers import in_detail
from core.index.leg_query import KEYWORD, LegQuery, query_words
from core.io.request import InvalidRequest, check_number, check_whole, refuse_unknown, shown
from core.keyword.index import FIELDS, KeywordIndex, matched_spans, query_parts, tokens
from core.keyword.preview import preview

if TYPE_CHECKING:
    from numpy.typing import NDArray


CATEGORY_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "concepts": 1.5,
        "quickstarts": 1.5,
        "tasks": 1.2,
        "references": 1.0,
        "comparisons": 1.0,
        "tips": 0.9,
        "notes": 0.9,
        "troubleshooting": 0.9,
        "errors": 0.4,
        "warnings": 0.4,
        "faqs": 0.4,
    }
)

NO_MATCH = "no-match"
_WHOLE = {"path_cap": 0, "aliases_overlap": 0, "preview_chars": 0}


@dataclass(frozen=True, slots=True)
class KeywordWeights:
    """What a matched stem counts, by field, and how the category of an entry weighs.

    path, summary, aliases, content, related : points of one matched stem in that field, 0 or more.
    path_cap : matched stems of the path beyond this many count nothing.
    aliases_overlap : the aliases count only from this many matched stems on.
    preview_chars : how many characters of the content are read.
    categories : the factor of each category (first folder of the path), 0 or more.
    other_category : the factor of every other category, and of entries without a folder.

    Raises
    ------
    InvalidRequest
        3007 with the weight's name, for a negative, infinite or wrongly typed value.
    """

    path: float = 2.0
    summary: float = 1.5
    aliases: float = 2.0
    content: float = 1.0
    related: float = 0.5
    path_cap: int = 3
    aliases_overlap: int = 2
    preview_chars: int = 500
    categories: Mapping[str, float] = field(default_factory=lambda: CATEGORY_WEIGHTS, hash=False)
    other_category: float = 1.0

    def __post_init__(self) -> None:
        """Refuse weights that no score can be made with."""
        for item in fields(self):
            value, param = getattr(self, item.name), f"weights.{item.name}"
            if item.name in _WHOLE:
                check_whole(param, value, _WHOLE[item.name])
            elif item.name != "categories":
                check_number(param, value)
        if not isinstance(self.categories, Mapping):
            raise InvalidRequest(
                "weights.categories",
                f"expected an object of category: weight, found {shown(self.categories)}",
            )
        for name, value in self.categories.items():
            check_number(f"weights.categories.{name}", value)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> KeywordWeights:
        """Return the weights of a JSON object: keys are the names above, missing ones default.

        `categories` adds to the default categories.

        Raises
        ------
        InvalidRequest
            3007 for an unknown key or a bad value.
        """
        known = [item.name for item in fields(cls)]
        refuse_unknown(values, known, what="weight", path="weights.")
        given = dict(values)
        if isinstance(given.get("categories"), Mapping):
            given["categories"] = {**CATEGORY_WEIGHTS, **given["categories"]}
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """Return the weights as a JSON object, every one of them."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**values, "categories": dict(self.categories)}

    def category(self, name: str) -> float:
        """Return the factor of a category."""
        return self.categories.get(name, self.other_category)

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of one counted stem: float64 (fields,), in the order of `FIELDS`."""
        return np.array([getattr(self, name) for name in FIELDS], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class FieldPart:
    """What one field gives to a score.

    field : its name, one of `FIELDS`.
    stems : the query's stems that it has, sorted.
    counted : how many of them count, after the cap of the path and the floor of the aliases.
    weight : points of each.
    points : counted × weight.
    note : why fewer count than match, or "".
    """

    field: str
    stems: tuple[str, ...]
    counted: int
    weight: float
    points: float
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class KeywordCandidates:
    """The score of every entry for one query; `k` and `min_score` only choose among them.

    query : the text that was searched.
    stems : its distinct stems, sorted; none when it has stop words only.
    seen : the query as the search sees it, with the words that it drops.
    index : what was searched; its rows are in the order of the paths.
    weights : what the scores are made with.
    overlaps : int32 (n, fields), how many stems each field has (columns as in `FIELDS`).
    scores : float64 (n,), 0 or more, higher is better.
    order : int64 (m,), the rows that share a word with the query, best first, ties by path. The
        last of them may be worth 0 points: too few aliases match, or a weight is 0.
    scored : how many of them have a score above 0.
    search_ms : wall time of the search, milliseconds.
    """

    query: str
    stems: tuple[str, ...]
    seen: LegQuery
    index: KeywordIndex
    weights: KeywordWeights
    overlaps: NDArray[np.int32]
    scores: NDArray[np.float64]
    order: NDArray[np.int64]
    scored: int
    search_ms: float = 0.0

    def parts(self, row: int) -> tuple[FieldPart, ...]:
        """Return what each field gives to the row's base score, in the order of `FIELDS`."""
        matched = self.index.matched(row, self.stems)
        counted = count(self.overlaps[row : row + 1], self.weights)[0].tolist()
        return tuple(
            FieldPart(name, stems, number, weight, number * weight, self._note(name, stems, number))
            for name, stems, number, weight in zip(
                FIELDS, matched, counted, self.weights.points.tolist(), strict=True
            )
        )

    def _note(self, name: str, stems: tuple[str, ...], counted: int) -> str:
        if counted == len(stems):
            return ""
        if name == "path":
            return f"{len(stems)} match, at most {self.weights.path_cap} count"
        return (
            f"{len(stems)} of the {self.weights.aliases_overlap} stems that must match "
            "before aliases count"
        )

    def beyond(self, row: int) -> tuple[tuple[str, ...], int]:
        """Return the query's stems that stand only behind what is read of an entry's content.

        Returns
        -------
        The stems, sorted, and how many characters have to be read for the first of them: 0 for
        none.
        """
        content, chars = self.index.entries[row].content, self.index.preview_chars
        read = tokens(preview(content, chars))
        wanted = [word for word in self.stems if word not in read]
        whole = preview(content, None)
        found = [span for span in matched_spans(whole, wanted) if span[1] > chars]
        stems = {word for start, end in found for word in tokens(whole[start:end])}
        return tuple(sorted(stems.intersection(wanted))), found[0][1] if found else 0

    def match_reason(self, row: int) -> str:
        """Return what gives points in one line, ``path:2+content:3+cat:concepts×1.5``."""
        counted = count(self.overlaps[row : row + 1], self.weights)[0].tolist()
        weights = self.weights.points.tolist()
        parts = [
            f"{name}:{number}"
            for name, number, weight in zip(FIELDS, counted, weights, strict=True)
            if number and weight
        ]
        category = self.index.entries[row].category
        factor = self.weights.category(category)
        if parts and factor != 1.0:
            parts.append(f"cat:{category}×{in_detail(factor, 0)}")
        return "+".join(parts) or NO_MATCH


def count(overlaps: NDArray[np.int32], weights: KeywordWeights) -> NDArray[np.int32]:
    """Return how many matched stems count: the path's capped, too few alias matches none.

    Parameters
    ----------
    overlaps : int32 (n, fields), matched stems, columns as in `FIELDS`.

    Returns
    -------
    int32 (n, fields).
    """
    counted = overlaps.copy()
    path, aliases = FIELDS.index("path"), FIELDS.index("aliases")
    counted[:, path] = np.minimum(counted[:, path], weights.path_cap)
    counted[counted[:, aliases] < weights.aliases_overlap, aliases] = 0
    return counted


def search(query: str, index: KeywordIndex, weights: KeywordWeights) -> KeywordCandidates:
    """Score every entry: Σ weight × counted stems over the fields, × the category's factor."""
    started = time.perf_counter()
    stems = tuple(sorted(tokens(query)))
    overlaps = index.overlaps(stems)
    overlaps.setflags(write=False)
    scores, order, scored = _scores(overlaps, index, weights)
    return KeywordCandidates(
        query,
        stems,
        LegQuery(KEYWORD, query_words(query, query_parts(query), index.vocabulary)),
        index,
        weights,
        overlaps,
        scores,
        order,
        scored,
        1000 * (time.perf_counter() - started),
    )


def rescored(found: KeywordCandidates, weights: KeywordWeights) -> KeywordCandidates:
    """Return the same search with the scores that other weights make; nothing is searched again.

    Parameters
    ----------
    weights : with the `preview_chars` of those that `found` was made with, which its index has.
    """
    if weights == found.weights:
        return found
    scores, order, scored = _scores(found.overlaps, found.index, weights)
    return replace(found, weights=weights, scores=scores, order=order, scored=scored)


def _scores(
    overlaps: NDArray[np.int32], index: KeywordIndex, weights: KeywordWeights
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """Return scores and order of `KeywordCandidates`, read-only, and how many are above 0."""
    touched = np.flatnonzero(overlaps.any(axis=1))
    counted = count(overlaps[touched], weights)
    base = np.zeros(len(touched), dtype=np.float64)
    # Added field by field, as the rule is written, so that sums round as in a plain loop.
    for column, points in enumerate(weights.points.tolist()):
        base += points * counted[:, column]
    factors = np.array([weights.category(name) for name in index.category_names], dtype=np.float64)
    scores = np.zeros(len(index), dtype=np.float64)
    if len(touched):
        scores[touched] = base * factors[index.category_codes[touched]]
    order = touched[np.argsort(-scores[touched], kind="stable")]
    for array in (scores, order):
        array.setflags(write=False)
    return scores, order, int(np.count_nonzero(scores[touched] > 0))
