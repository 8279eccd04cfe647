"""The window by keyboard alone: where Tab goes, what Enter presses, which keys there are."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QScrollArea, QTabBar, QWidget

from inspector import theme as themes
from inspector.window.docks import DOCKS
from inspector.window.focus_order import focus_stops, move_focus
from inspector.window.key_map import key_map

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QImage

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    return open_window(aquarium / "rag.graph.json")


def _walk(user: Driver, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Press Tab until the focus is back where it began."""
    start = user.window.focusWidget()
    stops = []
    for _ in range(150):
        user.qtbot.keyClick(user.window.focusWidget(), key)
        stop = user.window.focusWidget()
        user.qtbot.waitUntil(partial(_is_seen, stop))
        stops.append(stop)
        if stops[-1] is start:
            return stops
    raise AssertionError("Tab does not come round")


def _is_seen(widget: QWidget) -> bool:
    return not widget.visibleRegion().isEmpty()


def _part(user: Driver, widget: QWidget) -> str:
    for name, panel in vars(user.window.panels).items():
        if panel is widget or panel.isAncestorOf(widget):
            return name
    return "elsewhere"


def _tabs(user: Driver) -> QTabBar:
    return next(
        bar for bar in user.window.children() if isinstance(bar, QTabBar) and bar.isVisible()
    )


def _front(user: Driver) -> str:
    return _tabs(user).tabText(_tabs(user).currentIndex())


@pytest.mark.parametrize("tab", ["prompt", "details", "inputs", "problems"])
def test_tab_never_enters_a_panel_behind_another(user: Driver, tab: str) -> None:
    user.ask()
    user.window.raise_dock(tab)
    behind = {"prompt", "details", "graph", "inputs", "diagnostics", "problems"} - {tab}
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        stops = _walk(user, key)
        assert not behind & {_part(user, stop) for stop in stops}


def test_tab_goes_through_the_parts_as_the_eye_does(user: Driver) -> None:
    user.ask()
    user.window.panels.query.focus_message()
    parts = list(dict.fromkeys(_part(user, stop) for stop in _walk(user)))
    assert [part for part in parts if part not in ("elsewhere", "query")] == [
        "workspace",
        "turns",
        "funnel",
        "hits",
        "distances",
        "prompt",
        "parameters",
    ]


def test_within_the_parameters_tab_goes_downwards_also_after_another_node(user: Driver) -> None:
    user.pick_node("answer")
    user.pick_node("knowledge")
    user.window.panels.query.focus_message()
    panel = user.window.panels.parameters
    stops = [stop for stop in _walk(user) if panel.isAncestorOf(stop)]
    assert len(stops) > 8
    form = panel.findChild(QScrollArea).widget()
    inside = [stop for stop in stops if form.isAncestorOf(stop)]
    assert stops[: len(inside)] != inside
    assert stops[-len(inside) - 2 : -2] == inside
    bottoms = [stop.mapTo(form, QPoint(0, stop.height())).y() for stop in inside]
    assert all(lower >= upper - 8 for upper, lower in pairwise(bottoms))


def test_typing_never_reaches_a_text_that_another_tab_has_covered(user: Driver) -> None:
    edit = user.find("templateEdit", QPlainTextEdit)
    edit.setFocus()
    bar = _tabs(user)
    place = next(n for n in range(bar.count()) if bar.tabText(n) == "Details")
    user.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())
    user.qtbot.waitUntil(lambda: not edit.isVisible() and not edit.hasFocus())
    assert _part(user, user.window.focusWidget()) != "prompt"


def test_ctrl_and_a_number_bring_the_tab_at_that_place_to_the_front(user: Driver) -> None:
    for place in range(_tabs(user).count()):
        title = _tabs(user).tabText(place)
        user.shortcut(Qt.Key(Qt.Key.Key_1 + place))
        assert _front(user) == title
        assert _part(user, user.window.focusWidget()) == title.split(" (")[0].lower()


def test_the_numbers_follow_the_tabs_that_come_and_go(
    open_window: OpenWindow, samples: Path
) -> None:
    user = open_window(samples / "town" / "town.graph.json")
    titles = [_tabs(user).tabText(place) for place in range(_tabs(user).count())]
    assert "Subgraph" in titles
    user.qtbot.waitUntil(lambda: f"Go to {titles[-1]}" in _texts(user))
    user.shortcut(Qt.Key(Qt.Key.Key_1 + titles.index("Subgraph")))
    assert _front(user) == "Subgraph"
    told = [key.what for key in key_map(user.window) if key.where == "View"]
    assert told[: len(titles)] == [f"Go to {title}" for title in titles]


def _texts(user: Driver) -> list[str]:
    return [key.what for key in key_map(user.window)]


def test_enter_opens_a_sample_card(open_window: OpenWindow) -> None:
    user = open_window()
    card = next(iter(user.window.panels.welcome.cards))
    card.setFocus()
    with user.qtbot.waitSignal(user.session.opened, timeout=20_000):
        user.qtbot.keyClick(card, Qt.Key.Key_Return)
    user.settle()


def test_enter_presses_a_button_as_the_space_bar_does(user: Driver) -> None:
    button = user.find("modeLexical")
    button.setFocus()
    user.qtbot.keyClick(button, Qt.Key.Key_Return)
    user.qtbot.waitUntil(button.isChecked)


def test_the_key_map_has_every_key_of_the_menus_and_of_single_panels(user: Driver) -> None:
    keys = key_map(user.window)
    told = {(key.keys, key.what) for key in keys}
    assert {
        ("Ctrl+O", "Open…"),
        ("Ctrl+Return", "Run"),
        ("Ctrl+1", "Go to Prompt"),
        ("Alt+Up", "Earlier turn"),
        ("F1", "Keyboard shortcuts"),
    } <= told
    assert {key.where for key in keys} >= {"File", "Edit", "Turn", "View", "Help", "Details"}
    shown = {keys for key in keys for keys in key.keys.split(", ")}
    for action in user.window.findChildren(QAction):
        if action.isVisible() and action.menu() is None and action.text():
            assert {sequence.toString() for sequence in action.shortcuts()} <= shown, action.text()


def test_f1_shows_the_key_map(user: Driver) -> None:
    user.shortcut(Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier)
    dialog = user.find("keyMap", QDialog)
    user.qtbot.waitUntil(dialog.isActiveWindow)
    labels = [label.text() for label in dialog.findChildren(QLabel)]
    assert all(key.what in labels for key in key_map(user.window))
    user.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    user.qtbot.waitUntil(lambda: not user.window.findChildren(QDialog, "keyMap"))


def test_every_tab_has_a_panel_of_the_table(user: Driver) -> None:
    names = user.window.layout_of_docks.tabs()
    assert names == [d.name for d in DOCKS if d.name in names]
    assert names[:2] == ["prompt", "details"]


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("tab", ["prompt", "details", "subgraph", "inputs", "problems"])
def test_what_has_the_focus_is_seen(
    open_window: OpenWindow, samples: Path, theme: themes.Theme, tab: str
) -> None:
    user = open_window(samples / "town" / "town.graph.json")
    user.window.apply_theme(theme.name, keep=False)
    user.window.raise_dock(tab)
    window = user.window
    for stop in focus_stops(window):
        move_focus(stop, Qt.FocusReason.TabFocusReason)
        place = stop.rect().translated(stop.mapTo(window, QPoint(0, 0)))
        with_focus = window.grab(place).toImage()
        stop.clearFocus()
        without = window.grab(place).toImage()
        # A ring, or at least the two ends of one.
        assert _told_apart(with_focus, without) >= 20, stop


def _told_apart(one: QImage, other: QImage) -> int:
    """Count the pixels whose contrast is twice as high or more."""
    colors = [
        (one.pixelColor(x, y), other.pixelColor(x, y))
        for x in range(one.width())
        for y in range(one.height())
        if one.pixel(x, y) != other.pixel(x, y)
    ]
    return sum(themes.contrast(here, there) >= 2.0 for here, there in colors)
