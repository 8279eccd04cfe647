"""What texts of nodes refer to: ``{{user_message}}``, ``{{var.NAME}}``, … and memory stores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.nodes.kind import OpenedNode, StoreUse, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.knowledge.memory import MemoryStore
    from core.nodes.params import NodeParams
    from core.nodes.walk import TurnRequest, TurnState


REFERENCE = re.compile(r"\{\{\s*(user_message|var\.[^{}\s]+|node\.[^{}]+?\.output)\s*\}\}")


def resolve_text(template: str, state: TurnState, place: Place) -> str:
    """Resolve a node's text parameter: references replaced, white space trimmed.

    A text that equals the name of a node that ran earlier in this turn means its output. A
    reference to a node of the graph that has not run is empty.

    Raises
    ------
    InspectorError
        3007 for an undefined variable or a node that the graph does not have.
    """
    if template.strip() in state.outputs:
        return state.outputs[template.strip()].strip()
    return resolve_references(template, state.request, state.outputs, place)


def resolve_references(
    text: str, request: TurnRequest, outputs: Mapping[str, str], place: Place
) -> str:
    """Replace the references in a text that is no `input`: otherwise as `resolve_text`.

    A memory store may be called what a node is called.

    Parameters
    ----------
    outputs : node name → what it said, of the nodes that have run.
    """

    def replace(match: re.Match[str]) -> str:
        reference = match.group(1)
        if reference == "user_message":
            return request.message
        if reference.startswith("var."):
            name = reference.removeprefix("var.")
            if name not in request.variables:
                raise InspectorError(
                    Code.InvalidParamValue,
                    f'undefined variable "{name}"',
                    place=place,
                    hint=f"give it a value: in Inputs, or with --var {name}=VALUE",
                )
            return request.variables[name]
        name = node_named(reference)
        if name not in request.params:
            raise InspectorError(
                Code.InvalidParamValue,
                f'the graph has no node "{name}"',
                place=place,
                hint="{{node.NAME.output}} names an earlier node",
            )
        return outputs.get(name, "")

    return REFERENCE.sub(replace, text).strip()


def has_references(text: str) -> bool:
    """Tell whether there is something in a text that a turn replaces."""
    return REFERENCE.search(text) is not None


def node_named(reference: str) -> str:
    """Return the node whose output a reference means, "" for another reference."""
    if not reference.startswith("node."):
        return ""
    return reference.removeprefix("node.").removesuffix(".output")


def query_of(name: str, text: str, state: TurnState) -> str:
    """Return what a node searches with; `text` is its parameter `input`."""
    return (
        resolve_text(text, state, Place(node=name, param="input"))
        if text.strip()
        else state.request.message.strip()
    )


def variables_used(params: Mapping[str, NodeParams]) -> dict[str, tuple[str, ...]]:
    """Map each agent variable that a graph's nodes read to where: ``("recall.storage_name",)``.

    Parameters
    ----------
    params : node name → its parameters.
    """
    used: dict[str, list[str]] = {}
    for node, table in params.items():
        for param, text in referring(table):
            for match in REFERENCE.finditer(text):
                if match.group(1).startswith("var."):
                    places = used.setdefault(match.group(1).removeprefix("var."), [])
                    places.append(f"{node}.{param}")
    return {name: tuple(dict.fromkeys(places)) for name, places in used.items()}


def names_output(text: str) -> bool:
    """Tell whether a text refers to what a node says, which only the walk knows."""
    return any(match[1].startswith("node.") for match in REFERENCE.finditer(text))


def named_store(name: str, storage_name: str, state: TurnState) -> tuple[str, MemoryStore | None]:
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
    store_name = resolve_references(storage_name, state.request, state.outputs, place)
    if not store_name:
        raise InspectorError(
            Code.InvalidParamValue,
            f'the storage_name "{storage_name}" resolves to nothing',
            place=place,
            hint="give its variables a value that is not empty",
        )
    if store_name in state.memory:
        return store_name, state.memory[store_name]
    return store_name, state.storages.memories.find(store_name, state.work)


def check_store_schema(schema: str, node: OpenedNode) -> None:
    """Warn of a schema that is not in the catalog."""
    if schema and node.storages.schema_fields(schema) is None:
        node.warning(
            "schema",
            f'schema "{schema}" is not in the catalog: Unregistered, so it is not checked',
            code=Code.InvalidEmbeddedStringStorageData,
            hint="the game's own server may know it",
        )


def stores_used(request: TurnRequest) -> dict[str, str]:
    """Map each memory store that the nodes of a turn name, variables resolved, to its schema.

    Names with an undefined variable, or with the output of a node, which only the walk knows, are
    left out.
    """
    used: dict[str, str] = {}
    for params in request.params.values():
        store: StoreUse | None = kind_of(params).memory(params)
        if store is None or names_output(store.name):
            continue
        try:
            name = resolve_references(store.name, request, {}, Place())
        except InspectorError:
            continue
        if name:
            used.setdefault(name, store.schema)
    return used


def referring(params: NodeParams) -> Iterator[tuple[str, str]]:
    """Yield the parameters that may hold references, and their texts."""
    for name, spec in params.specs().items():
        if spec.references:
            yield name, str(getattr(params, name))
