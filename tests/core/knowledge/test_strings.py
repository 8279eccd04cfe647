from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.io.findings import FileRefused
from core.knowledge.strings import StringKind, StringStorage

if TYPE_CHECKING:
    from pathlib import Path


def load(path: Path, content: Any) -> StringStorage:
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return StringStorage.load(path)


def refused(path: Path, content: Any) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        load(path, content)
    return caught.value


def test_a_list_skips_blank_lines_and_comments_and_keeps_the_rest_as_it_is(tmp_path: Path) -> None:
    storage = load(
        tmp_path / "a.txt", ("\ufeffone\r\n\r\n# note\n  two #2 \n \t\n#\n三\u2028x").encode()
    )
    assert storage.kind is StringKind.LIST
    assert storage.values == ("one", "  two #2 ", "三\u2028x")
    assert storage.keys == ()
    assert storage.find_first("one") is None


@pytest.mark.parametrize(
    ("content", "said", "hint"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid a\n", "a Git LFS pointer", "lfs pull"),
        (b"<!DOCTYPE html>\n<p>404</p>", "HTML", "error page"),
        (b"Hi\n<<<<<<< HEAD\nYou!\n=======\nThere!\n>>>>>>> b\n", "conflict marks", "settle"),
    ],
)
def test_a_list_that_is_something_else_is_never_answered(
    tmp_path: Path, content: bytes, said: str, hint: str
) -> None:
    error = refused(tmp_path / "lines.txt", content)
    assert error.code == 7003
    assert said in error.message
    assert hint in error.hint


def test_a_map_is_sorted_by_key(tmp_path: Path) -> None:
    storage = load(tmp_path / "a.json", [{"id": "b", "text": "1"}, {"id": "a", "text": ""}])
    assert storage.kind is StringKind.MAP
    assert (storage.keys, storage.values) == (("a", "b"), ("", "1"))
    assert storage.find_first("b") == "1"
    assert storage.find_first("c") is None


def test_a_duplicate_id_of_a_map_names_both_entries(tmp_path: Path) -> None:
    error = refused(tmp_path / "a.json", [{"id": "b", "text": "1"}, {"id": "b", "text": "2"}])
    assert error.code == 7003
    assert "[0] and [1]" in error.message
    assert ".mm.json" in error.hint


def test_a_multimap_keeps_file_order_within_a_key(tmp_path: Path) -> None:
    storage = load(
        tmp_path / "a.mm.json",
        [{"id": "b", "text": "2"}, {"id": "a", "text": "x"}, {"id": "b", "text": "1"}],
    )
    assert storage.kind is StringKind.MULTIMAP
    assert storage.keys == ("a", "b", "b")
    assert storage.find_first("b") == "2"
    assert storage.find_all("b") == ("2", "1")


def test_every_faulty_entry_is_found_with_line_and_column(tmp_path: Path) -> None:
    error = refused(tmp_path / "a.json", [{"id": "", "text": 1}, 3, {"text": "x"}, {"id": "a"}])
    assert [f.place.json_path for f in error.findings] == [
        "[0].id",
        "[0].text",
        "[1]",
        "[2].id",
        "[3].text",
    ]
    assert all(f.place.line == 1 and f.place.column for f in error.findings)


@pytest.mark.parametrize("content", [{"a": "b"}, "x", 3])
def test_what_is_no_array_is_7003(tmp_path: Path, content: Any) -> None:
    assert refused(tmp_path / "a.json", content).code == 7003


def test_invalid_utf8_in_a_list_has_a_line(tmp_path: Path) -> None:
    error = refused(tmp_path / "a.txt", b"one\ntw\xff")
    assert (error.code, error.place.line, error.place.column) == (7003, 2, 3)


def test_a_missing_file_is_3010(tmp_path: Path) -> None:
    with pytest.raises(FileRefused) as caught:
        StringStorage.load(tmp_path / "a.txt")
    assert caught.value.code == 3010


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"# only notes\n"), ("a.json", b"[]")])
def test_no_strings_at_all_is_a_warning(tmp_path: Path, name: str, content: bytes) -> None:
    storage = load(tmp_path / name, content)
    assert storage.values == ()
    assert [f.severity for f in storage.findings] == ["warning"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "B", "é", "ab"]), st.text()), max_size=8))
def test_find_all_equals_a_search_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, str]]
) -> None:
    expected = defaultdict(list)
    for key, text in entries:
        expected[key].append(text)
    storage = load(
        tmp_path_factory.getbasetemp() / "a.mm.json",
        [{"id": key, "text": text} for key, text in entries],
    )
    assert list(storage.keys) == sorted(storage.keys)
    for key in ["a", "b", "B", "é", "ab", "", "c"]:
        assert list(storage.find_all(key)) == expected[key]
