"""What the pinned versions of PySide are pinned for."""

from __future__ import annotations

import os
import subprocess
import sys

import PySide6

SCRIPT = """
import sys
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

class Raises(QWidget):
    def sizeHint(self):
        raise ValueError("in an override")

class Innocent(QWidget):
    def sizeHint(self):
        return QSize(10, 10)

application = QApplication([])
override = Innocent.__dict__["sizeHint"]
spare = [override] * 100
before = sys.getrefcount(override)
for _ in range(5):
    window = QWidget()
    row = QHBoxLayout(window)
    row.addWidget(Raises())
    row.addWidget(Innocent())
    try:
        row.sizeHint()
    except ValueError:
        pass
print(before - sys.getrefcount(override), flush=True)
"""


def test_an_override_that_raises_costs_no_other_override_a_reference() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    version = tuple(int(part) for part in PySide6.__version__.split(".")[:2])
    lost = int(done.stdout)
    assert lost == 0, f"PySide {PySide6.__version__} frees overrides: keep it out in pyproject.toml"
    assert version < (6, 10), (
        f"PySide {PySide6.__version__} keeps its references: the cap in pyproject.toml may go"
    )
