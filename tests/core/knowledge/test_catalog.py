from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from core.io.findings import FileRefused
from core.knowledge.catalog import SchemaCatalog, compare
from core.knowledge.schema import Field, FieldType

if TYPE_CHECKING:
    from pathlib import Path

ITEM = {"name": "item", "fields": [{"name": "level", "type": "int", "default": 0}]}
LEVEL = Field("level", FieldType.INT, 0)
TAGS = Field("tags", FieldType.SET, None, True)


def put(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_root_without_a_catalog_has_an_empty_one(tmp_path: Path) -> None:
    catalog = SchemaCatalog.load(tmp_path)
    assert (catalog.names, catalog.path, catalog.fields("item")) == ((), None, None)


def test_the_catalog_lies_in_the_root_or_else_in_its_data_folder(tmp_path: Path) -> None:
    below = put(tmp_path / "data" / "schemas.json", {"schemas": [ITEM]})
    assert SchemaCatalog.load(tmp_path).path == below
    above = put(tmp_path / "schemas.json", {"schemas": []})
    assert SchemaCatalog.load(tmp_path).path == above


def test_schemas_are_read_in_file_order(tmp_path: Path) -> None:
    catalog = SchemaCatalog.load_file(
        put(tmp_path / "schemas.json", {"schemas": [ITEM | {"name": "z"}, ITEM]})
    )
    assert catalog.names == ("z", "item")
    assert catalog.fields("item") == (LEVEL,)
    assert catalog.findings == ()


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "schemas"),
        ({}, "schemas"),
        ({"schemas": [3]}, "schemas[0]"),
        ({"schemas": [{"fields": []}]}, "schemas[0].name"),
        ({"schemas": [{"name": "a"}]}, "schemas[0].fields"),
        ({"schemas": [ITEM, ITEM]}, "schemas[1].name"),
        (
            {"schemas": [{"name": "a", "fields": [{"name": "b", "type": "int"}]}]},
            "schemas[0].fields[0]",
        ),
    ],
)
def test_a_faulty_catalog_is_8003_with_its_path(tmp_path: Path, document: Any, path: str) -> None:
    with pytest.raises(FileRefused) as caught:
        SchemaCatalog.load_file(put(tmp_path / "schemas.json", document))
    assert caught.value.code == 8003
    assert [f.place.json_path for f in caught.value.findings] == [path]


def test_a_schema_agrees_with_the_same_fields_in_any_order() -> None:
    assert compare((LEVEL, TAGS), (TAGS, replace(LEVEL, filterable=False))) == ""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ((TAGS,), 'the field "level" of the schema is missing'),
        (
            (replace(LEVEL, type=FieldType.FLOAT), TAGS),
            'the field "level" is int in the schema, float',
        ),
        ((LEVEL, replace(TAGS, optional=False, default=())), 'the field "tags" is optional in the'),
        ((replace(LEVEL, default=1), TAGS), "has the default 0 in the schema, has the default 1"),
        ((LEVEL, TAGS, Field("x", FieldType.BOOL, True)), 'the field "x" of the file is not in'),
    ],
)
def test_the_first_difference_is_told(fields: tuple[Field, ...], said: str) -> None:
    assert said in compare((LEVEL, TAGS), fields)


def test_an_unregistered_schema_differs_from_everything() -> None:
    assert "not registered" in SchemaCatalog().difference("item", ())
