"""Agents made of a few nodes, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import Agent, GraphDescription, SpeakParams, ToolCallParams

if TYPE_CHECKING:
    from core import NodeParams, Workspace


def agent_of(workspace: Workspace, **nodes: NodeParams) -> Agent:
    graph = GraphDescription().set_start_node(next(iter(nodes))).set_default_model_name("M")
    for name, params in nodes.items():
        graph.add_node(name, params)
    return Agent(graph, workspace)


def tool_agent(workspace: Workspace) -> Agent:
    tool = ToolCallParams(tool_called_exit="yes", no_tool_called_exit="no")
    return agent_of(workspace, tool=tool, yes=SpeakParams(voice="low"), no=SpeakParams())
