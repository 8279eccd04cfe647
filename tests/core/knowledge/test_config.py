from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from core.errors import Code
from core.io.findings import Finding, Findings
from core.knowledge.config import KnowledgeConfig, parse_config, warn_unknown_keys
from core.knowledge.schema import Field, FieldType

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {"version": 1, "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)", "records_file": "r.kb.json"}


@pytest.fixture
def parse(tmp_path: Path) -> Any:
    def run(document: object) -> tuple[KnowledgeConfig | None, list[Finding]]:
        findings = Findings(Code.InvalidEmbeddedStringStorageData, "a.json")
        return parse_config(document, findings, tmp_path), list(findings)

    return run


def test_a_config_is_read(parse: Any) -> None:
    config, findings = parse(GOOD | {"fields": [{"name": "a", "type": "int", "default": 0}]})
    assert findings == []
    assert config == KnowledgeConfig(
        "All-MiniLM-L6-v2 (Q4_K_M)", "r.kb.json", "", (Field("a", FieldType.INT, 0),)
    )


def test_version_may_be_left_out(parse: Any) -> None:
    assert parse({key: GOOD[key] for key in ("embedding_model", "records_file")})[1] == []


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        ({"version": 2}, "version", "version 2, this program reads version 1"),
        ({"version": 0}, "version", "found the number 0"),
        ({"version": True}, "version", "found true"),
        ({"version": "1"}, "version", 'found the text "1"'),
        ({"embedding_model": 3}, "embedding_model", "found the number 3"),
        ({"embedding_model": ""}, "embedding_model", "found an empty text"),
        ({"records_file": None}, "records_file", "found null"),
        ({"index_file": ["x"]}, "index_file", "found a list"),
        ({"fields": {}}, "fields", "found an object"),
        ({"fields": [{"name": "a"}]}, "fields[0].type", "found none"),
    ],
)
def test_a_faulty_value_is_an_error_with_its_path(
    parse: Any, change: dict[str, Any], path: str, said: str
) -> None:
    _, [finding] = parse(GOOD | change)
    assert finding.severity == "error"
    assert finding.code == 8003
    assert finding.place.json_path == path
    assert said in finding.message


def test_all_missing_keys_are_reported_at_once(parse: Any) -> None:
    _, findings = parse({})
    assert [f.place.json_path for f in findings] == ["embedding_model", "records_file"]


@pytest.mark.parametrize("document", [[], "x", 3, True])
def test_what_is_no_object_is_no_config(parse: Any, document: object) -> None:
    config, [finding] = parse(document)
    assert config is None
    assert "which is an object" in finding.message


def test_an_unknown_key_is_a_warning_with_a_suggestion(parse: Any) -> None:
    _, [finding] = parse(GOOD | {"index_fle": "x"})
    assert finding.severity == "warning"
    assert finding.hint == 'did you mean "index_file"?'


def test_an_unknown_model_is_a_warning_that_lists_what_is_known(parse: Any) -> None:
    config, [finding] = parse(GOOD | {"embedding_model": "All-MiniLM-L7-v2"})
    assert config.embedding_model == "All-MiniLM-L7-v2"
    assert finding.severity == "warning"
    assert "did you mean" in finding.hint
    assert "All-MiniLM-L6-v2" in finding.hint


def test_a_flood_of_unknown_keys_is_summed_up_in_bounded_time() -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData)
    warn_unknown_keys(
        {"k" * 10**6: 1} | {f"key{i}": 1 for i in range(50_000)}, ("name",), "", findings
    )
    assert len(findings) == 21
    assert all(len(f.message) < 200 for f in findings)
