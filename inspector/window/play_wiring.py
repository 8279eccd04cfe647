"""Carries what a turn starts from between the session and the panels that show it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import InspectorError
from core.io.atomic import file_name_for
from core.knowledge.memory import MemoryStore
from core.nodes import kind_of
from core.nodes.memory_stores import stores_used
from core.nodes.references import variables_used
from inspector.models.exits_model import SimulatedExit
from inspector.session.memory_files import MemoryFiles
from inspector.session.play_inputs import written_stores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.agent.workspace import Workspace
    from inspector.session.jobs import Jobs
    from inspector.session.replaying import Replaying
    from inspector.session.session import Session
    from inspector.window.panel_set import PanelSet

_STORE_FILTER = "Memory stores (*.json);;All files (*)"
_TARGET_FILTER = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


class PlayWiring(QObject):
    """Connects variables, exits, dialog, memory stores and replay with their panels.

    Parameters
    ----------
    window : the parent of file dialogs.

    Signals
    -------
    applicability_changed(str, bool)
        A panel has something to show now, or nothing any more: ``memory`` or ``replay``.
    store_saved(Path)
        A memory store was written to this file.
    """

    applicability_changed = Signal(str, bool)
    store_saved = Signal(object)

    def __init__(
        self, session: Session, panels: PanelSet, replaying: Replaying, jobs: Jobs, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._panels = panels
        self._replaying = replaying
        self._window = window
        self._files = MemoryFiles(jobs, self)
        self._saved: dict[str, MemoryStore] = {}
        self._connect_inputs()
        self._connect_memory()
        self._connect_replay()

    def _connect_inputs(self) -> None:
        session, panels, inputs = self._session, self._panels, self._session.inputs
        session.opened.connect(self._on_opened)
        session.turn_changed.connect(self.show)
        session.editor.edited.connect(self.show)
        inputs.changed.connect(self.show)
        panels.play.variable_edited.connect(inputs.set_variable)
        panels.play.exit_picked.connect(inputs.set_exit)
        panels.play.dialog_kept_changed.connect(inputs.keep_dialog)
        panels.play.dialog_edited.connect(inputs.set_dialog)
        panels.play.reply_edited.connect(self._on_reply_edited)
        panels.play.node_activated.connect(session.pick_node)
        panels.parameters.exit_picked.connect(inputs.set_exit)
        panels.parameters.reply_edited.connect(inputs.set_reply)
        session.node_changed.connect(self._show_simulated)

    def _connect_memory(self) -> None:
        memory, files = self._panels.memory, self._files
        memory.store_edited.connect(self._on_store_edited)
        memory.open_requested.connect(self._choose_store)
        memory.save_requested.connect(self._save_store)
        memory.save_as_requested.connect(self._save_store_as)
        files.opened.connect(self._on_store_opened)
        files.saved.connect(self._on_store_saved)
        files.failed.connect(self._session.failed)

    def _connect_replay(self) -> None:
        replay, replaying = self._panels.replay, self._replaying
        replay.replay_requested.connect(replaying.replay)
        replay.target_requested.connect(self._choose_target)
        replay.record_selected.connect(self._on_replay_record)
        replaying.changed.connect(self._show_replay)
        replaying.failed.connect(self._session.failed)

    def show(self, _changed: object = None) -> None:
        """Show what the turn on screen started from."""
        session, panels = self._session, self._panels
        graph = session.graph
        if graph is None:
            return
        inputs, turn = session.inputs, session.turn
        params = {node.name: node.params for node in graph.nodes}
        panels.play.show_variables(inputs.variables, variables_used(params))
        panels.play.show_exits(
            [
                SimulatedExit(
                    name,
                    table.node_type,
                    tuple(table.exits()),
                    inputs.exits.get(name, simulated.exit),
                )
                for name, table in params.items()
                if (simulated := kind_of(table).simulated)
            ]
        )
        node = self._replying_node()
        panels.play.show_dialog(
            inputs.shown.dialog,
            kept=inputs.keeps_dialog,
            reply=inputs.replies.get(node, ""),
            replies_to=turn.request.message if turn is not None and node else "",
        )
        self._show_simulated()
        self._show_memory()

    def misses_variable(self) -> bool:
        """Tell whether the graph reads a variable that has no value."""
        graph = self._session.graph
        used = variables_used({n.name: n.params for n in graph.nodes}) if graph is not None else {}
        return not used.keys() <= self._session.inputs.variables.keys()

    def _on_opened(self) -> None:
        current, inputs = self._session.current, self._session.inputs
        on_disk = _known_on_disk(current.workspace) if current is not None else {}
        for name, saved in tuple(self._saved.items()):
            kept, read = inputs.upcoming.memory.get(name), on_disk.get(name)
            if kept is None:
                del self._saved[name]
            elif kept == saved and read is not None and read.path == saved.path:
                # Nothing is lost when the file, which may have changed, is read anew.
                inputs.forget_store(name)
                del self._saved[name]
        self.show()

    # Replies and exits

    def _replying_node(self) -> str:
        """Return the node whose reply the user may type: the last that asked a model, or ""."""
        turn = self._session.turn
        if turn is None or turn.recorded:
            return ""
        return next((run.name for run in reversed(turn.runs) if run.projection is not None), "")

    def _on_reply_edited(self, text: str) -> None:
        node = self._replying_node()
        if node:
            self._session.inputs.set_reply(node, text)

    def _show_simulated(self, _node: str = "") -> None:
        session = self._session
        if session.graph is None:
            return
        table = session.graph.node(session.node).params
        simulated = kind_of(table).simulated
        if simulated is None:
            return
        inputs, parameters = session.inputs, self._panels.parameters
        parameters.show_simulated_exit(inputs.exits.get(session.node, simulated.exit))
        labels = simulated.labels(table) if simulated.labels is not None else ()
        # Without a choice the turn takes the first.
        parameters.show_simulated_label(
            inputs.replies.get(session.node) or next(iter(labels), ""), labels
        )

    # Memory

    def _stores(self) -> tuple[dict[str, MemoryStore], Mapping[str, str]]:
        """Return the stores that there are by name, and those that the turn names."""
        session = self._session
        current = session.current
        if current is None or session.graph is None:
            return {}, {}
        used = stores_used(
            session.inputs.request(session.message, session.graph, session.inputs.upcoming)
        )
        stores = {**_known_on_disk(current.workspace), **session.inputs.upcoming.memory}
        for name, schema in used.items():
            stores.setdefault(name, MemoryStore(name, schema))
        return stores, used

    def _show_memory(self) -> None:
        session = self._session
        if session.current is None:
            return
        stores, used = self._stores()
        on_disk = {**_known_on_disk(session.current.workspace), **self._saved}
        changed = {
            name
            for name, store in session.inputs.upcoming.memory.items()
            if store != on_disk.get(name)
        }
        written: dict[str, frozenset[str]] = {}
        if session.turn is not None:
            before, after = session.turn.request.play.memory, session.turn.play.memory
            for name in written_stores(session.turn):
                old = before.get(name) or on_disk.get(name)
                # A turn only appends.
                added = after[name].records[len(old.records) if old is not None else 0 :]
                here = stores[name].records if name in stores else ()
                written[name] = frozenset(record["id"] for record in added) & {
                    record["id"] for record in here
                }
        self.applicability_changed.emit(
            "memory",
            bool(session.inputs.upcoming.memory)
            or any(
                kind_of(node.params).memory(node.params) is not None
                for node in session.editor.in_hand.nodes
            ),
        )
        self._panels.memory.show_stores(
            [stores[name] for name in sorted(stores)],
            changed=changed,
            written=written,
            schemas=session.current.workspace.schema_names,
            in_use=tuple(used),
        )

    def _on_store_edited(self, store: MemoryStore) -> None:
        if not self._session.inputs.put_store(store):
            self._panels.memory.show_note(
                "The turn on screen writes to this store itself, so the edit counts from the "
                "next question on"
            )
            self._show_memory()

    def _choose_store(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a memory store", self._folder(), _STORE_FILTER
        )
        if name:
            self._files.open(Path(name))

    def _on_store_opened(self, store: MemoryStore) -> None:
        self._saved[store.name] = store
        self._session.inputs.put_store(store)
        self._show_memory()

    def _save_store(self, name: str) -> None:
        store = self._stores()[0].get(name)
        if store is None:
            return
        if store.path is None:
            self._save_store_as(name)
        else:
            self._write(store, store.path)

    def _save_store_as(self, name: str) -> None:
        store = self._stores()[0].get(name)
        if store is None:
            return
        suggested = Path(self._folder()) / file_name_for(store.name, ".json")
        path, _ = QFileDialog.getSaveFileName(
            self._window, "Save the memory store", str(store.path or suggested), _STORE_FILTER
        )
        if path:
            self._write(store, Path(path))

    def _write(self, store: MemoryStore, path: Path) -> None:
        current = self._session.current
        if current is not None:
            self._files.save(store, path, current.workspace.memories)

    def _on_store_saved(self, store: MemoryStore) -> None:
        self._saved[store.name] = store
        self.store_saved.emit(store.path)
        self._session.inputs.put_store(store)
        self._session.noted.emit(f"Saved {store.path}")
        self._show_memory()

    def _folder(self) -> str:
        current = self._session.current
        return str(current.workspace.root.path) if current is not None else ""

    # Replay

    def _show_replay(self) -> None:
        replay, replaying = self._panels.replay, self._replaying
        target = replaying.target
        self.applicability_changed.emit("replay", replaying.turn is not None)
        replay.show_recorded(
            replaying.turn is not None, target.path.name if target is not None else ""
        )
        replay.show_busy(replaying.is_busy)
        replay.show_replay(replaying.result)

    def _choose_target(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Replay against", self._folder(), _TARGET_FILTER
        )
        if name:
            self._replaying.use_target(Path(name))

    def _on_replay_record(self, node: str, record: str) -> None:
        try:
            self._session.pick_node(node)
        except InspectorError:
            return
        self._panels.hits.select_id(record)


def _known_on_disk(workspace: Workspace) -> Mapping[str, MemoryStore]:
    """Return the stores that are known to lie on the disk; looking for them is a worker's job."""
    return workspace.memories.if_scanned()
