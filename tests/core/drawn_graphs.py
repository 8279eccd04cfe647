"""Small knowledge graphs for tests: drawn by hand in one line, or by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from core.subgraph.knowledge_graph import GraphConnection, GraphNode, KnowledgeGraph


def drawn(tree: str, links: str = "") -> KnowledgeGraph:
    """A graph from ``child<parent,parent`` and ``from>to`` words."""
    nodes = []
    for word in tree.split():
        name, _, parents = word.partition("<")
        nodes.append(
            GraphNode(name, name.upper(), parents=tuple(parents.split(",") if parents else ()))
        )
    connections = [
        GraphConnection(f"c{number}", *word.split(">")) for number, word in enumerate(links.split())
    ]
    return KnowledgeGraph(nodes, connections)


# root ─ a ─ a1, a2;  root ─ b ─ b1;  x, y, z stand alone; a1 → x → y → z, b → a1, z → z
DRAWN = drawn("root a<root b<root a1<a a2<a b1<b x y z", "a1>x x>y y>z b>a1 z>z")


@st.composite
def graphs(draw: st.DrawFn) -> KnowledgeGraph:
    count = draw(st.integers(1, 12))
    rows = st.integers(0, count - 1)
    parents = [
        draw(st.lists(st.integers(0, row - 1), max_size=2, unique=True)) if row else []
        for row in range(count)
    ]
    links = draw(st.lists(st.tuples(rows, rows), max_size=10))
    nodes = [
        GraphNode(
            str(row),
            f"t{row}",
            parents=tuple(map(str, above)),
            tags={"odd": bool(row % 2)},
            directories=(f"d{row % 3}/x",),
        )
        for row, above in enumerate(parents)
    ]
    return KnowledgeGraph(
        nodes,
        [
            GraphConnection(f"c{number}", str(start), str(end))
            for number, (start, end) in enumerate(links)
        ],
    )
