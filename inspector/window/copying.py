"""The menu Copy ▾: parameters, the graph and results as text, and a picture of the window."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from core.agent.snippets import (
    LANGUAGES,
    change_param_calls,
    changed_snippet,
    params_as_json,
)
from core.hits.export import columns_of, hits_as_csv, hits_as_markdown
from core.prompt.projection import to_json
from inspector.window.menus import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.hits.hit import Hit
    from inspector.session.shown import Shown
    from inspector.window.main_window import MainWindow


def copy_menu(window: MainWindow) -> QMenu:
    """Return the menu, which puts what is asked for on the clipboard."""
    menu = QMenu("Copy", window)
    clipboard = QGuiApplication.clipboard()

    def texts(*offered: tuple[str, Callable[[Shown], str]]) -> None:
        fill(menu, *((label, partial(copy, text)) for label, text in offered), None)

    def copy(text: Callable[[Shown], str]) -> None:
        clipboard.setText(text(window.session.shown()))

    texts(("Parameters as JSON", _parameters_json), ("Parameters as Python calls", _python_calls))
    texts(
        ("Results as CSV", lambda shown: hits_as_csv(_hits(shown), _columns(shown))),
        ("Results as Markdown", lambda shown: hits_as_markdown(_hits(shown), _columns(shown))),
    )
    texts(
        ("Prompt as text", prompt_text),
        ("Prompt as JSON messages", prompt_json),
        ("Diagnostics as JSON", diagnostics_json),
    )
    texts(
        *((f"Changed parameters as {n}", partial(_changed, key)) for key, n in LANGUAGES.items()),
        ("Graph as JSON", _graph_json),
    )
    fill(menu, ("Picture of the window", lambda: clipboard.setPixmap(window.grab())))
    return menu


def _hits(shown: Shown) -> tuple[Hit, ...]:
    return shown.retrieval.hits if shown.retrieval is not None else ()


def _columns(shown: Shown) -> tuple[str, ...]:
    return columns_of(shown.listing.fields if shown.listing is not None else ())


def _parameters_json(shown: Shown) -> str:
    node = shown.node_in_hand
    return params_as_json(node) if node is not None else ""


def _python_calls(shown: Shown) -> str:
    node, opened = shown.node_in_hand, shown.opened
    if node is None or opened is None:
        return ""
    return change_param_calls(node, opened.graph.node(node.name).params)


def _changed(language: str, shown: Shown) -> str:
    """Return what differs from the graph file, in all nodes, as code of a game client."""
    if shown.graph is None or shown.opened is None:
        return ""
    return changed_snippet(language, shown.graph, shown.opened.graph)


def _graph_json(shown: Shown) -> str:
    return shown.graph.to_json() if shown.graph is not None else ""


def prompt_text(shown: Shown) -> str:
    """Return the messages role by role."""
    messages = shown.turn.messages if shown.turn is not None else ()
    return "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)


def prompt_json(shown: Shown) -> str:
    """Return the messages as the chat format's JSON."""
    messages = shown.turn.messages if shown.turn is not None else ()
    return json.dumps(to_json(messages), ensure_ascii=False, indent=2)


def diagnostics_json(shown: Shown) -> str:
    """Return the turn's ``debug_info`` as JSON."""
    turn = shown.turn
    return json.dumps(turn.debug_info if turn is not None else {}, ensure_ascii=False, indent=2)
