from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from core import GraphDescription
from inspector.cli import commands as cli
from tests.core.nodes.test_kinds import PARAMETER, other_values

if TYPE_CHECKING:
    from pathlib import Path

    from core import NodeKind, ParamSpec

LEXICAL = ["--set", "retrieval_mode=Lexical"]
QUESTION = "do clownfish get along with lionfish?"


@pytest.fixture
def rag(samples: Path) -> str:
    return str(samples / "aquarium" / "rag.graph.json")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("error ")
    return err


def test_a_turn_is_printed_as_json(capsys: pytest.CaptureFixture[str], rag: str) -> None:
    status, out, _ = run(capsys, "turn", rag, "-m", QUESTION, *LEXICAL)
    assert status == 0
    info = json.loads(out)
    assert list(info) == ["status", "nodes"]
    assert info["nodes"][0]["diagnostics"]["parameters"]["retrieval_mode"] == "Lexical"


def test_the_exit_status_is_0_whatever_the_route(
    capsys: pytest.CaptureFixture[str], rag: str
) -> None:
    status, out, _ = run(capsys, "turn", rag, "-m", "xyzzy", *LEXICAL)
    assert status == 0
    assert json.loads(out)["nodes"][0]["exit"] == "not_found"


def test_messages_are_printed_instead_when_asked_for(
    capsys: pytest.CaptureFixture[str], rag: str
) -> None:
    _, out, _ = run(capsys, "turn", rag, "-m", QUESTION, "--messages", *LEXICAL)
    messages = json.loads(out)
    assert [list(message) for message in messages] == [["role", "content"]] * len(messages)
    assert messages[-1] == {"role": "user", "content": QUESTION}


def test_near_misses_are_added_with_reason_and_need(
    capsys: pytest.CaptureFixture[str], rag: str
) -> None:
    _, out, _ = run(capsys, "turn", rag, "-m", QUESTION, "--near-misses", "5", *LEXICAL)
    misses = json.loads(out)["near_misses"]
    assert len(misses) == 5
    assert {key for miss in misses for key in miss} == {
        "id",
        "distance",
        "bm25_score",
        "rank",
        "reason",
        "needs",
    }
    assert misses[0] | {"id": "", "bm25_score": 0} == {
        "id": "",
        "distance": None,
        "bm25_score": 0,
        "rank": 4,
        "reason": "top_k",
        "needs": "top_k ≥ 4",
    }


def test_the_query_is_told_as_each_leg_sees_it(
    capsys: pytest.CaptureFixture[str], rag: str
) -> None:
    _, out, _ = run(capsys, "turn", rag, "-m", "clownfsh, C#?", "--near-misses", "1", *LEXICAL)
    assert json.loads(out)["query_words"] == [
        {
            "leg": "BM25",
            "kept": ["clownfsh", "c"],
            "dropped": [",", "#?"],
            "unknown": ["clownfsh"],
            "nearest_known": {"clownfsh": ["clownfish", "clown", "lionfish"]},
        }
    ]


@pytest.mark.parametrize(
    ("setting", "code", "text"),
    [
        ("top_k=0", 3007, "0 is out of range: 1 to 1000"),
        ("top_k=1001", 3007, "1001 is out of range"),
        ("threshold=-0.1", 3007, "out of range: 0 to 2"),
        ("threshold=2.1", 3007, "out of range: 0 to 2"),
        ("threshold=NaN", 3007, "nan is out of range"),
        ('threshold="0.5"', 3007, "expected a number"),
        ("top_k=many", 3007, "expected a whole number"),
        ("retrieval_mode=Sparse", 3007, "Dense, Lexical, Hybrid"),
        ("knowlege.top_k=3", 3005, 'did you mean "knowledge"?'),
        ("knowledge.topk=3", 3007, 'did you mean "top_k"?'),
        ("topk=3", 3007, 'did you mean "top_k"?'),
        ("top_k", 3007, "NAME=VALUE"),
        ("knowledge.found_exit=ghost", 3003, "ghost"),
        ("filter={", 3007, "filter.syntax"),
        (
            'filter={"op":"eq","lhs":{"knowledge":"levle"},"rhs":{"value":1}}',
            3007,
            "filter.unknown_field",
        ),
        ("embedded_string_storage=none.json", 3010, "none.json"),
        ("embedded_string_storage=/etc/passwd", 3009, "/etc/passwd"),
        ("embedded_string_storage=refusals.txt", 3011, "refusals.txt"),
    ],
)
def test_a_bad_setting_is_one_line_with_code_and_place(
    capsys: pytest.CaptureFixture[str], rag: str, setting: str, code: int, text: str
) -> None:
    line = refused(capsys, "turn", rag, "-m", "x", "--set", setting)
    assert line.startswith(f"error {code} ")
    assert text in line


def test_a_setting_is_json_where_it_fits_the_parameter_else_text(
    capsys: pytest.CaptureFixture[str], rag: str
) -> None:
    _, out, _ = run(
        capsys,
        "turn",
        rag,
        "-m",
        QUESTION,
        "--set",
        "knowledge.top_k=5",
        "--set",
        "source=true",
        *LEXICAL,
    )
    parameters = json.loads(out)["nodes"][0]["diagnostics"]["parameters"]
    assert (parameters["top_k"], parameters["source"]) == (5, "true")


def test_a_parameter_that_several_nodes_have_needs_the_nodes_name(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    oracle = str(samples / "adventure" / "oracle.graph.json")
    assert "several nodes" in refused(capsys, "turn", oracle, "-m", "x", "--set", "top_k=3")


@pytest.mark.parametrize(
    "arguments",
    [
        ("turn",),
        ("turn", "x.json"),
        ("turn", "x.json", "-m"),
        ("turn", "x.json", "-m", "a", "--no"),
        ("check",),
        ("nonsense",),
        ("turn", "x.json", "-m", "a", "--near-misses", "many"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert refused(capsys, *arguments).startswith("error 3007 InvalidParamValue: ")


def test_a_missing_file_is_3010(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = refused(capsys, "turn", str(tmp_path / "no.json"), "-m", "x")
    assert line.startswith("error 3010 StorageFileNotFound: ")


def test_broken_json_names_line_and_column(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "k.json"
    path.write_text('{"version": 1,\n "embedding_model" "x"}')
    line = refused(capsys, "turn", str(path), "-m", "x")
    assert line.startswith("error 8003 ")
    assert "k.json:2:" in line


def test_the_sample_files_check_clean(capsys: pytest.CaptureFixture[str], samples: Path) -> None:
    status, out, _ = run(capsys, "check", str(samples / "aquarium"), str(samples / "adventure"))
    assert (status, out) == (0, "")


def test_check_prints_every_finding_and_exits_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.kb.json"
    path.write_text(json.dumps([{"id": "a", "text": "x"}, {"id": "a", "text": 3}, {"text": "y"}]))
    status, out, _ = run(capsys, "check", str(path))
    assert status == 1
    errors = [line for line in out.splitlines() if line.startswith("error 8003 ")]
    assert len(errors) == 3
    assert "records[1].text" in out or "[1].text" in out


def test_check_of_a_missing_path_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, _ = run(capsys, "check", str(tmp_path / "gone.json"))
    assert status == 1
    assert out.startswith("error 3010 ")


def test_nothing_is_written_by_a_refused_turn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.kb.json").write_text('[{"id": "a"}]')
    refused(capsys, "turn", str(tmp_path / "a.kb.json"), "-m", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["a.kb.json"]


@pytest.mark.slow
def test_a_turn_in_lexical_mode_loads_neither_torch_nor_qt(rag: str, repo: Path) -> None:
    script = (
        "import sys; from inspector.__main__ import main; status = main(sys.argv[1:]); "
        "print({'torch', 'PySide6', 'sentence_transformers'} & set(sys.modules), "
        "file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "turn", rag, "-m", QUESTION, *LEXICAL],
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert done.stderr.strip() == "set()"


@pytest.mark.parametrize(
    "query",
    ["", " ", "?!…", "\U0001f420 🐠", "金魚はどこ", "سمكة", "a" * 1_000_000, "x\x00y", "'; --"],
)
def test_any_message_gives_a_turn(capsys: pytest.CaptureFixture[str], rag: str, query: str) -> None:
    status, out, _ = run(capsys, "turn", rag, "-m", query, *LEXICAL)
    assert status == 0
    assert json.loads(out)["status"] == "Success"


def test_a_message_that_is_no_text_is_refused(capsys: pytest.CaptureFixture[str], rag: str) -> None:
    assert "3007" in refused(capsys, "turn", rag, "-m", "\udcff", *LEXICAL)


def test_top_k_above_the_number_of_records_gives_what_there_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "one.kb.json"
    path.write_text('[{"id": "only", "text": "one lonely fish"}]')
    _, out, _ = run(capsys, "turn", str(path), "-m", "fish", "--set", "top_k=1000", *LEXICAL)
    assert [r["id"] for r in json.loads(out)["nodes"][0]["diagnostics"]["output"]["results"]] == [
        "only"
    ]


@PARAMETER
def test_every_parameter_of_every_node_type_can_be_set(
    kind: NodeKind[Any], spec: ParamSpec
) -> None:
    graph = GraphDescription().add_node("a", kind.table())
    for value in other_values(spec):
        written = spec.to_json(value)
        text = written if isinstance(written, str) else json.dumps(written)
        changed = cli.with_settings(graph, [f"a.{spec.name}={text}"]).node("a").params
        assert getattr(changed, spec.name) == value


def test_name_and_version_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    with pytest.raises(SystemExit) as ended:
        cli.window_parser().parse_args(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == (
        f"retrieve-turn-inspector {version('retrieve-turn-inspector')}\n"
    )
