"""What a turn starts from, on the command line: variables, exits, replies, memory, dialog."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.io.atomic import file_name_for
from core.io.findings import Findings
from core.io.json_file import read_text, refuse_errors
from core.knowledge.memory import MemoryStore
from core.nodes import NODE_KINDS, kind_of
from core.nodes.walk import Play
from core.prompt.dialog_text import parse_dialog

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from core.agent.description import GraphDescription
    from core.prompt.messages import DialogLine


def add_play_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that the window and ``turn`` share."""
    parser.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="variables",
        help="give an agent variable its value",
    )
    parser.add_argument(
        "--exit",
        action="append",
        default=[],
        metavar="NODE=EXIT",
        dest="exits",
        help="the exit that a node takes which needs a language model",
    )
    parser.add_argument(
        "--reply",
        action="append",
        default=[],
        metavar="NODE=TEXT",
        dest="replies",
        help="what a node answers which needs a language model; of ClassifyIntentLLM, the label",
    )
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="FILE",
        help="use the memory store in this file; those below the storage root "
        "are known by their names anyway",
    )
    parser.add_argument(
        "--dialog",
        metavar="FILE",
        default="",
        help="earlier messages for the prompt: a JSON list as --messages prints "
        'it, or lines such as "User: …" and "Assistant: …"',
    )
    parser.add_argument(
        "--keep-dialog",
        action="store_true",
        help="let each turn's messages join the next one's prompt",
    )


def read_play(arguments: argparse.Namespace) -> Play:
    """Read the files that the first turn starts from: memory stores and the dialog.

    Raises
    ------
    InspectorError
        3010 for a missing file, 8003 or 3007 for its content.
    """
    stores = [MemoryStore.load(Path(name)) for name in arguments.memory]
    dialog = _read_dialog(Path(arguments.dialog)) if arguments.dialog else ()
    return Play(memory={store.name: store for store in stores}, dialog=dialog)


def save_memory(play: Play, folder: Path) -> list[Path]:
    """Write the memory stores that play has changed into a folder; return the files.

    A file that holds anything but the store of that name is left alone: another name is taken.

    Raises
    ------
    InspectorError
        3010 when there is no such folder, or it cannot be written to.
    """
    if not folder.is_dir():
        raise InspectorError(
            Code.StorageFileNotFound,
            "there is no such folder",
            place=Place(file=str(folder)),
            hint="make it first",
        )
    written: list[Path] = []
    for store in play.memory.values():
        path = next(
            path
            for path in _file_names(store, folder)
            if path not in written and _may_hold(path, store.name)
        )
        store.save(path)
        written.append(path)
    return written


def _file_names(store: MemoryStore, folder: Path) -> Iterator[Path]:
    name = store.path.name if store.path is not None else file_name_for(store.name, ".json")
    path = folder / name
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def _may_hold(path: Path, name: str) -> bool:
    """Tell whether a store of that name may be written to a file."""
    if not path.exists():
        return True
    try:
        return MemoryStore.load(path).name == name
    except InspectorError:
        return False


def keeps_dialog(arguments: argparse.Namespace) -> bool:
    """Tell whether the prompt shall hold the messages of earlier turns."""
    return bool(arguments.keep_dialog or arguments.dialog)


def play_options(
    arguments: argparse.Namespace, graph: GraphDescription
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Read the options that are about a graph's nodes, and the variables.

    Returns
    -------
    tuple
        The variables, and the exits and replies by node.

    Raises
    ------
    InspectorError
        3005 for an unknown node, 3007 for an unknown exit or a pair without NAME=VALUE.
    """
    replies = pairs_of(arguments.replies, "--reply")
    for name in replies:
        graph.node(name)
    return pairs_of(arguments.variables, "--var"), _exits(graph, arguments.exits), replies


def _read_dialog(path: Path) -> tuple[DialogLine, ...]:
    findings = Findings(Code.InvalidParamValue, str(path))
    text = read_text(path, findings)
    refuse_errors(findings)
    try:
        return parse_dialog(text or "")
    except InspectorError as error:
        raise InspectorError(
            error.code, error.message, hint=error.hint, place=replace(error.place, file=str(path))
        ) from error


def pairs_of(pairs: Sequence[str], option: str) -> dict[str, str]:
    """Return ``NAME=VALUE`` pairs as a mapping.

    Raises
    ------
    InspectorError
        3007 for a pair without a name or an equals sign.
    """
    return dict(split_pair(pair, option) for pair in pairs)


def split_pair(pair: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE at the first equals sign; raises as `pairs_of` does."""
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise InspectorError(Code.InvalidParamValue, f'{option} "{pair}" has no NAME=VALUE')
    return name, value


def _exits(graph: GraphDescription, pairs: Sequence[str]) -> dict[str, str]:
    exits = pairs_of(pairs, "--exit")
    for name, route in exits.items():
        params = graph.node(name).params
        if route not in params.exits():
            raise InspectorError(
                Code.InvalidParamValue,
                f'node "{name}" has no exit "{route}"',
                place=Place(node=name),
                hint=f"one of {', '.join(params.exits())}",
            )
        if kind_of(params).simulated is None:
            simulated = [kind.table.node_type for kind in NODE_KINDS if kind.simulated]
            raise InspectorError(
                Code.InvalidParamValue,
                f'the exit of "{name}" is decided by the node itself: only '
                f"{' and '.join(simulated)} take one that is picked",
                place=Place(node=name),
                hint="change its parameters, or the message",
            )
    return exits
