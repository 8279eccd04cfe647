"""Keeps alive what Qt calls back: the Python overrides of its virtual functions.

With PySide 6.11.3 on a busy machine a repaint of the plot crashed now and then, in an override that
had been freed: a method has a single reference, in its class, and something in the binding seems to
give back one too many. ``test_window_memory.py``, repeated in six processes at once, ended in a
segmentation fault in 8 % of 110 runs, and with spare references in none of 96. To be removed with
a version of PySide for which the first number is 0.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from shiboken6 import Shiboken

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPARE = 500
_QT = "PySide6."
_kept: dict[FunctionType, list[FunctionType]] = {}


def pin_overrides() -> int:
    """Hold spare references to the overrides of all classes loaded so far; return how many."""
    for cls in _below(Shiboken.Object):
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType) and value not in _kept and _overrides(cls, name):
                _kept[value] = [value] * _SPARE
    return len(_kept)


def _below(base: type[Any]) -> Iterator[type[Any]]:
    """Yield the Python classes derived from a class, each once."""
    seen: set[type[Any]] = set()
    waiting = [base]
    while waiting:
        for cls in type.__subclasses__(waiting.pop()):
            if cls not in seen:
                seen.add(cls)
                waiting.append(cls)
                if not cls.__module__.startswith(_QT):
                    yield cls


def _overrides(cls: type[Any], name: str) -> bool:
    """Tell whether a class of Qt's has something of this name, which this class replaces."""
    return any(name in vars(base) for base in cls.__mro__ if base.__module__.startswith(_QT))
