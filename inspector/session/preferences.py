"""What persists between starts: layout, recent files, theme, options. A broken file is ignored."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from core.io.folders import config_folder

RECENT_LIMIT = 10
THEMES = ("system", "light", "dark")
SETTINGS_FILE = "inspector.ini"

log = logging.getLogger(__name__)


class Preferences:
    """Typed access to the settings file; anything unreadable gives the default.

    Parameters
    ----------
    path : the ini file; by default in the user's settings folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        file = path or config_folder() / SETTINGS_FILE
        self._settings = QSettings(str(file), QSettings.Format.IniFormat)
        if self._settings.status() is not QSettings.Status.NoError:
            log.warning("settings ignored, they cannot be read: %s", file)

    def flag(self, key: str, default: bool) -> bool:
        """Return a yes-or-no option. Ini files give text, so the text is read here."""
        value = str(self._settings.value(key, "")).casefold()
        return {"true": True, "false": False}.get(value, default)

    def set_flag(self, key: str, value: bool) -> None:
        """Keep a yes-or-no option."""
        self._settings.setValue(key, "true" if value else "false")

    @property
    def theme(self) -> str:
        """``system``, ``light`` or ``dark``."""
        value = self._settings.value("theme", "system")
        return value if isinstance(value, str) and value in THEMES else "system"

    @theme.setter
    def theme(self, value: str) -> None:
        self._settings.setValue("theme", value)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened lately that are still there, the newest first."""
        value = self._settings.value("recent", [])
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        # Path.exists would raise for a folder that may not be looked into.
        paths = [Path(name) for name in names if isinstance(name, str) and name]
        return tuple(path for path in paths if os.path.exists(path))[:RECENT_LIMIT]

    def add_recent(self, path: Path) -> None:
        """Put a file on top of the recent ones."""
        paths = [path.resolve(), *(p for p in self.recent if p != path.resolve())]
        self._settings.setValue("recent", [str(p) for p in paths[:RECENT_LIMIT]])

    def blob(self, key: str) -> QByteArray:
        """Return a saved widget state; empty when there is none."""
        value = self._settings.value(f"state/{key}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_blob(self, key: str, state: QByteArray | bytes) -> None:
        """Keep a widget state."""
        self._settings.setValue(f"state/{key}", QByteArray(state))

    def sync(self) -> None:
        """Write to disk now; a folder that cannot be written to is not worth a word."""
        self._settings.sync()
