"""Query → candidates: the costly stage."""
