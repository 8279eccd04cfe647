"""Keyword retrieval: corpora → scores → selection → listing."""
