"""The parameters panel: shows without emitting, edits, refusals, locks, other nodes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QToolButton,
)

from core.errors import Code, InspectorError
from core.nodes import (
    NODE_TYPES,
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    GenerateParams,
    InstructionParams,
    KnowledgeSourceKind,
    Placement,
    RetrievalMode,
    RetrieveParams,
    SelectionStrategy,
    ToolCallParams,
    WriteToMemoryParams,
)
from inspector.forms.form import Form
from inspector.panels.parameters_panel import ParametersPanel
from inspector.theme import DARK, spread

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from core.nodes import NodeParams
    from inspector.widgets.fields import Choice

BASE = RetrieveParams(
    embedded_string_storage="fish.json",
    top_k=3,
    threshold=0.6,
    found_exit="answer",
    not_found_exit="refuse",
)
NODES = [
    ("knowledge", "Retrieve"),
    ("answer", "Generate"),
    ("refuse", "CannedResponse"),
    ("voice", "Instruction"),
    ("intent", "ClassifyIntent"),
]


@pytest.fixture
def panel(qtbot: QtBot) -> ParametersPanel:
    widget = ParametersPanel()
    qtbot.addWidget(widget)
    widget.resize(290, 720)
    widget.show_graph(NODES)
    widget.show_node("knowledge", "Retrieve", BASE, BASE)
    widget.show()
    return widget


def edits_of(panel: ParametersPanel) -> tuple[list[Any], list[Any]]:
    edits: list[Any] = []
    finished: list[Any] = []
    panel.param_edited.connect(lambda name, value: edits.append((name, value)))
    panel.param_edit_finished.connect(finished.append)
    return edits, finished


def find(panel: ParametersPanel, kind: type[Any], name: str) -> Any:
    found = panel.findChild(kind, name)
    assert found is not None, name
    return found


def texts_of(panel: ParametersPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (QComboBox, "nodeCombo"),
        (QPushButton, "modeDense"),
        (QPushButton, "modeLexical"),
        (QPushButton, "modeHybrid"),
        (QSlider, "topKSlider"),
        (QSpinBox, "topKSpin"),
        (QSlider, "thresholdSlider"),
        (QDoubleSpinBox, "thresholdSpin"),
        (QSpinBox, "rrfKSpin"),
        (QPlainTextEdit, "filterEdit"),
        (QLabel, "filterStatus"),
    ],
)
def test_the_named_controls_are_there(panel: ParametersPanel, kind: type[Any], name: str) -> None:
    assert panel.findChild(kind, name) is not None


def test_showing_a_node_emits_nothing(panel: ParametersPanel) -> None:
    edits, finished = edits_of(panel)
    changed = dataclasses.replace(
        BASE,
        top_k=9,
        threshold=0.25,
        filter="{}",
        rrf_k=7,
        retrieval_mode=RetrievalMode.Hybrid,
        source="s",
        schema="x",
        source_kind=KnowledgeSourceKind.FromName,
    )
    panel.show_node("knowledge", "Retrieve", changed, BASE)
    panel.show_node(
        "answer", "Generate", GenerateParams(template="t", stream=True), GenerateParams()
    )
    panel.show_node("knowledge", "Retrieve", BASE, BASE)
    assert edits == []
    assert finished == []


def test_values_in_force_are_shown(panel: ParametersPanel) -> None:
    assert find(panel, QSlider, "topKSlider").value() == 3
    assert find(panel, QSpinBox, "topKSpin").value() == 3
    assert find(panel, QDoubleSpinBox, "thresholdSpin").text() == "0.600"
    assert find(panel, QPushButton, "modeDense").isChecked()
    assert panel.node == "knowledge"


def test_a_slider_edits_live_and_keeps_the_spin_box_in_step(panel: ParametersPanel) -> None:
    edits, _ = edits_of(panel)
    find(panel, QSlider, "topKSlider").setValue(17)
    assert edits == [("top_k", 17)]
    assert find(panel, QSpinBox, "topKSpin").value() == 17


def test_a_key_on_a_slider_is_one_finished_edit(panel: ParametersPanel) -> None:
    edits, finished = edits_of(panel)
    QTest.keyClick(find(panel, QSlider, "thresholdSlider"), Qt.Key.Key_Right)
    assert edits == [("threshold", 0.601)]
    assert finished == ["threshold"]


def test_picking_a_mode_is_one_finished_edit(panel: ParametersPanel) -> None:
    edits, finished = edits_of(panel)
    find(panel, QPushButton, "modeLexical").click()
    assert edits == [("retrieval_mode", RetrievalMode.Lexical)]
    assert finished == ["retrieval_mode"]


def test_a_typed_number_out_of_range_is_refused_beside_the_field(panel: ParametersPanel) -> None:
    edits, _ = edits_of(panel)
    spin = find(panel, QDoubleSpinBox, "thresholdSpin")
    spin.selectAll()
    QTest.keyClicks(spin, "2.1")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert any(t.startswith("3007 InvalidParamValue: 2.1 is out of range: 0 to 2") for t in texts)
    assert edits == []
    assert spin.value() == pytest.approx(0.6)


def test_a_refusal_of_the_engine_is_shown_and_cleared_by_the_next_value(
    panel: ParametersPanel,
) -> None:
    panel.set_param_problem("top_k", InspectorError(Code.AgentBusy, "a turn runs"))
    texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert "3004 AgentBusy: a turn runs" in texts
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, top_k=5), BASE)
    texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert "3004 AgentBusy: a turn runs" not in texts


def test_what_the_engine_refuses_goes_back_to_what_is_in_force(panel: ParametersPanel) -> None:
    error = InspectorError(Code.AgentBusy, "a turn runs")
    find(panel, QSlider, "topKSlider").setValue(17)
    panel.set_param_problem("top_k", error)
    assert find(panel, QSpinBox, "topKSpin").value() == 3
    find(panel, QPushButton, "modeHybrid").click()
    panel.set_param_problem("retrieval_mode", error)
    assert find(panel, QPushButton, "modeDense").isChecked()
    panel.show_node("answer", "Generate", GenerateParams(), GenerateParams())
    combo = find(panel, QComboBox, "Generate_placementCombo")
    combo.setCurrentIndex(0)
    panel.set_param_problem("placement", error)
    assert combo.currentText() == "BeforeUserAsSystem"


@pytest.mark.parametrize(
    ("mode", "off"),
    [
        (RetrievalMode.Dense, {"rrfKSpin"}),
        (RetrievalMode.Lexical, {"rrfKSpin", "thresholdSpin"}),
        (RetrievalMode.Hybrid, set()),
    ],
)
def test_numbers_without_effect_in_a_mode_are_off_with_the_reason(
    panel: ParametersPanel, mode: RetrievalMode, off: set[str]
) -> None:
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, retrieval_mode=mode), BASE)
    spins = [
        find(panel, QSpinBox, "topKSpin"),
        find(panel, QSpinBox, "rrfKSpin"),
        find(panel, QDoubleSpinBox, "thresholdSpin"),
    ]
    assert {spin.objectName() for spin in spins if not spin.isEnabled()} == off
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert ("Hybrid only" in texts) == ("rrfKSpin" in off)
    assert ("ignored in Lexical mode" in texts) == ("thresholdSpin" in off)


def test_a_threshold_of_0_says_that_it_is_no_limit(panel: ParametersPanel) -> None:
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, threshold=0.0), BASE)
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert any("no limit" in text for text in texts)


def test_a_changed_parameter_is_marked_with_the_graphs_value(panel: ParametersPanel) -> None:
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, top_k=8), BASE)
    tips = [label.toolTip() for label in panel.findChildren(QLabel) if label.text() == "top_k"]
    assert "the graph has 3" in tips[0]


def test_a_changed_mode_is_marked_with_the_graphs_mode(panel: ParametersPanel) -> None:
    changed = dataclasses.replace(BASE, retrieval_mode=RetrievalMode.Hybrid)
    panel.show_node("knowledge", "Retrieve", changed, BASE)
    tips = [label.toolTip() for label in panel.findChildren(QLabel) if label.text() == "MODE"]
    assert "the graph has Dense" in tips[0]


def test_a_filter_is_handed_on_and_its_state_shown(panel: ParametersPanel, qtbot: QtBot) -> None:
    edit = find(panel, QPlainTextEdit, "filterEdit")
    with qtbot.waitSignal(panel.param_edited) as asked:
        QTest.keyClicks(edit, "{}")
    assert asked.args == ["filter", "{}"]
    panel.set_filter_status(False, InspectorError(Code.InvalidParamValue, "filter.syntax: no"))
    status = find(panel, QLabel, "filterStatus")
    assert status.text() == "3007 InvalidParamValue: filter.syntax: no"


def test_a_refused_filter_stays_in_the_editor_while_other_values_change(
    panel: ParametersPanel,
) -> None:
    edit = find(panel, QPlainTextEdit, "filterEdit")
    QTest.keyClicks(edit, "{broken")
    edit.hand_on()
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, top_k=5), BASE)
    assert edit.toPlainText() == "{broken"


def test_reset_discards_drafts_and_asks(panel: ParametersPanel, qtbot: QtBot) -> None:
    edit = find(panel, QPlainTextEdit, "filterEdit")
    QTest.keyClicks(edit, "{broken")
    with qtbot.waitSignal(panel.reset_requested):
        find(panel, QPushButton, "resetButton").click()
    assert edit.toPlainText() == ""


def test_save_asks(panel: ParametersPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.save_requested):
        find(panel, QPushButton, "saveButton").click()


def test_a_structural_parameter_is_locked_until_it_is_edited_on_purpose(
    panel: ParametersPanel,
) -> None:
    edits, finished = edits_of(panel)
    combo = find(panel, QComboBox, "embedded_string_storageCombo")
    assert not combo.isVisible()
    find(panel, QToolButton, "embedded_string_storageUnlock").click()
    assert combo.isVisible()
    combo.lineEdit().selectAll()
    QTest.keyClicks(combo.lineEdit(), "other.json")
    assert edits == []
    QTest.keyClick(combo.lineEdit(), Qt.Key.Key_Return)
    assert edits == [("embedded_string_storage", "other.json")]
    assert finished == ["embedded_string_storage"]


def test_escape_leaves_a_structural_parameter_as_it_is(panel: ParametersPanel) -> None:
    edits, _ = edits_of(panel)
    find(panel, QToolButton, "inputUnlock").click()
    combo = find(panel, QComboBox, "inputCombo")
    QTest.keyClicks(combo.lineEdit(), "zzz")
    QTest.keyClick(combo.lineEdit(), Qt.Key.Key_Escape)
    assert not combo.isVisible()
    assert edits == []


def test_an_exit_is_picked_among_the_nodes_and_end(panel: ParametersPanel) -> None:
    edits, _ = edits_of(panel)
    find(panel, QToolButton, "found_exitUnlock").click()
    combo = find(panel, QComboBox, "found_exitCombo")
    assert [combo.itemText(i) for i in range(combo.count())] == [
        "END",
        "knowledge",
        "answer",
        "refuse",
        "voice",
        "intent",
    ]
    combo.setCurrentIndex(0)
    combo.activated.emit(0)
    assert edits == [("found_exit", "")]


def test_a_schema_that_the_catalog_lacks_is_kept_and_marked(panel: ParametersPanel) -> None:
    panel.set_choices("schema", ["lore"])
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, schema="zzz"), BASE)
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert "zzz · Unregistered" in texts
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, schema="lore"), BASE)
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert "lore" in texts


def test_picking_a_node_asks_for_it(panel: ParametersPanel, qtbot: QtBot) -> None:
    combo = find(panel, QComboBox, "nodeCombo")
    with qtbot.waitSignal(panel.node_picked) as picked:
        combo.setCurrentIndex(1)
        combo.activated.emit(1)
    assert picked.args == ["answer"]


def test_the_combo_names_nodes_and_their_types(panel: ParametersPanel) -> None:
    assert find(panel, QComboBox, "nodeCombo").itemText(0) == "knowledge · Retrieve"


def test_a_new_graph_keeps_the_node_in_hand_where_it_still_is(panel: ParametersPanel) -> None:
    panel.show_graph([("x", "Speak"), *NODES])
    assert panel.node == "knowledge"


def test_no_graph_leaves_words_and_nothing_to_edit(panel: ParametersPanel) -> None:
    panel.show_graph([])
    assert not find(panel, QPushButton, "saveButton").isEnabled()
    texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert any("Open a graph" in text for text in texts)


def test_an_instruction_is_edited_by_typing(panel: ParametersPanel, qtbot: QtBot) -> None:
    panel.show_node(
        "voice",
        "Instruction",
        InstructionParams(instruction="Be kind."),
        InstructionParams(instruction="Be kind."),
    )
    edit = find(panel, QPlainTextEdit, "Instruction_instructionEdit")
    assert edit.toPlainText() == "Be kind."
    edit.selectAll()
    with qtbot.waitSignal(panel.param_edited) as asked:
        QTest.keyClicks(edit, "Be brief.")
    assert asked.args == ["instruction", "Be brief."]


def test_canned_lines_are_shown_and_not_edited(panel: ParametersPanel) -> None:
    params = CannedResponseParams(inline_strings=("No.", "Never."))
    panel.show_node("refuse", "CannedResponse", params, params)
    view = find(panel, QPlainTextEdit, "CannedResponse_inline_stringsView")
    assert view.isReadOnly()
    assert view.toPlainText() == "No.\nNever."
    edits, _ = edits_of(panel)
    combo = find(panel, QComboBox, "CannedResponse_selection_strategyCombo")
    combo.activated.emit(1)
    assert edits == [("selection_strategy", SelectionStrategy.First)]


def test_the_placement_of_a_generate_node_is_a_choice(panel: ParametersPanel) -> None:
    panel.show_node("answer", "Generate", GenerateParams(), GenerateParams())
    edits, finished = edits_of(panel)
    combo = find(panel, QComboBox, "Generate_placementCombo")
    assert combo.currentText() == "BeforeUserAsSystem"
    combo.activated.emit(0)
    assert edits == [("placement", Placement.InPlaceOfUser)]
    assert finished == ["placement"]


def test_the_template_is_edited_in_one_place_only(panel: ParametersPanel) -> None:
    panel.show_node("answer", "Generate", GenerateParams(), GenerateParams())
    assert panel.findChild(QPlainTextEdit, "templateEdit") is None


@pytest.mark.parametrize(
    ("kind", "params", "value"),
    [
        ("ClassifyIntent", ClassifyIntentParams(), 0.25),
        ("ClassifyIntentLLM", ClassifyIntentLLMParams(), 0.5),
        ("Retrieve", BASE, 0.6),
        ("Instruction", InstructionParams(), 0.5),
    ],
)
def test_the_threshold_that_is_found_by_name_is_the_one_that_is_shown(
    panel: ParametersPanel, kind: str, params: Any, value: float
) -> None:
    for name, other in (("intent", ClassifyIntentParams()), ("mood", ClassifyIntentLLMParams())):
        panel.show_node(name, other.node_type, other, other)
    panel.show_node("x", kind, params, params)
    assert len(panel.findChildren(QDoubleSpinBox, "thresholdSpin")) == 1
    assert len(panel.findChildren(QSlider, "thresholdSlider")) == 1
    if kind != "Instruction":
        assert find(panel, QDoubleSpinBox, "thresholdSpin").value() == pytest.approx(value)
        assert find(panel, QSlider, "thresholdSlider").isVisible()


def test_the_filter_of_an_intent_is_edited_and_judged_like_that_of_a_search(
    panel: ParametersPanel, qtbot: QtBot
) -> None:
    params = ClassifyIntentParams(filter="{}")
    panel.show_node("intent", "ClassifyIntent", params, params)
    edit = find(panel, QPlainTextEdit, "filterEdit")
    assert edit.toPlainText() == "{}"
    edit.selectAll()
    with qtbot.waitSignal(panel.param_edited) as asked:
        QTest.keyClicks(edit, "[]")
    assert asked.args == ["filter", "[]"]
    panel.set_filter_status(False, InspectorError(Code.InvalidParamValue, "filter.syntax: no"))
    status = find(panel, QLabel, "filterStatus")
    assert status.isVisible()
    assert status.text() == "3007 InvalidParamValue: filter.syntax: no"
    panel.show_node("knowledge", "Retrieve", BASE, BASE)
    assert find(panel, QPlainTextEdit, "filterEdit").toPlainText() == ""


def test_a_blank_filter_is_called_no_filter(panel: ParametersPanel) -> None:
    row = panel.form.rows["filter"]
    assert row.words(" \n") == row.words("") == "no filter"


# Schemas

SCHEMA_NODES = [
    ("Retrieve", BASE, "schema"),
    ("WriteToMemory", WriteToMemoryParams(storage_name="memories"), "WriteToMemory_schema"),
]


def with_schema(params: Any, schema: str) -> NodeParams:
    changed: NodeParams = dataclasses.replace(params, schema=schema)
    return changed


def schema_picker(panel: ParametersPanel, kind: str, params: NodeParams, stem: str) -> Choice:
    panel.set_choices("schema", ["lore", "npc"])
    panel.show_node("x", kind, params, params)
    find(panel, QToolButton, f"{stem}Unlock").click()
    return find(panel, QComboBox, f"{stem}Combo")


@pytest.mark.parametrize(("kind", "params", "stem"), SCHEMA_NODES)
def test_the_schema_picker_offers_none_the_catalog_and_the_unknown_value(
    panel: ParametersPanel, kind: str, params: NodeParams, stem: str
) -> None:
    combo = schema_picker(panel, kind, with_schema(params, "old"), stem)
    assert [combo.itemText(i) for i in range(combo.count())] == [
        "(none)",
        "lore",
        "npc",
        "old · Unregistered",
    ]
    assert combo.currentText() == "old · Unregistered"
    assert not combo.isEditable()


@pytest.mark.parametrize(("kind", "params", "stem"), SCHEMA_NODES)
@pytest.mark.parametrize(("key", "schema"), [("(", ""), ("l", "lore"), ("n", "npc")])
def test_choosing_a_schema_by_keyboard_is_one_finished_edit(
    panel: ParametersPanel,
    kind: str,
    params: NodeParams,
    stem: str,
    key: str,
    schema: str,
) -> None:
    combo = schema_picker(panel, kind, with_schema(params, "old"), stem)
    edits, finished = edits_of(panel)
    QTest.keyClicks(combo, key)
    assert edits == [("schema", schema)]
    assert finished == ["schema"]


def test_the_graphs_unknown_schema_can_be_chosen_again(panel: ParametersPanel) -> None:
    graph = dataclasses.replace(BASE, schema="old")
    panel.set_choices("schema", ["lore"])
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, schema="lore"), graph)
    edits, _ = edits_of(panel)
    find(panel, QToolButton, "schemaUnlock").click()
    combo = find(panel, QComboBox, "schemaCombo")
    row = combo.findText("old · Unregistered")
    combo.setCurrentIndex(row)
    combo.activated.emit(row)
    assert edits == [("schema", "old")]


def test_a_catalog_that_comes_later_takes_the_mark_away(panel: ParametersPanel) -> None:
    panel.show_node("knowledge", "Retrieve", dataclasses.replace(BASE, schema="lore"), BASE)
    assert "lore · Unregistered" in texts_of(panel)
    panel.set_choices("schema", ["lore"])
    assert "lore" in texts_of(panel)
    assert not any("Not in the catalog" in text for text in texts_of(panel))


def test_escape_leaves_the_schema_as_it_is(panel: ParametersPanel) -> None:
    combo = schema_picker(panel, *SCHEMA_NODES[0])
    edits, _ = edits_of(panel)
    QTest.keyClick(combo, Qt.Key.Key_Escape)
    assert not combo.isVisible()
    assert edits == []


@pytest.mark.parametrize("source", list(KnowledgeSourceKind))
def test_both_addresses_of_a_source_stay_in_sight(
    panel: ParametersPanel, source: KnowledgeSourceKind
) -> None:
    params = dataclasses.replace(BASE, source_kind=source, storage_name="memories", schema="lore")
    panel.show_node("knowledge", "Retrieve", params, params)
    for name in ("embedded_string_storage", "storage_name", "schema"):
        assert find(panel, QToolButton, f"{name}Unlock").isVisible()
    shown = " ".join(texts_of(panel))
    assert "fish.json" in shown
    assert "memories" in shown
    unused = "memories" if source is KnowledgeSourceKind.FromFile else "fish.json"
    assert f"{unused} · unused" in texts_of(panel)


def test_a_memory_without_a_schema_is_told_that_it_needs_one(panel: ParametersPanel) -> None:
    params = dataclasses.replace(BASE, source_kind=KnowledgeSourceKind.FromName)
    panel.show_node("knowledge", "Retrieve", params, params)
    assert "(none) · required" in texts_of(panel)


@pytest.mark.parametrize(("kind", "params", "stem"), SCHEMA_NODES)
def test_a_schema_that_does_not_agree_says_so_until_it_is_changed(
    panel: ParametersPanel,
    qtbot: QtBot,
    kind: str,
    params: NodeParams,
    stem: str,
) -> None:
    error = InspectorError(
        Code.InvalidEmbeddedStringStorageData,
        'lore.json does not agree with schema "npc": field "mood" is missing',
    )
    npc = with_schema(params, "npc")
    combo = schema_picker(panel, kind, npc, stem)
    find(panel, QToolButton, f"{stem}Unlock").click()
    panel.set_param_problem("schema", error)
    said = f"8003 InvalidEmbeddedStringStorageData: {error.message}"
    label = next(label for label in panel.findChildren(QLabel) if label.text() == said)
    assert label.isVisible()
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    find(panel, QToolButton, f"{stem}Unlock").click()
    QTest.keyClick(combo, Qt.Key.Key_Escape)
    panel.show_node("x", kind, npc, npc)
    assert label.isVisible()
    panel.show_node("x", kind, with_schema(params, "lore"), npc)
    assert not label.isVisible()


# What stands in for a language model


def test_only_nodes_that_need_a_model_have_a_simulated_exit(panel: ParametersPanel) -> None:
    combo = find(panel, QComboBox, "simulatedExitCombo")
    for table in NODE_TYPES.values():
        panel.show_node("x", table.node_type, table(), table())
        assert combo.isVisible() == (table in (ToolCallParams, ClassifyIntentLLMParams))
        if combo.isVisible():
            assert [combo.itemText(i) for i in range(combo.count())] == list(table.exits())


@pytest.mark.parametrize(
    ("params", "route"),
    [(ToolCallParams(), "no_tool_called"), (ClassifyIntentLLMParams(), "not_found")],
)
def test_at_first_nothing_is_decided(
    panel: ParametersPanel, params: ClassifyIntentLLMParams | ToolCallParams, route: str
) -> None:
    panel.show_node("x", params.node_type, params, params)
    assert find(panel, QComboBox, "simulatedExitCombo").currentText() == route
    assert any("Only a language model could decide" in text for text in texts_of(panel))


def test_a_simulated_exit_is_picked_for_the_node_that_is_shown(
    panel: ParametersPanel, qtbot: QtBot
) -> None:
    panel.show_node("tools", "ToolCall", ToolCallParams(), ToolCallParams())
    combo = find(panel, QComboBox, "simulatedExitCombo")
    combo.setFocus()
    with qtbot.waitSignal(panel.exit_picked) as picked:
        QTest.keyClick(combo, Qt.Key.Key_Up)
    assert picked.args == ["tools", "tool_called"]


def test_showing_a_simulated_exit_emits_nothing_and_stays(panel: ParametersPanel) -> None:
    said = []
    panel.exit_picked.connect(lambda *args: said.append(args))
    panel.reply_edited.connect(lambda *args: said.append(args))
    params = ClassifyIntentLLMParams()
    panel.show_node("mood", "ClassifyIntentLLM", params, params)
    panel.simulated.show_exit("found")
    panel.simulated.show_label("trade", ["greet", "trade"])
    panel.show_node("mood", "ClassifyIntentLLM", dataclasses.replace(params, margin=0.2), params)
    assert find(panel, QComboBox, "simulatedExitCombo").currentText() == "found"
    assert find(panel, QComboBox, "simulatedLabelCombo").currentText() == "trade"
    assert said == []


@pytest.mark.parametrize(("route", "enabled"), [("found", True), ("not_found", False)])
def test_a_label_stands_in_only_when_an_intent_is_found(
    panel: ParametersPanel, route: str, enabled: bool
) -> None:
    params = ClassifyIntentLLMParams()
    panel.show_node("mood", "ClassifyIntentLLM", params, params)
    panel.simulated.show_exit(route)
    assert find(panel, QComboBox, "simulatedLabelCombo").isEnabled() == enabled


def test_a_tool_call_has_no_label(panel: ParametersPanel) -> None:
    panel.show_node("tools", "ToolCall", ToolCallParams(), ToolCallParams())
    assert not find(panel, QComboBox, "simulatedLabelCombo").isVisible()


def label_field(panel: ParametersPanel) -> tuple[Choice, list[Any]]:
    params = ClassifyIntentLLMParams()
    panel.show_node("mood", "ClassifyIntentLLM", params, params)
    panel.simulated.show_exit("found")
    panel.simulated.show_label("greet", ["greet", "trade"])
    said = []
    panel.reply_edited.connect(lambda *args: said.append(args))
    return find(panel, QComboBox, "simulatedLabelCombo"), said


def test_a_label_is_typed_and_handed_on_once(panel: ParametersPanel) -> None:
    combo, said = label_field(panel)
    combo.lineEdit().selectAll()
    QTest.keyClicks(combo.lineEdit(), "threat")
    assert said == []
    QTest.keyClick(combo.lineEdit(), Qt.Key.Key_Return)
    find(panel, QComboBox, "nodeCombo").setFocus()
    assert said == [("mood", "threat")]


def test_a_label_is_picked_from_those_on_offer(panel: ParametersPanel) -> None:
    combo, said = label_field(panel)
    combo.setCurrentIndex(1)
    combo.activated.emit(1)
    assert said == [("mood", "trade")]


def test_escape_brings_the_label_in_force_back(panel: ParametersPanel) -> None:
    combo, said = label_field(panel)
    QTest.keyClicks(combo.lineEdit(), "zzz")
    QTest.keyClick(combo.lineEdit(), Qt.Key.Key_Escape)
    assert combo.currentText() == "greet"
    assert said == []


# All node types


@pytest.mark.slow
@pytest.mark.parametrize("kind", NODE_TYPES)
def test_every_parameter_of_every_node_type_is_in_its_form(
    panel: ParametersPanel, kind: str
) -> None:
    table = NODE_TYPES[kind]
    panel.show_node("x", kind, table(), table())
    form = next(form for form in panel.findChildren(Form) if form.isVisible())
    elsewhere = [row.name for _, rows in form.plan.sections for row in rows if row.elsewhere]
    assert sorted([*form.rows, *elsewhere]) == sorted(table.specs())
    assert all(row.isVisible() for row in form.rows.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", NODE_TYPES)
def test_every_form_fits_the_column_without_being_cut(panel: ParametersPanel, kind: str) -> None:
    table = NODE_TYPES[kind]
    panel.resize(292, 720)
    panel.show_node("x", kind, table(), table())
    scroll = find(panel, QScrollArea, "parametersScroll")
    assert scroll.widget().minimumSizeHint().width() <= scroll.viewport().width()


@pytest.mark.slow
@pytest.mark.parametrize("kind", NODE_TYPES)
def test_every_control_of_every_form_has_a_name(panel: ParametersPanel, kind: str) -> None:
    table = NODE_TYPES[kind]
    panel.show_node("x", kind, table(), table())
    for widget in [
        *panel.findChildren(QComboBox),
        *panel.findChildren(QSlider),
        *panel.findChildren(QToolButton),
        *panel.findChildren(QPlainTextEdit),
    ]:
        if widget.isVisible():
            assert widget.accessibleName()


def test_an_editable_choice_shows_its_whole_letters(panel: ParametersPanel) -> None:
    find(panel, QToolButton, "inputUnlock").click()
    line = find(panel, QComboBox, "inputCombo").lineEdit()
    assert line.height() >= line.fontMetrics().height()


def test_marks_go_to_their_sliders(panel: ParametersPanel) -> None:
    panel.set_marks({"top_k": [2, 4], "threshold": [0.312]})
    assert find(panel, QSlider, "topKSlider").marks == (2, 4)
    assert find(panel, QSlider, "thresholdSlider").marks == (312,)


def test_the_wheel_scrolls_the_panel_and_changes_no_value(
    panel: ParametersPanel, qtbot: QtBot
) -> None:
    panel.resize(290, 300)
    qtbot.waitExposed(panel)
    edits, _ = edits_of(panel)
    slider = find(panel, QSlider, "topKSlider")
    find(panel, QComboBox, "nodeCombo").setFocus()
    place = QPointF(slider.rect().center())
    event = QWheelEvent(
        place,
        slider.mapToGlobal(place),
        QPoint(),
        QPoint(0, -240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(slider, event)
    assert edits == []
    assert not event.isAccepted()
    assert find(panel, QScrollArea, "parametersScroll").verticalScrollBar().maximum() > 0


def test_tooltips_tell_meaning_range_and_default(panel: ParametersPanel) -> None:
    tip = find(panel, QSpinBox, "rrfKSpin").toolTip()
    assert "favours top-ranked hits" in tip
    assert "1 to 1000" in tip
    assert "60" in tip


def test_the_theme_changes_while_it_is_shown(panel: ParametersPanel) -> None:
    spread(panel, DARK)
    assert not panel.grab().isNull()
