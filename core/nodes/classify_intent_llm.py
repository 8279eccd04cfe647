"""ClassifyIntentLLM: a language model gives the label. The user picks the exit, and the label."""

from __future__ import annotations

from dataclasses import dataclass

from core.nodes.kind import NodeKind, Simulated
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentLLMParams(NodeParams):
    """Parameters of ClassifyIntentLLM, which needs a language model."""

    model_name: str = param("", "Language model.", reads=Reads.GAME, structural=True)
    intents_ids: str = param("", "Comma-separated labels.", reads=Reads.WALK, structural=True)
    intents_prompt: str = param(
        "", "Comma-separated descriptions.", reads=Reads.GAME, structural=True
    )
    system_prompt: str = param("", "System message.", reads=Reads.GAME, multiline=True)
    history_turns: int = param(4, "Earlier turns that are read.", reads=Reads.GAME, low=0, high=64)
    threshold: float = param(
        0.5, "Smallest probability that counts.", reads=Reads.GAME, low=0.0, high=1.0
    )
    margin: float = param(
        0.0, "Smallest lead over the second label.", reads=Reads.GAME, low=0.0, high=1.0
    )
    found_exit: str = exit_param("when an intent is found")
    not_found_exit: str = exit_param("when none is")

    def labels(self) -> tuple[str, ...]:
        """Return the labels of `intents_ids`, trimmed; empty ones are left out."""
        return tuple(label for part in self.intents_ids.split(",") if (label := part.strip()))


class ClassifyIntentLLM(
    NodeKind[ClassifyIntentLLMParams],
    lacks=("answer", "provides", "memory", "check", "check_storages", "check_change", "prepare"),
):
    """Takes the exit that the user picked, or `not_found`.

    The label of `found` is what the user typed in for the node, else the first of `intents_ids`.
    """

    table = ClassifyIntentLLMParams
    is_in_game = True
    simulated = Simulated("not_found", ClassifyIntentLLMParams.labels)

    def run(self, name: str, params: ClassifyIntentLLMParams, state: TurnState) -> Outcome:
        taken = state.picked_exit(name, params, self.simulated.exit)
        labels = params.labels()
        label = ""
        if taken == "found":
            label = state.request.replies.get(name, "").strip() or next(iter(labels), "")
            state.label = label
        output: dict[str, object] = {"simulated": True, "exit": taken}
        if label:
            output["label"] = label
        if label and label not in labels:
            output["note"] = f'"{label}" is none of intents_ids, so the game would not give it'
        return Outcome(
            taken,
            label,
            simulated=True,
            sections={
                "parameters": {
                    "model_name": state.request.model_of(params.model_name),
                    "intents_ids": list(labels),
                },
                "input": {"text": state.request.message},
                "output": output,
            },
        )


CLASSIFY_INTENT_LLM = ClassifyIntentLLM()
