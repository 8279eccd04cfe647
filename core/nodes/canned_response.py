"""CannedResponse: answer with a ready line."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import IntEnum

from core.knowledge.kinds import FileKind
from core.nodes.kind import Answer, NodeKind, OpenedNode
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState


class SelectionStrategy(IntEnum):
    """How a CannedResponse node picks its line."""

    Random = 0
    First = 1
    RoundRobin = 2


@dataclass(frozen=True, kw_only=True)
class CannedResponseParams(NodeParams):
    """Parameters of CannedResponse: answer with a ready line."""

    string_storage: str = param(
        "",
        "File of lines, relative to the storage root. Comes before inline_strings.",
        reads=Reads.WALK,
        structural=True,
        file_kind=FileKind.STRINGS,
    )
    inline_strings: tuple[str, ...] = param(
        (), "Lines given right here.", reads=Reads.WALK, structural=True
    )
    selection_strategy: SelectionStrategy = param(
        SelectionStrategy.RoundRobin,
        "Random, always the First, or one after the other (RoundRobin).",
        reads=Reads.WALK,
        client_enum="CannedResponseSelectionStrategy",
    )
    default_exit: str = exit_param("next")


class CannedResponse(
    NodeKind[CannedResponseParams],
    lacks=("simulated", "provides", "memory", "check", "check_change", "prepare"),
):
    """Answers with a line of its storage, or else with one given inline."""

    table = CannedResponseParams
    is_in_game = True
    answer = Answer.READY_LINE

    def check_storages(self, params: CannedResponseParams, node: OpenedNode) -> None:
        node.open_strings(params.string_storage)

    def run(self, name: str, params: CannedResponseParams, state: TurnState) -> Outcome:
        lines = (
            state.storages.strings(params.string_storage, work=state.work).values
            if params.string_storage
            else params.inline_strings
        )
        count = state.canned_counts.get(name, 0)
        state.canned_counts[name] = count + 1
        if not lines:
            return Outcome("default")
        if params.selection_strategy is SelectionStrategy.First:
            index = 0
        elif params.selection_strategy is SelectionStrategy.RoundRobin:
            index = count % len(lines)
        else:
            index = random.Random(f"{state.request.seed}:{name}:{count}").randrange(len(lines))
        return Outcome("default", lines[index])


CANNED_RESPONSE = CannedResponse()
