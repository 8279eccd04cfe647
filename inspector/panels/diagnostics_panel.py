"""The turn's ``debug_info``, as a tree and as text."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.drawing.words import beginning
from inspector.models.json_tree_model import JsonTreeModel, PathRole
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.fields import joined, segments
from inspector.widgets.highlighters import JsonHighlighter
from inspector.widgets.item_views import TreeView
from inspector.widgets.labels import StatusLabel
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    button,
    named,
    packed,
    text_tool,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QModelIndex
    from PySide6.QtGui import QShowEvent

    from core.agent.turn import Turn

_FIRST_OPEN = (
    ("nodes",),
    ("nodes", 0),
    ("nodes", 0, "diagnostics"),
    ("nodes", 0, "diagnostics", "parameters"),
    ("nodes", 0, "diagnostics", "output"),
    ("nodes", 0, "diagnostics", "output", "results"),
)


class DiagnosticsPanel(Surface):
    """Shows what the game would get as diagnostics, key by key.

    Signals
    -------
    copy_requested(), save_requested() : put the JSON on the clipboard, or in a file.
    """

    copy_requested = Signal()
    save_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._turn: Turn | None = None
        self._open: set[tuple[str | int, ...]] = set(_FIRST_OPEN)
        self._is_restoring = False
        self._is_stale = True
        self.model = JsonTreeModel(self)
        self.tree = named(TreeView(), "diagnosticsView", "Diagnostics as a tree")
        self.text_view = named(CodeEdit(lines=8), "diagnosticsText", "Diagnostics as text")
        self._highlighter = JsonHighlighter(self.text_view.document())
        self._status = StatusLabel(most_lines=1)
        self._stack = QStackedWidget()
        self._set_up_views()
        packed(QVBoxLayout(self), self._make_bar(), (self._stack, 1), margins=PANEL_MARGINS)
        self.show_turn(None)

    def show_turn(self, turn: Turn | None) -> None:
        """Show a turn's diagnostics."""
        self._turn = turn
        place = self.tree.verticalScrollBar().value()
        # Made when they are first looked at: a moved slider leaves many that nobody reads.
        self.model.show_json(lambda: dict(self._info or {}))
        self._is_stale = True
        for tool in self._buttons:
            tool.setEnabled(turn is not None)
        if self.isVisible():
            self._catch_up()
            self.tree.verticalScrollBar().setValue(place)

    @property
    def _info(self) -> Mapping[str, Any] | None:
        return self._turn.debug_info if self._turn is not None else None

    def text(self) -> str:
        """Return the diagnostics as JSON text, "" without any."""
        info = self._info
        return json.dumps(info, ensure_ascii=False, indent=2) if info is not None else ""

    def _set_up_views(self) -> None:
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(False)
        self.tree.setIndentation(14)
        self.tree.setExpandsOnDoubleClick(True)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.tree.header().resizeSection(0, 240)
        self.tree.header().setStretchLastSection(True)
        self.tree.set_empty_text("No diagnostics yet", "Ask a question to see what the game gets")
        self.tree.expanded.connect(partial(self._on_folded, True))
        self.tree.collapsed.connect(partial(self._on_folded, False))
        self.text_view.setReadOnly(True)
        self.text_view.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text_view.setPlaceholderText("No diagnostics yet")
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self.text_view)

    def _make_bar(self) -> QHBoxLayout:
        self._views = segments(
            self,
            self._on_view_picked,
            *(
                (
                    label,
                    f"diagnostics{label}Button",
                    f"Diagnostics as {label.lower()}",
                    f"Show the diagnostics as {label.lower()}",
                )
                for label in ("Tree", "Text")
            ),
        )
        self._buttons = [
            button(
                text_tool(label),
                f"{label.lower()}Diagnostics",
                f"{label} the diagnostics",
                tip,
                signal,
                icon=(label.lower(), "muted"),
            )
            for label, signal, tip in (
                ("Copy", self.copy_requested, "Copy the JSON"),
                ("Save", self.save_requested, "Save the JSON as a file"),
            )
        ]
        return packed(QHBoxLayout(), joined(self._views), 8, (self._status, 1), *self._buttons)

    def _show_status(self) -> None:
        turn, info = self._turn, self._info
        if turn is None or info is None:
            self._status.set_status("muted", "")
            return
        # A recording need not have a list of nodes.
        ran = f"{len(turn.runs)} node{'' if len(turn.runs) == 1 else 's'} ran"
        error = info.get("error")
        if isinstance(error, dict):
            self._status.set_status(
                "error", f"{error.get('code', '')} {error.get('name', '')} · {ran}".strip()
            )
        else:
            self._status.set_status("ok", f"{info.get('status', '')} · {ran}")

    def _catch_up(self) -> None:
        """Sum up, unfold what was unfolded, write the text: what only the eye needs."""
        if not self._is_stale:
            return
        self._is_stale = False
        self._show_status()
        if self._stack.currentWidget() is self.text_view:
            self.text_view.forget_draft()
            self.text_view.show_text(beginning(self.text(), ": Copy and Save have all"))
            return
        self._is_restoring = True
        for path in sorted(self._open, key=len):
            index = self.model.index_of(path)
            if index.isValid():
                self.tree.expand(index)
        self._is_restoring = False

    def _on_view_picked(self) -> None:
        self._stack.setCurrentIndex(int(self._views[1].isChecked()))
        self._is_stale = True
        self._catch_up()

    def _on_folded(self, is_open: bool, index: QModelIndex) -> None:
        if self._is_restoring:
            return
        path = index.data(PathRole)
        if is_open:
            self._open.add(path)
        else:
            self._open.discard(path)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was shown while nobody could see it."""
        super().showEvent(event)
        self._catch_up()
