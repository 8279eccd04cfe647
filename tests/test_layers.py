"""What the layers of `pyproject.toml` leave open: circles of files, and what an import loads."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import grimp
import pytest

if TYPE_CHECKING:
    from pathlib import Path

MODULES = """
import importlib, pkgutil, sys
import core
for module in pkgutil.walk_packages(core.__path__, "core."):
    importlib.import_module(module.name)
heavy = {"PySide6", "shiboken6", "pyqtgraph", "torch", "sentence_transformers", "transformers",
         "bm25s", "numba", "inspector"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.slow
def test_importing_all_of_core_loads_neither_qt_nor_torch(repo: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MODULES], cwd=repo, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["core", "inspector"])
def test_no_two_files_import_each_other_in_a_circle(package: str) -> None:
    graph = grimp.build_graph(package, cache_dir=None)  # with the imports that only types need
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    left = set(imported)
    while free := {module for module in left if not imported[module] & left}:
        left -= free
    assert sorted(left) == []
