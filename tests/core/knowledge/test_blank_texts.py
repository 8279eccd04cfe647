"""What is said of texts that show nothing, or have no word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code
from core.index.tokens import record_tokens
from core.io.findings import Findings
from core.knowledge.blank_texts import warn_of_blank_texts, what_is_blank
from core.knowledge.records import RecordPlaces


def told(*texts: str) -> list[tuple[str, str]]:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "k.json")
    warn_of_blank_texts(texts, findings, RecordPlaces("k.json"))
    return [(finding.place.json_path, finding.message) for finding in findings]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("   ", "only white space"),
        ("\u00a0\u2028", "only white space"),
        ("\u200b", "invisible (U+200B)"),
        (" \ufeff\u200d\n", "invisible (U+FEFF)"),
        ("\u2800", "invisible (U+2800)"),
    ],
)
def test_a_text_that_shows_nothing_is_not_found_by_words_and_ranked_by_meaning(
    text: str, what: str
) -> None:
    assert what_is_blank(text) == what
    [(place, said)] = told("The red sword burns.", text)
    assert place == "records[1].text"
    assert said == (
        f"the text is {what}: Lexical never finds it, and Dense ranks it like any other, by a "
        "meaning that it does not have"
    )


@pytest.mark.parametrize("text", ["?!", "🐠", "_", "٪"])
def test_a_text_without_a_word_may_be_found_by_meaning(text: str) -> None:
    assert what_is_blank(text) == ""
    [(_, said)] = told(text)
    assert "only Dense may" in said


# Numerals that are no digits are so rare that finding them would cost each opening too much.
@given(st.lists(st.text(st.characters(exclude_categories=["No", "Nl", "Cs"])), max_size=4))
def test_exactly_the_texts_without_tokens_are_warned_of(texts: list[str]) -> None:
    rows = {f"records[{row}].text" for row, text in enumerate(texts) if not record_tokens(text)}
    assert {place for place, _ in told(*texts)} == rows
