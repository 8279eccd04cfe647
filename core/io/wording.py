"""Words for messages: what a misspelt name may have meant, and texts cut to a length."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the one of the `known` names that is most like `name`, or ""; case does not count."""
    names: dict[str, str] = {}
    for one in known:
        names.setdefault(one.casefold(), one)
    close = difflib.get_close_matches(name.casefold(), list(names), n=1, cutoff=cutoff)
    return names[close[0]] if close else ""


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return ``did you mean "top_k"?`` for the closest of the `known` names, or ""."""
    close = closest(name, known, cutoff)
    return f'did you mean "{close}"?' if close else ""


def cut(text: str, length: int, sign: str = "…") -> str:
    """Return `text`, of `length` characters at most: where it is cut, it ends with the sign."""
    return text if len(text) <= length else text[: length - len(sign)] + sign
