"""Parses a long JSON object piece by piece, so that other threads are never held up for long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from core.io.exact_json import loads

if TYPE_CHECKING:
    from core.io.work import Work

PIECE_BYTES = 2 << 20
_BETWEEN_OBJECTS = re.compile(rb"\}[ \t\r\n]*+,[ \t\r\n]*+(?=\{)")


def parse_in_pieces(data: bytes, work: Work) -> Any | None:
    """Parse an object of long arrays cut between two objects; None when a piece does not parse.

    A cut in the wrong place (in a string, deeper down) leaves something open at the end of its
    piece, which then is no JSON; so when all pieces parse, all cuts were between elements of the
    array that the last key of the piece before holds.
    """
    total = len(data)
    cut = _BETWEEN_OBJECTS.search(data, min(PIECE_BYTES, total))
    if cut is None:
        return None
    try:
        value = loads(data[: cut.start() + 1] + b"]}")
        while cut is not None:
            if not isinstance(value, dict) or not isinstance(
                value[key := next(reversed(value))], list
            ):
                return None
            work.progress("reading", cut.end(), total)
            work.stop_if_cancelled()
            start = cut.end()
            cut = _BETWEEN_OBJECTS.search(data, min(start + PIECE_BYTES, total))
            piece = data[start : cut.start() + 1] if cut else data[start:]
            tail = b"]}" if cut else b""
            more = loads(b"{%b:[%b%b" % (orjson.dumps(key), piece, tail))
            value[key] += more.pop(key)
            value.update(more)
    except (orjson.JSONDecodeError, StopIteration):
        return None
    return value
