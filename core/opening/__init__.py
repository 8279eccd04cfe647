"""What a path means: a graph, knowledge, a recording, or a folder of them."""
