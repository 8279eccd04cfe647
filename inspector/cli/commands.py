"""The commands that need no window. No Qt is imported here."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from core.agent.agent import Agent
from core.agent.compile import check_storages
from core.agent.snippets import LANGUAGES, changed_snippet
from core.errors import Code, InspectorError, Place
from core.io.findings import Findings, Severity
from core.io.wording import did_you_mean
from core.opening.opening import check_path, open_path
from core.prompt.projection import to_json
from inspector.cli.parser import Parser, refuse_stray_words
from inspector.cli.play import (
    add_play_options,
    keeps_dialog,
    play_options,
    read_play,
    save_memory,
    split_pair,
)
from inspector.cli.telling import near_misses_of, query_words_of, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.agent.description import GraphDescription
    from core.agent.turn import Turn
    from core.nodes import ParamSpec
    from core.opening.opening import Opened

DISTRIBUTION = "retrieve-turn-inspector"
EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_REFUSED = 2
COMMANDS = ("turn", "check", "replay", "snippet", "keyword", "subgraph")
EPILOG = (
    "Commands that need no window: inspector turn PATH -m TEXT, inspector check PATH …, "
    "inspector keyword FOLDER -q TEXT, inspector subgraph FILE -q TEXT, inspector snippet "
    "PATH --set NODE.PARAM=VALUE, inspector replay RECORDED PATH; each explains itself with "
    "--help."
)


class _Version(argparse.Action):
    """Prints name and version, which are looked up only here, and ends the program."""

    def __call__(self, *_: object) -> NoReturn:
        from importlib.metadata import PackageNotFoundError, version

        try:
            known = version(DISTRIBUTION)
        except PackageNotFoundError:
            known = "(not installed)"
        print(DISTRIBUTION, known)
        raise SystemExit(EXIT_OK)


def main(argv: Sequence[str]) -> int:
    """Run one command and return the exit status.

    0 whatever route a turn takes; 1 when ``check`` found an error; 2 with one line on standard
    error for every refusal.
    """

    def run() -> int:
        arguments = build_parser().parse_args(argv)
        command: Callable[[argparse.Namespace], int] = arguments.run
        return command(arguments)

    return guarded(run)


def guarded(run: Callable[[], int]) -> int:
    """Run and return the exit status; a refusal becomes one line on standard error and 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return run()
    except InspectorError as error:
        print(error.line(), file=sys.stderr)
        return EXIT_REFUSED
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        sys.stderr.close()
        return EXIT_OK


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(prog="inspector", description="See what a Retrieve turn really does.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    turn = commands.add_parser("turn", help="run one turn and print its debug_info as JSON")
    turn.add_argument("path", metavar="PATH", help="a graph, a knowledge file or a folder")
    turn.add_argument(
        "-m",
        "--message",
        required=True,
        action="append",
        dest="messages",
        metavar="TEXT",
        help="what the player says; given several times, the turns "
        "follow each other, and a log of JSON Lines is printed",
    )
    add_turn_options(turn)
    turn.add_argument(
        "--messages",
        action="store_true",
        dest="prompt",
        help="print the chat messages that the model would read instead",
    )
    turn.add_argument(
        "--near-misses",
        type=int,
        default=0,
        metavar="N",
        help="add the N closest near-misses with their reason and needed change, and the query as "
        "each leg sees it",
    )
    turn.add_argument(
        "--save-memory",
        metavar="FOLDER",
        default="",
        help="write the memory stores that the turns changed into this folder",
    )
    turn.set_defaults(run=_run_turn)
    check = commands.add_parser("check", help="print every finding of the files")
    check.add_argument("paths", metavar="PATH", nargs="+")
    check.add_argument("--root", metavar="DIR", help="storage root")
    check.set_defaults(run=_run_check)
    # Only here, so that a window starts without what the commands alone need.
    from inspector.cli import replay, retrievers

    retrievers.add_commands(commands)
    snippet = commands.add_parser(
        "snippet", help="print what --set changes in a graph as code of a game client"
    )
    snippet.add_argument("path", metavar="PATH", help="a graph, a knowledge file or a folder")
    snippet.add_argument("--root", metavar="DIR", help="storage root; default: beside the file")
    _add_set_option(snippet)
    snippet.add_argument(
        "--language", choices=tuple(LANGUAGES), default="python", help="default: python"
    )
    snippet.add_argument(
        "--save", metavar="FILE.graph.json", help="write the changed graph to this file too"
    )
    snippet.set_defaults(run=_run_snippet)
    replay.add_commands(commands)
    return parser


def window_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the window's own command line.

    Raises
    ------
    InspectorError
        3007, also for a word that is neither a command nor a path.
    """
    # A mistyped command is told before its options, which the window does not know.
    refuse_stray_words(arguments[:1], COMMANDS)
    options = window_parser().parse_args(arguments)
    refuse_stray_words(options.paths, COMMANDS)
    return options


def window_parser() -> argparse.ArgumentParser:
    """Return the parser of the window's own command line."""
    parser = Parser(
        prog="inspector",
        epilog=EPILOG,
        description="Open the inspector on a graph, a knowledge file or a folder.",
    )
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="a graph, a knowledge file or a folder"
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print name and version")
    parser.add_argument("--message", default="", help="run a turn with this message")
    parser.add_argument("--node", default="", help="the node to take in hand")
    parser.add_argument(
        "--tab",
        default="",
        metavar="PANEL",
        help="the panel to bring to the front, such as graph or diagnostics",
    )
    add_turn_options(parser)
    parser.add_argument(
        "--screenshot",
        metavar="FILE.png",
        help="save a picture once the turn is on screen, and quit",
    )
    parser.add_argument(
        "--theme", choices=("system", "light", "dark"), help="colours, for this run only"
    )
    parser.add_argument(
        "--size", metavar="WIDTHxHEIGHT", type=_size, help="size of the window, for this run only"
    )
    return parser


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    try:
        size = int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no size such as 1280x800') from None
    if not all(100 <= side <= 10_000 for side in size):
        raise argparse.ArgumentTypeError("each side must be 100 to 10000 pixels")
    return size


def add_turn_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that the window and ``turn`` share."""
    parser.add_argument("--root", metavar="DIR", help="storage root; default: beside the file")
    _add_set_option(parser)
    add_play_options(parser)


def _add_set_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NODE.PARAM=VALUE",
        dest="settings",
        help="set a parameter; NODE. may be left out where only one node has it",
    )


def with_settings(graph: GraphDescription, settings: Sequence[str]) -> GraphDescription:
    """Return the graph with ``NODE.PARAM=VALUE`` settings applied in order.

    Raises
    ------
    InspectorError
        3005 for an unknown node, 3007 for anything else.
    """
    for setting in settings:
        target, text = split_pair(setting, "--set")
        node_name, param = _target(graph, target)
        spec = graph.node(node_name).params.specs().get(param)
        value = text if spec is None else _value(spec, text)
        graph = graph.with_param(node_name, param, value)
    return graph


def _target(graph: GraphDescription, target: str) -> tuple[str, str]:
    """Split NODE.PARAM; a node's name may hold dots, a parameter's cannot."""
    node_name, dot, param = target.rpartition(".")
    if dot:
        return graph.node(node_name).name, param
    owners = [node.name for node in graph.nodes if param in node.params.specs()]
    if len(owners) == 1:
        return owners[0], param
    if owners:
        raise InspectorError(
            Code.InvalidParamValue,
            f'several nodes have "{param}"',
            hint=f"say which: {', '.join(f'{o}.{param}' for o in owners)}",
        )
    known = sorted({name for node in graph.nodes for name in node.params.specs()})
    raise InspectorError(
        Code.InvalidParamValue,
        f'no node has a parameter "{param}"',
        place=Place(param=param),
        hint=did_you_mean(param, known),
    )


def _value(spec: ParamSpec, text: str) -> Any:
    """Read JSON where it parses as JSON of the parameter's type, else take the text itself."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    try:
        spec.check(value)
    except (ValueError, RecursionError, InspectorError):
        # A number that is out of range must be reported as the number, not as text.
        return value if isinstance(value, int | float) and spec.kind in (int, float) else text
    return value


def _run_turn(arguments: argparse.Namespace) -> int:
    messages = [_valid_text(message) for message in arguments.messages]
    if arguments.near_misses < 0:
        raise InspectorError(Code.InvalidParamValue, "--near-misses must be 0 or more")
    opened = open_path(arguments.path, root=arguments.root)
    graph = with_settings(opened.graph, arguments.settings)
    variables, exits, replies = play_options(arguments, graph)
    agent = Agent(graph, opened.workspace)
    agent.variables.update(variables)
    agent.play, agent.keeps_dialog = read_play(arguments), keeps_dialog(arguments)
    is_log, told = len(messages) > 1, frozenset[str]()
    opened.workspace.compare_indexes(node.params for node in graph.nodes)
    for message in messages:
        turn = agent.turn(message, exits=exits, replies=replies)
        document = _document(turn, arguments)
        if is_log:
            key = "messages" if arguments.prompt else "debug_info"
            document = {"message": message, key: document}
        print(
            json.dumps(document, ensure_ascii=False, indent=None if is_log else 2, allow_nan=False)
        )
        told = tell(turn, opened.workspace.notes, told)
        if turn.error is not None:
            raise turn.error
    if arguments.save_memory:
        for path in save_memory(agent.play, Path(arguments.save_memory)):
            print(f"wrote {path}", file=sys.stderr)
    return EXIT_OK


def _document(turn: Turn, arguments: argparse.Namespace) -> Any:
    if arguments.prompt:
        return to_json(turn.messages)
    if not arguments.near_misses:
        return turn.debug_info
    return {
        **turn.debug_info,
        "near_misses": near_misses_of(turn, arguments.near_misses),
        "query_words": query_words_of(turn),
    }


def _valid_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InspectorError(
            Code.InvalidParamValue,
            "the message is not valid UTF-8 text",
            hint="check the terminal's encoding",
        ) from None
    return text


def _run_snippet(arguments: argparse.Namespace) -> int:
    opened = open_path(arguments.path, root=arguments.root)
    graph = with_settings(opened.graph, arguments.settings)
    _refuse_what_the_game_would(graph, opened)
    snippet = changed_snippet(arguments.language, graph, opened.graph)
    if arguments.save is not None:
        graph.copy().save(arguments.save)
    print(snippet, end="")
    return EXIT_OK


def _refuse_what_the_game_would(graph: GraphDescription, opened: Opened) -> None:
    """Refuse what a turn, and so the game, would refuse: all that does not compile."""
    findings = Findings(Code.GraphCompilationFailed, str(opened.path))
    findings.extend(graph.check())
    check_storages(graph, opened.workspace, findings)
    findings.raise_errors()


def _run_check(arguments: argparse.Namespace) -> int:
    findings = [
        finding
        for path in arguments.paths
        for finding in check_path(Path(path), root=arguments.root)
    ]
    for finding in findings:
        print(finding.line())
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    print(
        f"{len(arguments.paths)} checked: {errors} errors, {len(findings) - errors} warnings",
        file=sys.stderr,
    )
    return EXIT_FINDINGS if errors else EXIT_OK
