"""The catalog of embedding models: what they are called and where they lie. Loads none of them.

The catalog is ``resources/models.json``; a ``models.json`` of the same shape in the user's settings
folder adds models, or replaces those of the same name. Any folder that holds a
sentence-transformers model can be named by its path instead.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.io.findings import Finding, Findings, Severity
from core.io.folders import config_folder
from core.io.json_file import read_json, with_lines
from core.io.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

DEFAULT_MODEL = "All-MiniLM-L6-v2 (Q4_K_M)"
WEIGHTS_FILE = "model.safetensors"
USER_CATALOG = "models.json"

_QUANTISATION = re.compile(r"\s*\((?:i?q\d\w*|b?f(?:p)?(?:16|32))\)$", re.IGNORECASE)
_COUNT_BLOCK = 2048
_SPECIAL_TOKENS = 2
# Decomposed, as tokenizers do it, a character is up to four; each may be a token.
_TOKENS_PER_CHARACTER = 4
_CODE = Code.InvalidEmbeddedStringStorageData


@dataclass(frozen=True, slots=True)
class ModelLocation:
    """Where a model lies; looked for in this order.

    package : an installed Python package that carries the model, or "".
    folder : a folder, inside the package where there is one, else absolute or beside the catalog.
    hub_id : ``organisation/name`` in the local hub cache. It is never downloaded.
    """

    package: str = ""
    folder: str = ""
    hub_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One known embedding model.

    dimension : length of its vectors, 0 where only loading it will tell.
    max_tokens : tokens that it reads, special ones included; 0 where not known.
    sha256 : hash of the only weights that are accepted, "" to accept any.
    """

    name: str
    aliases: tuple[str, ...]
    location: ModelLocation
    dimension: int
    max_tokens: int
    sha256: str = ""

    def folder(self) -> Path | None:
        """Return the folder that holds the model, or None when it is not on this machine."""
        for candidate in self._candidates():
            if (candidate / "modules.json").is_file():
                return candidate
        return None

    def _candidates(self) -> Iterable[Path]:
        place = self.location
        if place.package:
            # find_spec on a top-level name reads no code of it: the package itself would import
            # sentence_transformers.
            spec = find_spec(place.package) if "." not in place.package else None
            for root in (spec.submodule_search_locations or ()) if spec else ():
                yield Path(root) / place.folder
        elif place.folder:
            yield Path(place.folder)
        if place.hub_id:
            yield from _hub_snapshots(place.hub_id)


def model_names() -> tuple[str, ...]:
    """Catalog names, the shipped ones first."""
    return tuple(_catalog())


def find_model(name: str, base: Path | None = None) -> ModelEntry | None:
    """Find a model by catalog name, alias or path; None when there is none.

    Names ignore case. A quantisation in brackets that the catalog does not list, as in
    ``All-MiniLM-L6-v2 (Q8_0)``, means the same model.

    Parameters
    ----------
    name : what a knowledge config says.
    base : folder that a relative path starts from; the working directory by default.
    """
    wanted = name.strip().casefold()
    entries = _catalog().values()
    for key in (wanted, _QUANTISATION.sub("", wanted)):
        for entry in entries:
            if key in {other.casefold() for other in (entry.name, *entry.aliases)}:
                return entry
    return _folder_entry(name.strip(), base)


def canonical_name(name: str) -> str:
    """Return the catalog's name for a model, or its folder; what nobody knows stays as it is."""
    entry = find_model(name)
    return entry.name if entry is not None else name


def model_files(name: str) -> tuple[tuple[str, int, int], ...]:
    """Return path, time of change and size of each file of a model; () where it has no folder."""
    entry = find_model(name)
    folder = entry.folder() if entry is not None else None
    found = []
    for path in sorted(folder.rglob("*")) if folder is not None else ():
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)


def user_catalog() -> Path:
    """Return where the user's own catalog lies; it need not exist."""
    return config_folder() / USER_CATALOG


def known_model(name: str) -> ModelEntry:
    """Find a model as `find_model` does.

    Raises
    ------
    InspectorError
        8003 when there is none.
    """
    entry = find_model(name)
    if entry is None:
        hints = did_you_mean(name, model_names()), "name a model of the catalog or a model's folder"
        raise InspectorError(
            _CODE,
            f'the embedding model "{name}" is not known',
            place=Place(json_path="embedding_model"),
            hint="; ".join(filter(None, hints)),
        )
    return entry


def catalog_findings() -> tuple[Finding, ...]:
    """Return what is wrong with the user's own catalog, as warnings: it is then ignored."""
    return _catalogs()[1]


def token_counter(entry: ModelEntry) -> Callable[[Sequence[str]], list[int]] | None:
    """Return a function that counts the tokens of texts as the model would see them uncut.

    Special tokens count. Loads no torch. None when the model, or a tokenizer of it that can be
    read without running it, is not there.
    """
    folder = entry.folder()
    if folder is None or not (folder / "tokenizer.json").is_file():
        return None
    path = folder / "tokenizer.json"
    tokenizer = _tokenizer(path, path.stat().st_mtime_ns)
    if tokenizer is None:
        return None

    def count(texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(texts), _COUNT_BLOCK):
            block = list(texts[start : start + _COUNT_BLOCK])
            counts.extend(len(encoding.ids) for encoding in tokenizer.encode_batch_fast(block))
        return counts

    return count


@lru_cache(maxsize=2)
def _tokenizer(path: Path, *_stamp: int) -> Any:
    """Load a tokenizer that cuts nothing off; None for a file that cannot be read."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # the library raises bare Exception
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def may_exceed(text: str, max_tokens: int) -> bool:
    """Tell whether a text may have more tokens than a model reads, at a glance.

    Parameters
    ----------
    max_tokens : special ones included; 0 where it is not known, and then no text exceeds it.
    """
    room = max_tokens - _SPECIAL_TOKENS
    if not max_tokens:
        return False
    if text.isascii():
        # A token has a character at least, and the space between two words is none of its own.
        return len(text) > room and len(text) - text.count(" ") > room
    return len(text) * _TOKENS_PER_CHARACTER > room


def _catalog() -> Mapping[str, ModelEntry]:
    return _catalogs()[0]


def _catalogs() -> tuple[Mapping[str, ModelEntry], tuple[Finding, ...]]:
    """Return the models, and what is wrong with the user's catalog; read again when it changes."""
    path = user_catalog()
    try:
        status = path.stat()
    except OSError:
        return _shipped(), ()
    return _with_users(path, status.st_mtime_ns, status.st_size)


@cache
def _shipped() -> Mapping[str, ModelEntry]:
    with resources.as_file(resources.files("resources").joinpath("models.json")) as path:
        findings = Findings(_CODE, str(path))
        entries = _read_catalog(path, findings)
    findings.raise_errors()
    return entries


@lru_cache(maxsize=1)
def _with_users(path: Path, *_stamp: int) -> tuple[Mapping[str, ModelEntry], tuple[Finding, ...]]:
    findings = Findings(_CODE, str(path))
    entries = {**_shipped(), **_read_catalog(path, findings)}
    return entries, tuple(
        replace(
            finding,
            severity=Severity.WARNING,
            message=f"the user's models are ignored: {finding.message}",
        )
        for finding in with_lines(findings)
    )


def _read_catalog(path: Path, findings: Findings) -> dict[str, ModelEntry]:
    """Read a catalog; {} where anything in it is wrong."""
    content = read_json(path, findings)
    if findings.has_errors:
        return {}
    if not isinstance(content, dict) or not isinstance(content.get("models"), list):
        findings.error('expected an object with a list "models"')
        return {}
    entries = [
        _entry(item, f"models[{index}]", path.parent, findings)
        for index, item in enumerate(content["models"])
    ]
    return {} if findings.has_errors else {entry.name: entry for entry in entries if entry}


def _entry(item: Any, where: str, base: Path, findings: Findings) -> ModelEntry | None:
    if not isinstance(item, dict):
        findings.error("expected an object", where)
        return None
    texts = {key: item.get(key, "") for key in ("name", "package", "folder", "hub_id", "sha256")}
    numbers = {key: item.get(key, 0) for key in ("dimension", "max_tokens")}
    aliases = item.get("aliases", [])
    problems = {
        key: "expected a string" for key, text in texts.items() if not isinstance(text, str)
    }
    for key, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            problems[key] = "expected a whole number, 0 or more"
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        problems["aliases"] = "expected a list of strings"
    if not texts["name"]:
        problems["name"] = "expected a name"
    for key, problem in problems.items():
        findings.error(problem, f"{where}.{key}" if key in item else where)
    if problems:
        return None
    folder = texts["folder"]
    if folder and not texts["package"]:
        folder = str(base / Path(folder).expanduser())
    return ModelEntry(
        texts["name"],
        tuple(aliases),
        ModelLocation(texts["package"], folder, texts["hub_id"]),
        numbers["dimension"],
        numbers["max_tokens"],
        texts["sha256"].lower(),
    )


def _folder_entry(name: str, base: Path | None) -> ModelEntry | None:
    """Make an entry for a folder named by its path, from what its config files say."""
    if not name or "\0" in name:
        return None
    try:
        folder = ((base or Path()) / Path(name).expanduser()).resolve()
        if not (folder / "modules.json").is_file():
            return None
    except (OSError, RuntimeError, ValueError):
        return None
    return ModelEntry(
        str(folder),
        (),
        ModelLocation(folder=str(folder)),
        _folder_dimension(folder),
        _folder_max_tokens(folder),
    )


def _folder_dimension(folder: Path) -> int:
    """Length of the vectors: what the last module that changes it declares, else 0."""
    for module in sorted(folder.glob("[0-9]*_*/config.json"), reverse=True):
        config = read_object(module)
        for key in ("out_features", "embedding_dimension", "word_embedding_dimension"):
            if isinstance(config.get(key), int):
                return int(config[key])
    return 0


def _folder_max_tokens(folder: Path) -> int:
    own = read_object(folder / "sentence_bert_config.json").get("max_seq_length")
    if isinstance(own, int):
        return own
    limits = [
        read_object(folder / "config.json").get("max_position_embeddings"),
        read_object(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    known = [limit for limit in limits if isinstance(limit, int)]
    return min(known) if len(known) == len(limits) else 0


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object that a file holds; an empty one where it holds none."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _hub_snapshots(hub_id: str) -> list[Path]:
    """Snapshots of a model in the local hub cache, that of the main branch first."""
    home = Path(os.environ.get("HF_HOME", "~/.cache/huggingface")).expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE", home / "hub")).expanduser()
    model = hub / ("models--" + hub_id.replace("/", "--"))
    try:
        main = (model / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        main = ""
    snapshots = sorted((model / "snapshots").glob("*"))
    return sorted(snapshots, key=lambda path: path.name != main)
