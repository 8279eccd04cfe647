"""Keeps Python's garbage collector away while a large file is read."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking at a million new objects again and again.

    Reading a file makes no reference cycles. Afterwards what it made counts as long-lived at
    once: freezing and unfreezing moves everything to the oldest generation, without the look at
    each that the collector would take first, a quarter of a second in which no other thread runs.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()
