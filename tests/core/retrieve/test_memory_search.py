from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.embedder import ModelProvider
from core.embedding.growing_vectors import TextVectors
from core.errors import Cancelled, InspectorError
from core.io.findings import FileRefused
from core.io.work import Work
from core.knowledge.base import knowledge_of
from core.knowledge.memory import MemoryStore
from core.knowledge.schema import Field, FieldType
from core.retrieve.memory_search import MemorySearch
from core.retrieve.search import KnowledgeSearch
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from core.index.candidates import Candidates

FIELDS = (
    Field("day", FieldType.INT, 0),
    Field("who", FieldType.STRING, None, True),
    Field("tags", FieldType.SET, ()),
)
FILTERS = (
    "",
    '{"op":"ge","lhs":{"knowledge":"day"},"rhs":{"value":2}}',
    '{"op":"in","needle":{"value":"b"},"haystack":{"knowledge":"tags"}}',
    '{"op":"eq","lhs":{"knowledge":"who"},"rhs":{"value":"ada"}}',
)
TEXTS = st.sampled_from(["the key", "a stone", "key and stone", "key key", "the Inn", "", "42"])
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "day": st.integers(0, 4),
        "who": st.sampled_from(["ada", "bob"]),
        "tags": st.lists(st.sampled_from("abc"), max_size=2),
    },
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["append", "edit", "remove", "back"]), st.integers(0, 9), TEXTS, METADATA
    ),
    min_size=1,
    max_size=8,
)


class Bench:
    """A search with embedders that count what they are asked."""

    def __init__(self) -> None:
        self.embedder = FakeEmbedder()
        self.models = ModelProvider(lambda _: self.embedder)
        self.vectors = TextVectors()
        self.search = MemorySearch(self.models, self.vectors, Path())

    def found(
        self, store: MemoryStore, query: str = "key", filter_text: str = "", *, dense: bool = True
    ) -> Candidates:
        return self.search.search(store, FIELDS, query, filter_text, dense=dense)


def store_of(*texts: str, path: Path | None = None) -> MemoryStore:
    return MemoryStore(
        "diary",
        "note",
        path=path,
        records=tuple({"id": f"r{number}", "text": text} for number, text in enumerate(texts)),
    )


def step(
    versions: list[MemoryStore], kind: str, number: int, text: str, metadata: dict[str, Any]
) -> MemoryStore:
    store = versions[-1]
    if kind == "back":
        return versions[number % len(versions)]
    if kind == "append" or not store.records:
        return store.append({"id": store.new_id(), "text": text, "metadata": metadata})
    row = number % len(store.records)
    if kind == "remove":
        return store.without(row)
    return store.with_record(
        row, {"id": store.records[row]["id"], "text": text, "metadata": metadata}
    )


@pytest.mark.slow
@settings(deadline=None)
@given(STEPS, st.sampled_from(FILTERS), st.sampled_from(["the key", "stone inn", "?"]))
def test_whatever_play_does_a_search_is_as_over_a_store_read_anew(
    steps: list[tuple[str, int, str, dict[str, Any]]], filter_text: str, query: str
) -> None:
    bench = Bench()
    versions = [MemoryStore("diary", "note")]
    for one in steps:
        versions.append(step(versions, *one))
        ours = bench.found(versions[-1], query, filter_text)
        theirs = KnowledgeSearch(knowledge_of(versions[-1], FIELDS), bench.models).search(
            query, filter_text, dense=True
        )
        for name in ("ids", "texts", "metadata", "matching_count", "field_names"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert ours.sparse is not None
        assert theirs.sparse is not None
        assert ours.sparse.rows.tolist() == theirs.sparse.rows.tolist()
        assert ours.sparse.scores.tolist() == theirs.sparse.scores.tolist()
        assert ours.dense is not None
        assert theirs.dense is not None
        assert ours.dense.rows.tolist() == theirs.dense.rows.tolist()
        assert ours.dense.distances.tolist() == theirs.dense.distances.tolist()
        for row in range(ours.record_count):
            assert ours.matches(row) == theirs.matches(row)
            assert ours.why_filtered(row) == theirs.why_filtered(row)


def test_only_the_new_record_is_embedded() -> None:
    bench = Bench()
    store = store_of("the key", "a stone")
    bench.found(store)
    bench.embedder.embedded.clear()
    bench.found(store.append({"id": "new", "text": "the inn"}))
    assert bench.embedder.embedded == ["the inn"]


def test_an_edit_of_the_first_record_embeds_no_later_one() -> None:
    bench = Bench()
    store = store_of("the key", "a stone", "the inn")
    bench.found(store)
    bench.embedder.embedded.clear()
    found = bench.found(store.with_record(0, {"id": "r0", "text": "a coin"}))
    assert bench.embedder.embedded == ["a coin"]
    assert found.texts == ("a coin", "a stone", "the inn")


def test_a_text_of_another_store_is_not_embedded_again() -> None:
    bench = Bench()
    bench.found(store_of("the key"))
    other = MemorySearch(bench.models, bench.vectors, Path())
    other.search(store_of("the key", "a stone"), FIELDS, "key", "", dense=True)
    assert bench.embedder.embedded == ["the key", "a stone"]


def test_lexical_search_loads_no_model() -> None:
    def no_model(name: str) -> FakeEmbedder:
        raise LookupError(name)

    search = MemorySearch(ModelProvider(no_model), TextVectors(), Path())
    found = search.search(store_of("the key"), FIELDS, "key", "", dense=False)
    assert found.dense is None
    assert found.sparse is not None
    assert found.sparse.rows.tolist() == [0]


def test_a_store_without_a_model_says_where_the_model_is_named() -> None:
    search = MemorySearch(ModelProvider(), TextVectors(), Path())
    store = MemoryStore("diary", embedding_model="nobody", records=({"id": "a", "text": "x"},))
    with pytest.raises(InspectorError) as caught:
        search.search(store, FIELDS, "x", "", dense=True)
    assert caught.value.code == 8003
    assert caught.value.place.json_path == "embedding_model"


def test_an_empty_store_is_searched_too() -> None:
    found = Bench().found(MemoryStore("diary"))
    assert (found.record_count, found.matching_count) == (0, 0)
    assert found.dense is not None
    assert found.dense.rows.tolist() == []


def test_a_saved_store_that_is_opened_again_embeds_nothing(tmp_path: Path) -> None:
    first, later = Bench(), Bench()
    store = store_of("the key", "a stone").save(tmp_path / "diary.json")
    first.found(store)
    legs = [
        bench.found(opened).dense
        for bench, opened in ((first, store), (later, MemoryStore.load(tmp_path / "diary.json")))
    ]
    assert later.embedder.embedded == []
    distances = [leg.distances.tolist() for leg in legs if leg is not None]
    assert len(distances) == 2
    assert distances[0] == distances[1]


def test_what_play_added_before_saving_is_not_embedded_when_it_is_opened(tmp_path: Path) -> None:
    first, later = Bench(), Bench()
    store = store_of("the key")
    first.found(store)
    store = store.append({"id": "new", "text": "the inn"})
    first.found(store)
    saved = store.save(tmp_path / "diary.json")
    first.search.keep_vectors(saved)
    later.found(MemoryStore.load(tmp_path / "diary.json"))
    assert later.embedder.embedded == []


def test_keeping_vectors_embeds_nothing(tmp_path: Path) -> None:
    bench = Bench()
    saved = store_of("the key").save(tmp_path / "diary.json")
    bench.search.keep_vectors(saved)
    assert bench.embedder.embedded == []
    assert [path.name for path in tmp_path.iterdir()] == ["diary.json"]


def test_a_record_of_the_wrong_type_is_refused_with_its_number() -> None:
    bench = Bench()
    store = store_of("the key", "a stone")
    bench.found(store)
    longer = store.append({"id": "new", "text": "x", "metadata": {"day": "three"}})
    with pytest.raises(FileRefused) as caught:
        bench.found(longer)
    assert caught.value.code == 8003
    assert caught.value.place.json_path == "records[2].metadata.day"
    assert bench.found(store).record_count == 2


def test_without_a_schema_the_fields_are_those_of_the_metadata() -> None:
    store = MemoryStore(
        "diary",
        records=(
            {"id": "a", "text": "key", "metadata": {"day": 1}},
            {"id": "b", "text": "key", "metadata": {"day": 5}},
        ),
    )
    bench = Bench()
    found = bench.search.search(store, None, "key", FILTERS[1], dense=False)
    assert found.field_names == ("day",)
    assert found.matching is not None
    assert found.matching.tolist() == [False, True]
    longer = store.append({"id": "c", "text": "key", "metadata": {"mood": "glad"}})
    found = bench.search.search(longer, None, "key", FILTERS[1], dense=False)
    assert found.field_names == ("day", "mood")
    assert found.matching is not None
    assert found.matching.tolist() == [False, True, False]


def test_a_filter_on_a_field_that_nobody_has_is_3007() -> None:
    with pytest.raises(InspectorError) as caught:
        Bench().search.search(store_of("key"), None, "key", FILTERS[1], dense=False)
    assert caught.value.code == 3007


def test_a_search_that_is_stopped_goes_on_later() -> None:
    bench = Bench()
    store = store_of("the key", "a stone")
    with pytest.raises(Cancelled):
        bench.search.search(
            store, FIELDS, "key", "", dense=True, work=Work(is_cancelled=lambda: True)
        )
    found = bench.found(store)
    assert found.sparse is not None
    assert found.sparse.rows.tolist() == [0]


def test_the_oldest_vectors_go_when_there_are_too_many() -> None:
    vectors, embedder = TextVectors(most=2), FakeEmbedder()
    remembering = vectors.remembering(embedder)
    for text in ("a", "b", "a", "c", "a", "b"):
        remembering.embed([text])
    assert embedder.embedded == ["a", "b", "c", "b"]


def test_a_repeated_text_is_embedded_once() -> None:
    embedder = FakeEmbedder()
    made = TextVectors().remembering(embedder).embed(["a", "b", "a"])
    assert embedder.embedded == ["a", "b"]
    assert made.tolist() == [embedder.vector(text).tolist() for text in ("a", "b", "a")]


def test_threads_that_search_different_versions_get_their_own() -> None:
    bench = Bench()
    versions = [store_of("the key")]
    for number in range(20):
        versions.append(versions[-1].append({"id": f"n{number}", "text": f"key {number}"}))
    together = threading.Barrier(4)

    def search(thread: int) -> list[bool]:
        together.wait()
        return [
            bench.found(store).texts == tuple(record["text"] for record in store.records)
            for store in versions[thread::2] + versions[::-1]
        ]

    with ThreadPoolExecutor(4) as threads:
        assert all(all(right) for right in threads.map(search, range(4)))


@pytest.mark.slow
def test_a_record_more_of_ten_thousand_costs_less_than_50_ms() -> None:
    bench = Bench()
    store = store_of(
        *(
            f"word{number % 997} word{number % 89} and some more words of a longer text"
            for number in range(10_000)
        )
    )
    bench.found(store)
    bench.embedder.embed_query("word5")
    times = []
    for number in range(5):
        started = time.perf_counter()
        store = store.append(
            {
                "id": store.new_id(),
                "text": f"a new word{number}",
                "metadata": {"day": number, "who": f"npc {number}"},
            }
        )
        found = bench.found(store, "new word5", FILTERS[1])
        times.append(time.perf_counter() - started)
        assert found.record_count == 10_001 + number
    assert sorted(times)[2] < 0.05
