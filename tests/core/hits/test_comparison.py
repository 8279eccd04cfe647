from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hits.comparison import Verdict, compare_hits
from core.hits.hit import Hit, Reason


def hits(*found: tuple[str, float | None]) -> list[Hit]:
    return [
        Hit(row, name, f"text of {name}", Reason.NONE, row + 1, distance=distance)
        for row, (name, distance) in enumerate(found)
    ]


def verdicts(recorded: list[Hit], here: list[Hit], tolerance: float = 0.02) -> list[str]:
    return [f"{pair.id} {pair.verdict}" for pair in compare_hits(recorded, here, tolerance).pairs]


def test_equal_lists_agree() -> None:
    comparison = compare_hits(hits(("a", 0.1), ("b", None)), hits(("a", 0.1), ("b", None)))
    assert [pair.verdict for pair in comparison.pairs] == [Verdict.SAME] * 2
    assert not comparison.differs


def test_pairs_stand_in_the_recorded_order_and_new_ones_after_them_by_rank() -> None:
    assert verdicts(
        hits(("a", 0.1), ("b", 0.2), ("c", 0.3)),
        hits(("x", 0.1), ("c", 0.3), ("a", 0.1), ("y", 0.4)),
    ) == ["a moved", "b missing", "c moved", "x new", "y new"]


def test_a_pair_says_ranks_and_the_change_of_distance() -> None:
    pair = compare_hits(hits(("a", 0.25), ("b", 0.3)), hits(("b", 0.5), ("a", 0.75))).pairs[0]
    assert (pair.recorded_rank, pair.here_rank, pair.distance_change) == (1, 2, 0.75 - 0.25)


@pytest.mark.parametrize(
    ("recorded", "here", "differs"),
    [
        (0.31, 0.33, False),
        (0.33, 0.31, False),
        (0.1, 0.12, False),
        (0.31, 0.3301, True),
        (0.31, 0.3300000131130219, False),
        (0.33, 0.3099, True),
        (0.5, 0.5, False),
    ],
)
def test_distances_differ_by_more_than_the_tolerance_whatever_the_rounding(
    recorded: float, here: float, differs: bool
) -> None:
    word = "distance" if differs else "same"
    assert verdicts(hits(("a", recorded)), hits(("a", here))) == [f"a {word}"]


def test_a_tolerance_of_0_wants_equal_distances() -> None:
    assert verdicts(hits(("a", 0.5)), hits(("a", 0.5)), 0) == ["a same"]
    assert verdicts(hits(("a", 0.5)), hits(("a", 0.51)), 0) == ["a distance"]


@pytest.mark.parametrize(("recorded", "here"), [(None, 0.5), (0.5, None)])
def test_a_distance_on_one_side_only_is_a_difference(
    recorded: float | None, here: float | None
) -> None:
    by_words = [replace(hit, bm25_score=1.5) for hit in hits(("a", recorded))]
    pair = compare_hits(by_words, hits(("a", here))).pairs[0]
    assert (pair.verdict, pair.distance_change, pair.is_distant) == (Verdict.DISTANCE, None, True)


def test_a_recording_without_distances_leaves_them_out_of_the_comparison() -> None:
    assert verdicts(hits(("a", None), ("b", None)), hits(("a", 0.1), ("c", 0.5))) == [
        "a same",
        "b missing",
        "c new",
    ]


def test_a_moved_hit_may_be_distant_too() -> None:
    far, near = compare_hits(hits(("a", 0.2), ("b", 0.3)), hits(("b", 0.3), ("a", 0.4))).pairs
    assert (far.verdict, far.is_distant) == (Verdict.MOVED, True)
    assert (near.verdict, near.is_distant) == (Verdict.MOVED, False)


def test_hits_of_one_list_only_have_no_change_and_are_not_distant() -> None:
    for pair in compare_hits(hits(("a", 0.2)), hits(("b", 0.3))).pairs:
        assert (pair.distance_change, pair.is_distant) == (None, False)


def test_a_repeated_id_pairs_by_its_places() -> None:
    assert verdicts(hits(("a", 0.1), ("a", 0.1), ("b", 0.2)), hits(("a", 0.1), ("b", 0.2))) == [
        "a same",
        "a missing",
        "b moved",
    ]
    assert verdicts(hits(("a", 0.1)), hits(("a", 0.1), ("a", 0.1))) == ["a same", "a new"]


def test_the_summary_counts_every_verdict() -> None:
    comparison = compare_hits(
        hits(("a", 0.1), ("b", 0.2), ("c", 0.3)), hits(("a", 0.1), ("c", 0.3), ("d", 0.3))
    )
    assert comparison.summary == "1 same, 1 moved, 0 distance, 1 missing, 1 new"


ids = st.lists(st.tuples(st.sampled_from("abcde"), st.none() | st.floats(0, 2)), max_size=8)


@given(ids, ids, st.floats(0, 2))
def test_every_hit_is_in_exactly_one_pair(
    recorded: list[tuple[str, float | None]], here: list[tuple[str, float | None]], tolerance: float
) -> None:
    before, now = hits(*recorded), hits(*here)
    comparison = compare_hits(before, now, tolerance)
    assert [pair.recorded for pair in comparison.pairs if pair.recorded] == before
    assert sorted(pair.here.row for pair in comparison.pairs if pair.here) == list(range(len(now)))
    paired = sum((Counter(hit.id for hit in before) & Counter(hit.id for hit in now)).values())
    assert (
        sum(pair.recorded is not None and pair.here is not None for pair in comparison.pairs)
        == paired
    )
    assert sum(comparison.count(verdict) for verdict in Verdict) == len(comparison.pairs)


@given(ids, st.floats(0, 2))
def test_a_list_agrees_with_itself(found: list[tuple[str, float | None]], tolerance: float) -> None:
    assert not compare_hits(hits(*found), hits(*found), tolerance).differs


@pytest.mark.parametrize(
    ("field", "before", "now", "said"),
    [
        ("score", 9.5, 4.5, "score 9.5 → 4.5"),
        ("bm25_score", 1.25, 1.5, "BM25 1.25 → 1.5"),
        ("rank_dense", 2, 3, "dense rank 2 → 3"),
        ("rank_sparse", 2, None, "BM25 rank 2 → –"),
        ("match_reason", "path:2", "path:1", "reason path:2 → path:1"),
    ],
)
def test_another_score_rank_or_reason_is_no_agreement(
    field: str, before: object, now: object, said: str
) -> None:
    recorded, here = (
        [replace(hits(("a", None))[0], **{field: value})]  # type: ignore[arg-type]
        for value in (before, now)
    )
    (pair,) = compare_hits(recorded, here).pairs
    assert (pair.verdict, pair.differences) == (Verdict.SCORE, (said,))
    assert compare_hits(recorded, here).summary.startswith("0 same, 0 moved, 0 distance, 1 score")
    assert not compare_hits(recorded, recorded).differs


def test_the_last_digits_of_a_score_and_what_is_not_recorded_do_not_count() -> None:
    plain = hits(("a", 0.5))[0]
    here = replace(plain, bm25_score=3.14159274, rank_dense=1, score=2.0, match_reason="fts")
    assert verdicts([replace(plain, bm25_score=3.141593)], [here]) == ["a same"]
