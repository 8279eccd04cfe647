"""Pasted dialogs: lines such as ``User: …`` or a JSON list of messages become dialog lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import orjson

from core.errors import Code, InspectorError, Place
from core.io.json_file import describe
from core.io.json_typed import why_no_json
from core.prompt.messages import DialogLine, Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_CHARACTERS = 1_000_000
"""Longer texts are refused: a prompt may not be longer either."""
MOST_LINES = 1000
"""More messages at once are refused: each is a row to look at."""

ROLES: tuple[Role, ...] = get_args(Role)

_SPEAKERS: dict[str, Role] = {
    "user": "user",
    "player": "user",
    "human": "user",
    "assistant": "assistant",
    "npc": "assistant",
    "bot": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "character": "assistant",
    "system": "system",
    "developer": "system",
}
_NAMES = "|".join(_SPEAKERS)
_SPOKEN = re.compile(
    rf"[ \t]*(?:[*_]{{1,3}}|[-*>][ \t])?({_NAMES})[ \t]*[*_]{{0,3}}[ \t]*[:\uff1a]"
    r"[*_]{0,3}[ \t]*(.*)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"[ \t]*\[({_NAMES})\][ \t]*(.*)", re.IGNORECASE)
_JSON_START = re.compile(r'[ \t\n]*(?:\[[ \t\n]*[{\]]|\{[ \t\n]*["}])')


def parse_dialog(text: str, *, unmarked: Role = "user") -> tuple[DialogLine, ...]:
    """Read the messages of a dialog out of a pasted text.

    Understood are a JSON list of ``{"role", "content"}``, alone or under the key ``messages``, and
    lines that begin with a speaker: ``User: …``, ``Assistant: …``, ``System: …``, names that are
    as common (Player, Human; NPC, Bot, AI), and ``[user]`` on a line of its own. Lines without a
    speaker go on with the message before them. Messages without any text are left out.

    Parameters
    ----------
    unmarked : the role of what stands before the first speaker, or of all where there is none.

    Returns
    -------
    tuple[DialogLine, ...]
        In the order of the text; white space at both ends of a message is trimmed.

    Raises
    ------
    InspectorError
        3007 for a text without any message, one that is too long, half a character, or JSON with a
        mistake, with its line or path.
    """
    if len(text) > MOST_CHARACTERS:
        raise _refusal(
            f"the text has {len(text):,} characters, at most {MOST_CHARACTERS:,} can be pasted",
            hint="paste the last turns only",
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = _messages(text) if _JSON_START.match(text) else _spoken(text, unmarked)
    lines = tuple(line for line in found if line.text)
    if not lines:
        raise _refusal(
            "there is no message in the pasted text",
            hint=('copy lines such as "User: …" and "Assistant: …", or a JSON list of messages'),
        )
    if len(lines) > MOST_LINES:
        raise _refusal(
            f"the text has {len(lines):,} messages, at most {MOST_LINES:,} can be pasted",
            hint="paste the last turns only",
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _refusal("the text has half a character (a lone surrogate)", hint="remove it")
    return lines


def next_role(lines: Sequence[DialogLine]) -> Role:
    """Return who speaks after these lines: the assistant after the player, else the player."""
    return "assistant" if lines and lines[-1].role == "user" else "user"


def _spoken(text: str, unmarked: Role) -> Iterator[DialogLine]:
    role, said = unmarked, list[str]()
    for line in text.split("\n"):
        marked = _SPOKEN.match(line) or _BRACKETED.match(line)
        if marked is None:
            said.append(line)
            continue
        yield DialogLine(role, "\n".join(said).strip())
        role, said = _SPEAKERS[marked[1].lower()], [marked[2]]
    yield DialogLine(role, "\n".join(said).strip())


def _messages(text: str) -> Iterator[DialogLine]:
    mistake = why_no_json(text, "the text")
    if mistake is not None:
        raise _refusal(
            f"the pasted JSON has a mistake: {mistake.message}",
            hint=mistake.hint,
            place=Place(line=mistake.line, column=mistake.column),
        )
    document = orjson.loads(text)
    path = "messages"
    if isinstance(document, dict) and "messages" not in document:
        document, path = [document], ""
    elif isinstance(document, dict):
        document = document["messages"]
    else:
        path = ""
    if not isinstance(document, list):
        raise _refusal(
            f"expected a list of messages, found {describe(document)}", place=Place(json_path=path)
        )
    for number, message in enumerate(document):
        yield _message(message, f"{path}[{number}]")


def _message(message: Any, path: str) -> DialogLine:
    if not isinstance(message, dict):
        raise _refusal(
            f"expected a message, found {describe(message)}",
            place=Place(json_path=path),
            hint='{"role": "user", "content": "…"}',
        )
    role = message.get("role")
    if not isinstance(role, str) or role.lower() not in _SPEAKERS:
        what = (
            "a message has no role"
            if "role" not in message
            else (f"expected a role, found {describe(role)}")
        )
        raise _refusal(
            what, place=Place(json_path=f"{path}.role"), hint=f"roles: {', '.join(ROLES)}"
        )
    content = _content(message.get("content"))
    if content is None:
        raise _refusal(
            f"expected a text, found {describe(message.get('content'))}",
            place=Place(json_path=f"{path}.content"),
        )
    return DialogLine(_SPEAKERS[role.lower()], content.strip())


def _content(content: Any) -> str | None:
    """Return a message's text, which some programs keep in parts; None when it is no text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text", "") if isinstance(part, dict) else part for part in content]
    return (
        "\n".join(part for part in parts if part)
        if all(isinstance(part, str) for part in parts)
        else None
    )


def _refusal(message: str, *, hint: str = "", place: Place | None = None) -> InspectorError:
    return InspectorError(Code.InvalidParamValue, message, hint=hint, place=place)
