"""What holds for every panel: size, empty and huge results, names, both themes, no Qt warning."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QWidget,
)

from core.agent.description import GraphDescription
from core.agent.history import HistoryEntry
from core.agent.turn import NodeRun, Turn
from core.errors import Code, Place
from core.io.findings import Finding, Severity
from core.knowledge.memory import MemoryStore
from core.nodes import ExpansionDepth, GenerateParams, InstructionParams, RetrieveParams
from core.nodes.walk import TurnRequest
from core.prompt.messages import DialogLine
from core.prompt.projection import Message, Projection, Span
from inspector import theme as themes
from inspector.models.exits_model import SimulatedExit
from inspector.models.workspace_model import KNOWLEDGE, OTHERS, WorkspaceEntry
from inspector.panels.details_panel import DetailsPanel
from inspector.panels.diagnostics_panel import DiagnosticsPanel
from inspector.panels.distance_panel import DistancePanel
from inspector.panels.funnel_panel import FunnelPanel
from inspector.panels.graph_panel import GraphPanel
from inspector.panels.hits_panel import HitsPanel
from inspector.panels.memory_panel import MemoryPanel
from inspector.panels.message_bar import MessageBar
from inspector.panels.parameters_panel import ParametersPanel
from inspector.panels.play_panel import PlayPanel
from inspector.panels.problems_panel import ProblemsPanel
from inspector.panels.progress_strip import ProgressStrip
from inspector.panels.prompt_panel import PromptPanel
from inspector.panels.query_bar import QueryBar
from inspector.panels.replay_panel import ReplayPanel
from inspector.panels.subgraph_panel import SubgraphPanel
from inspector.panels.turn_strip import TurnStrip
from inspector.panels.turns_panel import TurnsPanel
from inspector.panels.welcome_page import WelcomePage
from inspector.panels.workspace_panel import WorkspacePanel
from inspector.theme import spread
from tests.inspector.fixed_replays import node_replay, replay_of
from tests.inspector.fixed_results import aquarium, chosen, many, retrieval
from tests.inspector.fixed_subgraphs import walked, wide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtGui import QImage
    from pytestqt.qtbot import QtBot

    from core.retrieve.listing import Selection

HUGE_RECORDS = 50_000
LONG_TEXT = "clownfish 🐠 سمكة 魚 " * 1200
NARROWEST, LOWEST = 520, 330
"""No panel may force more than this on a window of 900×600."""

CONTROLS = (
    QAbstractButton,
    QAbstractSpinBox,
    QAbstractSlider,
    QComboBox,
    QLineEdit,
    QAbstractItemView,
    QAbstractScrollArea,
)


@dataclass(frozen=True)
class Case:
    """A panel, how it gets nothing, something and very much to show."""

    panel: type[Any]
    nothing: Callable[[Any], object]
    something: Callable[[Any], object]
    much: Callable[[Any], object]


@pytest.fixture(scope="module")
def small() -> Selection:
    return chosen(aquarium())


@pytest.fixture(scope="module")
def huge() -> Selection:
    return chosen(many(HUGE_RECORDS), top_k=1000, threshold=2.0)


def turn(selection: Selection) -> Turn:
    result = retrieval(selection)
    run = NodeRun("knowledge", "Retrieve", "found", "", params=result.params, retrieval=result)
    return Turn(TurnRequest(LONG_TEXT, {}, "knowledge"), (run,))


def findings(count: int) -> list[Finding]:
    return [
        Finding(
            Severity.ERROR if i % 2 else Severity.WARNING,
            Code.GraphCompilationFailed,
            Place(file=f"file{i}.json", line=i + 1, json_path="a.b" * 40),
            LONG_TEXT,
        )
        for i in range(count)
    ]


def graph(count: int) -> GraphDescription:
    made = GraphDescription().add_node("n0", RetrieveParams(found_exit="n1"))
    for i in range(1, count):
        made.add_node(f"n{i}", InstructionParams(default_exit=f"n{i + 1}" if i + 1 < count else ""))
    return made.set_start_node("n0")


def projection(count: int) -> Projection:
    text = "\n".join("lionfish hunt at dusk" for _ in range(count))
    spans = tuple(Span(22 * i, 22 * i + 21, 0, i) for i in range(count))
    return Projection(
        (Message("system", text, "template", spans), Message("user", LONG_TEXT, "user")),
        (),
        "model",
    )


def show_params(panel: ParametersPanel, params: RetrieveParams) -> None:
    panel.show_graph([("knowledge", "Retrieve"), ("answer", "Generate")])
    panel.show_node("knowledge", "Retrieve", params, RetrieveParams())
    panel.set_filter_status(False, "3007 InvalidParamValue: filter.syntax: at args[1].rhs: " * 3)
    panel.set_param_problem("top_k", "3007 InvalidParamValue: 1001 is out of range: 1 to 1000")


def entries(count: int) -> list[WorkspaceEntry]:
    return [
        WorkspaceEntry(
            OTHERS if i % 2 else KNOWLEDGE,
            f"{'long' * 20}{i}",
            str(Path("game") / f"{i}.json"),
            "117,659",
        )
        for i in range(count)
    ]


def show_memory(panel: MemoryPanel, stores: int, records: int) -> None:
    made = tuple(
        {
            "id": f"m{i}",
            "text": LONG_TEXT if i < 9 else "short",
            "metadata": {"place": LONG_TEXT if i < 9 else i},
        }
        for i in range(records)
    )
    panel.show_stores(
        [MemoryStore(f"store {i}", "npc", records=made if i == 0 else ()) for i in range(stores)],
        changed={"store 0"},
        written={"store 0": {"m0"}},
        schemas=["npc"],
        in_use=("store 1",),
    )
    panel.show_problem(LONG_TEXT if records > 5 else "8003 there is no such thing")


def show_play(panel: PlayPanel, count: int, text: str) -> None:
    panel.show_variables(
        {f"name{i}": text for i in range(count)},
        {f"name{2 * i}": (text,) * 3 for i in range(count)},
    )
    panel.show_exits(
        [
            SimulatedExit(f"{text[:80]}{i}", "ToolCall", ("found", text), "found")
            for i in range(min(count, 50))
        ]
    )
    panel.show_dialog(
        [DialogLine("user", text)] * count, kept=count > 0, reply=text, replies_to=text
    )


def show_replay(panel: ReplayPanel, count: int, text: str) -> None:
    listed = [(f"{text[:80]}{i}", i / (count + 1)) for i in range(count)]
    panel.show_recorded(True, text)
    panel.show_replay(
        replay_of(
            *(node_replay(listed, listed[1:], node=f"{text}{i}", changed=(text,)) for i in range(3))
        )
    )


def cases(small: Selection, huge: Selection) -> list[Case]:
    hit = huge.hits[0]
    return [
        Case(
            FunnelPanel,
            lambda p: p.show_counts(None),
            lambda p: p.show_counts(retrieval(small)),
            lambda p: p.show_counts(retrieval(huge)),
        ),
        Case(
            HitsPanel,
            lambda p: p.show_selection(None),
            lambda p: p.show_selection(small),
            lambda p: p.show_selection(huge),
        ),
        Case(
            DistancePanel,
            lambda p: p.show_selection(None),
            lambda p: p.show_selection(small),
            lambda p: p.show_selection(huge),
        ),
        Case(
            DetailsPanel,
            lambda p: p.show_hit(None),
            lambda p: p.show_hit(small.hits[0], {"level": 3}, small.score_lines(0)),
            lambda p: p.show_hit(hit, {f"field{i}": LONG_TEXT for i in range(40)}),
        ),
        Case(
            ParametersPanel,
            lambda p: p.show_graph([]),
            lambda p: show_params(p, RetrieveParams()),
            lambda p: show_params(
                p,
                RetrieveParams(
                    filter='{"op": "x"}' * 3000, top_k=1000, source=LONG_TEXT, schema=LONG_TEXT
                ),
            ),
        ),
        Case(
            PromptPanel,
            lambda p: p.show_projection(None, None),
            lambda p: p.show_projection(projection(3), GenerateParams(template="x")),
            lambda p: p.show_projection(projection(1000), GenerateParams(template=LONG_TEXT)),
        ),
        Case(
            GraphPanel,
            lambda p: p.show_graph(None),
            lambda p: p.show_graph(graph(2)),
            lambda p: p.show_graph(graph(60)),
        ),
        Case(
            SubgraphPanel,
            lambda p: p.show_result(None),
            lambda p: p.show_result(walked()),
            lambda p: p.show_result(
                walked(wide(600, LONG_TEXT[:200]), "hub", ExpansionDepth.SHALLOW)
            ),
        ),
        Case(
            DiagnosticsPanel,
            lambda p: p.show_turn(None),
            lambda p: p.show_turn(turn(small)),
            lambda p: p.show_turn(turn(huge)),
        ),
        Case(
            ProblemsPanel,
            lambda p: p.show_findings([]),
            lambda p: p.show_findings(findings(3), 3),
            lambda p: p.show_findings(findings(2000), 3),
        ),
        Case(
            TurnStrip,
            lambda p: p.say("info", ""),
            lambda p: p.say("info", "An earlier turn", [("Back", "Go back", print)]),
            lambda p: p.say(
                "error", LONG_TEXT, [("Use them", "Use", print), ("Back", "Go", print)]
            ),
        ),
        Case(
            TurnsPanel,
            lambda p: p.show_turns([], -1),
            lambda p: p.show_turns([HistoryEntry(turn(small), live=False)] * 3, 1),
            lambda p: p.show_turns([HistoryEntry(turn(huge), live=False)] * 200, 199),
        ),
        Case(
            WorkspacePanel,
            lambda p: p.show_entries([]),
            lambda p: p.show_entries(entries(3), "/x"),
            lambda p: p.show_entries(entries(2000), "/x" * 200),
        ),
        Case(
            MemoryPanel,
            lambda p: show_memory(p, 0, 0),
            lambda p: show_memory(p, 2, 5),
            lambda p: show_memory(p, 300, 10_000),
        ),
        Case(
            PlayPanel,
            lambda p: show_play(p, 0, ""),
            lambda p: show_play(p, 3, "some text"),
            lambda p: show_play(p, 500, LONG_TEXT),
        ),
        Case(
            ReplayPanel,
            lambda p: (p.show_replay(None), p.show_recorded(False, "")),
            lambda p: show_replay(p, 4, "some"),
            lambda p: show_replay(p, 1000, LONG_TEXT),
        ),
        Case(
            QueryBar,
            lambda p: p.set_message(""),
            lambda p: p.status.show_state("ready", "MiniLM ready"),
            lambda p: (p.set_message(LONG_TEXT), p.status.show_state("error", LONG_TEXT)),
        ),
        Case(
            MessageBar,
            lambda p: p.clear(),
            lambda p: p.post("warning", "no model"),
            lambda p: p.post("error", LONG_TEXT, LONG_TEXT, [("Problems", list), ("Always", list)]),
        ),
        Case(
            ProgressStrip,
            lambda p: p.finish(),
            lambda p: p.show_progress("Indexing", 1, 3, 9.0),
            lambda p: p.show_progress(LONG_TEXT, 2**40, 2**41, 1e9),
        ),
        Case(
            WelcomePage,
            lambda p: p.show_samples([]),
            lambda p: p.show_samples([("Aquarium", "120 facts", "a.json")]),
            lambda p: (
                p.show_samples([(LONG_TEXT, LONG_TEXT, "a")] * 20),
                p.show_recent([LONG_TEXT] * 200),
            ),
        ),
    ]


NAMES = (
    "FunnelPanel",
    "HitsPanel",
    "DistancePanel",
    "DetailsPanel",
    "ParametersPanel",
    "PromptPanel",
    "GraphPanel",
    "DiagnosticsPanel",
    "ProblemsPanel",
    "TurnStrip",
    "TurnsPanel",
    "WorkspacePanel",
    "SubgraphPanel",
    "MemoryPanel",
    "PlayPanel",
    "ReplayPanel",
    "QueryBar",
    "MessageBar",
    "ProgressStrip",
    "WelcomePage",
)


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest, small: Selection, huge: Selection) -> Case:
    return next(c for c in cases(small, huge) if c.panel.__name__ == request.param)


@pytest.fixture(scope="module")
def dressed(qapp: QApplication) -> Iterator[None]:
    """Give the program its style, as the window does, and take it away again."""
    themes.apply(qapp, themes.LIGHT)
    yield
    qapp.setStyleSheet("")


def made(case: Case, qtbot: Any) -> Any:
    panel = case.panel()
    qtbot.addWidget(panel)
    return panel


def shown(panel: QWidget, qtbot: Any) -> None:
    panel.show()
    qtbot.waitExposed(panel)
    QApplication.processEvents()


def is_inner(widget: QWidget) -> bool:
    """Tell the parts that Qt makes for its own controls from those that we place."""
    if isinstance(widget, QScrollBar | QHeaderView) or widget.objectName().startswith("qt_"):
        return True
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QAbstractSpinBox | QComboBox | QLineEdit):
            return True
        above = above.parentWidget()
    return False


def in_exclusive_group(widget: QWidget) -> bool:
    """Tell a button that is reached from its neighbours with the arrow keys."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive()


def mean_lightness(image: QImage) -> int:
    return (
        image.scaled(1, 1, mode=Qt.TransformationMode.SmoothTransformation)
        .pixelColor(0, 0)
        .lightness()
    )


def controls(panel: QWidget) -> list[QWidget]:
    return [
        w
        for w in [panel, *panel.findChildren(QWidget)]
        if isinstance(w, CONTROLS) and w.focusPolicy() != Qt.FocusPolicy.NoFocus and not is_inner(w)
    ]


@pytest.mark.slow
def test_a_panel_is_painted_in_light_and_dark_whatever_it_shows(
    case: Case, qtbot: QtBot, qapp: QApplication, dressed: None
) -> None:
    panel = made(case, qtbot)
    panel.resize(600, 300)
    shown(panel, qtbot)
    lightness: dict[str, list[int]] = {}
    for theme in (themes.DARK, themes.LIGHT):
        themes.apply(qapp, theme)
        spread(panel, theme)
        for show in (case.nothing, case.something, case.much):
            show(panel)
            QApplication.processEvents()
            lightness.setdefault(theme.name, []).append(mean_lightness(panel.grab().toImage()))
    assert min(lightness["light"]) > 128 > max(lightness["dark"])


@pytest.mark.slow
def test_a_panel_fits_its_minimum_size(case: Case, qtbot: QtBot, dressed: None) -> None:
    panel = made(case, qtbot)
    case.something(panel)
    shown(panel, qtbot)
    size = panel.minimumSizeHint().expandedTo(panel.minimumSize())
    assert size.width() <= NARROWEST
    assert size.height() <= LOWEST
    panel.resize(size)
    QApplication.processEvents()
    for child in panel.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if child.isVisible() and not child.isWindow():
            assert panel.rect().contains(child.geometry()), (child, child.geometry())


def test_controls_do_not_overlap_at_the_minimum_size(
    case: Case, qtbot: QtBot, dressed: None
) -> None:
    panel = made(case, qtbot)
    case.something(panel)
    shown(panel, qtbot)
    panel.resize(panel.minimumSizeHint().expandedTo(panel.minimumSize()))
    QApplication.processEvents()
    groups: dict[QWidget | None, list[QWidget]] = {}
    for widget in controls(panel):
        if widget.isVisible() and widget is not panel:
            groups.setdefault(widget.parentWidget(), []).append(widget)
    for siblings in groups.values():
        for number, one in enumerate(siblings):
            for other in siblings[number + 1 :]:
                assert not one.geometry().intersects(other.geometry()), (one, other)


def test_every_control_has_an_accessible_name(case: Case, qtbot: QtBot, dressed: None) -> None:
    panel = made(case, qtbot)
    case.something(panel)
    shown(panel, qtbot)
    nameless = [
        f"{type(w).__name__} {w.objectName()}"
        for w in controls(panel)
        if w.isVisible() and not w.accessibleName().strip()
    ]
    assert nameless == []


def test_every_button_and_input_has_a_tooltip(case: Case, qtbot: QtBot, dressed: None) -> None:
    panel = made(case, qtbot)
    case.something(panel)
    shown(panel, qtbot)
    bare = [
        f"{type(w).__name__} {w.objectName()}"
        for w in controls(panel)
        if isinstance(w, QAbstractButton | QAbstractSpinBox | QAbstractSlider | QComboBox)
        and w.isVisible()
        and not w.toolTip()
    ]
    assert bare == []


def test_every_button_and_input_is_reached_with_tab(
    case: Case, qtbot: QtBot, dressed: None
) -> None:
    panel = made(case, qtbot)
    case.something(panel)
    shown(panel, qtbot)
    unreachable = [
        f"{type(w).__name__} {w.objectName()}"
        for w in panel.findChildren(QWidget)
        if isinstance(
            w, QAbstractButton | QAbstractSpinBox | QAbstractSlider | QComboBox | QLineEdit
        )
        and not is_inner(w)
        and w.isVisible()
        and w.isEnabled()
        and not w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not in_exclusive_group(w)
    ]
    assert unreachable == []


@pytest.mark.slow
def test_a_panel_goes_from_much_to_nothing_and_back(
    case: Case, qtbot: QtBot, dressed: None
) -> None:
    panel = made(case, qtbot)
    panel.resize(500, 260)
    shown(panel, qtbot)
    for show in (case.much, case.nothing, case.something, case.much, case.nothing):
        show(panel)
        QApplication.processEvents()
    assert not panel.grab().isNull()


def test_every_panel_of_the_package_is_checked_here(repo: Path) -> None:
    files = {path.stem for path in (repo / "inspector" / "panels").glob("*.py")} - {"__init__"}
    checked = {
        "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_") for name in NAMES
    }
    assert files == checked
