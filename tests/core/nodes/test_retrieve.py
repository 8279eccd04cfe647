from __future__ import annotations

from core.nodes import RetrievalMode, RetrieveParams
from core.retrieve.select import Settings


def test_settings_are_taken_from_the_node_s_parameters() -> None:
    params = RetrieveParams(retrieval_mode=RetrievalMode.Hybrid, top_k=7, threshold=0.25, rrf_k=10)
    assert params.settings == Settings(RetrievalMode.Hybrid, 7, 0.25, 10)
