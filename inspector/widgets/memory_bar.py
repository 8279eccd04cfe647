"""The bar above a memory store: which store, what it is, and new, open and save."""

from __future__ import annotations

from functools import partial
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
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.models.memory_model import EntryRole, StoreEntry, StoreRole, StoresModel
from inspector.widgets.fields import Choice, LineEdit
from inspector.widgets.labels import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QPainter, QResizeEvent

    from inspector.drawing.unstubbed import StyleOption
    from inspector.theme import Theme

_ROOMY_CHARACTERS = 96
_PAD_PX = 8
_POPUP_CHARACTERS = 84


class _StoreDelegate(QStyledItemDelegate):
    """Draws a store of the open list: its name, and the facts behind it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme: Theme = themes.LIGHT

    def paint(
        self, painter: QPainter, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one store."""
        entry = index.data(EntryRole)
        if not isinstance(entry, StoreEntry):
            return
        theme = self.theme
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
        self.choice = _StoreChoice()
        self._delegate = _StoreDelegate(self.choice)
        self.facts = ElidedLabel()
        self.buttons: dict[str, QToolButton] = {}
        self.more_button = QToolButton()
        self.cancel_button = QToolButton()
        self.name_edit = LineEdit()
        self.schema_choice = Choice()
        self.schema_edit = LineEdit()
        self._pages = QStackedWidget()
        self._pages.addWidget(self._make_store_page())
        self._pages.addWidget(self._make_new_page())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)

    def _make_store_page(self) -> QWidget:
        page, row = _page()
        choice = self.choice
        choice.setObjectName("memoryStores")
        choice.setAccessibleName("Memory store in hand")
        choice.setModel(self.model)
        choice.setItemDelegate(self._delegate)
        choice.setMaximumWidth(32 * self.fontMetrics().averageCharWidth())
        choice.activated.connect(self._on_activated)
        self.facts.setProperty("role", "muted")
        row.addWidget(choice)
        row.addSpacing(4)
        row.addWidget(self.facts)
        self._store_row = row
        for key, label, name, tip, signal in (
            ("new", "New…", "New memory store", "Make a memory store", self._on_new),
            (
                "open",
                "Open…",
                "Open a memory store",
                "Open a memory store's file",
                self.open_requested.emit,
            ),
            (
                "save",
                "Save",
                "Save the memory store",
                "Save the store in hand as a file",
                self.save_requested.emit,
            ),
        ):
            button = QToolButton()
            button.setObjectName(f"memory{key.capitalize()}")
            button.setText(label)
            button.setAccessibleName(name)
            button.setToolTip(tip)
            button.clicked.connect(partial(_call, signal))
            self.buttons[key] = button
            row.addWidget(button)
        self.more_button.setObjectName("memoryMore")
        self.more_button.setAccessibleName("More about the memory store")
        self.more_button.setToolTip("Save as…")
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more_button)
        menu.addAction("Save as…").triggered.connect(partial(_call, self.save_as_requested.emit))
        self.more_button.setMenu(menu)
        row.addWidget(self.more_button)
        return page

    def _make_new_page(self) -> QWidget:
        page, row = _page()
        self.name_edit.setObjectName("memoryNewName")
        self.name_edit.setAccessibleName("Name of the new store")
        self.name_edit.setPlaceholderText("Name, as in memories_ada")
        self.name_edit.setToolTip("The name that storage_name gives once its variables are put in")
        self.name_edit.returnPressed.connect(self._on_create)
        self.name_edit.cancelled.connect(self.close_new)
        schema = self.schema_edit
        # The combo box around it has the frame; a second one would cut the letters off.
        schema.setStyleSheet("border: none; padding: 0; background: transparent")
        schema.setPlaceholderText("Schema")
        schema.setAccessibleName("Schema of the new store")
        schema.returnPressed.connect(self._on_create)
        schema.cancelled.connect(self.close_new)
        self.schema_choice.setObjectName("memoryNewSchema")
        self.schema_choice.setEditable(True)
        self.schema_choice.setLineEdit(schema)
        self.schema_choice.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.schema_choice.setAccessibleName("Schema of the new store")
        self.schema_choice.setToolTip("The schema of its records' metadata")
        create = QPushButton("Create")
        create.setProperty("kind", "primary")
        row.addWidget(self.name_edit, 3)
        row.addWidget(self.schema_choice, 2)
        buttons: tuple[tuple[QAbstractButton, str, str, Callable[[], None]], ...] = (
            (create, "memoryCreate", "Create the store", self._on_create),
            (self.cancel_button, "memoryNewCancel", "Create no store (Escape)", self.close_new),
        )
        for button, name, tip, slot in buttons:
            button.setObjectName(name)
            button.setAccessibleName(tip)
            button.setToolTip(tip)
            button.clicked.connect(partial(_call, slot))
            row.addWidget(button)
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
        for button in (self.buttons["save"], self.more_button):
            button.setEnabled(entry is not None)

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

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._delegate.theme = theme
        for key, button in self.buttons.items():
            button.setIcon(themes.icon(key, theme.muted))
        self.more_button.setIcon(themes.icon("more", theme.muted))
        self.cancel_button.setIcon(themes.icon("close", theme.muted))

    def _on_activated(self, row: int) -> None:
        self.store_picked.emit(self.model.index(row, 0).data(StoreRole))

    def _on_new(self) -> None:
        self.open_new()

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
        for button in self.buttons.values():
            button.setToolButtonStyle(
                Qt.ToolButtonStyle.ToolButtonTextBesideIcon
                if is_roomy
                else Qt.ToolButtonStyle.ToolButtonIconOnly
            )


def _page() -> tuple[QWidget, QHBoxLayout]:
    page = QWidget()
    row = QHBoxLayout(page)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    return page, row


def _call(slot: Callable[[], object], *_: object) -> None:
    slot()
