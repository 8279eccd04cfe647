"""A turn is asked for, shown, and selected again as its parameters move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QSlider

from core.nodes import RetrievalMode
from core.retrieve.search import KnowledgeSearch
from inspector.session.asking import REST_MS
from tests.inspector.driver import CTRL, LEFT, QUESTION, SHIFT
from tests.inspector.light_embedder import WAIT_S, HeldEmbedder, WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import Embedder
    from core.io.work import Work
    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

OTHER = "which fish eat algae?"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries of all searches made, in order."""
    made: list[str] = []
    search = KnowledgeSearch.search

    def counted(self: KnowledgeSearch, query: str, *work: Any, **options: Any) -> Any:
        made.append(query)
        return search(self, query, *work, **options)

    monkeypatch.setattr(KnowledgeSearch, "search", counted)
    return made


def test_typing_a_question_and_enter_shows_a_turn(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    turn = user.ask(QUESTION)
    assert turn.request.message == QUESTION
    assert len(user.hits()) >= 1
    assert user.hits() == [hit.id for hit in user.retrieval.hits]


@pytest.mark.parametrize("way", ["enter", "ctrl_return", "button"])
def test_a_question_runs_by_key_and_by_button(
    open_window: OpenWindow, aquarium: Path, way: str
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.type_message(QUESTION)
    with user.turn_of(QUESTION):
        if way == "button":
            user.click("runButton")
        else:
            user.qtbot.keyClick(
                user.message,
                Qt.Key.Key_Return,
                CTRL if way == "ctrl_return" else Qt.KeyboardModifier.NoModifier,
            )
    assert user.hits()


def test_live_typing_runs_once_with_what_was_typed_last(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = WordEmbedder()
    user = open_window(aquarium / "rag.graph.json", embedder)
    with user.turn_of("clownfish"):
        user.type_message("clownfish")
    assert embedder.queries == ["clownfish"]
    assert user.turn.request.message == "clownfish"


def test_with_live_off_typing_runs_nothing(open_window: OpenWindow, aquarium: Path) -> None:
    embedder = WordEmbedder()
    user = open_window(aquarium / "rag.graph.json", embedder)
    check = user.find("liveCheck", QCheckBox)
    assert check.isChecked()
    user.qtbot.mouseClick(check, LEFT, pos=QPoint(8, check.height() // 2))
    assert not check.isChecked()
    with user.qtbot.assertNotEmitted(user.window.turnShown, wait=300):
        user.type_message("clownfish")
    assert embedder.queries == []
    user.ask("clownfish")
    assert user.hits()


def test_a_live_run_and_enter_make_one_turn_of_the_history(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    for text in ("clown", "clownfish"):
        with user.turn_of(text):
            user.type_message(text)
    user.ask("clownfish")
    user.ask(OTHER)
    assert [entry.turn.request.message for entry in user.session.history] == ["clownfish", OTHER]


def test_a_question_that_rests_in_live_mode_is_a_turn_of_its_own(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    with user.turn_of("clownfish"):
        user.type_message("clownfish")
    user.qtbot.waitUntil(lambda: not user.session.history[-1].is_open, timeout=REST_MS + 1000)
    with user.turn_of(OTHER):
        user.type_message(OTHER)
    assert [entry.turn.request.message for entry in user.session.history] == ["clownfish", OTHER]


def test_with_live_off_a_moved_setting_is_no_turn_until_it_is_run(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(OTHER)
    user.click("liveCheck")
    user.set_spin("topKSpin", "9")
    assert not user.session.asking.is_resting
    user.ask(OTHER)
    assert [entry.is_open for entry in user.session.history] == [False, False]


@pytest.mark.parametrize("name", ["topKSlider", "thresholdSlider"])
def test_a_slider_moved_by_keys_selects_again_without_searching(
    open_window: OpenWindow, aquarium: Path, searches: list[Any], name: str
) -> None:
    embedder = WordEmbedder()
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask()
    asked, searched, embedded = len(embedder.queries), len(searches), len(embedder.embedded)
    slider = user.find(name, QSlider)
    slider.setFocus()
    for key in [Qt.Key.Key_PageUp] * 5 + [Qt.Key.Key_Left] * 5:
        with user.qtbot.waitSignal(user.window.turnShown):
            user.qtbot.keyClick(slider, key)
        assert user.hits() == [hit.id for hit in user.retrieval.hits]
    assert (len(embedder.queries), len(searches), len(embedder.embedded)) == (
        asked,
        searched,
        embedded,
    )
    assert user.retrieval.params == user.params()


def test_a_slider_dragged_by_mouse_selects_again_at_every_step(
    open_window: OpenWindow, aquarium: Path, searches: list[Any]
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask()
    searched = len(searches)
    slider = user.find("topKSlider")
    slider.window().activateWindow()
    y = slider.height() // 2
    seen = []
    user.window.turnShown.connect(
        lambda turn: seen.append(turn.debug_info["nodes"][0]["diagnostics"]["parameters"]["top_k"])
    )
    user.qtbot.mousePress(slider, LEFT, pos=QPoint(round(slider.x_of(3)), y))
    for value in (8, 20, 14):
        with user.qtbot.waitSignal(user.window.turnShown):
            user.qtbot.mouseMove(slider, QPoint(round(slider.x_of(value)), y))
    user.qtbot.mouseRelease(slider, LEFT, pos=QPoint(round(slider.x_of(14)), y))
    assert seen == [8, 20, 14]
    assert user.params().top_k == 14
    assert len(user.rows()) >= 14
    assert len(searches) == searched


def test_modes_are_selected_again_without_searching(
    open_window: OpenWindow, aquarium: Path, searches: list[Any]
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask()
    searched = len(searches)
    for mode in ("Lexical", "Hybrid", "Dense", "Hybrid"):
        with user.qtbot.waitSignal(user.window.turnShown):
            user.click(f"mode{mode}")
        assert user.retrieval.params.retrieval_mode is RetrievalMode[mode]
        assert user.hits() == [hit.id for hit in user.retrieval.hits]
    assert len(searches) == searched


def test_lexical_never_asks_for_a_model(open_window: OpenWindow, aquarium: Path) -> None:
    def no_model(name: str, _work: Work) -> Embedder:
        raise AssertionError(f"{name} was asked for")

    folder = aquarium
    graph = (folder / "rag.graph.json").read_text().replace('"Dense"', '"Lexical"')
    (folder / "words.graph.json").write_text(graph)
    user = open_window(folder / "words.graph.json", loader=no_model)
    user.ask()
    assert user.hits()
    assert not user.bar_text


def test_a_filter_searches_again_but_embeds_nothing(
    open_window: OpenWindow, aquarium: Path, searches: list[Any]
) -> None:
    embedder = WordEmbedder()
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask()
    asked = len(embedder.queries)
    with user.qtbot.waitSignal(user.window.turnShown):
        user.set_filter('{"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": "salt"}}')
    assert len(searches) == 2
    assert len(embedder.queries) == asked
    assert user.retrieval.counts.matching < user.retrieval.counts.records


def test_a_newer_question_wins_over_an_older_one_that_finishes_late(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    shown = []
    user.window.turnShown.connect(lambda turn: shown.append(turn.request.message))
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)
    user.ask(OTHER)
    embedder.let_query(QUESTION)
    # One more search: by the time that it is shown, the late answer has been dropped or not.
    user.ask("how warm should the water be?")
    assert shown == [OTHER, "how warm should the water be?"]
    assert [entry.turn.request.message for entry in user.session.history] == shown
    assert embedder.queries.count(QUESTION) == 1


def test_old_results_stay_and_are_marked_while_a_question_is_searched(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask(OTHER)
    before = user.rows()
    status = user.window.panels.query.status
    with user.qtbot.waitSignal(
        user.session.changed, check_params_cb=lambda shown: shown.is_outdated
    ):
        user.type_message(QUESTION)
        user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert user.rows() == before
    assert "question before" in status.text()
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)
    assert user.rows() != before
    assert "question before" not in status.text()


def test_a_slider_moved_while_a_question_is_searched_counts_for_its_answer(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask(OTHER)
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)
    user.set_spin("topKSpin", "7")
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)
    assert user.retrieval.params.top_k == 7
    assert user.params().top_k == 7
    # The turn before is still what it was.
    history = user.session.history
    assert [entry.turn.request.message for entry in history] == [OTHER, QUESTION]
    before: Any = history[0].turn.request.params["knowledge"]
    assert before.top_k == 3
    assert embedder.queries.count(QUESTION) == 1


def test_enter_right_after_a_live_run_began_does_not_search_again(
    open_window: OpenWindow, aquarium: Path, searches: list[Any]
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    with user.qtbot.waitSignal(
        user.session.changed, check_params_cb=lambda shown: shown.is_outdated
    ):
        user.type_message(QUESTION)
    assert embedder.asked.wait(WAIT_S)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)
    assert searches == [QUESTION]
    assert embedder.queries == [QUESTION]
    assert [entry.live for entry in user.session.history] == [False]


def test_cancelling_a_question_keeps_the_results_before(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask(OTHER)
    before = user.rows()
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)
    user.shortcut(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert not user.jobs.is_busy("turn")
    embedder.let_query(QUESTION)
    assert user.rows() == before
    # What is moved now moves the turn that is on screen.
    with user.qtbot.waitSignal(user.window.turnShown):
        user.set_spin("topKSpin", "9")
    assert user.turn.request.message == OTHER
    assert [entry.turn.request.message for entry in user.session.history] == [OTHER, OTHER]


def test_an_empty_question_is_said_to_be_one(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask()
    user.ask("")
    assert user.turn.runs[0].exit == "not_found"
    assert user.rows() == []
    assert "nothing to search with" in user.find("hitsTable").accessibleDescription()


def test_the_first_question_waits_for_the_vectors_and_then_is_shown(
    open_window: OpenWindow, fresh_aquarium: Path
) -> None:
    embedder = HeldEmbedder(hold_records=True)
    user = open_window(None, embedder)
    with user.qtbot.waitSignal(user.session.opened):
        user.window.open_path(fresh_aquarium / "rag.graph.json")
    user.type_message(QUESTION)
    with user.turn_of(QUESTION):
        user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
        embedder.let_blocks()
    assert user.hits() == [hit.id for hit in user.retrieval.hits]
    assert user.hits()


def test_a_stage_of_the_funnel_limits_the_table_to_what_it_removed(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "guarded.graph.json")
    user.ask()
    funnel = user.window.panels.funnel
    removed = dict(user.retrieval.diagnostics()["parameters"])
    place = funnel.stage_rect("match filter").center().toPoint()
    user.qtbot.mouseClick(funnel, LEFT, pos=place)
    rows = user.rows()
    assert {row.reason for row in rows} == {"filter"}
    counts = user.retrieval.counts
    assert len(rows) == counts.records - counts.matching
    assert removed["raw_result_count"] == counts.raw
    user.click_text("Show all")
    assert len(user.rows()) == counts.records


def test_the_keyboard_reaches_the_table_from_the_question(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask()
    table = user.find("hitsTable")
    for _ in range(40):
        widget = user.window.focusWidget()
        if widget is table:
            break
        user.qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert user.window.focusWidget() is table
    user.qtbot.keyClick(table, Qt.Key.Key_Down)
    user.qtbot.keyClick(table, Qt.Key.Key_Down, SHIFT)
    assert user.window.panels.details.id_label.text() in [row.id for row in user.rows()]


def test_a_row_shows_its_whole_chunk_in_the_details(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "hybrid.graph.json")
    user.ask()
    table = user.find("hitsTable")
    user.qtbot.mouseClick(
        table.viewport(), LEFT, pos=table.visualRect(table.model().index(0, 1)).center()
    )
    hit = user.retrieval.hits[0]
    details = user.window.panels.details
    assert details.id_label.text() == hit.id
    assert details.text_view.toPlainText() == hit.text
    facts = {fact.name: fact.value for fact in details.facts.rows}
    assert facts["rank"] == "1"
    assert "1/(60+" in facts["fused score"]
