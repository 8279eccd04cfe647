"""What opening a faulty graph tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.errors import Code
from core.io.findings import FileRefused
from core.opening.opening import check_path, open_path

if TYPE_CHECKING:
    from pathlib import Path


def test_opening_a_faulty_graph_tells_all_that_a_check_finds(tmp_path: Path) -> None:
    path = tmp_path / "faulty.graph.json"
    path.write_text(
        json.dumps(
            {
                "start_node": "nowhere",
                "nodes": [
                    {
                        "name": "a",
                        "type": "Retrieve",
                        "params": {
                            "embedded_string_storage": "missing.json",
                            "top_k": 0,
                            "found_exit": "b",
                        },
                    }
                ],
            }
        )
    )
    with pytest.raises(FileRefused) as refused:
        open_path(path)
    assert refused.value.findings == check_path(path)
    assert {finding.code for finding in refused.value.findings} >= {
        Code.GraphCompilationFailed,
        Code.InvalidParamValue,
        Code.StorageFileNotFound,
    }
