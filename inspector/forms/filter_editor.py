"""The filter: JSON with colours, where it is wrong, how many records match, ready clauses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from inspector import theme as themes
from inspector.forms.filter_snippets import negated, place_in, snippets, tidy, with_clause
from inspector.forms.number_row import ParamLabel, param_tip
from inspector.forms.value_rows import ValueRow
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.highlighters import JsonHighlighter
from inspector.widgets.labels import StatusLabel, set_role, tooltip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.knowledge.schema import Field, Scalar
    from core.nodes import ParamSpec
    from inspector.theme import Theme

_PLACEHOLDER = '{"op": "eq", "lhs": {"knowledge": "field"}, "rhs": {"value": 1}}'


def menu_text(text: str) -> str:
    """Return `text` for a menu, where ``&`` would otherwise underline a letter."""
    return text.replace("&", "&&")


class FilterEditor(QWidget):
    """Editor of a filter parameter with its state below.

    Signals
    -------
    filter_edited(str) : the user's text, after 150 ms of quiet.
    edit_finished() : the edit is over.
    """

    filter_edited = Signal(str)
    edit_finished = Signal()

    def __init__(
        self, spec: ParamSpec, title: ParamLabel | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.title = title if title is not None else ParamLabel("filter", spec)
        self._fields: tuple[Field, ...] = ()
        self._samples: dict[str, Scalar] = {}
        self.editor = CodeEdit(lines=4)
        self.editor.setObjectName("filterEdit")
        self.editor.setAccessibleName("filter")
        self.editor.setAccessibleDescription(param_tip(spec))
        self.editor.setToolTip(tooltip(param_tip(spec)))
        self.editor.setPlaceholderText(_PLACEHOLDER)
        self._highlighter = JsonHighlighter(self.editor.document())
        self.status = StatusLabel()
        self.status.setObjectName("filterStatus")
        self.status.setFont(themes.scaled_font(self.status.font(), 0.92))
        self.insert_button = QToolButton()
        self.insert_button.setText("Insert")
        self.insert_button.setObjectName("filterInsert")
        self.insert_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert_button.setAccessibleName("Insert a condition")
        self.insert_button.setToolTip("Add a condition on one of the storage's fields")
        self.insert_menu = QMenu(self.insert_button)
        self.insert_button.setMenu(self.insert_menu)
        self.tidy_button = QToolButton()
        self.tidy_button.setText("Tidy")
        self.tidy_button.setObjectName("filterTidy")
        self.tidy_button.setAccessibleName("Tidy the filter")
        self.tidy_button.setToolTip("Lay the filter out with one comparison a line")
        header = QHBoxLayout()
        header.setContentsMargins(0, 0, 0, 0)
        header.setSpacing(4)
        header.addWidget(self.title, 1)
        header.addWidget(self.insert_button)
        header.addWidget(self.tidy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(header)
        layout.addWidget(self.editor, 1)
        layout.addWidget(self.status)
        self.editor.text_edited.connect(self._on_text_edited)
        self.editor.edit_finished.connect(self.edit_finished)
        self.tidy_button.clicked.connect(self._on_tidy_clicked)
        self.set_fields(())
        self.set_status(None, "")

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """The editor, its status and its buttons."""
        return self.editor, self.status, self.insert_button, self.tidy_button

    @property
    def text(self) -> str:
        """The text in the editor, in force or not."""
        return self.editor.text

    def show_filter(self, text: str, *, other: bool = False) -> None:
        """Show the filter in force; a draft stays unless that is new, or another node's."""
        if other:
            self.editor.forget_draft()
        self.editor.show_text(text)

    def set_status(self, ok: bool | None, text: str) -> None:
        """Say whether the text compiled (None: not known) and what it does or where it is wrong.

        A place in the message, such as ``at args[1].rhs``, is underlined in the text.
        """
        kind = {True: "ok", False: "error", None: "muted"}[ok]
        self.status.set_status(kind, text or "Empty = every record is searched")
        set_role(self.editor, "invalid", ok is False)
        place = place_in(self.editor.text, text) if ok is False else None
        self.editor.mark([] if place is None else [place])

    def set_fields(
        self, fields: Sequence[Field], samples: Mapping[str, Scalar] | None = None
    ) -> None:
        """Offer clauses for these fields; `samples` has a value of each that is in the storage."""
        new = tuple(field for field in fields if field.filterable)
        if new == self._fields and dict(samples or {}) == self._samples and new:
            return
        self._fields, self._samples = new, dict(samples or {})
        self.insert_menu.clear()
        for old in self.insert_menu.findChildren(QMenu):
            old.deleteLater()
        for field in new:
            # A menu that Qt makes itself goes with the first Python name for it (PySide 6.9).
            submenu = QMenu(menu_text(f"{field.name} ({field.type})"), self.insert_menu)
            self.insert_menu.addMenu(submenu)
            for snippet in snippets(field, self._samples.get(field.name)):
                action = submenu.addAction(menu_text(snippet.label))
                action.triggered.connect(partial(self._add_clause, snippet.clause))
        if not new:
            self.insert_menu.addAction("The storage has no filterable fields").setEnabled(False)
        self.insert_menu.addSeparator()
        self.insert_menu.addAction("Negate the filter").triggered.connect(self._on_negate)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self.editor.apply_theme(theme)
        self._highlighter.apply_theme(theme)
        self.status.apply_theme(theme)
        self.title.apply_theme(theme)

    def _add_clause(self, clause: dict[str, Any], *_: object) -> None:
        self._set_text(with_clause(self.editor.text, clause))

    def _on_negate(self) -> None:
        self._set_text(negated(self.editor.text))

    def _on_tidy_clicked(self) -> None:
        self._set_text(tidy(self.editor.text))

    def _set_text(self, text: str | None) -> None:
        """Put `text` in as if typed; without one, say that the filter has to be repaired first."""
        if text is None:
            if self.editor.text.strip():
                self.status.set_status("error", "Not a JSON object yet: repair the filter first")
            return
        self.editor.selectAll()
        self.editor.insert(text)
        self.editor.hand_on()

    def _on_text_edited(self, text: str) -> None:
        self.filter_edited.emit(text)


class FilterRow(ValueRow):
    """A filter among the rows of a form."""

    def __init__(self, label: str, spec: ParamSpec, parent: QWidget | None = None) -> None:
        super().__init__(label, spec, parent)
        self._grid.removeWidget(self.label)
        self.editor = FilterEditor(spec, self.label)
        self._grid.addWidget(self.editor, 0, 0, 1, 2)
        self.editor.filter_edited.connect(self._edited)
        self.editor.edit_finished.connect(self._finish)

    def set_value(self, value: Any) -> None:
        """Show the filter."""
        self.editor.show_filter(str(value))

    def forget_draft(self) -> None:
        """Let the next filter replace what is typed."""
        self.editor.editor.forget_draft()

    def refuse(self, text: str) -> None:
        """Say below the filter why it does not compile; it stays as a draft."""
        self.editor.set_status(False if text else None, text)

    def discard_draft(self) -> None:
        """Show the filter in force."""
        self.editor.editor.discard_draft()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self.editor.apply_theme(theme)
