"""The request of a graph-aware retrieval: what is asked, how far to walk, and where to look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.io.request import InvalidRequest, check_whole, refuse_unknown, shown
from core.subgraph.depths import ExpansionDepth

if TYPE_CHECKING:
    from core.subgraph.knowledge_graph import TagValue

MAX_TOP_K = 50
DEFAULT_TOP_K = 5


@dataclass(frozen=True, slots=True)
class Scope:
    """Which nodes may be matches. Expansion may leave it.

    root_node_id : only this node and its descendants; "" = all.
    tag_filters : tag → value, all of which a node must have. A number, true or false also equals
        its JSON text, so that what is typed on a command line can match.
    directory_prefix : one of the node's directories must start with it; "" = all. A prefix that
        ends with ``/`` also matches the directory itself: ``harbour/`` matches ``harbour`` and
        ``harbour/pier`` and not ``harbourside``.
    """

    root_node_id: str = ""
    tag_filters: Mapping[str, TagValue] = field(default_factory=dict, hash=False)
    directory_prefix: str = ""

    @property
    def is_everything(self) -> bool:
        """Whether no filter is set."""
        return not (self.root_node_id or self.tag_filters or self.directory_prefix)


@dataclass(frozen=True, slots=True)
class SubgraphRequest:
    """A validated request.

    query : natural language or keywords, not blank.
    top_k : how many matches at most, 1 to 50.
    expansion_depth : how far Pass 2 walks.
    scope : which nodes may be matches.
    include_raw_text : whether the response holds the nodes' long texts.

    Raises
    ------
    InvalidRequest
        3007 with the parameter's name.
    """

    query: str
    top_k: int = DEFAULT_TOP_K
    expansion_depth: ExpansionDepth = ExpansionDepth.NONE
    scope: Scope = field(default_factory=Scope)
    include_raw_text: bool = False

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if not isinstance(self.query, str) or not self.query.strip():
            raise InvalidRequest("query", "query must be a non-empty string")
        check_whole("top_k", self.top_k, 1, MAX_TOP_K)

    @classmethod
    def of(cls, body: Any) -> SubgraphRequest:
        """Return the request of a JSON body; null means the default.

        Raises
        ------
        InvalidRequest
            3007 with the parameter's name: a missing query, a wrong type, a value out of range,
            an unknown key.
        """
        body = _object("request", body)
        refuse_unknown(body, ("query", "top_k", "expansion_depth", "scope", "include_raw_text"))
        given = {key: value for key, value in body.items() if value is not None}
        if "query" not in given:
            raise InvalidRequest("query", "query is required")
        raw = given.get("include_raw_text", False)
        if not isinstance(raw, bool):
            raise InvalidRequest("include_raw_text", f"expected true or false, found {shown(raw)}")
        return cls(
            given["query"],
            given.get("top_k", DEFAULT_TOP_K),
            _depth(given.get("expansion_depth", ExpansionDepth.NONE)),
            _scope(given.get("scope", {})),
            raw,
        )


def _object(param: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidRequest(param, f"expected an object, found {shown(value)}")
    return value


def _depth(value: Any) -> ExpansionDepth:
    try:
        return ExpansionDepth(value)
    except ValueError:
        names = ", ".join(ExpansionDepth)
        raise InvalidRequest(
            "expansion_depth", f"expected one of {names}; found {shown(value)}"
        ) from None


def _scope(value: Any) -> Scope:
    scope = _object("scope", value)
    refuse_unknown(scope, ("root_node_id", "tag_filters", "directory_prefix"), path="scope.")
    texts = {}
    for key in ("root_node_id", "directory_prefix"):
        text = scope.get(key)
        if text is not None and not isinstance(text, str):
            raise InvalidRequest(f"scope.{key}", f"expected a text, found {shown(text)}")
        texts[key] = text or ""
    tags = _object("scope.tag_filters", scope.get("tag_filters") or {})
    for name, tag in tags.items():
        if not isinstance(tag, str | int | float):
            raise InvalidRequest(
                f"scope.tag_filters.{name}",
                f"expected a text, a number, true or false, found {shown(tag)}",
            )
    return Scope(texts["root_node_id"], dict(tags), texts["directory_prefix"])
