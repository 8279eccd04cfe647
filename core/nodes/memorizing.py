"""The nodes' way to memory stores: which one a name means, and WriteToMemory, which writes one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from core.errors import Code, InspectorError, Place
from core.io.findings import Findings
from core.io.json_path import child
from core.knowledge.columns import build_columns
from core.knowledge.memory import MemoryStore
from core.knowledge.schema import FieldType
from core.nodes.state import Outcome, TurnState, has_references, query_of, resolve_references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.knowledge.schema import Field
    from core.nodes.parameters import RetrieveParams, WriteToMemoryParams

_INT = re.compile(r"[+-]?[0-9]{1,19}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BOOLS = {"true": True, "false": False}


def named_store(
    name: str, params: RetrieveParams | WriteToMemoryParams, state: TurnState
) -> tuple[str, MemoryStore | None]:
    """Resolve a node's ``storage_name`` and find the store: as play left it, else on disk.

    Parameters
    ----------
    name : the node's.

    Returns
    -------
    tuple[str, MemoryStore | None]
        The store's name, and None for a store that nobody has written to.

    Raises
    ------
    InspectorError
        3007 for an undefined variable or a name that resolves to nothing; FileRefused for a store
        whose file is broken.
    SearchNeeded
        When the turn may only use what is known, and nobody has looked for stores yet.
    """
    place = Place(node=name, param="storage_name")
    store_name = resolve_references(params.storage_name, state, place)
    if not store_name:
        raise InspectorError(
            Code.InvalidParamValue,
            f'the storage_name "{params.storage_name}" resolves to nothing',
            place=place,
            hint="give its variables a value that is not empty",
        )
    if store_name in state.memory:
        return store_name, state.memory[store_name]
    return store_name, state.workspace.memories.find(store_name, work=state.work)


def write_to_memory(name: str, params: WriteToMemoryParams, state: TurnState) -> Outcome:
    """Append a record to a memory store; an empty text writes nothing."""
    store_name, store = named_store(name, params, state)
    fields = state.workspace.memories.fields(store, params.schema, name)
    text = query_of(name, params.input, state)
    written: dict[str, Any] = {}
    if text:
        metadata = _metadata(name, params, fields, state)
        store = store or MemoryStore(store_name)
        if not store.schema:
            store = replace(store, schema=params.schema)
        record = {"id": store.new_id(), "text": text} | ({"metadata": metadata} if metadata else {})
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


def parse_metadata(text: str, node: str) -> dict[str, Any]:
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
        raise InspectorError(
            Code.InvalidParamValue,
            f"metadata: invalid JSON: {error}",
            place=place,
            hint='such as {"mood": "{{var.mood}}"}',
        ) from error
    if not isinstance(found, dict):
        raise InspectorError(
            Code.InvalidParamValue,
            "metadata: expected a JSON object of name: value",
            place=place,
            hint='such as {"mood": "{{var.mood}}"}',
        )
    return found


def check_metadata(
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


def waits_for_turn(value: object, field: Field | None) -> bool:
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
            return resolve_references(value, state, place) if has_references(value) else value
        if isinstance(value, list):
            return [resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: resolved(item) for key, item in value.items()}
        return value

    metadata: dict[str, Any] = {}
    for key, value in parse_metadata(params.metadata, name).items():
        found = resolved(value)
        # Variables are texts; what stands for a number is one where the schema wants a number.
        wanted = types.get(key) if isinstance(value, str) and has_references(value) else None
        metadata[key] = _typed(found, wanted)
    check_metadata(metadata, fields, name)
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
