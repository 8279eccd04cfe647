"""Aliases that never count alone are warned of."""

from __future__ import annotations

import pytest

from core.errors import Code, Place
from core.io.findings import Findings
from core.keyword.aliases import warn_of_short_aliases
from core.knowledge.corpus import CorpusEntry

POTION = CorpusEntry("concepts/potion.md", "", aliases=("elixir", "healing drink", "the brew"))


@pytest.mark.parametrize(
    ("least", "names"),
    [(0, ""), (1, ""), (2, '"elixir", "the brew"'), (3, '"elixir", "healing drink", "the brew"')],
)
def test_aliases_with_fewer_words_than_must_match_are_named(least: int, names: str) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "f")
    place = Place(file="potion.md", json_path="aliases")
    warn_of_short_aliases([POTION], least, findings, lambda _entry: place)
    assert [finding.place for finding in findings] == [place] * bool(names)
    assert all(f"too short to count alone: {names}. " in finding.message for finding in findings)
