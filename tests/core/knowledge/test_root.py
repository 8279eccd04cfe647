from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code, InspectorError
from core.knowledge.root import FileKind, StorageRoot, kind_of

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [{"id": "a", "text": "b"}]
CONFIG = {"embedding_model": "m", "records_file": "r.kb.json"}


def put(path: Path, content: Any = RECORDS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def refusal(root: Path, name: str, expect: FileKind | None = None) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        StorageRoot(root).resolve(name, expect, node="knowledge", param="embedded_string_storage")
    return caught.value


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path / "secret.json")
    put(tmp_path / "root" / "kb.json", CONFIG)
    put(tmp_path / "root" / "sub" / "deep.json")
    return tmp_path / "root"


@pytest.mark.parametrize(
    "name",
    [
        "kb.json",
        "./kb.json",
        "sub/../kb.json",
        "sub/deep.json",
        "nowhere/../kb.json",
        "../root/kb.json",
    ],
)
def test_a_name_inside_the_root_is_its_file(root: Path, name: str) -> None:
    assert StorageRoot(root).resolve(name) == (root / name).resolve()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.json",
        "sub/../../secret.json",
        "/etc/passwd",
        "..",
        "../missing.json",
        "C:/secret.json",
        "c:secret.json",
        "..\\secret.json",
        "sub\\..\\..\\secret.json",
        "\\\\server\\share",
        "C:\\secret.json",
    ],
)
def test_a_name_that_leaves_the_root_is_3009(root: Path, name: str) -> None:
    assert refusal(root, name).code is Code.StorageOutsideRoot


@pytest.mark.parametrize(
    "name",
    [
        "missing.json",
        "missing/kb.json",
        "kb.json/x",
        "",
        "sub\\deep.json",
        "a\0b",
        "x" * 5000,
        "\udcff",
    ],
)
def test_a_name_of_nothing_is_3010(root: Path, name: str) -> None:
    error = refusal(root, name)
    assert error.code is Code.StorageFileNotFound
    error.line().encode()


def test_a_refusal_names_node_and_parameter(root: Path) -> None:
    place = refusal(root, "missing.json").place
    assert (place.node, place.param) == ("knowledge", "embedded_string_storage")


def test_a_misspelt_name_is_asked_about(root: Path) -> None:
    assert refusal(root, "kb.jsn").hint == 'did you mean "kb.json"?'


def test_a_backslash_is_answered_with_the_right_spelling(root: Path) -> None:
    assert '"sub/deep.json"' in refusal(root, "sub\\deep.json").hint


def test_a_folder_is_3011(root: Path) -> None:
    assert refusal(root, "sub").code is Code.StorageKindMismatch
    assert refusal(root, ".").code is Code.StorageKindMismatch


def test_a_link_out_of_the_root_is_3009_and_one_within_is_followed(root: Path) -> None:
    (root / "out.json").symlink_to(root.parent / "secret.json")
    (root / "in.json").symlink_to(root / "kb.json")
    (root / "folder").symlink_to(root.parent)
    assert refusal(root, "out.json").code is Code.StorageOutsideRoot
    assert refusal(root, "folder/secret.json").code is Code.StorageOutsideRoot
    assert StorageRoot(root).resolve("in.json") == (root / "kb.json").resolve()


def test_links_that_run_in_a_circle_are_3010(root: Path) -> None:
    (root / "a.json").symlink_to(root / "b.json")
    (root / "b.json").symlink_to(root / "a.json")
    assert refusal(root, "a.json").code is Code.StorageFileNotFound


def test_a_root_that_is_itself_a_link_is_no_escape(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert StorageRoot(link).resolve("kb.json") == (root / "kb.json").resolve()
    assert StorageRoot(link).name_of(link / "sub" / "deep.json") == "sub/deep.json"


def test_a_missing_root_is_3010(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", "a\0b"):
        with pytest.raises(InspectorError) as caught:
            StorageRoot(path)
        assert caught.value.code is Code.StorageFileNotFound


def test_name_of_a_file_outside_is_3009(root: Path) -> None:
    with pytest.raises(InspectorError) as caught:
        StorageRoot(root).name_of(root.parent / "secret.json")
    assert caught.value.code is Code.StorageOutsideRoot


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["..", ".", "sub", "kb.json", "", "x", "link", "C:", "a\\b"]), max_size=6
    ).map("/".join)
)
def test_no_name_ever_resolves_to_a_file_outside(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    top = tmp_path_factory.getbasetemp() / "escape"
    if not top.exists():
        put(top / "root" / "sub" / "kb.json")
        put(top / "kb.json")
        (top / "root" / "link").symlink_to(top)
    path = None
    with contextlib.suppress(InspectorError):
        path = StorageRoot(top / "root").resolve(name)
    assert path is None or (top / "root").resolve() in path.resolve().parents


@pytest.mark.parametrize(
    ("name", "content", "expect"),
    [
        ("a.json", CONFIG, FileKind.KNOWLEDGE),
        ("a.kb.json", RECORDS, FileKind.KNOWLEDGE),
        ("a.jsonl", "", FileKind.KNOWLEDGE),
        ("a.json", {"categories": []}, FileKind.KNOWLEDGE),
        ("a.txt", "x", FileKind.STRINGS),
        ("a.json", RECORDS, FileKind.STRINGS),
        ("a.mm.json", RECORDS, FileKind.STRINGS),
        ("a.json", RECORDS, FileKind.MAP),
        ("a.json", "{broken", FileKind.STRINGS),
        ("a.json", {"odd": 1}, FileKind.KNOWLEDGE),
    ],
)
def test_a_file_of_the_right_kind_or_for_its_loader_to_explain_is_let_through(
    tmp_path: Path, name: str, content: Any, expect: FileKind
) -> None:
    path = put(tmp_path / name, content)
    assert StorageRoot(tmp_path).resolve(name, expect) == path.resolve()


@pytest.mark.parametrize(
    ("name", "content", "expect"),
    [
        ("a.json", CONFIG, FileKind.STRINGS),
        ("a.txt", "x", FileKind.KNOWLEDGE),
        ("a.json", {"start_node": "a", "nodes": []}, FileKind.KNOWLEDGE),
        ("a.mm.json", RECORDS, FileKind.MAP),
        ("a.txt", "x", FileKind.MAP),
        ("a.png", "\x89PNG", FileKind.KNOWLEDGE),
        ("schemas.json", {"schemas": []}, FileKind.STRINGS),
    ],
)
def test_a_file_of_another_kind_is_3011_and_says_what_it_is(
    tmp_path: Path, name: str, content: Any, expect: FileKind
) -> None:
    put(tmp_path / name, content)
    error = refusal(tmp_path, name, expect)
    assert error.code is Code.StorageKindMismatch
    assert kind_of(tmp_path / name).value in error.message


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.json", CONFIG, FileKind.KNOWLEDGE),
        ("a.json", {"embedding_model": "m"}, FileKind.KNOWLEDGE),
        ("a.json", {"embeding_model": "m", "record_file": "r"}, FileKind.KNOWLEDGE),
        ("a.json", {"version": 1, "padding": "x" * 40_000, **CONFIG}, FileKind.KNOWLEDGE),
        ("a.json", '{"version": 1, "embedding_model": "m", "rec', FileKind.KNOWLEDGE),
        ("a.json", "", FileKind.KNOWLEDGE),
        ("a.json", "nonsense", FileKind.KNOWLEDGE),
        ("a.json", RECORDS, FileKind.RECORDS),
        ("a.json", [], FileKind.RECORDS),
        ("a.kb.json", {"a": 1}, FileKind.RECORDS),
        ("a.kb.json", "", FileKind.RECORDS),
        ("a.jsonl", "", FileKind.JSONL),
        ("a.json", '{"id":"a","text":"b"}\n{"id":"c"}', FileKind.JSONL),
        ("a.json", {"name": "p", "categories": []}, FileKind.PROJECT),
        ("a.json", {"name": "m", "embedding_model": "m", "records": []}, FileKind.MEMORY),
        (
            "a.json",
            {"embedding_model": "m", "schema": "s", "padding": "x" * 40_000, "records": []},
            FileKind.MEMORY,
        ),
        ("a.json", {"nodes": [{"name": "a", "type": "Speak"}], "start_node": "a"}, FileKind.GRAPH),
        ("a.json", '{"start_node": "a", "nodes": [{]', FileKind.GRAPH),
        ("a.graph.json", "", FileKind.GRAPH),
        ("a.graph.json", {}, FileKind.GRAPH),
        ("a.json", {"start_nod": "a"}, FileKind.GRAPH),
        ("a.kg.json", {"nodes": [{"node_id": "n"}], "connections": []}, FileKind.KNOWLEDGE_GRAPH),
        ("a.json", {"status": "Success", "nodes": []}, FileKind.TURN),
        ("schemas.json", {"schemas": []}, FileKind.SCHEMAS),
        ("schemas.json", "", FileKind.SCHEMAS),
        ("a.mm.json", RECORDS, FileKind.MULTIMAP),
        ("a.txt", "x", FileKind.LIST),
        ("a.json", {}, FileKind.UNKNOWN),
        ("a.json", {"odd": 1}, FileKind.UNKNOWN),
        ("a.json", "3", FileKind.UNKNOWN),
        ("a.png", "\x89PNG", FileKind.UNKNOWN),
        ("a", CONFIG, FileKind.KNOWLEDGE),
    ],
)
def test_the_kind_of_a_file_is_told(
    tmp_path: Path, name: str, content: Any, kind: FileKind
) -> None:
    assert kind_of(put(tmp_path / name, content)) is kind


def test_what_is_no_file_is_of_unknown_kind(tmp_path: Path) -> None:
    assert kind_of(tmp_path) is FileKind.UNKNOWN
    assert kind_of(tmp_path / "missing.json") is FileKind.UNKNOWN


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_of_unknown_kind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert kind_of(tmp_path / "pipe.json") is FileKind.UNKNOWN


@settings(deadline=None)
@given(
    st.binary(max_size=80)
    | st.text(alphabet='[]{}":, \n\\nodesrct_fil', max_size=80).map(str.encode),
    st.sampled_from(["a.json", "a.kb.json", "a.bin"]),
)
def test_any_bytes_have_a_kind(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    assert isinstance(kind_of(path), FileKind)
