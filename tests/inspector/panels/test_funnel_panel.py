"""The funnel shows the counts of the turn, and its stages can be picked by mouse and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidget

from core.keyword.listing import KeywordListing
from core.keyword.retriever import KeywordRetriever
from core.keyword.select import select as keyword_select
from core.knowledge.corpus import Corpus, CorpusEntry
from core.nodes import (
    ClassifyIntentParams,
    ExpansionDepth,
    KeywordRetrieveParams,
    RetrievalMode,
    RetrieveParams,
    RetrieveSubgraphParams,
)
from core.nodes.classify_intent import IntentRetrieval
from core.nodes.keyword_retrieve import KeywordRetrieval
from core.nodes.retrieve import Retrieval
from core.nodes.retrieve_subgraph import SubgraphRetrieval
from core.retrieve import stages
from inspector.panels.funnel_panel import FunnelPanel
from inspector.panels.hits_panel import HitsPanel
from inspector.theme import DARK, LIGHT, spread
from tests.inspector.fixed_results import aquarium, chosen, many, retrieval
from tests.inspector.fixed_subgraphs import walked, wide

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from core.nodes.walk import RetrievalResult
    from inspector.theme import Theme


@pytest.fixture
def funnel(qtbot: QtBot) -> FunnelPanel:
    funnel = FunnelPanel()
    qtbot.addWidget(funnel)
    funnel.resize(774, funnel.sizeHint().height())
    funnel.show()
    return funnel


def _click(qtbot: QtBot, funnel: FunnelPanel, label: str) -> None:
    place = funnel.stage_rect(label).center().toPoint()
    qtbot.mouseClick(funnel, Qt.MouseButton.LeftButton, pos=place)


def test_the_funnel_has_the_name_that_scripts_use(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    FunnelPanel(parent)
    assert parent.findChild(FunnelPanel, "funnelView").stages() == []


def test_dense_stages_are_the_counts_of_the_diagnostics(funnel: FunnelPanel) -> None:
    result = retrieval(chosen(aquarium()))
    funnel.show_counts(result)
    said = result.diagnostics()["parameters"]
    assert funnel.stages() == [
        ("records", 10),
        ("match filter", 9),
        ("raw", said["raw_result_count"]),
        ("within threshold", said["raw_result_count"] - said["filtered_count"]),
        ("hits", said["result_count"]),
    ]
    assert funnel.stages()[2:] == [("raw", 8), ("within threshold", 3), ("hits", 3)]


def test_hybrid_stages_are_the_counts_of_both_legs(funnel: FunnelPanel) -> None:
    result = retrieval(chosen(many(500), RetrievalMode.Hybrid, top_k=20, threshold=0.8))
    funnel.show_counts(result)
    said = result.diagnostics()["parameters"]
    stages = dict(funnel.stages())
    assert stages["dense raw"] == said["dense_raw_count"]
    assert stages["within threshold"] == said["dense_raw_count"] - said["dense_filtered_count"]
    assert stages["BM25 leg"] == said["sparse_raw_count"]
    assert stages["fused"] == said["fused_candidate_count"]
    assert stages["hits"] == said["result_count"]


def test_the_two_legs_stand_above_each_other(funnel: FunnelPanel) -> None:
    funnel.show_counts(retrieval(chosen(many(500), RetrievalMode.Hybrid)))
    dense, sparse = funnel.stage_rect("dense raw"), funnel.stage_rect("with query words")
    assert dense.left() == sparse.left()
    assert dense.bottom() < sparse.top()
    assert funnel.stage_rect("fused").left() > sparse.right()


def test_zero_records_are_only_said_of_a_store_without_records(funnel: FunnelPanel) -> None:
    funnel.show_counts(Retrieval(RetrieveParams(), "knowledge", "", None))
    assert funnel.stages() == []
    assert funnel.accessibleDescription().startswith("Nothing was searched")
    assert not funnel.grab().isNull()
    funnel.show_counts(Retrieval(RetrieveParams(), "knowledge", "coral", None, "diary"))
    assert funnel.stages() == []
    funnel.show_counts(Retrieval(RetrieveParams(), "knowledge", "coral", None))
    assert {count for _, count in funnel.stages()} == {0}
    funnel.show_counts(None)
    assert funnel.accessibleDescription().startswith("The funnel appears")


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 556, 774, 1600])
@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_every_bar_is_inside_and_can_be_seen(
    funnel: FunnelPanel, width: int, mode: RetrievalMode
) -> None:
    funnel.resize(width, funnel.minimumSizeHint().height())
    funnel.show_counts(retrieval(chosen(many(20_000), mode, top_k=3, threshold=0.5)))
    rects = [funnel.stage_rect(label) for label, _ in funnel.stages()]
    for rect in rects:
        assert funnel.rect().toRectF().contains(rect)
        assert rect.height() >= 4
        assert rect.width() >= 8
    assert rects[0].height() > 2 * rects[-1].height()


def test_clicking_a_stage_asks_for_what_it_removed_and_again_for_all(
    qtbot: QtBot, funnel: FunnelPanel
) -> None:
    funnel.show_counts(retrieval(chosen(aquarium())))
    for expected in (stages.WITHIN_THRESHOLD, None):
        with qtbot.waitSignal(funnel.stage_clicked) as caught:
            _click(qtbot, funnel, "within threshold")
        assert caught.args == [expected]


def test_clicking_the_number_between_bars_picks_the_stage_that_removed_it(
    qtbot: QtBot, funnel: FunnelPanel
) -> None:
    funnel.show_counts(retrieval(chosen(aquarium())))
    left, right = funnel.stage_rect("raw"), funnel.stage_rect("within threshold")
    place = QPointF((left.right() + right.left()) / 2, left.center().y()).toPoint()
    with qtbot.waitSignal(funnel.stage_clicked) as caught:
        qtbot.mouseClick(funnel, Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [stages.WITHIN_THRESHOLD]


def _every_kind() -> dict[str, RetrievalResult]:
    found: dict[str, RetrievalResult] = {
        f"{mode.name} {count}": retrieval(chosen(many(count), mode, top_k=3, threshold=0.8))
        for mode in RetrievalMode
        for count in (40, 400)
    }
    near = chosen(many(400), top_k=5, threshold=0.8)
    intent = ClassifyIntentParams(diagnostic_topk=5)
    found["intent"] = IntentRetrieval(intent, "intent", "clownfish", near)
    found["subgraph"] = SubgraphRetrieval(
        RetrieveSubgraphParams(), "town", "lamp mill", walked(top_k=1)
    )
    found["subgraph beyond the cap"] = SubgraphRetrieval(
        RetrieveSubgraphParams(),
        "wide",
        "hub",
        walked(wide(600), "hub leaf", ExpansionDepth.DEEP),
    )
    corpus = Corpus(
        [CorpusEntry(f"tips/{number}", "a coral " * (number % 3)) for number in range(30)]
    )
    for floor in (0.0, 0.5, 1.0):
        words = KeywordListing(
            keyword_select(KeywordRetriever().candidates("coral", corpus), 3, floor)
        )
        found[f"keyword {floor}"] = KeywordRetrieval(
            KeywordRetrieveParams(), "corpus", "coral", words
        )
    return found


@pytest.mark.parametrize("name", list(_every_kind()))
def test_a_click_on_any_number_lists_as_many_rows(
    qtbot: QtBot, funnel: FunnelPanel, name: str
) -> None:
    result = _every_kind()[name]
    hits = HitsPanel()
    qtbot.addWidget(hits)
    funnel.stage_clicked.connect(hits.show_stage)
    hits.stage_changed.connect(funnel.set_picked)
    funnel.show_counts(result)
    hits.show_selection(result.listing)
    opened = 0
    for stage in result.stages:
        before = hits.model.rowCount()
        _click(qtbot, funnel, stage.label)
        if stage.removed:
            assert hits.model.stage is stage.kind
            assert hits.model.rowCount() == abs(stage.removed)
            opened += 1
            _click(qtbot, funnel, stage.label)
        assert hits.model.rowCount() == before
    assert opened >= 1


def test_a_stage_that_removed_nothing_cannot_be_picked(qtbot: QtBot, funnel: FunnelPanel) -> None:
    funnel.show_counts(retrieval(chosen(aquarium(filtered=False))))
    with qtbot.assertNotEmitted(funnel.stage_clicked):
        for label in ("records", "match filter", "hits"):
            _click(qtbot, funnel, label)


def test_the_arrow_keys_and_enter_pick_a_stage(qtbot: QtBot, funnel: FunnelPanel) -> None:
    funnel.show_counts(retrieval(chosen(aquarium())))
    funnel.setFocus()
    told: list[Any] = []
    funnel.stage_clicked.connect(told.append)
    qtbot.keyClick(funnel, Qt.Key.Key_Right)
    qtbot.keyClick(funnel, Qt.Key.Key_Return)
    qtbot.keyClick(funnel, Qt.Key.Key_End)
    qtbot.keyClick(funnel, Qt.Key.Key_Left)
    qtbot.keyClick(funnel, Qt.Key.Key_Space)
    qtbot.keyClick(funnel, Qt.Key.Key_Escape)
    assert told == [stages.MATCHING, stages.WITHIN_THRESHOLD, None]


def test_the_picked_stage_is_shown_and_can_be_given_up_from_outside(funnel: FunnelPanel) -> None:
    funnel.show_counts(retrieval(chosen(aquarium())))
    plain = funnel.grab().toImage()
    funnel.set_picked(stages.WITHIN_THRESHOLD)
    assert funnel.grab().toImage() != plain
    funnel.set_picked(None)
    assert funnel.grab().toImage() == plain


def test_a_screen_reader_hears_all_the_numbers(funnel: FunnelPanel) -> None:
    funnel.show_counts(retrieval(chosen(aquarium())))
    assert funnel.accessibleDescription() == (
        "10 records; 9 match filter (1 removed by filter); 8 raw (1 removed beyond top_k); "
        "3 within threshold (5 removed by threshold); 3 hits"
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_last_bar_has_the_colour_of_hits(funnel: FunnelPanel, theme: Theme) -> None:
    spread(funnel, theme)
    funnel.show_counts(retrieval(chosen(aquarium())))
    image = funnel.grab().toImage()
    place = funnel.stage_rect("hits").center().toPoint()
    assert image.pixelColor(place) == theme.hit
    assert image.pixelColor(1, 1) == theme.panel


def test_every_stage_explains_itself(qtbot: QtBot, funnel: FunnelPanel) -> None:
    for mode in RetrievalMode:
        funnel.show_counts(retrieval(chosen(many(500), mode)))
        for number, (label, count) in enumerate(funnel.stages()):
            assert funnel._tip(number).startswith(f"{count:,} {label}. ")
