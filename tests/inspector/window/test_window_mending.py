"""What is wrong with a graph, in its file or typed, stays in its field until it is mended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QAbstractSpinBox, QLabel, QMessageBox, QPlainTextEdit

from core.io.findings import Severity
from tests.inspector.driver import LEFT, QUESTION, Driver

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.forms.param_row import ParamRow
    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

WRONG_FIELD = '{"op": "eq", "lhs": {"knowledge": "watr"}, "rhs": {"value": "salt"}}'
SALT = WRONG_FIELD.replace("watr", "water")
UNCLOSED = "{{#knowledge}}{{#chunks}}{{text}}{{/chunks}}"
NAMES = "{{#knowledge}}{{name}}{{/knowledge}}"
FAULTS = {
    "top_k": "five",
    "threshold": 2.5,
    "retrieval_mode": "Fuzzy",
    "filter": WRONG_FIELD,
    "found_exit": "anwser",
}


@pytest.fixture
def faulty(aquarium: Path) -> Path:
    """A graph with a mistake in each kind of field."""
    document = json.loads((aquarium / "rag.graph.json").read_text())
    document["nodes"][0]["params"] |= FAULTS
    document["nodes"][1]["params"] |= {"template": UNCLOSED, "placement": "Sideways"}
    path = aquarium / "faulty.graph.json"
    path.write_text(json.dumps(document))
    return path


def row_of(user: Driver, param: str) -> ParamRow:
    return user.window.panels.parameters.form.rows[param]


def errors(user: Driver) -> set[tuple[str, str]]:
    """Return the places of the errors in Problems."""
    return {
        (found.place.node, found.place.param)
        for found in user.session.findings
        if found.severity is Severity.ERROR
    }


def status(user: Driver, name: str) -> Any:
    return user.find(name, QLabel)


def question(user: Driver) -> QMessageBox | None:
    return user.window.findChild(QMessageBox, "question")


def answer(user: Driver, label: str) -> None:
    box = question(user)
    assert box is not None
    user.qtbot.mouseClick(next(b for b in box.buttons() if b.text() == label), LEFT)
    user.qtbot.waitUntil(lambda: question(user) is None)


# A file with errors


def test_a_graph_with_errors_opens_with_each_at_its_field_and_is_mended_there(
    open_window: OpenWindow, faulty: Path
) -> None:
    user = open_window(faulty)
    assert errors(user) == {
        *(("knowledge", param) for param in FAULTS),
        ("answer", "template"),
        ("answer", "placement"),
    }
    assert user.bar_severity == "error"
    assert "3003" in user.bar_text
    for param in ("top_k", "threshold", "retrieval_mode", "found_exit"):
        assert row_of(user, param).problem.text().startswith(("3003", "3007"))
    assert user.find("topKSpin", QAbstractSpinBox).text() == "five"
    assert user.find("thresholdSpin", QAbstractSpinBox).text() == "2.5"
    assert user.find("filterEdit", QPlainTextEdit).toPlainText() == WRONG_FIELD
    assert "filter.unknown_field" in status(user, "filterStatus").text()
    assert user.find("templateEdit", QPlainTextEdit).toPlainText() == UNCLOSED
    assert status(user, "templateStatus").text().startswith("1:1")
    assert "Sideways" in status(user, "promptProblem").text()
    assert (user.params().top_k, user.params().filter) == (2, "")

    user.ask(QUESTION)
    assert user.retrieval.counts.records > 0
    user.set_spin("topKSpin", "4")
    user.set_spin("thresholdSpin", "0.9")
    user.set_filter(SALT)
    user.click("modeDense")
    user.set_template(NAMES)
    user.session.editor.edit("answer", "placement", "BeforeUserAsUser")
    user.qtbot.waitUntil(lambda: errors(user) == {("knowledge", "found_exit")})
    user.session.edit_param("found_exit", "answer")
    user.qtbot.waitUntil(lambda: not errors(user))
    assert not user.session.editor.drafts
    assert row_of(user, "found_exit").problem.text() == ""
    assert "compiled" in status(user, "filterStatus").text()
    assert "New agent" in user.bar_text
    user.saving.save_graph()
    assert question(user) is None
    assert json.loads(faulty.read_text())["nodes"][0]["params"]["top_k"] == 4


def test_a_faulty_file_that_nobody_touched_asks_nothing_and_keeps_what_it_has(
    open_window: OpenWindow, faulty: Path
) -> None:
    before = faulty.read_bytes()
    user = open_window(faulty)
    assert "*" not in user.window.windowTitle()
    assert user.window.close()
    assert faulty.read_bytes() == before


def test_saving_what_does_not_compile_says_so_first(open_window: OpenWindow, faulty: Path) -> None:
    before = faulty.read_bytes()
    user = open_window(faulty)
    user.saving.save_graph()
    box = question(user)
    assert box is not None
    assert "refuse" in box.text()
    for said in ("knowledge.found_exit", "knowledge.top_k is refused", "Saved is 2"):
        assert said in box.informativeText()
    assert faulty.read_bytes() == before
    answer(user, "Save anyway")
    params = json.loads(faulty.read_text())["nodes"][0]["params"]
    assert (params["top_k"], params["found_exit"]) == (2, "anwser")


def test_a_fault_of_the_file_comes_back_with_undo_and_is_unsaved_once_it_is_mended(
    open_window: OpenWindow, faulty: Path
) -> None:
    user = open_window(faulty)
    spin = user.find("topKSpin", QAbstractSpinBox)
    user.set_spin("topKSpin", "4")
    user.session.editor.end_edit()
    assert "*" in user.window.windowTitle()
    user.session.editor.undo_stack.undo()
    assert (spin.text(), user.params().top_k) == ("five", 2)
    assert "stays in force" in row_of(user, "top_k").problem.text()
    assert "*" not in user.window.windowTitle()
    user.set_spin("topKSpin", "2")
    assert row_of(user, "top_k").problem.text() == ""
    assert "*" in user.window.windowTitle()


def test_a_missing_file_is_an_error_at_its_field(open_window: OpenWindow, aquarium: Path) -> None:
    document = json.loads((aquarium / "rag.graph.json").read_text())
    document["nodes"][0]["params"]["embedded_string_storage"] = "gone.json"
    (aquarium / "gone.graph.json").write_text(json.dumps(document))
    user = open_window(aquarium / "gone.graph.json")
    assert "3010" in row_of(user, "embedded_string_storage").problem.text()
    user.session.edit_param("embedded_string_storage", "gone_too.json")
    user.qtbot.waitUntil(
        lambda: "gone_too" in row_of(user, "embedded_string_storage").problem.text()
    )
    assert "New agent" not in user.bar_text
    user.session.edit_param("embedded_string_storage", "aquarium_all_mini.json")
    user.qtbot.waitUntil(lambda: "New agent" in user.bar_text)
    assert row_of(user, "embedded_string_storage").problem.text() == ""
    user.settle()


def test_a_file_that_is_broken_since_leaves_what_is_open(
    open_window: OpenWindow, aquarium: Path
) -> None:
    path = aquarium / "rag.graph.json"
    user = open_window(path)
    document = json.loads(path.read_text())
    document["nodes"][0]["params"]["top_k"] = 0
    path.write_text(json.dumps(document))
    before = user.params()
    with user.qtbot.waitSignal(user.session.failed):
        user.session.reload()
    assert user.params() == before
    assert row_of(user, "top_k").problem.text() == ""


# Drafts


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "rag.graph.json")
    driver.ask(QUESTION)
    return driver


def test_a_refusal_stays_as_long_as_the_draft_does(user: Driver) -> None:
    user.set_filter(SALT)
    user.set_filter(WRONG_FIELD)
    said = status(user, "filterStatus").text()
    assert "filter.unknown_field" in said
    assert "The previous one stays in force" in said
    assert '"water"' in said
    edit = user.find("filterEdit", QPlainTextEdit)
    user.set_spin("topKSpin", "7")
    user.click("modeLexical")
    user.session.pick_node("answer")
    user.ask("which fish eat algae?")
    user.session.pick_node("knowledge")
    assert edit.toPlainText() == WRONG_FIELD
    assert (status(user, "filterStatus").text(), status(user, "filterStatus").kind) == (
        said,
        "error",
    )
    assert user.params().filter == SALT
    user.set_filter(SALT)
    assert status(user, "filterStatus").text().startswith("compiled")


def test_a_refused_number_stays_through_other_edits_and_nodes(user: Driver) -> None:
    spin = user.find("topKSpin", QAbstractSpinBox)
    before = user.params().top_k
    user.set_spin("topKSpin", "3,5")
    user.set_spin("thresholdSpin", "0.8")
    user.session.pick_node("answer")
    user.session.pick_node("knowledge")
    assert user.params().top_k == before
    assert "stays in force" in row_of(user, "top_k").problem.text()
    assert spin.text() == "3.5"
    user.set_spin("topKSpin", str(before))
    assert row_of(user, "top_k").problem.text() == ""
    assert not user.session.editor.drafts


def test_undo_of_the_field_takes_the_place_of_what_was_refused(user: Driver) -> None:
    user.set_filter(SALT)
    user.set_filter(WRONG_FIELD)
    user.session.editor.undo_stack.undo()
    assert user.find("filterEdit", QPlainTextEdit).toPlainText() == ""
    assert not user.session.editor.drafts


def test_a_reset_node_has_no_drafts(user: Driver) -> None:
    user.set_filter(WRONG_FIELD)
    user.set_spin("topKSpin", "0")
    user.click("resetButton")
    assert not user.session.editor.drafts
    assert user.find("filterEdit", QPlainTextEdit).toPlainText() == ""
    assert status(user, "filterStatus").kind != "error"


def test_saving_with_a_refused_draft_says_what_is_saved(user: Driver, aquarium: Path) -> None:
    path = aquarium / "rag.graph.json"
    user.set_spin("topKSpin", "6")
    user.set_filter(WRONG_FIELD)
    user.session.pick_node("answer")
    user.saving.save_graph()
    box = question(user)
    assert box is not None
    assert "knowledge.filter is refused" in box.informativeText()
    answer(user, box.buttons()[-1].text())
    assert json.loads(path.read_text())["nodes"][0]["params"]["top_k"] != 6
    user.saving.save_graph()
    answer(user, "Save anyway")
    assert json.loads(path.read_text())["nodes"][0]["params"]["top_k"] == 6
    assert not user.window.close()
    box = question(user)
    assert box is not None
    assert "the filter of knowledge" in box.informativeText()


# The template, key by key


def test_nothing_turns_red_or_blank_while_a_template_is_typed_key_by_key(user: Driver) -> None:
    panel = user.window.panels.prompt
    edit, view, said = panel.template.editor, panel.view, panel.template.status
    edit.setFocus()
    edit.moveCursor(edit.textCursor().MoveOperation.End)
    kinds, places, drafts = set(), set(), 0
    for key in NAMES:
        edit.insertPlainText(key)
        edit.hand_on()
        user.settle()
        assert view.toPlainText().strip()
        assert not edit.property("invalid")
        kinds.add(said.kind)
        places.add((edit.geometry().getRect(), said.geometry().getRect()))
        drafts += view.is_dimmed
    assert kinds <= {"ok", "muted"}
    assert len(places) == 1
    assert drafts == len(NAMES) - 2
    assert not view.is_dimmed
    assert said.kind == "ok"
    assert view.toPlainText().rstrip().count("knowledge") >= 1


def test_what_is_wrong_with_a_template_is_said_when_its_edit_is_over(user: Driver) -> None:
    panel = user.window.panels.prompt
    edit, said = panel.template.editor, panel.template.status
    edit.setFocus()
    edit.insertPlainText("{{")
    edit.hand_on()
    assert (said.kind, edit.property("invalid")) == ("muted", False)
    user.message.setFocus()
    assert (said.kind, edit.property("invalid")) == ("error", True)
    assert said.text().startswith("1:")
