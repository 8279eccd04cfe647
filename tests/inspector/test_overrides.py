"""Overrides of Qt's virtual functions have references to spare."""

from __future__ import annotations

import sys

import pyqtgraph as pg

from inspector import overrides
from inspector.main_window import MainWindow
from inspector.models.hits_model import HitsModel
from inspector.panels.parameters_panel import ParametersPanel


def spare(cls, name):
    return sys.getrefcount(vars(cls)[name])


def test_overrides_of_ours_and_of_the_plot_library_are_pinned():
    assert overrides.pin_overrides() > 100
    for cls, name in ((pg.ScatterPlotItem, "paint"), (pg.AxisItem, "boundingRect"),
                      (HitsModel, "data"), (MainWindow, "closeEvent")):
        assert spare(cls, name) > 400, (cls, name)


def test_methods_that_qt_does_not_call_are_left_alone():
    overrides.pin_overrides()
    assert spare(ParametersPanel, "show_graph") < 50


def test_pinning_again_holds_nothing_more():
    count, before = overrides.pin_overrides(), spare(MainWindow, "closeEvent")
    assert overrides.pin_overrides() == count
    assert spare(MainWindow, "closeEvent") == before
