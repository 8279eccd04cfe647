"""The history of turns."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView

from core.agent.history import HistoryEntry
from core.agent.turn import NodeRun, Turn
from core.errors import Code, InspectorError
from core.nodes import RetrievalMode, RetrieveParams
from core.nodes.retrieve import Retrieval
from core.nodes.walk import TurnRequest
from inspector.models.turns_model import EntryRole, TurnEntry, TurnRole, TurnsModel
from inspector.panels.turns_panel import TurnsPanel
from inspector.theme import DARK, spread
from inspector.widgets.turns_delegate import is_right_to_left

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot


def turn(
    message: str,
    mode: RetrievalMode = RetrievalMode.Dense,
    error: InspectorError | None = None,
    when: float = 0.0,
    top_k: int = 10,
) -> HistoryEntry:
    params = RetrieveParams(retrieval_mode=mode, top_k=top_k, threshold=0.5)
    run = NodeRun(
        "knowledge",
        "Retrieve",
        "not_found",
        "",
        params=params,
        retrieval=Retrieval(params, "knowledge", message, None),
    )
    request = TurnRequest(message, {"knowledge": params}, "knowledge")
    return HistoryEntry(Turn(request, (run,), error), live=False, when=when)


HISTORY = [
    turn("first"),
    turn("هل تعيش سمكة المهرج هنا؟", RetrievalMode.Lexical, when=60.0),
    turn("third <b>", error=InspectorError(Code.InferenceFailed, "no"), when=120.0, top_k=4),
]


@pytest.fixture
def panel(qtbot: QtBot) -> TurnsPanel:
    widget = TurnsPanel()
    qtbot.addWidget(widget)
    widget.resize(190, 240)
    widget.show()
    widget.show_turns(HISTORY, 2)
    return widget


def view_of(panel: TurnsPanel) -> QListView:
    return panel.findChild(QListView, "turnsView")


def entries(view: QListView) -> list[TurnEntry]:
    return [view.model().index(row, 0).data(EntryRole) for row in range(view.model().rowCount())]


def test_the_model_keeps_the_rules_of_item_models(qtmodeltester: ModelTester) -> None:
    model = TurnsModel()
    model.show_entries([TurnEntry.of(entry) for entry in HISTORY])
    qtmodeltester.check(model)


def test_the_newest_turn_comes_first(panel: TurnsPanel) -> None:
    assert [e.message for e in entries(view_of(panel))] == [
        "third <b>",
        "هل تعيش سمكة المهرج هنا؟",
        "first",
    ]


def test_a_row_says_how_it_searched_what_came_back_and_what_was_set_otherwise_before(
    panel: TurnsPanel,
) -> None:
    third, second, first = entries(view_of(panel))
    assert first.settings == "Dense · top_k 10 · threshold 0.5"
    assert first.outcome.startswith("0 hits · ")
    assert first.changed == ""
    assert second.settings == "Lexical · top_k 10"
    assert second.changed == "retrieval_mode Dense → Lexical"
    assert third.outcome.startswith("4001 InferenceFailed · ")
    assert third.changed == "retrieval_mode Lexical → Dense, top_k 10 → 4"
    assert TurnEntry("m", "Hybrid", 1, "").summary == "Hybrid · 1 hit"


def test_showing_the_history_picks_nothing_and_selects_the_turn_on_screen(
    panel: TurnsPanel, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(panel.turn_picked):
        panel.show_turns(HISTORY, 0)
    assert view_of(panel).currentIndex().data() == "first"
    panel.show_turns(HISTORY, -1)
    assert not view_of(panel).currentIndex().isValid()


def test_a_click_picks_a_turn_once(panel: TurnsPanel, qtbot: QtBot) -> None:
    view = view_of(panel)
    picked: list[Any] = []
    panel.turn_picked.connect(picked.append)
    QTest.mouseClick(
        view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=view.visualRect(view.model().index(2, 0)).center(),
    )
    assert picked == [0]


def test_arrows_only_move_and_enter_picks(panel: TurnsPanel, qtbot: QtBot) -> None:
    picked: list[Any] = []
    panel.turn_picked.connect(picked.append)
    view = view_of(panel)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert picked == []
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert picked == [1]


def test_a_turn_that_is_selected_again_changes_its_row_in_place(
    panel: TurnsPanel, qtbot: QtBot
) -> None:
    changed = [
        *HISTORY[:2],
        dataclasses.replace(HISTORY[2], turn=dataclasses.replace(HISTORY[2].turn, error=None)),
    ]
    with qtbot.waitSignal(panel.model.dataChanged), qtbot.assertNotEmitted(panel.model.modelReset):
        panel.show_turns(changed, 2)
    assert entries(view_of(panel))[0].error == ""


def test_right_to_left_text_is_known_by_its_first_letter() -> None:
    assert is_right_to_left("«هل» clownfish")
    assert not is_right_to_left("123 clownfish هل")
    assert not is_right_to_left("…")


def test_markup_in_a_message_is_no_html(panel: TurnsPanel) -> None:
    tip = view_of(panel).model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip


def test_a_long_history_and_an_empty_one_are_painted(panel: TurnsPanel) -> None:
    panel.show_turns([turn(f"message {i} " * 40) for i in range(400)], 399)
    assert not panel.grab().isNull()
    panel.show_turns([], -1)
    spread(panel, DARK)
    assert not panel.grab().isNull()


def chosen(panel: TurnsPanel, row: int, label: str) -> None:
    """Choose an entry of a turn's menu."""
    menu = panel.menu_at(panel.model.index(row, 0))
    next(action for action in menu.actions() if action.text() == label).trigger()
    menu.close()


def test_a_pinned_turn_stands_above_newer_ones(panel: TurnsPanel) -> None:
    pinned = dataclasses.replace(HISTORY[0], is_pinned=True)
    panel.show_turns([pinned, *HISTORY[1:]], 0)
    assert next(entry.message for entry in entries(view_of(panel))) == "first"
    assert view_of(panel).currentIndex().data(TurnRole) == 0


def test_the_menu_of_a_turn_pins_it_uses_its_settings_and_deletes_it(panel: TurnsPanel) -> None:
    told: list[Any] = []
    panel.turn_pinned.connect(lambda *args: told.append(args))
    panel.settings_wanted.connect(told.append)
    panel.turn_deleted.connect(told.append)
    for label in ("Pin", "Use its settings", "Delete"):
        chosen(panel, 2, label)
    assert told == [(0, True), 0, 0]


def test_f2_lets_a_turn_be_called_something(panel: TurnsPanel, qtbot: QtBot) -> None:
    view = view_of(panel)
    view.setFocus()
    view.setCurrentIndex(panel.model.index(1, 0))
    QTest.keyClick(view, Qt.Key.Key_F2)
    editor = view.viewport().findChild(QLineEdit)
    with qtbot.waitSignal(panel.turn_renamed) as caught:
        QTest.keyClicks(editor, "arabic")
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert caught.args == [1, "arabic"]


def test_delete_takes_the_turn_out_that_has_the_focus(panel: TurnsPanel, qtbot: QtBot) -> None:
    view = view_of(panel)
    view.setFocus()
    with qtbot.waitSignal(panel.turn_deleted) as caught:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert caught.args == [2]
