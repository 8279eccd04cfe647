"""Keys that one JSON object has twice: readers keep the last and say nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from core.io.json_text import child
from core.io.wording import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.errors import Place
    from core.io.findings import Findings

MAX_BYTES = 8 << 20
"""Larger files, which nobody writes by hand, are not looked through: it would take too long."""

_MOST_TOLD = 20
_LONGEST_KEY = 60


class _Repeating(dict[str, Any]):
    """An object with repeated keys.

    names : of those keys.
    """

    names: tuple[str, ...] = ()


def warn_of_repeated_keys(
    data: bytes,
    value: Any,
    findings: Findings,
    place: Callable[[str], Place] | None = None,
    *,
    inside: str = "",
) -> None:
    """Warn of each key that is twice in one object, `_MOST_TOLD` at most.

    Parameters
    ----------
    data : the JSON text, in UTF-8.
    value : what was read of it.
    place : JSON path → place; of the findings' file if None.
    inside : JSON path of the value, where it is not the whole file.
    """
    if not may_repeat(data, value):
        return
    found: list[tuple[str, str]] = []
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object)
        root = inside or ("records" if isinstance(document, list) else "")
        _collect(document, root, found)
    except (ValueError, RecursionError):
        return
    for path, name in found:
        findings.warning(
            f'"{cut(name, _LONGEST_KEY)}" is there twice in one object: the last one counts',
            path,
            hint="remove one of them",
            place=place(path) if place is not None else None,
        )


def may_repeat(data: bytes, value: Any) -> bool:
    """Tell quickly whether there may be repeated keys in what was read; never for large files."""
    if len(data) > MAX_BYTES:
        return False
    try:
        return _keys(data) > _keys(orjson.dumps(value))
    except orjson.JSONEncodeError:
        return False


def _keys(data: bytes) -> int:
    """Count what may be the end of a key: each one, and a text such as ``":)"`` too."""
    return data.count(b'":') + data.count(b'" :') - data.count(b'\\":') - data.count(b'\\" :')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    repeating = _Repeating(made)
    counts = Counter(name for name, _ in pairs)
    repeating.names = tuple(name for name, count in counts.items() if count > 1)
    return repeating


def _collect(value: Any, path: str, found: list[tuple[str, str]]) -> None:
    if len(found) >= _MOST_TOLD:
        return
    if isinstance(value, _Repeating):
        found += [(child(path, name), name) for name in value.names]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(inner, dict | list):
                _collect(inner, child(path, key), found)
