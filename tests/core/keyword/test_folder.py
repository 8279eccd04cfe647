"""Folders of Markdown files with front matter and cross links as corpora."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import core.keyword.folder as corpus_module
from core.errors import Cancelled, Code, InspectorError
from core.io.findings import FileRefused, Finding, Severity
from core.io.work import Work
from core.keyword.folder import load_corpus
from core.knowledge.corpus import CorpusEntry
from core.knowledge.front_matter import MAX_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[dict[str, str | bytes]], Path]:
    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            file.write_bytes(data)
        return tmp_path

    return write


def refusal(path: Path) -> tuple[Finding, ...]:
    with pytest.raises(FileRefused) as refused:
        load_corpus(path)
    return refused.value.findings


FOG = """---
title: Fog
summary: Why the lake is closed
aliases: [mist, grey days]
tags:
  - weather
related: tasks/lamp.md
season: 3.10
---
# Another heading
Text.
"""


def test_front_matter_becomes_the_entrys_fields(folder: Callable[..., Path]) -> None:
    corpus = load_corpus(folder({"concepts/fog.md": FOG, "tasks/lamp.md": "x"}))
    entry = corpus.get("concepts/fog.md")
    assert entry == CorpusEntry(
        "concepts/fog.md",
        FOG,
        "Fog",
        "Why the lake is closed",
        ("mist", "grey days"),
        ("weather",),
        ("tasks/lamp.md",),
        entry.metadata if entry else {},
    )
    assert entry.category == "concepts"
    assert entry.metadata["season"] == "3.10"
    assert corpus.findings == ()


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("---\ntitle: A\nname: b\n---\n# C\n", "A"),
        ("---\nname: b\n---\n# C\n", "b"),
        ("text\n# C \n", "C"),
        ("text", "fog"),
    ],
)
def test_the_title_is_title_name_heading_or_file_name(
    content: str, title: str, folder: Callable[..., Path]
) -> None:
    assert load_corpus(folder({"fog.md": content})).entries()[0].title == title


def test_entries_come_in_the_order_of_their_paths(folder: Callable[..., Path]) -> None:
    path = folder({"b.md": "x", "a/z.md": "x", "a.md": "x", "c/d/e.markdown": "x", "c.MD": "x"})
    paths = [entry.path for entry in load_corpus(path).entries()]
    assert paths == sorted(["b.md", "a/z.md", "a.md", "c/d/e.markdown", "c.MD"])


def test_other_files_and_hidden_ones_are_left_alone(folder: Callable[..., Path]) -> None:
    path = folder({"a.md": "x", ".git/b.md": "x", ".c.md": "x", "d.txt": "x"})
    assert len(load_corpus(path)) == 1


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(folder: Callable[..., Path]) -> None:
    data = b"\xef\xbb\xbf---\r\ntitle: Fog\r\n---\r\ntext\r\n"
    entry = load_corpus(folder({"a.md": data})).entries()[0]
    assert (entry.title, entry.content) == ("Fog", "---\ntitle: Fog\n---\ntext\n")


def test_values_stay_what_the_author_wrote(folder: Callable[..., Path]) -> None:
    content = "---\naliases: [on, 3.10, 2024-05-01, null, 'null', no]\n---\n"
    findings = refusal(folder({"a.md": content}))
    assert [(f.place.json_path, f.message) for f in findings] == [
        ("aliases[3]", "aliases must be a list of texts, found null")
    ]
    ok = load_corpus(folder({"a.md": content.replace("null, ", "")})).entries()[0]
    assert ok.aliases == ("on", "3.10", "2024-05-01", "null", "no")


def test_cross_links_join_the_files_own_related(folder: Callable[..., Path]) -> None:
    path = folder(
        {
            "a.md": "---\nrelated: [b.md]\n---\n",
            "b.md": "x",
            "c.md": "x",
            "cross_links.json": '{"a.md": ["b.md", "c.md"]}',
        }
    )
    assert load_corpus(path).get("a.md").related == ("b.md", "c.md")


def test_links_that_lead_nowhere_are_warnings_with_their_place(folder: Callable[..., Path]) -> None:
    path = folder(
        {
            "a.md": "---\nrelated: [gone.md]\n---\nx",
            "cross_links.json": '{"a.md": ["lost.md"], "x.md": []}',
        }
    )
    found = load_corpus(path).findings
    assert {(os.path.basename(f.place.file), f.place.json_path) for f in found} == {
        ("cross_links.json", '["a.md"][0]'),
        ("cross_links.json", '["x.md"]'),
        ("a.md", "related[0]"),
    }
    assert all(f.severity is Severity.WARNING for f in found)


def test_an_alias_of_two_entries_is_a_warning_that_names_both(folder: Callable[..., Path]) -> None:
    path = folder({"a.md": "---\naliases: [Mist]\n---\n", "b.md": "---\naliases: [x, mist]\n---\n"})
    (finding,) = load_corpus(path).findings
    assert 'also one of "a.md"' in finding.message
    assert (os.path.basename(finding.place.file), finding.place.json_path) == ("b.md", "aliases[1]")


def test_an_empty_file_is_a_warning(folder: Callable[..., Path]) -> None:
    (finding,) = load_corpus(folder({"a.md": " \n"})).findings
    assert "empty" in finding.message


def test_a_page_with_conflict_marks_is_a_warning_at_the_first(folder: Callable[..., Path]) -> None:
    page = "# A\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n"
    (finding,) = load_corpus(folder({"a.md": page})).findings
    assert "conflict marks of a merge" in finding.message
    assert finding.place.line == 3


def test_a_misspelt_key_gets_a_suggestion(folder: Callable[..., Path]) -> None:
    (finding,) = load_corpus(folder({"a.md": "---\nsumary: x\nsource: y\n---\n"})).findings
    assert (finding.place.line, finding.hint) == (2, 'did you mean "summary"?')


def test_front_matter_that_is_never_closed_is_a_warning(folder: Callable[..., Path]) -> None:
    corpus = load_corpus(folder({"a.md": "---\ntitle: Fog\n"}))
    assert corpus.entries()[0].title == "a"
    assert "no line --- closes" in corpus.findings[0].message


@pytest.mark.parametrize(
    ("front", "line", "message"),
    [
        ("title: a: b", 2, "no valid YAML"),
        ("title: x\naliases: [a", 3, "no valid YAML"),
        ("a: &x [1]\nb: *x", 2, "anchors"),
        ("title: !!python/object:os.system x", 2, "tags"),
        ("x: !local y", 2, "tags"),
        ("title: a\ntags: [b]\ntitle: c", 4, "there twice, first on line 2"),
        ("- a\n- b", 2, "lines of key: value"),
        ("just a text", 2, "lines of key: value"),
        ("? [a, b]\n: c", 2, "a key must be a text"),
        ("x: " + "[" * 20 + "]" * 20, 2, "more than 8 levels"),
        ("x:\n\ty", 3, "no valid YAML"),
        ("title: x\n--- second", 3, "another document"),
        ("title: &Rosa", 2, "anchors"),
        ("title: ! Attention", 2, "tags"),
    ],
)
def test_broken_or_hostile_front_matter_is_an_error_with_its_line(
    front: str, line: int, message: str, folder: Callable[..., Path]
) -> None:
    (finding,) = refusal(folder({"a.md": f"---\n{front}\n---\nx"}))
    assert message in finding.message
    assert abs((finding.place.line or 0) - line) <= 1
    assert finding.place.file.endswith("a.md")


def test_an_alias_bomb_is_refused_before_it_grows(folder: Callable[..., Path]) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    (finding,) = refusal(folder({"a.md": "---\n" + "\n".join(rows) + "\n---\n"}))
    assert "anchors" in finding.message


def test_overlong_front_matter_is_an_error(folder: Callable[..., Path]) -> None:
    (finding,) = refusal(folder({"a.md": "---\nx: " + "y" * MAX_CHARS + "\n---\n"}))
    assert "characters" in finding.message


@pytest.mark.parametrize(
    ("front", "path", "message"),
    [
        ("title: [a]", "title", "one text"),
        ("summary: {a: b}", "summary", "one text"),
        ("tags: {a: b}", "tags", "a list of texts, found an object"),
        ("aliases: [a, [b]]", "aliases[1]", "a list of texts, found a list"),
    ],
)
def test_a_wrong_type_is_an_error_with_its_path(
    front: str, path: str, message: str, folder: Callable[..., Path]
) -> None:
    (finding,) = refusal(folder({"a.md": f"---\n{front}\n---\n"}))
    assert (finding.place.json_path, finding.place.line) == (path, 2)
    assert message in finding.message


def test_all_findings_of_all_files_come_at_once(folder: Callable[..., Path]) -> None:
    path = folder(
        {
            "a.md": b"\xff",
            "b.md": "---\ntitle: [x]\n---\n",
            "cross_links.json": '{"c.md": "d"}',
            "c.md": "x",
        }
    )
    assert sorted(os.path.basename(f.place.file) for f in refusal(path)) == [
        "a.md",
        "b.md",
        "cross_links.json",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "found a list"),
        ("{", "invalid JSON"),
        ('{"a.md": [1]}', "expected a list of paths"),
        ("[" * 5000, "nested too deep"),
        ('{"a.md": "\\ud800"}', "invalid JSON"),
    ],
)
def test_broken_cross_links_are_an_error(
    content: str, message: str, folder: Callable[..., Path]
) -> None:
    findings = refusal(folder({"a.md": "x", "cross_links.json": content}))
    assert any(message in finding.message for finding in findings)


def test_a_link_out_of_the_folder_is_3009(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    inside = tmp_path / "corpus"
    inside.mkdir()
    (inside / "a.md").symlink_to(tmp_path / "secret.md")
    (inside / "b.md").write_text("x")
    (inside / "loop").symlink_to(inside)
    (finding,) = refusal(inside)
    assert finding.code is Code.StorageOutsideRoot


def test_a_file_that_is_too_large_is_an_error(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "MAX_FILE_BYTES", 10)
    (finding,) = refusal(folder({"a.md": "x" * 11}))
    assert "larger than" in finding.message


def test_too_many_files_are_an_error(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "MAX_FILES", 1)
    (finding,) = refusal(folder({"a.md": "x", "b.md": "x"}))
    assert "more than 1 Markdown" in finding.message


def test_a_folder_without_markdown_is_an_error(tmp_path: Path) -> None:
    (finding,) = refusal(tmp_path)
    assert "no Markdown file" in finding.message


def test_a_missing_folder_is_3010_and_a_file_is_3011(tmp_path: Path) -> None:
    with pytest.raises(InspectorError) as missing:
        load_corpus(tmp_path / "gone")
    assert missing.value.code is Code.StorageFileNotFound
    (tmp_path / "a.md").write_text("x")
    with pytest.raises(InspectorError) as kind:
        load_corpus(tmp_path / "a.md")
    assert kind.value.code is Code.StorageKindMismatch


def test_loading_can_be_cancelled(folder: Callable[..., Path]) -> None:
    with pytest.raises(Cancelled):
        load_corpus(folder({"a.md": "x"}), work=Work(is_cancelled=lambda: True))


def test_loading_changes_no_file(folder: Callable[..., Path]) -> None:
    path = folder({"a.md": FOG, "cross_links.json": "{}"})
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    load_corpus(path)
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_the_handbook_is_free_of_findings_and_large_enough(samples: Path) -> None:
    corpus = load_corpus(samples / "handbook")
    assert corpus.findings == ()
    assert len(corpus) >= 32
    assert {
        "concepts",
        "quickstarts",
        "tasks",
        "references",
        "tips",
        "troubleshooting",
        "errors",
        "faqs",
    } <= {entry.category for entry in corpus.entries()}
    assert all(entry.summary and entry.aliases and entry.tags for entry in corpus.entries())
    assert (samples / "handbook" / "cross_links.json").is_file()


def test_a_broken_file_can_be_left_out_of_the_corpus(folder: Callable[..., Path]) -> None:
    path = folder({"good.md": "bread", "bad.md": b"\xff\xfe broken"})
    corpus = load_corpus(path, leave_out=True)
    assert [entry.path for entry in corpus.entries()] == ["good.md"]
    (found,) = corpus.findings
    assert found.place.file == str(path / "bad.md")


def test_a_corpus_of_nothing_but_broken_files_is_refused(folder: Callable[..., Path]) -> None:
    with pytest.raises(FileRefused):
        load_corpus(folder({"bad.md": b"\xff\xfe broken"}), leave_out=True)
