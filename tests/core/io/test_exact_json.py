"""Integers keep their digits, however many they have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.io.exact_json import dumps, loads
from core.knowledge.base import open_knowledge

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.one_of(
        st.integers(-(10**40), 10**40),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
        st.text("0123456789", max_size=40),
        st.booleans(),
        st.none(),
    ),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc1", max_size=25), inner),
    max_leaves=15,
)


@given(VALUES)
def test_what_is_written_is_read_as_it_was(value: Any) -> None:
    assert loads(dumps(value)) == value
    assert loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "text", [b"[1e400]", b"[NaN, 12345678901234567890]", b'["\\ud800", 99999999999999999999]', b"["]
)
def test_what_is_refused_stays_refused(text: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        loads(text)


def test_metadata_beyond_64_bits_keeps_its_digits(tmp_path: Path) -> None:
    path = tmp_path / "big.kb.json"
    numbers = [2**64, 2**64 + 1, -(2**63) - 1]
    records = [
        {"id": str(n), "text": "fish", "metadata": {"serial": number}}
        for n, number in enumerate(numbers)
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    opened = open_knowledge(path)
    assert [(record or {})["serial"] for record in opened.metadata] == numbers
