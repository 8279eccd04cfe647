"""Questions that hold something up until the user has decided, without stopping the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

Button = QMessageBox.StandardButton
Role = QMessageBox.ButtonRole


@dataclass(frozen=True, slots=True)
class Answer:
    """One button of a question, and what follows from it.

    button : one of Qt's own, or a label and its role.
    """

    button: Button | tuple[str, Role]
    act: Callable[[], object]


def ask(window: QWidget, text: str, explanation: str, *answers: Answer) -> QMessageBox:
    """Ask, and return at once; the first answer is the one of Enter. Escape cancels."""
    title = "Retrieve turn inspector"
    box = QMessageBox(QMessageBox.Icon.Question, title, text, Button.NoButton, window)
    box.setObjectName("question")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(explanation)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    acts = [(_added(box, answer.button), answer.act) for answer in answers]
    cancel = box.addButton(Button.Cancel)
    box.setDefaultButton(acts[0][0])
    box.setEscapeButton(cancel)

    def on_finished(_result: int) -> None:
        clicked = box.clickedButton()
        for button, act in acts:
            if button is clicked:
                act()

    box.finished.connect(on_finished)
    box.open()
    return box


def _added(box: QMessageBox, button: Button | tuple[str, Role]) -> QPushButton:
    if isinstance(button, tuple):
        return box.addButton(*button)
    return box.addButton(button)
