"""The filter: JSON with colours, where it is wrong, how many records match, ready clauses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from inspector import theme as themes
from inspector.forms.filter_snippets import negated, place_in, snippets, tidy, with_clause
from inspector.forms.value_rows import EditRow
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.highlighters import JsonHighlighter
from inspector.widgets.labels import StatusLabel, set_role
from inspector.widgets.parts import button, named, packed, text_tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.drafts import RefusedValue
    from core.knowledge.schema import Field, Scalar
    from core.nodes import ParamSpec
    from inspector.forms.param_row import RowPlan

_MOST_LINES = 16
_PLACEHOLDER = '{"op": "eq", "lhs": {"knowledge": "field"}, "rhs": {"value": 1}}'


def menu_text(text: str) -> str:
    """Return `text` for a menu, where ``&`` would otherwise underline a letter."""
    return text.replace("&", "&&")


class FilterRow(EditRow):
    """A filter, with its state below: what it lets through, or where it is wrong."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        self.editor = CodeEdit(lines=4, most_lines=_MOST_LINES)
        super().__init__(spec, plan, self.editor, parent)
        self._refusal = ""
        self._status: tuple[bool | None, str] = (None, "")
        self._fields: tuple[Field, ...] = ()
        self._samples: dict[str, Scalar] = {}
        self.set_empty(_PLACEHOLDER)
        self._highlighter = JsonHighlighter(self.editor.document())
        self.status = named(StatusLabel(), "filterStatus")
        self.status.setFont(themes.scaled_font(self.status.font(), 0.92))
        self.insert_button = button(
            text_tool("Insert"),
            "filterInsert",
            "Insert a condition",
            "Add a condition on one of the storage's fields",
        )
        self.insert_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert_menu = QMenu(self.insert_button)
        self.insert_button.setMenu(self.insert_menu)
        self.tidy_button = button(
            text_tool("Tidy"),
            "filterTidy",
            "Tidy the filter",
            "Lay the filter out with one comparison a line",
            self._on_tidy_clicked,
        )
        header = packed(QHBoxLayout(), None, self.insert_button, self.tidy_button)
        self._grid.setVerticalSpacing(4)
        self._grid.addLayout(header, 0, 1)
        self._grid.addWidget(self.status, 2, 0, 1, -1)
        self.editor.text_edited.connect(self._edited)
        self.set_fields(())
        self.set_status(None, "")

    @property
    def text(self) -> str:
        """The text in the editor, in force or not."""
        return self.editor.text

    def refuse(self, text: str, draft: RefusedValue | None = None) -> None:
        """Say below the filter why it does not compile; a draft stays, and so does the refusal."""
        if draft is not None:
            self.show_draft(draft.value)
            kept = "In force instead" if draft.is_of_file else "The previous one stays in force"
            text = f"{text}. {kept}: {self.words(self._shown)}"
        self._refusal = text
        self._show_status()

    def words(self, value: Any) -> str:
        """Return the filter on one line."""
        return super().words(" ".join(value.split())) if value.strip() else "no filter"

    def set_status(self, ok: bool | None, text: str) -> None:
        """Say whether the value in force compiled (None: not known) and what it does.

        What is refused is said in place of it, for as long as it stands.
        """
        self._status = ok, text
        self._show_status()

    def _show_status(self) -> None:
        """Show the status of the text: a place in it, ``at args[1].rhs``, is underlined."""
        ok, text = (False, self._refusal) if self._refusal else self._status
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
