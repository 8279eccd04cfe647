"""The user's own folders: settings, data, caches, each movable by an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

APP_NAME = "retrieve-turn-inspector"
CACHE_VARIABLE = "INSPECTOR_CACHE_DIR"
CONFIG_VARIABLE = "INSPECTOR_CONFIG_DIR"
DATA_VARIABLE = "INSPECTOR_DATA_DIR"


def cache_folder() -> Path:
    """Where files go that can be made again; it need not exist yet."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path(APP_NAME, appauthor=False)


def config_folder() -> Path:
    """Where the user's own settings lie, such as a model catalog; it need not exist."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_config_path(APP_NAME, appauthor=False)


def data_folder() -> Path:
    """Where lies what the program keeps for the user, such as the turns asked and the log.

    Who moves the settings moves it along, unless it is moved by itself.
    """
    chosen = os.environ.get(DATA_VARIABLE) or os.environ.get(CONFIG_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_data_path(APP_NAME, appauthor=False)
