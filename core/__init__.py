"""The engine of the Retrieve turn inspector: files, search, selection, graph, turn. No Qt."""
