"""What a turn starts from besides message and parameters: variables, picked exits, the dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMargins, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.widgets.dialog_section import DialogSection
from inspector.widgets.fields import joined, segment
from inspector.widgets.play_exits import PlayExits
from inspector.widgets.play_variables import PlayVariables
from inspector.widgets.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QResizeEvent

    from core.prompt.messages import DialogLine
    from inspector.models.exits_model import SimulatedExit
    from inspector.widgets.play_section import PlaySection

_SECTION_CHARACTERS = 40
_TIGHT_CHARACTERS = 88
_LEAST_LINES = 4
_SHARES = (5, 6, 6)


class PlayPanel(Surface):
    """Three sections beside each other, or one at a time where it is narrow. Showing emits nothing.

    Signals
    -------
    variable_edited(str, object) : a variable's name and its new value (str), or None: removed.
    exit_picked(str, str) : a node and the exit that turns take there from now on.
    dialog_kept_changed(bool) : the switch "Keep a dialog" was toggled.
    dialog_edited(object) : the earlier turns' messages: ``tuple[DialogLine, ...]``.
    reply_edited(str) : the assistant's reply to the turn on screen.
    node_activated(str) : a node of the exits table was double-clicked, or Enter pressed on it.
    """

    variable_edited = Signal(str, object)
    exit_picked = Signal(str, str)
    dialog_kept_changed = Signal(bool)
    dialog_edited = Signal(object)
    reply_edited = Signal(str)
    node_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("playView")
        self.setAccessibleName("What a turn starts from")
        self.variables = PlayVariables()
        self.exits = PlayExits()
        self.dialog = DialogSection()
        self._sections: tuple[PlaySection, ...] = (self.variables, self.exits, self.dialog)
        self._is_compact: bool | None = None
        self._segments: list[QPushButton] = []
        self._pages = self._make_pages()
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addWidget(self._pages)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(16)
        for number, section in enumerate(self._sections):
            self._splitter.addWidget(section)
            self._splitter.setStretchFactor(number, _SHARES[number])
        layout = QVBoxLayout(self)
        self._margins = QMargins(8, 4, 8, 8)
        layout.setContentsMargins(self._margins)
        layout.setSpacing(4)
        layout.addLayout(self._row)
        layout.addWidget(self._splitter, 1)
        self._connect()
        themes.spread(self, themes.LIGHT)
        self._arrange()

    def show_variables(self, values: Mapping[str, str], used: Mapping[str, Sequence[str]]) -> None:
        """Show the agent's variables.

        Parameters
        ----------
        values : name → value.
        used : name → where the graph reads it, such as ``("recall.storage_name",)``; one without
            a value is listed as undefined.
        """
        self.variables.show_variables(values, used)

    def show_exits(self, exits: Sequence[SimulatedExit]) -> None:
        """Show the nodes whose exit is picked; without any, the section is hidden."""
        self.exits.show_exits(exits)
        self._arrange()

    def show_dialog(
        self, lines: Sequence[DialogLine], *, kept: bool, reply: str, replies_to: str
    ) -> None:
        """Show the dialog so far.

        Parameters
        ----------
        lines : the messages of earlier turns.
        kept : whether they go into the prompt.
        reply : the assistant's reply to the turn on screen, "" when there is none yet.
        replies_to : the player's message of that turn, "" when there is no turn to reply to.
        """
        self.dialog.show_dialog(lines, kept=kept, reply=reply, replies_to=replies_to)

    def _make_pages(self) -> QWidget:
        box = QWidget()
        group = QButtonGroup(box)
        for section, label in zip(self._sections, ("Variables", "Exits", "Dialog"), strict=True):
            button = segment(
                label, f"Show {section.title.lower()}", f"Show {section.title.lower()}"
            )
            button.setObjectName(f"show{label}")
            button.clicked.connect(self._arrange)
            group.addButton(button)
            self._segments.append(button)
        box.setLayout(joined(self._segments))
        self._segments[0].setChecked(True)
        return box

    def _connect(self) -> None:
        self.variables.variable_edited.connect(self.variable_edited)
        self.exits.exit_picked.connect(self.exit_picked)
        self.exits.node_activated.connect(self.node_activated)
        self.dialog.dialog_kept_changed.connect(self.dialog_kept_changed)
        self.dialog.dialog_edited.connect(self.dialog_edited)
        self.dialog.reply_edited.connect(self.reply_edited)

    def _arrange(self) -> None:
        """Follow the size and what there is: sections side by side, or the one that is picked."""
        has_exits = bool(self.exits.model.exits)
        letter = self.fontMetrics().averageCharWidth()
        count = len(self._sections) if has_exits else len(self._sections) - 1
        is_compact = self.width() < count * _SECTION_CHARACTERS * letter
        if is_compact != self._is_compact:
            self._is_compact = is_compact
            self._pages.setVisible(is_compact)
            for section in self._sections:
                if is_compact:
                    self._row.addWidget(section.tools, 1)
                    section.heading.hide()
                else:
                    section.keep_tools()
            self._splitter.setSizes([share * self.width() for share in _SHARES])
        is_tight = (
            self.width() < _TIGHT_CHARACTERS * letter
            if is_compact
            else (self.width() < count * _TIGHT_CHARACTERS * letter * 0.6)
        )
        self._segments[1].setVisible(has_exits)
        if self._segments[1].isChecked() and not has_exits:
            self._segments[0].setChecked(True)
        for section, button in zip(self._sections, self._segments, strict=True):
            section.set_tight(is_tight)
            is_shown = (
                button.isChecked() if is_compact else (section is not self.exits or has_exits)
            )
            section.setVisible(is_shown)
            section.tools.setVisible(is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the size."""
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Ask for what one section at a time needs, whichever way it is arranged now."""
        metrics = self.fontMetrics()
        segments = sum(button.minimumWidth() for button in self._segments)
        width = segments + 30 * metrics.averageCharWidth()
        height = self._pages.sizeHint().height() + _LEAST_LINES * (metrics.height() + 6)
        margins = self._margins
        return QSize(
            width + margins.left() + margins.right(), height + margins.top() + margins.bottom()
        )
