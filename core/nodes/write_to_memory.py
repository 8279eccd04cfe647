"""WriteToMemory: append a record to a memory store."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from core.errors import Code, InspectorError, Place
from core.io.findings import Findings
from core.io.json_text import child
from core.io.json_typed import why_no_json
from core.knowledge.columns import build_columns
from core.knowledge.memory import MemoryStore
from core.knowledge.schema import Field, FieldType
from core.nodes.kind import CheckedGraph, NodeKind, OpenedNode, StoreUse
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.references import (
    check_store_schema,
    has_references,
    named_store,
    query_of,
    resolve_references,
)
from core.nodes.walk import Outcome, Storages, TurnState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.io.work import Work

_INT = re.compile(r"[+-]?[0-9]{1,19}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BOOLS = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class WriteToMemoryParams(NodeParams):
    """Parameters of WriteToMemory: append a record to a memory store."""

    input: str = param(
        "",
        "Text to write. Empty = the player's message.",
        reads=Reads.WALK,
        structural=True,
        references=True,
    )
    storage_name: str = param(
        "",
        "Memory store; may hold {{var.NAME}}.",
        reads=Reads.WALK,
        structural=True,
        references=True,
    )
    schema: str = param("", "Record schema of the store.", reads=Reads.WALK, structural=True)
    metadata: str = param(
        "",
        "JSON object of the record's metadata; its texts may hold {{user_message}}, {{var.NAME}} "
        "and {{node.NAME.output}}.",
        reads=Reads.WALK,
        multiline=True,
        references=True,
    )
    default_exit: str = exit_param("next")


class WriteToMemory(
    NodeKind[WriteToMemoryParams],
    lacks=("answer", "simulated", "provides", "check", "prepare"),
):
    """Appends a record to a memory store; an empty text writes nothing."""

    table = WriteToMemoryParams
    is_in_game = True

    def memory(self, params: WriteToMemoryParams) -> StoreUse:
        return StoreUse(params.storage_name, params.schema)

    def check_storages(self, params: WriteToMemoryParams, node: OpenedNode) -> None:
        if not params.storage_name.strip():
            node.error(
                "storage_name", "WriteToMemory needs a storage_name", code=Code.InvalidParamValue
            )
        if not params.schema.strip():
            node.warning(
                "schema",
                "no schema: what is written is checked only where the store names one",
                code=Code.InvalidEmbeddedStringStorageData,
                hint="name the schema of the nodes that search the store",
            )
        check_store_schema(params.schema, node)
        node.attempt(self.check_change, params, "metadata")

    def check_change(
        self,
        params: WriteToMemoryParams,
        param: str,
        storages: Storages,
        work: Work,
        graph: CheckedGraph,
    ) -> None:
        """Refuse metadata that does not fit the schema, as far as it is known before a turn."""
        del graph
        if param != "metadata":
            return
        fields = storages.schema_fields(params.schema)
        known = {field.name: field for field in fields or ()}
        metadata = _parse_metadata(params.metadata, work.node)
        told = {
            key: value
            for key, value in metadata.items()
            if not _waits_for_turn(value, known.get(key))
        }
        _check_metadata(told, fields, work.node)

    def run(self, name: str, params: WriteToMemoryParams, state: TurnState) -> Outcome:
        store_name, store = named_store(name, params.storage_name, state)
        fields = state.storages.memories.fields(store, params.schema, name)
        text = query_of(name, params.input, state)
        written: dict[str, Any] = {}
        if text:
            metadata = _metadata(name, params, fields, state)
            store = store or MemoryStore(store_name)
            if not store.schema:
                store = replace(store, schema=params.schema)
            record: dict[str, Any] = {"id": store.new_id(), "text": text}
            record |= {"metadata": metadata} if metadata else {}
            try:
                store = store.append(record)
            except InspectorError as error:
                raise InspectorError(
                    error.code,
                    error.message,
                    hint=error.hint,
                    place=Place(json_path=error.place.json_path, node=name, param="input"),
                ) from error
            state.memory[store_name] = store
            written = {"id": record["id"]}
        return Outcome(
            "default",
            text,
            sections={
                "parameters": {"storage_name": store_name, "schema": params.schema},
                "input": {"text": text} if text else {},
                "output": {
                    "written": bool(text),
                    **written,
                    "record_count": len(store.records) if store is not None else 0,
                },
            },
        )


def metadata_keys(params: WriteToMemoryParams) -> tuple[str, ...]:
    """Return the names of the metadata that a node writes; () where they cannot be read."""
    try:
        return tuple(_parse_metadata(params.metadata, ""))
    except InspectorError:
        return ()


def _parse_metadata(text: str, node: str) -> dict[str, Any]:
    """Read the parameter ``metadata`` of a WriteToMemory node; {} for an empty text.

    Raises
    ------
    InspectorError
        3007 when it is no JSON object.
    """
    place = Place(node=node, param="metadata")
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        mistake = why_no_json(text, "the metadata")
        raise InspectorError(
            Code.InvalidParamValue,
            f"metadata: invalid JSON {mistake or error}",
            place=place,
            hint=(mistake.hint if mistake else "") or 'such as {"mood": "{{var.mood}}"}',
        ) from error
    if not isinstance(found, dict):
        raise InspectorError(
            Code.InvalidParamValue,
            "metadata: expected a JSON object of name: value",
            place=place,
            hint='such as {"mood": "{{var.mood}}"}',
        )
    return found


def _check_metadata(
    metadata: Mapping[str, Any], fields: tuple[Field, ...] | None, node: str
) -> None:
    """Refuse metadata that does not fit the schema, or that no file could hold.

    Parameters
    ----------
    fields : the schema's; None for one that is not in the catalog, which checks nothing.

    Raises
    ------
    InspectorError
        8003 with the JSON path below the parameter.
    """
    findings = Findings(Code.InvalidEmbeddedStringStorageData)
    build_columns(
        fields or (),
        [dict(metadata)],
        findings,
        lambda _row, below: Place(node=node, param="metadata", json_path=below),
    )
    findings.raise_errors()
    for key, value in metadata.items():
        try:
            orjson.dumps({key: value})
        except orjson.JSONEncodeError as error:
            raise InspectorError(
                Code.InvalidEmbeddedStringStorageData,
                f'field "{key}" cannot be written: {error}',
                place=Place(node=node, param="metadata", json_path=child("metadata", key)),
                hint="write it as a text",
            ) from error


def _waits_for_turn(value: object, field: Field | None) -> bool:
    """Tell whether only the turn can say if a value fits its field: a reference may be a number."""
    return (
        isinstance(value, str)
        and has_references(value)
        and (field is not None and field.type is not FieldType.STRING)
    )


def _metadata(
    name: str, params: WriteToMemoryParams, fields: tuple[Field, ...] | None, state: TurnState
) -> dict[str, Any]:
    """Return the record's metadata: references replaced, typed, checked."""
    place = Place(node=name, param="metadata")
    types = {field.name: field.type for field in fields or ()}

    def resolved(value: Any) -> Any:
        if isinstance(value, str):
            return (
                resolve_references(value, state.request, state.outputs, place)
                if has_references(value)
                else value
            )
        if isinstance(value, list):
            return [resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: resolved(item) for key, item in value.items()}
        return value

    metadata: dict[str, Any] = {}
    for key, value in _parse_metadata(params.metadata, name).items():
        found = resolved(value)
        # Variables are texts; what stands for a number is one where the schema wants a number.
        wanted = types.get(key) if isinstance(value, str) and has_references(value) else None
        metadata[key] = _typed(found, wanted)
    _check_metadata(metadata, fields, name)
    return metadata


def _typed(text: Any, wanted: FieldType | None) -> Any:
    """Read a text as what its field wants; the text itself where it is no such thing."""
    if wanted is FieldType.INT and _INT.fullmatch(text):
        return int(text)
    if wanted is FieldType.FLOAT and _FLOAT.fullmatch(text):
        return float(text)
    if wanted is FieldType.BOOL:
        return _BOOLS.get(text.casefold(), text)
    return text


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


WRITE_TO_MEMORY = WriteToMemory()
