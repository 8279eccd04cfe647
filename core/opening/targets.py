"""What a recorded turn can be replayed against, when nothing else is said: the files around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agent.description import GraphDescription
from core.agent.workspace import Workspace
from core.errors import InspectorError
from core.knowledge.root import FileKind, StorageRoot
from core.opening.opening import GRAPH_SUFFIX, Opened, open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider

_FOLDERS_UP = 3
_MOST_GRAPHS = 50


def find_target(turn: Turn, path: Path, models: ModelProvider | None = None) -> Opened | None:
    """Find what lies near a recording and has what the recorded turn searched.

    The nearest folder, at or above the recording's, that holds every knowledge file that the turn
    names; there the graph whose nodes bear the names of those that ran and agree with most of what
    is recorded of their parameters, the first by name of equals; else the files alone.

    Returns
    -------
    Opened | None
        None when nothing near fits.
    """
    folder = path.resolve().parent
    for place in (folder, *folder.parents[:_FOLDERS_UP]):
        graph = _graph_in(place, turn, models)
        if graph is not None:
            return graph
        names = _storages(turn)
        if names and _holds(place, names):
            around = GraphDescription()
            for name, params in turn.request.params.items():
                around.add_node(name, params)
            return Opened(
                around.set_start_node(turn.request.start_node),
                Workspace(StorageRoot(place), models),
                place,
            )
    return None


def _storages(turn: Turn) -> frozenset[str]:
    return frozenset(
        name
        for params in turn.request.params.values()
        if (spec := params.storage_spec()) is not None and spec.file_kind is FileKind.KNOWLEDGE
        if (name := getattr(params, spec.name))
    )


def _holds(folder: Path, names: frozenset[str]) -> bool:
    root = StorageRoot(folder)
    try:
        for name in names:
            root.resolve(name, FileKind.KNOWLEDGE)
    except InspectorError:
        return False
    return True


def _graph_in(folder: Path, turn: Turn, models: ModelProvider | None) -> Opened | None:
    try:
        files = sorted(folder.glob(f"*{GRAPH_SUFFIX}"))[:_MOST_GRAPHS]
    except OSError:
        return None
    found = [
        opened
        for file in files
        if (opened := _opened(file, models)) is not None and _fits(opened, turn)
    ]
    return max(found, key=lambda opened: _agreement(opened, turn), default=None)


def _opened(file: Path, models: ModelProvider | None) -> Opened | None:
    try:
        return open_path(file, models=models)
    except InspectorError:
        return None


def _fits(opened: Opened, turn: Turn) -> bool:
    names = {node.name for node in opened.graph.nodes}
    return {run.name for run in turn.runs} <= names and _holds(
        opened.workspace.root.path, _storages(turn)
    )


def _agreement(opened: Opened, turn: Turn) -> int:
    """Count the parameters that a graph gives to its nodes as they were recorded."""
    recorded = turn.request.params
    return sum(
        getattr(node.params, name) == getattr(recorded[node.name], name)
        for node in opened.graph.nodes
        if type(recorded.get(node.name)) is type(node.params)
        for name in node.params.specs()
    )
