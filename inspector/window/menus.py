"""The menu bar: every action with its shortcut."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMessageBox

from inspector.session.preferences import THEMES
from inspector.window.docks import docks_with_shortcut
from inspector.window.samples import sample_graphs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QMenuBar

    from inspector.panels.query_bar import QueryBar
    from inspector.session.preferences import Preferences
    from inspector.session.session import Session
    from inspector.window.dock_layout import DockLayout
    from inspector.window.files import Files

ABOUT = (
    "Retrieve turn inspector\n\n"
    "Shows what a RAG Retrieve turn really does: what came back, what almost did, why, and what "
    "the model will read. Everything runs on this computer; nothing is sent anywhere."
)
_SHORTCUTS = (
    ("Enter, Ctrl+Return", "run the question"),
    ("Ctrl+L", "go to the question"),
    ("Ctrl+O, Ctrl+S", "open, save the graph"),
    ("Ctrl+Z, Ctrl+Shift+Z", "undo, redo a parameter"),
    ("Ctrl+R", "reset the node to the graph's values"),
    ("F5", "read the files again"),
    ("Alt+Up, Alt+Down", "earlier, later turn"),
)


def shortcuts_text() -> str:
    """Return a line for each shortcut, as the help shows them."""
    docks = docks_with_shortcut()
    return "\n".join(
        f"{keys}: {what}"
        for keys, what in (
            *_SHORTCUTS,
            (
                f"{docks[0].shortcut} … {docks[-1].shortcut}",
                ", ".join(dock.title for dock in docks),
            ),
            ("Escape", "cancel what is running"),
        )
    )


def _menu(bar: QMenuBar, title: str) -> QMenu:
    menu = QMenu(title, bar)
    bar.addMenu(menu)
    return menu


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


def add_file_menu(
    bar: QMenuBar,
    files: Files,
    preferences: Preferences,
    save_diagnostics: Callable[[], object],
    quit_program: Callable[[], object],
) -> None:
    """Add what is done with files."""
    menu = _menu(bar, "&File")
    _add(menu, "&Open…", files.choose_file, QKeySequence.StandardKey.Open)
    _add(menu, "Open &folder…", files.choose_folder, "Ctrl+Shift+O")
    recent = QMenu("&Recent", menu)
    menu.addMenu(recent)
    recent.aboutToShow.connect(lambda: _fill_paths(recent, files, preferences.recent))
    samples = QMenu("Sa&mples", menu)
    menu.addMenu(samples)
    samples.aboutToShow.connect(lambda: _fill_paths(samples, files, sample_graphs()))
    menu.addSeparator()
    _add(menu, "&Save to graph", files.save_graph, QKeySequence.StandardKey.Save)
    _add(menu, "Save graph &as…", files.save_graph_as, "Ctrl+Shift+S")
    _add(menu, "Save &diagnostics…", save_diagnostics)
    menu.addSeparator()
    _add(menu, "&Reload files", files.reload, "F5")
    _add_option(
        menu,
        "Reload changed files by themselves",
        preferences.flag("reload", False),
        partial(preferences.set_flag, "reload"),
    )
    menu.addSeparator()
    _add(menu, "&Quit", quit_program, QKeySequence.StandardKey.Quit)


def _add_option(menu: QMenu, label: str, is_on: bool, on_toggled: Callable[[bool], object]) -> None:
    action = menu.addAction(label)
    action.setCheckable(True)
    action.setChecked(is_on)
    action.toggled.connect(on_toggled)


def _fill_paths(menu: QMenu, files: Files, paths: tuple[Path, ...]) -> None:
    menu.clear()
    for path in paths:
        label = f"{path.parent.name}/{path.name}".replace("&", "&&")
        _add(menu, label, partial(files.open, path))
    menu.setEnabled(True)
    if not paths:
        menu.addAction("(none yet)").setEnabled(False)


def add_edit_menu(bar: QMenuBar, session: Session, copy_menu: QMenu) -> None:
    """Add undo, redo, reset and the menu Copy."""
    menu, editor = _menu(bar, "&Edit"), session.editor
    undo = editor.undo_stack.createUndoAction(bar, "&Undo")
    undo.setShortcut(QKeySequence.StandardKey.Undo)
    redo = editor.undo_stack.createRedoAction(bar, "&Redo")
    redo.setShortcuts([QKeySequence(QKeySequence.StandardKey.Redo), QKeySequence("Ctrl+Shift+Z")])
    menu.addActions([undo, redo])
    menu.addSeparator()
    _add(
        menu,
        "Re&set node to the graph's values",
        session.reset_node,
        "Ctrl+R",
    )
    menu.addMenu(copy_menu)


def add_turn_menu(
    bar: QMenuBar, session: Session, query: QueryBar, cancel: Callable[[], object]
) -> None:
    """Add what is done with turns."""
    menu = _menu(bar, "&Turn")
    _add(menu, "&Run", lambda: session.run(query.edit.text()), "Ctrl+Return")
    _add(menu, "&Go to the question", query.focus_message, "Ctrl+L")
    _add(menu, "&Cancel", cancel, "Escape")
    menu.addSeparator()
    _add(menu, "&Earlier turn", partial(session.step_history, -1), "Alt+Up")
    _add(menu, "&Later turn", partial(session.step_history, 1), "Alt+Down")


def add_view_menu(
    bar: QMenuBar,
    layout: DockLayout,
    preferences: Preferences,
    apply_theme: Callable[[str], object],
) -> None:
    """Add the docks, their titles and the colours."""
    menu = _menu(bar, "&View")
    for dock in docks_with_shortcut():
        _add(menu, f"Go to {dock.title}", partial(layout.raise_dock, dock.name), dock.shortcut)
    menu.addSeparator()
    panels = QMenu("&Panels", menu)
    menu.addMenu(panels)
    for widget in layout.docks.values():
        panels.addAction(widget.toggleViewAction())

    def show_titles(shown: bool) -> None:
        preferences.set_flag("titles", shown)
        layout.show_titles(shown)

    _add_option(
        menu, "Panel &titles, to move panels by", preferences.flag("titles", False), show_titles
    )
    _add(menu, "&Restore layout", layout.restore_default)
    menu.addSeparator()
    group = QActionGroup(bar)
    for name in THEMES:
        action = _add(menu, f"{name.capitalize()} colours", partial(apply_theme, name))
        action.setCheckable(True)
        action.setChecked(preferences.theme == name)
        group.addAction(action)


def add_help_menu(bar: QMenuBar) -> None:
    """Add help."""
    menu = _menu(bar, "&Help")
    window = bar.window()
    _add(
        menu,
        "&Keyboard shortcuts",
        lambda: QMessageBox.information(window, "Keyboard shortcuts", shortcuts_text()),
        "F1",
    )
    _add(menu, "&About", lambda: QMessageBox.about(window, "About", ABOUT))
