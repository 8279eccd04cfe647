"""How a knowledge file is searched."""

from enum import IntEnum


class RetrievalMode(IntEnum):
    """Dense = by meaning, Lexical = by keywords (BM25), Hybrid = both, fused."""

    Dense = 0
    Lexical = 1
    Hybrid = 2
