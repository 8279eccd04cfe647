"""What a file is that is not what it should be: a Git LFS pointer, an archive, a page, CSV."""

from __future__ import annotations

import codecs
import csv
import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_HEAD_BYTES = 1 << 16
_CONVERT = "convert it to JSON"
_UNPACK = "unpack it, and use the file that is in it"
_EXPORT = "export its data as JSON"
_SIGNATURES = (
    (
        b"version https://git-lfs.github.com/spec/",
        "a Git LFS pointer, not the file itself",
        "fetch the file: git lfs pull",
    ),
    (b"PK\x03\x04", "a zip archive or an Office file", _UNPACK),
    (b"\x1f\x8b\x08", "a gzip archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\xfd7zXZ\x00", "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (b"%PDF-", "a PDF", _EXPORT),
    (b"\x89PNG\r\n", "a PNG picture", ""),
    (b"\xff\xd8\xff", "a JPEG picture", ""),
    (b"SQLite format 3\x00", "an SQLite database", _EXPORT),
    (b"PAR1\x15", "a Parquet file", _EXPORT),
    (b"\x93NUMPY", "a NumPy array", _EXPORT),
)
_BOM = "\ufeff"
_PAGE = re.compile(
    r"\s*+(?:<!--.*?-->\s*+)?<(?:!doctype\s+html|html|head|body)\b", re.I | re.DOTALL
)
_XML = re.compile(r"\s*+<(?:\?xml\b|[A-Za-z][\w:.-]*+[\s/>])")
_CONFLICT = tuple(re.compile(rf"^{sign}{{7}}(?: .*)?$", re.MULTILINE) for sign in "<=>")
_CONFLICT_LINE = re.compile(r"[<>|]{7}(?: |$)|={7}$")
_FIRST_LINE = re.compile(r"\s*+(?:#.*\s*+)*+(.*)")
_YAML = re.compile(r"---\s*$|(?:- )?[A-Za-z_][\w .-]*:(?:\s|$)|- \S")
_HEADING = re.compile(r"#{1,6} \S")
_WORDS = re.compile(r"(?!(?:true|false|null|nan|infinity|none)\b)[^\W\d_]", re.IGNORECASE)
_CSV_TITLE = re.compile(r"[\w .-]{1,40}")
_CSV_SIGNS = ",;\t|"


class Foreign(NamedTuple):
    """What a file is, as in ``this is CSV``, what to do about it, and the line that shows it."""

    what: str
    hint: str
    line: int = 1


def foreign_data(data: bytes) -> Foreign | None:
    """Recognise a file by how its first bytes must be; None for one that may be a text of ours."""
    return next(
        (Foreign(what, hint) for start, what, hint in _SIGNATURES if data.startswith(start)), None
    )


def foreign_page(text: str) -> Foreign | None:
    """Recognise what no list of lines is: a page of the web, or a merge that is not settled."""
    if _PAGE.match(text):
        return Foreign(
            "HTML, a page of the web", "it may be the error page of a download: get the file again"
        )
    places = [0]
    for mark in _CONFLICT:
        found = mark.search(text, places[-1])
        if found is None:
            return None
        places.append(found.start())
    return Foreign(
        "a file with conflict marks of a merge",
        "settle the conflict, and remove the lines <<<<<<<, ======= and >>>>>>>",
        text.count("\n", 0, places[1]) + 1,
    )


def foreign_text(text: str) -> Foreign | None:
    """Recognise a text that is no JSON; None where it may be JSON with a mistake in it."""
    text = text.removeprefix(_BOM)
    found = foreign_page(text)
    if found is not None:
        return found
    first = _first_line(text)
    if _XML.match(first):
        return Foreign("XML", _CONVERT)
    if _YAML.match(first):
        return Foreign("YAML", _CONVERT)
    if _is_csv(text):
        return Foreign("CSV", f'{_CONVERT}, such as [{{"id": "1", "text": "…"}}, …]')
    if _HEADING.match(text.lstrip()):
        return Foreign("Markdown", "a folder of such pages can be opened, not a page")
    return Foreign("a plain text", _CONVERT) if _WORDS.match(first) else None


def foreign_file(path: Path) -> Foreign | None:
    """Recognise a file of an unknown kind by its head; None where nothing is known of it."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return None
    try:
        # The last character may be cut in two.
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        text = "\0"
    return foreign_data(head) or (foreign_text(text) if "\0" not in text else None)


def is_conflict_line(line: str) -> bool:
    """Tell whether a line is one that a merge leaves around what it could not settle."""
    return _CONFLICT_LINE.match(line) is not None


def _first_line(text: str) -> str:
    """Return the first line that is neither blank nor a comment of YAML."""
    found = _FIRST_LINE.match(text)
    return found[1] if found else ""


def _is_csv(text: str) -> bool:
    """Tell whether a line of short titles is followed by one of as many values."""
    lines = list(islice((line for line in text[:_HEAD_BYTES].splitlines() if line.strip()), 2))
    for sign in _CSV_SIGNS:
        rows = list(csv.reader(lines, delimiter=sign))
        if len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1:
            return all(map(_CSV_TITLE.fullmatch, rows[0]))
    return False
