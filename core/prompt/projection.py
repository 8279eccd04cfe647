"""From what a turn attached to the chat messages that a language model would read.

What a template can name: `context_of`. Where its text goes: `project`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from core.prompt.messages import DialogLine, Placement, Role
from core.prompt.mustache import MarkedText, render_marked

if TYPE_CHECKING:
    from core.errors import InspectorError
    from core.prompt.lint import LintProblem

Origin = Literal["system_prompt", "dialog", "template", "user", "canned", "recorded"]

_KEPT = 8
_AFTER = (Placement.AfterUserAsUser, Placement.AfterUserAsSystem)
_AS_SYSTEM = (Placement.BeforeUserAsSystem, Placement.AfterUserAsSystem)

# Hangul, kana, Han, Thai and the other scripts that tokenizers split into single characters.
_WIDE = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]"
)
_ASCII_PER_TOKEN = 4
_OTHERS_PER_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk that survived. `distance`: cosine, 0 to 2, smaller is closer; None = lexical only."""

    id: str
    text: str
    distance: float | None


@dataclass(frozen=True, slots=True)
class KnowledgeBlock:
    """What one Retrieve attached: its source label and its chunks, best first."""

    name: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class InstructionText:
    """What one Instruction attached."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """All that a prompt depends on. `instructions` and `knowledge` in the order of attachment."""

    user_message: str
    instructions: tuple[InstructionText, ...]
    knowledge: tuple[KnowledgeBlock, ...]
    system_prompt: str
    template: str
    placement: Placement
    dialog: tuple[DialogLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` of a message is the text of ``knowledge[block].chunks[chunk]``.

    start, end : characters (code points), 0-based, end excluded; never empty.
    block, chunk : 0-based positions.
    """

    start: int
    end: int
    block: int
    chunk: int


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message. `spans` : where chunk texts lie in `text`, in order, never overlapping."""

    role: Role
    text: str
    origin: Origin
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """What a Generate node would send to its model. `error` when its template cannot be rendered.

    problems : of its template.
    """

    messages: tuple[Message, ...]
    problems: tuple[LintProblem, ...]
    model_name: str
    error: InspectorError | None = None


def context_of(inputs: PromptInputs) -> dict[str, Any]:
    """Return what the template can name.

    ``user_message`` (empty where the placement is Before or After); ``instructions``, a list of
    ``{name, text}``; ``instruction_<name>``, a text, where several have one name the last one's;
    ``knowledge``, a list of ``{name, has_chunks, chunks}`` with one entry for each Retrieve that
    ran; ``knowledge_<source>``, a list of chunks, those of all blocks of that source in order. A
    chunk is ``{id, text, distance}``, its text a `MarkedText` that bears (block, chunk).

    The keys hold names and labels as they are. Mustache splits names at dots and trims them, so a
    label with a dot, ``}}``, or white space at its ends cannot be addressed by its own key; it is
    still in the lists. Spaces within are fine.
    """
    in_place = inputs.placement is Placement.InPlaceOfUser
    context: dict[str, Any] = {
        "user_message": inputs.user_message if in_place else "",
        "instructions": [{"name": i.name, "text": i.text} for i in inputs.instructions],
        "knowledge": [],
    }
    for instruction in inputs.instructions:
        context[f"instruction_{instruction.name}"] = instruction.text
    for block_index, block in enumerate(inputs.knowledge):
        chunks = [
            {
                "id": chunk.id,
                "text": MarkedText(chunk.text, (block_index, chunk_index)),
                "distance": chunk.distance,
            }
            for chunk_index, chunk in enumerate(block.chunks)
        ]
        context["knowledge"].append(
            {"name": block.name, "has_chunks": bool(chunks), "chunks": chunks}
        )
        context.setdefault(f"knowledge_{block.name}", []).extend(chunks)
    return context


@lru_cache(maxsize=_KEPT)
def project(inputs: PromptInputs) -> tuple[Message, ...]:
    """Return the chat messages in the order in which the model reads them.

    The last few are kept: most steps of a slider change nothing of the prompt.

    The system prompt (left out when blank); the dialog; then the player's message, with the
    rendered template in place of it, before it or after it. A template that renders to white space
    only renders to nothing: then the player's message stands alone, as it is. The player's message
    is there even when it is empty.

    Raises
    ------
    InspectorError
        3007 for a template with a mistake of syntax (with line and column) or one that exceeds the
        budget of `core.prompt.mustache.Budget`.
    """
    messages = []
    if inputs.system_prompt.strip():
        messages.append(Message("system", inputs.system_prompt, "system_prompt"))
    messages += [Message(line.role, line.text, "dialog") for line in inputs.dialog]
    player = Message("user", inputs.user_message, "user")
    text, marks = render_marked(inputs.template, context_of(inputs))
    if not text.strip():
        return (*messages, player)
    role: Role = "system" if inputs.placement in _AS_SYSTEM else "user"
    rendered = Message(
        role, text, "template", tuple(Span(mark.start, mark.end, *mark.mark) for mark in marks)
    )
    if inputs.placement is Placement.InPlaceOfUser:
        return (*messages, rendered)
    pair = (player, rendered) if inputs.placement in _AFTER else (rendered, player)
    return (*messages, *pair)


def canned_messages(user_message: str, line: str) -> tuple[Message, ...]:
    """Return the exchange of a turn that a ready line answered, without any model."""
    return Message("user", user_message, "user"), Message("assistant", line, "canned")


def recorded_messages(recorded: object) -> tuple[Message, ...]:
    """Return the messages of a recording, as `to_json` writes them; () for anything else."""
    if not isinstance(recorded, list):
        return ()
    return tuple(
        Message(entry["role"], entry["content"], "recorded")
        for entry in recorded
        if isinstance(entry, dict)
        and entry.get("role") in get_args(Role)
        and isinstance(entry.get("content"), str)
    )


def to_json(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """Return the messages as chat APIs take them: ``[{"role": …, "content": …}, …]``."""
    return [{"role": message.role, "content": message.text} for message in messages]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a language model makes of `text`: a rule of thumb, not a count.

    ASCII characters count 1/4 token, characters of Chinese, Japanese, Korean, Thai and emoji 1,
    all others 1/2; rounded up. Models differ by a third and more in either direction.
    """
    ascii_count = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    wide = 0 if text.isascii() else len(text) - len(_WIDE.sub("", text))
    others = len(text) - ascii_count - wide
    return math.ceil(ascii_count / _ASCII_PER_TOKEN + others / _OTHERS_PER_TOKEN + wide)
