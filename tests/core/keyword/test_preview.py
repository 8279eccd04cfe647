"""What of an entry is scored, and what of its body is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.keyword.preview import preview, unread
from core.knowledge.corpus import CorpusEntry

FRONT = "---\naliases: [old net]\ntags: [lore]\n---\n\n"


def test_of_a_body_behind_front_matter_what_the_preview_reaches_is_read() -> None:
    content = FRONT + "0123456789"
    front = len(FRONT) - len("aliases: [old net]\n")
    assert unread(content, "0123456789", front + 4) == ((4, 10),)
    assert unread(content, "0123456789", front + 10) == ()
    assert unread(content, "0123456789", 3) == ((0, 10),)


def test_aliases_in_a_body_are_not_read_as_its_text() -> None:
    content = "one\naliases: [two]\nthree"
    assert unread(content, content, 500) == ((4, 19),)
    assert unread(content, content, 6) == ((4, 19), (21, 24))
    assert unread(content, content, 2) == ((2, 24),)


@given(st.sampled_from(["", FRONT]), st.text("ab\n:"), st.integers(0, 60), st.booleans())
def test_what_is_left_of_a_whole_content_is_its_preview(
    front: str, rest: str, chars: int, block: bool
) -> None:
    content = front + rest + ("\naliases: x\n  - y\n" if block else "") + rest
    parts = unread(content, content, chars)
    left = "".join(
        sign
        for at, sign in enumerate(content)
        if not any(start <= at < end for start, end in parts)
    )
    assert left == preview(content, chars)
    body = CorpusEntry("a", content).body
    first = len(content) - len(body)
    inside = [(max(start - first, 0), end - first) for start, end in parts if end > first]
    assert unread(content, body, chars) == tuple(inside)
