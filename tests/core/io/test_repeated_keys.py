"""Keys that one JSON object has twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Finding, Findings, Severity
from core.io.json_file import read_json, read_json_lines, with_lines
from core.io.repeated_keys import warn_of_repeated_keys

if TYPE_CHECKING:
    from pathlib import Path


def found_in(text: str) -> list[Finding]:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "r.json")
    warn_of_repeated_keys(text.encode(), json.loads(text), findings)
    return list(findings)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('[{"id": "a", "text": "x", "text": "y"}]', ["records[0].text"]),
        ('[{"id": "a"}, {"id": "b", "metadata": {"n" : 1, "n" : 2}}]', ["records[1].metadata.n"]),
        ('{"nodes": [{"name": "a", "name": "b"}]}', ["nodes[0].name"]),
        ('{"a": 1, "a": 2, "a": 3, "b": {"c": 1, "c": 1}}', ["a", "b.c"]),
        ('[{"id": "a", "text": ":)"}, {"id": "b", "text": "she said \\"hm\\": no"}]', []),
    ],
)
def test_each_key_that_is_twice_in_one_object_is_a_warning(text: str, paths: list[str]) -> None:
    assert [found.place.json_path for found in found_in(text)] == paths
    assert all(found.severity is Severity.WARNING for found in found_in(text))


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(alphabet='ab":\\ '),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='ab":\\ '), inner),
)


@pytest.mark.slow
@given(values, st.sampled_from([None, 1]))
def test_what_has_no_key_twice_is_no_finding(value: Any, indent: int | None) -> None:
    assert found_in(json.dumps(value, indent=indent)) == []


def test_the_warning_has_the_line_of_the_record(tmp_path: Path) -> None:
    path = tmp_path / "r.kb.json"
    path.write_text('[{"id": "a", "text": "x"},\n{"id": "b", "text": "x", "text": "y"}]')
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    assert read_json(path, findings) is not None
    (found,) = with_lines(findings)
    assert (found.place.line, found.place.json_path) == (2, "records[1].text")
    assert '"text" is there twice' in found.message


def test_a_line_of_json_lines_with_a_key_twice_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n\n{"id": "b", "id": "c", "text": "y"}\n')
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
    assert read_json_lines(path, findings) is not None
    (found,) = findings
    assert (found.place.line, found.place.json_path) == (3, "records[1].id")
