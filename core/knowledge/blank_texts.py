"""Texts with nothing to read in them: empty, blank, invisible, or without any word."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

from core.io.findings import FINDINGS_LIMIT, Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.errors import Place

_LETTER = re.compile(r"[^\W_]")
_INVISIBLE_SIGNS = "\N{BRAILLE PATTERN BLANK}"
_HINT = "write a text, or remove the record"


def what_is_blank(text: str) -> str:
    """Say what a text is that shows nothing: ``empty``, ``only white space``, ``invisible …``.

    "" for one that shows something.
    """
    if _LETTER.search(text):
        return ""
    if not text:
        return "empty"
    if text.isspace():
        return "only white space"
    if all(_is_invisible(sign) for sign in text):
        first = next(sign for sign in text if not sign.isspace())
        return f"invisible (U+{ord(first):04X})"
    return ""


def warn_of_blank_texts(
    texts: Sequence[str], findings: Findings, place_of: Callable[[int, str], Place]
) -> None:
    """Warn of each text that shows nothing or has no word, and say what finds it.

    Parameters
    ----------
    place_of : row and what is below it → a place.
    """
    wordless = (row for row, found in enumerate(map(_LETTER.search, texts)) if found is None)
    for row in islice(wordless, FINDINGS_LIMIT):
        what = what_is_blank(texts[row])
        if what:
            findings.warning(
                f"the text is {what}: Lexical never finds it, and Dense ranks it like any other, "
                "by a meaning that it does not have",
                place=place_of(row, "text"),
                hint=_HINT,
            )
        elif not any(_is_in_words(sign) for sign in texts[row]):
            findings.warning(
                "the text has no letter and no digit: Lexical never finds it, only Dense may",
                place=place_of(row, "text"),
                hint=_HINT,
            )


def _is_invisible(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "ZC" or sign in _INVISIBLE_SIGNS


def _is_in_words(sign: str) -> bool:
    """Tell whether BM25 takes a character for part of a word (`core.index.tokens`)."""
    category = unicodedata.category(sign)
    return category[0] in "LM" or category == "Nd"
