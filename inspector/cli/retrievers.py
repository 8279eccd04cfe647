"""The commands ``keyword`` and ``subgraph``: one retrieval each, without a graph of nodes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embedding.embedder import ModelProvider
from core.errors import Code, InspectorError, Place
from core.hits.retriever import DEFAULT_K
from core.io.findings import Findings
from core.io.request import check_whole
from core.keyword.aliases import warn_of_short_aliases
from core.keyword.folder import load_corpus
from core.keyword.retriever import KeywordRetriever
from core.keyword.select import DEFAULT_MIN_SCORE, MAX_K, select
from core.nodes import ExpansionDepth
from core.subgraph.expand import SubgraphResult
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.request import DEFAULT_TOP_K, SubgraphRequest
from core.subgraph.searcher import SubgraphSearcher
from inspector.cli.play import split_pair
from inspector.cli.telling import tell_notes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from core.keyword.select import KeywordHit, KeywordSelection
    from core.knowledge.corpus import Corpus


def add_commands(commands: Any) -> None:
    """Add both commands to the subparsers of the command line."""
    keyword = commands.add_parser(
        "keyword", help="print the entries of a Markdown folder that match a query, as JSON"
    )
    keyword.add_argument("path", metavar="FOLDER", help="a folder of Markdown files")
    keyword.add_argument("-q", "--query", required=True, help="what to look for")
    keyword.add_argument(
        "-k",
        type=int,
        default=DEFAULT_K,
        metavar="N",
        help=f"at most so many, 1 to {MAX_K}; default {DEFAULT_K}",
    )
    keyword.add_argument(
        "--min-score",
        type=float,
        default=DEFAULT_MIN_SCORE,
        metavar="X",
        help=f"smallest score that counts; default {DEFAULT_MIN_SCORE:g}",
    )
    keyword.add_argument(
        "--near-misses",
        type=int,
        default=0,
        metavar="N",
        help="print an object: the hits, the N closest near-misses with their reason and needed "
        "change, and the query as the search sees it",
    )
    keyword.set_defaults(run=_run_keyword)
    subgraph = commands.add_parser(
        "subgraph", help="print what a query finds in a knowledge graph, as JSON"
    )
    subgraph.add_argument("path", metavar="FILE", help="a knowledge graph")
    subgraph.add_argument("-q", "--query", required=True, help="what to look for")
    subgraph.add_argument(
        "--top-k",
        type=int,
        default=DEFAULT_TOP_K,
        metavar="N",
        help=f"at most so many matches, 1 to 50; default {DEFAULT_TOP_K}",
    )
    subgraph.add_argument(
        "--expansion-depth",
        default=ExpansionDepth.NONE.value,
        metavar="DEPTH",
        help=f"{', '.join(ExpansionDepth)}; default none",
    )
    subgraph.add_argument("--root-node", metavar="ID", help="only this node and what is below it")
    subgraph.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="tags",
        help="only nodes with this tag; all must match",
    )
    subgraph.add_argument(
        "--directory-prefix", metavar="PREFIX", help="only nodes in a directory that starts so"
    )
    subgraph.add_argument("--raw-text", action="store_true", help="print the nodes' long texts too")
    subgraph.add_argument(
        "--embeddings", action="store_true", help="match by meaning too, fused with full text"
    )
    subgraph.set_defaults(run=_run_subgraph)


def _run_keyword(arguments: argparse.Namespace) -> int:
    check_whole("k", arguments.k, 1, MAX_K)
    check_whole("near_misses", arguments.near_misses, 0)
    retriever = KeywordRetriever(arguments.min_score)
    corpus = load_corpus(arguments.path, leave_out=True)
    found = select(retriever.candidates(arguments.query, corpus), arguments.k, retriever.min_score)
    hits = [_keyword_data(hit) for hit in found.hits]
    if arguments.near_misses:
        misses = found.near_misses(arguments.near_misses)
        _print_json(
            {
                "hits": hits,
                "near_misses": [
                    {**_keyword_data(miss), "reason": miss.reason, "needs": miss.needs}
                    for miss in misses
                ],
                "query_words": found.candidates.seen.to_json(),
            }
        )
    else:
        _print_json(hits)
    _tell_of_corpus(corpus, Path(arguments.path), retriever.weights.aliases_overlap)
    tell_notes(_words_not_read(found))
    return 0


def _keyword_data(hit: KeywordHit) -> dict[str, Any]:
    return {"path": hit.entry.path, "score": hit.score, "match_reason": hit.match_reason}


def _tell_of_corpus(corpus: Corpus, folder: Path, aliases_overlap: int) -> None:
    """Print the warnings of a corpus on standard error."""
    findings = Findings(Code.InvalidEmbeddedStringStorageData, str(folder))
    findings.extend(corpus.findings)
    warn_of_short_aliases(
        corpus.entries(),
        aliases_overlap,
        findings,
        lambda entry: Place(file=str(folder / entry.path), json_path="aliases"),
    )
    for finding in findings:
        print(finding.line(), file=sys.stderr)


def _words_not_read(found: KeywordSelection) -> Iterator[str]:
    """Say of entries that they have all words of the query, and behind what is read of them."""
    asked, index = found.candidates, found.candidates.index
    for row in np.flatnonzero(~asked.overlaps.any(axis=1)).tolist():
        stems, chars = asked.beyond(row)
        if stems and stems == asked.stems:
            yield (
                f"{index.entries[row].path} has {', '.join(stems)} behind the first "
                f"{index.preview_chars} characters, which alone are read: preview_chars ≥ {chars}"
            )


def _run_subgraph(arguments: argparse.Namespace) -> int:
    request = SubgraphRequest.of(
        {
            "query": arguments.query,
            "top_k": arguments.top_k,
            "expansion_depth": arguments.expansion_depth,
            "include_raw_text": arguments.raw_text,
            "scope": {
                "root_node_id": arguments.root_node,
                "tag_filters": _tags(arguments.tags),
                "directory_prefix": arguments.directory_prefix,
            },
        }
    )
    path = Path(arguments.path)
    searcher = SubgraphSearcher(load_knowledge_graph(path), path, ModelProvider())
    candidates = searcher.search(request.query, embeddings=arguments.embeddings)
    result = SubgraphResult.of(candidates, request)
    _print_json(result.response())
    if result.expansion.note:
        print(result.expansion.note, file=sys.stderr)
    tell_notes((*(query.warning for query in candidates.queries if query.warning), *searcher.notes))
    return 0


def _tags(pairs: Sequence[str]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for pair in pairs:
        name, value = split_pair(pair, "--tag")
        if tags.get(name, value) != value:
            raise InspectorError(
                Code.InvalidParamValue, f'--tag gives "{name}" two values, and a node has only one'
            )
        tags[name] = value
    return tags


def _print_json(document: object) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
