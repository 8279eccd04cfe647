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
_QUESTIONS = {
    "aquarium/rag.graph.json": (
        "do clownfish get along with lionfish?",
        "white dots all over my fish",
        "how much does a castle cost?",
    ),
    "aquarium/hybrid.graph.json": (
        "what eats Aiptasia?",
        "Lysmata amboinensis",
        "why does my Acropora turn white?",
    ),
    "aquarium/guarded.graph.json": (
        "do clownfish get along with lionfish?",
        "can I keep two bettas together?",
        "how do I treat ich?",
    ),
    "adventure/npc.graph.json": (
        "is the lighthouse burning?",
        "where is Mirel Oake?",
        "can I sail at night?",
    ),
    "adventure/oracle.graph.json": (
        "where does the drowned temple lie?",
        "who stole the lens?",
        "how do I open the singing doors?",
    ),
    "tavern/tavern.graph.json": (
        "does the mill grind at night?",
        "where is my sword?",
        "what is the capital of France?",
    ),
    "handbook/handbook.graph.json": (
        "how do I choose a threshold?",
        "what does rank fusion do?",
        "why does my filter not compile?",
    ),
    "town/town.graph.json": (
        "who sealed the letter with the lantern?",
        "glass key",
        "who owes money to the miller?",
    ),
}
"""What to ask each sample first: the questions show what it is about."""


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


def sample_questions() -> dict[str, tuple[str, ...]]:
    """Return what to ask each sample first, by the path of its card."""
    return {str(SAMPLES / name): questions for name, questions in _QUESTIONS.items()}
