"""Hits as text for other programs: CSV, tab-separated, Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from core.hits.numbers import in_detail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.hits.hit import Hit

COLUMNS = (
    "rank",
    "id",
    "distance",
    "bm25_score",
    "rank_dense",
    "rank_sparse",
    "fused_score",
    "reason",
    "needs",
    "text",
)
_SCORED = ("score", "match_reason")
_TEXTS = frozenset({"id", "title", "match_reason", "needs", "text"})
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def columns_of(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of hits with these fields (`core.hits.listing.Listing`)."""
    if "score" not in fields:
        return COLUMNS
    titles = [field for field in fields if field == "title"]
    numbers = [field for field in fields if field not in ("rank", "title", *_SCORED)]
    return ("rank", "id", *titles, *_SCORED, *numbers, "reason", "needs", "text")


def hits_as_csv(hits: Iterable[Hit], columns: Sequence[str] = COLUMNS) -> str:
    """Return the hits as CSV with a header line, lines ended by CRLF.

    Numbers have 6 decimals or as many as they take, and a point; what is unknown is an empty
    field. Text that a spreadsheet would run as a formula gets an apostrophe in front, since files
    may come from strangers.

    Source
    ------
    RFC 4180; OWASP, CSV injection.
    """
    return _separated(hits, columns, ",")


def hits_as_tsv(hits: Iterable[Hit], columns: Sequence[str] = COLUMNS) -> str:
    """Return the hits as tab-separated text, which spreadsheets paste as cells.

    Fields and the guard against formulas as in `hits_as_csv`; a field with a tab, a quote or a
    line break is quoted.
    """
    return _separated(hits, columns, "\t")


def hits_as_markdown(hits: Iterable[Hit], columns: Sequence[str] = COLUMNS) -> str:
    """Return the hits as a Markdown table; nothing in a cell is read as Markdown or HTML."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "|".join(" --- " for _ in columns) + "|"]
    lines += [
        "| " + " | ".join(_markdown_cell(_cell(hit, name)) for name in columns) + " |"
        for hit in hits
    ]
    return "\n".join(lines) + "\n"


def _separated(hits: Iterable[Hit], columns: Sequence[str], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    # The writer quotes a lone carriage return only where its line end has one.
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(columns)
    for hit in hits:
        writer.writerow(
            [_guarded(_cell(hit, name)) if name in _TEXTS else _cell(hit, name) for name in columns]
        )
    return buffer.getvalue()


def _cell(hit: Hit, name: str) -> str:
    """Return a field of a hit: numbers with a fraction in full, None is empty."""
    value = getattr(hit, name)
    if value is None:
        return ""
    return in_detail(value) if isinstance(value, float) else str(value)


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _markdown_cell(text: str) -> str:
    text = " ".join(text.split())
    for sign in "\\`*_[]|":
        text = text.replace(sign, "\\" + sign)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
