"""IntentToInstruction: the label of the intent that was classified last → an instruction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.knowledge.kinds import FileKind
from core.nodes.kind import CheckedNode, NodeKind, OpenedNode
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, Storages, TurnState
from core.prompt.lint import Provided
from core.prompt.projection import InstructionText

if TYPE_CHECKING:
    from core.io.work import Work


@dataclass(frozen=True, kw_only=True)
class IntentToInstructionParams(NodeParams):
    """Parameters of IntentToInstruction: label → instruction text."""

    string_storage: str = param(
        "",
        "Map file label → text, relative to the storage root.",
        reads=Reads.PROMPT | Reads.WALK,
        structural=True,
        file_kind=FileKind.MAP,
    )
    inline_keys: tuple[str, ...] = param(
        (), "Labels given right here.", reads=Reads.PROMPT | Reads.WALK, structural=True
    )
    inline_strings: tuple[str, ...] = param(
        (), "Texts given right here.", reads=Reads.PROMPT | Reads.WALK, structural=True
    )
    instruction_name: str = param(
        "",
        "Name that templates use (instruction_NAME). Empty = the node's name.",
        reads=Reads.PROMPT,
    )
    default_exit: str = exit_param("next")


class IntentToInstruction(
    NodeKind[IntentToInstructionParams],
    lacks=("answer", "simulated", "memory", "check_change", "prepare"),
):
    """Attaches the instruction of the intent that was classified last, where there is one."""

    table = IntentToInstructionParams
    is_in_game = True

    def provides(self, name: str, params: IntentToInstructionParams) -> Provided:
        return Provided(instructions=(params.instruction_name or name,))

    def check(self, params: IntentToInstructionParams, node: CheckedNode) -> None:
        if params.string_storage:
            return
        problem = _inline_problem(params)
        twice = [key for key, count in Counter(params.inline_keys).items() if count > 1]
        if problem:
            node.error("inline_keys", problem, hint="make the two lists equally long")
        elif twice:
            node.warning(
                "inline_keys",
                f'the label "{twice[0]}" is in inline_keys more than once; its first text is used',
            )
        elif not params.inline_keys:
            node.warning(
                "inline_keys",
                "no labels: neither string_storage nor inline_keys, so nothing is ever attached",
            )

    def check_storages(self, params: IntentToInstructionParams, node: OpenedNode) -> None:
        node.open_strings(params.string_storage, FileKind.MAP)

    def run(self, name: str, params: IntentToInstructionParams, state: TurnState) -> Outcome:
        label, attached_as = state.label, params.instruction_name or name
        text = instruction_of(label, params, state.storages, state.work) if label else None
        output: dict[str, object] = {"attached": text is not None}
        if text is not None:
            state.instructions.append(InstructionText(attached_as, text))
            output |= {"name": attached_as, "text": text}
        storage = {"string_storage": params.string_storage} if params.string_storage else {}
        return Outcome(
            "default",
            text or "",
            sections={
                "parameters": {**storage, "instruction_name": attached_as},
                "input": {"label": label} if label else {},
                "output": output,
            },
        )


def instruction_of(
    label: str, params: IntentToInstructionParams, storages: Storages, work: Work
) -> str | None:
    """Return the text that belongs to a label, of the storage or else of the inline lists.

    Raises
    ------
    InspectorError
        3003 for inline lists of different lengths, 3011 for a storage that is no Map, and what
        opening it raises.
    """
    if params.string_storage:
        return storages.strings(params.string_storage, FileKind.MAP, work).find_first(label)
    problem = _inline_problem(params)
    if problem:
        raise InspectorError(
            Code.GraphCompilationFailed, problem, place=Place(node=work.node, param="inline_keys")
        )
    pairs = zip(params.inline_keys, params.inline_strings, strict=True)
    return next((text for key, text in pairs if key == label), None)


def _inline_problem(params: IntentToInstructionParams) -> str:
    keys, texts = len(params.inline_keys), len(params.inline_strings)
    if keys == texts:
        return ""
    return f"inline_keys has {keys} labels and inline_strings {texts} texts: each label needs one"


INTENT_TO_INSTRUCTION = IntentToInstruction()
