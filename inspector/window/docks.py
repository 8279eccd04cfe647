"""The docks: name, title, place and icon of each. Layout and menus read this."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
TOP = Qt.DockWidgetArea.TopDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
TABS = Qt.DockWidgetArea.NoDockWidgetArea
"""Below the others, one at a time."""


@dataclass(frozen=True, slots=True)
class Dock:
    """One dock, named as its panel in the `PanelSet`.

    place : where it stands in a new window.
    has_title : it has a title bar even while titles are off: what it shows does not tell it apart.
    is_conditional : it is there only while it has something to show.
    height_share : of the window's height, 0 where the others leave it what there is.
    """

    name: str
    title: str
    place: Qt.DockWidgetArea
    icon: str
    has_title: bool = False
    is_conditional: bool = False
    height_share: float = 0.0


DOCKS = (
    Dock("workspace", "Workspace", LEFT, "open", has_title=True),
    Dock("turns", "Turns", LEFT, "history", has_title=True),
    Dock("parameters", "Parameters", RIGHT, "settings", has_title=True),
    Dock("funnel", "Funnel", TOP, "filter", height_share=0.12),
    Dock("distances", "Distances", BOTTOM, "threshold", height_share=0.12),
    Dock("prompt", "Prompt", TABS, "node_Generate", height_share=0.31),
    Dock("details", "Details", TABS, "info"),
    Dock("graph", "Graph", TABS, "graph"),
    Dock("subgraph", "Subgraph", TABS, "node_RetrieveSubgraph", is_conditional=True),
    Dock("inputs", "Inputs", TABS, "node_HumanMessageGuardrail"),
    Dock("memory", "Memory", TABS, "node_WriteToMemory", is_conditional=True),
    Dock("replay", "Replay", TABS, "replay_run", is_conditional=True),
    Dock("diagnostics", "Diagnostics", TABS, "file"),
    Dock("problems", "Problems", TABS, "warning"),
)
"""In the order in which they are placed and listed in the menu; tabs from left to right."""
