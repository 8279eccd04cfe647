"""The samples that are shipped with the program."""

from __future__ import annotations

from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
_CARDS = (
    ("Aquarium", "192 facts about keeping fish, matched by meaning", "aquarium/rag.graph.json"),
    (
        "Aquarium, hybrid",
        "Meaning and keywords, fused: Latin names and numbers are found too",
        "aquarium/hybrid.graph.json",
    ),
    (
        "Aquarium, guarded",
        "A filter, a strict threshold, and a refusal when nothing is found",
        "aquarium/guarded.graph.json",
    ),
    (
        "Adventure",
        "Game lore whose answers change with the quests that are done",
        "adventure/npc.graph.json",
    ),
    (
        "Adventure, two searches",
        "Open and hidden lore, each with its own filter, in one prompt",
        "adventure/oracle.graph.json",
    ),
    (
        "Tavern",
        "An innkeeper with a guardrail, intents, two searches and a memory of each guest",
        "tavern/tavern.graph.json",
    ),
    (
        "Handbook",
        "49 linked pages about retrieval, matched by weighted keywords",
        "handbook/handbook.graph.json",
    ),
    (
        "Town",
        "A town as a knowledge graph: places, people and what connects them",
        "town/town.graph.json",
    ),
)


def sample_graphs() -> tuple[Path, ...]:
    """Return the graph files of the shipped samples, by folder and name."""
    return tuple(sorted(SAMPLES.glob("*/*.graph.json")))


def sample_cards() -> list[tuple[str, str, str]]:
    """Return the samples as (title, one line, path) for the welcome page."""
    return [
        (title, line, str(SAMPLES / name))
        for title, line, name in _CARDS
        if (SAMPLES / name).is_file()
    ]
