"""Ranked rows: the dense and the lexical leg, their indexes, fusion, candidates."""
