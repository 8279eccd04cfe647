"""What a path means: a graph, knowledge, or a folder of them → a graph and its workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.agent.compile import check_storages
from core.agent.description import GraphDescription
from core.agent.workspace import Workspace
from core.embedding.models import catalog_findings
from core.errors import Code, InspectorError, Place
from core.io.findings import FileRefused, Finding, Findings, Severity, has_errors
from core.io.json_file import with_lines
from core.io.work import QUIETLY, Work
from core.keyword.folder import load_corpus
from core.knowledge.base import check_knowledge
from core.knowledge.catalog import SchemaCatalog
from core.knowledge.kinds import MARKDOWN_SUFFIXES, accepted_kinds, described
from core.knowledge.memory import MemoryStore
from core.knowledge.root import FileKind, StorageRoot, kind_of
from core.knowledge.strings import StringStorage
from core.nodes import NODE_KINDS, GenerateParams, NodeParams
from core.recording.reading import read_recording
from core.retrieve.index_check import index_findings
from core.subgraph.graph_file import load_knowledge_graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider


DEFAULT_TEMPLATE = (
    "Answer from these facts only:\n"
    "{{#knowledge}}{{#chunks}}- {{text}}\n{{/chunks}}"
    "{{^has_chunks}}(nothing was found)\n{{/has_chunks}}{{/knowledge}}"
)
MOST_NEIGHBOURS = 200
GRAPH_SUFFIX = ".graph.json"

_ANSWER = "answer"
KNOWLEDGE_KINDS = accepted_kinds(FileKind.KNOWLEDGE)
_SEARCHED_BY: dict[FileKind, type[NodeParams]] = {
    file_kind: kind.table for kind in NODE_KINDS for file_kind in kind.opened_files
}
"""Kind of a file → the parameters of the node that searches it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A graph ready to become an agent, the storages beside it, and what was opened.

    turns : the recorded turns that were opened, the oldest first; () for anything else.
    findings : of other files than the graph's and its storages': warnings of the file that holds
        the turns, or of the user's catalog of models; why other files of a folder were left aside.
    """

    graph: GraphDescription
    workspace: Workspace
    path: Path
    turns: tuple[Turn, ...] = ()
    findings: tuple[Finding, ...] = ()

    def sources(self) -> set[Path]:
        """Return all that is read here, there or not: see `Workspace.sources`."""
        root = self.workspace.root.path
        specs = ((node.params, node.params.storage_spec()) for node in self.graph.nodes)
        named = {
            (root / name).resolve()
            for params, spec in specs
            if spec is not None and (name := getattr(params, spec.name)) and "\0" not in name
        }
        return {
            self.path,
            *self.workspace.sources(),
            *(path for path in named if root in path.parents),
        }

    @property
    def turn(self) -> Turn | None:
        """The last of the recorded turns, None when there are none."""
        return self.turns[-1] if self.turns else None


def open_path(
    path: Path | str,
    *,
    root: Path | str | None = None,
    models: ModelProvider | None = None,
    faulty: bool = False,
    work: Work = QUIETLY,
) -> Opened:
    """Open a graph, knowledge, a knowledge graph, recorded turns, a folder of Markdown, any folder.

    Recorded turns get a graph of the nodes that ran in them, knowledge alone a two-node graph
    around it. A folder means the first of its graph files, by name, that has no error, else the
    first such knowledge config or knowledge graph, else the Markdown files in it; a graph with
    errors comes before mere knowledge. The storage root is `root`, else the graph's
    ``storage_root``, else the folder that the file, or the folder of Markdown, lies in.

    Parameters
    ----------
    faulty : open a graph with errors too, so that it can be mended; they are in its `findings`.

    Raises
    ------
    InspectorError
        3010 when there is nothing, 3011 when it is something else, FileRefused with findings.
    Cancelled
        When `work` is cancelled.
    """
    path = _existing(Path(path))
    if path.is_dir():
        return _open_folder(path, root, models, faulty, work)
    return _open_file(path, root, models, faulty)


def graph_findings(opened: Opened, work: Work = QUIETLY) -> tuple[Finding, ...]:
    """Return all that is wrong with an opened graph and its storages."""
    graph = opened.graph
    findings = Findings(Code.GraphCompilationFailed, str(graph.path or ""))
    findings.extend(graph.findings if graph.path is not None else graph.check())
    check_storages(graph, opened.workspace, findings, work)
    return tuple(findings)


def _open_folder(
    folder: Path, root: Path | str | None, models: ModelProvider | None, faulty: bool, work: Work
) -> Opened:
    """Open the first file that can be; what is wrong with those before it is told beside."""
    aside: list[Finding] = []
    mendable: tuple[Opened, tuple[Finding, ...]] | None = None
    for path in _candidates(folder):
        if mendable is not None and not path.name.endswith(GRAPH_SUFFIX):
            break
        try:
            opened = _open_file(path, root, models, faulty=True)
            found = graph_findings(opened, work)
        except InspectorError as error:
            aside.extend(_told(error, path))
            continue
        if not has_errors(found):
            if mendable is not None:
                aside.extend(mendable[1])
            return replace(opened, findings=(*opened.findings, *aside))
        if opened.graph.path is not None and mendable is None:
            mendable = opened, found
        else:
            aside.extend(found)
    if mendable is not None:
        opened, found = mendable
        if not faulty:
            raise FileRefused(with_lines(found))
        return replace(opened, findings=(*opened.findings, *aside))
    if aside:
        raise FileRefused(with_lines(aside))
    raise InspectorError(
        Code.StorageFileNotFound,
        "no graph and no knowledge in this folder",
        place=Place(file=str(folder)),
    )


def _open_file(
    path: Path, root: Path | str | None, models: ModelProvider | None, faulty: bool
) -> Opened:
    kind = FileKind.CORPUS if path.is_dir() else kind_of(path)
    if kind is FileKind.GRAPH:
        graph = GraphDescription.load_faulty(path) if faulty else _load_graph(path, root)
        storage_root = _root_of(graph, path, root, faulty)
        return Opened(graph, Workspace(storage_root, models), path, findings=catalog_findings())
    table = _SEARCHED_BY.get(kind)
    if table is not None:
        path = path.resolve() if path.is_dir() else path
        storage_root = StorageRoot(Path(root) if root is not None else path.parent)
        graph = graph_around(table, storage_root.name_of(path))
        return Opened(graph, Workspace(storage_root, models), path, findings=catalog_findings())
    if kind is FileKind.TURN:
        recording = read_recording(path)
        folder = Path(root) if root is not None else path.parent
        return Opened(
            recording.graph,
            Workspace(StorageRoot(folder), models),
            path,
            recording.turns,
            recording.findings,
        )
    raise InspectorError(
        Code.StorageKindMismatch,
        f"neither a graph nor knowledge, but {described(path, kind)}",
        place=Place(file=str(path)),
        hint="open a *.graph.json, a knowledge config, a records file, a knowledge graph, a "
        "recorded turn, or a folder of them or of Markdown files",
    )


def graph_around(table: type[NodeParams], storage: str) -> GraphDescription:
    """Return the graph of two nodes, one that searches → Generate, around a storage alone."""
    spec = table.storage_spec()
    named = {spec.name: storage} if spec is not None else {}
    return (
        GraphDescription()
        .add_node("knowledge", table(**named, **dict.fromkeys(table.exits().values(), _ANSWER)))
        .add_node(_ANSWER, GenerateParams(template=DEFAULT_TEMPLATE))
        .set_start_node("knowledge")
        .set_default_model_name("any model")
    )


def check_path(path: Path | str, *, root: Path | str | None = None) -> tuple[Finding, ...]:
    """Return every finding of a file, or of all the files of a folder that we know; never raise."""
    path = Path(path)
    files = [*known_files(path), *corpora_below(path)] if path.is_dir() else [path]
    catalog_root = Path(root) if root is not None else path if path.is_dir() else path.parent
    found = (finding for file in files for finding in _findings_of(file, root, catalog_root))
    return (*catalog_findings(), *found)


def _findings_of(path: Path, root: Path | str | None, catalog_root: Path) -> tuple[Finding, ...]:
    try:
        path = _existing(path)
        if kind_of(path) is FileKind.MEMORY:
            return _check_memory_file(path, catalog_root)
        return _check_file(path, root)
    except InspectorError as error:
        return _told(error, path)


def _told(error: InspectorError, path: Path) -> tuple[Finding, ...]:
    """Return a refusal of a file as findings."""
    if isinstance(error, FileRefused):
        return error.findings
    findings = Findings(error.code, str(path))
    findings.error(error.message, hint=error.hint)
    return tuple(findings)


def known_files(folder: Path) -> list[Path]:
    """List the files below a folder that the inspector can read, by name."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.suffix in {".json", ".jsonl", ".ndjson", ".txt"}
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and kind_of(path) is not FileKind.UNKNOWN
    ]


def corpora_below(folder: Path) -> list[Path]:
    """List the folders of Markdown at or below a folder, by name; none inside another.

    A folder with nothing that the inspector knows but Markdown files counts too.
    """
    if kind_of(folder) is FileKind.CORPUS:
        return [folder]
    try:
        below = sorted(
            path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
        )
    except OSError:
        return []
    found = [corpus for path in below for corpus in corpora_below(path)]
    return found or ([folder] if not known_files(folder) and _has_markdown(folder) else [])


def _has_markdown(folder: Path) -> bool:
    return any(path.suffix in MARKDOWN_SUFFIXES for path in folder.rglob("*"))


def neighbours_of(path: Path) -> tuple[Path, ...]:
    """List the graphs and knowledge files beside a file, by name, as far as they can be opened."""
    folder = path if path.is_dir() else path.parent
    try:
        files = sorted(
            file for file in folder.iterdir() if file.suffix in {".json", ".jsonl", ".ndjson"}
        )[:MOST_NEIGHBOURS]
    except OSError:
        return ()
    kinds = _SEARCHED_BY.keys() - {FileKind.RECORDS} | {FileKind.GRAPH}
    return tuple(file for file in files if kind_of(file) in kinds)


def _check_file(path: Path, root: Path | str | None) -> tuple[Finding, ...]:
    kind = kind_of(path)
    folder = Path(root) if root is not None else path.parent
    if kind in KNOWLEDGE_KINDS:
        return check_knowledge(path, folder, index_findings)
    if path.is_dir():
        return load_corpus(path).findings
    if kind is FileKind.KNOWLEDGE_GRAPH:
        return load_knowledge_graph(path).findings
    if kind is FileKind.SCHEMAS:
        return SchemaCatalog.load_file(path).findings
    if kind in {FileKind.LIST, FileKind.MULTIMAP}:
        return StringStorage.load(path).findings
    if kind is FileKind.TURN:
        return read_recording(path).findings
    if kind is FileKind.GRAPH:
        return _check_graph_file(path, root)
    raise InspectorError(
        Code.StorageKindMismatch,
        f"not a file that the inspector knows, but {described(path, kind)}",
        place=Place(file=str(path)),
    )


def _check_memory_file(path: Path, root: Path) -> tuple[Finding, ...]:
    """Check a memory store, also against its schema where the root's catalog has that."""
    found = check_knowledge(path, path.parent)
    if any(finding.severity is Severity.ERROR for finding in found):
        return found
    workspace, store = Workspace(StorageRoot(root)), MemoryStore.load(path)
    if workspace.broken_catalog is None:
        try:
            workspace.memories.check(store, store.schema)
        except FileRefused as refused:
            return (*found, *with_lines(refused.findings))
    return found


def _load_graph(path: Path, root: Path | str | None) -> GraphDescription:
    """Load a graph; a faulty one is refused with all that `check_path` finds in it."""
    try:
        return GraphDescription.load(path)
    except FileRefused:
        raise FileRefused(_check_graph_file(path, root)) from None


def _check_graph_file(path: Path, root: Path | str | None) -> tuple[Finding, ...]:
    findings = Findings(Code.GraphCompilationFailed, str(path))
    graph = GraphDescription.read(path, findings)
    try:
        folder = StorageRoot(root if root is not None else _graph_root(graph, path))
    except InspectorError as error:
        findings.error(error.message, code=error.code, hint=error.hint, place=error.place)
    else:
        workspace = Workspace(folder)
        check_storages(graph, workspace, findings, QUIETLY)
        for store in workspace.stores:
            findings.extend(index_findings(store))
    return with_lines(findings)


def _existing(path: Path) -> Path:
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise InspectorError(
            Code.StorageFileNotFound, f"cannot look at it: {error}", place=Place(file=str(path))
        ) from error
    if not exists:
        raise InspectorError(
            Code.StorageFileNotFound,
            "no such file or folder",
            place=Place(file=str(path)),
            hint="check the path",
        )
    return path


def _root_of(
    graph: GraphDescription, path: Path, root: Path | str | None, faulty: bool
) -> StorageRoot:
    """Return the storage root of a graph: of a faulty one that names none, its own folder."""
    if root is not None:
        return StorageRoot(root)
    try:
        return StorageRoot(_graph_root(graph, path))
    except InspectorError as error:
        if not faulty:
            raise
        findings = Findings(error.code, str(path))
        findings.error(error.message, "storage_root", hint=error.hint)
        graph.findings = (*graph.findings, *with_lines(findings))
        return StorageRoot(path.parent)


def _graph_root(graph: GraphDescription, path: Path) -> Path:
    named = graph.storage_root
    if Path(named).is_absolute():
        raise InspectorError(
            Code.StorageOutsideRoot,
            f'storage_root "{named}" must be relative to the graph file',
            place=Place(file=str(path), json_path="storage_root"),
        )
    return path.parent / named


def _candidates(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that it may mean, graphs first, and last the folder itself."""
    yield from sorted(folder.glob(f"*{GRAPH_SUFFIX}"))
    for path in sorted(folder.glob("*.json")) + sorted(folder.glob("*.jsonl")):
        if kind_of(path) in _SEARCHED_BY:
            yield path
    if kind_of(folder) is FileKind.CORPUS or _has_markdown(folder):
        yield folder
