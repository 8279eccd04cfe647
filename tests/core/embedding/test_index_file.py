"""Why a file is no prebuilt index."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from core.embedding.index_file import fault_of_index, read_index_header

if TYPE_CHECKING:
    from pathlib import Path

ROWS = struct.pack("<2I", 50, 32) + bytes(range(1, 33)) * 10
HNSW = struct.pack("<6Q2i3Qd", 0, 5, 5, 172, 164, 132, 1, 0, 16, 32, 16, 0.3)


@pytest.mark.parametrize(
    ("content", "fault", "hint"),
    [
        (b"", "it is empty", ""),
        (ROWS, "it is cut short: it has 328 bytes only", ""),
        (ROWS[:5], "it is cut short: it has 5 bytes only", ""),
        (HNSW, f"it is cut short: it has {len(HNSW)} bytes only", ""),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "it is a Git LFS pointer, not the file itself",
            "fetch the file: git lfs pull",
        ),
        (b"<html>404 Not Found</html>" * 9, "it is HTML, a page of the web", "error page"),
        (b'{"vectors": []}' * 9, "it is JSON", ""),
        (b"\xff\x00\xfe" * 99, "it is no vector index", "build it with USearch"),
    ],
)
def test_a_file_that_is_no_index_is_called_what_it_is(
    tmp_path: Path, content: bytes, fault: str, hint: str
) -> None:
    path = tmp_path / "k.usearch"
    path.write_bytes(content)
    assert read_index_header(path) is None
    said, advice = fault_of_index(path)
    assert said == fault
    assert hint in advice


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    assert "cannot be read" in fault_of_index(tmp_path / "missing")[0]
