"""The composition root: the only place that makes the window's objects and joins them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.embedding.embedder import ModelProvider
from core.embedding.embedder_process import EmbedderProcesses
from core.index.index_process import IndexProcesses
from core.nodes import kind_of
from inspector.session.asking import Standing
from inspector.session.busy import Busy
from inspector.session.jobs import Jobs
from inspector.session.preferences import Preferences
from inspector.session.remembering import Remembering
from inspector.session.replaying import Replaying
from inspector.session.session import Session
from inspector.session.watching import FileWatch
from inspector.window.copying import copy_menu, diagnostics_json, prompt_json, prompt_text
from inspector.window.files import Files
from inspector.window.leaving import Leaving
from inspector.window.main_window import MainWindow
from inspector.window.menus import add_menus
from inspector.window.messages import Messages
from inspector.window.panel_set import PanelSet
from inspector.window.samples import sample_cards, sample_questions
from inspector.window.saving import Saving
from inspector.window.unexpected import Unexpected
from inspector.window.wiring.editing import wire_parameters, wire_prompt
from inspector.window.wiring.history import wire_history
from inspector.window.wiring.memory import MemoryWiring
from inspector.window.wiring.question import wire_play, wire_question
from inspector.window.wiring.results import no_distances, wire_replay, wire_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QMenu

    from inspector.session.shown import Shown

FADE_AFTER_MS = 150
"""How long results may be those of the question before without looking so."""


def compose(paths: Sequence[Path | str] = ()) -> MainWindow:
    """Make the whole program around the given files; neither shown nor running yet.

    The first path is open when this returns, or the message bar says why it is not.
    """
    jobs = Jobs()
    models = ModelProvider(EmbedderProcesses(), IndexProcesses())
    session = Session(jobs, models)
    preferences, panels = Preferences(), PanelSet()
    window = MainWindow(session, jobs, preferences, panels)
    replaying = Replaying(session, jobs, models, window)
    remembering = Remembering(session, jobs, lambda: window.keeps_state, window)
    watch = FileWatch(window)
    copying = copy_menu(window)
    busy = Busy(jobs, window)
    busy.progressed.connect(panels.progress.show_progress)
    busy.ended.connect(panels.progress.finish)
    go_to_inputs = partial(_go_to_inputs, window)
    messages = Messages(session, jobs, panels.message_bar, window.go_to, go_to_inputs, window)
    wire_question(session, panels.query)
    wire_results(session, panels)
    wire_history(session, remembering, panels.turns, panels.turn_strip, panels.message_bar)
    wire_parameters(session, panels.parameters)
    wire_prompt(session, panels.prompt)
    wire_play(session, panels.inputs, panels.parameters)
    memory = MemoryWiring(session, panels.memory, jobs, window)
    saving = Saving(session, window)
    leaving = Leaving(saving, memory, window)
    window.holds_back = partial(leaving.holds_back, "quit")
    files = Files(session, watch, preferences, panels.message_bar, leaving, window)
    for written in (saving.saved, memory.store_saved):
        written.connect(files.take_saved)
        written.connect(messages.take_saved)
    saving.saved.connect(lambda path: panels.message_bar.post("info", f"Saved {path}"))
    for otherwise in (session.editor.edited, saving.saved, session.opened):
        otherwise.connect(panels.query.end_typing)
    wire_replay(session, replaying, panels, window)
    unexpected = Unexpected(window)
    unexpected.listen()
    unexpected.happened.connect(session.take_unexpected)
    window.closing.connect(unexpected.stop)
    window.closing.connect(watch.stop)
    window.closing.connect(remembering.close)
    _join_window(window, replaying)
    _join_requests(window, files, saving, copying, replaying)
    add_menus(window, files, saving, copying)
    window.restore()
    _show_welcome(window)
    for path in paths[:1]:
        window.open_path(Path(path), wait=True)
    return window


def _join_window(window: MainWindow, replaying: Replaying) -> None:
    """Let the window itself follow the session: title, docks that come and go, turns."""
    session, panels = window.session, window.panels
    layout, docks = window.layout_of_docks, window.docks
    # What is answered soon does not flicker.
    patience = QTimer(window, singleShot=True, interval=FADE_AFTER_MS)
    patience.timeout.connect(lambda: window.fade(session.shown().is_outdated))

    def fade(shown: Shown) -> None:
        patience.stop()
        if shown.standing is Standing.WAITING and shown.turn is not None:
            patience.start()
        else:
            window.fade(shown.turn is not None and shown.is_outdated)

    session.leaving.connect(partial(_show_panels, window))
    session.bind(
        (_title, lambda shown: window.setWindowTitle(_title(shown))),
        (
            _is_subgraph,
            lambda shown: layout.set_applicable("subgraph", _is_subgraph(shown), in_front=True),
        ),
        (
            lambda shown: (shown.outline, shown.upcoming.memory),
            lambda shown: layout.set_applicable("memory", _has_memory(shown)),
        ),
        (
            no_distances,
            lambda shown: layout.set_folded("distances", bool(no_distances(shown))),
        ),
        (lambda shown: shown.turn, lambda shown: window.tell_turn(shown.turn)),
        (lambda shown: (shown.turn is None, shown.standing), fade),
        (
            lambda shown: (shown.opened, shown.findings),
            lambda shown: panels.problems.show_findings(shown.findings, _file_count(shown)),
        ),
        (
            lambda shown: shown.opened,
            lambda shown: panels.workspace.show_opened(shown.opened, session.neighbours),
        ),
    )
    replaying.changed.connect(
        lambda: layout.set_applicable("replay", replaying.turn is not None, in_front=True)
    )

    def show_count(errors: int, warnings: int) -> None:
        count = errors + warnings
        docks["problems"].setWindowTitle(f"Problems ({count})" if count else "Problems")

    panels.problems.count_changed.connect(show_count)


def _join_requests(
    window: MainWindow, files: Files, saving: Saving, copying: QMenu, replaying: Replaying
) -> None:
    """Join what panels ask for with who does it."""
    session, panels = window.session, window.panels
    panels.query.copy_button.setMenu(copying)
    clipboard = QApplication.clipboard()
    for told, act in (
        (panels.progress.cancel_requested, session.cancel),
        (panels.progress.cancel_requested, replaying.cancel),
        (panels.welcome.open_requested, files.choose_file),
        (panels.welcome.path_requested, files.open),
        (panels.workspace.open_requested, files.open),
        (panels.workspace.reload_requested, files.reload),
        (panels.parameters.save_requested, saving.save_graph),
        (window.path_dropped, files.open),
        (window.paths_dropped, files.open_dropped),
        (panels.welcome.question_asked, partial(_ask_sample, window, files)),
        (panels.problems.finding_activated, files.open_place),
        (panels.hits.table.row_activated, lambda _index: window.raise_dock("details")),
        (panels.subgraph.node_activated, lambda _row: window.raise_dock("details")),
        (
            panels.prompt.copy_text_requested,
            lambda: clipboard.setText(prompt_text(session.shown())),
        ),
        (
            panels.prompt.copy_json_requested,
            lambda: clipboard.setText(prompt_json(session.shown())),
        ),
        (
            panels.diagnostics.copy_requested,
            lambda: clipboard.setText(diagnostics_json(session.shown())),
        ),
        (
            panels.diagnostics.save_requested,
            lambda: saving.save_diagnostics(diagnostics_json(session.shown())),
        ),
    ):
        told.connect(act)


def _show_panels(window: MainWindow) -> None:
    """Show the panels: something else is being opened, which is to be asked."""
    window.layout_of_docks.show_page(True)
    window.panels.query.focus_message()


def _go_to_inputs(window: MainWindow) -> None:
    window.raise_dock("inputs")
    window.panels.inputs.go_to_undefined()


def _ask_sample(window: MainWindow, files: Files, path: str, question: str) -> None:
    """Open a sample and ask it: the question waits until it is open."""
    window.panels.query.set_message(question)
    window.session.run(question)
    files.open(path)


def _show_welcome(window: MainWindow) -> None:
    """Show the welcome page alone while nothing is open."""
    window.layout_of_docks.show_page(False)
    # Tab follows the order in which they are made.
    window.panels.welcome.show_recent([str(path) for path in window.preferences.recent])
    window.panels.welcome.show_samples(sample_cards(), sample_questions())


def _file_count(shown: Shown) -> int:
    return len(shown.opened.workspace.files()) + 1 if shown.opened is not None else 0


def _title(shown: Shown) -> str:
    name = "Retrieve turn inspector"
    if shown.opened is None or shown.graph is None:
        return name
    mark = "*" if shown.is_edited else ""
    return f"{shown.opened.path.name}{mark} – {name}"


def _is_subgraph(shown: Shown) -> bool:
    node = shown.node_in_hand
    return node is not None and kind_of(node.params).draws_subgraph


def _has_memory(shown: Shown) -> bool:
    """Tell whether there is a memory store to speak of."""
    nodes = shown.outline.nodes if shown.outline is not None else ()
    return bool(shown.upcoming.memory) or any(
        kind_of(node.params).memory(node.params) is not None for node in nodes
    )
