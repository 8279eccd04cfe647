"""A node under check: where what is wrong with it goes, and with what words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from core.errors import Code, InspectorError, Place
from core.io.findings import FileRefused, Finding, Findings, Severity
from core.io.work import QUIETLY, Work
from core.knowledge.kinds import FileKind

if TYPE_CHECKING:
    from core.nodes.storages import Storages

P = TypeVar("P")

Opening = Callable[[str], tuple[str, Iterable[Finding]]]
"""Opens a storage by its name → what tells its file from others, and the findings of the file."""


@dataclass(frozen=True, slots=True)
class CheckedNode:
    """A node of a graph under check.

    index : its place among the nodes of the graph.
    findings : of the graph's file, where what is found goes.
    """

    name: str
    index: int
    findings: Findings

    def place(self, param: str = "") -> Place:
        """Return the place of the node, or of one of its parameters, in the graph's file."""
        path = f"nodes[{self.index}]" + (f".params.{param}" if param else "")
        return Place(file=self.findings.file, json_path=path, node=self.name, param=param)

    def error(self, param: str, message: str, *, hint: str = "", code: Code | None = None) -> None:
        """Add an error at a parameter."""
        self.findings.error(message, hint=hint, code=code, place=self.place(param))

    def warning(
        self, param: str, message: str, *, hint: str = "", code: Code | None = None
    ) -> None:
        """Add a warning at a parameter."""
        self.findings.warning(message, hint=hint, code=code, place=self.place(param))

    def needs_file(
        self,
        param: str,
        value: str,
        what: str,
        hint: str = "name one, relative to the storage root",
    ) -> None:
        """Refuse a parameter that names no file."""
        if not value:
            code = Code.InvalidEmbeddedStringStorageName
            self.error(param, f"no {what} to search", code=code, hint=hint)

    def refused(self, error: InspectorError, param: str) -> None:
        """Take over what a storage says of a parameter, placed at it.

        A place in another file stays; a path inside the parameter's value stays too.
        """
        found = (
            error.findings
            if isinstance(error, FileRefused)
            else (Finding(Severity.ERROR, error.code, error.place, error.message, error.hint),)
        )
        self.findings.extend(
            replace(finding, place=self._at(param, finding.place)) for finding in found
        )

    def _at(self, param: str, said: Place) -> Place:
        if said.file:
            return replace(said, node=self.name, param=param)
        if said.json_path.startswith(f"{param}["):
            return replace(
                self.place(param), json_path=f"nodes[{self.index}].params.{said.json_path}"
            )
        place = self.place(param)
        return replace(place, json_path=said.json_path or place.json_path)


@dataclass(frozen=True, slots=True)
class OpenedNode(CheckedNode):
    """A node whose storages are opened for the check.

    work : on behalf of the node.
    seen : the files whose findings have been told already, of all nodes.
    """

    storages: Storages = field(kw_only=True)
    work: Work = field(kw_only=True, default=QUIETLY)
    seen: set[str] = field(kw_only=True, default_factory=set)

    def open(self, param: str, name: str, opening: Opening) -> None:
        """Open the storage that a parameter names, if it names one; say what is wrong with it."""
        if not name:
            return
        try:
            file, found = opening(name)
        except FileRefused as refused:
            file, found = refused.place.file, refused.findings
        except InspectorError as error:
            self.refused(error, param)
            return
        self.tell(file, found)

    def open_strings(self, name: str, kind: FileKind = FileKind.STRINGS) -> None:
        """Open the string storage of the parameter ``string_storage``."""
        self.open(
            "string_storage",
            name,
            lambda name: (name, self.storages.strings(name, kind, self.work).findings),
        )

    def tell(self, file: str, found: Iterable[Finding]) -> None:
        """Take over the findings of a file, once."""
        if file not in self.seen:
            self.seen.add(file)
            self.findings.extend(found)

    def attempt(
        self, check: Callable[[P, str, Storages, Work], object], params: P, param: str
    ) -> None:
        """Check a parameter as if it had changed (`NodeKind.check_change`)."""
        try:
            check(params, param, self.storages, self.work)
        except InspectorError as error:
            self.refused(error, param)
