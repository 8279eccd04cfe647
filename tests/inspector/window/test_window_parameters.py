"""Parameters in the window: in step, refused, undone, reset, saved; nodes; the prompt; history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QPlainTextEdit, QSlider, QTabBar

from core.agent.description import GraphDescription
from core.nodes import RetrievalMode
from tests.inspector.drawn import lit_path, node_item
from tests.inspector.driver import ALT, CTRL, LEFT, QUESTION, SHIFT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

NO_MODIFIER = Qt.KeyboardModifier.NoModifier
SALT = '{"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": "salt"}}'
OTHER = "which fish eat algae?"


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "rag.graph.json")
    driver.ask(QUESTION)
    return driver


def _values(user: Driver) -> tuple[float, float, float, float]:
    """The threshold as slider, spin box, line and engine have it."""
    return (
        user.find("thresholdSlider").value() / 1000,
        user.find("thresholdSpin").value(),
        user.window.panels.distances.threshold(),
        user.retrieval.params.threshold,
    )


def _undo(user: Driver) -> None:
    user.shortcut(Qt.Key.Key_Z)


def _redo(user: Driver) -> None:
    user.shortcut(Qt.Key.Key_Z, CTRL | SHIFT)


# In step


def test_the_threshold_is_one_value_wherever_it_is_moved(user: Driver) -> None:
    user.set_spin("thresholdSpin", "0.732")
    assert _values(user) == (0.732,) * 4
    user.qtbot.keyClick(user.find("thresholdSlider"), Qt.Key.Key_Right)
    assert _values(user) == (0.733,) * 4
    plot = user.find("distancePlot")
    plot.setFocus()
    user.qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert _values(user) == (0.723,) * 4
    user.drag_threshold(0.5, 0.9, 0.8)
    moved = user.params().threshold
    assert moved == pytest.approx(0.8, abs=0.01)
    assert _values(user) == (moved,) * 4


def test_dragging_the_line_changes_the_hits_as_it_goes(user: Driver) -> None:
    counts = []
    user.window.turnShown.connect(lambda _turn: counts.append(len(user.hits())))
    user.set_spin("topKSpin", "200")
    with user.qtbot.waitSignal(user.window.turnShown):
        pass
    user.drag_threshold(0.4)
    user.drag_threshold(1.1)
    with user.qtbot.waitSignal(user.window.turnShown):
        pass
    distances = [row.distance for row in user.rows()]
    limit = user.params().threshold
    assert len(user.hits()) == sum(d <= limit for d in distances)
    assert counts[-1] > counts[0]


def test_a_drag_is_undone_as_one_step(user: Driver) -> None:
    user.drag_threshold(0.7, 0.8, 0.9, 1.0)
    assert user.params().threshold == pytest.approx(1.0, abs=0.01)
    user.find("thresholdSlider").setFocus()
    _undo(user)
    assert _values(user) == (0.6,) * 4
    assert not user.session.editor.undo_stack.canUndo()
    _redo(user)
    assert user.params().threshold == pytest.approx(1.0, abs=0.01)


def test_slider_and_spin_box_are_in_step(user: Driver) -> None:
    for stem, param, scale in (("topK", "top_k", 1), ("threshold", "threshold", 1000)):
        slider = user.find(f"{stem}Slider", QSlider)
        user.set_spin(f"{stem}Spin", "1")
        assert slider.value() == scale
        slider.setFocus()
        user.qtbot.keyClick(slider, Qt.Key.Key_Up)
        assert user.find(f"{stem}Spin").value() == pytest.approx(1 + 1 / scale)
        assert getattr(user.params(), param) == pytest.approx(1 + 1 / scale)


# Refused


def test_a_refused_number_keeps_the_last_valid_one_in_force_and_says_why(user: Driver) -> None:
    before = user.rows()
    for spin, param, refused in (
        ("topKSpin", "top_k", ("0", "1001", "many", "2.5", "-3")),
        ("thresholdSpin", "threshold", ("2.1", "-1", "nan", "1e999", "0..5")),
    ):
        kept = getattr(user.params(), param)
        number = user.window.panels.parameters.form.rows[param]
        for typed in refused:
            user.set_spin(spin, typed)
            assert getattr(user.params(), param) == kept, typed
            assert number.problem.isVisible(), typed
            assert "3007" in number.problem.text(), typed
            assert user.rows() == before, typed
        user.set_spin(spin, str(kept))
        assert not number.problem.isVisible()
    assert not user.session.editor.undo_stack.canUndo()


def test_a_broken_filter_keeps_the_last_valid_one_in_force(user: Driver) -> None:
    with user.qtbot.waitSignal(user.window.turnShown):
        user.set_filter(SALT)
    before = user.rows()
    for text, said in (
        ("{", "3007"),
        ('{"op": "and", "args": []}', "3007"),
        ('{"op": "eq", "lhs": {"knowledge": "watr"}, "rhs": {"value": "salt"}}', "water"),
        ('{"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": 3}}', "3007"),
    ):
        user.set_filter(text)
        assert user.params().filter == SALT
        assert said in user.find("filterStatus").text()
        assert user.rows() == before
        assert user.find("filterEdit", QPlainTextEdit).toPlainText() == text
    with user.qtbot.waitSignal(user.window.turnShown):
        user.set_filter(SALT)
    counts = user.retrieval.counts
    assert f"{counts.matching} of {counts.records}" in user.find("filterStatus").text()


def test_a_blank_filter_is_no_filter(user: Driver) -> None:
    user.set_filter(" \n ")
    assert user.find("filterStatus").text().startswith("no filter · ")


# Undo, reset, save


def test_every_kind_of_edit_is_undone_and_redone(user: Driver) -> None:
    before = user.params(), user.params("answer")
    user.set_spin("topKSpin", "9")
    user.click("modeHybrid")
    user.set_spin("rrfKSpin", "5")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.set_filter(SALT)
    user.set_template("{{#knowledge}}{{#chunks}}{{id}} {{/chunks}}{{/knowledge}}")
    after = user.params(), user.params("answer")
    assert user.retrieval.params.retrieval_mode is RetrievalMode.Hybrid
    user.find("topKSlider").setFocus()
    for _ in range(5):
        assert user.session.editor.undo_stack.canUndo()
        _undo(user)
    assert not user.session.editor.undo_stack.canUndo()
    assert (user.params(), user.params("answer")) == before
    assert user.find("topKSpin").value() == 3
    assert user.find("modeDense").isChecked()
    assert user.find("filterEdit", QPlainTextEdit).toPlainText() == ""
    for _ in range(5):
        _redo(user)
    assert (user.params(), user.params("answer")) == after
    user.settle()
    assert user.retrieval.params == user.params()


def test_reset_takes_the_graphs_values_as_one_step(user: Driver) -> None:
    graph = user.params()
    user.set_spin("topKSpin", "9")
    user.click("modeHybrid")
    user.set_spin("thresholdSpin", "5")
    assert user.params() != graph
    user.click_text("Reset")
    assert user.params() == graph
    assert user.retrieval.params == graph
    assert not user.window.panels.parameters.form.rows["threshold"].problem.isVisible()
    user.find("topKSlider").setFocus()
    _undo(user)
    assert user.params().top_k == 9
    assert user.params().retrieval_mode is RetrievalMode.Hybrid


def test_a_changed_parameter_is_marked_and_the_title_has_a_star(user: Driver) -> None:
    row = user.window.panels.parameters.form.rows["top_k"]
    assert row.label.changed_from == ""
    assert "*" not in user.window.windowTitle()
    user.set_spin("topKSpin", "9")
    assert row.label.changed_from == "3"
    assert "rag.graph.json*" in user.window.windowTitle()
    user.set_spin("topKSpin", "3")
    assert row.label.changed_from == ""
    assert "*" not in user.window.windowTitle()


def test_saving_writes_the_values_and_keeps_what_the_file_has_besides(
    open_window: OpenWindow, aquarium: Path
) -> None:
    path = aquarium / "rag.graph.json"
    document = json.loads(path.read_text())
    document["designer"] = {"name": "Ada", "notes": ["keep me"]}
    document["nodes"][0]["position"] = [10, 20]
    document["nodes"][0]["params"]["colour"] = "teal"
    path.write_text(json.dumps(document))
    user = open_window(path)
    user.ask()
    user.set_spin("topKSpin", "9")
    user.set_spin("thresholdSpin", "0.75")
    user.click("saveButton")
    document["nodes"][0]["params"] |= {"top_k": 9, "threshold": 0.75}
    assert json.loads(path.read_text()) == document
    assert "*" not in user.window.windowTitle()
    assert "Saved" in user.bar_text
    assert user.window.panels.parameters.form.rows["top_k"].label.changed_from == ""
    assert GraphDescription.load(path).node("knowledge").params == user.params()
    # Saving is no change by others.
    user.click("messageClose")
    with user.qtbot.assertNotEmitted(user.watch.changed, wait=400):
        pass


def test_saving_knowledge_that_has_no_graph_asks_for_a_name(
    open_window: OpenWindow, aquarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = aquarium / "mine.graph.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(target), ""))
    user = open_window(aquarium / "aquarium_all_mini.json")
    user.ask()
    user.set_spin("topKSpin", "4")
    user.shortcut(Qt.Key.Key_S)
    assert GraphDescription.load(target).node("knowledge").params == user.params()
    assert "mine.graph.json" in user.window.windowTitle()


def test_a_graph_that_cannot_be_saved_is_said_and_keeps_its_edits(
    user: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.replace", _no_space)
    user.set_spin("topKSpin", "9")
    before = user.session.graph.path.read_text()
    user.shortcut(Qt.Key.Key_S)
    assert user.bar_severity == "error"
    assert "rag.graph.json" in user.bar_text
    assert user.session.graph.path.read_text() == before
    assert user.params().top_k == 9
    assert "*" in user.window.windowTitle()
    assert not list(user.session.graph.path.parent.glob("*.tmp"))


def _no_space(*_paths: object) -> None:
    raise OSError(28, "No space left on device")


# Nodes


def test_another_node_is_taken_in_hand_from_the_list(
    open_window: OpenWindow, samples: Path
) -> None:
    user = open_window(samples / "adventure" / "oracle.graph.json")
    user.ask("who rings the bell?")
    first = user.rows()
    combo = user.find("nodeCombo", QComboBox)
    combo.setFocus()
    user.qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert user.session.node == "hidden_lore"
    assert user.rows() != first
    assert user.hits() == [hit.id for hit in user.retrieval.hits]
    assert user.find("modeHybrid").isChecked()
    assert dict(user.window.panels.funnel.stages())["hits"] == len(user.hits())
    user.qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert user.session.node == "prophecy"
    assert user.rows() == []
    assert "searches nothing" in user.find("hitsTable").accessibleDescription()


def test_a_double_click_in_the_graph_takes_a_node_in_hand(
    open_window: OpenWindow, samples: Path
) -> None:
    user = open_window(samples / "adventure" / "oracle.graph.json")
    user.ask("who rings the bell?")
    user.shortcut(Qt.Key.Key_3)
    view = user.find("graphView")
    place = view.mapFromScene(node_item(view, "hidden_lore").sceneBoundingRect().center())
    user.qtbot.mouseDClick(view.viewport(), LEFT, pos=place)
    assert user.session.node == "hidden_lore"
    assert user.window.panels.parameters.node == "hidden_lore"
    assert ("common_lore", "found") in lit_path(view)


def test_two_searches_move_on_their_own_and_share_one_prompt(
    open_window: OpenWindow, samples: Path
) -> None:
    user = open_window(samples / "adventure" / "oracle.graph.json")
    user.ask("who rings the bell?")
    other = user.turn.run_of("hidden_lore").retrieval.hits
    user.set_spin("topKSpin", "1")
    assert len(user.turn.run_of("common_lore").retrieval.hits) <= 1
    assert user.turn.run_of("hidden_lore").retrieval.hits == other
    prompt = user.find("promptView", QPlainTextEdit).toPlainText()
    for hit in [*user.turn.run_of("common_lore").retrieval.hits, *other]:
        assert hit.text in prompt


def test_a_structural_edit_makes_a_new_agent_and_says_so(user: Driver) -> None:
    with user.qtbot.waitSignal(user.session.noted):
        user.session.edit_param("not_found_exit", "")
    assert "new" in user.bar_text
    assert user.params().not_found_exit == ""
    user.session.edit_param("not_found_exit", "nobody")
    assert user.params().not_found_exit == ""


# The prompt


def test_the_prompt_follows_the_hits_and_tints_their_chunks(user: Driver) -> None:
    view = user.window.panels.prompt.view
    assert [message.text for message in user.turn.messages][-1] == QUESTION
    ids = [span.id for span in view.spans]
    assert list(dict.fromkeys(ids)) == user.hits()
    user.set_spin("topKSpin", "1")
    user.set_spin("thresholdSpin", "0")
    assert [span.id for span in view.spans] == user.hits()
    assert view.toPlainText().count("\n- ") == 1


def test_a_template_is_edited_with_its_lint_beside(user: Driver) -> None:
    status = user.find("templateStatus")
    user.set_template("Facts: {{#knowledge}}{{#chunks}}({{text}}){{/chunks}}{{/knowledge}}")
    assert f"renders {len(user.hits())} chunk" in status.text()
    assert "Facts: (" in user.find("promptView", QPlainTextEdit).toPlainText()
    user.set_template("{{#knowledge}}{{#chunks}}{{txt}}{{/chunks}}{{/knowledge}}")
    assert "txt" in status.text()
    assert "1:" in status.text()


def test_a_template_that_cannot_be_rendered_is_a_draft_over_the_greyed_prompt(
    user: Driver,
) -> None:
    view = user.window.panels.prompt.view
    hits, prompt = user.hits(), view.toPlainText()
    user.set_template("{{#knowledge}}never closed")
    assert (user.hits(), user.turn.status) == (hits, "Success")
    assert (view.toPlainText(), view.is_dimmed) == (prompt, True)
    status = user.find("templateStatus")
    assert status.text().startswith("1:1 the section")
    assert "stays in force" in status.text()
    user.ask(OTHER)
    assert view.is_dimmed
    assert user.turn.status == "Success"
    user.set_template("{{#knowledge}}closed{{/knowledge}}")
    assert not view.is_dimmed
    assert "closed" in view.toPlainText()


def test_a_chunk_clicked_in_the_prompt_is_selected_in_the_table(user: Driver) -> None:
    view = user.find("promptView")
    hit = user.retrieval.hits[-1]
    with user.qtbot.waitSignal(view.chunk_clicked):
        view.chunk_clicked.emit(hit.id)
    assert user.window.panels.details.id_label.text() == hit.id
    assert user.find("hitsTable").currentIndex().row() == user.hits().index(hit.id)


# History


def test_looking_at_a_turn_shows_its_message_and_results_and_changes_no_setting(
    user: Driver,
) -> None:
    user.set_spin("topKSpin", "5")
    user.session.asking.keep_newest()
    first = user.rows()
    user.ask(OTHER)
    user.set_spin("topKSpin", "2")
    second, in_force = user.rows(), user.params()
    history = list(user.session.history)
    turns = user.find("turnsView")
    knowledge: list[Any] = [entry.turn.request.params["knowledge"] for entry in history]
    assert [params.top_k for params in knowledge] == [3, 5, 5, 2]
    user.qtbot.mouseClick(
        turns.viewport(), LEFT, pos=turns.visualRect(turns.model().index(2, 0)).center()
    )
    assert user.message.text() == QUESTION
    assert user.rows() == first
    assert user.params() == in_force
    assert user.find("topKSpin").value() == 2
    assert [entry.turn for entry in user.session.history] == [entry.turn for entry in history]
    user.session.pick_turn(3)
    assert user.message.text() == OTHER
    assert user.rows() == second
    user.shortcut(Qt.Key.Key_Up, ALT)
    assert user.find("topKSpin").value() == 2


def test_the_settings_of_an_earlier_turn_are_used_again_as_one_step(user: Driver) -> None:
    user.set_spin("topKSpin", "2")
    user.set_spin("thresholdSpin", "0.9")
    in_force = user.params()
    user.ask(OTHER)
    user.session.pick_turn(0)
    strip = user.window.panels.turn_strip
    assert "top_k 3 → 2" in strip.text
    user.click_text("Use these settings")
    assert user.params() == user.session.history[0].turn.request.params["knowledge"]
    assert user.find("topKSpin").value() == 3
    assert strip.text == ""
    user.shortcut(Qt.Key.Key_Z)
    assert user.params() == in_force
    user.shortcut(Qt.Key.Key_Z, CTRL | SHIFT)
    assert user.find("topKSpin").value() == 3


def test_an_earlier_turn_that_is_moved_stays_as_it_was(user: Driver) -> None:
    user.ask(OTHER)
    before = list(user.session.history)
    user.shortcut(Qt.Key.Key_Up, ALT)
    user.set_spin("topKSpin", "8")
    assert user.session.history[:2] == before
    moved: Any = user.session.history[2].turn.request
    assert moved.message == QUESTION
    assert moved.params["knowledge"].top_k == 8


def test_a_deleted_turn_is_put_back_by_undo_in_the_message(user: Driver) -> None:
    user.ask(OTHER)
    before = list(user.session.history)
    user.window.panels.turns.turn_deleted.emit(0)
    assert user.session.history == before[1:]
    user.click_text("Undo")
    assert user.session.history == before


def test_typing_after_a_picked_turn_adds_to_the_history(user: Driver) -> None:
    user.ask(OTHER)
    user.shortcut(Qt.Key.Key_Up, ALT)
    user.ask("how warm should the water be?")
    messages = [entry.turn.request.message for entry in user.session.history]
    assert messages == [QUESTION, OTHER, "how warm should the water be?"]


# Copying


def test_what_is_copied_is_what_is_on_screen(user: Driver) -> None:
    actions = {action.text(): action for action in user.copy_menu.actions()}
    clipboard = QGuiApplication.clipboard()
    user.set_spin("topKSpin", "7")
    actions["Parameters as JSON"].trigger()
    assert json.loads(clipboard.text())["top_k"] == 7
    actions["Parameters as Python calls"].trigger()
    assert clipboard.text() == 'agent.change_param("knowledge", "top_k", 7)'
    actions["Results as CSV"].trigger()
    assert clipboard.text().count("\r\n") == 1 + len(user.hits())
    actions["Results as Markdown"].trigger()
    assert clipboard.text().startswith("| rank | id |")
    actions["Prompt as text"].trigger()
    assert QUESTION in clipboard.text()
    actions["Prompt as JSON messages"].trigger()
    assert json.loads(clipboard.text())[-1] == {"role": "user", "content": QUESTION}
    actions["Diagnostics as JSON"].trigger()
    assert json.loads(clipboard.text()) == user.turn.debug_info
    actions["Picture of the window"].trigger()
    assert clipboard.image().size() == user.window.size()


def test_the_column_of_a_row_is_copied_with_the_keyboard(user: Driver) -> None:
    table = user.find("hitsTable")
    user.qtbot.mouseClick(
        table.viewport(), LEFT, pos=table.visualRect(table.model().index(0, 1)).center()
    )
    user.qtbot.keyClick(table, Qt.Key.Key_C, CTRL)
    assert user.hits()[0] in QGuiApplication.clipboard().text()


def test_shortcuts_bring_the_tabs_to_the_front(user: Driver) -> None:
    tabs = next(
        bar
        for bar in user.window.findChildren(QTabBar)
        if bar.isVisible() and bar.tabText(0) == "Prompt"
    )
    for number, name in enumerate(("Details", "Graph", "Inputs", "Diagnostics", "Problems"), 2):
        user.shortcut(Qt.Key(Qt.Key.Key_0 + number))
        assert tabs.tabText(tabs.currentIndex()).startswith(name)
    user.shortcut(Qt.Key.Key_1)
    assert tabs.tabText(tabs.currentIndex()) == "Prompt"


def test_a_shortcut_leads_back_to_the_question(user: Driver) -> None:
    user.find("topKSlider").setFocus()
    user.shortcut(Qt.Key.Key_L)
    assert user.window.focusWidget() is user.message
    assert user.message.selectedText() == QUESTION


def test_a_drag_that_comes_back_leaves_nothing_to_undo(user: Driver) -> None:
    slider = user.find("thresholdSlider")
    for value in (610, 700, 600):
        slider.setValue(value)
    slider.edit_finished.emit()
    assert user.params().threshold == 0.6
    assert not user.session.editor.undo_stack.canUndo()


def test_edits_of_other_parameters_and_later_drags_are_undone_one_by_one(user: Driver) -> None:
    slider = user.find("thresholdSlider")
    for start in (610, 700):
        for value in range(start, start + 5):
            slider.setValue(value)
        slider.edit_finished.emit()
    user.set_spin("topKSpin", "9")
    assert user.session.editor.undo_stack.count() == 3
    slider.setFocus()
    _undo(user)
    assert (user.params().threshold, user.params().top_k) == (0.704, 3)
    _undo(user)
    assert user.params().threshold == 0.614
    user.set_spin("topKSpin", "4")
    assert not user.session.editor.undo_stack.canRedo()
    _undo(user)
    _undo(user)
    assert (user.params().threshold, user.params().top_k) == (0.6, 3)


def test_values_set_in_code_are_one_step_and_the_last_is_shown(user: Driver) -> None:
    shown: list[object] = []
    user.window.turnShown.connect(shown.append)
    slider = user.find("thresholdSlider")
    for position in range(1, 1002):
        slider.setValue(position)
    assert len(shown) < 100
    user.qtbot.waitUntil(lambda: user.retrieval.params.threshold == 1.001)
    slider.setFocus()
    _undo(user)
    assert user.params().threshold == 0.6


def test_keys_in_quick_succession_are_undone_as_one_step(user: Driver) -> None:
    slider = user.find("thresholdSlider")
    slider.setFocus()
    for _ in range(200):
        user.qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert user.params().threshold == 0.8
    user.qtbot.waitUntil(lambda: user.retrieval.params.threshold == 0.8)
    _undo(user)
    assert user.params().threshold == 0.6
