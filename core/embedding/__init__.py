"""Texts → vectors: the models' catalog, the processes that run them, vectors kept and prebuilt."""
