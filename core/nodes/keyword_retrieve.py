"""KeywordRetrieve: rank the entries of a corpus by the words that they share with the question."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from core.errors import Code
from core.index.leg_query import no_word_found
from core.io.findings import Findings, Severity
from core.keyword import stages
from core.keyword.aliases import warn_of_short_aliases
from core.keyword.index import index_of
from core.keyword.listing import KeywordListing
from core.keyword.scoring import CATEGORY_WEIGHTS, KeywordWeights
from core.keyword.select import MAX_K, KeywordCounts, select
from core.knowledge.kinds import FileKind
from core.nodes.kind import CheckedNode, OpenedNode, RecordedStages, SearchKind
from core.nodes.params import (
    NodeParams,
    Reads,
    exit_param,
    input_param,
    numbers_problem,
    param,
    source_param,
)
from core.nodes.references import query_of
from core.nodes.walk import Outcome, RetrievalResult, Storages, TurnState, scored
from core.prompt.lint import Provided

if TYPE_CHECKING:
    from core.hits.stage import Stage
    from core.io.findings import Finding
    from core.io.work import Work


def _weight(default: float, field: str) -> Any:
    return param(
        default,
        f"Points of each word of the question that an entry has in its {field}.",
        reads=Reads.SELECTION,
        low=0.0,
        high=100.0,
    )


@dataclass(frozen=True, kw_only=True)
class KeywordRetrieveParams(NodeParams):
    """Parameters of KeywordRetrieve: rank the entries of a corpus by shared words."""

    input: str = input_param()
    corpus: str = param(
        "",
        "Folder of Markdown files, or a knowledge file whose records are the entries, relative "
        "to the storage root. A dot = the root itself.",
        reads=Reads.SEARCH,
        structural=True,
        file_kind=FileKind.CORPUS,
    )
    summary_field: str = param(
        "summary",
        "Metadata field of a knowledge file that is taken for an entry's summary. Markdown files "
        "have theirs in the front matter.",
        reads=Reads.SEARCH,
        structural=True,
    )
    preview_chars: int = param(
        500,
        "How many characters of an entry's text are read, front matter included.",
        reads=Reads.SEARCH,
        low=0,
        high=1_000_000,
        structural=True,
    )
    k: int = param(
        5, "How many entries to return at most.", reads=Reads.SELECTION, low=1, high=MAX_K
    )
    min_score: float = param(
        2.0,
        "Smallest score at which an entry still counts. Higher = fewer and better ones.",
        reads=Reads.SELECTION,
        low=0.0,
    )
    path_weight: float = _weight(2.0, "path (folders and file name)")
    path_cap: int = param(
        3, "At most this many words of the path count.", reads=Reads.SELECTION, low=0, high=1000
    )
    summary_weight: float = _weight(1.5, "summary")
    aliases_weight: float = _weight(2.0, "aliases")
    aliases_overlap: int = param(
        2,
        "The aliases count only when at least this many of their words match.",
        reads=Reads.SELECTION,
        low=0,
        high=1000,
    )
    content_weight: float = _weight(1.0, "text")
    related_weight: float = _weight(0.5, "cross-linked entries' summaries")
    category_weights: str = param(
        "",
        'JSON object category: factor, e.g. {"concepts": 1.5}. An entry\'s category is its first '
        "folder; its score is multiplied by the factor. What is given here comes on top of the "
        "usual factors.",
        reads=Reads.SELECTION,
        multiline=True,
        text_rule=numbers_problem,
    )
    other_category_weight: float = param(
        1.0,
        "Factor of every category that has none of its own.",
        reads=Reads.SELECTION,
        low=0.0,
        high=100.0,
    )
    source: str = source_param()
    found_exit: str = exit_param("when at least one entry is found")
    not_found_exit: str = exit_param("when nothing is found")

    @property
    def weights(self) -> KeywordWeights:
        """What a search scores with; categories come on top of the default ones."""
        given = json.loads(self.category_weights) if self.category_weights.strip() else {}
        return KeywordWeights(
            path=self.path_weight,
            summary=self.summary_weight,
            aliases=self.aliases_weight,
            content=self.content_weight,
            related=self.related_weight,
            path_cap=self.path_cap,
            aliases_overlap=self.aliases_overlap,
            preview_chars=self.preview_chars,
            categories={**CATEGORY_WEIGHTS, **given},
            other_category=self.other_category_weight,
        )


@dataclass(frozen=True, slots=True)
class KeywordRetrieval(RetrievalResult):
    """What a KeywordRetrieve node did."""

    params: KeywordRetrieveParams
    listing: KeywordListing | None

    how = "Keyword"
    no_distances = (
        "A keyword retrieval has no distances: its score counts the words that a "
        "question and an entry share. Higher is better."
    )

    @property
    def nothing_found(self) -> tuple[str, str]:
        return no_word_found(
            self.leg_queries,
            (
                "No entry shares a word with this question",
                "Words such as how, the, is do not count",
            ),
        )

    @property
    def counts(self) -> KeywordCounts:
        """The counts of every stage."""
        return (
            self.listing.selection.counts if self.listing is not None else KeywordCounts(0, 0, 0, 0)
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        return () if self.listing is None else stages.keyword_stages(self.counts)

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the best near-misses, and by how much each misses `min_score`."""
        found = self.listing.selection.near_misses(limit) if self.listing is not None else ()
        return [
            {
                "id": miss.entry.path,
                "score": miss.score,
                "match_reason": miss.match_reason,
                "rank": miss.rank,
                "reason": miss.reason,
                "needs": miss.needs,
                "misses_by": miss.misses_by,
            }
            for miss in found
        ]

    def diagnostics(self) -> dict[str, Any]:
        """Return parameters with counts, the query, and the entries with score and reason."""
        params, counts = self.params, self.counts
        weights = {
            name: getattr(params, name) for name in params.specs() if name.endswith("_weight")
        }
        return self.sections(
            {
                "source": self.source,
                "corpus": params.corpus,
                "k": params.k,
                "min_score": params.min_score,
                **weights,
                "path_cap": params.path_cap,
                "aliases_overlap": params.aliases_overlap,
                "category_weights": params.category_weights,
                "entry_count": counts.entries,
                "raw_result_count": counts.matched,
                "filtered_count": counts.matched - counts.at_or_above,
                "result_count": counts.hits,
            },
            [scored(hit) for hit in self.hits],
        )


class KeywordRetrieve(
    SearchKind[KeywordRetrieveParams],
    lacks=(
        "answer",
        "simulated",
        "memory",
        "filtered",
        "distance_threshold",
        "check_change",
        "draws_subgraph",
    ),
):
    """Searches a corpus, and attaches the best entries."""

    table = KeywordRetrieveParams
    is_in_game = False
    opened_files = frozenset({FileKind.CORPUS})

    def provides(self, name: str, params: KeywordRetrieveParams) -> Provided:
        return Provided(sources=(params.source or name,))

    def check(self, params: KeywordRetrieveParams, node: CheckedNode) -> None:
        node.needs_file(
            "corpus",
            params.corpus,
            "corpus",
            "name a folder of Markdown files, or a knowledge file, relative to the storage root",
        )

    def check_storages(self, params: KeywordRetrieveParams, node: OpenedNode) -> None:

        def opened(name: str) -> tuple[str, tuple[Finding, ...]]:
            corpora, field = node.storages.corpora, params.summary_field
            corpus = corpora.corpus(name, field, node.work)
            short = Findings(Code.InvalidEmbeddedStringStorageData, name)
            warn_of_short_aliases(
                corpus.entries(),
                params.aliases_overlap,
                short,
                partial(corpora.aliases_place, name, field),
            )
            found = [_left_out(finding) for finding in corpus.findings]
            return f"{name} {field} {params.aliases_overlap}", (*found, *short)

        node.open("corpus", params.corpus, opened)

    def prepare(
        self, params: KeywordRetrieveParams, storages: Storages, embeddings: bool, work: Work
    ) -> None:
        """Build the word index of the corpus."""
        if params.corpus and not embeddings:
            corpus = storages.corpora.corpus(params.corpus, params.summary_field, work)
            index_of(corpus, params.preview_chars)

    def run(self, name: str, params: KeywordRetrieveParams, state: TurnState) -> Outcome:
        query, listing = query_of(name, params.input, state), None
        if query:
            found = state.storages.corpora.candidates(
                params.corpus, params.summary_field, query, params.weights, work=state.work
            )
            listing = KeywordListing(select(found, params.k, params.min_score))
        return state.attach(KeywordRetrieval(params, params.source or name, query, listing))

    def recorded_stages(self, params: KeywordRetrieveParams) -> RecordedStages:
        del params
        return (
            (stages.ENTRIES, "entry_count"),
            (stages.MATCHED, "raw_result_count"),
            (stages.AT_OR_ABOVE, "kept_count"),
            (stages.HITS, "result_count"),
        )


def _left_out(finding: Finding) -> Finding:
    """Return the error of a file as a warning: the corpus is searched without it."""
    if finding.severity is not Severity.ERROR:
        return finding
    return replace(
        finding, severity=Severity.WARNING, message=f"the file is left out: {finding.message}"
    )


KEYWORD_RETRIEVE = KeywordRetrieve()
