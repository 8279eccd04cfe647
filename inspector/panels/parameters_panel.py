"""The parameters of the node in hand: seen, moved, refused, reset and saved here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.nodes import NODE_TYPES, RetrieveParams, kind_of, node_table
from inspector import theme as themes
from inspector.drawing.words import error_text, tooltip
from inspector.forms.form import Form
from inspector.forms.simulated_exit import SimulatedExit
from inspector.widgets.fields import Choice
from inspector.widgets.labels import heading
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.drafts import RefusedValue
    from core.errors import InspectorError
    from core.io.findings import Finding
    from core.nodes import NodeParams
    from inspector.theme import Theme
    from inspector.widgets.drafts import OpenDraft

_MARGIN_PX = 12
_EXIT_PARAMS = tuple(
    dict.fromkeys(param for table in NODE_TYPES.values() for param in table.exits().values())
)


class ParametersPanel(Surface):
    """Shows what is in force and asks for changes. Showing emits nothing.

    Signals
    -------
    param_edited(str, object) : parameter and new, valid value; live while a slider is dragged.
        Text (filter, instruction) comes after 150 ms of quiet, not yet compiled.
    param_draft_changed(str, object) : parameter and what its field holds and is refused, or the
        value in force when that is gone.
    param_edit_finished(str) : the edit of that parameter is over (one step to undo).
    exit_picked(str, str) : node, and the exit that stands in for a language model's decision.
    reply_edited(str, str) : node, and the label that stands in for the one a model would find.
    node_picked(str) : show another node's parameters.
    reset_requested() : take the graph's values of this node again.
    save_requested() : write the graph file.

    `form` is the form of the node that is shown, `simulated` what stands in for its decision.
    """

    param_edited = Signal(str, object)
    param_draft_changed = Signal(str, object)
    param_edit_finished = Signal(str)
    exit_picked = Signal(str, str)
    reply_edited = Signal(str, str)
    node_picked = Signal(str)
    reset_requested = Signal()
    save_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes: tuple[tuple[str, str], ...] = ()
        self._choices: dict[str, tuple[str, ...]] = {}
        self._forms: dict[str, Form] = {}
        self._shown: tuple[str, str] = ("", "")
        self.simulated = SimulatedExit()
        header = self._make_header()
        self._make_body()
        packed(QVBoxLayout(self), header, (self._scroll, 1), self._make_buttons(), spacing=0)
        # The usual node's controls are there from the start, for scripts to find.
        self.form = self._form_of(RetrieveParams.node_type)
        self._set_usable(False)

    @property
    def node(self) -> str:
        """Name of the node that is shown, or ""."""
        index = self.node_combo.currentIndex()
        return self._nodes[index][0] if 0 <= index < len(self._nodes) else ""

    def show_graph(self, nodes: Sequence[tuple[str, str]]) -> None:
        """Offer the graph's nodes, as (name, type) in their order."""
        shown = self.node
        self._nodes = tuple(nodes)
        with QSignalBlocker(self.node_combo):
            self.node_combo.clear()
            for name, kind in self._nodes:
                self.node_combo.addItem(f"{name} · {kind}")
            names = [name for name, _ in self._nodes]
            self.node_combo.setCurrentIndex(names.index(shown) if shown in names else -1)
        self._set_icons()
        for param in _EXIT_PARAMS:
            self.set_choices(param, [name for name, _ in self._nodes])
        if not self._nodes:
            self.form.hide()
            self.simulated.hide()
            self._shown = ("", "")
            self._set_usable(False)

    def show_runs(self, ran: Mapping[str, str]) -> None:
        """Mark in the list of nodes what the turn reached, and what it did there in a word."""
        for index, (name, kind) in enumerate(self._nodes):
            parts = (name, kind, ran.get(name, ""))
            self.node_combo.setItemText(index, " · ".join(part for part in parts if part))

    def show_node(
        self, name: str, node_type: str, params: NodeParams, baseline: NodeParams
    ) -> None:
        """Show a node's parameters in force; `baseline` has the values of the graph file."""
        form = self._form_of(node_type)
        if form is not self.form or form.isHidden():
            self.form.hide()
            self.form = form
            self._name_controls()
            form.show()
        self._show_simulated(name, node_type)
        names = [node for node, _ in self._nodes]
        if name in names and self.node_combo.currentIndex() != names.index(name):
            with QSignalBlocker(self.node_combo):
                self.node_combo.setCurrentIndex(names.index(name))
        self._set_usable(True)
        form.show_params(name, params, baseline)

    def set_param_problem(
        self,
        param: str,
        problem: str | InspectorError | Finding,
        draft: RefusedValue | None = None,
    ) -> None:
        """Say beside a parameter what is wrong with its value, or nothing with "".

        Parameters
        ----------
        draft : the value that is refused, where that is not the one in force.
        """
        self.form.set_problem(param, _text(problem), draft)

    def drafts(self) -> list[OpenDraft]:
        """Name what is typed and not in force."""
        return self.form.drafts() if self.node else []

    def discard_drafts(self) -> None:
        """Show the values in force in place of whatever is half typed or refused."""
        self.form.discard_drafts()

    def set_filter_status(self, ok: bool | None, text: str | InspectorError) -> None:
        """Say whether the filter compiled (None: not known), how many match or what is wrong."""
        self.form.set_filter_status(ok, _text(text))

    def is_stepping(self, param: str) -> bool:
        """Tell whether an edit of a parameter ended only because a key was let go."""
        row = self.form.rows.get(param)
        return row is not None and row.is_stepping

    def set_marks(self, marks: Mapping[str, Sequence[float]]) -> None:
        """Draw ticks below the sliders: parameter → values at which the result changes."""
        self.form.set_marks(marks)

    def set_choices(self, param: str, values: Sequence[str]) -> None:
        """Offer values of a structural parameter, such as the schemas of the catalog."""
        self._choices[param] = tuple(values)
        for form in self._forms.values():
            form.set_choices(param, values)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._set_icons()

    def _make_header(self) -> QVBoxLayout:
        self.node_combo = named(
            Choice(), "nodeCombo", "Node in hand", "The node whose parameters are shown and edited"
        )
        self.node_combo.activated.connect(self._on_node_activated)
        margins = (_MARGIN_PX, 8, _MARGIN_PX, 8)
        return packed(QVBoxLayout(), heading("Node"), self.node_combo, margins=margins)

    def _make_body(self) -> None:
        self._scroll = named(QScrollArea(), "parametersScroll")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._body = body = QWidget()
        self._body_layout = QVBoxLayout(body)
        self._body_layout.setContentsMargins(_MARGIN_PX, 0, _MARGIN_PX, _MARGIN_PX)
        self._empty = named(
            QLabel("Open a graph or a knowledge file to see its parameters."), role="muted"
        )
        self._empty.setWordWrap(True)
        self._body_layout.addWidget(self._empty)
        self.simulated.hide()
        self.simulated.exit_picked.connect(
            lambda route: self.exit_picked.emit(self._shown[0], route)
        )
        self.simulated.label_edited.connect(
            lambda text: self.reply_edited.emit(self._shown[0], text)
        )
        self._body_layout.addWidget(self.simulated)
        self._scroll.setWidget(body)
        body.setAutoFillBackground(False)
        self._scroll.setMinimumHeight(80)

    def _make_buttons(self) -> QHBoxLayout:
        self._reset = button(
            QPushButton("Reset"),
            "resetButton",
            "Reset",
            "Take the graph's values of this node again, as in its file",
            self._on_reset_clicked,
            icon=("reset", "text"),
        )
        self._save = button(
            QPushButton("Save to graph"),
            "saveButton",
            "Save to graph",
            tooltip(
                "Write the values in force to the graph file.\nWhat the file has besides stays."
            ),
            self.save_requested,
            icon=("save", "text"),
        )
        self._save.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        margins = (_MARGIN_PX, 8, _MARGIN_PX, 8)
        return packed(QHBoxLayout(), self._reset, (self._save, 1), margins=margins, spacing=8)

    def _form_of(self, kind: str) -> Form:
        table = node_table(kind)
        if table is None:
            raise KeyError(kind)
        form = self._forms.get(table.node_type)
        if form is None:
            form = self._forms[table.node_type] = Form(table)
            for param, values in self._choices.items():
                form.set_choices(param, values)
            self._body_layout.addWidget(form, 1)
            form.param_edited.connect(self.param_edited)
            form.param_draft_changed.connect(self.param_draft_changed)
            form.param_edit_finished.connect(self.param_edit_finished)
            form.hide()
            themes.spread(form, self._theme)
        return form

    def _name_controls(self) -> None:
        """Let the form that is shown have the names that controls of other forms have too."""
        for form in self._forms.values():
            for name, control in form.controls.items():
                if form is self.form:
                    control.setObjectName(name)
                elif name in self.form.controls:
                    control.setObjectName(f"hidden_{name}")

    def _show_simulated(self, name: str, node_type: str) -> None:
        table = self.form.table
        simulated = kind_of(table).simulated
        if simulated is not None and (name, node_type) != self._shown:
            self.simulated.show_type(
                table, self.form.label_width_px, has_label=simulated.labels is not None
            )
        self.simulated.setVisible(simulated is not None)
        self._shown = (name, node_type)

    def _set_usable(self, usable: bool) -> None:
        self._empty.setVisible(not usable)
        for widget in (self.node_combo, self._reset, self._save):
            widget.setEnabled(usable)

    def _set_icons(self) -> None:
        for index, (_, kind) in enumerate(self._nodes):
            self.node_combo.setItemIcon(index, themes.node_icon(kind, self._theme.muted))

    def _on_node_activated(self, index: int) -> None:
        self.node_picked.emit(self._nodes[index][0])

    def _on_reset_clicked(self) -> None:
        self.discard_drafts()
        self.reset_requested.emit()

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the form, which scrolls up and down only."""
        hint = super().minimumSizeHint()
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        return hint.expandedTo(QSize(self._body.minimumSizeHint().width() + bar, 0))


def _text(problem: str | InspectorError | Finding) -> str:
    return problem if isinstance(problem, str) else error_text(problem)
