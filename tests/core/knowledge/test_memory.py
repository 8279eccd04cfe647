from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InspectorError
from core.io.findings import FileRefused
from core.knowledge.memory import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "All-MiniLM-L6-v2"
DOCUMENT: dict[str, Any] = {
    "name": "diary",
    "schema": "note",
    "embedding_model": MODEL,
    "mood": {"x": [1]},
    "records": [{"id": "a", "text": "x", "metadata": {"day": 1}, "weight": 0.5}],
}


def put(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_store_is_read(tmp_path: Path) -> None:
    store = MemoryStore.load(put(tmp_path / "a.json", DOCUMENT))
    assert (store.name, store.schema, store.embedding_model) == ("diary", "note", MODEL)
    assert list(store.records) == DOCUMENT["records"]


def test_saving_keeps_what_nobody_knows(tmp_path: Path) -> None:
    store = MemoryStore.load(put(tmp_path / "a.json", DOCUMENT))
    saved = store.save(tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_bytes()) == DOCUMENT
    assert saved.path == tmp_path / "b.json"


def test_a_store_may_be_empty(tmp_path: Path) -> None:
    store = MemoryStore("new")
    store.save(tmp_path / "a.json")
    assert MemoryStore.load(tmp_path / "a.json").records == ()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"schema": None}, "schema"),
        ({"embedding_model": []}, "embedding_model"),
        ({"records": [{"id": "a"}]}, "records[0].text"),
    ],
)
def test_a_faulty_store_is_8003_with_its_path(
    tmp_path: Path, change: dict[str, Any], path: str
) -> None:
    with pytest.raises(FileRefused) as caught:
        MemoryStore.load(put(tmp_path / "a.json", DOCUMENT | change))
    assert caught.value.code == 8003
    assert caught.value.place.json_path == path


def test_append_returns_another_store() -> None:
    store = MemoryStore("diary")
    longer = store.append({"id": "a", "text": "x"})
    assert (len(store.records), len(longer.records)) == (0, 1)


@pytest.mark.parametrize("record", [{"id": "a", "text": "again"}, {"id": "b"}, {"text": "x"}])
def test_append_refuses_a_bad_record_and_a_known_id(record: dict[str, Any]) -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x"})
    with pytest.raises(FileRefused) as caught:
        store.append(record)
    assert caught.value.code == 8003
    assert "records[1]" in caught.value.place.json_path


def test_a_failed_save_changes_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "a.json", DOCUMENT)
    before = path.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InspectorError) as caught:
        MemoryStore.load(path).append({"id": "b", "text": "y"}).save(path)
    assert caught.value.code == 3010
    assert "No space left" in caught.value.message
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_metadata_that_is_no_json_is_8003_and_leaves_nothing(tmp_path: Path) -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x", "metadata": {"k": object()}})
    with pytest.raises(InspectorError) as caught:
        store.save(tmp_path / "a.json")
    assert caught.value.code == 8003
    assert list(tmp_path.iterdir()) == []


def test_saving_into_a_missing_folder_is_3010(tmp_path: Path) -> None:
    with pytest.raises(InspectorError) as caught:
        MemoryStore("diary").save(tmp_path / "nowhere" / "a.json")
    assert caught.value.code == 3010


def test_saving_keeps_the_files_permissions_and_follows_a_link(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", DOCUMENT)
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    MemoryStore("other").save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert MemoryStore.load(path).name == "other"


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.text(min_size=1).filter(str.strip),
    st.lists(
        st.tuples(
            st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cc", "Cs"])),
            st.text(),
            st.dictionaries(
                st.text(),
                st.booleans() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
            ),
        ),
        max_size=4,
        unique_by=lambda record: record[0],
    ),
)
def test_what_is_saved_is_loaded_again(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    records: list[tuple[str, str, dict[str, Any]]],
) -> None:
    path = tmp_path_factory.getbasetemp() / "store.json"
    store = MemoryStore(
        name,
        "s",
        MODEL,
        tuple({"id": key, "text": text, "metadata": metadata} for key, text, metadata in records),
    )
    store.save(path)
    loaded = MemoryStore.load(path)
    assert (loaded.name, loaded.records) == (store.name, store.records)


RECORDS = st.lists(
    st.fixed_dictionaries(
        {"id": st.uuids().map(str), "text": st.text(alphabet="ab ", max_size=4)},
        optional={
            "metadata": st.dictionaries(st.sampled_from("xy"), st.integers() | st.booleans())
        },
    ),
    max_size=5,
    unique_by=lambda record: str(record["id"]),
)


@given(RECORDS)
def test_a_grown_store_equals_the_one_that_is_made_at_once(records: list[dict[str, Any]]) -> None:
    grown = MemoryStore("diary", "note")
    for record in records:
        grown = grown.append(record)
    whole = MemoryStore("diary", "note", records=tuple(records))
    assert grown == whole
    assert hash(grown) == hash(whole)


@pytest.mark.slow
@given(RECORDS, RECORDS)
def test_stores_differ_where_their_records_do(
    one: list[dict[str, Any]], other: list[dict[str, Any]]
) -> None:
    as_text = [json.dumps(records) for records in (one, other)]
    stores = [MemoryStore("diary", records=tuple(records)) for records in (one, other)]
    assert (stores[0] == stores[1]) is (as_text[0] == as_text[1])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"schema": "s"},
        {"embedding_model": "m"},
        {"records": ({"id": "a", "text": "y"},)},
    ],
)
def test_a_store_that_is_replaced_in_part_is_another_one(change: dict[str, Any]) -> None:
    store = MemoryStore("diary", records=({"id": "a", "text": "x"},))
    assert replace(store, **change) != store


def test_where_a_store_lies_makes_it_no_other_one(tmp_path: Path) -> None:
    store = MemoryStore("diary", records=({"id": "a", "text": "x"},))
    assert store.save(tmp_path / "a.json") == store


def test_an_int_is_not_the_float_that_equals_it() -> None:
    stores = [
        MemoryStore("diary").append({"id": "a", "text": "x", "metadata": {"k": number}})
        for number in (1, 1.0, True)
    ]
    assert len(set(stores)) == 3


def test_a_record_is_put_in_place_of_another() -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x"}).append({"id": "b", "text": "y"})
    changed = store.with_record(0, {"id": "a", "text": "z"})
    assert [record["text"] for record in changed.records] == ["z", "y"]
    assert changed == MemoryStore("diary", records=changed.records)
    assert changed != store


def test_a_record_that_takes_anothers_id_is_refused() -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x"}).append({"id": "b", "text": "y"})
    with pytest.raises(FileRefused) as caught:
        store.with_record(0, {"id": "b", "text": "z"})
    assert caught.value.code == 8003
    assert caught.value.place.json_path == "records[0].id"


def test_a_record_is_taken_out() -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x"}).append({"id": "b", "text": "y"})
    assert store.without(0) == MemoryStore("diary").append({"id": "b", "text": "y"})


@pytest.mark.parametrize("row", [-1, 1])
def test_there_is_no_row_before_the_first_and_after_the_last(row: int) -> None:
    store = MemoryStore("diary").append({"id": "a", "text": "x"})
    with pytest.raises(IndexError):
        store.without(row)
    with pytest.raises(IndexError):
        store.with_record(row, {"id": "b", "text": "y"})


def test_a_new_id_is_the_number_of_the_record() -> None:
    assert MemoryStore("diary", records=({"id": "a", "text": "x"},)).new_id() == "memory-2"


def test_a_new_id_skips_those_that_are_taken() -> None:
    taken = tuple({"id": f"memory-{number}", "text": "x"} for number in (2, 3))
    assert MemoryStore("diary", records=taken).new_id() == "memory-4"


@pytest.mark.parametrize("record", [{"id": "\ud800", "text": "x"}, {"id": "a", "text": "\udfff"}])
def test_append_refuses_lone_surrogates(record: dict[str, Any]) -> None:
    with pytest.raises(FileRefused, match="surrogate"):
        MemoryStore("diary").append(record)


def test_append_refuses_what_is_nested_too_deep() -> None:
    deep: Any = 1
    for _ in range(1000):
        deep = [deep]
    with pytest.raises(FileRefused, match="nested"):
        MemoryStore("diary").append({"id": "a", "text": "x", "metadata": {"k": deep}})


# Both sides changed


def _store(**texts: str) -> MemoryStore:
    records = tuple({"id": key, "text": text, "metadata": {}} for key, text in texts.items())
    return MemoryStore("diary", records=records)


def _texts(store: MemoryStore) -> dict[str, str]:
    return {record["id"]: record["text"] for record in store.records}


def test_a_merge_has_the_changes_of_both_sides() -> None:
    base = _store(a="1", b="1", c="1", d="1")
    ours = _store(a="ours", b="1", d="1", e="ours")
    theirs = _store(a="1", b="theirs", c="1", f="theirs")
    merged = ours.merged(base, theirs)
    assert _texts(merged) == {"a": "ours", "b": "theirs", "f": "theirs", "e": "ours"}


_SIDES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("12"))


@given(_SIDES, _SIDES)
def test_a_merge_with_a_side_that_changed_nothing_is_the_other_side(
    base: dict[str, str], other: dict[str, str]
) -> None:
    was, now = _store(**base), _store(**other)
    assert _texts(now.merged(was, was)) == other
    assert _texts(was.merged(was, now)) == other


def test_a_record_is_found_by_its_id_and_compared_as_json_does() -> None:
    store = MemoryStore("m", records=({"id": "a", "text": "x", "metadata": {"n": 1}},))
    assert (store.row_of("a"), store.row_of("b")) == (0, -1)
    assert store.holds(0, {"id": "a", "text": "x", "metadata": {"n": 1}})
    assert not store.holds(0, {"id": "a", "text": "x", "metadata": {"n": True}})
