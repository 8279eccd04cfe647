"""Whether a prebuilt index belongs to the records, as a check of files tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.embedding.embedder import ModelProvider, embedder_for
from core.embedding.models import find_model
from core.embedding.prebuilt import PrebuiltCheck, compare_with_model
from core.errors import Code, InspectorError, Place
from core.io.findings import Findings
from core.io.folders import cache_folder
from core.io.sidecar import SidecarFolder
from core.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from core.index.searcher import Store
    from core.io.findings import Finding


def index_findings(store: Store) -> tuple[Finding, ...]:
    """Return warnings of a prebuilt index whose vectors are not what the model makes of the texts.

    The model is loaded only for an index that a search would use.
    """
    if not isinstance(store, KnowledgeBase) or not store.config.index_file:
        return ()
    place = Place(file=str(store.path), json_path="index_file")
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(store.path))
    path = store.path.resolve().parent / store.config.index_file
    with PrebuiltCheck(path) as check:
        if check.result(len(store)).fault:
            return ()
    model = find_model(store.config.embedding_model, store.path.parent)
    sidecars = SidecarFolder(None, cache_folder())
    try:
        embedder = embedder_for(
            ModelProvider(),
            model.name if model is not None else store.config.embedding_model,
            place,
        )
        compare_with_model(path, store.texts, embedder, sidecars)
    except InspectorError:
        # What is wrong with the model is said where it is needed.
        return ()
    for note in sidecars.notes:
        findings.warning(note, place=place)
    return tuple(findings)
