"""The messages as one document: spans, roles, breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.prompt.projection import Message, Origin, Span
from inspector.drawing.prompt_layout import PromptLayout, Tinted, lay_out
from inspector.drawing.words import MOST_CHARACTERS

if TYPE_CHECKING:
    from core.prompt.messages import Role


def id_of(block: int, chunk: int) -> str:
    return f"{block}.{chunk}"


def message(
    text: str, role: Role = "user", origin: Origin = "user", spans: tuple[Span, ...] = ()
) -> Message:
    return Message(role, text, origin, spans)


def test_an_empty_line_stands_between_two_messages() -> None:
    page = lay_out([message("a\nb", "system"), message("c")], id_of)
    assert page.text == "a\nb\n\nc"
    assert page.roles == {0: "system", 3: "user"}
    assert page.breaks == {2: ""}
    assert page.earlier == (0, 0)


def test_a_chunk_is_found_behind_a_character_that_takes_two_units() -> None:
    page = lay_out([message("x"), message("🐟 carp", spans=(Span(2, 6, 0, 1),))], id_of)
    start = len("x") + 2 + 2 + 1
    assert page.spans == (Tinted(start, start + 4, 0, 1, "0.1"),)
    assert page.span_at(start + 3) == page.spans[0] == page.span_of("0.1")
    assert page.span_at(start - 1) is None
    assert page.span_at(start + 4) is None


def test_earlier_turns_stand_between_two_breaks_that_say_so() -> None:
    page = lay_out([message("old", origin="dialog"), message("new")], id_of)
    assert page.breaks == {0: "earlier turns", 2: "this turn"}
    assert page.text[slice(*page.earlier)] == "old"


def test_line_ends_that_qt_would_join_keep_their_length() -> None:
    page = lay_out([message("a\r\nb\rc")], id_of)
    assert page.text == "a \nb\nc"


def test_the_role_of_a_line_is_that_of_its_message_and_a_break_has_none() -> None:
    page = lay_out([message("a\nb", "system"), message("c")], id_of)
    assert [page.role_at(line) for line in range(4)] == ["system", "system", "", "user"]
    assert PromptLayout().role_at(0) == ""


def test_of_a_huge_message_the_beginning_is_shown_with_the_chunks_in_it() -> None:
    most = MOST_CHARACTERS
    spans = (Span(2, 9, 0, 0), Span(most - 5, most + 100, 0, 1), Span(most + 200, most + 300, 0, 2))
    page = lay_out([message("x" * 2 * most, spans=spans), message("question")], id_of)
    assert [(span.start, span.end) for span in page.spans] == [(2, 9), (most - 5, most)]
    assert page.text.endswith(f"[the first {most:,} of {2 * most:,} characters]\n\nquestion")
    assert page.roles[3] == "user"
