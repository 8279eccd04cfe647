"""What to show while a user types: the value in force, or the draft that may yet become it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A text that was typed and is not in force. Panels name theirs with ``drafts()``.

    what : whose it is, such as ``the filter of knowledge``.
    go_to : takes it in hand, and puts the focus where it is typed.
    apply : puts what is in hand in force; False where it is refused, and the panel says why.
    param : of a parameter, its name.
    """

    what: str
    go_to: Callable[[], object]
    apply: Callable[[], bool]
    param: str = ""


def as_shown(text: str) -> str:
    """Return a text as Qt's editors give it back: with line feeds for all ends of lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", "\n")


class Draft:
    """Decides whether a value that is shown anew may replace what the user has typed.

    A parameter's value is shown again and again: after other edits, by answers to older edits,
    and after a refusal, when the old value stays in force. None of these may wipe out a text that
    is being typed. A value that is really new (undo, reset, a reloaded file) must.
    """

    def __init__(self) -> None:
        self._given: str | None = None
        self._asked: str | None = None

    @property
    def given(self) -> str:
        """The value in force, as it was last shown."""
        return self._given or ""

    def replaces(self, value: str) -> bool:
        """Take note that `value` is in force; tell whether it replaces the text in the field."""
        is_answer = value == self._asked
        is_known = value == self._given
        self._given = value
        if is_answer or is_known:
            return False
        self._asked = None
        return True

    def ask(self, text: str) -> None:
        """Take note that the user's text was handed on."""
        self._asked = text

    def forget(self) -> None:
        """Make the next value replace whatever is in the field."""
        self._given = self._asked = None
