"""The keys of a knowledge graph file."""

from __future__ import annotations

FILE_KEYS = ("version", "name", "nodes", "connections")
NODE_KEYS = (
    "node_id",
    "title",
    "description",
    "parents",
    "children",
    "tags",
    "directories",
    "text_content",
)
CONNECTION_KEYS = (
    "connection_id",
    "from_node_id",
    "to_node_id",
    "label",
    "connection_type",
    "from_title",
    "to_title",
)
