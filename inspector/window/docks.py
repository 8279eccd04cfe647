"""The docks: name, title, place, icon and shortcut of each. Layout, menus and help read this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Place(Enum):
    """Where a dock stands in a new window."""

    LEFT = auto()
    RIGHT = auto()
    TOP = auto()
    BOTTOM = auto()
    TABS = auto()


@dataclass(frozen=True, slots=True)
class Dock:
    """One dock, named as its panel in the `PanelSet`.

    shortcut : brings it to the front; "" where only its tab and the menu Panels do.
    has_title : it has a title bar even while titles are off: what it shows does not tell it apart.
    is_conditional : it is there only while it has something to show.
    height_share : of the window's height, 0 where the others leave it what there is.
    """

    name: str
    title: str
    place: Place
    icon: str
    shortcut: str = ""
    has_title: bool = False
    is_conditional: bool = False
    height_share: float = 0.0


DOCKS = (
    Dock("workspace", "Workspace", Place.LEFT, "open", has_title=True),
    Dock("turns", "Turns", Place.LEFT, "history", has_title=True),
    Dock("parameters", "Parameters", Place.RIGHT, "settings", has_title=True),
    Dock("funnel", "Funnel", Place.TOP, "filter", height_share=0.12),
    Dock("distances", "Distances", Place.BOTTOM, "threshold", height_share=0.12),
    Dock("prompt", "Prompt", Place.TABS, "node_Generate", "Ctrl+1", height_share=0.31),
    Dock("details", "Details", Place.TABS, "info", "Ctrl+2"),
    Dock("graph", "Graph", Place.TABS, "graph", "Ctrl+3"),
    Dock(
        "subgraph", "Subgraph", Place.TABS, "node_RetrieveSubgraph", "Ctrl+6", is_conditional=True
    ),
    Dock("inputs", "Inputs", Place.TABS, "node_HumanMessageGuardrail"),
    Dock("memory", "Memory", Place.TABS, "node_WriteToMemory", is_conditional=True),
    Dock("replay", "Replay", Place.TABS, "replay_run", is_conditional=True),
    Dock("diagnostics", "Diagnostics", Place.TABS, "file", "Ctrl+4"),
    Dock("problems", "Problems", Place.TABS, "warning", "Ctrl+5"),
)
"""In the order in which they are placed and listed in the menu; tabs from left to right."""


def docks_with_shortcut() -> list[Dock]:
    """Return the docks that a shortcut brings to the front, by shortcut."""
    return sorted((dock for dock in DOCKS if dock.shortcut), key=lambda dock: dock.shortcut)
