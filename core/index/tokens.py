"""The words that the lexical leg sees: how text becomes tokens.

Text is normalised to NFC and case-folded; tokens are its maximal runs of letters, marks and decimal
digits (Unicode categories L*, M* and Nd). Writing without spaces between words (Han, Hiragana,
Katakana, Hangul, Thai) is cut into characters and overlapping pairs instead. No stop words, no
stemming.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[str, int, int]

_UNSPACED = (
    (0x0E01, 0x0E5B),  # Thai
    (0x1100, 0x11FF),
    (0x302E, 0x302F),
    (0x3131, 0x318E),
    (0xA960, 0xA97C),  # Hangul
    (0xAC00, 0xD7A3),
    (0xD7B0, 0xD7FB),
    (0xFFA0, 0xFFDC),
    (0x3031, 0x3035),
    (0x3041, 0x309F),
    (0x1B001, 0x1B11F),
    (0x1B132, 0x1B132),  # Hiragana
    (0x1B150, 0x1B152),
    (0x30A1, 0x30FF),
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1AFFE),  # Katakana
    (0x1B000, 0x1B000),
    (0x1B120, 0x1B122),
    (0x1B155, 0x1B155),
    (0x1B164, 0x1B167),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x303B),  # Han
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x16FE2, 0x16FE3),
    (0x16FF0, 0x16FF1),
    (0x20000, 0x3FFFF),
)
"""Code points of the scripts whose runs are cut into pairs, the sound marks that they share
included (Unicode Scripts.txt and ScriptExtensions.txt)."""

_WORD, _MARK, _JOINED, _OTHER = "wmc "


class _Classes(dict[int, str]):
    """Code point → its class, worked out when first met: most texts need few of a million."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        if category[0] not in "LM" and category != "Nd":
            kind = _OTHER
        elif any(first <= code <= last for first, last in _UNSPACED):
            kind = _JOINED
        else:
            kind = _MARK if category[0] == "M" else _WORD
        self[code] = kind
        return kind


_CLASSES = _Classes()
_PIECE = 512
# A mark belongs to the run that it stands in, whatever its script.
_RUN = re.compile(f"{_JOINED}[{_JOINED}{_MARK}]*|[{_WORD}{_MARK}]+")
_ASCII_WORDS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})


def record_tokens(text: str) -> list[str]:
    """Return the tokens of a record, in the order of the text, repeats included."""
    if text.isascii():
        return text.lower().translate(_ASCII_WORDS).split()
    folded = _fold(text)
    return [folded[start:end] for start, end in _record_spans(folded)]


def query_tokens(text: str) -> list[str]:
    """Return the tokens of a query: as of a record, but of unspaced writing only the pairs.

    A character of such writing that stands alone stays itself.
    """
    if text.isascii():
        return record_tokens(text)
    folded = _fold(text)
    return [folded[start:end] for start, end in _query_spans(folded)]


def tokens_with_spans(text: str) -> list[Span]:
    """Return the tokens of a record, each with the place in `text` that it stems from.

    The places are Python string indexes, start and end. Normalising and folding can change
    lengths, so ``text[start:end]`` need not equal its token.
    """
    if text.isascii():
        lowered = text.lower()
        return [
            (lowered[m.start() : m.end()], m.start(), m.end())
            for m in re.finditer("[0-9a-z]+", lowered)
        ]
    folded, starts, ends = _fold_with_origins(text)
    return [
        (folded[start:end], starts[start], ends[end - 1]) for start, end in _record_spans(folded)
    ]


def query_tokens_with_spans(text: str) -> list[Span]:
    """Return the tokens of a query as `tokens_with_spans` does those of a record."""
    if text.isascii():
        return tokens_with_spans(text)
    folded, starts, ends = _fold_with_origins(text)
    return [
        (folded[start:end], starts[start], ends[end - 1]) for start, end in _query_spans(folded)
    ]


def token_spans(text: str, tokens: frozenset[str]) -> list[tuple[int, int]]:
    """Return where a record's text has one of these tokens: start and end, ascending."""
    return [(start, end) for token, start, end in tokens_with_spans(text) if token in tokens]


def _fold(text: str) -> str:
    return "".join(_fold_piece(text[start:end]) for start, end in _pieces(text))


def _fold_piece(piece: str) -> str:
    return unicodedata.normalize("NFC", piece).casefold()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long text where nothing composes, for NFC takes time by the square of a run of marks.

    Only a run of marks longer than a piece is cut itself.
    """
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        while end > start and _may_compose(text[end]):
            end -= 1
        if end == start:
            end = start + _PIECE
        yield start, end
        start = end
    yield start, len(text)


def _runs(folded: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end, and whether it is unspaced writing, of each run."""
    for match in _RUN.finditer(classes := folded.translate(_CLASSES)):
        yield match.start(), match.end(), classes[match.start()] == _JOINED


def _record_spans(folded: str) -> Iterator[tuple[int, int]]:
    for start, end, joined in _runs(folded):
        if not joined:
            yield start, end
            continue
        for at in range(start, end):
            yield at, at + 1
            if at + 1 < end:
                yield at, at + 2


def _query_spans(folded: str) -> Iterator[tuple[int, int]]:
    for start, end, joined in _runs(folded):
        if not joined or end == start + 1:
            yield start, end
        else:
            yield from ((at, at + 2) for at in range(start, end - 1))


def _fold_with_origins(text: str) -> tuple[str, list[int], list[int]]:
    """Fold `text`; for each character of the result, where in `text` it stems from."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for first, last in _pieces(text):
        for start, end in _clusters(text[first:last]):
            part = _fold_piece(text[first + start : first + end])
            folded.append(part)
            starts.extend([first + start] * len(part))
            ends.extend([first + end] * len(part))
    return "".join(folded), starts, ends


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Parts of `text` that NFC changes each on its own: a character and what composes with it."""
    if unicodedata.is_normalized("NFC", text):
        yield from ((at, at + 1) for at in range(len(text)))
        return
    start = 0
    for at in range(1, len(text)):
        if not _may_compose(text[at]):
            yield start, at
            start = at
    if text:
        yield start, len(text)


def _may_compose(character: str) -> bool:
    """Whether the character may melt into the one before: a mark, or a Hangul vowel or final."""
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"
