"""The smallest parts of a prompt: who speaks, what was said, and where a template's text goes."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, NamedTuple

Role = Literal["system", "user", "assistant"]


class DialogLine(NamedTuple):
    """A message of an earlier turn."""

    role: Role
    text: str


class Placement(IntEnum):
    """Where a Generate node's rendered template goes among the messages."""

    InPlaceOfUser = 0
    BeforeUserAsUser = 1
    BeforeUserAsSystem = 2
    AfterUserAsUser = 3
    AfterUserAsSystem = 4
