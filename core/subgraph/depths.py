"""How far a subgraph retrieval walks."""

from enum import StrEnum


class ExpansionDepth(StrEnum):
    """How far a subgraph retrieval walks from its matches (`core.subgraph.expand`)."""

    NONE = "none"
    SHALLOW = "shallow"
    STANDARD = "standard"
    DEEP = "deep"
