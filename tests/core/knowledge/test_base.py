from __future__ import annotations

import gc
import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.index_file import read_index_header
from core.embedding.models import find_model
from core.errors import Cancelled, InspectorError
from core.io.findings import FileRefused
from core.io.work import Work
from core.knowledge import cut_texts
from core.knowledge.base import KnowledgeBase, check_knowledge, knowledge_of, open_knowledge
from core.knowledge.memory import MemoryStore
from core.knowledge.schema import Field, FieldType

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "All-MiniLM-L6-v2"
CONFIG: dict[str, Any] = {
    "version": 1,
    "embedding_model": MODEL,
    "records_file": "r.kb.json",
    "fields": [
        {"name": "level", "type": "int", "default": 1},
        {"name": "tags", "type": "set<string>", "optional": True},
    ],
}
RECORDS: list[Any] = [
    {"id": "a", "text": "first", "metadata": {"level": 3, "tags": ["y", "x"], "note": "kept"}},
    {"id": "b", "text": "second"},
]


def write(folder: Path, config: Any = CONFIG, records: Any = RECORDS) -> Path:
    (folder / "r.kb.json").write_text(json.dumps(records), encoding="utf-8")
    path = folder / "kb.json"
    path.write_text(json.dumps(config, indent=1), encoding="utf-8")
    return path


def errors(path: Path, root: Path | None = None) -> list[tuple[int, str, str]]:
    """Code, file name and JSON path of each error, after checking that opening is refused."""
    found = [f for f in check_knowledge(path, root) if f.severity == "error"]
    with pytest.raises(InspectorError):
        open_knowledge(path, root)
    return [(int(f.code), f.place.file.rpartition("/")[2], f.place.json_path) for f in found]


def test_a_config_and_its_records_are_one_knowledge_base(tmp_path: Path) -> None:
    path = write(tmp_path)
    knowledge = open_knowledge(path)
    assert knowledge.ids == ("a", "b")
    assert knowledge.texts == ("first", "second")
    assert knowledge.metadata == (RECORDS[0]["metadata"], None)
    assert knowledge.name == "kb"
    assert knowledge.files == (path, (tmp_path / "r.kb.json").resolve())
    assert [f.name for f in knowledge.fields] == ["level", "tags"]
    assert knowledge.columns["level"].values.tolist() == [3, 1]
    assert knowledge.columns["tags"].present.tolist() == [True, False]
    assert knowledge.findings == ()
    assert len(knowledge) == 2


def test_a_bare_array_gets_the_default_model_and_an_inferred_schema(tmp_path: Path) -> None:
    write(tmp_path)
    knowledge = open_knowledge(tmp_path / "r.kb.json")
    assert find_model(knowledge.config.embedding_model) == find_model(MODEL)
    assert knowledge.config.made_up
    assert [(f.name, f.type, f.optional) for f in knowledge.fields] == [
        ("level", "int", True),
        ("tags", "set<string>", True),
        ("note", "string", True),
    ]
    assert knowledge.columns.keys() == {"level", "tags", "note"}


def test_a_mixed_field_of_a_bare_array_is_kept_but_not_filterable(tmp_path: Path) -> None:
    write(
        tmp_path,
        records=[
            {"id": "a", "text": "x", "metadata": {"m": 1}},
            {"id": "b", "text": "y", "metadata": {"m": "z"}},
        ],
    )
    knowledge = open_knowledge(tmp_path / "r.kb.json")
    mixed = "int values and string values"
    assert knowledge.fields == (Field("m", FieldType.STRING, None, True, False, mixed),)
    assert not knowledge.columns["m"].present.any()
    assert knowledge.metadata[1] == {"m": "z"}
    assert [f.severity for f in knowledge.findings] == ["warning"]


def test_json_lines_open_with_the_line_of_every_fault(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n\n{"id": "a", "text": "y"}\n{"id": ""}\n{"id"\n')
    found = check_knowledge(path)
    assert [(f.place.line, f.place.json_path) for f in found] == [
        (5, "records[3]"),
        (3, "records[1].id"),
        (4, "records[2].id"),
        (4, "records[2].text"),
    ]


def test_a_project_of_the_dataset_builder_opens(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(
        json.dumps(
            {
                "name": "Fishes",
                "createdAt": "now",
                "categories": [
                    {
                        "name": "fresh",
                        "chunks": [
                            {
                                "id": "a",
                                "text": "x",
                                "metadata": {},
                                "customFields": [{"key": "level", "value": "5"}],
                            }
                        ],
                    }
                ],
            }
        )
    )
    knowledge = open_knowledge(path)
    assert knowledge.name == "Fishes"
    assert knowledge.metadata == ({"level": "5", "category": "fresh"},)
    assert '"type": "int"' in knowledge.findings[0].hint


def test_a_saved_memory_store_opens(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    MemoryStore("diary", "note", MODEL, tuple(RECORDS)).save(path)
    knowledge = open_knowledge(path)
    assert (knowledge.name, knowledge.ids) == ("diary", ("a", "b"))


def test_a_memory_store_is_searchable_with_its_schemas_fields() -> None:
    store = MemoryStore("diary", "note", MODEL, tuple(RECORDS))
    knowledge = knowledge_of(store, [Field("level", FieldType.INT, 9)])
    assert knowledge.columns["level"].values.tolist() == [3, 9]
    assert len(knowledge_of(MemoryStore("empty"))) == 0
    with pytest.raises(FileRefused):
        knowledge_of(store, [Field("level", FieldType.STRING, "")])


def test_faults_of_config_and_records_are_reported_together(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        CONFIG | {"version": 2},
        [
            {"id": "a", "text": "x", "metadata": {"level": "high"}},
            {"id": "b", "text": "y", "metadata": {"level": True, "tags": ["x", 1]}},
        ],
    )
    assert errors(path) == [
        (8003, "kb.json", "version"),
        (8003, "r.kb.json", "records[0].metadata.level"),
        (8003, "r.kb.json", "records[1].metadata.level"),
        (8003, "r.kb.json", "records[1].metadata.tags[1]"),
    ]


def test_an_error_has_line_and_column_of_its_value(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "r.kb.json").write_text(
        '[\n {"id": "a", "text": "x",\n  "metadata": {"level": "high"}}\n]'
    )
    [finding] = check_knowledge(path)
    assert (finding.place.line, finding.place.column) == (3, 25)
    assert finding.line().startswith("error 8003 ")
    assert "records[0].metadata.level" in finding.line()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../r.kb.json", 3009),
        ("/etc/passwd", 3009),
        ("..\\r.kb.json", 3009),
        ("no.kb.json", 3010),
        ("kb.json", 3011),
        (".", 3011),
        ("a\0b", 3010),
    ],
)
@pytest.mark.parametrize("key", ["records_file", "index_file"])
def test_a_named_file_must_lie_inside_the_root(
    tmp_path: Path, key: str, name: str, code: int
) -> None:
    if (key, name) == ("index_file", "kb.json"):
        return
    (tmp_path / "inner").mkdir()
    path = write(tmp_path / "inner", CONFIG | {key: name})
    assert errors(path) == [(code, "kb.json", key)]


def test_a_config_in_a_folder_may_name_records_elsewhere_in_the_root(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path)
    path = write(tmp_path / "inner", CONFIG | {"records_file": "../r.kb.json"})
    assert open_knowledge(path, tmp_path).files[1] == (tmp_path / "r.kb.json").resolve()
    assert errors(path) == [(3009, "kb.json", "records_file")]


def test_knowledge_outside_the_given_root_is_3009(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    assert errors(write(tmp_path), tmp_path / "inner") == [(3009, "kb.json", "")]


@pytest.mark.parametrize(
    ("name", "code"),
    [("missing.json", 3010), ("no/where.json", 3010), (".", 3011), ("a\0b.json", 3010)],
)
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, code: int) -> None:
    assert [found[0] for found in errors(tmp_path / name)] == [code]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.graph.json", '{"start_node": "a", "nodes": []}', 3011),
        ("a.txt", "x", 3011),
        ("a.png", "\x89PNG", 3011),
        ("a.json", '{"odd": 1}', 3011),
        ("a.json", "", 8003),
        ("a.json", "{", 8003),
        ("a.kb.json", "{}", 8003),
        ("a.kb.json", "[]", 8003),
        ("a.json", "[1, 2", 8003),
        ("a.jsonl", "", 8003),
        ("a.kb.json", "[" * 10_000, 8003),
    ],
)
def test_what_is_no_knowledge_is_refused(
    tmp_path: Path, name: str, content: str, code: int
) -> None:
    (tmp_path / name).write_text(content)
    assert [found[0] for found in errors(tmp_path / name)] == [code]


def usearch_file(dimension: int, count: int = 2) -> bytes:
    """Make the start of a USearch file: rows, bytes a row, the rows, then the head."""
    vectors = np.zeros((count, dimension), np.float32).tobytes()
    numbers = count.to_bytes(4, "little") + (dimension * 4).to_bytes(4, "little")
    head = (
        b"usearch"
        + b"\2\0\x14\0\0\0"
        + b"c\x0b\x0e\x0f"
        + count.to_bytes(8, "little")
        + bytes(8)
        + dimension.to_bytes(8, "little")
    )
    return numbers + vectors + head.ljust(64, b"\0")


def test_an_index_of_another_dimension_than_the_model_is_8003(tmp_path: Path) -> None:
    (tmp_path / "i.usearch").write_bytes(usearch_file(128))
    path = write(tmp_path, CONFIG | {"index_file": "i.usearch"})
    assert errors(path) == [(8003, "kb.json", "index_file")]
    assert "has 128" in check_knowledge(path)[0].message
    assert "has 384" in check_knowledge(path)[0].message


@pytest.mark.parametrize("content", [usearch_file(384), b"", b"whatever " * 99, b"\xff" * 300])
def test_any_other_index_is_not_used_with_a_warning(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "i.bin").write_bytes(content)
    knowledge = open_knowledge(write(tmp_path, CONFIG | {"index_file": "i.bin"}))
    assert [(f.severity, f.place.json_path) for f in knowledge.findings] == [
        ("warning", "index_file")
    ]
    assert "not used" in knowledge.findings[0].message


def test_the_header_of_an_hnswlib_index_is_read(tmp_path: Path) -> None:
    hnswlib = pytest.importorskip("hnswlib")
    index = hnswlib.Index("cosine", 24)
    index.init_index(10)
    index.add_items(np.eye(5, 24, dtype=np.float32))
    index.save_index(str(tmp_path / "i.bin"))
    header = read_index_header(tmp_path / "i.bin")
    assert header is not None
    assert (header.format, header.dimension, header.count) == ("hnswlib", 24, 5)


@settings(deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=80).map(lambda tail: b"usearch" + tail))
def test_any_bytes_have_an_index_header_or_none(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "i.bin"
    path.write_bytes(content)
    header = read_index_header(path)
    assert header is None or header.dimension > 0


def model_tokens(texts: list[str]) -> list[int]:
    """Count tokens with the model's own tokenizer file, without any help of ours."""
    tokenizers = pytest.importorskip("tokenizers")
    model = find_model(MODEL)
    folder = model.folder() if model is not None else None
    if folder is None:
        pytest.skip("the model is not here")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    return [len(tokenizer.encode(text).ids) for text in texts]


def test_a_text_longer_than_the_model_reads_says_how_many_tokens_are_cut(tmp_path: Path) -> None:
    texts = ["fish " * 300, "x" * 255, "fish " * 100, "鱼" * 300, "한" * 90, "1 " * 300]
    knowledge = open_knowledge(
        write(tmp_path, records=[{"id": str(row), "text": text} for row, text in enumerate(texts)])
    )
    cut = {row: count for row, count in enumerate(model_tokens(texts)) if count > 256}
    assert [f.place.json_path for f in knowledge.findings] == [
        f"records[{row}].text" for row in cut
    ]
    for finding, count in zip(knowledge.findings, cut.values(), strict=True):
        assert f"has {count} tokens" in finding.message
        assert f": {count - 256} are cut" in finding.message


def test_counting_tokens_is_bounded_and_says_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_tokens([])
    monkeypatch.setattr(cut_texts, "MAX_COUNTED_CHARS", 2000)
    monkeypatch.setattr(cut_texts, "_BATCH", 1)
    texts = [f"{row} " + "fish " * (290 + row) for row in range(5)]
    knowledge = open_knowledge(
        write(tmp_path, records=[{"id": str(row), "text": text} for row, text in enumerate(texts)])
    )
    assert "3 more long texts were not measured" in knowledge.findings[0].message
    assert [f.place.json_path for f in knowledge.findings[1:]] == [
        "records[3].text",
        "records[4].text",
    ]


def test_the_digest_follows_the_written_rule(tmp_path: Path) -> None:
    lengths = (5).to_bytes(8, "little") + (6).to_bytes(8, "little")
    expected = hashlib.sha256((2).to_bytes(8, "little") + lengths + b"firstsecond").hexdigest()
    assert open_knowledge(write(tmp_path)).digest == expected


def test_the_digest_tells_where_one_text_ends(tmp_path: Path) -> None:
    def digest(*texts: str) -> str:
        return open_knowledge(
            write(
                tmp_path, records=[{"id": str(row), "text": text} for row, text in enumerate(texts)]
            )
        ).digest

    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("c", "ab")}) == 4


def test_opening_leaves_the_garbage_collector_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path)
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            open_knowledge(path)
            assert gc.isenabled() is enabled
            with pytest.raises(FileRefused):
                open_knowledge(tmp_path / "nowhere.json")
            assert gc.isenabled() is enabled
        finally:
            gc.enable()


def test_opening_can_be_cancelled(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        open_knowledge(write(tmp_path), work=Work(is_cancelled=lambda: True))


def test_no_file_is_ever_written(tmp_path: Path) -> None:
    path = write(tmp_path)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    open_knowledge(path)
    check_knowledge(path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before


def test_the_shipped_samples_check_clean(samples: Path) -> None:
    found = [check_knowledge(path) for path in sorted(samples.glob("*/*.kb.json"))]
    configs = [
        path.with_name(path.name.replace(".kb.", "."))
        for path in sorted(samples.glob("*/*.kb.json"))
    ]
    found += [check_knowledge(path) for path in configs]
    assert found
    assert set(found) == {()}


def test_importing_the_knowledge_modules_loads_nothing_heavy() -> None:
    code = (
        "import sys, core.knowledge.base, core.knowledge.strings, core.knowledge.catalog\n"
        "heavy = {'torch', 'sentence_transformers', 'bm25s', 'PySide6', 'networkx',"
        " 'tokenizers', 'hnswlib'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_all_of_wordnet_opens_clean(tmp_path: Path, shared_data: Path) -> None:
    built = subprocess.run(
        [
            sys.executable,
            str(shared_data / "wordnet" / "build_wordnet.py"),
            str(tmp_path),
            "--no-graph",
        ],
        capture_output=True,
        check=False,
    )
    if built.returncode:
        pytest.skip("WordNet is not installed")
    knowledge = open_knowledge(tmp_path / "wordnet.json")
    assert len(knowledge) == 117_659
    assert knowledge.findings == ()
    raw = json.loads((tmp_path / "wordnet.kb.json").read_bytes())
    assert knowledge.texts == tuple(record["text"] for record in raw)
    depth = knowledge.columns["depth"]
    assert [
        value if there else None
        for value, there in zip(depth.values.tolist(), depth.present.tolist(), strict=True)
    ] == [record["metadata"].get("depth") for record in raw]
    lemmas = knowledge.columns["lemmas"]
    assert lemmas.offsets is not None
    members = [lemmas.vocabulary[code] for code in lemmas.values.tolist()]
    assert [
        members[a:b]
        for a, b in zip(lemmas.offsets.tolist(), lemmas.offsets.tolist()[1:], strict=False)
    ] == [sorted(set(record["metadata"]["lemmas"])) for record in raw]


KEYS = st.sampled_from(
    [
        "id",
        "text",
        "metadata",
        "records",
        "name",
        "categories",
        "chunks",
        "embedding_model",
        "records_file",
        "index_file",
        "fields",
        "type",
        "default",
        "optional",
        "version",
        "customFields",
        "key",
        "value",
    ]
)
WORDS = st.sampled_from(["", "a", "int", "set<string>", "r.kb.json", "kb.json", "..", MODEL])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(), inner, max_size=5)
    ),
    max_leaves=25,
)


@pytest.mark.slow
@settings(deadline=None)
@given(ANY, ANY, st.sampled_from(["kb.json", "r.kb.json", "x.jsonl"]))
def test_arbitrary_json_opens_or_is_refused_with_findings(
    tmp_path_factory: pytest.TempPathFactory, config: Any, records: Any, name: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "arbitrary"
    folder.mkdir(exist_ok=True)
    write(folder, config, records)
    (folder / "x.jsonl").write_text(
        "\n".join(json.dumps(record) for record in records)
        if isinstance(records, list)
        else json.dumps(records)
    )
    opened: KnowledgeBase | None = None
    refusal = None
    try:
        opened = open_knowledge(folder / name)
    except FileRefused as error:
        refusal = error
    found = opened.findings if opened is not None else refusal.findings if refusal else ()
    assert (opened is None) == any(f.severity == "error" for f in found)
    assert len(found) <= 200
    assert all(f.place.file and f.message and "\n" not in f.line() for f in found)


@pytest.mark.slow
@settings(deadline=None)
@given(ANY)
def test_a_config_with_one_arbitrary_value_opens_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    folder = tmp_path_factory.getbasetemp() / "one"
    folder.mkdir(exist_ok=True)
    for key in CONFIG:
        path = write(folder, CONFIG | {key: value})
        assert all(f.place.file for f in check_knowledge(path))


def test_a_faulty_record_hides_no_value_of_the_wrong_type_in_another(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        records=[
            {"id": "a", "text": "x"},
            {"id": "a", "text": "y"},
            {"id": "c"},
            {"id": "d", "text": "z", "metadata": {"level": "high"}},
        ],
    )
    assert [place for _, _, place in errors(path)] == [
        "records[1].id",
        "records[2].text",
        "records[3].metadata.level",
    ]
