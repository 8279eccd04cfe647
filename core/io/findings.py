"""Problems found in a file, collected before anything fails."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FINDINGS_LIMIT = 100


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem: an error means that the file is not used, a warning that it is used anyway."""

    severity: Severity
    code: Code
    place: Place
    message: str
    hint: str = ""

    def line(self) -> str:
        """``error|warning CODE place: message`` on one line, as ``inspector check`` prints it."""
        hint = f" ({self.hint})" if self.hint else ""
        text = f"{self.severity} {int(self.code)} {self.place}: {self.message}{hint}"
        return " ".join(text.split())


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tell whether there is an error among the findings."""
    return any(finding.severity is Severity.ERROR for finding in findings)


class Findings:
    """Collects the findings of one file, `FINDINGS_LIMIT` at most.

    Past the limit warnings give way, so that a flood of warnings never hides an error.
    """

    def __init__(self, code: Code, file: str = "") -> None:
        self.code = code
        self.file = file
        self._items: list[Finding] = []
        self._counts = {Severity.ERROR: 0, Severity.WARNING: 0}

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over what is kept, in the order found."""
        room_for_warnings = FINDINGS_LIMIT - min(self._counts[Severity.ERROR], FINDINGS_LIMIT)
        for finding in self._items:
            if finding.severity is Severity.WARNING:
                if room_for_warnings == 0:
                    continue
                room_for_warnings -= 1
            yield finding

    def __len__(self) -> int:
        """Return how many findings are kept."""
        return min(len(self._items), FINDINGS_LIMIT)

    @property
    def has_errors(self) -> bool:
        """Whether the file must not be used."""
        return self._counts[Severity.ERROR] > 0

    @property
    def full(self) -> bool:
        """True when no further error would be kept, so that a loader may stop looking."""
        return self._counts[Severity.ERROR] >= FINDINGS_LIMIT

    def error(
        self,
        message: str,
        path: str = "",
        *,
        hint: str = "",
        code: Code | None = None,
        place: Place | None = None,
    ) -> None:
        """Add an error at a JSON path of the file, or at `place`."""
        self._add(Severity.ERROR, message, path, hint, code, place)

    def warning(
        self,
        message: str,
        path: str = "",
        *,
        hint: str = "",
        code: Code | None = None,
        place: Place | None = None,
    ) -> None:
        """Add a warning at a JSON path of the file, or at `place`."""
        self._add(Severity.WARNING, message, path, hint, code, place)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Take over the findings of another file."""
        for finding in findings:
            self._keep(finding)

    def _add(
        self,
        severity: Severity,
        message: str,
        path: str,
        hint: str,
        code: Code | None,
        place: Place | None,
    ) -> None:
        where = place or Place(file=self.file, json_path=path)
        self._keep(Finding(severity, code or self.code, where, message, hint))

    def _keep(self, finding: Finding) -> None:
        self._counts[finding.severity] += 1
        if self._counts[finding.severity] <= FINDINGS_LIMIT:
            self._items.append(finding)

    def raise_errors(self) -> None:
        """Raise `FileRefused` when there is an error among the findings."""
        if self.has_errors:
            raise FileRefused(tuple(self))


class FileRefused(InspectorError):
    """A file with at least one error; carries all of its findings.

    It speaks of the first error in the engine's order: the graph's shape (3003), then values
    (3007), then files (3009 …), then what is in them.
    """

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        errors = [f for f in findings if f.severity is Severity.ERROR]
        first = min(errors, key=lambda finding: finding.code)
        more = len(errors) - 1
        hint = first.hint
        if more:
            hint = "; ".join(filter(None, [hint, f"and {more} more: run inspector check"]))
        super().__init__(first.code, first.message, place=first.place, hint=hint)
        self.findings = findings
