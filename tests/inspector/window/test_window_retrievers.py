"""Keyword and subgraph retrieval in the window, on the shipped samples, by keys and mouse."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QPushButton, QSlider

from core.nodes import ExpansionDepth
from inspector.models.hits_model import TITLES, HitsModel
from tests.inspector.drawn import node_item, node_rows
from tests.inspector.driver import CTRL, LEFT, SHIFT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

PAGES = "how do I tune reciprocal rank fusion?"
LETTER = "who sealed the letter with the lantern?"


def _copy(samples: Path, tmp_path: Path, name: str) -> Path:
    ignore = shutil.ignore_patterns("*.bm25", "*.vectors*")
    return shutil.copytree(samples / name, tmp_path / name, ignore=ignore)


@pytest.fixture
def pages(open_window: OpenWindow, samples: Path, tmp_path: Path) -> Driver:
    driver = open_window(_copy(samples, tmp_path, "handbook") / "handbook.graph.json")
    driver.ask(PAGES)
    return driver


@pytest.fixture
def town(open_window: OpenWindow, samples: Path, tmp_path: Path) -> Driver:
    driver = open_window(_copy(samples, tmp_path, "town") / "town.graph.json")
    driver.ask(LETTER)
    return driver


def _shown_columns(user: Driver) -> list[str]:
    table = user.find("hitsTable")
    return [title for column, title in enumerate(TITLES) if not table.isColumnHidden(column)]


def _facts(user: Driver, section: str = "Ranking") -> dict[str, str]:
    """Return what the details pane says below one of its headings."""
    facts, found, here = user.window.panels.details.facts.rows, {}, ""
    for fact in facts:
        here = fact.name if fact.is_heading else here
        if here == section and not fact.is_heading:
            found[fact.name] = fact.value
    return found


def _click_row(user: Driver, record_id: str) -> None:
    table = user.find("hitsTable")
    model = table.model()
    row = next(
        row
        for row in range(model.rowCount())
        if model.index(row, 0).data(HitsModel.HitIdRole) == record_id
    )
    table.scrollTo(model.index(row, 1))
    user.qtbot.mouseClick(
        table.viewport(), LEFT, pos=table.visualRect(model.index(row, 1)).center()
    )


def _agrees(user: Driver) -> None:
    """Table, funnel, prompt and diagnostics say the same."""
    section = user.turn.debug_info["nodes"][0]["diagnostics"]
    ids = [result["id"] for result in section["output"]["results"]]
    assert user.hits() == ids
    stages = user.find("funnelView").stages()
    assert stages == [(stage.label, stage.count) for stage in user.retrieval.stages]
    assert stages[-1][1] == len(ids) == section["parameters"]["result_count"]


# Keyword


def test_a_keyword_turn_fills_table_funnel_and_prompt(pages: Driver) -> None:
    _agrees(pages)
    assert pages.hits()[0] == "concepts/rank-fusion.md"
    assert [label for label, _ in pages.find("funnelView").stages()] == [
        "entries",
        "matched",
        "at or above min_score",
        "hits",
    ]
    assert {"score", "match reason"} <= set(_shown_columns(pages))
    assert not {"distance", "dense", "BM25", "fused"} & set(_shown_columns(pages))
    assert "[concepts/rank-fusion.md]" in pages.copied("Prompt as text")


def test_moving_min_score_and_k_reselects_at_once(pages: Driver) -> None:
    searched = pages.retrieval.listing.search
    for name, text, param in (
        ("minScoreSpin", "4.2", "min_score"),
        ("kSpin", "2", "k"),
        ("kSpin", "900", "k"),
    ):
        pages.set_spin(name, text)
        assert getattr(pages.params(), param) == float(text)
        assert pages.retrieval.listing.search is searched
        _agrees(pages)
    pages.qtbot.keyClick(pages.find("minScoreSlider", QSlider), Qt.Key.Key_Right)
    assert pages.params().min_score == pytest.approx(4.201)
    _agrees(pages)


def test_a_near_miss_says_by_how_much_it_misses_and_what_lets_it_in(pages: Driver) -> None:
    pages.set_spin("minScoreSpin", "4")
    missed = [row for row in pages.rows() if row.reason == "min_score"]
    assert missed[0].needs.endswith("min_score ≤ 3.75 (−0.25)")
    _click_row(pages, missed[0].id)
    facts = _facts(pages)
    assert facts["misses min_score by"] == "0.25 (4 − 3.75)"
    pages.set_spin("minScoreSpin", "3.75")
    pages.set_spin("kSpin", "1000")
    assert missed[0].id in pages.hits()


def test_the_details_show_the_score_field_by_field(pages: Driver) -> None:
    _click_row(pages, "concepts/rank-fusion.md")
    facts = _facts(pages)
    assert facts["path"] == "2 × 2 = 4 · fus, rank"
    assert facts["summary"].startswith("3 × 1.5 = 4.5 · ")
    assert facts["score"] == "13 × 1.5 = 19.5"
    assert _facts(pages, "Metadata")["related"].startswith("concepts/")


def test_a_weight_changes_scores_and_can_be_undone(pages: Driver) -> None:
    before = pages.rows()
    pages.set_spin("KeywordRetrieve_path_weightSpin", "0")
    assert pages.rows() != before
    _agrees(pages)
    pages.shortcut(Qt.Key.Key_Z)
    assert pages.rows() == before


def test_a_refused_category_weight_says_why_and_changes_nothing(pages: Driver) -> None:
    edit = pages.find("KeywordRetrieve_category_weightsEdit", QPlainTextEdit)
    edit.setFocus()
    edit.selectAll()
    edit.insertPlainText('{"errors": -1}')
    pages.qtbot.keyClick(edit, Qt.Key.Key_Tab)
    row = pages.window.panels.parameters.form.rows["category_weights"]
    pages.qtbot.waitUntil(lambda: "3007" in row.problem.text())
    assert pages.params().category_weights == '{"comparisons": 1.2}'


def test_the_funnel_lists_what_min_score_removed(pages: Driver) -> None:
    funnel = pages.find("funnelView")
    rect = funnel.stage_rect("at or above min_score")
    pages.qtbot.mouseClick(funnel, LEFT, pos=rect.center().toPoint())
    assert {row.reason for row in pages.rows()} == {"min_score"}
    assert len(pages.rows()) == pages.retrieval.stages[2].removed


def test_results_are_copied_with_score_and_reason(pages: Driver) -> None:
    pages.copy_menu.actions()[3].trigger()
    text = QGuiApplication.clipboard().text()
    head, first = text.splitlines()[:2]
    assert head == "rank,id,score,match_reason,reason,needs,text"
    assert first.startswith("1,concepts/rank-fusion.md,19.500000,path:2+")


def test_the_distance_plot_explains_that_there_are_no_distances(pages: Driver) -> None:
    panel = pages.window.panels.distances
    assert "no distances" in panel.message.text()
    assert panel.message.isVisible()


def test_a_folder_of_pages_opens_without_a_graph(
    open_window: OpenWindow, samples: Path, tmp_path: Path
) -> None:
    folder = _copy(samples, tmp_path, "handbook") / "concepts"
    user = open_window(folder)
    user.ask("near miss")
    assert user.session.node == "knowledge"
    assert user.hits()[0] == "near-miss.md"
    listed = user.window.panels.workspace.model
    assert listed.findItems("concepts", Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)


def test_a_page_that_changes_on_disk_is_offered_for_reload(pages: Driver) -> None:
    page = pages.session.current.path.parent / "concepts" / "rank-fusion.md"
    page.write_text(
        page.read_text(encoding="utf-8").replace("Reciprocal", "Mutual"), encoding="utf-8"
    )
    pages.qtbot.waitUntil(lambda: "rank-fusion.md changed" in pages.bar_text, timeout=10_000)


# Subgraph


def _press(user: Driver, depth: str) -> None:
    user.qtbot.mouseClick(user.find(f"depth{depth}", QPushButton), LEFT)


def test_a_subgraph_turn_fills_table_funnel_prompt_and_drawing(town: Driver) -> None:
    _agrees(town)
    graph = town.retrieval.listing.result.graph
    drawing = town.window.panels.subgraph
    assert [graph.nodes[row].id for row in node_rows(drawing)] == town.hits()
    assert town.find("funnelView").stages()[-2:] == [("matches", 3), ("in the prompt", 13)]
    assert town.find("subgraphView").isVisible()


def test_the_depth_reacts_at_once(town: Driver) -> None:
    searched = town.retrieval.listing.search
    counts = {}
    for depth in ("None", "Shallow", "Standard", "Deep"):
        _press(town, depth)
        assert town.params().expansion_depth is ExpansionDepth[depth.upper()]
        assert town.retrieval.listing.search is searched
        assert len(node_rows(town.window.panels.subgraph)) == len(town.hits())
        _agrees(town)
        counts[depth] = len(town.hits())
    assert counts["None"] == 3
    assert counts["None"] < counts["Shallow"] < counts["Standard"] < counts["Deep"]
    town.shortcut(Qt.Key.Key_Z)
    assert town.params().expansion_depth is ExpansionDepth.STANDARD


def test_table_and_drawing_are_linked_both_ways(town: Driver) -> None:
    drawing = town.window.panels.subgraph
    _click_row(town, "green-wax")
    row = town.retrieval.listing.row_of("green-wax")
    assert node_item(drawing, row).is_selected
    other = town.retrieval.listing.row_of("glass-key")
    item = node_item(drawing, other)
    place = drawing.mapFromScene(item.mapToScene(item.shape().boundingRect().center()))
    town.qtbot.mouseClick(drawing.viewport(), LEFT, pos=place)
    table = town.find("hitsTable")
    assert table.currentIndex().data(HitsModel.HitIdRole) == "glass-key"
    assert _facts(town)["in the result as"] == "→ opens → Box with a Lantern"
    town.qtbot.mouseDClick(drawing.viewport(), LEFT, pos=place)
    assert town.find("hitDetails").isVisible()


def test_a_near_miss_names_its_rank_or_its_scope(town: Driver) -> None:
    _press(town, "None")
    town.set_spin("matchesSpin", "1")
    assert town.rows()[1].needs == "top_k ≥ 2"
    edit = town.find("tagFiltersEdit", QPlainTextEdit)
    edit.setFocus()
    edit.insertPlainText('{"kind": "person"}')
    town.qtbot.keyClick(edit, Qt.Key.Key_Return, CTRL)
    town.qtbot.waitUntil(lambda: town.params().tag_filters == '{"kind": "person"}')
    needs = {row.id: row.needs for row in town.rows()}
    assert needs["lantern-letter"] == 'scope.tag_filters: kind is "object", not "person"'
    _agrees(town)


def test_an_unknown_root_is_refused_beside_its_field(town: Driver) -> None:
    edit = town.find("rootNodeEdit", QLineEdit)
    edit.setFocus()
    town.qtbot.keyClicks(edit, "oldtown")
    town.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert town.params().root_node_id == "oldtown"
    town.qtbot.keyClicks(edit, "x")
    town.qtbot.keyClick(edit, Qt.Key.Key_Return)
    row = town.window.panels.parameters.form.rows["root_node_id"]
    assert 'no node "oldtownx"' in row.problem.text()
    assert town.params().root_node_id == "oldtown"


def test_the_drawing_is_there_only_for_a_subgraph_node(town: Driver) -> None:
    docks = town.window.docks
    assert not docks["subgraph"].isHidden()
    combo = town.find("nodeCombo", QComboBox)
    combo.setCurrentIndex(1)
    combo.activated.emit(1)
    assert docks["subgraph"].isHidden()
    town.shortcut(Qt.Key.Key_4)
    assert docks["subgraph"].isHidden()
    combo.setCurrentIndex(0)
    combo.activated.emit(0)
    assert not docks["subgraph"].isHidden()


def test_a_retrieve_graph_has_no_subgraph_tab(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    assert user.window.docks["subgraph"].isHidden()
    user.window.layout_of_docks.restore_default()
    assert user.window.docks["subgraph"].isHidden()


def test_embeddings_are_searched_in_the_background(town: Driver) -> None:
    with town.turn_of(LETTER):
        town.qtbot.keyClick(town.find("embeddingsCheck"), Qt.Key.Key_Space)
    assert town.params().use_embeddings
    best = town.retrieval.hits[0]
    assert best.match_reason in {"fts", "dense", "fts+dense"}
    assert "distance" in _shown_columns(town)
    _agrees(town)


def test_long_text_goes_into_the_prompt_when_asked_for(town: Driver) -> None:
    before = town.copied("Prompt as text")
    town.qtbot.keyClick(town.find("rawTextCheck"), Qt.Key.Key_Space)
    assert len(town.copied("Prompt as text")) > len(before)


def test_a_knowledge_graph_opens_without_a_graph_and_nothing_found_says_so(
    open_window: OpenWindow, samples: Path, tmp_path: Path
) -> None:
    user = open_window(_copy(samples, tmp_path, "town") / "town.kg.json")
    user.ask("xyzzy")
    assert user.hits() == []
    assert node_rows(user.window.panels.subgraph) == ()
    assert user.turn.runs[0].exit == "not_found"


def test_edits_are_saved_to_the_graph_file(town: Driver) -> None:
    _press(town, "Deep")
    town.set_spin("matchesSpin", "7")
    town.shortcut(Qt.Key.Key_S)
    saved = json.loads(town.session.current.path.read_text(encoding="utf-8"))
    params = saved["nodes"][0]["params"]
    assert (params["expansion_depth"], params["top_k"]) == ("deep", 7)


def test_both_can_be_tuned_by_shortcuts_and_undone(town: Driver) -> None:
    _press(town, "None")
    town.shortcut(Qt.Key.Key_Z)
    assert town.params().expansion_depth is ExpansionDepth.STANDARD
    town.shortcut(Qt.Key.Key_Z, CTRL | SHIFT)
    assert town.params().expansion_depth is ExpansionDepth.NONE
