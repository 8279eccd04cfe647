from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code
from core.io import json_file as jsonfile
from core.io.findings import Finding, Findings
from core.io.json_file import (
    read_json,
    read_json_lines,
    read_text,
    too_deep,
    with_lines,
)
from core.io.json_text import MAX_SEGMENTS, child, locate, locate_all, segments
from core.io.work import Work

if TYPE_CHECKING:
    from pathlib import Path

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def read(path: Path, content: bytes | str) -> tuple[Any, list[Finding]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    value = read_json(path, findings)
    return value, list(findings)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.json"


@pytest.mark.parametrize(
    ("text", "line", "column", "said", "hint"),
    [
        ('{"a": 1,\n "b": [1, 2,]}', 2, 12, "a comma with nothing after it", "remove the comma"),
        ('{"a": 1,\r\n "b" 2}', 2, 6, "expected : after the key", '"key": value'),
        ('[{"a": 1}\n {"b": 2}]', 2, 2, "a comma is missing", "put a comma"),
        ('{"é": "日本",\n "x": NaN}', 2, 7, "NaN is no JSON number", "finite number"),
        ("[1, -Infinity]", 1, 6, "Infinity is no JSON number", "finite number"),
        ("[1, 1e999]", 1, 5, "1e999 is too large", ""),
        ('{"a": True}', 1, 7, "True is no JSON value", "write true"),
        ("{'a': 1}", 1, 2, "' does not start a text", "double quotes"),
        ('{"a": 1, // note\n}', 1, 10, "JSON has no comments", "remove the comment"),
        ("{a: 1}", 1, 2, "a is not in quotes", 'write "a"'),
        ('["a\nb"]', 1, 4, "a line break inside a text", "\\n"),
        ('["C:\\games"]', 1, 5, "\\g is no escape sequence", "\\\\"),
        ('["\\ud800"]', 1, 3, "lone surrogate", "write the character itself"),
        ("[1] []", 1, 5, "the file goes on after its end", "closes too early"),
        ("[1,,2]", 1, 4, "a comma with nothing before it", "remove the comma"),
        ('{"a":\n{"b": [1', 2, 9, "the file ends too early", "the [ of line 2, column 7 with ]"),
        ('{"a":\n "never', 2, 8, "the file ends inside a text", 'the " of line 2, column 2'),
        ("", 1, 1, "the file is empty", "restore it"),
        (" \n ", 1, 1, "the file is empty", "restore it"),
    ],
)
def test_broken_json_is_one_finding_with_line_column_and_advice(
    file: Path, text: str, line: int, column: int, said: str, hint: str
) -> None:
    value, [finding] = read(file, text)
    assert value is None
    assert (finding.place.line, finding.place.column) == (line, column)
    assert said in finding.message
    assert hint in finding.hint


def test_invalid_utf8_names_the_byte_and_where_it_is(file: Path) -> None:
    _, [finding] = read(file, '["é",\n "ü'.encode() + b'\xff"]')
    assert (finding.place.line, finding.place.column) == (2, 4)
    assert "0xFF" in finding.message
    assert "UTF-8" in finding.hint


def test_a_surrogate_in_the_bytes_is_called_a_lone_surrogate(file: Path) -> None:
    _, [finding] = read(file, b'["ab\xed\xa0\x80"]')
    assert "lone surrogate" in finding.message
    assert finding.place.column == 5


def test_utf16_is_recognised(file: Path) -> None:
    _, [finding] = read(file, '["a"]'.encode("utf-16"))
    assert "UTF-16" in finding.message


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(file: Path) -> None:
    assert read(file, b'\xef\xbb\xbf{"a":\r\n 1}') == ({"a": 1}, [])


def test_ten_thousand_brackets_are_refused(file: Path) -> None:
    _, [finding] = read(file, "[" * 10_000 + "]" * 10_000)
    assert "nested too deep" in finding.message


def test_an_object_nested_deeper_than_may_be_written_again_is_refused(file: Path) -> None:
    _, [finding] = read(file, '{"a": ' + "[" * 300 + "]" * 300 + "}")
    assert "nested more than 250 deep" in finding.message


def test_only_null_is_no_document(file: Path) -> None:
    value, [finding] = read(file, "null")
    assert value is None
    assert "null" in finding.message


def test_a_missing_file_is_3010(file: Path) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    assert read_json(file, findings) is None
    assert [f.code for f in findings] == [Code.StorageFileNotFound]


def test_a_folder_is_3011(tmp_path: Path) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(tmp_path))
    assert read_json(tmp_path, findings) is None
    assert [f.code for f in findings] == [Code.StorageKindMismatch]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(pipe))
    assert read_json(pipe, findings) is None
    assert [f.code for f in findings] == [Code.StorageKindMismatch]


def test_a_name_with_a_null_byte_is_a_finding(tmp_path: Path) -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData)
    assert read_json(tmp_path / "a\0b", findings) is None
    assert findings.has_errors


def test_a_huge_file_is_refused_before_it_is_read(file: Path) -> None:
    with file.open("wb") as handle:
        handle.truncate(jsonfile.MAX_FILE_BYTES + 1)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    assert read_json(file, findings) is None
    assert "too large" in next(iter(findings)).message


def test_a_file_that_is_cut_while_it_is_read_is_a_finding(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[1, 2, 3]")
    known = file.stat()
    file.write_text("[1,")
    monkeypatch.setattr(type(file), "stat", lambda self, **_: known)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    assert read_json(file, findings) is None
    assert "changed while it was read" in next(iter(findings)).message


def test_read_text_returns_the_text_without_its_byte_order_mark(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfh\xc3\xa9")
    assert read_text(file, Findings(Code.InvalidStringStorageData)) == "hé"


@pytest.mark.slow
@settings(deadline=None)
@given(JSON)
def test_what_json_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    file = tmp_path_factory.getbasetemp() / "roundtrip.json"
    document = {"value": value}
    assert read(file, json.dumps(document)) == (document, [])


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\ \n01eE.-truefalsn', max_size=60))
def test_any_bytes_are_a_value_or_one_finding_with_a_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.json"
    value, findings = read(file, content)
    if value is None:
        [finding] = findings
        assert finding.place.line is not None or "null" in finding.message
        assert "\n" not in finding.line()
    else:
        assert findings == []


@settings(deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "},{", "a"]),
            st.sampled_from(["},{", "}, {", '"},{"', "x"])
            | st.lists(st.just({"k": "},\n{"}), max_size=3),
            max_size=3,
        ),
        max_size=30,
    ),
    st.integers(1, 60),
    st.sampled_from([None, 1]),
)
def test_reading_an_array_in_pieces_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, value: list[Any], size: int, indent: int | None
) -> None:
    file = tmp_path_factory.getbasetemp() / "pieces.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonfile, "_PIECE_BYTES", size)
        assert read(file, json.dumps(value, indent=indent)) == (value, [])


def test_an_array_that_is_broken_late_is_explained_as_if_read_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonfile, "_PIECE_BYTES", 20)
    _, [finding] = read(file, "[" + '{"a": "b"},\n' * 10 + '{"a": "b",}]')
    assert (finding.place.line, finding.place.column) == (11, 10)


def test_reading_a_long_array_can_be_cancelled(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.errors import Cancelled

    monkeypatch.setattr(jsonfile, "_PIECE_BYTES", 20)
    file.write_text("[" + '{"a": "b"},\n' * 10 + '{"a": "b"}]')
    with pytest.raises(Cancelled):
        read_json(
            file,
            Findings(Code.InvalidEmbeddedStringStorageData),
            work=Work(is_cancelled=lambda: True),
        )


def test_each_broken_line_of_json_lines_is_a_finding_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\r\n{"a":}\n\n[2]\n{"a" 1}\n"\xff"\n3')
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    lines = read_json_lines(file, findings)
    assert lines is not None
    assert lines.values == [{"a": 1}, [2], 3]
    assert list(lines.numbers) == [0, 2, 5]
    assert list(lines.lines) == [1, 5, 8]
    assert [(f.place.line, f.place.column, f.place.json_path) for f in findings] == [
        (3, 6, "records[1]"),
        (6, 6, "records[3]"),
        (7, 2, "records[4]"),
    ]


def test_json_lines_stop_at_a_hundred_findings(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text("{\n" * 1000)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    read_json_lines(file, findings)
    assert len(list(findings)) == 100


@pytest.mark.parametrize(("depth", "deep"), [(250, False), (260, True), (900, True)])
def test_too_deep_tells_what_cannot_be_written_again(depth: int, deep: bool) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    assert too_deep(value) is deep


TEXT = """[
  {"id": "a", "text": "first"},
  {"id": "b", "text": "x",
   "metadata": {"min level": 3, "s": ["p", "q"], "o": {"deep": [[1], {"k": null}]}}}
]
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("records[0]", (2, 3)),
        ("[0].text", (2, 23)),
        ("records[1].metadata", (4, 16)),
        ('records[1].metadata["min level"]', (4, 30)),
        ("[1].metadata.s[1]", (4, 44)),
        ("[1].metadata.o.deep[1].k", (4, 76)),
    ],
)
def test_locate_finds_the_line_and_column_of_a_value(path: str, place: tuple[int, int]) -> None:
    assert locate(TEXT, path) == place


def test_locate_falls_back_to_the_nearest_parent() -> None:
    assert locate(TEXT, "records[1].metadata.min_level") == (4, 16)
    assert locate(TEXT, "records[7].text") is None


def test_locate_skips_the_byte_order_mark_and_finds_object_keys() -> None:
    assert locate('\ufeff{"nodes": [{"params":\n {"top_k": 0}}]}', "nodes[0].params.top_k") == (
        2,
        12,
    )


def test_locate_gives_up_on_overlong_paths() -> None:
    depth = MAX_SEGMENTS + 1
    assert locate("[" * depth + "]" * depth, "[0]" * depth) is None


def test_locate_survives_a_million_brackets() -> None:
    text = '{"a": ' + "[" * 10**6 + "]" * 10**6 + ', "b": 1}'
    assert locate(text, "b") == (1, len(text) - 1)


@settings(deadline=None)
@given(
    st.text(alphabet='[]{}",:\\ \n01ab', max_size=80),
    st.sampled_from(["[0]", "a", "a.b[1]", "records[0].a", "[0][0][0]", '["\\\\"]']),
)
def test_locate_never_raises(text: str, path: str) -> None:
    found = locate(text, path)
    assert found is None or found >= (1, 1)


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return [(path, value)]
    return [leaf for key, inner in pairs for leaf in leaves(inner, child(path, key))]


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(JSON, min_size=1, max_size=3), st.sampled_from([None, 2]))
def test_locate_points_at_the_text_of_every_value(value: list[Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    lines = text.split("\n")
    wanted = dict(leaves(value))
    for path, (line, column) in locate_all(text, wanted).items():
        assert lines[line - 1][column - 1 :].startswith(json.dumps(wanted[path]))
    assert locate_all(text, wanted).keys() == wanted.keys()


@settings(deadline=None)
@given(st.lists(st.text() | st.integers(0, 10**9), max_size=6))
def test_a_path_that_is_written_is_read_back(steps: list[str | int]) -> None:
    path = ""
    for step in steps:
        path = child(path, step)
    assert segments(path) == tuple(steps)


def test_findings_get_the_line_of_their_path(file: Path) -> None:
    file.write_text('{"version": 1,\n "fields": [\n  {"name": 3}]}')
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(file))
    findings.error("wrong", "fields[0].name")
    findings.error("elsewhere", "nowhere")
    first, second = with_lines(findings)
    assert (first.place.line, first.place.column) == (3, 12)
    assert second.place.line is None
