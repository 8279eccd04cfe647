"""The dense leg: exact distances, the HNSW index, and files that are never trusted blindly."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.vectors import RecordVectors
from core.errors import Cancelled
from core.index.dense import (
    HEADER_SUFFIX,
    SUFFIX,
    HnswIndex,
    M,
    build_index,
    dense_leg,
    exact_distances,
    index_key,
    load_index,
    search_ef,
    store_index,
)
from core.index.hnsw_file import HEAD, HnswFileError, check_hnsw_file
from core.io.sidecar import SidecarFolder, write_sidecar
from core.io.work import Work

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIMENSION = 12
KEY = index_key("ab" * 32, "model", 300, DIMENSION)


def records_of(vectors: NDArray[np.float32]) -> RecordVectors:
    return RecordVectors(vectors, np.flatnonzero(~vectors.any(axis=1)), 0)


def random_records(count: int = 300, seed: int = 1) -> RecordVectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    return records_of((vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32))


def query_of(seed: int) -> NDArray[np.float32]:
    vector = np.random.default_rng(1000 + seed).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def cosine_distance(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return 1 - math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def test_distances_are_one_minus_the_cosine() -> None:
    records, query = random_records(), query_of(0)
    expected = [cosine_distance(vector, query) for vector in records.vectors]
    np.testing.assert_allclose(exact_distances(records, query), expected, atol=1e-6)


def test_distances_stay_within_0_and_2() -> None:
    records = random_records()
    for row in range(50):
        for query in (records.vectors[row], -records.vectors[row]):
            distances = exact_distances(records, query)
            assert distances.min() >= 0
            assert distances.max() <= 2


def test_a_vector_of_length_zero_has_distance_one() -> None:
    vectors = random_records(4).vectors.copy()
    vectors[2] = 0
    assert exact_distances(records_of(vectors), query_of(0))[2] == 1
    assert exact_distances(records_of(vectors), np.zeros(DIMENSION, np.float32)).tolist() == [1] * 4


@settings(deadline=None)
@given(st.integers(2, 40), st.integers(0, 100))
def test_equal_vectors_have_equal_distances_wherever_they_stand(count: int, seed: int) -> None:
    one = random_records(1, seed).vectors
    records = records_of(
        np.concatenate([np.repeat(one, count, axis=0), random_records(7).vectors, one])
    )
    distances = exact_distances(records, query_of(seed))
    assert len(set(distances[:count].tolist()) | {distances[-1]}) == 1


def test_an_exact_scan_ranks_all_records_by_distance_then_row() -> None:
    vectors = random_records(50).vectors.copy()
    vectors[[7, 31, 40]] = vectors[3]
    leg = dense_leg(records_of(vectors), query_of(0))
    expected = sorted(range(50), key=lambda row: (leg.distances[row], row))
    assert leg.order.tolist() == leg.rows.tolist() == expected
    assert [leg.rank[row] for row in expected] == list(range(1, 51))
    assert not leg.from_index


def test_a_filter_leaves_exactly_the_nearest_matching_records() -> None:
    records, mask = random_records(), np.arange(300) % 7 == 3
    index = build_index(records)
    leg = dense_leg(records, query_of(0), mask, index)
    assert leg.rows.tolist() == [row for row in leg.order.tolist() if mask[row]]
    assert np.count_nonzero(leg.rank) == mask.sum()
    assert not leg.from_index
    assert not dense_leg(records, query_of(0), np.zeros(300, np.bool_), index).rows.size


def test_the_index_of_a_small_store_finds_the_nearest() -> None:
    records = random_records()
    index = build_index(records)
    for seed in range(20):
        leg = dense_leg(records, query_of(seed), None, index)
        assert leg.from_index
        assert leg.rows.tolist() == leg.order.tolist()


def test_records_that_the_index_missed_are_not_ranked() -> None:
    class Forgetful(HnswIndex):
        def nearest(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64]:
            return np.array([5, 4, 3], dtype=np.int64)

    records = random_records(10)
    leg = dense_leg(records, query_of(0), None, Forgetful(None, 10, DIMENSION))
    assert leg.rows.tolist() == sorted([3, 4, 5], key=lambda row: leg.distances[row])
    assert sorted(np.flatnonzero(leg.rank).tolist()) == [3, 4, 5]
    assert leg.from_index


def test_an_index_that_cannot_answer_gives_way_to_an_exact_scan() -> None:
    class Failing:
        def set_ef(self, ef: int) -> None:
            pass

        def knn_query(self, *args: object, **kwargs: object) -> None:
            raise RuntimeError("Cannot return the results in a contiguous 2D array")

    records = random_records(10)
    leg = dense_leg(records, query_of(0), None, HnswIndex(Failing(), 10, DIMENSION))
    assert leg.rows.tolist() == leg.order.tolist()
    assert not leg.from_index


def test_the_native_index_never_sees_a_query_that_it_would_choke_on() -> None:
    index = HnswIndex(None, 10, DIMENSION)
    nan = np.full(DIMENSION, np.nan, dtype=np.float32)
    for query, k in (
        (query_of(0)[:5], 3),
        (nan, 3),
        (query_of(0), 11),
        (query_of(0), 0),
        (np.zeros(DIMENSION, np.float32), 3),
    ):
        assert index.nearest(query, k) is None


@pytest.mark.parametrize("query", [np.ones(3, np.float32), np.full(DIMENSION, np.nan, np.float32)])
def test_a_query_of_another_shape_or_with_nan_is_an_error(query: NDArray[np.float32]) -> None:
    with pytest.raises(ValueError, match="finite"):
        dense_leg(random_records(5), query)


def test_one_record_and_no_record_can_be_searched() -> None:
    one = random_records(1)
    assert dense_leg(one, query_of(0), None, build_index(one)).rows.tolist() == [0]
    none = records_of(np.empty((0, DIMENSION), np.float32))
    assert dense_leg(none, query_of(0)).rows.tolist() == []


def test_the_search_looks_at_twice_the_depth_and_a_hundred_at_least() -> None:
    assert [search_ef(k) for k in (1, 50, 51, 4000)] == [100, 100, 102, 8000]


def test_building_stops_when_it_is_not_wanted_any_more() -> None:
    with pytest.raises(Cancelled):
        build_index(random_records(), work=Work(is_cancelled=lambda: True))


def test_two_builds_of_a_small_store_are_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        build_index(random_records()).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.fixture
def stored(tmp_path: Path) -> SidecarFolder:
    sidecars = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    store_index(build_index(random_records()), KEY, sidecars)
    assert sidecars.notes == ()
    return sidecars


def test_a_stored_index_answers_like_the_one_that_was_built(stored: SidecarFolder) -> None:
    loaded, built = load_index(KEY, stored), build_index(random_records())
    assert loaded is not None
    for seed in range(5):
        one, two = loaded.nearest(query_of(seed), 10), built.nearest(query_of(seed), 10)
        assert one is not None
        assert two is not None
        assert one.tolist() == two.tolist()
    assert stored.notes == ()


def test_an_index_without_its_header_is_not_loaded(stored: SidecarFolder) -> None:
    stored.remove(SUFFIX + HEADER_SUFFIX)
    assert load_index(KEY, stored) is None
    assert "did not write it" in stored.notes[0]


@pytest.mark.parametrize(
    "key",
    [
        index_key("cd" * 32, "model", 300, DIMENSION),
        index_key("ab" * 32, "other", 300, DIMENSION),
        index_key("ab" * 32, "model", 299, DIMENSION),
        index_key("ab" * 32, "model", 300, 11),
    ],
)
def test_an_index_of_something_else_is_not_loaded(stored: SidecarFolder, key: object) -> None:
    assert load_index(key, stored) is None  # type: ignore[arg-type]
    assert len(stored.notes) == 1


@pytest.mark.parametrize("suffix", [SUFFIX, SUFFIX + HEADER_SUFFIX])
@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("place", [0.0, 0.01, 0.2, 0.5, 0.9, 0.999])
def test_a_damaged_index_is_not_loaded(
    stored: SidecarFolder, suffix: str, cut: bool, place: float
) -> None:
    path = stored.paths(suffix)[0]
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    if cut:
        del content[at:]
    else:
        content[at] ^= 0xFF
    path.write_bytes(content)
    assert load_index(KEY, stored) is None
    assert len(stored.notes) == 1


def test_a_disk_that_fills_up_is_noticed_though_hnswlib_is_silent(tmp_path: Path) -> None:
    class Cut(HnswIndex):
        def save(self, path: Path) -> None:
            super().save(path)
            path.write_bytes(path.read_bytes()[:5000])

    built = build_index(random_records())
    sidecars = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    store_index(Cut(built._index, 300, DIMENSION), KEY, sidecars)
    assert "kept in memory" in sidecars.notes[-1]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.fixture(scope="module")
def index_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("index") / "x"
    build_index(random_records()).save(path)
    return path.read_bytes()


def check(content: bytes) -> None:
    check_hnsw_file(content, count=300, dimension=DIMENSION, m=M)


def test_a_sound_index_file_passes(index_file: bytes) -> None:
    check(index_file)


LINKS_BYTES = 4 + 4 * 2 * M
ELEMENT_BYTES = LINKS_BYTES + 4 * DIMENSION + 8
ELEMENTS_END = HEAD.size + 300 * ELEMENT_BYTES


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (8, 2**30, "sizes"),
        (16, 299, "sizes"),
        (24, 8, "sizes"),
        (48, 90, "entry point"),
        (52, 100_000, "entry point"),
        (HEAD.size, 33, "length"),
        (HEAD.size, 1 << 16, "length"),
        (HEAD.size + 4, 300, "out of the index"),
        (HEAD.size + ELEMENT_BYTES - 8, 77, "labels"),
        (ELEMENTS_END, 67, "sizes"),
        (ELEMENTS_END, 68 * 10_000, "sizes"),
    ],
)
def test_an_index_file_that_leads_out_of_bounds_is_refused(
    index_file: bytes, place: int, value: int, reason: str
) -> None:
    content = bytearray(index_file)
    content[place : place + 4] = value.to_bytes(4, "little")
    with pytest.raises(HnswFileError, match=reason):
        check(bytes(content))


def test_a_link_to_an_element_below_its_level_is_refused(index_file: bytes) -> None:
    content, at = bytearray(index_file), ELEMENTS_END
    low, links = None, None
    for element in range(300):
        size = int.from_bytes(content[at : at + 4], "little")
        if size == 0:
            low = element
        elif int.from_bytes(content[at + 4 : at + 8], "little"):
            links = at + 8
        at += 4 + size
    assert low is not None
    assert links is not None
    content[links : links + 4] = low.to_bytes(4, "little")
    with pytest.raises(HnswFileError, match="not on its level"):
        check(bytes(content))


@settings(deadline=None)
@given(st.data())
def test_a_cut_or_longer_index_file_is_refused(index_file: bytes, data: st.DataObject) -> None:
    length = data.draw(st.integers(0, len(index_file) - 1))
    for content in (index_file[:length], index_file + b"\0" * (length + 1)):
        with pytest.raises(HnswFileError):
            check(content)


def test_a_forged_header_does_not_get_a_bad_index_loaded(stored: SidecarFolder) -> None:
    path = stored.paths(SUFFIX)[0]
    content = bytearray(path.read_bytes())
    content[HEAD.size + 4 : HEAD.size + 8] = (300).to_bytes(4, "little")
    path.write_bytes(content)
    digest = np.frombuffer(hashlib.sha256(content).digest(), dtype=np.uint8)
    write_sidecar(stored.paths(SUFFIX + HEADER_SUFFIX)[0], KEY, {"sha256": digest})
    assert load_index(KEY, stored) is None
    assert "out of the index" in stored.notes[0]
