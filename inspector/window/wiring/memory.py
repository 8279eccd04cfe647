"""Memory stores: what there is, what the turn wrote, and what is saved where."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.io.atomic import file_name_for
from core.io.findings import FileRefused
from core.knowledge.memory import MemoryStore
from core.nodes.references import stores_used
from inspector.session.play_inputs import written_stores
from inspector.window.saving import ask_to_overwrite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.io.work import Work
    from inspector.panels.memory_panel import MemoryPanel
    from inspector.session.jobs import Jobs
    from inspector.session.session import Session
    from inspector.session.shown import Shown

    Then = Callable[[], object]

_Store = TypeVar("_Store", bound="MemoryStore | None")
MEMORY_LANE = "memory"
_STORE_FILTER = "Memory stores (*.json);;All files (*)"


class MemoryWiring(QObject):
    """Connects the session with the panel of memory stores.

    Parameters
    ----------
    window : the parent of file dialogs.

    Signals
    -------
    store_saved(Path)
        A memory store was written to this file.
    """

    store_saved = Signal(object)

    def __init__(self, session: Session, memory: MemoryPanel, jobs: Jobs, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._memory = memory
        self._window = window
        self._jobs = jobs
        self._saved: Mapping[str, MemoryStore] = {}
        session.opened.connect(self._on_opened)
        session.bind((self._read, self._show))
        memory.store_edited.connect(self._on_store_edited)
        memory.open_requested.connect(self._choose_store)
        memory.save_requested.connect(lambda name: self._save_store(name))
        memory.save_as_requested.connect(lambda name: self._save_store_as(name))

    def _on_opened(self) -> None:
        inputs = self._session.inputs
        on_disk, kept_saved = self._on_disk(), {}
        for name, saved in self._saved.items():
            kept, read = inputs.upcoming.memory.get(name), on_disk.get(name)
            if kept == saved and read is not None and read.path == saved.path:
                # Nothing is lost when the file, which may have changed, is read anew.
                inputs.forget_store(name)
            elif kept is not None:
                kept_saved[name] = saved
        self._saved = kept_saved

    # What is not saved

    def unsaved(self) -> list[str]:
        """Return the names of the stores that are other than their files, or have none."""
        on_disk, stores = self._read_last(), self._session.inputs.upcoming.memory
        return sorted(name for name, store in stores.items() if store != on_disk.get(name))

    def save_all(self, then: Callable[[], object]) -> None:
        """Save what is not saved, one after the other, and call `then` unless that fails."""
        unsaved = self.unsaved()
        if unsaved:
            self._save_store(unsaved[0], partial(self.save_all, then))
        else:
            then()

    # What is shown

    def _on_disk(self) -> Mapping[str, MemoryStore]:
        """Return the stores that are known to lie on the disk; a worker looks for them."""
        opened = self._session.current
        return opened.workspace.memories.if_scanned() if opened is not None else {}

    def _read_last(self) -> Mapping[str, MemoryStore]:
        """Return the stores as they were last read from their files, or written to them."""
        return {**self._on_disk(), **self._saved}

    def _read(self, shown: Shown) -> object:
        turn = shown.turn
        return (
            shown.opened,
            shown.outline,
            shown.variables,
            shown.message,
            shown.upcoming.memory,
            (turn.request.play.memory, turn.play.memory) if turn is not None else None,
            self._on_disk(),
            self._saved,
        )

    def _stores(self, shown: Shown) -> tuple[dict[str, MemoryStore], Mapping[str, str]]:
        """Return the stores that there are by name, and those that the turn names."""
        if shown.graph is None:
            return {}, {}
        upcoming = shown.upcoming
        used = stores_used(self._session.inputs.request(shown.message, shown.graph, upcoming))
        stores = {**self._on_disk(), **upcoming.memory}
        for name, schema in used.items():
            stores.setdefault(name, MemoryStore(name, schema))
        return stores, used

    def _show(self, shown: Shown) -> None:
        if shown.opened is None:
            return
        stores, used = self._stores(shown)
        self._memory.show_stores(
            [stores[name] for name in sorted(stores)],
            changed=self.unsaved(),
            written=_written(shown, stores, self._read_last()),
            schemas=shown.opened.workspace.schema_names,
            in_use=tuple(used),
        )

    # From the panel

    def _on_store_edited(self, store: MemoryStore) -> None:
        if not self._session.inputs.put_store(store):
            self._memory.show_note(
                "The turn on screen writes to this store itself, so the edit counts from the "
                "next question on"
            )

    def _choose_store(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a memory store", self._session.folder, _STORE_FILTER
        )
        if name:
            self._submit(lambda _work: MemoryStore.load(Path(name)), self._on_store_opened)

    def _save_store(self, name: str, then: Then | None = None) -> None:
        store = self._stores(self._session.shown())[0].get(name)
        if store is None:
            return
        path, base = store.path, self._read_last().get(name)
        if path is None:
            self._save_store_as(name, then)
            return

        def on_read(there: MemoryStore | None) -> None:
            if there is None or there == base:
                self._write(store, path, then)
                return
            merged = store.merged(base or MemoryStore(name), there)
            ask_to_overwrite(
                self._window,
                path,
                partial(self._write, merged, path, then) if there.name else None,
                partial(self._write, store, path, then),
            )

        self._submit(lambda _work: _on_disk(path), on_read)

    def _save_store_as(self, name: str, then: Then | None = None) -> None:
        store = self._stores(self._session.shown())[0].get(name)
        if store is None:
            return
        suggested = Path(self._session.folder) / file_name_for(store.name, ".json")
        path, _ = QFileDialog.getSaveFileName(
            self._window, "Save the memory store", str(store.path or suggested), _STORE_FILTER
        )
        if path:
            self._write(store, Path(path), then)

    def _write(self, store: MemoryStore, path: Path, then: Then | None) -> None:
        current = self._session.current
        if current is None:
            return
        memories = current.workspace.memories

        def job(work: Work) -> MemoryStore:
            saved = store.save(path)
            # Its vectors are kept beside it.
            memories.saved(saved, work)
            return saved

        def on_saved(saved: MemoryStore) -> None:
            self._on_store_saved(saved)
            if then is not None:
                then()

        self._submit(job, on_saved)

    # From and to the files

    def _submit(self, job: Callable[[Work], _Store], on_done: Callable[[_Store], None]) -> None:
        self._jobs.submit(MEMORY_LANE, job, on_done, self._session.failed.emit)

    def _on_store_opened(self, store: MemoryStore) -> None:
        self._saved = {**self._saved, store.name: store}
        self._session.inputs.put_store(store)

    def _on_store_saved(self, store: MemoryStore) -> None:
        self.store_saved.emit(store.path)
        self._on_store_opened(store)
        self._session.noted.emit(f"Saved {store.path}")


def _on_disk(path: Path) -> MemoryStore | None:
    """Return the store in a file, None where there is none; of a broken one only that it is."""
    try:
        return MemoryStore.load(path) if path.exists() else None
    except FileRefused:
        return MemoryStore("")


def _written(
    shown: Shown, stores: Mapping[str, MemoryStore], on_disk: Mapping[str, MemoryStore]
) -> dict[str, frozenset[str]]:
    """Return the ids of the records that the turn on screen wrote, by store."""
    if shown.turn is None:
        return {}
    before, after = shown.turn.request.play.memory, shown.turn.play.memory
    written = {}
    for name in written_stores(shown.turn):
        old = before.get(name) or on_disk.get(name)
        # A turn only appends.
        added = after[name].records[len(old.records) if old is not None else 0 :]
        here = stores[name].records if name in stores else ()
        written[name] = frozenset(record["id"] for record in added) & {
            record["id"] for record in here
        }
    return written
