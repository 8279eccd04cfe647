"""The bar above a memory store: which store, what it is, and new, open and save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.models.memory_model import EntryRole, StoreEntry, StoreRole, StoresModel
from inspector.widgets.fields import Choice, LineEdit, editable
from inspector.widgets.item_views import ThemedDelegate
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import button, named, packed, show_words, text_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPainter, QResizeEvent

    from inspector.drawing.unstubbed import StyleOption

_ROOMY_CHARACTERS = 96
_PAD_PX = 8
_POPUP_CHARACTERS = 84
_SCHEMA_NAME = "Schema of the new store"


class _StoreDelegate(ThemedDelegate):
    """Draws a store of the open list: its name, and the facts behind it."""

    def paint(
        self, painter: QPainter, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one store."""
        entry = index.data(EntryRole)
        if not isinstance(entry, StoreEntry):
            return
        theme = self._theme
        is_marked = bool(
            option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        )
        behind = theme.accent_soft if is_marked else theme.panel
        painter.save()
        painter.fillRect(option.rect, behind)
        room = option.rect.adjusted(_PAD_PX, 0, -_PAD_PX, 0)
        side = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(themes.scaled_font(option.font, 1.0, bold=entry.is_in_use))
        painter.setPen(theme.text)
        metrics = painter.fontMetrics()
        name = metrics.elidedText(entry.label, Qt.TextElideMode.ElideMiddle, room.width() // 2)
        painter.drawText(room, side, name)
        painter.setFont(themes.number_font(themes.scaled_font(option.font, 0.92)))
        painter.setPen(theme.ink(theme.muted, behind))
        rest = QRect(room)
        rest.setLeft(room.left() + metrics.horizontalAdvance(name) + 2 * _PAD_PX)
        painter.drawText(
            rest,
            side,
            painter.fontMetrics().elidedText(
                entry.facts, Qt.TextElideMode.ElideRight, rest.width()
            ),
        )
        painter.restore()

    def sizeHint(self, option: StyleOption, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Ask for one line."""
        return QSize(60, option.fontMetrics.height() + _PAD_PX)


class _StoreChoice(Choice):
    """A combo box whose open list is wide enough for what is told of each store."""

    def showPopup(self) -> None:
        """Open the list."""
        width = _POPUP_CHARACTERS * self.fontMetrics().averageCharWidth()
        self.view().setMinimumWidth(max(self.width(), min(width, self.window().width())))
        super().showPopup()


class MemoryBar(QWidget):
    """Which store is in hand. Showing emits nothing.

    Signals
    -------
    store_picked(str) : the user chose this store.
    store_named(str, str) : make a store of this name and schema.
    open_requested(), save_requested(), save_as_requested() : a file, for the store in hand.
    """

    store_picked = Signal(str)
    store_named = Signal(str, str)
    open_requested = Signal()
    save_requested = Signal()
    save_as_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suggested = ""
        self.model = StoresModel(self)
        self.choice = named(_StoreChoice(), "memoryStores", "Memory store in hand")
        self.facts = named(ElidedLabel(), role="muted")
        self.buttons: dict[str, QToolButton] = {}
        self.name_edit = named(
            LineEdit(),
            "memoryNewName",
            "Name of the new store",
            "The name that storage_name gives once its variables are put in",
        )
        self.schema_choice = named(
            Choice(), "memoryNewSchema", _SCHEMA_NAME, "The schema of its records' metadata"
        )
        self.schema_edit = editable(self.schema_choice, _SCHEMA_NAME)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_store_page())
        self._pages.addWidget(self._make_new_page())
        packed(QVBoxLayout(self), self._pages)

    def _make_store_page(self) -> QWidget:
        page = QWidget()
        choice = self.choice
        choice.setModel(self.model)
        choice.setItemDelegate(_StoreDelegate(choice))
        choice.setMaximumWidth(32 * self.fontMetrics().averageCharWidth())
        choice.activated.connect(self._on_activated)
        for key, label, says, tip, clicked in (
            ("new", "New…", "New memory store", "Make a memory store", self.open_new),
            (
                "open",
                "Open…",
                "Open a memory store",
                "Open a memory store's file",
                self.open_requested,
            ),
            (
                "save",
                "Save",
                "Save the memory store",
                "Save the store in hand as a file",
                self.save_requested,
            ),
        ):
            self.buttons[key] = button(
                text_tool(label),
                f"memory{key.capitalize()}",
                says,
                tip,
                clicked,
                icon=(key, "muted"),
            )
        self.more_button = button(
            QToolButton(),
            "memoryMore",
            "More about the memory store",
            "Save as…",
            icon=("more", "muted"),
        )
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more_button)
        menu.addAction("Save as…").triggered.connect(self.save_as_requested)
        self.more_button.setMenu(menu)
        self._store_row = packed(
            QHBoxLayout(page), choice, 4, self.facts, *self.buttons.values(), self.more_button
        )
        return page

    def _make_new_page(self) -> QWidget:
        page = QWidget()
        for edit, placeholder in (
            (self.name_edit, "Name, as in memories_ada"),
            (self.schema_edit, "Schema"),
        ):
            edit.setPlaceholderText(placeholder)
            edit.returnPressed.connect(self._on_create)
            edit.cancelled.connect(self.close_new)
        says = "Create the store"
        create = button(
            QPushButton("Create"), "memoryCreate", says, says, self._on_create, kind="primary"
        )
        says = "Create no store (Escape)"
        cancel = button(
            QToolButton(), "memoryNewCancel", says, says, self.close_new, icon=("close", "muted")
        )
        packed(QHBoxLayout(page), (self.name_edit, 3), (self.schema_choice, 2), create, cancel)
        return page

    def show_stores(
        self,
        entries: Sequence[StoreEntry],
        in_hand: str,
        schemas: Sequence[str] = (),
        suggested: str = "",
    ) -> None:
        """Show these stores and which is in hand; `suggested` is a name for a new one."""
        self._suggested = suggested
        with QSignalBlocker(self.choice):
            self.model.show_entries(entries)
        self.show_hand(in_hand)
        known = [self.schema_choice.itemText(i) for i in range(self.schema_choice.count())]
        if list(schemas) != known:
            typed = self.schema_choice.currentText()
            self.schema_choice.clear()
            self.schema_choice.addItems(list(schemas))
            self.schema_choice.setEditText(typed)

    def show_hand(self, name: str) -> None:
        """Show which store is in hand."""
        row = self.model.row_of(name)
        with QSignalBlocker(self.choice):
            self.choice.setCurrentIndex(row)
        self.choice.update()
        entry = self.model.rows[row] if row >= 0 else None
        self.choice.setVisible(entry is not None)
        self.choice.setToolTip(tooltip(f"{entry.name}\n{entry.facts}") if entry else "")
        self.facts.set_text(entry.facts if entry else "", entry.path if entry else "")
        for tool in (self.buttons["save"], self.more_button):
            tool.setEnabled(entry is not None)

    @property
    def is_naming(self) -> bool:
        """Whether a new store is being named."""
        return self._pages.currentIndex() == 1

    def open_new(self) -> None:
        """Ask for the name and the schema of a new store."""
        if not self.is_naming:
            self.name_edit.setText(self._suggested)
            if not self.schema_choice.currentText():
                self.schema_choice.setCurrentIndex(0 if self.schema_choice.count() else -1)
            self.schema_edit.home(False)
        self._pages.setCurrentIndex(1)
        self.name_edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name_edit.selectAll()

    def close_new(self) -> None:
        """Make no new store."""
        self._pages.setCurrentIndex(0)
        self.buttons["new"].setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_activated(self, row: int) -> None:
        self.store_picked.emit(self.model.index(row, 0).data(StoreRole))

    def _on_create(self) -> None:
        self.store_named.emit(
            self.name_edit.text().strip(), self.schema_choice.currentText().strip()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the buttons' words out where it is narrow."""
        super().resizeEvent(event)
        is_roomy = self.width() >= _ROOMY_CHARACTERS * self.fontMetrics().averageCharWidth()
        self._store_row.setStretchFactor(self.choice, 3)
        self._store_row.setStretchFactor(self.facts, 4 if is_roomy else 2)
        show_words(self.buttons.values(), is_roomy)
