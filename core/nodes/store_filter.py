"""The filter of a node that searches a memory store, compiled before any turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import InspectorError
from core.knowledge.filter import compile_filter
from core.nodes.references import has_references
from core.nodes.write_to_memory import WriteToMemoryParams, metadata_keys

if TYPE_CHECKING:
    from core.io.work import Work
    from core.nodes.kind import CheckedGraph, StoreUse
    from core.nodes.walk import Storages

_UNKNOWN_FIELD = "filter.unknown_field"


def check_store_filter(
    store: StoreUse, text: str, storages: Storages, work: Work, graph: CheckedGraph
) -> None:
    """Compile a filter against the store's schema; an Unregistered one, against its records.

    Raises
    ------
    InspectorError
        3007.
    """
    fields = storages.schema_fields(store.schema)
    is_registered = fields is not None
    if fields is None:
        fields = storages.memories.held_fields(store.name.strip(), store.schema, graph.memory)
    try:
        compile_filter(text, {item.name: item for item in fields or ()}, node=work.node)
    except InspectorError as error:
        is_unknown = error.message.startswith(_UNKNOWN_FIELD) and not is_registered
        if is_unknown and (fields is None or _may_be_written(error, store, graph)):
            return  # The turn's records will tell.
        raise


def _may_be_written(error: InspectorError, store: StoreUse, graph: CheckedGraph) -> bool:
    """Tell whether a node of the graph writes the field that no record of the store has yet."""
    return any(
        f'"{key}"' in error.message
        for writer in graph.params.values()
        if isinstance(writer, WriteToMemoryParams)
        and (writer.storage_name == store.name or has_references(writer.storage_name))
        for key in metadata_keys(writer)
    )
