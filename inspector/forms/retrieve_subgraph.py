"""The form of RetrieveSubgraph."""

from __future__ import annotations

from inspector.drawing.scales import Scale
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import INPUT, SOURCE, FormPlan

FORM = FormPlan(
    (
        (
            "Matches",
            (
                RowPlan(
                    "top_k",
                    label="top_k",
                    stem="matches",
                    scale=Scale(1, 50, 10, 0.5),
                    hint="1 to 50 · at most",
                ),
                RowPlan("use_embeddings", label="by meaning", stem="embeddings"),
            ),
        ),
        ("Walk", (RowPlan("expansion_depth", label="depth", stem="depth"),)),
        (
            "Scope",
            (
                RowPlan(
                    "root_node_id", label="below node", stem="rootNode", empty="the whole graph"
                ),
                RowPlan(
                    "directory_prefix", label="directory", stem="directory", empty="any directory"
                ),
                RowPlan("tag_filters", label="tags", stem="tagFilters", empty='{"kind": "person"}'),
            ),
        ),
        ("Prompt", (RowPlan("include_raw_text", label="long text", stem="rawText"), SOURCE)),
        ("Storage", (RowPlan("knowledge_graph", label="file"), INPUT)),
    )
)
