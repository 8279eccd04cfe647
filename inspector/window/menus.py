"""The menu bar: every action with its shortcut."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMessageBox

from inspector.session.preferences import THEMES
from inspector.window.key_map import show_key_map
from inspector.window.samples import sample_graphs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from PySide6.QtWidgets import QMenuBar

    from inspector.window.files import Files
    from inspector.window.main_window import MainWindow
    from inspector.window.saving import Saving

    Keys = QKeySequence.StandardKey | str
    Entry = tuple[str, Callable[[], object]] | tuple[str, Callable[[], object], Keys]

ABOUT = (
    "Retrieve turn inspector\n\n"
    "Shows what a RAG Retrieve turn really does: what came back, what almost did, why, and what "
    "the model will read. Everything runs on this computer; nothing is sent anywhere."
)
_MOST_TABS = 9


def fill(menu: QMenu, *entries: Entry | None) -> None:
    """Add actions to a menu.

    Parameters
    ----------
    entries : each (label, what it does) or (label, what it does, shortcut); None is a separator.
    """
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        else:
            _add(menu, *entry)


def _add(menu: QMenu, label: str, act: Callable[[], object], keys: Keys | None = None) -> QAction:
    action = menu.addAction(label)
    if keys is not None:
        action.setShortcut(QKeySequence(keys))
    action.triggered.connect(lambda _checked=False: act())
    return action


def _add_option(menu: QMenu, label: str, is_on: bool, on_toggled: Callable[[bool], object]) -> None:
    action = menu.addAction(label)
    action.setCheckable(True)
    action.setChecked(is_on)
    action.toggled.connect(on_toggled)


def _menu(parent: QMenuBar | QMenu, title: str) -> QMenu:
    menu = QMenu(title, parent)
    parent.addMenu(menu)
    return menu


def add_menus(window: MainWindow, files: Files, saving: Saving, copy_menu: QMenu) -> None:
    """Fill the menu bar."""
    bar = window.menuBar()
    _fill_file_menu(_menu(bar, "&File"), window, files, saving)
    _fill_edit_menu(_menu(bar, "&Edit"), window, copy_menu)
    session, query = window.session, window.panels.query
    fill(
        _menu(bar, "&Turn"),
        ("&Run", lambda: session.run(query.edit.text()), "Ctrl+Return"),
        ("&Go to the question", query.focus_message, "Ctrl+L"),
        ("&Cancel", window.panels.progress.cancel_requested.emit, "Escape"),
        None,
        ("&Earlier turn", partial(session.step_history, -1), "Alt+Up"),
        ("&Later turn", partial(session.step_history, 1), "Alt+Down"),
    )
    _fill_view_menu(_menu(bar, "&View"), window)
    fill(
        _menu(bar, "&Help"),
        (
            "&Keyboard shortcuts",
            partial(show_key_map, window),
            "F1",
        ),
        ("&About", lambda: QMessageBox.about(window, "About", ABOUT)),
    )


def _fill_file_menu(menu: QMenu, window: MainWindow, files: Files, saving: Saving) -> None:
    preferences = window.preferences
    fill(
        menu,
        ("&Open…", files.choose_file, QKeySequence.StandardKey.Open),
        ("Open &folder…", files.choose_folder, "Ctrl+Shift+O"),
    )
    recent, samples = _menu(menu, "&Recent"), _menu(menu, "Sa&mples")
    recent.aboutToShow.connect(lambda: _fill_paths(recent, files, preferences.recent))
    samples.aboutToShow.connect(lambda: _fill_paths(samples, files, sample_graphs()))
    fill(
        menu,
        None,
        ("&Save to graph", saving.save_graph, QKeySequence.StandardKey.Save),
        ("Save graph &as…", saving.save_graph_as, "Ctrl+Shift+S"),
        ("Save &diagnostics…", window.panels.diagnostics.save_requested.emit),
        None,
        ("&Reload files", files.reload, "F5"),
    )
    _add_option(
        menu,
        "Reload changed files by themselves",
        preferences.flag("reload", False),
        partial(preferences.set_flag, "reload"),
    )
    fill(menu, None, ("&Quit", window.close, QKeySequence.StandardKey.Quit))


def _fill_paths(menu: QMenu, files: Files, paths: Iterable[Path]) -> None:
    menu.clear()
    for path in paths:
        label = f"{path.parent.name}/{path.name}".replace("&", "&&")
        _add(menu, label, partial(files.open, path))
    if menu.isEmpty():
        menu.addAction("(none yet)").setEnabled(False)


def _fill_edit_menu(menu: QMenu, window: MainWindow, copy_menu: QMenu) -> None:
    stack = window.session.editor.undo_stack
    undo, redo = stack.createUndoAction(window, "&Undo"), stack.createRedoAction(window, "&Redo")
    undo.setShortcut(QKeySequence.StandardKey.Undo)
    redo.setShortcuts([QKeySequence(QKeySequence.StandardKey.Redo), QKeySequence("Ctrl+Shift+Z")])
    menu.addActions([undo, redo])
    fill(menu, None, ("Re&set node to the graph's values", window.session.reset_node, "Ctrl+R"))
    menu.addMenu(copy_menu)


def _add_tab_keys(menu: QMenu, window: MainWindow) -> None:
    """Give the tabs, as they stand now, Ctrl+1, Ctrl+2 and so on."""
    layout = window.layout_of_docks

    def go_to(place: int) -> None:
        tabs = layout.tabs()
        if place < len(tabs):
            window.go_to(tabs[place])

    actions = [_add(menu, "", partial(go_to, n), f"Ctrl+{n + 1}") for n in range(_MOST_TABS)]

    def show_tabs() -> None:
        tabs = layout.tabs()
        for place, action in enumerate(actions):
            action.setVisible(place < len(tabs))
            if place < len(tabs):
                action.setText(f"Go to {layout.docks[tabs[place]].windowTitle()}")

    layout.tabs_changed.connect(show_tabs)
    menu.aboutToShow.connect(show_tabs)
    show_tabs()


def _fill_view_menu(menu: QMenu, window: MainWindow) -> None:
    layout, preferences = window.layout_of_docks, window.preferences
    _add_tab_keys(menu, window)
    menu.addSeparator()
    _menu(menu, "&Panels").addActions([w.toggleViewAction() for w in layout.docks.values()])

    _menu(menu, "Rows of &hits").addActions(window.panels.hits.table.lines_actions)

    def show_titles(shown: bool) -> None:
        preferences.set_flag("titles", shown)
        layout.show_titles(shown)

    _add_option(
        menu, "Panel &titles, to move panels by", preferences.flag("titles", False), show_titles
    )
    fill(menu, ("&Restore layout", layout.restore_default), None)
    group = QActionGroup(window)
    for name in THEMES:
        action = _add(menu, f"{name.capitalize()} colours", partial(window.apply_theme, name))
        action.setCheckable(True)
        action.setChecked(preferences.theme == name)
        group.addAction(action)
