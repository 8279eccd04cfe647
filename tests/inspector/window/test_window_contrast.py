"""What is written on screen can be read: contrast measured in pictures, in both themes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QWidget,
)

from inspector import theme as themes

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QImage

    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

WRITTEN = (QPushButton, QHeaderView, QLineEdit, QPlainTextEdit, QTabBar)
# Smoothed edges leave the thinnest strokes a little fainter than the colour they are drawn in.
LEAST = 0.9 * themes.READABLE
LEAST_SWITCHED_OFF = 3.0


def _contrast(image: QImage) -> float:
    """Return the contrast of the strongest ink with what is behind most of it."""
    counted = Counter(
        image.pixel(x, y) for x in range(image.width()) for y in range(image.height())
    )
    behind = QColor(counted.most_common(1)[0][0])
    return max(themes.contrast(QColor(pixel), behind) for pixel in counted)


def _says(widget: QWidget) -> bool:
    if isinstance(widget, QLineEdit | QPlainTextEdit):
        return bool(widget.placeholderText())
    text = getattr(widget, "text", None)
    return text is None or isinstance(widget, QTabBar) or bool(text())


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("tab", ["prompt", "details", "inputs", "problems"])
def test_buttons_titles_tabs_and_hints_in_fields_can_be_read(
    open_window: OpenWindow, aquarium: Path, theme: themes.Theme, tab: str
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.window.apply_theme(theme.name, keep=False)
    user.ask()
    user.window.raise_dock(tab)
    user.settle()
    measured = {}
    for widget in user.window.findChildren(QWidget):
        seen = widget.visibleRegion().boundingRect()
        is_whole = not seen.isEmpty() and seen == widget.rect()
        if isinstance(widget, WRITTEN) and is_whole and _says(widget):
            least = LEAST if widget.isEnabled() else LEAST_SWITCHED_OFF
            contrast = _contrast(widget.grab().toImage())
            if contrast < least:
                measured[f"{type(widget).__name__} {widget.objectName()}"] = round(contrast, 2)
    assert measured == {}
