"""Finds the aliases that alone never count: too few words for the floor of the aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.keyword.index import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from core.errors import Place
    from core.io.findings import Findings
    from core.knowledge.corpus import CorpusEntry

MOST_NAMED = 5


def warn_of_short_aliases(
    entries: Iterable[CorpusEntry],
    least: int,
    findings: Findings,
    place: Callable[[CorpusEntry], Place],
) -> None:
    """Warn of each entry with aliases of fewer words than have to match before aliases count.

    Parameters
    ----------
    least : the weight `aliases_overlap`.
    place : where the aliases of an entry are.
    """
    for entry in entries:
        short = [alias for alias in entry.aliases if len(tokens(alias)) < least]
        if short and not findings.full:
            names = ", ".join(f'"{alias}"' for alias in short[:MOST_NAMED])
            more = f" and {len(short) - MOST_NAMED} more" if len(short) > MOST_NAMED else ""
            findings.warning(
                f"too short to count alone: {names}{more}. The aliases of an entry count only when "
                f"{least} of their words are in the question (aliases_overlap)",
                place=place(entry),
                hint="lower aliases_overlap, or put the word into the summary",
            )
