"""Speak: say the reply. There is no voice here."""

from __future__ import annotations

from dataclasses import dataclass

from core.nodes.kind import NodeKind
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState


@dataclass(frozen=True, kw_only=True)
class SpeakParams(NodeParams):
    """Parameters of Speak: say the reply. Nothing happens here."""

    voice: str = param("", "Voice. No effect here.", reads=Reads.GAME, structural=True)
    default_exit: str = exit_param("next")


class Speak(
    NodeKind[SpeakParams],
    lacks=(
        "answer",
        "simulated",
        "provides",
        "memory",
        "check",
        "check_storages",
        "check_change",
        "prepare",
    ),
):
    """Does nothing."""

    table = SpeakParams
    is_in_game = True

    def run(self, name: str, params: SpeakParams, state: TurnState) -> Outcome:
        del name, state
        return Outcome(
            "default", sections={"parameters": {"voice": params.voice}, "input": {}, "output": {}}
        )


SPEAK = Speak()
