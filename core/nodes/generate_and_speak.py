"""GenerateAndSpeak: Generate whose reply is spoken."""

from __future__ import annotations

from dataclasses import dataclass

from core.nodes.generate import Generate, GenerateParams
from core.nodes.params import Reads, param


@dataclass(frozen=True, kw_only=True)
class GenerateAndSpeakParams(GenerateParams):
    """Parameters of GenerateAndSpeak: Generate whose reply is spoken."""

    voice: str = param("", "Voice. No effect here.", reads=Reads.GAME, structural=True)


class GenerateAndSpeak(Generate):
    """Renders the prompt as Generate does, in every part."""

    table = GenerateAndSpeakParams


GENERATE_AND_SPEAK = GenerateAndSpeak()
