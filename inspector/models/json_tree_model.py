"""JSON data as a tree of keys and values; children are made when they are first looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from core.io.wording import cut
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE, Index
from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QColor

PathRole = USER_ROLE + 1
"""A node's keys and indices from the root, as a tuple."""

_SHOWN_CHARACTERS = 200
_HEADERS = ("Key", "Value")


class _Node:
    """One key and its value."""

    __slots__ = ("_children", "key", "parent", "row", "value")

    def __init__(self, key: str | int, value: Any, parent: _Node | None, row: int) -> None:
        self.key = key
        self.value = value
        self.parent = parent
        self.row = row
        self._children: list[_Node] | None = None

    @property
    def child_count(self) -> int:
        return len(self.value) if isinstance(self.value, dict | list | tuple) else 0

    @property
    def children(self) -> list[_Node]:
        if self._children is None:
            pairs: Any = ()
            if isinstance(self.value, dict):
                pairs = self.value.items()
            elif isinstance(self.value, list | tuple):
                pairs = enumerate(self.value)
            self._children = [
                _Node(key, value, self, row) for row, (key, value) in enumerate(pairs)
            ]
        return self._children

    @property
    def path(self) -> tuple[str | int, ...]:
        return (*self.parent.path, self.key) if self.parent is not None else ()


class JsonTreeModel(Themed, QAbstractItemModel):
    """Two columns: key, value. Read-only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make: Callable[[], Any] = dict
        self._made: _Node | None = None

    def show_json(self, make: Callable[[], Any]) -> None:
        """Show the data that `make` returns, once it is first looked at: what JSON gives."""
        self.beginResetModel()
        self._make, self._made = make, None
        self.endResetModel()

    @property
    def _root(self) -> _Node:
        if self._made is None:
            self._made = _Node("", self._make(), None, 0)
        return self._made

    def index_of(self, path: Sequence[str | int]) -> QModelIndex:
        """Return the index of a path, invalid when the data has no such path."""
        node = self._root
        for key in path:
            found = next((child for child in node.children if child.key == key), None)
            if found is None:
                return QModelIndex()
            node = found
        return self.createIndex(node.row, 0, node) if node.parent is not None else QModelIndex()

    def _node(self, index: Index) -> _Node:
        node = index.internalPointer() if index.isValid() else None
        return node if isinstance(node, _Node) else self._root

    def _words(self, value: Any, limit: int) -> str:
        if isinstance(value, dict):
            if not value:
                return "{}"
            name = value.get("name", value.get("id"))
            called = f" · {name[:limit]}" if isinstance(name, str) else ""
            return f"{len(value)} key{'' if len(value) == 1 else 's'}{called}"
        if isinstance(value, list | tuple):
            return f"{len(value)} item{'' if len(value) == 1 else 's'}" if value else "[]"
        return json.dumps(
            cut(value, limit + 1) if isinstance(value, str) else value, ensure_ascii=False
        )

    def _color(self, value: Any) -> QColor:
        if isinstance(value, str):
            return self._theme.ok
        if isinstance(value, bool) or value is None:
            return self._theme.threshold
        return self._theme.top_k if isinstance(value, int | float) else self._theme.muted

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        """Return the index of a child."""
        node = self._node(parent) if parent is not None else self._root
        if not (0 <= row < node.child_count and 0 <= column < len(_HEADERS)):
            return QModelIndex()
        return self.createIndex(row, column, node.children[row])

    def parent(self, child: Index | None = None) -> Any:
        """Return the index of the parent."""
        if child is None:
            return super().parent()
        above = self._node(child).parent if child.isValid() else None
        if above is None or above.parent is None:
            return QModelIndex()
        return self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return how many keys or items there are below."""
        if parent is not None and parent.column() > 0:
            return 0
        return (self._node(parent) if parent is not None else self._root).child_count

    def columnCount(self, _parent: Index | None = None) -> int:
        """Return 2."""
        return len(_HEADERS)

    def hasChildren(self, parent: Index | None = None) -> bool:
        """Tell without making any child."""
        return self.rowCount(parent) > 0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a key or a value, cut where it is long; the tooltip has more of it."""
        if not index.isValid():
            return None
        node = self._node(index)
        match role:
            case Qt.ItemDataRole.DisplayRole if index.column() == 0:
                return cut(str(node.key), _SHOWN_CHARACTERS)
            case Qt.ItemDataRole.DisplayRole:
                return self._words(node.value, _SHOWN_CHARACTERS)
            case Qt.ItemDataRole.ToolTipRole if isinstance(node.value, str):
                return tooltip(node.value)
            case Qt.ItemDataRole.ForegroundRole if index.column() == 1:
                return self._color(node.value)
        return node.path if role == PathRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's name."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section] if 0 <= section < len(_HEADERS) else None
        return None
