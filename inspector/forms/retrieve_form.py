"""The parameters of a Retrieve node."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QVBoxLayout, QWidget

from core.nodes import KnowledgeSourceKind, RetrievalMode, RetrieveParams
from inspector import theme as themes
from inspector.drawing.scales import KneeScale
from inspector.forms.filter_editor import FilterEditor
from inspector.forms.locked_row import LockedRow, SchemaRow
from inspector.forms.number_row import SLIDER_STEPS, NumberRow, ParamLabel
from inspector.forms.value_rows import LineRow, ValueRow, names_of
from inspector.widgets.fields import joined, segment
from inspector.widgets.labels import StatusLabel, heading, tooltip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.knowledge.schema import Field, Scalar
    from core.nodes import NodeParams
    from inspector.theme import Theme

_MODE_TIPS = {
    RetrievalMode.Dense: "Match by meaning: cosine distance of embeddings, smaller is closer.",
    RetrievalMode.Lexical: "Match by keywords (BM25). Needs no embedding model.",
    RetrievalMode.Hybrid: "Both: the two rankings are merged by reciprocal rank fusion.",
}
_TOP_K_SCALE = KneeScale(1, 1000, 20, 0.6)
_RRF_K_SCALE = KneeScale(1, 1000, 100, 0.6)
# Most distances that come up lie below 1.
_THRESHOLD_SCALE = KneeScale(0, 2 * SLIDER_STEPS, SLIDER_STEPS, 0.8)


def section_label(text: str, params_name: str) -> ParamLabel:
    """Make a heading that also marks a changed parameter."""
    label = ParamLabel(text.upper(), RetrieveParams.specs()[params_name])
    label.setProperty("role", "heading")
    label.setFont(themes.scaled_font(label.font(), 0.86, bold=True))
    return label


class RetrieveForm(QWidget):
    """Shows and edits a `RetrieveParams`. Showing emits nothing.

    Signals
    -------
    param_edited(str, object) : parameter and new value; live while a slider is dragged.
    param_edit_finished(str) : the edit of that parameter is over.

    `label_width_px` is the width of the column of labels. `shared_names` maps object names, which
    other forms' controls take over while those forms are shown, to this form's controls.
    """

    param_edited = Signal(str, object)
    param_edit_finished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        specs = RetrieveParams.specs()
        self._node = ""
        self._mode = RetrievalMode.Dense
        self.numbers = {
            "top_k": NumberRow(
                "top_k", specs["top_k"], "topK", _TOP_K_SCALE, hint="1 to 1000 · chunks at most"
            ),
            "threshold": NumberRow(
                "threshold",
                specs["threshold"],
                "threshold",
                _THRESHOLD_SCALE,
                hint="0 to 2 · 0 = no limit",
            ),
            "rrf_k": NumberRow(
                "rrf_k", specs["rrf_k"], "rrfK", _RRF_K_SCALE, hint="1 to 1000 · higher = flatter"
            ),
        }
        self.filter_label = section_label("Filter", "filter")
        self.filter_editor = FilterEditor(specs["filter"], self.filter_label)
        self.rows: dict[str, ValueRow] = {
            "source": LineRow("source", specs["source"]),
            "source_kind": LockedRow("kind", specs["source_kind"]),
            "embedded_string_storage": LockedRow(
                "file", specs["embedded_string_storage"], names={"": "(none)"}
            ),
            "storage_name": LockedRow("name", specs["storage_name"], names={"": "(none)"}),
            "schema": SchemaRow(specs["schema"]),
            "input": LockedRow("input", specs["input"], names={"": "player's message"}),
            "found_exit": LockedRow("found", specs["found_exit"], names={"": "END"}),
            "not_found_exit": LockedRow("not_found", specs["not_found_exit"], names={"": "END"}),
        }
        self.mode_label = section_label("Mode", "retrieval_mode")
        self.mode_problem = StatusLabel()
        self.mode_problem.hide()
        self.modes = self._make_modes()
        threshold = self.numbers["threshold"]
        self.shared_names = names_of(threshold.slider, threshold.spin, *self.filter_editor.controls)
        self._lay_out()
        self._connect()

    def show_params(self, node: str, params: NodeParams, baseline: NodeParams) -> None:
        """Show the parameters in force; `baseline` has the graph's values."""
        if not isinstance(params, RetrieveParams):
            raise TypeError(type(params).__name__)
        other = node != self._node
        self._node = node
        for name, number in self.numbers.items():
            if other:
                number.discard_draft()
            number.show_value(getattr(params, name), getattr(baseline, name))
        for name, row in self.rows.items():
            row.show_value(getattr(params, name), getattr(baseline, name), other=other)
        source = self.rows["source"]
        if isinstance(source, LineRow):
            source.edit.setPlaceholderText(node)
        self.filter_editor.show_filter(params.filter, other=other)
        graph_filter = getattr(baseline, "filter", "")
        self.filter_label.set_changed(
            "" if graph_filter == params.filter else _short(graph_filter) or "no filter"
        )
        self._show_mode(params.retrieval_mode, getattr(baseline, "retrieval_mode", None))
        self._show_effects(params)

    def set_problem(self, param: str, text: str) -> None:
        """Say beside the parameter why its value was refused, or nothing with ""."""
        if param in self.numbers:
            self.numbers[param].refuse(text)
        elif param in self.rows:
            self.rows[param].refuse(text)
        elif param == "filter":
            self.filter_editor.set_status(False if text else None, text)
        elif param == "retrieval_mode":
            self.modes[self._mode].setChecked(True)
            self.mode_problem.set_status("error", text)
            self.mode_problem.setVisible(bool(text))

    def set_filter_status(self, ok: bool | None, text: str) -> None:
        """Say whether the filter compiled and what it lets through."""
        self.filter_editor.set_status(ok, text)

    def set_fields(
        self, fields: Sequence[Field], samples: Mapping[str, Scalar] | None = None
    ) -> None:
        """Offer filter clauses for these fields."""
        self.filter_editor.set_fields(fields, samples)

    def set_marks(self, marks: Mapping[str, Sequence[float]]) -> None:
        """Draw ticks: parameter → values at which the result changes."""
        for name, number in self.numbers.items():
            number.set_marks(marks.get(name, ()))

    def set_choices(self, param: str, values: Sequence[str]) -> None:
        """Offer values of a structural parameter: exits, files, schemas of the catalog."""
        row = self.rows.get(param)
        if isinstance(row, LockedRow):
            row.set_choices(["", *values] if param != "embedded_string_storage" else values)

    def discard_drafts(self) -> None:
        """Show the values in force in place of whatever is half typed or refused."""
        for number in self.numbers.values():
            number.discard_draft()
        for row in self.rows.values():
            row.discard_draft()
        self.filter_editor.editor.discard_draft()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        for number in self.numbers.values():
            number.apply_theme(theme)
        for row in self.rows.values():
            row.apply_theme(theme)
        self.filter_editor.apply_theme(theme)
        self.mode_problem.apply_theme(theme)
        self.mode_label.apply_theme(theme)

    def _make_modes(self) -> dict[RetrievalMode, QPushButton]:
        group = QButtonGroup(self)
        group.setExclusive(True)
        buttons = {}
        for mode in RetrievalMode:
            button = segment(
                mode.name, f"{mode.name} mode", tooltip(_MODE_TIPS[mode] + "\nDefault: Dense.")
            )
            button.setObjectName(f"mode{mode.name}")
            button.clicked.connect(partial(self._on_mode_clicked, mode))
            group.addButton(button, mode.value)
            buttons[mode] = button
        buttons[RetrievalMode.Dense].setChecked(True)
        return buttons

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        mode = QVBoxLayout()
        mode.setSpacing(4)
        mode.addWidget(self.mode_label)
        mode.addLayout(joined(list(self.modes.values())))
        layout.addLayout(mode)
        layout.addWidget(self.mode_problem)
        labels = [number.label for number in self.numbers.values()]
        labels += [row.label for row in self.rows.values()]
        width = self.label_width_px = max(label.sizeHint().width() for label in labels)
        for number in self.numbers.values():
            number.label.setMinimumWidth(width)
            layout.addWidget(number)
        layout.addWidget(self.filter_editor)
        for title, names in (
            (
                "Storage",
                (
                    "source",
                    "source_kind",
                    "embedded_string_storage",
                    "storage_name",
                    "schema",
                    "input",
                ),
            ),
            ("Exits", ("found_exit", "not_found_exit")),
        ):
            layout.addSpacing(4)
            layout.addWidget(heading(title))
            rows = QVBoxLayout()
            rows.setSpacing(2)
            for name in names:
                self.rows[name].label.setMinimumWidth(width)
                rows.addWidget(self.rows[name])
            layout.addLayout(rows)
        layout.addStretch(1)

    def _connect(self) -> None:
        parts: dict[str, NumberRow | ValueRow] = {**self.numbers, **self.rows}
        for name, part in parts.items():
            part.value_edited.connect(partial(self.param_edited.emit, name))
            part.edit_finished.connect(partial(self.param_edit_finished.emit, name))
        self.filter_editor.filter_edited.connect(partial(self.param_edited.emit, "filter"))
        self.filter_editor.edit_finished.connect(partial(self.param_edit_finished.emit, "filter"))

    def _show_mode(self, mode: RetrievalMode, graph_mode: RetrievalMode | None) -> None:
        self._mode = mode
        self.modes[mode].setChecked(True)
        self.mode_problem.hide()
        changed = graph_mode is not None and graph_mode is not mode
        self.mode_label.set_changed(graph_mode.name if changed and graph_mode else "")

    def _show_effects(self, params: RetrieveParams) -> None:
        """Switch off what has no effect in this mode, and say so."""
        mode = params.retrieval_mode
        self.numbers["rrf_k"].set_inactive("" if mode is RetrievalMode.Hybrid else "Hybrid only")
        self.numbers["threshold"].set_inactive(
            "ignored in Lexical mode" if mode is RetrievalMode.Lexical else ""
        )
        note = "no limit: all distances count" if params.threshold == 0 else ""
        if mode is RetrievalMode.Hybrid and not note:
            note = "0 to 2 · dense leg only"
        self.numbers["threshold"].set_note(note)
        from_file = params.source_kind is KnowledgeSourceKind.FromFile
        for name, used in (("embedded_string_storage", from_file), ("storage_name", not from_file)):
            row = self.rows[name]
            if isinstance(row, LockedRow):
                row.set_note("" if used else "unused")
        schema = self.rows["schema"]
        if isinstance(schema, SchemaRow):
            schema.set_note("" if from_file or params.schema else "required")

    def _on_mode_clicked(self, mode: RetrievalMode, *_: Any) -> None:
        self.param_edited.emit("retrieval_mode", mode)
        self.param_edit_finished.emit("retrieval_mode")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 120 else text[:120] + "…"
