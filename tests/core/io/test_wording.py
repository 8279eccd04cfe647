"""Texts of messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.io.wording import cut, did_you_mean


@given(st.text(), st.integers(3, 20), st.sampled_from(["…", "..."]))
def test_a_text_is_cut_to_its_length_sign_included(text: str, length: int, sign: str) -> None:
    made = cut(text, length, sign)
    assert len(made) <= length
    if len(text) <= length:
        assert made == text
    else:
        assert made == text[: length - len(sign)] + sign


def test_the_closest_name_is_guessed_where_one_is_close() -> None:
    assert did_you_mean("tresholt", ["threshold", "top_k"]) == 'did you mean "threshold"?'
    assert did_you_mean("zzz", ["threshold"]) == ""
    assert did_you_mean("treshld", ["threshold"], 0.99) == ""
