"""The prompt: messages, tinted chunks, template, lint. Nothing moves under the user's hands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QPushButton

from core.errors import Code, InspectorError
from core.nodes import GenerateParams, Placement
from core.prompt.lint import Provided, lint
from core.prompt.messages import DialogLine
from core.prompt.projection import (
    Chunk,
    KnowledgeBlock,
    Message,
    Projection,
    PromptInputs,
    Span,
    canned_messages,
    estimate_tokens,
    project,
)
from inspector.panels.prompt_panel import PromptPanel
from inspector.theme import DARK, LIGHT, contrast, spread

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from inspector.drawing.prompt_layout import Tinted
    from inspector.theme import Theme
    from inspector.widgets.prompt_view import PromptView

TEMPLATE = "{{#knowledge}}\n{{name}}:\n{{#chunks}}\n- {{text}}\n{{/chunks}}\n{{/knowledge}}"
TEXTS = ("A lionfish will eat a clownfish.", "سمكة المهرج 🐠 تعيش هنا", "Clownfish\r\nlike gobies.")
IDS = ("clown_lion_01", "arabic", "goby")
HITS: list[list[Any]] = [[SimpleNamespace(id=name) for name in IDS]]
PARAMS = GenerateParams(template=TEMPLATE, system_prompt="You are a guide.")


def projection(texts: tuple[str, ...] = TEXTS, template: str = TEMPLATE) -> Projection:
    chunks = tuple(Chunk(str(i), text, 0.3) for i, text in enumerate(texts))
    messages = project(
        PromptInputs(
            "do they get along? 🐡",
            (),
            (KnowledgeBlock("knowledge", chunks),),
            "You are a guide.",
            template,
            Placement.BeforeUserAsSystem,
        )
    )
    return Projection(messages, (), "model")


@pytest.fixture
def panel(qtbot: QtBot) -> PromptPanel:
    widget = PromptPanel()
    qtbot.addWidget(widget)
    widget.resize(770, 260)
    widget.show_projection(projection(), PARAMS, HITS)
    widget.show()
    return widget


def emitted(panel: PromptPanel) -> list[Any]:
    found = []
    panel.param_edited.connect(lambda *args: found.append(args))
    panel.template_edited.connect(lambda text: found.append((text,)))
    panel.param_edit_finished.connect(lambda name: found.append((name, "finished")))
    return found


def view_of(panel: PromptPanel) -> Any:
    return panel.findChild(QPlainTextEdit, "promptView")


def selected(view: PromptView, span: Tinted) -> str:
    cursor = view.textCursor()
    cursor.setPosition(span.start)
    cursor.setPosition(span.end, cursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2029", "\n")


def test_every_message_is_shown_in_order(panel: PromptPanel) -> None:
    text = view_of(panel).toPlainText()
    places = [text.index(part) for part in ("You are a guide.", "A lionfish", "do they get along?")]
    assert places == sorted(places)


def test_the_tints_lie_exactly_on_the_chunks_even_behind_wide_characters(
    panel: PromptPanel,
) -> None:
    spans = view_of(panel).spans
    assert [span.id for span in spans] == list(IDS)
    assert selected(view_of(panel), spans[0]) == TEXTS[0]
    assert selected(view_of(panel), spans[1]) == TEXTS[1]
    assert selected(view_of(panel), spans[2]) == "Clownfish \nlike gobies."


def test_a_chunk_has_the_tint_of_its_place_among_the_hits(panel: PromptPanel) -> None:
    spread(panel, DARK)
    assert [panel.view.tint_of(name) for name in IDS] == [DARK.tint(0), DARK.tint(1), DARK.tint(2)]
    assert panel.view.tint_of("nobody") is None


def test_the_tint_is_painted_behind_the_chunk(panel: PromptPanel) -> None:
    spread(panel, LIGHT)
    view = view_of(panel)
    image = view.viewport().grab().toImage()
    colors = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 2)
        for y in range(image.height())
    }
    assert LIGHT.tint(0).name() in colors


def test_clicking_a_chunk_names_it(panel: PromptPanel, qtbot: QtBot) -> None:
    view = view_of(panel)
    cursor = view.textCursor()
    cursor.setPosition(view.spans[0].start + 4)
    place = view.cursorRect(cursor).center() + QPoint(2, 0)
    with qtbot.waitSignal(panel.chunk_clicked) as clicked:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == ["clown_lion_01"]


def test_enter_on_a_chunk_names_it_too(panel: PromptPanel, qtbot: QtBot) -> None:
    panel.select_chunk("goby")
    with qtbot.waitSignal(panel.chunk_clicked) as clicked:
        QTest.keyClick(view_of(panel), Qt.Key.Key_Return)
    assert clicked.args == ["goby"]


def test_the_text_can_be_selected_and_not_edited(panel: PromptPanel) -> None:
    view = view_of(panel)
    before = view.toPlainText()
    QTest.keyClicks(view, "x")
    assert view.toPlainText() == before
    view.selectAll()
    assert view.textCursor().hasSelection()


def test_the_estimate_of_tokens_says_that_it_is_one(panel: PromptPanel) -> None:
    label = panel.findChild(QLabel, "tokenEstimate")
    count = sum(estimate_tokens(message.text) for message in projection().messages)
    assert label.text() == f"≈ {count} tokens (estimate)"


def test_showing_emits_nothing_and_leaves_the_cursor_alone(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    found = emitted(panel)
    edit = panel.findChild(QPlainTextEdit, "templateEdit")
    cursor = edit.textCursor()
    cursor.setPosition(5)
    edit.setTextCursor(cursor)
    panel.show_projection(projection(TEXTS[:1]), PARAMS, HITS)
    qtbot.wait(200)
    assert edit.textCursor().position() == 5
    assert found == []


def test_typing_in_the_template_asks_for_it_after_quiet(panel: PromptPanel, qtbot: QtBot) -> None:
    found = emitted(panel)
    edit = panel.findChild(QPlainTextEdit, "templateEdit")
    edit.selectAll()
    with qtbot.waitSignal(panel.template_edited):
        QTest.keyClicks(edit, "{{user_message}}")
    assert found == [("{{user_message}}",)]


def test_the_system_prompt_and_the_placement_are_edited_here(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    found = emitted(panel)
    panel.findChild(QPushButton, "editSystem").click()
    edit = panel.findChild(QPlainTextEdit, "systemPromptEdit")
    assert edit.isVisible()
    edit.selectAll()
    with qtbot.waitSignal(panel.param_edited):
        QTest.keyClicks(edit, "Be kind.")
    combo = panel.findChild(QComboBox, "placementCombo")
    combo.setCurrentIndex(0)
    combo.activated.emit(0)
    assert ("system_prompt", "Be kind.") in found
    assert ("placement", Placement.InPlaceOfUser) in found
    assert ("placement", "finished") in found


def test_a_good_template_says_how_many_chunks_it_renders(panel: PromptPanel) -> None:
    status = panel.findChild(QLabel, "templateStatus")
    assert status.text() == "template renders 3 chunks"
    panel.show_projection(projection(TEXTS[:1]), PARAMS, HITS)
    assert status.text() == "template renders 1 chunk"


def test_a_mistake_is_told_with_line_and_column_and_a_click_goes_there(panel: PromptPanel) -> None:
    template = "{{#knowledge}}\n  {{nme}}\n{{/knowledge}}"
    problems = lint(template, Placement.BeforeUserAsSystem, Provided((), ("knowledge",)))
    panel.show_projection(Projection((), problems, "m"), GenerateParams(template=template))
    status = panel.findChild(QLabel, "templateStatus")
    assert status.text().startswith("2:3 ")
    QTest.mouseClick(status, Qt.MouseButton.LeftButton)
    cursor = panel.findChild(QPlainTextEdit, "templateEdit").textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (1, 2)


def test_further_mistakes_are_listed_and_gone_to(panel: PromptPanel) -> None:
    template = "{{#knowledge}}\n{{nme}}\n{{txt}}"
    problems = lint(template, Placement.BeforeUserAsSystem, Provided((), ("knowledge",)))
    assert len(problems) == 3
    panel.show_projection(Projection((), problems, "m"), GenerateParams(template=template))
    rows = panel.template.problem_list
    assert [rows.item(i).text()[:3] for i in range(rows.count())] == ["2:1", "3:1"]
    rows.itemActivated.emit(rows.item(1))
    assert panel.findChild(QPlainTextEdit, "templateEdit").textCursor().blockNumber() == 2


def test_a_template_that_is_refused_says_why(panel: PromptPanel) -> None:
    error = InspectorError(Code.InvalidParamValue, "renders more than 1 MB")
    panel.show_projection(Projection((), (), "m", error), PARAMS)
    status = panel.findChild(QLabel, "templateStatus")
    assert status.text() == "3007 InvalidParamValue: renders more than 1 MB"
    assert view_of(panel).toPlainText() == ""


def test_a_template_that_renders_to_nothing_says_so(panel: PromptPanel) -> None:
    quiet = Projection((Message("user", "hello", "user"),), (), "m")
    panel.show_projection(quiet, PARAMS, HITS)
    assert "renders to nothing" in panel.findChild(QLabel, "templateStatus").text()


def test_without_a_generate_node_there_is_nothing_to_edit(panel: PromptPanel) -> None:
    panel.show_projection(None, None)
    assert not panel.findChild(QPlainTextEdit, "templateEdit").isEnabled()
    assert view_of(panel).toPlainText() == ""


def test_copying_is_asked_for(panel: PromptPanel, qtbot: QtBot) -> None:
    as_text, as_json = panel.copy_menu.actions()
    with qtbot.waitSignal(panel.copy_text_requested):
        as_text.trigger()
    with qtbot.waitSignal(panel.copy_json_requested):
        as_json.trigger()


def test_a_chunk_of_20000_characters_is_shown_whole(panel: PromptPanel) -> None:
    long = "lionfish " * 2222
    panel.show_projection(projection((long,)), PARAMS, HITS)
    assert long.strip() in view_of(panel).toPlainText()
    assert not panel.grab().isNull()


def test_a_span_without_a_known_hit_is_tinted_and_names_nothing(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    message = Message("system", "abc", "template", (Span(0, 3, 5, 0),))
    panel.show_projection(Projection((message,), (), "m"), PARAMS, HITS)
    view = view_of(panel)
    assert len(view.spans) == 1
    with qtbot.assertNotEmitted(panel.chunk_clicked):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_in_a_low_and_narrow_panel_one_thing_is_shown_at_a_time(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    template = panel.findChild(QPlainTextEdit, "templateEdit")
    assert view_of(panel).isVisible()
    assert template.isVisible()
    panel.resize(340, 180)
    qtbot.waitUntil(lambda: not template.isVisible())
    assert view_of(panel).isVisible()
    panel.findChild(QPushButton, "editTemplate").click()
    assert template.isVisible()
    assert not view_of(panel).isVisible()
    panel.findChild(QPushButton, "showMessages").click()
    assert view_of(panel).isVisible()
    panel.resize(770, 260)
    qtbot.waitUntil(template.isVisible)
    assert not panel.findChild(QPushButton, "showMessages").isVisible()


def test_in_a_narrow_and_high_panel_the_template_stands_below(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    panel.resize(340, 700)
    template = panel.findChild(QPlainTextEdit, "templateEdit")
    qtbot.waitUntil(
        lambda: template.mapTo(panel, QPoint()).y() > view_of(panel).geometry().bottom()
    )
    assert view_of(panel).isVisible()


def test_in_a_narrow_view_the_roles_stand_above_and_the_text_has_the_width(
    panel: PromptPanel, qtbot: QtBot
) -> None:
    view = view_of(panel)
    panel.resize(900, 260)
    qtbot.waitUntil(lambda: view.viewport().x() > 40)
    panel.resize(320, 180)
    qtbot.waitUntil(lambda: view.viewport().x() < 10)
    assert view.viewport().y() >= view.fontMetrics().height()
    assert not panel.grab().isNull()


# Ready lines, and earlier turns

DIALOG = (DialogLine("user", "Hello 🐠!"), DialogLine("assistant", "Welcome.\nCome in."))


def with_dialog(system_prompt: str = "") -> Projection:
    chunks = (Chunk("0", TEXTS[0], 0.3),)
    return Projection(
        project(
            PromptInputs(
                "and now?",
                (),
                (KnowledgeBlock("knowledge", chunks),),
                system_prompt,
                TEMPLATE,
                Placement.BeforeUserAsSystem,
                DIALOG,
            )
        ),
        (),
        "model",
    )


def dimmed_text(view: Any) -> list[str]:
    return [
        selection.cursor.selectedText().replace("\u2029", "\n")
        for selection in view.extraSelections()
    ]


def test_a_ready_line_is_no_template_that_renders_to_nothing(panel: PromptPanel) -> None:
    panel.show_projection(Projection(canned_messages("Kill them", "Never."), (), ""), PARAMS)
    status = panel.findChild(QLabel, "templateStatus")
    assert status.text() == "A ready line answered: the model is not asked"
    assert panel.findChild(QLabel, "tokenEstimate").text() == ""
    assert "Never." in view_of(panel).toPlainText()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("system_prompt", ["", "You are a guide."])
def test_earlier_turns_are_dimmed_and_can_still_be_read(
    panel: PromptPanel, theme: Theme, system_prompt: str
) -> None:
    spread(panel, theme)
    panel.show_projection(with_dialog(system_prompt), PARAMS, HITS)
    view = view_of(panel)
    assert dimmed_text(view) == ["Hello 🐠!\n\nWelcome.\nCome in."]
    dimmed = view.extraSelections()[0]
    color = dimmed.format.foreground().color()
    assert color == theme.muted
    assert contrast(color, theme.panel) >= 4
    assert color != theme.text


@pytest.mark.parametrize(
    ("width", "captions"),
    [(770, ["earlier turns", "this turn"]), (300, ["earlier turns · user", "this turn · system"])],
)
def test_a_line_says_where_earlier_turns_begin_and_end(
    panel: PromptPanel,
    qtbot: QtBot,
    width: int,
    captions: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panel.resize(width, 600)
    panel.show_projection(with_dialog("You are a guide."), PARAMS, HITS)
    qtbot.waitExposed(panel)
    said = []

    class Recorder(QPainter):
        def drawText(self, *args: Any) -> None:
            said.append(args[-1])

    monkeypatch.setattr("inspector.widgets.prompt_view.QPainter", Recorder)
    view_of(panel).viewport().grab()
    assert [text for text in said if "turn" in text] == captions


def test_without_earlier_turns_nothing_is_dimmed(panel: PromptPanel) -> None:
    panel.show_projection(with_dialog(), PARAMS, HITS)
    panel.show_projection(projection(), PARAMS, HITS)
    assert dimmed_text(view_of(panel)) == []


def test_the_tints_lie_on_the_chunks_behind_earlier_turns_too(panel: PromptPanel) -> None:
    panel.show_projection(with_dialog(), PARAMS, HITS)
    view = view_of(panel)
    assert [selected(view, span) for span in view.spans] == [TEXTS[0]]


def test_a_turn_that_did_not_reach_the_node_says_so(panel: PromptPanel) -> None:
    panel.show_projection(None, PARAMS, (), "answer")
    assert panel.view.empty_text[0] == "This turn did not reach answer"
