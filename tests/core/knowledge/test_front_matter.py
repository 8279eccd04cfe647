"""Front matter: any text is read in bounded time, and quoted values as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Findings
from core.knowledge.front_matter import MAX_CHARS, body_of, front_matter_text, read_front_matter


@pytest.mark.parametrize(
    "flood",
    [
        "[" * MAX_CHARS,
        "{" * 60_000,
        "a: " * 20_000,
        "- " * 30_000,
        "x: '" + "''" * 30_000,
        "#" * MAX_CHARS,
        "? " * 30_000,
    ],
)
def test_a_flood_of_signs_is_answered_in_bounded_time(flood: str) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "a.md")
    read_front_matter(f"---\n{flood}\n---\n", findings)
    assert len(findings) <= 1


@settings(deadline=None)
@given(st.text())
@example("---")
@example("---\n---")
@example("---\n...\nx")
def test_any_text_is_read_without_a_crash(text: str) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "a.md")
    read_front_matter(text, findings)
    assert len(findings) <= 1


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.text(
            st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8
        ).map(lambda key: f"k{key}"),
        st.lists(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]))),
        max_size=4,
    )
)
def test_quoted_values_are_read_back_as_they_are(values: dict[str, list[str]]) -> None:
    # JSON is YAML: a flow mapping in double quotes says the same in both.
    text = "\n".join(
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value)}"
        for key, value in values.items()
    )
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "a.md")
    front = read_front_matter(f"---\n{text}\n---\n", findings)
    assert not findings.has_errors
    assert front.values == values


@pytest.mark.parametrize("front", ["", "\n", "\n\n", "a: b\n", "a: b\n\n"])
def test_the_body_starts_after_the_line_that_closes_the_front_matter(front: str) -> None:
    assert body_of(f"---\n{front}---\n\nFog.\n---\n") == "Fog.\n---\n"


def test_front_matter_ends_at_dots_too() -> None:
    assert front_matter_text("---\na: b\n...\nc") == ("a: b", True)
    assert front_matter_text("--- \na: b\n---\t\nc") == ("a: b", True)
    assert front_matter_text("no\n---\n") == (None, True)
