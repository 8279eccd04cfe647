"""Where the panels stand: docks around the table, and the welcome page while nothing is open."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.window.docks import BOTTOM, DOCKS, LEFT, RIGHT, TABS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.theme import Theme

LAYOUT_VERSION = 3
SIDE_WIDTHS_PX = (190, 292)
NARROW_WIDTHS_PX = (164, 248)
ROOMY_WIDTH_PX = 1100
FOLDED_PAD_PX = 4
QWIDGETSIZE_MAX = (1 << 24) - 1


class DockLayout(QObject):
    """Builds the docks of a window, and saves and restores how they stand.

    Parameters
    ----------
    panels : dock name → its panel.
    bar : stands above everything.
    strips : stand above the table, and above the welcome page.

    Signals
    -------
    tabs_changed() : a tab came, went or was brought to the front.
    """

    tabs_changed = Signal()

    def __init__(
        self,
        window: QMainWindow,
        panels: Mapping[str, QWidget],
        bar: QWidget,
        strips: Sequence[QWidget],
        table: QWidget,
        welcome: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._table, self._welcome = table, welcome
        self._state_behind_welcome: QByteArray | None = None
        self.is_default = True
        self._unfolded_px: dict[str, int] = {}
        self._inapplicable = frozenset(dock.name for dock in DOCKS if dock.is_conditional)
        self.docks: dict[str, QDockWidget] = {}
        self.pages = QStackedWidget(window)
        self._set_options()
        self._build_bar(bar)
        self._build_centre(strips)
        self._build_docks(panels)
        self._show_applicable()
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
            (Qt.Corner.TopLeftCorner, LEFT),
            (Qt.Corner.BottomLeftCorner, LEFT),
            (Qt.Corner.TopRightCorner, RIGHT),
            (Qt.Corner.BottomRightCorner, RIGHT),
        ):
            window.setCorner(corner, area)
        window.setTabPosition(BOTTOM, QTabWidget.TabPosition.North)

    def _build_bar(self, widget: QWidget) -> None:
        bar = QToolBar("Question", self._window)
        bar.setObjectName("queryToolBar")
        bar.setMovable(False)
        bar.addWidget(widget)
        self._window.addToolBar(bar)

    def _build_centre(self, strips: Sequence[QWidget]) -> None:
        self.pages.addWidget(self._welcome)
        self.pages.addWidget(self._table)
        centre = QWidget(self._window)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for strip in strips:
            column.addWidget(strip)
        column.addWidget(self.pages, 1)
        self._window.setCentralWidget(centre)

    def _build_docks(self, panels: Mapping[str, QWidget]) -> None:
        for dock in DOCKS:
            widget = self.docks[dock.name] = QDockWidget(dock.title, self._window)
            widget.setObjectName(f"{dock.name}Dock")
            widget.setWidget(panels[dock.name])
            if dock.place is not TABS:
                self._window.addDockWidget(dock.place, widget)
        tabs = [self.docks[dock.name] for dock in DOCKS if dock.place is TABS]
        above = next(self.docks[dock.name] for dock in DOCKS if dock.place is BOTTOM)
        self._window.splitDockWidget(above, tabs[0], Qt.Orientation.Vertical)
        for first, second in pairwise(tabs):
            self._window.tabifyDockWidget(first, second)
        tabs[0].raise_()
        for dock in DOCKS:
            if dock.place is TABS:
                panel = panels[dock.name]
                policy = panel.sizePolicy()
                policy.setRetainSizeWhenHidden(True)
                panel.setSizePolicy(policy)
                self.docks[dock.name].visibilityChanged.connect(partial(self._show_panel, panel))

    def _show_panel(self, panel: QWidget, shown: bool) -> None:
        """Hide a panel behind another tab, which Qt takes for visible: keys must not reach it."""
        panel.setVisible(shown)
        # The tab itself comes and goes later.
        QTimer.singleShot(0, self, self.tabs_changed.emit)

    def tabs(self) -> list[str]:
        """Return the docks that stand behind each other, in the order of their tabs."""
        bars = [
            child
            for child in self._window.children()
            if isinstance(child, QTabBar) and child.isVisible()
        ]
        titles = {dock.windowTitle(): name for name, dock in self.docks.items()}
        return [
            titles[bar.tabText(place)]
            for bar in sorted(bars, key=lambda bar: (bar.x(), bar.y()))
            for place in range(bar.count())
            if bar.tabText(place) in titles
        ]

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
        for dock in DOCKS:
            if dock.is_conditional:
                widget, applicable = self.docks[dock.name], self.is_applicable(dock.name)
                widget.toggleViewAction().setVisible(applicable)
                widget.setVisible(applicable and self._state_behind_welcome is None)

    def set_folded(self, name: str, folded: bool) -> None:
        """Leave a dock no more than its least height while it has only a word to say."""
        dock = self.docks[name]
        if folded and name not in self._unfolded_px:
            self._unfolded_px[name] = dock.height()
            dock.widget().setMaximumHeight(dock.widget().minimumSizeHint().height() + FOLDED_PAD_PX)
        elif not folded and name in self._unfolded_px:
            dock.widget().setMaximumHeight(QWIDGETSIZE_MAX)
            self._resize({name: self._unfolded_px.pop(name)})

    def _resize(self, heights_px: Mapping[str, int]) -> None:
        docks = [self.docks[name] for name in heights_px]
        self._window.resizeDocks(docks, list(heights_px.values()), Qt.Orientation.Vertical)

    def arrange(self) -> None:
        """Give the docks their shares of the window as large as it is now."""
        height = self._window.height()
        side_widths = SIDE_WIDTHS_PX if self._window.width() >= ROOMY_WIDTH_PX else NARROW_WIDTHS_PX
        self._window.resizeDocks(
            [self.docks["workspace"], self.docks["parameters"]],
            list(side_widths),
            Qt.Orientation.Horizontal,
        )
        shares = {d.name: int(height * d.height_share) for d in DOCKS if d.height_share}
        self._unfolded_px.update((name, shares[name]) for name in self._unfolded_px)
        self._resize(shares)

    def raise_dock(self, name: str) -> None:
        """Bring a dock to the front, if it has something to show."""
        if self.is_applicable(name):
            self.docks[name].show()
            self.docks[name].raise_()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        for dock in DOCKS:
            self.docks[dock.name].setWindowIcon(themes.icon(dock.icon, theme.muted))

    def show_titles(self, shown: bool) -> None:
        """Give the middle panels title bars, by which they are moved, or take them away."""
        for dock in DOCKS:
            widget = self.docks[dock.name]
            bare = widget.titleBarWidget()
            if dock.has_title:
                continue
            if shown and bare is not None:
                widget.setTitleBarWidget(None)  # type: ignore[arg-type]
                bare.deleteLater()
            elif not shown and bare is None:
                widget.setTitleBarWidget(QWidget(widget))

    def show_page(self, is_open: bool) -> None:
        """Show the docks around the table, or the welcome page alone."""
        self.pages.setCurrentWidget(self._table if is_open else self._welcome)
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
