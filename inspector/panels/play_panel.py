"""What a turn starts from besides message and parameters: variables, picked exits, the dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMargins, QSize
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector import theme as themes
from inspector.widgets.dialog_section import DialogSection
from inspector.widgets.fields import joined, segments
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    named,
    packed,
    split,
)
from inspector.widgets.play_exits import PlayExits
from inspector.widgets.play_variables import PlayVariables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QResizeEvent

    from core.prompt.messages import DialogLine
    from inspector.models.exits_model import SimulatedExit
    from inspector.widgets.play_section import PlaySection

_SECTION_CHARACTERS = 40
_TIGHT_CHARACTERS = 88
_LEAST_LINES = 3
_SHARES = (5, 6, 6)


class PlayPanel(Surface):
    """Three sections beside each other, or one at a time where it is narrow. Showing emits nothing.

    What the user does there, its sections tell.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "playView", "What a turn starts from")
        self.variables = PlayVariables()
        self.exits = PlayExits()
        self.dialog = DialogSection()
        self._sections: tuple[PlaySection, ...] = (self.variables, self.exits, self.dialog)
        self._is_compact: bool | None = None
        labels = ("Variables", "Exits", "Dialog")
        tips = [f"Show {section.title.lower()}" for section in self._sections]
        self._segments = segments(
            self,
            self._arrange,
            *((label, f"show{label}", tip, tip) for label, tip in zip(labels, tips, strict=True)),
        )
        self._pages = QWidget()
        self._pages.setLayout(joined(self._segments))
        self._row = packed(QHBoxLayout(), self._pages, spacing=8)
        self._splitter = split(*zip(self._sections, _SHARES, strict=True), handle_px=16)
        self._margins = QMargins(*PANEL_MARGINS)
        packed(QVBoxLayout(self), self._row, (self._splitter, 1), margins=PANEL_MARGINS)
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

    def go_to_undefined(self) -> None:
        """Put the focus where the first variable without a value gets it."""
        self._segments[0].setChecked(True)
        self._arrange()
        self.variables.go_to_undefined()

    def _arrange(self) -> None:
        """Follow the size and what there is: sections side by side, or the one that is picked."""
        has_exits = bool(self.exits.model.rows)
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
