"""The part of an entry's content that the keyword retriever scores, and what it leaves out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.hits.words import Span

# A line that starts with `aliases:`, and the indented list items below it.
_ALIASES_BLOCK = re.compile(r"^aliases:[^\n]*\n?(?:[ \t]+-[ \t][^\n]*\n?)*", re.MULTILINE)


def preview(content: str, chars: int | None) -> str:
    """Return the part of an entry's content that is scored.

    The first `chars` characters of what is left without the first `aliases:` block, whose words
    count as the field aliases already; None for all of them.
    """
    return _ALIASES_BLOCK.sub("", content, count=1)[:chars]


def unread(content: str, body: str, chars: int) -> tuple[Span, ...]:
    """Return the parts of an entry's body that its preview leaves out: start and end, ascending.

    Parameters
    ----------
    body : what the content ends with.
    """
    first, end = len(content) - len(body), min(chars, len(content))
    left_out = []
    block = _ALIASES_BLOCK.search(content)
    if block is not None and block.start() < chars:
        left_out.append(block.span())
        end = min(chars + len(block[0]), len(content))
    left_out.append((end, len(content)))
    inside = ((max(start - first, 0), stop - first) for start, stop in left_out)
    return tuple((start, stop) for start, stop in inside if stop > start)
