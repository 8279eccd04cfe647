"""How long work reports its progress and learns that nobody wants it any more."""

from __future__ import annotations

from typing import Protocol

from core.errors import Cancelled


class Progress(Protocol):
    """Called now and then with what is being done, how much of it is done, and of how much."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report; `total` is 0 while it is not known."""


class IsCancelled(Protocol):
    """Asked now and then whether to stop."""

    def __call__(self) -> bool:
        """Return True to stop."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


def never_cancelled() -> bool:
    """Go on to the end."""
    return False


def stop_if(is_cancelled: IsCancelled) -> None:
    """Raise `Cancelled` when the work is not wanted any more."""
    if is_cancelled():
        raise Cancelled
