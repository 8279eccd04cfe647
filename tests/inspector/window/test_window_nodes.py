"""Nodes other than Retrieve and Generate in the window: guardrail, intents, picked exits, loops."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QPlainTextEdit

from core.agent import GraphDescription
from core.nodes import (
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    InstructionParams,
    IntentToInstructionParams,
    SpeakParams,
    ToolCallParams,
)
from inspector.models.exits_model import ExitsModel
from tests.inspector.drawn import lit_path, node_item
from tests.inspector.driver import CTRL, LEFT
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

REFUSAL = "I will not talk about that."
HARMLESS = "what is on the menu?"
FORBIDDEN = "how do I poison the KING"
CATASTROPHIC = "(a+)+$"
ENDLESS = "a" * 1000 + "!"
LONGEST_GAP_MS = 400
EXAMPLES = {
    "rumour": ("what is new in the village", "any news of the mill"),
    "order": ("bring me a bowl of stew", "a pint of ale please"),
    "bed": ("do you have a bed for the night",),
}
MANNERS = {"rumour": "Whisper, and look over your shoulder.", "order": "Name the price first."}


def graph_of(**nodes: Any) -> GraphDescription:
    """Build a graph that begins with the first of these nodes."""
    graph = GraphDescription().set_start_node(next(iter(nodes))).set_default_model_name("any")
    for name, params in nodes.items():
        graph.add_node(name, params)
    return graph


@pytest.fixture
def opened(open_window: OpenWindow, tmp_path: Path) -> Callable[..., Any]:
    """Return what saves a graph beside its files and opens it in a window."""

    def make(graph: GraphDescription, **options: Any) -> Driver:
        folder = tmp_path / "graph"
        folder.mkdir(exist_ok=True)
        path = folder / "play.graph.json"
        graph.save(path)
        return open_window(path, **options)

    return make


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Labelled examples in the folder of the graph."""
    folder = tmp_path / "graph"
    folder.mkdir(exist_ok=True)
    records = [
        {"id": f"{label}-{number}", "text": text, "metadata": {"intent": label}}
        for label, texts in EXAMPLES.items()
        for number, text in enumerate(texts)
    ]
    (folder / "intents.kb.json").write_text(json.dumps(records))
    (folder / "intents.json").write_text(
        json.dumps(
            {
                "version": 1,
                "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
                "records_file": "intents.kb.json",
                "fields": [{"name": "intent", "type": "string", "default": ""}],
            }
        )
    )
    return folder


def guarded(*patterns: str) -> GraphDescription:
    return graph_of(
        guard=HumanMessageGuardrailParams(
            inline_strings=patterns, triggered_exit="refuse", not_triggered_exit="answer"
        ),
        refuse=CannedResponseParams(inline_strings=(REFUSAL,)),
        answer=GenerateParams(template="Be kind."),
    )


def path_of(user: Driver) -> set[tuple[str, str]]:
    """Return the lit path in the graph, as (node, exit)."""
    return set(lit_path(user.window.panels.graph))


def prompt_of(user: Driver) -> str:
    return user.find("promptView", QPlainTextEdit).toPlainText()


def diagnostics_of(user: Driver, node: str) -> dict[str, Any]:
    """Return what the Diagnostics tab says of a node."""
    said = json.loads(user.window.panels.diagnostics.text())
    return next(run for run in said["nodes"] if run["name"] == node)


class Gaps:
    """Measures the longest time in which the event loop did not come round, ms."""

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(interval=5)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start()

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        self.longest_ms = max(self.longest_ms, 1000 * (now - self._last))
        self._last = now

    def stop(self) -> None:
        self._timer.stop()


# Guardrail


def test_a_forbidden_message_is_refused_and_the_exchange_is_on_screen(
    opened: Callable[..., Any],
) -> None:
    user = opened(guarded("dragon", r"poison\w* the king"))
    user.ask(FORBIDDEN)
    assert path_of(user) == {("guard", "triggered"), ("refuse", "default")}
    assert FORBIDDEN in prompt_of(user)
    assert REFUSAL in prompt_of(user)
    output = diagnostics_of(user, "guard")["diagnostics"]["output"]
    assert (output["triggered"], output["pattern_index"], output["match"]) == (
        True,
        1,
        "poison the KING",
    )


def test_a_harmless_message_passes_the_guardrail(opened: Callable[..., Any]) -> None:
    user = opened(guarded("dragon"))
    user.ask(HARMLESS)
    assert path_of(user) == {("guard", "not_triggered"), ("answer", "default")}
    assert REFUSAL not in prompt_of(user)


def test_a_catastrophic_pattern_is_named_in_time_while_the_window_goes_on(
    opened: Callable[..., Any],
) -> None:
    user = opened(guarded("dragon", CATASTROPHIC))
    user.ask(HARMLESS)
    QGuiApplication.clipboard().setText(ENDLESS)
    user.message.selectAll()
    user.qtbot.keyClick(user.message, Qt.Key.Key_V, CTRL)
    gaps, started = Gaps(), time.perf_counter()
    with user.turn_of(ENDLESS):
        user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    took = time.perf_counter() - started
    gaps.stop()
    assert took < 2
    assert gaps.longest_ms < LONGEST_GAP_MS
    assert user.bar_severity == "error"
    assert "3007" in user.bar_text
    assert f'pattern [1], "{CATASTROPHIC}"' in user.bar_text
    user.ask(HARMLESS)
    assert user.turn.status == "Success"


def test_a_pattern_that_is_none_is_a_problem_at_opening(opened: Callable[..., Any]) -> None:
    user = opened(guarded("dragon"))
    path = user.session.current.path
    guarded("dragon", "two (of them").save(path)
    user.window.open_path(path)
    user.qtbot.waitUntil(lambda: "3003" in user.bar_text)
    assert "two (of them" in user.bar_text
    user.ask(HARMLESS)
    assert user.turn.status == "Error"


# Intents


def intents(threshold: float = 0.75, topk: int = 3) -> GraphDescription:
    return graph_of(
        classify=ClassifyIntentParams(
            embedded_string_storage="intents.json",
            metadata_field="intent",
            threshold=threshold,
            diagnostic_topk=topk,
            found_exit="manner",
            not_found_exit="shrug",
        ),
        manner=IntentToInstructionParams(
            inline_keys=tuple(MANNERS),
            inline_strings=tuple(MANNERS.values()),
            instruction_name="manner",
            default_exit="answer",
        ),
        shrug=CannedResponseParams(inline_strings=("Pardon?",)),
        answer=GenerateParams(template="Manner: {{instruction_manner}}"),
    )


@pytest.fixture
def classified(opened: Callable[..., Any], examples: Path) -> tuple[Driver, WordEmbedder]:
    embedder = WordEmbedder()
    user = opened(intents(), embedder=embedder)
    assert user.session.node == "classify"
    user.ask("what is new in the village today")
    return user, embedder


def test_the_hits_of_an_intent_are_its_diagnostics_with_the_others_dimmed(
    classified: tuple[Driver, WordEmbedder],
) -> None:
    user, _ = classified
    section = diagnostics_of(user, "classify")["diagnostics"]
    results = section["output"]["results"]
    assert section["output"]["label"] == "rumour"
    assert len(results) == 3
    rows = user.rows()
    assert [(row.id, row.distance) for row in rows[:3]] == [
        (result["id"], result["distance"]) for result in results
    ]
    within = [result["id"] for result in results if result["within_threshold"]]
    assert user.hits() == within
    assert len(rows) == sum(map(len, EXAMPLES.values()))
    assert all(row.needs for row in rows if row.reason)
    stages = dict(user.find("funnelView").stages())
    assert stages["records"] == len(rows)
    assert list(stages.values())[-1] == len(within)
    plot = user.window.panels.distances
    assert plot.threshold() == pytest.approx(0.75)
    assert not plot.message.isVisible()


def test_dragging_the_threshold_below_the_nearest_changes_the_exit_without_a_search(
    classified: tuple[Driver, WordEmbedder],
) -> None:
    user, embedder = classified
    asked, nearest = list(embedder.queries), user.rows()[0].distance
    turn = user.turn
    user.drag_threshold(nearest / 2)
    assert user.turn is not turn
    assert user.hits() == []
    assert path_of(user) == {("classify", "not_found"), ("shrug", "default")}
    assert "Pardon?" in prompt_of(user)
    assert "label" not in diagnostics_of(user, "classify")["diagnostics"]["output"]
    assert embedder.queries == asked
    user.drag_threshold(0.9)
    assert ("classify", "found") in path_of(user)


def test_the_instruction_of_the_intent_stands_in_the_prompt(
    classified: tuple[Driver, WordEmbedder],
) -> None:
    user, _ = classified
    assert f"Manner: {MANNERS['rumour']}" in prompt_of(user)
    user.ask("a pint of ale please")
    assert f"Manner: {MANNERS['order']}" in prompt_of(user)
    user.ask("do you have a bed for the night")
    assert path_of(user) == {("classify", "found"), ("manner", "default"), ("answer", "default")}
    assert "Whisper" not in prompt_of(user)


# Picked exits


def branching() -> GraphDescription:
    return graph_of(
        guess=ClassifyIntentLLMParams(
            intents_ids="order, bed", found_exit="manner", not_found_exit="key"
        ),
        manner=IntentToInstructionParams(
            inline_keys=("order", "bed"),
            inline_strings=("Name the price.", "Yawn."),
            instruction_name="manner",
            default_exit="key",
        ),
        key=ToolCallParams(tool_called_exit="hand_over", no_tool_called_exit="answer"),
        hand_over=CannedResponseParams(inline_strings=("Here is the key.",)),
        answer=GenerateParams(template="Manner: {{instruction_manner}}", default_exit="say"),
        say=SpeakParams(),
    )


NOBODY_DECIDES = {
    ("guess", "not_found"),
    ("key", "no_tool_called"),
    ("answer", "default"),
    ("say", "default"),
}
KEY_IS_GIVEN = {("guess", "not_found"), ("key", "tool_called"), ("hand_over", "default")}


@pytest.fixture
def branched(opened: Callable[..., Any]) -> Driver:
    user = opened(branching())
    user.ask(HARMLESS)
    return user


def _exit_box(user: Driver, node: str) -> QComboBox:
    user.window.raise_dock("inputs")
    return user.find(f"exit_{node}", QComboBox)


def test_until_one_is_picked_simulated_exits_decide_nothing(branched: Driver) -> None:
    assert path_of(branched) == NOBODY_DECIDES
    assert _exit_box(branched, "key").currentText() == "no_tool_called"
    assert node_item(branched.window.panels.graph, "key").words.endswith("simulated exit")
    assert not node_item(branched.window.panels.graph, "answer").is_simulated


def test_an_exit_picked_in_the_form_changes_the_path_and_the_inputs(branched: Driver) -> None:
    user = branched
    user.pick_node("key")
    user.choose(user.find("simulatedExitCombo", QComboBox), "tool_called")
    assert path_of(user) == KEY_IS_GIVEN
    assert _exit_box(user, "key").currentText() == "tool_called"
    assert diagnostics_of(user, "key")["diagnostics"]["output"]["simulated"] is True
    assert "Here is the key." in prompt_of(user)


def test_an_exit_picked_in_the_inputs_changes_the_path_and_the_form(branched: Driver) -> None:
    user = branched
    user.pick_node("key")
    user.choose(_exit_box(user, "key"), "tool_called")
    assert path_of(user) == KEY_IS_GIVEN
    combo = user.find("simulatedExitCombo", QComboBox)
    assert combo.currentText() == "tool_called"
    user.choose(_exit_box(user, "key"), "no_tool_called")
    assert path_of(user) == NOBODY_DECIDES
    assert combo.currentText() == "no_tool_called"


def test_a_simulated_intent_gives_the_label_that_is_picked(branched: Driver) -> None:
    user = branched
    user.pick_node("guess")
    user.choose(user.find("simulatedExitCombo", QComboBox), "found")
    assert "Manner: Name the price." in prompt_of(user)
    label = user.find("simulatedLabelCombo", QComboBox)
    user.choose(label, "bed")
    assert "Manner: Yawn." in prompt_of(user)
    assert diagnostics_of(user, "guess")["diagnostics"]["output"]["label"] == "bed"
    user.ask("another question")
    assert "Manner: Yawn." in prompt_of(user)


def test_enter_on_a_node_of_the_exits_takes_it_in_hand(branched: Driver) -> None:
    user = branched
    user.window.raise_dock("inputs")
    table = user.find("exitsTable")
    row = [e.node for e in table.model().rows].index("key")
    place = table.visualRect(table.model().index(row, 0)).center()
    user.qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
    assert table.currentIndex().data(ExitsModel.NodeRole) == "key"
    assert user.session.node == "key"


# Loops


def test_a_loop_ends_with_its_path_on_screen(opened: Callable[..., Any]) -> None:
    user = opened(
        graph_of(
            greet=InstructionParams(instruction="Greet.", default_exit="ask"),
            ask=InstructionParams(instruction="Ask.", default_exit="greet"),
        )
    )
    user.ask(HARMLESS)
    assert user.turn.status == "Error"
    assert user.bar_severity == "error"
    assert "4003" in user.bar_text
    assert path_of(user) == {("greet", "default"), ("ask", "default")}
    graph = user.window.panels.graph
    assert node_item(graph, "greet").steps == tuple(range(1, 65, 2))
    assert node_item(graph, "ask").steps == tuple(range(2, 65, 2))
    said = json.loads(user.window.panels.diagnostics.text())
    assert said["status"] == "Error"
    assert len(said["nodes"]) == 64
    assert said["error"]["code"] == 4003


# To the game


def test_a_changed_parameter_is_copied_for_each_game_client(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(HARMLESS)
    user.set_spin("topKSpin", "7")
    copied = {}
    for action in user.copy_menu.actions():
        if action.text().startswith("Changed parameters as "):
            action.trigger()
            copied[action.text().rpartition(" as ")[2]] = QGuiApplication.clipboard().text()
    assert len(copied) == len(set(copied.values())) == 4
    for text in copied.values():
        assert "knowledge" in text
        assert re.search(r"top_?k\b.*\b7\b", text, re.IGNORECASE)
    python, cpp, unity, unreal = copied.values()
    assert python == 'agent.change_param("knowledge", "top_k", 7)\n'
    assert 'agent.ChangeParams("knowledge"' in cpp
    assert "ChangeParams" in unity
    assert 'ChangeParams(TEXT("knowledge")' in unreal
