"""Hits as CSV, tab-separated text and Markdown survive whatever a file holds."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hits.export import COLUMNS, columns_of, hits_as_csv, hits_as_markdown, hits_as_tsv
from core.hits.hit import Hit, Reason


def _hit(record_id: str = "clown", text: str = "A clownfish.", **changes: object) -> Hit:
    values: dict[str, Any] = {
        "row": 3,
        "id": record_id,
        "text": text,
        "reason": Reason.NONE,
        "rank": 1,
        "distance": 0.3125,
        "exact_distance": 0.3125,
        "bm25_score": None,
        "rank_dense": 1,
        "rank_sparse": None,
        "fused_score": None,
    }
    return Hit(**(values | changes))


def _read(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_a_row_has_six_decimals_and_leaves_the_unknown_empty() -> None:
    row = _read(hits_as_csv([_hit()]))[0]
    assert row["distance"] == "0.312500"
    assert row["bm25_score"] == ""
    assert (row["rank"], row["id"], row["text"]) == ("1", "clown", "A clownfish.")


def test_a_near_miss_says_its_reason_and_what_it_needs() -> None:
    hit = _hit(reason=Reason.THRESHOLD, needs="threshold ≥ 0.613", rank=None)
    row = _read(hits_as_csv([hit]))[0]
    assert (row["reason"], row["needs"], row["rank"]) == ("threshold", "threshold ≥ 0.613", "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    row = _read(hits_as_csv([_hit(record_id=text, text=text)]))[0]
    assert row["text"] == row["id"] == f"'{text}"


@given(record_id=st.text(min_size=1), text=st.text())
def test_any_text_comes_back_from_the_csv(record_id: str, text: str) -> None:
    rows = _read(hits_as_csv([_hit(record_id, text), _hit()]))
    assert len(rows) == 2
    assert rows[0]["id"].removeprefix("'") == record_id.removeprefix("'")
    assert rows[0]["text"].removeprefix("'") == text.removeprefix("'")


@given(text=st.text())
def test_any_text_comes_back_from_the_tab_separated_rows(text: str) -> None:
    rows = _read(hits_as_tsv([_hit(text=text), _hit()]), "\t")
    assert len(rows) == 2
    assert rows[0]["text"].removeprefix("'") == text.removeprefix("'")


@given(record_id=st.text(), text=st.text())
def test_a_markdown_row_keeps_its_number_of_cells(record_id: str, text: str) -> None:
    table = hits_as_markdown([_hit(record_id, text)])
    lines = table.split("\n")
    assert len(lines) == 4
    assert lines[3] == ""
    without_escapes = re.sub(r"\\.", "", lines[2])
    assert without_escapes.count("|") == len(COLUMNS) + 1


def test_markdown_shows_markup_of_the_file_as_text() -> None:
    table = hits_as_markdown([_hit(text="**bold** <img src=x> [link](y) a|b")])
    assert "\\*\\*bold\\*\\* &lt;img src=x&gt; \\[link\\](y) a\\|b" in table


def test_no_hits_give_the_header_alone() -> None:
    assert hits_as_csv([]) == ",".join(COLUMNS) + "\r\n"
    assert len(hits_as_markdown([]).splitlines()) == 2


def test_titles_and_match_reasons_are_columns_of_what_has_them() -> None:
    assert columns_of(("rank", "title", "score", "match_reason", "distance")) == (
        "rank",
        "id",
        "title",
        "score",
        "match_reason",
        "distance",
        "reason",
        "needs",
        "text",
    )
    assert columns_of(("rank", "distance")) == COLUMNS
