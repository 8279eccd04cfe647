"""Structures of Qt whose fields the stubs of PySide before 6.10 leave out."""

from __future__ import annotations

from typing import Any

StyleOption = Any
ExtraSelection = Any
FormatRange = Any
