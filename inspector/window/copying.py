"""The menu Copy ▾: parameters, the graph and results as text, and a picture of the window."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from core.agent.snippets import (
    LANGUAGES,
    change_param_calls,
    changed_snippet,
    params_as_json,
)
from core.hits.export import columns_of, hits_as_csv, hits_as_markdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPixmap

    from core.hits.hit import Hit
    from core.nodes.walk import RetrievalResult
    from inspector.session.session import Session


class CopyMenu(QObject):
    """Fills the menu and puts what is asked for on the clipboard.

    Parameters
    ----------
    session : what is open and the last turn.
    grab : takes the picture of the window.
    """

    def __init__(self, session: Session, grab: Callable[[], QPixmap], parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.menu = QMenu("Copy", parent)
        self._add("Parameters as JSON", self._parameters_json)
        self._add("Parameters as Python calls", self._python_calls)
        self.menu.addSeparator()
        self._add("Results as CSV", lambda: hits_as_csv(self._hits(), self._columns()))
        self._add("Results as Markdown", lambda: hits_as_markdown(self._hits(), self._columns()))
        self.menu.addSeparator()
        self._add("Prompt as text", self.prompt_text)
        self._add("Prompt as JSON messages", self.prompt_json)
        self._add("Diagnostics as JSON", self.diagnostics_json)
        self.menu.addSeparator()
        for language, name in LANGUAGES.items():
            self._add(f"Changed parameters as {name}", partial(self._changed, language))
        self._add("Graph as JSON", self._graph_json)
        self.menu.addSeparator()
        self.menu.addAction(
            "Picture of the window", lambda: QGuiApplication.clipboard().setPixmap(grab())
        )

    def _add(self, label: str, text: Callable[[], str]) -> None:
        self.menu.addAction(label, lambda: QGuiApplication.clipboard().setText(text()))

    def _result(self) -> RetrievalResult | None:
        turn = self._session.turn
        run = turn.run_of(self._session.node) if turn is not None else None
        return run.retrieval if run is not None else None

    def _hits(self) -> tuple[Hit, ...]:
        result = self._result()
        return result.hits if result is not None else ()

    def _columns(self) -> tuple[str, ...]:
        result = self._result()
        return columns_of(result.listing.fields if result and result.listing else ())

    def _parameters_json(self) -> str:
        graph = self._session.graph
        return params_as_json(graph.node(self._session.node)) if graph is not None else ""

    def _python_calls(self) -> str:
        graph = self._session.graph
        if graph is None:
            return ""
        name = self._session.node
        return change_param_calls(graph.node(name), self._session.editor.baseline(name))

    def _changed(self, language: str) -> str:
        """Return what differs from the graph file, in all nodes, as code of a game client."""
        graph, current = self._session.graph, self._session.current
        if graph is None or current is None:
            return ""
        return changed_snippet(language, graph, current.graph)

    def _graph_json(self) -> str:
        graph = self._session.graph
        return graph.to_json() if graph is not None else ""

    def prompt_text(self) -> str:
        """Return the messages role by role."""
        messages = self._session.turn.messages if self._session.turn is not None else ()
        return "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)

    def prompt_json(self) -> str:
        """Return the messages as the chat format's JSON."""
        messages = self._session.turn.messages if self._session.turn is not None else ()
        return json.dumps(
            [{"role": m.role, "content": m.text} for m in messages], ensure_ascii=False, indent=2
        )

    def diagnostics_json(self) -> str:
        """Return the turn's ``debug_info`` as JSON."""
        turn = self._session.turn
        return json.dumps(turn.debug_info if turn is not None else {}, ensure_ascii=False, indent=2)
