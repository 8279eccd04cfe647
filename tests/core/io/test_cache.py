"""A cache that is bounded by what its results take up."""

from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from core.io.cache import FEWEST_KEPT, BoundedCache


def test_the_oldest_used_goes_first() -> None:
    cache: BoundedCache[str, int] = BoundedCache(lambda _result: 1, 3)
    for key in "abc":
        cache.put(key, ord(key))
    assert cache.get("a") == ord("a")
    cache.put("d", ord("d"))
    assert [key for key in "abcd" if cache.get(key) is not None] == ["a", "c", "d"]


def test_the_last_ones_stay_however_large_they_are() -> None:
    cache: BoundedCache[int, int] = BoundedCache(lambda result: result, 10)
    for key in range(5):
        cache.put(key, 1000)
    assert [key for key in range(5) if cache.get(key)] == [3, 4]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.booleans())))
def test_it_keeps_what_a_sum_over_all_of_them_would_keep(
    steps: list[tuple[int, int, bool]],
) -> None:
    cache: BoundedCache[int, int] = BoundedCache(lambda result: result, 12)
    kept: OrderedDict[int, int] = OrderedDict()
    for key, size, only_asks in steps:
        if only_asks:
            assert cache.get(key) == kept.get(key)
            if key in kept:
                kept.move_to_end(key)
            continue
        cache.put(key, size)
        kept[key] = size
        kept.move_to_end(key)
        while sum(kept.values()) > 12 and len(kept) > FEWEST_KEPT:
            kept.popitem(last=False)
