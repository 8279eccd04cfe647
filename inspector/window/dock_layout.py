"""Where the panels stand: docks around the table, and the welcome page while nothing is open."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from inspector.window.panel_set import PanelSet

LAYOUT_VERSION = 3
UNTITLED = (
    "funnel",
    "distances",
    "prompt",
    "details",
    "graph",
    "subgraph",
    "inputs",
    "memory",
    "replay",
    "diagnostics",
    "problems",
)
"""Panels that are told apart without a title, which would cost them a row."""
SIDE_WIDTHS_PX = (190, 292)
NARROW_WIDTHS_PX = (164, 248)
ROOMY_WIDTH_PX = 1100
SHARES = {"funnel": 0.12, "distances": 0.12, "prompt": 0.31}
"""Heights of the middle docks, as shares of the window's; the table takes the rest."""

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_TOP = Qt.DockWidgetArea.TopDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class DockLayout:
    """Builds the docks of a window, and saves and restores how they stand."""

    def __init__(self, window: QMainWindow, panels: PanelSet) -> None:
        self._window = window
        self._panels = panels
        self._state_behind_welcome: QByteArray | None = None
        self.is_default = True
        self._conditional = ("subgraph", "memory", "replay")
        self._inapplicable: frozenset[str] = frozenset()
        self.docks: dict[str, QDockWidget] = {}
        self.pages = QStackedWidget(window)
        self._set_options()
        self._build_bar()
        self._build_centre()
        self._build_docks()
        self.arrange()
        self._default_state = window.saveState(LAYOUT_VERSION)

    def _set_options(self) -> None:
        window = self._window
        window.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        for corner, area in (
            (Qt.Corner.TopLeftCorner, _LEFT),
            (Qt.Corner.BottomLeftCorner, _LEFT),
            (Qt.Corner.TopRightCorner, _RIGHT),
            (Qt.Corner.BottomRightCorner, _RIGHT),
        ):
            window.setCorner(corner, area)
        window.setTabPosition(_BOTTOM, QTabWidget.TabPosition.North)

    def _build_bar(self) -> None:
        bar = QToolBar("Question", self._window)
        bar.setObjectName("queryToolBar")
        bar.setMovable(False)
        bar.addWidget(self._panels.query)
        self._window.addToolBar(bar)

    def _build_centre(self) -> None:
        self.pages.addWidget(self._panels.welcome)
        self.pages.addWidget(self._panels.hits)
        centre = QWidget(self._window)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._panels.message_bar)
        column.addWidget(self._panels.progress)
        column.addWidget(self.pages, 1)
        self._window.setCentralWidget(centre)

    def _build_docks(self) -> None:
        panels = self._panels
        self._dock("workspace", "Workspace", panels.workspace, _LEFT)
        self._dock("turns", "Turns", panels.turns, _LEFT)
        self._dock("parameters", "Parameters", panels.parameters, _RIGHT)
        self._dock("funnel", "Funnel", panels.funnel, _TOP)
        distances = self._dock("distances", "Distances", panels.distances, _BOTTOM)
        tabs = [
            self._dock("prompt", "Prompt", panels.prompt, None),
            self._dock("details", "Details", panels.details, None),
            self._dock("graph", "Graph", panels.graph, None),
            self._dock("subgraph", "Subgraph", panels.subgraph, None),
            self._dock("inputs", "Inputs", panels.play, None),
            self._dock("memory", "Memory", panels.memory, None),
            self._dock("replay", "Replay", panels.replay, None),
            self._dock("diagnostics", "Diagnostics", panels.diagnostics, None),
            self._dock("problems", "Problems", panels.problems, None),
        ]
        self._window.splitDockWidget(distances, tabs[0], Qt.Orientation.Vertical)
        for first, second in pairwise(tabs):
            self._window.tabifyDockWidget(first, second)
        tabs[0].raise_()
        for name in self._conditional:
            self.set_applicable(name, False)

    def set_applicable(self, name: str, applicable: bool, *, in_front: bool = False) -> None:
        """Show a dock while it has something to show, and offer it only then.

        Parameters
        ----------
        in_front : bring it to the front when it comes.
        """
        was = name not in self._inapplicable
        self._inapplicable = (
            self._inapplicable - {name} if applicable else (self._inapplicable | {name})
        )
        self._show_applicable()
        if applicable and not was and in_front:
            # A layout that is being restored would put another tab in front.
            QTimer.singleShot(0, self.docks[name], self.docks[name].raise_)

    def is_applicable(self, name: str) -> bool:
        """Tell whether a dock has something to show."""
        return name not in self._inapplicable

    def _show_applicable(self) -> None:
        """Hide the docks that have nothing to show, and show those again that now have."""
        for name in self._conditional:
            applicable = self.is_applicable(name)
            self.docks[name].toggleViewAction().setVisible(applicable)
            self.docks[name].setVisible(applicable and self._state_behind_welcome is None)

    def _dock(
        self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea | None
    ) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"{name}Dock")
        dock.setWidget(widget)
        if area is not None:
            self._window.addDockWidget(area, dock)
        self.docks[name] = dock
        return dock

    def arrange(self) -> None:
        """Give the docks their shares of the window as large as it is now."""
        height = self._window.height()
        side_widths = SIDE_WIDTHS_PX if self._window.width() >= ROOMY_WIDTH_PX else NARROW_WIDTHS_PX
        self._window.resizeDocks(
            [self.docks["workspace"], self.docks["parameters"]],
            list(side_widths),
            Qt.Orientation.Horizontal,
        )
        self._window.resizeDocks(
            [self.docks[name] for name in SHARES],
            [int(height * share) for share in SHARES.values()],
            Qt.Orientation.Vertical,
        )

    def show_titles(self, shown: bool) -> None:
        """Give the middle panels title bars, by which they are moved, or take them away."""
        for name in UNTITLED:
            dock = self.docks[name]
            bare = dock.titleBarWidget()
            if shown and bare is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]
                bare.deleteLater()
            elif not shown and bare is None:
                dock.setTitleBarWidget(QWidget(dock))

    def show_page(self, is_open: bool) -> None:
        """Show the docks around the table, or the welcome page alone."""
        self.pages.setCurrentWidget(self._panels.hits if is_open else self._panels.welcome)
        if is_open and self._state_behind_welcome is not None:
            self._window.restoreState(self._state_behind_welcome, LAYOUT_VERSION)
            self._state_behind_welcome = None
            self._show_applicable()
            if self.is_default:
                self.arrange()
        elif not is_open and self._state_behind_welcome is None:
            self._state_behind_welcome = self._window.saveState(LAYOUT_VERSION)
            for dock in self.docks.values():
                dock.hide()

    def state(self) -> QByteArray:
        """Return how the docks stand, for `restore`."""
        return self._state_behind_welcome or self._window.saveState(LAYOUT_VERSION)

    def restore(self, state: QByteArray) -> None:
        """Put the docks as `state` says; anything else than a saved state changes nothing."""
        self.is_default = not self._window.restoreState(state, LAYOUT_VERSION)
        self._show_applicable()

    def restore_default(self) -> None:
        """Put every panel back where it stands in a new window."""
        self._window.restoreState(self._default_state, LAYOUT_VERSION)
        for dock in self.docks.values():
            dock.show()
        self._show_applicable()
        self.arrange()
