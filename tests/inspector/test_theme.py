"""Colours are readable, icons can be drawn, the style sheet has no hole in either theme."""

from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QComboBox, QLineEdit, QTableView, QWidget

from core.nodes import NODE_TYPES
from inspector import theme as themes
from inspector.theme import DARK, LIGHT, contrast

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from inspector.theme import Theme

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_is_the_ratio_of_relative_luminances() -> None:
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(1.05 / 0.05)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.005)


@BOTH
def test_text_is_readable_on_everything_behind_it(theme: Theme) -> None:
    behind = (
        theme.background,
        theme.panel,
        theme.field,
        theme.hover,
        theme.accent_soft,
        *theme.span_tints,
    )
    assert min(contrast(theme.text, color) for color in behind) >= 7
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@BOTH
def test_a_dimmed_row_keeps_a_contrast_of_four_selected_or_not(theme: Theme) -> None:
    for behind in (theme.background, theme.panel, theme.accent_soft):
        assert contrast(theme.muted, behind) >= 4


@BOTH
def test_every_reason_and_message_is_readable_on_a_panel(theme: Theme) -> None:
    for reason in ("", "filter", "index", "leg_depth", "threshold", "top_k"):
        assert contrast(theme.reason_color(reason), theme.panel) >= 4
    for color in (theme.error, theme.ok, theme.accent):
        assert contrast(color, theme.panel) >= 4.5


@BOTH
def test_tints_of_neighbouring_chunks_differ(theme: Theme) -> None:
    rings = [(tint.red(), tint.green(), tint.blue()) for tint in theme.span_tints]
    for first, second in itertools.pairwise([*rings, rings[0]]):
        assert max(abs(a - b) for a, b in zip(first, second, strict=True)) >= 12
    assert theme.tint(len(theme.span_tints)) == theme.tint(0)


def test_the_tokens_are_those_of_the_specification() -> None:
    assert (LIGHT.accent.name(), DARK.accent.name()) == ("#2f6fde", "#6aa3ff")
    assert (LIGHT.threshold.name(), DARK.threshold.name()) == ("#b26a00", "#f0b04e")
    assert LIGHT.text.lightness() < LIGHT.background.lightness()
    assert DARK.text.lightness() > DARK.background.lightness()


@BOTH
def test_the_style_sheet_has_every_token_filled_in(theme: Theme) -> None:
    sheet = themes.style_sheet(theme)
    assert "$" not in sheet
    assert theme.accent.name() in sheet


@BOTH
def test_every_picture_that_the_style_sheet_names_exists(theme: Theme) -> None:
    names = re.findall(r"url\(icons:([^)]+)\)", themes.style_sheet(theme))
    assert names
    folder = themes._ICON_FOLDER
    assert [name for name in names if not (folder / name).is_file()] == []


def test_applying_a_theme_dresses_widgets_and_can_be_changed_live(
    qtbot: QtBot, plain_app: QApplication
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    children = [QComboBox(window), QLineEdit(window), QTableView(window)]
    for theme in (LIGHT, DARK, LIGHT):
        themes.apply(plain_app, theme)
        window.grab()
        assert window.palette().window().color() == theme.background
        assert children[1].palette().text().color() == theme.text


def test_every_icon_is_well_formed_and_takes_its_colour(qtbot: QtBot) -> None:
    assert {
        "open",
        "save",
        "run",
        "filter",
        "threshold",
        "top_k",
        "leg_depth",
        "index",
        "hit",
        "warning",
        "error",
        "ok",
        "info",
        "close",
    } <= set(themes.icon_names())
    for name in themes.icon_names():
        drawing = (themes._ICON_FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert ET.fromstring(drawing).get("viewBox") == "0 0 24 24"
        image = themes.icon(name, QColor("#ff0000")).pixmap(24, 24).toImage()
        opaque = [
            image.pixelColor(x, y)
            for x in range(image.width())
            for y in range(image.height())
            if image.pixelColor(x, y).alpha() > 200
        ]
        assert opaque, name
        assert all(color.red() > 200 and color.blue() < 60 for color in opaque), name


def test_every_node_type_has_an_icon_and_every_node_icon_a_type() -> None:
    icons = {name for name in themes.icon_names() if name.startswith("node_")}
    assert icons == {f"node_{kind}" for kind in NODE_TYPES}


def test_a_type_without_an_icon_is_drawn_with_a_neutral_one(qtbot: QtBot) -> None:
    assert themes.node_icon("Juggle", LIGHT.text) is themes.icon("node", LIGHT.text)
    assert themes.node_icon("Speak", LIGHT.text) is themes.icon("node_Speak", LIGHT.text)


def test_an_icon_is_drawn_once_a_colour(qtbot: QtBot) -> None:
    assert themes.icon("run", LIGHT.text) is themes.icon("run", QColor(LIGHT.text))
    assert themes.icon("run", LIGHT.text) is not themes.icon("run", DARK.text)


def test_an_unknown_icon_is_an_error(qtbot: QtBot) -> None:
    with pytest.raises(FileNotFoundError):
        themes.icon("no_such_icon", LIGHT.text)


@pytest.mark.parametrize("set_size", ["setPointSizeF", "setPixelSize"])
def test_a_scaled_font_follows_the_size_of_its_base(qtbot: QtBot, set_size: str) -> None:
    base = QFont()
    getattr(base, set_size)(20)
    scaled = themes.scaled_font(base, 0.5, bold=True)
    assert 10 in (scaled.pointSizeF(), scaled.pixelSize())
    assert scaled.bold()


def test_numbers_get_figures_of_one_width(qtbot: QtBot) -> None:
    assert QFont.Tag("tnum") in themes.number_font(QFont()).featureTags()


def test_a_theme_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(LIGHT, "accent", DARK.accent)  # noqa: B010


@BOTH
def test_text_in_the_colour_of_a_reason_is_readable_on_whatever_is_behind_it(theme: Theme) -> None:
    for reason in (
        "",
        "filter",
        "index",
        "leg_depth",
        "threshold",
        "top_k",
        "scope",
        "k",
        "min_score",
    ):
        assert contrast(theme.reason_ink(reason), theme.panel) >= 4.5
        for behind in (theme.background, theme.accent_soft, theme.hover):
            assert contrast(theme.reason_ink(reason, behind), behind) >= 4.5


def test_a_colour_that_is_readable_is_left_as_it_is() -> None:
    assert LIGHT.ink(LIGHT.error) == LIGHT.error
    assert LIGHT.ink(LIGHT.threshold) != LIGHT.threshold


@BOTH
def test_what_is_switched_off_can_still_be_read(theme: Theme) -> None:
    faded = themes._palette(theme).color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert contrast(faded, theme.background) >= 3
