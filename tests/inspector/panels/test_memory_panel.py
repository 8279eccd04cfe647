"""Memory stores: seen, edited and saved, with drafts that survive whatever is shown."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.errors import Code, InspectorError, Place
from core.knowledge.memory import MemoryStore
from inspector.models.memory_model import RecordIdRole, StoreRole
from inspector.panels.memory_panel import MemoryPanel
from inspector.widgets.labels import StatusLabel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from inspector.widgets.code_edit import CodeEdit
    from inspector.widgets.fields import LineEdit
    from inspector.widgets.item_views import TableView

ADA = MemoryStore(
    "memories_ada",
    "npc",
    path=Path("ada.json"),
    records=(
        {"id": "m1", "text": "Ada owes Marta a favour", "metadata": {"turn": 1}},
        {"id": "m2", "text": "wolves in the mine", "seen": True},
        {"id": "m3", "text": "a room for the night"},
    ),
)
BOB = MemoryStore("memories_bob", "npc", records=({"id": "m1", "text": "Bob likes ale"},))
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Keeper:
    """Takes over every edit at once, as the session does, unless it `refuses`."""

    def __init__(self, panel: MemoryPanel, *stores: MemoryStore) -> None:
        self.panel, self.stores = panel, {store.name: store for store in stores}
        self.edits: list[Any] = []
        self.refuses: InspectorError | None = None
        self.written: dict[str, Any] = {}
        self.used: tuple[str, ...] = ()
        panel.store_edited.connect(self.on_store_edited)
        self.show()

    def on_store_edited(self, store: MemoryStore) -> None:
        self.edits.append(store)
        if self.refuses is not None:
            self.panel.show_problem(self.refuses)
            return
        self.stores[store.name] = store
        self.show()

    def show(self, *stores: MemoryStore) -> None:
        self.stores |= {store.name: store for store in stores}
        self.panel.show_stores(
            list(self.stores.values()),
            changed=(),
            written=self.written,
            schemas=("npc", "lore"),
            in_use=self.used,
        )


@pytest.fixture
def outside(qtbot: QtBot) -> QWidget:
    """A window with a field beside the panel, so that the focus has somewhere to go."""
    window = QWidget()
    column = QVBoxLayout(window)
    elsewhere = QLineEdit()
    elsewhere.setObjectName("elsewhere")
    column.addWidget(elsewhere)
    column.addWidget(MemoryPanel())
    window.resize(700, 280)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    elsewhere.setFocus()
    return window


@pytest.fixture
def panel(outside: QWidget) -> MemoryPanel:
    return outside.findChild(MemoryPanel, "memoryView")


@pytest.fixture
def keeper(panel: MemoryPanel) -> Keeper:
    return Keeper(panel, ADA, BOB)


def part(panel: QWidget | MemoryPanel, kind: type[Any], name: str) -> Any:
    found = panel.findChild(kind, name)
    assert found is not None, name
    return found


def press(panel: MemoryPanel, name: str) -> None:
    QTest.mouseClick(part(panel, QAbstractButton, name), Qt.MouseButton.LeftButton)


def text_edit(panel: MemoryPanel) -> CodeEdit:
    return part(panel, QPlainTextEdit, "memoryTextEdit")


def metadata_edit(panel: MemoryPanel) -> CodeEdit:
    return part(panel, QPlainTextEdit, "memoryMetadataEdit")


def id_edit(panel: MemoryPanel) -> LineEdit:
    return part(panel, QLineEdit, "memoryIdEdit")


def table(panel: MemoryPanel) -> TableView:
    return part(panel, QTableView, "memoryRecords")


def problem(panel: MemoryPanel) -> StatusLabel:
    return part(panel, StatusLabel, "memoryProblem")


def ids(panel: MemoryPanel) -> list[str]:
    model = table(panel).model()
    return [model.index(row, 0).data(RecordIdRole) for row in range(model.rowCount())]


def click_record(
    panel: MemoryPanel,
    record_id: str,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    view = table(panel)
    index = view.model().index(ids(panel).index(record_id), 0)
    view.scrollTo(index)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, modifier, view.visualRect(index).center()
    )


def retype(edit: CodeEdit | LineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)


def pick_store(panel: MemoryPanel, name: str) -> None:
    combo = part(panel, QComboBox, "memoryStores")
    rows = [combo.itemText(row).removeprefix("* ") for row in range(combo.count())]
    combo.setFocus()
    steps = rows.index(name) - combo.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(combo, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)


def test_without_a_store_the_panel_says_how_one_comes_to_be(panel: MemoryPanel) -> None:
    assert "WriteToMemory" in panel.table.view._empty[1]
    assert not text_edit(panel).isVisible()
    assert not part(panel, QAbstractButton, "memorySave").isEnabled()


def test_showing_emits_nothing(panel: MemoryPanel, qtbot: QtBot) -> None:
    signals = [panel.store_edited, panel.store_picked, panel.save_requested, panel.open_requested]
    with (
        qtbot.assertNotEmitted(signals[0]),
        qtbot.assertNotEmitted(signals[1]),
        qtbot.assertNotEmitted(signals[2]),
        qtbot.assertNotEmitted(signals[3]),
    ):
        Keeper(panel, ADA, BOB).show(BOB)
        panel.show_stores((), changed=(), written={})


def test_a_store_shows_its_records_and_the_first_one_in_the_editor(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    assert ids(panel) == ["m1", "m2", "m3"]
    assert (
        id_edit(panel).text(),
        text_edit(panel).toPlainText(),
        metadata_edit(panel).toPlainText(),
    ) == ("m1", "Ada owes Marta a favour", '{"turn": 1}')


def test_a_click_brings_a_record_into_the_editor(keeper: Keeper, panel: MemoryPanel) -> None:
    click_record(panel, "m2")
    assert text_edit(panel).toPlainText() == "wolves in the mine"
    assert metadata_edit(panel).toPlainText() == ""


def test_a_changed_store_is_marked(panel: MemoryPanel) -> None:
    panel.show_stores([ADA, BOB], changed={"memories_bob"}, written={})
    combo = part(panel, QComboBox, "memoryStores")
    assert [combo.itemText(row) for row in range(combo.count())] == [
        "memories_ada",
        "* memories_bob",
    ]


def test_stores_that_the_turn_uses_come_first(panel: MemoryPanel) -> None:
    panel.show_stores([ADA, BOB], changed=(), written={}, in_use=("memories_bob",))
    combo = part(panel, QComboBox, "memoryStores")
    assert combo.itemText(0) == "memories_bob"
    assert panel.bar.choice.currentData(StoreRole) == "memories_bob"


def test_the_store_in_hand_follows_the_turn_to_another_store(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    keeper.used = ("memories_bob",)
    keeper.show()
    assert panel.bar.choice.currentData(StoreRole) == "memories_bob"
    assert text_edit(panel).toPlainText() == "Bob likes ale"


def test_the_same_turn_again_leaves_the_store_that_the_user_picked(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    keeper.used = ("memories_bob",)
    keeper.show()
    pick_store(panel, "memories_ada")
    keeper.show()
    assert panel.bar.choice.currentData(StoreRole) == "memories_ada"


def test_the_store_in_hand_stays_while_something_is_typed(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    QTest.keyClicks(text_edit(panel), "x")
    keeper.used = ("memories_bob",)
    keeper.show()
    assert panel.bar.choice.currentData(StoreRole) == "memories_ada"


def test_another_store_is_picked_with_the_keyboard(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(panel.store_picked) as picked:
        pick_store(panel, "memories_bob")
    assert picked.args == ["memories_bob"]
    assert ids(panel) == ["m1"]


def test_a_record_that_the_turn_wrote_is_new_and_in_hand_first(panel: MemoryPanel) -> None:
    panel.show_stores([ADA], changed=(), written={"memories_ada": {"m3"}})
    view = table(panel)
    assert view.model().index(2, 3).data() == "new"
    assert not view.isColumnHidden(3)
    assert id_edit(panel).text() == "m3"


def test_typing_edits_nothing_until_it_is_applied(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    retype(text_edit(panel), "Ada owes nothing")
    qtbot.wait(200)
    assert keeper.edits == []
    press(panel, "memoryApply")
    assert keeper.edits[-1].records[0]["text"] == "Ada owes nothing"
    assert not part(panel, QAbstractButton, "memoryApply").isEnabled()


def test_control_return_applies_and_keeps_other_keys_of_the_record(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    click_record(panel, "m2")
    retype(text_edit(panel), "no wolves")
    QTest.keyClick(text_edit(panel), Qt.Key.Key_Return, CONTROL)
    assert [dict(store.records[1]) for store in keeper.edits] == [
        {"id": "m2", "text": "no wolves", "seen": True}
    ]


def test_going_from_field_to_field_applies_nothing_and_leaving_them_does(
    keeper: Keeper, panel: MemoryPanel, outside: QWidget
) -> None:
    retype(id_edit(panel), "favour")
    retype(metadata_edit(panel), '{"turn": 7}')
    assert keeper.edits == []
    part(outside, QLineEdit, "elsewhere").setFocus()
    assert [dict(store.records[0]) for store in keeper.edits] == [
        {"id": "favour", "text": "Ada owes Marta a favour", "metadata": {"turn": 7}}
    ]
    assert id_edit(panel).text() == "favour"


def test_leaving_the_fields_without_a_change_edits_nothing(
    keeper: Keeper, panel: MemoryPanel, outside: QWidget
) -> None:
    text_edit(panel).setFocus()
    part(outside, QLineEdit, "elsewhere").setFocus()
    assert keeper.edits == []


def test_metadata_laid_out_otherwise_is_no_edit(keeper: Keeper, panel: MemoryPanel) -> None:
    retype(metadata_edit(panel), '{ "turn":1 }')
    press(panel, "memoryApply")
    assert keeper.edits == []
    assert not part(panel, QAbstractButton, "memoryApply").isEnabled()


def test_true_in_place_of_one_is_an_edit(keeper: Keeper, panel: MemoryPanel) -> None:
    retype(metadata_edit(panel), '{"turn": true}')
    press(panel, "memoryApply")
    assert keeper.edits[-1].records[0]["metadata"] == {"turn": True}
    assert metadata_edit(panel).toPlainText() == '{"turn": true}'


def test_emptied_metadata_are_left_out(keeper: Keeper, panel: MemoryPanel) -> None:
    metadata_edit(panel).setFocus()
    metadata_edit(panel).selectAll()
    QTest.keyClick(metadata_edit(panel), Qt.Key.Key_Delete)
    press(panel, "memoryApply")
    assert keeper.edits[-1].records[0] == {"id": "m1", "text": "Ada owes Marta a favour"}


def test_broken_json_is_said_with_its_place_while_the_old_metadata_stay(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    retype(metadata_edit(panel), '{"turn": 1 "x": 2}')
    qtbot.waitUntil(lambda: problem(panel).isVisible())
    assert problem(panel).text().startswith("8003 metadata 1:12: a comma is missing")
    assert panel.editor.metadata_edit.marks == ((11, 12),)
    press(panel, "memoryApply")
    assert keeper.edits == []
    assert metadata_edit(panel).toPlainText() == '{"turn": 1 "x": 2}'


def test_the_problem_goes_when_the_json_is_repaired(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    retype(metadata_edit(panel), '{"turn": }')
    qtbot.waitUntil(lambda: problem(panel).isVisible())
    retype(metadata_edit(panel), '{"turn": 2}')
    qtbot.waitUntil(lambda: not problem(panel).isVisible())


def test_a_click_on_the_problem_goes_to_its_place(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    retype(metadata_edit(panel), '{"turn": }')
    press(panel, "memoryApply")
    id_edit(panel).setFocus()
    QTest.mouseClick(problem(panel), Qt.MouseButton.LeftButton)
    assert metadata_edit(panel).hasFocus()
    assert metadata_edit(panel).textCursor().position() == 9


def test_an_id_that_is_taken_is_refused_beside_what_was_typed(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    retype(id_edit(panel), "m2")
    QTest.keyClick(id_edit(panel), Qt.Key.Key_Return)
    assert keeper.edits == []
    assert "m2" in problem(panel).text()
    assert problem(panel).text().startswith("8003 ")
    assert id_edit(panel).property("invalid")
    assert id_edit(panel).text() == "m2"


def test_a_refusal_of_the_session_keeps_the_draft_and_marks_the_place(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    keeper.refuses = InspectorError(
        Code.InvalidEmbeddedStringStorageData,
        "expected an int",
        place=Place(json_path="records[0].metadata.turn"),
        hint="write a number",
    )
    retype(metadata_edit(panel), '{"turn": "x"}')
    press(panel, "memoryApply")
    assert len(keeper.edits) == 1
    assert problem(panel).text() == "8003 expected an int (write a number)"
    assert panel.editor.metadata_edit.marks == ((9, 10),)
    assert metadata_edit(panel).toPlainText() == '{"turn": "x"}'
    assert part(panel, QAbstractButton, "memoryApply").isEnabled()


def test_a_draft_that_cannot_be_applied_waits_at_its_record(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    retype(metadata_edit(panel), '{"turn": }')
    click_record(panel, "m3")
    assert id_edit(panel).text() == "m3"
    assert not problem(panel).isVisible()
    assert table(panel).model().index(0, 3).data() == "draft"
    click_record(panel, "m1")
    assert metadata_edit(panel).toPlainText() == '{"turn": }'
    assert problem(panel).isVisible()


def test_a_click_on_another_record_applies_what_was_typed(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    retype(text_edit(panel), "paid back")
    click_record(panel, "m3")
    assert keeper.edits[-1].records[0]["text"] == "paid back"
    assert id_edit(panel).text() == "m3"
    assert panel.table.selected_ids() == ["m3"]


def test_showing_the_same_stores_keeps_draft_cursor_and_focus(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    edit = text_edit(panel)
    retype(edit, "half a sen")
    QTest.keyClick(edit, Qt.Key.Key_Left)
    place = edit.textCursor().position()
    keeper.show()
    keeper.show(ADA.append({"id": "m4", "text": "written by the turn"}))
    assert edit.toPlainText() == "half a sen"
    assert edit.textCursor().position() == place
    assert edit.hasFocus()
    assert ids(panel) == ["m1", "m2", "m3", "m4"]


def test_what_was_not_typed_in_follows_the_store(keeper: Keeper, panel: MemoryPanel) -> None:
    retype(text_edit(panel), "a draft")
    keeper.show(ADA.with_record(0, {"id": "m1", "text": "other", "metadata": {"turn": 9}}))
    assert text_edit(panel).toPlainText() == "a draft"
    assert metadata_edit(panel).toPlainText() == '{"turn": 9}'


def test_an_undone_edit_is_shown_in_the_editor(keeper: Keeper, panel: MemoryPanel) -> None:
    retype(text_edit(panel), "paid back")
    press(panel, "memoryApply")
    keeper.show(ADA)
    assert text_edit(panel).toPlainText() == "Ada owes Marta a favour"
    keeper.show(keeper.edits[-1])
    assert text_edit(panel).toPlainText() == "paid back"


def test_escape_brings_back_what_is_in_the_store(keeper: Keeper, panel: MemoryPanel) -> None:
    retype(text_edit(panel), "a mistake")
    QTest.keyClick(text_edit(panel), Qt.Key.Key_Escape)
    assert text_edit(panel).toPlainText() == "Ada owes Marta a favour"
    assert not part(panel, QAbstractButton, "memoryApply").isEnabled()


def test_a_record_that_goes_while_it_is_edited_can_be_added_again(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    retype(text_edit(panel), "kept")
    keeper.show(ADA.without(0))
    assert text_edit(panel).toPlainText() == "kept"
    assert "no longer" in problem(panel).text()
    press(panel, "memoryApply")
    assert keeper.edits[-1].records[-1]["text"] == "kept"
    assert id_edit(panel).text() == "m1"


def test_a_record_is_added_with_a_free_id_once_it_is_applied(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    press(panel, "memoryAdd")
    assert keeper.edits == []
    assert text_edit(panel).hasFocus()
    new_id = id_edit(panel).text()
    assert new_id == ADA.new_id()
    QTest.keyClicks(text_edit(panel), "the heron is late")
    press(panel, "memoryApply")
    assert keeper.edits[-1].records[3:] == ({"id": new_id, "text": "the heron is late"},)
    assert panel.table.selected_ids() == [new_id]


def test_a_new_record_gets_another_id_when_the_turn_takes_its_own(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    press(panel, "memoryAdd")
    QTest.keyClicks(text_edit(panel), "mine")
    keeper.show(ADA.append({"id": ADA.new_id(), "text": "the turn's"}))
    press(panel, "memoryApply")
    assert [record["text"] for record in keeper.edits[-1].records[3:]] == ["the turn's", "mine"]


def test_escape_twice_drops_a_new_record(keeper: Keeper, panel: MemoryPanel) -> None:
    press(panel, "memoryAdd")
    QTest.keyClicks(text_edit(panel), "never mind")
    QTest.keyClick(text_edit(panel), Qt.Key.Key_Escape)
    assert (text_edit(panel).toPlainText(), id_edit(panel).text()) == ("", ADA.new_id())
    QTest.keyClick(text_edit(panel), Qt.Key.Key_Escape)
    assert id_edit(panel).text() == "m1"
    assert keeper.edits == []


def test_a_record_that_was_begun_and_left_untouched_is_not_added(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    press(panel, "memoryAdd")
    click_record(panel, "m2")
    assert keeper.edits == []


def test_delete_removes_the_record_and_takes_the_next_one(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    click_record(panel, "m2")
    QTest.keyClick(table(panel), Qt.Key.Key_Delete)
    assert [record["id"] for record in keeper.edits[-1].records] == ["m1", "m3"]
    assert id_edit(panel).text() == "m3"
    assert panel.table.selected_ids() == ["m3"]


def test_several_records_are_removed_as_one_edit(keeper: Keeper, panel: MemoryPanel) -> None:
    click_record(panel, "m1")
    click_record(panel, "m3", CONTROL)
    press(panel, "memoryRemove")
    assert [[record["id"] for record in store.records] for store in keeper.edits] == [["m2"]]


def test_the_last_record_can_be_removed(keeper: Keeper, panel: MemoryPanel) -> None:
    click_record(panel, "m1")
    click_record(panel, "m3", SHIFT)
    QTest.keyClick(table(panel), Qt.Key.Key_Delete)
    assert keeper.edits[-1].records == ()
    assert not text_edit(panel).isVisible()
    assert not part(panel, QAbstractButton, "memoryRemove").isEnabled()


def test_delete_in_a_field_removes_no_record(keeper: Keeper, panel: MemoryPanel) -> None:
    text_edit(panel).setFocus()
    QTest.keyClick(text_edit(panel), Qt.Key.Key_Delete)
    assert ids(panel) == ["m1", "m2", "m3"]
    assert text_edit(panel).toPlainText() == "da owes Marta a favour"


def test_the_selection_stays_by_id_when_records_come_and_go(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    click_record(panel, "m2")
    click_record(panel, "m3", CONTROL)
    keeper.show(ADA.without(0).append({"id": "m0", "text": "new"}))
    assert set(panel.table.selected_ids()) == {"m2", "m3"}
    assert panel.table.current_id == "m3"


def test_a_click_on_a_header_sorts_and_keeps_the_record_in_hand(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    click_record(panel, "m2")
    header = table(panel).horizontalHeader()
    place = header.sectionViewportPosition(1) + 20
    QTest.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, header.height() // 2)
    )
    assert ids(panel) == ["m3", "m1", "m2"]
    assert panel.table.selected_ids() == ["m2"]


def test_the_search_hides_records_and_keeps_the_one_in_hand(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    click_record(panel, "m3")
    search = part(panel, QLineEdit, "memorySearch")
    QTest.keyClicks(search, "wolves")
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert ids(panel) == ["m2"]
    assert id_edit(panel).text() == "m3"
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert ids(panel) == ["m1", "m2", "m3"]


def test_save_hands_on_what_is_typed_first(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    QTest.keyClicks(text_edit(panel), "!")
    saved = []
    panel.save_requested.connect(lambda name: saved.append((name, len(keeper.edits))))
    press(panel, "memorySave")
    assert saved == [("memories_ada", 1)]


def test_save_waits_until_what_is_typed_can_be_applied(
    keeper: Keeper, panel: MemoryPanel, qtbot: QtBot
) -> None:
    retype(metadata_edit(panel), "{")
    with qtbot.assertNotEmitted(panel.save_requested):
        press(panel, "memorySave")
    assert problem(panel).isVisible()


def test_open_and_save_as_are_asked_for(keeper: Keeper, panel: MemoryPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.open_requested):
        press(panel, "memoryOpen")
    with qtbot.waitSignal(panel.save_as_requested) as asked:
        panel.bar.more_button.menu().actions()[0].trigger()
    assert asked.args == ["memories_ada"]


def test_a_new_store_is_made_with_name_and_schema(keeper: Keeper, panel: MemoryPanel) -> None:
    press(panel, "memoryNew")
    QTest.keyClicks(part(panel, QLineEdit, "memoryNewName"), "gossip")
    QTest.keyClick(part(panel, QLineEdit, "memoryNewName"), Qt.Key.Key_Return)
    made = keeper.edits[-1]
    assert (made.name, made.schema, made.records) == ("gossip", "npc", ())
    assert panel.bar.choice.currentData(StoreRole) == "gossip"


def test_a_name_that_is_taken_or_empty_makes_no_store(keeper: Keeper, panel: MemoryPanel) -> None:
    press(panel, "memoryNew")
    press(panel, "memoryCreate")
    assert problem(panel).text().startswith("8001 ")
    QTest.keyClicks(part(panel, QLineEdit, "memoryNewName"), "memories_bob")
    press(panel, "memoryCreate")
    assert problem(panel).text().startswith("8002 ")
    assert keeper.edits == []


def test_the_store_that_the_turn_missed_is_offered_as_a_new_one(
    keeper: Keeper, panel: MemoryPanel
) -> None:
    keeper.used = ("memories_cleo",)
    keeper.show()
    press(panel, "memoryNew")
    assert part(panel, QLineEdit, "memoryNewName").text() == "memories_cleo"


def test_a_note_is_shown_until_the_next_key(keeper: Keeper, panel: MemoryPanel) -> None:
    panel.show_note("counts from the next turn on")
    assert problem(panel).isVisible()
    assert problem(panel).kind == "info"
    QTest.keyClicks(text_edit(panel), "x")
    assert not problem(panel).isVisible()


def test_a_text_that_is_too_long_to_edit_is_kept_whole(keeper: Keeper, panel: MemoryPanel) -> None:
    long = "x" * 300_000
    keeper.show(ADA.with_record(0, {"id": "m1", "text": long}))
    assert text_edit(panel).isReadOnly()
    retype(id_edit(panel), "long")
    QTest.keyClick(id_edit(panel), Qt.Key.Key_Return)
    assert keeper.edits[-1].records[0] == {"id": "long", "text": long}


def test_line_ends_that_qt_changes_are_no_edit(
    keeper: Keeper, panel: MemoryPanel, outside: QWidget
) -> None:
    keeper.show(ADA.with_record(0, {"id": "m1", "text": "a\r\nb\u2028c\u00a0d"}))
    text_edit(panel).setFocus()
    part(outside, QLineEdit, "elsewhere").setFocus()
    assert keeper.edits == []
    retype(id_edit(panel), "m9")
    QTest.keyClick(id_edit(panel), Qt.Key.Key_Return)
    assert keeper.edits[-1].records[0]["text"] == "a\r\nb\u2028c\u00a0d"


def test_ten_thousand_records_are_shown_in_well_under_50_ms(panel: MemoryPanel) -> None:
    store = MemoryStore(
        "big",
        records=tuple(
            {"id": f"m{i}", "text": f"the player said {i}", "metadata": {"turn": i}}
            for i in range(10_000)
        ),
    )
    panel.show_stores([store], changed=(), written={})
    click_record(panel, "m2")
    took = []
    for turn in range(5):
        store = store.append({"id": f"new{turn}", "text": "one more"})
        start = time.process_time()
        panel.show_stores([store], changed=("big",), written={"big": {f"new{turn}"}})
        QApplication.processEvents()
        took.append(time.process_time() - start)
    assert min(took) < 0.05
    assert panel.table.selected_ids() == ["m2"]


@pytest.mark.parametrize("size", [(460, 150), (700, 230)])
def test_records_and_all_three_fields_are_in_sight_at_the_usual_sizes(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    panel = MemoryPanel()
    qtbot.addWidget(panel)
    panel.show_stores([ADA, BOB], changed=(), written={})
    panel.resize(*size)
    panel.show()
    qtbot.waitExposed(panel)
    QApplication.processEvents()
    assert (panel.width(), panel.height()) == size
    rows = table(panel).viewport().height() / table(panel).rowHeight(0)
    assert rows >= 2
    for edit in (id_edit(panel), text_edit(panel), metadata_edit(panel)):
        top = edit.mapTo(panel, edit.rect().topLeft())
        assert panel.rect().contains(top)
        assert panel.rect().contains(edit.mapTo(panel, edit.rect().bottomRight()))
