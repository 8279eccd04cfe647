"""The nodes' way to memory stores: which one a name means, and whether its schema is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.nodes.kind import StoreUse, kind_of
from core.nodes.references import names_output, resolve_references

if TYPE_CHECKING:
    from core.knowledge.memory import MemoryStore
    from core.nodes.checking import OpenedNode
    from core.nodes.state import TurnState
    from core.nodes.turn_request import TurnRequest


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
