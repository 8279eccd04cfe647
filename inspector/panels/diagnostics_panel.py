"""The turn's ``debug_info``, as a tree and as text."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.models.json_tree_model import JsonTreeModel, PathRole
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.fields import joined, segment
from inspector.widgets.highlighters import JsonHighlighter
from inspector.widgets.item_views import TreeView
from inspector.widgets.labels import StatusLabel
from inspector.widgets.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtCore import QModelIndex

    from core.agent.turn import Turn
    from inspector.theme import Theme

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
        self._make: Callable[[], Mapping[str, Any]] | None = None
        self._ran = 0
        self._is_in_sight = True
        self._open: set[tuple[str | int, ...]] = set(_FIRST_OPEN)
        self._is_restoring = False
        self._is_stale = True
        self.model = JsonTreeModel(self)
        self.tree = TreeView()
        self.text_view = CodeEdit(lines=8)
        self._highlighter = JsonHighlighter(self.text_view.document())
        self._status = StatusLabel(most_lines=1)
        self._stack = QStackedWidget()
        self._set_up_views()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addLayout(self._make_bar())
        column.addWidget(self._stack, 1)
        self.show_debug_info(None)
        themes.spread(self, themes.LIGHT)

    def show_turn(self, turn: Turn | None) -> None:
        """Show a turn's diagnostics."""
        if turn is None:
            self.show_debug_info(None)
        else:
            # A recording need not have a list of nodes.
            self._show(lambda: turn.debug_info, len(turn.runs))

    def show_debug_info(self, info: Mapping[str, Any] | None, ran: int = 0) -> None:
        """Show diagnostics of a turn in which `ran` nodes ran."""
        self._show((lambda: info) if info is not None else None, ran)

    def _show(self, make: Callable[[], Mapping[str, Any]] | None, ran: int) -> None:
        self._make = make
        self._ran = ran
        place = self.tree.verticalScrollBar().value()
        # Made when they are first looked at: a moved slider leaves many that nobody reads.
        self.model.show_json(lambda: dict(self._info or {}))
        self._is_stale = True
        for button in self._buttons:
            button.setEnabled(make is not None)
        if self._is_in_sight:
            self._catch_up()
            self.tree.verticalScrollBar().setValue(place)

    def set_in_sight(self, is_in_sight: bool) -> None:
        """Catch up with what was shown while nobody could see it."""
        self._is_in_sight = is_in_sight
        # Behind another tab the tree would be laid out too, as Qt takes it for visible.
        self._stack.setVisible(is_in_sight)
        if is_in_sight:
            self._catch_up()

    @property
    def _info(self) -> Mapping[str, Any] | None:
        return self._make() if self._make is not None else None

    def text(self) -> str:
        """Return the diagnostics as JSON text, "" without any."""
        info = self._info
        return json.dumps(info, ensure_ascii=False, indent=2) if info is not None else ""

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        for button, name in zip(self._buttons, ("copy", "save"), strict=True):
            button.setIcon(themes.icon(name, theme.muted))

    def _set_up_views(self) -> None:
        self.tree.setObjectName("diagnosticsView")
        self.tree.setAccessibleName("Diagnostics as a tree")
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
        self.text_view.setObjectName("diagnosticsText")
        self.text_view.setAccessibleName("Diagnostics as text")
        self.text_view.setReadOnly(True)
        self.text_view.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text_view.setPlaceholderText("No diagnostics yet")
        policy = self._stack.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._stack.setSizePolicy(policy)
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self.text_view)

    def _make_bar(self) -> QHBoxLayout:
        bar = QHBoxLayout()
        bar.setSpacing(4)
        self._group = QButtonGroup(self)
        views = []
        for index, label in enumerate(("Tree", "Text")):
            button = segment(
                label, f"Diagnostics as {label.lower()}", f"Show the diagnostics as {label.lower()}"
            )
            button.setObjectName(f"diagnostics{label}Button")
            button.setChecked(index == 0)
            button.clicked.connect(partial(self._on_view_picked, index))
            self._group.addButton(button)
            views.append(button)
        bar.addLayout(joined(views))
        bar.addSpacing(8)
        bar.addWidget(self._status, 1)
        self._buttons: list[QToolButton] = []
        for label, signal, tip in (
            ("Copy", self.copy_requested, "Copy the JSON"),
            ("Save", self.save_requested, "Save the JSON as a file"),
        ):
            tool = QToolButton()
            tool.setText(label)
            tool.setObjectName(f"{label.lower()}Diagnostics")
            tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            tool.setAccessibleName(f"{label} the diagnostics")
            tool.setToolTip(tip)
            tool.clicked.connect(signal)
            bar.addWidget(tool)
            self._buttons.append(tool)
        return bar

    def _show_status(self) -> None:
        info = self._info
        if info is None:
            self._status.set_status("muted", "")
            return
        ran = f"{self._ran} node{'' if self._ran == 1 else 's'} ran"
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
            self.text_view.show_text(self.text())
            return
        self._is_restoring = True
        for path in sorted(self._open, key=len):
            index = self.model.index_of(path)
            if index.isValid():
                self.tree.expand(index)
        self._is_restoring = False

    def _on_view_picked(self, index: int, *_: object) -> None:
        self._stack.setCurrentIndex(index)
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
