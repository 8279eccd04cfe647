"""Levels of first parents."""

from __future__ import annotations

from core.subgraph.levels import first_beyond


def test_the_first_node_with_too_many_levels_is_found_in_any_order() -> None:
    chain = [(1,), (2,), (3,), ()]
    assert first_beyond(chain, 4) is None
    assert first_beyond(chain, 3) == 0
    assert first_beyond(chain, 2) == 0
    assert first_beyond([(), (0,), (1,)], 2) == 2


def test_only_first_parents_count() -> None:
    assert first_beyond([(), (0,), (0, 1)], 2) is None
