"""The command ``snippet``: what was changed, as code of one of the game's clients."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from core.agent.compile import check_change
from core.agent.snippets import LANGUAGES, changed_mutable, changed_snippet
from core.errors import Code
from core.io.findings import Findings
from core.opening.opening import open_path

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from core.agent.description import GraphDescription
    from core.opening.opening import Opened

    WithSettings = Callable[[GraphDescription, Sequence[str]], GraphDescription]


def add_commands(commands: Any, with_settings: WithSettings) -> None:
    """Add the command to the subparsers of the command line.

    Parameters
    ----------
    commands : what ``add_subparsers`` returned.
    with_settings : applies ``NODE.PARAM=VALUE`` settings to a graph.
    """
    snippet = commands.add_parser(
        "snippet", help="print what --set changes in a graph as code of a game client"
    )
    snippet.add_argument("path", metavar="PATH", help="a graph, a knowledge file or a folder")
    snippet.add_argument("--root", metavar="DIR", help="storage root; default: beside the file")
    snippet.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NODE.PARAM=VALUE",
        dest="settings",
        help="set a parameter; NODE. may be left out where only one node has it",
    )
    snippet.add_argument(
        "--language", choices=tuple(LANGUAGES), default="python", help="default: python"
    )
    snippet.add_argument(
        "--save", metavar="FILE.graph.json", help="write the changed graph to this file too"
    )
    snippet.set_defaults(run=partial(_run, with_settings))


def _run(with_settings: WithSettings, arguments: argparse.Namespace) -> int:
    opened = open_path(arguments.path, root=arguments.root)
    graph = with_settings(opened.graph, arguments.settings)
    _check(graph, opened)
    snippet = changed_snippet(arguments.language, graph, opened.graph)
    if arguments.save is not None:
        graph.copy().save(arguments.save)
    print(snippet, end="")
    return 0


def _check(graph: GraphDescription, opened: Opened) -> None:
    """Refuse what the game would refuse: exits that lead nowhere, filters that don't compile."""
    findings = Findings(Code.GraphCompilationFailed, str(opened.path))
    findings.extend(graph.check())
    findings.raise_errors()
    for node in graph.nodes:
        for param in changed_mutable(node, opened.graph.node(node.name).params):
            check_change(node.params, param, opened.workspace, node=node.name)
