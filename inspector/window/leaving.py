"""Ways out of what is open: each asks first where something that the user made would be lost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.widgets.drafts import OpenDraft
from inspector.window.questions import Answer, Button, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMessageBox

    from inspector.session.shown import Shown
    from inspector.window.main_window import MainWindow
    from inspector.window.saving import Saving
    from inspector.window.wiring.memory import MemoryWiring

    Act = Callable[[], object]

_DRAFT = "draft"
_MOST_NAMED = 4


class Leaving(QObject):
    """Knows what is not saved: the graph, memory stores, and what is typed and not in force."""

    def __init__(self, saving: Saving, memory: MemoryWiring, window: MainWindow) -> None:
        super().__init__(window)
        self._saving = saving
        self._memory = memory
        self._window = window
        self._session = window.session
        self._box: QMessageBox | None = None
        self._session.leaving.connect(self._discard_drafts)
        panels, editor = window.panels, self._session.editor
        for settled in (
            editor.edited,
            editor.drafts_changed,
            panels.memory.store_edited,
            saving.saved,
        ):
            settled.connect(self._on_settled)

    def then(self, what: str, act: Act) -> None:
        """Do something that leaves what is open, once nothing is lost by it.

        Parameters
        ----------
        what : what is to be done, such as ``quit``.
        """
        if not self.holds_back(what, act):
            act()

    def holds_back(self, what: str, act: Act) -> bool:
        """Tell whether the user has to decide first; if so, that is asked, and `act` may follow."""
        unsaved = self.unsaved()
        if unsaved and self._box is None:
            self._box = ask(
                self._window,
                f"Save your work before you {what}?",
                "\n".join(f"• {line}" for line in unsaved),
                Answer(Button.Save, partial(self._save, what, act)),
                Answer(Button.Discard, act),
            )
            self._box.destroyed.connect(self._forget_box)
            self._box.finished.connect(self._forget_box)
        return bool(unsaved)

    def unsaved(self) -> list[str]:
        """Return a line for each thing that would be lost."""
        shown = self._session.shown()
        return [
            *([_edits(shown)] if shown.is_edited else []),
            *(f"{draft.what}: typed, not in force" for _, draft in self._drafts()),
            *(f"the memory store {name}" for name in self._memory.unsaved()),
        ]

    def _drafts(self) -> list[tuple[str, OpenDraft]]:
        """Return what is typed and not in force, each with the dock that it is typed in."""
        panels, shown = self._window.panels, self._session.shown()
        prompted = shown.prompt_node.name if shown.prompt_node is not None else ""
        seen = {
            (node, draft.param): (dock, draft)
            for dock, node, found in (
                ("parameters", shown.node, panels.parameters.drafts()),
                ("prompt", prompted, panels.prompt.drafts()),
            )
            for draft in found
        }
        # What the file itself has is not lost, and other nodes have drafts that no field shows.
        others = {
            (node, param): ("parameters", self._unseen(node, param))
            for (node, param), kept in shown.drafts.items()
            if not kept.is_of_file
        }
        kept_by_file = {key for key, kept in shown.drafts.items() if kept.is_of_file}
        found = {**others, **seen}
        return [
            *(found[key] for key in found if key not in kept_by_file),
            *(("memory", draft) for draft in panels.memory.drafts()),
        ]

    def _unseen(self, node: str, param: str) -> OpenDraft:
        """Return the draft of a node that is not in hand."""
        return OpenDraft(
            f"the {param.replace('_', ' ')} of {node}",
            partial(self._session.pick_node, node),
            lambda: (node, param) not in self._session.editor.drafts,
        )

    def _discard_drafts(self) -> None:
        panels = self._window.panels
        for panel in (panels.parameters, panels.prompt, panels.memory):
            panel.discard_drafts()

    def _save(self, what: str, act: Act) -> None:
        for dock, draft in self._drafts():
            draft.go_to()
            if not draft.apply():
                self._window.raise_dock(dock)
                draft.go_to()
                self._window.panels.message_bar.post(
                    "warning",
                    f"Not saved: {draft.what} cannot be put in force as it is. "
                    f"Mend it, or {what} without saving",
                    about=_DRAFT,
                )
                return
        save_stores = partial(self._memory.save_all, act)
        if self._session.shown().is_edited:
            self._saving.save_graph(save_stores)
        else:
            save_stores()

    def _on_settled(self) -> None:
        self._window.panels.message_bar.withdraw(_DRAFT)

    def _forget_box(self, _result: object = None) -> None:
        self._box = None


def _edits(shown: Shown) -> str:
    """Name the graph and what was changed in it."""
    if shown.opened is None or shown.graph is None:
        return ""
    before = {node.name: node.params for node in shown.opened.graph.nodes}
    changed = [
        f"{node.name}.{param}"
        for node in shown.graph.nodes
        if node.name in before and type(before[node.name]) is type(node.params)
        for param in node.params.specs()
        if getattr(node.params, param) != getattr(before[node.name], param)
    ]
    more = len(changed) - _MOST_NAMED
    named = ", ".join(changed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{shown.opened.path.name}: {named or 'what was refused is mended'}"
