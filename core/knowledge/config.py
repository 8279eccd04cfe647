"""Knowledge configs: which records, which embedding model, which metadata fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.embedding.models import DEFAULT_MODEL, find_model, model_names
from core.io.json_file import describe
from core.io.json_text import child
from core.io.wording import cut, did_you_mean
from core.knowledge.schema import Field, parse_fields

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from core.io.findings import Findings

CONFIG_VERSION = 1
_KEYS = ("version", "embedding_model", "records_file", "index_file", "fields")
_MOST_UNKNOWN_KEYS = 20
_LONGEST_KEY = 60


@dataclass(frozen=True, slots=True)
class KnowledgeConfig:
    """What a knowledge config says.

    embedding_model : a catalog name, or whatever the file says.
    records_file, index_file : relative to the config's folder; "" where there is none.
    fields : the declared schema; of a made-up config the inferred one.
    made_up : True when the opened file is no config, and one was made up around its records.
    """

    embedding_model: str = DEFAULT_MODEL
    records_file: str = ""
    index_file: str = ""
    fields: tuple[Field, ...] = ()
    version: int = CONFIG_VERSION
    made_up: bool = False


def parse_config(document: object, findings: Findings, folder: Path) -> KnowledgeConfig | None:
    """Read a parsed config, collecting findings; faulty values are errors.

    An embedding model that the catalog lacks is a warning: Lexical works without one.

    Parameters
    ----------
    document : the parsed JSON.
    findings : gets the findings.
    folder : of the config; a model named by its path is relative to it.

    Returns
    -------
    KnowledgeConfig | None
        None when the document is no object.
    """
    if not isinstance(document, dict):
        findings.error(
            f"expected a knowledge config, which is an object; found {describe(document)}"
        )
        return None
    warn_unknown_keys(document, _KEYS, "", findings)
    _check_version(document.get("version", CONFIG_VERSION), findings)
    model = _text(document, "embedding_model", findings, required=True)
    if model:
        warn_unknown_model(model, findings, folder)
    fields = parse_fields(document["fields"], findings) if "fields" in document else ()
    return KnowledgeConfig(
        model,
        _text(document, "records_file", findings, required=True),
        _text(document, "index_file", findings, required=False),
        fields,
    )


def warn_unknown_keys(
    entry: Mapping[str, Any], known: Collection[str], path: str, findings: Findings
) -> None:
    """Warn of keys that nobody reads, with a "did you mean"; of the first few, if many."""
    unknown = [key for key in entry if key not in known]
    for key in unknown[:_MOST_UNKNOWN_KEYS]:
        short = cut(key, _LONGEST_KEY)
        findings.warning(
            f'unknown key "{short}": it is ignored',
            child(path, short),
            hint=did_you_mean(short, known),
        )
    more = len(unknown) - _MOST_UNKNOWN_KEYS
    if more > 0:
        findings.warning(f"{more} more unknown keys are ignored", path)


def warn_unknown_model(name: str, findings: Findings, folder: Path) -> None:
    """Warn when an embedding model is neither in the catalog nor a folder with a model."""
    short = cut(name, _LONGEST_KEY)
    if find_model(name, folder) is not None:
        return
    known = model_names()
    close = did_you_mean(short, known)
    findings.warning(
        f'the embedding model "{short}" is not known: only Lexical search will work',
        "embedding_model",
        hint=" ".join(filter(None, [close, f"known models: {', '.join(known)}"])),
    )


def _check_version(version: object, findings: Findings) -> None:
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        findings.error(f"expected version {CONFIG_VERSION}, found {describe(version)}", "version")
    elif version > CONFIG_VERSION:
        findings.error(
            f"the config has version {version}, this program reads version {CONFIG_VERSION}",
            "version",
            hint="update the inspector",
        )


def _text(document: Mapping[str, Any], key: str, findings: Findings, *, required: bool) -> str:
    value = document.get(key)
    if isinstance(value, str) and (value.strip() or not required):
        return value.strip() and value
    if key in document:
        findings.error(f"{key}: expected a text that is not empty, found {describe(value)}", key)
    elif required:
        findings.error(f'the key "{key}" is missing', key, hint=f'add "{key}": "…"')
    return ""
