"""Colours by meaning, light and dark; own icons; number fonts. Nothing else names a colour."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QDir, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

import resources

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

_RESOURCES = Path(resources.__file__).parent
_ICON_FOLDER = _RESOURCES / "icons"
_ICON_SIZES_PX = (16, 20, 24, 32, 48)
_PLACEHOLDER = "currentColor"

READABLE = 4.5
"""Contrast that text keeps to what is behind it."""
_INK_STEPS = 20
# How much of the muted colour the text of a control has that is switched off.
_DISABLED = 0.86


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by meaning.

    accent_soft : selection and "kept" areas behind text; field : behind text that can be edited.
    on_accent : text on `accent`; hit_soft : bars of records that are no hits (yet).
    span_tints : behind prompt spans, in turn; each is told from its neighbours by lightness or
        hue for colour-blind eyes, and `text` stays readable on all of them.
    """

    name: str
    background: QColor
    panel: QColor
    line: QColor
    text: QColor
    muted: QColor
    accent: QColor
    accent_soft: QColor
    on_accent: QColor
    field: QColor
    hover: QColor
    hit: QColor
    hit_soft: QColor
    threshold: QColor
    top_k: QColor
    filter: QColor
    error: QColor
    ok: QColor
    warning: QColor
    span_tints: tuple[QColor, ...]

    def reason_color(self, reason: str) -> QColor:
        """Return the colour of a reason (``filter``, ``top_k``, …), or of a hit for ""."""
        return {
            "": self.hit,
            "filter": self.filter,
            "scope": self.filter,
            "words": self.filter,
            "threshold": self.threshold,
            "min_score": self.threshold,
            "top_k": self.top_k,
            "k": self.top_k,
            "leg_depth": self.top_k,
            "cap": self.top_k,
            "index": self.error,
        }.get(reason, self.muted)

    def tint(self, index: int) -> QColor:
        """Return the tint of the chunk at 0-based place `index` among the hits."""
        return self.span_tints[index % len(self.span_tints)]

    def reason_ink(self, reason: str, behind: QColor | None = None) -> QColor:
        """Return the colour of a reason for text on `behind`, by default the panel."""
        return self.ink(self.reason_color(reason), behind)

    def ink(self, color: QColor, behind: QColor | None = None) -> QColor:
        """Return `color`, drawn towards the text's as far as text on `behind` needs to be read."""
        return _ink(color.rgb(), (behind or self.panel).rgb(), self.text.rgb())

    def soft(self, color: QColor, strength: float = 0.14) -> QColor:
        """Return `color` mixed into the panel, opaque: `strength` 0 (panel) to 1 (color)."""
        return mix(self.panel, color, strength)


def _theme(name: str, colors: dict[str, str], tints: tuple[str, ...]) -> Theme:
    named = {key: QColor(f"#{code}") for key, code in colors.items()}
    return Theme(name=name, **named, span_tints=tuple(QColor(f"#{code}") for code in tints))


LIGHT = _theme(
    "light",
    {
        "background": "F6F7F9",
        "panel": "FFFFFF",
        "line": "DDE1E7",
        "text": "1B2430",
        "muted": "667085",
        "accent": "2F6FDE",
        "accent_soft": "E6EFFC",
        "on_accent": "FFFFFF",
        "field": "FFFFFF",
        "hover": "EEF1F5",
        "hit": "0F6CBD",
        "hit_soft": "C3D9F6",
        "threshold": "B26A00",
        "top_k": "7A4FB5",
        "filter": "5F6B7A",
        "error": "B3261E",
        "ok": "1B7F5C",
        "warning": "B26A00",
    },
    ("E1ECFB", "FBEDCF", "DDF1E7", "EFE4FA", "DDF0F5", "FBE3DD"),
)

DARK = _theme(
    "dark",
    {
        "background": "15181D",
        "panel": "1C2128",
        "line": "303741",
        "text": "E6EAF0",
        "muted": "9AA5B4",
        "accent": "6AA3FF",
        "accent_soft": "233450",
        "on_accent": "10151C",
        "field": "15181D",
        "hover": "272E38",
        "hit": "6CB2F5",
        "hit_soft": "31507C",
        "threshold": "F0B04E",
        "top_k": "C3A2F2",
        "filter": "9AA5B4",
        "error": "FF8A80",
        "ok": "5FD0A5",
        "warning": "F0B04E",
    },
    ("22375A", "46381C", "1E3F33", "3A2D57", "1D414B", "4C2C2A"),
)


def mix(under: QColor, over: QColor, strength: float) -> QColor:
    """Return `over` laid on `under` with opacity `strength` (0 to 1), opaque."""
    keep = 1.0 - strength
    return QColor.fromRgbF(
        under.redF() * keep + over.redF() * strength,
        under.greenF() * keep + over.greenF() * strength,
        under.blueF() * keep + over.blueF() * strength,
    )


def contrast(first: QColor, second: QColor) -> float:
    """Return the contrast ratio of two opaque colours, 1 to 21.

    Source
    ------
    WCAG 2.2, relative luminance and contrast ratio.
    """

    def luminance(color: QColor) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (color.redF(), color.greenF(), color.blueF())
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(first), luminance(second)))
    return float((lighter + 0.05) / (darker + 0.05))


@cache
def _ink(color: int, behind: int, text: int) -> QColor:
    for step in range(_INK_STEPS):
        ink = mix(QColor(color), QColor(text), step / _INK_STEPS)
        if contrast(ink, QColor(behind)) >= READABLE:
            return ink
    return QColor(text)


def system_theme(app: QApplication) -> Theme:
    """Return the theme that the desktop asks for; LIGHT where it doesn't say."""
    return DARK if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT


def apply(app: QApplication, theme: Theme) -> None:
    """Give the whole program this theme: style, palette and style sheet.

    Widgets that paint themselves have an ``apply_theme`` of their own, called beside this.
    """
    QDir.setSearchPaths("icons", [str(_ICON_FOLDER)])
    sheet = style_sheet(theme)
    if app.styleSheet() == sheet:
        return
    # Behind a style sheet the style's name cannot be seen; there it is ours already.
    if not app.styleSheet() and app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(_palette(theme))
    app.setStyleSheet(sheet)


class Themed:
    """What paints itself, in the colours that `spread` handed over last."""

    _theme: Theme = LIGHT

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme


def spread(root: QObject, theme: Theme) -> None:
    """Hand the colours to a panel and its parts, and have all of them painted anew.

    Each takes its own in `apply_theme`.
    """
    for part in (root, *root.findChildren(QObject)):
        take_over = getattr(part, "apply_theme", None)
        if take_over is not None:
            take_over(theme)
        if isinstance(part, QWidget):
            # An item view has another `update` of its own.
            QWidget.update(part)


def faded(theme: Theme) -> Theme:
    """Return a theme in which nothing stands out, for what is not true any more; text is read."""
    grey = theme.muted
    return replace(
        theme,
        panel=theme.background,
        text=grey,
        accent=grey,
        hit=grey,
        hit_soft=theme.line,
        threshold=grey,
        top_k=grey,
        filter=grey,
        ok=grey,
        warning=grey,
        error=grey,
        span_tints=(theme.background,),
    )


def style_sheet(theme: Theme) -> str:
    """Return ``resources/style.qss`` with every ``$token`` replaced by the theme's colour."""
    colors = {item.name: getattr(theme, item.name) for item in fields(Theme)}
    values = {key: color.name() for key, color in colors.items() if isinstance(color, QColor)}
    values["name"] = theme.name
    for key in ("accent", "error", "warning", "ok"):
        values[f"{key}_tint"] = theme.soft(colors[key]).name()
        values[f"{key}_ink"] = theme.ink(colors[key]).name()
    values["accent_strong"] = theme.ink(theme.accent, theme.accent_soft).name()
    values["pressed"] = mix(theme.hover, theme.text, 0.06).name()
    values["accent_hover"] = mix(theme.accent, theme.text, 0.14).name()
    values["disabled"] = mix(theme.panel, theme.muted, _DISABLED).name()
    source = (_RESOURCES / "style.qss").read_text(encoding="utf-8")
    return Template(source).substitute(values)


@cache
def icon_names() -> tuple[str, ...]:
    """Return the names that `icon` knows, sorted."""
    return tuple(sorted(path.stem for path in _ICON_FOLDER.glob("*.svg")))


def icon(name: str, color: QColor) -> QIcon:
    """Return one of our own icons in one colour.

    Raises
    ------
    FileNotFoundError
        No icon has that name.
    """
    return _icon(name, color.rgba())


def node_icon(node_type: str, color: QColor) -> QIcon:
    """Return a node type's icon in one colour, a neutral one for a type that has none."""
    name = f"node_{node_type}"
    return icon(name if name in icon_names() else "node", color)


@cache
def _icon(name: str, rgba: int) -> QIcon:
    color = QColor.fromRgba(rgba)
    drawing = (_ICON_FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(drawing.replace(_PLACEHOLDER, color.name()).encode()))
    result = QIcon()
    for size_px in _ICON_SIZES_PX:
        pixmap = QPixmap(size_px, size_px)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setOpacity(color.alphaF())
        renderer.render(painter, QRectF(0, 0, size_px, size_px))
        painter.end()
        result.addPixmap(pixmap)
    return result


def number_font(base: QFont) -> QFont:
    """Return `base` with figures of one width, so that columns of numbers line up."""
    font = QFont(base)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def scaled_font(base: QFont, factor: float, *, bold: bool = False) -> QFont:
    """Return `base` at `factor` times its size, which follows the system's text scale."""
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * factor)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * factor)))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(theme.panel, theme.background)
    for target, color in (
        (role.Window, theme.background),
        (role.WindowText, theme.text),
        (role.Base, theme.field),
        (role.AlternateBase, theme.background),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Button, theme.panel),
        (role.ButtonText, theme.text),
        (role.ToolTipBase, theme.panel),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.top_k),
        (role.BrightText, theme.error),
        (role.Accent, theme.accent),
        (role.Light, theme.hover),
        (role.Midlight, theme.hover),
        (role.Mid, theme.line),
        (role.Dark, theme.line),
        (role.Shadow, theme.line),
    ):
        palette.setColor(target, color)
    faded = mix(theme.panel, theme.muted, _DISABLED)
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, faded)
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, theme.line)
    return palette
