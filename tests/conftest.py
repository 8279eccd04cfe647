"""Fixtures for the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

REPO = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repo() -> Path:
    """The repository's top folder."""
    return REPO


@pytest.fixture(scope="session")
def samples() -> Path:
    """The shipped samples."""
    return REPO / "samples"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data and oracles that lie outside the repo; the test is skipped where they are not."""
    folder = Path(os.environ.get("INSPECTOR_SHARED_DATA", REPO.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data is not here")
    return folder
