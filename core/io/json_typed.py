"""Why a text that was typed or pasted is no JSON, in the words that are said of files."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from core.io.json_text import explain, line_and_column


class Mistake(NamedTuple):
    """The first mistake: what it is, what to do, and its 1-based place."""

    message: str
    hint: str
    line: int
    column: int

    def __str__(self) -> str:
        """Return ``at line 1, column 7: a comma with nothing after it``."""
        return f"at line {self.line}, column {self.column}: {self.message}"


def why_no_json(text: str, what: str) -> Mistake | None:
    """Return the mistake that keeps a text from being JSON, None where there is none.

    Parameters
    ----------
    what : what the text is called, such as ``the filter``.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = line_and_column(text, error.start)
        return Mistake("a lone surrogate, which is half a character", "remove it", *place)
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        problem = explain(text, error.pos, error.msg)
        return Mistake(
            problem.message.replace("the file", what),
            problem.hint.replace("the file", what),
            *line_and_column(text, problem.position),
        )
    return None
