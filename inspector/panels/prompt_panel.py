"""The prompt: what the model would read, and the template that makes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QMargins, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.nodes import GenerateParams, Placement
from core.prompt.projection import estimate_tokens
from inspector.drawing.words import error_text, param_tip, tooltip
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.drafts import OpenDraft
from inspector.widgets.fields import Choice, joined, segments
from inspector.widgets.labels import ElidedLabel, StatusLabel, set_role
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    button,
    named,
    packed,
    split,
    text_tool,
)
from inspector.widgets.prompt_view import PromptView
from inspector.widgets.template_editor import TemplateEditor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from core.hits.hit import Hit
    from core.prompt.projection import Origin, Projection
    from inspector.widgets.template_editor import TemplateDraft

_ROW_CHARACTERS = 44
_BESIDE_CHARACTERS = 62
_ROOMY_CHARACTERS = 90
_STACKED_LINES = 24
_NO_LIMIT = 2**24 - 1
_Control = TypeVar("_Control", bound=QWidget)
_MESSAGES, _TEMPLATE, _SYSTEM = "Messages", "Template", "System"


class _EditorBox(QWidget):
    """The right half: a row of buttons and a choice, the choice below where the row is short."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = QBoxLayout(QBoxLayout.Direction.LeftToRight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the row where the choice could not be read in it."""
        super().resizeEvent(event)
        is_short = self.width() < self.fontMetrics().averageCharWidth() * _ROW_CHARACTERS
        self.bar.setDirection(
            QBoxLayout.Direction.TopToBottom if is_short else QBoxLayout.Direction.LeftToRight
        )


class PromptPanel(Surface):
    """Messages at the left, template and system prompt at the right. Showing emits nothing.

    Where it is narrow they stand above each other, or, without the height for it, one at a time.

    Signals
    -------
    template_edited(str) : the new template, after 150 ms of quiet.
    param_edited(str, object) : ``system_prompt`` or ``placement`` and its new value.
    param_edit_finished(str) : the edit of that parameter is over (one step to undo).
    chunk_clicked(str) : a chunk's id.
    copy_text_requested(), copy_json_requested() : put the messages on the clipboard.
    """

    template_edited = Signal(str)
    param_edited = Signal(str, object)
    param_edit_finished = Signal(str)
    chunk_clicked = Signal(str)
    copy_text_requested = Signal()
    copy_json_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = PromptView()
        self.template = TemplateEditor()
        self.system_prompt = _of_param(
            CodeEdit(lines=6, monospace=False), "systemPromptEdit", "system_prompt"
        )
        self.system_prompt.setPlaceholderText("No system prompt")
        self.placement = _of_param(Choice(), "placementCombo", "placement")
        self.placement.setMinimumWidth(56)
        self.placement.addItems([member.name for member in Placement])
        self._tokens = named(ElidedLabel(), "tokenEstimate", role="muted")
        self.problem = named(StatusLabel(), "promptProblem")
        self.problem.hide()
        self._shown_node = ""
        self._is_compact = False
        self._is_tight = False
        self._token_count = 0
        self._pages = self._make_pages()
        self._left = self._make_left()
        self._editor = self._make_right()
        self._splitter = split((self._left, 3), (self._editor, 2))
        self._margins = QMargins(*PANEL_MARGINS)
        packed(QHBoxLayout(self), self._splitter, margins=PANEL_MARGINS)
        self._connect()
        self._show_pages()
        self.show_projection(None, None)

    def show_projection(
        self,
        projection: Projection | None,
        params: GenerateParams | None,
        chunks: Sequence[Sequence[Hit]] = (),
        node: str = "",
        draft: TemplateDraft | None = None,
    ) -> None:
        """Show what a Generate node would send.

        Parameters
        ----------
        projection : of the turn, or None when the node was not reached or nothing ran.
        params : of the node, to edit; None when the graph has no such node.
        chunks : the hits of each Retrieve that ran, in the order in which they ran.
        node : the name of the node, where there is a turn that could have reached it.
        draft : the template that is typed and cannot be rendered: the one in force and its prompt
            stay, greyed. So does the last prompt of a template that ran out of its budget.
        """
        for control in (self.template.editor, self.system_prompt, self.placement):
            control.setEnabled(params is not None)
        if params is not None:
            self.template.editor.show_text(params.template)
            if draft is not None:
                self.template.editor.show_draft(draft.text)
            self.system_prompt.show_text(params.system_prompt)
            with QSignalBlocker(self.placement):
                self.placement.setCurrentText(params.placement.name)

        def chunk_id(block: int, chunk: int) -> str:
            if block < len(chunks) and chunk < len(chunks[block]):
                return chunks[block][chunk].id
            return ""

        has_failed = projection is not None and projection.error is not None
        self.view.set_dimmed(draft is not None or has_failed)
        if has_failed and node and node == self._shown_node and self._copy.isEnabled():
            self.template.show_problems((), _fine(projection, params))
            return
        self._shown_node = node
        self.view.set_empty_text(*_empty_text(projection, params, node))
        messages = projection.messages if projection is not None else ()
        self.view.show_messages(messages, chunk_id)
        self._copy.setEnabled(bool(messages))
        self._token_count = (
            0
            if _has(projection, "canned")
            else sum(estimate_tokens(message.text) for message in messages)
        )
        self._show_token_count()
        if draft is not None:
            self.template.show_refused(draft.problems)
            return
        problems = projection.problems if projection is not None else ()
        self.template.show_problems(problems, _fine(projection, params))

    def show_problem(self, text: str) -> None:
        """Say what is wrong with placement or system prompt, or nothing with ""."""
        self.problem.set_status("error", text)
        self.problem.setVisible(bool(text))

    def _show_token_count(self) -> None:
        word = "tokens" if self._is_tight else "tokens (estimate)"
        self._tokens.set_text(
            f"≈ {self._token_count:,} {word}" if self._token_count else "",
            "An estimate: a rule of thumb over all messages; models differ by a third and more.",
        )

    def select_chunk(self, chunk_id: str) -> None:
        """Outline a chunk and scroll to it; "" outlines none."""
        self.view.select_chunk(chunk_id)
        self.view.go_to_chunk(chunk_id)

    def drafts(self) -> list[OpenDraft]:
        """Name what is typed and not in force."""
        return [
            OpenDraft(
                f"the {what}",
                partial(self._go_to, page, edit),
                edit.apply_draft,
                what.replace(" ", "_"),
            )
            for what, page, edit in self._texts()
            if edit.isEnabled() and edit.has_draft
        ]

    def discard_drafts(self) -> None:
        """Show the texts in force in place of those that are typed."""
        for _, _, edit in self._texts():
            edit.discard_draft()

    def _texts(self) -> tuple[tuple[str, str, CodeEdit], ...]:
        return (
            ("template", _TEMPLATE, self.template.editor),
            ("system prompt", _SYSTEM, self.system_prompt),
        )

    def _go_to(self, page: str, edit: CodeEdit) -> None:
        self._segments[page].setChecked(True)
        self._show_pages()
        edit.setFocus()

    def _make_pages(self) -> QWidget:
        """Make the buttons that pick what is edited, or shown where one thing has room."""
        tips = {
            _MESSAGES: ("showMessages", "Show the messages"),
            _TEMPLATE: ("editTemplate", "Edit the template"),
            _SYSTEM: ("editSystem", "Edit the system prompt"),
        }
        labels = ((label, name, tip, tip) for label, (name, tip) in tips.items())
        buttons = segments(self, self._show_pages, *labels)
        self._segments = dict(zip(tips, buttons, strict=True))
        self._segments[_TEMPLATE].setChecked(True)
        box = QWidget()
        box.setLayout(joined(buttons))
        return box

    def _make_left(self) -> QWidget:
        box = QWidget()
        self._copy = button(
            text_tool("Copy"),
            "copyPrompt",
            "Copy the messages",
            "Copy the messages, all of them",
            icon=("copy", "muted"),
        )
        self._copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.copy_menu = QMenu(self._copy)
        self.copy_menu.addAction("As text").triggered.connect(self.copy_text_requested)
        self.copy_menu.addAction("As JSON messages").triggered.connect(self.copy_json_requested)
        self._copy.setMenu(self.copy_menu)
        self._bar = packed(QHBoxLayout(), (self._tokens, 1), self._copy)
        packed(QVBoxLayout(box), self._bar, (self.view, 1))
        return box

    def _make_right(self) -> _EditorBox:
        box = _EditorBox()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.template)
        self._stack.addWidget(self.system_prompt)
        packed(box.bar, self._pages, (self.placement, 1))
        packed(QVBoxLayout(box), box.bar, self.problem, (self._stack, 1))
        return box

    def _arrange(self) -> None:
        """Follow the size: side by side, above each other, or one at a time."""
        metrics = self.fontMetrics()
        is_narrow = self.width() < _BESIDE_CHARACTERS * metrics.averageCharWidth()
        self._is_tight = self.width() < _ROOMY_CHARACTERS * metrics.averageCharWidth()
        self._show_token_count()
        self._copy.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonIconOnly
            if self._is_tight
            else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        )
        is_compact = is_narrow and self.height() < _STACKED_LINES * metrics.height()
        self._splitter.setOrientation(
            Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        )
        if is_compact == self._is_compact:
            return
        self._is_compact = is_compact
        if is_compact:
            self._bar.insertWidget(0, self._pages)
            self._segments[_MESSAGES].setChecked(True)
        else:
            self._editor.bar.insertWidget(0, self._pages)
            index = self._stack.currentIndex()
            self._segments[_SYSTEM if index else _TEMPLATE].setChecked(True)
        self._show_pages()

    def _show_pages(self) -> None:
        """Show what is picked: in a compact panel instead of the rest."""
        if self._segments[_TEMPLATE].isChecked() or self._segments[_SYSTEM].isChecked():
            self._stack.setCurrentIndex(int(self._segments[_SYSTEM].isChecked()))
        has_messages = not self._is_compact or self._segments[_MESSAGES].isChecked()
        self._segments[_MESSAGES].setVisible(self._is_compact)
        set_role(self._segments[_TEMPLATE], "place", "middle" if self._is_compact else "first")
        self.view.setVisible(has_messages)
        self._editor.setVisible(not self._is_compact or not has_messages)
        self._left.setMaximumHeight(
            _NO_LIMIT if has_messages else self._left.minimumSizeHint().height()
        )

    def _connect(self) -> None:
        self.view.chunk_clicked.connect(self.chunk_clicked)
        self.template.editor.text_edited.connect(self.template_edited)
        self.template.editor.edit_finished.connect(
            partial(self.param_edit_finished.emit, "template")
        )
        self.system_prompt.text_edited.connect(partial(self.param_edited.emit, "system_prompt"))
        self.system_prompt.edit_finished.connect(
            partial(self.param_edit_finished.emit, "system_prompt")
        )
        self.placement.activated.connect(self._on_placement_activated)

    def _on_placement_activated(self, _index: Any) -> None:
        self.param_edited.emit("placement", Placement[self.placement.currentText()])
        self.param_edit_finished.emit("placement")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the size."""
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Ask for what the compact panel needs, whichever way it is arranged now."""
        segments_px = sum(segment.minimumWidth() for segment in self._segments.values())
        metrics = self.fontMetrics()
        frame = self.contentsMargins() + self._margins
        width = segments_px + 10 * metrics.averageCharWidth() + frame.left() + frame.right()
        height = self._bar.minimumSize().height() + self.view.minimumSizeHint().height() + 4
        return QSize(width, height + frame.top() + frame.bottom())


def _of_param(control: _Control, name: str, param: str) -> _Control:
    """Give a control the names and the help of a parameter."""
    tip = param_tip(GenerateParams.specs()[param])
    control.setAccessibleDescription(tip)
    return named(control, name, param.replace("_", " "), tooltip(tip))


def _empty_text(
    projection: Projection | None, params: GenerateParams | None, node: str
) -> tuple[str, str]:
    if params is None:
        return "This graph renders no prompt", "It has no Generate node"
    if projection is None and node:
        return f"This turn did not reach {node}", "See its path in Graph"
    if projection is None:
        return "No prompt yet", "Ask a question to see what the model would read"
    return "The prompt cannot be rendered", "The template has a mistake"


def _has(projection: Projection | None, origin: Origin) -> bool:
    """Tell whether there is a message of this origin."""
    return projection is not None and any(
        message.origin == origin for message in projection.messages
    )


def _fine(projection: Projection | None, params: GenerateParams | None) -> tuple[str, str]:
    """Return kind and text of the status of a template without lint problems."""
    if params is None:
        return "muted", ""
    if _has(projection, "canned"):
        return "info", "A ready line answered: the model is not asked"
    if _has(projection, "recorded"):
        return "info", "These messages are as recorded"
    if projection is not None and projection.error is not None:
        return "error", error_text(projection.error)
    if not params.template.strip():
        return "info", "No template: the player's message stands alone"
    if projection is None:
        return "muted", "Run a turn to see what it renders"
    rendered = [message for message in projection.messages if message.origin == "template"]
    if not rendered:
        return "info", "template renders to nothing: the player's message stands alone"
    count = len({(span.block, span.chunk) for message in rendered for span in message.spans})
    return "ok", f"template renders {count} chunk{'' if count == 1 else 's'}"
