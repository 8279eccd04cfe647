"""The text of a filter: JSON without constants that JSON lacks, and its values in messages."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

from core.io.json_typed import Mistake, why_no_json
from core.io.wording import cut, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIGITS_PAST_INT64 = 21
_NAMES_LISTED = 12
_SHOWN_CHARACTERS = 48


class JsonObject(dict[str, Any]):
    """A JSON object that knows a key which was written twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: str | None = None
        if len(self) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            self.repeated = max(counts, key=counts.__getitem__)


class BadJson(ValueError):
    """A text that is no JSON; where, why and what to do."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(str(mistake))
        self.mistake = mistake


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _whole_number(digits: str) -> int:
    # Python refuses to convert more than 4300 digits; this many are out of range already.
    return int(digits[:_DIGITS_PAST_INT64])


def parse(text: str) -> Any:
    """Parse the text; an object is a `JsonObject`.

    Raises
    ------
    BadJson
        When it is no JSON.
    RecursionError
        When it is nested too deeply.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=JsonObject,
            parse_int=_whole_number,
            parse_constant=_refuse_constant,
        )
    except ValueError as error:
        mistake = why_no_json(text, "the filter")
        raise BadJson(mistake or Mistake(str(error), "", 1, 1)) from error


def kind_name(value: Any) -> str:
    """Name what a JSON value is, in the words of the specification."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    names = {int: "int", float: "float", str: "string", list: "array"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "object")


def shown(value: Any) -> str:
    """Return the value as JSON, printable whatever it holds, shortened."""
    text = cut(json.dumps(value, ensure_ascii=False), _SHOWN_CHARACTERS)
    return text.encode("utf-8", "backslashreplace").decode()


def closest(name: Any, known: Iterable[str], what: str) -> str:
    """Say what a name may have meant, and which names there are."""
    names = list(known)
    guess = did_you_mean(name, names) if isinstance(name, str) else ""
    more = ", …" if len(names) > _NAMES_LISTED else ""
    listed = f"{what}: {', '.join(names[:_NAMES_LISTED])}{more}" if names else f"no {what} at all"
    return " ".join(filter(None, [guess, listed]))


def listed(keys: tuple[str, ...]) -> str:
    """Return the keys in quotes."""
    return " and ".join(f'"{key}"' for key in keys)
