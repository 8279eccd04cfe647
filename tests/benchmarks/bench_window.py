"""How the window keeps up: moves, gaps of the event loop, start, memory.

``python tests/benchmarks/bench_window.py --wordnet DIR`` where DIR is what ``build_wordnet.py``
wrote. DIR is copied first, with the vectors and indexes in it. What is missing there is made, which
takes minutes for all of it; ``--limit N`` uses the first N records. Every part runs in a process of
its own, offscreen unless QT_QPA_PLATFORM says otherwise. Times are milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QAbstractButton

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtWidgets import QApplication

    from inspector.window.main_window import MainWindow

REPO = Path(__file__).resolve().parents[2]
MOVES = 200
QUESTIONS = ("small fish that lives in warm water", "a bird of prey", "who discovered the electron")
GOALS = {"move": 16.0, "gap": 100.0, "window": 1000.0, "lexical": 1500.0, "memory": 1.3}


# The window, from inside its process


class Bench:
    """One window in this process, and ways to wait for it."""

    def __init__(self) -> None:
        self.began = float(os.environ.get("BENCH_BEGAN", time.time()))
        from PySide6.QtWidgets import QApplication

        self.app: Any = QApplication.instance() or QApplication(sys.argv[:1])
        from inspector.__main__ import build_window

        self.window: MainWindow = build_window()
        self.window.keeps_state = False
        self.window.resize(1280, 800)
        self.window.layout_of_docks.arrange()
        self.window.show()

    def since_start_ms(self) -> float:
        return 1000 * (time.time() - self.began)

    def wait(self, condition: Callable[[], object], limit_s: float = 3600) -> None:
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        poll = QTimer()
        poll.setInterval(2)
        poll.timeout.connect(lambda: loop.quit() if condition() else None)
        poll.start()
        QTimer.singleShot(int(limit_s * 1000), loop, lambda: sys.exit("too late"))
        loop.exec()
        poll.stop()

    def open(self, path: Path) -> None:
        self.window.open_path(path)
        self.wait(lambda: self.window.session.graph is not None)

    def is_idle(self) -> bool:
        return not any(
            self.window.jobs.is_busy(lane) for lane in ("open", "turn", "index", "check")
        )

    def ask(self, message: str) -> None:
        shown: list[object] = []
        self.window.turnShown.connect(shown.append)
        self.window.panels.query.set_message(message)
        self.window.session.run(message)
        self.wait(lambda: shown)
        self.window.turnShown.disconnect(shown.append)

    def close(self) -> None:
        self.window.close_at_once()


def _memory(processes: Sequence[int]) -> dict[str, float]:
    """Resident memory of processes, GiB: all of it, and without pages mapped from files."""
    totals = {"rss": 0, "anonymous": 0, "shared once": 0}
    for pid in processes:
        status = Path(f"/proc/{pid}/status").read_text()
        values = {
            line.split(":")[0]: int(line.split()[1])
            for line in status.splitlines()
            if line.startswith(("VmRSS", "RssAnon"))
        }
        totals["rss"] += values["VmRSS"]
        totals["anonymous"] += values["RssAnon"]
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        totals["shared once"] += next(
            int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")
        )
    return {name: kib / 2**20 for name, kib in totals.items()}


def _children() -> list[int]:
    return [
        int(pid)
        for task in Path("/proc/self/task").glob("*/children")
        for pid in task.read_text().split()
    ]


# Part: moves


def part_moves(folder: Path) -> dict[str, Any]:
    """From a slider's new value to the paint of what shows it, per kind of move."""
    bench = Bench()
    bench.open(folder / "wordnet.json")
    bench.wait(bench.is_idle)
    bench.ask(QUESTIONS[0])
    _settle(bench.app)
    found = bench.window.session.turn.runs[0].retrieval.selection.candidates
    nearest = found.dense.distances[found.dense.rows[:400]]
    mover = _Mover(bench)
    results: dict[str, Any] = {"records": found.record_count, "index": bool(found.dense.from_index)}
    sweep = np.linspace(float(nearest[0]) - 0.01, float(nearest[-1]) + 0.01, MOVES)
    back_and_forth = np.concatenate([np.arange(1, MOVES // 2 + 1), np.arange(MOVES // 2, 0, -1)])
    for mode in ("Dense", "Hybrid"):
        mover.click(f"mode{mode}")
        for top_k in (20, 200):
            mover.set("topKSlider", top_k)
            results[f"{mode}: threshold, top_k {top_k}"] = mover.times(
                "thresholdSlider", [round(1000 * value) for value in sweep]
            )
        mover.set("thresholdSpin", 0)
        results[f"{mode}: top_k 1 to {MOVES // 2}, no threshold"] = mover.times(
            "topKSlider", back_and_forth.tolist()
        )
        mover.set("topKSlider", 20)
    results["modes in turn"] = mover.clicks(
        [("modeDense", "modeLexical", "modeHybrid")[n % 3] for n in range(MOVES)]
    )
    bench.close()
    return results


def _settle(app: QApplication) -> None:
    for _ in range(20):
        app.processEvents()


class _Mover:
    """Moves one control and waits until all that shows the result has been painted."""

    def __init__(self, bench: Bench) -> None:
        from PySide6.QtCore import QEvent, QObject

        self.bench = bench
        self.shown = 0
        bench.window.turnShown.connect(self._on_shown)
        painted = self.painted = {"hitsTable": 0, "funnelView": 0, "distancePlot": 0}

        class Filter(QObject):
            """Counts paint events of the parts that show a result."""

            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint:
                    painted[watched.property("benchName")] += 1
                return False

        self._filter = Filter()
        for name in painted:
            widget = self.find(name)
            target = widget.viewport() if hasattr(widget, "viewport") else widget
            target.setProperty("benchName", name)
            target.installEventFilter(self._filter)

    def _on_shown(self, _turn: object) -> None:
        self.shown += 1

    def find(self, name: str) -> Any:
        from PySide6.QtWidgets import QWidget

        widget = self.bench.window.findChild(QWidget, name)
        assert widget is not None, name
        return widget

    def set(self, name: str, value: float) -> None:
        self.find(name).setValue(value)
        _settle(self.bench.app)

    def click(self, name: str) -> None:
        self.find(name).click()
        _settle(self.bench.app)

    def times(self, name: str, values: Sequence[int]) -> dict[str, Any]:
        slider = self.find(name)
        return self._measure([partial(slider.setValue, value) for value in values])

    def clicks(self, names: Sequence[str]) -> dict[str, Any]:
        return self._measure([self.find(name).click for name in names])

    def _measure(self, moves: Sequence[Callable[[], object]]) -> dict[str, Any]:
        taken, painted = [], 0
        for move in moves:
            shown, before = self.shown, dict(self.painted)
            started = time.perf_counter()
            move()
            # The turn counts as shown once the event loop is idle again, so after the paint.
            while self.shown == shown and time.perf_counter() - started < 0.5:
                self.bench.app.processEvents()
            self.bench.app.processEvents()
            elapsed = time.perf_counter() - started
            if self.shown > shown:
                taken.append(1000 * elapsed)
                painted += all(self.painted[name] > before[name] for name in before)
        return {"times": taken, "all painted": painted}


# Part: gaps of the event loop


class _Heart:
    """Beats as fast as the event loop lets it, and keeps the longest pauses."""

    def __init__(self, bench: Bench) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._bench = bench
        self.stage = "start"
        self._doing = ""
        self._last = time.perf_counter()
        self.gaps: list[tuple[float, str]] = []
        self.beats = 0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        bench.window.jobs.progressed.connect(self._on_progress)

    def _on_progress(self, lane: str, what: str, done: int, total: int) -> None:
        self._doing = f"{lane}: {what} {done}/{total}" if total else f"{lane}: {what}"

    def _beat(self) -> None:
        now = time.perf_counter()
        gap = 1000 * (now - self._last)
        self._last = now
        self.beats += 1
        if gap > 15:
            busy = [
                lane for lane in ("open", "turn", "index") if self._bench.window.jobs.is_busy(lane)
            ]
            doing = self._doing if busy else "idle"
            self.gaps.append((gap, f"{self.stage} · {doing} · busy: {', '.join(busy) or '–'}"))

    def stop(self) -> dict[str, Any]:
        self._timer.stop()
        self._beat()
        return {"gaps": sorted(self.gaps, reverse=True)[:12], "beats": self.beats}


def part_gaps(folder: Path) -> dict[str, Any]:
    """From the window on screen to the end: opening, loading, indexing, asking, typing, closing."""
    bench = Bench()
    bench.wait(lambda: bench.window.isVisible())
    heart = _Heart(bench)
    heart.stage = "open"
    bench.open(folder / "wordnet.json")
    heart.stage = "first question"
    bench.ask(QUESTIONS[0])
    heart.stage = "indexing"
    bench.wait(bench.is_idle)
    heart.stage = "questions"
    for question in QUESTIONS:
        bench.ask(question)
    heart.stage = "typing"
    _type(bench, "a large grey animal with a trunk")
    heart.stage = "filter"
    bench.window.session.edit_param(
        "filter", '{"op": "eq", "lhs": {"knowledge": "pos"}, "rhs": {"value": "noun"}}'
    )
    bench.wait(bench.is_idle)
    heart.stage = "modes"
    for mode in ("Lexical", "Hybrid", "Dense"):
        bench.window.panels.parameters.findChild(QAbstractButton, f"mode{mode}").click()
        _settle(bench.app)
    heart.stage = "closing"
    bench.close()
    return heart.stop()


def _is_past(moment: float) -> bool:
    return time.perf_counter() > moment


def _type(bench: Bench, text: str) -> None:
    """Type at a fast typist's pace, live."""
    from PySide6.QtTest import QTest

    edit = bench.window.panels.query.edit
    edit.clear()
    for letter in text:
        QTest.keyClicks(edit, letter)
        until = time.perf_counter() + 0.06
        bench.wait(partial(_is_past, until))
    bench.wait(bench.is_idle)


# Part: start and memory


def part_start(folder: Path) -> dict[str, Any]:
    """From the start of the process to the window and to a first Lexical result."""
    bench = Bench()
    bench.app.processEvents()
    result = {"window": bench.since_start_ms()}
    bench.window.open_path(folder / "lexical.graph.json")
    bench.wait(lambda: bench.window.session.graph is not None)
    result["opened"] = bench.since_start_ms()
    bench.ask(QUESTIONS[0])
    result["lexical"] = bench.since_start_ms()
    assert bench.window.panels.hits.model.hit_count
    bench.close()
    return result


def part_memory(folder: Path) -> dict[str, Any]:
    """With everything loaded, and after some questions."""
    bench = Bench()
    bench.open(folder / "wordnet.json")
    bench.wait(bench.is_idle)
    for question in QUESTIONS:
        bench.ask(question)
    own, children = os.getpid(), _children()
    result = {
        "both": _memory([own, *children]),
        "window": _memory([own]),
        "model": _memory(children),
    }
    bench.close()
    return result


PARTS = {"moves": part_moves, "gaps": part_gaps, "start": part_start, "memory": part_memory}


# The benchmark, from outside


def _run_part(name: str, folder: Path) -> dict[str, Any]:
    env = (
        {"QT_QPA_PLATFORM": "offscreen"}
        | os.environ
        | {
            "BENCH_BEGAN": repr(time.time()),
            "INSPECTOR_CONFIG_DIR": str(folder / "config"),
            "INSPECTOR_CACHE_DIR": str(folder / "cache"),
        }
    )
    done = subprocess.run(
        [sys.executable, __file__, "--part", name, "--wordnet", str(folder)],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _prepare(source: Path, folder: Path, limit: int) -> None:
    """Copy the store, or its first records, and put a Lexical graph beside it."""
    config = json.loads((source / "wordnet.json").read_text(encoding="utf-8"))
    records = folder / config["records_file"]
    if limit:
        kept = json.loads((source / config["records_file"]).read_text(encoding="utf-8"))[:limit]
        records.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
        shutil.copy(source / "wordnet.json", folder)
    else:
        for path in source.glob("wordnet.*"):
            if not path.name.endswith(".kg.json"):
                shutil.copy(path, folder)
    (folder / "lexical.graph.json").write_text(
        json.dumps(
            {
                "version": 1,
                "start_node": "knowledge",
                "nodes": [
                    {
                        "name": "knowledge",
                        "type": "Retrieve",
                        "params": {
                            "embedded_string_storage": "wordnet.json",
                            "retrieval_mode": "Lexical",
                        },
                    }
                ],
            }
        )
    )


def _percentiles(times: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{np.percentile(times, q):.1f}" for q in (50, 95, 99, 100))


def _report_moves(folder: Path) -> None:
    moves = _run_part("moves", folder)
    print(
        f"\nA control moved → all painted, {MOVES} moves each, {moves.pop('records'):,} records, "
        f"{'index' if moves.pop('index') else 'exact scan'}, ms; goal p95 ≤ {GOALS['move']:.0f}"
    )
    print_table(
        [
            (what, *_percentiles(told["times"]), str(len(told["times"])), str(told["all painted"]))
            for what, told in moves.items()
        ],
        ("what moved", "p50", "p95", "p99", "max", "turns", "all three parts painted"),
    )


def _report_gaps(title: str, folder: Path) -> None:
    told = _run_part("gaps", folder)
    print(
        f"\nLongest gaps of the event loop, {title}, ms; goal ≤ {GOALS['gap']:.0f} "
        f"({told['beats']:,} beats)"
    )
    print_table([(f"{gap:.0f}", what) for gap, what in told["gaps"]], ("gap", "during"))


def _report_start(folder: Path, times: int) -> None:
    told = [_run_part("start", folder) for _ in range(times)]
    print(f"\nFrom the start of the process, best and median of {times}, ms")
    print_table(
        [
            (
                what,
                f"{min(t[key] for t in told):.0f}",
                f"{np.median([t[key] for t in told]):.0f}",
                goal,
            )
            for what, key, goal in (
                ("window on screen", "window", f"≤ {GOALS['window']:.0f}"),
                ("records open", "opened", ""),
                ("first Lexical result", "lexical", f"≤ {GOALS['lexical']:.0f}"),
            )
        ],
        ("until", "best", "median", "goal"),
    )


def _report_memory(folder: Path) -> None:
    told = _run_part("memory", folder)
    print(f"\nMemory with the model loaded, GiB; goal ≤ {GOALS['memory']}")
    print_table(
        [
            (who, *(f"{values[kind]:.2f}" for kind in ("rss", "shared once", "anonymous")))
            for who, values in told.items()
        ],
        ("process", "resident", "shared pages once", "without files"),
    )


def _stores(source: Path, limit: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bench_window_") as name:
        folder = Path(name)
        _prepare(source, folder, limit)
        yield folder


def main() -> None:
    """Run all parts, or the one that a parent process asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", required=True, type=Path)
    parser.add_argument("--limit", type=int, default=0, help="use the first N records")
    parser.add_argument("--only", choices=("moves", "gaps", "start", "memory"))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(PARTS[options.part](options.wordnet)))
        return
    for folder in _stores(options.wordnet, options.limit):
        wanted = {options.only} if options.only else {"moves", "gaps", "start", "memory"}
        if "gaps" in wanted:
            _report_gaps("vectors and indexes as they are in DIR", folder)
            for suffix in (".bm25", ".hnsw", ".hnsw.head"):
                (folder / f"wordnet.json{suffix}").unlink(missing_ok=True)
            _report_gaps("both indexes built meanwhile", folder)
        if "moves" in wanted:
            _report_moves(folder)
        if "start" in wanted:
            _report_start(folder, 5)
        if "memory" in wanted:
            _report_memory(folder)


if __name__ == "__main__":
    main()
