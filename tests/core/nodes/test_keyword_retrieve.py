"""The node KeywordRetrieve: opened, checked, run, tuned and reported, on the shipped handbook."""

from __future__ import annotations

import json
import shutil
import string
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import (
    Agent,
    GenerateParams,
    GraphDescription,
    KeywordRetrieveParams,
    Workspace,
)
from core.agent.agent import run_turn
from core.errors import Code, InspectorError
from core.hits.hit import Reason
from core.io.findings import FileRefused, Severity
from core.io.work import SearchNeeded, Work
from core.keyword.folder import load_corpus
from core.keyword.retriever import KeywordRetriever
from core.keyword.scoring import KeywordWeights
from core.knowledge.root import FileKind, StorageRoot, kind_of
from core.nodes.generate import provided_by
from core.nodes.keyword_retrieve import KeywordRetrieval
from core.opening.opening import check_path, open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn

QUESTION = "how do I tune reciprocal rank fusion?"
TEMPLATE = "{{#knowledge_pages}}[{{id}}] {{text}}\n{{/knowledge_pages}}"


def graph(**params: Any) -> GraphDescription:
    values: dict[str, Any] = {"corpus": "handbook", "found_exit": "answer"} | params
    return (
        GraphDescription()
        .add_node(
            "pages",
            KeywordRetrieveParams(**values),
        )
        .add_node("answer", GenerateParams(template=TEMPLATE, model_name="any"))
        .set_start_node("pages")
    )


@pytest.fixture(scope="module")
def workspace(samples: Path) -> Workspace:
    return Workspace(StorageRoot(samples))


def ask(workspace: Workspace, question: str = QUESTION, **params: object) -> Turn:
    return Agent(graph(**params), workspace).turn(question)


def result_of(turn: Turn) -> KeywordRetrieval:
    result = turn.runs[0].retrieval
    assert isinstance(result, KeywordRetrieval)
    return result


def test_its_hits_are_those_of_the_retriever(workspace: Workspace, samples: Path) -> None:
    wanted = KeywordRetriever(2.0).retrieve(QUESTION, load_corpus(samples / "handbook"), 5)
    found = ask(workspace).debug_info["nodes"][0]["diagnostics"]["output"]["results"]
    assert [(hit["id"], hit["score"], hit["match_reason"]) for hit in found] == [
        (hit.entry.path, hit.score, hit.match_reason) for hit in wanted
    ]


def test_the_prompt_reads_pages_without_their_front_matter(workspace: Workspace) -> None:
    turn = ask(workspace, k=1)
    text = turn.messages[0].text
    assert text.startswith("[concepts/rank-fusion.md] # ")
    assert "aliases:" not in text
    assert turn.runs[0].output == result_of(turn).hits[0].text


def test_the_counts_add_up_and_equal_the_diagnostics(workspace: Workspace) -> None:
    result = result_of(ask(workspace, k=4, min_score=3.0))
    counts = [stage.count for stage in result.stages]
    assert [stage.label for stage in result.stages] == [
        "entries",
        "matched",
        "at or above min_score",
        "hits",
    ]
    for before, stage in zip(counts, result.stages[1:], strict=False):
        assert stage.count == before - stage.removed
    section = result.diagnostics()["parameters"]
    assert counts == [
        section["entry_count"],
        section["raw_result_count"],
        section["raw_result_count"] - section["filtered_count"],
        section["result_count"],
    ]
    assert section["result_count"] == len(result.diagnostics()["output"]["results"]) == 4


def test_it_leaves_by_found_and_by_not_found(workspace: Workspace) -> None:
    assert ask(workspace).runs[0].exit == "found"
    lost = ask(workspace, "xyzzy")
    assert (lost.runs[0].exit, len(lost.runs)) == ("not_found", 1)
    assert result_of(lost).diagnostics()["output"] == {"results": []}


@pytest.mark.parametrize("question", ["", "   ", "how do I do it?"])
def test_nothing_to_search_with_finds_nothing(workspace: Workspace, question: str) -> None:
    turn = ask(workspace, question)
    assert turn.error is None
    assert turn.runs[0].exit == "not_found"
    section = turn.debug_info["nodes"][0]["diagnostics"]
    assert section["input"] == ({"query": question} if question.strip() else {})


def test_a_near_miss_says_by_how_much_it_misses_the_floor(workspace: Workspace) -> None:
    miss = result_of(ask(workspace, "spoilers", min_score=3.0)).near_misses(5)[0]
    assert (miss["id"], miss["score"], miss["reason"]) == (
        "concepts/metadata-filter.md",
        1.5,
        "min_score",
    )
    assert miss["misses_by"] == 3.0 - 1.5
    assert miss["needs"] == "min_score ≤ 1.5"
    listing = result_of(ask(workspace, "spoilers", min_score=3.0)).listing
    assert listing is not None
    row = listing.row_of("concepts/metadata-filter.md")
    assert listing.story(row).needs == "min_score ≤ 1.5 (−1.5)"
    lines = {line.name: line.value for line in listing.score_lines(row)}
    assert lines["misses min_score by"] == "1.5 (3 − 1.5)"


def test_the_score_is_told_field_by_field_with_the_stems(workspace: Workspace) -> None:
    listing = result_of(ask(workspace)).listing
    assert listing is not None
    lines = {line.name: line.value for line in listing.score_lines(int(listing.hit_rows[0]))}
    assert lines["path"].startswith("2 × 2 = 4")
    assert lines["summary"].startswith("3 × 1.5 = 4.5")
    assert "fus" in lines["summary"]
    assert lines["sum"] == f"{2 * 2 + 3 * 1.5 + 3 * 1 + 3 * 0.5:g}"
    assert lines["category"] == "concepts × 1.5"
    assert lines["score"] == "13 × 1.5 = 19.5"


def test_tuning_never_searches_again(workspace: Workspace) -> None:
    agent = Agent(graph(), workspace)
    with pytest.raises(SearchNeeded):
        run_turn(agent.request("a question of its own"), workspace, work=Work(cached_only=True))
    agent.turn("a question of its own about near misses")
    for param, value in (
        ("k", 1),
        ("min_score", 0.5),
        ("summary_weight", 9.0),
        ("category_weights", '{"errors": 2}'),
        ("path_cap", 0),
    ):
        agent.change_param("pages", param, value)
        turn = run_turn(
            agent.request("a question of its own about near misses"),
            workspace,
            work=Work(cached_only=True),
        )
        assert turn.error is None


def test_a_cached_search_has_the_scores_of_the_present_weights(
    workspace: Workspace, samples: Path
) -> None:
    ask(workspace)
    heavier = KeywordWeights(content=7.0, path=0.0)
    wanted = KeywordRetriever(2.0, heavier).retrieve(QUESTION, load_corpus(samples / "handbook"))
    found = result_of(ask(workspace, content_weight=7.0, path_weight=0.0)).hits
    assert [(hit.id, hit.score) for hit in found] == [(h.entry.path, h.score) for h in wanted]


def test_category_weights_come_on_top_of_the_usual_ones(workspace: Workspace) -> None:
    found = result_of(
        ask(workspace, "error 3007", min_score=0.0, category_weights='{"errors": 1}')
    ).hits
    scores = {hit.id: hit.score for hit in found}
    assert scores["errors/filter-does-not-compile.md"] == 2 * 1 + 1.5 * 2 + 1 * 2
    assert scores["concepts/metadata-filter.md"] == (1 * 1 + 0.5 * 2) * 1.5


@pytest.mark.parametrize(
    ("param", "value"),
    [
        ("k", 0),
        ("k", 1001),
        ("k", 2.5),
        ("min_score", -0.1),
        ("min_score", float("nan")),
        ("min_score", "2"),
        ("path_weight", -1.0),
        ("category_weights", "[]"),
        ("category_weights", '{"a": -1}'),
        ("category_weights", '{"a": NaN}'),
        ("category_weights", '{"a": true}'),
        ("category_weights", "{"),
    ],
)
def test_a_value_out_of_range_is_3007_and_changes_nothing(
    workspace: Workspace, param: str, value: object
) -> None:
    agent = Agent(graph(), workspace)
    with pytest.raises(InspectorError) as refused:
        agent.change_param("pages", param, value)
    assert refused.value.code is Code.InvalidParamValue
    assert getattr(agent.graph.node("pages").params, param) == getattr(
        graph().node("pages").params, param
    )


@pytest.mark.parametrize(
    "param", ["corpus", "summary_field", "preview_chars", "input", "found_exit"]
)
def test_what_makes_the_index_is_structural(workspace: Workspace, param: str) -> None:
    with pytest.raises(InspectorError) as refused:
        Agent(graph(), workspace).change_param("pages", param, "x")
    assert refused.value.code is Code.ParamNotMutable


@pytest.mark.parametrize(
    ("corpus", "code"),
    [
        ("", Code.InvalidEmbeddedStringStorageName),
        ("nowhere", Code.StorageFileNotFound),
        ("../elsewhere", Code.StorageOutsideRoot),
        ("/etc", Code.StorageOutsideRoot),
        ("town/town.kg.json", Code.StorageKindMismatch),
        ("aquarium/refusals.txt", Code.StorageKindMismatch),
    ],
)
def test_a_corpus_that_cannot_be_used_is_found_when_compiling(
    workspace: Workspace, corpus: str, code: Code
) -> None:
    with pytest.raises(FileRefused) as refused:
        Agent(graph(corpus=corpus), workspace)
    assert code in {finding.code for finding in refused.value.findings}


def test_a_knowledge_file_serves_as_a_corpus(workspace: Workspace) -> None:
    turn = ask(
        workspace, "who stole the lighthouse lens", corpus="adventure/lore.json", min_score=1.0
    )
    result = result_of(turn)
    assert turn.runs[0].exit == "found"
    ids = workspace.knowledge("adventure/lore.json").ids
    assert all(hit.id in ids for hit in result.hits)
    assert "lens" in result.hits[0].text.lower()


def test_the_summary_field_of_a_knowledge_file_counts_as_summary(tmp_path: Path) -> None:
    (tmp_path / "notes.kb.json").write_text(
        json.dumps(
            [
                {"id": "a", "text": "grey", "metadata": {"gist": "a red lamp"}},
                {"id": "b", "text": "grey", "metadata": {"summary": "a blue lamp"}},
            ]
        ),
        encoding="utf-8",
    )
    workspace = Workspace(StorageRoot(tmp_path))
    for field, found in (("gist", ["a"]), ("summary", []), ("absent", [])):
        turn = ask(workspace, "red", corpus="notes.kb.json", summary_field=field, min_score=1.0)
        assert [hit.id for hit in result_of(turn).hits] == found


def test_the_input_may_be_an_earlier_nodes_output(workspace: Workspace) -> None:
    twice = (
        GraphDescription()
        .add_node("first", KeywordRetrieveParams(corpus="handbook", k=1, found_exit="second"))
        .add_node("second", KeywordRetrieveParams(corpus="handbook", k=3, input="first"))
        .set_start_node("first")
    )
    turn = Agent(twice, workspace).turn("near miss")
    query = turn.debug_info["nodes"][1]["diagnostics"]["input"]["query"]
    assert query == turn.runs[0].output.strip()


def test_templates_know_its_source(workspace: Workspace) -> None:
    named = graph(source="facts")
    assert provided_by({node.name: node.params for node in named.nodes}).sources == ("facts",)
    problems = Agent(named, workspace).turn(QUESTION).runs[1].projection.problems
    assert any("knowledge_pages" in problem.message for problem in problems)


def test_the_graph_is_saved_and_loaded_with_its_parameters(tmp_path: Path) -> None:
    made = graph(k=7, min_score=2.5, path_weight=3.0)
    made.save(tmp_path / "x.graph.json")
    again = GraphDescription.load(tmp_path / "x.graph.json")
    assert again.nodes == made.nodes
    assert json.loads((tmp_path / "x.graph.json").read_text())["nodes"][0]["params"] == {
        "corpus": "handbook",
        "k": 7,
        "min_score": 2.5,
        "path_weight": 3.0,
        "found_exit": "answer",
    }


def test_a_folder_of_markdown_opens_with_a_graph_of_two_nodes(
    samples: Path, tmp_path: Path
) -> None:
    shutil.copytree(samples / "handbook" / "concepts", tmp_path / "pages" / "concepts")
    opened = open_path(tmp_path / "pages")
    assert [(node.name, node.type) for node in opened.graph.nodes] == [
        ("knowledge", "KeywordRetrieve"),
        ("answer", "Generate"),
    ]
    turn = Agent(opened.graph, opened.workspace).turn(QUESTION)
    assert turn.status == "Success"
    assert "Reciprocal rank fusion" in turn.messages[0].text


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a.md": "---\ntitle: A\n---\ntext"}, FileKind.CORPUS),
        ({"x/a.md": "---\ntitle: A\n---\ntext"}, FileKind.CORPUS),
        ({"cross_links.json": "{}"}, FileKind.CORPUS),
        ({"README.md": "# no front matter"}, FileKind.UNKNOWN),
        ({".hidden/a.md": "---\ntitle: A\n---\n"}, FileKind.UNKNOWN),
        ({}, FileKind.UNKNOWN),
    ],
)
def test_a_folder_is_told_to_be_a_corpus_by_front_matter(
    tmp_path: Path, files: dict[str, str], kind: FileKind
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert kind_of(tmp_path) is kind


def test_check_prints_the_findings_of_every_page(samples: Path, tmp_path: Path) -> None:
    assert check_path(samples / "handbook") == ()
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("---\nsummary: [1]\n---\n", encoding="utf-8")
    (tmp_path / "pages" / "b.md").write_text("---\nrelated: [nowhere.md]\n---\nb", encoding="utf-8")
    for path in (tmp_path, tmp_path / "pages"):
        found = check_path(path)
        assert {finding.severity for finding in found} == {Severity.ERROR, Severity.WARNING}
        assert any("summary must be one text" in finding.message for finding in found)
        assert any('no entry "nowhere.md"' in finding.message for finding in found)


def test_a_root_that_is_the_corpus_itself_is_called_by_a_dot(samples: Path) -> None:
    folder = samples / "handbook"
    opened = open_path(folder / "handbook.graph.json")
    assert Agent(opened.graph, opened.workspace).turn(QUESTION).runs[0].exit == "found"


WORDS = st.lists(
    st.sampled_from(["red", "lamp", "fog", "keys", "open", "door"]), min_size=1, max_size=6
).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(
    pages=st.lists(
        st.tuples(st.sampled_from(string.ascii_lowercase), WORDS),
        min_size=1,
        max_size=8,
        unique_by=lambda page: page[0],
    ),
    question=WORDS,
    k=st.integers(1, 4),
    floor=st.sampled_from([0.0, 0.5, 1.0, 2.0, 5.0]),
)
def test_hits_and_near_misses_part_what_matches(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[tuple[str, str]],
    question: str,
    k: int,
    floor: float,
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in pages:
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    turn = ask(Workspace(StorageRoot(folder)), question, corpus=".", k=k, min_score=floor)
    result = result_of(turn)
    assert result.listing is not None
    near = result.listing.near_miss_rows(100)
    assert result.listing.near_miss_count == len(near)
    hits = set(result.listing.hit_rows.tolist())
    assert not hits & set(near)
    told = {row: result.listing.story(row).reason for row in (*hits, *near)}
    assert {told[row] for row in hits} <= {Reason.NONE}
    assert {told[row] for row in near} <= {Reason.MIN_SCORE, Reason.K}


def test_the_check_warns_of_aliases_that_never_count_alone(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "potion.md").write_text("---\naliases: [elixir]\n---\nA drink.")
    for overlap, count in ((2, 1), (1, 0)):
        path = tmp_path / "g.graph.json"
        graph(corpus="pages", aliases_overlap=overlap).save(path)
        told = [finding for finding in check_path(path) if "too short to count" in finding.message]
        assert [finding.place.json_path for finding in told] == ["aliases"] * count
        assert all(finding.place.file.endswith("potion.md") for finding in told)


def test_details_name_the_limit_and_only_what_was_scored(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    body = "Rain. " * 90 + "The trident lies in the crypt."
    (tmp_path / "pages" / "temple.md").write_text(body)
    listing = result_of(
        ask(Workspace(StorageRoot(tmp_path)), "trident rain", corpus="pages", min_score=0.5)
    ).listing
    assert listing is not None
    assert listing.unread(0) == ((500, len(body)),)
    lines = {line.name: (line.value, line.note) for line in listing.score_lines(0)}
    assert lines["text read"] == (
        f"500 of {len(body)} characters",
        "preview_chars 500, front matter included",
    )
    needed = body.index("trident") + len("trident")
    assert lines["beyond what is read"] == ("trident", f"preview_chars ≥ {needed}")
    spans = listing.words.spans(body, listing.unread(0))
    assert {body[start:end] for start, end in spans} == {"Rain"}
