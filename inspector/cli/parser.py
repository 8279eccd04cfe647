"""The parser of every command line: refusals in one line, texts that begin with a dash."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from core.errors import Code, InspectorError
from core.io.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NO_VALUE = "expected one argument"
_LIKE_A_PATH = re.compile(r"^-|[./\\]")


class Parser(argparse.ArgumentParser):
    """Raises `InspectorError` for what it refuses, and takes ``-m -yes`` as it is meant."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse; what follows an option with one value is its value, unless it is an option."""
        joined = None if args is None else self._joined(args)
        return super().parse_known_args(joined, namespace)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        hint = f"see {self.prog} --help"
        if message.endswith(_NO_VALUE):
            option = message.split()[1].split("/")[0].rstrip(":")
            hint = f"a value that begins with a dash: {option}=-yes; {hint}"
        raise InspectorError(Code.InvalidParamValue, message, hint=hint)

    def _joined(self, args: Sequence[str]) -> list[str]:
        options: dict[str, Any] = self._option_string_actions
        joined: list[str] = []
        for arg in args:
            before = options.get(joined[-1]) if joined else None
            takes_one = before is not None and before.nargs is None
            if takes_one and arg.startswith("-") and arg.split("=")[0] not in options:
                joined[-1] += f"={arg}"
            else:
                joined.append(arg)
        return joined


def refuse_stray_words(words: Iterable[str], commands: Sequence[str]) -> None:
    """Refuse words that are neither a command nor look like a path.

    Raises
    ------
    InspectorError
        3007 for the first such word.
    """
    for word in words:
        if not _LIKE_A_PATH.search(word) and not Path(word).exists():
            raise InspectorError(
                Code.InvalidParamValue,
                f'"{word}" is neither a command nor a file or folder',
                hint=did_you_mean(word, commands) or f"commands: {', '.join(commands)}",
            )
