"""What every node type must say of itself: a part, or a parameter, that is forgotten fails here."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from types import new_class
from typing import TYPE_CHECKING, Any

import pytest

from core import Agent, GenerateParams, GraphDescription, Workspace
from core.embedding.embedder import ModelProvider
from core.errors import Code
from core.io.findings import Findings
from core.knowledge.kinds import FileKind
from core.nodes import NODE_KINDS, NodeKind, NodeParams, kind_of
from core.nodes.kind import KINDS, Answer, SearchKind
from core.nodes.params import ParamSpec, Reads, exit_param, param
from core.recording.reading import read_recording
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn

KIND = pytest.mark.parametrize("kind", NODE_KINDS, ids=lambda kind: kind.table.node_type)
PARAMETERS = [(kind, spec) for kind in NODE_KINDS for spec in kind.table.specs().values()]
PARAMETER = pytest.mark.parametrize(
    ("kind", "spec"), PARAMETERS, ids=[f"{k.table.node_type}.{s.name}" for k, s in PARAMETERS]
)
FILES = {
    FileKind.KNOWLEDGE: "facts.json",
    FileKind.CORPUS: "facts.json",
    FileKind.KNOWLEDGE_GRAPH: "town.kg.json",
    FileKind.STRINGS: "lines.txt",
    FileKind.MAP: "manners.json",
}
QUESTION = "hello lantern"
TUNED = {"source": "facts", "min_score": 0.5, "k": 3, "top_k": 3, "diagnostic_topk": 2}


def other_values(spec: ParamSpec) -> list[Any]:
    """Return values that the parameter can have besides its default."""
    if issubclass(spec.kind, Enum):
        found: list[Any] = list(spec.kind)
    elif spec.kind is bool:
        found = [True, False]
    elif spec.kind is tuple:
        found = [("other",)]
    elif spec.kind is str:
        found = ['{"other": 1}']
    else:
        low = spec.minimum or 0
        found = [low, spec.maximum if spec.maximum is not None else low + 1]
    return [spec.check(value) for value in found if value != spec.default]


@dataclass(frozen=True, kw_only=True)
class GuessParams(NodeParams):
    luck: int = param(7, "How much.", reads=Reads.GAME)
    default_exit: str = exit_param("next")


LACKED = tuple(part for part in NodeKind.parts if part not in ("table", "is_in_game", "run"))


def guess(
    table: type[NodeParams] = GuessParams, lacks: tuple[str, ...] = LACKED, **parts: Any
) -> NodeKind[Any]:
    """Define a node type ``Guess``."""
    said = {"table": table, "is_in_game": False, "run": lambda *_: None, **parts}
    kind: NodeKind[Any] = new_class(
        "Guess", (NodeKind,), {"lacks": lacks}, lambda names: names.update(said)
    )()
    return kind


def test_a_type_that_says_every_part_is_known_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(KINDS, GuessParams, raising=False)
    kind = guess()
    assert kind_of(GuessParams()) is kind_of(GuessParams) is kind


@pytest.mark.parametrize("part", LACKED)
def test_a_type_that_forgets_a_part_is_refused_with_both_names(part: str) -> None:
    with pytest.raises(TypeError, match=rf"\bGuess neither says nor lacks {part}$"):
        guess(lacks=tuple(other for other in LACKED if other != part))


def test_a_type_cannot_lack_what_is_no_part() -> None:
    with pytest.raises(TypeError, match=r"\bGuess lacks what is no part\b.*\bluck\b"):
        guess(lacks=(*LACKED, "luck"))


def test_a_searching_type_must_say_more_parts() -> None:
    with pytest.raises(TypeError, match=r"\bGuess neither says nor lacks .*\bopened_files\b"):
        new_class("Guess", (SearchKind,), {"lacks": LACKED})


@pytest.mark.parametrize(
    ("declared", "missing"),
    [
        (param(1, "Help."), "no reads"),
        (param(1, reads=Reads.GAME), "no help"),
        (1, "no help and no reads"),
    ],
)
def test_a_type_whose_parameter_lacks_help_or_reader_is_refused_with_its_name(
    declared: Any, missing: str
) -> None:
    table: type[NodeParams] = dataclass(frozen=True, kw_only=True)(
        type("OddParams", (NodeParams,), {"__annotations__": {"mmr": int}, "mmr": declared})
    )
    with pytest.raises(TypeError, match=rf"OddParams\.mmr has {missing}$"):
        guess(table)


@KIND
def test_every_kind_is_that_of_its_table_only(kind: NodeKind[Any]) -> None:
    assert kind_of(kind.table) is kind_of(kind.table()) is kind
    assert type(kind).__name__ == kind.table.node_type
    assert kind.attaches_knowledge <= isinstance(kind, SearchKind)


@PARAMETER
def test_another_value_searches_anew_exactly_when_a_search_or_the_walk_reads_it(
    kind: NodeKind[Any], spec: ParamSpec
) -> None:
    before = kind.table()
    keys = [replace(before, **{spec.name: value}).search_key() for value in other_values(spec)]
    assert keys
    is_read = bool(spec.reads & (Reads.SEARCH | Reads.WALK))
    assert any(key != before.search_key() for key in keys) == is_read


@PARAMETER
def test_every_parameter_says_what_reads_it_and_what_it_means(
    kind: NodeKind[Any], spec: ParamSpec
) -> None:
    assert spec.help.strip().endswith(".")
    assert spec.reads in Reads.SEARCH | Reads.SELECTION | Reads.PROMPT | Reads.WALK | Reads.GAME
    assert spec.is_exit <= spec.structural


@KIND
def test_every_value_comes_back_from_a_graph_file(kind: NodeKind[Any]) -> None:
    params = kind.table(
        **{name: other_values(spec)[-1] for name, spec in kind.table.specs().items()}
    )
    document = json.loads(json.dumps(GraphDescription().add_node("a", params).to_document()))
    findings = Findings(Code.GraphCompilationFailed)
    read = GraphDescription.from_document(document, findings)
    assert list(findings) == []
    assert read.node("a").params == params


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("kinds")
    label = {"name": "label", "type": "string", "default": "greeting"}
    records = [
        {"id": name, "text": text, "metadata": {"label": name}}
        for name, text in (("greet", "hello there"), ("lamp", "a lantern hangs here"))
    ]
    config = {"version": 1, "embedding_model": "Fake", "records_file": "facts.kb.json"}
    node = {"node_id": "lamp", "title": "The lantern", "description": "hello"}
    files = {
        "facts.json": {**config, "fields": [label]},
        "facts.kb.json": records,
        "manners.json": [{"id": "greet", "text": "Greet back."}],
        "town.kg.json": {"nodes": [node], "edges": []},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    (folder / "lines.txt").write_text("hello\n", "utf-8")
    return Workspace(folder, ModelProvider(lambda _name: FakeEmbedder()))


def turn_of(kind: NodeKind[Any], workspace: Workspace, **changes: Any) -> Turn:
    """Run a graph of the node and of a Generate behind each of its exits."""
    spec, specs = kind.table.storage_spec(), kind.table.specs()
    values: dict[str, Any] = dict.fromkeys(kind.table.exits().values(), "answer")
    if spec is not None and spec.file_kind is not None:
        values[spec.name] = FILES[spec.file_kind]
    values |= {"metadata_field": "label"} if "metadata_field" in specs else {}
    values |= {"storage_name": "log"} if not spec and "storage_name" in specs else {}
    values |= {name: value for name, value in changes.items() if name in specs}
    graph = (
        GraphDescription()
        .add_node("node", kind.table(**values))
        .add_node("answer", GenerateParams(template="{{#knowledge}}{{name}}{{/knowledge}}"))
        .set_start_node("node")
        .set_default_model_name("M")
    )
    return Agent(graph, workspace).turn(QUESTION)


@KIND
def test_every_kind_runs_in_a_graph(kind: NodeKind[Any], workspace: Workspace) -> None:
    turn = turn_of(kind, workspace)
    assert turn.error is None
    assert [run.name for run in turn.runs] == ["node", "answer"]
    assert set(turn.runs[0].diagnostics()) == {"parameters", "input", "output"}
    assert (turn.runs[0].retrieval is not None) == isinstance(kind, SearchKind)
    assert (turn.runs[0].projection is not None) == (kind.answer is Answer.REPLY)
    assert turn.runs[0].simulated == (kind.simulated is not None)


@KIND
def test_a_recorded_turn_tells_what_the_turn_did(
    kind: NodeKind[Any], workspace: Workspace, tmp_path: Path
) -> None:
    turn = turn_of(kind, workspace, threshold=0, **TUNED)
    path = tmp_path / "turn.json"
    path.write_text(json.dumps(turn.debug_info), "utf-8")
    (recorded,) = read_recording(path).turns
    ran, read = turn.runs[0], recorded.runs[0]
    assert (read.type, read.exit, read.next) == (ran.type, ran.exit, ran.next)
    assert [message.text for message in recorded.messages] == [m.text for m in turn.messages]
    if ran.retrieval is None:
        assert read.retrieval is None
        return
    assert read.retrieval is not None
    assert ran.retrieval.hits
    assert [hit.id for hit in read.retrieval.hits] == [hit.id for hit in ran.retrieval.hits]
    assert read.retrieval.query == QUESTION
    assert read.retrieval.source == ran.retrieval.source
    told = {name for name in ran.diagnostics()["parameters"] if name in ran.params.specs()}
    assert told
    assert {name: getattr(read.params, name) for name in told} == {
        name: getattr(ran.params, name) for name in told
    }
    labels = [stage.label for stage in ran.retrieval.stages]
    assert {s.label for s in read.retrieval.stages} <= {*labels, "both legs"}
    assert read.retrieval.stages[-1].count == ran.retrieval.stages[-1].count
    assert read.retrieval.how.endswith(", recorded")
