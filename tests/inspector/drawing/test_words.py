"""Texts that views say in the same words."""

from __future__ import annotations

import pytest

from core.errors import Code, InspectorError
from core.nodes import RetrieveParams
from inspector.drawing.words import (
    MOST_CHARACTERS,
    beginning,
    error_text,
    one_line,
    param_tip,
    qt_places,
    tooltip,
)


@pytest.mark.parametrize("text", ["a😀b", "aéb", "abc", ""])
def test_qt_counts_two_units_for_a_wide_character(text: str) -> None:
    place = qt_places(text)
    units = [len(text[:end].encode("utf-16-le")) // 2 for end in range(len(text) + 1)]
    assert [place(end) for end in range(len(text) + 1)] == units


def test_a_cell_shows_the_beginning_on_one_line() -> None:
    assert one_line(" a\n\n b\t") == "a b"
    assert one_line("x" * 501) == "x" * 500


def test_a_view_shows_the_beginning_of_a_long_text_and_says_so() -> None:
    most = "x" * MOST_CHARACTERS
    assert beginning(most) == most
    assert beginning(f"{most}y", ": Copy has all") == (
        f"{most}…\n[the first 200,000 of 200,001 characters: Copy has all]"
    )


def test_a_tooltip_is_no_wider_than_a_piece_of_its_longest_word() -> None:
    shown = tooltip("short " + "x" * 450).removeprefix("<qt>").removesuffix("</qt>")
    assert [len(piece) for piece in shown.replace("\u200b", " ").split()] == [5, 200, 200, 50]


def test_an_error_is_said_with_its_code_and_what_to_do() -> None:
    error = InspectorError(Code.AgentBusy, "a turn runs", hint="wait")
    assert error_text(error) == "3004 AgentBusy: a turn runs (wait)"


def test_a_parameter_is_described_by_meaning_range_and_default() -> None:
    meaning, *rest = param_tip(RetrieveParams.specs()["top_k"]).splitlines()
    assert meaning
    assert rest == ["Range: 1 to 1000.", f"Default: {RetrieveParams().top_k}."]
