"""Fixtures for the whole suite."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from core.embedding.embedder import ModelProvider

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A worker has about one core: more threads of the model would spin, waiting for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Five thousand assertions are rewritten once, not by each worker anew, and child processes start
# from compiled modules, also where the shell says that Python keeps none.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

REPO = Path(__file__).resolve().parent.parent
LONGEST_ID = 60


def pytest_make_parametrize_id(val: object) -> str | None:
    """Shorten ids: the current test's is in the environment, which has no room for a megabyte."""
    if not isinstance(val, str) or len(val) <= LONGEST_ID:
        return None
    return f"{ascii(val[:LONGEST_ID])[1:-1]}...{len(val)}"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the real model out of the quick loop, and in one worker, which loads it once."""
    for item in items:
        if isinstance(item, pytest.Function) and "models" in item.fixturenames:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("model"))


@pytest.fixture(scope="session")
def repo() -> Path:
    """The repository's top folder."""
    return REPO


@pytest.fixture(scope="session")
def data() -> Path:
    """The files of others that the tests read, each folder with its licence."""
    return REPO / "tests" / "data"


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep caches and settings of the tests away from the user's."""
    folder = tmp_path_factory.mktemp("user")
    os.environ["INSPECTOR_CACHE_DIR"] = str(folder / "cache")
    os.environ["INSPECTOR_CONFIG_DIR"] = str(folder / "config")
    os.environ["INSPECTOR_DATA_DIR"] = str(folder / "data")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped samples, so that sidecars do not land in the repo."""
    folder = tmp_path_factory.mktemp("shipped") / "samples"
    ignore = shutil.ignore_patterns("*.bm25", "*.hnsw*", "*.vectors*")
    shutil.copytree(REPO / "samples", folder, ignore=ignore)
    return folder


@pytest.fixture(scope="session")
def models() -> ModelProvider:
    """The real embedding models, loaded once for the whole suite."""
    return ModelProvider()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data and oracles that lie outside the repo; the test is skipped where they are not."""
    folder = Path(os.environ.get("INSPECTOR_SHARED_DATA", REPO.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data is not here")
    return folder
