"""One error tree: every refusal carries a code, a name, a message, a place and a hint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum


class Code(IntEnum):
    """Error codes of the node system (spec: error codes); the member's name is the error's name."""

    InvalidAgentId = 3001
    AgentAlreadyDestroyed = 3002
    GraphCompilationFailed = 3003
    AgentBusy = 3004
    UnknownNode = 3005
    ParamNotMutable = 3006
    InvalidParamValue = 3007
    StorageOutsideRoot = 3009
    StorageFileNotFound = 3010
    StorageKindMismatch = 3011
    InferenceFailed = 4001
    MaxStepsExceeded = 4003
    InvalidStringStorageName = 7001
    StringStorageAlreadyExists = 7002
    InvalidStringStorageData = 7003
    InvalidEmbeddedStringStorageName = 8001
    EmbeddedStringStorageAlreadyExists = 8002
    InvalidEmbeddedStringStorageData = 8003


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is wrong: file, 1-based line and column, JSON path, node, parameter."""

    file: str = ""
    line: int | None = None
    column: int | None = None
    json_path: str = ""
    node: str = ""
    param: str = ""

    def __str__(self) -> str:
        """Return the place on one line, or "" when nothing is known."""
        head = self.file
        if self.line is not None and head:
            head += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        elif self.line is not None:
            head = f"line {self.line}" + (
                f", column {self.column}" if self.column is not None else ""
            )
        target = ".".join(part for part in (self.node, self.param) if part)
        return " ".join(part for part in (head, target, self.json_path) if part)


class InspectorError(Exception):
    """A refusal that reaches the user.

    Parameters
    ----------
    code : the error's code; its name follows from it.
    message : what failed, on which value, in a designer's words.
    place : where.
    hint : what to do about it, or "".
    """

    def __init__(
        self, code: Code, message: str, *, place: Place | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place or Place()
        self.hint = hint

    @property
    def name(self) -> str:
        """The error's name, such as ``InvalidParamValue``."""
        return self.code.name

    def at_node(self, node: str) -> InspectorError:
        """Return the same refusal with the node's name in its place, unless that says enough."""
        if self.place.node or self.place.file:
            return self
        place = replace(self.place, node=node)
        return InspectorError(self.code, self.message, place=place, hint=self.hint)

    def line(self) -> str:
        """Return the whole error on one line: ``error CODE Name: place: message. hint``."""
        where = f"{self.place}: " if str(self.place) else ""
        hint = f" ({self.hint})" if self.hint else ""
        text = f"error {int(self.code)} {self.name}: {where}{self.message}{hint}"
        return " ".join(text.split())

    def __str__(self) -> str:
        """Return ``CODE Name: place: message``."""
        where = f"{self.place}: " if str(self.place) else ""
        return f"{int(self.code)} {self.name}: {where}{self.message}"


class Cancelled(Exception):
    """The user, or a newer request, stopped a job. Nobody is shown this."""
