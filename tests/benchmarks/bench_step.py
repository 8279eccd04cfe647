"""How much Python one step of the threshold slider runs: calls and files.

``python tests/benchmarks/bench_step.py`` opens a copy of the aquarium sample in the real window,
offscreen unless QT_QPA_PLATFORM says otherwise, and counts the calls of Python functions from
``spin.setValue`` until nothing is painted any more. Every step lets another number of hits in.
It uses `build_window` and object names alone, and the code of the folder it is run in, so that an
older checkout can be measured with it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from PySide6.QtWidgets import QApplication, QWidget

QUESTION = "do clownfish get along with lionfish?"
STEPS = 8
SPIN_STEP = 0.001
GOAL = 1940
IDLE_S = 0.3

Call = tuple[str, str]


class Step:
    """One window with a question answered, and one threshold after the other.

    Parameters
    ----------
    graph : the file to open.
    in_front : the title of a dock to bring to the front first, "" for none.
    """

    def __init__(self, app: QApplication, graph: Path, in_front: str = "") -> None:
        from PySide6.QtWidgets import (
            QDockWidget,
            QDoubleSpinBox,
            QLineEdit,
            QPushButton,
            QTableView,
        )

        from inspector.__main__ import build_window

        self._app = app
        self.window = build_window([graph])
        self.window.resize(1280, 800)
        self.window.show()
        self._is_shown = False
        self.window.turnShown.connect(self._on_shown)
        self._spin: Any = self._find("thresholdSpin", QDoubleSpinBox)
        self._table: Any = self._find("hitsTable", QTableView)
        if in_front:
            dock = next(
                d for d in self.window.findChildren(QDockWidget) if d.windowTitle() == in_front
            )
            dock.show()
            dock.raise_()
        self._find("messageEdit", QLineEdit).setText(QUESTION)
        self._find("runButton", QPushButton).click()
        self.wait()
        self._settle()

    def _on_shown(self, _turn: object) -> None:
        self._is_shown = True

    def _find(self, name: str, kind: type[QWidget]) -> Any:
        found: list[Any] = self.window.findChildren(kind, name)
        if len(found) != 1:
            raise LookupError(f"{len(found)} widgets are called {name}")
        return found[0]

    def wait(self) -> None:
        """Wait until a turn is on screen."""
        from PySide6.QtCore import QEventLoop

        while not self._is_shown:
            self._app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)

    def _settle(self) -> None:
        """Let everything be painted that is due, delayed work included."""
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        QTimer.singleShot(round(1000 * IDLE_S), loop, loop.quit)
        loop.exec()

    def thresholds(self) -> Iterator[float]:
        """Yield thresholds up and down, each of which lets another number of records in."""
        self._spin.setValue(0.0)
        self._settle()
        model = self._table.model()
        found = sorted(
            model.index(row, 0).data(type(model).DistanceRole) for row in range(self.hits())
        )
        between = [
            (one + other) / 2 for one, other in pairwise(found) if other - one > 2 * SPIN_STEP
        ]
        return cycle([*between, *between[-2:0:-1]])

    def hits(self) -> int:
        """Return how many rows are hits."""
        model = self._table.model()
        role = type(model).ReasonRole
        return sum(not model.index(row, 0).data(role) for row in range(model.rowCount()))

    def count(self, threshold: float) -> Counter[Call]:
        """Make a step; return how often each function of each file was called."""
        calls: Counter[tuple[str, str]] = Counter()

        def on_event(frame: FrameType, event: str, _arg: object) -> None:
            if event == "call":
                calls[frame.f_code.co_filename, frame.f_code.co_qualname] += 1

        self._is_shown = False
        sys.setprofile(on_event)
        try:
            self._spin.setValue(threshold)
            self.wait()
            self._settle()
        finally:
            sys.setprofile(None)
        return Counter({call: n for call, n in calls.items() if call[0] != __file__})


def _is_ours(call: Call) -> bool:
    return Path(call[0]).is_relative_to(Path.cwd())


def _name(file: str) -> str:
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    return "/".join(path.parts[-3:])


def _table(title: str, counts: Counter[str], most: int) -> None:
    print(f"\n{title}")
    for name, calls in counts.most_common(most):
        print(f"  {calls:6}  {name}")


def measure(graph: Path, in_front: str) -> list[Counter[Call]]:
    """Make the steps, each with another number of hits."""
    from PySide6.QtWidgets import QApplication

    app: Any = QApplication.instance() or QApplication(sys.argv[:1])
    step = Step(app, graph, in_front)
    thresholds = step.thresholds()
    step.count(next(thresholds))
    counted, hits = [], step.hits()
    for threshold in islice(thresholds, STEPS):
        counted.append(step.count(threshold))
        if step.hits() == hits:
            raise RuntimeError(f"the step to {threshold:.4f} changed no hits")
        hits = step.hits()
    step.window.close_at_once()
    return counted


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--raise", dest="in_front", default="", metavar="TITLE")
    parser.add_argument("--most", type=int, default=20, help="lines of each list")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(Path.cwd()))
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("CACHE", "CONFIG"):
            os.environ[f"INSPECTOR_{kind}_DIR"] = str(Path(folder, kind.lower()))
        shutil.copytree(Path.cwd() / "samples" / "aquarium", Path(folder, "aquarium"))
        counted = measure(Path(folder, "aquarium", "rag.graph.json"), options.in_front)
    total: Callable[[Counter[Call]], int] = lambda calls: sum(calls.values())  # noqa: E731
    counted.sort(key=total)
    middle = counted[len(counted) // 2]
    files = {file for file, _ in middle}
    ours = Counter({call: n for call, n in middle.items() if _is_ours(call)})
    print(f"{len(counted)} steps, calls: {', '.join(str(total(calls)) for calls in counted)}")
    print(f"median {statistics.median(map(total, counted)):.0f} calls (goal: {GOAL} at most)")
    print(f"the step in the middle: {total(middle)} calls in {len(files)} files;")
    print(f"of ours {total(ours)} calls in {len({file for file, _ in ours})} files")
    by_file: Counter[str] = Counter()
    by_function: Counter[str] = Counter()
    for (file, function), calls in middle.items():
        by_file[_name(file)] += calls
        by_function[f"{_name(file)}: {function}"] += calls
    _table("by file", by_file, options.most)
    _table("by function", by_function, options.most)


if __name__ == "__main__":
    main()
