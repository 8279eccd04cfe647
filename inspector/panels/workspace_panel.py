"""What is open, and what lies beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.models.workspace_model import (
    CurrentRole,
    DetailRole,
    EntryRole,
    WorkspaceEntry,
    WorkspaceModel,
    entries_of,
)
from inspector.widgets.item_views import ThemedDelegate, TreeView
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QIcon

    from core.opening.opening import Opened
    from inspector.drawing.unstubbed import StyleOption

_ICON_PX = 16
_GAP_PX = 6


class _Delegate(ThemedDelegate):
    """Draws a name, elided, and a count at the right."""

    def paint(
        self, painter: QPainter, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        theme, box = self._theme, option.rect
        painter.save()
        marked = bool(option.state & QStyle.StateFlag.State_Selected) or index.data(CurrentRole)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if marked or focused or hovered:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(theme.accent if focused else Qt.PenStyle.NoPen)
            painter.setBrush(
                theme.accent_soft if marked else theme.hover if hovered else Qt.BrushStyle.NoBrush
            )
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 1.5, -1.5, -1.5), 6, 6)
        left = box.left() + _GAP_PX
        icon: QIcon | None = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, QRect(left, box.center().y() - _ICON_PX // 2, _ICON_PX, _ICON_PX))
            left += _ICON_PX + _GAP_PX
        is_group = icon is None
        font = themes.scaled_font(option.font, 0.92 if is_group else 1.0, bold=is_group)
        detail = index.data(DetailRole) or ""
        small = themes.number_font(themes.scaled_font(option.font, 0.86))
        painter.setFont(small)
        behind = theme.accent_soft if marked else theme.hover if hovered else theme.panel
        painter.setPen(theme.ink(theme.muted, behind))
        room = QRect(left, box.top(), box.right() - left - _GAP_PX, box.height())
        painter.drawText(
            room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), detail
        )
        used = painter.fontMetrics().horizontalAdvance(detail) + _GAP_PX if detail else 0
        painter.setFont(font)
        painter.setPen(theme.muted if is_group else theme.text)
        room.setWidth(max(0, room.width() - used))
        painter.drawText(
            room,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            painter.fontMetrics().elidedText(
                str(index.data()), Qt.TextElideMode.ElideMiddle, room.width()
            ),
        )
        painter.restore()

    def sizeHint(self, option: StyleOption, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Ask for one line."""
        return QSize(60, max(option.fontMetrics.height(), _ICON_PX) + 8)


class WorkspacePanel(Surface):
    """A tree of files. Showing emits nothing.

    Signals
    -------
    open_requested(str) : open the file at this path.
    reload_requested() : read the open files again.
    """

    open_requested = Signal(str)
    reload_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = WorkspaceModel(self)
        self.tree = named(TreeView(), "workspaceView", "Open files")
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(_Delegate(self))
        self.tree.setHeaderHidden(True)
        self.tree.setMouseTracking(True)
        self.tree.setIndentation(12)
        self.tree.setExpandsOnDoubleClick(True)
        self.tree.set_empty_text("Nothing is open", "Open a file, or drop one here")
        self.tree.row_activated.connect(self._on_row_activated)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._on_menu_requested)
        self._root = named(ElidedLabel(), role="muted")
        self._reload = button(
            QToolButton(),
            "reloadButton",
            "Reload the open files",
            "Read the open files again",
            self.reload_requested,
            icon=("reload", "muted"),
        )
        bar = packed(QHBoxLayout(), (self._root, 1), self._reload, margins=(6, 0, 0, 0), spacing=0)
        packed(QVBoxLayout(self), bar, (self.tree, 1), margins=(4, 4, 4, 4), spacing=0)
        self.show_entries(())

    def show_opened(self, opened: Opened | None, neighbours: Iterable[Path] = ()) -> None:
        """Show what is open, and `neighbours`: other files of the folder that may be opened."""
        if opened is not None:
            workspace = opened.workspace
            self.show_entries(
                entries_of(opened.path, workspace, neighbours), str(workspace.root.path)
            )

    def show_entries(self, entries: Sequence[WorkspaceEntry], root: str = "") -> None:
        """Show these files; `root` is the storage root."""
        self._root.set_text(
            root.replace("\\", "/").rstrip("/").rpartition("/")[2] or root,
            f"Storage root: {root}" if root else "",
        )
        self._reload.setEnabled(bool(entries))
        if self.model.show_entries(entries):
            self.tree.expandAll()

    def _on_row_activated(self, index: QModelIndex) -> None:
        entry: WorkspaceEntry | None = index.data(EntryRole)
        if entry is not None and not entry.is_current:
            self.open_requested.emit(entry.path)

    def _on_menu_requested(self, place: QPoint) -> None:
        entry: WorkspaceEntry | None = self.tree.indexAt(place).data(EntryRole)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if entry is not None and not entry.is_current:
            menu.addAction("Open", lambda: self.open_requested.emit(entry.path))
        menu.addAction("Reload", self.reload_requested.emit)
        menu.popup(self.tree.viewport().mapToGlobal(place))

    def minimumSizeHint(self) -> QSize:
        """Ask for some rows."""
        return QSize(14 * self.fontMetrics().averageCharWidth(), 6 * self.fontMetrics().height())
