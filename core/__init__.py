"""The engine of the inspector. Scripts import from here what the game's own client calls the same.

What is imported is loaded only then: ``from core import Agent`` loads the agent, ``import core``
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.agent import *  # noqa: F403
    from core.nodes import *  # noqa: F403
else:

    def __getattr__(name):
        """Return a name of `core.agent`, the face for scripts."""
        face = import_module("core.agent")
        if name in face.__all__:
            return getattr(face, name)
        raise AttributeError(f"module 'core' has no attribute {name!r}")
