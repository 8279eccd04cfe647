"""The menu bar: every action with its shortcut."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMessageBox

from inspector.session.preferences import THEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.window.main_window import MainWindow

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

ABOUT = (
    "Retrieve turn inspector\n\n"
    "Shows what a RAG Retrieve turn really does: what came back, what almost did, why, and what "
    "the model will read. Everything runs on this computer; nothing is sent anywhere."
)
SHORTCUTS = (
    "Enter, Ctrl+Return\trun the question\n"
    "Ctrl+L\tgo to the question\n"
    "Ctrl+O, Ctrl+S\topen, save the graph\n"
    "Ctrl+Z, Ctrl+Shift+Z\tundo, redo a parameter\n"
    "Ctrl+R\treset the node to the graph's values\n"
    "F5\tread the files again\n"
    "Alt+Up, Alt+Down\tearlier, later turn\n"
    "Ctrl+1 … Ctrl+6\tPrompt, Details, Graph, Diagnostics, Problems, Subgraph\n"
    "Escape\tcancel what is running"
)


_CARDS = (
    ("Aquarium", "192 facts about keeping fish, matched by meaning", "aquarium/rag.graph.json"),
    (
        "Aquarium, hybrid",
        "Meaning and keywords, fused: Latin names and numbers are found too",
        "aquarium/hybrid.graph.json",
    ),
    (
        "Aquarium, guarded",
        "A filter, a strict threshold, and a refusal when nothing is found",
        "aquarium/guarded.graph.json",
    ),
    (
        "Adventure",
        "Game lore whose answers change with the quests that are done",
        "adventure/npc.graph.json",
    ),
    (
        "Adventure, two searches",
        "Open and hidden lore, each with its own filter, in one prompt",
        "adventure/oracle.graph.json",
    ),
    (
        "Tavern",
        "An innkeeper with a guardrail, intents, two searches and a memory of each guest",
        "tavern/tavern.graph.json",
    ),
    (
        "Handbook",
        "49 linked pages about retrieval, matched by weighted keywords",
        "handbook/handbook.graph.json",
    ),
    (
        "Town",
        "A town as a knowledge graph: places, people and what connects them",
        "town/town.graph.json",
    ),
)


def sample_graphs() -> tuple[Path, ...]:
    """Return the graph files of the shipped samples, by folder and name."""
    return tuple(sorted(SAMPLES.glob("*/*.graph.json")))


def sample_cards() -> list[tuple[str, str, str]]:
    """Return the samples as (title, one line, path) for the welcome page."""
    return [
        (title, line, str(SAMPLES / name))
        for title, line, name in _CARDS
        if (SAMPLES / name).is_file()
    ]


def build_menus(window: MainWindow) -> None:
    """Fill the window's menu bar."""
    _file_menu(window)
    _edit_menu(window)
    _turn_menu(window)
    _view_menu(window)
    _help_menu(window)


def _add(
    menu: QMenu,
    label: str,
    act: Callable[[], object],
    keys: QKeySequence.StandardKey | str | None = None,
) -> QAction:
    action = menu.addAction(label)
    if keys is not None:
        action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda _checked=False: act())
    return action


def _file_menu(window: MainWindow) -> None:
    menu = QMenu("&File", window)
    window.menuBar().addMenu(menu)
    _add(menu, "&Open…", window.choose_file, QKeySequence.StandardKey.Open)
    _add(menu, "Open &folder…", window.choose_folder, "Ctrl+Shift+O")
    recent = QMenu("&Recent", menu)
    menu.addMenu(recent)
    recent.aboutToShow.connect(lambda: _fill_paths(recent, window, window.preferences.recent))
    samples = QMenu("Sa&mples", menu)
    menu.addMenu(samples)
    samples.aboutToShow.connect(lambda: _fill_paths(samples, window, sample_graphs()))
    menu.addSeparator()
    _add(menu, "&Save to graph", window.save_graph, QKeySequence.StandardKey.Save)
    _add(menu, "Save graph &as…", window.save_graph_as, "Ctrl+Shift+S")
    _add(menu, "Save &diagnostics…", window.save_diagnostics)
    menu.addSeparator()
    _add(menu, "&Reload files", window.reload, "F5")
    reload = menu.addAction("Reload changed files by themselves")
    reload.setCheckable(True)
    reload.setChecked(window.preferences.flag("reload", False))
    reload.toggled.connect(lambda on: window.preferences.set_flag("reload", on))
    menu.addSeparator()
    _add(menu, "&Quit", window.close, QKeySequence.StandardKey.Quit)


def _fill_paths(menu: QMenu, window: MainWindow, paths: tuple[Path, ...]) -> None:
    menu.clear()
    for path in paths:
        label = f"{path.parent.name}/{path.name}".replace("&", "&&")
        _add(menu, label, lambda path=path: window.open_path(path))  # type: ignore[misc]
    menu.setEnabled(True)
    if not paths:
        menu.addAction("(none yet)").setEnabled(False)


def _edit_menu(window: MainWindow) -> None:
    menu = QMenu("&Edit", window)
    window.menuBar().addMenu(menu)
    undo = window.session.editor.undo_stack.createUndoAction(window, "&Undo")
    undo.setShortcut(QKeySequence.StandardKey.Undo)
    redo = window.session.editor.undo_stack.createRedoAction(window, "&Redo")
    redo.setShortcuts([QKeySequence(QKeySequence.StandardKey.Redo), QKeySequence("Ctrl+Shift+Z")])
    menu.addActions([undo, redo])
    menu.addSeparator()
    _add(menu, "Re&set node to the graph's values", window.reset_node, "Ctrl+R")
    menu.addMenu(window.copy_menu.menu)


def _turn_menu(window: MainWindow) -> None:
    menu = QMenu("&Turn", window)
    window.menuBar().addMenu(menu)
    _add(menu, "&Run", window.run_turn, "Ctrl+Return")
    _add(menu, "&Go to the question", window.panels.query.focus_message, "Ctrl+L")
    _add(menu, "&Cancel", window.cancel, "Escape")
    menu.addSeparator()
    _add(menu, "&Earlier turn", lambda: window.session.step_history(-1), "Alt+Up")
    _add(menu, "&Later turn", lambda: window.session.step_history(1), "Alt+Down")


def _view_menu(window: MainWindow) -> None:
    menu = QMenu("&View", window)
    window.menuBar().addMenu(menu)
    for number, name in enumerate(
        ("prompt", "details", "graph", "diagnostics", "problems", "subgraph"), 1
    ):
        _add(
            menu,
            f"Go to {name.capitalize()}",
            lambda name=name: window.raise_dock(name),  # type: ignore[misc]
            f"Ctrl+{number}",
        )
    menu.addSeparator()
    panels = QMenu("&Panels", menu)
    menu.addMenu(panels)
    for dock in window.docks.values():
        panels.addAction(dock.toggleViewAction())
    titles = menu.addAction("Panel &titles, to move panels by")
    titles.setCheckable(True)
    titles.setChecked(window.preferences.flag("titles", False))
    titles.toggled.connect(window.show_titles)
    _add(menu, "&Restore layout", window.layout_of_docks.restore_default)
    menu.addSeparator()
    group = QActionGroup(window)
    for name in THEMES:
        action = menu.addAction(f"{name.capitalize()} colours")
        action.setCheckable(True)
        action.setChecked(window.preferences.theme == name)
        action.triggered.connect(lambda _checked, name=name: window.apply_theme(name))
        group.addAction(action)


def _help_menu(window: MainWindow) -> None:
    menu = QMenu("&Help", window)
    window.menuBar().addMenu(menu)
    _add(
        menu,
        "&Keyboard shortcuts",
        lambda: QMessageBox.information(
            window, "Keyboard shortcuts", SHORTCUTS.replace("\t", ": ")
        ),
        "F1",
    )
    _add(menu, "&About", lambda: QMessageBox.about(window, "About", ABOUT))
