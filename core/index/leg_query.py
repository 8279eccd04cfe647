"""The query as each leg sees it: what it reads of the words, what it drops, what nobody has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rapidfuzz import fuzz, process

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

DENSE = "Dense"
BM25 = "BM25"
FULL_TEXT = "Full text"
KEYWORD = "Keyword"

MOST_NEAR = 3
"""Nearest known words that are named for an unknown one."""

MOST_HELPED = 4
"""Unknown words for which the nearest known ones are looked for: each takes milliseconds."""

_LEAST_LIKENESS = 70.0

WrittenToken = tuple[str, str, int, int]
"""What a leg makes of a part of the query, "" for nothing; why; start and end of the part."""


class Fate(StrEnum):
    """What becomes of a word of the query; an unknown one is kept too, and finds nothing."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of the query, or what stands between two.

    written : as it stands in the query.
    seen : what the leg makes of it: a token or a stem; "" for what it drops.
    near : for an unknown one, the nearest of those that the store has, the nearest first.
    why : what a dropped one is: ``punctuation`` or ``stop word``.
    """

    written: str
    seen: str
    fate: Fate
    near: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class LegQuery:
    """The query as one leg sees it.

    leg : what it is called on screen: ``BM25``, ``Dense``, ``Keyword`` or ``Full text``.
    words : of a leg that searches by words, in the order of the query.
    prompt, record_prompt : what the model's configuration puts before a question and before a
        record.
    tokens, max_tokens : how many the model would need for the whole question, and how many it
        reads; 0 where that is not known, or was not counted since the text is short.
    warning : what the leg does not see of the query, in a sentence, or "".
    """

    leg: str
    words: tuple[QueryWord, ...] = ()
    prompt: str = ""
    record_prompt: str = ""
    tokens: int = 0
    max_tokens: int = 0
    warning: str = ""

    @property
    def kept(self) -> tuple[str, ...]:
        """What it searches with, repeats included."""
        return tuple(word.seen for word in self.words if word.seen)

    @property
    def unknown(self) -> tuple[QueryWord, ...]:
        """The words that nothing in the store has."""
        return tuple(word for word in self.words if word.fate is Fate.UNKNOWN)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        if self.leg == DENSE:
            return {
                "leg": self.leg,
                "prompt": self.prompt,
                "record_prompt": self.record_prompt,
                **({"tokens": self.tokens} if self.tokens else {}),
                **({"max_tokens": self.max_tokens} if self.max_tokens else {}),
                **({"warning": self.warning} if self.warning else {}),
            }
        unknown = {word.seen: list(word.near) for word in self.unknown}
        return {
            "leg": self.leg,
            "kept": list(self.kept),
            "dropped": [word.written for word in self.words if word.fate is Fate.DROPPED],
            "unknown": list(unknown),
            "nearest_known": unknown,
        }


DENSE_QUERY = LegQuery(DENSE)
BM25_QUERY = LegQuery(BM25)


def no_word_found(queries: Sequence[LegQuery], otherwise: tuple[str, str]) -> tuple[str, str]:
    """Return what to say and what to advise when a search by words alone found nothing.

    Parameters
    ----------
    otherwise : where the query has words, and nothing like them is known.
    """
    if not any(query.kept for query in queries):
        return "There is no word to search for in this question", "Stop words and punctuation only"
    near = dict.fromkeys(
        word for query in queries for unknown in query.unknown for word in unknown.near
    )
    return (otherwise[0], f"Nearest known words: {', '.join(near)}") if near else otherwise


def query_words(
    text: str, parts: Iterable[WrittenToken], vocabulary: Collection[str]
) -> tuple[QueryWord, ...]:
    """Return the words of a query, and as dropped whatever is between them and no white space.

    Parameters
    ----------
    parts : of the text, ascending; a part that is dropped has "" for its token.
    vocabulary : what the store has.
    """
    words: list[QueryWord] = []
    helped: dict[str, tuple[str, ...]] = {}
    end = 0
    for seen, why, start, stop in parts:
        words += _between(text[end:start])
        end = max(end, stop)
        written = text[start:stop]
        if not seen:
            words.append(QueryWord(written, "", Fate.DROPPED, why=why))
        elif seen in vocabulary:
            words.append(QueryWord(written, seen, Fate.KNOWN))
        else:
            if seen not in helped:
                helped[seen] = nearest(seen, vocabulary) if len(helped) < MOST_HELPED else ()
            words.append(QueryWord(written, seen, Fate.UNKNOWN, helped[seen]))
    words += _between(text[end:])
    return tuple(words)


def nearest(word: str, vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Return the words that are most like one that is not among them, the most alike first.

    Likeness is 2 · common / total characters, where those in common keep their order.
    """
    found = process.extract(
        word, list(vocabulary), scorer=fuzz.ratio, score_cutoff=_LEAST_LIKENESS, limit=MOST_NEAR
    )
    return tuple(near for near, *_ in found)


def _between(text: str) -> Iterator[QueryWord]:
    for part in text.split():
        yield QueryWord(part, "", Fate.DROPPED, why="punctuation")
