"""What a file is that is not what it should be."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Findings
from core.io.foreign import foreign_data, foreign_file, foreign_page, foreign_text
from core.io.json_file import read_json, read_json_lines, read_text

if TYPE_CHECKING:
    from pathlib import Path

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
CONFLICT = '[{"id": "a"},\n<<<<<<< HEAD\n{"id": "b"}\n=======\n{"id": "c"}\n>>>>>>> other\n]'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=9,
)


def said_of(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    assert read_json(path, findings) is None
    [finding] = findings
    return f"{finding.place.line}: {finding.message} ({finding.hint})"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (POINTER, "1: this is a Git LFS pointer, not the file itself (fetch the file: git lfs"),
        ("id,text\n1,hero\n", "1: this is CSV (convert it to JSON"),
        ('id;text\n1;"a, b"\n', "1: this is CSV"),
        ("id\ttext\n1\thero\n", "1: this is CSV"),
        ("- id: a\n  text: hero\n", "1: this is YAML"),
        ("# lore\n---\nrecords:\n  - id: a\n", "1: this is YAML"),
        ("<html><body>404 Not Found</body></html>", "1: this is HTML, a page of the web"),
        ("\n<!-- saved -->\n<!DOCTYPE html>\n<html>", "1: this is HTML"),
        ('<?xml version="1.0"?><a/>', "1: this is XML"),
        ("# A title\n\nSome words.", "1: this is Markdown"),
        ("hello", "1: this is a plain text"),
        (CONFLICT, "2: this is a file with conflict marks of a merge (settle the conflict"),
        (b"PK\x03\x04\x14\0", "1: this is a zip archive or an Office file (unpack it"),
        (b"\x1f\x8b\x08\0", "1: this is a gzip archive"),
        (b"SQLite format 3\0\x10", "1: this is an SQLite database"),
    ],
)
def test_a_file_that_is_something_else_is_called_what_it_is(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    assert said_of(tmp_path / "r.json", content).startswith(said)


@pytest.mark.parametrize(
    "content",
    [
        '[{"id": "a"},]',
        "// comment\n[]",
        "[{'id': 'a'}]",
        '{"a": 1',
        "[NaN]",
        "NaN",
        "True",
        '"a" "b"',
        '{"text": "<html>"} x',
    ],
)
def test_json_with_a_mistake_is_still_called_json(tmp_path: Path, content: str) -> None:
    assert "invalid JSON: " in said_of(tmp_path / "r.json", content)


@pytest.mark.slow
@given(JSON, st.sampled_from([None, 2]))
def test_no_json_is_taken_for_something_else(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert foreign_text(text) is None
    assert foreign_data(text.encode()) is None


@given(st.text(), st.binary())
def test_any_text_and_any_bytes_can_be_looked_at(text: str, data: bytes) -> None:
    foreign_text(text)
    foreign_page(text)
    foreign_data(data)


def test_lines_that_are_something_else_are_told_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("id,text\n" + "1,hero\n" * 50)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    assert read_json_lines(path, findings) is None
    assert [finding.message for finding in findings] == ["this is CSV"]


def test_marks_of_a_merge_between_lines_are_told_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a"}\n<<<<<<< HEAD\n{"id": "b"}\n=======\n>>>>>>> other\n')
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    assert read_json_lines(path, findings) is not None
    assert [(f.place.line, f.message) for f in findings] == [
        (line, "invalid JSON: a conflict mark of a merge") for line in (2, 4, 5)
    ]


def test_a_pointer_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(POINTER)
    findings = Findings(Code.InvalidStringStorageData, str(path))
    assert read_text(path, findings) is None
    assert [finding.code for finding in findings] == [Code.InvalidStringStorageData]


def test_of_a_file_of_any_kind_the_head_tells(tmp_path: Path) -> None:
    path = tmp_path / "lore.yaml"
    path.write_text("lore: ä" + "ö" * (1 << 16))
    found = foreign_file(path)
    assert found is not None
    assert found.what == "YAML"
    path.write_bytes(b"\0binary")
    assert foreign_file(path) is None
    assert foreign_file(tmp_path / "missing") is None


@pytest.mark.parametrize("line", ["<<<<<<< a\n", "=======\n", "# c\n", "<!--", "\n", "a,b"])
def test_a_long_text_is_looked_at_once(line: str) -> None:
    begin = time.process_time()
    foreign_text(line * (2_000_000 // len(line)))
    assert time.process_time() - begin < 2.0
