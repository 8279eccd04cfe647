"""The turns so far; picking one shows it again, and a menu does the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QMenu, QVBoxLayout, QWidget

from inspector.models.turns_model import EntryRole, TurnEntry, TurnRole, TurnsModel
from inspector.widgets.item_views import ListView
from inspector.widgets.parts import (
    Surface,
    named,
    packed,
)
from inspector.widgets.turns_delegate import TurnsDelegate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QPoint

    from core.agent.history import HistoryEntry

_RENAME, _DELETE, _PIN = "F2", "Del", "Ctrl+P"


class TurnsPanel(Surface):
    """A list of turns. Showing emits nothing.

    Signals
    -------
    turn_picked(int) : look at the turn at this place of the history (0 = oldest): a click, or
        Enter.
    turn_renamed(int, str) : call it so; "" for its message.
    turn_pinned(int, bool) : keep it above the others, or not.
    turn_deleted(int) : take it out of the history.
    settings_wanted(int) : use its settings.
    """

    turn_picked = Signal(int)
    turn_renamed = Signal(int, str)
    turn_pinned = Signal(int, bool)
    turn_deleted = Signal(int)
    settings_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[HistoryEntry, HistoryEntry | None, TurnEntry]] = []
        self.model = TurnsModel(self)
        self.model.renamed.connect(self.turn_renamed)
        self.view = named(ListView(), "turnsView", "Turns so far, newest first")
        self.view.setModel(self.model)
        self.view.setItemDelegate(TurnsDelegate(self))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.set_empty_text("No turns yet", "Each question you ask is kept here")
        self.view.clicked.connect(self._on_picked)
        self.view.row_activated.connect(self._on_picked)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        for key, act in ((_RENAME, self._rename), (_DELETE, self._delete), (_PIN, self._pin)):
            shortcut = QShortcut(QKeySequence(key), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(partial(self._do, act))
        packed(QVBoxLayout(self), self.view, margins=(4, 4, 4, 4))

    def show_turns(self, history: Sequence[HistoryEntry], current: int) -> None:
        """Show the history, oldest first, with the turn that is on screen selected.

        Parameters
        ----------
        current : place of the turn on screen, −1 for none.
        """
        entries: list[tuple[HistoryEntry, HistoryEntry | None, TurnEntry]] = []
        before: HistoryEntry | None = None
        for place, turn in enumerate(history):
            known = self._known[place] if place < len(self._known) else None
            # A moved slider changes one turn of hundreds.
            is_known = known is not None and known[0] is turn and known[1] is before
            told = known[2] if known is not None and is_known else TurnEntry.of(turn, before)
            entries.append((turn, before, told))
            before = turn
        self._known = entries
        self.model.show_entries([told for _, _, told in entries])
        index = (
            self.model.index(self.model.row_of(current), 0)
            if (0 <= current < len(entries))
            else QModelIndex()
        )
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)

    def menu_at(self, index: QModelIndex) -> QMenu:
        """Return the menu of a turn."""
        entry: TurnEntry = index.data(EntryRole)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pin = "Unpin" if entry.is_pinned else "Pin"
        acts: tuple[tuple[str, str, Callable[[QModelIndex], None]], ...] = (
            ("Look at it", "Return", self._on_picked),
            ("Use its settings", "", lambda row: self.settings_wanted.emit(row.data(TurnRole))),
            ("Rename…", _RENAME, self._rename),
            (pin, _PIN, self._pin),
            ("Delete", _DELETE, self._delete),
        )
        for label, key, act in acts:
            action = menu.addAction(label)
            action.triggered.connect(partial(act, index))
            if key:
                action.setShortcut(QKeySequence(key))
                action.setShortcutVisibleInContextMenu(True)
        return menu

    def _open_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        if index.isValid():
            self.menu_at(index).popup(self.view.viewport().mapToGlobal(place))

    def _do(self, act: Callable[[QModelIndex], None]) -> None:
        if self.view.currentIndex().isValid():
            act(self.view.currentIndex())

    def _on_picked(self, index: QModelIndex, *_: object) -> None:
        self.turn_picked.emit(index.data(TurnRole))

    def _rename(self, index: QModelIndex, *_: object) -> None:
        self.view.setCurrentIndex(index)
        self.view.edit(index)

    def _pin(self, index: QModelIndex, *_: object) -> None:
        self.turn_pinned.emit(index.data(TurnRole), not index.data(EntryRole).is_pinned)

    def _delete(self, index: QModelIndex, *_: object) -> None:
        self.turn_deleted.emit(index.data(TurnRole))

    def minimumSizeHint(self) -> QSize:
        """Ask for two turns."""
        height = self.fontMetrics().height()
        return QSize(12 * self.fontMetrics().averageCharWidth(), 6 * height + 24)
