"""The table of hits as a user meets it: rows, keys, menus, columns, what stays in hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QTableView

from core.nodes import ExpansionDepth, RetrievalMode
from core.retrieve.stages import MATCHING, WITHIN_THRESHOLD
from inspector.models.hits_model import TITLES, Column, HitsModel
from inspector.panels.hits_panel import HitsPanel
from inspector.theme import DARK, LIGHT, spread
from tests.inspector.fixed_results import TOKENS, aquarium, candidates, chosen, many
from tests.inspector.fixed_subgraphs import walked

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QImage
    from pytestqt.qtbot import QtBot


@pytest.fixture
def panel(qtbot: QtBot) -> HitsPanel:
    panel = HitsPanel()
    qtbot.addWidget(panel)
    panel.resize(900, 420)
    panel.show()
    spread(panel, LIGHT)
    return panel


def _click(qtbot: QtBot, panel: HitsPanel, row: int) -> None:
    table = panel.table
    rect = table.visualRect(panel.model.index(row, Column.ID))
    place = QPoint(rect.center().x(), rect.bottom() - 4)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def _shown(panel: HitsPanel) -> list[str]:
    return [TITLES[column] for column in Column if not panel.table.isColumnHidden(column)]


def test_the_table_has_the_name_that_scripts_use(panel: HitsPanel) -> None:
    table = panel.findChild(QTableView, "hitsTable")
    panel.show_selection(chosen(aquarium()))
    assert table.model().index(0, 0).data(HitsModel.HitIdRole) == "clown_lion_01"
    assert table.model().index(3, 0).data(HitsModel.ReasonRole) == "filter"


def test_the_query_stands_above_the_hits_as_the_mode_s_legs_see_it(panel: HitsPanel) -> None:
    for mode, legs in (
        (RetrievalMode.Dense, ["Dense"]),
        (RetrievalMode.Lexical, ["BM25"]),
        (RetrievalMode.Hybrid, ["Dense", "BM25"]),
    ):
        panel.show_selection(chosen(aquarium(), mode))
        shown = [piece.text for piece in panel.query_line.pieces()]
        assert [text for text in shown if text.endswith(" reads")] == [
            f"{leg} reads" for leg in legs
        ]
    panel.show_selection(None)
    assert not panel.query_line.isVisible()


def test_clicking_a_row_hands_out_its_story(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    with qtbot.waitSignal(panel.row_selected) as caught:
        _click(qtbot, panel, 1)
    assert caught.args[0].id == "lionfish_diet"
    with qtbot.waitSignal(panel.row_selected) as caught:
        qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert caught.args[0].id == "clown_tankmates"


def test_the_row_in_hand_is_kept_by_id_when_the_rows_change(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    _click(qtbot, panel, 4)
    told: list[Any] = []
    panel.row_selected.connect(told.append)
    panel.show_selection(chosen(aquarium(), threshold=0.62))
    assert panel.table.currentIndex().row() == 3
    assert [hit.id for hit in panel.selected_hits()] == ["reef_safe_02"]
    assert [(hit.id, hit.reason.value) for hit in told] == [("reef_safe_02", "")]


def test_a_record_that_left_the_table_keeps_its_story_in_hand(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    found = aquarium()
    panel.show_selection(chosen(found))
    _click(qtbot, panel, 0)
    told: list[Any] = []
    panel.row_selected.connect(told.append)
    panel.show_stage(WITHIN_THRESHOLD)
    assert panel.selected_hits() == ()
    assert told[-1].id == "clown_lion_01"
    panel.show_stage(None)
    assert [hit.id for hit in panel.selected_hits()] == ["clown_lion_01"]


def test_another_storage_without_the_record_in_hand_empties_the_hand(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    _click(qtbot, panel, 2)
    with qtbot.waitSignal(panel.row_selected) as caught:
        panel.show_selection(chosen(many(50)))
    assert caught.args == [None]


def test_a_record_is_taken_in_hand_by_its_row_in_the_file(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(many(3000)))
    listed = panel.model.hit_at(150).row
    with qtbot.waitSignal(panel.row_selected) as caught:
        panel.select_record(listed)
    assert caught.args[0].row == listed
    assert panel.table.currentIndex().row() == 150
    assert (
        panel.table.viewport().rect().intersects(panel.table.visualRect(panel.table.currentIndex()))
    )
    selection: Any = panel.model.selection
    unlisted = int(selection.dense.order[-1])
    assert panel.model.words.tokens == set(TOKENS) - {"do", "with"}
    with qtbot.waitSignal(panel.row_selected) as caught:
        panel.select_record(unlisted)
    assert caught.args[0].row == unlisted
    assert panel.selected_hits() == ()


def test_a_record_is_taken_in_hand_by_its_id_even_if_a_stage_hides_it(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    panel.show_stage(WITHIN_THRESHOLD)
    panel.select_id("lionfish_diet")
    assert [hit.id for hit in panel.selected_hits()] == ["lionfish_diet"]
    assert not panel.filter_bar.isVisible()
    panel.select_id("no such record")
    assert [hit.id for hit in panel.selected_hits()] == ["lionfish_diet"]


def test_scrolling_stays_where_it_is_while_a_slider_moves(qtbot: QtBot, panel: HitsPanel) -> None:
    found = many(3000)
    panel.show_selection(chosen(found))
    _click(qtbot, panel, 0)
    bar = panel.table.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    panel.show_selection(chosen(found, threshold=0.9, top_k=6))
    assert bar.value() == before


def test_the_heading_says_how_many_near_misses_there_are(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    assert panel.table.band_text == "7 near-misses"
    panel.show_selection(chosen(aquarium(), threshold=0.01))
    assert panel.table.band_text == "no hits · 10 near-misses"
    panel.show_selection(chosen(many(3000), threshold=0.0))
    assert panel.table.band_text == "2,992 near-misses · showing 200"
    panel.show_selection(None)
    assert panel.table.band_text == ""


def test_the_heading_stands_between_hits_and_near_misses_and_is_no_row(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    table = panel.table
    band = table.band_rect()
    assert band.top() == table.rowViewportPosition(3)
    assert table.rowHeight(3) == table.rowHeight(2) + band.height()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=band.center())
    assert panel.selected_hits() == ()
    panel.show_selection(chosen(aquarium(), threshold=0.65))
    assert table.rowHeight(3) == table.rowHeight(2)
    assert table.band_rect().top() == table.rowViewportPosition(5)


def test_more_near_misses_come_with_a_button(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    assert not panel.more_button.isVisible()
    panel.show_selection(chosen(many(3000)))
    assert panel.model.near_miss_count == 200
    qtbot.mouseClick(panel.more_button, Qt.MouseButton.LeftButton)
    assert panel.model.near_miss_count == 1200


def test_a_stage_limits_the_table_and_show_all_gives_the_rest_back(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    with qtbot.waitSignal(panel.stage_changed) as caught:
        panel.show_stage(WITHIN_THRESHOLD)
    assert caught.args == [WITHIN_THRESHOLD]
    assert panel.filter_bar.isVisible()
    assert panel.filter_label.text() == "Showing only: 5 by threshold"
    assert {
        panel.model.data(panel.model.index(row, 0), HitsModel.ReasonRole)
        for row in range(panel.model.rowCount())
    } == {"threshold"}
    with qtbot.waitSignal(panel.stage_changed) as caught:
        qtbot.mouseClick(panel.show_all_button, Qt.MouseButton.LeftButton)
    assert caught.args == [None]
    assert not panel.filter_bar.isVisible()
    assert panel.model.hit_count == 3


def test_a_stage_that_removed_nothing_says_so(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium(filtered=False)))
    panel.show_stage(MATCHING)
    assert panel.model.rowCount() == 0
    assert panel.table.accessibleDescription().startswith("No records by filter")


def test_copying_puts_the_selected_rows_on_the_clipboard(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    _click(qtbot, panel, 0)
    qtbot.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert [line.split("\t")[1] for line in lines] == ["id", "clown_lion_01", "lionfish_diet"]


def test_the_rows_menu_copies_id_and_text_as_they_are(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(
        chosen(
            candidates(
                ["=id"], ["-text"], np.array([0.1], dtype=np.float32), np.array([0.0], np.float32)
            )
        )
    )
    _click(qtbot, panel, 0)
    menu = QMenu(panel)
    panel.table.menu_requested.emit(menu)
    copies = {action.text(): action for action in menu.actions()}
    copies["Copy id"].trigger()
    assert QGuiApplication.clipboard().text() == "=id"
    copies["Copy text"].trigger()
    assert QGuiApplication.clipboard().text() == "-text"


def test_a_third_click_on_a_header_brings_back_the_engines_order(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    header = panel.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(Column.ID) + 12, header.height() // 2)

    def first_ids() -> list[str]:
        return [panel.model.hit_at(row).id for row in range(3)]

    engine = first_ids()
    seen = []
    for _ in range(3):
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        seen.append(first_ids())
    assert seen == [sorted(engine), sorted(engine, reverse=True), engine]


@pytest.mark.parametrize(
    ("mode", "missing"),
    [
        (RetrievalMode.Dense, {"BM25", "fused", "BM25 rank"}),
        (RetrievalMode.Lexical, {"distance", "bar", "dense", "fused", "BM25 rank"}),
        (RetrievalMode.Hybrid, set()),
    ],
)
def test_a_column_that_has_no_value_in_the_mode_is_hidden(
    panel: HitsPanel, mode: RetrievalMode, missing: set[str]
) -> None:
    panel.resize(1400, 400)
    panel.show_selection(chosen(aquarium(), mode))
    assert set(TITLES) - set(_shown(panel)) == missing | {"score", "match reason"}


def test_a_narrow_table_gives_up_columns_that_repeat_others(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    assert "bar" in _shown(panel)
    panel.resize(340, 400)
    assert "bar" not in _shown(panel)
    assert {"id", "distance", "would need"} <= set(_shown(panel))
    panel.resize(900, 400)
    assert "bar" in _shown(panel)


def test_a_column_that_the_user_picks_stays_whatever_the_mode(panel: HitsPanel) -> None:
    panel.resize(1400, 400)
    panel.show_selection(chosen(aquarium()))
    menu = panel.table.columns_menu()
    entries = {action.text(): action for action in menu.actions()}
    assert entries["BM25"].isChecked() is False
    assert entries["id"].isEnabled() is False
    entries["BM25"].trigger()
    entries["dense"].trigger()
    assert "BM25" in _shown(panel)
    panel.show_selection(chosen(aquarium(), RetrievalMode.Hybrid))
    assert "dense" not in _shown(panel)
    entries["Reset columns"].trigger()
    assert "dense" in _shown(panel)


def test_the_state_of_the_columns_comes_back_in_another_window(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    header = panel.table.horizontalHeader()
    header.moveSection(header.visualIndex(Column.DISTANCE), 0)
    header.resizeSection(Column.ID, 222)
    header.setSortIndicator(Column.ID, Qt.SortOrder.DescendingOrder)
    panel.table.pick_column(Column.BM25, True)
    other = HitsPanel()
    qtbot.addWidget(other)
    assert other.table.restore_state(panel.table.save_state())
    other.show_selection(chosen(aquarium()))
    restored = other.table.horizontalHeader()
    assert restored.visualIndex(Column.DISTANCE) == 0
    assert restored.sectionSize(Column.ID) == 222
    assert "BM25" in _shown(other)
    assert other.model.hit_at(0).id == "lionfish_diet"


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xff\x00",
        b"[]",
        b"null",
        b'{"version": 1}',
        b"[" * 100_000,
        b'{"version": 1, "header": "####", "picked": {}}',
        b'{"version": 1, "header": "AAAA", "picked": {"no such column": true}}',
        b'{"version": 2, "header": "", "picked": {}}',
        b'{"version": 1, "header": "AAAA", "picked": 1}',
    ],
)
def test_a_damaged_state_changes_nothing(panel: HitsPanel, state: bytes) -> None:
    panel.show_selection(chosen(aquarium()))
    before = _shown(panel)
    assert panel.table.restore_state(state) is False
    assert _shown(panel) == before


def test_an_empty_table_says_what_to_do(qtbot: QtBot, panel: HitsPanel) -> None:
    blank = panel.table.viewport().grab().toImage()
    panel.set_empty_text("No question yet", "Type what a player would ask.")
    assert panel.table.viewport().grab().toImage() != blank
    assert panel.table.accessibleDescription() == "No question yet Type what a player would ask."


TEXT = "clownfish and clownfish and clownfish"


def _text_image(panel: HitsPanel, row: int, tokens: tuple[str, ...] = ("anemone",)) -> QImage:
    panel.show_selection(
        chosen(
            candidates(
                ["a", "b"],
                [TEXT, TEXT],
                np.array([0.1, 0.9], dtype=np.float32),
                np.array([0.0, 0.0], dtype=np.float32),
                tokens=tokens,
            )
        )
    )
    rect = panel.table.visualRect(panel.model.index(row, Column.TEXT))
    return (
        panel.table.viewport()
        .grab(rect.adjusted(0, rect.height() - panel.table.rowHeight(0), 0, 0))
        .toImage()
    )


def _pixels(image: QImage) -> list[int]:
    return [
        image.pixelColor(x, y).lightness()
        for x in range(image.width())
        for y in range(image.height())
    ]


def test_hits_are_painted_at_full_strength_and_near_misses_dimmed(panel: HitsPanel) -> None:
    assert abs(min(_pixels(_text_image(panel, 0))) - LIGHT.text.lightness()) <= 12
    assert abs(min(_pixels(_text_image(panel, 1))) - LIGHT.muted.lightness()) <= 12


def test_words_of_the_query_are_set_in_bold(panel: HitsPanel) -> None:
    plain = _pixels(_text_image(panel, 0))
    bold = _pixels(_text_image(panel, 0, ("clownfish",)))
    assert sum(255 - light for light in bold) > 1.15 * sum(255 - light for light in plain)


def _row_colour(panel: HitsPanel, row: int) -> QColor:
    rect = panel.table.visualRect(panel.model.index(row, Column.ID))
    return panel.table.viewport().grab().toImage().pixelColor(rect.right() - 2, rect.bottom() - 2)


def test_the_selected_row_is_seen_in_both_themes(qtbot: QtBot, panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    _click(qtbot, panel, 1)
    for theme in (LIGHT, DARK):
        spread(panel, theme)
        assert _row_colour(panel, 1) == theme.accent_soft
        assert _row_colour(panel, 0) == theme.panel
        assert _row_colour(panel, 5) == theme.background


ODD_TEXTS = (
    "x" * 20_000,
    "דג הליצן חי עם שושנת ים " * 40,
    "水族館の魚はとても美しい" * 40,
    "🐠🐡" * 400,
    "\0\n\u2028",
    "",
)


@pytest.mark.parametrize("width", [200, 560, 900])
def test_any_script_and_length_can_be_painted(panel: HitsPanel, width: int) -> None:
    count = len(ODD_TEXTS)
    panel.resize(width, 420)
    panel.show_selection(
        chosen(
            candidates(
                [f"id {text[:80]}" for text in ODD_TEXTS],
                ODD_TEXTS,
                np.linspace(0.1, 0.9, count).astype(np.float32),
                np.zeros(count, dtype=np.float32),
                tokens=("🐠", "水族", "דג", "x"),
            )
        )
    )
    assert not panel.grab().isNull()


def test_larger_text_makes_taller_rows(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    before = panel.table.rowHeight(0)
    font = panel.table.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    panel.table.setFont(font)
    assert panel.table.rowHeight(0) >= 1.5 * before
    assert panel.table.rowHeight(3) > panel.table.rowHeight(0)


def test_every_control_has_a_name(panel: HitsPanel) -> None:
    assert panel.table.accessibleName()
    assert panel.show_all_button.accessibleName()
    panel.show_selection(chosen(many(3000)))
    assert panel.more_button.text() == "Show 1,000 more near-misses"


@pytest.mark.parametrize("width", [400, 480, 774, 1400])
@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_the_columns_fit_the_table_and_no_title_is_cut(
    panel: HitsPanel, mode: RetrievalMode, width: int
) -> None:
    panel.resize(width, 400)
    panel.show_selection(chosen(aquarium(), mode))
    table, header = panel.table, panel.table.horizontalHeader()
    assert header.length() <= table.viewport().width()
    for column in Column:
        if not table.isColumnHidden(column) and column not in (Column.BAR, Column.RANK):
            words = table.fontMetrics().horizontalAdvance(TITLES[column])
            assert table.columnWidth(column) >= words + 16


def test_a_column_that_the_user_sized_keeps_its_width_and_the_text_takes_the_rest(
    panel: HitsPanel,
) -> None:
    panel.show_selection(chosen(aquarium()))
    header = panel.table.horizontalHeader()
    header.resizeSection(Column.ID, 222)
    text = panel.table.columnWidth(Column.TEXT)
    panel.resize(1000, 420)
    assert panel.table.columnWidth(Column.ID) == 222
    assert panel.table.columnWidth(Column.TEXT) > text
    assert header.length() == panel.table.viewport().width()


def test_hits_are_marked_at_their_left_edge(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    image = panel.table.viewport().grab().toImage()
    table = panel.table
    for row in range(3):
        assert image.pixelColor(1, table.rowViewportPosition(row) + 6) == LIGHT.hit
    assert image.pixelColor(1, table.rowViewportPosition(4) + 6) != LIGHT.hit


@pytest.mark.parametrize("width", [340, 480, 520])
def test_where_there_is_no_room_the_text_stands_below_at_the_width_of_the_row(
    panel: HitsPanel, width: int
) -> None:
    panel.show_selection(chosen(aquarium()))
    one_line = panel.table.rowHeight(0)
    panel.resize(width, 400)
    table = panel.table
    assert table.two_lines
    assert "text" not in _shown(panel)
    assert table.rowHeight(0) > 1.6 * one_line
    row = QRect(0, table.rowViewportPosition(0), table.viewport().width(), table.rowHeight(0))
    image = table.viewport().grab(row.adjusted(50, row.height() // 2, 0, 0)).toImage()
    forty = table.fontMetrics().horizontalAdvance("A lionfish will eat a clownfish that fit")
    assert _last_ink(image) >= min(forty, image.width() - 40)
    panel.resize(900, 400)
    assert not table.two_lines
    assert table.rowHeight(0) == one_line


def _last_ink(image: QImage) -> int:
    """Return how far to the right something dark is drawn, px."""
    return max(
        x
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).lightness() < 128
    )


def test_the_heading_of_the_near_misses_stands_above_a_row_of_two_lines_too(
    panel: HitsPanel,
) -> None:
    panel.resize(480, 400)
    panel.show_selection(chosen(aquarium()))
    table = panel.table
    assert table.band_rect().top() == table.rowViewportPosition(3)
    assert table.rowHeight(3) == table.rowHeight(2) + table.band_rect().height()


def test_the_lines_of_a_row_are_the_users_choice_and_are_kept(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    entries = {action.text(): action for action in panel.table.columns_menu().actions()}
    entries["Rows of two lines"].trigger()
    assert panel.table.two_lines
    other = HitsPanel()
    qtbot.addWidget(other)
    assert other.table.restore_state(panel.table.save_state())
    assert other.table.two_lines
    assert [action.isChecked() for action in other.table.lines_actions] == [False, False, True]
    panel.resize(400, 400)
    entries["Rows of one line"].trigger()
    assert not panel.table.two_lines
    panel.table.reset_columns()
    assert panel.table.two_lines


def test_the_width_that_is_left_is_no_width_that_the_user_gave(panel: HitsPanel) -> None:
    panel.show_selection(chosen(aquarium()))
    panel.resize(480, 400)
    panel.resize(500, 400)
    panel.resize(900, 400)
    assert not panel.table.two_lines
    assert '"sized": []' in panel.table.save_state().decode()


@pytest.mark.parametrize("after", [RetrievalMode.Lexical, RetrievalMode.Hybrid])
def test_a_sort_does_not_outlive_the_mode(panel: HitsPanel, after: RetrievalMode) -> None:
    panel.show_selection(chosen(aquarium()))
    header = panel.table.horizontalHeader()
    header.setSortIndicator(Column.ID, Qt.SortOrder.DescendingOrder)
    panel.show_selection(chosen(aquarium(), top_k=2))
    assert header.sortIndicatorSection() == Column.ID
    panel.show_selection(chosen(aquarium(), after))
    assert header.sortIndicatorSection() == -1
    engine = chosen(aquarium(), after)
    assert [panel.model.hit_at(row).id for row in range(panel.model.hit_count)] == [
        hit.id for hit in engine.hits
    ]


def test_a_sort_by_a_column_that_is_gone_is_not_brought_back(
    qtbot: QtBot, panel: HitsPanel
) -> None:
    panel.show_selection(chosen(aquarium()))
    panel.table.horizontalHeader().setSortIndicator(Column.DISTANCE, Qt.SortOrder.DescendingOrder)
    other = HitsPanel()
    qtbot.addWidget(other)
    other.table.restore_state(panel.table.save_state())
    other.show_selection(chosen(aquarium(), RetrievalMode.Lexical))
    assert other.table.horizontalHeader().sortIndicatorSection() == -1


def test_words_that_nearly_every_text_has_are_not_set_in_bold(panel: HitsPanel) -> None:
    plain = _pixels(_text_image(panel, 0))
    assert _pixels(_text_image(panel, 0, ("and", "what", "do"))) == plain


@pytest.mark.parametrize("depth", [ExpansionDepth.NONE, ExpansionDepth.STANDARD])
def test_nodes_of_a_knowledge_graph_show_their_titles(
    panel: HitsPanel, depth: ExpansionDepth
) -> None:
    panel.resize(1400, 400)
    listing = walked(depth=depth)
    panel.show_selection(listing)
    named = panel.model.headerData(Column.ID, Qt.Orientation.Horizontal)
    assert named == "title"
    # Full text alone gives every match the same reason; the walk tells how it came to a node.
    assert ("match reason" in _shown(panel)) is (depth is ExpansionDepth.STANDARD)
    assert panel.model.index(0, Column.ID).data() == "Lamp Mill"
    panel.table.horizontalHeader().setSortIndicator(Column.ID, Qt.SortOrder.DescendingOrder)
    shown = [panel.model.index(row, Column.ID).data() for row in range(panel.model.hit_count)]
    assert shown == sorted(shown, reverse=True)
    first = panel.model.index(0, Column.ID)
    assert first.data(HitsModel.HitIdRole) in first.data(Qt.ItemDataRole.ToolTipRole)
    panel.show_selection(chosen(aquarium()))
    assert panel.model.headerData(Column.ID, Qt.Orientation.Horizontal) == "id"


def test_ids_that_begin_alike_are_told_apart_by_their_ends(panel: HitsPanel) -> None:
    def image_of(record_id: str) -> QImage:
        vector = np.array([0.1], dtype=np.float32)
        panel.show_selection(chosen(candidates([record_id], [TEXT], vector, vector * 0)))
        rect = panel.table.visualRect(panel.model.index(0, Column.ID))
        return panel.table.viewport().grab(rect).toImage()

    assert image_of("handbook/pages/" * 9 + "one") != image_of("handbook/pages/" * 9 + "two")
    assert image_of("handbook/pages/" * 9 + "one") == image_of("handbook/pages/" * 8 + "one")
