"""The Mustache template: colours, and its mistakes with line and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.io.findings import Severity
from core.nodes import GenerateParams
from inspector import theme as themes
from inspector.drawing.words import param_tip, tooltip
from inspector.theme import Themed
from inspector.widgets.code_edit import CodeEdit, position_of
from inspector.widgets.highlighters import MustacheHighlighter
from inspector.widgets.labels import StatusLabel, set_role
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.prompt.lint import LintProblem
    from inspector.theme import Theme

_LISTED_LINES = 2
_STAYS = "the last one that renders stays in force"


@dataclass(frozen=True, slots=True)
class TemplateDraft:
    """A template that cannot be rendered, and why."""

    text: str
    problems: tuple[LintProblem, ...]


class TemplateEditor(Themed, QWidget):
    """Editor of the template with its state below; a problem that is clicked is gone to.

    `editor` has the signals ``text_edited`` and ``edit_finished``.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problems: tuple[LintProblem, ...] = ()
        self._rest: tuple[LintProblem, ...] = ()
        self._is_refused = False
        tip = param_tip(GenerateParams.specs()["template"])
        self.editor = named(CodeEdit(lines=6), "templateEdit", "template", tooltip(tip))
        self.editor.setAccessibleDescription(tip)
        self.editor.setPlaceholderText(
            "{{#knowledge}}{{#chunks}}- {{text}}\n{{/chunks}}{{/knowledge}}"
        )
        self._highlighter = MustacheHighlighter(self.editor.document())
        self.status = named(StatusLabel(), "templateStatus")
        self.status.setFont(themes.scaled_font(self.status.font(), 0.92))
        self.problem_list = named(
            QListWidget(), "templateProblems", "More mistakes in the template"
        )
        self.problem_list.setIconSize(QSize(14, 14))
        self.problem_list.setFont(self.status.font())
        self.problem_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.problem_list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.problem_list.hide()
        packed(QVBoxLayout(self), (self.editor, 1), self.status, self.problem_list)
        self.editor.edit_finished.connect(self._on_edit_finished)
        self.status.clicked.connect(self._on_status_clicked)
        self.problem_list.itemClicked.connect(self._on_item)
        self.problem_list.itemActivated.connect(self._on_item)

    @property
    def problems(self) -> tuple[LintProblem, ...]:
        """The mistakes that are shown."""
        return self._problems

    def show_problems(self, problems: Sequence[LintProblem], fine: tuple[str, str]) -> None:
        """Show the mistakes, or without any the status `fine` (kind, text)."""
        self._is_refused = False
        self._say(problems, fine)

    def show_refused(self, problems: Sequence[LintProblem]) -> None:
        """Show the mistakes of a template that cannot be rendered, once its edit is over.

        On the way to its last brace a template cannot be rendered either, and nothing should turn
        red, or move, at each key.
        """
        self._is_refused = True
        self._problems = tuple(problems)
        if not self.editor.is_typing:
            self._say(problems, ("muted", ""))
            return
        self.status.setMinimumHeight(self.status.height())
        self.status.set_clickable(False)
        self.status.set_status("muted", f"Unfinished: {_STAYS}")
        set_role(self.editor, "invalid", False)
        self.editor.mark(())

    def _on_edit_finished(self) -> None:
        if self._is_refused:
            self._say(self._problems, ("muted", ""))

    def _say(self, problems: Sequence[LintProblem], fine: tuple[str, str]) -> None:
        self._problems = tuple(problems)
        self.status.setMinimumHeight(0)
        errors = [p for p in problems if p.severity is Severity.ERROR]
        set_role(self.editor, "invalid", bool(errors))
        self.editor.mark([self._span_of(problem) for problem in problems])
        self.problem_list.setVisible(len(problems) > 1)
        self.status.set_clickable(bool(problems))
        if not problems:
            self.status.set_status(*fine)
            return
        first = errors[0] if errors else problems[0]
        stays = f". {_STAYS.capitalize()}" if self._is_refused else ""
        self.status.set_status(str(first.severity), _line(first) + stays)
        self._rest = tuple(problem for problem in problems if problem is not first)
        self._fill_list()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._fill_list()

    def _fill_list(self) -> None:
        self.problem_list.clear()
        for problem in self._rest:
            name = str(problem.severity)
            item = QListWidgetItem(themes.icon(name, getattr(self._theme, name)), _line(problem))
            item.setToolTip(tooltip(_line(problem)))
            self.problem_list.addItem(item)
        rows = min(len(self._rest), _LISTED_LINES)
        height = max(self.problem_list.sizeHintForRow(0), self.fontMetrics().height() + 8)
        self.problem_list.setFixedHeight(rows * height + 4)

    def _span_of(self, problem: LintProblem) -> tuple[int, int]:
        text = self.editor.text
        start = position_of(text, problem.line, problem.column)
        close = text.find("}}", start)
        newline = text.find("\n", start)
        ends = [end for end in (close + 2 if close >= 0 else -1, newline) if end > start]
        return start, min(ends, default=len(text))

    def _on_status_clicked(self) -> None:
        errors = [p for p in self._problems if p.severity is Severity.ERROR]
        for problem in (errors or self._problems)[:1]:
            self.editor.go_to(problem.line, problem.column)

    def _on_item(self, item: QListWidgetItem) -> None:
        problem = self._rest[self.problem_list.row(item)]
        self.editor.go_to(problem.line, problem.column)


def _line(problem: LintProblem) -> str:
    return f"{problem.line}:{problem.column} {problem.message}"
