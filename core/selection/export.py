"""Hits as text for other programs: CSV, tab-separated, Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.selection.select import Hit

COLUMNS = ("rank", "id", "distance", "bm25_score", "rank_dense", "rank_sparse", "fused_score",
           "reason", "needs", "text")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def hits_as_csv(hits: Iterable[Hit]) -> str:
    """Return the hits as CSV with a header line, lines ended by CRLF.

    Numbers have 6 decimals and a point; what is unknown is an empty field. Text that a
    spreadsheet would run as a formula gets an apostrophe in front, since files may come from
    strangers.

    Source
    ------
    RFC 4180; OWASP, CSV injection.
    """
    return _separated(hits, ",")


def hits_as_tsv(hits: Iterable[Hit]) -> str:
    """Return the hits as tab-separated text, which spreadsheets paste as cells.

    Fields and the guard against formulas as in `hits_as_csv`; a field with a tab, a quote or a
    line break is quoted.
    """
    return _separated(hits, "\t")


def hits_as_markdown(hits: Iterable[Hit]) -> str:
    """Return the hits as a Markdown table; nothing in a cell is read as Markdown or HTML."""
    lines = ["| " + " | ".join(COLUMNS) + " |",
             "|" + "|".join(" --- " for _ in COLUMNS) + "|"]
    lines += ["| " + " | ".join(_markdown_cell(cell) for cell in _cells(hit)) + " |"
              for hit in hits]
    return "\n".join(lines) + "\n"


def _separated(hits: Iterable[Hit], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    # The writer quotes a lone carriage return only where its line end has one.
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for hit in hits:
        writer.writerow([_guarded(cell) if column in ("id", "text", "needs") else cell
                         for column, cell in zip(COLUMNS, _cells(hit), strict=True)])
    return buffer.getvalue()


def _cells(hit: Hit) -> tuple[str, ...]:
    return (_whole(hit.rank), hit.id, _decimal(hit.distance), _decimal(hit.bm25_score),
            _whole(hit.rank_dense), _whole(hit.rank_sparse), _decimal(hit.fused_score),
            str(hit.reason), hit.needs, hit.text)


def _whole(value: int | None) -> str:
    return "" if value is None else str(value)


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _markdown_cell(text: str) -> str:
    text = " ".join(text.split())
    for sign in "\\`*_[]|":
        text = text.replace(sign, "\\" + sign)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
