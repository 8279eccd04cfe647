"""Words for messages: what a misspelt name may have meant, and texts cut to a length."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return ``did you mean "top_k"?`` for the closest of the `known` names, or "".

    Capital letters count as small ones.
    """
    names = {each.casefold(): each for each in reversed(list(known))}
    close = difflib.get_close_matches(name.casefold(), names, n=1, cutoff=cutoff)
    return f'did you mean "{names[close[0]]}"?' if close else ""


def cut(text: str, length: int, sign: str = "…") -> str:
    """Return `text`, of `length` characters at most: where it is cut, it ends with the sign."""
    return text if len(text) <= length else text[: length - len(sign)] + sign
