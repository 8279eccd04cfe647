"""All the panels of the window, made once; the wiring and the window share them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.panels.details_panel import DetailsPanel
from inspector.panels.diagnostics_panel import DiagnosticsPanel
from inspector.panels.distance_panel import DistancePanel
from inspector.panels.funnel_panel import FunnelPanel
from inspector.panels.graph_panel import GraphPanel
from inspector.panels.hits_panel import HitsPanel
from inspector.panels.memory_panel import MemoryPanel
from inspector.panels.message_bar import MessageBar
from inspector.panels.parameters_panel import ParametersPanel
from inspector.panels.play_panel import PlayPanel
from inspector.panels.problems_panel import ProblemsPanel
from inspector.panels.progress_strip import ProgressStrip
from inspector.panels.prompt_panel import PromptPanel
from inspector.panels.query_bar import QueryBar
from inspector.panels.replay_panel import ReplayPanel
from inspector.panels.subgraph_panel import SubgraphPanel
from inspector.panels.turn_strip import TurnStrip
from inspector.panels.turns_panel import TurnsPanel
from inspector.panels.welcome_page import WelcomePage
from inspector.panels.workspace_panel import WorkspacePanel
from inspector.widgets.search_strip import SearchStrip
from inspector.window.docks import DOCKS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class PanelSet:
    """The panels by role, those in docks by the dock's name. None of them knows another."""

    def __init__(self) -> None:
        self.query = QueryBar()
        self.message_bar = MessageBar()
        self.progress = ProgressStrip()
        self.turn_strip = TurnStrip()
        self.welcome = WelcomePage()
        self.workspace = WorkspacePanel()
        self.turns = TurnsPanel()
        self.searches = SearchStrip()
        self.funnel = FunnelPanel()
        self.hits = HitsPanel()
        self.details = DetailsPanel()
        self.distances = DistancePanel()
        self.parameters = ParametersPanel()
        self.prompt = PromptPanel()
        self.graph = GraphPanel()
        self.subgraph = SubgraphPanel()
        self.inputs = PlayPanel()
        self.memory = MemoryPanel()
        self.replay = ReplayPanel()
        self.diagnostics = DiagnosticsPanel()
        self.problems = ProblemsPanel()

    def results(self) -> tuple[QWidget, ...]:
        """Return the panels that show what a turn found."""
        return (self.funnel, self.hits, self.distances, self.subgraph, self.details, self.prompt)

    def in_docks(self) -> dict[str, QWidget]:
        """Return the panels that stand in docks, by the dock's name."""
        return {dock.name: getattr(self, dock.name) for dock in DOCKS}
