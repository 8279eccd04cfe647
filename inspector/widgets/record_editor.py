"""Editor of one record of a memory store: id, text and metadata, in force only when applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import InspectorError
from core.io.json_text import locate
from inspector.drawing.record_text import RecordText, compact, parse_metadata
from inspector.drawing.words import MOST_CHARACTERS, beginning
from inspector.widgets.code_edit import QUIET_MS, CodeEdit, position_of
from inspector.widgets.drafts import as_shown
from inspector.widgets.fields import LineEdit
from inspector.widgets.highlighters import JsonHighlighter
from inspector.widgets.labels import set_role
from inspector.widgets.parts import button, named, packed, split

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QResizeEvent

_STACKED_LINES = 9
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PASSING = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


class RecordEditor(QWidget):
    """Three fields and their buttons. What is typed is a draft until somebody takes it over.

    Signals
    -------
    apply_requested() : put the draft in force: Apply, Ctrl+Return, Return in the id, or the focus
        left the fields.
    discarded() : the user wants no new record after all.
    draft_changed() : a key was typed, or the draft was discarded.
    draft_settled() : `QUIET_MS` after the last key.
    """

    apply_requested = Signal()
    discarded = Signal()
    draft_changed = Signal()
    draft_settled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._record: Mapping[str, Any] = {}
        self._content = RecordText()
        self._base = RecordText()
        self._is_showing = False
        self._is_new = False
        self.id_edit = LineEdit()
        self.text_edit = CodeEdit(lines=3, monospace=False)
        self.metadata_edit = CodeEdit(lines=3)
        self._highlighter = JsonHighlighter(self.metadata_edit.document())
        self.apply_button = button(
            QPushButton("Apply"),
            "memoryApply",
            "Apply the edit",
            "Put the edit in force (Ctrl+Return)",
            self._request,
            kind="primary",
        )
        self.revert_button = button(
            QToolButton(),
            "memoryRevert",
            "Revert the edit",
            "Bring back what is in the store (Escape)",
            self.revert,
            icon=("reset", "muted"),
        )
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self.draft_settled)
        self._set_up_fields()
        self._lay_out()
        self.show_record(None)

    def _set_up_fields(self) -> None:
        for field, name, words, hint in (
            (self.id_edit, "memoryIdEdit", "Id of the record", "id"),
            (
                self.text_edit,
                "memoryTextEdit",
                "Text of the record",
                "Text: what is searched, and what the model reads",
            ),
            (
                self.metadata_edit,
                "memoryMetadataEdit",
                "Metadata of the record as JSON",
                'Metadata: none, or JSON such as {"level": 3}',
            ),
        ):
            named(field, name, words, f"{words}. Ctrl+Return applies, Escape reverts.")
            field.setPlaceholderText(hint)
            field.installEventFilter(self)
            field.textChanged.connect(self._on_text_changed)
        option = self.text_edit.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.text_edit.document().setDefaultTextOption(option)

    def _lay_out(self) -> None:
        self._label = named(QLabel("id"), role="muted")
        self._label.setBuddy(self.id_edit)
        row = packed(
            QHBoxLayout(), self._label, (self.id_edit, 1), self.revert_button, self.apply_button
        )
        self._splitter = split((self.text_edit, 3), (self.metadata_edit, 2), handle_px=4)
        packed(QVBoxLayout(self), row, (self._splitter, 1))

    @property
    def draft(self) -> RecordText:
        """What stands in the fields."""
        return RecordText(self.id_edit.text(), self.text_edit.text, self.metadata_edit.text)

    @property
    def is_dirty(self) -> bool:
        """Whether anything was typed that is not in force."""
        return self.draft != self._base

    @property
    def is_new(self) -> bool:
        """Whether the record is not in the store yet."""
        return self._is_new

    def edited_record(self) -> dict[str, Any]:
        """Return the record as it would be with the draft in force.

        Raises
        ------
        InspectorError
            8003 when the metadata is no JSON object.
        """
        return self.draft.applied_to(self._record, self._base)

    def show_record(
        self, record: Mapping[str, Any] | None, draft: RecordText | None = None, *, new_id: str = ""
    ) -> None:
        """Show another record, or none; `draft` is what was typed for it before.

        Parameters
        ----------
        record : None for none, or for one that is not in the store yet.
        new_id : of a record that is not in the store yet.
        """
        self._is_new = bool(new_id)
        self._record = record or {}
        self._content = RecordText.of(self._record)
        if new_id:
            self._content = RecordText(new_id)
        self.setVisible(record is not None or self._is_new)
        self._put(self._content, is_other=True)
        self._base = self.draft
        if draft is not None:
            self._put(draft)
        self.mark("")
        self._quiet.stop()
        self._show_state()

    def refresh(self, record: Mapping[str, Any]) -> None:
        """Show the same record as it is now. What was typed and is not in force stays."""
        content = RecordText.of(record)
        was_new, self._is_new = self._is_new, False
        self._record = record
        if content == self._content and not was_new:
            return
        typed, base = self.draft, self._base
        self._content = content
        keeps_id = typed.id not in (base.id, content.id)
        keeps_text = typed.text not in (base.text, as_shown(content.text))
        is_applied = _means(typed.metadata, record.get("metadata"))
        keeps_metadata = typed.metadata != base.metadata or is_applied
        self._put(
            RecordText(
                typed.id if keeps_id else content.id,
                typed.text if keeps_text else content.text,
                typed.metadata if keeps_metadata else content.metadata,
            )
        )
        now = self.draft
        self._base = RecordText(
            content.id if keeps_id else now.id,
            as_shown(content.text) if keeps_text else now.text,
            now.metadata if is_applied or not keeps_metadata else content.metadata,
        )
        self._show_state()

    def keep_as_new(self) -> None:
        """Take note that the record is no longer in the store; what was typed stays."""
        self._is_new = True
        self._record = {}
        self._content = self._base = RecordText()
        self._show_state()

    def propose_id(self, new_id: str) -> None:
        """Offer another id for a new record, unless the user has chosen one."""
        if self.id_edit.text() == self._base.id:
            self._content = replace(self._content, id=new_id)
            self._base = replace(self._base, id=new_id)
            self._is_showing = True
            self.id_edit.setText(new_id)
            self._is_showing = False

    def accept(self) -> None:
        """Take note that the draft says what is in the store already, in other words."""
        self._base = self.draft
        self._quiet.stop()
        self._show_state()

    def revert(self) -> None:
        """Show what is in the store in place of what was typed; drop an empty new record."""
        if not self.is_dirty:
            if self._is_new:
                self.discarded.emit()
            return
        self._put(self._content)
        self._base = self.draft
        self._quiet.stop()
        self._show_state()
        self.draft_changed.emit()

    def mark(self, field: str, place: tuple[int, int] | None = None, path: str = "") -> None:
        """Mark the field that is at fault, or none with "".

        Parameters
        ----------
        field : ``id``, ``text`` or ``metadata``.
        place : 1-based line and column in the metadata.
        path : JSON path inside the metadata, where no place is known.
        """
        set_role(self.id_edit, "invalid", field == "id")
        set_role(self.text_edit, "invalid", field == "text")
        set_role(self.metadata_edit, "invalid", field == "metadata")
        spans = []
        text = self.metadata_edit.text
        if field == "metadata" and place is None and path:
            place = locate(text, path)
        if field == "metadata" and place is not None:
            start = min(position_of(text, *place), max(len(text) - 1, 0))
            spans.append((start, start + 1))
        self.metadata_edit.mark(spans)

    def go_to(self, field: str) -> None:
        """Put the focus into a field, in the metadata at the mark."""
        edit = {"id": self.id_edit, "metadata": self.metadata_edit}.get(field, self.text_edit)
        if field == "metadata" and self.metadata_edit.marks:
            start = self.metadata_edit.marks[0][0]
            before = self.metadata_edit.text[:start]
            self.metadata_edit.go_to(before.count("\n") + 1, start - before.rfind("\n"))
            return
        edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _put(self, content: RecordText, *, is_other: bool = False) -> None:
        self._is_showing = True
        for edit, value in (
            (self.text_edit, content.text),
            (self.metadata_edit, content.metadata),
        ):
            # A longer one is shown in part, so it must stay as it is.
            edit.setReadOnly(len(value) > MOST_CHARACTERS)
            if is_other:
                edit.forget_draft()
            edit.show_text(as_shown(beginning(value, ": too long to be edited here")))
            edit.discard_draft()
        if content.id != self.id_edit.text():
            self.id_edit.setText(content.id)
            self.id_edit.home(False)
        self._is_showing = False

    def _show_state(self) -> None:
        is_dirty = self.is_dirty
        self._label.setText("new id" if self._is_new else "id")
        self.apply_button.setText("Add" if self._is_new else "Apply")
        self.apply_button.setEnabled(is_dirty)
        self.revert_button.setEnabled(is_dirty or self._is_new)

    def _on_text_changed(self) -> None:
        if self._is_showing:
            return
        self._show_state()
        self._quiet.start()
        self.draft_changed.emit()

    def _request(self) -> None:
        self._quiet.stop()
        if self.is_dirty:
            self.apply_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Apply with Ctrl+Return and when the focus leaves all the fields; revert with Escape."""
        if isinstance(event, QFocusEvent):
            is_over = event.lostFocus() and event.reason() not in _PASSING
            now = QApplication.focusWidget()
            if is_over and not (now is not None and self.isAncestorOf(now)):
                self._request()
        elif isinstance(event, QKeyEvent):
            is_press = event.type() == QEvent.Type.KeyPress
            is_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if event.key() in _RETURN and is_control:
                # Accepted, so that it is no shortcut of the window's: it would ask once more.
                event.accept()
                if is_press:
                    self._request()
                return True
            if event.key() in _RETURN and is_press and watched is self.id_edit:
                self._request()
            elif event.key() == Qt.Key.Key_Escape and (self.is_dirty or self._is_new):
                event.accept()
                if is_press:
                    self.revert()
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the metadata below the text, or beside it where it is low."""
        super().resizeEvent(event)
        is_low = self.height() < _STACKED_LINES * self.fontMetrics().lineSpacing()
        self._splitter.setOrientation(
            Qt.Orientation.Horizontal if is_low else Qt.Orientation.Vertical
        )

    def minimumSizeHint(self) -> QSize:
        """Ask for the id and two lines, the texts side by side."""
        metrics = self.fontMetrics()
        return QSize(28 * metrics.averageCharWidth(), 5 * metrics.lineSpacing())


def _means(typed: str, metadata: object) -> bool:
    """Tell whether what was typed is this metadata, however it is laid out."""
    try:
        return compact(parse_metadata(typed)) == compact(metadata)
    except InspectorError:
        return False
