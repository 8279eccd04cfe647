"""Memory stores: what play has written, seen, edited, opened and saved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.errors import Code, InspectorError
from core.knowledge.memory import MemoryStore
from inspector import theme as themes
from inspector.drawing.record_text import field_of
from inspector.models.memory_model import StoreEntry
from inspector.widgets.drafts import OpenDraft
from inspector.widgets.labels import StatusLabel
from inspector.widgets.memory_bar import MemoryBar
from inspector.widgets.memory_table import MemoryTable
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    named,
    packed,
    split,
)
from inspector.widgets.record_editor import RecordEditor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtCore import SignalInstance

    from inspector.drawing.record_text import RecordText

_NO_STORE = (
    "No memory store yet",
    "A memory store is knowledge that grows: WriteToMemory fills it during play. "
    "A store's file can be opened, too, or a new one made.",
)


class MemoryPanel(Surface):
    """The stores, the records of the one in hand, and an editor of the record in hand.

    Showing emits nothing. What is typed is in force once it is applied: with Ctrl+Return, with
    Apply, or when the focus leaves the editor. What cannot be applied stays as a draft.

    Signals
    -------
    store_edited(MemoryStore) : the user made a store, or added, changed or removed a record.
    open_requested() : ask for a store's file and open it.
    save_requested(str), save_as_requested(str) : save the store of this name.
    store_picked(str) : the user took another store in hand.
    """

    store_edited = Signal(object)
    open_requested = Signal()
    save_requested = Signal(str)
    save_as_requested = Signal(str)
    store_picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "memoryView", "Memory stores")
        self._stores: dict[str, MemoryStore] = {}
        self._written: dict[str, frozenset[str]] = {}
        self._used: frozenset[str] = frozenset()
        self._hand = ""
        self._shown: MemoryStore | None = None
        self._record_id = ""
        self._asked_id = ""
        self._drafts: dict[tuple[str, str], RecordText] = {}
        self._is_refused = False
        self._fault = ""
        self.bar = MemoryBar()
        self.table = MemoryTable()
        self.editor = RecordEditor()
        self.problem = named(StatusLabel(most_lines=2), "memoryProblem")
        self._lay_out()
        self._connect()
        self.show_stores((), changed=(), written={})
        themes.spread(self, themes.LIGHT)

    def _lay_out(self) -> None:
        self.problem.setFont(themes.scaled_font(self.problem.font(), 0.92))
        self.problem.hide()
        splitter = split((self.table, 6), (self.editor, 5))
        splitter.setSizes([600, 500])
        packed(QVBoxLayout(self), self.bar, (splitter, 1), self.problem, margins=PANEL_MARGINS)

    def _connect(self) -> None:
        self.bar.store_picked.connect(self._on_store_picked)
        self.bar.store_named.connect(self._on_store_named)
        self.bar.open_requested.connect(self.open_requested)
        self.bar.save_requested.connect(partial(self._on_save, self.save_requested))
        self.bar.save_as_requested.connect(partial(self._on_save, self.save_as_requested))
        self.table.record_picked.connect(self._on_record_picked)
        self.table.add_requested.connect(self._on_add)
        self.table.remove_requested.connect(self._on_remove)
        self.editor.apply_requested.connect(self.apply_draft)
        self.editor.discarded.connect(self._on_discarded)
        self.editor.draft_changed.connect(self._on_draft_changed)
        self.editor.draft_settled.connect(self._on_draft_settled)
        self.problem.clicked.connect(lambda: self.editor.go_to(self._fault))

    def show_stores(
        self,
        stores: Sequence[MemoryStore],
        *,
        changed: Collection[str],
        written: Mapping[str, Collection[str]],
        schemas: Sequence[str] = (),
        in_use: Collection[str] = (),
    ) -> None:
        """Show these stores. What is being typed stays; so does the store in hand.

        When the turn uses other stores than the turn before, the first of them is taken in hand,
        unless something is being typed.

        Parameters
        ----------
        changed : names of those with changes that are not saved.
        written : by a store's name, ids of the records that the turn on screen wrote.
        schemas : names that are offered for a new store.
        in_use : names of those that the turn on screen read or wrote; they come first.
        """
        used = frozenset(in_use)
        ordered = sorted(stores, key=lambda store: store.name not in used)
        self._stores = {store.name: store for store in ordered}
        self._written = {name: frozenset(ids) for name, ids in written.items()}
        hand = self._store_to_show(used)
        self._used = used
        if hand != self._hand:
            self._stash()
            self._hand, self._record_id = hand, ""
        missing = [name for name in in_use if name not in self._stores]
        self.bar.show_stores(
            [
                StoreEntry.of(store, is_changed=store.name in changed, is_in_use=store.name in used)
                for store in ordered
            ],
            hand,
            schemas,
            missing[0] if missing else "",
        )
        self._show_hand()

    def show_problem(self, problem: InspectorError | str) -> None:
        """Say why an edit was refused; what was typed stays."""
        self._is_refused = True
        if isinstance(problem, str):
            self._fault = ""
            self._say("error", problem)
            self.editor.mark("")
            return
        field, path = field_of(problem.place)
        place = problem.place
        is_typed = place.json_path == "metadata" and place.line is not None
        where = f"metadata {place.line}:{place.column}: " if is_typed else ""
        hint = f" ({problem.hint})" if problem.hint else ""
        self._fault = field
        self._say("error", f"{int(problem.code)} {where}{problem.message}{hint}")
        spot = (place.line or 1, place.column or 1) if is_typed else None
        self.editor.mark(field, spot, path)

    def show_note(self, text: str) -> None:
        """Say something about the edit; a refusal that is on show stays."""
        if self.problem.kind != "error":
            self._say("info" if text else "muted", text)

    def drafts(self) -> list[OpenDraft]:
        """Name what is typed and not in force, in the record in hand and in those left before."""
        keys = dict.fromkeys(self._drafts)
        if self._hand and self.editor.is_dirty:
            keys[self._hand, self._key()] = None
        return [
            OpenDraft(
                f"the record {record or 'to be added'} of {store}",
                partial(self._go_to_draft, store, record),
                self.apply_draft,
            )
            for store, record in keys
        ]

    def discard_drafts(self) -> None:
        """Forget what is typed and not in force."""
        self._drafts.clear()
        self.editor.revert()
        self._forget_problem()

    def _go_to_draft(self, store: str, record: str) -> None:
        self._on_store_picked(store)
        if record != self._key():
            self._on_record_picked(record)
        self.editor.go_to(self._fault or "text")

    def apply_draft(self) -> bool:
        """Put what is typed in force; False, with the reason on show, when that is not possible.

        For whoever needs the edit now: before a file is saved, or the window closed.
        """
        editor, store = self.editor, self._stores.get(self._hand)
        if store is None or not editor.is_dirty:
            return True
        try:
            record = editor.edited_record()
            row = -1 if editor.is_new else store.row_of(self._record_id)
            if row >= 0 and store.holds(row, record):
                editor.accept()
                self._forget_problem()
                return True
            edited = store.with_record(row, record) if row >= 0 else store.append(record)
        except InspectorError as refused:
            self.show_problem(refused)
            return False
        self._asked_id = record["id"]
        self._drafts.pop((self._hand, self._key()), None)
        self._forget_problem()
        self._is_refused = False
        self.store_edited.emit(edited)
        return not self._is_refused

    def _store_to_show(self, used: frozenset[str]) -> str:
        names = list(self._stores)
        if self._hand not in self._stores:
            return names[0] if names else ""
        follows = used != self._used and self._hand not in used and not self.editor.is_dirty
        return names[0] if follows and names[0] in used else self._hand

    def _show_hand(self) -> None:
        store = self._stores.get(self._hand)
        self.table.show_store(
            store,
            self._written.get(self._hand, frozenset()),
            {key for name, key in self._drafts if name == self._hand and key},
        )
        if store is None:
            self.table.set_empty_text(*_NO_STORE)
            self._shown, self._record_id = None, ""
            self.editor.show_record(None)
            return
        is_other = self._shown is None or self._shown.name != store.name
        is_same = not is_other and self._shown == store
        self._shown = store
        if not is_same:
            self._show_record(store, is_other=is_other)

    def _show_record(self, store: MemoryStore, *, is_other: bool) -> None:
        """Bring the record in hand up to date with a store that has changed."""
        row = store.row_of(self._record_id) if not self.editor.is_new else -1
        if row < 0 and self._asked_id:
            row = store.row_of(self._asked_id)
        self._asked_id = ""
        if is_other or (row < 0 and not self.editor.is_dirty and not self.editor.is_new):
            self._take(self.table.default_id())
        elif row >= 0:
            self._record_id = store.records[row]["id"]
            self.editor.refresh(store.records[row])
            self.table.select(self._record_id)
        elif self.editor.is_new:
            if store.row_of(self.editor.draft.id) >= 0:
                self.editor.propose_id(store.new_id())
        else:
            self._record_id = ""
            self.editor.keep_as_new()
            self.show_note("The record is no longer in the store: Add brings it back as it is here")

    def _take(self, record_id: str, *, new_id: str = "", is_current: bool = False) -> None:
        """Take a record in hand, with what was typed for it before.

        Parameters
        ----------
        new_id : of a record that is not in the store yet.
        is_current : leave the selection to the table, which has just set its cursor there.
        """
        store = self._stores[self._hand]
        row = store.row_of(record_id) if record_id else -1
        self._record_id = record_id if row >= 0 else ""
        draft = (
            self._drafts.pop((self._hand, self._record_id), None) if (row >= 0 or new_id) else None
        )
        self.editor.show_record(store.records[row] if row >= 0 else None, draft, new_id=new_id)
        self._forget_problem()
        if not is_current or self.table.current_id != self._record_id:
            self.table.select(self._record_id)
        self.table.set_drafts({key for name, key in self._drafts if name == self._hand and key})
        self.table.set_removable(bool(self._record_id or new_id))
        if draft is not None:
            self._on_draft_settled()

    def _leave(self) -> None:
        """Put what is typed in force, or else keep it aside."""
        if not self.apply_draft():
            self._stash()

    def _stash(self) -> None:
        if self._hand and self.editor.is_dirty:
            self._drafts[self._hand, self._key()] = self.editor.draft

    def _key(self) -> str:
        return "" if self.editor.is_new else self._record_id

    def _say(self, kind: str, text: str) -> None:
        self.problem.set_status(kind, text)
        self.problem.set_clickable(kind == "error" and bool(self._fault))
        self.problem.setVisible(bool(text))

    def _forget_problem(self) -> None:
        self._fault = ""
        self._say("muted", "")
        self.editor.mark("")

    def _on_draft_changed(self) -> None:
        if self.problem.kind != "error" or not self.editor.is_dirty:
            self._forget_problem()

    def _on_draft_settled(self) -> None:
        try:
            self.editor.edited_record()
        except InspectorError as mistake:
            self.show_problem(mistake)
        else:
            self._forget_problem()

    def _on_store_picked(self, name: str) -> None:
        self._leave()
        if name != self._hand and name in self._stores:
            self._hand, self._record_id = name, ""
            self.bar.show_hand(name)
            self._show_hand()
            self.store_picked.emit(name)

    def _on_store_named(self, name: str, schema: str) -> None:
        if not name:
            self.show_problem(
                InspectorError(Code.InvalidEmbeddedStringStorageName, "a memory store needs a name")
            )
            return
        if name in self._stores:
            self.show_problem(
                InspectorError(
                    Code.EmbeddedStringStorageAlreadyExists,
                    f"there is a store {name} already",
                    hint="choose another name",
                )
            )
            return
        self._leave()
        self._forget_problem()
        self._is_refused = False
        self.store_edited.emit(MemoryStore(name, schema))
        if self._is_refused:
            return
        self.bar.close_new()
        self._on_store_picked(name)

    def _on_record_picked(self, record_id: str) -> None:
        if record_id != self._record_id or self.editor.is_new:
            self._leave()
            self._take(record_id, is_current=True)

    def _on_add(self) -> None:
        if self._hand and (not self.editor.is_new or self.apply_draft()):
            self._leave()
            self.table.clear_search()
            self._take("", new_id=self._stores[self._hand].new_id())
            self.editor.go_to("text")

    def _on_remove(self, ids: Collection[str]) -> None:
        store = self._stores.get(self._hand)
        if store is None:
            return
        if self.editor.is_new:
            self._on_discarded()
            return
        gone = frozenset(ids) or {self._record_id}
        kept = tuple(record for record in store.records if record["id"] not in gone)
        if len(kept) == len(store.records):
            return
        for record_id in gone:
            self._drafts.pop((self._hand, record_id), None)
        self.editor.revert()
        self._take(self.table.neighbour_of(gone))
        self._is_refused = False
        self.store_edited.emit(replace(store, records=kept))

    def _on_discarded(self) -> None:
        self._drafts.pop((self._hand, ""), None)
        self._take(self.table.default_id())

    def _on_save(self, asked: SignalInstance) -> None:
        if self.apply_draft():
            asked.emit(self._hand)

    def minimumSizeHint(self) -> QSize:
        """Ask for the bar, a header and two records, and the editor beside them."""
        metrics = self.fontMetrics()
        return QSize(58 * metrics.averageCharWidth(), 10 * metrics.lineSpacing())
