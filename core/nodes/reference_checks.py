"""References that can never work: found when a graph is compiled, before any turn fails on them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from core.errors import Code
from core.io.wording import closest, did_you_mean
from core.nodes.kind import kind_of
from core.nodes.params import Reads
from core.nodes.references import REFERENCE, has_references, node_named, referring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.nodes.kind import CheckedNode
    from core.nodes.params import NodeParams

_MESSAGE = "user_message"
_BRACED = re.compile(r"\{\{([^{}]*)\}\}")
_UNBRACED = re.compile(
    r"\{\s*(user_message|(?:var|node)\.[^{}\s]+)\s*\}"
    r"|(?<![^\W_])(?<!\.)(var\.[^\W\d]\w*|node\.[\w-]+\.output)(?![\w.]*\()"
)
_VARIABLE = re.compile(r"vars?\W(\S+)", re.IGNORECASE)
_THERE_ARE = (
    "there are {{user_message}}, {{var.NAME}} and {{node.NAME.output}} of a node of this graph"
)


def check_references(params: NodeParams, node: CheckedNode) -> None:
    """Say what refers to nothing, or to what no turn can have, in the texts of a node.

    An error where every turn that comes to the node fails, else a warning.
    """
    has_store = kind_of(params).memory(params) is not None
    for param, text in referring(params):
        if param == "storage_name" and not has_store:
            continue
        for part in _texts(text):
            _check_braced(node, param, part)
            _check_unbraced(node, param, part)
        if param == "storage_name":
            _check_store_name(node, text)
        elif param == "input":
            _check_input(node, params, text)
    for param, spec in params.specs().items():
        if spec.references or spec.is_template or spec.kind is not str:
            continue
        found = REFERENCE.search(str(getattr(params, param)))
        if found:
            node.warning(
                param,
                f"nothing is replaced here: {found[0]} stands for these very characters",
                hint=f"write in {param} what is meant: it takes no references",
            )


def _texts(text: str) -> Iterator[str]:
    """Yield the texts in which a turn replaces references: of a JSON object, those in it."""

    def leaves(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | dict):
            for inner in value.values() if isinstance(value, dict) else value:
                yield from leaves(inner)

    if not text.lstrip().startswith("{") or text.lstrip().startswith("{{"):
        yield text
        return
    try:
        yield from leaves(json.loads(text))
    except (ValueError, RecursionError):
        yield text


def _check_braced(node: CheckedNode, param: str, text: str) -> None:
    for braced in _BRACED.finditer(text):
        match = REFERENCE.fullmatch(braced[0])
        name = node_named(match[1]) if match else ""
        if match is None:
            node.warning(
                param,
                f"nothing replaces {braced[0]}",
                hint=_meant(node, braced[1].strip()) or _THERE_ARE,
            )
        elif name and name not in (*node.graph.params, *node.graph.unread):
            node.error(
                param,
                f'the graph has no node "{name}"',
                code=Code.InvalidParamValue,
                hint=did_you_mean(name, _earlier(node) or node.graph.params)
                or "{{node.NAME.output}} names an earlier node",
            )
        elif name and not _can_have_run(node, name):
            node.warning(
                param,
                f'the node "{name}" cannot have run before "{node.name}": {braced[0]} is empty',
                hint=_earlier_nodes(node),
            )


def _check_unbraced(node: CheckedNode, param: str, text: str) -> None:
    """Find references without, or with single braces, which are plain text."""
    rest = _BRACED.sub(" ", text)
    found = [one[1] or one[2] for one in _UNBRACED.finditer(rest)]
    if param != "metadata" and rest.strip() == _MESSAGE:
        found = [_MESSAGE]
    for reference in found:
        node.warning(
            param,
            f'"{reference}" is not replaced: it stands for these very characters',
            hint=f'did you mean "{{{{{reference}}}}}"?',
        )


def _check_store_name(node: CheckedNode, text: str) -> None:
    """Refuse a name of nothing but outputs that are always empty."""

    def emptied(match: re.Match[str]) -> str:
        name = node_named(match[1])
        return "" if name and not _can_have_run(node, name) else match[0]

    if has_references(text) and not REFERENCE.sub(emptied, text).strip():
        node.error(
            "storage_name",
            f'the storage_name "{text}" always resolves to nothing',
            code=Code.InvalidParamValue,
            hint=_earlier_nodes(node),
        )


def _check_input(node: CheckedNode, params: NodeParams, text: str) -> None:
    """Find an `input` that is plain words: most often it was to name a node."""
    words = text.strip()
    if not words or _BRACED.search(words) or _UNBRACED.search(words) or words == _MESSAGE:
        return
    if words in node.graph.unread or not node.graph.routes_are_known:
        return
    searches = bool(params.specs()["input"].reads & Reads.SEARCH)
    every_turn = "every turn searches with" if searches else "every turn writes"
    if words in node.graph.params:
        if not _can_have_run(node, words):
            node.warning(
                "input",
                f'the node "{words}" cannot have run before "{node.name}", so {every_turn} '
                "this very word",
                hint=_earlier_nodes(node),
            )
        return
    close = _meant(node, words, plain=True)
    if close or searches:
        node.warning(
            "input",
            f'"{words}" is no node that runs before "{node.name}", so {every_turn} '
            "these very words",
            hint=close or "empty = the player's message; else name an earlier node",
        )


def _meant(node: CheckedNode, said: str, *, plain: bool = False) -> str:
    """Guess which reference was meant; `plain` for an `input`, which may name a node as it is."""
    variable = _VARIABLE.fullmatch(said)
    if variable:
        return f'did you mean "{{{{var.{variable[1]}}}}}"?'
    names = {
        spelt: name if plain else f"{{{{node.{name}.output}}}}"
        for name in _earlier(node) or node.graph.params
        if name != node.name
        for spelt in (name, f"node.{name}", f"node.{name}.output", f"{name}.output")
    }
    names[_MESSAGE] = f"{{{{{_MESSAGE}}}}}"
    close = closest(said, names)
    return f'did you mean "{names[close]}"?' if close else ""


def _can_have_run(node: CheckedNode, name: str) -> bool:
    """Tell whether a node can have run when this one runs; in doubt, or on no path, it can."""
    graph = node.graph
    if not graph.routes_are_known or name in _earlier(node):
        return True
    return name not in graph.params or not graph.is_reached(node.name)


def _earlier(node: CheckedNode) -> tuple[str, ...]:
    return node.graph.before(node.name)


def _earlier_nodes(node: CheckedNode) -> str:
    earlier = _earlier(node)
    return f"nodes before it: {', '.join(earlier)}" if earlier else "no node runs before it"
