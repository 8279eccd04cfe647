"""The nodes that need a language model to decide (the user picks their exit), and Speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.nodes.parameters import did_you_mean
from core.nodes.state import Outcome, TurnState

if TYPE_CHECKING:
    from core.nodes.parameters import (
        ClassifyIntentLLMParams,
        NodeParams,
        SpeakParams,
        ToolCallParams,
    )


def tool_call(name: str, params: ToolCallParams, state: TurnState) -> Outcome:
    """Take the exit that the user picked, or `no_tool_called`.

    Raises
    ------
    InspectorError
        3007 for an exit that the node does not have.
    """
    taken = _picked_exit(name, params, state)
    return Outcome(
        taken,
        simulated=True,
        sections={
            "parameters": {"model_name": _model(params, state)},
            "input": {"text": state.request.message},
            "output": {"simulated": True, "exit": taken},
        },
    )


def classify_intent_llm(name: str, params: ClassifyIntentLLMParams, state: TurnState) -> Outcome:
    """Take the exit that the user picked, or `not_found`.

    The label of `found` is what the user typed in for the node, else the first of `intents_ids`.

    Raises
    ------
    InspectorError
        3007 for an exit that the node does not have.
    """
    taken = _picked_exit(name, params, state)
    labels = labels_of(params)
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
            "parameters": {"model_name": _model(params, state), "intents_ids": list(labels)},
            "input": {"text": state.request.message},
            "output": output,
        },
    )


def labels_of(params: ClassifyIntentLLMParams) -> tuple[str, ...]:
    """Return the labels of `intents_ids`, trimmed; empty ones are left out."""
    return tuple(label for part in params.intents_ids.split(",") if (label := part.strip()))


def speak(name: str, params: SpeakParams, state: TurnState) -> Outcome:
    """Do nothing: there is no voice here."""
    del name, state
    return Outcome(
        "default", sections={"parameters": {"voice": params.voice}, "input": {}, "output": {}}
    )


def _picked_exit(name: str, params: NodeParams, state: TurnState) -> str:
    taken = state.request.exits.get(name, params.simulated_exit)
    exits = params.exits()
    if taken not in exits:
        raise InspectorError(
            Code.InvalidParamValue,
            f'node "{name}" has no exit "{taken}"',
            place=Place(node=name),
            hint=did_you_mean(taken, exits) or f"one of {', '.join(exits)}",
        )
    return taken


def _model(params: ToolCallParams | ClassifyIntentLLMParams, state: TurnState) -> str:
    return params.model_name or state.request.default_model_name
