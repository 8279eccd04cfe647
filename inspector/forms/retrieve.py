"""The form of Retrieve."""

from __future__ import annotations

from core.nodes import KnowledgeSourceKind, RetrievalMode, RetrieveParams
from inspector.drawing.scales import Scale
from inspector.forms.filter_row import FilterRow
from inspector.forms.locked_row import SchemaRow
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import DISTANCE_SCALE, INPUT, SOURCE, FormPlan
from inspector.forms.value_rows import SegmentRow


def _limit(params: RetrieveParams) -> str:
    if params.threshold == 0:
        return "no limit: all distances count"
    return "0 to 2 · dense leg only" if params.retrieval_mode is RetrievalMode.Hybrid else ""


def _is_from_file(params: RetrieveParams) -> bool:
    return params.source_kind is KnowledgeSourceKind.FromFile


_MODE_TIPS = {
    RetrievalMode.Dense: "Match by meaning: cosine distance of embeddings, smaller is closer.",
    RetrievalMode.Lexical: "Match by keywords (BM25). Needs no embedding model.",
    RetrievalMode.Hybrid: "Both: the two rankings are merged by reciprocal rank fusion.",
}
_MODE = RowPlan(
    "retrieval_mode",
    label="Mode",
    stem="mode",
    kind=SegmentRow,
    is_heading=True,
    tips={mode: f"{tip}\nDefault: Dense." for mode, tip in _MODE_TIPS.items()},
)
_NUMBERS = (
    RowPlan(
        "top_k",
        label="top_k",
        stem="topK",
        scale=Scale(1, 1000, 20, 0.6),
        hint="1 to 1000 · chunks at most",
    ),
    RowPlan(
        "threshold",
        scale=DISTANCE_SCALE,
        hint="0 to 2 · smaller is stricter",
        note=_limit,
        inactive=lambda params: (
            "ignored in Lexical mode" if params.retrieval_mode is RetrievalMode.Lexical else ""
        ),
    ),
    RowPlan(
        "rrf_k",
        label="rrf_k",
        stem="rrfK",
        scale=Scale(1, 1000, 100, 0.6),
        hint="1 to 1000 · higher = flatter",
        inactive=lambda params: (
            "" if params.retrieval_mode is RetrievalMode.Hybrid else "Hybrid only"
        ),
    ),
)
_STORAGE = (
    SOURCE,
    RowPlan("source_kind", label="kind"),
    RowPlan(
        "embedded_string_storage",
        label="file",
        note=lambda params: "" if _is_from_file(params) else "unused",
    ),
    RowPlan(
        "storage_name",
        label="name",
        note=lambda params: "unused" if _is_from_file(params) else "",
    ),
    RowPlan(
        "schema",
        kind=SchemaRow,
        note=lambda params: "" if _is_from_file(params) or params.schema else "required",
    ),
    INPUT,
)

FORM = FormPlan(
    (
        ("", (_MODE,)),
        ("", _NUMBERS),
        ("", (RowPlan("filter", label="Filter", kind=FilterRow, is_heading=True),)),
        ("Storage", _STORAGE),
    ),
    stem_prefix="",
)
