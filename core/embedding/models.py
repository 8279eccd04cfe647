"""The catalog of embedding models: what they are called and where they lie. Loads none of them.

The catalog is ``resources/models.json``; a ``models.json`` of the same shape in the user's settings
folder adds models, or replaces those of the same name. Any folder that holds a
sentence-transformers model can be named by its path instead.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.io.folders import config_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DEFAULT_MODEL = "All-MiniLM-L6-v2 (Q4_K_M)"
WEIGHTS_FILE = "model.safetensors"
USER_CATALOG = "models.json"

_QUANTISATION = re.compile(r"\s*\((?:i?q\d\w*|b?f(?:p)?(?:16|32))\)$", re.IGNORECASE)
_COUNT_BLOCK = 2048
_MOST_SPECIAL_TOKENS = 8


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


def catalog_problem() -> str:
    """Say what is wrong with the user's own catalog, which is then ignored; "" if nothing is."""
    try:
        _read_catalog(_user_catalog())
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        return f"{_user_catalog()}: {error}"
    return ""


def token_counter(entry: ModelEntry) -> Callable[[Sequence[str]], list[int]] | None:
    """Return a function that counts the tokens of texts as the model would see them uncut.

    Special tokens count. Loads no torch. None when the model, or a tokenizer of it that can be
    read without running it, is not there.
    """
    folder = entry.folder()
    if folder is None or not (folder / "tokenizer.json").is_file():
        return None
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception:  # the library raises bare Exception for a file that it cannot read
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(texts), _COUNT_BLOCK):
            block = list(texts[start : start + _COUNT_BLOCK])
            counts.extend(len(encoding.ids) for encoding in tokenizer.encode_batch_fast(block))
        return counts

    return count


def cut_tokens(entry: ModelEntry, texts: Sequence[str]) -> dict[int, int]:
    """Row → how many tokens of its text lie beyond what the model reads; only rows with any.

    Empty when the model's limit or its tokenizer is not known. Costs a tokenisation of the long
    texts only.
    """
    if not entry.max_tokens:
        return {}
    # A token of ASCII text stands for at least one character of it.
    room = entry.max_tokens - _MOST_SPECIAL_TOKENS
    rows = [row for row, text in enumerate(texts) if len(text) > room or not text.isascii()]
    if not rows:
        return {}
    count = token_counter(entry)
    if count is None:
        return {}
    counts = count([texts[row] for row in rows])
    return {
        row: tokens - entry.max_tokens
        for row, tokens in zip(rows, counts, strict=True)
        if tokens > entry.max_tokens
    }


def _catalog() -> dict[str, ModelEntry]:
    shipped = resources.files("resources").joinpath("models.json")
    with resources.as_file(shipped) as path:
        entries = _read_catalog(path)
    try:
        entries |= _read_catalog(_user_catalog())
    except (OSError, ValueError):
        # `catalog_problem` tells; the shipped models work all the same.
        return entries
    return entries


def _user_catalog() -> Path:
    return config_folder() / USER_CATALOG


def _read_catalog(path: Path) -> dict[str, ModelEntry]:
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(content, dict) or not isinstance(content.get("models"), list):
        raise ValueError('expected an object with a list "models"')
    entries = [_entry(item, index, path.parent) for index, item in enumerate(content["models"])]
    return {entry.name: entry for entry in entries}


def _entry(item: Any, index: int, base: Path) -> ModelEntry:
    where = f"models[{index}]"
    if not isinstance(item, dict):
        raise ValueError(f"{where}: expected an object")
    texts = {key: item.get(key, "") for key in ("name", "package", "folder", "hub_id", "sha256")}
    numbers = {key: item.get(key, 0) for key in ("dimension", "max_tokens")}
    aliases = item.get("aliases", [])
    for key, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{where}.{key}: expected a string")
    for key, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ValueError(f"{where}.{key}: expected a whole number, 0 or more")
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise ValueError(f"{where}.aliases: expected a list of strings")
    if not texts["name"]:
        raise ValueError(f"{where}.name: expected a name")
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
