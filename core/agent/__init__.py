"""Description → agent → turn, and the node types that a description is made of."""

import core.nodes as node_types
from core.agent.agent import Agent
from core.agent.description import GraphDescription, Node
from core.agent.workspace import Workspace
from core.nodes import *  # noqa: F403

__all__ = ["Agent", "GraphDescription", "Node", "Workspace", *node_types.__all__]
